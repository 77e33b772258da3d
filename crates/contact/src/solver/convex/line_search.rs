//! The exact minimum of a convex cost along a line.

use super::island::Island;
use super::law::Along;

/// Room of a line search.
#[derive(Clone, Debug, Default)]
pub(super) struct LineRoom {
    /// J s.
    pub y: Vec<f64>,
    /// M s.
    pub ms: Vec<f64>,
    point: Vec<f64>,
}

/// Bounds of a line search.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineBounds {
    /// Largest number of evaluations.
    pub evaluations: u32,
    /// Slope at which the minimum counts as found.
    pub slope: f64,
}

/// The α at which the cost along `search` is least; 0 when the cost does not fall along it.
///
/// The slope grows with α. Newton's steps from the end with the smaller slope are taken while they stay between the last point before the
/// minimum and the first beyond it, else the middle.
pub(super) fn line_search(island: &Island, search: &[f64], bounds: LineBounds, room: &mut LineRoom) -> f64 {
    let LineRoom { y, ms, point } = room;
    island.rows.times(search, y);
    ms.resize(search.len(), 0.0);
    island.mass_times(search, ms);
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let smooth = [dot(search, &island.momentum), dot(search, ms)];
    let start = island.along(0.0, y, smooth, point);
    if start.slope >= 0.0 || start.curvature <= 0.0 {
        return 0.0;
    }
    // A slope below this is round-off of the sums that it is made of.
    let enough = huygens_math::scalar::max(bounds.slope, 1e-14 * start.slope.abs());
    let (mut before, mut beyond): ((f64, Along), Option<(f64, Along)>) = ((0.0, start), None);
    let mut next = -start.slope / start.curvature;
    for _ in 0..bounds.evaluations {
        let found = island.along(next, y, smooth, point);
        if found.slope.abs() <= enough {
            return next;
        }
        if found.slope < 0.0 {
            before = (next, found);
        } else {
            beyond = Some((next, found));
        }
        let newton = |(alpha, at): (f64, Along)| alpha - at.slope / at.curvature;
        next = match beyond {
            None => newton(before),
            Some(right) => {
                let best = if before.1.slope.abs() < right.1.slope.abs() { before } else { right };
                let other = if best.0 == before.0 { right } else { before };
                let inside = |x: f64| x > before.0 && x < right.0;
                let middle = 0.5 * (before.0 + right.0);
                let candidate = newton(best);
                if inside(candidate) {
                    candidate
                } else if inside(newton(other)) {
                    newton(other)
                } else {
                    middle
                }
            }
        };
        let unmoved = next == before.0 || beyond.is_some_and(|right| next == right.0);
        if unmoved || !next.is_finite() {
            break;
        }
    }
    match beyond {
        Some(right) if right.1.slope < before.1.slope.abs() => right.0,
        _ => before.0,
    }
}
