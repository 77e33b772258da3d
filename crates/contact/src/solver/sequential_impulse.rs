//! `sequential-impulse`: the normal impulse with accumulated clamping, then friction on the exact disc.

use super::law::PointLaw;
use crate::kernel::{Block, Friction, normal_then_friction};
use crate::prepare::Inverse;
use huygens_math::lanes::Lane;

/// The law of `sequential-impulse`.
pub(super) struct SequentialImpulse;

impl PointLaw for SequentialImpulse {
    const INVERSE: Inverse = Inverse::Parts;
    const EXACT_SLIP: bool = true;

    #[inline(always)]
    fn relax<L: Lane>(block: &Block<L>, mu: &Friction<L>, target: L, u: [L; 3], p: [L; 3]) -> [L; 3] {
        normal_then_friction(block, mu, target, u, p)
    }
}
