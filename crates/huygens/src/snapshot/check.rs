//! Whether a stored state fits a model: as many of everything, and no index beyond its list.

use crate::contacts::{APART, Contacts};
use crate::model::Model;
use crate::state::State;
use huygens_contact::GroupId;

/// True when stepping from this state reads no place that is not there.
pub(super) fn fits(model: &Model, state: &State) -> bool {
    let State {
        steps,
        time,
        clock,
        position,
        orientation,
        velocity,
        force,
        torque,
        one_step_forces,
        coordinates,
        contacts,
        touching,
        ended,
        slow_time,
        placed,
        quarantined,
        row_impulses,
        drives,
        joint_drives,
        drivers,
        motor_targets,
        motors,
        broken: _,
        generation,
        free_bodies,
        free_shapes,
        ledger: _,
    } = state;
    let (bodies, shapes) = (model.bodies.len(), model.shapes.len());
    let by_body = [position.len(), orientation.len(), velocity.free.len(), force.len(), torque.len()];
    let flags = [slow_time.len(), placed.len(), quarantined.len(), generation.len()];
    let trees = model.trees.iter();
    let dofs: usize = trees.clone().map(|tree| tree.dofs()).sum();
    let all: usize = trees.map(|tree| tree.coordinates()).sum();
    let is_shape = |slot: &u32| (*slot as usize) < shapes;
    let is_body = |slot: &u32| (*slot as usize) < bodies;
    let is_row = |id: GroupId| !matches!(id, GroupId::Contact { .. });
    time.is_finite()
        && clock.time.is_finite()
        && clock.steps <= *steps
        && by_body.iter().chain(&flags).all(|len| *len == bodies)
        && velocity.dof.len() == dofs
        && coordinates.len() == all
        && drives.len() == model.drivers.len()
        && (joint_drives.is_empty() || joint_drives.len() == dofs)
        && drivers.len() == model.drivers.len()
        && motor_targets.len() == model.joint_dofs.len()
        && motors.len() == model.joint_dofs.len()
        && one_step_forces.iter().all(|force| is_body(&force.slot))
        && free_bodies.iter().all(is_body)
        && free_shapes.iter().all(is_shape)
        && touching.iter().flatten().all(is_shape)
        && touching.is_sorted()
        && ended.iter().all(|event| event.bodies.iter().all(|body| is_body(&body.slot)))
        && row_impulses.iter().all(|(key, _)| is_row(key.id()))
        && row_impulses.is_sorted_by_key(|(key, _)| *key)
        && contacts_fit(contacts, shapes)
}

fn contacts_fit(contacts: &Contacts, shapes: usize) -> bool {
    let is_shape = |slot: u32| (slot as usize) < shapes;
    let points = contacts.points.len() as u64;
    let kept = &contacts.kept;
    let is_slot = |at: u32| (at as usize) < kept.slots.len();
    contacts.heads.iter().all(|head| {
        u64::from(head.first) + u64::from(head.len) <= points && head.key.shapes().into_iter().all(is_shape)
    }) && contacts.heads.is_sorted_by_key(|head| head.key)
        && (contacts.couples.is_empty() || contacts.couples.len() == contacts.points.len())
        && kept
            .pairs
            .iter()
            .all(|pair| is_shape(pair.a) && is_shape(pair.b) && (pair.at == APART || is_slot(pair.at)))
        && kept.pairs.is_sorted_by_key(|pair| pair.order())
        && kept.free.iter().all(|at| is_slot(*at))
}
