//! `sequential-impulse`: the normal impulse with accumulated clamping, then friction on the exact disc.

use super::gauss_seidel::PointLaw;
use crate::Impulse;
use crate::kernel::{coupled, normal_then_friction, without_own};
use crate::prepare::{Inverse, PointData};

/// The law of `sequential-impulse`.
pub(super) struct SequentialImpulse;

impl PointLaw for SequentialImpulse {
    const INVERSE: Inverse = Inverse::Parts;
    const EXACT_SLIP: bool = true;

    #[inline(always)]
    fn relax(data: &PointData, u: [f64; 3], p: Impulse) -> Impulse {
        let target = data.target.speed;
        let in_turn = || normal_then_friction(&data.block, &data.friction, target, u, p);
        if data.steep {
            let b = without_own(&data.block, target, u, p);
            return coupled(&data.block, &data.friction, b, in_turn);
        }
        in_turn()
    }
}
