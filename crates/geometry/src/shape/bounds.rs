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

use super::{CollisionShape, Hull};
use crate::Aabb;
use huygens_math::{
    Mat3, Pose, Vec3,
    scalar::{max, min},
};

/// A half-space is bounded above along an axis when its normal is that axis to within this much: rounding of a
/// rotation moves its surface no further than the rounding of the coordinates out there.
const ALIGNED: f64 = 4.0 * f64::EPSILON;

/// Up to this many corners a hull's box comes from all of them, above from six climbs (about 0.3 µs each).
const SCAN: usize = 512;

impl CollisionShape {
    /// The smallest box along the target's axes that holds the shape placed by `pose` (`target_from_shape`).
    ///
    /// Of a mesh it is the smallest box around the mesh's own box. Solid that reaches to infinity gives infinite sides: all for a container, all but one at most for a
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
            Self::Cone(s) => {
                let m = Mat3::from_quat(pose.rotation);
                let across = (m.x_axis * m.x_axis + m.y_axis * m.y_axis).map(f64::sqrt);
                let base = Aabb::from_center(c - m.z_axis * s.half_length, across * s.radius);
                let tip = c + m.z_axis * s.half_length;
                base.union(&Aabb::new(tip, tip))
            }
            Self::Ellipsoid(s) => {
                let m = Mat3::from_quat(pose.rotation);
                let axes = [m.x_axis * s.radii.x, m.y_axis * s.radii.y, m.z_axis * s.radii.z];
                let square = axes.iter().fold(Vec3::ZERO, |sum, &a| sum + a * a);
                Aabb::from_center(c, square.map(f64::sqrt))
            }
            Self::Hull(hull) => hull_aabb(hull, pose),
            Self::Mesh(mesh) => {
                let b = mesh.bounds();
                Aabb::from_center(pose.transform(b.center()), box_half(pose, b.half_extents()))
            }
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
            Self::Cone(s) => (s.radius * s.radius + s.half_length * s.half_length).sqrt(),
            Self::Ellipsoid(s) => s.radii.max_element(),
            Self::Hull(hull) => hull.bounding_radius(),
            Self::Mesh(mesh) => mesh.bounding_radius(),
            Self::Wall(s) => s.half.length(),
            Self::HalfSpace | Self::BoxInside(_) | Self::CylinderInside(_) => f64::INFINITY,
        }
    }

    /// The length [m] that tolerances on this shape are measured by: how thick it is where it is thinnest.
    ///
    /// Diameter of a sphere or capsule, least edge of a box or wall, the smaller of diameter and length of a
    /// cylinder or a cone, twice the least half axis of an ellipsoid, least thickness across a face of a hull. Infinite
    /// for a mesh, which has no thickness that counts, a half-space or a container, so that the
    /// smaller of two sizes is that of the other shape.
    pub fn size(&self) -> f64 {
        match self {
            Self::Sphere(s) => 2.0 * s.radius,
            Self::Capsule(s) => 2.0 * s.radius,
            Self::Box(s) => 2.0 * min(s.half.x, min(s.half.y, s.half.z)),
            Self::Cylinder(s) => 2.0 * min(s.radius, s.half_length),
            Self::Cone(s) => 2.0 * min(s.radius, s.half_length),
            Self::Ellipsoid(s) => 2.0 * s.radii.min_element(),
            Self::Hull(hull) => hull.thickness(),
            Self::Wall(s) => 2.0 * min(s.half.x, s.half.y),
            Self::Mesh(_) | Self::HalfSpace | Self::BoxInside(_) | Self::CylinderInside(_) => f64::INFINITY,
        }
    }
}

fn box_half(pose: &Pose, half: Vec3) -> Vec3 {
    let m = Mat3::from_quat(pose.rotation);
    m.x_axis.abs() * half.x + m.y_axis.abs() * half.y + m.z_axis.abs() * half.z
}

fn hull_aabb(hull: &Hull, pose: &Pose) -> Aabb {
    let m = Mat3::from_quat(pose.rotation);
    let mut found = Aabb::EMPTY;
    if hull.vertices().len() <= SCAN {
        for &v in hull.vertices() {
            let p = m * v;
            found = found.union(&Aabb::new(p, p));
        }
    } else {
        for axis in 0..3 {
            let u = m.row(axis);
            found.max[axis] = hull.vertices()[hull.support_vertex(u) as usize].dot(u);
            found.min[axis] = hull.vertices()[hull.support_vertex(-u) as usize].dot(u);
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use huygens_math::{SplitMix, Vec2, trig};

    /// Farthest reach of a shape along `u`, by closed form.
    fn support(shape: &CollisionShape, u: Vec3) -> f64 {
        let ring = (u.x * u.x + u.y * u.y).sqrt();
        match shape {
            CollisionShape::Sphere(s) => s.radius,
            CollisionShape::Capsule(s) => s.half_length * u.z.abs() + s.radius,
            CollisionShape::Box(s) => s.half.dot(u.abs()),
            CollisionShape::Cylinder(s) => s.half_length * u.z.abs() + s.radius * ring,
            CollisionShape::Hull(h) => h.vertices().iter().map(|v| v.dot(u)).fold(f64::NEG_INFINITY, max),
            CollisionShape::Wall(s) => s.half.x * u.x.abs() + s.half.y * u.y.abs(),
            _ => f64::INFINITY,
        }
    }

    fn bounded(r: &mut SplitMix) -> Vec<CollisionShape> {
        let points: Vec<Vec3> = (0..30).map(|_| r.in_cube() + Vec3::X).collect();
        let many: Vec<Vec3> = (0..2 * SCAN).map(|_| r.direction() + Vec3::X).collect();
        vec![
            CollisionShape::sphere(0.7).unwrap(),
            CollisionShape::capsule(0.2, 1.4).unwrap(),
            CollisionShape::cuboid(Vec3::new(0.2, 1.0, 3.0)).unwrap(),
            CollisionShape::cylinder(0.5, 0.3).unwrap(),
            CollisionShape::hull(&points).unwrap(),
            CollisionShape::wall(Vec2::new(2.0, 0.5)).unwrap(),
            CollisionShape::hull(&many).unwrap(),
        ]
    }

    #[test]
    fn boxes_are_exactly_as_large_as_the_support_of_the_shape() {
        let mut r = SplitMix::new(1);
        let shapes = bounded(&mut r);
        for round in 0..200 {
            for shape in &shapes {
                let rotation = if round == 0 { huygens_math::Quat::IDENTITY } else { r.rotation() };
                let pose = Pose::new(rotation, r.in_cube());
                let found = shape.aabb(&pose);
                for axis in 0..3 {
                    let u = pose.inverse_rotate(Vec3::AXES[axis]);
                    let high = pose.translation[axis] + support(shape, u);
                    let low = pose.translation[axis] - support(shape, -u);
                    // A handful of roundings on lengths of a few metres.
                    assert!((found.max[axis] - high).abs() < 5e-15, "{}", shape.kind());
                    assert!((found.min[axis] - low).abs() < 5e-15, "{}", shape.kind());
                }
            }
        }
    }

    #[test]
    fn bounding_ball_holds_the_box_of_the_shape_and_touches_it() {
        let mut r = SplitMix::new(2);
        for shape in bounded(&mut r) {
            let radius = shape.bounding_radius();
            let mut reach = 0.0;
            for _ in 0..20_000 {
                let u = r.direction();
                let far = support(&shape, u);
                assert!(far <= radius * (1.0 + 1e-15), "{}", shape.kind());
                reach = max(reach, far);
            }
            // 20,000 directions come within 0.03 rad of the farthest point: 1 − cos 0.03.
            assert!(reach > radius * 0.999, "{} reaches {reach} of {radius}", shape.kind());
        }
    }

    #[test]
    fn half_spaces_are_bounded_on_one_side_only_when_they_look_along_an_axis() {
        let at = Vec3::new(1.0, 2.0, 3.0);
        let quarter = std::f64::consts::FRAC_PI_2;
        let cases = [
            (Vec3::X, 0.0, 2, false),
            (Vec3::X, 2.0 * quarter, 2, true),
            (Vec3::X, -quarter, 1, false),
            (Vec3::X, quarter, 1, true),
            (Vec3::Y, quarter, 0, false),
            (Vec3::Y, -quarter, 0, true),
        ];
        for (about, angle, axis, below) in cases {
            let found = CollisionShape::HalfSpace.aabb(&Pose::new(trig::axis_angle(about, angle), at));
            let mut expected = Aabb::INFINITE;
            let side = if below { &mut expected.min } else { &mut expected.max };
            side[axis] = at[axis];
            assert_eq!(found, expected, "{about} {angle}");
        }
        let tilted = Pose::new(trig::axis_angle(Vec3::X, 1e-9), at);
        assert_eq!(CollisionShape::HalfSpace.aabb(&tilted), Aabb::INFINITE);
        assert_eq!(CollisionShape::box_inside(Vec3::ONE).unwrap().aabb(&tilted), Aabb::INFINITE);
        assert_eq!(CollisionShape::cylinder_inside(1.0, 1.0).unwrap().aabb(&tilted), Aabb::INFINITE);
    }

    #[test]
    fn size_is_the_least_thickness_and_infinite_for_what_has_no_end() {
        let mut r = SplitMix::new(3);
        let sizes: Vec<f64> = bounded(&mut r).iter().map(CollisionShape::size).collect();
        assert_eq!(sizes[..4], [1.4, 0.4, 0.2, 0.3]);
        assert_eq!(sizes[5], 0.5);
        assert!(sizes[4] > 1.0 && sizes[4] < 2.5, "{}", sizes[4]);
        for shape in [CollisionShape::HalfSpace, CollisionShape::box_inside(Vec3::ONE).unwrap()] {
            assert_eq!((shape.size(), shape.bounding_radius()), (f64::INFINITY, f64::INFINITY));
        }
    }
}
