//! One scene in the engine, measured: what `adapter` is for `run`, without the certificate, which costs a pass.

use super::figures::{self, Penetration, mean, median};
use crate::interrupt::Interrupt;
use crate::progress;
use huygens::ledger::Account;
use huygens::math::SimdLevel;
use huygens::{STAGES, Scene, World};
use std::ops::Range;
use std::time::{Duration, Instant};

/// How to run a scene.
pub struct Plan {
    /// All steps.
    pub steps: u64,
    /// The steps that are measured, counted from 0.
    pub window: Range<u64>,
    /// Which instructions to use.
    pub level: SimdLevel,
}

/// What a run came to.
pub struct Measured {
    pub name: String,
    pub solver: String,
    /// The instructions of the wide kernels.
    pub level: &'static str,
    /// Bodies that move.
    pub bodies: u64,
    pub steps: u64,
    pub window: Range<u64>,
    /// Per step, by the clock on the wall [ms].
    pub mean_ms: f64,
    pub median_ms: f64,
    /// Per step, while this thread had a processor [ms]: what a loaded machine tells best.
    pub busy_ms: f64,
    /// Per step, while any thread of the process had a processor [ms].
    pub cpu_ms: f64,
    /// Threads that share a step.
    pub threads: usize,
    /// Mean time of each stage [ms].
    pub stages: Vec<(&'static str, f64)>,
    /// Contact points of a step, mean.
    pub contacts: f64,
    pub penetration: Penetration,
    pub kinetic_energy: f64,
    pub energy: [f64; 2],
    /// Every account of the ledger.
    pub accounts: Vec<(&'static str, f64)>,
    pub unexplained: f64,
    /// The largest ratio of what a step left unexplained to what round-off may leave.
    pub worst_ratio: f64,
    /// Largest memory of the process until the end of the run [bytes]; 0 when unknown.
    pub peak_bytes: u64,
    pub quarantined: u64,
    pub hash: u64,
}

impl Measured {
    /// Processor time of a step by its contact points [ns].
    pub fn ns_per_contact(&self) -> f64 {
        if self.contacts > 0.0 { self.busy_ms * 1e6 / self.contacts } else { 0.0 }
    }

    /// Peak memory by the bodies that move [bytes].
    pub fn bytes_per_body(&self) -> f64 {
        if self.bodies > 0 { self.peak_bytes as f64 / self.bodies as f64 } else { 0.0 }
    }
}

/// Times of the steps inside the window.
#[derive(Default)]
struct Clock {
    times_ms: Vec<f64>,
    stages: [Duration; STAGES.len()],
    contacts: u64,
    busy: Option<f64>,
    all_busy: Option<f64>,
}

/// Runs a scene; `None` when the user stopped it, since half a run measures something else.
///
/// # Errors
/// What is wrong with the scene or with the level, for the user to read.
pub fn measure(
    name: &str,
    scene: &Scene,
    plan: &Plan,
    interrupt: &Interrupt,
) -> Result<Option<Measured>, String> {
    let mut world = World::new(scene).map_err(|errors| errors.to_string())?;
    world.set_simd_level(plan.level).map_err(|missing| format!("--level: {missing}"))?;
    let level = if plan.level == SimdLevel::Best { SimdLevel::best() } else { plan.level };
    let Some((clock, quarantined)) = advance(&mut world, plan, interrupt) else { return Ok(None) };
    crate::run::tell_missing_threads(&world);
    // Before anything else asks for memory.
    let peak_bytes = figures::peak_memory();
    let measured = clock.times_ms.len();
    let per_step = |time: f64| time / if measured > 0 { measured as f64 } else { 1.0 };
    let mean_ms = mean(&clock.times_ms);
    let ledger = world.ledger();
    let moves = huygens::MotionKind::is_moved_by_forces;
    Ok(Some(Measured {
        name: name.to_owned(),
        solver: scene.world.solver.clone(),
        level: level.name(),
        bodies: world.bodies().filter(|body| moves(body.motion)).count() as u64,
        steps: plan.steps,
        window: plan.window.clone(),
        mean_ms,
        median_ms: median(&clock.times_ms),
        busy_ms: clock.busy.map_or(mean_ms, |busy| per_step(busy * 1e3)),
        cpu_ms: clock.all_busy.map_or(mean_ms, |busy| per_step(busy * 1e3)),
        threads: world.threads(),
        stages: STAGES
            .iter()
            .zip(clock.stages)
            .map(|(stage, time)| (*stage, per_step(time.as_secs_f64() * 1e3)))
            .collect(),
        contacts: per_step(clock.contacts as f64),
        penetration: Penetration::of(world.gaps()),
        kinetic_energy: world.kinetic_energy(),
        energy: [ledger.energy_start(), world.energy()],
        accounts: Account::ALL.iter().map(|account| (account.name(), ledger.get(*account))).collect(),
        unexplained: ledger.unexplained(),
        worst_ratio: ledger.worst_ratio(),
        peak_bytes,
        quarantined,
        hash: world.hash(),
    }))
}

fn advance(world: &mut World, plan: &Plan, interrupt: &Interrupt) -> Option<(Clock, u64)> {
    let bar = progress::bar(plan.steps, progress::STEPS);
    world.want_stage_times(true);
    let mut clock = Clock::default();
    let mut quarantined = 0;
    let (mut busy_from, mut all_from) = (None, None);
    let mut shown = Instant::now();
    for step in 0..plan.steps {
        if interrupt.is_asked() {
            return None;
        }
        if step == plan.window.start {
            (busy_from, all_from) = (figures::processor_time(), figures::processor_time_of_all());
        }
        let start = Instant::now();
        let report = world.step();
        let end = Instant::now();
        quarantined += report.quarantined.len() as u64;
        if plan.window.contains(&step) {
            clock.times_ms.push((end - start).as_secs_f64() * 1e3);
            clock.contacts += report.contacts as u64;
            for (sum, time) in clock.stages.iter_mut().zip(report.stage_time) {
                *sum += time;
            }
        }
        if step + 1 == plan.window.end {
            clock.busy = busy_from.and_then(|from| Some(figures::processor_time()? - from));
            clock.all_busy = all_from.and_then(|from| Some(figures::processor_time_of_all()? - from));
        }
        if end - shown > Duration::from_millis(50) {
            bar.set_position(step + 1);
            shown = end;
        }
    }
    bar.finish_and_clear();
    Some((clock, quarantined))
}
