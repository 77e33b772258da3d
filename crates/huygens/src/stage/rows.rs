//! Rows beside the contacts: friction against spinning and rolling, and motors of drivers.

use super::demand;
use super::tree_rows::TreeSides;
use crate::model::Model;
use crate::scene::DriveLimit;
use crate::state::State;
use crate::workspace::Workspace;
use huygens_contact::{Belt, Geared, GroupKey, Head, Law, NO_DRIVER, NO_TREE, Row, Side};
use huygens_math::{Twist, Vec3};

/// Marks the key of a friction couple, which is otherwise that of its contact; no shape has so many parts.
const COUPLE: u32 = 1 << 31;

/// What each driver does in this step, as the contact problem sees it.
pub(super) fn drivers(model: &Model, state: &State, work: &mut Workspace) {
    let groups = &mut work.problem.groups;
    for (i, driver) in model.drivers.iter().enumerate() {
        let slot = driver.body.map(|slot| slot as usize);
        let geared = slot.filter(|slot| model.geared(*slot).is_some() && !state.quarantined[*slot]);
        let twist = match slot {
            None => Twist::ZERO,
            Some(slot) if geared.is_some() => state.velocity.free[slot],
            Some(_) => state.drives[i].wish * work.drivers[i].share,
        };
        groups.driven.push(twist);
        groups.geared.extend(geared.map(|slot| Geared { body: slot as u32, driver: i as u32 }));
    }
    groups.geared.sort_unstable_by_key(|geared| geared.body);
    let cap = |limit| if let DriveLimit::Cap { impulse } = limit { impulse } else { f64::INFINITY };
    if model.drivers.iter().any(|driver| cap(driver.limit).is_finite()) {
        groups.caps.extend(model.drivers.iter().map(|driver| cap(driver.limit)));
    }
}

/// The belt of the contact that begins with point `first`, when one of its two shapes has one.
pub(super) fn belt(
    model: &Model,
    state: &State,
    work: &mut Workspace,
    (key, first): (GroupKey, u32),
    normal: Vec3,
) {
    let mut belt = Belt { first, velocity: [Vec3::ZERO; 2], driver: [NO_DRIVER; 2], run: Vec3::ZERO };
    for (k, slot) in [key.a, key.b].into_iter().enumerate() {
        let shape = &model.shapes[slot as usize];
        let body = shape.body as usize;
        let Some(driver) = model.bodies[body].driver.filter(|_| shape.belt != Vec3::ZERO) else { continue };
        let velocity = state.orientation[body] * shape.belt * work.drivers[driver as usize].share;
        belt.velocity[k] = velocity - normal * normal.dot(velocity);
        belt.driver[k] = driver;
    }
    if belt.driver != [NO_DRIVER; 2] {
        work.problem.groups.belts.push(belt);
    }
}

/// A friction couple for each contact whose materials have a lever.
pub(super) fn couples(model: &Model, state: &State, work: &mut Workspace) {
    let has_lever = |m: &huygens_contact::Material| m.friction_torsional > 0.0 || m.friction_rolling > 0.0;
    if !work.problem.groups.materials.iter().any(has_lever) {
        return;
    }
    for contact in 0..work.problem.groups.heads.len() {
        let head = work.problem.groups.heads[contact];
        if has_lever(&work.problem.groups.materials[head.material as usize]) {
            couple(model, state, work, contact, &head);
        }
    }
}

fn couple(model: &Model, state: &State, work: &mut Workspace, contact: usize, head: &Head) {
    let key = GroupKey { sub_a: head.key.sub_a | COUPLE, ..head.key };
    let axes = [head.normal, head.tangent, head.normal.cross(head.tangent)];
    let at = state.row_impulses.partition_point(|(old, _)| *old < key);
    let old = state.row_impulses.get(at..at + 3).filter(|rows| rows.iter().all(|(old, _)| *old == key));
    let warm = old.map_or([0.0; 3], |rows| head.to_local(Vec3::new(rows[0].1, rows[1].1, rows[2].1)));
    let first = work.problem.groups.rows.len() as u32;
    for axis in axes {
        let angular = [axis, -axis];
        work.problem.groups.rows.push(Row {
            linear: Vec3::ZERO,
            angular,
            target: 0.0,
            error: 0.0,
            tree: NO_TREE,
        });
    }
    work.warm_rows.extend(warm);
    if head.side.iter().any(|side| matches!(side, Side::Tree(_))) {
        let bodies = [head.key.a, head.key.b].map(|shape| model.shapes[shape as usize].body);
        let Workspace { trees, problem, .. } = work;
        let groups = &mut problem.groups;
        let sides = TreeSides::of(model, &problem.inertia, &mut groups.tree, bodies);
        for (row, axis) in groups.rows[first as usize..].iter_mut().zip(axes) {
            row.tree = sides.push(trees, &problem.inertia, &mut groups.tree, [axis], |axis| axis.angular);
        }
    }
    let law = Law::Couple { contact: contact as u32 };
    work.problem.groups.heads.push(Head { key, law, first, len: 3, ..*head });
}

/// The motor of each driver with a torque limit: towards its speed, with no more than its torque gives in a step.
pub(super) fn motors(model: &Model, state: &State, work: &mut Workspace) {
    for i in 0..work.problem.groups.geared.len() {
        let Geared { body, driver } = work.problem.groups.geared[i];
        let DriveLimit::Torque { max } = model.drivers[driver as usize].limit else { continue };
        let drive = &state.drives[driver as usize];
        let key = GroupKey { a: u32::MAX, b: u32::MAX, sub_a: body, sub_b: 0 };
        let old = state.row_impulses.binary_search_by_key(&key, |(key, _)| *key);
        work.warm_rows.push(old.map_or(0.0, |at| state.row_impulses[at].1));
        let law = Law::Drive { driver, most: max * model.settings.dt };
        let row = work.problem.groups.rows.len() as u32;
        work.problem.groups.heads.push(Head::of_row(
            key,
            [Side::Free(body), Side::Fixed],
            law,
            demand::ANGLE,
            row,
        ));
        work.problem.groups.rows.push(Row {
            linear: Vec3::ZERO,
            angular: [drive.axis, Vec3::ZERO],
            target: drive.axis.dot(drive.wish.angular),
            error: 0.0,
            tree: NO_TREE,
        });
    }
}
