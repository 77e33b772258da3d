//! Scalar rows of equalities, limits and motors: u = Σ J_k v_k over the two sides of the group and the further parts of the row.

use super::effective_mass;
use crate::{Groups, Head, Row, Side, TreeSpan, Velocity};
use huygens_math::{BlockInertia, Twist, Vec3};

/// The part of a row that acts on one body or tree.
#[derive(Clone, Copy)]
pub(crate) enum RowEnd<'a> {
    /// A free body, its index, and the directions that act on its velocity and spin.
    Free(u32, Directions),
    /// The same for a driven body.
    Driven(u32, Directions),
    /// A tree, its index, and its row.
    Tree(u32, &'a TreeSpan),
}

/// The directions in which a row acts on a body.
#[derive(Clone, Copy)]
pub(crate) struct Directions {
    /// On its linear velocity.
    pub linear: Vec3,
    /// On its spin.
    pub angular: Vec3,
}

impl Directions {
    #[inline(always)]
    pub(crate) fn of_twist(&self, twist: &Twist) -> f64 {
        self.linear.dot(twist.linear) + self.angular.dot(twist.angular)
    }
}

impl Row {
    /// The directions that act on side `k`: linear with its sign, angular as it stands.
    #[inline(always)]
    pub(crate) fn directions(&self, k: usize) -> Directions {
        Directions { linear: if k == 0 { self.linear } else { -self.linear }, angular: self.angular[k] }
    }
}

impl Groups {
    /// Visits everything that row `i` of a group acts on: its two sides, then its further parts.
    #[inline(always)]
    pub(crate) fn for_each_end<'a>(&'a self, head: &Head, i: usize, mut visit: impl FnMut(RowEnd<'a>)) {
        let row = &self.rows[i];
        for (k, side) in head.side.into_iter().enumerate() {
            match side {
                Side::Fixed => {}
                Side::Free(body) => visit(RowEnd::Free(body, row.directions(k))),
                Side::Driven(driver) => visit(RowEnd::Driven(driver, row.directions(k))),
                Side::Tree(tree) => {
                    if let Some(spans) = row.tree {
                        visit(RowEnd::Tree(tree, &self.tree.spans_at(spans)[k]));
                    }
                }
            }
        }
        for part in self.parts_of(i) {
            let directions = Directions { linear: part.linear, angular: part.angular };
            match part.side {
                Side::Fixed => {}
                Side::Free(body) => visit(RowEnd::Free(body, directions)),
                Side::Driven(driver) => visit(RowEnd::Driven(driver, directions)),
                Side::Tree(tree) => visit(RowEnd::Tree(tree, &part.span)),
            }
        }
    }

    /// Velocity of row `i`, prescribed velocities included, target not.
    #[inline]
    pub fn relative_row(&self, head: &Head, i: usize, v: &Velocity) -> f64 {
        self.rate_row(head, i, v) + self.prescribed_row(head, i)
    }

    /// J v of row `i`: its velocity (or displacement) without what is prescribed.
    #[inline]
    pub fn rate_row(&self, head: &Head, i: usize, v: &Velocity) -> f64 {
        let mut u = 0.0;
        self.for_each_end(head, i, |end| match end {
            RowEnd::Free(body, directions) => u += directions.of_twist(&v.free[body as usize]),
            RowEnd::Driven(..) => {}
            RowEnd::Tree(_, span) => u += self.tree.span_rate(span, 0, v),
        });
        u
    }

    /// Part of the velocity of row `i` that the driven sides prescribe: u = J v + this.
    #[inline]
    pub fn prescribed_row(&self, head: &Head, i: usize) -> f64 {
        let mut u = 0.0;
        self.for_each_end(head, i, |end| {
            if let RowEnd::Driven(driver, directions) = end {
                u += directions.of_twist(&self.driven[driver as usize]);
            }
        });
        u
    }

    /// Adds M⁻¹Jᵀλ of row `i` to a velocity.
    #[inline]
    pub fn apply_row(&self, m: &BlockInertia, head: &Head, i: usize, lambda: f64, v: &mut Velocity) {
        self.for_each_end(head, i, |end| match end {
            RowEnd::Free(body, Directions { linear, angular }) => {
                let block = &m.free[body as usize];
                v.free[body as usize] +=
                    Twist::new(block.inv_mass * (linear * lambda), block.inv_inertia * (angular * lambda));
            }
            RowEnd::Driven(..) => {}
            RowEnd::Tree(_, span) => self.tree.span_apply(span, 0, lambda, v),
        });
    }

    /// W = J M⁻¹ Jᵀ of row `i`.
    pub fn delassus_row(&self, m: &BlockInertia, head: &Head, i: usize) -> f64 {
        self.delassus_and_size(m, head, i).0
    }

    /// 1/W of row `i`: how heavy it is; 0 when it cannot move.
    pub fn row_mass(&self, m: &BlockInertia, head: &Head, i: usize) -> f64 {
        let (w, size) = self.delassus_and_size(m, head, i);
        effective_mass(w, size)
    }

    fn delassus_and_size(&self, m: &BlockInertia, head: &Head, i: usize) -> (f64, f64) {
        let (mut w, mut size) = (0.0, 0.0);
        self.for_each_end(head, i, |end| match end {
            RowEnd::Free(body, Directions { linear, angular }) => {
                let block = &m.free[body as usize];
                w += linear.dot(block.inv_mass * linear) + angular.dot(block.inv_inertia * angular);
                size += linear.length_squared() * block.inv_mass.max_element()
                    + angular.length_squared() * block.inv_inertia.trace();
            }
            RowEnd::Driven(..) => {}
            RowEnd::Tree(_, span) => {
                w += self.tree.span_delassus(span, 0, span, 0);
                size += self.tree.span_size(span);
            }
        });
        (w, size)
    }
}
