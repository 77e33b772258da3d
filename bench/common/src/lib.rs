//! What every harness needs: the scene text, the clock, the figures.

/// The definitions of our own program, so that everyone is measured by the same words.
#[path = "../../../crates/cli/src/bench/figures.rs"]
mod figures;
mod run;
mod scene;

pub use figures::Penetration;
pub use run::{Engine, main};
pub use scene::{Body, Mesh, Scene, Shape};
