//! Which things hang together: disjoint sets with a fixed outcome.

use crate::{ContactProblem, Head, Side};

/// Disjoint sets over 0..n; the representative of a set is its smallest member, whatever the order of the joins.
#[derive(Clone, Debug, Default)]
pub(crate) struct Islands {
    parent: Vec<u32>,
}

impl Islands {
    /// Makes room for `n` members.
    pub(crate) fn reserve(&mut self, n: usize) {
        crate::scratch::reserve(&mut self.parent, n);
    }

    /// n sets of one member each.
    pub(crate) fn reset(&mut self, n: usize) {
        self.parent.clear();
        self.parent.extend(0..n as u32);
    }

    /// The representative of the set of `i`.
    pub(crate) fn find(&mut self, i: usize) -> usize {
        let mut i = i;
        while self.parent[i] as usize != i {
            // Halving the path keeps later searches short.
            self.parent[i] = self.parent[self.parent[i] as usize];
            i = self.parent[i] as usize;
        }
        i
    }

    /// Makes one set of two.
    pub(crate) fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        self.parent[high] = low as u32;
    }
}

/// Upper bound of the number of movable things: free bodies, then trees, each with a dof at least.
pub(crate) fn movable(problem: &ContactProblem) -> usize {
    problem.v_free.free.len() + problem.move_inertia.trees.len().max(problem.v_free.dof.len())
}

/// The movable things of a group, free bodies first, then trees; a tree that touches itself is one.
pub(crate) fn slots(head: &Head, free: usize) -> [Option<usize>; 2] {
    let slot = |side: Side| match side {
        Side::Fixed | Side::Driven(_) => None,
        Side::Free(i) => Some(i as usize),
        Side::Tree(i) => Some(free + i as usize),
    };
    let [a, b] = head.side.map(slot);
    [a, if a == b { None } else { b }]
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
            let mut islands = Islands::default();
            islands.reset(8);
            for (a, b) in order {
                islands.join(a, b);
            }
            let roots: Vec<usize> = (0..8).map(|i| islands.find(i)).collect();
            assert_eq!(roots, [0, 1, 1, 3, 3, 1, 1, 7]);
        }
    }
}
