//! Shapes and measures that several tests share.
#![allow(dead_code, reason = "each test uses its part")]

use huygens_geometry::shape::{Capsule, Cuboid, Cylinder, Hull, Sphere, Wall};
use huygens_geometry::support::Support;
use huygens_math::{Pose, SplitMix, Vec3};
use std::sync::Arc;

/// Separation along m: the answer for the normal m if it were the best.
pub fn along<A: Support, B: Support>(a: &A, b: &B, pose: &Pose, m: Vec3) -> f64 {
    let low_a = m.dot(a.support(-m).point) - a.radius();
    let high_b = m.dot(pose.transform(b.support(pose.inverse_rotate(m)).point)) + b.radius();
    low_a - high_b
}

/// Some shape of each kind, as one type.
#[derive(Clone, Debug)]
pub enum Any {
    Sphere(Sphere),
    Capsule(Capsule),
    Box(Cuboid),
    Cylinder(Cylinder),
    Hull(Arc<Hull>),
    Wall(Wall),
}

impl Any {
    /// A stout shape of about the given size.
    pub fn random(r: &mut SplitMix, size: f64) -> Self {
        let mut length = || size * r.range(0.2, 1.0);
        let (x, y, z) = (length(), length(), length());
        match r.index(5) {
            0 => Self::Sphere(Sphere { radius: x }),
            1 => Self::Capsule(Capsule { radius: x, half_length: y }),
            2 => Self::Box(Cuboid { half: Vec3::new(x, y, z) }),
            3 => Self::Cylinder(Cylinder { radius: x, half_length: y }),
            _ => {
                let points: Vec<Vec3> = (0..12).map(|_| r.direction() * size).collect();
                Self::Hull(Arc::new(Hull::new(&points).unwrap()))
            }
        }
    }

    /// The same shape, `s` times as large.
    pub fn scaled(&self, s: f64) -> Self {
        match self {
            Self::Sphere(x) => Self::Sphere(Sphere { radius: x.radius * s }),
            Self::Capsule(x) => {
                Self::Capsule(Capsule { radius: x.radius * s, half_length: x.half_length * s })
            }
            Self::Box(x) => Self::Box(Cuboid { half: x.half * s }),
            Self::Cylinder(x) => {
                Self::Cylinder(Cylinder { radius: x.radius * s, half_length: x.half_length * s })
            }
            Self::Hull(x) => {
                let points: Vec<Vec3> = x.vertices().iter().map(|v| *v * s).collect();
                Self::Hull(Arc::new(Hull::new(&points).unwrap()))
            }
            Self::Wall(x) => Self::Wall(Wall { half: x.half * s }),
        }
    }
}

macro_rules! each {
    ($self:ident, $x:ident => $answer:expr) => {
        match $self {
            Any::Sphere($x) => $answer,
            Any::Capsule($x) => $answer,
            Any::Box($x) => $answer,
            Any::Cylinder($x) => $answer,
            Any::Hull($x) => $answer,
            Any::Wall($x) => $answer,
        }
    };
}

impl Support for Any {
    fn support(&self, d: Vec3) -> huygens_geometry::support::SupportPoint {
        each!(self, x => x.support(d))
    }
    fn radius(&self) -> f64 {
        each!(self, x => Support::radius(x))
    }
    fn center(&self) -> Vec3 {
        each!(self, x => x.center())
    }
    fn extent(&self) -> f64 {
        each!(self, x => x.extent())
    }
    fn round_axis(&self) -> Option<Vec3> {
        each!(self, x => x.round_axis())
    }
}
