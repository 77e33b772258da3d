//! `active-set`: normals by pivoting, friction by projection on the cone, in turn until nothing changes.
//!
//! One visit: a sweep there and back in which each contact takes its exact impulse given all others, then all normals and rows
//! together, exactly. What holds both times is the Coulomb problem. Where rounds do not settle, Newton's method ends them. The decoupled variant (msd-sim) solves the normals once, without friction,
//! then cuts friction back to the discs they give and leaves the normals as they are.

use super::normals::{Normals, velocity};
use crate::scratch::reserve;
use crate::solver::dense::{Anderson, Disc, IslandRoom, IslandRun, System, run_islands, sweep};
use crate::solver::{SolveReport, Stop, ncp_newton};
use crate::{ContactProblem, Scratch, Settings, Solution, Warm};
use huygens_math::scalar;

/// Proximal weight of one contact's block, where it is singular.
const EPSILON: f64 = 1e-6;

/// Rounds after which contacts that slip get their dynamic friction even if the rounds have not settled. Where none does, Newton's method is tried:
/// what has not settled by then wanders, and where to is a matter of round-off.
const PATIENCE: u32 = 64;

/// Share of the problem's speed above which a contact slips: the judge's own.
const SLIPS: f64 = 1e-8;

/// Most cuts back to the discs where rounds ran out, and the share that need not be cut off any more.
const CUTS: u32 = 100;
const CUT: f64 = 1e-13;

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
    run_islands(settings, &run, warm, scratch, out, |room| solve_system(settings, speed, room))
}

/// Solves the system that the room holds; the answer is left in it.
pub(in crate::solver) fn solve_system(
    settings: &Settings,
    speed: f64,
    dense: &mut IslandRoom,
) -> SolveReport {
    let (system, normals) = (&mut dense.system, &mut dense.normals);
    normals.begin(system);
    if settings.decoupled_friction {
        return decoupled(normals, system);
    }
    let report = coupled(settings, speed, normals, system, PATIENCE);
    if report.stopped != Stop::IterationLimit {
        return report;
    }
    // From where the rounds began: where they go without an end is a matter of round-off.
    system.p.clone_from(&normals.room.start);
    let ended = ncp_newton::end(settings, speed, &mut dense.newton, system);
    let iterations = report.iterations + ended.iterations;
    if ended.stopped == Stop::Converged {
        return SolveReport { iterations, pivots: report.pivots, ..ended };
    }
    system.p.clone_from(&normals.room.start);
    normals.begin(system);
    let rest = coupled(settings, speed, normals, system, u32::MAX);
    let report = SolveReport { iterations: iterations + rest.iterations, ..rest };
    if report.stopped == Stop::IterationLimit { end_in_cones(normals, system, report) } else { report }
}

/// Where rounds ran out: cuts friction back to its discs with normals that are exact for what is left of it, until both hold. What the answer
/// misses is then in the friction alone.
fn end_in_cones(normals: &mut Normals, system: &mut System, mut report: SolveReport) -> SolveReport {
    let mut p = std::mem::take(&mut system.p);
    for _ in 0..CUTS {
        let cut = largest_cut(system, &normals.room.mu, &mut p);
        normals.solve(system, &mut p);
        if cut <= CUT {
            break;
        }
    }
    report.pivots = normals.pivots;
    system.p = p;
    report
}

/// Cuts friction back to its discs; returns the largest share that was cut off.
fn largest_cut(system: &System, mu: &[f64], p: &mut [f64]) -> f64 {
    let mut most = 0.0;
    for (entry, &mu) in system.entries.iter().zip(mu) {
        for disc in entry.discs(mu) {
            let (size, radius) = (disc.size(p), disc.radius * p[entry.at]);
            if size > radius {
                let cut = radius / size;
                most = scalar::max(1.0 - cut, most);
                disc.scale(p, cut);
            }
        }
    }
    most
}

/// The rounds of `active-set` on a system that another model has filled; returns the friction coefficient of each entry.
pub(in crate::solver) fn rounds<'a>(
    settings: &Settings,
    speed: f64,
    normals: &'a mut Normals,
    system: &mut System,
) -> &'a [f64] {
    normals.begin(system);
    coupled(settings, speed, normals, system, u32::MAX);
    &normals.room.mu
}

/// The rounds; they end without an answer after `most` of them in which no contact began to slip.
fn coupled(
    settings: &Settings,
    speed: f64,
    normals: &mut Normals,
    system: &mut System,
    most: u32,
) -> SolveReport {
    let mut report = SolveReport { stopped: Stop::IterationLimit, ..SolveReport::default() };
    let mut room = std::mem::take(&mut normals.room);
    room.begin(system);
    let Room { p, u, before, mu, friction, .. } = &mut room;
    let mut kkt = normals.solve(system, p);
    let mut with_this_friction = 0u32;
    for _ in 0..settings.iterations {
        with_this_friction += 1;
        before.clone_from(p);
        for backward in [false, true] {
            system.velocity(p, u);
            sweep(system, EPSILON, mu, p, u, backward);
        }
        let (change, fastest) = largest_change(system, p, before);
        report.iterations += 1;
        report.residual = if speed > 0.0 { change / speed } else { change };
        let stalled = change.is_nan() || change <= 16.0 * f64::EPSILON * fastest;
        let converged = change <= settings.tolerance * speed;
        if stalled {
            // The answer stays as it is: sweeps would only round it anew in every step.
            p.clone_from(before);
        }
        let settled = stalled || converged;
        if settled || with_this_friction.is_multiple_of(PATIENCE) {
            if slips(speed, system, mu, p, u) {
                with_this_friction = 0;
            } else if settled {
                report.stopped = if converged { Stop::Converged } else { Stop::Stalled };
                kkt = normals.solve(system, p);
                break;
            } else if with_this_friction >= most {
                break;
            }
        }
        friction.accelerate(system, before, p);
        kkt = normals.solve(system, p);
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
        let d = ((a[i] - b[i]) / system.lead[i]).abs();
        // In this order a NaN gets through.
        change = if change >= d { change } else { d };
        fastest = scalar::max((a[i].abs() + system.q[i].abs()) / system.lead[i], fastest);
    }
    (change, fastest)
}

/// What the rounds keep.
#[derive(Clone, Debug, Default)]
pub(super) struct Room {
    /// Impulses from which the rounds start.
    start: Vec<f64>,
    p: Vec<f64>,
    u: Vec<f64>,
    before: Vec<f64>,
    /// Friction of each entry: first to stick, to slip for those that do.
    mu: Vec<f64>,
    friction: Friction,
}

impl Room {
    /// Makes room for systems of `n` rows.
    pub(super) fn reserve(&mut self, n: usize) {
        let Self { start, p, u, before, mu, friction: Friction { x, g, anderson } } = self;
        for list in [start, p, u, before, mu, x, g] {
            reserve(list, n);
        }
        anderson.reserve(n);
    }

    fn begin(&mut self, system: &System) {
        self.start.clone_from(&system.p);
        self.p.clone_from(&system.p);
        self.u.clear();
        self.u.resize(system.n, 0.0);
        self.mu.clear();
        self.mu.extend(system.entries.iter().map(|entry| entry.cone.stick));
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
        let rows = || system.entries.iter().flat_map(|entry| entry.rows().skip(1));
        self.x.clear();
        self.g.clear();
        self.x.extend(rows().map(|i| before[i]));
        self.g.extend(rows().map(|i| p[i]));
        self.anderson.next(&mut self.x, &self.g);
        rows().zip(&self.x).for_each(|(i, x)| p[i] = *x);
    }
}

/// Gives contacts that slip their dynamic friction, for good; true when one was changed. What can stick with μ_s does.
fn slips(speed: f64, system: &System, mu: &mut [f64], p: &[f64], u: &[f64]) -> bool {
    let mut changed = false;
    for (entry, mu) in system.entries.iter().zip(mu) {
        let (at, slip) = (entry.at, entry.cone.slip);
        if *mu != slip && p[at] > 0.0 && entry.slip(u) / system.unit[at] > SLIPS * speed {
            *mu = slip;
            changed = true;
        }
    }
    changed
}

/// Normals once, then friction on the discs that they give, on the velocities that they leave.
fn decoupled(normals: &mut Normals, system: &mut System) -> SolveReport {
    let mut p = std::mem::take(&mut system.p);
    for entry in &system.entries {
        p[entry.rows()][1..].fill(0.0);
    }
    normals.solve(system, &mut p);
    let mut report = SolveReport { pivots: normals.pivots, ..SolveReport::default() };
    for _ in 0..DECOUPLED.0 {
        report.iterations += 1;
        let mut change = 0.0;
        for entry in &system.entries {
            for (k, disc) in entry.numbered_discs() {
                let slip = if k == 0 { entry.cone.slip } else { disc.radius };
                change = scalar::max(cut_back(system, entry.at, &disc, slip, &mut p), change);
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

/// The impulses that stop the rows of a disc, cut back radially to the disc, or to that of slipping where they are outside; returns the change
/// as a velocity [m/s].
fn cut_back(system: &System, at: usize, disc: &Disc, slip: f64, p: &mut [f64]) -> f64 {
    let i = disc.first;
    let new = if disc.len == 1 {
        [p[i] - velocity(system, i, p) / (system.row(i)[i] + EPSILON), 0.0]
    } else {
        let (t1, t2) = (i, i + 1);
        let u = [velocity(system, t1, p), velocity(system, t2, p)];
        let (a, b, c) = (system.row(t1)[t1] + EPSILON, system.row(t1)[t2], system.row(t2)[t2] + EPSILON);
        let det = a * c - b * b;
        [p[t1] - (c * u[0] - b * u[1]) / det, p[t2] - (a * u[1] - b * u[0]) / det]
    };
    let size = (new[0] * new[0] + new[1] * new[1]).sqrt();
    let cut = if size > disc.radius * p[at] { slip * p[at] / size } else { 1.0 };
    let mut change = 0.0;
    for (i, new) in disc.rows().zip(new) {
        let new = new * cut;
        change = scalar::max(((new - p[i]) / system.lead[i]).abs(), change);
        p[i] = new;
    }
    change
}
