//! Order of elimination by approximate minimum degree (Amestoy, Davis, Duff 1996).
//!
//! An eliminated node becomes an element: the list of nodes that its elimination joined. The graph is kept as nodes with lists of elements and
//! of nodes that no element joins to them, so that it never grows.

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Node,
    Element,
    /// An element whose list is part of a later one.
    Absorbed,
}

/// No node.
const NONE: u32 = u32::MAX;

/// Room to order a graph, and the order.
#[derive(Clone, Debug, Default)]
pub struct MinimumDegree {
    /// Nodes in the order in which they are eliminated.
    pub order: Vec<u32>,
    /// Neighbours of each node: its elements, then its nodes. `start[i]..start[i] + elements[i] + nodes[i]`.
    neighbours: Vec<u32>,
    start: Vec<u32>,
    elements: Vec<u32>,
    nodes: Vec<u32>,
    kind: Vec<Kind>,
    /// Members of each element, in `members[first..first + count]`, and their weight.
    members: Vec<u32>,
    list: Vec<(u32, u32)>,
    size: Vec<u64>,
    degree: Vec<u64>,
    /// Nodes by their degree: a linked list for each.
    head: Vec<u32>,
    next: Vec<u32>,
    last: Vec<u32>,
    /// Stamps: in the list of the present pivot; weight of an element outside of it.
    mark: Vec<u32>,
    outside: Vec<(u32, u64)>,
}

impl MinimumDegree {
    /// Orders the graph over `weights.len()` nodes (the weight of a node is the number of its rows) whose edges are `edges`, each once.
    pub fn order(&mut self, weights: &[u32], edges: impl Iterator<Item = (u32, u32)> + Clone) {
        self.begin(weights, edges);
        let n = weights.len();
        let mut least = 0;
        while self.order.len() < n {
            while self.head[least] == NONE {
                least += 1;
            }
            let pivot = self.head[least];
            self.unlink(pivot as usize);
            self.order.push(pivot);
            let lowered = self.eliminate(pivot as usize, weights);
            least = least.min(lowered);
        }
    }

    fn begin(&mut self, weights: &[u32], edges: impl Iterator<Item = (u32, u32)> + Clone) {
        let n = weights.len();
        self.order.clear();
        self.nodes.clear();
        self.nodes.resize(n, 0);
        let mut total = 0;
        for (a, b) in edges.clone() {
            self.nodes[a as usize] += 1;
            self.nodes[b as usize] += 1;
            total += 2;
        }
        self.start.clear();
        let mut at = 0;
        for count in &mut self.nodes {
            self.start.push(at);
            at += *count;
            *count = 0;
        }
        self.neighbours.clear();
        self.neighbours.resize(total, 0);
        for (a, b) in edges {
            for (i, j) in [(a as usize, b), (b as usize, a)] {
                self.neighbours[(self.start[i] + self.nodes[i]) as usize] = j;
                self.nodes[i] += 1;
            }
        }
        self.elements.clear();
        self.elements.resize(n, 0);
        self.kind.clear();
        self.kind.resize(n, Kind::Node);
        self.members.clear();
        self.list.clear();
        self.list.resize(n, (0, 0));
        self.size.clear();
        self.size.resize(n, 0);
        self.mark.clear();
        self.mark.resize(n, NONE);
        self.outside.clear();
        self.outside.resize(n, (NONE, 0));
        for links in [&mut self.next, &mut self.last] {
            links.clear();
            links.resize(n, NONE);
        }
        self.degree.clear();
        let rows: u64 = weights.iter().map(|&w| u64::from(w)).sum();
        self.head.clear();
        self.head.resize(rows as usize + 1, NONE);
        for i in 0..n {
            let own = self.start[i] as usize..(self.start[i] + self.nodes[i]) as usize;
            self.degree.push(self.neighbours[own].iter().map(|&j| u64::from(weights[j as usize])).sum());
        }
        // The lowest index is the first of its list.
        (0..n).rev().for_each(|i| self.link(i));
    }

    fn link(&mut self, i: usize) {
        let degree = self.degree[i] as usize;
        let old = self.head[degree];
        (self.next[i], self.last[i]) = (old, NONE);
        if old != NONE {
            self.last[old as usize] = i as u32;
        }
        self.head[degree] = i as u32;
    }

    fn unlink(&mut self, i: usize) {
        let (next, last) = (self.next[i], self.last[i]);
        if next != NONE {
            self.last[next as usize] = last;
        }
        if last == NONE {
            self.head[self.degree[i] as usize] = next;
        } else {
            self.next[last as usize] = next;
        }
    }

    /// Makes an element of a node; returns the least degree that came of it.
    fn eliminate(&mut self, pivot: usize, weights: &[u32]) -> usize {
        let stamp = self.order.len() as u32;
        self.mark[pivot] = stamp;
        self.kind[pivot] = Kind::Element;
        let first = self.members.len();
        let start = self.start[pivot] as usize;
        let (elements, nodes) = (self.elements[pivot] as usize, self.nodes[pivot] as usize);
        for k in start..start + elements {
            let element = self.neighbours[k] as usize;
            if self.kind[element] == Kind::Absorbed {
                continue;
            }
            self.kind[element] = Kind::Absorbed;
            let (from, count) = self.list[element];
            for m in from as usize..(from + count) as usize {
                self.take(self.members[m], stamp);
            }
        }
        for k in start + elements..start + elements + nodes {
            self.take(self.neighbours[k], stamp);
        }
        let last = self.members.len();
        self.list[pivot] = (first as u32, (last - first) as u32);
        let size: u64 = self.members[first..].iter().map(|&i| u64::from(weights[i as usize])).sum();
        self.size[pivot] = size;
        for m in first..last {
            let i = self.members[m] as usize;
            let start = self.start[i] as usize;
            for k in start..start + self.elements[i] as usize {
                let element = self.neighbours[k] as usize;
                if self.kind[element] == Kind::Element {
                    let outside = &mut self.outside[element];
                    if outside.0 != stamp {
                        *outside = (stamp, self.size[element]);
                    }
                    outside.1 -= u64::from(weights[i]);
                }
            }
        }
        let mut least = usize::MAX;
        for m in first..last {
            let i = self.members[m] as usize;
            self.unlink(i);
            self.revise(i, pivot, stamp, weights);
            self.link(i);
            least = least.min(self.degree[i] as usize);
        }
        least
    }

    fn take(&mut self, i: u32, stamp: u32) {
        if self.kind[i as usize] == Kind::Node && self.mark[i as usize] != stamp {
            self.mark[i as usize] = stamp;
            self.members.push(i);
        }
    }

    /// Takes from a member of the new element what the element says already, and bounds its degree.
    fn revise(&mut self, i: usize, pivot: usize, stamp: u32, weights: &[u32]) {
        let start = self.start[i] as usize;
        let (elements, nodes) = (self.elements[i] as usize, self.nodes[i] as usize);
        let others = self.size[pivot] - u64::from(weights[i]);
        let mut degree = others;
        let mut to = start;
        for k in start..start + elements {
            let element = self.neighbours[k];
            let e = element as usize;
            if self.kind[e] != Kind::Element {
                continue;
            }
            let outside = self.outside[e].1;
            if outside == 0 {
                self.kind[e] = Kind::Absorbed;
                continue;
            }
            degree += outside;
            self.neighbours[to] = element;
            to += 1;
        }
        let mut end = to;
        for k in start + elements..start + elements + nodes {
            let j = self.neighbours[k];
            let other = j as usize;
            if self.kind[other] == Kind::Node && self.mark[other] != stamp {
                degree += u64::from(weights[other]);
                self.neighbours[end] = j;
                end += 1;
            }
        }
        // The node or the element that led to the pivot is gone from the lists: there is room for the new element, before the nodes.
        let (kept, kept_nodes) = (to - start, end - to);
        debug_assert!(kept + kept_nodes < elements + nodes, "a list of neighbours never grows");
        self.neighbours[end] = self.neighbours[to];
        self.neighbours[to] = pivot as u32;
        self.elements[i] = kept as u32 + 1;
        self.nodes[i] = kept_nodes as u32;
        self.degree[i] = degree.min(self.degree[i] + others);
    }
}
