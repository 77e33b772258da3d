//! Closes the energy book of the step, and keeps what the next step needs.

use super::is_out;
use crate::event::{Event, EventKind};
use crate::ledger::Account;
use crate::model::{Model, Motion};
use crate::report::StepReport;
use crate::state::{ContactMemory, State};
use crate::workspace::Workspace;
use huygens_contact::{Law, Work};
use huygens_dynamics::Integrator;
use huygens_math::{Sum, TreeInertia, Twist, Vec3, scalar};

/// Kinetic energy of a free body [J].
pub(crate) fn kinetic_energy(model: &Model, state: &State, slot: usize) -> f64 {
    let body = &model.bodies[slot];
    let twist = state.velocity.free[slot];
    let omega = state.orientation[slot].conjugate() * twist.angular;
    0.5 * body.mass * twist.linear.length_squared() + 0.5 * omega.dot(body.inertia * omega)
}

pub(crate) fn account(model: &Model, state: &mut State, work: &mut Workspace, report: &mut StepReport) {
    forces(model, state, work);
    let worst = worst_condition(model, work);
    post_work(&mut work.book, &work.impact.work, worst);
    post_work(&mut work.book, &work.solution.work, worst);
    corrections(model, work);
    held_displacement(model, state, work);
    let change = measured_change(model, state, work);
    report.energy_change = change;
    report.unexplained = state.ledger.close(&work.book, change);
    report.unexplained_bound = work.book.bound();
    if model.settings.contact.guard {
        state.bank.clone_from(&work.bank);
    }
    drivers(model, state, work);
    remember(state, work, report);
    events(model, state, work);
}

/// Gravity and user forces, by the displacement that they acted along.
///
/// The kick does h f·(v + v⁺)/2 of work. An impulse at time τ inside the step displaces the body by −τM⁻¹Jᵀp, and the
/// force works along that too: it is what the impact stage left out by booking at the velocity of the impact.
fn forces(model: &Model, state: &State, work: &mut Workspace) {
    let h = model.settings.dt;
    for (slot, body) in model.bodies.iter().enumerate() {
        if body.motion != Motion::Dynamic || body.removed || state.quarantined[slot] {
            continue;
        }
        let mean = (work.v_start.free[slot] + work.solution.v.free[slot]) * 0.5;
        let impact = work.impact.displacement.free[slot];
        if model.settings.integrator == Integrator::SymplecticEuler {
            let weight = model.settings.gravity * (body.mass * body.gravity_scale);
            let defect = mean.linear * h - work.solution.v.free[slot].linear * h;
            work.book.post(Account::Gravity, weight.dot(defect));
        }
        let (force, torque) = (state.force[slot], state.torque[slot]);
        if force != Vec3::ZERO || torque != Vec3::ZERO {
            let path = Twist::new(mean.linear * h + impact.linear, mean.angular * h + impact.angular);
            work.book.post(Account::User, force.dot(path.linear) + torque.dot(path.angular));
        }
    }
}

fn post_work(book: &mut crate::ledger::StepBook, work: &Work, condition: f64) {
    for (account, sum) in [
        (Account::Impact, &work.impact),
        (Account::Friction, &work.friction),
        (Account::Stabilisation, &work.stabilisation),
        (Account::Joint, &work.joint),
        (Account::Limit, &work.limit),
        (Account::Actuator, &work.actuator),
        (Account::Driver, &work.driver),
    ] {
        book.post_sum(account, sum);
    }
    book.widen(condition * work.magnitude);
}

/// Potential energy that the correction's displacement brought.
fn corrections(model: &Model, work: &mut Workspace) {
    for (slot, body) in model.bodies.iter().enumerate() {
        let c = work.solution.correction.free[slot].linear;
        if body.motion == Motion::Dynamic && c != Vec3::ZERO {
            // Nothing moves removed and quarantined bodies: their correction is zero.
            let weight = model.settings.gravity * (body.mass * body.gravity_scale);
            work.book.post(Account::Correction, -weight.dot(c));
        }
    }
}

/// What an impact inside the step did to bodies that something holds.
///
/// The kinetic energy of the start velocity changes by the impact's work plus `time_shift` = Σ −τ p·J a, and the forces F work
/// F·d along its displacement d = −τM⁻¹Jᵀp. In free flight, a = M⁻¹F, the two are the same. What is held has a = 0 in its
/// impacts, and its displacement is a correction of its own.
fn held_displacement(model: &Model, state: &State, work: &mut Workspace) {
    if !work.impact.held || work.impact.impacts == 0 {
        return;
    }
    let mut sum = work.impact.time_shift;
    for (slot, body) in model.bodies.iter().enumerate() {
        let d = work.impact.displacement.free[slot];
        if d != Twist::ZERO {
            let force = model.settings.gravity * (body.mass * body.gravity_scale) + state.force[slot];
            let along = [force.dot(d.linear), state.torque[slot].dot(d.angular)];
            along.into_iter().for_each(|term| sum.add(-term));
            work.book.widen(body.condition * (along[0].abs() + along[1].abs()));
        }
    }
    for (i, block) in work.inertia.trees.iter().enumerate().filter(|(i, _)| !is_out(model, state, *i)) {
        let kick = &work.trees[i].kick;
        let d = &work.impact.displacement.dof[block.first_dof as usize..];
        for (((d, f), user), damping) in d.iter().zip(&kick.smooth).zip(&kick.user).zip(&kick.damping) {
            sum.add(-d * (f + user + damping));
        }
    }
    work.book.post_sum(Account::Correction, &sum);
}

/// Change of kinetic and potential energy in this step, measured on the state.
fn measured_change(model: &Model, state: &State, work: &mut Workspace) -> f64 {
    let mut change = Sum::default();
    change.add(-work.taken_out.value());
    for (slot, body) in model.bodies.iter().enumerate() {
        if body.motion != Motion::Dynamic || body.removed || state.quarantined[slot] {
            continue;
        }
        let weight = model.settings.gravity * (body.mass * body.gravity_scale);
        let fall = state.position[slot] - work.position_start[slot];
        let (before, after) = (work.kinetic[slot], kinetic_energy(model, state, slot));
        let potential = -weight.dot(fall);
        change.add(after);
        change.add(-before);
        change.add(potential);
        work.book.widen(body.condition * (before + after + potential.abs()));
        // A position far from the origin is rounded by half a bit of its own size, and its weight falls that far.
        work.book.widen(weight.length() * state.position[slot].length() / 64.0);
    }
    let trees = model.trees.iter().zip(&work.trees).zip(&work.inertia.trees).enumerate();
    for (_, ((tree, tree_work), block)) in trees.filter(|(i, _)| !is_out(model, state, *i)) {
        let after = huygens_dynamics::kinetic_energy(tree, &tree_work.end);
        change.add(after);
        change.add(-tree_work.kinetic);
        for ((link, to), from) in tree.links().iter().zip(&tree_work.end.com).zip(&tree_work.kick.start.com) {
            let weight = model.settings.gravity * (link.mass * link.gravity_scale);
            let potential = -weight.dot(*to - *from);
            change.add(potential);
            work.book.widen(potential.abs() + weight.length() * to.length() / 64.0);
        }
        work.book.widen(condition(block) * (after + tree_work.kinetic));
    }
    change.value()
}

/// The largest growth of round-off of anything that an impulse can move.
fn worst_condition(model: &Model, work: &Workspace) -> f64 {
    let bodies = model.bodies.iter().filter(|body| !body.removed).map(|body| body.condition);
    let trees = work.inertia.trees.iter().map(condition);
    bodies.chain(trees).fold(1.0, scalar::max)
}

/// Spread of the pivots of a tree's inertia: how much round-off grows in its energy.
fn condition(block: &TreeInertia) -> f64 {
    let (low, high) = block
        .ldl
        .pivots()
        .fold((f64::INFINITY, 0.0), |(low, high), pivot| (scalar::min(low, pivot), scalar::max(high, pivot)));
    if low > 0.0 { high / low } else { 1.0 }
}

fn drivers(model: &Model, state: &mut State, work: &Workspace) {
    let h = model.settings.dt;
    for (i, record) in state.drivers.iter_mut().enumerate() {
        let (a, b) = (work.impact.drivers.get(i), work.solution.drivers.get(i));
        let mut impulse = Vec3::ZERO;
        let mut turn = Vec3::ZERO;
        for load in [a, b].into_iter().flatten() {
            record.work += load.work;
            impulse += load.impulse;
            turn += load.torque_impulse;
        }
        record.peak_force = scalar::max(record.peak_force, impulse.length() / h);
        record.peak_torque = scalar::max(record.peak_torque, turn.length() / h);
    }
}

/// Keeps manifolds and impulses for the next step.
fn remember(state: &mut State, work: &Workspace, report: &mut StepReport) {
    state.contacts.clear();
    report.contacts = 0;
    report.max_penetration = 0.0;
    state.row_impulses.clear();
    for head in work.groups.heads.iter().filter(|head| head.law != Law::Contact) {
        state.row_impulses.extend(head.range().map(|i| (head.key, work.solution.rows[i])));
    }
    let contacts = work.groups.heads.iter().filter(|head| head.law == Law::Contact);
    for (head, &found) in contacts.zip(&work.head_found) {
        let mut impulses = [Vec3::ZERO; 4];
        for (slot, i) in impulses.iter_mut().zip(head.range()) {
            let impulse = work.solution.impulses[i];
            *slot = head.to_world(impulse);
            let gap = work.groups.points[i].gap;
            report.max_penetration = scalar::max(report.max_penetration, -gap);
            report.contacts += usize::from(gap <= 0.0 || impulse[0] > 0.0);
        }
        let manifold = work.found[found as usize].manifold;
        state.contacts.push(ContactMemory { key: head.key, manifold, impulses });
    }
}

/// Which pairs began and ceased to touch. A pair touches when it overlaps at the start of the step, or when an impulse acts
/// between its shapes: a ball that bounces inside a step never overlaps. It stays so until it is farther apart than the
/// contact margin: a resting body does not begin to touch in every step.
fn events(model: &Model, state: &mut State, work: &mut Workspace) {
    work.touching.clear();
    work.events.clear();
    let is_out = |shape: u32| state.quarantined[model.shapes[shape as usize].body as usize];
    let mut heads = work.groups.heads.iter().zip(&work.head_found).peekable();
    for (i, found) in work.found.iter().enumerate() {
        let head = heads.next_if(|(_, at)| **at as usize == i).map(|(head, _)| head);
        if is_out(found.key.a) || is_out(found.key.b) {
            continue;
        }
        let pair = [found.key.a, found.key.b];
        let (impacts, solved) = (&work.impact.impulses, &work.solution.impulses);
        let pressed = || head.is_some_and(|h| h.range().any(|p| impacts[p][0] > 0.0 || solved[p][0] > 0.0));
        let near = || found.gap <= found.margin && state.touching.binary_search(&pair).is_ok();
        if work.touching.last() != Some(&pair) && (found.gap <= 0.0 || near() || pressed()) {
            work.touching.push(pair);
        }
    }
    let event = |kind, shapes| Event::between(kind, shapes, model, &state.generation);
    let (mut old, mut new) = (state.touching.as_slice(), work.touching.as_slice());
    while let Some(&pair) = [old.first(), new.first()].into_iter().flatten().min() {
        match (old.first() == Some(&pair), new.first() == Some(&pair)) {
            (true, false) => work.events.push(event(EventKind::End, pair)),
            (false, true) => work.events.push(event(EventKind::Begin, pair)),
            _ => {}
        }
        old = if old.first() == Some(&pair) { &old[1..] } else { old };
        new = if new.first() == Some(&pair) { &new[1..] } else { new };
    }
    if !state.ended.is_empty() {
        work.events.append(&mut state.ended);
        work.events.sort_unstable_by_key(|event| (event.shapes, event.kind));
    }
    std::mem::swap(&mut state.touching, &mut work.touching);
}
