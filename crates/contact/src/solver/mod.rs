//! The contact models: a file for each, one arm in [`SolverKind`], and the sweep they share.

mod approximate_decoupling;
mod de_saxce;
mod decoupling;
pub(crate) mod face;
mod frictionless;
mod gauss_seidel;
mod kind;
mod law;
mod max_dissipation;
mod orthogonal_projection;
mod projected;
mod projection;
mod sequential_impulse;
pub(crate) mod soft_step;

pub(crate) use gauss_seidel::finish;
pub use kind::{Parameter, SolveReport, SolverKind, Stop, UnknownSolver};
pub use soft_step::{FrictionAt, SoftStep};
