//! Convex shapes as GJK and EPA see them: a core that answers "which of your points lies farthest along d?", and a
//! radius around it.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | s(d) | `support` | the point of the core that lies farthest along d |
//! | h(d) | | d · s(d), the support function |
//! | r | `radius` | distance by which the shape is thicker than its core |
//!
//! A sphere is a point with a radius, a capsule a segment with a radius; all others have radius 0.

use crate::shape::{Capsule, Cone, Cuboid, Cylinder, Ellipsoid, Hull, Sphere, Wall};
use huygens_math::Vec3;
use std::sync::Arc;

/// The farthest point of a core along some direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SupportPoint {
    /// The point, in the shape's frame [m].
    pub point: Vec3,
    /// Index of the corner that it is; 0 on a smooth core.
    pub feature: u32,
}

/// A convex core with a radius.
pub trait Support {
    /// The point of the core that lies farthest along `direction`, which needs no length of 1. The same direction
    /// gives the same point; a tie goes to the lowest index.
    fn support(&self, direction: Vec3) -> SupportPoint;

    /// Distance by which the shape is thicker than its core [m].
    fn radius(&self) -> f64;

    /// A point in the core [m].
    fn center(&self) -> Vec3;

    /// A length that no point of the shape lies farther from the frame's origin than [m], and not twice as large as it
    /// need be: what rounding errors are relative to.
    fn extent(&self) -> f64;

    /// The axis that a round core, one that is not a polytope, is round about (a unit vector in the shape's frame).
    /// With such a core an answer is a limit, not a feature.
    #[inline(always)]
    fn round_axis(&self) -> Option<Vec3> {
        None
    }
}

impl<S: Support> Support for &S {
    #[inline(always)]
    fn support(&self, direction: Vec3) -> SupportPoint {
        (**self).support(direction)
    }

    #[inline(always)]
    fn radius(&self) -> f64 {
        (**self).radius()
    }

    #[inline(always)]
    fn center(&self) -> Vec3 {
        (**self).center()
    }

    #[inline(always)]
    fn extent(&self) -> f64 {
        (**self).extent()
    }

    #[inline(always)]
    fn round_axis(&self) -> Option<Vec3> {
        (**self).round_axis()
    }
}

impl Support for Arc<Hull> {
    #[inline(always)]
    fn support(&self, direction: Vec3) -> SupportPoint {
        (**self).support(direction)
    }

    #[inline(always)]
    fn radius(&self) -> f64 {
        0.0
    }

    #[inline(always)]
    fn center(&self) -> Vec3 {
        (**self).center()
    }

    #[inline(always)]
    fn extent(&self) -> f64 {
        (**self).extent()
    }
}

impl Support for Sphere {
    #[inline(always)]
    fn support(&self, _direction: Vec3) -> SupportPoint {
        SupportPoint::default()
    }

    #[inline(always)]
    fn radius(&self) -> f64 {
        self.radius
    }

    #[inline(always)]
    fn center(&self) -> Vec3 {
        Vec3::ZERO
    }

    #[inline(always)]
    fn extent(&self) -> f64 {
        self.radius
    }
}

/// A triangle of a mesh.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Triangle(pub [Vec3; 3]);

impl Support for Triangle {
    #[inline]
    fn support(&self, direction: Vec3) -> SupportPoint {
        let [a, b, c] = self.0.map(|p| p.dot(direction));
        let feature = if a >= b && a >= c {
            0
        } else if b >= c {
            1
        } else {
            2
        };
        SupportPoint { point: self.0[feature as usize], feature }
    }

    #[inline(always)]
    fn radius(&self) -> f64 {
        0.0
    }

    #[inline(always)]
    fn center(&self) -> Vec3 {
        (self.0[0] + self.0[1] + self.0[2]) / 3.0
    }

    #[inline(always)]
    fn extent(&self) -> f64 {
        self.0.iter().fold(0.0, |most, p| huygens_math::scalar::max(most, p.length()))
    }
}

/// `half` with the sign of `direction`, and whether that sign is negative.
#[inline(always)]
fn signed(half: f64, direction: f64) -> (f64, u32) {
    if direction < 0.0 { (-half, 1) } else { (half, 0) }
}

impl Support for Capsule {
    #[inline(always)]
    fn support(&self, direction: Vec3) -> SupportPoint {
        let (z, feature) = signed(self.half_length, direction.z);
        SupportPoint { point: Vec3::new(0.0, 0.0, z), feature }
    }

    #[inline(always)]
    fn radius(&self) -> f64 {
        self.radius
    }

    #[inline(always)]
    fn center(&self) -> Vec3 {
        Vec3::ZERO
    }

    #[inline(always)]
    fn extent(&self) -> f64 {
        self.half_length + self.radius
    }
}

impl Support for Cuboid {
    /// Corner `i` has −x where bit 0 of `i` is set, −y for bit 1, −z for bit 2.
    #[inline(always)]
    fn support(&self, direction: Vec3) -> SupportPoint {
        let (x, bit_x) = signed(self.half.x, direction.x);
        let (y, bit_y) = signed(self.half.y, direction.y);
        let (z, bit_z) = signed(self.half.z, direction.z);
        SupportPoint { point: Vec3::new(x, y, z), feature: bit_x | (bit_y << 1) | (bit_z << 2) }
    }

    #[inline(always)]
    fn radius(&self) -> f64 {
        0.0
    }

    #[inline(always)]
    fn center(&self) -> Vec3 {
        Vec3::ZERO
    }

    #[inline(always)]
    fn extent(&self) -> f64 {
        self.half.x + self.half.y + self.half.z
    }
}

impl Support for Cylinder {
    #[inline(always)]
    fn support(&self, direction: Vec3) -> SupportPoint {
        let across = (direction.x * direction.x + direction.y * direction.y).sqrt();
        // Along the axis the whole cap is farthest: its centre is as good as any, and no corner of a rim that
        // has none.
        let scale = if across > 0.0 { self.radius / across } else { 0.0 };
        let (z, _) = signed(self.half_length, direction.z);
        SupportPoint { point: Vec3::new(direction.x * scale, direction.y * scale, z), feature: 0 }
    }

    #[inline(always)]
    fn radius(&self) -> f64 {
        0.0
    }

    #[inline(always)]
    fn center(&self) -> Vec3 {
        Vec3::ZERO
    }

    #[inline(always)]
    fn extent(&self) -> f64 {
        self.radius + self.half_length
    }

    #[inline(always)]
    fn round_axis(&self) -> Option<Vec3> {
        Some(Vec3::Z)
    }
}

impl Support for Wall {
    /// Corner `i` has −x where bit 0 of `i` is set, −y for bit 1.
    #[inline(always)]
    fn support(&self, direction: Vec3) -> SupportPoint {
        let (x, bit_x) = signed(self.half.x, direction.x);
        let (y, bit_y) = signed(self.half.y, direction.y);
        SupportPoint { point: Vec3::new(x, y, 0.0), feature: bit_x | (bit_y << 1) }
    }

    #[inline(always)]
    fn radius(&self) -> f64 {
        0.0
    }

    #[inline(always)]
    fn center(&self) -> Vec3 {
        Vec3::ZERO
    }

    #[inline(always)]
    fn extent(&self) -> f64 {
        self.half.x + self.half.y
    }
}

impl Support for Cone {
    #[inline(always)]
    fn support(&self, direction: Vec3) -> SupportPoint {
        if self.tip_is_farthest(direction) {
            return SupportPoint { point: self.tip(), feature: 1 };
        }
        let across = (direction.x * direction.x + direction.y * direction.y).sqrt();
        // Along the axis the whole base is farthest, as with the cylinder's cap.
        let scale = if across > 0.0 { self.radius / across } else { 0.0 };
        let point = Vec3::new(direction.x * scale, direction.y * scale, -self.half_length);
        SupportPoint { point, feature: 0 }
    }

    #[inline(always)]
    fn radius(&self) -> f64 {
        0.0
    }

    /// The middle of the axis between the base and the centre of mass: well inside.
    #[inline(always)]
    fn center(&self) -> Vec3 {
        Vec3::new(0.0, 0.0, -0.5 * self.half_length)
    }

    #[inline(always)]
    fn extent(&self) -> f64 {
        self.radius + self.half_length
    }

    #[inline(always)]
    fn round_axis(&self) -> Option<Vec3> {
        Some(Vec3::Z)
    }
}

impl Support for Ellipsoid {
    /// (a²d_x, b²d_y, c²d_z)/√(a²d_x² + b²d_y² + c²d_z²).
    #[inline(always)]
    fn support(&self, direction: Vec3) -> SupportPoint {
        let scaled = self.radii * direction;
        let length = scaled.length();
        let point =
            if length > 0.0 { self.radii * scaled / length } else { Vec3::new(self.radii.x, 0.0, 0.0) };
        SupportPoint { point, feature: 0 }
    }

    #[inline(always)]
    fn radius(&self) -> f64 {
        0.0
    }

    #[inline(always)]
    fn center(&self) -> Vec3 {
        Vec3::ZERO
    }

    #[inline(always)]
    fn extent(&self) -> f64 {
        self.radii.max_element()
    }

    /// The axis whose half axis differs most from the others: about it the ellipsoid is most nearly round.
    #[inline(always)]
    fn round_axis(&self) -> Option<Vec3> {
        let r = self.radii;
        let odd = Vec3::new((r.y - r.z).abs(), (r.z - r.x).abs(), (r.x - r.y).abs());
        let least = odd.min_element();
        Some(if odd.z == least {
            Vec3::Z
        } else if odd.y == least {
            Vec3::Y
        } else {
            Vec3::X
        })
    }
}

impl Support for Hull {
    #[inline(always)]
    fn support(&self, direction: Vec3) -> SupportPoint {
        let feature = self.support_vertex(direction);
        SupportPoint { point: self.vertices()[feature as usize], feature }
    }

    #[inline(always)]
    fn radius(&self) -> f64 {
        0.0
    }

    #[inline(always)]
    fn center(&self) -> Vec3 {
        self.centroid()
    }

    #[inline(always)]
    fn extent(&self) -> f64 {
        self.bounding_radius()
    }
}
