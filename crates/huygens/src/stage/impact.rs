//! Collisions with restitution, on the velocity at the start of the step.

use crate::model::Model;
use crate::report::StepReport;
use crate::workspace::Workspace;
use huygens_contact::{ImpactProblem, Scale};
use huygens_math::scalar;

pub(crate) fn impact(model: &Model, work: &mut Workspace, report: &mut StepReport) {
    let settings = &model.settings;
    let mut problem = ImpactProblem {
        h: settings.dt,
        acceleration: &work.acceleration,
        inertia: &work.inertia,
        groups: &mut work.groups,
        graph: &work.graph,
        scale: Scale { length: settings.length, speed: model.speed_scale() },
    };
    huygens_contact::impact(
        &settings.contact,
        &mut problem,
        &mut work.v_start,
        &mut work.scratch,
        &mut work.impact,
    );
    // What an impact gave is no longer there for the solve.
    for (cap, load) in work.groups.caps.iter_mut().zip(&work.impact.drivers) {
        *cap = scalar::max(*cap - load.impulse.length(), 0.0);
    }
    report.impacts = work.impact.impacts;
    report.least_restitution_share = work.impact.least_beta;
    let (h, start, a) = (settings.dt, &work.v_start, &work.acceleration);
    work.v_free.free.clear();
    work.v_free.free.extend(start.free.iter().zip(&a.free).map(|(v, a)| *v + *a * h));
    work.v_free.dof.clear();
    work.v_free.dof.extend(start.dof.iter().zip(&a.dof).map(|(v, a)| v + a * h));
}
