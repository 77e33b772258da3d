//! Small mathematics shared by the rooms of the engine: poses, twists, inertia, lanes, fixed-bit trigonometry.
//!
//! Everything is f64 and three-dimensional, and gives the same bits on every x86-64 machine, in debug and in
//! release builds.

mod block_inertia;
pub mod dense;
mod disjoint_sets;
pub mod lanes;
mod ldl;
mod level;
pub mod pool;
mod pose;
mod projection;
mod random;
mod rotation_lanes;
pub mod scalar;
pub mod sparse;
mod sum;
mod sym3;
pub mod trig;
mod twist;

pub use block_inertia::{BlockInertia, FreeInertia, FreeMass, TreeInertia};
pub use disjoint_sets::DisjointSets;
pub use glam::{DMat3 as Mat3, DQuat as Quat, DVec2 as Vec2, DVec3 as Vec3};
pub use ldl::{Singular, TreeLdl};
pub use level::SimdLevel;
pub use pool::Pool;
pub use pose::Pose;
pub use projection::Projection;
pub use random::SplitMix;
pub use rotation_lanes::{Mat3Lanes, QuatLanes, Sym3Lanes};
pub use sum::{Sum, SumLanes};
pub use sym3::Sym3;
pub use twist::Twist;
