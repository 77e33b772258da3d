//! The contact graph of a step: which groups hang together, and which groups act on a body. Built once, after assembly; every stage that
//! goes island by island, or from a body to its contacts, reads it.
//!
//! A *movable* is a free body or a tree: number i for free body i, then the trees. Groups join the movables that they act on; bodies that
//! cannot move, the world and drivers join nothing, but for a driver whose impulse or work has a limit, which couples all that it touches.
//! Islands are numbered by the key of their first group, and their groups are in key order, so that an island is the same whatever else is in
//! the world.

use crate::scratch::{Room, reserve};
use crate::{ContactProblem, Groups, Head, Side};
use huygens_math::{BlockInertia, DisjointSets};

/// The island of something that belongs to none.
const NONE: u32 = u32::MAX;

/// Which groups hang together, and which groups act on a body.
#[derive(Clone, Debug, Default)]
pub struct ContactGraph {
    sets: DisjointSets,
    /// The one or two nodes that each group joins; [`NONE`] for none.
    ends: Vec<[u32; 2]>,
    /// What rows act on beyond their two sides: group and node, in the order of the groups.
    further: Vec<[u32; 2]>,
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
        self.begin(len);
        for (list, _) in pairs.clone() {
            self.first[list as usize + 2] += 1;
        }
        self.make_room();
        for (list, entry) in pairs {
            self.put(list, entry);
        }
        self.first.pop();
    }

    /// Puts each entry into the lists of its two ends, and of the `further` ones (entry, list), which are in the order of the entries; lists
    /// from `len` on are left out.
    fn fill_both(&mut self, len: usize, ends: &[[u32; 2]], further: &[[u32; 2]]) {
        self.begin(len);
        let counted = ends.iter().flatten().chain(further.iter().map(|[_, list]| list));
        for list in counted.filter(|list| (**list as usize) < len) {
            self.first[*list as usize + 2] += 1;
        }
        self.make_room();
        let mut further = further.iter().peekable();
        for (entry, ends) in ends.iter().enumerate() {
            for list in ends.iter().filter(|list| (**list as usize) < len) {
                self.put(*list, entry as u32);
            }
            while let Some([_, list]) = further.next_if(|[of, _]| *of as usize == entry) {
                if (*list as usize) < len {
                    self.put(*list, entry as u32);
                }
            }
        }
        self.first.pop();
    }

    fn begin(&mut self, len: usize) {
        self.first.clear();
        self.first.resize(len + 2, 0);
    }

    /// Turns the lengths of the lists, counted two places behind their own, into their starts, one place behind.
    fn make_room(&mut self) {
        let mut sum = 0;
        for first in &mut self.first {
            sum += *first;
            *first = sum;
        }
        self.entries.clear();
        self.entries.resize(sum as usize, 0);
    }

    /// Adds an entry to its list: `first[list + 1]` runs from the start of the list to its end, which is the start of the next.
    #[inline(always)]
    fn put(&mut self, list: u32, entry: u32) {
        let at = &mut self.first[list as usize + 1];
        self.entries[*at as usize] = entry;
        *at += 1;
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
        self.sets.reserve(movables);
        reserve(&mut self.ends, room.groups);
        reserve(&mut self.island_of_group, room.groups);
        reserve(&mut self.island_of_movable, movables);
        self.groups.reserve(room.groups, room.groups);
        self.movables.reserve(room.groups, movables);
        self.groups_of_movable.reserve(movables, 2 * room.groups);
    }

    /// Makes this the graph of these groups.
    pub fn build(&mut self, groups: &Groups, inertia: &BlockInertia) {
        let mut trees = inertia.trees.len();
        let sides = groups.heads.iter().flat_map(|head| head.side);
        for side in sides.chain(groups.parts.iter().map(|part| part.side)) {
            if let Side::Tree(tree) = side {
                trees = trees.max(tree as usize + 1);
            }
        }
        (self.free, self.trees) = (inertia.free.len(), trees);
        let nodes = Nodes { groups, inertia, free: self.free, movables: self.free + trees };
        self.sets.reset(nodes.count());
        self.ends.clear();
        self.further.clear();
        for head in &groups.heads {
            let mut ends = nodes.of(head);
            if ends[0] != NONE && ends[1] != NONE {
                self.sets.join(ends[0] as usize, ends[1] as usize);
            }
            if groups.may_have_parts(head) {
                self.add_parts(&nodes, head, &mut ends);
            }
            self.ends.push(ends);
        }
        let islands = self.number_islands(nodes.count());
        self.island_of_movable.truncate(nodes.movables);
        self.groups.fill(islands, numbered(&self.island_of_group));
        self.movables.fill(islands, numbered(&self.island_of_movable));
        self.groups_of_movable.fill_both(nodes.movables, &self.ends, &self.further);
    }

    /// Joins what the rows of a group act on beyond its two sides to these.
    #[cold]
    fn add_parts(&mut self, nodes: &Nodes, head: &Head, ends: &mut [u32; 2]) {
        let group = self.ends.len() as u32;
        let from = self.further.len();
        for part in head.range().flat_map(|i| nodes.groups.parts_of(i)) {
            let node = nodes.of_side(part.side);
            let known = ends.contains(&node) || self.further[from..].iter().any(|[_, other]| *other == node);
            if node == NONE || known {
                continue;
            }
            let [first, second] = *ends;
            match if first != NONE { first } else { second } {
                NONE => ends[0] = node,
                first => {
                    self.sets.join(first as usize, node as usize);
                    self.further.push([group, node]);
                }
            }
        }
    }

    /// Numbers the islands by the key of their first group; returns how many there are.
    fn number_islands(&mut self, nodes: usize) -> usize {
        self.island_of_movable.clear();
        self.island_of_movable.resize(nodes, NONE);
        self.island_of_group.clear();
        let mut islands = 0;
        for ends in &self.ends {
            let node = if ends[0] != NONE { ends[0] } else { ends[1] };
            if node == NONE {
                self.island_of_group.push(NONE);
                continue;
            }
            let island = &mut self.island_of_movable[self.sets.find(node as usize)];
            if *island == NONE {
                *island = islands;
                islands += 1;
            }
            self.island_of_group.push(*island);
        }
        for node in 0..nodes {
            // The representative of a set is its smallest member: it has its number already.
            self.island_of_movable[node] = self.island_of_movable[self.sets.find(node)];
        }
        islands as usize
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

    /// Island of a movable; `None` when no group acts on it.
    pub fn island_of_movable(&self, movable: usize) -> Option<usize> {
        let island = self.island_of_movable.get(movable).copied().unwrap_or(NONE);
        (island != NONE).then_some(island as usize)
    }

    /// The movables of the two sides of a group; a tree that touches itself is one.
    #[inline(always)]
    pub fn movables_of(&self, head: &Head) -> [Option<usize>; 2] {
        let [a, b] = head.side.map(|side| self.movable_of(side));
        [a, if a == b { None } else { b }]
    }

    /// The movable of a side.
    #[inline(always)]
    pub fn movable_of(&self, side: Side) -> Option<usize> {
        match side {
            Side::Free(i) => Some(i as usize),
            Side::Tree(t) => Some(self.free + t as usize),
            Side::Fixed | Side::Driven(_) => None,
        }
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

/// The nodes of the graph: movables, then drivers whose impulse or work has a limit.
struct Nodes<'a> {
    groups: &'a Groups,
    inertia: &'a BlockInertia,
    free: usize,
    movables: usize,
}

impl Nodes<'_> {
    fn count(&self) -> usize {
        self.movables + if self.has_limits() { self.groups.driven.len() } else { 0 }
    }

    fn has_limits(&self) -> bool {
        !self.groups.caps.is_empty() || !self.groups.work_limits.is_empty()
    }

    /// The node of a side; [`NONE`] for what cannot move.
    #[inline(always)]
    fn of_side(&self, side: Side) -> u32 {
        match side {
            Side::Free(i) if self.inertia.free[i as usize].can_move() => i,
            Side::Tree(tree) => self.free as u32 + tree,
            Side::Free(_) | Side::Fixed | Side::Driven(_) => NONE,
        }
    }

    /// The nodes that the two sides of a group join; a tree that touches itself is one.
    #[inline(always)]
    fn of(&self, head: &Head) -> [u32; 2] {
        let mut ends = head.side.map(|side| self.of_side(side));
        if ends[0] == ends[1] {
            ends[1] = NONE;
        }
        if self.has_limits() {
            self.add_limited(head, &mut ends);
        }
        ends
    }

    #[cold]
    fn add_limited(&self, head: &Head, ends: &mut [u32; 2]) {
        for (end, side) in ends.iter_mut().zip(head.side).filter(|(end, _)| **end == NONE) {
            let driver = self.groups.driver_of(side).filter(|driver| self.groups.is_limited(*driver));
            *end = driver.map_or(NONE, |driver| self.movables as u32 + driver);
        }
    }
}

/// The entries that have an island, with its number.
fn numbered(islands: &[u32]) -> impl Iterator<Item = (u32, u32)> + Clone {
    islands.iter().enumerate().filter(|(_, island)| **island != NONE).map(|(at, island)| (*island, at as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

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
