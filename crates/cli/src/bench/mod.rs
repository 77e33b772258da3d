//! `huygens bench`: how fast the benchmark scenes run, and how well.

mod args;
mod command;
mod engine;
mod export;
mod figures;
mod json;
mod page;
mod robot;
mod scale;

pub use args::BenchArgs;
pub use command::bench;
