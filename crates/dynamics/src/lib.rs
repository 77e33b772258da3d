//! Smooth mechanics of the Huygens contact engine: trees, joints, inertia, integrators.
//!
//! No shapes, no contacts. Free bodies turn with [`rotate`]; articulated trees are described by a [`Tree`], placed by
//! [`kinematics`], weighed by [`joint_inertia`], accelerated by [`bias`] and moved by [`advance`]. Forces of a medium and of springs are in
//! [`force`].

mod bias;
mod block;
pub mod force;
mod inertia;
mod integrate;
mod joint;
mod kinematics;
mod tree;

pub use bias::{Wrench, bias, damping_force, external_force, inverse_dynamics};
pub use block::{free_inertia, free_kinetic_energy};
pub use inertia::{TreeScratch, joint_inertia, mass_matrix, mass_matrix_quadratic, mass_times, massless_dof};
pub use integrate::{
    Axes, Drift, ForceAt, Gyroscopic, Integrator, KickWork, Rotated, SmoothForces, Spin, SpinLanes, TreeKick,
    TurnedLanes, UnknownName, cayley, integration_energy, is_diagonal, is_isotropic, is_slow, rotate,
    rotate_locked, turn_isotropic, turn_midpoint,
};
pub use joint::{Joint, JointKind};
pub use kinematics::{
    Axis, TreeKinematics, advance, angular_jacobian, jacobian, kinematics, kinetic_energy, potential,
};
pub use tree::{JointSlot, Link, Tree, TreeError};
