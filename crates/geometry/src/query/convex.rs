//! A shape sorted by what can be asked of it: convex and bounded, solid without end, or a surface of triangles.

use crate::shape::{
    BoxInside, Capsule, CollisionShape, Cone, Cuboid, Cylinder, CylinderInside, Ellipsoid, Hull, Sphere,
    TriangleMesh, Wall,
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
    pub fn new(shape: &'s CollisionShape) -> Option<Self> {
        match Solid::new(shape) {
            Solid::Convex(convex) => Some(convex),
            _ => None,
        }
    }
}

impl<'s> Solid<'s> {
    pub fn new(shape: &'s CollisionShape) -> Self {
        match shape {
            CollisionShape::Sphere(s) => Self::Convex(Convex::Sphere(s)),
            CollisionShape::Capsule(s) => Self::Convex(Convex::Capsule(s)),
            CollisionShape::Box(s) => Self::Convex(Convex::Box(s)),
            CollisionShape::Cylinder(s) => Self::Convex(Convex::Cylinder(s)),
            CollisionShape::Cone(s) => Self::Convex(Convex::Cone(s)),
            CollisionShape::Ellipsoid(s) => Self::Convex(Convex::Ellipsoid(s)),
            CollisionShape::Hull(s) => Self::Convex(Convex::Hull(s)),
            CollisionShape::Mesh(s) => Self::Mesh(s),
            CollisionShape::Wall(s) => Self::Convex(Convex::Wall(s)),
            CollisionShape::HalfSpace => Self::Boundary(Boundary::HalfSpace),
            CollisionShape::BoxInside(s) => Self::Boundary(Boundary::BoxInside(s)),
            CollisionShape::CylinderInside(s) => Self::Boundary(Boundary::CylinderInside(s)),
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
