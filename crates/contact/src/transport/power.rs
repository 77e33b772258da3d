//! What impulses do on one tree.

use crate::{Groups, Impulses, SpanIdx, Velocity};

impl Groups {
    /// Σ p·J v over everything that acts on the tree whose first dof is `first_dof`, on its own dofs alone.
    pub fn tree_power(&self, first_dof: u32, impulses: Impulses, v: &Velocity) -> f64 {
        let mut sum = 0.0;
        for head in &self.heads {
            let couples = impulses.couples.get(head.couples()).unwrap_or_default();
            for (k, index) in self.point_range(head).enumerate() {
                let Some(spans) = self.points[index].tree else { continue };
                let mut add = |row: usize, p: f64| sum += p * self.rate_on(first_dof, spans, row, v);
                impulses.points[index].iter().enumerate().for_each(|(row, p)| add(row, *p));
                if let Some(couple) = couples.get(k) {
                    couple.iter().enumerate().for_each(|(row, p)| add(3 + row, *p));
                }
            }
            for index in self.row_range(head) {
                if let Some(spans) = self.rows[index].tree {
                    sum += impulses.rows[index] * self.rate_on(first_dof, spans, 0, v);
                }
                for part in self.parts_of(index) {
                    if part.span.len > 0 && part.span.first_dof == first_dof {
                        sum += impulses.rows[index] * self.tree.span_rate(&part.span, 0, v);
                    }
                }
            }
        }
        sum
    }

    /// J v of a row over the dofs of one tree.
    fn rate_on(&self, first_dof: u32, spans: SpanIdx, row: usize, v: &Velocity) -> f64 {
        let spans = self.tree.spans_at(spans).iter();
        spans
            .filter(|span| span.len > 0 && span.first_dof == first_dof)
            .map(|span| self.tree.span_rate(span, row, v))
            .sum()
    }
}
