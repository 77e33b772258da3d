//! Energy of a state.

use crate::model::{Model, Motion};
use crate::stage::kinetic_energy;
use crate::state::State;
use huygens_math::Sum;

fn moves(model: &Model, slot: usize) -> bool {
    let body = &model.bodies[slot];
    !body.removed && matches!(body.motion, Motion::Dynamic | Motion::Link { .. })
}

/// Kinetic energy of all free bodies and links [J].
pub(crate) fn kinetic(model: &Model, state: &State) -> f64 {
    let mut sum = Sum::default();
    for slot in (0..model.bodies.len()).filter(|&slot| moves(model, slot)) {
        sum.add(kinetic_energy(model, state, slot));
    }
    sum.value()
}

/// Potential energy −m g·x of all free bodies and links [J].
pub(crate) fn potential(model: &Model, state: &State) -> f64 {
    let mut sum = Sum::default();
    for slot in (0..model.bodies.len()).filter(|&slot| moves(model, slot)) {
        let body = &model.bodies[slot];
        sum.add(-body.mass * body.gravity_scale * model.settings.gravity.dot(state.position[slot]));
    }
    sum.value()
}
