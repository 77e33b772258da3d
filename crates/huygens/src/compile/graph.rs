//! The graph of joints: which bodies hang together, which joints span them as trees, and which close loops.
//!
//! The world, static and driven bodies included, is one node that joins nothing: two arms on the world are two trees. In each connected piece a
//! depth-first walk in the order of the scene picks the joints of the tree; a joint that it does not need closes a loop. Its child is then
//! split: a second link with a share of the mass hangs on that joint, and is welded to the first (`dynamics::Equality::Weld`).

use super::elementary::Elementary;
use huygens_math::DisjointSets;

/// What of the scene an edge is: an index among its joints, or among its couplings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EdgeOf {
    Joint(usize),
    Coupling(usize),
}

/// A joint between two bodies, or a body and the world.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    /// Slot of the body that carries it; `None` for the world and for driven bodies.
    pub parent: Option<usize>,
    /// Slot of the driven body that carries it.
    pub base: Option<usize>,
    /// Slot of the body that it carries.
    pub child: usize,
    /// What it lets move, from the parent on.
    pub parts: Vec<Elementary>,
    /// What of the scene it is.
    pub of: EdgeOf,
    /// The list of parts is reversed: the child of the scene is the parent here.
    pub reversed: bool,
}

impl Edge {
    /// The same joint seen from the other end.
    pub(super) fn turned(&self, from: usize) -> Self {
        let parts = self.parts.iter().rev().map(Elementary::inverse).collect();
        let child = self.parent.unwrap_or(self.child);
        Self { parent: Some(from), base: None, child, parts, of: self.of, reversed: !self.reversed }
    }
}

/// One link of a tree: the edge that it hangs on, or a free base.
#[derive(Clone, Debug)]
pub(super) struct Hung {
    /// Slot of its body.
    pub body: usize,
    /// The joint; `None` for a free base.
    pub edge: Option<Edge>,
    /// The body hangs on another joint already: this is a second link of it.
    pub is_copy: bool,
}

/// Pieces of the graph, each a list of links with parents first and copies last. `ties` are further bodies that belong together.
pub(super) fn pieces(edges: &[Edge], ties: &[[usize; 2]]) -> Vec<Vec<Hung>> {
    let pairs = || {
        let joined = edges.iter().map(|edge| [edge.parent.unwrap_or(edge.child), edge.child]);
        joined.chain(ties.iter().copied())
    };
    let slots = pairs().flatten().max().map_or(0, |last| last + 1);
    let mut sets = DisjointSets::new(slots);
    for [a, b] in pairs() {
        sets.join(a, b);
    }
    let piece_of: Vec<usize> = (0..slots).map(|slot| sets.find(slot)).collect();
    let mut order = Vec::new();
    for body in edges.iter().map(|edge| edge.child).chain(ties.iter().map(|tie| tie[0])) {
        if !order.contains(&piece_of[body]) {
            order.push(piece_of[body]);
        }
    }
    order.into_iter().map(|piece| walk(edges, ties, |body| piece_of[body] == piece)).collect()
}

/// Walks one piece: from each joint on the world, then from bodies that hang on nothing, then from any body that is left.
fn walk(edges: &[Edge], ties: &[[usize; 2]], is_in: impl Fn(usize) -> bool) -> Vec<Hung> {
    let own: Vec<usize> = (0..edges.len()).filter(|&i| is_in(edges[i].child)).collect();
    let mut walk = Walk { edges, used: vec![false; edges.len()], links: Vec::new(), copies: Vec::new() };
    for &i in own.iter().filter(|&&i| edges[i].parent.is_none()) {
        walk.hang(i, None);
    }
    let carried = |body: usize| own.iter().any(|&i| edges[i].child == body);
    for rooted in [true, false] {
        for &i in &own {
            let base = edges[i].parent.unwrap_or(edges[i].child);
            if !(walk.has(base) || rooted && carried(base)) {
                walk.links.push(Hung { body: base, edge: None, is_copy: false });
                walk.below(base);
            }
        }
    }
    for &body in ties.iter().flatten().filter(|body| is_in(**body)) {
        if !walk.has(body) {
            walk.links.push(Hung { body, edge: None, is_copy: false });
        }
    }
    let Walk { mut links, copies, .. } = walk;
    links.extend(copies);
    links
}

struct Walk<'a> {
    edges: &'a [Edge],
    used: Vec<bool>,
    links: Vec<Hung>,
    copies: Vec<Hung>,
}

impl Walk<'_> {
    fn has(&self, body: usize) -> bool {
        self.links.iter().any(|link| link.body == body)
    }

    /// Hangs the far end of joint `i` on the body `from`, or on the world, and then all that hangs on it.
    fn hang(&mut self, i: usize, from: Option<usize>) {
        let mut next = vec![(i, from)];
        while let Some((i, from)) = next.pop() {
            if std::mem::replace(&mut self.used[i], true) {
                continue;
            }
            let edge = &self.edges[i];
            let edge = match from {
                Some(from) if edge.parent != Some(from) => edge.turned(from),
                _ => edge.clone(),
            };
            let body = edge.child;
            if self.has(body) {
                self.copies.push(Hung { body, edge: Some(edge), is_copy: true });
                continue;
            }
            self.links.push(Hung { body, edge: Some(edge), is_copy: false });
            self.push_below(body, &mut next);
        }
    }

    fn below(&mut self, body: usize) {
        let mut next = Vec::new();
        self.push_below(body, &mut next);
        while let Some((i, from)) = next.pop() {
            self.hang(i, from);
        }
    }

    /// The joints of a body that no link hangs on yet, the first of the scene on top.
    fn push_below(&self, body: usize, next: &mut Vec<(usize, Option<usize>)>) {
        for (i, edge) in self.edges.iter().enumerate().rev() {
            let touches = edge.parent == Some(body) || edge.parent.is_some() && edge.child == body;
            if touches && !self.used[i] {
                next.push((i, Some(body)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(parent: Option<usize>, child: usize) -> Edge {
        Edge { parent, base: None, child, parts: Vec::new(), of: EdgeOf::Joint(0), reversed: false }
    }

    #[test]
    fn a_ring_on_the_world_is_one_chain_with_a_copy_of_one_body() {
        let edges = [edge(None, 0), edge(Some(0), 1), edge(Some(1), 2), edge(None, 2)];
        let pieces = pieces(&edges, &[]);
        assert_eq!(pieces.len(), 1);
        let bodies: Vec<(usize, bool)> = pieces[0].iter().map(|hung| (hung.body, hung.is_copy)).collect();
        assert_eq!(bodies, [(0, false), (1, false), (2, false), (2, true)]);
    }

    #[test]
    fn two_arms_on_the_world_are_two_trees_and_a_coupling_makes_them_one() {
        let edges = [edge(None, 0), edge(None, 1), edge(Some(3), 2)];
        assert_eq!(pieces(&edges, &[]).len(), 3);
        assert_eq!(pieces(&edges, &[[0, 2]]).iter().map(Vec::len).collect::<Vec<_>>(), [3, 1]);
    }

    #[test]
    fn joints_are_turned_where_the_walk_comes_from_their_child() {
        // 0 carries 1, and 2 carries 1 as well: no loop, one of the two joints is turned.
        let edges = [edge(Some(0), 1), edge(Some(2), 1)];
        let pieces = pieces(&edges, &[]);
        let links: Vec<_> = pieces[0].iter().map(|h| (h.body, h.edge.as_ref().map(|e| e.reversed))).collect();
        assert_eq!(links, [(0, None), (1, Some(false)), (2, Some(true))]);
    }
}
