//! Drivers: the velocity that each has in this step, what of it a limit of power leaves, and where they come by it.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | σ | `share` | share of its velocity that a driver with a limit of power has in this step | – |
//! | W(σ) | `gave` | work that it gives then | J |
//! | P h | `most` | work that it may give | J |
//!
//! W(0) = 0, so a σ with W ≤ P h exists. The largest one is sought by secants and bisection between one that is too much and one that
//! is not; the step is made with the latter. Each trial is the contact problem of the driver's own island again, impacts included, so that every
//! model can do it; other islands are solved once ([`huygens_contact::Part`]).

use crate::access::{IntegrateAccess, PowerAccess};
use crate::model::{Model, Motion};
use crate::path::{pose_at, velocity_between};
use crate::report::StepReport;
use crate::scene::DriveLimit;
use crate::state::State;
use huygens_contact::{ContactProblem, Part, Warm, WholeStep};
use huygens_math::{Pose, Twist, Vec3, scalar, trig};

/// Most trials of a step; bisection alone would then be at round-off.
const MOST_TRIALS: u32 = 60;

/// A driver may give this share less than its power allows.
const CLOSE: f64 = 1e-9;

/// How far the search for a driver's share has come.
#[derive(Clone, Copy, Debug)]
struct DriverShare {
    /// Share of its velocity.
    share: f64,
    /// A share that is not too much, with its work [J].
    low: [f64; 2],
    /// One that is.
    high: [f64; 2],
    trials: u32,
}

impl Default for DriverShare {
    fn default() -> Self {
        Self { share: 1.0, low: [0.0; 2], high: [1.0, f64::INFINITY], trials: 0 }
    }
}

/// Sets the velocity that every driver is to have in this step.
pub(crate) fn drive(model: &Model, state: &mut State) {
    let h = model.settings.dt;
    for (i, driver) in model.drivers.iter().enumerate() {
        let Some(slot) = driver.body.map(|slot| slot as usize) else { continue };
        if !matches!(model.bodies[slot].motion, Motion::Driven(_)) || state.quarantined[slot] {
            continue;
        }
        if !driver.path.is_empty() {
            let center = model.bodies[slot].center;
            // What may have stayed behind its path hurries after it.
            let from = match driver.limit {
                DriveLimit::Power { .. } => {
                    let rotation = state.orientation[slot];
                    Pose::new(rotation, state.position[slot] - rotation * center)
                }
                _ => pose_at(&driver.path, state.time),
            };
            let to = pose_at(&driver.path, state.time_after(1, h));
            state.drives[i].target = velocity_between(&from, &to, center, h);
        }
        let target = state.drives[i].target;
        let velocity = &mut state.velocity.free[slot];
        velocity.linear = target.linear;
        if model.torque_limited(slot).is_none() {
            velocity.angular = target.angular;
        }
    }
}

/// Drivers with a limit of power in this step.
#[derive(Debug, Default)]
pub struct PowerWork {
    /// How far the search has come for each driver.
    shares: Vec<DriverShare>,
    /// Drivers that give too much at their full velocity.
    is_over: Vec<bool>,
    /// Their islands.
    part: Part,
}

/// Solves the islands of drivers that give more than their power allows again, with less of their velocity, until they do not.
pub(crate) fn power(model: &Model, state: &State, work: &mut PowerAccess, report: &mut StepReport) {
    let groups = work.groups;
    if groups.work_limits.is_empty() {
        return;
    }
    let PowerWork { shares, is_over, part } = &mut *work.power;
    is_over.clear();
    for (i, most) in groups.work_limits.iter().enumerate() {
        let loads = [work.impact.drivers.get(i), work.solution.drivers.get(i)];
        is_over.push(loads.into_iter().flatten().map(|load| load.work).sum::<f64>() > *most);
    }
    if !is_over.contains(&true) {
        return;
    }
    shares.clear();
    shares.resize(model.drivers.len(), DriverShare::default());
    let (kind, settings, acceleration) = (model.settings.solver, &model.settings.contact, work.acceleration);
    let warm = Warm { points: work.warm, couples: work.warm_couples, rows: work.warm_rows };
    // Before its impacts, with the velocity that everything had then.
    let assembled = ContactProblem {
        h: model.settings.dt,
        v_start: &state.velocity,
        v_free: work.v_free,
        move_inertia: work.inertia,
        groups,
        graph: work.graph,
        airborne: &[],
        cap_left: &[],
        scale: model.scale(),
    };
    part.select(&assembled, warm, is_over, work.scratch);
    part.step(kind, settings, &assembled, acceleration);
    part.note_first();
    report.island_solves += part.islands();
    for _ in 0..3 * MOST_TRIALS {
        let mut is_settled = true;
        for &driver in part.limited() {
            let (share, gave) = (&mut shares[driver as usize], part.work_of(driver));
            let most = groups.work_limits[driver as usize];
            // A work that is no number belongs to a body that `stage::sound` takes out.
            is_settled &= gave.is_nan() || share.accepts(gave, most);
        }
        if is_settled {
            break;
        }
        for i in 0..part.limited().len() {
            let driver = part.limited()[i];
            part.scale_driver(driver, shares[driver as usize].share);
        }
        report.solve.include(&part.step(kind, settings, &assembled, acceleration));
        report.island_solves += part.islands();
    }
    let PowerAccess { v_start, v_free, impact, solution, scratch, .. } = work;
    let whole = WholeStep { v_start, v_free, impact, solution, scratch };
    part.put_back_step(groups, work.graph, work.inertia, warm, whole);
}

impl DriverShare {
    /// True when `gave` is within `most` and more would not be; else it has another share.
    fn accepts(&mut self, gave: f64, most: f64) -> bool {
        let fits = gave <= most;
        if fits && (self.share >= 1.0 || self.trials >= MOST_TRIALS || most - gave <= CLOSE * most) {
            return true;
        }
        if fits {
            self.low = [self.share, gave];
        } else {
            self.high = [self.share, gave];
        }
        let width = self.high[0] - self.low[0];
        if fits && width <= CLOSE * self.high[0] {
            return true;
        }
        self.trials += 1;
        if most <= 0.0 || self.trials > MOST_TRIALS {
            // Others may have changed what the last share gives; none gives nothing.
            (self.share, self.trials) = (0.0, MOST_TRIALS);
        } else if self.trials == MOST_TRIALS || width <= CLOSE * self.high[0] {
            (self.share, self.trials) = (self.low[0], MOST_TRIALS);
        } else {
            // Work grows with the share, most often as its square; now and then the middle is safe.
            let way = (most - self.low[1]) / (self.high[1] - self.low[1]);
            let secant = if self.low[0] > 0.0 { way } else { scalar::max(way, 0.0).sqrt() };
            let part = if self.trials.is_multiple_of(3) || secant.is_nan() {
                0.5
            } else {
                scalar::clamp(secant, 1e-3, 0.999)
            };
            self.share = self.low[0] + width * part;
        }
        false
    }
}

/// Moves the drivers.
pub(super) fn move_drivers(model: &Model, state: &mut State, work: &mut IntegrateAccess) {
    let h = model.settings.dt;
    let next = state.time_after(1, h);
    for (i, driver) in model.drivers.iter().enumerate() {
        let Some(slot) = driver.body.map(|slot| slot as usize) else { continue };
        if !matches!(model.bodies[slot].motion, Motion::Driven(_)) || state.quarantined[slot] {
            continue;
        }
        if model.torque_limited(slot).is_some() {
            turn_torque_limited(model, state, work, i, slot);
            continue;
        }
        let twist = work.problem.solve_groups().driven[i];
        state.velocity.free[slot] = twist;
        if driver.path.is_empty() || matches!(driver.limit, DriveLimit::Power { .. }) {
            state.position[slot] += twist.linear * h;
            turn(state, slot, twist.angular * h);
        } else {
            let pose = pose_at(&driver.path, next);
            state.position[slot] = pose.transform(model.bodies[slot].center);
            state.orientation[slot] = pose.rotation;
        }
    }
}

fn turn(state: &mut State, slot: usize, by: Vec3) {
    state.orientation[slot] = (trig::rotation_vector(by) * state.orientation[slot]).normalize();
}

/// A driver with a torque limit turns about its axis as the solve left it. Its moment about that axis stays as it is.
fn turn_torque_limited(model: &Model, state: &mut State, work: &mut IntegrateAccess, i: usize, slot: usize) {
    let (h, axis) = (model.settings.dt, state.drives[i].axis);
    let (start, end) = (work.problem.v_start.free[slot].angular, work.solution.v.free[slot].angular);
    let drift = model.settings.integrator.mean(start, end);
    let before = super::kinetic_energy(model, state, slot);
    let shift =
        work.problem.impact.displacement.free[slot].angular + work.solution.correction.free[slot].angular;
    let linear = state.drives[i].target.linear;
    state.velocity.free[slot] = Twist::new(linear, axis * axis.dot(end));
    state.position[slot] += linear * h;
    turn(state, slot, axis * axis.dot(drift * h + shift));
    let after = super::kinetic_energy(model, state, slot);
    work.measured.add(after);
    work.measured.add(-before);
    work.energy_change[slot] = after - before;
    work.book.widen(model.bodies[slot].condition * (before + after));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_share_that_the_power_allows_is_found() {
        // A pick-up, a lift, and a gap that must close first.
        let works: [fn(f64) -> f64; 3] =
            [|s| 4.0 * s * s, |s| 3.0 * s, |s| if s > 0.4 { 5.0 * (s - 0.4) * s } else { 0.0 }];
        for (k, gives) in works.into_iter().enumerate() {
            for most in [1e-3, 0.1, 1.0, 100.0] {
                let mut share = DriverShare::default();
                let mut trials = 1;
                while !share.accepts(gives(share.share), most) {
                    trials += 1;
                }
                let gave = gives(share.share);
                assert!(gave <= most, "{k}: {gave} of {most}");
                assert!(share.share >= 1.0 || gave >= most * (1.0 - 2e-9), "{k}: {gave} of {most}");
                assert!(trials < 40, "{k}: {trials}");
            }
        }
    }

    #[test]
    fn without_power_a_driver_that_must_work_stands_still() {
        let mut share = DriverShare::default();
        while !share.accepts(share.share, 0.0) {}
        assert_eq!(share.share, 0.0);
        let mut idle = DriverShare::default();
        assert!(idle.accepts(0.0, 0.0) && idle.share == 1.0);
    }
}
