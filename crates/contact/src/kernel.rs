//! Law kernels: the relaxation of one contact, written once for any number of lanes.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | u | `u` | velocity of the rows now, own impulse included | m/s |
//! | b | `b` | velocity of the rows without the own impulse, minus the target | m/s |
//! | b_n | `target` | normal velocity asked for | m/s |
//! | p | `p` | impulse so far | N·s |
//! | W | `w` | the contact's own block of J M⁻¹ Jᵀ in (n, t₁, t₂) | 1/kg |
//! | r | `slip` | radius of the friction disc, μ_d p_n | N·s |
//!
//! A kernel returns the new impulse. W may be singular: its inverse is then the one on the space that can move, and
//! `slack` says below which squared velocity what cannot be stopped counts as stopped.
//! What a model does with these parts stands in its own file.

use huygens_math::lanes::Lane;

/// Share of the squared velocity that counts as stopped too: round-off of a singular block's inverse.
const RELATIVE_SLACK: f64 = 1e-18;

/// The tangential 2×2 block of a contact.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tangential<L> {
    /// Entries 11, 12, 22 of W_tt.
    pub w: [L; 3],
    /// Its inverse on the space that can move, the same entries.
    pub inverse: [L; 3],
    /// The largest eigenvalue of W_tt.
    pub largest: L,
    /// Squared velocity that may remain while it counts as sticking; huge when W_tt is regular.
    pub slack: L,
}

/// The whole 3×3 block of a contact: entries nn, 11, 22, n1, n2, 12, in the order of `Sym3`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Block<L> {
    /// W.
    pub w: [L; 6],
    /// Its inverse on the space that can move.
    pub inverse: [L; 6],
    /// 1/W_nn, or 0 when the normal cannot move.
    pub inverse_nn: L,
    /// The tangential part.
    pub tangential: Tangential<L>,
    /// As [`Tangential::slack`], for W.
    pub slack: L,
}

/// Static and dynamic friction coefficient.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Friction<L> {
    /// μ_s: it sticks up to this share of the normal impulse.
    pub stick: L,
    /// μ_d: the share it gives while it slips.
    pub slip: L,
}

/// Normal impulse that brings u to its target, never pulling.
#[inline(always)]
pub(crate) fn normal<L: Lane>(inverse: L, u: L, target: L, p: L) -> L {
    (p - inverse * (u - target)).max(L::splat(u.token(), 0.0))
}

/// One visit of `sequential-impulse`: the normal, then friction with the normal impulse of this visit and with what it
/// did to the tangential velocity.
#[inline(always)]
pub(crate) fn normal_then_friction<L: Lane>(
    block: &Block<L>,
    mu: &Friction<L>,
    target: L,
    u: [L; 3],
    p: [L; 3],
) -> [L; 3] {
    let p_n = normal(block.inverse_nn, u[0], target, p[0]);
    let zero = L::splat(p_n.token(), 0.0);
    let presses = zero.lt(p_n);
    if !L::any(presses) {
        return [zero; 3];
    }
    let change = p_n - p[0];
    let u_t = [u[1] + block.w[3] * change, u[2] + block.w[4] * change];
    let p_t = friction_disc(&block.tangential, u_t, [p[1], p[2]], mu.stick * p_n, mu.slip * p_n);
    [p_n, L::select(presses, p_t[0], zero), L::select(presses, p_t[1], zero)]
}

/// Tangential impulse on the exact disc: it sticks when `stick` allows it, else it has the size `slip` and points
/// against the slip that remains.
#[inline(always)]
pub(crate) fn friction_disc<L: Lane>(t: &Tangential<L>, u: [L; 2], p: [L; 2], stick: L, slip: L) -> [L; 2] {
    let change = multiply2(&t.inverse, u);
    let trial = [p[0] - change[0], p[1] - change[1]];
    let answer = multiply2(&t.w, change);
    let rest = square2([u[0] - answer[0], u[1] - answer[1]]);
    // 1 where it must slip: masks have no `or`, numbers do.
    let (zero, one) = (L::splat(slip.token(), 0.0), L::splat(slip.token(), 1.0));
    let outside = L::select((stick * stick).lt(square2(trial)), one, zero);
    let allowed = t.slack + square2(u) * L::splat(slip.token(), RELATIVE_SLACK);
    let slips = zero.lt(L::select(allowed.lt(rest), one, outside));
    if !L::any(slips) {
        return trial;
    }
    let own = multiply2(&t.w, p);
    let x = against_slip(t, [u[0] - own[0], u[1] - own[1]], slip);
    [L::select(slips, x[0], trial[0]), L::select(slips, x[1], trial[1])]
}

/// Minimises ½xᵀW_tt x + x·b on the circle |x| = r, so that W_tt x + b = −α x with α ≥ 0: friction against the slip.
///
/// With y = x/r and β = α r: (r W_tt + β) y = −b, |y| = 1. Newton on 1/|y|, which grows and is concave in β, from a
/// lower bound of the root: it never overshoots (Conn, Gould, Toint 2000, section 7.3).
#[inline(always)]
pub(crate) fn against_slip<L: Lane>(t: &Tangential<L>, b: [L; 2], r: L) -> [L; 2] {
    let constant = |x: f64| L::splat(r.token(), x);
    let (zero, one) = (constant(0.0), constant(1.0));
    let stiffest = r * t.largest;
    // The second bound keeps a singular block regular; it is below every root that matters.
    let mut beta = (square2(b).sqrt() - stiffest).max(stiffest * constant(1e-12));
    let (mut y, mut length) = ([zero; 2], zero);
    for _ in 0..24 {
        let a = [r * t.w[0] + beta, r * t.w[1], r * t.w[2] + beta];
        let det = a[0] * a[2] - a[1] * a[1];
        let inv_det = L::select(zero.lt(det), one / det, zero);
        let inverse = [a[2] * inv_det, -a[1] * inv_det, a[0] * inv_det];
        y = multiply2(&inverse, [-b[0], -b[1]]);
        let z = multiply2(&inverse, y);
        let square = square2(y);
        length = square.sqrt();
        let excess = length - one;
        let active = constant(4e-16).lt(excess);
        if !L::any(active) {
            break;
        }
        // A lane that has converged keeps its β, so that it has the bits it would have alone.
        beta = L::select(active, beta + excess * square / (y[0] * z[0] + y[1] * z[1]), beta);
    }
    let scale = L::select(zero.lt(length), r / length, zero);
    [y[0] * scale, y[1] * scale]
}

/// The impulse that stops all motion of a contact, and where it is none: outside the static cone, pulling, or unable to
/// stop it.
#[inline(always)]
pub(crate) fn stick<L: Lane>(block: &Block<L>, b: [L; 3], mu: &Friction<L>) -> ([L; 3], L::Mask) {
    let (zero, one) = (L::splat(b[0].token(), 0.0), L::splat(b[0].token(), 1.0));
    let first = multiply3(&block.inverse, [-b[0], -b[1], -b[2]]);
    // The second pass squares the error of a cofactor inverse, and leaves what cannot be stopped.
    let left = add3(b, multiply3(&block.w, first));
    let change = multiply3(&block.inverse, left);
    let p: [L; 3] = std::array::from_fn(|k| first[k] - change[k]);
    let rest = add3(b, multiply3(&block.w, p));

    let limit = mu.stick * p[0];
    let outside = L::select((limit * limit).lt(square2([p[1], p[2]])), one, zero);
    let outside = L::select(p[0].lt(zero), one, outside);
    let allowed = block.slack + square3(b) * L::splat(b[0].token(), RELATIVE_SLACK);
    (p, zero.lt(L::select(allowed.lt(square3(rest)), one, outside)))
}

/// The visit that most laws share: no impulse while the contact separates, the one that stops all motion where the static cone
/// allows it, else what `slip` makes of that one.
#[inline(always)]
pub(crate) fn stick_or<L: Lane>(
    block: &Block<L>,
    mu: &Friction<L>,
    b: [L; 3],
    slip: impl FnOnce([L; 3]) -> [L; 3],
) -> [L; 3] {
    let zero = L::splat(b[0].token(), 0.0);
    let closes = b[0].lt(zero);
    if !L::any(closes) {
        return [zero; 3];
    }
    let (full, slips) = stick(block, b, mu);
    let x = if L::any(slips) { slip(full) } else { full };
    std::array::from_fn(|k| L::select(closes, L::select(slips, x[k], full[k]), zero))
}

/// One visit for a contact where friction acts strongly on the normal, μ_d |W_nt| near W_nn or above (Painlevé's rod):
/// taking normal and friction in turn, as `in_turn` does, would then cycle. It sticks if it can; if it slips along d, the
/// normal impulse is the one that reaches the target together with its friction, (W_nn + μ_d W_nt·d) p_n = −b_n. Where
/// `in_turn` rests, this rests.
#[inline(always)]
pub(crate) fn coupled(
    block: &Block<f64>,
    mu: &Friction<f64>,
    b: [f64; 3],
    in_turn: impl FnOnce() -> [f64; 3],
) -> [f64; 3] {
    if b[0] >= 0.0 {
        return [0.0; 3];
    }
    let (full, slips) = stick(block, b, mu);
    if !slips {
        return full;
    }
    let turn = in_turn();
    let size = square2([turn[1], turn[2]]).sqrt();
    let d = [turn[1] / size, turn[2] / size];
    let both = block.w[0] + mu.slip * (block.w[3] * d[0] + block.w[4] * d[1]);
    // Where friction jams (both ≤ 0) the impulses in turn grow until it sticks: leave that to them.
    let slides = size >= mu.slip * turn[0] * (1.0 - 1e-9) && both > 0.05 * block.w[0];
    if !slides {
        return turn;
    }
    let p_n = -b[0] / both;
    [p_n, mu.slip * p_n * d[0], mu.slip * p_n * d[1]]
}

/// b of the kernels: the velocity without the own impulse, minus the target.
#[inline(always)]
pub(crate) fn without_own<L: Lane>(block: &Block<L>, target: L, u: [L; 3], p: [L; 3]) -> [L; 3] {
    let own = multiply3(&block.w, p);
    [u[0] - own[0] - target, u[1] - own[1], u[2] - own[2]]
}

/// The symmetric 2×2 matrix with entries 11, 12, 22 times a vector.
#[inline(always)]
pub(crate) fn multiply2<L: Lane>(m: &[L; 3], x: [L; 2]) -> [L; 2] {
    [m[0] * x[0] + m[1] * x[1], m[1] * x[0] + m[2] * x[1]]
}

/// The symmetric 3×3 matrix of [`Block`] times a vector.
#[inline(always)]
pub(crate) fn multiply3<L: Lane>(m: &[L; 6], x: [L; 3]) -> [L; 3] {
    [
        m[0] * x[0] + m[3] * x[1] + m[4] * x[2],
        m[3] * x[0] + m[1] * x[1] + m[5] * x[2],
        m[4] * x[0] + m[5] * x[1] + m[2] * x[2],
    ]
}

#[inline(always)]
pub(crate) fn add3<L: Lane>(a: [L; 3], b: [L; 3]) -> [L; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
fn square3<L: Lane>(x: [L; 3]) -> L {
    x[0] * x[0] + x[1] * x[1] + x[2] * x[2]
}

#[inline(always)]
pub(crate) fn square2<L: Lane>(x: [L; 2]) -> L {
    x[0] * x[0] + x[1] * x[1]
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::Scale;
    use crate::prepare::{Inverse, block};
    use huygens_math::{SplitMix, Sym3, Vec3, scalar, trig};

    /// A contact's block with eigenvalues spread over `decades`.
    pub(crate) fn random_block(r: &mut SplitMix, decades: f64) -> Block<f64> {
        let mut value = || trig::pow(10.0, r.range(-decades, 0.0));
        let values = Vec3::new(value(), value(), value());
        let w = Sym3::rotated_diagonal(values, r.rotation());
        block(&w.to_mat3(), Inverse::Whole, Scale { length: 1.0, speed: 1.0 })
    }

    #[test]
    fn slipping_friction_has_full_size_and_opposes_the_slip_that_remains() {
        let mut r = SplitMix::new(1);
        let (mut slipped, mut stuck) = (0, 0);
        for k in 0..20_000 {
            let t = random_block(&mut r, f64::from(k % 7)).tangential;
            let (u, p) = ([r.range(-1.0, 1.0), r.range(-1.0, 1.0)], [r.range(-0.1, 0.1), 0.0]);
            let radius = trig::pow(10.0, r.range(-3.0, 4.0));
            let x = friction_disc(&t, u, p, radius, radius);
            let change = multiply2(&t.w, [x[0] - p[0], x[1] - p[1]]);
            let end = [u[0] + change[0], u[1] + change[1]];
            let (size, slip) = (square2(x).sqrt(), square2(end).sqrt());
            if size < radius * (1.0 - 1e-12) {
                stuck += 1;
                // The inverse of a block with condition 1e6.
                assert!(slip < 1e-9, "{slip}");
            } else {
                slipped += 1;
                assert!((size / radius - 1.0).abs() < 1e-14);
                // |p||u| + p·u is the second order of the angle; the sine is the first.
                let sine = (x[0] * end[1] - x[1] * end[0]).abs() / (size * scalar::max(slip, 1e-6));
                assert!(sine < 1e-7 && x[0] * end[0] + x[1] * end[1] <= 1e-9 * size, "{sine} {slip}");
            }
        }
        assert!(slipped > 5000 && stuck > 5000, "{slipped} {stuck}");
    }

    #[test]
    fn friction_in_a_singular_block_opposes_what_cannot_be_stopped() {
        // Only t₁ moves; the slip along t₂ stays, and takes its share of the disc.
        let w = Sym3 { xx: 1.0, yy: 2.0, ..Sym3::ZERO };
        let t = block(&w.to_mat3(), Inverse::Parts, Scale { length: 1.0, speed: 1.0 }).tangential;
        let x = friction_disc(&t, [0.0, 3.0], [0.0; 2], 0.5, 0.5);
        assert!(x[0].abs() < 1e-15 && (x[1] + 0.5).abs() < 1e-15, "{x:?}");
        assert_eq!(friction_disc(&t, [1.0, 0.0], [0.0; 2], 0.6, 0.5), [-0.5, 0.0]);
        // Nothing moves at all: full friction against the slip.
        let t = block(&Sym3::ZERO.to_mat3(), Inverse::Parts, Scale { length: 1.0, speed: 1.0 }).tangential;
        let x = friction_disc(&t, [3.0, 4.0], [0.0; 2], 1.0, 1.0);
        assert!((x[0] + 0.6).abs() < 1e-15 && (x[1] + 0.8).abs() < 1e-15, "{x:?}");
    }

    #[test]
    fn no_kernel_makes_a_nan_of_zeros() {
        let t = Tangential::<f64>::default();
        assert_eq!(friction_disc(&t, [0.0; 2], [0.0; 2], 0.0, 0.0), [0.0; 2]);
    }
}
