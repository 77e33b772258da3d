//! The shapes, as plain data in their own frame.

mod any;
mod bounds;
mod error;
mod hull;
mod mesh;
mod primitive;

pub use any::{CollisionShape, LENGTH_RANGE};
pub use error::ShapeError;
pub use hull::{Hull, HullFace};
pub(crate) use mesh::{Fold, Probe};
pub use mesh::{MeshFault, TriangleMesh};
pub use primitive::{BoxInside, Capsule, Cone, Cuboid, Cylinder, CylinderInside, Ellipsoid, Sphere, Wall};
