//! What drivers add to the contacts: their velocities, belts and motors.

use super::demand;
use crate::model::Model;
use crate::scene::DriveLimit;
use crate::state::State;
use crate::workspace::Workspace;
use huygens_contact::{Belt, Geared, GroupKey, Head, Law, Row, Side};
use huygens_math::{Twist, Vec3};

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
    let mut belt = Belt { first, velocity: [Vec3::ZERO; 2], driver: [None; 2], run: Vec3::ZERO };
    for (k, slot) in key.shapes().into_iter().enumerate() {
        let shape = &model.shapes[slot as usize];
        let body = shape.body as usize;
        let Some(driver) = model.bodies[body].driver.filter(|_| shape.belt != Vec3::ZERO) else { continue };
        let velocity = state.orientation[body] * shape.belt * work.drivers[driver as usize].share;
        belt.velocity[k] = velocity - normal * normal.dot(velocity);
        belt.driver[k] = Some(driver);
    }
    if belt.driver != [None; 2] {
        work.problem.groups.belts.push(belt);
    }
}

/// The motor of each driver with a torque limit: towards its speed, with no more than its torque gives in a step.
pub(super) fn motors(model: &Model, state: &State, work: &mut Workspace) {
    for i in 0..work.problem.groups.geared.len() {
        let Geared { body, driver } = work.problem.groups.geared[i];
        let DriveLimit::Torque { max } = model.drivers[driver as usize].limit else { continue };
        let drive = &state.drives[driver as usize];
        let key = GroupKey::driver_motor(body);
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
            tree: None,
        });
    }
}
