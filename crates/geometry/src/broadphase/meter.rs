//! Says when to begin anew: when a tree that was packed long ago costs more than packing it again, and when following
//! each proxy costs more than a new start for all.
//!
//! Both by the rule of the one who rents skis: when what was paid in small would have paid for the large, pay the
//! large; that is at most twice the cost of knowing the future.

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

    /// True when the excess so far would have paid for packing.
    pub(super) fn is_spent(&self, len: usize) -> bool {
        self.excess > PACKING * len as f64
    }
}

/// What was spent on proxies that left their fat boxes one by one, since all had new ones [ns, measured].
#[derive(Clone, Debug, Default)]
pub(super) struct Debt(f64);

impl Debt {
    /// `touched` proxies were looked up and merged into a list of `candidates`.
    pub(super) fn add(&mut self, touched: usize, candidates: usize) {
        self.0 += 500.0 * touched as f64 + 4.0 * candidates as f64;
    }

    pub(super) fn clear(&mut self) {
        self.0 = 0.0;
    }

    /// True when that would have paid for finding all candidates of `len` proxies from nothing.
    pub(super) fn is_due(&self, len: usize, candidates: usize) -> bool {
        self.0 > 60.0 * len as f64 + 15.0 * candidates as f64
    }
}
