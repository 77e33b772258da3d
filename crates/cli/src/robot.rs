//! Robots from model files: read, put at their start, and turned into scenes.

use crate::Failure;
use crate::inspect::state;
use huygens_formats::mjcf::mech::MechanismState;
use huygens_formats::mjcf::{self, Fault, Machine, Model};
use huygens_formats::{toml, urdf};
use std::path::{Path, PathBuf};

/// Where a robot starts.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// A state file.
    pub state: Option<PathBuf>,
    /// A keyframe, by name or number.
    pub keyframe: Option<String>,
}

/// True for a model file by its name.
pub fn is_model(name: &str) -> bool {
    let extension = Path::new(name).extension().unwrap_or_default().to_ascii_lowercase();
    extension == "xml" || extension == "mjcf" || extension == "urdf"
}

/// A robot that was read.
pub struct Robot {
    /// The model.
    pub model: Model,
    /// What moves.
    pub machine: Machine,
    /// Where it starts.
    pub state: MechanismState,
    /// What of a URDF file is left out.
    pub left_out: Vec<String>,
}

/// Reads a model file.
pub fn read(path: &Path, start: &Start) -> Result<Robot, Failure> {
    let bad = |fault: Fault| Failure::Input(fault.to_string());
    let is_urdf = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("urdf"));
    let (model, left_out) =
        if is_urdf { urdf::load(path).map_err(bad)? } else { (mjcf::load(path).map_err(bad)?, Vec::new()) };
    let mut machine = Machine::new(&model).map_err(bad)?;
    let mut state = machine.start();
    if let Some(path) = &start.state {
        state::read(path, &model, &mut machine, &mut state)?;
    }
    if let Some(word) = &start.keyframe {
        state::keyframe(word, &model, &mut machine, &mut state)?;
    }
    Ok(Robot { model, machine, state, left_out })
}

/// The scene of a model file as text; says on standard error what it leaves aside.
pub fn scene_text(path: &Path, start: &Start) -> Result<String, Failure> {
    let robot = read(path, start)?;
    for warning in &robot.model.warnings {
        eprintln!("{}\n", warning.as_warning());
    }
    let bad = |fault: Fault| Failure::Input(fault.to_string());
    let made = mjcf::scene(&robot.model, &robot.machine, &robot.state).map_err(bad)?;
    eprintln!(
        "note: {} runs with `{}`: the convex model is not there yet",
        path.display(),
        made.scene.world.solver
    );
    for line in robot.left_out.iter().chain(&made.left_aside) {
        eprintln!("warning: left aside: {line}");
    }
    Ok(toml::write(&made.scene))
}
