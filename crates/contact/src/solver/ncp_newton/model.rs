//! `ncp/newton`: islands, the proximal iteration, and which friction acts where.
//!
//! The problem: p in its cone, u + (μ|u_t| + a_s|ω_n| + a_r|ω_t|)n in the dual one, and the two at right angles (De Saxcé, Feng 1991); rows in
//! their bounds.
//!
//! Static and dynamic friction: every contact first has μ_s. Those that slip in the answer get μ_d, and the problem is solved again,
//! until no more do. What is stuck then sticks with μ_s, what slips slips with μ_d, and of all answers with that property this
//! is the one that sticks as much as it can from the start. Each round takes contacts over for good, so it ends.

use super::newton::Newton;
use super::path;
use crate::solver::active_set;
use crate::solver::dense::{IslandRoom, IslandRun, System, run_islands};
use crate::solver::{SolveReport, Stop};
use crate::{ContactProblem, Scratch, Settings, Solution, Warm};
use huygens_math::scalar;

/// Proximal weights, of blocks with the largest eigenvalue near 1: the first keeps round-off out of friction between redundant
/// contacts, the second is small beside what masses of 1 : 1e6 leave.
pub(super) const EPSILON: [f64; 2] = [1e-5, 1e-8];

/// Residual below which the iteration may creep: redundant contacts whose friction slips shift their loads a little in every step,
/// always the same way.
const CREEP: f64 = 1e-4;

/// The same where contacts ask for what cannot be.
const SOFT: f64 = 1e-3;

/// Most proximal steps for one friction.
const STEPS: u32 = 500;

/// Residual that is good enough to stop.
pub(super) const GOOD: f64 = 1e-14;

/// Residual up to which an answer counts.
pub(super) const ANSWER: f64 = 1e-10;

/// Residual above which contacts are taken to ask for what cannot be.
const NO_ANSWER: f64 = 1e-3;

/// Share of the problem's speed above which a contact slips: the judge's own.
const SLIPS: f64 = 1e-8;

/// Most rounds of static against dynamic friction.
const ROUNDS: u32 = 20;

/// Sweeps for an island that is too large, for each of `iterations`.
const LARGE: u32 = 20;

/// Newton steps and sweeps of an island, for each of `iterations`.
const WORK: (u32, u32) = (2, 10);

/// Solves a problem.
pub(in crate::solver) fn run(
    settings: &Settings,
    problem: &ContactProblem,
    warm: Warm,
    scratch: &mut Scratch,
    out: &mut Solution,
) -> SolveReport {
    let speed = problem.scale.speed;
    let run = IslandRun { problem, sweeps: LARGE * settings.iterations, last: 2 };
    run_islands(settings, &run, warm, scratch, out, |room| solve_system(settings, speed, room))
}

/// Solves the system that the room holds; the answer is left in it.
fn solve_system(settings: &Settings, speed: f64, dense: &mut IslandRoom) -> SolveReport {
    let mut report = island(settings, speed, &mut dense.newton, &mut dense.system);
    if report.residual > ANSWER {
        report = from_active_set(settings, speed, dense, report);
    }
    if report.residual > ANSWER && dense.system.n <= path::START_ROWS {
        report = along_path(speed, &mut dense.newton, &mut dense.system, report);
    }
    report
}

/// Newton's method leaps to and fro where friction acts strongly on the normals: follows the answers of the proximal problem instead.
fn along_path(speed: f64, newton: &mut Newton, system: &mut System, report: SolveReport) -> SolveReport {
    newton.set_aside(&mut system.p);
    let mut again = path::follow(newton, system);
    newton.p.clone_from(&system.p);
    newton.evaluate(system);
    if again.residual <= ANSWER && switch(speed, newton, system) {
        newton.set_centre(&system.p);
        newton.renew();
        again = finish(speed, newton, system);
    }
    newton.better(report, again, &mut system.p)
}

/// Solves what the rounds of another model came to no end with, from the impulses in the system; the answer is left there.
pub(in crate::solver) fn end(
    settings: &Settings,
    speed: f64,
    newton: &mut Newton,
    system: &mut System,
) -> SolveReport {
    let report = island(settings, speed, newton, system);
    if report.residual > ANSWER && system.n <= path::START_ROWS {
        return along_path(speed, newton, system, report);
    }
    report
}

/// Sweeps carry loads slowly where masses differ much; the exact normals of the active set do at once: tries again from there.
pub(super) fn from_active_set(
    settings: &Settings,
    speed: f64,
    dense: &mut IslandRoom,
    report: SolveReport,
) -> SolveReport {
    let (newton, system) = (&mut dense.newton, &mut dense.system);
    newton.set_aside(&mut system.p);
    let friction = active_set::rounds(settings, speed, &mut dense.normals, system);
    newton.mu.clear();
    newton.mu.extend_from_slice(friction);
    newton.p.clone_from(&system.p);
    newton.set_centre(&system.p);
    newton.renew();
    let again = finish(speed, newton, system);
    newton.better(report, again, &mut system.p)
}

pub(super) fn island(
    settings: &Settings,
    speed: f64,
    newton: &mut Newton,
    system: &mut System,
) -> SolveReport {
    let iterations = settings.iterations.min(10_000);
    newton.begin(system, WORK.0 * iterations, WORK.1 * iterations);
    newton.p.clone_from(&system.p);
    newton.mu.clear();
    newton.mu.extend(system.entries.iter().map(|entry| entry.cone.stick));
    newton.epsilon = 0.0;
    let residual = newton.evaluate(system);
    let good = scalar::max(GOOD, newton.round_off_at(system, &newton.p));
    if residual <= good && !switch(speed, newton, system) {
        // The last step's impulses are an answer, shared as they are.
        return SolveReport { residual, ..SolveReport::default() };
    }
    finish(speed, newton, system)
}

/// Rounds of static against dynamic friction, each solved to the end; the answer goes to the system.
fn finish(speed: f64, newton: &mut Newton, system: &mut System) -> SolveReport {
    let mut residual = f64::INFINITY;
    for _ in 0..ROUNDS {
        residual = proximal(newton, system);
        if !switch(speed, newton, system) {
            break;
        }
    }
    system.p.clone_from(&newton.p);
    let stopped = if residual <= ANSWER { Stop::Converged } else { Stop::Stalled };
    SolveReport { iterations: newton.steps, residual, stopped, ..SolveReport::default() }
}

/// Solves with the present friction; returns the residual of the problem itself, without proximal term.
pub(super) fn proximal(newton: &mut Newton, system: &System) -> f64 {
    let mut best = f64::INFINITY;
    let mut kept = std::mem::take(&mut newton.kept);
    let (mut epsilon, mut before) = (EPSILON[0], f64::INFINITY);
    newton.forget();
    for _ in 0..STEPS {
        newton.epsilon = epsilon;
        let inner = newton.solve(system, GOOD);
        newton.epsilon = 0.0;
        let now = newton.evaluate(system);
        let solved = inner <= NO_ANSWER;
        let fast = now <= 0.1 * best;
        if now < best {
            best = now;
            kept.clone_from(&newton.p);
        }
        if best <= scalar::max(GOOD, newton.round_off_at(system, &kept)) {
            break;
        }
        let last = std::mem::replace(&mut before, now);
        if solved && (fast || now < CREEP) {
            newton.move_centre(now / last);
        } else if epsilon > EPSILON[1] {
            epsilon = EPSILON[1];
            newton.p.clone_from(&kept);
            newton.set_centre(&kept);
        } else {
            break;
        }
    }
    if best > NO_ANSWER {
        newton.p.fill(0.0);
        newton.set_centre(&[]);
        newton.epsilon = SOFT;
        newton.renew();
        newton.solve(system, GOOD);
    } else {
        newton.p.clone_from(&kept);
    }
    newton.kept = kept;
    newton.epsilon = 0.0;
    newton.evaluate(system)
}

/// Gives contacts that slip their dynamic friction; true when one was changed.
fn switch(speed: f64, newton: &mut Newton, system: &System) -> bool {
    let mut changed = false;
    for (k, entry) in system.entries.iter().enumerate() {
        let slip = entry.cone.slip;
        if newton.mu[k] == slip || newton.p[entry.at] <= 0.0 {
            continue;
        }
        if entry.slip(&newton.u) / system.unit[entry.at] > SLIPS * speed {
            newton.mu[k] = slip;
            changed = true;
        }
    }
    changed
}
