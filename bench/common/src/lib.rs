//! What every harness needs: the scene text, the clock, the figures.

mod figures;
mod run;
mod scene;

pub use figures::Penetration;
pub use run::{Engine, main};
pub use scene::{Body, Scene, Shape};
