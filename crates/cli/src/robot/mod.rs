//! Robots from model files: where they start, what controls them, and how their scene runs.

mod cast;
mod control;
mod pilot;
mod read;
mod state;

pub use cast::Cast;
pub use control::Controls;
pub use pilot::Pilot;
pub use read::{Robot, Start, is_mjcf, is_model, read_with, scene_text, to_scene};
