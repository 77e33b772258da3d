//! The words of `solve`.

use clap::Args;
use std::path::PathBuf;

/// The words of `solve`.
///
/// Whatever a model claims, its answer is judged by Signorini's and Coulomb's law. Models that sweep do so until nothing changes but round-off, at
/// most 10 000 times.
#[derive(Debug, Args)]
pub struct SolveArgs {
    /// Contact problems: our own form or W, q and μ as Siconos writes them; see docs/contact-problem.md.
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// The contact model, or `all`. [default: ncp/newton]
    #[arg(long, value_name = "NAME")]
    pub solver: Option<String>,
    /// Judges the impulses that another program found for FILE instead of solving it: a JSON object with `solver`, `iterations`, `seconds` and
    /// `impulses`, as --json prints them.
    #[arg(long, value_name = "ANSWER.json", conflicts_with = "solver")]
    pub judge: Option<PathBuf>,
    /// Prints JSON and nothing else: an object, or a list of them when there are several files or models.
    #[arg(long)]
    pub json: bool,
}
