//! What can be seen of the contacts of the last step.

use crate::handle::{BodyId, HandleError};
use crate::world::World;
use huygens_contact::Head;
use huygens_math::Vec3;

/// A contact point of the last step.
#[derive(Clone, Copy, Debug)]
pub struct ContactView {
    /// The bodies A and B.
    pub bodies: [BodyId; 2],
    /// Slots of their shapes, lower first.
    pub shapes: [u32; 2],
    /// Where they met at the start of the step [m].
    pub point: Vec3,
    /// Unit normal, from B to A.
    pub normal: Vec3,
    /// Distance at the start of the step [m]; negative when they overlapped.
    pub gap: f64,
    /// Impulse on A in the step, impact included, in world axes [N·s]; B got its opposite.
    pub impulse: Vec3,
    /// Velocity of A against B along the surface, after the step [m/s].
    pub slip: Vec3,
}

impl World {
    /// The points of the last step that overlapped or carried an impulse, ordered by the slots of their shapes. None before
    /// the first step, and after [`World::drop_workspace`].
    pub fn contacts(&self) -> impl Iterator<Item = ContactView> + '_ {
        let contacts = self.work.problem.solve_groups().contacts();
        contacts.flat_map(move |head| head.range().filter_map(move |i| self.contact(head, i)))
    }

    /// The contacts of one body in the last step, as [`World::contacts`].
    ///
    /// # Errors
    /// When the handle is stale or foreign.
    pub fn contacts_of(&self, id: BodyId) -> Result<impl Iterator<Item = ContactView> + '_, HandleError> {
        self.slot(id)?;
        Ok(self.contacts().filter(move |contact| contact.bodies.contains(&id)))
    }

    /// The contacts of two shapes in the last step, as [`World::contacts`]: normal and impulse of an [`crate::Event`].
    pub fn contacts_between(&self, shapes: [u32; 2]) -> impl Iterator<Item = ContactView> + '_ {
        let [a, b] = shapes;
        self.contacts().filter(move |contact| contact.shapes == [a.min(b), a.max(b)])
    }

    fn contact(&self, head: &Head, i: usize) -> Option<ContactView> {
        let work = &self.work;
        let (point, hit, held) = (
            work.problem.solve_groups().points.get(i)?,
            work.problem.impact.impulses.get(i)?,
            work.solution.impulses.get(i)?,
        );
        let impulse = *hit + head.to_world(*held);
        if point.gap > 0.0 && impulse.dot(head.normal) <= 0.0 {
            return None;
        }
        let shapes = head.key.shapes();
        let slots = shapes.map(|shape| self.model.shapes[shape as usize].body as usize);
        let [a, b] = slots.map(|slot| self.state.velocity.free[slot]);
        let velocity = a.linear + a.angular.cross(point.arm[0]) - b.linear - b.angular.cross(point.arm[1]);
        Some(ContactView {
            bodies: slots.map(|slot| self.id_of(slot)),
            shapes,
            point: work.ends.get(shapes[0] as usize)?.center + point.arm[0],
            normal: head.normal,
            gap: point.gap,
            impulse,
            slip: velocity - head.normal * head.normal.dot(velocity),
        })
    }
}
