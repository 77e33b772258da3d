//! Union-find.

/// Disjoint sets over 0..n. The representative of a set is its smallest member, whatever the order of the joins.
#[derive(Clone, Debug, Default)]
pub struct DisjointSets {
    parent: Vec<u32>,
}

impl DisjointSets {
    /// n sets of one member each.
    pub fn new(n: usize) -> Self {
        let mut sets = Self::default();
        sets.reset(n);
        sets
    }

    /// Makes room for `n` members in all.
    pub fn reserve(&mut self, n: usize) {
        self.parent.reserve(n.saturating_sub(self.parent.len()));
    }

    /// Starts again with n sets of one member each; allocates nothing when there is room.
    pub fn reset(&mut self, n: usize) {
        self.parent.clear();
        self.parent.extend(0..n as u32);
    }

    /// The representative of the set of `i`.
    #[inline]
    pub fn find(&mut self, i: usize) -> usize {
        let mut i = i;
        while self.parent[i] as usize != i {
            // Halving the path keeps later searches short.
            self.parent[i] = self.parent[self.parent[i] as usize];
            i = self.parent[i] as usize;
        }
        i
    }

    /// Makes one set of two.
    #[inline]
    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        self.parent[high] = low as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_do_not_depend_on_the_order_of_the_joins() {
        let pairs = [(5, 6), (1, 2), (6, 2), (3, 4), (7, 7)];
        let mut orders = vec![pairs.to_vec(), pairs.iter().rev().copied().collect()];
        orders.push(pairs.iter().map(|&(a, b)| (b, a)).collect());
        for order in orders {
            let mut sets = DisjointSets::new(8);
            for (a, b) in order {
                sets.join(a, b);
            }
            let roots: Vec<usize> = (0..8).map(|i| sets.find(i)).collect();
            assert_eq!(roots, [0, 1, 1, 3, 3, 1, 1, 7]);
        }
    }
}
