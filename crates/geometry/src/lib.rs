//! Shapes in, contact manifolds out: the geometry of the Huygens contact engine.
//!
//! No mass in motion and no time: poses come in as numbers, manifolds go out as numbers. Everything about a pair is
//! computed in the frame of its first shape, so that turning or moving the scene changes nothing.

mod aabb;
mod compound;
mod epa;
pub mod gjk;
pub mod manifold;
mod mass;
mod polytope;
pub mod query;
mod refine;
pub mod shape;
mod simplex;
pub mod support;

pub use aabb::Aabb;
pub use compound::{Compound, Part};
pub use manifold::{Feature, FeatureId, FeatureKind, Manifold, ManifoldPoint, Reference};
pub use mass::MassProperties;
pub use shape::{Shape, ShapeError};
