//! A shape sorted by what can be asked of it: convex and bounded, solid without end, or a surface of triangles.

use crate::shape::{
    BoxInside, Capsule, Cone, Cuboid, Cylinder, CylinderInside, Ellipsoid, Hull, Shape, Sphere, TriangleMesh,
    Wall,
};
use crate::support::{Support, SupportPoint};
use huygens_math::Vec3;

/// A bounded convex shape. One type for all, so that GJK is compiled once for the queries.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Convex<'s> {
    Sphere(&'s Sphere),
    Capsule(&'s Capsule),
    Box(&'s Cuboid),
    Cylinder(&'s Cylinder),
    Cone(&'s Cone),
    Ellipsoid(&'s Ellipsoid),
    Hull(&'s Hull),
    Wall(&'s Wall),
}

/// A shape whose solid has no end.
#[derive(Clone, Copy, Debug)]
pub(super) enum Boundary<'s> {
    HalfSpace,
    BoxInside(&'s BoxInside),
    CylinderInside(&'s CylinderInside),
}

/// One of them.
#[derive(Clone, Copy, Debug)]
pub(super) enum Solid<'s> {
    Convex(Convex<'s>),
    Boundary(Boundary<'s>),
    Mesh(&'s TriangleMesh),
}

impl<'s> Convex<'s> {
    /// The shape, if it is convex and bounded.
    pub fn new(shape: &'s Shape) -> Option<Self> {
        match Solid::new(shape) {
            Solid::Convex(convex) => Some(convex),
            _ => None,
        }
    }
}

impl<'s> Solid<'s> {
    pub fn new(shape: &'s Shape) -> Self {
        match shape {
            Shape::Sphere(s) => Self::Convex(Convex::Sphere(s)),
            Shape::Capsule(s) => Self::Convex(Convex::Capsule(s)),
            Shape::Box(s) => Self::Convex(Convex::Box(s)),
            Shape::Cylinder(s) => Self::Convex(Convex::Cylinder(s)),
            Shape::Cone(s) => Self::Convex(Convex::Cone(s)),
            Shape::Ellipsoid(s) => Self::Convex(Convex::Ellipsoid(s)),
            Shape::Hull(s) => Self::Convex(Convex::Hull(s)),
            Shape::Mesh(s) => Self::Mesh(s),
            Shape::Wall(s) => Self::Convex(Convex::Wall(s)),
            Shape::HalfSpace => Self::Boundary(Boundary::HalfSpace),
            Shape::BoxInside(s) => Self::Boundary(Boundary::BoxInside(s)),
            Shape::CylinderInside(s) => Self::Boundary(Boundary::CylinderInside(s)),
        }
    }
}

macro_rules! each {
    ($self:ident, $shape:ident => $answer:expr) => {
        match $self {
            Convex::Sphere($shape) => $answer,
            Convex::Capsule($shape) => $answer,
            Convex::Box($shape) => $answer,
            Convex::Cylinder($shape) => $answer,
            Convex::Cone($shape) => $answer,
            Convex::Ellipsoid($shape) => $answer,
            Convex::Hull($shape) => $answer,
            Convex::Wall($shape) => $answer,
        }
    };
}

impl Support for Convex<'_> {
    #[inline]
    fn support(&self, direction: Vec3) -> SupportPoint {
        each!(self, shape => shape.support(direction))
    }

    #[inline]
    fn radius(&self) -> f64 {
        each!(self, shape => Support::radius(*shape))
    }

    #[inline]
    fn center(&self) -> Vec3 {
        each!(self, shape => shape.center())
    }

    #[inline]
    fn extent(&self) -> f64 {
        each!(self, shape => shape.extent())
    }

    #[inline]
    fn round_axis(&self) -> Option<Vec3> {
        each!(self, shape => shape.round_axis())
    }
}
