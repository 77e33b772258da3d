//! The contact problem of the last step, to look at, to store or to solve again.

use crate::world::World;
use huygens_contact::{ContactProblem, Scale, Solution};

impl World {
    /// What the contact model was asked in the last step; without groups before the first, and after [`World::drop_workspace`].
    pub fn contact_problem(&self) -> ContactProblem<'_> {
        let (model, work) = (self.model(), &self.work);
        ContactProblem {
            h: model.settings.dt,
            v_start: &work.v_start,
            v_free: &work.v_free,
            law_inertia: &work.inertia,
            move_inertia: &work.inertia,
            groups: &work.groups,
            graph: &work.graph,
            airborne: &work.impact.airborne,
            scale: Scale { length: model.settings.length, speed: model.speed_scale() },
        }
    }

    /// What it answered.
    pub fn contact_solution(&self) -> &Solution {
        &self.work.solution
    }
}
