//! Friction against spinning and rolling in lanes: the couple of a manifold, as in [`crate::couple`].
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | ω | `spin` | spin of A relative to B along n, t₁, t₂ | rad/s |
//! | τ | `couple` | couple on A in the same axes | N·m·s |
//! | N | `load` | sum of the normal impulses | N·s |
//! | a_s, a_r | `lever` | levers against spinning and rolling | m |
//!
//! The law: |τ_n| ≤ a_s N and |τ_t| ≤ a_r N, against the spin where the bound is reached. In the six motions of a manifold the spin
//! stands along d = n + d₁t₁ + d₂t₂, t₁ and t₂: so ω_n = ω_d − d₁ω₁ − d₂ω₂, and τ is the couples (τ_n, τ₁ − d₁τ_n, τ₂ − d₂τ_n) there.
//!
//! Friction in the plane and the couple act on the same motion: solved in turn, a ball that sticks converges by 5/7 a visit. So slip and spin are
//! stopped together where the bounds allow it ([`together`]). What holds at the end is the same.

#![allow(
    clippy::needless_range_loop,
    reason = "iterators are closures, which cannot be inlined into SIMD code"
)]

use super::batch::entry;
use super::law::{Plane, SlipBound, inverse_of, slip_impulse, stick_impulse};
use huygens_math::lanes::Lane;

/// Motions that are stopped together: u₁, u₂, then the spin along n, t₁, t₂.
const MOTIONS: usize = 5;

/// A pivot below this share of the diagonal belongs to a motion that cannot move.
const RANK: f64 = 1e-10;

/// The spin along n, t₁, t₂ of six rates.
#[inline(always)]
pub(super) fn spin_of<L: Lane>(rates: &[L; 6], axis: [L; 2]) -> [L; 3] {
    [rates[3] - axis[0] * rates[4] - axis[1] * rates[5], rates[4], rates[5]]
}

/// A couple along n, t₁, t₂ as couples along d, t₁, t₂.
#[inline(always)]
pub(super) fn along_axis<L: Lane>(couple: [L; 3], axis: [L; 2]) -> [L; 3] {
    [couple[0], couple[1] - axis[0] * couple[0], couple[2] - axis[1] * couple[0]]
}

/// The nearest couple that a load allows.
#[inline(always)]
pub(super) fn admissible<L: Lane>(couple: [L; 3], lever: [L; 2], load: L) -> [L; 3] {
    let (zero, one) = (L::splat(load.token(), 0.0), L::splat(load.token(), 1.0));
    let load = load.max(zero);
    let (spinning, rolling) = (lever[0] * load, lever[1] * load);
    let square = couple[1] * couple[1] + couple[2] * couple[2];
    let cut = (rolling * rolling).lt(square);
    let scale = L::select(cut, rolling / L::select(cut, square, one).sqrt(), one);
    [couple[0].min(spinning).max(-spinning), couple[1] * scale, couple[2] * scale]
}

/// The couple along n when it alone changes.
#[inline(always)]
pub(super) fn spinning<L: Lane>(inverse: L, spin: L, couple: L, bound: L) -> L {
    (couple - inverse * spin).min(bound).max(-bound)
}

/// The couple along t₁, t₂ when it alone changes.
#[inline(always)]
pub(super) fn rolling<L: Lane>(plane: &Plane<L>, spin: [L; 2], couple: [L; 2], lever: L, load: L) -> [L; 2] {
    let zero = L::splat(load.token(), 0.0);
    let load = load.max(zero);
    let (stuck, slips) = stick_impulse(plane, spin, couple, lever * load);
    let bound = SlipBound { mu: lever, load, load_response: [zero; 2] };
    let slid = slip_impulse(plane, spin, couple, &bound);
    [L::select(slips, slid[0], stuck[0]), L::select(slips, slid[1], stuck[1])]
}

/// What stops slip and spin at once.
#[derive(Clone, Copy)]
pub(super) struct Together<L> {
    pub push: [L; 2],
    pub couple: [L; 3],
    /// 1 where both are within their bounds, else 0.
    pub holds: L,
}

/// Slip, impulses so far, and their bounds.
#[derive(Clone, Copy)]
pub(super) struct Patch<L> {
    pub slip: [L; 2],
    pub spin: [L; 3],
    pub push: [L; 2],
    pub couple: [L; 3],
    /// Bound of the push while it sticks.
    pub stick: L,
    pub lever: [L; 2],
    pub load: L,
}

/// The push in the plane and the couple that stop slip and spin at once; `joint` is the inverse of [`joint_inverse`].
#[inline(always)]
pub(super) fn together<L: Lane>(joint: &[L; 15], exists: L, patch: &Patch<L>) -> Together<L> {
    let token = patch.load.token();
    let (zero, one) = (L::splat(token, 0.0), L::splat(token, 1.0));
    let spins = zero.lt(patch.lever[0]);
    let rolls = zero.lt(patch.lever[1]);
    let u = [
        patch.slip[0],
        patch.slip[1],
        L::select(spins, patch.spin[0], zero),
        L::select(rolls, patch.spin[1], zero),
        L::select(rolls, patch.spin[2], zero),
    ];
    let mut p = [patch.push[0], patch.push[1], patch.couple[0], patch.couple[1], patch.couple[2]];
    for i in 0..MOTIONS {
        for j in 0..MOTIONS {
            p[i] -= joint[entry(i, j)] * u[j];
        }
    }
    let load = patch.load.max(zero);
    let (spinning, rolling) = (patch.lever[0] * load, patch.lever[1] * load);
    let within = |square: L, bound: L| L::select((bound * bound).lt(square), zero, one);
    let holds = exists
        * within(p[0] * p[0] + p[1] * p[1], patch.stick)
        * within(p[2] * p[2], spinning)
        * within(p[3] * p[3] + p[4] * p[4], rolling);
    Together { push: [p[0], p[1]], couple: [p[2], p[3], p[4]], holds }
}

/// The part of W of the six motions that the couple sees: of u₁, u₂ and the spin along n, t₁, t₂, at [`entry`].
#[inline(always)]
pub(super) fn joint_w<L: Lane>(w: &[L; 21], axis: [L; 2]) -> [L; 15] {
    let zero = L::splat(axis[0].token(), 0.0);
    let one = L::splat(axis[0].token(), 1.0);
    // Each of the five motions as a sum of the six.
    let mut basis = [[zero; 6]; MOTIONS];
    (basis[0][1], basis[1][2]) = (one, one);
    (basis[2][3], basis[2][4], basis[2][5]) = (one, -axis[0], -axis[1]);
    (basis[3][4], basis[4][5]) = (one, one);
    let mut out = [zero; 15];
    for j in 0..MOTIONS {
        let mut column = [zero; 6];
        for a in 0..6 {
            for b in 1..6 {
                column[a] += w[entry(a, b)] * basis[j][b];
            }
        }
        for i in 0..=j {
            let mut sum = zero;
            for a in 1..6 {
                sum += basis[i][a] * column[a];
            }
            out[entry(i, j)] = sum;
        }
    }
    out
}

/// Inverse of [`joint_w`] where all of it can move, and 1 where there is one. A motion without a lever takes no couple.
#[inline(always)]
pub(super) fn joint_inverse<L: Lane>(w: &[L; 15], lever: [L; 2]) -> ([L; 15], L) {
    let token = lever[0].token();
    let (zero, one) = (L::splat(token, 0.0), L::splat(token, 1.0));
    let has = [one, one, lever[0], lever[1], lever[1]];
    let (mut a, mut out) = ([[zero; MOTIONS]; MOTIONS], [[zero; MOTIONS]; MOTIONS]);
    for i in 0..MOTIONS {
        for j in 0..MOTIONS {
            let acts = zero.lt(has[i].min(has[j]));
            let other = if i == j { one } else { zero };
            a[i][j] = L::select(acts, w[entry(i, j)], other);
        }
        out[i][i] = one;
    }
    let mut exists = one;
    for k in 0..MOTIONS {
        let diagonal = L::select(zero.lt(has[k]), w[entry(k, k)], one);
        let moves = (diagonal * L::splat(token, RANK)).lt(a[k][k]);
        exists = L::select(moves, exists, zero);
        let pivot = inverse_of(L::select(moves, a[k][k], zero));
        for j in 0..MOTIONS {
            a[k][j] = a[k][j] * pivot;
            out[k][j] = out[k][j] * pivot;
        }
        for i in 0..MOTIONS {
            if i != k {
                let factor = a[i][k];
                for j in 0..MOTIONS {
                    a[i][j] -= factor * a[k][j];
                    out[i][j] -= factor * out[k][j];
                }
            }
        }
    }
    let mut packed = [zero; 15];
    for j in 0..MOTIONS {
        for i in 0..=j {
            packed[entry(i, j)] = out[i][j];
        }
    }
    (packed, exists)
}

#[cfg(test)]
mod tests {
    use super::*;
    use huygens_math::SplitMix;

    const RADIUS: f64 = 0.3;
    const SPIN: f64 = 2.5 / (RADIUS * RADIUS);

    /// W of a ball of mass 1 on a plane: u = v + ω × (−r n).
    fn ball() -> [f64; 21] {
        let mut w = [0.0; 21];
        w[entry(0, 0)] = 1.0;
        (w[entry(1, 1)], w[entry(2, 2)]) = (3.5, 3.5);
        for k in 3..6 {
            w[entry(k, k)] = SPIN;
        }
        (w[entry(2, 4)], w[entry(1, 5)]) = (RADIUS * SPIN, -RADIUS * SPIN);
        w
    }

    fn patch(lever: [f64; 2], load: f64) -> Patch<f64> {
        let (slip, spin) = ([0.2, -0.1], [0.3, 0.5, -0.7]);
        Patch { slip, spin, push: [0.0; 2], couple: [0.0; 3], stick: load, lever, load }
    }

    #[test]
    fn slip_and_spin_of_a_ball_are_stopped_at_once() {
        let w = joint_w(&ball(), [0.0; 2]);
        let (joint, exists) = joint_inverse(&w, [1.0, 1.0]);
        let case = patch([1.0, 1.0], 100.0);
        let found = together(&joint, exists, &case);
        assert_eq!(found.holds, 1.0);
        let ([a, b], [n, x, y]) = (found.push, found.couple);
        let u = [
            case.slip[0] + 3.5 * a - RADIUS * SPIN * y,
            case.slip[1] + 3.5 * b + RADIUS * SPIN * x,
            case.spin[0] + SPIN * n,
            case.spin[1] + SPIN * x + RADIUS * SPIN * b,
            case.spin[2] + SPIN * y - RADIUS * SPIN * a,
        ];
        assert!(u.iter().all(|u| u.abs() < 1e-14), "{u:?}");
        assert_eq!(together(&joint, exists, &patch([1.0, 1.0], 1e-6)).holds, 0.0, "too little load");
        // Without a lever against spinning there is no couple along n, and the rest still stops.
        let (joint, exists) = joint_inverse(&w, [0.0, 1.0]);
        let found = together(&joint, exists, &patch([0.0, 1.0], 100.0));
        assert_eq!((found.holds, found.couple[0]), (1.0, 0.0));
    }

    #[test]
    fn the_axis_of_the_twist_changes_no_couple() {
        let mut r = SplitMix::new(5);
        for _ in 0..200 {
            let axis = [r.range(-1.0, 1.0), r.range(-1.0, 1.0)];
            let couple = [r.range(-1.0, 1.0), r.range(-1.0, 1.0), r.range(-1.0, 1.0)];
            let p = along_axis(couple, axis);
            // Power of the couple in either axes.
            let rates = [0.0, 0.0, 0.0, r.range(-1.0, 1.0), r.range(-1.0, 1.0), r.range(-1.0, 1.0)];
            let spin = spin_of(&rates, axis);
            let power: f64 = (0..3).map(|k| couple[k] * spin[k]).sum();
            let other: f64 = (0..3).map(|k| p[k] * rates[3 + k]).sum();
            assert!((power - other).abs() < 1e-14, "{power} {other}");
        }
    }

    #[test]
    fn a_couple_stays_within_its_levers_and_takes_energy() {
        let mut r = SplitMix::new(3);
        let plane = Plane { inverse: [1.0 / SPIN, 0.0, 1.0 / SPIN], step: 1.0 / SPIN };
        for _ in 0..1000 {
            let spin = (r.direction() * r.range(0.0, 9.0)).to_array();
            let n = spinning(1.0 / SPIN, spin[0], 0.0, 0.02);
            let [x, y] = rolling(&plane, [spin[1], spin[2]], [0.0; 2], 0.02, 2.0);
            assert!(n.abs() <= 0.02 && (x * x + y * y).sqrt() <= 0.04 + 1e-16);
            let gain: f64 = [n, x, y].iter().zip(&spin).map(|(p, u)| p * (u + 0.5 * SPIN * p)).sum();
            assert!(gain <= 0.0, "{gain}");
            assert_eq!(rolling(&plane, [spin[1], spin[2]], [x, y], 0.02, 0.0), [0.0; 2], "no load");
            let [a, b, c] = admissible([n, x, y], [0.01, 0.02], 1.0);
            assert!(a.abs() <= 0.01 && (b * b + c * c).sqrt() <= 0.02 + 1e-16);
        }
    }

    #[test]
    fn a_motion_that_cannot_move_has_no_joint_inverse() {
        let mut w = ball();
        (w[entry(4, 4)], w[entry(2, 4)]) = (0.0, 0.0);
        let (joint, exists) = joint_inverse(&joint_w(&w, [0.0; 2]), [1.0, 1.0]);
        assert_eq!(exists, 0.0);
        assert!(joint.iter().all(|x| x.is_finite()));
    }
}
