//! Scalar rows of equalities, limits and motors.

use super::effective_mass;
use crate::{Groups, Head, NO_TREE, Row, Side, Velocity};
use huygens_math::{BlockInertia, Twist, Vec3};

impl Row {
    /// The directions that act on side `k`: linear with its sign, angular as it stands.
    #[inline(always)]
    pub(crate) fn directions(&self, k: usize) -> (Vec3, Vec3) {
        (if k == 0 { self.linear } else { -self.linear }, self.angular[k])
    }

    #[inline(always)]
    fn of_twist(&self, k: usize, twist: &Twist) -> f64 {
        let (linear, angular) = self.directions(k);
        linear.dot(twist.linear) + angular.dot(twist.angular)
    }
}

impl Groups {
    /// Row velocity, prescribed velocities included, target not.
    #[inline]
    pub fn relative_row(&self, head: &Head, row: &Row, v: &Velocity) -> f64 {
        self.rate_row(head, row, v) + self.prescribed_row(head, row)
    }

    /// J v of a row: its velocity (or displacement) without what is prescribed.
    #[inline]
    pub fn rate_row(&self, head: &Head, row: &Row, v: &Velocity) -> f64 {
        let mut u = 0.0;
        for k in 0..2 {
            if let Side::Free(i) = head.side[k] {
                u += row.of_twist(k, &v.free[i as usize]);
            }
        }
        if row.tree != NO_TREE {
            u += self.tree.rate(row.tree, 0, v);
        }
        u
    }

    /// Part of the row velocity that the driven sides prescribe: u = J v + this.
    #[inline]
    pub fn prescribed_row(&self, head: &Head, row: &Row) -> f64 {
        let mut u = 0.0;
        for k in 0..2 {
            if let Side::Driven(i) = head.side[k] {
                u += row.of_twist(k, &self.driven[i as usize]);
            }
        }
        u
    }

    /// Adds M⁻¹Jᵀλ to a velocity.
    #[inline]
    pub fn apply_row(&self, m: &BlockInertia, head: &Head, row: &Row, lambda: f64, v: &mut Velocity) {
        for k in 0..2 {
            if let Side::Free(i) = head.side[k] {
                let (linear, angular) = row.directions(k);
                let block = &m.free[i as usize];
                v.free[i as usize] +=
                    Twist::new(block.inv_mass * (linear * lambda), block.inv_inertia * (angular * lambda));
            }
        }
        if row.tree != NO_TREE {
            self.tree.apply(row.tree, 0, lambda, v);
        }
    }

    /// W = J M⁻¹ Jᵀ of a row.
    pub fn delassus_row(&self, m: &BlockInertia, head: &Head, row: &Row) -> f64 {
        self.delassus_and_size(m, head, row).0
    }

    /// 1/W of a row: how heavy it is; 0 when it cannot move.
    pub fn row_mass(&self, m: &BlockInertia, head: &Head, row: &Row) -> f64 {
        let (w, size) = self.delassus_and_size(m, head, row);
        effective_mass(w, size)
    }

    /// What a unit impulse of row `from` does to the velocity of row `to` of the same group.
    pub fn delassus_rows(&self, m: &BlockInertia, head: &Head, to: &Row, from: &Row) -> f64 {
        let mut w = 0.0;
        for k in 0..2 {
            if let Side::Free(i) = head.side[k] {
                let ((linear, angular), block) = (from.directions(k), &m.free[i as usize]);
                w += to.of_twist(k, &Twist::new(block.inv_mass * linear, block.inv_inertia * angular));
            }
        }
        if to.tree != NO_TREE && from.tree != NO_TREE {
            w += self.tree.delassus(to.tree, 0, from.tree, 0);
        }
        w
    }

    fn delassus_and_size(&self, m: &BlockInertia, head: &Head, row: &Row) -> (f64, f64) {
        let (mut w, mut size) = (0.0, 0.0);
        for k in 0..2 {
            if let Side::Free(i) = head.side[k] {
                let (linear, angular) = row.directions(k);
                let block = &m.free[i as usize];
                w += linear.dot(block.inv_mass * linear) + angular.dot(block.inv_inertia * angular);
                size += linear.length_squared() * block.inv_mass.max_element()
                    + angular.length_squared() * block.inv_inertia.trace();
            }
        }
        if row.tree != NO_TREE {
            w += self.tree.delassus(row.tree, 0, row.tree, 0);
            size += self.tree.size(row.tree);
        }
        (w, size)
    }
}
