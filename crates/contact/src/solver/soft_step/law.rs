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

/// The same where friction acts against spinning and rolling: push and couple of a ball that begins to roll converge by 5/7 a turn where
/// the couple is at its bound. With one turn the ball was 4e-4 too fast after a second.
pub(super) const LEVER_TURNS: usize = 8;

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

/// Gaps as the normals see them: an open gap follows the displacement to `now`; a gap that was closed at the start of the step stays
/// closed, so that a manifold without an open gap need not look at displacements at all.
#[inline(always)]
pub(super) fn gaps_now<L: Lane, const N: usize>(start: [L; N], now: [L; N]) -> [L; N] {
    let zero = L::splat(start[0].token(), 0.0);
    let mut gap = start;
    for k in 0..N {
        gap[k] = L::select(zero.lt(start[k]), now[k], start[k]);
    }
    gap
}

/// Lets an open gap take what free flight within a sub-step needs: displacements are summed from the end velocities of sub-steps, and
/// run ahead of the true path by half a sub-step of the `kicked` speed that its kick adds. Without this a body would be stopped before it lands.
/// No more than the gap itself: a body that rests on a gap of round-off must not fall through such a slack in every step. `h` is the step.
#[inline(always)]
pub(super) fn open_gap<L: Lane>(gap: L, kicked: L, h: f64) -> L {
    let zero = L::splat(gap.token(), 0.0);
    let slack = (kicked * L::splat(gap.token(), -0.5 * h)).min(gap).max(zero);
    L::select(zero.lt(gap), gap + slack, gap)
}

/// Multipliers of the displacement M⁻¹Jᵀκ that undoes a share of the overlap beyond the slop. All points at once: one after the other,
/// the first corner of a box would be pushed most, and a tower would walk (measured: 9 cm in 10 s). The points of a manifold
/// add up to four times the share at most, which is still less than all of the overlap.
///
/// A manifold is pushed out when a gap of it is beyond the slop at the `start` of the step, and by the gaps that it has `now`. A manifold that
/// others have pushed that deep in this step has its turn in the next: it may stand beside lanes that are pushed out or not, and must
/// not depend on them.
#[inline(always)]
pub(super) fn push_out<L: Lane, const N: usize, const M: usize>(
    soft: &Softness,
    rows: &Normals<L, N, M>,
    start: &[L; N],
    now: &[L; N],
) -> [L; N] {
    let token = now[0].token();
    let (zero, slop) = (L::splat(token, 0.0), L::splat(token, soft.slop));
    let share = L::select(is_deep(soft, extremes(start)[0]), L::splat(token, soft.share), zero);
    let most = L::splat(token, soft.max_push_out);
    let mut kappa = [zero; N];
    for k in 0..N {
        let distance = ((-now[k] - slop) * share).min(most).max(zero);
        kappa[k] = rows.inverse[k] * distance;
    }
    kappa
}

/// Where the smallest gap of a manifold at the start of the step is beyond the slop.
#[inline(always)]
pub(super) fn is_deep<L: Lane>(soft: &Softness, least: L) -> L::Mask {
    least.lt(L::splat(least.token(), -soft.slop))
}

/// The normal impulses, point after point: an open gap may close in this sub-step and no more. Impulses change `over_relaxation`
/// times as far as they need to.
#[inline(always)]
pub(super) fn normals_in_turn<L: Lane, const N: usize, const M: usize>(
    soft: &Softness,
    rows: &Normals<L, N, M>,
    mut u: [L; N],
    gap: [L; N],
    lambda: [L; N],
    over_relaxation: L,
) -> [L; N] {
    let zero = L::splat(u[0].token(), 0.0);
    let mut new = lambda;
    for k in 0..N {
        let target = target_speed(soft, gap[k]);
        new[k] = (lambda[k] - rows.inverse[k] * over_relaxation * (u[k] - target)).max(zero);
        respond(rows, &mut u, k, new[k] - lambda[k]);
    }
    new
}

/// Normals that give way: what their law asks of the points of a manifold, with the gaps that they have before the bodies move.
pub(super) struct SpringPoints<L, const N: usize> {
    /// R, which the inverses contain.
    pub regularisation: [L; N],
    /// Velocity that a point is asked for where it has no impulse.
    pub target: [L; N],
}

/// The normal impulses where normals give way: all points at once where none would have to pull, else one after the other, by which the first
/// corner of a box would take most.
#[inline(always)]
pub(super) fn spring_impulses<L: Lane, const N: usize, const M: usize>(
    springs: &SpringPoints<L, N>,
    rows: &Normals<L, N, M>,
    mut u: [L; N],
    lambda: &[L; N],
) -> [L; N] {
    let zero = L::splat(u[0].token(), 0.0);
    let mut residual = [zero; N];
    for k in 0..N {
        residual[k] = u[k] + springs.regularisation[k] * lambda[k] - springs.target[k];
    }
    let change = solve_all(rows, &residual);
    let (mut all, mut least) = (*lambda, zero);
    for k in 0..N {
        all[k] -= change[k];
        least = least.min(all[k]);
    }
    let pulls = least.lt(zero);
    if !L::any(pulls) {
        return all;
    }
    let mut new = *lambda;
    for k in 0..N {
        let felt = u[k] + springs.regularisation[k] * lambda[k] - springs.target[k];
        new[k] = (lambda[k] - rows.inverse[k] * felt).max(zero);
        respond(rows, &mut u, k, new[k] - lambda[k]);
    }
    for k in 0..N {
        new[k] = L::select(pulls, new[k], all[k]);
    }
    new
}

/// (W + R)⁻¹ b over the normals of a manifold, by LDLᵀ; zero for a point that is not there.
#[inline(always)]
fn solve_all<L: Lane, const N: usize, const M: usize>(rows: &Normals<L, N, M>, b: &[L; N]) -> [L; N] {
    let zero = L::splat(b[0].token(), 0.0);
    let (mut lower, mut pivot, mut inverse) = ([[zero; N]; N], [zero; N], [zero; N]);
    for j in 0..N {
        pivot[j] = inverse_of(rows.inverse[j]);
        for k in 0..j {
            pivot[j] -= lower[j][k] * lower[j][k] * pivot[k];
        }
        inverse[j] = inverse_of(pivot[j]);
        for i in j + 1..N {
            let mut entry = rows.coupling[pair(j, i)];
            for k in 0..j {
                entry -= lower[i][k] * lower[j][k] * pivot[k];
            }
            lower[i][j] = entry * inverse[j];
        }
    }
    let mut x = *b;
    for i in 0..N {
        for k in 0..i {
            x[i] -= lower[i][k] * x[k];
        }
    }
    for i in 0..N {
        // A point that is not there has no inverse.
        x[i] = x[i] * inverse[i];
    }
    for i in (0..N).rev() {
        for k in i + 1..N {
            x[i] -= lower[k][i] * x[k];
        }
    }
    x
}

/// Gaps after the normals were solved: a pressed point counts as closed.
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

/// Adds what a change of impulse k does to the speeds of the points after it.
#[inline(always)]
fn respond<L: Lane, const N: usize, const M: usize>(
    rows: &Normals<L, N, M>,
    u: &mut [L; N],
    k: usize,
    delta: L,
) {
    for j in k + 1..N {
        u[j] += rows.coupling[pair(k, j)] * delta;
    }
}

/// A push in the plane of a manifold, or a rolling couple about it.
#[derive(Clone, Copy)]
pub(super) struct Plane<L> {
    /// Inverse of its 2×2 block of W, on the space that can move: entries 11, 12, 22.
    pub inverse: [L; 3],
    /// 1 over the largest eigenvalue of the block.
    pub step: L,
}

impl<L: Lane> Plane<L> {
    /// From the four numbers of [`plane_of`].
    #[inline(always)]
    pub fn new([a, b, c, step]: [L; 4]) -> Self {
        Self { inverse: [a, b, c], step }
    }
}

/// A determinant below this share of the squared trace is round-off: the block has rank one.
const LEAST_PLANE: f64 = 1e-12;

/// Step of a block that is zero: whatever slips is then at its bound, against the slip.
const STEP_OF_NONE: f64 = 1e100;

/// Inverse of a 2×2 block, entries 11, 12, 22, and 1 over its largest eigenvalue.
#[inline(always)]
pub(super) fn plane_of<L: Lane>(w11: L, w12: L, w22: L) -> [L; 4] {
    let half = L::splat(w11.token(), 0.5);
    let inv = inverse_of(w11 * w22 - w12 * w12);
    let spread = (w11 - w22) * half;
    let largest = (w11 + w22) * half + (spread * spread + w12 * w12).sqrt();
    [w22 * inv, -w12 * inv, w11 * inv, inverse_of(largest)]
}

/// As [`plane_of`] for a block that may be singular: W/tr² where it has rank one.
#[inline(always)]
pub(super) fn singular_plane_of<L: Lane>(w11: L, w12: L, w22: L) -> [L; 4] {
    let token = w11.token();
    let zero = L::splat(token, 0.0);
    let (regular, trace) = (plane_of(w11, w12, w22), w11 + w22);
    let is_regular = is_regular(w11, w12, w22);
    let per_square = inverse_of(trace * trace);
    let one_rank = [w11 * per_square, w12 * per_square, w22 * per_square];
    let mut out = regular;
    for k in 0..3 {
        out[k] = L::select(is_regular, regular[k], one_rank[k]);
    }
    out[3] = L::select(zero.lt(trace), regular[3], L::splat(token, STEP_OF_NONE));
    out
}

#[inline(always)]
fn is_regular<L: Lane>(w11: L, w12: L, w22: L) -> L::Mask {
    let trace = w11 + w22;
    (trace * trace * L::splat(trace.token(), LEAST_PLANE)).lt(w11 * w22 - w12 * w12)
}

/// Share of the squared slip that counts as stopped too: round-off of a singular block's inverse.
const RELATIVE_SLACK: f64 = 1e-18;

/// Where a singular block leaves slip that no impulse stops: it slips, whatever the bound. `stopped` is the squared speed that counts as none.
#[inline(always)]
pub(super) fn slips_freely<L: Lane>(
    plane: &Plane<L>,
    [w11, w12, w22]: [L; 3],
    u: [L; 2],
    stopped: f64,
) -> L::Mask {
    let m = &plane.inverse;
    let change = [m[0] * u[0] + m[1] * u[1], m[1] * u[0] + m[2] * u[1]];
    let left = [u[0] - (w11 * change[0] + w12 * change[1]), u[1] - (w12 * change[0] + w22 * change[1])];
    let token = w11.token();
    let allowed = L::splat(token, stopped) + (u[0] * u[0] + u[1] * u[1]) * L::splat(token, RELATIVE_SLACK);
    let rest = left[0] * left[0] + left[1] * left[1];
    allowed.lt(L::select(is_regular(w11, w12, w22), L::splat(token, 0.0), rest))
}

/// Impulse that stops all slip, and where the bound `stick` does not allow it: there [`slip_impulse`] has the answer.
#[inline(always)]
pub(super) fn stick_impulse<L: Lane>(plane: &Plane<L>, u: [L; 2], p: [L; 2], stick: L) -> ([L; 2], L::Mask) {
    let m = &plane.inverse;
    let trial = [p[0] - (m[0] * u[0] + m[1] * u[1]), p[1] - (m[1] * u[0] + m[2] * u[1])];
    (trial, (stick * stick).lt(trial[0] * trial[0] + trial[1] * trial[1]))
}

/// Least share of friction's own effect on its bound that [`slip_impulse`] reckons with: nearer to zero a contact jams.
const LEAST_BEND: f64 = 0.5;

/// The bound of an impulse that slips.
#[derive(Clone, Copy)]
pub(super) struct SlipBound<L> {
    /// Coefficient of dynamic friction, or a lever.
    pub mu: L,
    /// Sum of the normal impulses.
    pub load: L,
    /// What a change of the impulse changes of the load when the normals are solved next.
    pub load_response: [L; 2],
}

/// Impulse of what slips: a projected step against the slip, on the disc μΛ of the load Λ.
///
/// It rests exactly where p points against the slip with |p| = μΛ, for any W_tt: p = Π(p − u/w) with one number w for both
/// directions. A step scaled by W_tt⁻¹ and cut back radially would rest at another angle.
///
/// Friction presses or lifts: a change δ of it changes Λ by `load_response`·δ when the normals are solved next. The radius R along the
/// direction d is that of the disc that is then there, R = μ(Λ + load_response·(R d − p)). With μΛ alone friction and normals overtake each
/// other by the factor −μ load_response·d in every turn: on the edge of a block that falls over, 0.7, and friction was a fifth short of its
/// bound whatever the step.
#[inline(always)]
pub(super) fn slip_impulse<L: Lane>(plane: &Plane<L>, u: [L; 2], p: [L; 2], bound: &SlipBound<L>) -> [L; 2] {
    let SlipBound { mu, load, load_response } = *bound;
    let step = [p[0] - plane.step * u[0], p[1] - plane.step * u[1]];
    let square = step[0] * step[0] + step[1] * step[1];
    let (zero, one) = (L::splat(mu.token(), 0.0), L::splat(mu.token(), 1.0));
    let length = L::select(zero.lt(square), square, one).sqrt();
    let bend = one - mu * (load_response[0] * step[0] + load_response[1] * step[1]) / length;
    let alone = load - (load_response[0] * p[0] + load_response[1] * p[1]);
    let reckons = L::splat(mu.token(), LEAST_BEND).lt(bend);
    let there = L::select(reckons, alone / L::select(reckons, bend, one), load);
    let radius = mu * L::select(zero.lt(load), there.max(zero), zero);
    let scale = L::select((radius * radius).lt(square), radius / length, one);
    [step[0] * scale, step[1] * scale]
}

/// Impulse of the twist about the normal, within ±`bound`.
#[inline(always)]
pub(super) fn twist_impulse<L: Lane>(inverse: L, u: L, p: L, bound: L) -> L {
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
            max_push_out: 0.2,
            stopped: 1e-18,
            bias: [0.0; 2],
            prefetches: false,
            spring: None,
        }
    }

    fn one() -> Normals<f64, 1, 0> {
        Normals { inverse: [2.0], coupling: [] }
    }

    #[test]
    fn an_open_gap_closes_and_an_overlap_stops() {
        // W = 1/2: the impulse changes u by half of itself.
        let (p, gap) = (normals_in_turn(&soft(), &one(), [-1.0], [0.05], [0.0], 1.0), 0.05);
        assert!((-1.0 + 0.5 * p[0] + gap / 0.1).abs() < 1e-15, "{p:?}");
        assert_eq!(normals_in_turn(&soft(), &one(), [-1.0], [-9.0], [0.0], 1.0), [2.0]);
        // It never pulls.
        assert_eq!(normals_in_turn(&soft(), &one(), [-0.1], [0.05], [0.0], 1.0), [0.0]);
        assert_eq!(normals_in_turn(&soft(), &one(), [0.2], [-9.0], [0.3], 1.0), [0.0]);
    }

    #[test]
    fn only_overlap_beyond_the_slop_is_pushed_apart_and_no_faster_than_allowed() {
        let kappa = push_out(&soft(), &one(), &[-0.03], &[-0.03]);
        // A quarter of 0.03 − 0.01, with W = 1/2.
        assert!((0.5 * kappa[0] - 0.005).abs() < 1e-17, "{kappa:?}");
        assert_eq!(push_out(&soft(), &one(), &[-0.01], &[-0.01]), [0.0]);
        let kappa = push_out(&soft(), &one(), &[-9.0], &[-9.0]);
        assert!((0.5 * kappa[0] - 0.2).abs() < 1e-16, "{kappa:?}");
        assert_eq!(push_out(&soft(), &one(), &[-0.01], &[-0.03]), [0.0], "pushed that deep in this step");
        let kappa = push_out(&soft(), &one(), &[-0.02], &[-0.03]);
        assert!((0.5 * kappa[0] - 0.005).abs() < 1e-17, "{kappa:?}, by the gap of now");
        // Equal corners are pushed equally, so that a box is not tilted.
        let rows = Normals { inverse: [2.0, 2.0], coupling: [0.5] };
        let kappa = push_out(&soft(), &rows, &[-0.03; 2], &[-0.03; 2]);
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
                let (trial, slips) = stick_impulse(&plane, at(p), p, 0.1);
                p = if slips {
                    slip_impulse(&plane, at(p), p, &SlipBound { mu: 1.0, load: 0.1, load_response: [0.0; 2] })
                } else {
                    trial
                };
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
            let new = slip_impulse(
                &plane,
                [slip, 0.0],
                [p, 0.0],
                &SlipBound { mu, load: pressed, load_response: [-nt / nn, 0.0] },
            );
            let felt = u_n + nt * (new[0] - p);
            let after = normals_in_turn(&soft(), &rows, [felt], [0.0], [pressed], 1.0)[0];
            assert!((new[0] + mu * after).abs() < 1e-15, "{new:?} {after}");
            // (W_nn − μ W_nt) Λ is what must be stopped.
            let free = nn * pressed + nt * p;
            assert!((after - free / (nn - mu * nt)).abs() < 1e-15, "{after}");
        }
    }

    #[test]
    fn springs_of_a_face_are_solved_at_once_and_a_missing_point_bears_nothing() {
        // Three points that are there, W + R of them, and one that is not.
        let full = [[5.0, 1.0, -0.5], [1.0, 4.0, 0.7], [-0.5, 0.7, 6.0]];
        let mut rows = Normals { inverse: [1.0 / 5.0, 1.0 / 4.0, 1.0 / 6.0, 0.0], coupling: [0.9; 6] };
        for j in 0..3 {
            (0..j).for_each(|i| rows.coupling[pair(i, j)] = full[i][j]);
        }
        let springs = SpringPoints { regularisation: [2.0; 4], target: [0.3, 0.2, 0.1, 0.5] };
        let u = [-0.4, -0.1, -0.3, -9.0];
        let lambda = [0.02, 0.01, 0.03, 0.0];
        let new = spring_impulses(&springs, &rows, u, &lambda);
        assert_eq!(new[3], 0.0);
        for i in 0..3 {
            let felt = u[i] + 2.0 * lambda[i] - springs.target[i];
            let change: f64 = (0..3).map(|j| full[i][j] * (new[j] - lambda[j])).sum();
            assert!((felt + change).abs() < 1e-15, "{i}: {}", felt + change);
        }
        // A point that would have to pull is left, and no point pulls.
        let new = spring_impulses(&springs, &rows, [9.0, -0.1, -0.3, 0.0], &lambda);
        assert!(new[0] == 0.0 && new[1] > 0.0 && new[2] > 0.0, "{new:?}");
    }

    #[test]
    fn no_law_makes_a_nan_of_zeros() {
        let plane = Plane { inverse: [0.0; 3], step: 0.0 };
        assert_eq!(stick_impulse(&plane, [0.0; 2], [0.0; 2], 0.0).0, [0.0; 2]);
        assert_eq!(
            slip_impulse(
                &plane,
                [0.0; 2],
                [0.0; 2],
                &SlipBound { mu: 0.0, load: 0.0, load_response: [0.0; 2] }
            ),
            [0.0; 2]
        );
        assert_eq!(twist_impulse(0.0, 1.0, 0.0, 0.0), 0.0);
        let none = Normals { inverse: [0.0], coupling: [] };
        assert_eq!(normals_in_turn(&soft(), &none, [-1.0], [-1.0], [0.0], 1.0), [0.0]);
        assert_eq!(push_out(&soft(), &none, &[-1.0], &[-1.0]), [0.0]);
    }
}
