//! `nbgs/approximate-decoupling`: pe's default relaxation of one contact (Preclik, Rüde 2015).
//!
//! Nothing while it separates; else the impulse that stops all motion, if the cone allows it; else the normal part with the
//! old friction, then friction, cut back radially to the cone. Where W_tt is not isotropic the cut impulse does not point
//! against the slip: the law is as published.

use super::law::PointLaw;
use crate::kernel::{Block, Friction, multiply2, normal, square2, stick_or, without_own};
use huygens_math::lanes::Lane;

/// The law of `nbgs/approximate-decoupling`.
pub(super) struct ApproximateDecoupling;

impl PointLaw for ApproximateDecoupling {
    const EXACT_SLIP: bool = false;

    #[inline(always)]
    fn relax<L: Lane>(block: &Block<L>, mu: &Friction<L>, target: L, u: [L; 3], p: [L; 3]) -> [L; 3] {
        let b = without_own(block, target, u, p);
        stick_or(block, mu, b, |_| {
            let (zero, one) = (L::splat(b[0].token(), 0.0), L::splat(b[0].token(), 1.0));
            let w = &block.w;
            let p_n = normal(block.inverse_nn, b[0] + w[3] * p[1] + w[4] * p[2], zero, zero);
            let trial = multiply2(&block.tangential.inverse, [-(b[1] + w[3] * p_n), -(b[2] + w[4] * p_n)]);
            let size = square2(trial).sqrt();
            let cut = L::select((mu.stick * p_n).lt(size), mu.slip * p_n / size, one);
            [p_n, trial[0] * cut, trial[1] * cut]
        })
    }
}
