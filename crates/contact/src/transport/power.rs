//! What impulses do on one tree.

use crate::{Groups, Impulses, SpanIdx, TreeSpan, Velocity};

impl Groups {
    /// Σ p·J v over everything that acts on the tree whose first dof is `first_dof`, on its own dofs alone.
    pub fn tree_power(&self, first_dof: u32, impulses: Impulses, v: &Velocity) -> f64 {
        let mut sum = 0.0;
        self.for_each_on_tree(first_dof, impulses, |span, row, p| {
            sum += p * self.tree.span_rate(span, row, v)
        });
        sum
    }

    /// Fills `out`, one number for each dof of the tree whose first dof is `first_dof`, with Jᵀp of everything that acts on it.
    pub fn tree_impulse(&self, first_dof: u32, impulses: Impulses, out: &mut [f64]) {
        out.fill(0.0);
        self.for_each_on_tree(first_dof, impulses, |span, row, p| {
            for (dof, j) in self.tree.path_of(span).iter().zip(self.tree.j_of(span, row)) {
                out[(dof - first_dof) as usize] += p * j;
            }
        });
    }

    /// Visits the rows over the dofs of one tree with their impulses: the span, the row in it, p.
    fn for_each_on_tree(
        &self,
        first_dof: u32,
        impulses: Impulses,
        mut visit: impl FnMut(&TreeSpan, usize, f64),
    ) {
        let of_tree = |span: &&TreeSpan| span.len > 0 && span.first_dof == first_dof;
        let mut visit_all = |spans: SpanIdx, row: usize, p: f64| {
            self.tree.spans_at(spans).iter().filter(of_tree).for_each(|span| visit(span, row, p));
        };
        for head in &self.heads {
            let couples = impulses.couples.get(head.couples()).unwrap_or_default();
            for (k, index) in self.point_range(head).enumerate() {
                let Some(spans) = self.points[index].tree else { continue };
                let point = impulses.points[index].iter();
                point.enumerate().for_each(|(row, p)| visit_all(spans, row, *p));
                if let Some(couple) = couples.get(k) {
                    couple.iter().enumerate().for_each(|(row, p)| visit_all(spans, 3 + row, *p));
                }
            }
            for index in self.row_range(head) {
                if let Some(spans) = self.rows[index].tree {
                    visit_all(spans, 0, impulses.rows[index]);
                }
            }
        }
        for head in &self.heads {
            for index in self.row_range(head) {
                let parts = self.parts_of(index).iter().map(|part| &part.span);
                parts.filter(of_tree).for_each(|span| visit(span, 0, impulses.rows[index]));
            }
        }
    }
}
