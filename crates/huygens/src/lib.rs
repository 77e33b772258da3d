//! A rigid-body contact engine in which every joule is accounted for.
//!
//! A box of 2 kg slides on a floor until friction has taken its 9 J:
//!
//! ```
//! use huygens::World;
//! use huygens::scene::{Body, Scene, Shape};
//!
//! let floor = Body::fixed("floor").shape(Shape::half_space().friction(0.5));
//! let slider = Body::dynamic("box").cuboid(1.0, 1.0, 0.5).mass(2.0);
//! let scene = Scene::new()
//!     .solver("sequential-impulse")
//!     .body(floor)
//!     .body(slider.at(0.0, 0.0, 0.25).velocity(3.0, 0.0, 0.0));
//!
//! let mut world = World::new(&scene)?;
//! while world.time() < 1.0 {
//!     world.step();
//! }
//! print!("{}", world.ledger());
//! # let printed = world.ledger().to_string();
//! # let expected = [
//! #     "        13.90500 J  at the start",
//! #     "        -9.00000 J  friction",
//! #     "         4.90500 J  at the end",
//! #     "         0.00000 J  unexplained",
//! # ];
//! # assert!(printed.lines().eq(expected), "{printed}");
//! # Ok::<(), huygens::SceneErrors>(())
//! ```
//!
//! prints
//!
//! ```text
//!         13.90500 J  at the start
//!         -9.00000 J  friction
//!          4.90500 J  at the end
//!          0.00000 J  unexplained
//! ```
//!
//! The 4.9 J that stay are its weight half its height above the floor. A [`World`] is made from a [`Scene`], written in Rust
//! ([`scene::Body`], [`scene::Shape`]) or read from a file (`huygens_formats`); it steps, and shows its bodies, events, drivers
//! and its [`ledger`].

mod access;
mod assembly;
mod bodies;
mod choices;
mod compile;
mod contact_view;
mod contacts;
mod debug_draw;
mod edit;
mod edit_log;
mod energy;
mod event;
mod exclusions;
mod force;
mod handle;
mod hash;
mod joint_view;
mod joints;
pub mod ledger;
mod material;
mod meeting;
#[doc(hidden)]
pub mod model;
mod path;
mod problem;
mod push;
mod query;
mod rebuild;
mod report;
pub mod scene;
mod schedule;
mod shapes;
mod sleep;
mod snapshot;
mod stage;
#[doc(hidden)]
pub mod state;
mod step;
mod touches;
mod watch;
mod workspace;
mod world;

pub use contact_view::ContactView;
pub use debug_draw::{DebugDraw, DebugParts, Ink};
pub use edit::{ChangeError, EditError};
pub use event::{Event, EventKind};
pub use handle::{BodyId, HandleError, JointId, JointKey, ShapeId};
pub use hash::Fnv;
pub use huygens_contact as contact;
pub use huygens_dynamics::DofDrive;
pub use huygens_geometry as geometry;
pub use huygens_math as math;
pub use joint_view::JointView;
pub use joints::{JointLoad, TendonView, TreeMomentum};
pub use meeting::{Meeting, MeetingError};
pub use query::{Among, Hit, Nearest, Probe};
pub use report::{MechanismReport, STAGES, StepReport};
pub use scene::{Scene, SceneError, SceneErrors};
pub use shapes::ShapeView;
pub use snapshot::SnapshotError;
pub use state::{Broken, DriverRecord, MotorRecord};
pub use touches::{Island, Touch};
pub use world::{BadThreads, BodyView, DriverView, MotionKind, NoSuchLevel, Overlap, World};
