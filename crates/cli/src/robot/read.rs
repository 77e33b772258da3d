//! Robots from model files: read, put at their start, and turned into scenes.

use super::state;
use crate::Failure;
use huygens::math::Pose;
use huygens_formats::mjcf::mech::MechanismState;
use huygens_formats::mjcf::model::Options;
use huygens_formats::mjcf::{self, Converted, Fault, Machine, Model, ScenePart};
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

/// True for an MJCF file by its name.
pub fn is_mjcf(name: &str) -> bool {
    is_model(name) && !is_urdf(Path::new(name))
}

fn is_urdf(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("urdf"))
}

/// A robot that was read.
pub struct Robot {
    /// The model.
    pub model: Model,
    /// The tree with its forces.
    pub machine: Machine,
    /// Where it starts.
    pub state: MechanismState,
    /// Notes on the parts of a URDF file that are left out.
    pub left_out: Vec<String>,
}

/// Reads a model file.
fn read(path: &Path, start: &Start) -> Result<Robot, Failure> {
    read_with(path, start, |_| Ok(()))
}

/// Reads a model file whose options `change` changes.
pub fn read_with(
    path: &Path,
    start: &Start,
    change: impl FnOnce(&mut Options) -> Result<(), Failure>,
) -> Result<Robot, Failure> {
    let bad = |fault: Fault| Failure::Input(fault.to_string());
    let (mut model, left_out) = if is_urdf(path) {
        urdf::load(path).map_err(bad)?
    } else {
        (mjcf::load(path).map_err(bad)?, Vec::new())
    };
    change(&mut model.options)?;
    let mut machine = Machine::new(&model).map_err(bad)?;
    let mut state = machine.start();
    if let Some(path) = &start.state {
        state::read(path, &mut model, &mut machine, &mut state)?;
    }
    if let Some(word) = &start.keyframe {
        state::keyframe(word, &model, &mut machine, &mut state)?;
    }
    Ok(Robot { model, machine, state, left_out })
}

/// A robot and its scene.
pub struct RobotScene {
    /// The robot.
    pub robot: Robot,
    /// Its scene, and where its joints are in it.
    pub made: Converted,
}

impl RobotScene {
    /// The scene as text.
    pub fn text(&self) -> String {
        toml::write(&self.made.scene)
    }

    /// The robot as a part of its scene.
    pub fn part(self) -> ScenePart {
        let Self { robot: Robot { model, machine, .. }, made } = self;
        let controls = model.control_names();
        ScenePart { model, machine, made, place: Pose::IDENTITY, controls }
    }
}

/// The scene of a model file; says on standard error what it leaves aside.
pub fn to_scene(path: &Path, start: &Start) -> Result<RobotScene, Failure> {
    let robot = read(path, start)?;
    for warning in &robot.model.warnings {
        eprintln!("{}\n", warning.as_warning());
    }
    let bad = |fault: Fault| Failure::Input(fault.to_string());
    let mut made = mjcf::scene(&robot.model, &robot.machine, &robot.state).map_err(bad)?;
    if !is_urdf(path) {
        made.left_aside.extend(mjcf::choose_convex(&robot.model, &mut made.scene));
    }
    eprintln!("note: {} runs as a scene with `{}`", path.display(), made.scene.world.solver);
    for line in robot.left_out.iter().chain(&made.left_aside) {
        eprintln!("warning: left aside: {line}");
    }
    Ok(RobotScene { robot, made })
}

/// The scene of a model file as text, without what only a run of the robot has.
pub fn scene_text(path: &Path, start: &Start) -> Result<String, Failure> {
    let found = to_scene(path, start)?;
    let model = &found.robot.model;
    if !model.actuators.is_empty() || !model.tendons.is_empty() {
        eprintln!("warning: left aside: actuators and tendons: they act in `huygens run` of the model alone");
    }
    Ok(found.text())
}
