//! A scene as plain data, mirroring the scene file key by key.

mod body;
mod expect;
mod joint;
mod material;
mod repeat;
mod shape;
mod world;

pub use body::{BodySpec, DriveLimit, Keyframe, Lock, Motion};
pub use expect::{
    Band, BodyQuantity, Check, DriverQuantity, Expect, JointQuantity, LEDGER_ACCOUNTS, Quantity, Unmet,
};
pub use joint::{JointKind, JointSpec};
pub use material::{Combine, MaterialSpec, PairSpec, Surface, SurfaceSpec};
pub use repeat::{RepeatKind, RepeatSpec};
pub use shape::{Axis, HeightSource, HullSource, MeshSource, ShapeKind, ShapeSpec};
pub use world::{
    Duration, FrictionAt, Gyroscopic, Integrator, Scene, SoftStepSpec, StabilisationSpec, WorldSpec,
};
