//! `huygens solve`: stored contact problems, with any contact model, judged.

mod answer;
mod args;
mod command;
mod json;
mod outcome;
mod page;
mod problem;

pub use args::SolveArgs;
pub use command::solve;
