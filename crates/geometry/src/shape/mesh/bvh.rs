//! A tree of boxes over triangles, in one array: parents before children, each with the place to go on when it is passed over.

use crate::Aabb;
use huygens_math::Vec3;

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

/// Boxes over the triangles of a mesh.
#[derive(Clone, Debug)]
pub(super) struct Bvh {
    nodes: Vec<Node>,
    order: Vec<u32>,
}

impl Bvh {
    /// Splits at the median along the longest axis; ties go by the triangle's number, so the tree is the same everywhere.
    pub fn new(boxes: &[Aabb]) -> Self {
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
            for &triangle in &self.order[first..first + node.count as usize] {
                visit(triangle);
            }
            i += 1;
        }
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
