//! What a block of the dense system demands: its leading row within bounds, its further rows in discs.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | p₀ | | leading impulse, in [lo, hi]: the normal of a contact, or a row of a joint, a limit or a motor |
//! | μ, a_s, a_r | `radius` | radius of a disc for p₀ = 1, in scaled units: friction (two rows), spinning (one row), rolling (two rows) |
//!
//! Rows of a contact come in the order p_n, p_t, τ_n, τ_t; those whose radius is zero are left out, so that a block has 1 to 6 rows.

use crate::entry::{BlockRows, Cone};

/// Most discs of a block.
pub(in crate::solver) const DISCS: usize = 3;

/// Rows of a block in [`BlockRows`] that belong to each disc.
const AXES: [&[usize]; DISCS] = [&[1, 2], &[3], &[4, 5]];

/// A block of the dense system.
#[derive(Clone, Copy, Debug)]
pub(in crate::solver) struct Entry {
    /// Group of the problem that it belongs to.
    pub head: u32,
    /// Index of the point or row in the problem.
    pub index: u32,
    /// Its first dense row.
    pub at: usize,
    /// Least and largest leading impulse.
    pub lo: f64,
    pub hi: f64,
    /// Radii of its discs; of friction while it sticks.
    pub cone: Cone,
}

/// One disc of a block: the rows from `first` on are at most `radius` times the leading impulse.
#[derive(Clone, Copy, Debug)]
pub(in crate::solver) struct Disc {
    /// First dense row.
    pub first: usize,
    /// One row or two.
    pub len: usize,
    pub radius: f64,
}

impl Disc {
    /// Size of its part of a vector.
    #[inline(always)]
    pub(in crate::solver) fn size(&self, x: &[f64]) -> f64 {
        let own = &x[self.first..self.first + self.len];
        if let [x] = own { x.abs() } else { (own[0] * own[0] + own[1] * own[1]).sqrt() }
    }

    /// Its rows.
    #[inline(always)]
    pub(in crate::solver) fn rows(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.len
    }

    /// The same with its rows counted from row `at` on.
    pub(in crate::solver) fn from(&self, at: usize) -> Self {
        Self { first: self.first - at, ..*self }
    }

    /// Scales its part of a vector.
    #[inline(always)]
    pub(in crate::solver) fn scale(&self, x: &mut [f64], by: f64) {
        x[self.rows()].iter_mut().for_each(|x| *x *= by);
    }
}

impl Entry {
    /// The discs that it has.
    fn has(&self) -> [bool; DISCS] {
        [self.cone.stick > 0.0 || self.cone.slip > 0.0, self.cone.spin > 0.0, self.cone.roll > 0.0]
    }

    /// Number of its rows.
    #[inline(always)]
    pub(in crate::solver) fn len(&self) -> usize {
        1 + self
            .has()
            .into_iter()
            .zip(AXES)
            .map(|(has, axes)| if has { axes.len() } else { 0 })
            .sum::<usize>()
    }

    /// Its dense rows.
    #[inline(always)]
    pub(in crate::solver) fn rows(&self) -> std::ops::Range<usize> {
        self.at..self.at + self.len()
    }

    /// Whether its friction has rows: it may slip.
    #[inline(always)]
    pub(in crate::solver) fn has_friction(&self) -> bool {
        self.has()[0]
    }

    /// Size of its slip in a vector of velocities; 0 without friction.
    pub(in crate::solver) fn slip(&self, u: &[f64]) -> f64 {
        if self.has_friction() { self.discs(0.0).next().map_or(0.0, |disc| disc.size(u)) } else { 0.0 }
    }

    /// Its discs, with `mu` for the radius of friction.
    #[inline(always)]
    pub(in crate::solver) fn discs(&self, mu: f64) -> impl Iterator<Item = Disc> + Clone {
        let (has, radii) = (self.has(), [mu, self.cone.spin, self.cone.roll]);
        let mut first = self.at + 1;
        (0..DISCS).filter(move |&k| has[k]).map(move |k| {
            let disc = Disc { first, len: AXES[k].len(), radius: radii[k] };
            first += disc.len;
            disc
        })
    }

    /// Its discs with their numbers: 0 friction, 1 spinning, 2 rolling.
    pub(in crate::solver) fn numbered_discs(&self) -> impl Iterator<Item = (usize, Disc)> {
        let has = self.has();
        (0..DISCS).filter(move |&k| has[k]).zip(self.discs(self.cone.stick))
    }

    /// Where each of its rows stands in [`BlockRows`].
    pub(in crate::solver) fn axes(&self) -> impl Iterator<Item = usize> + use<> {
        let has = self.has();
        let further = (0..DISCS).filter(move |&k| has[k]).flat_map(|k| AXES[k]);
        std::iter::once(0).chain(further.copied())
    }

    /// Its part of a dense vector as the rows of a block.
    pub(in crate::solver) fn spread(&self, x: &[f64]) -> BlockRows {
        let mut rows = [0.0; 6];
        for (axis, x) in self.axes().zip(&x[self.rows()]) {
            rows[axis] = *x;
        }
        rows
    }
}
