//! The contact graph of a step: which groups hang together, and which groups act on a body. Built once, after assembly; every stage that
//! goes island by island, or from a body to its contacts, reads it.
//!
//! A *movable* is a free body or a tree: number i for free body i, then the trees. Groups join the movables that they act on; bodies that
//! cannot move, the world and drivers join nothing, but for a driver with a cap of its impulse, which couples all that it touches.
//! Islands are numbered by the key of their first group, and their groups are in key order, so that an island is the same whatever else is in
//! the world.

use crate::scratch::{Room, reserve};
use crate::{ContactProblem, Groups, Head, Side};
use huygens_math::BlockInertia;

/// The island of something that belongs to none.
const NONE: u32 = u32::MAX;

/// Which groups hang together, and which groups act on a body.
#[derive(Clone, Debug, Default)]
pub struct ContactGraph {
    sets: DisjointSets,
    /// Number of free bodies: movables from here on are trees.
    free: usize,
    trees: usize,
    /// Island of each group, and of each movable.
    island_of_group: Vec<u32>,
    island_of_movable: Vec<u32>,
    groups: Lists,
    movables: Lists,
    groups_of_movable: Lists,
}

/// Lists of numbers, one after the other.
#[derive(Clone, Debug, Default)]
struct Lists {
    /// Where each list begins in `entries`, and the end of the last.
    first: Vec<u32>,
    entries: Vec<u32>,
}

impl Lists {
    /// Sorts (list, entry) pairs, given in the order of the entries, into `len` lists.
    fn fill(&mut self, len: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) {
        self.first.clear();
        self.first.resize(len + 2, 0);
        for (list, _) in pairs.clone() {
            self.first[list as usize + 2] += 1;
        }
        for i in 2..self.first.len() {
            self.first[i] += self.first[i - 1];
        }
        self.entries.clear();
        self.entries.resize(self.first[len + 1] as usize, 0);
        // `first[list + 1]` runs from the start of its list to its end, which is the start of the next.
        for (list, entry) in pairs {
            let at = &mut self.first[list as usize + 1];
            self.entries[*at as usize] = entry;
            *at += 1;
        }
        self.first.pop();
    }

    fn len(&self) -> usize {
        self.first.len().saturating_sub(1)
    }

    fn get(&self, list: usize) -> &[u32] {
        &self.entries[self.first[list] as usize..self.first[list + 1] as usize]
    }

    fn reserve(&mut self, lists: usize, entries: usize) {
        reserve(&mut self.first, lists + 2);
        reserve(&mut self.entries, entries);
    }
}

impl ContactGraph {
    /// The graph of these groups.
    pub fn of(groups: &Groups, inertia: &BlockInertia) -> Self {
        let mut graph = Self::default();
        graph.build(groups, inertia);
        graph
    }

    /// Makes room for problems up to that size.
    pub fn reserve(&mut self, room: &Room) {
        let movables = room.bodies + room.dofs;
        reserve(&mut self.sets.parent, movables);
        reserve(&mut self.island_of_group, room.groups);
        reserve(&mut self.island_of_movable, movables);
        self.groups.reserve(room.groups, room.groups);
        self.movables.reserve(room.groups, movables);
        self.groups_of_movable.reserve(movables, 2 * room.groups);
    }

    /// Makes this the graph of these groups.
    pub fn build(&mut self, groups: &Groups, inertia: &BlockInertia) {
        let sides = groups.heads.iter().flat_map(|head| head.side);
        let named = sides
            .fold(0, |most, side| if let Side::Tree(t) = side { most.max(t as usize + 1) } else { most });
        let trees = inertia.trees.len().max(named);
        (self.free, self.trees) = (inertia.free.len(), trees);
        let nodes = Nodes { groups, inertia, free: self.free, movables: self.free + trees };
        self.sets.reset(nodes.count());
        for head in &groups.heads {
            if let [Some(a), Some(b)] = nodes.of(head) {
                self.sets.join(a, b);
            }
        }
        self.number_islands(&nodes);
        let pairs = self.island_of_group.iter().enumerate().map(|(group, island)| (*island, group as u32));
        let islands =
            pairs.clone().filter(|(island, _)| *island != NONE).map(|(island, _)| island as usize + 1);
        let islands = islands.max().unwrap_or(0);
        self.groups.fill(islands, pairs.filter(|(island, _)| *island != NONE));
        let pairs =
            self.island_of_movable.iter().enumerate().map(|(movable, island)| (*island, movable as u32));
        self.movables.fill(islands, pairs.filter(|(island, _)| *island != NONE));
        let sides = groups.heads.iter().enumerate().flat_map(|(group, head)| {
            nodes.movables_of(head).into_iter().flatten().map(move |movable| (movable as u32, group as u32))
        });
        self.groups_of_movable.fill(nodes.movables, sides);
    }

    /// Numbers the islands by the key of their first group.
    fn number_islands(&mut self, nodes: &Nodes) {
        self.island_of_movable.clear();
        self.island_of_movable.resize(nodes.count(), NONE);
        self.island_of_group.clear();
        let mut islands = 0;
        for head in &nodes.groups.heads {
            let Some(node) = nodes.of(head).into_iter().flatten().next() else {
                self.island_of_group.push(NONE);
                continue;
            };
            let root = self.sets.find(node);
            if self.island_of_movable[root] == NONE {
                self.island_of_movable[root] = islands;
                islands += 1;
            }
            self.island_of_group.push(self.island_of_movable[root]);
        }
        for node in 0..nodes.count() {
            let root = self.sets.find(node);
            self.island_of_movable[node] = self.island_of_movable[root];
        }
        self.island_of_movable.truncate(nodes.movables);
    }

    /// Number of islands.
    pub fn islands(&self) -> usize {
        self.groups.len()
    }

    /// Groups of an island, in key order.
    pub fn groups(&self, island: usize) -> &[u32] {
        self.groups.get(island)
    }

    /// Movables of an island: free bodies, then trees.
    pub fn movables(&self, island: usize) -> &[u32] {
        self.movables.get(island)
    }

    /// Groups that act on a movable, in key order.
    pub fn groups_of(&self, movable: usize) -> &[u32] {
        self.groups_of_movable.get(movable)
    }

    /// Island of a group; `None` when nothing that it acts on can move.
    pub fn island_of(&self, group: usize) -> Option<usize> {
        let island = self.island_of_group[group];
        (island != NONE).then_some(island as usize)
    }

    /// The movables that a group acts on; a tree that touches itself is one.
    #[inline(always)]
    pub fn movables_of(&self, head: &Head) -> [Option<usize>; 2] {
        let [a, b] = head.side.map(|side| match side {
            Side::Free(i) => Some(i as usize),
            Side::Tree(t) => Some(self.free + t as usize),
            Side::Fixed | Side::Driven(_) => None,
        });
        [a, if a == b { None } else { b }]
    }

    /// Number of trees.
    pub fn trees(&self) -> usize {
        self.trees
    }

    /// Number of free bodies: movable number `free_bodies() + i` is tree i.
    pub fn free_bodies(&self) -> usize {
        self.free
    }
}

/// Where a velocity stands in [`crate::Velocity`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    /// The twist of a free body.
    Free(usize),
    /// The rate of a dof of a tree.
    Dof(usize),
}

impl ContactProblem<'_> {
    /// Visits the velocities of an island.
    #[inline(always)]
    pub(crate) fn for_each_velocity(&self, island: usize, mut visit: impl FnMut(Slot)) {
        let bodies = self.graph.free_bodies();
        for movable in self.graph.movables(island).iter().map(|&movable| movable as usize) {
            if movable < bodies {
                visit(Slot::Free(movable));
            } else if let Some(tree) = self.move_inertia.trees.get(movable - bodies) {
                let first = tree.first_dof as usize;
                (first..first + tree.ldl.len()).for_each(|i| visit(Slot::Dof(i)));
            }
        }
    }
}

/// The nodes of the graph: movables, then drivers whose impulse has a cap.
struct Nodes<'a> {
    groups: &'a Groups,
    inertia: &'a BlockInertia,
    free: usize,
    movables: usize,
}

impl Nodes<'_> {
    fn count(&self) -> usize {
        self.movables + self.groups.caps.len()
    }

    /// The movables that a group acts on; a tree that touches itself is one.
    fn movables_of(&self, head: &Head) -> [Option<usize>; 2] {
        let [a, b] = head.side.map(|side| match side {
            Side::Free(i) => self.inertia.free[i as usize].can_move().then_some(i as usize),
            Side::Tree(t) => Some(self.free + t as usize),
            Side::Fixed | Side::Driven(_) => None,
        });
        [a, if a == b { None } else { b }]
    }

    fn of(&self, head: &Head) -> [Option<usize>; 2] {
        let mut nodes = self.movables_of(head);
        for (node, side) in nodes.iter_mut().zip(head.side) {
            let driver = self.groups.driver_of(side).map(|driver| driver as usize);
            let capped = |driver: &usize| self.groups.caps.get(*driver).is_some_and(|cap| cap.is_finite());
            *node = node.or(driver.filter(capped).map(|driver| self.movables + driver));
        }
        nodes
    }
}

/// Disjoint sets over 0..n; the representative of a set is its smallest member, whatever the order of the joins.
#[derive(Clone, Debug, Default)]
pub(crate) struct DisjointSets {
    parent: Vec<u32>,
}

impl DisjointSets {
    /// Makes room for `n` members.
    pub(crate) fn reserve(&mut self, n: usize) {
        reserve(&mut self.parent, n);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_do_not_depend_on_the_order_of_the_joins() {
        let pairs = [(5, 6), (1, 2), (6, 2), (3, 4), (7, 7)];
        let mut orders = vec![pairs.to_vec(), pairs.iter().rev().copied().collect()];
        orders.push(pairs.iter().map(|&(a, b)| (b, a)).collect());
        for order in orders {
            let mut sets = DisjointSets::default();
            sets.reset(8);
            for (a, b) in order {
                sets.join(a, b);
            }
            let roots: Vec<usize> = (0..8).map(|i| sets.find(i)).collect();
            assert_eq!(roots, [0, 1, 1, 3, 3, 1, 1, 7]);
        }
    }

    #[test]
    fn lists_keep_the_order_of_their_entries() {
        let mut lists = Lists::default();
        lists.fill(4, [(2, 7), (0, 8), (2, 9), (3, 1)].into_iter());
        let all: Vec<&[u32]> = (0..lists.len()).map(|i| lists.get(i)).collect();
        assert_eq!(all, [&[8][..], &[], &[7, 9], &[1]]);
        lists.fill(0, std::iter::empty());
        assert_eq!(lists.len(), 0);
    }
}
