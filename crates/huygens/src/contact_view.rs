//! What can be seen of the contacts of the last step.

use crate::handle::{BodyId, HandleError};
use crate::model::{DEFAULT_MARGIN, ShapeModel};
use crate::world::World;
use huygens_contact::Head;
use huygens_geometry::{Feature, Manifold, narrowphase};
use huygens_math::{Pose, Vec3, scalar};

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
    /// The points of the last step that overlapped or carried an impulse, ordered by the slots of their shapes; those of sleepers as they were
    /// when they fell asleep, found anew at each call. None of what is awake before the first step, and after [`World::drop_workspace`].
    pub fn contacts(&self) -> impl Iterator<Item = ContactView> + '_ {
        self.contacts_with(|_| true)
    }

    /// The contacts of one body in the last step, as [`World::contacts`].
    ///
    /// # Errors
    /// When the handle is stale or foreign.
    pub fn contacts_of(&self, id: BodyId) -> Result<impl Iterator<Item = ContactView> + '_, HandleError> {
        let slot = self.slot(id)? as u32;
        Ok(self.contacts_with(move |shapes| {
            shapes.into_iter().any(|shape| self.model.shapes[shape as usize].body == slot)
        }))
    }

    /// The contacts of two shapes in the last step, as [`World::contacts`]: normal and impulse of an [`crate::Event`].
    pub fn contacts_between(&self, shapes: [u32; 2]) -> impl Iterator<Item = ContactView> + '_ {
        let [a, b] = shapes;
        let pair = [a.min(b), a.max(b)];
        self.contacts_with(move |shapes| shapes == pair)
    }

    /// The contacts between shapes for which `wanted` is true.
    fn contacts_with<'a>(
        &'a self,
        wanted: impl Fn([u32; 2]) -> bool + 'a,
    ) -> impl Iterator<Item = ContactView> + 'a {
        let mut asleep = self.sleeping_contacts(&wanted).into_iter().peekable();
        let heads = self.work.problem.solve_groups().contacts().filter(move |head| wanted(head.key.shapes()));
        let mut awake = heads.flat_map(move |head| head.range().filter_map(move |i| self.contact(head, i)));
        let mut next = awake.next();
        std::iter::from_fn(move || match (&next, asleep.peek()) {
            (Some(a), Some(b)) if b.shapes < a.shapes => asleep.next(),
            (None, _) => asleep.next(),
            _ => std::mem::replace(&mut next, awake.next()),
        })
    }

    /// The contacts of sleepers: impulses and features are those of the state, the rest follows from the poses.
    fn sleeping_contacts(&self, wanted: impl Fn([u32; 2]) -> bool) -> Vec<ContactView> {
        let (model, state, mut out, mut pair) = (&self.model, &self.state, Vec::new(), Vec::new());
        for head in state.sleep.contacts.heads.iter().filter(|head| wanted(head.key.shapes())) {
            let shapes = head.key.shapes();
            let [a, b] = shapes.map(|shape| &model.shapes[shape as usize]);
            let [pose_a, pose_b] = [a, b].map(|shape| {
                let body = shape.body as usize;
                Pose::new(state.orientation[body], state.position[body]) * shape.in_body
            });
            let margin = |shape: &ShapeModel| model.settings.margin.unwrap_or(DEFAULT_MARGIN * shape.size);
            let reach = scalar::min(margin(a), margin(b));
            pair.clear();
            narrowphase::collide(&a.shape, &b.shape, &pose_a.relative(&pose_b), reach, &mut pair);
            let is_same = |manifold: &&Manifold| head.key == head.key.with_parts(manifold.sub_shape);
            let Some(manifold) = pair.iter().find(is_same) else { continue };
            let normal = pose_a.rotate(manifold.normal);
            let kept = head.points(&state.sleep.contacts.points);
            for (i, point) in manifold.points().iter().enumerate() {
                let feature = [point.feature.a, point.feature.b].map(Feature::bits);
                let same = kept.iter().find(|kept| kept.feature == feature).or(kept.get(i));
                let impulse = same.map_or(Vec3::ZERO, |kept| kept.impulse);
                if point.gap > 0.0 && impulse.dot(normal) <= 0.0 {
                    continue;
                }
                out.push(ContactView {
                    bodies: [a, b].map(|shape| self.id_of(shape.body as usize)),
                    shapes,
                    point: (pose_a.transform(point.on_a) + pose_b.transform(point.on_b)) * 0.5,
                    normal,
                    gap: point.gap,
                    impulse,
                    slip: Vec3::ZERO,
                });
            }
        }
        out
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
        if slots.into_iter().any(|slot| self.state.sleep.has(slot)) {
            // It fell asleep at the end of the step.
            return None;
        }
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
