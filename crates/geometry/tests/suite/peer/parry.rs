//! The same scene as parry3d sees it.

use huygens_geometry::CollisionShape;
use huygens_math::{Pose, Vec3};
use parry3d_f64::math::{Pose as ParryPose, Rotation, Vector};
use parry3d_f64::shape::{
    Ball, Capsule, Cone, ConvexPolyhedron, Cuboid, Cylinder, HalfSpace, Segment, SharedShape, TriMesh,
};
use std::f64::consts::FRAC_1_SQRT_2;

pub fn vector(v: Vec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

pub fn ours(v: Vector) -> Vec3 {
    Vec3::new(v.x, v.y, v.z)
}

/// The shape, or none where parry has no such shape or cannot build it.
pub fn shape(shape: &CollisionShape) -> Option<SharedShape> {
    Some(match shape {
        CollisionShape::Sphere(s) => SharedShape::new(Ball::new(s.radius)),
        CollisionShape::Capsule(s) => SharedShape::new(Capsule::new_z(s.half_length, s.radius)),
        CollisionShape::Box(s) => SharedShape::new(Cuboid::new(vector(s.half))),
        CollisionShape::Cylinder(s) => SharedShape::new(Cylinder::new(s.half_length, s.radius)),
        CollisionShape::Cone(s) => SharedShape::new(Cone::new(s.half_length, s.radius)),
        CollisionShape::Mesh(s) => {
            let points: Vec<Vector> = s.vertices().iter().map(|&v| vector(v)).collect();
            SharedShape::new(TriMesh::new(points, s.triangles().to_vec()).ok()?)
        }
        CollisionShape::Hull(s) => {
            let points: Vec<Vector> = s.vertices().iter().map(|&v| vector(v)).collect();
            SharedShape::new(ConvexPolyhedron::from_convex_hull(&points)?)
        }
        CollisionShape::HalfSpace => SharedShape::new(HalfSpace::new(Vector::Z)),
        _ => return None,
    })
}

/// Where parry must put the shape: its cylinder and its cone stand along y, ours along z.
pub fn pose(shape: &CollisionShape, pose: &Pose) -> ParryPose {
    let (t, q) = (pose.translation, pose.rotation);
    let placed = ParryPose::from_parts(vector(t), Rotation::from_xyzw(q.x, q.y, q.z, q.w));
    if !matches!(shape, CollisionShape::Cylinder(_) | CollisionShape::Cone(_)) {
        return placed;
    }
    // A quarter turn about x takes y to z.
    let upright = Rotation::from_xyzw(FRAC_1_SQRT_2, 0.0, 0.0, FRAC_1_SQRT_2);
    placed * ParryPose::from_parts(Vector::ZERO, upright)
}

/// The segment and the radius of a capsule.
pub fn core(shape: &CollisionShape) -> Option<(SharedShape, f64)> {
    let CollisionShape::Capsule(s) = shape else { return None };
    let end = Vector::Z * s.half_length;
    Some((SharedShape::new(Segment::new(-end, end)), s.radius))
}
