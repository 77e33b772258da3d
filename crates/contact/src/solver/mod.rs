//! The contact models: a file for each, one arm in [`SolverKind`], and the sweep they share.

mod active_set;
mod approximate_decoupling;
pub(crate) mod dense;
pub(crate) mod face;
mod gauss_seidel;
mod kind;
mod ncp_newton;
mod sequential_impulse;
pub(crate) mod soft_step;

pub use kind::{Parameter, SolveReport, SolverKind, Stop, UnknownSolver};
pub use soft_step::{FrictionAt, SoftStep};
