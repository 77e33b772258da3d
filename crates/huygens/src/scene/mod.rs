//! Scenes: what a user asks for, as plain data, and the gate that checks every number of it.

mod builder;
mod check;
mod error;
mod expand;
pub mod keys;
mod mersenne;
mod name;
mod path;
mod spec;
mod warning;

pub(crate) use check::{LARGEST, number_text};

pub use crate::watch::Watch;
pub use builder::{Body, Joint, Material, Shape, Spring};
pub use error::{SceneError, SceneErrors, suggest};
pub use expand::PlacedBody;
pub use name::{Named, near};
pub use path::{Segment, SpecPath};
pub use spec::{
    Axis, AxisSpec, Band, BodyMediumSpec, BodyQuantity, BodySpec, Check, Color, Combine, Cone, ContactsOf,
    ConvexLike, ConvexSpec, CouplingKind, CouplingSpec, DriveLimit, DriverQuantity, Duration, During,
    EditSpec, Expect, FrictionAt, Gyroscopic, HeightSource, HullSource, Integrator, JointKind, JointQuantity,
    JointSpec, JointSpring, Keyframe, LEDGER_ACCOUNTS, Lock, MaterialSpec, MediumSpec, MeshSource, Motion,
    MotorKind, MotorSpec, PairSpec, Quantity, RepeatKind, RepeatSpec, Resolution, Scene, ShapeKind,
    ShapeSpec, SoftStepSpec, SpringSpec, StabilisationSpec, Surface, SurfaceSpec, Take, TendonJoint,
    TendonPart, TendonSpec, Unmet, WindSpec, WorldSpec,
};
pub use warning::SceneWarning;
