//! Questions about a world between two steps: what a ray hits, what is nearest, what overlaps.

use crate::handle::{BodyId, ShapeId};
use crate::world::World;
use huygens_geometry::broadphase::{BroadPhase, Filter, Mobility, ProxyBox};
use huygens_geometry::shape::{LENGTH_RANGE, Sphere};
use huygens_geometry::{CollisionShape, query};
use huygens_math::{Pose, Vec3};
use std::sync::{Arc, Mutex, PoisonError};

/// Which shapes a question is about.
#[derive(Clone, Copy)]
pub struct Among<'f> {
    /// Layers: a shape counts when it is in one of them. Default all.
    pub layers: u32,
    /// Sensors count too. Default no.
    pub sensors: bool,
    /// A body that is left out: the one that asks.
    pub except: Option<BodyId>,
    /// A shape counts when this says so of it and its body. Default all.
    pub only: Option<&'f dyn Fn(BodyId, ShapeId) -> bool>,
}

impl Among<'_> {
    /// Every solid shape.
    pub const ALL: Self = Self { layers: u32::MAX, sensors: false, except: None, only: None };
}

impl std::fmt::Debug for Among<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { layers, sensors, except, only } = self;
        let mut all = f.debug_struct("Among");
        all.field("layers", layers).field("sensors", sensors).field("except", except);
        all.field("only", &only.map(|_| "a function")).finish()
    }
}

impl Default for Among<'_> {
    fn default() -> Self {
        Self::ALL
    }
}

/// What a ray or a moving shape hits first.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Hit {
    /// The body.
    pub body: BodyId,
    /// Its shape.
    pub shape: ShapeId,
    /// Where on the way: at origin + `time` · direction of a ray, at `time` · displacement of a shape.
    pub time: f64,
    /// The point [m].
    pub point: Vec3,
    /// Unit normal of the surface, against the ray, or towards the moving shape.
    pub normal: Vec3,
}

/// What is nearest.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Nearest {
    /// The body.
    pub body: BodyId,
    /// Its shape.
    pub shape: ShapeId,
    /// Distance [m]; negative when they overlap: minus the shortest move that parts them.
    pub distance: f64,
    /// The point of its surface that is nearest [m].
    pub point: Vec3,
    /// Unit normal of that surface, towards the one who asks.
    pub normal: Vec3,
}

/// A world as it is now, sorted for many questions. Bodies that were taken out of the simulation are not in it.
///
/// ```
/// use huygens::math::Vec3;
/// use huygens::scene::{Body, Scene, Shape};
/// use huygens::{Among, World};
///
/// let scene = Scene::new()
///     .body(Body::fixed("floor").shape(Shape::half_space()))
///     .body(Body::dynamic("ball").sphere(0.5).at(0.0, 0.0, 2.0));
/// let world = World::new(&scene)?;
/// let probe = world.probe();
/// let hit = probe.cast_ray(Vec3::new(0.0, 0.0, 9.0), Vec3::NEG_Z, 100.0, Among::ALL).unwrap();
/// assert_eq!((world.body(hit.body).unwrap().name, hit.time, hit.normal), ("ball", 6.5, Vec3::Z));
/// # Ok::<(), huygens::SceneErrors>(())
/// ```
#[derive(Debug)]
pub struct Probe<'w> {
    world: &'w World,
    places: Arc<Places>,
}

/// Where all shapes are.
#[derive(Clone, Debug)]
struct Places {
    poses: Vec<Pose>,
    broad: BroadPhase,
    /// The boxes lie in a tree; else every question looks at each of them.
    is_sorted: bool,
}

/// Where all shapes are at the moment of the last question: the next one needs not look at the world again.
#[derive(Debug, Default)]
pub(crate) struct KeptPlaces(Mutex<Option<(Moment, Arc<Places>)>>);

/// Steps, edits and moves between steps, after which shapes are where they are.
type Moment = [u64; 3];

impl World {
    /// The world as it is now, for many questions: asking one takes a time that grows with the logarithm of the number of
    /// shapes, making it with their number.
    ///
    /// ```
    /// use huygens::geometry::CollisionShape;
    /// use huygens::math::{Pose, Vec3};
    /// use huygens::scene::{Body, Scene};
    /// use huygens::{Among, World};
    ///
    /// let world = World::new(&Scene::new().body(Body::dynamic("ball").sphere(0.5).at(0.0, 0.0, 2.0)))?;
    /// let probe = world.probe();
    /// let hit = probe.cast_ray([0.0, 0.0, 9.0], [0.0, 0.0, -1.0], 10.0, Among::ALL).unwrap();
    /// assert_eq!(world.name_of(hit.body), Some("ball"));
    /// assert!((hit.time - 6.5).abs() < 1e-12);
    /// let nearest = probe.closest([0.0, 0.0, 4.0], 5.0, Among::ALL).unwrap();
    /// assert!((nearest.distance - 1.5).abs() < 1e-12);
    /// let unit_box = CollisionShape::cuboid(Vec3::ONE).unwrap();
    /// assert_eq!(probe.overlap(&unit_box, &Pose::at(Vec3::Z * 2.8), Among::ALL).len(), 1);
    /// assert!(probe.at_point([0.0, 0.0, 0.0], Among::ALL).is_empty());
    /// # Ok::<(), huygens::SceneErrors>(())
    /// ```
    pub fn probe(&self) -> Probe<'_> {
        Probe { world: self, places: self.places_of_shapes(true) }
    }

    /// What a ray from `origin` along `direction` (of any length) hits first, up to `max_time` lengths of it; of two hits at
    /// the same time the shape with the lower slot. A ray that starts inside a shape hits it at once.
    ///
    /// The first question after a step or an edit looks at the box of every shape, the second one sorts them, as [`World::probe`] does.
    pub fn cast_ray(
        &self,
        origin: impl Into<Vec3>,
        direction: impl Into<Vec3>,
        max_time: f64,
        among: Among,
    ) -> Option<Hit> {
        self.look().cast_ray(origin, direction, max_time, among)
    }

    /// What is nearest to a point, up to `max_distance` away [m]; of two at the same distance the shape with the lower slot.
    ///
    /// Example: [`World::probe`].
    pub fn closest(&self, point: impl Into<Vec3>, max_distance: f64, among: Among) -> Option<Nearest> {
        self.look().closest(point, max_distance, among)
    }

    /// The bodies with their shapes that a placed shape overlaps or touches, by slot of the shape.
    ///
    /// Example: [`World::probe`].
    pub fn overlap(
        &self,
        shape: &CollisionShape,
        world_from_shape: &Pose,
        among: Among,
    ) -> Vec<(BodyId, ShapeId)> {
        self.look().overlap(shape, world_from_shape, among)
    }

    /// The bodies with their shapes that a point is in [m], by slot of the shape.
    ///
    /// Example: [`World::probe`].
    pub fn at_point(&self, point: impl Into<Vec3>, among: Among) -> Vec<(BodyId, ShapeId)> {
        self.look().at_point(point, among)
    }

    /// What a placed shape hits first when it moves by `displacement` [m] without turning; of two hits at the same time the shape with the
    /// lower slot. [`Hit::time`] is a share of the displacement; a shape that overlaps at the start hits at 0.
    ///
    /// ```
    /// use huygens::geometry::CollisionShape;
    /// use huygens::math::{Pose, Vec3};
    /// use huygens::scene::{Body, Scene, Shape};
    /// use huygens::{Among, World};
    ///
    /// let world = World::new(&Scene::new().body(Body::fixed("floor").shape(Shape::half_space())))?;
    /// let ball = CollisionShape::sphere(0.5).unwrap();
    /// let hit = world.cast_shape(&ball, &Pose::at(Vec3::Z * 2.0), Vec3::NEG_Z * 3.0, Among::ALL).unwrap();
    /// assert!((hit.time - 0.5).abs() < 1e-7);
    /// # Ok::<(), huygens::SceneErrors>(())
    /// ```
    pub fn cast_shape(
        &self,
        shape: &CollisionShape,
        world_from_shape: &Pose,
        displacement: impl Into<Vec3>,
        among: Among,
    ) -> Option<Hit> {
        self.look().cast_shape(shape, world_from_shape, displacement, among)
    }

    fn look(&self) -> Probe<'_> {
        Probe { world: self, places: self.places_of_shapes(false) }
    }

    /// Where all shapes are: sorted, or for a single question as they come. Whoever asks twice will ask more.
    fn places_of_shapes(&self, is_sorted: bool) -> Arc<Places> {
        let moment = [self.state.steps, self.model.edits.count(), self.moves];
        // A thread that panicked here has left a whole value, or none.
        let mut kept = self.places.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept.take().filter(|(of, _)| *of == moment);
        let (is_sorted, mut places) = match known {
            Some((_, places)) => (true, places),
            None => (is_sorted, Arc::new(self.find_places())),
        };
        if is_sorted && !places.is_sorted {
            let places = Arc::make_mut(&mut places);
            // Static boxes pair with none: this only sorts them.
            places.broad.update_pairs();
            places.is_sorted = true;
        }
        *kept = Some((moment, places.clone()));
        places
    }

    fn find_places(&self) -> Places {
        let mut broad = BroadPhase::new();
        broad.set_level(self.work.bodies.level);
        let mut poses = Vec::with_capacity(self.model.shapes.len());
        for (slot, shape) in self.model.shapes.iter().enumerate() {
            let body = shape.body as usize;
            let pose = Pose::new(self.state.orientation[body], self.state.position[body]) * shape.in_body;
            if !shape.removed && !self.state.quarantined[body] {
                let aabb = shape.shape.aabb(&pose);
                let bounds = ProxyBox::from_f64_outward(aabb.min, aabb.max);
                broad.insert(slot as u32, bounds, Filter::DEFAULT, Mobility::Static, shape.body);
            }
            poses.push(pose);
        }
        Places { poses, broad, is_sorted: false }
    }
}

impl Probe<'_> {
    /// As [`World::cast_ray`].
    pub fn cast_ray(
        &self,
        origin: impl Into<Vec3>,
        direction: impl Into<Vec3>,
        max_time: f64,
        among: Among,
    ) -> Option<Hit> {
        let (origin, direction) = (origin.into(), direction.into());
        let mut best: Option<Hit> = None;
        self.places.broad.cast_ray(origin, direction, max_time, |slot| {
            let limit = best.map_or(max_time, |hit| hit.time);
            let Some((body, id)) = self.wanted(slot, among) else { return limit };
            let shape = &self.world.model.shapes[slot as usize].shape;
            let Some(hit) =
                query::ray_cast(shape, &self.places.poses[slot as usize], origin, direction, limit)
            else {
                return limit;
            };
            let first = best.is_none_or(|best| (hit.toi, slot) < (best.time, best.shape.slot));
            if first {
                let (time, point, normal) = (hit.toi, hit.point, hit.normal);
                best = Some(Hit { body, shape: id, time, point, normal });
            }
            best.map_or(max_time, |hit| hit.time)
        });
        best
    }

    /// As [`World::closest`].
    ///
    /// Example: [`World::probe`].
    pub fn closest(&self, point: impl Into<Vec3>, max_distance: f64, among: Among) -> Option<Nearest> {
        // A point is the core of a ball; the least radius that a ball may have is below any rounding here.
        let radius = LENGTH_RANGE[0];
        let ball = CollisionShape::Sphere(Sphere { radius });
        let found = self.closest_shape(&ball, &Pose::at(point.into()), max_distance, among)?;
        Some(Nearest { distance: found.distance + radius, ..found })
    }

    /// What is nearest to a placed shape, up to `max_distance` away [m]; of two at the same distance the shape with the lower
    /// slot. Two shapes without end have no distance.
    ///
    /// Example: [`World::probe`].
    pub fn closest_shape(
        &self,
        shape: &CollisionShape,
        world_from_shape: &Pose,
        max_distance: f64,
        among: Among,
    ) -> Option<Nearest> {
        let aabb = shape.aabb(world_from_shape);
        let bounds = ProxyBox::from_f64_outward(aabb.min, aabb.max).expanded(max_distance);
        let mut best: Option<Nearest> = None;
        self.places.broad.query_box(bounds, |slot| {
            let Some((body, id)) = self.wanted(slot, among) else { return };
            let other = &self.world.model.shapes[slot as usize].shape;
            let pose = &self.places.poses[slot as usize];
            let Some(found) = query::separation(shape, world_from_shape, other, pose) else { return };
            let first = best.is_none_or(|best| (found.gap, slot) < (best.distance, best.shape.slot));
            if first && found.gap <= max_distance {
                let (distance, point, normal) = (found.gap, found.on_b, found.normal);
                best = Some(Nearest { body, shape: id, distance, point, normal });
            }
        });
        best
    }

    /// As [`World::cast_shape`].
    pub fn cast_shape(
        &self,
        shape: &CollisionShape,
        world_from_shape: &Pose,
        displacement: impl Into<Vec3>,
        among: Among,
    ) -> Option<Hit> {
        let displacement = displacement.into();
        if !displacement.is_finite() || !world_from_shape.translation.is_finite() {
            return None;
        }
        let moved = Pose::new(world_from_shape.rotation, world_from_shape.translation + displacement);
        let (start, end) = (shape.aabb(world_from_shape), shape.aabb(&moved));
        let bounds = ProxyBox::from_f64_outward(start.min.min(end.min), start.max.max(end.max));
        let mut best: Option<Hit> = None;
        self.places.broad.query_box(bounds, |slot| {
            let Some((body, id)) = self.wanted(slot, among) else { return };
            let (other, pose) =
                (&self.world.model.shapes[slot as usize].shape, &self.places.poses[slot as usize]);
            let Some(hit) = query::shape_cast(shape, world_from_shape, displacement, other, pose) else {
                return;
            };
            if best.is_none_or(|best| (hit.fraction, slot) < (best.time, best.shape.slot)) {
                let (time, point, normal) = (hit.fraction, hit.witness, hit.normal);
                best = Some(Hit { body, shape: id, time, point, normal });
            }
        });
        best
    }

    /// As [`World::at_point`].
    ///
    /// Example: [`World::probe`].
    pub fn at_point(&self, point: impl Into<Vec3>, among: Among) -> Vec<(BodyId, ShapeId)> {
        self.overlap(
            &CollisionShape::Sphere(Sphere { radius: LENGTH_RANGE[0] }),
            &Pose::at(point.into()),
            among,
        )
    }

    /// As [`World::overlap`].
    ///
    /// Example: [`World::probe`].
    pub fn overlap(
        &self,
        shape: &CollisionShape,
        world_from_shape: &Pose,
        among: Among,
    ) -> Vec<(BodyId, ShapeId)> {
        let aabb = shape.aabb(world_from_shape);
        let mut found = Vec::new();
        self.places.broad.query_box(ProxyBox::from_f64_outward(aabb.min, aabb.max), |slot| {
            let Some((body, id)) = self.wanted(slot, among) else { return };
            let other = &self.world.model.shapes[slot as usize].shape;
            if query::overlap(shape, world_from_shape, other, &self.places.poses[slot as usize]) {
                found.push((body, id));
            }
        });
        found.sort_unstable_by_key(|(_, shape)| shape.slot);
        found
    }

    /// A shape that the question is about, and its body.
    fn wanted(&self, slot: u32, among: Among) -> Option<(BodyId, ShapeId)> {
        let shape = &self.world.model.shapes[slot as usize];
        let (body, id) = (self.world.id_of(shape.body as usize), self.world.shape_id(slot as usize));
        let counts = shape.layer & among.layers != 0 && (among.sensors || !shape.sensor);
        let counts = counts && among.except != Some(body) && among.only.is_none_or(|only| only(body, id));
        counts.then_some((body, id))
    }
}
