//! The inverse mass matrix of a world, block by block: free bodies and trees.
//!
//! Written by `dynamics`, read by `contact`.

use crate::{Sym3, TreeLdl, Twist, Vec3};

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

/// The factored inertia of one tree.
#[derive(Clone, Debug, Default)]
pub struct TreeInertia {
    /// Index of its first dof in the world's dof array.
    pub first_dof: u32,
    /// Its factored joint-space inertia.
    pub ldl: TreeLdl,
}

/// The inverse mass matrix of a world.
#[derive(Clone, Debug, Default)]
pub struct BlockInertia {
    /// One block for each free body.
    pub free: Vec<FreeInertia>,
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
}
