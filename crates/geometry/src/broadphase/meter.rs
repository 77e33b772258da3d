//! Says when a tree that was packed long ago costs more than packing it again.

/// Nodes that may be looked at in the time that packing takes per entry (measured: 60 ns against 3 ns).
const PACKING: f64 = 20.0;

/// Counts the nodes looked at per query, against what it was just after packing, and adds up the excess.
#[derive(Clone, Debug, Default)]
pub(super) struct Meter {
    first_queries: f64,
    first_work: f64,
    excess: f64,
}

impl Meter {
    pub(super) fn reset(&mut self) {
        *self = Self::default();
    }

    /// `work` nodes were looked at for `queries` boxes, in a tree of `len` entries.
    pub(super) fn record(&mut self, queries: usize, work: usize, len: usize) {
        let (queries, work) = (queries as f64, work as f64);
        // Fewer queries than this say little about the whole tree.
        if self.first_queries < 0.25 * len as f64 {
            self.first_queries += queries;
            self.first_work += work;
        } else {
            self.excess += work - queries * self.first_work / self.first_queries;
        }
    }

    /// True when the excess so far would have paid for packing. The rule of the one who rents skis: at most twice
    /// the cost of knowing the future.
    pub(super) fn is_spent(&self, len: usize) -> bool {
        self.excess > PACKING * len as f64
    }
}
