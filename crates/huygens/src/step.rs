//! One step, from the top. Each stage gets what it reads and what it writes (`access.rs`).

use crate::meeting::Hook;
use crate::model::Model;
use crate::report::{Stage, StepReport};
use crate::stage;
use crate::state::State;
use crate::workspace::Workspace;

/// Advances the state by one time step. `cargo xtask bench --instructions` counts what runs inside of this function, by its name.
#[inline(never)]
pub fn step(
    model: &Model,
    state: &mut State,
    work: &mut Workspace,
    report: &mut StepReport,
    mut hook: Option<Hook<'_>>,
) {
    report.begin();
    stage::drive(model, state);
    if stage::pass(model, state, work, report) {
        return;
    }
    stage::kinematics(model, state, &mut work.for_kinematics());
    work.velocity_before.clone_from(&state.velocity.free);
    report.lap(Stage::Kinematics);
    stage::near(model, state, &mut work.for_collide());
    while stage::wake_touched(model, state, &mut work.for_collide()) {
        stage::rouse(model, state, &mut work.for_kinematics());
        stage::near(model, state, &mut work.for_collide());
    }
    work.meet.clear();
    stage::collide(model, state, &mut work.for_collide(), hook.as_mut());
    report.lap(Stage::Collide);
    let (mut sweeps, mut is_kept) = (0, false);
    // Once, unless a number overflows: then again without the body that it belongs to; or unless a body would pass another one: then again with
    // a row for that. Each round takes a body out, or counts as a sweep.
    loop {
        if let Some(hook) = &mut hook {
            stage::meet(model, state, &mut work.for_meet(), hook);
        }
        stage::factor(model, state, &mut work.for_factor());
        stage::assemble(model, state, &mut work.for_assemble());
        report.lap(Stage::Assemble);
        stage::impact(model, &mut work.for_impact(), report);
        stage::stops(model, state, &mut work.for_impact());
        report.lap(Stage::Impact);
        if is_kept {
            stage::solve_again(model, state, &mut work.for_again(), report);
            report.lap(Stage::Solve);
        } else {
            stage::solve(model, &mut work.for_solve(), report);
            stage::power(model, state, &mut work.for_power(), report);
            stage::certify(model, &work.for_solve(), report);
            report.lap(Stage::Solve);
            stage::position(model, state, &mut work.for_position(), report);
            report.lap(Stage::Position);
        }
        if !stage::sound(model, state, &mut work.for_sound(), report) {
            is_kept = false;
            continue;
        }
        let again = stage::sweep(model, state, &mut work.for_sweep(), &mut sweeps, is_kept);
        report.lap(Stage::Position);
        if !again {
            break;
        }
        is_kept = stage::keep_answer(model, state, &mut work.for_again(), report);
        report.lap(Stage::Solve);
    }
    stage::integrate(model, state, &mut work.for_integrate());
    report.lap(Stage::Integrate);
    stage::account(model, state, &mut work.for_account(), report);
    report.lap(Stage::Account);
    stage::remember(model, state, &mut work.for_remember(), report);
    stage::rest(model, state, &mut work.for_rest(), report);
    report.lap(Stage::Remember);
}
