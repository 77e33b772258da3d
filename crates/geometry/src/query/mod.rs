//! Questions about placed shapes: how far apart, do they overlap, what does a ray or a moving shape hit first.
//!
//! For tools, sensors and users; the step has its own narrow phase. All points and directions are in world axes, and
//! poses are `world_from_shape`.

mod boundary;
mod cast;
mod convex;
mod mesh;
mod motion;
mod pair;
mod ray;

pub use cast::{CastHit, shape_cast};
pub(crate) use convex::Convex;
pub use motion::{
    FirstTouch, Motion, PlaneTest, first_overlap, first_touch, first_touch_within, stays_apart,
};
pub use pair::{overlap, separation, separation_along};
pub use ray::{RayHit, ray_cast};
