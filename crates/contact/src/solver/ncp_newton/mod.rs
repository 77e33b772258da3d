//! `ncp/newton`: the exact Coulomb problem, our reference.

mod model;
mod modes;
mod newton;
mod path;

pub(super) use model::{end, run};
pub(super) use newton::Newton;
pub(super) use path::solve_to_the_end;
