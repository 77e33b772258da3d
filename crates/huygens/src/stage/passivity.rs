//! The last part of the passivity bound ([`huygens_contact::limit_correction`] has the parts before it): an island that gained energy in a
//! step, measured on its bodies at both ends, is slowed down by just that.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | G | `gain` | change of kinetic and potential energy, less the work of users, drivers and motors | J |
//! | V | [`Frame`] | rigid motion that the island cannot lose: 0 where it touches something, or that of its momentum | m/s |
//! | T | `kinetic` | energy of the motion relative to V | J |
//!
//! v⁺ ← V + s(v⁺ − V), s² = 1 − G/T: of all velocities with that energy and the same momentum the nearest one. What rests stays at rest,
//! what rolls rolls, and what slides goes on in its direction. Its work is booked as `numerical`. Gains come from errors of third order in the step
//! (a contact that turns while its rows stand still), from turning bodies with unequal inertia, and from solves that have not converged.

use crate::access::IntegrateAccess;
use crate::ledger::Account;
use crate::model::Model;
use crate::stage::forces::along;
use crate::stage::free::kinetic;
use crate::stage::position::is_inside;
use crate::state::State;
use huygens_contact::{Side, work_from_outside};
use huygens_math::{Sym3, Twist, Vec3, scalar};

/// A gain below this many roundings of its terms is none.
const ROUND_OFF: f64 = 64.0 * f64::EPSILON;

/// Motion that an island keeps.
#[derive(Clone, Copy)]
enum Frame {
    /// It touches something: nothing of its motion is kept.
    Rest,
    /// All that it touches moves with one driver, and it hardly moves itself.
    Driver(u32),
    /// It touches nothing: it keeps its momentum and its angular momentum.
    Free { centre: Vec3, motion: Twist },
}

/// An island is slowed down relative to its driver where its energy at rest is less than this many times its gain.
const ENOUGH: f64 = 100.0;

/// Slows down the islands that gained energy.
pub(super) fn hold(model: &Model, state: &mut State, work: &mut IntegrateAccess) {
    *work.slowed = (0, 0.0);
    if !model.settings.keeps_passive() {
        return;
    }
    for island in 0..work.problem.graph.islands() {
        let free = work.problem.graph.free_bodies();
        let members = work.problem.graph.movables(island);
        // The movables of an island are its bodies, then its trees.
        if members.last().is_some_and(|&last| last as usize >= free) {
            continue;
        }
        let gain: f64 = members.iter().map(|&slot| work.energy_change[slot as usize]).sum();
        if gain > 0.0 || !work.problem.groups.driven.is_empty() || !work.forces.applied.is_empty() {
            slow_down(model, state, work, island, gain);
        }
    }
}

fn slow_down(model: &Model, state: &mut State, work: &mut IntegrateAccess, island: usize, change: f64) {
    let problem = work.problem.view(model);
    let members = problem.graph.movables(island).iter().map(|&slot| slot as usize);
    let is_soft = |group: &u32| problem.groups.heads[*group as usize].is_soft;
    // Rows that give way store energy and return it; a body that was put down inside another one may come out.
    if problem.graph.groups(island).iter().any(is_soft) || is_inside(state, problem.graph, island) {
        return;
    }
    // The body of a driver with a torque limit keeps its velocity: its motor would give it back.
    let is_limited = |slot| problem.groups.torque_limited.iter().any(|limited| limited.body as usize == slot);
    let mut outside = 0.0;
    let is_driven = !problem.groups.driven.is_empty();
    if is_driven || !problem.groups.rows.is_empty() {
        outside = work_from_outside(&problem, work.solution, island, work.loads);
        outside +=
            problem.graph.groups(island).iter().map(|&k| work.problem.impact.given[k as usize]).sum::<f64>();
    }
    // Forces of a medium and of springs are listed by body.
    for applied in &work.forces.applied {
        let slot = applied.slot as usize;
        if problem.graph.movables(island).binary_search(&applied.slot).is_ok() {
            let mean = (problem.v_start.free[slot] + work.solution.v.free[slot]) * 0.5;
            let path = mean * model.settings.dt + work.problem.impact.displacement.free[slot];
            outside += along(&applied.total(), &path);
        }
    }
    let gain = change - outside;
    let mut size = outside.abs();
    for slot in members.clone() {
        let numbers = &work.bodies.numbers[slot];
        let energy = kinetic(numbers, state.orientation[slot], &state.velocity.free[slot]);
        size += numbers.condition * energy + numbers.weight_size * state.position[slot].length() / 64.0;
    }
    if gain <= ROUND_OFF * size {
        return;
    }
    let members = members.filter(|slot| !is_limited(*slot));
    let mut frame = frame(model, state, work, island);
    let motion = |frame: Frame, slot: usize| match frame {
        Frame::Rest => Twist::ZERO,
        Frame::Driver(i) => {
            let drive = &work.problem.groups.driven[i as usize];
            let at = model.drivers[i as usize].body.map_or(Vec3::ZERO, |body| state.position[body as usize]);
            Twist::new(drive.at(state.position[slot] - at), drive.angular)
        }
        Frame::Free { centre, motion } => {
            Twist::new(motion.at(state.position[slot] - centre), motion.angular)
        }
    };
    let energy = |frame: Frame| -> f64 {
        let of = |slot: usize| {
            let relative = state.velocity.free[slot] - motion(frame, slot);
            kinetic(&work.bodies.numbers[slot], state.orientation[slot], &relative)
        };
        members.clone().map(of).sum()
    };
    let mut relative = energy(frame);
    if let Some(driver) = only_driver(work, island).filter(|_| relative < ENOUGH * gain) {
        frame = Frame::Driver(driver);
        relative = energy(frame);
    }
    if relative <= 0.0 {
        return;
    }
    let motion = |slot| motion(frame, slot);
    let share = scalar::max(1.0 - gain / relative, 0.0).sqrt();
    let mut taken = 0.0;
    for slot in members {
        let (numbers, orientation) = (&work.bodies.numbers[slot], state.orientation[slot]);
        let (twist, kept) = (state.velocity.free[slot], motion(slot));
        let slower = kept + (twist - kept) * share;
        let [before, after] = [twist, slower].map(|twist| kinetic(numbers, orientation, &twist));
        work.measured.add(after);
        work.measured.add(-before);
        work.book.widen(numbers.condition * (before + after));
        taken += product(numbers, orientation, &kept, &(twist - kept));
        state.velocity.free[slot] = slower;
    }
    work.book.post(Account::Numerical, (share * share - 1.0) * relative);
    work.slowed.0 += 1;
    work.slowed.1 += (1.0 - share * share) * relative;
    if let Frame::Driver(_) = frame {
        // The driver holds the rest of the change of momentum.
        work.book.post(Account::Driver, (share - 1.0) * taken);
    }
}

/// aᵀM b of one body [J].
fn product(
    numbers: &crate::bodies::BodyNumbers,
    orientation: huygens_math::Quat,
    a: &Twist,
    b: &Twist,
) -> f64 {
    let [x, y] = [a.angular, b.angular].map(|spin| orientation.conjugate() * spin);
    numbers.mass * a.linear.dot(b.linear) + x.dot(numbers.inertia * y)
}

fn frame(model: &Model, state: &State, work: &IntegrateAccess, island: usize) -> Frame {
    let problem = &work.problem;
    let touches = |group: &u32| {
        let head = &problem.groups.heads[*group as usize];
        head.side.iter().any(|side| matches!(side, Side::Fixed | Side::Driven(_)))
    };
    if problem.graph.groups(island).iter().any(touches) {
        return Frame::Rest;
    }
    free_frame(model, state, work, island)
}

/// The driver that an island touches, if it touches nothing else that it cannot move.
fn only_driver(work: &IntegrateAccess, island: usize) -> Option<u32> {
    let problem = &work.problem;
    let mut driver = None;
    for &group in problem.graph.groups(island) {
        for side in problem.groups.heads[group as usize].side {
            match side {
                Side::Fixed => return None,
                Side::Driven(i) if driver.is_some_and(|other| other != i) => return None,
                Side::Driven(i) => driver = Some(i),
                Side::Free(_) | Side::Tree(_) => {}
            }
        }
    }
    driver
}

/// The rigid motion with the momentum and the angular momentum of an island.
fn free_frame(model: &Model, state: &State, work: &IntegrateAccess, island: usize) -> Frame {
    let slots = work.problem.graph.movables(island).iter().map(|&slot| slot as usize);
    let is_locked = |slot: usize| {
        let body = &model.bodies[slot];
        body.lock_linear.contains(&true) || body.lock_angular.contains(&true)
    };
    if slots.clone().any(is_locked) {
        return Frame::Rest;
    }
    let (mut mass, mut centre, mut momentum) = (0.0, Vec3::ZERO, Vec3::ZERO);
    for slot in slots.clone() {
        let m = work.bodies.numbers[slot].mass;
        mass += m;
        centre += state.position[slot] * m;
        momentum += state.velocity.free[slot].linear * m;
    }
    centre /= mass;
    let linear = momentum / mass;
    let (mut inertia, mut spin) = (Sym3::ZERO, Vec3::ZERO);
    for slot in slots {
        let (numbers, twist) = (&work.bodies.numbers[slot], &state.velocity.free[slot]);
        let (arm, rotation) = (state.position[slot] - centre, state.orientation[slot]);
        inertia = inertia + numbers.inertia.rotated(rotation) + Sym3::point_inertia(arm) * numbers.mass;
        spin += rotation * (numbers.inertia * (rotation.conjugate() * twist.angular));
        spin += arm.cross(twist.linear - linear) * numbers.mass;
    }
    let angular = inertia.inverse().map_or(Vec3::ZERO, |inverse| inverse * spin);
    Frame::Free { centre, motion: Twist::new(linear, angular) }
}
