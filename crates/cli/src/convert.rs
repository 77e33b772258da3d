//! `huygens convert`: one format into another.

use crate::robot::{self, Start};
use crate::{Failure, run};
use clap::Args;
use huygens::World;
use huygens_formats::{mjcf, urdf};
use std::path::{Path, PathBuf};

/// The words of `convert`.
#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// A model or scene file: .xml (MJCF), .urdf or .toml.
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// File to write: .toml, or .xml from .urdf and .toml.
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
}

fn extension(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

/// Writes a file in another format.
pub fn convert(args: &ConvertArgs) -> Result<(), Failure> {
    let (from, to) = (extension(&args.input), extension(&args.output));
    let text = match (from.as_str(), to.as_str()) {
        ("urdf", "xml" | "mjcf") => {
            let made = urdf::to_mjcf(&args.input).map_err(|fault| Failure::Input(fault.to_string()))?;
            made.left_out.iter().for_each(|line| eprintln!("warning: left aside: {line}"));
            made.text
        }
        ("xml" | "mjcf" | "urdf", "toml") => robot::scene_text(&args.input, &Start::default())?,
        ("toml", "toml") => {
            let loaded = run::read(&args.input.to_string_lossy(), &[], true)?;
            huygens_formats::toml::write(&loaded.scene)
        }
        ("toml", "xml" | "mjcf") => {
            let loaded = run::read(&args.input.to_string_lossy(), &[], true)?;
            let world = World::new(&loaded.scene)
                .map_err(|errors| Failure::Input(loaded.report(errors).to_string()))?;
            let name = args.input.file_stem().unwrap_or_default().to_string_lossy();
            let made = mjcf::write(&name, &loaded.scene, &world);
            made.left_aside.iter().for_each(|line| eprintln!("warning: left aside: {line}"));
            made.text
        }
        _ => {
            let message = format!("error: `{from}` is not turned into `{to}`");
            let help = "There are .xml, .urdf and .toml to .toml, and .urdf and .toml to .xml.";
            return Err(Failure::Input(format!("{message}\n  = help: {help}")));
        }
    };
    std::fs::write(&args.output, text)
        .map_err(|error| Failure::Trouble(format!("error: {}: {error}", args.output.display())))
}
