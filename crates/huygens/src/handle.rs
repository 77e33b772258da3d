//! Handles that users keep: they know their world, and whether what they named is still there.

use std::sync::atomic::{AtomicU32, Ordering};

/// A body of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyId {
    pub(crate) slot: u32,
    pub(crate) generation: u32,
    pub(crate) world: u32,
}

impl BodyId {
    /// Names nothing in any world.
    pub(crate) const NONE: Self = Self { slot: u32::MAX, generation: u32::MAX, world: 0 };
}

/// Why a handle names nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HandleError {
    /// The body was removed.
    #[error("this body was removed from the world; ask the world for its bodies again")]
    Stale,
    /// The handle belongs to another world.
    #[error("this handle belongs to another world; use the one that this world gave")]
    Foreign,
}

/// A number that no other world of this process has.
pub(crate) fn next_world() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}
