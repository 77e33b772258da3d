//! The simple shapes, as plain data in their own frame.

use huygens_math::{Vec2, Vec3};

/// A ball about the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Radius [m].
    pub radius: f64,
}

/// A ball swept along z, from −`half_length` to `half_length`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// Radius [m].
    pub radius: f64,
    /// Half the length of the cylindrical part [m].
    pub half_length: f64,
}

/// A box about the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuboid {
    /// Half the edges [m].
    pub half: Vec3,
}

/// A solid cylinder about the origin, axis z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    /// Radius [m].
    pub radius: f64,
    /// Half the length [m].
    pub half_length: f64,
}

/// A solid cone about z: its base at −`half_length`, its tip at +`half_length`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    /// Radius of the base [m].
    pub radius: f64,
    /// Half the length [m].
    pub half_length: f64,
}

impl Cone {
    /// True when the tip, and not the base, lies farthest along `d`; d needs no length of 1.
    #[inline(always)]
    pub(crate) fn tip_is_farthest(&self, d: Vec3) -> bool {
        2.0 * self.half_length * d.z >= self.radius * Vec2::new(d.x, d.y).length()
    }

    /// The tip.
    #[inline(always)]
    pub(crate) fn tip(&self) -> Vec3 {
        Vec3::new(0.0, 0.0, self.half_length)
    }

    /// The point of the rim that lies farthest along `d`; on the x axis where none does.
    #[inline]
    pub(crate) fn rim_towards(&self, d: Vec3) -> Vec3 {
        let across = Vec2::new(d.x, d.y);
        let length = across.length();
        let out = if length > 0.0 { across / length } else { Vec2::X };
        (out * self.radius).extend(-self.half_length)
    }
}

/// A solid ellipsoid about the origin, its axes along those of the frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipsoid {
    /// Half axes [m].
    pub radii: Vec3,
}

/// A finite wall: the rectangle about the origin in the xy plane, without thickness, solid from both sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wall {
    /// Half the edges along x and y [m].
    pub half: Vec2,
}

/// The inside of a box: everything outside is solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxInside {
    /// Half the inner edges [m].
    pub half: Vec3,
}

/// The inside of a closed cylinder about z: everything outside is solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CylinderInside {
    /// Inner radius [m].
    pub radius: f64,
    /// Half the inner length [m].
    pub half_length: f64,
}
