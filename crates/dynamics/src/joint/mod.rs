//! Joints: how a link moves on its parent. A file per kind.

mod fixed;
mod free;
mod hinge;
mod kind;

pub(crate) use kind::Carrier;
pub use kind::{Joint, JointKind};
