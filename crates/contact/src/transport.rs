//! Moves between body velocities and contact rows: u = J v − u_d and v += M⁻¹Jᵀ p. The only code that knows what a
//! side is.

use crate::{Groups, Head, Point, Side, Velocity, problem::NO_TREE};
use huygens_math::{BlockInertia, Mat3, Vec3};

impl Groups {
    /// Velocity of A relative to B at a point, in (n, t₁, t₂), prescribed velocities included [m/s].
    #[inline]
    pub fn relative(&self, head: &Head, point: &Point, v: &Velocity) -> [f64; 3] {
        let mut world = Vec3::ZERO;
        for (k, sign) in [(0, 1.0), (1, -1.0)] {
            world += match head.side[k] {
                Side::Free(i) => v.free[i as usize].at(point.arm[k]) * sign,
                Side::Driven(i) => self.driven[i as usize].at(point.arm[k]) * sign,
                Side::Fixed | Side::Tree(_) => Vec3::ZERO,
            };
        }
        let mut u = head.to_local(world);
        if point.tree != NO_TREE {
            for span in &self.tree.spans[point.tree as usize] {
                let (n, dof) = (span.len as usize, span.first_dof as usize);
                for (row, u) in u.iter_mut().enumerate() {
                    let at = span.at as usize + row * n;
                    let j = &self.tree.j[at..at + n];
                    *u += j.iter().zip(&v.dof[dof..dof + n]).map(|(j, v)| j * v).sum::<f64>();
                }
            }
        }
        u
    }

    /// Velocity of the driven sides alone, in (n, t₁, t₂), with the sign it has in u: u = J v + this [m/s].
    #[inline]
    pub fn prescribed(&self, head: &Head, point: &Point) -> [f64; 3] {
        let mut world = Vec3::ZERO;
        for (k, sign) in [(0, 1.0), (1, -1.0)] {
            if let Side::Driven(i) = head.side[k] {
                world += self.driven[i as usize].at(point.arm[k]) * sign;
            }
        }
        head.to_local(world)
    }

    /// Adds M⁻¹Jᵀp to a velocity.
    #[inline]
    pub fn apply(&self, m: &BlockInertia, head: &Head, point: &Point, p: [f64; 3], v: &mut Velocity) {
        let world = head.to_world(p);
        for (k, sign) in [(0, 1.0), (1, -1.0)] {
            if let Side::Free(i) = head.side[k] {
                v.free[i as usize] += m.free[i as usize].respond(world * sign, point.arm[k]);
            }
        }
        if point.tree != NO_TREE {
            for span in &self.tree.spans[point.tree as usize] {
                let (n, dof) = (span.len as usize, span.first_dof as usize);
                for (row, p) in p.iter().enumerate() {
                    let at = span.at as usize + row * n;
                    for (v, y) in v.dof[dof..dof + n].iter_mut().zip(&self.tree.y[at..at + n]) {
                        *v += y * p;
                    }
                }
            }
        }
    }

    /// W = J M⁻¹ Jᵀ of a point, in (n, t₁, t₂); column k answers a unit impulse along axis k [1/kg].
    pub fn delassus(&self, m: &BlockInertia, head: &Head, point: &Point) -> Mat3 {
        let axes = [head.normal, head.tangent, head.normal.cross(head.tangent)];
        let mut w = Mat3::ZERO;
        for k in 0..2 {
            if let Side::Free(i) = head.side[k] {
                let block = &m.free[i as usize];
                for (column, &axis) in axes.iter().enumerate() {
                    let answer = block.respond(axis, point.arm[k]).at(point.arm[k]);
                    *w.col_mut(column) += Vec3::from_array(head.to_local(answer));
                }
            }
        }
        if point.tree != NO_TREE {
            for span in &self.tree.spans[point.tree as usize] {
                let n = span.len as usize;
                let row = |all: &[f64], r: usize| -> (usize, usize) {
                    debug_assert!(all.len() >= span.at as usize + (r + 1) * n);
                    (span.at as usize + r * n, span.at as usize + (r + 1) * n)
                };
                for r in 0..3 {
                    for c in 0..3 {
                        let ((j0, j1), (y0, y1)) = (row(&self.tree.j, r), row(&self.tree.y, c));
                        let sum: f64 =
                            self.tree.j[j0..j1].iter().zip(&self.tree.y[y0..y1]).map(|(j, y)| j * y).sum();
                        w.col_mut(c)[r] += sum;
                    }
                }
            }
        }
        w
    }
}
