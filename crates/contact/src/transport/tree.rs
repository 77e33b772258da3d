//! Rows of tree sides: sums over the dofs of a span.

use crate::{TreeSpan, Velocity, problem::TreeRows};

impl TreeRows {
    /// Σ over the spans of J v, for row `row` of each.
    #[inline]
    pub(super) fn rate(&self, spans: u32, row: usize, v: &Velocity) -> f64 {
        let mut u = 0.0;
        for span in &self.spans[spans as usize] {
            let dof = span.first_dof as usize;
            u += dot(&self.j[entries(span, row)], &v.dof[dof..dof + span.len as usize]);
        }
        u
    }

    /// v += Y p, for row `row` of each span.
    #[inline]
    pub(super) fn apply(&self, spans: u32, row: usize, p: f64, v: &mut Velocity) {
        for span in &self.spans[spans as usize] {
            let dof = span.first_dof as usize;
            let y = &self.y[entries(span, row)];
            for (v, y) in v.dof[dof..dof + span.len as usize].iter_mut().zip(y) {
                *v += y * p;
            }
        }
    }

    /// Σ over the spans of J Y: what an impulse on row `column` of `from` does to row `row` of `to`. Both belong to one
    /// group, so that their spans go over the same dofs.
    #[inline]
    pub(super) fn delassus(&self, to: u32, row: usize, from: u32, column: usize) -> f64 {
        let (to, from) = (&self.spans[to as usize], &self.spans[from as usize]);
        let mut w = 0.0;
        for (to, from) in to.iter().zip(from) {
            w += dot(&self.j[entries(to, row)], &self.y[entries(from, column)]);
        }
        w
    }

    /// Σ |J Y| over the first row: the size of the terms that add up to its W.
    pub(super) fn size(&self, spans: u32) -> f64 {
        let mut size = 0.0;
        for span in &self.spans[spans as usize] {
            for (j, y) in self.j[entries(span, 0)].iter().zip(&self.y[entries(span, 0)]) {
                size += (j * y).abs();
            }
        }
        size
    }
}

#[inline(always)]
fn entries(span: &TreeSpan, row: usize) -> std::ops::Range<usize> {
    let at = span.at as usize + row * span.len as usize;
    at..at + span.len as usize
}

#[inline(always)]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (a, b) in a.iter().zip(b) {
        sum += a * b;
    }
    sum
}
