//! The contact models: a file for each, one arm in [`SolverKind`], and the sweep they share.

mod kind;

pub use kind::{Parameter, SolveReport, SolverKind, Stop, UnknownSolver};
