//! Changes that a scene has planned for a run.

use crate::handle::BodyId;
use crate::model::Model;
use crate::scene::Scene;
use crate::state::State;
use crate::world::World;
use huygens_math::{Pose, Quat, Twist, Vec3};

/// A change that is planned; see [`crate::scene::EditSpec`].
#[derive(Clone, Copy, Debug)]
pub struct Planned {
    /// Done once this many steps have been made.
    pub after: u64,
    body: BodyId,
    position: Option<Vec3>,
    orientation: Option<Quat>,
    linear_velocity: Option<Vec3>,
    angular_velocity: Option<Vec3>,
}

/// The changes of a checked scene, in the order in which they are done.
pub(crate) fn plan(scene: &Scene, model: &Model, state: &State) -> Vec<Planned> {
    let slot = |name: &str| model.bodies.iter().position(|body| body.name == name);
    let mut plan: Vec<Planned> = scene
        .edits
        .iter()
        .filter_map(|edit| {
            let slot = slot(&edit.body)?;
            Some(Planned {
                after: edit.after,
                body: BodyId { slot: slot as u32, generation: state.generation[slot], world: 0 },
                position: edit.position,
                orientation: edit.orientation.map(Quat::normalize),
                linear_velocity: edit.linear_velocity,
                angular_velocity: edit.angular_velocity,
            })
        })
        .collect();
    plan.sort_by_key(|planned| planned.after);
    plan
}

impl World {
    /// Does what is planned for now. A body that the user removed, or that a numerical fault took out, is left alone.
    pub(crate) fn do_planned(&mut self) {
        let now = self.state.steps;
        let first = self.model.plan.partition_point(|planned| planned.after < now);
        for i in first..self.model.plan.len() {
            let planned = self.model.plan[i];
            if planned.after > now {
                break;
            }
            self.do_one(planned);
        }
    }

    fn do_one(&mut self, planned: Planned) {
        let body = BodyId { world: self.id, ..planned.body };
        let Ok(view) = self.body(body) else { return };
        let pose = Pose::new(
            planned.orientation.unwrap_or(view.orientation),
            planned.position.unwrap_or(view.position),
        );
        let velocity = Twist::new(
            planned.linear_velocity.unwrap_or(view.linear_velocity),
            planned.angular_velocity.unwrap_or(view.angular_velocity),
        );
        let moves = view.motion != crate::world::MotionKind::Static;
        // The scene's gate has seen every number; all that is left to refuse is a body that was quarantined.
        let _ = self.set_pose(body, pose);
        if moves {
            let _ = self.set_velocity(body, velocity);
        }
    }
}
