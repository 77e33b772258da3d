//! `soft-step`: the fast default. Sub-steps of kick, warm start, biased solve, advance and relaxation, with the Jacobians of
//! the step's start, in batches of eight manifolds that share no body.

mod balls;
mod batch;
mod body;
mod books;
mod build;
mod census;
mod face_normals;
mod fill;
mod finish;
mod general;
mod kind;
mod law;
mod levers;
mod pass;
mod plain;
mod prepare;
mod reach;
mod run;
#[cfg(test)]
mod same_bits;
mod scalar_row;
mod side_rows;
mod softness;
mod transport;

pub(crate) use build::SoftScratch;
pub(super) use run::run;
pub use softness::{FrictionAt, SoftStep};
