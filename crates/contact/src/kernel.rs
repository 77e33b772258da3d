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
//! `approximate_decoupling` is pe's relaxation of that name (Preclik, Rüde 2015).

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
    if !L::any(zero.lt(p_n)) {
        return [zero; 3];
    }
    let change = p_n - p[0];
    let u_t = [u[1] + block.w[3] * change, u[2] + block.w[4] * change];
    let p_t = friction_disc(&block.tangential, u_t, [p[1], p[2]], mu.stick * p_n, mu.slip * p_n);
    [p_n, p_t[0], p_t[1]]
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
fn against_slip<L: Lane>(t: &Tangential<L>, b: [L; 2], r: L) -> [L; 2] {
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

/// pe's default: nothing while it separates; else the impulse that stops all motion, if the cone allows it; else the
/// normal part with the old friction, then friction, cut back radially to the cone.
#[inline(always)]
pub(crate) fn approximate_decoupling<L: Lane>(
    block: &Block<L>,
    b: [L; 3],
    old: [L; 2],
    mu: &Friction<L>,
) -> [L; 3] {
    let (zero, one) = (L::splat(b[0].token(), 0.0), L::splat(b[0].token(), 1.0));
    let first = multiply3(&block.inverse, [-b[0], -b[1], -b[2]]);
    // The second pass squares the error of a cofactor inverse, and leaves what cannot be stopped.
    let left = add3(b, multiply3(&block.w, first));
    let change = multiply3(&block.inverse, left);
    let full: [L; 3] = std::array::from_fn(|k| first[k] - change[k]);
    let rest = add3(b, multiply3(&block.w, full));

    let limit = mu.stick * full[0];
    let outside = L::select((limit * limit).lt(full[1] * full[1] + full[2] * full[2]), one, zero);
    let outside = L::select(full[0].lt(zero), one, outside);
    let rest = rest[0] * rest[0] + rest[1] * rest[1] + rest[2] * rest[2];
    let speed = b[0] * b[0] + b[1] * b[1] + b[2] * b[2];
    let allowed = block.slack + speed * L::splat(b[0].token(), RELATIVE_SLACK);
    let slips = zero.lt(L::select(allowed.lt(rest), one, outside));

    let w = &block.w;
    let p_n = normal(block.inverse_nn, b[0] + w[3] * old[0] + w[4] * old[1], zero, zero);
    let trial = multiply2(&block.tangential.inverse, [-(b[1] + w[3] * p_n), -(b[2] + w[4] * p_n)]);
    let size = square2(trial).sqrt();
    let cut = L::select((mu.stick * p_n).lt(size), mu.slip * p_n / size, one);

    let closes = b[0].lt(zero);
    let part = |slip: L, stick: L| L::select(closes, L::select(slips, slip, stick), zero);
    [part(p_n, full[0]), part(trial[0] * cut, full[1]), part(trial[1] * cut, full[2])]
}

/// The symmetric 2×2 matrix with entries 11, 12, 22 times a vector.
#[inline(always)]
fn multiply2<L: Lane>(m: &[L; 3], x: [L; 2]) -> [L; 2] {
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
fn add3<L: Lane>(a: [L; 3], b: [L; 3]) -> [L; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
fn square2<L: Lane>(x: [L; 2]) -> L {
    x[0] * x[0] + x[1] * x[1]
}
