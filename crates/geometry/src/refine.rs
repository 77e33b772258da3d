//! The depth of an overlap where EPA's room ends before it converges.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | D | `Difference` | Minkowski difference A − B, in A's frame; the origin lies in it |
//! | h(n) | `height` | max n·p over D, along a unit vector n |
//!
//! That happens where D is as deep, or nearly, along a whole circle of directions: about the axis of a cylinder that
//! holds the other shape's middle. No polytope of a few hundred faces follows a circle to the last digit, but h along
//! the circle is a function of one angle.

use crate::epa::{Penetration, Search, inflate};
use crate::gjk::{Gjk, Goal};
use crate::simplex::Difference;
use crate::support::Support;
use huygens_math::{Vec3, trig};
use std::f64::consts::TAU;

/// Improves an answer that EPA's capacity cut short.
#[inline(never)]
pub(crate) fn refine<A: Support, B: Support>(
    difference: &Difference<A, B>,
    mut best: Penetration,
) -> Penetration {
    for axis in difference.round_axes().into_iter().flatten() {
        around(difference, axis, &mut best);
    }
    local(difference, best)
}

/// Directions on a circle that are looked at first.
const LOOKS: usize = 64;

/// Takes the least h among the directions across `axis`, if that is less than the best.
fn around<A: Support, B: Support>(difference: &Difference<A, B>, axis: Vec3, best: &mut Penetration) {
    let (u, v) = axis.any_orthonormal_pair();
    let at = |angle: f64| {
        let (sin, cos) = trig::sin_cos(angle);
        u * cos + v * sin
    };
    let step = TAU / LOOKS as f64;
    let heights: [f64; LOOKS] = std::array::from_fn(|i| difference.height(at(step * i as f64)));
    best.iterations += LOOKS as u32;
    // The two lowest valleys: rounding alone makes many where D is round.
    let mut lowest: [Option<usize>; 2] = [None; 2];
    for i in 0..LOOKS {
        let (before, after) = (heights[(i + LOOKS - 1) % LOOKS], heights[(i + 1) % LOOKS]);
        if heights[i] <= before && heights[i] <= after {
            let below = |known: Option<usize>| known.is_none_or(|k| heights[i] < heights[k]);
            if below(lowest[0]) {
                lowest = [Some(i), lowest[0]];
            } else if below(lowest[1]) {
                lowest[1] = Some(i);
            }
        }
    }
    for i in lowest.into_iter().flatten() {
        let middle = step * i as f64;
        let angle = golden(|x| difference.height(at(x)), middle - step, middle + step);
        best.iterations += GOLDEN_STEPS;
        let depth = difference.height(at(angle));
        if depth < best.depth {
            best.depth = depth;
            best.outward = at(angle).normalize_or(u);
        }
    }
}

/// Steps of the golden section: they leave 1e-10 of the interval.
const GOLDEN_STEPS: u32 = 48;

/// Where a function of one valley is least between `low` and `high`.
fn golden(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    const SHARE: f64 = 0.618_033_988_749_894_9;
    let (mut x, mut y) = (high - SHARE * (high - low), low + SHARE * (high - low));
    let (mut f_x, mut f_y) = (f(x), f(y));
    for _ in 0..GOLDEN_STEPS - 2 {
        if f_x <= f_y {
            (high, y, f_y) = (y, x, f_x);
            x = high - SHARE * (high - low);
            f_x = f(x);
        } else {
            (low, x, f_x) = (x, y, f_y);
            y = low + SHARE * (high - low);
            f_y = f(y);
        }
    }
    if f_x <= f_y { x } else { y }
}

/// Moves to the face of D that the ray along `outward` leaves through, or a neighbour of it.
///
/// Seen from a point of the ray just inside D, that face is the nearest, and no circle ties with it. Its normal is
/// at least as good: 1/h is the radius of the polar body, and the face its highest point along the ray.
fn local<A: Support, B: Support>(difference: &Difference<A, B>, mut best: Penetration) -> Penetration {
    let tolerance = difference.tolerance();
    for _ in 0..4 {
        let offset = best.outward * (best.depth * 0.95);
        let shifted = difference.shifted(offset);
        let mut start = Gjk::start(&shifted, -best.outward);
        start.run(&shifted, Goal::Distance);
        if start.distance.is_some() {
            break;
        }
        let Ok(tetrahedron) = inflate(&shifted, start.corners()) else { break };
        let search = Search { difference: &shifted };
        let found = search.run::<64, 128, 256>(&tetrahedron);
        best.iterations += start.iterations + found.iterations;
        let depth = difference.height(found.outward);
        let gain = best.depth - depth;
        // The same place up to what the tolerance leaves open: then at least the witness points are good.
        if gain > -1e3 * tolerance {
            best.middle = found.middle - offset * 0.5;
        }
        if gain > 0.0 {
            best.outward = found.outward;
            best.depth = depth;
        }
        if gain <= tolerance {
            break;
        }
    }
    best
}
