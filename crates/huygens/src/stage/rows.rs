//! What drivers add to the contact problem: their velocities, limits and motors.

use super::demand;
use crate::access::AssembleAccess;
use crate::model::Model;
use crate::scene::DriveLimit;
use crate::state::State;
use huygens_contact::{GroupKey, Head, Law, Row, Side, TorqueLimited};
use huygens_math::{Twist, Vec3};

/// What each driver does in this step, as the contact problem sees it.
pub(super) fn drivers(model: &Model, state: &State, work: &mut AssembleAccess) {
    let groups = &mut work.groups;
    for (i, driver) in model.drivers.iter().enumerate() {
        let slot = driver.body.map(|slot| slot as usize);
        let torque_limited =
            slot.filter(|slot| model.torque_limited(*slot).is_some() && !state.quarantined[*slot]);
        let twist = match slot {
            None => Twist::ZERO,
            Some(slot) if torque_limited.is_some() => state.velocity.free[slot],
            Some(_) => state.drives[i].target,
        };
        groups.driven.push(twist);
        groups
            .torque_limited
            .extend(torque_limited.map(|slot| TorqueLimited { body: slot as u32, driver: i as u32 }));
    }
    groups.torque_limited.sort_unstable_by_key(|limited| limited.body);
    let cap = |limit| if let DriveLimit::Cap { impulse } = limit { impulse } else { f64::INFINITY };
    if model.drivers.iter().any(|driver| cap(driver.limit).is_finite()) {
        groups.caps.extend(model.drivers.iter().map(|driver| cap(driver.limit)));
    }
    let h = model.settings.dt;
    let work_limit = |limit| if let DriveLimit::Power { max } = limit { max * h } else { f64::INFINITY };
    if model.drivers.iter().any(|driver| work_limit(driver.limit).is_finite()) {
        groups.work_limits.extend(model.drivers.iter().map(|driver| work_limit(driver.limit)));
    }
}

/// The motor of each driver with a torque limit: towards its speed, with no more than its torque gives in a step.
pub(super) fn motors(model: &Model, state: &State, work: &mut AssembleAccess) {
    for i in 0..work.groups.torque_limited.len() {
        let TorqueLimited { body, driver } = work.groups.torque_limited[i];
        let DriveLimit::Torque { max } = model.drivers[driver as usize].limit else { continue };
        let drive = &state.drives[driver as usize];
        let key = GroupKey::driver_motor(body);
        let old = state.row_impulses.binary_search_by_key(&key, |(key, _)| *key);
        work.warm_rows.push(old.map_or(0.0, |at| state.row_impulses[at].1));
        let law = Law::Drive { driver, most: max * model.settings.dt };
        let row = work.groups.rows.len() as u32;
        work.groups.heads.push(Head::of_row(key, [Side::Free(body), Side::Fixed], law, demand::ANGLE, row));
        work.groups.rows.push(Row {
            linear: Vec3::ZERO,
            angular: [drive.axis, Vec3::ZERO],
            target: drive.axis.dot(drive.target.angular),
            error: 0.0,
            tree: None,
        });
    }
}
