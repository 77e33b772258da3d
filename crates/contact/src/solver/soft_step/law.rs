//! The laws of `soft-step` for one manifold, in any number of lanes.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | u | `u` | row velocity now | m/s |
//! | λ | `lambda` | impulse of the sub-step so far | N·s |
//! | g | `gap` | distance now | m |
//! | W | `inverse`, `coupling` | J M⁻¹ Jᵀ over the normals: 1/diagonal, and the pairs above it | 1/kg |
//! | μ_s, μ_d | `stick`, `slip` | radii of the friction discs, times the normal impulse | N·s |

#![allow(
    clippy::needless_range_loop,
    reason = "iterators are closures, which cannot be inlined into SIMD code"
)]

use super::softness::Softness;
use huygens_math::lanes::Lane;

/// Times that friction and normals of a manifold of several points are solved in turn in one visit.
pub(super) const TURNS: usize = 2;

/// Place of the pair i < j in [`Normals::coupling`].
#[inline(always)]
pub(super) const fn pair(i: usize, j: usize) -> usize {
    j * (j - 1) / 2 + i
}

/// 1/w where w is positive, else 0.
#[inline(always)]
pub(super) fn inverse_of<L: Lane>(w: L) -> L {
    let (zero, one) = (L::splat(w.token(), 0.0), L::splat(w.token(), 1.0));
    let moves = zero.lt(w);
    L::select(moves, one / L::select(moves, w, one), zero)
}

/// The normals of a manifold of `N` points; `M` = N(N−1)/2.
#[derive(Clone, Copy)]
pub(super) struct Normals<L, const N: usize, const M: usize> {
    /// 1/W_kk, or 0 where nothing moves.
    pub inverse: [L; N],
    /// W_ij for i < j, at [`pair`].
    pub coupling: [L; M],
}

/// Normal velocity that lets an open gap close in a sub-step; when it is closed zero, or what Baumgarte's bias asks for.
#[inline(always)]
pub(super) fn target_speed<L: Lane>(soft: &Softness, gap: L) -> L {
    let zero = L::splat(gap.token(), 0.0);
    L::select(zero.lt(gap), -gap * L::splat(gap.token(), soft.per_h), bias(soft, gap))
}

/// Speed that Baumgarte's bias asks for; zero without it, and for a gap that is open.
#[inline(always)]
pub(super) fn bias<L: Lane>(soft: &Softness, gap: L) -> L {
    let [rate, most] = [L::splat(gap.token(), soft.bias[0]), L::splat(gap.token(), soft.bias[1])];
    (-gap * rate).min(most).max(L::splat(gap.token(), 0.0))
}

/// Gaps as the normals see them: one that is open follows the displacement to `now`; one that was closed at the start of the step stays
/// so, and a manifold without an open one need not look at displacements at all.
#[inline(always)]
pub(super) fn follow<L: Lane, const N: usize>(start: [L; N], now: [L; N]) -> [L; N] {
    let zero = L::splat(start[0].token(), 0.0);
    let mut gap = start;
    for k in 0..N {
        gap[k] = L::select(zero.lt(start[k]), now[k], start[k]);
    }
    gap
}

/// Multipliers of the displacement M⁻¹Jᵀκ that undoes a share of the overlap beyond the slop. All points at once: one after the other,
/// the first corner of a box would be pushed most, and a tower would walk (measured: 9 cm in 10 s). The points of a manifold
/// add up to four times the share at most, which is still less than the whole.
///
/// A manifold is pushed when a gap of it is beyond the slop at the `start` of the step, and by the gaps that it has `now`. One that others have
/// pushed that deep in this step has its turn in the next: it may stand beside lanes that are pushed or not, and must not depend on them.
#[inline(always)]
pub(super) fn push_apart<L: Lane, const N: usize, const M: usize>(
    soft: &Softness,
    rows: &Normals<L, N, M>,
    start: &[L; N],
    now: &[L; N],
) -> [L; N] {
    let token = now[0].token();
    let (zero, slop) = (L::splat(token, 0.0), L::splat(token, soft.slop));
    let share = L::select(is_deep(soft, extremes(start)[0]), L::splat(token, soft.share), zero);
    let most = L::splat(token, soft.push);
    let mut kappa = [zero; N];
    for k in 0..N {
        let way = ((-now[k] - slop) * share).min(most).max(zero);
        kappa[k] = rows.inverse[k] * way;
    }
    kappa
}

/// Where the smallest gap of a manifold at the start of the step is beyond the slop.
#[inline(always)]
pub(super) fn is_deep<L: Lane>(soft: &Softness, least: L) -> L::Mask {
    least.lt(L::splat(least.token(), -soft.slop))
}

/// The solve of the normals, point after point: an open gap may close in this sub-step and no more. Impulses change `over` times
/// as far as they need to.
#[inline(always)]
pub(super) fn press<L: Lane, const N: usize, const M: usize>(
    soft: &Softness,
    rows: &Normals<L, N, M>,
    mut u: [L; N],
    gap: [L; N],
    lambda: [L; N],
    over: L,
) -> [L; N] {
    let zero = L::splat(u[0].token(), 0.0);
    let mut new = lambda;
    for k in 0..N {
        let wish = lambda[k] - rows.inverse[k] * over * (u[k] - target_speed(soft, gap[k]));
        new[k] = wish.max(zero);
        spread(rows, &mut u, k, new[k] - lambda[k]);
    }
    new
}

/// Gaps after normals were solved: one that is pressed now counts as closed.
#[inline(always)]
pub(super) fn landed<L: Lane, const N: usize>(lambda: &[L; N], mut gap: [L; N]) -> [L; N] {
    let zero = L::splat(gap[0].token(), 0.0);
    for k in 0..N {
        gap[k] = L::select(zero.lt(lambda[k]), gap[k].min(zero), gap[k]);
    }
    gap
}

/// The smallest and the largest of some gaps.
#[inline(always)]
pub(super) fn extremes<L: Lane, const N: usize>(gap: &[L; N]) -> [L; 2] {
    let (mut least, mut most) = (gap[0], gap[0]);
    for k in 1..N {
        least = least.min(gap[k]);
        most = most.max(gap[k]);
    }
    [least, most]
}

/// What a change of impulse k does to the points after it.
#[inline(always)]
fn spread<L: Lane, const N: usize, const M: usize>(
    rows: &Normals<L, N, M>,
    u: &mut [L; N],
    k: usize,
    delta: L,
) {
    for j in k + 1..N {
        u[j] += rows.coupling[pair(k, j)] * delta;
    }
}

/// Friction of a manifold in its plane.
#[derive(Clone, Copy)]
pub(super) struct Plane<L> {
    /// Inverse of the 2×2 block W_tt at the middle of the points: entries 11, 12, 22.
    pub inverse: [L; 3],
    /// 1 over its largest eigenvalue.
    pub step: L,
}

/// Tangential impulse that stops all slip, and where `stick` does not allow it: there [`slide`] has the answer.
#[inline(always)]
pub(super) fn hold<L: Lane>(plane: &Plane<L>, u: [L; 2], p: [L; 2], stick: L) -> ([L; 2], L::Mask) {
    let m = &plane.inverse;
    let trial = [p[0] - (m[0] * u[0] + m[1] * u[1]), p[1] - (m[1] * u[0] + m[2] * u[1])];
    (trial, (stick * stick).lt(trial[0] * trial[0] + trial[1] * trial[1]))
}

/// Least share of friction's own effect on its bound that [`slide`] reckons with: nearer to zero a contact jams.
const LEAST_BEND: f64 = 0.5;

/// Tangential impulse of what slips: a projected step against the slip, on the disc μΛ of the normal impulses Λ = `pressed`.
///
/// It rests exactly where p points against the slip with |p| = μΛ, for any W_tt: p = Π(p − u/w) with one number w for both
/// directions. A step scaled by W_tt⁻¹ and cut back radially would rest at another angle.
///
/// Friction presses or lifts: a change δ of it changes Λ by `lean`·δ when the normals are solved next. The radius R along the direction d is that
/// of the disc that is then there, R = μ(Λ + lean·(R d − p)). With μΛ alone friction and normals overtake each other by the factor
/// −μ lean·d in every turn: on the edge of a block that falls over, 0.7, and friction was a fifth short of its bound whatever the step.
#[inline(always)]
pub(super) fn slide<L: Lane>(
    plane: &Plane<L>,
    u: [L; 2],
    p: [L; 2],
    (mu, pressed): (L, L),
    lean: [L; 2],
) -> [L; 2] {
    let step = [p[0] - plane.step * u[0], p[1] - plane.step * u[1]];
    let square = step[0] * step[0] + step[1] * step[1];
    let (zero, one) = (L::splat(mu.token(), 0.0), L::splat(mu.token(), 1.0));
    let length = L::select(zero.lt(square), square, one).sqrt();
    let bend = one - mu * (lean[0] * step[0] + lean[1] * step[1]) / length;
    let alone = pressed - (lean[0] * p[0] + lean[1] * p[1]);
    let reckons = L::splat(mu.token(), LEAST_BEND).lt(bend);
    let there = L::select(reckons, alone / L::select(reckons, bend, one), pressed);
    let radius = mu * L::select(zero.lt(pressed), there.max(zero), zero);
    let scale = L::select((radius * radius).lt(square), radius / length, one);
    [step[0] * scale, step[1] * scale]
}

/// Impulse of the twist about the normal, within ±`bound`.
#[inline(always)]
pub(super) fn twist<L: Lane>(inverse: L, u: L, p: L, bound: L) -> L {
    (p - inverse * u).min(bound).max(-bound)
}

#[cfg(test)]
mod tests {
    use super::*;
    use huygens_math::SplitMix;

    fn soft() -> Softness {
        Softness {
            h: 0.1,
            per_h: 10.0,
            share: 0.25,
            slop: 0.01,
            fit: 0.0,
            push: 0.2,
            bias: [0.0; 2],
            looks_ahead: false,
        }
    }

    fn one() -> Normals<f64, 1, 0> {
        Normals { inverse: [2.0], coupling: [] }
    }

    #[test]
    fn an_open_gap_closes_and_an_overlap_stops() {
        // W = 1/2: the impulse changes u by half of itself.
        let (p, gap) = (press(&soft(), &one(), [-1.0], [0.05], [0.0], 1.0), 0.05);
        assert!((-1.0 + 0.5 * p[0] + gap / 0.1).abs() < 1e-15, "{p:?}");
        assert_eq!(press(&soft(), &one(), [-1.0], [-9.0], [0.0], 1.0), [2.0]);
        // It never pulls.
        assert_eq!(press(&soft(), &one(), [-0.1], [0.05], [0.0], 1.0), [0.0]);
        assert_eq!(press(&soft(), &one(), [0.2], [-9.0], [0.3], 1.0), [0.0]);
    }

    #[test]
    fn only_overlap_beyond_the_slop_is_pushed_apart_and_no_faster_than_allowed() {
        let kappa = push_apart(&soft(), &one(), &[-0.03], &[-0.03]);
        // A quarter of 0.03 − 0.01, with W = 1/2.
        assert!((0.5 * kappa[0] - 0.005).abs() < 1e-17, "{kappa:?}");
        assert_eq!(push_apart(&soft(), &one(), &[-0.01], &[-0.01]), [0.0]);
        let kappa = push_apart(&soft(), &one(), &[-9.0], &[-9.0]);
        assert!((0.5 * kappa[0] - 0.2).abs() < 1e-16, "{kappa:?}");
        assert_eq!(push_apart(&soft(), &one(), &[-0.01], &[-0.03]), [0.0], "pushed that deep in this step");
        let kappa = push_apart(&soft(), &one(), &[-0.02], &[-0.03]);
        assert!((0.5 * kappa[0] - 0.005).abs() < 1e-17, "{kappa:?}, by the gap of now");
        // Equal corners are pushed equally, so that a box is not tilted.
        let rows = Normals { inverse: [2.0, 2.0], coupling: [0.5] };
        let kappa = push_apart(&soft(), &rows, &[-0.03; 2], &[-0.03; 2]);
        assert!(kappa[1] == kappa[0] && kappa[1] > 0.0, "{kappa:?}");
    }

    #[test]
    fn sliding_friction_rests_against_the_slip_whatever_the_block() {
        let mut r = SplitMix::new(4);
        for _ in 0..200 {
            let (a, c, b) = (r.range(1.0, 9.0), r.range(1.0, 9.0), r.range(-0.9, 0.9));
            let det = a * c - b * b;
            let largest = 0.5 * (a + c) + (0.25 * (a - c) * (a - c) + b * b).sqrt();
            let plane = Plane { inverse: [c / det, -b / det, a / det], step: 1.0 / largest };
            let free = [r.range(-9.0, 9.0), r.range(-9.0, 9.0)];
            let at = |p: [f64; 2]| [free[0] + a * p[0] + b * p[1], free[1] + b * p[0] + c * p[1]];
            let mut p = [0.0; 2];
            for _ in 0..500 {
                let (trial, slips) = hold(&plane, at(p), p, 0.1);
                p = if slips { slide(&plane, at(p), p, (1.0, 0.1), [0.0; 2]) } else { trial };
            }
            let u = at(p);
            let cross = p[0] * u[1] - p[1] * u[0];
            let (size, slip) = ((p[0] * p[0] + p[1] * p[1]).sqrt(), (u[0] * u[0] + u[1] * u[1]).sqrt());
            let sticks = slip < 1e-12 && size <= 0.1;
            let slides = (size - 0.1).abs() < 1e-15 && cross.abs() < 1e-12 * slip && p[0] * u[0] <= 0.0;
            assert!(sticks || slides, "{p:?} {u:?}");
        }
    }

    #[test]
    fn friction_that_lifts_is_on_the_cone_of_the_normals_that_it_leaves() {
        // A block on its edge at 64°: mass 1, W_nn, W_tt and W_nt of its arm of 0.5385 m; μ = 2.
        let (nn, tt, nt, mu) = (3.42, 1.58, -1.18, 2.0);
        let plane = Plane { inverse: [1.0 / tt, 0.0, 1.0 / tt], step: 1.0 / tt };
        let rows = Normals { inverse: [1.0 / nn], coupling: [] };
        for (pressed, p) in [(0.3, -0.1), (0.3, 0.0), (0.2, -0.35)] {
            // It slips fast to +x; the normals are solved for the friction that is there.
            let (u_n, slip) = (0.0, 9.0);
            let new = slide(&plane, [slip, 0.0], [p, 0.0], (mu, pressed), [-nt / nn, 0.0]);
            let felt = u_n + nt * (new[0] - p);
            let after = press(&soft(), &rows, [felt], [0.0], [pressed], 1.0)[0];
            assert!((new[0] + mu * after).abs() < 1e-15, "{new:?} {after}");
            // (W_nn − μ W_nt) Λ is what must be stopped.
            let free = nn * pressed + nt * p;
            assert!((after - free / (nn - mu * nt)).abs() < 1e-15, "{after}");
        }
    }

    #[test]
    fn no_law_makes_a_nan_of_zeros() {
        let plane = Plane { inverse: [0.0; 3], step: 0.0 };
        assert_eq!(hold(&plane, [0.0; 2], [0.0; 2], 0.0).0, [0.0; 2]);
        assert_eq!(slide(&plane, [0.0; 2], [0.0; 2], (0.0, 0.0), [0.0; 2]), [0.0; 2]);
        assert_eq!(twist(0.0, 1.0, 0.0, 0.0), 0.0);
        let none = Normals { inverse: [0.0], coupling: [] };
        assert_eq!(press(&soft(), &none, [-1.0], [-1.0], [0.0], 1.0), [0.0]);
        assert_eq!(push_apart(&soft(), &none, &[-1.0], &[-1.0]), [0.0]);
    }
}
