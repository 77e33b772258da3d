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
mod vectors;
mod warning;

pub(crate) use check::{LARGEST, number_text};

pub use crate::watch::Watch;
pub use error::{SceneError, SceneErrors, suggest};
pub use expand::PlacedBody;
pub use name::{Named, near};
pub use path::{Segment, SpecPath};
pub use spec::{
    Axis, AxisSpec, Band, Body, BodyMediumSpec, BodyQuantity, Check, Color, Combine, Cone, ContactsOf,
    ConvexLike, ConvexSpec, CouplingKind, CouplingSpec, DriveLimit, DriverQuantity, Duration, During,
    EditSpec, Expect, FrictionAt, Gyroscopic, HeightSource, HullSource, Integrator, Joint, JointKind,
    JointQuantity, JointSpring, Keyframe, LEDGER_ACCOUNTS, Lock, Material, MediumSpec, MeshSource, Motion,
    MotorKind, MotorSpec, PairSpec, PyramidRule, Quantity, RepeatKind, RepeatSpec, Resolution, Scene, Shape,
    ShapeKind, SoftStepSpec, Spring, StabilisationSpec, Surface, SurfaceSpec, Take, TendonJoint, TendonPart,
    TendonSpec, Unmet, WarmRule, WindSpec, WorldSpec,
};
pub use warning::SceneWarning;
