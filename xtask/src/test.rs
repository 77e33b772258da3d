//! `cargo xtask test`: runs everything, goes on after a failure, and says at the end what failed and what was missing.
//!
//! | pass | shows |
//! |---|---|
//! | format, lints, import rule, documentation | the house's rules |
//! | every test and every example, profile `release-test` | every claim, at full speed, with overflow of integers as a failure |
//! | hash of every named scene with every contact model in `dev` and `release` | the same bits at opt-level 1 and in the build that users run, and debug assertions in every part of the engine |
//! | the page of `huygens compare` in headless Chromium | the report |
//!
//! No test runs in `dev`: to build the tests beside the code alone takes ten minutes of a core there, and overflow, debug assertions and bits are
//! shown by these passes. What must hold and costs nothing to look at is an `assert!`, not a `debug_assert!`.

mod documentation;
mod programs;
mod queue;
mod tally;
mod times;

use crate::{imports, page, profiles, root};
pub use queue::Job;
use std::process::Command;
use std::time::Instant;
use tally::Tally;
use times::Times;

/// How much to run.
#[derive(Clone, Copy, PartialEq)]
pub enum Extent {
    /// Format, lints and import rule.
    Checks,
    /// Less than three minutes' worth of tests, for which the Rust toolchain alone suffices.
    Quick,
    /// Every test there is.
    Everything,
}

/// The slowest tests, a name a line. `--quick` leaves them out, and a first run begins with them.
const SLOW: &str = include_str!("test/slow.txt");

/// Runs the tests.
pub fn run(extent: Extent) -> Result<(), String> {
    let mut tally = Tally::default();
    // Downloads need the network, the other passes need the cores.
    let page_tools = (extent == Extent::Everything).then(|| std::thread::spawn(page::install));
    rules(&mut tally);
    if extent == Extent::Checks {
        return tally.close();
    }
    step("documentation", &["doc", "--workspace", "--no-deps", "--quiet"], &mut tally);
    tally.count("public interface", crate::api::test());
    documentation::run(&mut tally);
    let jobs = jobs(extent, &mut tally);
    run_jobs(jobs, &mut tally);
    match page_tools {
        Some(tools) => {
            println!("── the page of `huygens compare --report`");
            let installed = tools.join().unwrap_or_else(|_| Err("the installation panicked".to_owned()));
            tally.count("the page", installed.and_then(|()| page::test(None)));
        }
        None => tally.skip("the page of `huygens compare`: --quick needs no Node and no Chromium".to_owned()),
    }
    tally.close()
}

fn is_slow(name: &str) -> bool {
    SLOW.lines().any(|slow| slow == name)
}

/// Format, lints and the import rule.
fn rules(tally: &mut Tally) {
    step("format", &["fmt", "--all", "--check"], tally);
    step("lints", &["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"], tally);
    let breaches = imports::breaches(&root());
    tally.count("import rule", if breaches.is_empty() { Ok(()) } else { Err(breaches.join("\n")) });
}

/// All that runs on the queue: tests and hashes of scenes.
fn jobs(extent: Extent, tally: &mut Tally) -> Vec<Job> {
    let mut jobs = tests(tally);
    if extent == Extent::Quick {
        for name in SLOW.lines() {
            if jobs.iter().any(|job| job.name == name) {
                tally.skip(format!("{name} (slow; not in --quick)"));
            } else {
                let problem = format!("`{name}` of xtask/src/test/slow.txt is no test, or did not build");
                tally.count("list of slow tests", Err(problem));
            }
        }
        jobs.retain(|job| !is_slow(&job.name));
        return jobs;
    }
    match profiles::jobs() {
        Ok(hashes) => jobs.extend(hashes),
        Err(problem) => tally.count("hashes of scenes", Err(problem)),
    }
    jobs
}

/// Every test of the workspace.
fn tests(tally: &mut Tally) -> Vec<Job> {
    let start = Instant::now();
    let (programs, problem) = programs::build();
    println!("   {:.0} s", start.elapsed().as_secs_f64());
    tally.count("building tests", problem.map_or(Ok(()), Err));
    let mut jobs = Vec::new();
    for program in programs {
        match program.tests() {
            Ok(listed) => {
                jobs.extend(listed.jobs);
                listed.ignored.into_iter().for_each(|name| tally.skip(format!("{name} (ignored)")));
            }
            Err(problem) => tally.count("list of tests", Err(problem)),
        }
    }
    jobs
}

fn run_jobs(jobs: Vec<Job>, tally: &mut Tally) {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let all = jobs.len();
    println!("── {all} tests on {cores} cores");
    let (start, times) = (Instant::now(), Times::read());
    let mut done = 0;
    let outcomes = queue::run(
        jobs,
        cores,
        |name| times.of_last_run(name).unwrap_or(if is_slow(name) { f64::INFINITY } else { 1.0 }),
        |outcome| {
            tally.count_outcome(outcome);
            done += 1;
            if done % 100 == 0 || done == all {
                println!("   {done} of {all}, {:.0} s", start.elapsed().as_secs_f64());
            }
        },
    );
    println!("── the slowest ten");
    times::slowest(&outcomes).iter().for_each(|line| println!("{line}"));
    if let Err(problem) = times.record(&outcomes) {
        println!("note: the times are not recorded: {problem}");
    }
}

/// Runs one cargo command. A component that the toolchain lacks is named, not counted as a failure of the code.
fn step(name: &str, args: &[&str], tally: &mut Tally) {
    println!("── {name}: cargo {}", args.join(" "));
    let start = Instant::now();
    let component = match args[0] {
        "fmt" => Some("rustfmt"),
        "clippy" => Some("clippy"),
        _ => None,
    };
    if let Some(component) = component
        && !has(args[0])
    {
        let remedy = format!("`rustup component add {component}` gives it");
        return tally.skip(format!("{name}: this toolchain has no {component}; {remedy}"));
    }
    let warnings = if args[0] == "doc" { "-D warnings" } else { "" };
    let status = Command::new("cargo").args(args).current_dir(root()).env("RUSTDOCFLAGS", warnings).status();
    let result = match status {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(format!("cargo {} failed; its messages are above", args.join(" "))),
        Err(error) => Err(format!("cargo did not start: {error}")),
    };
    println!("   {:.0} s", start.elapsed().as_secs_f64());
    tally.count(name, result);
}

fn has(tool: &str) -> bool {
    Command::new("cargo").args([tool, "--version"]).output().is_ok_and(|out| out.status.success())
}
