//! The chosen contact model.

use crate::model::Model;
use crate::report::StepReport;
use crate::workspace::Workspace;
use huygens_contact::{Certificate, Warm};
use std::time::Instant;

pub(crate) fn solve(model: &Model, work: &mut Workspace, report: &mut StepReport) {
    let settings = &model.settings;
    let (problem, solution) = (work.problem.view(model), &mut work.solution);
    let revised = &work.problem.impact.revised;
    let (warm, couples) = (revised.warm_or(&work.warm), revised.couples_or(&work.warm_couples));
    report.solve = settings.solver.solve(
        &settings.contact,
        &problem,
        Warm { points: warm, couples, rows: &work.warm_rows },
        &mut work.scratch,
        solution,
    );
    report.island_solves = problem.graph.islands();
}

/// Residuals of the answer, when they are asked for.
pub(crate) fn certify(model: &Model, work: &Workspace, report: &mut StepReport) {
    let solution = &work.solution;
    report.sweep_energy = solution.work.increments.value();
    if report.want_certificate {
        let (start, problem) = (Instant::now(), work.problem.view(model));
        report.certificate = Some(Certificate::of(&problem, solution.all(), &solution.v));
        // A step that is taken anew is judged anew.
        report.certificate_time += start.elapsed();
    }
}
