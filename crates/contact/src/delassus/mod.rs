//! Contact problems that are given as W, q and μ alone, without bodies, gaps and directions: those that others write.

mod problem;
mod rank;
mod read;
mod sets;
mod solve;
#[cfg(test)]
mod tests;
mod view;
mod write;

pub use problem::{DelassusProblem, NotReducible};
pub use solve::{DelassusAnswer, NeedsBodies};

pub(crate) use problem::Component;
