//! Projection on the friction cone, with a step that fits the contact's own matrix.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | K | | the cone \|p_t\| ≤ μ p_n | |
//! | ρ_n, ρ_t | `rho` | steps along n and in the plane | kg |
//! | κ | `coupling` | \|W_nt\|/√(W_nn λ_t), < 1 | – |
//! | r | `ratio` | ρ_n/ρ_t | – |
//!
//! p ← Proj_K(p − R u) with R = diag(ρ_n, ρ_t, ρ_t), the projection in the norm of R⁻¹. Its fixed points are those of the plain
//! projection, K ∋ p ⟂ u ∈ K*. pe and waLBerla step by 1 kg, which diverges for light bodies and crawls for heavy ones;
//! ρ_n = 1/(W_nn(1 + κ)) and ρ_t = 1/(λ_t(1 + κ)) bring the largest eigenvalue of √R W √R below 1 in any units: that of its
//! two diagonal parts is 1/(1 + κ), and the coupling adds κ/(1 + κ).

use crate::kernel::{Block, add3, multiply3, square2};
use huygens_math::lanes::Lane;

/// Projections in one visit.
const PROJECTIONS: usize = 20;

/// A visit is over when no lane moves by more than this share of its impulse.
const RESTS: f64 = 1e-16;

/// Which velocity the impulse must be perpendicular to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lift {
    /// u itself: a slipping contact opens with u_n = μ|u_t| (Anitescu, Tasora).
    Associated,
    /// u + μ|u_t| n, De Saxcé's correction: a slipping contact stays closed.
    DeSaxce,
}

/// Projects until the contact rests, `b` its velocity without own impulse and target.
#[inline(always)]
pub(super) fn project<L: Lane>(block: &Block<L>, b: [L; 3], p: [L; 3], mu: L, lift: Lift) -> [L; 3] {
    let constant = |x: f64| L::splat(mu.token(), x);
    let (zero, one) = (constant(0.0), constant(1.0));
    let inverse = |x: L| L::select(zero.lt(x), one / x, zero);
    let (w_n, w_t) = (block.w[0], block.tangential.largest);
    let coupling = square2([block.w[3], block.w[4]]) * inverse(w_n * w_t);
    let step = inverse(one + coupling.sqrt());
    // A normal that cannot move (its share of the block is round-off) gets no impulse.
    let moves = zero.lt(block.inverse_nn);
    let rho = [inverse(w_n) * step, inverse(w_t) * step];
    let ratio = rho[0] * inverse(rho[1]);
    let mut x = p;
    for _ in 0..PROJECTIONS {
        let mut u = add3(b, multiply3(&block.w, x));
        if lift == Lift::DeSaxce {
            u[0] += mu * square2([u[1], u[2]]).sqrt();
        }
        let q = [x[0] - rho[0] * u[0], x[1] - rho[1] * u[1], x[2] - rho[1] * u[2]];
        let t = square2([q[1], q[2]]).sqrt();
        let n = (q[0] + mu * ratio * t) / (one + mu * mu * ratio);
        let inside = (mu * q[0]).max(zero);
        let inside = L::select(inside.lt(t), zero, L::select(q[0].lt(zero), zero, one));
        // On the surface of the cone, or at its tip when −q is in the dual cone: n ≤ 0.
        let n = n.max(zero);
        let cut = mu * n * inverse(t);
        let keep = zero.lt(inside);
        let new =
            [L::select(keep, q[0], n), L::select(keep, q[1], q[1] * cut), L::select(keep, q[2], q[2] * cut)];
        let new = new.map(|x| L::select(moves, x, zero));
        let change = (new[0] - x[0]).abs() + (new[1] - x[1]).abs() + (new[2] - x[2]).abs();
        let active = (constant(RESTS) * new[0]).lt(change);
        // A lane that rests keeps its impulse, so that it has the bits it would have alone.
        x = std::array::from_fn(|k| L::select(active, new[k], x[k]));
        if !L::any(active) {
            break;
        }
    }
    x
}
