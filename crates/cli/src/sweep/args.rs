//! The words of `sweep`.

use clap::Args;
use std::num::NonZero;
use std::path::PathBuf;

/// The words of `sweep`.
#[derive(Debug, Args)]
pub struct SweepArgs {
    /// A built-in scene (see `huygens run --list`), a scene file, or - for standard input.
    #[arg(value_name = "SCENE")]
    pub scene: String,
    /// Values for a place of the scene, with commas between them; each --set is one side of the grid.
    #[arg(long, value_name = "PATH=A,B,C", required = true)]
    pub set: Vec<String>,
    /// The table, a row for each run: FILE.csv.
    #[arg(long, value_name = "FILE.csv")]
    pub out: PathBuf,
    /// Of robots: the controls, a row for each step; columns by actuator name or number. The last row holds.
    #[arg(long, value_name = "FILE.csv")]
    pub ctrl: Option<PathBuf>,
    /// Goes on with a table that was not finished: rows that it has are not run again.
    #[arg(long)]
    pub resume: bool,
    /// Runs side by side. [default: the cores that the process may use]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZero<usize>>,
    /// How many steps to run, instead of the scene's own length.
    #[arg(long, value_name = "N", conflicts_with = "seconds", allow_hyphen_values = true)]
    pub steps: Option<String>,
    /// How many seconds to run, instead of the scene's own length.
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub seconds: Option<String>,
}
