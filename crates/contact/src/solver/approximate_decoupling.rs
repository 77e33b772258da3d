//! `nbgs/approximate-decoupling`: pe's default relaxation of one contact.

use super::gauss_seidel::PointLaw;
use crate::Impulse;
use crate::kernel::{approximate_decoupling, coupled, without_own};
use crate::prepare::{Inverse, PointData};

/// The law of `nbgs/approximate-decoupling`.
pub(super) struct ApproximateDecoupling;

impl PointLaw for ApproximateDecoupling {
    const INVERSE: Inverse = Inverse::Whole;
    const EXACT_SLIP: bool = false;

    #[inline(always)]
    fn relax(data: &PointData, u: [f64; 3], p: Impulse) -> Impulse {
        let b = without_own(&data.block, data.target.speed, u, p);
        let in_turn = || approximate_decoupling(&data.block, b, [p[1], p[2]], &data.friction);
        if data.steep {
            return coupled(&data.block, &data.friction, b, in_turn);
        }
        in_turn()
    }
}
