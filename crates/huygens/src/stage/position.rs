//! The displacement of the step: where a body ends up. No other stage decides it.
//!
//! | rule | where | for |
//! |---|---|---|
//! | the integrator's own path, [`huygens_dynamics::Integrator::path`] | here | everything |
//! | an impact acts at its time in the step | `ImpactOutcome::displacement` | bouncing contacts |
//! | contacts that were pressed and still are stay where they are; gaps may close and no more; overlap is undone by the stabilisation | [`correct_held`] | models without a path of their own |
//! | the path of the sub-steps, and points that land end at the surface | `Solution::correction`, [`land`] | `soft-step` |
//! | motors and dry friction act smoothly: no correction | [`Displacing::smooth_trees`] | `soft-step`, trees without contacts and limits |
//! | an island brings no energy in: D + L ≤ 0 | [`scale_back`], [`limit_correction`], then `passivity.rs` | under the guard |

use crate::access::PositionAccess;
use crate::model::{Model, PositionPolicy};
use crate::report::StepReport;
use crate::state::{Placed, State};
use huygens_contact::{
    ContactProblem, GuardReport, Impulse, Law, Losses, Scratch, Side, Solution, Velocity, correct_held, land,
    limit_correction, scale_back,
};

/// What the displacement of a step is found from, or that of some of its islands.
pub(super) struct Displacing<'a> {
    pub problem: ContactProblem<'a>,
    /// Displacement by the impacts, and what they took.
    pub impacts: &'a Velocity,
    pub losses: Losses<'a>,
    /// Impulses of the last step.
    pub warm: &'a [Impulse],
    /// Written: the integrator's path and that of the impacts.
    pub displacement: &'a mut Velocity,
    /// Its correction is what comes on top.
    pub solution: &'a mut Solution,
    pub scratch: &'a mut Scratch,
}

/// Fills `displacement` with the integrator's path and that of the impacts, and the solution's correction with what comes on top.
pub(crate) fn position(model: &Model, state: &State, work: &mut PositionAccess, report: &mut StepReport) {
    let impact = &work.problem.impact;
    let mut whole = Displacing {
        problem: work.problem.view(model),
        impacts: &impact.displacement,
        losses: Losses { impacts: if impact.impacts > 0 { &impact.losses } else { &[] } },
        warm: impact.revised.warm_or(work.warm),
        displacement: work.displacement,
        solution: work.solution,
        scratch: work.scratch,
    };
    whole.displace(model, state, &mut report.guard);
}

impl Displacing<'_> {
    /// All of it, the passivity bound included.
    pub fn displace(&mut self, model: &Model, state: &State, report: &mut GuardReport) {
        let settings = &model.settings;
        self.path(model);
        self.correct(model);
        if settings.position_policy() == PositionPolicy::Passive {
            let (problem, losses) = (self.problem, self.losses);
            if scale_back(&problem, losses, self.scratch, self.solution, report) {
                self.path(model);
                if !settings.solver.displaces() {
                    self.correct(model);
                }
            }
            let is_exempt = |island| is_inside(state, problem.graph.movables(island));
            limit_correction(&problem, losses, is_exempt, self.scratch, self.solution, report);
        }
    }

    /// The correction, as the contact model leaves it to this stage.
    fn correct(&mut self, model: &Model) {
        let settings = &model.settings;
        if settings.solver.displaces() {
            land(&self.problem, self.displacement, self.scratch, self.solution);
            self.smooth_trees(model);
        } else {
            let Self { problem, warm, displacement, scratch, solution, .. } = self;
            correct_held(&settings.contact, problem, displacement, warm, scratch, solution);
        }
    }

    /// Trees that motors and dry friction alone act on follow the integrator's path: these forces act through the whole step, while sub-steps
    /// move by the velocity after each kick, h²a/2n too far for the acceleration a.
    fn smooth_trees(&mut self, model: &Model) {
        let (graph, heads) = (self.problem.graph, &self.problem.groups.heads);
        for tree in 0..model.trees.len() {
            let Some(movable) = graph.movable_of(Side::Tree(tree as u32)) else { continue };
            let groups = graph.groups_of(movable);
            let is_smooth = |group: &u32| matches!(heads[*group as usize].law, Law::Bounded { .. });
            if !groups.is_empty() && groups.iter().all(is_smooth) {
                self.solution.correction.dof[model.dofs_of(tree)].fill(0.0);
            }
        }
    }

    /// The path of integrator and impacts.
    fn path(&mut self, model: &Model) {
        let (integrator, h) = (model.settings.integrator, model.settings.dt);
        let (start, end) = (self.problem.v_start, &self.solution.v);
        let path = &mut *self.displacement;
        path.copy_from(self.impacts);
        for ((s, start), end) in path.free.iter_mut().zip(&start.free).zip(&end.free) {
            *s += integrator.path(*start, *end, h);
        }
        for ((s, start), end) in path.dof.iter_mut().zip(&start.dof).zip(&end.dof) {
            *s += integrator.path(*start, *end, h);
        }
    }
}

/// True when one of these bodies was put down inside another one and has not come out yet.
pub(super) fn is_inside(state: &State, members: &[u32]) -> bool {
    let mut bodies = members.iter().filter_map(|&movable| state.placed.get(movable as usize));
    bodies.any(|placed| *placed == Placed::Inside)
}
