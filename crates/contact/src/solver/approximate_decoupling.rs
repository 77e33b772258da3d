//! `nbgs/approximate-decoupling`: pe's default relaxation of one contact.

use super::gauss_seidel::PointLaw;
use crate::Impulse;
use crate::kernel::{approximate_decoupling, multiply3};
use crate::prepare::{Inverse, PointData};

/// The law of `nbgs/approximate-decoupling`.
pub(super) struct ApproximateDecoupling;

impl PointLaw for ApproximateDecoupling {
    const INVERSE: Inverse = Inverse::Whole;
    const EXACT_SLIP: bool = false;

    #[inline(always)]
    fn relax(data: &PointData, u: [f64; 3], p: Impulse) -> Impulse {
        let own = multiply3(&data.block.w, p);
        let b = [u[0] - own[0] - data.target.speed, u[1] - own[1], u[2] - own[2]];
        approximate_decoupling(&data.block, b, [p[1], p[2]], &data.friction)
    }
}
