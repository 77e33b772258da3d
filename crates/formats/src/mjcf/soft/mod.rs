//! MuJoCo's soft constraints on a mechanism: rows of equalities, dry friction, limits and contacts, and the acceleration that they give.
//!
//! [`SoftModel`] is what follows from a model once (weights at the start pose, anchors, pairs of geoms); [`SoftWork::constrain`] makes the rows at a
//! state and solves them.

mod adhesion;
mod book;
mod collide;
mod contact;
mod distance;
mod equality;
mod length;
mod machine;
mod ray;
mod rows;
mod sensed;
mod touching;
mod weights;
mod work;

pub use book::{ACCOUNTS, Energies, SoftBook};
pub use collide::Collider;
pub(crate) use collide::shape;
pub use contact::SoftContact;
pub(super) use length::find_length_ranges;
pub use machine::{STAGES, SoftMachine};
pub use rows::{RowInfo, RowKind};
pub(super) use touching::field_size;
pub use work::{SoftModel, SoftWork};
