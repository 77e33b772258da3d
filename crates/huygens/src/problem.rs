//! The contact problem of the last step, to look at, to store or to solve again.

use crate::model::Model;
use crate::workspace::ProblemData;
use crate::world::World;
use huygens_contact::{ContactProblem, Groups, Solution};

impl ProblemData {
    /// The groups as the solve and all later stages see them.
    pub(crate) fn solve_groups(&self) -> &Groups {
        self.impact.revised.or(&self.groups)
    }

    /// What the contact model is asked in this step.
    pub(crate) fn view(&self, model: &Model) -> ContactProblem<'_> {
        ContactProblem {
            h: model.settings.dt,
            v_start: &self.v_start,
            v_free: &self.v_free,
            move_inertia: &self.inertia,
            groups: self.solve_groups(),
            graph: &self.graph,
            airborne: &self.impact.airborne,
            cap_left: &self.impact.cap_left,
            scale: model.scale(),
        }
    }
}

impl World {
    /// What the contact model was asked in the last step; without groups before the first, and after [`World::drop_workspace`].
    pub fn contact_problem(&self) -> ContactProblem<'_> {
        self.work.problem.view(self.model())
    }

    /// What it answered.
    ///
    /// Example: `tools/collection.rs`.
    pub fn contact_solution(&self) -> &Solution {
        &self.work.solution
    }
}
