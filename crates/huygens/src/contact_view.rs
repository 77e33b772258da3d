//! What can be seen of the contacts of the last step.

use crate::contacts::ContactHead;
use crate::handle::{BodyId, HandleError, ShapeId};
use crate::model::{DEFAULT_MARGIN, ShapeModel};
use crate::world::World;
use huygens_contact::Head;
use huygens_geometry::{Feature, MAX_POINTS, Manifold, narrowphase};
use huygens_math::{Pose, Vec3, scalar};

/// A contact point of the last step.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct ContactView {
    /// The bodies A and B.
    pub bodies: [BodyId; 2],
    /// Their shapes, lower slot first.
    pub shapes: [ShapeId; 2],
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
    /// when they fell asleep, found anew at each call, in a room that is allocated then. None of what is awake before the first step and after
    /// [`World::drop_workspace`], and none of what was removed since.
    pub fn contacts(&self) -> impl Iterator<Item = ContactView> + '_ {
        self.contacts_with(|_| true)
    }

    /// The contacts of one body in the last step, as [`World::contacts`].
    ///
    /// # Errors
    /// When the handle is stale or foreign.
    pub fn contacts_of(&self, id: BodyId) -> Result<impl Iterator<Item = ContactView> + '_, HandleError> {
        let slot = self.slot(id)? as u32;
        Ok(self.contacts_with(move |shapes| self.bodies_with(shapes).contains(&slot)))
    }

    /// The contacts between two bodies in the last step, as [`World::contacts`].
    ///
    /// ```
    /// use huygens::World;
    /// use huygens::math::Vec3;
    /// use huygens::scene::{Body, Scene, Shape};
    ///
    /// let scene = Scene::new()
    ///     .dt(0.01)
    ///     .body(Body::fixed("floor").shape(Shape::half_space()))
    ///     .body(Body::dynamic("box").cuboid(1.0, 1.0, 1.0).mass(2.0).at(0.0, 0.0, 0.5));
    /// let mut world = World::new(&scene)?;
    /// world.step();
    /// let [floor, cube] = ["floor", "box"].map(|name| world.find(name).unwrap());
    /// let impulse: Vec3 = world.contacts_between(floor, cube).unwrap().map(|contact| contact.impulse).sum();
    /// // On the floor, which is body A here: the weight for a step.
    /// assert!((impulse.z + 2.0 * 9.81 * 0.01).abs() < 1e-6);
    /// # Ok::<(), huygens::SceneErrors>(())
    /// ```
    ///
    /// # Errors
    /// When a handle is stale or foreign.
    pub fn contacts_between(
        &self,
        a: BodyId,
        b: BodyId,
    ) -> Result<impl Iterator<Item = ContactView> + '_, HandleError> {
        let [a, b] = [self.slot(a)? as u32, self.slot(b)? as u32];
        Ok(self.contacts_with(move |shapes| {
            let bodies = self.bodies_with(shapes);
            bodies == [a, b] || bodies == [b, a]
        }))
    }

    fn bodies_with(&self, shapes: [u32; 2]) -> [u32; 2] {
        shapes.map(|shape| self.model.shapes[shape as usize].body)
    }

    /// True for shapes of which one was removed since the last step.
    pub(crate) fn is_gone(&self, shapes: [u32; 2]) -> bool {
        !self.gone.is_empty() && shapes.iter().any(|shape| self.gone.binary_search(shape).is_ok())
    }

    /// Notes that these shapes are gone.
    pub(crate) fn note_gone(&mut self, shapes: Vec<u32>) {
        for shape in shapes {
            if let Err(at) = self.gone.binary_search(&shape) {
                self.gone.insert(at, shape);
            }
        }
    }

    /// The contacts between shapes for which `wanted` is true.
    fn contacts_with<'a>(
        &'a self,
        wanted: impl Fn([u32; 2]) -> bool + Copy + 'a,
    ) -> impl Iterator<Item = ContactView> + 'a {
        let mut pair = Vec::new();
        let sleepers = self.state.sleep.contacts.heads.iter().filter(move |head| wanted(head.key.shapes()));
        let mut asleep = sleepers.flat_map(move |head| self.sleeping(head, &mut pair)).peekable();
        let heads = self.work.problem.solve_groups().contacts();
        let heads = heads.filter(move |head| wanted(head.key.shapes()) && !self.is_gone(head.key.shapes()));
        let mut awake =
            heads.flat_map(move |head| head.range().filter_map(move |i| self.contact(head, i))).peekable();
        let slots = |contact: &ContactView| contact.shapes.map(|shape| shape.slot);
        std::iter::from_fn(move || match (awake.peek(), asleep.peek()) {
            (Some(a), Some(b)) if slots(b) < slots(a) => asleep.next(),
            (None, _) => asleep.next(),
            _ => awake.next(),
        })
    }

    /// The points of a group of sleepers: impulses and features are those of the state, the rest follows from the poses.
    fn sleeping(
        &self,
        head: &ContactHead,
        pair: &mut Vec<Manifold>,
    ) -> impl Iterator<Item = ContactView> + use<> {
        let (model, state) = (&self.model, &self.state);
        let slots = head.key.shapes();
        let [a, b] = slots.map(|shape| &model.shapes[shape as usize]);
        let [pose_a, pose_b] = [a, b].map(|shape| {
            let body = shape.body as usize;
            Pose::new(state.orientation[body], state.position[body]) * shape.in_body
        });
        let margin = |shape: &ShapeModel| model.settings.margin.unwrap_or(DEFAULT_MARGIN * shape.size);
        let reach = scalar::min(margin(a), margin(b));
        pair.clear();
        narrowphase::collide(&a.shape, &b.shape, &pose_a.relative(&pose_b), reach, pair);
        let found = pair.iter().find(|manifold| head.key == head.key.with_parts(manifold.sub_shape));
        let kept = head.points(&state.sleep.contacts.points);
        let mut points = [None; MAX_POINTS];
        if let Some(manifold) = found {
            let normal = pose_a.rotate(manifold.normal);
            for (i, point) in manifold.points().iter().enumerate() {
                let feature = [point.feature.a, point.feature.b].map(Feature::bits);
                let same = kept.iter().find(|kept| kept.feature == feature).or(kept.get(i));
                let impulse = same.map_or(Vec3::ZERO, |kept| kept.impulse);
                if point.gap > 0.0 && impulse == Vec3::ZERO {
                    continue;
                }
                points[i] = Some(ContactView {
                    bodies: [a, b].map(|shape| self.id_of(shape.body as usize)),
                    shapes: slots.map(|shape| self.shape_id(shape as usize)),
                    point: (pose_a.transform(point.on_a) + pose_b.transform(point.on_b)) * 0.5,
                    normal,
                    gap: point.gap,
                    impulse,
                    slip: Vec3::ZERO,
                });
            }
        }
        points.into_iter().flatten()
    }

    fn contact(&self, head: &Head, i: usize) -> Option<ContactView> {
        let work = &self.work;
        let point = work.problem.solve_groups().points.get(i)?;
        let impulse = self.impulse(head, i);
        if point.gap > 0.0 && impulse == Vec3::ZERO {
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
            shapes: shapes.map(|shape| self.shape_id(shape as usize)),
            point: work.ends.get(shapes[0] as usize)?.center + point.arm[0],
            normal: head.normal,
            gap: point.gap,
            impulse,
            slip: velocity - head.normal * head.normal.dot(velocity),
        })
    }
}
