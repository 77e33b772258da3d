//! Engines whose bodies a test can put elsewhere between two steps.

use huygens::math::{Pose, Twist};
use huygens_hunt::{BodySight, Engine, WorldEngine};

/// An engine whose bodies can be put elsewhere.
pub trait Meddle: Engine {
    /// Gives a body another pose and velocity. A link of a tree, a static body and one on a path stay as they are.
    fn put(&mut self, body: usize, sight: &BodySight);
}

impl Meddle for WorldEngine {
    fn put(&mut self, body: usize, sight: &BodySight) {
        let mut bodies = Vec::new();
        self.bodies(&mut bodies);
        let Some(id) = self.0.bodies().nth(body).map(|view| view.id) else { return };
        let old = &bodies[body];
        // Refused for links, static bodies and bodies on a path: those have no fault of this kind.
        if (old.center, old.orientation) != (sight.center, sight.orientation) {
            let in_body = old.orientation.conjugate() * (old.center - old.position);
            let position = sight.center - sight.orientation * in_body;
            let _ = self.0.set_pose(id, Pose::new(sight.orientation, position));
        }
        if (old.velocity, old.spin) != (sight.velocity, sight.spin) {
            let _ = self.0.set_velocity(id, Twist::new(sight.velocity, sight.spin));
        }
    }
}
