//! Balls against the shapes for which there is a closed form: one point, and no manifold to fill in.

use super::round::{Foot, Near, capsule_ball};
use super::round_box::box_ball;
use super::round_cylinder::cylinder_ball;
use crate::manifold::Feature;
use crate::shape::CollisionShape;
use huygens_math::Vec3;
use huygens_math::scalar::min;

/// The one contact of a ball with another shape, in that shape's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BallContact {
    /// Unit normal from the ball to the shape.
    pub normal: Vec3,
    /// Distance along the normal [m]; negative when they overlap.
    pub gap: f64,
    /// Witness point on the surface of the shape [m].
    pub on_shape: Vec3,
    /// The feature of the shape; that of the ball is its vertex 0.
    pub feature: Feature,
}

impl BallContact {
    /// Half-way between the witness points [m].
    #[inline(always)]
    pub fn middle(&self) -> Vec3 {
        self.on_shape - self.normal * (0.5 * self.gap)
    }
}

/// True for the shapes that [`ball`] knows.
pub fn meets_balls(shape: &CollisionShape) -> bool {
    use CollisionShape::{BoxInside, Cone, CylinderInside, Ellipsoid, Hull, Mesh};
    !matches!(shape, Hull(_) | Cone(_) | Ellipsoid(_) | Mesh(_) | BoxInside(_) | CylinderInside(_))
}

/// The contact of a shape with a ball of `radius` about `center`, both in the shape's frame: what
/// [`collide`](super::collide) says, without the manifold. `None` for shapes that [`meets_balls`] refuses, and when a number
/// is not finite.
#[inline]
pub fn ball(shape: &CollisionShape, center: Vec3, radius: f64) -> Option<BallContact> {
    let near = match shape {
        CollisionShape::Sphere(a) => {
            let foot = Foot { core: Vec3::ZERO, radius: a.radius, name: Feature::vertex(0), normal: Vec3::Z };
            foot.near(center, radius)
        }
        CollisionShape::Capsule(a) => capsule_ball(a, center, radius),
        CollisionShape::Box(a) => box_ball(a.half, center, radius, 2.0 * min(a.half.min_element(), radius)),
        CollisionShape::Wall(a) => {
            box_ball(a.half.extend(0.0), center, radius, min(shape.size(), 2.0 * radius))
        }
        CollisionShape::Cylinder(a) => cylinder_ball(a, center, radius, min(shape.size(), 2.0 * radius)),
        CollisionShape::HalfSpace => Near {
            normal: -Vec3::Z,
            gap: center.z - radius,
            on_a: Vec3::new(center.x, center.y, 0.0),
            name: Feature::face(0),
            lever: radius,
        },
        CollisionShape::Hull(_) | CollisionShape::Cone(_) | CollisionShape::Ellipsoid(_) => return None,
        CollisionShape::Mesh(_) | CollisionShape::BoxInside(_) | CollisionShape::CylinderInside(_) => {
            return None;
        }
    };
    let finite = (center.x + center.y + center.z) * 0.0 == 0.0;
    finite.then_some(BallContact {
        normal: near.normal,
        gap: near.gap,
        on_shape: near.on_a,
        feature: near.name,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::Manifold;
    use huygens_math::{Pose, SplitMix, Vec2};

    #[test]
    fn a_ball_has_the_contact_that_collide_finds() {
        let mut r = SplitMix::new(9);
        let shapes = [
            CollisionShape::sphere(0.7).unwrap(),
            CollisionShape::capsule(0.3, 1.1).unwrap(),
            CollisionShape::cuboid(Vec3::new(0.6, 1.0, 1.4)).unwrap(),
            CollisionShape::cylinder(0.5, 1.2).unwrap(),
            CollisionShape::wall(Vec2::new(1.0, 1.5)).unwrap(),
            CollisionShape::HalfSpace,
        ];
        let mut seen = 0;
        for _ in 0..4000 {
            for shape in &shapes {
                assert!(meets_balls(shape));
                let (radius, center) = (r.range(0.2, 0.6), r.in_cube() * 1.5);
                let b_in_a = Pose::new(r.rotation(), center);
                let mut out: Vec<Manifold> = Vec::new();
                super::super::collide(
                    shape,
                    &CollisionShape::sphere(radius).unwrap(),
                    &b_in_a,
                    0.1,
                    &mut out,
                );
                let found = ball(shape, center, radius).unwrap();
                assert_eq!(out.is_empty(), found.gap > 0.1, "{shape:?} {center}");
                let Some(manifold) = out.first() else { continue };
                let point = &manifold.points()[0];
                // The same formulas, with a rounding or two in other places.
                assert!((found.normal - manifold.normal).length() < 1e-14, "{shape:?} {center}");
                assert!(
                    (found.gap - point.gap).abs() < 1e-14 && (found.on_shape - point.on_a).length() < 1e-14
                );
                assert_eq!(found.feature, point.feature.a);
                seen += 1;
            }
        }
        assert!(seen > 4000);
    }

    #[test]
    fn a_ball_that_is_nowhere_meets_nothing() {
        assert_eq!(ball(&CollisionShape::HalfSpace, Vec3::new(f64::NAN, 0.0, 0.0), 1.0), None);
        assert_eq!(ball(&CollisionShape::HalfSpace, Vec3::new(0.0, f64::INFINITY, 0.0), 1.0), None);
    }
}
