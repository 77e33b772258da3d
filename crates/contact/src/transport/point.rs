//! Contact points: three components in (n, t₁, t₂).

use super::effective_mass;
use crate::{Groups, Head, Point, Side, Velocity};
use huygens_math::{BlockInertia, Mat3, Vec3};

/// The two sides with the sign they have in a relative velocity.
pub(super) const SIDES: [(usize, f64); 2] = [(0, 1.0), (1, -1.0)];

impl Groups {
    /// Velocity of A relative to B at a point, in (n, t₁, t₂), prescribed velocities included [m/s].
    #[inline]
    pub fn relative(&self, head: &Head, point: &Point, v: &Velocity) -> [f64; 3] {
        self.relative_to(head, point, v, self.belt_velocity(head))
    }

    /// Velocity of A relative to B at a point whose surfaces move by `world` beyond their bodies.
    #[inline(always)]
    fn relative_to(&self, head: &Head, point: &Point, v: &Velocity, mut world: Vec3) -> [f64; 3] {
        for (k, sign) in SIDES {
            world += match head.side[k] {
                Side::Free(i) => v.free[i as usize].at(point.arm[k]) * sign,
                Side::Driven(i) => self.driven[i as usize].at(point.arm[k]) * sign,
                Side::Fixed | Side::Tree(_) => Vec3::ZERO,
            };
        }
        self.with_trees(head.to_local(world), point, v)
    }

    /// As [`Groups::relative`], for a velocity of the end of the step: what the law is about. Where the point runs over a body's surface it
    /// is another than that of the middle.
    #[inline]
    pub fn relative_at_end(&self, head: &Head, point: &Point, v: &Velocity) -> [f64; 3] {
        let surface = self
            .surface_velocity(head)
            .map_or(Vec3::ZERO, |surface| surface.velocity[0] - surface.velocity[1] + surface.half_change);
        self.relative_to(head, point, v, surface)
    }

    /// J v in (n, t₁, t₂): the relative velocity (or displacement, or acceleration) without what is prescribed.
    #[inline]
    pub fn rate(&self, head: &Head, point: &Point, v: &Velocity) -> [f64; 3] {
        self.with_trees(head.to_local(free_rate(head, point, v)), point, v)
    }

    /// The first component of [`Groups::rate`].
    #[inline]
    pub fn normal_rate(&self, head: &Head, point: &Point, v: &Velocity) -> f64 {
        let mut u = head.normal.dot(free_rate(head, point, v));
        if let Some(tree) = point.tree {
            u += self.tree.rate(tree, 0, v);
        }
        u
    }

    /// Velocity of the driven sides and of belts alone, in (n, t₁, t₂), with the sign it has in u: u = J v + this [m/s].
    #[inline]
    pub fn prescribed(&self, head: &Head, point: &Point) -> [f64; 3] {
        let mut world = self.belt_velocity(head);
        for (k, sign) in SIDES {
            if let Side::Driven(i) = head.side[k] {
                world += self.driven[i as usize].at(point.arm[k]) * sign;
            }
        }
        head.to_local(world)
    }

    /// Velocity of the surface of A relative to that of B, beyond that of the bodies.
    #[inline(always)]
    fn belt_velocity(&self, head: &Head) -> Vec3 {
        self.surface_velocity(head).map_or(Vec3::ZERO, |belt| belt.velocity[0] - belt.velocity[1])
    }

    /// Adds M⁻¹Jᵀp to a velocity.
    #[inline]
    pub fn apply(&self, m: &BlockInertia, head: &Head, point: &Point, p: [f64; 3], v: &mut Velocity) {
        let world = head.to_world(p);
        for (k, sign) in SIDES {
            if let Side::Free(i) = head.side[k] {
                v.free[i as usize] += m.free[i as usize].respond(world * sign, point.arm[k]);
            }
        }
        if let Some(tree) = point.tree {
            for (row, &p) in p.iter().enumerate() {
                self.tree.apply(tree, row, p, v);
            }
        }
    }

    /// W = J M⁻¹ Jᵀ of a point, in (n, t₁, t₂); column k answers a unit impulse along axis k [1/kg].
    #[inline]
    pub fn delassus(&self, m: &BlockInertia, head: &Head, point: &Point) -> Mat3 {
        self.delassus_between(m, head, point, point)
    }

    /// What an impulse at `from` does to the relative velocity at `to`, two points of one group.
    pub fn delassus_between(&self, m: &BlockInertia, head: &Head, to: &Point, from: &Point) -> Mat3 {
        let axes = [head.normal, head.tangent, head.normal.cross(head.tangent)];
        let mut w = Mat3::ZERO;
        for k in 0..2 {
            if let Side::Free(i) = head.side[k] {
                let block = &m.free[i as usize];
                for (column, &axis) in axes.iter().enumerate() {
                    let answer = block.respond(axis, from.arm[k]).at(to.arm[k]);
                    *w.col_mut(column) += Vec3::from_array(head.to_local(answer));
                }
            }
        }
        if let (Some(to), Some(from)) = (to.tree, from.tree) {
            for column in 0..3 {
                for row in 0..3 {
                    w.col_mut(column)[row] += self.tree.delassus(to, row, from, column);
                }
            }
        }
        w
    }

    /// 1/W_nn of a point [kg]: how heavy its normal is; 0 when the normal cannot move.
    pub fn normal_mass(&self, m: &BlockInertia, head: &Head, point: &Point) -> f64 {
        let (mut w, mut size) = (0.0, 0.0);
        for k in 0..2 {
            if let Side::Free(i) = head.side[k] {
                let block = &m.free[i as usize];
                let answer = block.respond(head.normal, point.arm[k]).at(point.arm[k]);
                w += head.normal.dot(answer);
                size +=
                    block.inv_mass.max_element() + point.arm[k].length_squared() * block.inv_inertia.trace();
            }
        }
        if let Some(tree) = point.tree {
            w += self.tree.delassus(tree, 0, tree, 0);
            size += self.tree.size(tree);
        }
        effective_mass(w, size)
    }

    #[inline(always)]
    fn with_trees(&self, mut u: [f64; 3], point: &Point, v: &Velocity) -> [f64; 3] {
        if let Some(tree) = point.tree {
            for (row, u) in u.iter_mut().enumerate() {
                *u += self.tree.rate(tree, row, v);
            }
        }
        u
    }
}

#[inline(always)]
fn free_rate(head: &Head, point: &Point, v: &Velocity) -> Vec3 {
    let mut world = Vec3::ZERO;
    for (k, sign) in SIDES {
        if let Side::Free(i) = head.side[k] {
            world += v.free[i as usize].at(point.arm[k]) * sign;
        }
    }
    world
}
