//! The command: all input is looked at before the first solve.

use super::answer::Foreign;
use super::args::SolveArgs;
use super::outcome::Outcome;
use super::problem::{Form, Problem};
use super::{json, page};
use crate::interrupt::Interrupt;
use crate::{Failure, models, print, progress};
use huygens::contact::{NeedsBodies, SolverKind};
use std::path::Path;

/// `huygens solve`.
pub fn solve(args: &SolveArgs) -> Result<(), Failure> {
    let solvers = solvers(args.solver.as_deref())?;
    let problems = args.files.iter().map(|path| Problem::read(path)).collect::<Result<Vec<_>, _>>()?;
    refuse(&problems, &solvers)?;
    if let Some(path) = &args.judge {
        return judge(args, path, &problems);
    }
    let interrupt = Interrupt::listen();
    let jobs = problems.len() * solvers.len();
    let bar = progress::bar(jobs as u64, "{pos}/{len} {msg}");
    let mut outcomes = Vec::new();
    for (problem, &solver) in problems.iter().flat_map(|problem| solvers.iter().map(move |s| (problem, s))) {
        if interrupt.is_asked() {
            break;
        }
        bar.set_message(format!("{} · {solver}", problem.file));
        outcomes.push(Outcome::of(problem, solver));
        bar.inc(1);
    }
    bar.finish_and_clear();
    print(&if args.json { json::text(&outcomes, jobs) } else { page::table(&outcomes) })?;
    if outcomes.len() < jobs {
        return Err(Failure::Stopped(format!("stopped after {} of {jobs} solves", outcomes.len())));
    }
    Ok(())
}

/// Judges the answer of another program.
fn judge(args: &SolveArgs, path: &Path, problems: &[Problem]) -> Result<(), Failure> {
    let [problem] = problems else {
        return Err(Failure::Input("error: --judge is for one FILE".to_owned()));
    };
    let outcome = Outcome::of_foreign(problem, Foreign::read(path, problem.contacts, problem.dimension())?);
    if let Err(reason) = &outcome.answer {
        return Err(Failure::Input(format!("error: {}: {reason}", problem.file)));
    }
    print(&if args.json { json::text(&[outcome], 1) } else { page::table(&[outcome]) })
}

fn solvers(name: Option<&str>) -> Result<Vec<SolverKind>, Failure> {
    match name {
        None => Ok(vec![models::REFERENCE]),
        Some("all") => Ok(SolverKind::ALL.to_vec()),
        Some(name) => Ok(vec![models::find("--solver", name)?]),
    }
}

/// A model that was asked for by name and cannot solve a file is bad input; among all of them it is a line of the table.
fn refuse(problems: &[Problem], solvers: &[SolverKind]) -> Result<(), Failure> {
    let [solver] = solvers else { return Ok(()) };
    let Some(reason) = NeedsBodies::of_model(*solver) else { return Ok(()) };
    match problems.iter().find(|problem| matches!(problem.form, Form::Delassus(_))) {
        None => Ok(()),
        Some(problem) => Err(Failure::Input(format!("error: {}: {reason}", problem.file))),
    }
}
