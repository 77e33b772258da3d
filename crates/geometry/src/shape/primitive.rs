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
