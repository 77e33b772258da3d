//! Whether a run is that of a mechanism.

use super::settings::{self, CONTACTS, SOLVER, set_to};
use super::{CG, NEWTON};
use crate::Failure;
use crate::args::RunArgs;
use crate::robot;

/// True when a run is that of a mechanism: an MJCF file unless another model is asked for, or another robot with a convex model that is; but not with
/// the engine's own contacts.
///
/// # Errors
/// With an option that only a scene has, where MuJoCo's pipeline is asked for by name; where it is the default, the run is that of a scene, and
/// standard error says so.
pub fn is_asked(args: &RunArgs) -> Result<bool, Failure> {
    let name = args.scene.name();
    if !robot::is_model(name) {
        return Ok(false);
    }
    let contacts = set_to(args, CONTACTS);
    let solver = args.solver.as_deref().or_else(|| set_to(args, SOLVER));
    let convex = solver.map_or(robot::is_mjcf(name), |solver| solver == NEWTON || solver == CG);
    if !convex && contacts == Some("mujoco") {
        return Err(Failure::Input(format!(
            "error: --set {CONTACTS}=mujoco: MuJoCo's pipeline has a convex model, and {} is none\n  = help: Use --solver {NEWTON}, or leave it out.",
            solver.unwrap_or("soft-step")
        )));
    }
    if !convex || contacts == Some("huygens") {
        return Ok(false);
    }
    let scene_only = settings::of_a_scene(args).or(args.report.is_some().then(|| "--report".to_owned()));
    match scene_only {
        Some(option) if contacts == Some("mujoco") => Err(Failure::Input(format!(
            "error: {option} is for scenes, not for a robot that MuJoCo's pipeline runs\n  = help: Leave out --set {CONTACTS}=mujoco: the engine's own stages then run the convex model of the file."
        ))),
        Some(option) => {
            eprintln!(
                "note: {option} needs a scene: the convex model runs in the engine's own stages, with its own contacts ({CONTACTS} = \"huygens\"), and not in MuJoCo's pipeline"
            );
            Ok(false)
        }
        None => Ok(true),
    }
}
