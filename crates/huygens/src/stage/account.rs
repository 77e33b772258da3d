//! Closes the energy book of the step.

use super::base;
use super::forces::along;
use super::{is_out, tendon_rows};
use crate::access::AccountAccess;
use crate::energy;
use crate::ledger::Account;
use crate::model::{DofModel, Model, SpringModel};
use crate::report::{MechanismReport, StepReport};
use crate::sleep::tree_sleeps;
use crate::state::{MotorRecord, State};
use crate::workspace::{Factored, TreeWork};
use huygens_contact::{DriverLoad, GroupId, RangeEnd, Work};
use huygens_dynamics::Tree;
use huygens_math::{Sum, TreeInertia, Twist, Vec3, scalar, trig};

/// A sum of normal and tangential work below this share of them is none: round-off of a step.
const NO_GAIN: f64 = 1e-9;

/// Kinetic energy of a free body [J].
pub(crate) fn kinetic_energy(model: &Model, state: &State, slot: usize) -> f64 {
    let body = &model.bodies[slot];
    let twist = state.velocity.free[slot];
    let omega = state.orientation[slot].conjugate() * twist.angular;
    0.5 * body.mass * twist.linear.length_squared() + 0.5 * omega.dot(body.inertia * omega)
}

/// What the free bodies did is in the book already: `stage::integrate` posts it where it happens.
pub(crate) fn account(model: &Model, state: &mut State, work: &mut AccountAccess, report: &mut StepReport) {
    let worst = worst_condition(model, state, work);
    displacement_of_supported(model, state, work);
    post_work(work.book, &work.problem.impact.work, worst);
    post_work(work.book, &work.solution.work, worst);
    split_by_law(work.book, model.settings.solver.is_soft());
    springs(model, state, work);
    let stored = medium_and_springs(model, state, work) + tendons(model, state, work);
    let change = measured_change(model, state, work, stored);
    work.distorted.into_iter().for_each(|account| work.book.distort(account));
    report.energy_change = change;
    let slowed = work.slowed;
    (report.guard.slowed, report.guard.taken, report.guard.slack) =
        (slowed.islands, slowed.taken, slowed.slack);
    report.unexplained = state.ledger.close(work.book, change);
    report.unexplained_bound = work.book.bound();
    drivers(model, state, work);
    motors(model, state, work);
    report.mechanisms = mechanisms(model, state, work);
}

/// How the implicit steps of the trees ended.
fn mechanisms(model: &Model, state: &State, work: &AccountAccess) -> MechanismReport {
    let moving = work.trees.iter().enumerate().filter(|(i, _)| !is_out(model, state, *i));
    moving.fold(MechanismReport::default(), |all, (_, TreeWork { kick, .. })| {
        all.with(&MechanismReport { pieces: kick.pieces, residual: kick.residual, gap: kick.gap })
    })
}

/// Books springs and dampers of tendons, whose rows the contact model has booked as motors: the damper takes h c ū², ū the mean rate; the rest
/// is the spring's, less what it stores. Returns what the springs took up [J].
fn tendons(model: &Model, state: &State, work: &mut AccountAccess) -> f64 {
    if model.tendons.is_empty() {
        return 0.0;
    }
    let (groups, h) = (work.problem.solve_groups(), model.settings.dt);
    for head in &groups.heads {
        let GroupId::JointMotor { joint } = head.key.id() else { continue };
        let Some((tendon, true)) = tendon_rows::of_number(model, joint) else { continue };
        let at = head.first as usize;
        let rate = |v| groups.rate_row(head, at, v);
        let mean = 0.5 * (rate(&work.problem.v_start) + rate(&work.solution.v));
        let (all, damper) = (work.solution.rows[at] * mean, -h * model.tendons[tendon].damping * mean * mean);
        work.book.post(Account::Actuator, -all);
        work.book.post(Account::Viscous, damper);
        work.book.post(Account::Spring, all - damper);
    }
    let mut taken = 0.0;
    let mut nth = vec![0; model.trees.len()];
    for tendon in model.tendons.iter().filter(|tendon| !is_out(model, state, tendon.tree as usize)) {
        let tree = tendon.tree as usize;
        let start = work.trees[tree].tendon_lengths.get(nth[tree]).copied();
        nth[tree] += 1;
        if let Some(start) = start {
            let end = energy::tendon_length(model, state, tendon);
            let (before, after) = (tendon.stored(start), tendon.stored(end));
            work.book.post(Account::Spring, after - before);
            work.book.widen(before + after);
            taken += after - before;
        }
    }
    taken
}

/// Work and power of the motors of joints.
fn motors(model: &Model, state: &mut State, work: &AccountAccess) {
    if model.joint_dofs.iter().all(|dof| dof.motor.is_none()) {
        return;
    }
    for (dof, record) in model.joint_dofs.iter().zip(&mut state.motors) {
        let local = (dof.dof - model.tree_offsets[dof.tree as usize].dof) as usize;
        let given = work.trees[dof.tree as usize].motor_work.get(local);
        *record = MotorRecord { work: record.work, power: given.copied().unwrap_or(0.0) };
    }
    let groups = work.problem.solve_groups();
    for head in &groups.heads {
        let GroupId::JointMotor { joint } = head.key.id() else { continue };
        let Some(dof) = model.joint_dofs.get(joint as usize) else { continue };
        let [start, end] = [&work.problem.v_start, &work.solution.v].map(|v| v.dof[dof.dof as usize]);
        state.motors[joint as usize].power += 0.5 * (start + end) * work.solution.rows[head.first as usize];
    }
    for record in &mut state.motors {
        record.work += record.power;
        record.power /= model.settings.dt;
    }
}

fn post_work(book: &mut crate::ledger::StepBook, work: &Work, condition: f64) {
    for (account, sum) in [
        (Account::Impact, &work.impact),
        (Account::Friction, &work.friction),
        (Account::Stabilisation, &work.stabilisation),
        (Account::Joint, &work.joint),
        (Account::Limit, &work.limit),
        (Account::Viscous, &work.viscous),
        (Account::Spring, &work.spring_released),
        (Account::Numerical, &work.numerical),
        (Account::Actuator, &work.actuator),
        (Account::Driver, &work.driver),
        (Account::DriverCap, &work.driver_cap),
    ] {
        book.post_sum(account, sum);
    }
    book.widen(condition * work.magnitude);
}

/// Splits the work of contacts, impacts and solve together, so that each account has the sign of its law.
///
/// | symbol | code | meaning | unit |
/// |---|---|---|---|
/// | B, A | `normal`, `tangential` | p_n·ū_n and p_t·ū_t, ū the mean of the velocities before and after | J |
/// | x | | p_t·W_tn p_n: normal impulses change the velocity along the surface, and friction that across it | J |
///
/// Only A + B is work that was done; its parts depend on the order in which the impulses act. Normals first gives friction A + x/2, and
/// that is never positive: p_t·u_t⁺ ≤ 0 by Coulomb's law, and −½p_t·W_tt p_t. Friction first gives normals B + x/2, never positive either where
/// they stop what closes. Both at once give A and B, and friction that turns round what the blow has set in motion then works with
/// the velocity of before. Of all shifts s from B to A, |s| ≤ |x|/2, the smallest is taken for which both have their sign. Should B be positive, the
/// contact has moved out with its load: displacement and speed that the correction, the bound or the turn of an uneven body took back in the same
/// step, and there it belongs. The normals of soft contacts are springs and dampers: these have the other share of the cross term.
fn split_by_law(book: &mut crate::ledger::StepBook, is_soft: bool) {
    let (mut normal, tangential) = (book.get(Account::Impact), book.get(Account::Friction));
    let mut shift = scalar::min(0.0, -tangential);
    normal -= shift;
    let dampers = is_soft.then_some(Account::Viscous);
    for account in dampers.into_iter().chain([Account::Correction, Account::Numerical, Account::Gyroscopic]) {
        let share = scalar::min(-book.get(account), normal);
        if share > 0.0 {
            book.post(account, share);
            book.post(Account::Impact, -share);
            normal -= share;
        }
    }
    if normal > 0.0 && normal + tangential <= NO_GAIN * normal {
        shift += scalar::min(normal, -tangential);
    }
    if shift != 0.0 {
        book.post(Account::Friction, shift);
        book.post(Account::Impact, -shift);
    }
}

/// Books the limits that give way. What their springs store is measured at both ends of the step, k of the start; what an implicit
/// spring gave beyond that is numerical.
fn springs(model: &Model, state: &State, work: &mut AccountAccess) {
    if !model.joint_dofs.iter().any(DofModel::is_soft) {
        return;
    }
    let problem = work.problem;
    let groups = problem.solve_groups();
    let mut stored = Sum::default();
    for head in groups.heads.iter().filter(|head| head.is_soft) {
        let GroupId::JointLimit { joint, end } = head.key.id() else { continue };
        let joint = &model.joint_dofs[joint as usize];
        let Some([low, high]) = joint.range else { continue };
        let q = state.coordinates[joint.coordinate as usize];
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
/// Loops and couplings of a tree push while it flies, too: without support the difference is their work.
fn displacement_of_supported(model: &Model, state: &State, work: &mut AccountAccess) {
    let supported = work.problem.impact.any_supported;
    let has_loops = model.trees.iter().any(|tree| !tree.equalities().is_empty());
    if !(supported || has_loops) || work.problem.impact.impacts == 0 {
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
    for applied in &work.forces.applied {
        let d = work.problem.impact.displacement.free[applied.slot as usize];
        let term = along(&applied.total(), &d);
        sum.add(-term);
        work.book.widen(term.abs());
    }
    for (i, block) in work.problem.inertia.trees.iter().enumerate().filter(|(i, _)| !is_out(model, state, *i))
    {
        let kick = &work.trees[i].kick;
        let d = &work.problem.impact.displacement.dof[block.first_dof as usize..];
        for (((d, f), user), (damping, spring)) in
            d.iter().zip(&kick.smooth).zip(&kick.user).zip(kick.damping.iter().zip(&kick.spring))
        {
            sum.add(-d * (f + user + damping + spring));
        }
        let drives = if work.trees[i].drives.is_empty() { &[][..] } else { &kick.drive };
        d.iter().zip(drives).for_each(|(d, drive)| sum.add(-d * drive));
    }
    work.book.post_sum(if supported { Account::Correction } else { Account::Joint }, &sum);
}

/// Books the medium, damping and springs; returns the change of the energy that springs hold [J].
///
/// A kick by the force F does h F·(v + v⁺)/2 of work, and F·d along the displacement d of impacts inside the step. Of a spring that is
/// `spring`'s share: the change of what it holds plus its work, the integrator's own defect. What a driven end took of the work, its driver
/// gave.
fn medium_and_springs(model: &Model, state: &mut State, work: &mut AccountAccess) -> f64 {
    if model.forces.is_empty() {
        return 0.0;
    }
    let mut defect = Sum::default();
    for applied in &work.forces.applied {
        let slot = applied.slot as usize;
        let mean = (work.problem.v_start.free[slot] + work.solution.v.free[slot]) * 0.5;
        let path = mean * model.settings.dt + work.problem.impact.displacement.free[slot];
        work.book.post(Account::Medium, along(&applied.medium, &path));
        work.book.post(Account::Viscous, along(&applied.viscous, &path));
        let spring = along(&applied.spring, &path);
        defect.add(spring);
        // Parts of a force may cancel in their sum, and in each product.
        let parts = [&applied.medium, &applied.viscous, &applied.spring];
        let size = |wrench: &Twist| {
            wrench.linear.abs().dot(path.linear.abs()) + wrench.angular.abs().dot(path.angular.abs())
        };
        work.book.widen(model.bodies[slot].condition * parts.into_iter().map(size).sum::<f64>());
    }
    let mut stored = Sum::default();
    let springs = model.forces.springs.iter().zip(&work.forces.springs);
    for (spring, entry) in springs {
        if spring.is_idle(state) {
            continue;
        }
        let end = spring.distance(state);
        let drifted =
            distance_without_correction(spring, state, &work.solution.correction.free).unwrap_or(end);
        let (drift, correction) =
            (spring.law.stored_change(entry.start, drifted), spring.law.stored_change(drifted, end));
        stored.add(drift);
        stored.add(correction);
        defect.add(drift);
        work.book.post(Account::Correction, correction);
        let [push, damping] = entry.on_drivers;
        defect.add(push);
        work.book.post(Account::Viscous, damping);
        work.book.post(Account::Driver, -(push + damping));
        for (k, end) in spring.ends.iter().enumerate() {
            let driver = end.body.and_then(|slot| model.bodies[slot as usize].driver);
            if let Some(driver) = driver.filter(|_| end.at.is_none()) {
                let (record, force) = (&mut state.drivers[driver as usize], entry.force_on(k));
                record.work -= entry.on_end[k];
                record.peak_force = scalar::max(record.peak_force, force.linear.length());
                record.peak_torque = scalar::max(record.peak_torque, force.angular.length());
            }
        }
    }
    work.book.post_sum(Account::Spring, &defect);
    stored.value()
}

/// Distance of the ends of a spring as it would be without the correction of positions; `None` when there was none.
fn distance_without_correction(spring: &SpringModel, state: &State, correction: &[Twist]) -> Option<f64> {
    let mut corrected = false;
    let places = spring.ends.map(|end| {
        let Some(slot) = end.body.map(|slot| slot as usize) else { return end.anchor };
        let Twist { linear, angular } = correction[slot];
        corrected |= end.at.is_some() && correction[slot] != Twist::ZERO;
        if end.at.is_none() {
            return state.position[slot] + state.orientation[slot] * end.anchor;
        }
        let orientation = trig::rotation_vector(-angular) * state.orientation[slot];
        state.position[slot] - linear + orientation * end.anchor
    });
    corrected.then(|| (places[0] - places[1]).length())
}

/// Change of kinetic and potential energy in this step, measured on the state; `stored` is that of springs.
fn measured_change(model: &Model, state: &State, work: &mut AccountAccess, stored: f64) -> f64 {
    let mut change = work.measured;
    change.add(stored);
    change.add(-work.taken_out.value());
    let trees = model.trees.iter().zip(work.trees).zip(&work.problem.inertia.trees).enumerate();
    for (i, ((tree, tree_work), block)) in trees.filter(|(i, _)| !is_out(model, state, *i)) {
        let after = tree_energy(model, state, i);
        change.add(after);
        change.add(-tree_work.kinetic);
        let [held, holds] = tree_work.held;
        change.add(holds);
        change.add(-held);
        work.book.widen(held + holds);
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

/// Kinetic energy of a tree, measured on the twists of its bodies, and of its drives [J].
fn tree_energy(model: &Model, state: &State, i: usize) -> f64 {
    let (tree, v) = (&model.trees[i], &state.velocity.dof[model.dofs_of(i)]);
    let bodies = model.tree_bodies[i].iter().map(|&body| kinetic_energy(model, state, body as usize));
    let drives = tree.armature().iter().zip(v).map(|(armature, v)| 0.5 * armature * v * v);
    bodies.sum::<f64>() + drives.sum::<f64>()
}

/// The largest growth of round-off of anything that an impulse can move.
fn worst_condition(model: &Model, state: &State, work: &AccountAccess) -> f64 {
    let trees = work.problem.inertia.trees.iter().zip(work.trees.iter()).enumerate();
    let awake = trees.filter(|(i, _)| !tree_sleeps(model, state, *i));
    let trees = awake.map(|(_, (block, tree))| match tree.factored {
        Factored::No => tree.kick.spread(),
        Factored::Yes | Factored::Singular => condition(block),
    });
    trees.fold(work.bodies.worst_condition(), scalar::max)
}

/// Spread of the pivots of a tree's inertia: how much round-off grows in its energy.
pub(super) fn condition(block: &TreeInertia) -> f64 {
    let (low, high) = block
        .ldl
        .pivots()
        .fold((f64::INFINITY, 0.0), |(low, high), pivot| (scalar::min(low, pivot), scalar::max(high, pivot)));
    if low > 0.0 { high / low } else { 1.0 }
}

fn drivers(model: &Model, state: &mut State, work: &AccountAccess) {
    let h = model.settings.dt;
    // Of drivers that carry trees: all trees together.
    let of_trees = |i: usize| {
        let mut sum = DriverLoad::default();
        base::add_loads(model, work.trees, |driver, load| {
            if driver == i {
                sum.work += load.work;
                sum.impulse += load.impulse;
                sum.torque_impulse += load.torque_impulse;
            }
        });
        sum
    };
    let carries = model.trees.iter().any(Tree::has_prescribed);
    for (i, record) in state.drivers.iter_mut().enumerate() {
        let carried = if carries { of_trees(i) } else { DriverLoad::default() };
        let (a, b) = (work.problem.impact.drivers.get(i), work.solution.drivers.get(i));
        let mut impulse = Vec3::ZERO;
        let mut turn = Vec3::ZERO;
        for load in [a, b, Some(&carried)].into_iter().flatten() {
            record.work += load.work;
            impulse += load.impulse;
            turn += load.torque_impulse;
        }
        record.peak_force = scalar::max(record.peak_force, impulse.length() / h);
        record.peak_torque = scalar::max(record.peak_torque, turn.length() / h);
    }
}
