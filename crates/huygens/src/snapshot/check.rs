//! Whether a stored state fits a model: as many of everything, and no index beyond its list.

use crate::contacts::{APART, Contacts};
use crate::model::{Model, Motion};
use crate::sleep::{AWAKE, Sleep, moves};
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
        sleep,
        placed,
        quarantined,
        row_impulses,
        drives,
        joint_drives,
        drivers,
        motor_targets,
        motors,
        tree_credits,
        broken: _,
        generation,
        shape_generation,
        free_bodies,
        free_shapes,
        ledger: _,
    } = state;
    let (bodies, shapes) = (model.bodies.len(), model.shapes.len());
    let by_body = [position.len(), orientation.len(), velocity.free.len(), force.len(), torque.len()];
    let by_flag = [sleep.island.len(), sleep.stillness.len()];
    let flags = [placed.len(), quarantined.len(), generation.len()];
    let trees = model.trees.iter();
    let dofs: usize = trees.clone().map(|tree| tree.dofs()).sum();
    let all: usize = trees.map(|tree| tree.coordinates()).sum();
    let is_shape = |slot: &u32| (*slot as usize) < shapes;
    let is_body = |slot: &u32| (*slot as usize) < bodies;
    let is_row = |id: GroupId| !matches!(id, GroupId::Contact { .. });
    time.is_finite()
        && clock.time.is_finite()
        && clock.steps <= *steps
        && by_body.iter().chain(&flags).chain(&by_flag).all(|len| *len == bodies)
        && velocity.dof.len() == dofs
        && coordinates.len() == all
        && shape_generation.len() == shapes
        && drives.len() == model.drivers.len()
        && (joint_drives.is_empty() || joint_drives.len() == dofs)
        && drivers.len() == model.drivers.len()
        && motor_targets.len() == model.joint_dofs.len()
        && motors.len() == model.joint_dofs.len()
        && tree_credits.len() == model.trees.len()
        && one_step_forces.iter().all(|force| is_body(&force.slot))
        && free_bodies.iter().all(is_body)
        && free_shapes.iter().all(is_shape)
        && touching.iter().flatten().all(is_shape)
        && touching.is_sorted()
        && ended.iter().all(|event| event.bodies.iter().all(|body| is_body(&body.slot)))
        && ended.iter().flat_map(|event| event.shapes).flatten().all(|shape| is_shape(&shape.slot))
        && row_impulses.iter().all(|(key, _)| is_row(key.id()))
        && row_impulses.is_sorted_by_key(|(key, _)| *key)
        && contacts_fit(contacts, contacts.kept.slots.len(), shapes)
        && sleep_fits(model, sleep, contacts.kept.slots.len())
}

/// True when sleepers are bodies that can sleep, and what is kept of them is in order.
fn sleep_fits(model: &Model, sleep: &Sleep, slots: usize) -> bool {
    let (bodies, shapes) = (model.bodies.len(), model.shapes.len());
    let is_shape = |slot: &u32| (*slot as usize) < shapes;
    let islands = sleep.island.iter().enumerate().filter(|(_, island)| **island != AWAKE);
    let may_sleep = |slot: usize| moves(model, slot) && model.torque_limited(slot).is_none();
    islands.clone().count() as u64 == sleep.sleepers
        && islands.clone().all(|(slot, island)| may_sleep(slot) && (*island as usize) < bodies)
        && model.tree_bodies.iter().all(|tree| {
            let links = tree
                .iter()
                .filter(|slot| matches!(model.bodies[**slot as usize].motion, Motion::Link { .. }));
            let mut asleep = links.map(|slot| sleep.island[*slot as usize] != AWAKE);
            let first = asleep.next();
            asleep.all(|other| Some(other) == first)
        })
        && sleep.contacts.kept.slots.is_empty()
        && contacts_fit(&sleep.contacts, slots, shapes)
        && sleep.touching.iter().flatten().all(is_shape)
        && sleep.touching.is_sorted()
        && sleep.row_impulses.iter().all(|(key, _)| !matches!(key.id(), GroupId::Contact { .. }))
        && sleep.row_impulses.is_sorted_by_key(|(key, _)| *key)
        && sleep.told.iter().all(|event| event.bodies.iter().all(|body| (body.slot as usize) < bodies))
}

/// `slots` is the number of slots for manifolds.
fn contacts_fit(contacts: &Contacts, slots: usize, shapes: usize) -> bool {
    let is_shape = |slot: u32| (slot as usize) < shapes;
    let points = contacts.points.len() as u64;
    let kept = &contacts.kept;
    let is_slot = |at: u32| (at as usize) < slots;
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
