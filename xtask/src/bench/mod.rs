//! `cargo xtask bench`: ours and theirs in one run, as ratios, with the quality beside them.

mod build;
mod command;
mod contender;
mod disassembly;
mod instructions;
mod machine;
mod options;
mod record;
mod rounds;
mod stats;
mod table;

pub use build::our_program;
pub use command::run;
pub use machine::Setting;
pub use options::USAGE;

/// The scenes of the benchmark.
pub const SCENES: [&str; 5] = ["pyramid", "towers", "pile", "spheres", "terrain"];

/// The peer that the others are compared with.
const REFERENCE: &str = "rapier-f32";
