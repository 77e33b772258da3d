//! Rows of an island as blocks over the bodies and trees they touch, and W = J M⁻¹ Jᵀ from them.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | J | `j` | a row over the 6 velocities of a body, or the dofs of a tree |
//! | Y | `y` | M⁻¹Jᵀ over the same |
//! | W | `w` | J Y, summed over what two rows share |

use crate::entry::Entry;
use crate::scratch::reserve;
use crate::transport::{Directions, RowEnd};
use crate::{ContactProblem, Head, Side, SpanIdx, TreeSpan};
use huygens_math::Vec3;

/// The part of one row that acts on one body or tree.
#[derive(Clone, Copy, Debug)]
struct Part {
    /// Body, or number of bodies plus tree.
    thing: u32,
    row: u32,
    at: u32,
    len: u32,
}

/// The rows of an island.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    parts: Vec<Part>,
    j: Vec<f64>,
    y: Vec<f64>,
}

impl Rows {
    /// Makes room for `n` rows, each with two sides.
    pub(super) fn reserve(&mut self, n: usize, dofs: usize) {
        reserve(&mut self.parts, 2 * n);
        reserve(&mut self.j, 2 * n * dofs.max(6));
        reserve(&mut self.y, 2 * n * dofs.max(6));
    }

    pub(super) fn clear(&mut self) {
        self.parts.clear();
        self.j.clear();
        self.y.clear();
    }

    /// Adds row `axis` of an entry as dense row `at`.
    pub(super) fn entry(&mut self, problem: &ContactProblem, entry: &Entry, axis: usize, at: usize) {
        let Some(point) = entry.point() else {
            return self.row(problem, entry.head, entry.index, at);
        };
        let head = entry.head;
        let along = [head.normal, head.tangent, head.normal.cross(head.tangent)][axis % 3];
        for (side, along) in [(0, along), (1, -along)] {
            let directions = if axis < 3 {
                Directions { linear: along, angular: point.arm[side].cross(along) }
            } else {
                Directions { linear: Vec3::ZERO, angular: along }
            };
            self.free(problem, head.side[side], at, directions);
        }
        self.tree(problem, head, point.tree, axis, at);
    }

    /// Adds a scalar row, over everything that it acts on.
    fn row(&mut self, problem: &ContactProblem, head: &Head, i: usize, at: usize) {
        problem.groups.for_each_end(head, i, |end| match end {
            RowEnd::Free(body, directions) => self.free(problem, Side::Free(body), at, directions),
            RowEnd::Driven(..) => {}
            RowEnd::Tree(tree, span) => self.span(problem, tree, span, 0, at),
        });
    }

    fn free(&mut self, problem: &ContactProblem, side: Side, row: usize, directions: Directions) {
        let Side::Free(i) = side else { return };
        let block = &problem.move_inertia.free[i as usize];
        if !block.can_move() {
            return;
        }
        let Directions { linear, angular } = directions;
        self.part(i, row, 6);
        for (to, [l, a]) in [
            (&mut self.j, [linear, angular]),
            (&mut self.y, [block.inv_mass * linear, block.inv_inertia * angular]),
        ] {
            to.extend_from_slice(&l.to_array());
            to.extend_from_slice(&a.to_array());
        }
    }

    /// Row `k` of the spans of a point.
    fn tree(&mut self, problem: &ContactProblem, head: &Head, spans: Option<SpanIdx>, k: usize, row: usize) {
        let Some(spans) = spans else { return };
        for (span, side) in problem.groups.tree.spans_at(spans).iter().zip(head.side) {
            if let Side::Tree(tree) = side {
                self.span(problem, tree, span, k, row);
            }
        }
    }

    fn span(&mut self, problem: &ContactProblem, tree: u32, span: &TreeSpan, k: usize, row: usize) {
        if span.len > 0 {
            let rows = &problem.groups.tree;
            self.part(problem.move_inertia.free.len() as u32 + tree, row, span.len as usize);
            let at = self.j.len();
            self.j.resize(at + span.len as usize, 0.0);
            for (j, &dof) in rows.j_of(span, k).iter().zip(rows.path_of(span)) {
                self.j[at + (dof - span.first_dof) as usize] = *j;
            }
            self.y.extend_from_slice(rows.y_of(span, k));
        }
    }

    fn part(&mut self, thing: u32, row: usize, len: usize) {
        self.parts.push(Part { thing, row: row as u32, at: self.j.len() as u32, len: len as u32 });
    }

    /// Fills the n × n matrix W, row-major.
    pub(super) fn delassus(&mut self, n: usize, w: &mut Vec<f64>) {
        w.clear();
        w.resize(n * n, 0.0);
        self.parts.sort_unstable_by_key(|part| (part.thing, part.row, part.at));
        let mut from = 0;
        while from < self.parts.len() {
            let thing = self.parts[from].thing;
            let to = from + self.parts[from..].iter().take_while(|part| part.thing == thing).count();
            for a in &self.parts[from..to] {
                for b in &self.parts[from..to] {
                    // The lower half: parts of a thing are in the order of their rows.
                    if b.row > a.row {
                        break;
                    }
                    let (a_at, b_at, len) = (a.at as usize, b.at as usize, a.len as usize);
                    let mut sum = 0.0;
                    for k in 0..len {
                        sum += self.j[a_at + k] * self.y[b_at + k];
                    }
                    w[a.row as usize * n + b.row as usize] += sum;
                }
            }
            from = to;
        }
        for i in 0..n {
            for j in 0..i {
                w[j * n + i] = w[i * n + j];
            }
        }
    }
}
