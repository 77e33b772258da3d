//! The figures of a run.

/// How deep bodies overlap, over the points where they do.
#[derive(Clone, Copy, Debug, Default)]
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
    pub fn of(gaps: impl Iterator<Item = f64>) -> Self {
        let mut depths: Vec<f64> = gaps.filter(|gap| *gap < 0.0).map(|gap| -gap).collect();
        depths.sort_by(f64::total_cmp);
        let Some(&max) = depths.last() else { return Self::default() };
        let p99 = depths[(depths.len() - 1) * 99 / 100];
        Self { points: depths.len(), max, p99, mean: depths.iter().sum::<f64>() / depths.len() as f64 }
    }
}

/// The middle value; the mean of the two middle ones when their number is even.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    if n == 0 { f64::NAN } else { (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0 }
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
