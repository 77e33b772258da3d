//! `nbgs/orthogonal-projection`: the contact law as a convex problem, p in the cone and perpendicular to u in its dual.
//!
//! It never adds energy and has one solution, at a price: a contact that slips opens with u_n = μ|u_t| (Anitescu, Tasora).

use super::law::PointLaw;
use super::projection::{Lift, project};
use crate::kernel::{Block, Friction, stick, without_own};
use huygens_math::lanes::Lane;

/// The law of `nbgs/orthogonal-projection`.
pub(super) struct OrthogonalProjection;

impl PointLaw for OrthogonalProjection {
    const EXACT_SLIP: bool = false;
    const IN_TURN: bool = false;

    #[inline(always)]
    fn relax<L: Lane>(block: &Block<L>, mu: &Friction<L>, target: L, u: [L; 3], p: [L; 3]) -> [L; 3] {
        let b = without_own(block, target, u, p);
        let (full, slips) = stick(block, b, mu);
        if !L::any(slips) {
            return full;
        }
        let x = project(block, b, p, mu.slip, Lift::Associated);
        std::array::from_fn(|k| L::select(slips, x[k], full[k]))
    }
}
