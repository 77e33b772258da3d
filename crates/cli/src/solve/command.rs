//! The command: all input is looked at before the first solve.

use super::args::SolveArgs;
use super::outcome::Outcome;
use super::problem::{Form, Problem};
use super::{json, page};
use crate::interrupt::Interrupt;
use crate::{Failure, models, print, progress};
use huygens::contact::{NeedsBodies, SolverKind};

/// `huygens solve`.
pub fn solve(args: &SolveArgs) -> Result<(), Failure> {
    let solvers = solvers(args.solver.as_deref())?;
    let problems = args.files.iter().map(|path| Problem::read(path)).collect::<Result<Vec<_>, _>>()?;
    refuse(&problems, &solvers)?;
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
    if !solver.displaces() {
        return Ok(());
    }
    match problems.iter().find(|problem| matches!(problem.form, Form::Delassus(_))) {
        None => Ok(()),
        Some(problem) => {
            Err(Failure::Input(format!("error: {}: {}", problem.file, NeedsBodies::SubSteps(*solver))))
        }
    }
}
