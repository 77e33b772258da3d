//! `sequential-impulse`: the normal impulse with accumulated clamping, then friction on the exact disc.

use super::gauss_seidel::PointLaw;
use crate::Impulse;
use crate::kernel::normal_then_friction;
use crate::prepare::{Inverse, PointData};

/// The law of `sequential-impulse`.
pub(super) struct SequentialImpulse;

impl PointLaw for SequentialImpulse {
    const INVERSE: Inverse = Inverse::Parts;
    const EXACT_SLIP: bool = true;

    #[inline(always)]
    fn relax(data: &PointData, u: [f64; 3], p: Impulse) -> Impulse {
        normal_then_friction(&data.block, &data.friction, data.target.speed, u, p)
    }
}
