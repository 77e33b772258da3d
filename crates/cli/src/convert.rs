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
    /// File to write: .toml, .xml from .urdf and .toml, or .urdf from .xml and .toml.
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
        ("toml", "xml" | "mjcf") => mjcf_of(&args.input)?,
        ("xml" | "mjcf" | "toml", "urdf") => urdf_of(args, from == "toml")?,
        _ => {
            let message = format!("error: `{from}` is not turned into `{to}`");
            let help = "There are .xml, .urdf and .toml to .toml, .urdf and .toml to .xml, and .xml and .toml to .urdf.";
            return Err(Failure::Input(format!("{message}\n  = help: {help}")));
        }
    };
    std::fs::write(&args.output, text)
        .map_err(|error| Failure::Trouble(format!("error: {}: {error}", args.output.display())))
}

/// A scene as MJCF.
fn mjcf_of(path: &Path) -> Result<String, Failure> {
    let loaded = run::read(&path.to_string_lossy(), &[], true)?;
    let world =
        World::new(&loaded.scene).map_err(|errors| Failure::Input(loaded.report(errors).to_string()))?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let made = mjcf::write(&name, &loaded.scene, &world);
    made.left_aside.iter().for_each(|line| eprintln!("warning: left aside: {line}"));
    Ok(made.text)
}

/// A model or scene as URDF, with its meshes beside it.
fn urdf_of(args: &ConvertArgs, scene: bool) -> Result<String, Failure> {
    let bad = |fault: mjcf::Fault| Failure::Input(fault.to_string());
    let model = if scene {
        let name = format!("{} as MJCF", args.input.display());
        mjcf::parse(&name, &mjcf_of(&args.input)?, Path::new("")).map_err(bad)?
    } else {
        mjcf::load(&args.input).map_err(bad)?
    };
    let stem = args.output.file_stem().unwrap_or_default().to_string_lossy();
    let made = urdf::write(&model, &stem);
    made.left_aside.iter().for_each(|line| eprintln!("warning: left aside: {line}"));
    let folder = args.output.parent().unwrap_or(Path::new(""));
    for (name, text) in &made.meshes {
        let path = folder.join(name);
        std::fs::write(&path, text)
            .map_err(|error| Failure::Trouble(format!("error: {}: {error}", path.display())))?;
    }
    Ok(made.text)
}
