//! The rank of W.

use super::DelassusProblem;
use crate::solver::scaled_units;
use huygens_math::dense;

/// Share of the largest entry below which what elimination leaves is round-off: entries have been summed from terms up to ten thousand
/// times as large, and the smallest real ones in stored problems are at 1e-9.
const ROUND_OFF: f64 = 1e-12;

impl DelassusProblem {
    /// The rank of W: by elimination with complete pivoting of each set of contacts, in units in which every block has norm 1.
    pub fn rank(&self) -> usize {
        self.sets()
            .into_iter()
            .map(|members| {
                let component = self.component(&members);
                let (n, mut w) = (component.q.len(), component.w);
                let unit = scaled_units(&w, n, self.dimension);
                for (i, row) in w.chunks_exact_mut(n).enumerate() {
                    row.iter_mut().zip(&unit).for_each(|(w, s)| *w *= unit[i] * s);
                }
                dense::rank(&mut w, n, ROUND_OFF)
            })
            .sum()
    }
}
