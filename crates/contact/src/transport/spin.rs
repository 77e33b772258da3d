//! Spin of a contact: three components in (n, t₁, t₂), the same at all of its points. Only for contacts with friction against spinning and
//! rolling: the tree rows of other points have no spin.

use super::point::SIDES;
use crate::{Groups, Head, Point, Side, Velocity};
use huygens_math::{BlockInertia, Mat3, Twist, Vec3};

/// The first row of the spin among the tree rows of a point.
const SPIN: usize = 3;

impl Groups {
    /// Spin of A relative to B, in (n, t₁, t₂), prescribed velocities included [rad/s].
    #[inline]
    pub fn spin(&self, head: &Head, point: &Point, v: &Velocity) -> [f64; 3] {
        let (u, prescribed) = (self.spin_rate(head, point, v), self.prescribed_spin(head));
        std::array::from_fn(|k| u[k] + prescribed[k])
    }

    /// The spin (or turn, or angular acceleration) without what is prescribed.
    #[inline]
    pub fn spin_rate(&self, head: &Head, point: &Point, v: &Velocity) -> [f64; 3] {
        let mut world = Vec3::ZERO;
        for (k, sign) in SIDES {
            if let Side::Free(i) = head.side[k] {
                world += v.free[i as usize].angular * sign;
            }
        }
        let mut u = head.to_local(world);
        if let Some(tree) = point.tree {
            for (k, u) in u.iter_mut().enumerate() {
                *u += self.tree.rate(tree, SPIN + k, v);
            }
        }
        u
    }

    /// Spin of the driven sides alone, with the sign it has in ω [rad/s].
    #[inline]
    pub fn prescribed_spin(&self, head: &Head) -> [f64; 3] {
        let mut world = Vec3::ZERO;
        for (k, sign) in SIDES {
            if let Side::Driven(i) = head.side[k] {
                world += self.driven[i as usize].angular * sign;
            }
        }
        head.to_local(world)
    }

    /// Adds M⁻¹Jᵀτ of a couple to a velocity.
    #[inline]
    pub fn apply_couple(
        &self,
        m: &BlockInertia,
        head: &Head,
        point: &Point,
        tau: [f64; 3],
        v: &mut Velocity,
    ) {
        let world = head.to_world(tau);
        for (k, sign) in SIDES {
            if let Side::Free(i) = head.side[k] {
                let turned = m.free[i as usize].inv_inertia * (world * sign);
                v.free[i as usize] += Twist::new(Vec3::ZERO, turned);
            }
        }
        if let Some(tree) = point.tree {
            for (k, tau) in tau.into_iter().enumerate() {
                self.tree.apply(tree, SPIN + k, tau, v);
            }
        }
    }

    /// What a couple does to the spin, in (n, t₁, t₂) [1/(kg·m²)].
    pub fn delassus_spin(&self, m: &BlockInertia, head: &Head, point: &Point) -> Mat3 {
        let axes = [head.normal, head.tangent, head.normal.cross(head.tangent)];
        let mut w = Mat3::ZERO;
        for side in head.side {
            let Side::Free(i) = side else { continue };
            for (column, &axis) in axes.iter().enumerate() {
                let answer = m.free[i as usize].inv_inertia * axis;
                *w.col_mut(column) += Vec3::from_array(head.to_local(answer));
            }
        }
        if let Some(tree) = point.tree {
            for column in 0..3 {
                for row in 0..3 {
                    w.col_mut(column)[row] += self.tree.delassus(tree, SPIN + row, tree, SPIN + column);
                }
            }
        }
        w
    }

    /// What a couple does to the relative velocity at a point; its transpose is what an impulse there does to the spin [1/(kg·m)].
    pub fn delassus_by_couple(&self, m: &BlockInertia, head: &Head, point: &Point) -> Mat3 {
        let axes = [head.normal, head.tangent, head.normal.cross(head.tangent)];
        let mut w = Mat3::ZERO;
        for k in 0..2 {
            let Side::Free(i) = head.side[k] else { continue };
            for (column, &axis) in axes.iter().enumerate() {
                let turned = m.free[i as usize].inv_inertia * axis;
                *w.col_mut(column) += Vec3::from_array(head.to_local(turned.cross(point.arm[k])));
            }
        }
        if let Some(tree) = point.tree {
            for column in 0..3 {
                for row in 0..3 {
                    w.col_mut(column)[row] += self.tree.delassus(tree, row, tree, SPIN + column);
                }
            }
        }
        w
    }
}
