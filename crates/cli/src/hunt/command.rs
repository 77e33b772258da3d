//! The command: what is asked for, checked before the work begins; the hunt; the results.

use super::args::HuntArgs;
use super::write::{Folder, Written};
use super::{json, markdown, page};
use crate::interrupt::Interrupt;
use crate::{Failure, models, print, progress, run};
use huygens::scene::{Named, WorldSpec, suggest};
use huygens_hunt::{Judgement, Kind, Plan, Progress, Report, SceneHash, Worlds, hashes, search, trial};
use std::num::NonZero;
use std::path::Path;

/// Trials that one finding may take to shrink.
const BUDGET: usize = 300;
/// Most scenes of a kind: more would not end.
const MOST_SCENES: u64 = 10_000_000;

/// Tail of the bar that counts scenes.
const SCENES: &str = "{pos}/{len} scenes, {eta} left";

/// A hunt that came to its end, or was stopped.
pub struct Hunted {
    pub plan: Plan,
    pub report: Report,
    /// Aligned with the findings.
    pub written: Vec<Written>,
}

/// `huygens hunt`.
pub fn hunt(args: &HuntArgs) -> Result<(), Failure> {
    let kinds = kinds(&args.kinds)?;
    if let Some(file) = &args.replay {
        return replay(args, &kinds, file);
    }
    let plan = plan(args, kinds)?;
    if args.hashes {
        return print_hashes(&plan);
    }
    let folder = Folder::open(&args.out)?;
    if let Some(path) = &args.markdown {
        try_writing(path)?;
    }
    let report = searched(&plan);
    let written = folder.write(&plan, &report)?;
    let hunted = Hunted { plan, report, written };
    if let Some(path) = &args.markdown {
        let text = markdown::page(&hunted, args.commit.as_deref());
        std::fs::write(path, text)
            .map_err(|error| Failure::Trouble(format!("error: --markdown {}: {error}", path.display())))?;
    }
    print(&if args.json { json::object(&hunted) + "\n" } else { page::page(&hunted) })?;
    ending(&hunted)
}

/// A line for each scene: kind, number, hash.
fn print_hashes(plan: &Plan) -> Result<(), Failure> {
    let interrupt = Interrupt::listen();
    let bar = progress::bar(plan.kinds.len() as u64 * plan.scenes, SCENES);
    let done = hashes(&Worlds, plan, interrupt.flag(), &|done| bar.set_position(done as u64));
    bar.finish_and_clear();
    let mut lines = String::new();
    for SceneHash { kind, number, hash } in done {
        let hash = hash.map_or_else(|| "cannot be".to_owned(), |hash| format!("{hash:016x}"));
        lines += &format!("{} {number} {hash}\n", kind.word());
    }
    print(&lines)?;
    if interrupt.is_asked() { Err(Failure::Stopped("stopped".to_owned())) } else { Ok(()) }
}

/// The exit status: stopped, found, or nothing.
fn ending(hunted: &Hunted) -> Result<(), Failure> {
    let count = hunted.report.findings.len();
    if hunted.report.stopped {
        return Err(Failure::Stopped(format!("stopped; {count} findings are kept")));
    }
    match count {
        0 => Ok(()),
        _ => Err(Failure::Found),
    }
}

/// Judges one scene file again.
fn replay(args: &HuntArgs, kinds: &[Kind], file: &str) -> Result<(), Failure> {
    let [kind] = kinds else {
        return Err(Failure::Input(
            "error: --replay judges one kind of fault\n  = help: Name it, e.g. `--for energy`.".to_owned(),
        ));
    };
    let loaded = run::read(file, &[], true)?;
    let judgement = trial(*kind, &Worlds, &loaded.scene);
    print(&if args.json {
        json::judgement(*kind, &judgement) + "\n"
    } else {
        page::judgement(*kind, &judgement)
    })?;
    match judgement {
        Judgement::Judged(verdict) if verdict.is_fault() => Err(Failure::Found),
        _ => Ok(()),
    }
}

fn plan(args: &HuntArgs, kinds: Vec<Kind>) -> Result<Plan, Failure> {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    Ok(Plan {
        kinds,
        scenes: scenes(&args.scenes)?,
        seed: seed(&args.seed)?,
        solvers: solvers(args.solver.as_deref())?,
        shrink: args.shrink,
        budget: BUDGET,
        threads: args.threads.map_or(cores, |threads| threads as usize),
    })
}

/// The kinds of `--for`, each once, in the order of [`Kind::ALL`].
fn kinds(list: &str) -> Result<Vec<Kind>, Failure> {
    let words: Vec<&str> = list.split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
    let mut chosen = Vec::new();
    for word in &words {
        match Kind::from_word(word) {
            Some(kind) => chosen.push(kind),
            None if *word == "all" => chosen.extend(Kind::ALL),
            None => {
                let known = Kind::ALL.map(Kind::word).into_iter().chain(["all"]);
                return Err(Failure::Input(format!(
                    "error: --for: there is no kind of fault `{word}`\n  = help: {}",
                    suggest(word, known)
                )));
            }
        }
    }
    if chosen.is_empty() {
        return Err(Failure::Input(
            "error: --for names no kind of fault\n  = help: Name some with commas between them, or `all`."
                .to_owned(),
        ));
    }
    chosen.sort_unstable();
    chosen.dedup();
    Ok(chosen)
}

fn scenes(text: &str) -> Result<u64, Failure> {
    text.parse().ok().filter(|n| (1..=MOST_SCENES).contains(n)).ok_or_else(|| {
        Failure::Input(format!(
            "error: --scenes is {text}; must be a whole number from 1 to {MOST_SCENES}\n  = help: `--scenes 100` takes a minute or two."
        ))
    })
}

fn seed(text: &str) -> Result<u64, Failure> {
    text.parse().map_err(|_| {
        Failure::Input(format!(
            "error: --seed is {text}; must be a whole number from 0 to {}\n  = help: `--seed 1` is the default.",
            u64::MAX
        ))
    })
}

/// The models of `--solver`; without it the scenes' default.
fn solvers(list: Option<&str>) -> Result<Vec<String>, Failure> {
    match list {
        None => Ok(vec![WorldSpec::default().solver]),
        Some(list) => models::list("--solver", list),
    }
}

/// An error before the work when a file cannot be written.
fn try_writing(path: &Path) -> Result<(), Failure> {
    let there = path.exists();
    let opened = std::fs::OpenOptions::new().append(true).create(true).open(path);
    opened.map_err(|error| {
        Failure::Input(format!(
            "error: --markdown {}: {error}\n  = help: Name a file in a folder that can be written.",
            path.display()
        ))
    })?;
    if !there {
        let _ = std::fs::remove_file(path);
    }
    Ok(())
}

/// Searches with a bar for each of the two phases.
fn searched(plan: &Plan) -> Report {
    let interrupt = Interrupt::listen();
    let scenes = plan.kinds.len() as u64 * plan.scenes;
    let searching = progress::bar(scenes, SCENES);
    let shrinking = std::sync::OnceLock::new();
    let report = search(&Worlds, plan, interrupt.flag(), &|at| match at {
        Progress::Searching { done, .. } => searching.set_position(done as u64),
        Progress::Shrinking { done, of } => {
            searching.finish_and_clear();
            let bar =
                shrinking.get_or_init(|| progress::bar(of as u64, "{pos}/{len} findings shrunk, {eta} left"));
            bar.set_position(done as u64);
        }
    });
    searching.finish_and_clear();
    if let Some(bar) = shrinking.get() {
        bar.finish_and_clear();
    }
    report
}
