//! `soft-step`: the fast default. Sub-steps of kick, warm start, biased solve, advance and relaxation, with the Jacobians of
//! the step's start, in batches of eight manifolds that share no body.

mod balls;
mod batch;
mod body;
mod build;
mod fill;
mod finish;
mod law;
mod narrow;
mod pass;
mod prepare;
mod reach;
mod run;
#[cfg(test)]
mod same_bits;
mod softness;
mod turning;
mod whole;

pub(crate) use build::SoftScratch;
pub(super) use run::run;
pub use softness::{FrictionAt, SoftStep};
