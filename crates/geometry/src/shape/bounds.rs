//! How far a shape reaches: its box, its radius, and the length that its tolerances are measured by.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | R | `rotation` | axes of the shape in the target frame | – |
//! | h | `half` | half extent along each axis of the target frame | m |
//!
//! The half extent of a convex shape about its centre along a unit vector u is its support function there. For the
//! cylinder that is L|a·u| + r√(1 − (a·u)²), with axis a, half length L, radius r; the square root is taken of the
//! two other entries of R, which do not cancel when a ∥ u.

use super::{Hull, Shape};
use crate::Aabb;
use huygens_math::{
    Mat3, Pose, Vec3,
    scalar::{max, min},
};

/// A half-space is bounded above along an axis when its normal is that axis to within this much: rounding of a
/// rotation moves its surface no further than the rounding of the coordinates out there.
const ALIGNED: f64 = 4.0 * f64::EPSILON;

impl Shape {
    /// The smallest box along the target's axes that holds the shape placed by `pose` (`target_from_shape`).
    ///
    /// Solid that reaches to infinity gives infinite sides: all for a container, all but one at most for a
    /// half-space.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let c = pose.translation;
        match self {
            Self::Sphere(s) => Aabb::from_center(c, Vec3::splat(s.radius)),
            Self::Capsule(s) => {
                let axis = pose.rotate(Vec3::Z);
                Aabb::from_center(c, axis.abs() * s.half_length + Vec3::splat(s.radius))
            }
            Self::Box(s) => Aabb::from_center(c, box_half(pose, s.half)),
            Self::Cylinder(s) => {
                let m = Mat3::from_quat(pose.rotation);
                let across = (m.x_axis * m.x_axis + m.y_axis * m.y_axis).map(f64::sqrt);
                Aabb::from_center(c, m.z_axis.abs() * s.half_length + across * s.radius)
            }
            Self::Hull(hull) => hull_aabb(hull, pose),
            Self::HalfSpace => half_space_aabb(pose),
            Self::Wall(s) => Aabb::from_center(c, box_half(pose, s.half.extend(0.0))),
            Self::BoxInside(_) | Self::CylinderInside(_) => Aabb::INFINITE,
        }
    }

    /// Radius [m] of the ball about the shape's origin that holds it; infinite for a half-space or a container.
    pub fn bounding_radius(&self) -> f64 {
        match self {
            Self::Sphere(s) => s.radius,
            Self::Capsule(s) => s.half_length + s.radius,
            Self::Box(s) => s.half.length(),
            Self::Cylinder(s) => (s.radius * s.radius + s.half_length * s.half_length).sqrt(),
            Self::Hull(hull) => hull.bounding_radius(),
            Self::Wall(s) => s.half.length(),
            Self::HalfSpace | Self::BoxInside(_) | Self::CylinderInside(_) => f64::INFINITY,
        }
    }

    /// The length [m] that tolerances on this shape are measured by: how thick it is where it is thinnest.
    ///
    /// Diameter of a sphere or capsule, least edge of a box or wall, the smaller of diameter and length of a
    /// cylinder, least thickness across a face of a hull. Infinite for a half-space or a container, so that the
    /// smaller of two sizes is that of the other shape.
    pub fn size(&self) -> f64 {
        match self {
            Self::Sphere(s) => 2.0 * s.radius,
            Self::Capsule(s) => 2.0 * s.radius,
            Self::Box(s) => 2.0 * min(s.half.x, min(s.half.y, s.half.z)),
            Self::Cylinder(s) => 2.0 * min(s.radius, s.half_length),
            Self::Hull(hull) => hull.thickness(),
            Self::Wall(s) => 2.0 * min(s.half.x, s.half.y),
            Self::HalfSpace | Self::BoxInside(_) | Self::CylinderInside(_) => f64::INFINITY,
        }
    }
}

fn box_half(pose: &Pose, half: Vec3) -> Vec3 {
    let m = Mat3::from_quat(pose.rotation);
    m.x_axis.abs() * half.x + m.y_axis.abs() * half.y + m.z_axis.abs() * half.z
}

fn hull_aabb(hull: &Hull, pose: &Pose) -> Aabb {
    let mut found = Aabb::EMPTY;
    for &v in hull.vertices() {
        let p = pose.rotate(v);
        found = found.union(&Aabb::new(p, p));
    }
    Aabb::new(found.min + pose.translation, found.max + pose.translation)
}

fn half_space_aabb(pose: &Pose) -> Aabb {
    let n = pose.rotate(Vec3::Z);
    let mut found = Aabb::INFINITE;
    for axis in 0..3 {
        if max(n[(axis + 1) % 3].abs(), n[(axis + 2) % 3].abs()) <= ALIGNED {
            let side = if n[axis] > 0.0 { &mut found.max } else { &mut found.min };
            side[axis] = pose.translation[axis];
        }
    }
    found
}
