//! Moves everything by the integrator's own displacement and by the correction.

use super::drive::move_drivers;
use super::free::free_bodies;
use super::{is_out, passivity, place_links};
use crate::access::IntegrateAccess;
use crate::ledger::Account;
use crate::model::Model;
use crate::state::State;
use huygens_dynamics::{
    Drift, KickWork, Tree, TreeKinematics, advance, kinematics, kinetic_energy, potential,
};
use huygens_math::Vec3;

pub(crate) fn integrate(model: &Model, state: &mut State, work: &mut IntegrateAccess) {
    free_bodies(model, state, work);
    trees(model, state, work);
    move_drivers(model, state, work);
    passivity::hold(model, state, work);
    state.steps += 1;
    state.time = state.steps as f64 * model.settings.dt;
}

/// Moves the trees, and books what the drift and the correction did to their energy.
fn trees(model: &Model, state: &mut State, work: &mut IntegrateAccess) {
    let (h, gravity) = (model.settings.dt, model.settings.gravity);
    for (i, tree) in model.trees.iter().enumerate() {
        if is_out(model, state, i) {
            continue;
        }
        let dofs = model.dofs_of(i);
        let q = &mut state.coordinates[model.coordinates_of(i)];
        let (start, end) = (&work.problem.v_start.dof[dofs.clone()], &work.solution.v.dof[dofs.clone()]);
        let tree_work = &mut work.trees[i];
        let drift = Drift {
            integrator: model.settings.integrator,
            h,
            v: start,
            v_plus: end,
            displacement: &work.displacement.dof[dofs.clone()],
        };
        tree_work.kick.drift(tree, q, &drift, &mut tree_work.end);
        let velocity = &mut state.velocity.dof[dofs.clone()];
        velocity.copy_from_slice(&tree_work.end.velocity);
        let smooth = std::mem::take(&mut tree_work.kick.smooth);
        let kick = KickWork { h, force: &smooth, v: start, v_plus: end };
        let drift = tree_work.kick.integration_energy(tree, &tree_work.end, gravity, &kick);
        // Forces work along the whole path: h(v + v⁺)/2, and what an impulse inside the step moved.
        let shift = &work.problem.impact.displacement.dof[dofs.clone()];
        let along = |f: &[f64], path: &dyn Fn(usize) -> f64| -> f64 {
            f.iter().enumerate().map(|(k, f)| f * path(k)).sum()
        };
        let whole = |k: usize| 0.5 * h * (start[k] + end[k]) + shift[k];
        work.book.post(Account::Integration, drift + along(&smooth, &|k| shift[k]));
        work.book.post(Account::User, along(&tree_work.kick.user, &whole));
        work.book.post(Account::Viscous, along(&tree_work.kick.damping, &whole));
        tree_work.kick.smooth = smooth;
        let correction = &work.solution.correction.dof[dofs.clone()];
        if correction.iter().any(|c| *c != 0.0) {
            let before = energy_of(tree, &tree_work.end, gravity, tree_work.kick.start.com[0]);
            advance(tree, q, correction);
            kinematics(tree, q, velocity, &mut tree_work.end);
            let after = energy_of(tree, &tree_work.end, gravity, tree_work.kick.start.com[0]);
            work.book.post(Account::Correction, after - before);
        }
        place_links(&model.tree_bodies[i], &tree_work.end, state);
    }
}

fn energy_of(tree: &Tree, at: &TreeKinematics, gravity: Vec3, origin: Vec3) -> f64 {
    kinetic_energy(tree, at) + potential(tree, at, gravity, origin)
}
