//! `active-set`: normals by pivoting, friction by projection on the cone, in turn until nothing changes.
//!
//! One visit: a sweep there and back in which each contact takes its exact impulse given all others, then all normals and rows
//! together, exactly. What holds both times is the Coulomb problem. The decoupled variant (msd-sim) solves the normals once, without friction,
//! then cuts friction back to the discs they give and leaves the normals as they are.

use super::normals::{Normals, velocity};
use crate::solver::dense::{Anderson, EntryLaw, IslandReport, IslandRun, System, run_islands, sweep};
use crate::solver::{SolveReport, Stop};
use crate::{ContactProblem, Scratch, Settings, Solution, Warm};
use huygens_math::scalar;

/// Proximal weight of one contact's block, where it is singular.
const EPSILON: f64 = 1e-6;

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
    let mut room = std::mem::take(&mut normals.room);
    room.begin(system);
    let Room { p, u, before, mu, friction } = &mut room;
    let mut kkt = normals.solve(system, p);
    for round in 0..settings.iterations {
        before.clone_from(p);
        if round >= HESITATE {
            keep_slipping(system, mu, p, u);
        }
        for backward in [false, true] {
            system.velocity(p, u);
            sweep(system, EPSILON, |k| mu[k], p, u, backward);
        }
        let change = largest_change(system, p, before);
        report.iterations += 1;
        report.residual = if speed > 0.0 { change.0 / speed } else { change.0 };
        let converged = change.0 <= settings.tolerance * speed;
        let stalled = change.0.is_nan() || change.0 <= 16.0 * f64::EPSILON * change.1;
        if !converged && !stalled {
            friction.accelerate(system, before, p);
        }
        kkt = normals.solve(system, p);
        if converged || stalled {
            report.stopped = if converged { Stop::Converged } else { Stop::Stalled };
            break;
        }
    }
    if kkt > 1e-8 {
        report.stopped = Stop::Stalled;
    }
    report.pivots = normals.pivots;
    system.p.clone_from(p);
    normals.room = room;
    report
}

/// Largest change of a row velocity between the impulses `a` and `b`, and the largest velocity they stand for [m/s].
fn largest_change(system: &System, a: &[f64], b: &[f64]) -> (f64, f64) {
    let (mut change, mut fastest) = (0.0, 0.0);
    for i in 0..system.n {
        let d = ((a[i] - b[i]) / system.unit[i]).abs();
        // In this order a NaN gets through.
        change = if change >= d { change } else { d };
        fastest = scalar::max((a[i].abs() + system.q[i].abs()) / system.unit[i], fastest);
    }
    (change, fastest)
}

/// What the rounds keep.
#[derive(Clone, Debug, Default)]
pub(super) struct Room {
    p: Vec<f64>,
    u: Vec<f64>,
    before: Vec<f64>,
    /// Friction of each entry, to stick and to slip.
    mu: Vec<[f64; 2]>,
    friction: Friction,
}

impl Room {
    fn begin(&mut self, system: &System) {
        self.p.clone_from(&system.p);
        self.u.clear();
        self.u.resize(system.n, 0.0);
        self.mu.clear();
        self.mu.extend(system.entries.iter().map(|entry| match entry.law {
            EntryLaw::Contact { stick, slip } => [stick, slip],
            EntryLaw::Row { .. } => [0.0; 2],
        }));
        self.friction.anderson.reset();
    }
}

/// The friction of an island as the variable of a fixed-point iteration: the normals follow from it.
#[derive(Clone, Debug, Default)]
struct Friction {
    x: Vec<f64>,
    g: Vec<f64>,
    anderson: Anderson,
}

impl Friction {
    /// Replaces the friction in `p`, which a round made from `before`, by a better guess.
    fn accelerate(&mut self, system: &System, before: &[f64], p: &mut [f64]) {
        let contacts = || system.entries.iter().filter(|entry| entry.is_contact());
        self.x.clear();
        self.g.clear();
        for entry in contacts() {
            self.x.extend_from_slice(&before[entry.at + 1..entry.at + 3]);
            self.g.extend_from_slice(&p[entry.at + 1..entry.at + 3]);
        }
        self.anderson.next(&mut self.x, &self.g);
        for (entry, x) in contacts().zip(self.x.chunks_exact(2)) {
            p[entry.at + 1..entry.at + 3].copy_from_slice(x);
        }
    }
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
