//! The words of the command line.

use crate::bench::BenchArgs;
use crate::compare::CompareArgs;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// A rigid-body contact engine in which every joule is accounted for.
///
/// Without a command it runs the built-in scene `default`.
#[derive(Debug, Parser)]
#[command(name = "huygens", version, max_term_width = 100)]
pub struct Words {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What the program can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Simulates a scene and says where the energy went.
    Run(Box<RunArgs>),
    /// Runs one scene with many contact models and says how they differ.
    Compare(CompareArgs),
    /// Runs cases with a known answer and says which contact model meets them.
    Verify(VerifyArgs),
    /// Measures how fast the benchmark scenes run, and how well.
    Bench(BenchArgs),
    /// Lists every contact model with its law, parameters and defaults.
    Solvers,
}

/// The words of `run`.
#[derive(Debug, Default, Args)]
pub struct RunArgs {
    /// A built-in scene (see --list) or a scene file. [default: default]
    pub scene: Option<String>,
    /// The contact model (see `huygens solvers`).
    #[arg(long, value_name = "NAME")]
    pub solver: Option<String>,
    /// Puts a value over the scene's, e.g. world.dt=0.001 or body.rotor.motion.limit.max=10.
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// How many steps to run, instead of the scene's own length.
    #[arg(long, value_name = "N", conflicts_with = "seconds", allow_hyphen_values = true)]
    pub steps: Option<String>,
    /// How many seconds to run, instead of the scene's own length.
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub seconds: Option<String>,
    /// Writes the motion: FILE.csv, .jsonl, .npz (numpy) or .pvd (ParaView); see docs/output.md.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// With --out: writes the start and then every Nth step only.
    #[arg(long, value_name = "N", requires = "out", value_parser = clap::value_parser!(u64).range(1..))]
    pub every: Option<u64>,
    /// Draws the scene: FILE.png or FILE.svg; at the end, or see --at.
    #[arg(long, value_name = "FILE")]
    pub picture: Option<PathBuf>,
    /// With --picture: the time to draw at, in seconds.
    #[arg(long, value_name = "T", requires = "picture")]
    pub at: Option<f64>,
    /// With --picture: contact forces as arrows.
    #[arg(long, requires = "picture")]
    pub forces: bool,
    /// With --picture: width and height in pixels. [default: 1280x720]
    #[arg(long, value_name = "WxH", requires = "picture")]
    pub size: Option<String>,
    /// With --picture: corner, front, side, top, or the angles YAW,PITCH in degrees. [default: corner]
    #[arg(long, value_name = "VIEW", requires = "picture", allow_hyphen_values = true)]
    pub view: Option<String>,
    /// Prints one JSON object and nothing else.
    #[arg(long)]
    pub json: bool,
    /// Prints the names of the built-in scenes, a line each.
    #[arg(long)]
    pub list: bool,
}

impl RunArgs {
    /// True when the scene runs as it is written, so that its `[expect]` speaks of this run.
    pub fn as_written(&self) -> bool {
        self.solver.is_none() && self.set.is_empty() && self.steps.is_none() && self.seconds.is_none()
    }
}

/// The words of `verify`.
#[derive(Debug, Default, Args)]
pub struct VerifyArgs {
    /// Cases by number or name (see --list). [default: all that are not long]
    #[arg(value_name = "CASE")]
    pub cases: Vec<String>,
    /// Contact models, with commas between them, or `all`. [default: the scenes' default and the reference]
    #[arg(long, value_name = "LIST")]
    pub solvers: Option<String>,
    /// Runs the long cases too.
    #[arg(long)]
    pub long: bool,
    /// Prints a JSON list of cases and nothing else.
    #[arg(long)]
    pub json: bool,
    /// Writes the matrix as a Markdown page.
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    /// Another engine's results to stand beside ours: a JSON file that a program under bench/ wrote. [default: Rapier's]
    #[arg(long, value_name = "FILE")]
    pub peer: Vec<PathBuf>,
    /// Prints the cases, a line each.
    #[arg(long)]
    pub list: bool,
}
