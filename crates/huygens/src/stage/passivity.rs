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
use crate::model::{Model, PositionPolicy};
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
    /// All that it touches moves with one driver, and it hardly moves itself. Without friction the spin of the driver moves nothing.
    Driver { index: u32, has_friction: bool },
    /// It touches nothing: it keeps its momentum and its angular momentum.
    Free { centre: Vec3, motion: Twist },
}

/// An island is slowed down relative to its driver where its energy at rest is less than this many times its gain.
const ENOUGH: f64 = 100.0;

/// What this part of the bound did in a step: see [`huygens_contact::GuardReport`].
#[derive(Clone, Copy, Debug)]
pub struct Slowed {
    pub islands: u32,
    /// [J]
    pub taken: f64,
    /// [J]
    pub slack: f64,
}

impl Default for Slowed {
    fn default() -> Self {
        Self { islands: 0, taken: 0.0, slack: f64::INFINITY }
    }
}

/// Slows down the islands that gained energy.
pub(super) fn hold(model: &Model, state: &mut State, work: &mut IntegrateAccess) {
    *work.slowed = Slowed::default();
    if model.settings.position_policy() == PositionPolicy::Unbounded {
        return;
    }
    let graph = &work.problem.graph;
    for island in 0..graph.islands() {
        let members = graph.movables(island);
        // The movables of an island are its bodies, then its trees.
        if members.last().is_some_and(|&last| last as usize >= graph.free_bodies()) {
            continue;
        }
        let gain: f64 = members.iter().map(|&slot| work.energy_change[slot as usize]).sum();
        let has_forces = !work.problem.groups.driven.is_empty() || !work.forces.applied.is_empty();
        let gain = if gain > 0.0 || has_forces {
            let part = Part { island: Some(island), members, groups: graph.groups(island) };
            slow_down(model, state, work, &part, gain)
        } else {
            gain
        };
        work.slowed.slack = scalar::min(work.slowed.slack, -gain);
    }
    // What the sweep stopped has no row, and need not be in an island.
    for slot in 0..work.energy_change.len() {
        let gain = work.energy_change[slot];
        let is_stopped = gain > 0.0 && work.solution.correction.free[slot] != Twist::ZERO;
        if is_stopped && graph.island_of_movable(slot).is_none() {
            let part = Part { island: None, members: &[slot as u32], groups: &[] };
            let gain = slow_down(model, state, work, &part, gain);
            work.slowed.slack = scalar::min(work.slowed.slack, -gain);
        }
    }
}

/// Bodies whose energy is bounded together.
struct Part<'a> {
    /// The island that they are; `None` for a body without one.
    island: Option<usize>,
    members: &'a [u32],
    groups: &'a [u32],
}

/// Takes out what these bodies gained; returns what is left of the gain [J], −∞ for bodies that are exempt.
fn slow_down(model: &Model, state: &mut State, work: &mut IntegrateAccess, part: &Part, change: f64) -> f64 {
    let problem = work.problem.view(model);
    let members = part.members.iter().map(|&slot| slot as usize);
    let is_soft = |group: &u32| problem.groups.heads[*group as usize].is_soft;
    // Rows that give way store energy and return it; a body that was put down inside another one may come out.
    if part.groups.iter().any(is_soft) || is_inside(state, part.members) {
        return f64::NEG_INFINITY;
    }
    // The body of a driver with a torque limit keeps its velocity where the others have enough: its motor would give it back.
    let is_limited = |slot| problem.groups.torque_limited.iter().any(|limited| limited.body as usize == slot);
    let mut outside: f64 = members.clone().map(|slot| work.sweep.given(slot)).sum();
    let is_driven = !problem.groups.driven.is_empty();
    if let Some(island) = part.island.filter(|_| is_driven || !problem.groups.rows.is_empty()) {
        outside += work_from_outside(&problem, work.solution, island, work.loads);
        outside += part.groups.iter().map(|&k| work.problem.impact.given[k as usize]).sum::<f64>();
    }
    // Forces of a medium and of springs are listed by body.
    for applied in &work.forces.applied {
        let slot = applied.slot as usize;
        if part.members.binary_search(&applied.slot).is_ok() {
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
        return gain;
    }
    let of = |slot| kinetic(&work.bodies.numbers[slot], state.orientation[slot], &state.velocity.free[slot]);
    let spares_limited = members.clone().filter(|slot| !is_limited(*slot)).map(of).sum::<f64>() >= gain;
    let members = members.filter(|slot| !spares_limited || !is_limited(*slot));
    let mut frame = frame(model, state, work, part);
    let motion = |frame: Frame, slot: usize| match frame {
        Frame::Rest => Twist::ZERO,
        Frame::Driver { index, has_friction } => {
            let drive = &work.problem.groups.driven[index as usize];
            if !has_friction {
                return Twist::new(drive.linear, Vec3::ZERO);
            }
            let body = model.drivers[index as usize].body;
            let at = body.map_or(Vec3::ZERO, |body| state.position[body as usize]);
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
    if let Some(index) = only_driver(work, part).filter(|_| relative < ENOUGH * gain) {
        let with_driver = Frame::Driver { index, has_friction: has_friction(work, part) };
        let energy = energy(with_driver);
        // Bodies that move with the driver have nothing to give but their whole motion.
        if energy >= gain || energy >= relative {
            (frame, relative) = (with_driver, energy);
        }
    }
    // The sweep stops bodies where they are, not where their common flight would bring them: what that gained, the flight gives.
    if relative < gain && matches!(frame, Frame::Free { .. }) {
        frame = Frame::Rest;
        relative = energy(frame);
    }
    if relative <= 0.0 {
        return gain - put_back(state, work, part, gain);
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
    let lost = (1.0 - share * share) * relative;
    work.slowed.islands += 1;
    work.slowed.taken += lost;
    if let Frame::Driver { .. } = frame {
        // The driver holds the rest of the change of momentum.
        work.book.post(Account::Driver, (share - 1.0) * taken);
    }
    let left = gain - lost;
    if left > ROUND_OFF * size { left - put_back(state, work, part, left) } else { left }
}

/// Moves bodies that have no motion left to give back along their way of this step, until what they gained is gone, or they are where they
/// began; returns what that took [J]. The sweep stops what falls while its neighbours are still lifted by it, and a push-out may lift a heap whose
/// sub-steps lost what its end velocities do not show: at rest both were gains of 1e-5 of the energy that the heap had fallen with. Where forces of
/// users, springs or a medium act, the way back would be theirs, too, and nothing is moved.
fn put_back(state: &mut State, work: &mut IntegrateAccess, part: &Part, gain: f64) -> f64 {
    let members = part.members.iter().map(|&slot| slot as usize);
    let is_pushed = |slot: usize| state.force[slot] != Vec3::ZERO || state.torque[slot] != Vec3::ZERO;
    let has_forces = work.forces.applied.iter().any(|applied| part.members.binary_search(&applied.slot).is_ok());
    if has_forces || members.clone().any(is_pushed) {
        return 0.0;
    }
    let way = |slot: usize| work.displacement.free[slot].linear + work.solution.correction.free[slot].linear;
    let rise: f64 = members.clone().map(|slot| -work.bodies.numbers[slot].weight.dot(way(slot))).sum();
    if rise <= 0.0 {
        return 0.0;
    }
    let share = scalar::min(gain / rise, 1.0);
    for slot in members {
        let (numbers, back) = (&work.bodies.numbers[slot], way(slot) * share);
        let lowered = numbers.weight.dot(back);
        state.position[slot] -= back;
        work.measured.add(lowered);
        work.book.post(Account::Correction, lowered);
        work.book.widen(lowered.abs() * numbers.condition + numbers.weight_size * state.position[slot].length() / 64.0);
    }
    share * rise
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

fn frame(model: &Model, state: &State, work: &IntegrateAccess, part: &Part) -> Frame {
    let touches = |group: &u32| {
        let head = &work.problem.groups.heads[*group as usize];
        head.side.iter().any(|side| matches!(side, Side::Fixed | Side::Driven(_)))
    };
    if part.island.is_none() || part.groups.iter().any(touches) {
        return Frame::Rest;
    }
    free_frame(model, state, work, part)
}

/// The driver that an island touches, if it touches nothing else that it cannot move.
fn only_driver(work: &IntegrateAccess, part: &Part) -> Option<u32> {
    let mut driver = None;
    for &group in part.groups {
        for side in work.problem.groups.heads[group as usize].side {
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

/// True when a contact of these bodies with a driver has friction.
fn has_friction(work: &IntegrateAccess, part: &Part) -> bool {
    let groups = &work.problem.groups;
    part.groups.iter().map(|&group| &groups.heads[group as usize]).any(|head| {
        !groups.point_range(head).is_empty()
            && head.side.iter().any(|side| matches!(side, Side::Driven(_)))
            && groups.materials[head.material as usize].friction_static > 0.0
    })
}

/// The rigid motion with the momentum and the angular momentum of an island.
fn free_frame(model: &Model, state: &State, work: &IntegrateAccess, part: &Part) -> Frame {
    let slots = part.members.iter().map(|&slot| slot as usize);
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
