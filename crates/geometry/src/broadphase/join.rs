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
