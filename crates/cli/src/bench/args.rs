//! The words of `bench`.

use clap::Args;
use std::path::PathBuf;

/// The words of `bench`.
#[derive(Debug, Default, Args)]
pub struct BenchArgs {
    /// Scenes, built in or files; or one robot: `humanoid`, or an MJCF file, which steps in MuJoCo's pipeline under random controls. [default: pyramid towers pile spheres terrain]
    #[arg(value_name = "SCENE")]
    pub scenes: Vec<String>,
    /// How many steps to run; all of them after --warm are measured. [default: the scene's own; measured up to step 400]
    #[arg(long, value_name = "N")]
    pub steps: Option<u64>,
    /// Steps before the first that is measured. [default: 100, at most a quarter of the steps]
    #[arg(long, value_name = "N")]
    pub warm: Option<u64>,
    /// At least so many bodies: layers stay as high as they are, and the bin widens.
    #[arg(long, value_name = "N")]
    pub bodies: Option<u64>,
    /// Measures scenes of growing size, 1000 bodies to a million (or --bodies): how the time of a contact grows. Without a scene pile and spheres;
    /// without --steps the last 20 of 240 steps.
    #[arg(long)]
    pub sizes: bool,
    /// Seed of the random scenes, instead of their own.
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,
    /// How many humanoids stand in one world.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub robots: Option<u32>,
    /// States and controls to step a robot from, as JSON: {"hold": steps, "segments": [{"qpos", "qvel", "act", "ctrl", "qacc_warmstart"}, …]}.
    #[arg(long, value_name = "FILE")]
    pub states: Option<PathBuf>,
    /// The contact model (see `huygens solvers`).
    #[arg(long, value_name = "NAME")]
    pub solver: Option<String>,
    /// Puts a value over the scene's, e.g. world.iterations=10.
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Threads that share the work of a step, 1 to 256; the bits are the same. [default: the cores that the process may use]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub threads: Option<String>,
    /// Prints the time of each stage.
    #[arg(long)]
    pub profile: bool,
    /// Instructions of the wide kernels: sse2, avx2, avx512, best. The bits are the same.
    #[arg(long, value_name = "LEVEL", default_value = "best")]
    pub level: String,
    /// Writes the bodies of one scene as the text that the programs under bench/ read, or the humanoids as MJCF, and runs nothing.
    #[arg(long, value_name = "FILE")]
    pub export: Option<PathBuf>,
    /// Prints one JSON object and nothing else.
    #[arg(long)]
    pub json: bool,
}
