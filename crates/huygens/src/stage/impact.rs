//! Collisions with restitution, on the velocity at the start of the step.

use crate::model::Model;
use crate::report::StepReport;
use crate::workspace::Workspace;
use huygens_contact::ImpactProblem;

pub(crate) fn impact(model: &Model, work: &mut Workspace, report: &mut StepReport) {
    let settings = &model.settings;
    let problem = ImpactProblem {
        h: settings.dt,
        acceleration: &work.acceleration,
        inertia: &work.problem.inertia,
        groups: &work.problem.groups,
        graph: &work.problem.graph,
        scale: model.scale(),
        friction: settings.solver.has_friction(),
    };
    huygens_contact::impact(
        &settings.contact,
        &problem,
        &mut work.problem.v_start,
        &mut work.scratch,
        &mut work.problem.impact,
    );
    work.problem.impact.revised.turn_warm(&work.problem.groups, &work.warm, &work.warm_couples);
    report.impacts = work.problem.impact.impacts;
    report.least_restitution_share = work.problem.impact.least_beta;
    work.problem.v_free.set_kicked(&work.problem.v_start, &work.acceleration, settings.dt);
}
