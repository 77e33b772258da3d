//! URDF: robots as ROS has them, turned into MJCF.
//!
//! A link becomes a body, a joint its joint; inertia is turned into the link's axes; `mimic` becomes an equality. The root link is free, as
//! in Bullet, unless it is called `world` or has no mass. What only is seen (`visual`, `material`) is left out.

mod convert;
mod read;
mod write;

pub use convert::{Converted, text_to_mjcf, to_mjcf};
pub use write::{WrittenRobot, write};

use crate::mjcf::{self, Fault, Model};
use std::path::Path;

/// The model in a URDF file, with the lines that say what was left out.
///
/// # Errors
/// The first thing that is wrong, at its line.
pub fn load(path: &Path) -> Result<(Model, Vec<String>), Fault> {
    let converted = to_mjcf(path)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let name = format!("{} as MJCF", path.display());
    Ok((mjcf::parse(&name, &converted.text, folder)?, converted.left_out))
}
