//! Joints: how a link moves on the frame that carries it. A file per kind.

mod ball;
mod fixed;
mod free;
mod hinge;
mod kind;
mod local;
mod screw;
mod slide;

pub(crate) use kind::{AxesMut, Carrier, ChildFrame};
pub use kind::{Joint, JointKind};
