//! `nbgs/de-saxce`: Coulomb's law as one projection, by De Saxcé's correction (De Saxcé, Feng 1998).

use super::law::PointLaw;
use super::projection::{Lift, project};
use crate::kernel::{Block, Friction, stick_or, without_own};
use huygens_math::lanes::Lane;

/// The law of `nbgs/de-saxce`.
pub(super) struct DeSaxce;

impl PointLaw for DeSaxce {
    const EXACT_SLIP: bool = true;

    #[inline(always)]
    fn relax<L: Lane>(block: &Block<L>, mu: &Friction<L>, target: L, u: [L; 3], p: [L; 3]) -> [L; 3] {
        let b = without_own(block, target, u, p);
        stick_or(block, mu, b, |_| project(block, b, p, mu.slip, Lift::DeSaxce))
    }
}
