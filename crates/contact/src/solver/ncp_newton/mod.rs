//! `ncp/newton`: the exact Coulomb problem, our reference.

mod lu;
mod model;
mod modes;
mod newton;

pub(super) use model::{run, solve_to_the_end};
pub(super) use newton::Newton;
