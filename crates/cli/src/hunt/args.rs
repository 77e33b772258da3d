//! The words of `hunt`.

use clap::Args;
use std::path::PathBuf;

/// The words of `hunt`.
#[derive(Debug, Args)]
#[command(
    after_help = "Scenes are made from the seed: seed, kind and number give the same scene on every machine, and the same findings in every run. \
    Each finding is written to the folder with the commands that run it and judge it again.\n\n\
    Exit status: 0 nothing found, 1 something found, 2 bad input, 130 after Ctrl-C, which keeps and prints what was found until then."
)]
pub struct HuntArgs {
    /// Kinds of fault, with commas between them, or `all`:
    /// energy (contact brings energy in), ghost (a body is disturbed by one that it does not meet), passage (a body passes through another),
    /// creep (a body moves that must rest), symmetry (a mirrored, turned or reordered scene moves otherwise), nan (a number is not finite),
    /// ledger (the energy book does not close), determinism (two runs have other bits), locality (a body far away changes bits),
    /// drift (a loop, a gear or a rod comes apart).
    #[arg(long = "for", value_name = "KIND", default_value = "all")]
    pub kinds: String,
    /// How many scenes of each kind.
    #[arg(long, value_name = "N", default_value = "100", allow_hyphen_values = true)]
    pub scenes: String,
    /// Seed of all scenes.
    #[arg(long, value_name = "S", default_value = "1", allow_hyphen_values = true)]
    pub seed: String,
    /// Contact models, with commas between them, or `all`; scenes have them in turn. [default: the scenes' default]
    #[arg(long, value_name = "LIST")]
    pub solver: Option<String>,
    /// Folder for the scenes with a fault.
    #[arg(long, value_name = "DIR", default_value = "hunt")]
    pub out: PathBuf,
    /// How many findings of each kind are made as small as they go, worst first; the others are written as they were found.
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub shrink: usize,
    /// Judges this scene file again instead of searching; --for must name one kind.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["scenes", "seed", "solver", "out", "shrink", "markdown"])]
    pub replay: Option<String>,
    /// Runs the scenes and prints a hash of each one's last state, judging nothing: two builds of the program must print the same.
    #[arg(long, conflicts_with_all = ["replay", "out", "shrink", "markdown", "json"])]
    pub hashes: bool,
    /// Also writes the table and the worst scenes as a Markdown page.
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    /// With --markdown: the commit that the page names.
    #[arg(long, value_name = "NAME", requires = "markdown")]
    pub commit: Option<String>,
    /// Threads. [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub threads: Option<u64>,
    /// Prints one JSON object and nothing else.
    #[arg(long)]
    pub json: bool,
}
