//! Which bodies lie still, and which islands fall asleep.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | L, g | | `world.length`, size of gravity | m, m/s² |
//! | r | `reach` | farthest point of a body from its centre of mass | m |
//! | W | `window` | 0.8 √(max(L, r)/g): a body of that size that begins to tip moves twice as far in each window as in the one before | s |
//!
//! A body is slow below 0.01 √(g L), for every point of it. It may sleep when it was slow through two windows, no point of it came farther than
//! 1e-4 L from where it was at the start of either, and not visibly farther in the second than in the first: what begins to tip, or swings round
//! a turning point, moves more and more. An island sleeps when all of its bodies may, and no driver works on it. Without gravity there is no scale
//! for what is slow, and nothing falls asleep by itself.

use crate::access::RestAccess;
use crate::edit_log::Since;
use crate::event::Event;
use crate::ledger::{Account, StepBook};
use crate::model::Model;
use crate::report::{Stage, StepReport};
use crate::sleep::{Blocked, Stillness, fall_asleep, is_moving_driver, moves};
use crate::state::State;
use crate::workspace::{ProblemData, Workspace};
use huygens_contact::{GuardReport, RevisedGroups, SolveReport};
use huygens_math::{Pose, scalar};

/// Speed below which a body is slow, in √(g L).
const SLOW: f64 = 0.01;
/// Length of a window, in √(max(L, r)/g).
const WINDOW: f64 = 0.8;
/// Farthest that a point of a body may come in a window, in L.
const DRIFT: f64 = 1e-4;
/// How much farther than in the window before.
const GROWTH: f64 = 1.5;
/// Distance below which that does not matter, in L: jitter of a solve that stops early.
const JITTER: f64 = 1e-7;

/// Tells what woke, and puts to sleep what lies still.
pub(crate) fn rest(model: &Model, state: &mut State, work: &mut RestAccess, report: &mut StepReport) {
    // Contacts of what falls asleep now are among those of the step.
    report.contacts += state.sleep.loaded as usize;
    if model.settings.sleep {
        fall(model, state, work, report);
    }
    tell(state, work);
}

/// Says in the events what woke and what fell asleep, in the order of the bodies.
pub(super) fn tell(state: &mut State, work: &mut RestAccess) {
    if !state.sleep.told.is_empty() {
        state.sleep.told.sort_unstable_by_key(|event| (event.bodies[0].slot, event.kind));
        work.events.append(&mut state.sleep.told);
    }
}

/// The whole step of a world in which all that can move sleeps and no driver moves: time goes on. False, and nothing done, in any other.
pub(crate) fn pass(model: &Model, state: &mut State, work: &mut Workspace, report: &mut StepReport) -> bool {
    if state.sleep.is_empty() || !all_sleep(model, state, work) {
        return false;
    }
    let mut drivers = model.drivers.iter().filter_map(|driver| driver.body);
    if drivers.any(|slot| is_moving_driver(model, state, slot as usize)) {
        return false;
    }
    work.book.clear();
    work.events.clear();
    work.events.append(&mut state.ended);
    work.events.sort_unstable_by_key(Event::order);
    if !work.problem.groups.heads.is_empty() {
        let ProblemData { groups, impact, graph, inertia, .. } = &mut work.problem;
        groups.clear();
        impact.revised = RevisedGroups::default();
        graph.build(groups, inertia);
    }
    (report.solve, report.island_solves, report.sweep_energy) = (SolveReport::default(), 0, 0.0);
    (report.impacts, report.least_restitution_share) = (0, 1.0);
    report.guard = GuardReport::default();
    report.guard.slack = f64::INFINITY;
    (report.contacts, report.max_penetration) = (state.sleep.loaded as usize, 0.0);
    (report.energy_change, report.unexplained_bound) = (0.0, 0.0);
    report.unexplained = state.ledger.close(&work.book, 0.0);
    tell(state, &mut work.for_rest());
    state.time = state.time_after(1, model.settings.dt);
    state.steps += 1;
    report.lap(Stage::Kinematics);
    true
}

/// True when all that can move sleeps. Whoever was found awake is looked at first, and after an edit who was edited: the others are looked at when these
/// do not tell.
fn all_sleep(model: &Model, state: &State, work: &mut Workspace) -> bool {
    let from = [model.edits.count(), state.sleep.changes];
    let is_awake = |slot: usize| moves(model, slot) && !state.sleep.has(slot);
    let mut awake = None;
    let is_known = match work.all_sleep {
        Some((known, before)) if known == from => return before.is_none(),
        Some((_, Some(slot))) if (slot as usize) < model.bodies.len() && is_awake(slot as usize) => {
            awake = Some(slot);
            true
        }
        Some((known, None)) if known[1] == from[1] => match model.edits.since(Some(known[0])) {
            Since::All => false,
            edits @ Since::These(_) => {
                awake = edits.bodies().find(|slot| is_awake(*slot)).map(|slot| slot as u32);
                true
            }
        },
        _ => false,
    };
    if !is_known {
        awake = (0..model.bodies.len()).find(|slot| is_awake(*slot)).map(|slot| slot as u32);
    }
    work.all_sleep = Some((from, awake));
    awake.is_none()
}

fn fall(model: &Model, state: &mut State, work: &mut RestAccess, report: &mut StepReport) {
    if !watch(model, state, work) {
        return;
    }
    work.groups.find(model, state, Blocked::ByDrivers);
    for &slot in &work.bodies.awake {
        if !state.sleep.stillness[slot as usize].rests && !state.quarantined[slot as usize] {
            work.groups.mark(slot as usize);
        }
    }
    for shape in work.meet.shapes_of_changes().flatten() {
        work.groups.mark(model.shapes[shape as usize].body as usize);
    }
    let bodies = work.bodies.awake.iter().map(|&slot| slot as usize);
    let sleepers = state.sleep.sleepers;
    let taken = fall_asleep(model, state, work.groups, bodies, |groups, slot| !groups.is_restless(slot));
    if state.sleep.sleepers == sleepers {
        return;
    }
    state.store_sleepers(model, work.spare);
    let mut book = StepBook::default();
    book.post(Account::Numerical, -taken);
    state.ledger.close(&book, -taken);
    work.book.post(Account::Numerical, -taken);
    report.energy_change -= taken;
}

/// Looks how still each body lies; true when one of them may sleep.
fn watch(model: &Model, state: &mut State, work: &RestAccess) -> bool {
    let (length, g) = (model.settings.length, model.settings.gravity.length());
    if g <= 0.0 {
        return false;
    }
    let (slow, dt) = (SLOW * (g * length).sqrt(), model.settings.dt);
    let mut any = false;
    for &slot in &work.bodies.awake {
        let slot = slot as usize;
        let (twist, reach) = (&state.velocity.free[slot], work.body_rows[slot].reach);
        let stillness = &mut state.sleep.stillness[slot];
        let speed = twist.linear.length() + twist.angular.length() * reach;
        // Not for NaN.
        let is_slow = speed < slow;
        if !is_slow {
            *stillness = Stillness::default();
            continue;
        }
        let pose = Pose::new(state.orientation[slot], state.position[slot]);
        if stillness.time == 0.0 && stillness.before.is_infinite() {
            stillness.anchor = pose;
        }
        stillness.time += dt;
        let turn = pose.rotation * stillness.anchor.rotation.conjugate();
        // The vector part is sin(δ/2) long, and a chord 2 sin(δ/2) radii.
        let chord = 2.0 * (turn.x * turn.x + turn.y * turn.y + turn.z * turn.z).sqrt() * reach;
        let drift = (pose.translation - stillness.anchor.translation).length() + chord;
        stillness.drift = scalar::max(stillness.drift, drift);
        if stillness.drift > DRIFT * length {
            *stillness = Stillness::default();
            continue;
        }
        if stillness.time >= WINDOW * (scalar::max(length, reach) / g).sqrt() {
            let (drift, before) = (stillness.drift, stillness.before);
            let is_steady = drift <= scalar::max(GROWTH * before, JITTER * length);
            let rests = before < f64::INFINITY && is_steady;
            *stillness = Stillness { anchor: pose, time: 0.0, drift: 0.0, before: drift, rests };
        }
        any |= stillness.rests;
    }
    any
}
