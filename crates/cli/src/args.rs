//! The words of the command line.

use crate::Failure;
use crate::bench::BenchArgs;
use crate::compare::CompareArgs;
use crate::convert::ConvertArgs;
use crate::hunt::HuntArgs;
use crate::inspect::InspectArgs;
use crate::run::set_and_solver;
use crate::solve::SolveArgs;
use crate::sweep::SweepArgs;
use clap::{Args, Parser, Subcommand};
use huygens_formats::toml::Setting;
use std::path::PathBuf;

/// The scene that runs when none is named.
const DEFAULT_SCENE: &str = "default";

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
    /// Runs a scene once for every combination of values and writes a table, a row for each run.
    Sweep(SweepArgs),
    /// Runs cases with a known answer and says which contact model meets them.
    Verify(VerifyArgs),
    /// Searches random scenes, by seed, for what must never happen, and shrinks what it finds to the smallest scene that still shows it.
    Hunt(HuntArgs),
    /// Measures how fast the benchmark scenes run, and how well.
    Bench(BenchArgs),
    /// Solves stored contact problems, ours or those that others wrote, and judges the answers.
    Solve(SolveArgs),
    /// Turns a model or scene file into another format.
    Convert(ConvertArgs),
    /// Reads a robot's model file (MJCF, URDF) and tells what it holds: sizes, names, mass matrix, forces, sensors.
    Inspect(InspectArgs),
    /// Lists every contact model with its law, parameters and defaults.
    Solvers(SolversArgs),
}

/// The words of `solvers`.
#[derive(Debug, Default, Args)]
pub struct SolversArgs {
    /// Contact models to tell of. [default: all]
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Prints a JSON list and nothing else.
    #[arg(long)]
    pub json: bool,
}

/// A scene and what is put over it.
#[derive(Debug, Default, Args)]
pub struct SceneArgs {
    /// A built-in scene (see `huygens run --list`), a scene file, a robot (.xml, .urdf), or - for standard input. [default: default]
    #[arg(value_name = "SCENE")]
    pub scene: Option<String>,
    /// Puts a value over the scene's, e.g. world.dt=0.001 or body.rotor.motion.limit.max=10.
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// How many steps to run, instead of the scene's own length.
    #[arg(long, value_name = "N", conflicts_with = "seconds", allow_hyphen_values = true)]
    pub steps: Option<String>,
    /// How many seconds to run, instead of the scene's own length.
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub seconds: Option<String>,
    /// Threads that share the work of a step, 1 to 256; the bits are the same for any number. [default: the cores that the process may use]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub threads: Option<String>,
}

impl SceneArgs {
    /// The scene's name or file.
    pub fn name(&self) -> &str {
        self.scene.as_deref().unwrap_or(DEFAULT_SCENE)
    }

    /// True when nothing is put over it.
    pub fn as_written(&self) -> bool {
        self.set.is_empty() && self.steps.is_none() && self.seconds.is_none()
    }

    /// In the order in which they are put over the file: `--set` first, then the contact model, then the length.
    pub fn settings(&self, solver: Option<&str>) -> Result<Vec<Setting>, Failure> {
        let mut settings = set_and_solver(&self.set, solver)?;
        let option = |name, path| move |value: &String| Setting::value_option(name, path, value);
        settings.extend(self.steps.as_ref().map(option("--steps", "world.steps")));
        settings.extend(self.seconds.as_ref().map(option("--seconds", "world.seconds")));
        settings.extend(self.threads.as_ref().map(option("--threads", "world.threads")));
        Ok(settings)
    }
}

/// The words of `run`.
#[derive(Debug, Default, Args)]
pub struct RunArgs {
    /// Which scene.
    #[command(flatten)]
    pub scene: SceneArgs,
    /// The contact model (see `huygens solvers`).
    #[arg(long, value_name = "NAME")]
    pub solver: Option<String>,
    /// Writes the motion: FILE.csv, .jsonl, .npz (numpy) or .pvd (ParaView); see docs/output.md.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// With --out: writes the start and then every Nth step only. With --checkpoint: saves every Nth step.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub every: Option<u64>,
    /// Saves the run in FILE, at its end, on Ctrl-C, and at every Nth step with --every; see --resume.
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// Goes on from a checkpoint of the same scene with the same settings: the same bits as without the break.
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Prints the hash of the state at every Nth step, so that two runs can be compared on the way.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub hash_every: Option<u64>,
    /// Writes a page with the replay and plots of this run: one file that needs no network.
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
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
    /// With --picture: the point X,Y,Z in the middle of it.
    #[arg(
        long,
        value_name = "X,Y,Z",
        requires = "picture",
        allow_hyphen_values = true,
        conflicts_with = "follow"
    )]
    pub look_at: Option<String>,
    /// With --picture: the body in the middle of it.
    #[arg(long, value_name = "BODY", requires = "picture")]
    pub follow: Option<String>,
    /// With --picture: how many times as large. [default: 1]
    #[arg(long, value_name = "FACTOR", requires = "picture")]
    pub zoom: Option<f64>,
    /// With --picture: a body, or a pattern of bodies, that is left out; may be given again.
    #[arg(long, value_name = "BODY", requires = "picture")]
    pub hide: Vec<String>,
    /// With --picture: draws the way that bodies have come.
    #[arg(long, requires = "picture")]
    pub trails: bool,
    /// Prints one JSON object and nothing else.
    #[arg(long)]
    pub json: bool,
    /// Of a robot: the state to start from, {"qpos": […], "qvel": […], …} in MuJoCo's layout.
    #[arg(long, value_name = "FILE.json")]
    pub state: Option<PathBuf>,
    /// Of a robot: the keyframe to start from, by name or number.
    #[arg(long, value_name = "NAME|N", conflicts_with = "state")]
    pub keyframe: Option<String>,
    /// Of a robot: the controls, a row for each step; columns by actuator name or number. The last row holds.
    #[arg(long, value_name = "FILE.csv")]
    pub ctrl: Option<PathBuf>,
    /// Prints the built-in scenes, a line each: its name, and what it shows. With --json a list.
    #[arg(long)]
    pub list: bool,
}

impl RunArgs {
    /// True when the scene runs as it is written, so that its `[expect]` speaks of this run.
    pub fn as_written(&self) -> bool {
        self.solver.is_none() && self.scene.as_written()
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
