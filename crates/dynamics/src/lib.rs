//! Smooth mechanics of the Huygens contact engine: trees, joints, inertia, integrators.
//!
//! No shapes, no contacts. Free bodies turn with [`rotate`]; articulated trees are described by a [`Tree`], placed by
//! [`kinematics`], weighed by [`joint_inertia`], accelerated by [`bias`] and moved by [`advance`]. Forces of a medium and of springs are in
//! [`force`]. Robots with springs, tendons and actuators are in [`mechanism`].

mod articulated;
mod bias;
mod block;
mod cable;
mod equality;
pub mod force;
mod inertia;
mod integrate;
mod joint;
mod kinematics;
pub mod mechanism;
mod tree;

pub use articulated::ArticulatedInertia;
pub use bias::{Wrench, accelerations, bias, damping_force, external_force, inverse_dynamics};
pub use block::{free_inertia, free_kinetic_energy};
pub use cable::{CablePart, CablePlace, CablePoint, CableStretch, cable_length};
pub use equality::{
    Equality, equality_gaps, equality_projection, equality_rates, equality_rows, polynomial, spring_energy,
    spring_force,
};
pub use inertia::{
    TreeScratch, joint_inertia, mass_matrix, mass_matrix_quadratic, mass_times, massless_dof,
    robot_mass_matrix,
};
pub use integrate::{
    AtEnd, Axes, DofDrive, Drift, ForceAt, ForceWork, Gyroscopic, Integrator, KickWork, Rotated,
    SmoothForces, Spin, SpinLanes, Stiffening, Taken, TreeKick, TurnedLanes, UnknownName, cayley,
    has_free_base, integration_energy, is_diagonal, is_isotropic, is_slow, rotate, rotate_locked,
    turn_isotropic, turn_midpoint,
};
pub use joint::{Joint, JointKind};
pub use kinematics::{
    Axis, TreeKinematics, advance, angular_jacobian, jacobian, kinematics, kinetic_energy, potential,
};
pub use tree::{JointSlot, Link, Tree, TreeError};
