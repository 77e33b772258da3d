//! The words of `compare`.

use crate::args::SceneArgs;
use clap::Args;
use std::path::PathBuf;

/// The words of `compare`.
#[derive(Debug, Default, Args)]
pub struct CompareArgs {
    /// Which scene.
    #[command(flatten)]
    pub scene: SceneArgs,
    /// Contact models, with commas between them, each alone or with a stabilisation: `soft-step`,
    /// `sequential-impulse+baumgarte`, `…+split-impulse`, `…+none`, or `all`. [default: all, and with Baumgarte what the scene asks]
    #[arg(long, value_name = "LIST")]
    pub solvers: Option<String>,
    /// Runs everything again with N step lengths, dt, dt/2, dt/5, dt/10, …, to see what settles: 0 to 7.
    /// [default: as many as stay quick]
    #[arg(long, value_name = "N")]
    pub refine: Option<usize>,
    /// Stops a model after so many seconds; the table then says how far it came.
    #[arg(long, value_name = "SECONDS", default_value_t = 120.0, allow_hyphen_values = true)]
    pub limit: f64,
    /// Of robots: the controls, a row for each step; columns by actuator name or number. The last row holds.
    #[arg(long, value_name = "FILE.csv")]
    pub ctrl: Option<PathBuf>,
    /// Writes a page with replay, plots and table: one file that needs no network.
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Prints one JSON object and nothing else.
    #[arg(long)]
    pub json: bool,
}
