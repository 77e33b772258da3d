//! Energy of a state.

use crate::assembly::frame;
use crate::force;
use crate::model::{Model, Motion, TendonModel};
use crate::stage::{is_taken_out, kinetic_energy};
use crate::state::State;
use huygens_dynamics::{cable_length, spring_energy};
use huygens_math::Sum;

/// Slots of all bodies whose energy counts: free bodies and links that are in the simulation.
fn moving<'a>(model: &'a Model, state: &'a State) -> impl Iterator<Item = usize> + 'a {
    (0..model.bodies.len()).filter(|&slot| counts(model, state, slot))
}

fn counts(model: &Model, state: &State, slot: usize) -> bool {
    let body = &model.bodies[slot];
    let moves =
        matches!(body.motion, Motion::Dynamic | Motion::Link { .. }) || model.torque_limited(slot).is_some();
    moves && !body.removed && !state.quarantined[slot]
}

/// Kinetic energy of all free bodies and links, and of the drives of joints [J].
pub(crate) fn kinetic(model: &Model, state: &State) -> f64 {
    let mut sum = Sum::default();
    for slot in moving(model, state) {
        sum.add(kinetic_energy(model, state, slot));
    }
    for i in (0..model.trees.len()).filter(|&i| !is_taken_out(model, state, i)) {
        sum.add(of_drives(model, state, i));
    }
    sum.value()
}

/// Kinetic energy of the links and drives of a tree [J].
pub(crate) fn of_tree(model: &Model, state: &State, tree: usize) -> f64 {
    let links = model.tree_bodies[tree].iter().map(|&slot| slot as usize);
    let links = links.filter(|&slot| counts(model, state, slot));
    links.map(|slot| kinetic_energy(model, state, slot)).sum::<f64>() + of_drives(model, state, tree)
}

/// Kinetic energy of the drives of a tree [J].
pub(crate) fn of_drives(model: &Model, state: &State, tree: usize) -> f64 {
    let drives = model.trees[tree].armature().iter().zip(&state.velocity.dof[model.dofs_of(tree)]);
    drives.map(|(armature, v)| 0.5 * armature * v * v).sum()
}

/// Potential energy −m g·x of all free bodies and links, and that of springs [J].
pub(crate) fn potential(model: &Model, state: &State) -> f64 {
    let mut sum = Sum::default();
    for slot in moving(model, state) {
        sum.add(potential_of(model, state, slot));
    }
    sum.add(force::stored(model, state));
    for (i, tree) in model.trees.iter().enumerate().filter(|(i, _)| !is_taken_out(model, state, *i)) {
        sum.add(spring_energy(tree, &state.coordinates[model.coordinates_of(i)]));
    }
    for tendon in model.tendons.iter().filter(|tendon| !is_taken_out(model, state, tendon.tree as usize)) {
        sum.add(tendon.stored(tendon_length(model, state, tendon)));
    }
    sum.value()
}

/// Length of a tendon now [m].
pub(crate) fn tendon_length(model: &Model, state: &State, tendon: &TendonModel) -> f64 {
    let bodies = &model.tree_bodies[tendon.tree as usize];
    let pose = |link: usize| frame(model, state, bodies[link] as usize);
    let q = &state.coordinates[model.coordinates_of(tendon.tree as usize)];
    cable_length(|k| tendon.parts.get(k).copied(), pose, q, |_| {})
}

/// Kinetic plus potential energy of one body and of its springs [J]; without its own when it is not in the simulation.
pub(crate) fn of_body(model: &Model, state: &State, slot: usize) -> f64 {
    let springs = force::stored_at(model, state, slot);
    if counts(model, state, slot) {
        kinetic_energy(model, state, slot) + potential_of(model, state, slot) + springs
    } else {
        springs
    }
}

pub(crate) fn potential_of(model: &Model, state: &State, slot: usize) -> f64 {
    let body = &model.bodies[slot];
    -body.mass * body.gravity_scale * model.settings.gravity.dot(state.position[slot])
}
