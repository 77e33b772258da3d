//! The mass matrix of a world and its inverse, block by block: free bodies and trees.
//!
//! Written by `dynamics`, read by `contact`.

use crate::{Projection, Sym3, TreeLdl, Twist, Vec3, scalar};

/// What a free body's velocity gains from an impulse. Locked axes have zero rows and columns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct FreeInertia {
    /// Inverse mass along each world axis [1/kg]; 0 where the axis is locked.
    pub inv_mass: Vec3,
    /// Inverse inertia about the centre of mass in world axes [1/(kg m²)], restricted to what can turn.
    pub inv_inertia: Sym3,
}

impl FreeInertia {
    /// A body that nothing moves.
    pub const FIXED: Self = Self { inv_mass: Vec3::ZERO, inv_inertia: Sym3::ZERO };

    /// Velocity change from the impulse `p` [N·s] at `arm` from the centre of mass.
    #[inline(always)]
    pub fn respond(&self, p: Vec3, arm: Vec3) -> Twist {
        Twist::new(self.inv_mass * p, self.inv_inertia * arm.cross(p))
    }

    /// True when an impulse can move it.
    #[inline]
    pub fn can_move(&self) -> bool {
        self.inv_mass != Vec3::ZERO || self.inv_inertia != Sym3::ZERO
    }
}

/// The mass of a free body on the axes that can move; locked axes have zero rows and columns. The pseudo-inverse of its [`FreeInertia`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct FreeMass {
    /// Mass along each world axis [kg]; 0 where the axis is locked.
    pub mass: Vec3,
    /// Inertia about the centre of mass in world axes [kg m²], restricted to what can turn.
    pub inertia: Sym3,
}

impl FreeMass {
    /// A body that nothing moves.
    pub const FIXED: Self = Self { mass: Vec3::ZERO, inertia: Sym3::ZERO };

    /// The mass whose inverse is known: exact but for round-off that grows with the spread of the moments.
    pub fn from_inverse(inverse: &FreeInertia) -> Self {
        let invert = |x: f64| if x > 0.0 { 1.0 / x } else { 0.0 };
        let w = &inverse.inv_inertia;
        let mean = w.trace() / 3.0;
        // Cofactors lose digits as the determinant falls; an axis that is locked has a moment of round-off.
        let regular = (w.determinant() > 1e-9 * mean * mean * mean).then(|| w.inverse()).flatten();
        let inertia = regular.unwrap_or_else(|| {
            let (moments, axes) = w.principal();
            let least = 1e-12 * moments.z;
            let moments = moments.to_array().map(|x| if x > least { 1.0 / x } else { 0.0 });
            Sym3::rotated_diagonal(Vec3::from_array(moments), axes)
        });
        let mass = inverse.inv_mass.to_array().map(invert);
        Self { mass: Vec3::from_array(mass), inertia }
    }

    /// Linear momentum [N·s] and angular momentum about the centre of mass [N·m·s].
    #[inline(always)]
    pub fn momentum(&self, v: &Twist) -> Twist {
        Twist::new(self.mass * v.linear, self.inertia * v.angular)
    }
}

/// The factored inertia of one tree.
#[derive(Clone, Debug, Default)]
pub struct TreeInertia {
    /// Index of its first dof in the world's dof array.
    pub first_dof: u32,
    /// Its factored joint-space inertia.
    pub ldl: TreeLdl,
    /// Its equalities (loops, couplings), which every answer to an impulse satisfies; of no rows where it has none.
    pub equalities: Projection,
}

/// What equalities leave of a response below this share of it is round-off: they hold all that it would move.
const HELD: f64 = 1e-12;

impl TreeInertia {
    /// Replaces a generalised impulse by the change of velocity that it makes: H⁻¹x, and beside that what the equalities of the tree answer.
    #[inline]
    pub fn respond(&self, x: &mut [f64], room: &mut Vec<f64>) {
        self.ldl.solve(x);
        if self.equalities.rows() == 0 {
            return;
        }
        let size = |x: &[f64]| x.iter().fold(0.0, |most, x| scalar::max(most, x.abs()));
        let alone = size(x);
        self.equalities.project(x, room);
        if size(x) <= HELD * alone {
            x.fill(0.0);
        }
    }
}

/// The mass matrix of a world and its inverse.
#[derive(Clone, Debug, Default)]
pub struct BlockInertia {
    /// Inverse mass of each free body.
    pub free: Vec<FreeInertia>,
    /// Mass of each free body.
    pub mass: Vec<FreeMass>,
    /// One block for each tree.
    pub trees: Vec<TreeInertia>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_impulse_off_centre_turns_the_body_and_locked_axes_stay() {
        let block = FreeInertia {
            inv_mass: Vec3::new(0.5, 0.0, 0.5),
            inv_inertia: Sym3::diagonal(Vec3::new(0.0, 0.0, 4.0)),
        };
        let twist = block.respond(Vec3::Y * 3.0, Vec3::X * 2.0);
        assert_eq!(twist, Twist::new(Vec3::ZERO, Vec3::Z * 24.0));
        assert!(block.can_move());
        assert!(!FreeInertia::FIXED.can_move());
    }

    #[test]
    fn the_mass_of_an_inverse_is_its_pseudo_inverse() {
        let mut r = crate::SplitMix::new(8);
        for locked in 0..8 {
            let moments = Vec3::new(r.range(1.0, 9.0), r.range(1.0, 9.0), r.range(1.0, 9.0));
            let free = |k: i32| f64::from(1 - (locked >> k & 1));
            let keep = Vec3::new(free(0), free(1), free(2));
            let axes = r.rotation();
            let inverse = FreeInertia {
                inv_mass: keep * 0.5,
                inv_inertia: Sym3::rotated_diagonal(keep * moments, axes),
            };
            let mass = FreeMass::from_inverse(&inverse);
            let v = Twist::new(r.in_cube(), r.in_cube());
            // M⁻¹M v is the part of v that can move.
            let p = mass.momentum(&v);
            let moved = Twist::new(inverse.inv_mass * p.linear, inverse.inv_inertia * p.angular);
            let turns = axes * (keep * (axes.inverse() * v.angular));
            assert!((moved.linear - keep * v.linear).length() < 1e-15);
            assert!((moved.angular - turns).length() < 1e-13, "{moved:?} {turns}");
        }
    }
}
