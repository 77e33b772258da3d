//! The soft convex model of MuJoCo and Genesis: the acceleration a that minimises
//!
//!   ½ (a − aₛ)ᵀ M (a − aₛ) + Σ s(J a − a_ref)
//!
//! where aₛ is the acceleration without constraints and s a convex cost of each block of rows (Todorov 2014).
//!
//! The core is plain data in ([`SoftRows`], [`MassBlocks`]), plain data out ([`SoftSolution`]); it knows neither bodies nor contacts.
//! `impedance` turns a penetration into the softness and the reference of a row. `model` makes such problems of the islands of a contact problem.

mod blocks;
mod cg;
mod coordinates;
mod dense;
mod impedance;
mod inner;
mod island;
mod law;
mod line_search;
mod model;
mod newton;
mod noslip;
mod options;
mod rows;
mod softening;
mod solve;
mod stored;

pub use impedance::{Impedance, Softness};
pub use options::{Cone, ConvexSettings, Method, PyramidRule, Resolution, SoftOptions, WarmRule};
pub use rows::{MassBlock, MassBlocks, SoftBlock, SoftLaw, SoftRows};
pub use solve::{SoftProblem, SoftReport, SoftScratch, SoftSolution, solve_soft};

pub(crate) use model::ConvexScratch;
pub(super) use model::{cg, newton as newton_model};
