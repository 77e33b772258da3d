//! `nbgs/decoupling`: normal and tangential parts of one contact in turn until they agree (Preclik, Rüde 2015).
//!
//! Nothing while it separates, the impulse that stops all motion if the cone allows it; else 20 times the normal impulse with
//! the friction so far, then friction with that normal impulse: where it slips, the x on the circle |x| = μ_d p_n that minimises
//! ½xᵀW_tt x + x·b_t. pe searches that circle by golden sections; here the same minimum comes from its secular equation, to
//! round-off, so that friction points against the slip.

use super::law::PointLaw;
use crate::kernel::{Block, Friction, friction_disc, multiply2, normal, stick_or, without_own};
use huygens_math::lanes::Lane;

/// Alternations of normal and tangential part in one visit, as in pe.
const ALTERNATIONS: usize = 20;

/// The law of `nbgs/decoupling`.
pub(super) struct Decoupling;

impl PointLaw for Decoupling {
    const EXACT_SLIP: bool = true;

    #[inline(always)]
    fn relax<L: Lane>(block: &Block<L>, mu: &Friction<L>, target: L, u: [L; 3], p: [L; 3]) -> [L; 3] {
        let b = without_own(block, target, u, p);
        stick_or(block, mu, b, |_| alternate(block, mu, b, p))
    }
}

#[inline(always)]
fn alternate<L: Lane>(block: &Block<L>, mu: &Friction<L>, b: [L; 3], p: [L; 3]) -> [L; 3] {
    let (w, zero) = (&block.w, L::splat(b[0].token(), 0.0));
    let mut x = p;
    for _ in 0..ALTERNATIONS {
        let before = x;
        x[0] = normal(block.inverse_nn, b[0] + w[3] * x[1] + w[4] * x[2], zero, zero);
        let own = multiply2(&block.tangential.w, [x[1], x[2]]);
        let u_t = [b[1] + w[3] * x[0] + own[0], b[2] + w[4] * x[0] + own[1]];
        let x_t = friction_disc(&block.tangential, u_t, [x[1], x[2]], mu.stick * x[0], mu.slip * x[0]);
        (x[1], x[2]) = (x_t[0], x_t[1]);
        // A lane that rests stays as it is in further turns, so that it has the bits it would have alone.
        let moved = |k: usize| zero.lt((x[k] - before[k]).abs());
        if !(L::any(moved(0)) || L::any(moved(1)) || L::any(moved(2))) {
            break;
        }
    }
    x
}
