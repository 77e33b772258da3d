//! A rigid-body contact engine in which every joule is accounted for.

mod compile;
mod energy;
mod event;
mod handle;
mod hash;
pub mod ledger;
mod material;
pub mod model;
mod report;
pub mod scene;
mod stage;
pub mod state;
mod step;
mod workspace;
mod world;

pub use event::{Event, EventKind};
pub use handle::{BodyId, HandleError};
pub use huygens_contact as contact;
pub use huygens_geometry as geometry;
pub use huygens_math as math;
pub use report::{STAGES, StepReport};
pub use scene::{Scene, SceneError, SceneErrors};
pub use world::{BodyView, DriverView, EditError, JointView, World};
