//! Collisions with restitution, on the velocity at the start of the step.

use crate::access::ImpactAccess;
use crate::model::Model;
use crate::report::StepReport;
use huygens_contact::ImpactProblem;

pub(crate) fn impact(model: &Model, work: &mut ImpactAccess, report: &mut StepReport) {
    let settings = &model.settings;
    let problem = ImpactProblem {
        h: settings.dt,
        acceleration: work.acceleration,
        inertia: work.inertia,
        groups: work.groups,
        graph: work.graph,
        scale: model.scale(),
        friction: settings.solver.has_friction(),
    };
    huygens_contact::impact(&settings.contact, &problem, work.v_start, work.scratch, work.impact);
    work.impact.revised.turn_warm(work.groups, work.warm, work.warm_couples);
    report.impacts = work.impact.impacts;
    report.least_restitution_share = work.impact.least_beta;
    work.v_free.set_kicked(work.v_start, work.acceleration, settings.dt);
}
