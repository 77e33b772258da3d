//! One step, from the top.

use crate::model::Model;
use crate::report::StepReport;
use crate::stage;
use crate::state::State;
use crate::workspace::Workspace;

/// Advances the state by one time step.
pub fn step(model: &Model, state: &mut State, work: &mut Workspace, report: &mut StepReport) {
    report.begin();
    stage::drive(model, state);
    stage::kinematics(model, state, work);
    report.lap("kinematics");
    stage::collide(model, state, work);
    report.lap("collide");
    // Once, unless a number overflows: then again without the body that it belongs to. Each round takes one out.
    loop {
        stage::assemble(model, state, work);
        report.lap("assemble");
        stage::impact(model, work, report);
        report.lap("impact");
        stage::solve(model, work, report);
        stage::power(model, state, work, report);
        stage::certify(model, work, report);
        report.lap("solve");
        stage::position(model, state, work);
        report.lap("position");
        if stage::sound(model, state, work, report) {
            break;
        }
    }
    stage::integrate(model, state, work);
    report.lap("integrate");
    stage::account(model, state, work, report);
    report.lap("account");
    stage::remember(model, state, work, report);
    report.lap("remember");
}
