//! All overlapping entries of two trees, or of one tree with itself.
//!
//! Leaf by leaf of the first tree: the leaf's box finds the leaves of the other that it overlaps, which serves all its
//! eight boxes at once; then eight boxes meet eight boxes.

use super::node::{Bits, LANES, Node, Probe};
use super::tree::{STACK, Tree, Visit};
use fearless_simd::Simd;

/// Whether the two trees are one, in which each pair is wanted once.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sides {
    Same,
    Different,
}

/// Calls `hit(entry of a, entry of b)` for every overlap; returns how many nodes were looked at. Inner boxes must be
/// exact or too large, never too small.
#[inline(always)]
pub(super) fn join<S: Simd>(
    simd: S,
    a: &Tree,
    b: &Tree,
    sides: Sides,
    mut hit: impl FnMut(usize, usize),
) -> usize {
    let Some(root) = b.root() else { return 0 };
    let mut work = 0;
    let mut stack = [Visit::default(); STACK];
    for i in 0..a.leaves() {
        let leaf = &a.levels[0][i];
        let around = Probe::new(simd, &a.leaf_box(simd, i));
        // In a tree with itself, a leaf looks only at itself and at what comes after.
        let from = if sides == Sides::Same { i as u32 } else { 0 };
        stack[0] = root;
        let mut top = 1;
        while top > 0 {
            top -= 1;
            let Visit { level, node } = stack[top];
            if level == 0 {
                let j = node as usize;
                let same = sides == Sides::Same && i == j;
                let near = Probe::new(simd, &b.leaf_box(simd, j)).overlaps(simd, leaf);
                work += 1 + near.count_ones() as usize;
                meet(simd, (leaf, near), &b.levels[0][j], same, |x, y| hit(i * LANES + x, j * LANES + y));
                continue;
            }
            let first = node * LANES as u32;
            let passed = (from >> (3 * (level - 1))).saturating_sub(first);
            let found = around.overlaps(simd, &b.levels[level as usize][node as usize]) & (!0 << passed);
            work += 1;
            for lane in Bits(found) {
                stack[top] = Visit { level: level - 1, node: first + lane as u32 };
                top += 1;
            }
        }
    }
    work
}

/// Calls `hit(lane of p, lane of q)` for every overlap of the lanes `near` of p; when both are the same leaf, once
/// for each pair.
#[inline(always)]
fn meet<S: Simd>(simd: S, (p, near): (&Node, u32), q: &Node, same: bool, mut hit: impl FnMut(usize, usize)) {
    for x in Bits(near) {
        let wanted = if same { !1 << x } else { !0 };
        for y in Bits(Probe::new(simd, &p.get(x)).overlaps(simd, q) & wanted) {
            hit(x, y);
        }
    }
}
