//! `nbgs/frictionless`: the normal impulse alone, pe's frictionless relaxation.

use super::law::PointLaw;
use crate::kernel::{Block, Friction, normal, without_own};
use crate::prepare::Inverse;
use huygens_math::lanes::Lane;

/// The law of `nbgs/frictionless`.
pub(super) struct Frictionless;

impl PointLaw for Frictionless {
    const INVERSE: Inverse = Inverse::Parts;
    const EXACT_SLIP: bool = true;
    const FRICTION: bool = false;
    const IN_TURN: bool = false;

    #[inline(always)]
    fn relax<L: Lane>(block: &Block<L>, _: &Friction<L>, target: L, u: [L; 3], p: [L; 3]) -> [L; 3] {
        let b = without_own(block, target, u, p);
        let zero = L::splat(b[0].token(), 0.0);
        [normal(block.inverse_nn, b[0], zero, zero), zero, zero]
    }
}
