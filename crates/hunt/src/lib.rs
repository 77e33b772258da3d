//! Searches random scenes for what a contact engine must never do, and shrinks what it finds.
//!
//! A trial is a [`Scene`](huygens::Scene) and a [`Kind`] of fault. The scene holds all that the judge needs (names of bodies say
//! their roles, [`generate`]), so that a scene file can be judged again. The judge stands outside of the engine: it looks at poses,
//! velocities and masses through [`Engine`], and computes energies and distances itself.

pub mod engine;
pub mod forms;
pub mod generate;
mod hashes;
pub mod judge;
mod kind;
pub mod likeness;
mod search;
pub mod shrink;

pub use engine::{BodySight, Engine, LedgerSight, Workshop, WorldEngine, Worlds};
pub use hashes::{SceneHash, hashes};
pub use judge::{Judgement, Verdict, judge};
pub use kind::Kind;
pub use search::{Finding, Plan, Progress, Report, Tally, moving, search, trial};
