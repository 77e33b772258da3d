//! Patterns of bodies as a scene writes them.

use super::BodySpec;
use crate::scene::Named;
use huygens_math::Vec3;

/// A pattern of equal bodies: `[[repeat]]`. `expand` says where each one stands.
#[derive(Clone, Debug, PartialEq)]
pub struct RepeatSpec {
    /// The pattern.
    pub kind: RepeatKind,
    /// How many along each direction of the pattern; 1 where the kind has no such direction.
    pub count: [u32; 3],
    /// Distance between neighbours along each direction of the pattern [m].
    pub spacing: Vec3,
    /// Largest random shift along each direction of the pattern [m]. Default 0.
    pub jitter: Vec3,
    /// Every body gets a random orientation of its own. Default: true for a pile, else false.
    pub tumble: bool,
    /// Seed of shifts and orientations; `None` for the world's.
    pub seed: Option<u64>,
    /// The bodies, taken in turn; usually one. They are named NAME\[i\], i from 0.
    pub bodies: Vec<BodySpec>,
}

/// A pattern of bodies, about the position of the repeated body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepeatKind {
    /// Count x, y, z along the world axes, centred.
    Grid,
    /// One above the other, from the position up.
    Stack,
    /// Rows one above the other, every second one shifted by half a spacing: count across, up.
    Wall,
    /// Rows one above the other, each one body shorter: count of the lowest row.
    Pyramid,
    /// Layers one above the other, shifted and turned at random: count across, deep, up.
    Pile,
}

impl Named for RepeatKind {
    const NAMES: &'static [(&'static str, Self)] = &[
        ("grid", Self::Grid),
        ("stack", Self::Stack),
        ("wall", Self::Wall),
        ("pyramid", Self::Pyramid),
        ("pile", Self::Pile),
    ];
}

impl RepeatKind {
    /// Numbers that `count` has in a scene file.
    pub fn counts(self) -> usize {
        match self {
            Self::Stack | Self::Pyramid => 1,
            Self::Wall => 2,
            Self::Grid | Self::Pile => 3,
        }
    }

    /// Numbers that `spacing` and `jitter` have in a scene file when they are not one number for all.
    pub fn directions(self) -> usize {
        match self {
            Self::Stack => 1,
            Self::Wall | Self::Pyramid => 2,
            Self::Grid | Self::Pile => 3,
        }
    }
}

impl RepeatSpec {
    /// Number of bodies; `None` when it overflows.
    pub fn total(&self) -> Option<u64> {
        let [a, b, c] = self.count.map(u64::from);
        match self.kind {
            RepeatKind::Pyramid => a.checked_mul(a.checked_add(1)?).map(|twice| twice / 2),
            _ => a.checked_mul(b)?.checked_mul(c),
        }
    }
}
