//! The shapes of a scene's bodies and the distances between them, as a judge measures them.
//!
//! The nearest points of two convex shapes come from the engine's queries, but a judge does not take their word: the normal that they
//! name is a separating direction, and the distance along it follows from support points alone. It is a bound from below whatever the
//! direction, so that "clear" is a proof.

use crate::BodySight;
use huygens::geometry::CollisionShape;
use huygens::geometry::query;
use huygens::geometry::support::Support;
use huygens::math::{Pose, Vec3, scalar};
use huygens::{Scene, SceneErrors, World};

/// One shape of a body.
#[derive(Clone, Debug)]
pub struct Form {
    /// The shape.
    pub shape: CollisionShape,
    /// Its pose in the frame at the body's centre of mass, in body axes.
    pub in_body: Pose,
    /// Distance of its farthest point from the centre of mass [m]; infinite for a boundary without end.
    pub reach: f64,
}

/// The shapes of every body of a scene, in the order of the scene.
#[derive(Clone, Debug)]
pub struct Forms(Vec<Vec<Form>>);

impl Forms {
    /// The shapes of a scene; sensors are left out.
    ///
    /// # Errors
    /// When the scene cannot be.
    pub fn new(scene: &Scene) -> Result<Self, SceneErrors> {
        let world = World::new(scene)?;
        let model = world.model();
        let of_body = |shapes: &Vec<u32>| {
            let solid = shapes.iter().map(|slot| &model.shapes[*slot as usize]).filter(|shape| !shape.sensor);
            solid
                .map(|shape| Form { shape: shape.shape.clone(), in_body: shape.in_body, reach: shape.reach })
                .collect()
        };
        Ok(Self(model.bodies.iter().map(|body| of_body(&body.shapes)).collect()))
    }

    /// The shapes of one body.
    pub fn of(&self, body: usize) -> &[Form] {
        &self.0[body]
    }

    /// Distance of a body's farthest point from its centre of mass [m].
    pub fn reach(&self, body: usize) -> f64 {
        self.0[body].iter().fold(0.0, |reach, form| scalar::max(reach, form.reach))
    }

    /// Distance of two placed bodies, rounded down [m]; below 0 where they overlap, infinite where no two shapes have a distance.
    pub fn gap(&self, a: usize, pose_a: &Pose, b: usize, pose_b: &Pose) -> f64 {
        let mut least = f64::INFINITY;
        for form_a in &self.0[a] {
            for form_b in &self.0[b] {
                let (at_a, at_b) = (*pose_a * form_a.in_body, *pose_b * form_b.in_body);
                least = scalar::min(least, gap(&form_a.shape, &at_a, &form_b.shape, &at_b));
            }
        }
        least
    }
}

/// Pose of the frame at a body's centre of mass.
pub fn pose(body: &BodySight) -> Pose {
    Pose::new(body.orientation, body.center)
}

/// Distance of two placed shapes, rounded down [m].
fn gap(a: &CollisionShape, pose_a: &Pose, b: &CollisionShape, pose_b: &Pose) -> f64 {
    let Some(found) = query::separation(a, pose_a, b, pose_b) else { return f64::INFINITY };
    if found.gap <= 0.0 {
        return found.gap;
    }
    let along = |shape: &CollisionShape, pose: &Pose, direction: Vec3| {
        let point = farthest(shape, pose.inverse_rotate(direction))?;
        Some(pose.transform(point).dot(direction))
    };
    match (along(a, pose_a, -found.normal), along(b, pose_b, found.normal)) {
        (Some(back), Some(front)) => scalar::min(found.gap, -back - front),
        _ => found.gap,
    }
}

/// Point of a convex shape farthest along a unit direction of its own frame [m]; `None` for a shape that is not convex and bounded.
fn farthest(shape: &CollisionShape, direction: Vec3) -> Option<Vec3> {
    fn of<S: Support>(shape: &S, direction: Vec3) -> Option<Vec3> {
        Some(shape.support(direction).point + shape.radius() * direction)
    }
    match shape {
        CollisionShape::Sphere(s) => of(s, direction),
        CollisionShape::Capsule(s) => of(s, direction),
        CollisionShape::Box(s) => of(s, direction),
        CollisionShape::Cylinder(s) => of(s, direction),
        CollisionShape::Cone(s) => of(s, direction),
        CollisionShape::Ellipsoid(s) => of(s, direction),
        CollisionShape::Hull(s) => of(s.as_ref(), direction),
        CollisionShape::Wall(s) => of(s, direction),
        CollisionShape::Mesh(_)
        | CollisionShape::HalfSpace
        | CollisionShape::BoxInside(_)
        | CollisionShape::CylinderInside(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use huygens::math::SplitMix;
    use huygens::scene::{Body, Shape};

    #[test]
    fn a_gap_is_never_more_than_the_distance_of_any_two_surface_points() {
        let mut random = SplitMix::new(3);
        let mut apart = 0;
        for _ in 0..300 {
            let mut scene = Scene::default();
            for name in ["a", "b"] {
                let kind = crate::generate::body::solid(&mut random, 0.5);
                scene.bodies.push(Body::dynamic(name).shape(Shape::new(kind)));
            }
            let forms = Forms::new(&scene).expect("two solids");
            let place = |random: &mut SplitMix| Pose::new(random.rotation(), random.in_cube());
            let (at_a, at_b) = (place(&mut random), place(&mut random));
            let gap = forms.gap(0, &at_a, 1, &at_b);
            let surface = |random: &mut SplitMix, body: usize, pose: &Pose| {
                let form = &forms.of(body)[0];
                let in_world = *pose * form.in_body;
                let direction = random.direction();
                in_world.transform(farthest(&form.shape, direction).expect("a convex solid"))
            };
            for _ in 0..200 {
                let (p, q) = (surface(&mut random, 0, &at_a), surface(&mut random, 1, &at_b));
                // A corner may be a nearest point: the two then agree to rounding.
                assert!((p - q).length() >= gap - 1e-14, "{:?}", scene.bodies);
            }
            apart += usize::from(gap > 0.0);
        }
        assert!(apart > 50, "{apart}");
    }
}
