//! The tree that a mechanism is built on.

pub(super) use crate::{
    JointKind, Tree, TreeKinematics, TreeScratch, accelerations, advance, bias, kinematics, robot_mass_matrix,
};
