//! One run of a sweep, and its row of the table.

use super::grid::Grid;
use crate::adapter::{Outcome, Simulation};
use crate::interrupt::Interrupt;
use crate::robot::Cast;
use huygens::Scene;
use huygens::scene::{LEDGER_ACCOUNTS, Watch};
use std::time::Instant;

/// A scene that is to be run for a row.
pub struct Job {
    /// Its number in the grid, from 0.
    pub number: usize,
    pub scene: Scene,
    /// The robots of the scene.
    pub cast: Cast,
    /// Whether what the scene expects speaks of this run.
    pub expects: bool,
    /// Fingerprint of the scene's text and of what is put over it.
    pub input: u64,
}

/// Names of the columns that follow those of the values.
const BEFORE_LEDGER: [&str; 7] =
    ["solver", "dt", "steps", "time", "wall_seconds", "energy_start", "energy_end"];
const AFTER_LEDGER: [&str; 9] = [
    "contacts",
    "max_penetration",
    "max_penetration_end",
    "natural_map",
    "quarantined",
    "expect_checks",
    "expect_unmet",
    "hash",
    "input",
];

/// The names of all columns.
pub fn columns(grid: &Grid) -> Vec<String> {
    let values = grid.sides.iter().map(|side| side.path.as_str());
    let ledger = LEDGER_ACCOUNTS.iter().copied();
    let names = std::iter::once("run").chain(values).chain(BEFORE_LEDGER).chain(ledger).chain(AFTER_LEDGER);
    names.map(str::to_owned).collect()
}

/// Runs a job to its end; `None` when the user stopped it.
///
/// # Errors
/// Why no world can be made of the scene.
pub fn run(job: &Job, grid: &Grid, interrupt: &Interrupt) -> Result<Option<Vec<String>>, String> {
    let mut scene = job.scene.clone();
    // Runs are side by side already.
    scene.world.threads.get_or_insert(1);
    let mut simulation = Simulation::new(&scene).map_err(|errors| errors.to_string())?;
    simulation.set_pilots(job.cast.pilots(simulation.world())?);
    let mut watch = Watch::new(&job.scene, simulation.world());
    let begun = Instant::now();
    for _ in 0..job.scene.world.step_count() {
        if interrupt.is_asked() {
            return Ok(None);
        }
        simulation.step_with_robots().map_err(|failure| failure.to_string())?;
        watch.look(simulation.world());
    }
    let wall_seconds = begun.elapsed().as_secs_f64();
    let unmet = job.expects.then(|| watch.unmet(simulation.world()).len());
    Ok(Some(fields(job, grid, &simulation.outcome(), wall_seconds, unmet)))
}

fn fields(job: &Job, grid: &Grid, outcome: &Outcome, wall_seconds: f64, unmet: Option<usize>) -> Vec<String> {
    // As in JSON: the shortest form that reads back with the same bits; what is not finite is left out.
    let number = |x: f64| if x.is_finite() { format!("{x:?}") } else { String::new() };
    let world = &job.scene.world;
    let mut row = vec![(job.number + 1).to_string()];
    row.extend(grid.values(job.number).into_iter().map(str::to_owned));
    row.extend([world.solver.clone(), number(world.dt), outcome.steps.to_string()]);
    row.extend([outcome.time, wall_seconds, outcome.energy_start, outcome.energy_end].map(number));
    row.extend(outcome.ledger.iter().map(|(_, x)| number(*x)));
    let natural_map = outcome.certificate.iter().find(|(name, _)| *name == "natural_map").map(|(_, x)| *x);
    row.push(outcome.contacts.to_string());
    row.extend([outcome.max_penetration, outcome.max_penetration_end].map(number));
    row.push(natural_map.map_or_else(String::new, number));
    row.push(outcome.quarantined.to_string());
    let checks = if job.expects { job.scene.expect.len().to_string() } else { String::new() };
    row.extend([checks, unmet.map_or_else(String::new, |unmet| unmet.to_string())]);
    row.extend([format!("{:016x}", outcome.hash), format!("{:016x}", job.input)]);
    row
}
