//! Moves everything by the integrator's own displacement and by the correction.

use super::{is_out, place_links};
use crate::ledger::Account;
use crate::model::{BodyModel, Model, Motion};
use crate::state::State;
use crate::workspace::Workspace;
use huygens_dynamics::{
    Drift, Integrator, KickWork, Spin, Tree, TreeKinematics, advance, kinematics, kinetic_energy, potential,
    rotate_locked,
};
use huygens_math::{Quat, Twist, Vec3, trig};

/// A body that turns by more than this in a step [rad] is beyond what the formula of the gyroscopic term knows of torques:
/// a rod that an impact sets spinning across itself would gain many times its energy. It then keeps its energy instead.
const MOST_TURN: f64 = 0.5;

pub(crate) fn integrate(model: &Model, state: &mut State, work: &mut Workspace) {
    for (slot, body) in model.bodies.iter().enumerate() {
        if body.motion == Motion::Dynamic && !body.removed && !state.quarantined[slot] {
            free_body(model, state, work, slot);
        }
    }
    trees(model, state, work);
    drivers(model, state);
    state.steps += 1;
    state.time = state.steps as f64 * model.settings.dt;
}

fn free_body(model: &Model, state: &mut State, work: &mut Workspace, slot: usize) {
    let h = model.settings.dt;
    let body = &model.bodies[slot];
    let (start, end) = (work.v_start.free[slot], work.solution.v.free[slot]);
    let correction = work.solution.correction.free[slot];
    let drift = match model.settings.integrator {
        Integrator::KickDriftKick => (start.angular + end.angular) * 0.5,
        Integrator::SymplecticEuler => end.angular,
    };
    state.position[slot] += work.displacement.free[slot].linear + correction.linear;
    let spin = Spin {
        inertia_body: body.inertia,
        world_from_body: state.orientation[slot],
        drift,
        omega: end.angular,
    };
    let rotated = rotate_locked(&spin, body.lock_angular.map(|locked| !locked), h, model.settings.gyroscopic);
    let mut turned =
        Turned { body, before: spin.world_from_body, after: rotated.orientation, omega: rotated.omega };
    let mut energy = rotated.energy;
    if energy > 0.0 && drift.length() * h > MOST_TURN {
        energy = turned.keep_energy(end.angular);
    }
    work.book.post(Account::Gyroscopic, energy);
    state.orientation[slot] = rotated.orientation;
    state.velocity.free[slot] = Twist::new(end.linear, turned.omega);
    let turn = work.impact.displacement.free[slot].angular + correction.angular;
    if turn != Vec3::ZERO {
        pseudo_turn(model, state, work, slot, turn);
    }
}

/// Turns a body and leaves the direction of its spin. Of a body with unequal inertia the same spin would then have another
/// kinetic energy: 400 times as much when a rod that spins about its own axis is turned across it. So the spin keeps its
/// energy instead of its size; for a ball that is the same.
fn pseudo_turn(model: &Model, state: &mut State, work: &mut Workspace, slot: usize, turn: Vec3) {
    let before = state.orientation[slot];
    let after = (trig::rotation_vector(turn) * before).normalize();
    state.orientation[slot] = after;
    let omega = state.velocity.free[slot].angular;
    let mut turned = Turned { body: &model.bodies[slot], before, after, omega };
    work.book.post(Account::Correction, turned.keep_energy(omega));
    state.velocity.free[slot].angular = turned.omega;
}

/// A body that was turned from one orientation to another, and its spin there.
struct Turned<'t> {
    body: &'t BodyModel,
    before: Quat,
    after: Quat,
    omega: Vec3,
}

impl Turned<'_> {
    /// Makes the spin as large as the energy of `spin` in the orientation before says; returns what rounding leaves of the
    /// change [J].
    fn keep_energy(&mut self, spin: Vec3) -> f64 {
        let inertia = self.body.inertia;
        let (a, b) = (self.before.conjugate() * spin, self.after.conjugate() * self.omega);
        let (was, is) = (a.dot(inertia * a), b.dot(inertia * b));
        let share = if is > 0.0 { (was / is).sqrt() } else { 1.0 };
        self.omega *= share;
        // ½ b·I b − ½ a·I a, as a product that does not cancel.
        0.5 * (b * share - a).dot(inertia * (a + b * share))
    }
}

fn drivers(model: &Model, state: &mut State) {
    let h = model.settings.dt;
    for slot in model.drivers.iter().filter_map(|driver| driver.body) {
        let slot = slot as usize;
        let twist = state.velocity.free[slot];
        state.position[slot] += twist.linear * h;
        let turn = trig::rotation_vector(twist.angular * h);
        state.orientation[slot] = (turn * state.orientation[slot]).normalize();
    }
}

/// Moves the trees, and books what the drift and the correction did to their energy.
fn trees(model: &Model, state: &mut State, work: &mut Workspace) {
    let (h, gravity) = (model.settings.dt, model.settings.gravity);
    for (i, tree) in model.trees.iter().enumerate() {
        if is_out(model, state, i) {
            continue;
        }
        let first = work.inertia.trees[i].first_dof as usize;
        let dofs = first..first + tree.dofs();
        let q = &mut state.trees[i];
        let (start, end) = (&work.v_start.dof[dofs.clone()], &work.solution.v.dof[dofs.clone()]);
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
        let shift = &work.impact.displacement.dof[dofs.clone()];
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
