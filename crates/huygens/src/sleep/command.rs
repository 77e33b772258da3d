//! Sleep as a user sees and commands it.

use super::put_to_sleep;
use crate::edit::EditError;
use crate::handle::{BodyId, HandleError};
use crate::model::Motion;
use crate::world::World;
use huygens_math::{Pose, Vec3};

impl World {
    /// True for a body that sleeps: it lies still, and no step looks at it until something wakes it.
    ///
    /// ```
    /// use huygens::World;
    /// use huygens::scene::{Body, Scene, Shape};
    ///
    /// let scene = Scene::new()
    ///     .body(Body::fixed("floor").shape(Shape::half_space()))
    ///     .body(Body::dynamic("box").cuboid(1.0, 1.0, 1.0).at(0.0, 0.0, 0.5));
    /// let mut world = World::new(&scene)?;
    /// let id = world.find("box").unwrap();
    /// (0..480).for_each(|_| drop(world.step().contacts));
    /// assert!(world.is_asleep(id).unwrap());
    /// world.apply_impulse(id, [100.0, 0.0, 0.0], [0.0; 3]).unwrap();
    /// assert!(!world.is_asleep(id).unwrap());
    /// # Ok::<(), huygens::SceneErrors>(())
    /// ```
    ///
    /// # Errors
    /// When the handle is stale or foreign.
    pub fn is_asleep(&self, id: BodyId) -> Result<bool, HandleError> {
        Ok(self.state.sleep.has(self.slot(id)?))
    }

    /// Number of bodies that sleep.
    pub fn sleepers(&self) -> usize {
        self.state.sleep.sleepers as usize
    }

    /// Wakes a body and its island; nothing when it is awake. It may sleep again when it has lain still for a while.
    ///
    /// # Errors
    /// When the handle is stale or foreign.
    pub fn wake(&mut self, id: BodyId) -> Result<(), HandleError> {
        let slot = self.slot(id)?;
        self.wake_slot(slot);
        Ok(())
    }

    /// Puts a body to sleep at once, with all that touches it or hangs on it, however fast they move: the kinetic energy that this takes is in
    /// the account `numerical`. A moving driver that touches them wakes them in the next step. It works whether or not bodies fall asleep
    /// by themselves.
    ///
    /// # Errors
    /// When the handle is stale or foreign, or the body is static, driven or quarantined.
    pub fn put_to_sleep(&mut self, id: BodyId) -> Result<(), EditError> {
        let slot = self.slot(id)?;
        if matches!(self.model.bodies[slot].motion, Motion::Static | Motion::Driven(_)) {
            return Err(EditError::NoEffect { what: "sleep" });
        }
        if self.state.quarantined[slot] {
            return Err(EditError::Quarantined);
        }
        put_to_sleep(&self.model, &mut self.state, slot);
        Ok(())
    }

    /// The name of a body, also of one that was removed since the last step or the step before it: for its events.
    pub fn name_of(&self, id: BodyId) -> Option<&str> {
        if let Ok(slot) = self.slot(id) {
            return Some(&self.model.bodies[slot].name);
        }
        let gone = self.removed.iter().flatten().find(|(removed, _)| *removed == id);
        gone.map(|(_, name)| name.as_str())
    }

    /// Wakes the island of a body.
    pub(crate) fn wake_slot(&mut self, slot: usize) {
        if self.state.sleep.has(slot) {
            self.state.wake(&self.model, |other| other == slot);
        }
    }

    /// Wakes the island of a tree.
    pub(crate) fn wake_tree(&mut self, tree: usize) {
        if let Some(&link) = self.model.tree_bodies[tree].last() {
            self.wake_slot(link as usize);
        }
    }

    /// Wakes all that sleeps.
    pub(crate) fn wake_all(&mut self) {
        self.state.wake(&self.model, |_| true);
    }

    /// Wakes the island of a body, or, for one that never sleeps, what lies within reach of its shapes.
    pub(crate) fn wake_around(&mut self, slot: usize) {
        if self.state.sleep.is_empty() {
            return;
        }
        self.wake_slot(slot);
        let (model, state) = (&self.model, &self.state);
        // Boxes reach as far as contacts can be seen.
        let bounds = |slot: usize| {
            let world_from_body = Pose::new(state.orientation[slot], state.position[slot]);
            model.bodies[slot].shapes.iter().map(move |&shape| {
                let shape = &model.shapes[shape as usize];
                let margin = model.settings.margin.unwrap_or(crate::model::DEFAULT_MARGIN * shape.size);
                let aabb = shape.shape.aabb(&(world_from_body * shape.in_body));
                let grow = Vec3::splat(if margin < f64::INFINITY { margin } else { 0.0 });
                [aabb.min - grow, aabb.max + grow]
            })
        };
        let own: Vec<[Vec3; 2]> = bounds(slot).collect();
        let meets = |a: &[Vec3; 2], b: &[Vec3; 2]| a[0].cmple(b[1]).all() && b[0].cmple(a[1]).all();
        let near: Vec<bool> = (0..model.bodies.len())
            .map(|other| state.sleep.has(other) && bounds(other).any(|b| own.iter().any(|a| meets(a, &b))))
            .collect();
        // A spring or a rope to a body that moves.
        let mut near = near;
        for ends in super::drowse::held(model) {
            if let [Some(a), Some(b)] = ends {
                for (one, other) in [(a, b), (b, a)] {
                    near[other as usize] |= one as usize == slot;
                }
            }
        }
        self.state.wake(&self.model, |slot| near[slot]);
    }
}
