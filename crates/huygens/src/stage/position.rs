//! The displacement of the step: where a body ends up. No other stage decides it.
//!
//! | rule | where | for |
//! |---|---|---|
//! | the integrator's own path, [`huygens_dynamics::Integrator::path`] | here | everything |
//! | an impact acts at its time in the step | `ImpactOutcome::displacement` | bouncing contacts |
//! | contacts that were pressed and still are stay where they are; gaps may close and no more; overlap is undone by the stabilisation | [`correct_held`] | models without a path of their own |
//! | the path of the sub-steps, and points that land end at the surface | `Solution::correction`, [`land`] | `soft-step` |
//! | motors and dry friction act smoothly: no correction | [`smooth_trees`] | `soft-step`, trees without contacts and limits |
//! | an island brings no energy in: D + L ≤ 0 | [`scale_back`], [`limit_correction`], then `passivity.rs` | under the guard |

use crate::access::PositionAccess;
use crate::model::{Model, PositionPolicy};
use crate::report::StepReport;
use crate::state::{Placed, State};
use huygens_contact::{Law, Losses, Side, correct_held, land, limit_correction, scale_back};

/// Fills `displacement` with the integrator's path and that of the impacts, and the solution's correction with what comes on top.
pub(crate) fn position(model: &Model, state: &State, work: &mut PositionAccess, report: &mut StepReport) {
    let settings = &model.settings;
    let problem = work.problem.view(model);
    let impact = &work.problem.impact;
    let losses = Losses { impacts: if impact.impacts > 0 { &impact.losses } else { &[] } };
    path(model, work);
    correct(model, work);
    if settings.position_policy() == PositionPolicy::Passive {
        if scale_back(&problem, losses, work.solution, &mut report.guard) {
            path(model, work);
            if !settings.solver.displaces() {
                correct(model, work);
            }
        }
        let is_exempt = |island| is_inside(state, work.problem.graph.movables(island));
        limit_correction(&problem, losses, is_exempt, work.solution, &mut report.guard);
    }
}

/// True when one of these bodies was put down inside another one and has not come out yet.
pub(super) fn is_inside(state: &State, members: &[u32]) -> bool {
    let mut bodies = members.iter().filter_map(|&movable| state.placed.get(movable as usize));
    bodies.any(|placed| *placed == Placed::Inside)
}

/// The correction, as the contact model leaves it to this stage.
fn correct(model: &Model, work: &mut PositionAccess) {
    let (settings, problem, impact) = (&model.settings, work.problem.view(model), &work.problem.impact);
    let (scratch, solution, path) = (&mut *work.scratch, &mut *work.solution, &*work.displacement);
    if settings.solver.displaces() {
        land(&problem, path, scratch, solution);
        smooth_trees(model, work);
    } else {
        let warm = impact.revised.warm_or(work.warm);
        correct_held(&settings.contact, &problem, path, warm, scratch, solution);
    }
}

/// Trees that motors and dry friction alone act on follow the integrator's path: these forces act through the whole step, while sub-steps
/// move by the velocity after each kick, h²a/2n too far for the acceleration a.
fn smooth_trees(model: &Model, work: &mut PositionAccess) {
    let (graph, heads) = (&work.problem.graph, &work.problem.solve_groups().heads);
    for tree in 0..model.trees.len() {
        let Some(movable) = graph.movable_of(Side::Tree(tree as u32)) else { continue };
        let groups = graph.groups_of(movable);
        let is_smooth = |group: &u32| matches!(heads[*group as usize].law, Law::Bounded { .. });
        if !groups.is_empty() && groups.iter().all(is_smooth) {
            work.solution.correction.dof[model.dofs_of(tree)].fill(0.0);
        }
    }
}

/// The path of integrator and impacts.
fn path(model: &Model, work: &mut PositionAccess) {
    let (integrator, h) = (model.settings.integrator, model.settings.dt);
    let start = &work.problem.v_start;
    let end = &work.solution.v;
    let path = &mut *work.displacement;
    path.copy_from(&work.problem.impact.displacement);
    for ((s, start), end) in path.free.iter_mut().zip(&start.free).zip(&end.free) {
        *s += integrator.path(*start, *end, h);
    }
    for ((s, start), end) in path.dof.iter_mut().zip(&start.dof).zip(&end.dof) {
        *s += integrator.path(*start, *end, h);
    }
}
