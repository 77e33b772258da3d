//! The impact stage: groups with e > 0 that close inside the step bounce, each at its own moment.
//!
//! `stage` is the stage, `support` says what flies, `flight` when a group closes, `round` how two balls meet, `revised` keeps the rows of their
//! touch, `block` solves one manifold's
//! impact, `spin` its friction against spinning and rolling.

mod block;
mod flight;
mod revised;
mod round;
mod schedule;
mod spin;
mod stage;
mod support;

pub use revised::RevisedGroups;
pub(crate) use schedule::ImpactScratch;
pub use stage::{ImpactOutcome, ImpactProblem, impact};
