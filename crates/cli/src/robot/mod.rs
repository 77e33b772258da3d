//! Robots from model files: where they start, what controls them, and how their scene runs.

mod control;
mod pilot;
mod read;
mod state;

pub use control::Controls;
pub use pilot::Pilot;
pub use read::{Robot, RobotScene, Start, is_mjcf, is_model, read_with, scene_text, to_scene};
