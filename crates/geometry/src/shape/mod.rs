//! The shapes, as plain data in their own frame.

mod any;
mod bounds;
mod error;
mod hull;
mod primitive;

pub use any::{LENGTH_RANGE, Shape};
pub use error::ShapeError;
pub use hull::{Hull, HullFace};
pub use primitive::{BoxInside, Capsule, Cuboid, Cylinder, CylinderInside, Sphere, Wall};
