//! The words of `inspect`.

use clap::Args;
use std::path::PathBuf;

/// The words of `inspect`.
#[derive(Debug, Args)]
pub struct InspectArgs {
    /// A model file: MJCF (.xml) or .urdf.
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// The state: {"qpos": […], "qvel": […], "act": […], "ctrl": […], "contacts": […]} in MuJoCo's layout. [default: as drawn]
    #[arg(long, value_name = "FILE.json")]
    pub state: Option<PathBuf>,
    /// A keyframe of the model, by name or number.
    #[arg(long, value_name = "NAME|N", conflicts_with = "state")]
    pub keyframe: Option<String>,
    /// Moves it that many steps, in MuJoCo's pipeline.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub steps: usize,
    /// With --steps: Euler, implicitfast, implicit or RK4. [default: the file's]
    #[arg(long, value_name = "NAME", requires = "steps")]
    pub integrator: Option<String>,
    /// Another value for an option of the file, as in `run`: world.dt, gravity, integrator, solver, iterations, tolerance,
    /// convex.cone, convex.impratio, convex.noslip_iterations.
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Leaves out contacts, limits, dry friction and equalities.
    #[arg(long)]
    pub no_constraints: bool,
    /// Prints one JSON object and nothing else.
    #[arg(long)]
    pub json: bool,
}
