//! A tree of boxes over triangles, in one array: parents before children, each with the place to go on when it is passed over.

use crate::Aabb;
use huygens_math::Vec3;
use huygens_math::lanes::{Lane, Simd, f64x4};

/// Most triangles of a leaf.
const LEAF: usize = 4;

#[derive(Clone, Debug)]
struct Node {
    bounds: Aabb,
    /// Where to go on when nothing below this node is wanted.
    skip: u32,
    /// Its triangles in `order`; none for an inner node.
    first: u32,
    count: u32,
}

/// A triangle where the tree finds it, with its corners.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaf {
    pub id: u32,
    pub corners: [u32; 3],
}

/// Boxes over the triangles of a mesh.
#[derive(Clone, Debug)]
pub(super) struct Bvh {
    nodes: Vec<Node>,
    order: Vec<Leaf>,
}

impl Bvh {
    /// Splits at the median along the longest axis; ties go by the triangle's number, so the tree is the same everywhere.
    pub fn new(boxes: &[Aabb], triangles: &[[u32; 3]]) -> Self {
        let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
        let mut nodes = Vec::with_capacity(boxes.len());
        // Ranges still to be built; the last one is next, so that a node's first child follows it.
        let mut pending = vec![(0, boxes.len())];
        while let Some((from, to)) = pending.pop() {
            let part = &mut order[from..to];
            let (mut bounds, mut centers) = (Aabb::EMPTY, Aabb::EMPTY);
            for &i in part.iter() {
                let b = &boxes[i as usize];
                bounds = bounds.union(b);
                centers = centers.union(&Aabb::new(b.center(), b.center()));
            }
            let leaf = part.len() <= LEAF;
            let (first, count) = if leaf { (from as u32, part.len() as u32) } else { (0, 0) };
            nodes.push(Node { bounds, skip: 0, first, count });
            if !leaf {
                let axis = longest(centers.max - centers.min);
                let middle = part.len() / 2;
                let key = |i: &u32| boxes[*i as usize].center()[axis];
                part.select_nth_unstable_by(middle, |a, b| key(a).total_cmp(&key(b)).then(a.cmp(b)));
                part[..middle].sort_unstable();
                part[middle..].sort_unstable();
                pending.push((from + middle, to));
                pending.push((from, from + middle));
            }
        }
        let order = order.iter().map(|&id| Leaf { id, corners: triangles[id as usize] }).collect();
        let mut bvh = Self { nodes, order };
        bvh.link();
        bvh
    }

    /// Sets where to go on after each node: two children follow an inner one, so the ends come from the back.
    fn link(&mut self) {
        for i in (0..self.nodes.len()).rev() {
            let next = i as u32 + 1;
            self.nodes[i].skip = if self.nodes[i].count > 0 {
                next
            } else {
                let second = self.nodes[i + 1].skip;
                self.nodes[second as usize].skip
            };
        }
    }

    /// The box around everything.
    pub fn bounds(&self) -> Aabb {
        self.nodes.first().map_or(Aabb::EMPTY, |node| node.bounds)
    }

    /// Calls `visit` with every triangle in a box that is `wanted`, in an order that depends on the tree alone.
    #[inline]
    pub fn each(&self, mut wanted: impl FnMut(&Aabb) -> bool, mut visit: impl FnMut(u32)) {
        let mut i = 0;
        while let Some(node) = self.nodes.get(i) {
            if !wanted(&node.bounds) {
                i = node.skip as usize;
                continue;
            }
            let first = node.first as usize;
            for leaf in &self.order[first..first + node.count as usize] {
                visit(leaf.id);
            }
            i += 1;
        }
    }

    /// The first leaf, from the node `at` on, that the probe overlaps: its node, and its triangles.
    #[inline(always)]
    pub fn next_leaf<S: Simd>(&self, probe: &Probe<S>, mut at: usize) -> Option<(usize, &[Leaf])> {
        while let Some(node) = self.nodes.get(at) {
            if !probe.overlaps(&node.bounds) {
                at = node.skip as usize;
            } else if node.count == 0 {
                at += 1;
            } else {
                let first = node.first as usize;
                return Some((at, &self.order[first..first + node.count as usize]));
            }
        }
        None
    }
}

/// A box to test against those of a tree, all its sides at a time.
pub(crate) struct Probe<S: Simd> {
    /// Largest coordinates; the fourth is no limit.
    high: f64x4<S>,
    /// Smallest coordinates; the first is no limit.
    low: f64x4<S>,
}

impl<S: Simd> Probe<S> {
    #[inline(always)]
    pub fn new(simd: S, b: &Aabb) -> Self {
        Self {
            high: f64x4::load(simd, &[b.max.x, b.max.y, b.max.z, f64::INFINITY]),
            low: f64x4::load(simd, &[f64::NEG_INFINITY, b.min.x, b.min.y, b.min.z]),
        }
    }

    /// True when the boxes share a point; touching counts.
    #[inline(always)]
    fn overlaps(&self, b: &Aabb) -> bool {
        // Four of six numbers that stand side by side, so that each four are read at once; the odd one is not limited.
        let from = f64x4::load(self.low.token(), &[b.min.x, b.min.y, b.min.z, b.max.x]);
        let to = f64x4::load(self.low.token(), &[b.min.z, b.max.x, b.max.y, b.max.z]);
        !f64x4::any(self.high.lt(from) | to.lt(self.low))
    }
}

fn longest(d: Vec3) -> usize {
    if d.x >= d.y && d.x >= d.z {
        0
    } else if d.y >= d.z {
        1
    } else {
        2
    }
}
