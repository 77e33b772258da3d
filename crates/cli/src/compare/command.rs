//! The command: runs every contender, and says what came of it.

use super::args::CompareArgs;
use super::contender::{self, Contender};
use super::figures::{Comparison, Entry, Figures, Run};
use super::record::{Plan, Record, record};
use super::{json, page, refine, report};
use crate::args::SceneArgs;
use crate::interrupt::Interrupt;
use crate::robot::Start;
use crate::{Failure, output, print, progress, run};
use huygens::{Scene, World};
use indicatif::ProgressBar;
use std::time::Duration;

/// `huygens compare`.
pub fn compare(args: &CompareArgs) -> Result<(), Failure> {
    let name = args.scene.name();
    let (source, robot) = run::find_played(name, &Start::default())?;
    let mut loaded = run::read_text(name, &source, &args.scene.settings(None)?, false)?;
    // Models are compared at work.
    loaded.scene.world.sleep.get_or_insert(false);
    if let Some(path) = &args.report {
        output::check_ending("--report", path, &["html", "htm"])?;
        output::try_file("--report", path)?;
    }
    let contenders = contender::choose(&loaded.scene, args.solvers.as_deref())?;
    let cast = run::cast(robot, &mut loaded, args.ctrl.as_deref())?;
    let mut plan = Plan::new(&loaded.scene, limit(args.limit)?).with_cast(cast);
    if args.report.is_some() {
        plan = plan.with_frames(report::most_frames(&loaded.scene, &contenders));
    }
    if let Ok(start) = World::new(&loaded.scene) {
        run::warn(&loaded, &start);
    }
    let asked_for = contenders.len();
    let interrupt = Interrupt::listen();
    let comparison = measure(name, loaded.scene, contenders, &plan, args.refine, &interrupt);
    let page = args
        .report
        .as_ref()
        .map(|path| output::write("--report", path, report::html(&comparison, &source, &asked(&args.scene))));
    // The table is told also when the page could not be written.
    print(&if args.json { json::comparison(&comparison) + "\n" } else { page::page(&comparison) })?;
    page.unwrap_or(Ok(()))?;
    if interrupt.is_asked() {
        let done = comparison.entries.len();
        return Err(Failure::Stopped(format!("stopped: {done} of {asked_for} models are in the table")));
    }
    Ok(())
}

/// Values of `--set` and of options that replace those of the scene, as they were written.
pub fn asked(args: &SceneArgs) -> Vec<String> {
    let set = args.set.iter().map(|set| format!("--set {set}"));
    let steps = args.steps.iter().map(|steps| format!("--steps {steps}"));
    let seconds = args.seconds.iter().map(|seconds| format!("--seconds {seconds}"));
    set.chain(steps).chain(seconds).collect()
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
    interrupt: &Interrupt,
) -> Comparison {
    let levels = refine::levels(&scene, levels);
    let rounds = if levels > 1 { 2 } else { 1 };
    let bar = progress::bar(rounds * contenders.len() as u64 * TICKS, "{msg}");
    let mut done = 0;
    let mut records: Vec<(Contender, Result<Record, String>)> = Vec::new();
    for contender in contenders {
        if interrupt.is_asked() {
            break;
        }
        bar.set_message(contender.name.clone());
        let result = record(&contender, &scene, plan, |step| {
            advance(&bar, done, step, plan.steps);
            !interrupt.is_asked()
        });
        done += TICKS;
        bar.set_position(done);
        records.push((contender, result));
    }
    let entries = judged(records);
    let go_on = || !interrupt.is_asked();
    let refinement = refine::refine(&scene, &entries, levels, plan, go_on, |contender| {
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
