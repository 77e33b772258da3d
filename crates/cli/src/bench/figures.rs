//! The figures of a run. The programs under bench/ compile this file too, so that everyone is measured by the same words.

/// How deep bodies overlap, over the contact points where they do.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Penetration {
    /// Points that overlap.
    pub points: usize,
    /// Largest depth [m].
    pub max: f64,
    /// The depth that one point in a hundred exceeds [m].
    pub p99: f64,
    /// Mean depth [m].
    pub mean: f64,
}

impl Penetration {
    /// From the gaps of all points, of which the negative ones count.
    pub fn of(gaps: impl IntoIterator<Item = f64>) -> Self {
        let mut depths: Vec<f64> = gaps.into_iter().filter(|gap| *gap < 0.0).map(|gap| -gap).collect();
        depths.sort_by(f64::total_cmp);
        let Some(&max) = depths.last() else { return Self::default() };
        let p99 = depths[(depths.len() - 1) * 99 / 100];
        Self { points: depths.len(), max, p99, mean: mean(&depths) }
    }
}

/// The mean; 0 of nothing.
pub fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// The middle value, the mean of the two middle ones when their number is even; 0 of nothing.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    if n == 0 { 0.0 } else { (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0 }
}

/// The steps that are measured, counted from 0: those after `warm`, up to step 400 as the published figures have it, or to
/// the end when the caller chose `steps`.
pub fn window(scene_steps: u64, steps: Option<u64>, warm: Option<u64>) -> std::ops::Range<u64> {
    let last = steps.unwrap_or(scene_steps.min(400));
    let warm = warm.unwrap_or(100.min(last / 4));
    warm.min(last)..last
}

/// Largest memory of this process so far [bytes]; 0 where the system does not say.
pub fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

/// Time that this thread had a processor [s]; `None` where the system does not say. It advances by scheduler ticks of a few
/// milliseconds: for whole windows, not for single steps.
pub fn processor_time() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split_whitespace().next()?.parse::<f64>().ok()? * 1e-9)
}

/// Time that the threads of this process that live had a processor [s]; `None` where the system does not tell.
pub fn processor_time_of_all() -> Option<f64> {
    let mut sum = 0.0;
    for task in std::fs::read_dir("/proc/self/task").ok()? {
        let text = std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        sum += text.split_whitespace().next()?.parse::<f64>().ok()? * 1e-9;
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths_are_taken_over_the_points_that_overlap() {
        let gaps = (0..200).map(|i| if i % 2 == 0 { 1.0 } else { -f64::from(i) });
        let p = Penetration::of(gaps);
        assert_eq!((p.points, p.max, p.mean), (100, 199.0, 100.0));
        assert_eq!(p.p99, 197.0);
        assert_eq!(Penetration::of([0.0, 1.0]), Penetration::default());
    }

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert_eq!(median(&[]), 0.0);
        assert_eq!(mean(&[1.0, 3.0]), 2.0);
    }

    #[test]
    fn the_window_is_steps_100_to_400_unless_another_is_asked_for() {
        assert_eq!(window(400, None, None), 100..400);
        assert_eq!(window(600, None, None), 100..400);
        assert_eq!(window(600, Some(600), None), 100..600);
        assert_eq!(window(600, Some(40), None), 10..40);
        assert_eq!(window(600, Some(40), Some(50)), 40..40);
        assert_eq!(window(600, None, Some(10)), 10..400);
    }
}
