//! The kinds of fault that a hunt looks for.

use huygens::scene::Named;

/// A kind of fault that a hunt looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Contact brings energy in.
    Energy,
    /// A body is disturbed by another one that it does not meet.
    Ghost,
    /// A body passes through another one, or is left inside.
    Passage,
    /// A body moves although statics says that it rests.
    Creep,
    /// The same scene mirrored, turned, moved, in other units or with its bodies in another order gives another motion.
    Symmetry,
    /// A number is not finite, or a body was quarantined.
    Nan,
    /// The ledger does not close, or does not close on the energy that the judge computes.
    Ledger,
    /// Two runs, two SIMD levels, a dropped workspace or shuffled lanes give other bits.
    Determinism,
    /// A body that touches nothing of an island changes its bits.
    Locality,
    /// A loop, a gear or a rod comes apart.
    Drift,
}

impl Kind {
    /// Every kind, in the order in which a hunt goes through them.
    pub const ALL: [Self; 10] = [
        Self::Energy,
        Self::Ghost,
        Self::Passage,
        Self::Creep,
        Self::Symmetry,
        Self::Nan,
        Self::Ledger,
        Self::Determinism,
        Self::Locality,
        Self::Drift,
    ];

    /// What is wrong, in one sentence without a full stop.
    pub fn fault(self) -> &'static str {
        match self {
            Self::Energy => "contact brings energy in",
            Self::Ghost => "a body is disturbed by another one that it does not meet",
            Self::Passage => "a body passes through another one, or is left inside",
            Self::Creep => "a body moves although statics says that it rests",
            Self::Symmetry => {
                "the scene mirrored, turned, moved, in other units or in another order moves otherwise"
            }
            Self::Nan => "a number is not finite, or a body was quarantined",
            Self::Ledger => "the energy book does not close, or not on the energy of the bodies",
            Self::Determinism => {
                "two runs, SIMD levels, a dropped workspace or shuffled lanes give other bits"
            }
            Self::Locality => "a body that touches nothing of an island changes its bits",
            Self::Drift => "a loop, a gear or a rod comes apart",
        }
    }

    /// What the figure measures.
    pub fn figure(self) -> &'static str {
        match self {
            Self::Energy => {
                "rise of T + V above an earlier minimum, less the work from outside since, over max(largest T, Σ m\\|g\\|·slop)"
            }
            Self::Ghost => {
                "largest difference from the lone flight, as a share of speed or size; the limit is a bit"
            }
            Self::Passage => "how far a body has got through, or is left inside, in sizes",
            Self::Creep => "way of the farthest point of a body in sizes per second, after settling",
            Self::Symmetry => "largest difference after one step, as a share of the largest speed and size",
            Self::Nan => "bodies with a number that is not finite",
            Self::Ledger => "what is unexplained over what round-off may leave",
            Self::Determinism => "runs whose bits differ from those of the first",
            Self::Locality => {
                "largest difference from the run without strangers, as a share of speed or size; the limit is a bit"
            }
            Self::Drift => "largest error of a loop, a gear or a rod, as a share of the world's length",
        }
    }

    /// The word of the command line.
    pub fn word(self) -> &'static str {
        Self::NAMES[self as usize].0
    }
}

impl Named for Kind {
    const NAMES: &'static [(&'static str, Self)] = &[
        ("energy", Self::Energy),
        ("ghost", Self::Ghost),
        ("passage", Self::Passage),
        ("creep", Self::Creep),
        ("symmetry", Self::Symmetry),
        ("nan", Self::Nan),
        ("ledger", Self::Ledger),
        ("determinism", Self::Determinism),
        ("locality", Self::Locality),
        ("drift", Self::Drift),
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_own_word() {
        for (i, kind) in Kind::ALL.into_iter().enumerate() {
            assert_eq!(Kind::NAMES[i].1, kind);
            assert_eq!(kind as usize, i);
        }
    }
}
