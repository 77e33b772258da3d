//! `nbgs/de-saxce`: Coulomb's law as one projection, by De Saxcé's correction (De Saxcé, Feng 1998).

use super::law::PointLaw;
use super::projection::{Lift, project};
use crate::kernel::{Block, Friction, stick, without_own};
use huygens_math::lanes::Lane;

/// The law of `nbgs/de-saxce`.
pub(super) struct DeSaxce;

impl PointLaw for DeSaxce {
    const EXACT_SLIP: bool = true;

    #[inline(always)]
    fn relax<L: Lane>(block: &Block<L>, mu: &Friction<L>, target: L, u: [L; 3], p: [L; 3]) -> [L; 3] {
        let b = without_own(block, target, u, p);
        let zero = L::splat(b[0].token(), 0.0);
        let closes = b[0].lt(zero);
        if !L::any(closes) {
            return [zero; 3];
        }
        let (full, slips) = stick(block, b, mu);
        let mut x = full;
        if L::any(slips) {
            x = project(block, b, p, mu.slip, Lift::DeSaxce);
        }
        std::array::from_fn(|k| L::select(closes, L::select(slips, x[k], full[k]), zero))
    }
}
