//! The command: runs every contender, and says what came of it.

use super::args::CompareArgs;
use super::contender::{self, Contender};
use super::figures::{Comparison, Entry, Figures, Run};
use super::record::{Plan, Record, record};
use super::{json, page, refine, report};
use crate::args::SceneArgs;
use crate::{Failure, print, progress, run};
use huygens::Scene;
use indicatif::ProgressBar;
use std::path::Path;
use std::time::Duration;

/// `huygens compare`.
pub fn compare(args: &CompareArgs) -> Result<(), Failure> {
    let name = args.scene.name();
    let scene = run::read(name, &args.scene.settings(None)?, false)?.scene;
    let contenders = contender::choose(&scene, args.solvers.as_deref())?;
    let mut plan = Plan::new(&scene, limit(args.limit)?);
    if args.report.is_some() {
        plan = plan.with_frames(report::most_frames(&scene, &contenders));
    }
    let comparison = measure(name, scene, contenders, &plan, args.refine);
    if let Some(path) = &args.report {
        write(path, &report::html(&comparison, &run::find(name)?, &asked(&args.scene)))?;
    }
    print(&if args.json { json::comparison(&comparison) + "\n" } else { page::page(&comparison) })
}

/// What the command line put over the scene, as it was written.
fn asked(args: &SceneArgs) -> Vec<String> {
    let set = args.set.iter().map(|set| format!("--set {set}"));
    let steps = args.steps.iter().map(|steps| format!("--steps {steps}"));
    let seconds = args.seconds.iter().map(|seconds| format!("--seconds {seconds}"));
    set.chain(steps).chain(seconds).collect()
}

fn write(path: &Path, page: &str) -> Result<(), Failure> {
    std::fs::write(path, page)
        .map_err(|error| Failure::Trouble(format!("error: --report {}: {error}", path.display())))
}

fn limit(seconds: f64) -> Result<Duration, Failure> {
    Duration::try_from_secs_f64(seconds).map_err(|_| {
        Failure::Input(format!(
            "error: --limit: {seconds} is no time to wait\n  = help: Give it a number of seconds, 0 or more."
        ))
    })
}

/// One after the other: runs side by side would measure each other's time.
fn measure(
    name: &str,
    scene: Scene,
    contenders: Vec<Contender>,
    plan: &Plan,
    levels: Option<usize>,
) -> Comparison {
    let levels = refine::levels(&scene, levels);
    let rounds = if levels > 1 { 2 } else { 1 };
    let bar = progress::bar(rounds * contenders.len() as u64 * TICKS, "{msg}");
    let mut done = 0;
    let mut records: Vec<(Contender, Result<Record, String>)> = Vec::new();
    for contender in contenders {
        bar.set_message(contender.name.clone());
        let result = record(&contender, &scene, plan, |step| advance(&bar, done, step, plan.steps));
        done += TICKS;
        bar.set_position(done);
        records.push((contender, result));
    }
    let entries = judged(records);
    let refinement = refine::refine(&scene, &entries, levels, plan, |contender| {
        bar.set_message(format!("{}, shorter steps", contender.name));
        bar.set_position(done);
        done += TICKS;
    });
    bar.finish_and_clear();
    Comparison { name: name.to_owned(), scene, entries, refinement }
}

/// Parts of the bar that each run has.
const TICKS: u64 = 1000;

fn advance(bar: &ProgressBar, done: u64, step: u64, steps: u64) {
    // Not more often than the bar can show.
    if step.is_multiple_of(steps.div_ceil(TICKS).max(1)) {
        bar.set_position(done + TICKS * step / steps.max(1));
    }
}

fn judged(records: Vec<(Contender, Result<Record, String>)>) -> Vec<Entry> {
    let reference = records.first().and_then(|(_, result)| result.as_ref().ok());
    let figures: Vec<Option<Figures>> = records
        .iter()
        .map(|(_, result)| result.as_ref().ok().map(|record| Figures::of(record, reference)))
        .collect();
    records
        .into_iter()
        .zip(figures)
        .map(|((contender, result), figures)| Entry {
            contender,
            run: result.and_then(|record| {
                let figures = figures.ok_or("it was not measured")?;
                Ok(Run { record, figures })
            }),
        })
        .collect()
}
