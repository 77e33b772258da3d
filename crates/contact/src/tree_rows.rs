//! Rows over the dofs of trees: J over the dofs that move the side, Y = M⁻¹Jᵀ over all dofs of its tree.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | J | `j` | a row over its path: the dofs between the world and the link, or between two links of one tree |
//! | Y | `y` | M⁻¹Jᵀ, a row over the dofs of the tree |
//!
//! A link is moved by the dofs on its path to the world and by no other, so that J v costs the depth of the link and not the size of
//! its tree. An impulse on it moves everything that the base of the tree carries: Y has no zeros to leave out. Two links of one
//! tree that touch are both moved by the dofs that they have in common, at one point by the same velocity: J is zero there, and the path has
//! only the others.

use crate::Velocity;
use huygens_math::TreeInertia;
use std::num::NonZeroU32;
use std::ops::Range;

/// The dofs that move the side of a group: a range of [`TreeRows::path`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TreePath {
    /// Offset of its first dof.
    pub at: u32,
    /// Number of dofs.
    pub len: u32,
}

/// The rows of one side of a point or row: where they lie in [`TreeRows::j`] and [`TreeRows::y`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TreeSpan {
    /// First dof of the tree in [`Velocity::dof`].
    pub first_dof: u32,
    /// Number of dofs of the tree, and of numbers in a row of Y; 0 when this side has no tree rows.
    pub len: u32,
    /// Offset of the first row in [`TreeRows::y`].
    pub y: u32,
    /// The dofs of a row of J.
    pub path: TreePath,
    /// Offset of the first row in [`TreeRows::j`]; each row has as many numbers as the path has dofs.
    pub j: u32,
}

impl TreeSpan {
    /// The dofs of the tree in [`Velocity::dof`].
    #[inline(always)]
    pub fn dofs(&self) -> Range<usize> {
        self.first_dof as usize..self.first_dof as usize + self.len as usize
    }
}

/// Index into [`TreeRows::spans`]. An `Option` of it is no larger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpanIdx(NonZeroU32);

impl SpanIdx {
    /// The spans number `index`.
    pub const fn new(index: u32) -> Self {
        Self(NonZeroU32::MIN.saturating_add(index))
    }

    /// Their number.
    #[inline(always)]
    pub const fn get(self) -> usize {
        (self.0.get() - 1) as usize
    }
}

/// Rows of points with a tree side: three for a contact point (n, t₁, t₂), with friction against spinning and rolling six (then the spin
/// along n, t₁, t₂), one for a scalar row. The sign of side B is in J already: u adds both
/// sides. When both sides are the same tree, the first span holds the difference and the second is empty.
#[derive(Clone, Debug, Default)]
pub struct TreeRows {
    /// One pair of spans for each point or row with a tree side.
    pub spans: Vec<[TreeSpan; 2]>,
    /// Dofs of the paths, indices into [`Velocity::dof`].
    pub path: Vec<u32>,
    /// Rows over their paths.
    pub j: Vec<f64>,
    /// M⁻¹Jᵀ over the dofs of the tree.
    pub y: Vec<f64>,
    /// Room of a solve.
    room: Vec<f64>,
}

impl TreeRows {
    /// Empties everything and keeps the room.
    pub fn clear(&mut self) {
        self.spans.clear();
        self.path.clear();
        self.j.clear();
        self.y.clear();
    }

    /// Adds a path, which the spans of several points may share.
    pub fn push_path(&mut self, dofs: impl IntoIterator<Item = u32>) -> TreePath {
        let at = self.path.len() as u32;
        self.path.extend(dofs);
        TreePath { at, len: self.path.len() as u32 - at }
    }

    /// Adds R rows of J over a path of the tree `block`, and M⁻¹Jᵀ of them. `column` gives the R entries of each dof of the path,
    /// from its place on the path and its index in [`Velocity::dof`].
    pub fn push_span<const R: usize>(
        &mut self,
        block: &TreeInertia,
        path: TreePath,
        mut column: impl FnMut(usize, u32) -> [f64; R],
    ) -> TreeSpan {
        let n = block.ldl.len();
        let span = TreeSpan {
            first_dof: block.first_dof,
            len: n as u32,
            y: self.y.len() as u32,
            path,
            j: self.j.len() as u32,
        };
        self.j.resize(self.j.len() + R * path.len as usize, 0.0);
        self.y.resize(self.y.len() + R * n, 0.0);
        let (j, y) = (&mut self.j[span.j as usize..], &mut self.y[span.y as usize..]);
        for (k, &dof) in self.path[dofs_of(path)].iter().enumerate() {
            for (row, entry) in column(k, dof).into_iter().enumerate() {
                j[row * path.len as usize + k] = entry;
                y[row * n + (dof - block.first_dof) as usize] = entry;
            }
        }
        let room = &mut self.room;
        y.chunks_exact_mut(n.max(1)).for_each(|y| block.respond(y, room));
        span
    }

    /// Adds the spans of a point or row, and returns their index.
    pub fn push(&mut self, spans: [TreeSpan; 2]) -> SpanIdx {
        self.spans.push(spans);
        SpanIdx::new(self.spans.len() as u32 - 1)
    }

    /// The spans of a point or row.
    #[inline(always)]
    pub fn spans_at(&self, at: SpanIdx) -> &[TreeSpan; 2] {
        &self.spans[at.get()]
    }

    /// True when the rows of two spans are over the same dofs.
    pub(crate) fn spans_agree(&self, a: &TreeSpan, b: &TreeSpan) -> bool {
        let path = |span: &TreeSpan| self.path.get(dofs_of(span.path));
        a.dofs() == b.dofs() && path(a).is_some() && path(a) == path(b)
    }

    /// The dofs of a row of J, indices into [`Velocity::dof`].
    #[inline(always)]
    pub fn path_of(&self, span: &TreeSpan) -> &[u32] {
        &self.path[dofs_of(span.path)]
    }

    /// Row `row` of J, over [`TreeRows::path_of`].
    #[inline(always)]
    pub fn j_of(&self, span: &TreeSpan, row: usize) -> &[f64] {
        let at = span.j as usize + row * span.path.len as usize;
        &self.j[at..at + span.path.len as usize]
    }

    /// Row `row` of M⁻¹Jᵀ, over [`TreeSpan::dofs`].
    #[inline(always)]
    pub fn y_of(&self, span: &TreeSpan, row: usize) -> &[f64] {
        let at = span.y as usize + row * span.len as usize;
        &self.y[at..at + span.len as usize]
    }

    /// Σ over both spans of J v, for row `row` of each.
    #[inline]
    pub(crate) fn rate(&self, spans: SpanIdx, row: usize, v: &Velocity) -> f64 {
        self.spans[spans.get()].iter().fold(0.0, |u, span| u + self.span_rate(span, row, v))
    }

    /// J v of row `row` of a span.
    #[inline]
    pub(crate) fn span_rate(&self, span: &TreeSpan, row: usize, v: &Velocity) -> f64 {
        gathered(self.path_of(span), self.j_of(span, row), &v.dof)
    }

    /// v += Y p, for row `row` of both spans.
    #[inline]
    pub(crate) fn apply(&self, spans: SpanIdx, row: usize, p: f64, v: &mut Velocity) {
        for span in &self.spans[spans.get()] {
            self.span_apply(span, row, p, v);
        }
    }

    /// v += Y p, for row `row` of a span.
    #[inline]
    pub(crate) fn span_apply(&self, span: &TreeSpan, row: usize, p: f64, v: &mut Velocity) {
        for (v, y) in v.dof[span.dofs()].iter_mut().zip(self.y_of(span, row)) {
            *v += y * p;
        }
    }

    /// Σ over both spans of J Y: the velocity that an impulse on row `column` of `from` gives to row `row` of `to`. Both belong to one
    /// group, so that their spans are over the same trees.
    #[inline]
    pub(crate) fn delassus(&self, to: SpanIdx, row: usize, from: SpanIdx, column: usize) -> f64 {
        let (to, from) = (&self.spans[to.get()], &self.spans[from.get()]);
        to.iter().zip(from).fold(0.0, |w, (to, from)| w + self.span_delassus(to, row, from, column))
    }

    /// J Y of a row of one span and a column of another one over the same tree.
    #[inline]
    pub(crate) fn span_delassus(&self, to: &TreeSpan, row: usize, from: &TreeSpan, column: usize) -> f64 {
        let y = self.y_of(from, column);
        let mut w = 0.0;
        for (j, &dof) in self.j_of(to, row).iter().zip(self.path_of(to)) {
            w += j * y[(dof - from.first_dof) as usize];
        }
        w
    }

    /// Σ |J Y| over the first row of both spans: the size of the terms that add up to its W.
    pub(crate) fn size(&self, spans: SpanIdx) -> f64 {
        self.spans[spans.get()].iter().fold(0.0, |size, span| size + self.span_size(span))
    }

    /// Σ |J Y| over the first row of a span.
    pub(crate) fn span_size(&self, span: &TreeSpan) -> f64 {
        let y = self.y_of(span, 0);
        let terms = self.j_of(span, 0).iter().zip(self.path_of(span));
        terms.fold(0.0, |size, (j, &dof)| size + (j * y[(dof - span.first_dof) as usize]).abs())
    }
}

#[inline(always)]
fn dofs_of(path: TreePath) -> Range<usize> {
    path.at as usize..path.at as usize + path.len as usize
}

/// Σ jᵢ·v[pathᵢ].
#[inline(always)]
fn gathered(path: &[u32], j: &[f64], v: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (j, &dof) in j.iter().zip(path) {
        sum += j * v[dof as usize];
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use huygens_math::{SplitMix, TreeLdl};

    #[test]
    fn rows_over_a_path_are_those_over_all_dofs_and_their_answer_solves_the_mass_matrix() {
        // A trunk of two dofs that carries two branches; dofs of other things before and after it.
        let (parents, first) = ([None, Some(0), Some(1), Some(2), Some(1), Some(4)], 3);
        let n = parents.len();
        let mut r = SplitMix::new(12);
        for _ in 0..50 {
            let mut h = vec![0.0; n * n];
            for i in 0..n {
                let mut at = Some(i);
                let mut path = vec![0.0; n];
                while let Some(k) = at {
                    path[k] = if k == i { 1.0 + r.unit() } else { r.range(-1.0, 1.0) };
                    at = parents[k];
                }
                (0..n * n).for_each(|e| h[e] += path[e / n] * path[e % n]);
            }
            let mut ldl = TreeLdl::new(&parents);
            ldl.matrix_mut().copy_from_slice(&h);
            ldl.factor().expect("positive definite");
            let block = TreeInertia { first_dof: first, ldl, ..TreeInertia::default() };
            let mut rows = TreeRows::default();
            let columns: Vec<[f64; 2]> = (0..4).map(|_| [r.range(-1.0, 1.0), r.range(-1.0, 1.0)]).collect();
            let dofs = [3, 2, 1, 0].map(|dof| first + dof);
            let path = rows.push_path(dofs);
            let span = rows.push_span(&block, path, |k, dof| {
                assert_eq!(dof, dofs[k]);
                columns[k]
            });
            let other = rows.push_path([first + 5]);
            let limit = rows.push_span(&block, other, |_, _| [1.0]);
            let (a, b) = (rows.push([span, TreeSpan::default()]), rows.push([limit, TreeSpan::default()]));
            let v = Velocity { free: vec![], dof: (0..12).map(|_| r.range(-1.0, 1.0)).collect() };
            for row in 0..2 {
                let mut dense = vec![0.0; n];
                columns.iter().zip(dofs).for_each(|(c, dof)| dense[(dof - first) as usize] = c[row]);
                let rate: f64 = dense.iter().zip(&v.dof[first as usize..]).map(|(j, v)| j * v).sum();
                assert!((rows.rate(a, row, &v) - rate).abs() < 1e-15 * 4.0);
                // H Y = Jᵀ.
                let y = rows.y_of(&span, row);
                for i in 0..n {
                    let product: f64 = (0..n).map(|k| h[i * n + k] * y[k]).sum();
                    assert!((product - dense[i]).abs() < 1e-11, "{product} {}", dense[i]); // condition to 1e4
                }
                // An impulse on either of two rows moves the other one alike.
                let (there, back) = (rows.delassus(b, 0, a, row), rows.delassus(a, row, b, 0));
                assert!((there - back).abs() < 1e-11 && there.abs() > 0.0, "{there} {back}");
                let mut moved = v.clone();
                rows.apply(a, row, 0.7, &mut moved);
                let gained = rows.rate(b, 0, &moved) - rows.rate(b, 0, &v);
                assert!((gained - 0.7 * there).abs() < 1e-14 * (1.0 + there.abs()));
                assert_eq!(moved.dof[..3], v.dof[..3]);
                assert_eq!(moved.dof[9..], v.dof[9..]);
            }
        }
    }
}
