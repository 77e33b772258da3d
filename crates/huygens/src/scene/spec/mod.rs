//! A scene as plain data, mirroring the scene file key by key.

mod body;
mod edit;
mod expect;
mod joint;
mod material;
mod medium;
mod repeat;
mod shape;
mod tendon;
#[cfg(feature = "serde")]
mod unlimited;
mod world;

pub use body::{Body, Color, DriveLimit, Keyframe, Lock, Motion};
pub use edit::EditSpec;
pub use expect::{
    Band, BodyQuantity, Check, DriverQuantity, During, Expect, JointQuantity, LEDGER_ACCOUNTS, Quantity,
    Take, Unmet,
};
pub use joint::{AxisSpec, CouplingKind, CouplingSpec, Joint, JointKind, JointSpring, MotorKind, MotorSpec};
pub use material::{Combine, Material, PairSpec, Surface, SurfaceSpec};
pub use medium::{BodyMediumSpec, MediumSpec, Spring, WindSpec};
pub use repeat::{RepeatKind, RepeatSpec};
pub use shape::{Axis, HeightSource, HullSource, MeshSource, Shape, ShapeKind};
pub use tendon::{TendonJoint, TendonPart, TendonSpec};
pub use world::{
    Cone, ContactsOf, ConvexLike, ConvexSpec, Duration, FrictionAt, Gyroscopic, Integrator, PyramidRule,
    Resolution, Scene, SoftStepSpec, StabilisationSpec, WarmRule, WorldSpec,
};
