//! Shapes in, contact manifolds out: the geometry of the Huygens contact engine.
//!
//! No mass in motion and no time: poses come in as numbers, manifolds go out as numbers. Everything about a pair is
//! computed in the frame of its first shape, so that turning or moving the scene changes nothing.

mod aabb;
pub mod broadphase;
mod clip;
mod epa;
pub mod ghost;
pub mod gjk;
pub mod manifold;
mod mass;
pub mod narrowphase;
mod persistence;
mod polytope;
pub mod query;
mod reduce;
mod refine;
pub mod shape;
mod simplex;
pub mod support;
pub mod tessellation;

pub use aabb::Aabb;
pub use manifold::{Feature, FeatureId, FeatureKind, MAX_POINTS, Manifold, ManifoldPoint, Reference, Reuse};
pub use mass::MassProperties;
pub use narrowphase::collide;
pub use persistence::{Carried, MOST_SLACK, REUSE_MOTION, match_points};
pub use shape::{CollisionShape, MeshFault, ShapeError};
