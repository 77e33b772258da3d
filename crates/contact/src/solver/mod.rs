//! The contact models: a file for each, one arm in [`SolverKind`], and the sweep they share.

mod active_set;
mod approximate_decoupling;
pub mod convex;
mod de_saxce;
mod decoupling;
pub(crate) mod dense;
pub(crate) mod face;
mod frictionless;
pub(crate) mod gauss_seidel;
mod kind;
mod law;
mod max_dissipation;
mod ncp_newton;
mod orthogonal_projection;
mod parameters;
mod projected;
mod projection;
mod sequential_impulse;
pub(crate) mod soft_step;

pub(crate) use dense::{ComponentTask, dense_contacts, scaled_units};
pub(crate) use kind::solve_component;
pub use kind::{SolveReport, SolverKind, Stop, UnknownSolver};
pub use parameters::Parameter;
pub use soft_step::{FrictionAt, SoftStep};
