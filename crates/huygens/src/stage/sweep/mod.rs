//! Nothing passes: see [`round`] for the rule.

mod fast;
mod round;
mod stop;
mod ways;

pub use round::SweepWork;
pub(crate) use round::sweep;
