//! `active-set`: normals by pivoting, friction by projection on the cone, in turn until nothing changes.
//!
//! One visit: a sweep there and back in which each contact takes its exact impulse given all others, then all normals and rows
//! together, exactly. What holds both times is the Coulomb problem. The decoupled variant (msd-sim) solves the normals once, without friction,
//! then cuts friction back to the discs they give and leaves the normals as they are.

use super::normals::{Normals, velocity};
use crate::solver::dense::{EntryLaw, IslandReport, IslandRun, System, run_islands, sweep};
use crate::solver::{SolveReport, Stop};
use crate::{ContactProblem, Scratch, Settings, Solution, Warm};
use huygens_math::scalar;

/// Proximal weight of one contact's block, where it is singular.
const EPSILON: f64 = 1e-9;

/// Rounds after which a contact that slips no longer may stick with more than it slips with.
const HESITATE: u32 = 16;

/// Sweeps of the decoupled friction, and the change that ends them (msd-sim's own).
const DECOUPLED: (u32, f64) = (10, 1e-6);

/// Solves a problem.
pub(in crate::solver) fn run(
    settings: &Settings,
    problem: &ContactProblem,
    warm: Warm,
    scratch: &mut Scratch,
    out: &mut Solution,
) -> SolveReport {
    let speed = problem.scale.speed;
    let last = if settings.decoupled_friction { 0 } else { 2 };
    let run = IslandRun { problem, sweeps: settings.iterations, last };
    run_islands(settings, &run, warm, scratch, out, |scratch| {
        let dense = &mut scratch.dense;
        let (system, normals) = (&mut dense.system, &mut dense.normals);
        normals.begin(system);
        if settings.decoupled_friction {
            decoupled(normals, system)
        } else {
            coupled(settings, speed, normals, system)
        }
    })
}

fn coupled(settings: &Settings, speed: f64, normals: &mut Normals, system: &mut System) -> IslandReport {
    let mut report = IslandReport { stopped: Stop::IterationLimit, ..IslandReport::default() };
    let mut p = std::mem::take(&mut system.p);
    let (mut u, mut before) = (std::mem::take(&mut normals.u), std::mem::take(&mut normals.before));
    let mut mu = std::mem::take(&mut normals.mu);
    mu.clear();
    mu.extend(system.entries.iter().map(|entry| match entry.law {
        EntryLaw::Contact { stick, slip } => [stick, slip],
        EntryLaw::Row { .. } => [0.0; 2],
    }));
    normals.solve(system, &mut p);
    for round in 0..settings.iterations {
        before.clone_from(&p);
        if round >= HESITATE {
            keep_slipping(system, &mut mu, &p, &u);
        }
        for backward in [false, true] {
            system.velocity(&p, &mut u);
            sweep(system, EPSILON, |k| mu[k], &mut p, &mut u, backward);
        }
        let kkt = normals.solve(system, &mut p);
        report.iterations += 1;
        let (mut change, mut fastest) = (0.0, 0.0);
        for i in 0..system.n {
            change = scalar::max(((p[i] - before[i]) / system.unit[i]).abs(), change);
            fastest = scalar::max(((p[i].abs() + system.q[i].abs()) / system.unit[i]).abs(), fastest);
        }
        report.residual = if speed > 0.0 { change / speed } else { change };
        if change <= settings.tolerance * speed {
            report.stopped = if kkt > 1e-8 { Stop::Stalled } else { Stop::Converged };
            break;
        }
        if change.is_nan() || change <= 16.0 * f64::EPSILON * fastest {
            report.stopped = Stop::Stalled;
            break;
        }
    }
    report.pivots = normals.pivots;
    (system.p, normals.u, normals.before, normals.mu) = (p, u, before, mu);
    report
}

/// Contacts that slip after some rounds have μ_d for good: those that could do either would change their mind in every round.
fn keep_slipping(system: &System, mu: &mut [[f64; 2]], p: &[f64], u: &[f64]) {
    for (entry, mu) in system.entries.iter().zip(mu) {
        let at = entry.at;
        if mu[0] > mu[1] && p[at] > 0.0 && (u[at + 1] != 0.0 || u[at + 2] != 0.0) {
            let p_t = (p[at + 1] * p[at + 1] + p[at + 2] * p[at + 2]).sqrt();
            let u_t = (u[at + 1] * u[at + 1] + u[at + 2] * u[at + 2]).sqrt();
            if u_t > 1e-8 * system.q_norm * system.unit[at] && p_t >= 0.999 * mu[1] * p[at] {
                mu[0] = mu[1];
            }
        }
    }
}

/// Normals once, then friction on the discs that they give, on the velocities that they leave.
fn decoupled(normals: &mut Normals, system: &mut System) -> IslandReport {
    let mut p = std::mem::take(&mut system.p);
    for entry in system.entries.iter().filter(|entry| entry.is_contact()) {
        p[entry.at + 1..entry.at + 3].fill(0.0);
    }
    normals.solve(system, &mut p);
    let mut report = IslandReport { pivots: normals.pivots, ..IslandReport::default() };
    for _ in 0..DECOUPLED.0 {
        report.iterations += 1;
        let mut change = 0.0;
        for entry in &system.entries {
            if let EntryLaw::Contact { stick, slip } = entry.law {
                change = scalar::max(cut_back(system, entry.at, [stick, slip], &mut p), change);
            }
        }
        report.residual = change;
        if change <= DECOUPLED.1 * system.q_norm {
            break;
        }
    }
    system.p = p;
    report
}

/// Friction that stops a contact, cut back radially to its disc; returns the change as a velocity [m/s].
fn cut_back(system: &System, at: usize, mu: [f64; 2], p: &mut [f64]) -> f64 {
    let (t1, t2) = (at + 1, at + 2);
    let u = [velocity(system, t1, p), velocity(system, t2, p)];
    let (a, b, c) = (system.row(t1)[t1] + EPSILON, system.row(t1)[t2], system.row(t2)[t2] + EPSILON);
    let det = a * c - b * b;
    let new = [p[t1] - (c * u[0] - b * u[1]) / det, p[t2] - (a * u[1] - b * u[0]) / det];
    let size = (new[0] * new[0] + new[1] * new[1]).sqrt();
    let cut = if size > mu[0] * p[at] { mu[1] * p[at] / size } else { 1.0 };
    let mut change = 0.0;
    for (i, new) in [(t1, new[0] * cut), (t2, new[1] * cut)] {
        change = scalar::max(((new - p[i]) / system.unit[i]).abs(), change);
        p[i] = new;
    }
    change
}
