//! Books the work of a solve, from its total impulses and end velocities alone.
//!
//! T(v⁺) − T(v_start) = (M(v⁺ − v_start))·v̄ with v̄ = (v_start + v⁺)/2, exactly. With M(v⁺ − v_start) = h f + Jᵀp the
//! rows' share is p·J v̄ = p·ū + p·u_d, where ū is relative to the drivers: contact accounts plus driver account, whatever
//! the number of sweeps, the order, the warm start. A target with a stabilising part b splits ½pb off.

use crate::entry::{BlockRows, Entry, couple_of, push_of};
use crate::transport::{Directions, RowEnd};
use crate::{
    ContactProblem, DriverLoad, GroupId, Groups, Head, Law, NO_COUPLE, Recovery, Scratch, Side, Solution,
    Work,
};
use huygens_math::{Sum, Twist, Vec3};

impl Work {
    #[inline(always)]
    fn magnify(&mut self, term: f64) {
        self.magnitude += term.abs();
    }
}

/// Fills work (but its increments) and driver loads from impulses and end velocity.
pub(crate) fn account(problem: &ContactProblem, scratch: &Scratch, out: &mut Solution) {
    let groups = problem.groups;
    out.work = Work::default();
    reset_drivers(groups, &mut out.drivers);
    for entry in groups.heads.iter().flat_map(|head| groups.entries(head)) {
        let p = entry.impulse(out.all());
        if p != [0.0; 6] {
            let (before, after) = (entry.relative(problem.v_start), entry.relative(&out.v));
            if let Some(spring) = entry.spring(problem.move_inertia) {
                let u = entry.first_at_end(&out.v) - entry.row_target();
                let damper = spring.damper(problem.h, entry.error(), entry.head.law, u);
                book_spring(&mut out.work, &entry, &p, &before, &after, damper);
            } else {
                book(&mut out.work, &entry, &p, &before, &after, scratch.prepared().target(&entry).bias);
            }
            load(groups, &entry, &p, 0.5 * (before[0] + after[0]), &mut out.work, &mut out.drivers);
        }
    }
}

/// Books that the impulses of an island of rigid groups are about to be multiplied by `scale`, and its velocities with them.
pub(crate) fn scale_island(problem: &ContactProblem, island: usize, scale: f64, out: &mut Solution) {
    let groups = problem.groups;
    let heads = problem.graph.groups(island).iter().map(|&group| &groups.heads[group as usize]);
    let is_still = groups.driven.is_empty() && groups.surface_velocities.is_empty();
    for head in heads.clone().filter(|head| is_still && is_plain(groups, head)) {
        scale_contact(problem, head, scale, out);
    }
    let others = heads.filter(|head| !(is_still && is_plain(groups, head)));
    for entry in others.flat_map(|head| groups.entries(head)) {
        let p = entry.impulse(out.all());
        if p == [0.0; 6] {
            continue;
        }
        let [start, free, end] = [problem.v_start, problem.v_free, &out.v].map(|v| entry.relative(v));
        let at_end =
            if groups.surface_velocities.is_empty() { free } else { entry.relative_at_end(problem.v_free) };
        let scaled: BlockRows = std::array::from_fn(|k| free[k] + (end[k] - free[k]) * scale);
        let bias = entry.bias(problem);
        for (p, end) in [(p.map(|p| -p), &end), (p.map(|p| p * scale), &scaled)] {
            book(&mut out.work, &entry, &p, &start, end, bias);
            if !groups.driven.is_empty() {
                load(groups, &entry, &p, 0.5 * (start[0] + end[0]), &mut out.work, &mut out.drivers);
            }
            for k in 0..entry.len() {
                out.work.increments.add(0.5 * p[k] * (2.0 * at_end[k] + end[k] - free[k]));
            }
        }
    }
}

/// True for a contact of bodies alone, without couples, which no bias moves.
fn is_plain(groups: &Groups, head: &Head) -> bool {
    let has_tree = head.side.iter().any(|side| matches!(side, Side::Tree(_)));
    let has_bias = || matches!(groups.demand(head).recovery, Recovery::Baumgarte { .. });
    head.law == Law::Contact && head.couple == NO_COUPLE && !has_tree && !has_bias()
}

/// [`scale_island`] for a plain contact of a world in which nothing is driven. The work of its impulses changes from p·J(v₀ + v⁺)/2 to
/// s p·J(v₀ + v_free + s(v⁺ − v_free))/2, which is by (s − 1)/2 p·J(v₀ − s v_free + (1 + s)v⁺): one velocity for each point instead of three.
fn scale_contact(problem: &ContactProblem, head: &Head, scale: f64, out: &mut Solution) {
    let points = &problem.groups.points;
    let along = |of: [f64; 3]| {
        let twist = |i: usize| {
            let [start, free, end] = [problem.v_start, problem.v_free, &out.v].map(|v| v.free[i]);
            start * of[0] + free * of[1] + end * of[2]
        };
        let twists = head.side.map(|side| match side {
            Side::Free(i) => twist(i as usize),
            _ => Twist::ZERO,
        });
        let (mut normal, mut tangential, mut size) = (0.0, 0.0, 0.0);
        for i in head.range() {
            let (p, arm) = (out.impulses[i], points[i].arm);
            let u = head.to_local(twists[0].at(arm[0]) - twists[1].at(arm[1]));
            normal += p[0] * u[0];
            tangential += p[1] * u[1] + p[2] * u[2];
            size += (p[0] * u[0]).abs() + (p[1] * u[1]).abs() + (p[2] * u[2]).abs();
        }
        [normal, tangential, size]
    };
    let half = 0.5 * (scale - 1.0);
    let [normal, tangential, size] = along([1.0, -scale, 1.0 + scale]);
    // The increments of a model with sub-steps say nothing.
    let increments = if out.push_out.is_empty() { along([0.0, 1.0 - scale, 1.0 + scale]) } else { [0.0; 3] };
    out.work.impact.add(half * normal);
    out.work.friction.add(half * tangential);
    out.work.increments.add(half * (increments[0] + increments[1]));
    // The velocities are rounded whole, however little they change.
    out.work.magnify(size);
}

/// One empty load for each driver.
pub(crate) fn reset_drivers(groups: &Groups, drivers: &mut Vec<DriverLoad>) {
    drivers.clear();
    drivers.resize(groups.driven.len(), DriverLoad::default());
}

/// Books the impulses of an entry with its velocities before and after; ½ p `bias` of its leading row goes to stabilisation.
pub(crate) fn book(
    work: &mut Work,
    entry: &Entry,
    p: &BlockRows,
    before: &BlockRows,
    after: &BlockRows,
    bias: f64,
) {
    let account: &mut Sum = match entry.head.law {
        Law::Contact => &mut work.impact,
        Law::Equality => &mut work.joint,
        Law::Unilateral => &mut work.limit,
        Law::Drive { .. } => &mut work.driver,
        Law::Bounded { .. } if is_friction(entry.head) => &mut work.friction,
        Law::Bounded { .. } => &mut work.actuator,
    };
    let stabilisation = 0.5 * p[0] * bias;
    account.add(0.5 * p[0] * (before[0] + after[0]));
    if stabilisation != 0.0 {
        account.add(-stabilisation);
        work.stabilisation.add(stabilisation);
    }
    let len = entry.len();
    for k in 1..len {
        work.friction.add(0.5 * p[k] * (before[k] + after[k]));
    }
    for k in 0..len {
        work.magnify(0.5 * p[k] * before[k]);
        work.magnify(0.5 * p[k] * after[k]);
    }
    work.magnify(stabilisation);
}

/// True for the dry friction of a joint.
fn is_friction(head: &Head) -> bool {
    matches!(head.key.id(), GroupId::JointFriction { .. })
}

/// Books the impulses of an entry that gives way, of which `damper` is the impulse of its damper. A motor is no spring: all that it does
/// is its own work.
pub(crate) fn book_spring(
    work: &mut Work,
    entry: &Entry,
    p: &BlockRows,
    before: &BlockRows,
    after: &BlockRows,
    damper: f64,
) {
    if matches!(entry.head.law, Law::Bounded { .. }) {
        return book(work, entry, p, before, after, 0.0);
    }
    let mean = |k: usize| 0.5 * (before[k] + after[k]);
    work.viscous.add(damper * mean(0));
    work.spring.add((p[0] - damper) * mean(0));
    for (k, p) in p.iter().enumerate().skip(1) {
        work.friction.add(p * mean(k));
        work.magnify(p * mean(k));
    }
    for part in [p[0], damper] {
        work.magnify(0.5 * part * before[0]);
        work.magnify(0.5 * part * after[0]);
    }
}

/// Books the impulse of a point in an impact, without its couple, with its velocity before and after.
pub(crate) fn book_point(work: &mut Work, p: [f64; 3], before: [f64; 3], after: [f64; 3]) {
    work.impact.add(0.5 * p[0] * (before[0] + after[0]));
    for k in 1..3 {
        work.friction.add(0.5 * p[k] * (before[k] + after[k]));
    }
    for k in 0..3 {
        work.magnify(0.5 * p[k] * before[k]);
        work.magnify(0.5 * p[k] * after[k]);
    }
}

/// Books what the drivers of an entry gave: the opposite of what it gave them. `mean` is the mean velocity of its leading row.
pub(crate) fn load(
    groups: &Groups,
    entry: &Entry,
    p: &BlockRows,
    mean: f64,
    work: &mut Work,
    drivers: &mut [DriverLoad],
) {
    match entry.point() {
        Some(point) => {
            load_point(groups, entry.head, point.arm, push_of(p), work, drivers);
            if entry.couple().is_some() {
                load_couple(groups, entry.head, couple_of(p), work, drivers);
            }
        }
        None => load_row(groups, entry, p[0], mean, work, drivers),
    }
}

/// Books what the drivers of a point gave, with the arms to it.
pub(crate) fn load_point(
    groups: &Groups,
    head: &Head,
    arm: [Vec3; 2],
    p: [f64; 3],
    work: &mut Work,
    drivers: &mut [DriverLoad],
) {
    let world = head.to_world(p);
    for (k, given) in [(0, -world), (1, world)] {
        let Some(i) = groups.driver_of(head.side[k]) else { continue };
        let (load, twist) = (&mut drivers[i as usize], &groups.driven[i as usize]);
        if let Side::Driven(_) = head.side[k] {
            give(work, load, given.dot(twist.at(arm[k])), given, arm[k].cross(given));
        } else {
            // Its spin is its own; the bearing holds the place, and does work where that moves.
            give(work, load, given.dot(twist.linear), given, Vec3::ZERO);
        }
    }
    if let Some(surface) = groups.surface_velocity(head) {
        for (k, given) in [(0, -world), (1, world)] {
            if let Some(load) = surface.driver[k].and_then(|driver| drivers.get_mut(driver as usize)) {
                give(work, load, given.dot(surface.velocity[k]), Vec3::ZERO, Vec3::ZERO);
            }
        }
    }
}

/// Books what the drivers of a contact gave to its couple.
pub(crate) fn load_couple(
    groups: &Groups,
    head: &Head,
    tau: [f64; 3],
    work: &mut Work,
    drivers: &mut [DriverLoad],
) {
    let world = head.to_world(tau);
    for (side, given) in head.side.into_iter().zip([-world, world]) {
        if let Side::Driven(i) = side {
            let term = given.dot(groups.driven[i as usize].angular);
            give(work, &mut drivers[i as usize], term, Vec3::ZERO, given);
        }
    }
}

fn load_row(
    groups: &Groups,
    entry: &Entry,
    lambda: f64,
    mean: f64,
    work: &mut Work,
    drivers: &mut [DriverLoad],
) {
    let (head, i) = (entry.head, entry.index);
    if let Law::Drive { driver, .. } = head.law {
        // The account has it from the row already.
        let load = &mut drivers[driver as usize];
        load.work += lambda * mean;
        load.torque_impulse += groups.rows[i].angular[0] * lambda;
        return;
    }
    groups.for_each_end(head, i, |end| {
        if let RowEnd::Driven(driver, Directions { linear, angular }) = end {
            let (impulse, torque) = (linear * -lambda, angular * -lambda);
            let twist = &groups.driven[driver as usize];
            let term = impulse.dot(twist.linear) + torque.dot(twist.angular);
            give(work, &mut drivers[driver as usize], term, impulse, torque);
        }
    });
}

fn give(work: &mut Work, load: &mut DriverLoad, term: f64, impulse: Vec3, torque_impulse: Vec3) {
    work.driver.add(term);
    work.magnify(term);
    load.work += term;
    load.impulse += impulse;
    load.torque_impulse += torque_impulse;
}

/// Σ p·(u_free + u⁺)/2 over all rows: the sum to which [`Work::increments`] telescopes.
pub(crate) fn telescoped(problem: &ContactProblem, out: &Solution) -> Sum {
    let groups = problem.groups;
    let mut sum = Sum::default();
    for entry in groups.heads.iter().flat_map(|head| groups.entries(head)) {
        let p = entry.impulse(out.all());
        let (before, after) = (entry.relative_at_end(problem.v_free), entry.relative_at_end(&out.v));
        for k in 0..entry.len() {
            sum.add(0.5 * p[k] * (before[k] + after[k]));
        }
    }
    sum
}
