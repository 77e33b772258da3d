//! The bound on the energy of a tree: what its steps bring in by themselves stays below what the order of the integrator explains, for any length
//! of time, whatever the integrator, the contact model, loops, motors and prescribed bases.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | D | `defect` | energy that a step brought in beside the work of contacts and rows, users, dampers, motors and drivers, each by its formula | J |
//! | B | [`TreeCredit::lent`] | sum of D over the steps | J |
//! | A | [`TreeKick::swerve`] | kinetic energy of the changes of the links' velocities in a step by forces and turns: ½ Σ m (ha)² | J |
//! | T | | kinetic energy | J |
//! | S | [`TreeCredit::scale`] | the largest A so far; A + √(TA) for integrators of first order | J |
//!
//! The bound is −C S ≤ B ≤ C S. An integrator of second order keeps a modified energy H + h²H₂, and h²H₂ is made of the terms of A: a pendulum's
//! energy is at most A/4 above that of its start (small swings; A/12 from 90°), so the energy of a good step oscillates within the bound, and no bit
//! of it is changed. What is beyond it in a step is taken out of the own motion of the tree ([`TreeKick::take`]) and booked as `numerical`; what a
//! step loses beyond it is lost. So the energy of a tree never rises by more than 2 C S above what it was at any time before.

use crate::access::IntegrateAccess;
use crate::ledger::Account;
use crate::model::Model;
use crate::stage::passivity::tree_size;
use crate::state::{State, TreeCredit};
use crate::workspace::TreeWork;
#[cfg(doc)]
use huygens_dynamics::TreeKick;
use huygens_dynamics::{ForceAt, Tree, kinetic_energy};
use huygens_math::scalar;

/// Share C of the scale that the energy may be off by, of integrators of second order and of first order.
const SHARE: [f64; 2] = [0.5, 1.0];

/// A defect below this many roundings of its terms is none.
const ROUND_OFF: f64 = 64.0 * f64::EPSILON;

/// Holds the energy of a tree whose drift had this defect, before positions are corrected.
pub(super) fn hold(model: &Model, state: &mut State, work: &mut IntegrateAccess, i: usize, defect: f64) {
    if !model.settings.contact.guard {
        return;
    }
    let (tree, credit, dofs) = (&model.trees[i], &mut state.tree_credits[i], model.dofs_of(i));
    let TreeWork { kick, end, kinetic, .. } = &mut work.trees[i];
    let mut scale = kick.swerve(tree, model.settings.dt, &work.solution.v.dof[dofs.clone()], end);
    let order = usize::from(is_of_first_order(model, tree));
    if order == 1 {
        scale += (scale * scalar::max(*kinetic, kinetic_energy(tree, end))).sqrt();
    }
    credit.scale = scalar::max(credit.scale, scale);
    let size = tree_size(model, work, i) + work.trees[i].kick.equality_size;
    if defect.is_nan() || defect.abs() <= ROUND_OFF * size {
        return;
    }
    let most = SHARE[order] * credit.scale;
    let excess = scalar::min(credit.lent + defect - most, defect);
    credit.lent = scalar::clamp(credit.lent + defect, -most, most);
    if excess <= ROUND_OFF * size {
        return;
    }
    let (q, v) = (&mut state.coordinates[model.coordinates_of(i)], &mut state.velocity.dof[dofs.clone()]);
    let TreeWork { kick, end, base_loads, .. } = &mut work.trees[i];
    let taken = kick.take(tree, [q, v], end, &work.displacement.dof[dofs], excess);
    work.book.post(Account::Driver, taken.by_bases);
    work.book.post(Account::Numerical, -(taken.energy + taken.by_bases));
    if let Some(load) = base_loads.first_mut() {
        load.work += taken.by_bases;
    }
    work.slowed.islands += 1;
    work.slowed.taken += taken.energy + taken.by_bases;
}

/// A part of an island's gain that was taken from a tree is no longer lent to it.
pub(super) fn give_back(credit: &mut TreeCredit, taken: f64) {
    credit.lent = scalar::max(credit.lent - taken, scalar::min(credit.lent, 0.0));
}

/// The forces of a step are taken where its displacement is not.
fn is_of_first_order(model: &Model, tree: &Tree) -> bool {
    matches!(model.settings.integrator.force_at().for_tree(tree), ForceAt::Start | ForceAt::Explicit(_))
}
