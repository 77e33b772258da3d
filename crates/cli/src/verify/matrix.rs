//! Runs cases with models, on every core, and keeps the results in the order of the list.

use super::case::{Case, Figure, Measured, Trouble, worst};
use super::reasons::reason;
use crate::interrupt::Interrupt;
use crate::progress;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How often to look for Ctrl-C while cases run.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// One case with one model.
pub struct Cell {
    pub solver: String,
    pub figures: Vec<Figure>,
    /// Why it could not be measured, or why the law cannot meet it.
    pub reason: Option<String>,
    /// How long it took [s].
    pub seconds: f64,
}

impl Cell {
    /// Whether every figure is what it must be.
    pub fn pass(&self) -> bool {
        !self.figures.is_empty() && self.figures.iter().all(Figure::pass)
    }

    /// The figure that stands in the matrix: the one that is furthest beyond its limit, or the first, which is what the case
    /// is about, where all are met.
    pub fn headline(&self) -> Option<&Figure> {
        if self.pass() { self.figures.first() } else { worst(&self.figures) }
    }
}

/// A case with its results, in the order of the models.
pub struct Row {
    pub case: &'static Case,
    pub cells: Vec<Cell>,
}

/// Every case with every model, or as many as are done when the user has enough; what is then under way is left where it is.
pub fn run(cases: &[&'static Case], solvers: &[String], interrupt: &Interrupt) -> Vec<Row> {
    let jobs: Arc<Vec<(&'static Case, String)>> = Arc::new(
        cases.iter().flat_map(|case| solvers.iter().map(move |solver| (*case, solver.clone()))).collect(),
    );
    let bar = progress::bar(jobs.len() as u64, "{pos}/{len} {msg}");
    let next = Arc::new(AtomicUsize::new(0));
    let (sender, results) = mpsc::channel();
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(jobs.len());
    for _ in 0..threads {
        let (jobs, next, sender, bar) = (jobs.clone(), next.clone(), sender.clone(), bar.clone());
        std::thread::spawn(move || {
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some((case, solver)) = jobs.get(at) else { break };
                bar.set_message(format!("{} · {solver}", case.title));
                if sender.send((at, measure(case, solver))).is_err() {
                    break;
                }
            }
        });
    }
    drop(sender);
    let mut done: Vec<Option<Cell>> = jobs.iter().map(|_| None).collect();
    while !interrupt.is_asked() {
        match results.recv_timeout(LOOK_EVERY) {
            Ok((at, cell)) => {
                done[at] = Some(cell);
                bar.inc(1);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    bar.finish_and_clear();
    let mut cells = done.into_iter();
    let row =
        |case: &&'static Case| Row { case, cells: cells.by_ref().take(solvers.len()).flatten().collect() };
    cases.iter().map(row).collect()
}

fn measure(case: &Case, solver: &str) -> Cell {
    let start = Instant::now();
    // One model's fault is one cell: the others go on.
    let outcome: Measured = catch_unwind(AssertUnwindSafe(|| (case.measure)(solver)))
        .unwrap_or_else(|_| Err(Trouble("the engine panicked".to_owned())));
    let seconds = start.elapsed().as_secs_f64();
    let (figures, trouble) = match outcome {
        Ok(figures) => (figures, None),
        Err(Trouble(why)) => (Vec::new(), Some(why)),
    };
    let mut cell = Cell { solver: solver.to_owned(), figures, reason: trouble, seconds };
    if !cell.pass() && cell.reason.is_none() {
        cell.reason = reason(solver, case.number).map(str::to_owned);
    }
    cell
}
