//! Closes the energy book of the step.

use super::is_out;
use crate::access::AccountAccess;
use crate::ledger::Account;
use crate::model::{JointModel, Model};
use crate::report::StepReport;
use crate::state::State;
use huygens_contact::{GroupId, RangeEnd, Work};
use huygens_math::{Sum, TreeInertia, Twist, Vec3, scalar};

/// Kinetic energy of a free body [J].
pub(crate) fn kinetic_energy(model: &Model, state: &State, slot: usize) -> f64 {
    let body = &model.bodies[slot];
    let twist = state.velocity.free[slot];
    let omega = state.orientation[slot].conjugate() * twist.angular;
    0.5 * body.mass * twist.linear.length_squared() + 0.5 * omega.dot(body.inertia * omega)
}

/// What the free bodies did is in the book already: `stage::integrate` posts it where it happens.
pub(crate) fn account(model: &Model, state: &mut State, work: &mut AccountAccess, report: &mut StepReport) {
    let worst = worst_condition(work);
    post_work(work.book, &work.problem.impact.work, worst);
    post_work(work.book, &work.solution.work, worst);
    springs(model, state, work);
    displacement_of_supported(model, state, work);
    let change = measured_change(model, state, work);
    work.distorted.into_iter().for_each(|account| work.book.distort(account));
    report.energy_change = change;
    (report.guard.slowed, report.guard.taken) = work.slowed;
    report.unexplained = state.ledger.close(work.book, change);
    report.unexplained_bound = work.book.bound();
    drivers(model, state, work);
}

fn post_work(book: &mut crate::ledger::StepBook, work: &Work, condition: f64) {
    for (account, sum) in [
        (Account::Impact, &work.impact),
        (Account::Friction, &work.friction),
        (Account::Stabilisation, &work.stabilisation),
        (Account::Joint, &work.joint),
        (Account::Limit, &work.limit),
        (Account::Viscous, &work.viscous),
        (Account::Actuator, &work.actuator),
        (Account::Driver, &work.driver),
        (Account::DriverCap, &work.driver_cap),
    ] {
        book.post_sum(account, sum);
    }
    book.widen(condition * work.magnitude);
}

/// Books the limits that give way. What their springs store is measured at both ends of the step, k of the start; what an implicit
/// spring gave beyond that is numerical.
fn springs(model: &Model, state: &State, work: &mut AccountAccess) {
    if !model.joints.iter().any(JointModel::is_soft) {
        return;
    }
    let problem = work.problem;
    let groups = problem.solve_groups();
    let mut stored = Sum::default();
    for head in groups.heads.iter().filter(|head| head.is_soft) {
        let GroupId::JointLimit { joint, end } = head.key.id() else { continue };
        let joint = &model.joints[joint as usize];
        let Some([low, high]) = joint.range else { continue };
        let q = state.coordinates[joint.first_coordinate as usize];
        let gap = if end == RangeEnd::Low { q - low } else { high - q };
        let energy =
            |gap: f64| 0.5 * groups.stiffness(&problem.inertia, head) * scalar::square(scalar::min(gap, 0.0));
        let (before, after) = (energy(groups.rows[head.first as usize].error), energy(gap));
        stored.add(after);
        stored.add(-before);
        work.book.widen(before + after);
    }
    work.book.post(Account::Spring, -stored.value());
    work.book.post_sum(Account::Numerical, &work.solution.work.spring);
    work.book.post(Account::Numerical, stored.value());
}

/// Books the displacement of impacts of bodies that something supports.
///
/// The kinetic energy of the start velocity changes by the impact's work plus `time_shift` = Σ −τ p·J a, and the forces F work
/// F·d along its displacement d = −τM⁻¹Jᵀp. In free flight, a = M⁻¹F, the two are the same. What is supported has a = 0 in its
/// impacts, and its displacement is a correction of its own.
fn displacement_of_supported(model: &Model, state: &State, work: &mut AccountAccess) {
    if !work.problem.impact.any_supported || work.problem.impact.impacts == 0 {
        return;
    }
    let mut sum = work.problem.impact.time_shift;
    for (slot, body) in model.bodies.iter().enumerate() {
        let d = work.problem.impact.displacement.free[slot];
        if d != Twist::ZERO {
            let force = model.settings.gravity * (body.mass * body.gravity_scale) + state.force[slot];
            let along = [force.dot(d.linear), state.torque[slot].dot(d.angular)];
            along.into_iter().for_each(|term| sum.add(-term));
            work.book.widen(body.condition * (along[0].abs() + along[1].abs()));
        }
    }
    for (i, block) in work.problem.inertia.trees.iter().enumerate().filter(|(i, _)| !is_out(model, state, *i))
    {
        let kick = &work.trees[i].kick;
        let d = &work.problem.impact.displacement.dof[block.first_dof as usize..];
        for (((d, f), user), damping) in d.iter().zip(&kick.smooth).zip(&kick.user).zip(&kick.damping) {
            sum.add(-d * (f + user + damping));
        }
    }
    work.book.post_sum(Account::Correction, &sum);
}

/// Change of kinetic and potential energy in this step, measured on the state.
fn measured_change(model: &Model, state: &State, work: &mut AccountAccess) -> f64 {
    let mut change = work.measured;
    change.add(-work.taken_out.value());
    let trees = model.trees.iter().zip(work.trees).zip(&work.problem.inertia.trees).enumerate();
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
fn worst_condition(work: &AccountAccess) -> f64 {
    work.problem.inertia.trees.iter().map(condition).fold(work.bodies.worst_condition, scalar::max)
}

/// Spread of the pivots of a tree's inertia: how much round-off grows in its energy.
fn condition(block: &TreeInertia) -> f64 {
    let (low, high) = block
        .ldl
        .pivots()
        .fold((f64::INFINITY, 0.0), |(low, high), pivot| (scalar::min(low, pivot), scalar::max(high, pivot)));
    if low > 0.0 { high / low } else { 1.0 }
}

fn drivers(model: &Model, state: &mut State, work: &AccountAccess) {
    let h = model.settings.dt;
    for (i, record) in state.drivers.iter_mut().enumerate() {
        let (a, b) = (work.problem.impact.drivers.get(i), work.solution.drivers.get(i));
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
