//! Moves everything by the integrator's own displacement and by the correction.

use super::assemble::smooth_forces;
use super::base;
use super::drive::move_drivers;
use super::free::free_bodies;
use super::{Slowed, is_out, passivity, place_links, tree_bound};
use crate::access::IntegrateAccess;
use crate::ledger::Account;
use crate::model::Model;
use crate::state::State;
use crate::workspace::TreeWork;
use huygens_contact::Velocity;
use huygens_dynamics::{Drift, ForceWork, Tree, kinetic_energy, potential, spring_energy};
use huygens_math::Vec3;

pub(crate) fn integrate(model: &Model, state: &mut State, work: &mut IntegrateAccess) {
    *work.slowed = Slowed::default();
    free_bodies(model, state, work);
    move_drivers(model, state, work);
    trees(model, state, work);
    passivity::hold(model, state, work);
    state.time = state.time_after(1, model.settings.dt);
    state.steps += 1;
}

/// Moves the trees, and books what the drift and the correction did to their energy.
fn trees(model: &Model, state: &mut State, work: &mut IntegrateAccess) {
    for i in 0..model.trees.len() {
        if !is_out(model, state, i) {
            tree(model, state, work, i);
        }
    }
}

fn tree(model: &Model, state: &mut State, work: &mut IntegrateAccess, i: usize) {
    let (tree, dofs) = (&model.trees[i], model.dofs_of(i));
    let (h, gravity) = (model.settings.dt, model.settings.gravity);
    let tree_work = &mut work.trees[i];
    let mut displacement = &work.displacement.dof[dofs.clone()];
    let mut with_bases = Vec::new();
    if tree.has_prescribed() {
        base::displacement(model, state, i, displacement, tree_work);
        with_bases = std::mem::take(&mut tree_work.answer);
        displacement = &with_bases;
    }
    let q = &mut state.coordinates[model.coordinates_of(i)];
    let held = spring_energy(tree, q);
    tree_work.impulse.clear();
    if !tree.equalities().is_empty() && !tree.has_prescribed() {
        tree_work.impulse.resize(tree.dofs(), 0.0);
        let groups = work.problem.solve_groups();
        groups.tree_impulse(dofs.start as u32, work.solution.all(), &mut tree_work.impulse);
    }
    let forces = smooth_forces(model, &tree_work.wrench, &tree_work.drives);
    let drift = Drift {
        integrator: model.settings.integrator,
        h,
        v: &work.problem.v_start.dof[dofs.clone()],
        v_plus: &work.solution.v.dof[dofs.clone()],
        displacement,
        impulse: &tree_work.impulse,
        forces: &forces,
        block: &work.problem.inertia.trees[i],
    };
    tree_work.kick.drift(tree, q, &drift, &mut tree_work.end);
    if tree.has_prescribed() {
        tree_work.answer = with_bases;
    }
    let velocity = &mut state.velocity.dof[dofs.clone()];
    velocity.copy_from_slice(&tree_work.end.velocity);
    let defect = book_drift(model, work, i, spring_energy(tree, q) - held);
    tree_bound::hold(model, state, work, i, defect);
    let (tree_work, q) = (&mut work.trees[i], &mut state.coordinates[model.coordinates_of(i)]);
    let velocity = &mut state.velocity.dof[dofs.clone()];
    let drifted = spring_energy(tree, q);
    let correction = &work.solution.correction.dof[dofs];
    if correction.iter().any(|c| *c != 0.0) {
        let before = energy_of(tree, tree_work, gravity);
        let share = tree_work.kick.correct(tree, [q, velocity], correction, &mut tree_work.end);
        let lifted = spring_energy(tree, q) - drifted;
        work.book.post(Account::Correction, energy_of(tree, tree_work, gravity) - before + lifted);
        let user: f64 = tree_work.kick.user.iter().zip(correction).map(|(f, c)| share * f * c).sum();
        work.book.post(Account::User, user);
        work.book.post(Account::Correction, -user);
        work.trees[i].given += user;
    }
    let tree_work = &mut work.trees[i];
    tree_work.held = [held, spring_energy(tree, q)];
    place_links(model, i, &tree_work.end, state);
}

/// Books the drift of a tree; `taken` is what the springs of its joints took up in it [J]. Returns its defect: the energy that the drift brought
/// in beside the work of contacts and rows, users, dampers, motors and drivers [J].
///
/// With Ĥ = H + aD + bK (dynamics, `Stiffening`) the kick and the impulses change the kinetic energy by h F·v̄ + p·J v̄ less
/// (v⁺ − v)·(aD + bK)v̄, v̄ = (v + v⁺)/2, in the impact stage alike. The parts with D are the damper's work, those with K the spring's.
fn book_drift(model: &Model, work: &mut IntegrateAccess, i: usize, taken: f64) -> f64 {
    let (tree, dofs) = (&model.trees[i], model.dofs_of(i));
    let h = model.settings.dt;
    let (start, end) = (&work.problem.v_start.dof[dofs.clone()], &work.solution.v.dof[dofs.clone()]);
    // What an impulse inside the step moved.
    let shift = &work.problem.impact.displacement.dof[dofs.clone()];
    let tree_work = &mut work.trees[i];
    let kick = &mut tree_work.kick;
    let smooth = std::mem::take(&mut kick.smooth);
    let mut integration = kick.integration - kick.equality_work;
    let stiffening = model.settings.integrator.force_at().for_tree(tree).stiffening(h);
    let (mut user, mut force) = (0.0, ForceWork::default());
    let mut blow = ForceWork::default();
    tree_work.motor_work.clear();
    for k in 0..smooth.len() {
        let path = 0.5 * h * (start[k] + end[k]) + shift[k];
        integration += smooth[k] * shift[k];
        user += kick.user[k] * path;
        // Along the step, and in the impact before it.
        let before = kick.start.velocity[k];
        let drive = tree_work.drives.get(k).copied().unwrap_or_default();
        let shares = [
            stiffening.damping * tree.damping()[k],
            stiffening.stiffness * tree.stiffness()[k],
            stiffening.motor_damping * drive.damping + stiffening.stiffness * drive.stiffness,
        ];
        let [turned, struck] = [end[k], start[k]]
            .map(|after| shares.map(|share| 0.5 * share * (after * after - before * before)));
        force.damping += kick.damping[k] * path - turned[0];
        force.spring += kick.spring[k] * path - turned[1];
        let driven = kick.drive[k] * path - turned[2];
        force.drive += driven;
        blow.damping -= struck[0];
        blow.spring -= struck[1];
        blow.drive -= struck[2];
        tree_work.motor_work.push(match kick.implicit_drive_work() {
            Some(used) => used.get(k).copied().unwrap_or(0.0) - struck[2],
            None => driven,
        });
    }
    kick.smooth = smooth;
    if let Some(used) = kick.implicit_work() {
        // The step found the middle that it went through: the forces of that middle count, along the way that was gone.
        let found = ForceWork {
            damping: used.damping + blow.damping,
            spring: used.spring + blow.spring,
            drive: used.drive + blow.drive,
        };
        integration +=
            (force.damping - found.damping) + (force.spring - found.spring) + (force.drive - found.drive);
        force = found;
    }
    if tree.has_prescribed() {
        // What the bases answered to impulses is not in the work of those.
        integration += equality_answer(model, work, i) + base_answer_to_impacts(model, work, i);
        let given = base::work(model, work, i);
        work.book.post(Account::Driver, given);
        integration -= given;
    }
    let closed = !tree.equalities().is_empty();
    if closed && !tree.has_prescribed() {
        // What the loops answered to contacts in the solve they did in the middle of the step, where `equality_work` has it.
        integration += equality_answer(model, work, i);
        let TreeWork { impulse, kick, .. } = &work.trees[i];
        let mean = start.iter().zip(end).map(|(start, end)| 0.5 * (start + end));
        let size: f64 = impulse.iter().zip(mean).map(|(p, v)| (p * v).abs()).sum();
        work.book.widen(kick.equality_size + size);
    }
    work.book.post(Account::Integration, integration);
    work.book.post(Account::User, user);
    work.book.post(Account::Viscous, force.damping);
    work.book.post(Account::Actuator, force.drive);
    work.trees[i].given = user + force.damping + force.drive;
    let mut defect = integration;
    if tree.has_springs() {
        work.book.post(Account::Spring, taken + force.spring);
        defect += taken + force.spring;
    }
    if closed {
        let kick = &work.trees[i].kick;
        let (loops, rates) = (kick.equality_work - kick.rate_work, kick.rate_work);
        work.book.post(Account::Joint, loops);
        work.book.post(Account::Actuator, rates);
        work.trees[i].given += rates;
        defect += loops;
    }
    defect
}

/// Work of what the equalities of a tree answered to contacts and rows: Ĥ(v⁺ − v_free)·v̄ less p·J v̄ over all of them [J].
fn equality_answer(model: &Model, work: &mut IntegrateAccess, i: usize) -> f64 {
    let dofs = model.dofs_of(i);
    let problem = work.problem;
    let [start, free, end] =
        [&problem.v_start, &problem.v_free, &work.solution.v].map(|v| &v.dof[dofs.clone()]);
    if free == end {
        return 0.0;
    }
    let mean = |k: usize| 0.5 * (start[k] + end[k]);
    let block = &problem.inertia.trees[i];
    let all = block.ldl.product(|k| end[k] - free[k], mean);
    let given = |v: &Velocity| problem.solve_groups().tree_power(block.first_dof, work.solution.all(), v);
    all - 0.5 * (given(&problem.v_start) + given(&work.solution.v))
}

/// Work of what prescribed bases answered to impacts: V·(H(v_start − v) − Jᵀp) [J]. Stops of joints push between links alone.
fn base_answer_to_impacts(model: &Model, work: &IntegrateAccess, i: usize) -> f64 {
    let (problem, dofs) = (work.problem, model.dofs_of(i));
    let (start, before) = (&problem.v_start.dof[dofs], &work.trees[i].kick.start.velocity);
    if start == &before[..] {
        return 0.0;
    }
    let held = |k: usize| if model.trees[i].is_held(k) { start[k] } else { 0.0 };
    let all = problem.inertia.trees[i].ldl.product(|k| start[k] - before[k], held);
    all - base::power_of_impacts(model, work, i)
}

fn energy_of(tree: &Tree, work: &TreeWork, gravity: Vec3) -> f64 {
    kinetic_energy(tree, &work.end) + potential(tree, &work.end, gravity, work.kick.start.com[0])
}
