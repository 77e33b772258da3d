//! `active-set`: the normals of an island together, by an exact pivoting method; friction in the cone that they give.

mod model;
mod normals;

pub(super) use model::{rounds, run, solve_system};
pub(super) use normals::Normals;
