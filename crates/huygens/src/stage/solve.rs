//! The chosen contact model.

use crate::access::SolveAccess;
use crate::model::Model;
use crate::report::StepReport;
use huygens_contact::{Certificate, ContactProblem, Solution, Warm};
use std::time::Instant;

pub(crate) fn solve(model: &Model, work: &mut SolveAccess, report: &mut StepReport) {
    let settings = &model.settings;
    let (problem, revised) = (work.problem.view(model), &work.problem.impact.revised);
    let warm = Warm {
        points: revised.warm_or(work.warm),
        couples: revised.couples_or(work.warm_couples),
        rows: work.warm_rows,
    };
    report.solve = settings.solver.solve(&settings.contact, &problem, warm, work.scratch, work.solution);
    report.island_solves = problem.graph.islands();
}

/// Residuals of the answer, when they are asked for.
pub(crate) fn certify(model: &Model, work: &SolveAccess<'_>, report: &mut StepReport) {
    report.sweep_energy = work.solution.work.increments.value();
    if report.want_certificate {
        judge(&work.problem.view(model), work.solution, report);
    }
}

/// Fills the certificate. A step that is taken anew is judged anew.
pub(super) fn judge(problem: &ContactProblem, solution: &Solution, report: &mut StepReport) {
    let start = Instant::now();
    report.certificate = Some(Certificate::of(problem, solution.all(), &solution.v));
    report.certificate_time += start.elapsed();
}
