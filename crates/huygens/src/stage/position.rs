//! The displacement of the step: where a body ends up. No other stage decides it.
//!
//! | rule | where | for |
//! |---|---|---|
//! | the integrator's own path, [`huygens_dynamics::Integrator::path`] | here | everything |
//! | an impact acts at its time in the step | `ImpactOutcome::displacement` | bouncing contacts |
//! | what was pressed and still is stays where it is; gaps may close and no more; overlap is undone by the stabilisation | [`correct_held`] | models without a path of their own |
//! | the path of the sub-steps, and points that land end at the surface | `Solution::correction`, [`land`] | `soft-step` |
//! | overlap is undone as far as contact has paid for the lift | [`correct_from_bank`] | under the guard |

use crate::access::PositionAccess;
use crate::model::Model;
use crate::state::State;
use huygens_contact::{Held, Way, correct_from_bank, correct_held, land};

/// Fills `displacement` with the integrator's path and that of the impacts, and the solution's correction with what comes on top.
pub(crate) fn position(model: &Model, state: &State, work: &mut PositionAccess) {
    let (settings, h) = (&model.settings, model.settings.dt);
    let (start, solution, path) = (&work.problem.v_start, &mut *work.solution, &mut *work.displacement);
    path.copy_from(&work.problem.impact.displacement);
    for ((s, start), end) in path.free.iter_mut().zip(&start.free).zip(&solution.v.free) {
        *s += settings.integrator.path(*start, *end, h);
    }
    for ((s, start), end) in path.dof.iter_mut().zip(&start.dof).zip(&solution.v.dof) {
        *s += settings.integrator.path(*start, *end, h);
    }
    let (problem, scratch) = (work.problem.view(model), &mut *work.scratch);
    let warm = work.problem.impact.revised.warm_or(work.warm);
    if settings.contact.guard {
        from_bank(model, state, work);
    } else if settings.solver.displaces() {
        land(&problem, path, scratch, solution);
    } else {
        correct_held(&settings.contact, &problem, (path, warm), scratch, solution);
    }
}

/// The correction under the guard. The state's own bank is charged when the step is sound.
fn from_bank(model: &Model, state: &State, work: &mut PositionAccess) {
    let settings = &model.settings;
    let PositionAccess { scratch, solution, total_displacement: total, bank_correction: correction, .. } =
        work;
    let problem = work.problem.view(model);
    work.bank.clone_from(&state.bank);
    total.copy_from(work.displacement);
    let warm = work.problem.impact.revised.warm_or(work.warm);
    let mut held = Held { was: warm, is: &solution.impulses, v: Some(&solution.v) };
    if settings.solver.displaces() {
        // soft-step has already projected the points that stick, and landed where its sub-steps took it: without their path a body would
        // hover where it was stopped.
        held = Held::default();
        total.add(&solution.correction);
    }
    let way = Way { s: total, capped: &solution.capped, held };
    correct_from_bank(&settings.contact, &problem, &way, work.bank, scratch, correction);
    if settings.solver.displaces() {
        correction.add(&solution.correction);
    }
    std::mem::swap(&mut solution.correction, *correction);
    work.bank.settle(&problem, &work.problem.impact, solution, scratch);
}
