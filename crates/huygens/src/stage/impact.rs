//! Collisions with restitution, on the velocity at the start of the step.

use crate::model::Model;
use crate::report::StepReport;
use crate::workspace::Workspace;
use huygens_contact::{ImpactProblem, Scale};

pub(crate) fn impact(model: &Model, work: &mut Workspace, report: &mut StepReport) {
    let settings = &model.settings;
    let problem = ImpactProblem {
        h: settings.dt,
        acceleration: &work.acceleration,
        inertia: &work.inertia,
        groups: &work.groups,
        scale: Scale { length: settings.length, speed: model.speed_scale() },
    };
    huygens_contact::impact(
        &settings.contact,
        &problem,
        &mut work.v_start,
        &mut work.scratch,
        &mut work.impact,
    );
    report.impacts = work.impact.impacts;
    report.least_restitution_share = work.impact.least_beta;
    work.v_free.copy_from(&work.v_start);
    let h = settings.dt;
    for (v, a) in work.v_free.free.iter_mut().zip(&work.acceleration.free) {
        *v += *a * h;
    }
    for (v, a) in work.v_free.dof.iter_mut().zip(&work.acceleration.dof) {
        *v += a * h;
    }
}
