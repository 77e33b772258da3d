//! All overlapping entries of two trees, or of one tree with itself.
//!
//! Leaf by leaf of the first tree: the leaf's box finds the leaves of the other that it overlaps, which serves all its
//! eight boxes at once; then eight boxes meet eight boxes.

use super::node::{Bits, LANES, Node, Probe};
use super::tree::Tree;
use fearless_simd::Simd;

/// Whether the two trees are one, in which each pair is wanted once.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sides {
    Same,
    Different,
}

/// Calls `hit(leaf of a, leaf of b, overlaps)` for leaves with overlaps: bit 8x + y stands for entry x of the one and y of
/// the other. Returns how many nodes were looked at. Inner boxes must be exact or too large, never too small.
#[inline(always)]
pub(super) fn join<S: Simd>(
    simd: S,
    a: &Tree,
    b: &Tree,
    sides: Sides,
    mut hit: impl FnMut(usize, usize, u64),
) -> usize {
    let mut work = 0;
    for i in 0..a.leaves() {
        let leaf = &a.levels[0][i];
        let around = Probe::new(simd, &a.leaf_box(simd, i));
        // In a tree with itself, a leaf looks only at itself and at what comes after.
        let from = if sides == Sides::Same { i as u32 } else { 0 };
        work += b.visit_leaves(simd, &around, from, |j| {
            let near = Probe::new(simd, &b.leaf_box(simd, j)).overlaps(simd, leaf);
            let mut overlaps = meet(simd, leaf, near, &b.levels[0][j]);
            if sides == Sides::Same && i == j {
                overlaps &= ABOVE_DIAGONAL;
            }
            if overlaps != 0 {
                hit(i, j, overlaps);
            }
        });
    }
    work
}

/// The bits 8x + y with x < y.
const ABOVE_DIAGONAL: u64 = 0x0080_C0E0_F0F8_FCFE;

/// The boxes `near` of p against all of q.
#[inline(always)]
fn meet<S: Simd>(simd: S, p: &Node, near: u32, q: &Node) -> u64 {
    let mut out = 0;
    for x in Bits(near) {
        out |= u64::from(Probe::new(simd, &p.get(x)).overlaps(simd, q)) << (LANES * x);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::bounds::ProxyBox;
    use super::super::pack::Packer;
    use super::super::proxies::Filter;
    use super::super::tree::Entry;
    use super::*;
    use huygens_math::at_level;
    use huygens_math::lanes::Level;
    use huygens_math::{SplitMix, Vec3};

    fn around(c: Vec3, half: f64) -> ProxyBox {
        ProxyBox::from_f64_outward(c - Vec3::splat(half), c + Vec3::splat(half))
    }

    /// Grains of half edge 0.5 in a cube, one in 64 times its own volume.
    fn scattered(n: usize) -> Vec<ProxyBox> {
        let mut r = SplitMix::new(1);
        let side = (1..).find(|s| s * s * s >= 8 * n).unwrap_or(1) as f64;
        (0..n).map(|_| around(r.in_cube() * side, 0.5)).collect()
    }

    /// Nodes looked at per box, to find all pairs in a packed tree.
    fn work_per_box(boxes: &[ProxyBox]) -> f64 {
        let mut tree = Tree::default();
        for (i, b) in boxes.iter().enumerate() {
            tree.append(Entry { slot: i as u32, owner: i as u32, filter: Filter::DEFAULT }, b);
        }
        let who = |slot| Entry { slot, owner: slot, filter: Filter::DEFAULT };
        tree.pack(&mut Packer::default(), |slot, _| (who(slot), boxes[slot as usize]));
        let work = at_level!(Level::new(), simd => {
            tree.refit(simd);
            join(simd, &tree, &tree, Sides::Same, |_, _, _| {})
        });
        work as f64 / boxes.len() as f64
    }

    #[test]
    fn work_per_box_hardly_grows_with_the_number_of_scattered_boxes() {
        let [small, large] = [1000, 64_000].map(|n| work_per_box(&scattered(n)));
        // Two more levels, and a leaf sees two nodes or less at each; a leaf serves eight boxes.
        assert!(
            large < small + 2.0 * 2.0 / 8.0,
            "{small:.2} nodes per box among 1000, {large:.2} among 64,000"
        );
    }

    #[test]
    fn giants_outliers_and_clusters_do_not_spoil_the_tree() {
        let plain = scattered(8000);
        let expected = work_per_box(&plain);
        let with = |more: &[ProxyBox]| work_per_box(&[&plain[..], more].concat());
        let giants = [
            around(Vec3::new(0.0, 0.0, -1e6), 1e6),
            ProxyBox { min: [f32::NEG_INFINITY; 3], max: [f32::INFINITY, f32::INFINITY, -5.0] },
            ProxyBox::EVERYTHING,
        ];
        let outliers = [around(Vec3::splat(1e30), 0.5), around(Vec3::new(-3e38, 0.0, 3e38), 1e30)];
        let cluster: Vec<ProxyBox> = plain.iter().map(|b| shrunk(b, 1e-6)).collect();
        // Giants and outliers share the last leaf: every other leaf looks at it and at the way to it, a node per level
        // for eight boxes. The cluster adds one level, and its top for those that lie there.
        let one_way = 5.0 / 8.0;
        for (name, more) in [("giants", &giants[..]), ("outliers", &outliers), ("a cluster", &cluster)] {
            let work = with(more);
            assert!(work < expected + one_way, "{work:.2} nodes per box with {name}, {expected:.2} without");
        }
    }

    #[test]
    fn a_hundred_giants_share_their_own_leaves() {
        let plain = scattered(8000);
        let mut r = SplitMix::new(2);
        let giants: Vec<ProxyBox> = (0..100).map(|_| around(r.in_cube() * 40.0, 20.0)).collect();
        let (work, expected) = (work_per_box(&[&plain[..], &giants].concat()), work_per_box(&plain));
        // 13 leaves of giants and the way to them, for eight boxes; among the grains they would spoil a hundred leaves.
        assert!(
            work < expected + (13.0 + 5.0) / 8.0,
            "{work:.2} nodes per box with giants, {expected:.2} without"
        );
    }

    fn shrunk(b: &ProxyBox, by: f32) -> ProxyBox {
        ProxyBox { min: b.min.map(|x| x * by), max: b.max.map(|x| x * by) }
    }
}
