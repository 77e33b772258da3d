//! Moves everything by the integrator's own displacement and by the correction.

use crate::ledger::Account;
use crate::model::{Model, Motion};
use crate::state::State;
use crate::workspace::Workspace;
use huygens_dynamics::{Integrator, rotate};
use huygens_math::{Twist, Vec3, trig};

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
    let rotated = rotate(
        &body.inertia,
        state.orientation[slot],
        drift,
        end.angular,
        h,
        model.settings.gyroscopic,
        body.lock_angular.map(|locked| !locked),
    );
    work.book.post(Account::Gyroscopic, rotated.energy);
    state.orientation[slot] = rotated.orientation;
    state.velocity.free[slot] = Twist::new(end.linear, rotated.omega);
    let turn = work.impact.displacement.free[slot].angular + correction.angular;
    if turn != Vec3::ZERO {
        pseudo_turn(model, state, work, slot, turn);
    }
}

/// Turns a body and leaves its velocity; a spinning body with unequal inertia then has other kinetic energy, which is
/// the correction's doing.
fn pseudo_turn(model: &Model, state: &mut State, work: &mut Workspace, slot: usize, turn: Vec3) {
    let before = state.orientation[slot];
    let after = (trig::rotation_vector(turn) * before).normalize();
    state.orientation[slot] = after;
    let omega = state.velocity.free[slot].angular;
    let (a, b) = (before.conjugate() * omega, after.conjugate() * omega);
    // ½ b·I b − ½ a·I a, as a product that does not cancel: a and b differ by the turn alone.
    let change = 0.5 * (b - a).dot(model.bodies[slot].inertia * (a + b));
    work.book.post(Account::Correction, change);
}

fn drivers(model: &Model, state: &mut State) {
    let h = model.settings.dt;
    for driver in &model.drivers {
        let slot = driver.body as usize;
        state.position[slot] += driver.linear * h;
        let turn = trig::rotation_vector(driver.angular * h);
        state.orientation[slot] = (turn * state.orientation[slot]).normalize();
    }
}

fn trees(model: &Model, state: &mut State, work: &mut Workspace) {
    let _ = (model, state, work);
}
