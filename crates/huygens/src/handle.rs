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

/// A shape of a body of a world. Which body: [`crate::World::shape`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ShapeId {
    pub(crate) slot: u32,
    pub(crate) generation: u32,
    pub(crate) world: u32,
}

/// A joint of a world ([`crate::World::find_joint`], [`crate::JointView::id`]). It stays that of the joint while others are added, changed and removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct JointId {
    /// No two joints that a world ever had have the same.
    pub(crate) number: u32,
    pub(crate) world: u32,
}

/// Which joint a call is about: its name, or its handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointKey<'a> {
    /// By name.
    Name(&'a str),
    /// By handle.
    Id(JointId),
}

impl<'a> From<&'a str> for JointKey<'a> {
    fn from(name: &'a str) -> Self {
        Self::Name(name)
    }
}

impl<'a> From<&'a String> for JointKey<'a> {
    fn from(name: &'a String) -> Self {
        Self::Name(name)
    }
}

impl From<JointId> for JointKey<'_> {
    fn from(id: JointId) -> Self {
        Self::Id(id)
    }
}

impl ShapeId {
    /// Its slot, as [`BodyId::index`].
    pub fn index(self) -> usize {
        self.slot as usize
    }
}

impl BodyId {
    /// Its slot: a small number that no other body has while it is there, for tables of one's own; the same in a world of the same scene.
    pub fn index(self) -> usize {
        self.slot as usize
    }

    /// Names nothing in any world.
    pub(crate) const NONE: Self = Self { slot: u32::MAX, generation: u32::MAX, world: 0 };
}

/// Why a handle names nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HandleError {
    /// What it named was removed.
    #[error("what this handle named was removed from the world; ask the world for what it has now")]
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
