//! Sleep as a user sees and commands it.

use super::put_to_sleep;
use crate::contacts::Contacts;
use crate::edit::EditError;
use crate::edit_log::Since;
use crate::handle::{BodyId, HandleError};
use crate::model::Motion;
use crate::world::World;
use huygens_geometry::Aabb;
use huygens_geometry::broadphase::ProxyBox;
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
    ///
    /// Example: [`World::is_asleep`].
    pub fn sleepers(&self) -> usize {
        self.state.sleep.sleepers as usize
    }

    /// Wakes a body and its island; nothing when it is awake. It may sleep again when it has lain still for a while.
    ///
    /// Example: [`World::is_asleep`].
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
    /// Example: [`World::is_asleep`].
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
    ///
    /// Example: `examples/pinball.rs`.
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
            let mut islands = vec![self.state.sleep.island[slot]];
            self.state.wake_islands(&self.model, &mut islands, &mut Contacts::default());
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

    /// Wakes the island of a body, or, for one that never sleeps, what lies within reach of its shapes or hangs on it.
    pub(crate) fn wake_around(&mut self, slot: usize) {
        if self.state.sleep.is_empty() {
            return;
        }
        self.wake_slot(slot);
        let own: Vec<Aabb> = self.reach_of(slot).collect();
        let mut near = self.sleepers_near(&own);
        // A spring or a rope to a body that moves.
        for ends in super::drowse::held(&self.model) {
            if let [Some(a), Some(b)] = ends {
                let other = [(a, b), (b, a)].into_iter().find(|(one, _)| *one as usize == slot);
                near.extend(other.map(|(_, other)| other));
            }
        }
        self.wake_bodies(&near);
    }

    /// Wakes what lies within reach of one shape.
    pub(crate) fn wake_near_shape(&mut self, shape: u32) {
        if !self.state.sleep.is_empty() {
            let near = self.sleepers_near(&[self.reach_of_shape(shape)]);
            self.wake_bodies(&near);
        }
    }

    /// Wakes the islands of those of some bodies that sleep.
    fn wake_bodies(&mut self, bodies: &[u32]) {
        let sleep = &self.state.sleep;
        let asleep = bodies.iter().map(|&slot| slot as usize).filter(|&slot| sleep.has(slot));
        let mut islands: Vec<u32> = asleep.map(|slot| sleep.island[slot]).collect();
        self.state.wake_islands(&self.model, &mut islands, &mut Contacts::default());
    }

    /// Bodies that sleep within reach of these boxes.
    fn sleepers_near(&self, own: &[Aabb]) -> Vec<u32> {
        let comes_near = |other: &u32| {
            let other = *other as usize;
            self.state.sleep.has(other) && self.reach_of(other).any(|b| own.iter().any(|a| a.overlaps(&b)))
        };
        match self.sleepers_about(own) {
            Some(bodies) => bodies.into_iter().filter(comes_near).collect(),
            None => (0..self.model.bodies.len() as u32).filter(comes_near).collect(),
        }
    }

    /// Boxes of the shapes of a body.
    fn reach_of(&self, slot: usize) -> impl Iterator<Item = Aabb> + '_ {
        self.model.bodies[slot].shapes.iter().map(|&shape| self.reach_of_shape(shape))
    }

    /// The box of a shape, as far as its contacts can be seen.
    fn reach_of_shape(&self, shape: u32) -> Aabb {
        let (model, state) = (&self.model, &self.state);
        let shape = &model.shapes[shape as usize];
        let body = shape.body as usize;
        let world_from_body = Pose::new(state.orientation[body], state.position[body]);
        // As the broad phase has it.
        let margin = model.settings.margin.unwrap_or(crate::model::DEFAULT_MARGIN * shape.size) as f32;
        let aabb = shape.shape.aabb(&(world_from_body * shape.in_body));
        let grow = Vec3::splat(if margin < f32::INFINITY { f64::from(margin) } else { 0.0 });
        Aabb { min: aabb.min - grow, max: aabb.max + grow }
    }

    /// Bodies that sleep, among which are all that have a shape near one of these boxes, some of them more than once: by the broad phase, where the last
    /// step has told it of all that sleeps. `None` where it does not know.
    fn sleepers_about(&self, boxes: &[Aabb]) -> Option<Vec<u32>> {
        let (work, sleep) = (&self.work, &self.state.sleep);
        let knows_all = work.table_sleep == Some(sleep.changes)
            && matches!(self.model.edits.since(work.table_edits), Since::These(_));
        if !knows_all {
            return None;
        }
        let mut bodies = Vec::new();
        for Aabb { min, max } in boxes {
            // Poses of shapes come about in more than one way there: their last bits may differ.
            let slack = Vec3::splat(ROUND_OFF) * (min.abs() + max.abs() + Vec3::ONE);
            work.broad.query_box(ProxyBox::from_f64_outward(*min - slack, *max + slack), |shape| {
                let body = self.model.shapes[shape as usize].body;
                bodies.extend(sleep.has(body as usize).then_some(body));
            });
        }
        Some(bodies)
    }
}

/// Share of a place by which a shape may be elsewhere when it is placed in another order.
const ROUND_OFF: f64 = 1e-12;
