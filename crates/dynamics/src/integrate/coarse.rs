//! Whether a step is too coarse for the explicit integration of a tree.
//!
//! An explicit step takes velocity products from one velocity and one pose. Its error grows with the third power of the angle that a link turns
//! by in it, and beyond about a radian nothing bounds the energy: links of a millimetre that fall gained 3e20 J within a second at 1/60 s. Such
//! a step is done by the implicit midpoint rule instead (`implicit`), in as many pieces as it takes.

use crate::kinematics::TreeKinematics;
use crate::tree::Tree;
use huygens_math::{Vec3, scalar};

/// Largest angle that a link or a joint may turn by in an explicit step [rad].
const MOST_TURN: f64 = 1.0;

/// Largest error of the energy of an explicit step on which smooth forces alone acted, as a share of the energy that it moved.
const MOST_ERROR: f64 = 2e-3;

/// The same for a gain in a step in which constraints pushed: a blow turns the rows that it acts along, and the implicit rule cannot know its
/// time within the step either.
const MOST_GAIN_PUSHED: f64 = 2e-2;

/// True when a joint of a tree with the velocities `v` in the pose of `kin` turns too far in a step of the length `h`, or a number is not finite.
pub(super) fn joints_turn_far(tree: &Tree, kin: &TreeKinematics, v: &[f64], h: f64) -> bool {
    let spin = |dofs: std::ops::Range<usize>| {
        dofs.fold(Vec3::ZERO, |spin, dof| spin + kin.axis[dof].angular * v[dof]).length_squared()
    };
    tree.joints().iter().any(|slot| is_far(spin(slot.dofs()), h)) || v.iter().any(|v| !v.is_finite())
}

/// True when a link of a tree, placed with its velocities, turns too far in a step of the length `h`.
pub(super) fn links_turn_far(kin: &TreeKinematics, h: f64) -> bool {
    kin.twist.iter().any(|twist| is_far(twist.angular.length_squared(), h))
}

/// True when a spin of this square [rad²/s²] is not a number, or turns more than a step of the length `h` may.
fn is_far(spin_squared: f64, h: f64) -> bool {
    spin_squared.is_nan() || spin_squared * h * h > MOST_TURN * MOST_TURN
}

/// Energy that a step brought from nowhere, and the energy that it moved [J].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Gain {
    pub energy: f64,
    pub moved: f64,
}

impl Gain {
    /// True when it is too much for an explicit step, on which constraints pushed or not.
    pub fn is_coarse(&self, pushed: bool) -> bool {
        let most = if pushed { MOST_GAIN_PUSHED } else { MOST_ERROR };
        let energy = if pushed { scalar::max(self.energy, 0.0) } else { self.energy.abs() };
        self.energy.is_nan() || self.moved.is_nan() || energy > most * self.moved
    }
}
