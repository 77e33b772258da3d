//! Patterns of bodies as a scene writes them.

use super::Body;
use crate::scene::Named;
use huygens_math::Vec3;

/// A pattern of equal bodies: `[[repeat]]`.
///
/// Its directions are *across*, *deep* and *up*: x, y and z where gravity points down z, and x, z and y where it
/// points down y (`WorldSpec::up`). Across and deep are centred on the position of the repeated body; up starts
/// at it.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RepeatSpec {
    /// The pattern.
    pub kind: RepeatKind,
    /// How many, in the order of the kind; 1 where the kind has fewer numbers.
    pub count: [u32; 3],
    /// Distance between neighbours across, deep and up [m]; what the kind does not use is 0.
    pub spacing: Vec3,
    /// Largest random shift across, deep and up [m]; one number in a file stands for across and deep. Default 0.
    pub jitter: Vec3,
    /// Every body gets a random orientation of its own. Default: true for a pile, else false.
    pub tumble: bool,
    /// Seed of shifts and orientations; `None` for the world's.
    pub seed: Option<u64>,
    /// The bodies, taken in turn; usually one. They are named NAME\[i\], i from 0.
    pub bodies: Vec<Body>,
}

/// A pattern of bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum RepeatKind {
    /// Count across, deep, up; numbered up first, then deep, then across.
    Grid,
    /// One above the other: count up.
    Stack,
    /// Rows one above the other, every second one shifted by half a spacing: count across, up; numbered by rows.
    Wall,
    /// Rows one above the other, each one body shorter: count of the lowest row; numbered by rows.
    Pyramid,
    /// Layers one above the other, tumbled at random: count across, deep, up; numbered by layers, deep first.
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

    /// The directions that have a spacing, in the order of a scene file: 0 across, 1 deep, 2 up.
    pub fn spaced(self) -> &'static [usize] {
        match self {
            Self::Stack => &[2],
            Self::Wall | Self::Pyramid => &[0, 2],
            Self::Grid | Self::Pile => &[0, 1, 2],
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
