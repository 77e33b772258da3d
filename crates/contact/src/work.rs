//! Books the work of a solve, from its total impulses and end velocities alone.
//!
//! T(v⁺) − T(v_start) = (M(v⁺ − v_start))·v̄ with v̄ = (v_start + v⁺)/2, exactly. With M(v⁺ − v_start) = h f + Jᵀp the
//! rows' share is p·J v̄ = p·ū + p·u_d, where ū is relative to the drivers: contact accounts plus driver account, whatever
//! the number of sweeps, the order, the warm start. A target with a stabilising part b splits ½pb off.

use crate::{ContactProblem, DriverLoad, Groups, Head, Impulse, Law, Row, Scratch, Side, Solution, Work};
use huygens_math::{Sum, Vec3};

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
    for head in &groups.heads {
        for i in head.range() {
            if head.law == Law::Contact {
                let (point, p) = (&groups.points[i], out.impulses[i]);
                if p == [0.0; 3] {
                    continue;
                }
                let before = groups.relative(head, point, problem.v_start);
                let after = groups.relative(head, point, &out.v);
                book_point(&mut out.work, p, before, after, scratch.points[i].target.bias);
                load_point(groups, head, i, p, &mut out.work, &mut out.drivers);
            } else if out.rows[i] != 0.0 {
                let (row, lambda) = (&groups.rows[i], out.rows[i]);
                let before = groups.relative_row(head, row, problem.v_start);
                let after = groups.relative_row(head, row, &out.v);
                let bias = scratch.rows[i].target.bias;
                let mean = 0.5 * (before + after);
                book_row(&mut out.work, head.law, lambda, mean, bias);
                load_row(groups, head, row, (lambda, mean), &mut out.work, &mut out.drivers);
            }
        }
    }
}

/// One empty load for each driver.
pub(crate) fn reset_drivers(groups: &Groups, drivers: &mut Vec<DriverLoad>) {
    drivers.clear();
    drivers.resize(groups.driven.len(), DriverLoad::default());
}

/// Books a point's impulse with its velocity before and after; ½ p_n `bias` goes to stabilisation.
pub(crate) fn book_point(work: &mut Work, p: Impulse, before: [f64; 3], after: [f64; 3], bias: f64) {
    let mean = |k: usize| 0.5 * p[k] * (before[k] + after[k]);
    let stabilisation = 0.5 * p[0] * bias;
    work.impact.add(mean(0));
    work.friction.add(mean(1));
    work.friction.add(mean(2));
    if stabilisation != 0.0 {
        work.impact.add(-stabilisation);
        work.stabilisation.add(stabilisation);
    }
    for k in 0..3 {
        work.magnify(0.5 * p[k] * before[k]);
        work.magnify(0.5 * p[k] * after[k]);
    }
    work.magnify(stabilisation);
}

/// Books a row's impulse with its mean velocity; ½λ `bias` goes to stabilisation.
pub(crate) fn book_row(work: &mut Work, law: Law, lambda: f64, mean: f64, bias: f64) {
    let stabilisation = 0.5 * lambda * bias;
    let account: &mut Sum = match law {
        Law::Equality => &mut work.joint,
        Law::Unilateral => &mut work.limit,
        Law::Couple { .. } => &mut work.friction,
        Law::Drive { .. } => &mut work.driver,
        Law::Contact | Law::Bounded { .. } => &mut work.actuator,
    };
    account.add(lambda * mean);
    if stabilisation != 0.0 {
        account.add(-stabilisation);
        work.stabilisation.add(stabilisation);
    }
    work.magnify(lambda * mean);
    work.magnify(stabilisation);
}

/// Books what the drivers of a point gave: the opposite of what the contact gave them.
pub(crate) fn load_point(
    groups: &Groups,
    head: &Head,
    point: usize,
    p: Impulse,
    work: &mut Work,
    drivers: &mut [DriverLoad],
) {
    let world = head.to_world(p);
    for (k, given) in [(0, -world), (1, world)] {
        let Some(i) = groups.driver_of(head.side[k]) else { continue };
        let (load, twist) = (&mut drivers[i as usize], &groups.driven[i as usize]);
        if let Side::Driven(_) = head.side[k] {
            let arm = groups.points[point].arm[k];
            give(work, load, given.dot(twist.at(arm)), given, arm.cross(given));
        } else {
            // Its spin is its own; the bearing holds the place, and does work where that moves.
            give(work, load, given.dot(twist.linear), given, Vec3::ZERO);
        }
    }
    if let Some(belt) = groups.belt(head) {
        for (k, given) in [(0, -world), (1, world)] {
            if let Some(load) = drivers.get_mut(belt.driver[k] as usize) {
                give(work, load, given.dot(belt.velocity[k]), Vec3::ZERO, Vec3::ZERO);
            }
        }
    }
}

/// Books what the drivers of a row gave, with its impulse and its mean velocity.
pub(crate) fn load_row(
    groups: &Groups,
    head: &Head,
    row: &Row,
    (lambda, mean): (f64, f64),
    work: &mut Work,
    drivers: &mut [DriverLoad],
) {
    if let Law::Drive { driver, .. } = head.law {
        // The account has it from the row already.
        let load = &mut drivers[driver as usize];
        load.work += lambda * mean;
        load.torque_impulse += row.angular[0] * lambda;
        return;
    }
    for k in 0..2 {
        if let Side::Driven(i) = head.side[k] {
            let (linear, angular) = row.directions(k);
            let (impulse, torque) = (linear * -lambda, angular * -lambda);
            let twist = &groups.driven[i as usize];
            let term = impulse.dot(twist.linear) + torque.dot(twist.angular);
            give(work, &mut drivers[i as usize], term, impulse, torque);
        }
    }
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
    for head in &groups.heads {
        for i in head.range() {
            if head.law == Law::Contact {
                let point = &groups.points[i];
                let before = groups.relative_at_end(head, point, problem.v_free);
                let after = groups.relative_at_end(head, point, &out.v);
                for k in 0..3 {
                    sum.add(0.5 * out.impulses[i][k] * (before[k] + after[k]));
                }
            } else {
                let row = &groups.rows[i];
                let before = groups.relative_row(head, row, problem.v_free);
                let after = groups.relative_row(head, row, &out.v);
                sum.add(0.5 * out.rows[i] * (before + after));
            }
        }
    }
    sum
}
