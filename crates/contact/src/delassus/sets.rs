//! Contacts that act on each other, in an order that keeps those near each other: the entries of W then lie in a band along its
//! diagonal, and elimination has that much less to do (Cuthill, McKee 1969).

use super::DelassusProblem;

impl DelassusProblem {
    /// The contacts in sets that do not act on each other.
    pub(super) fn sets(&self) -> Vec<Vec<u32>> {
        let near = self.neighbours();
        let mut search = Search { near: &near, round_of: vec![0; self.contacts()], round: 0 };
        let mut sets = Vec::new();
        let mut taken = vec![false; self.contacts()];
        for contact in 0..self.contacts() {
            if taken[contact] {
                continue;
            }
            // Twice from the far end of the last search: it begins where the set is thinnest.
            let mut order = search.from(contact as u32);
            for _ in 0..2 {
                let end = order[order.len() - 1];
                order = search.from(end);
            }
            order.iter().for_each(|&i| taken[i as usize] = true);
            sets.push(order);
        }
        sets
    }

    /// Rows of the largest set of contacts that act on each other: as large a dense matrix is needed.
    pub fn largest(&self) -> usize {
        self.sets().iter().fold(0, |most, set| most.max(self.dimension * set.len()))
    }

    /// The other contacts that each one acts on, or that act on it.
    fn neighbours(&self) -> Vec<Vec<u32>> {
        let mut near = vec![Vec::new(); self.contacts()];
        for (row, blocks) in self.blocks.iter().enumerate() {
            for (column, _) in blocks.iter().filter(|(column, _)| *column as usize != row) {
                near[row].push(*column);
                near[*column as usize].push(row as u32);
            }
        }
        for list in &mut near {
            list.sort_unstable();
            list.dedup();
        }
        near
    }
}

/// Breadth-first searches over the contacts.
struct Search<'a> {
    near: &'a [Vec<u32>],
    /// The last search that met each contact.
    round_of: Vec<u32>,
    round: u32,
}

impl Search<'_> {
    /// All contacts that hang together with `start`, nearest first; of those that one brings in, the ones with few neighbours first.
    fn from(&mut self, start: u32) -> Vec<u32> {
        self.round += 1;
        self.round_of[start as usize] = self.round;
        let mut order = vec![start];
        let mut at = 0;
        while at < order.len() {
            let new = order.len();
            for &next in &self.near[order[at] as usize] {
                if self.round_of[next as usize] != self.round {
                    self.round_of[next as usize] = self.round;
                    order.push(next);
                }
            }
            order[new..].sort_by_key(|&i| (self.near[i as usize].len(), i));
            at += 1;
        }
        order
    }
}
