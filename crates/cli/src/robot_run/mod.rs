//! `huygens run` of a robot with `contacts = "mujoco"`: the mechanism itself is stepped, in MuJoCo's pipeline. The default of MJCF files.

mod asked;
mod command;
mod finished;
mod puppet;
mod saved;
mod settings;

pub use asked::is_asked;
pub use command::run;
pub use settings::apply_all;

use huygens_formats::mjcf::mech::MechanismState;
use huygens_formats::mjcf::soft::SoftMachine;
use huygens_formats::mjcf::{Computed, Readings};

/// Names of the convex models.
const NEWTON: &str = "convex/newton";
const CG: &str = "convex/cg";

/// The readable state of a run.
fn readings<'r>(soft: &'r SoftMachine, state: &'r MechanismState) -> Readings<'r> {
    Readings { model: soft.model(), state, sensors: &soft.sensors, computed: Computed::Constrained }
}
