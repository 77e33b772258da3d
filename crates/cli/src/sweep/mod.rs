//! `huygens sweep`: one run for each combination of values, a row each.

mod args;
mod command;
mod grid;
mod row;
mod table;

pub use args::SweepArgs;
pub use command::sweep;
