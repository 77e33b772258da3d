//! A compiled model in MuJoCo's layout: ids are places in the lists, body 0 is the world.

use super::error::Fault;
pub use super::mech::{DynKind, GainKind, Input, Transmission};
use huygens_math::{Pose, Vec3};
use std::ops::Range;
use std::sync::Arc;

/// How a model's contact gives way: MuJoCo's `solref` and `solimp`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Softness {
    /// Time constant and damping ratio, or negative stiffness and damping.
    pub solref: [f64; 2],
    /// Impedance: d₀, d_width, width, midpoint, power.
    pub solimp: [f64; 5],
}

impl Default for Softness {
    fn default() -> Self {
        Self { solref: [0.02, 1.0], solimp: [0.9, 0.95, 0.001, 0.5, 2.0] }
    }
}

/// Kinds of MuJoCo's integrators.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the words of MuJoCo")]
pub enum IntegratorKind {
    #[default]
    Euler,
    Rk4,
    Implicit,
    ImplicitFast,
    Discrete,
}

/// `<option>` and `<flag>`.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the words of MuJoCo")]
pub struct Options {
    pub timestep: f64,
    pub gravity: Vec3,
    pub wind: Vec3,
    pub magnetic: Vec3,
    pub density: f64,
    pub viscosity: f64,
    pub impratio: f64,
    pub tolerance: f64,
    pub iterations: i64,
    pub noslip_iterations: i64,
    pub integrator: IntegratorKind,
    pub elliptic: bool,
    pub solver: String,
    /// Flags that are switched off.
    pub disabled: Vec<String>,
    /// Flags that are switched on.
    pub enabled: Vec<String>,
    /// Groups of actuators that do not act.
    pub disabled_groups: Vec<i64>,
}

impl Options {
    /// True unless the flag is switched off.
    pub fn on(&self, flag: &str) -> bool {
        !self.disabled.iter().any(|f| f == flag)
    }
}

/// A body.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the words of MuJoCo")]
pub struct Body {
    pub name: String,
    pub parent: usize,
    /// In its parent's frame.
    pub pose: Pose,
    /// Its inertial frame in its own.
    pub inertial: Pose,
    pub mass: f64,
    /// About the axes of the inertial frame [kg m²].
    pub inertia: Vec3,
    pub mocap: Option<usize>,
    pub gravcomp: f64,
    pub joints: Range<usize>,
    pub geoms: Range<usize>,
    pub sites: Range<usize>,
}

/// Kinds of joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the words of MuJoCo")]
pub enum JointKind {
    Free,
    Ball,
    Slide,
    Hinge,
}

impl JointKind {
    /// Numbers in qpos and in qvel.
    pub const fn sizes(self) -> [usize; 2] {
        match self {
            Self::Free => [7, 6],
            Self::Ball => [4, 3],
            Self::Slide | Self::Hinge => [1, 1],
        }
    }
}

/// A joint.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the words of MuJoCo")]
pub struct Joint {
    pub name: String,
    pub body: usize,
    pub kind: JointKind,
    pub pos: Vec3,
    pub axis: Vec3,
    pub range: [f64; 2],
    pub limited: bool,
    pub margin: f64,
    pub limit: Softness,
    pub friction: Softness,
    pub stiffness: [f64; 3],
    pub damping: [f64; 3],
    pub springdamper: [f64; 2],
    pub armature: f64,
    pub frictionloss: f64,
    pub reference: f64,
    pub springref: f64,
    pub actuatorfrcrange: Option<[f64; 2]>,
    pub actuatorgravcomp: bool,
    pub qpos: usize,
    pub dof: usize,
}

/// Types of geoms, in MuJoCo's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the words of MuJoCo")]
pub enum GeomKind {
    Plane,
    HeightField,
    Sphere,
    Capsule,
    Ellipsoid,
    Cylinder,
    Box,
    Mesh,
    Sdf,
}

/// A geom.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the words of MuJoCo")]
pub struct Geom {
    pub name: String,
    pub body: usize,
    pub kind: GeomKind,
    /// In its body's frame; for a mesh that of its principal axes.
    pub pose: Pose,
    pub size: [f64; 3],
    pub mesh: Option<usize>,
    pub hfield: Option<usize>,
    pub contype: u32,
    pub conaffinity: u32,
    pub condim: u32,
    pub group: i64,
    pub priority: i64,
    pub friction: [f64; 3],
    pub solmix: f64,
    pub softness: Softness,
    pub margin: f64,
    pub gap: f64,
    pub mass: f64,
    pub inertia: Vec3,
    /// Interaction with a medium by an ellipsoid: blunt, slender, angular drag, Kutta and Magnus lift.
    pub fluid: Option<[f64; 5]>,
    /// A see-through geom: rays pass it.
    pub invisible: bool,
}

/// A place on a body.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the words of MuJoCo")]
pub struct Site {
    pub name: String,
    pub body: usize,
    pub pose: Pose,
    pub kind: GeomKind,
    pub size: [f64; 3],
}

/// A camera; only its frame counts here.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the words of MuJoCo")]
pub struct Camera {
    pub name: String,
    pub body: usize,
    pub pose: Pose,
    /// False when the camera follows something: its frame is then not computed here.
    pub fixed: bool,
    /// Pixels across and down.
    pub resolution: [f64; 2],
    /// Focal lengths across and down [pixels].
    pub focal: [f64; 2],
}

/// A mesh, moved to its centre of mass and turned to its principal axes.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the words of MuJoCo")]
pub struct Mesh {
    pub name: String,
    /// Rounded to single precision, as MuJoCo stores them [m].
    pub vertices: Vec<Vec3>,
    pub faces: Vec<[u32; 3]>,
    /// The mesh's frame in that of the file.
    pub pose: Pose,
    /// Volume [m³], or surface [m²] of a shell.
    pub volume: f64,
    /// Half edges of the box with the same inertia [m].
    pub box_size: [f64; 3],
    /// Least and greatest corner [m].
    pub bounds: [Vec3; 2],
}

/// A height field.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the words of MuJoCo")]
pub struct HeightField {
    pub name: String,
    pub rows: usize,
    pub columns: usize,
    /// Half length in x and in y, height, thickness of the base [m].
    pub size: [f64; 4],
    /// Row after row, from 0 to 1.
    pub elevation: Vec<f64>,
}

/// An explicit contact pair.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the words of MuJoCo")]
pub struct Pair {
    pub name: String,
    pub geoms: [usize; 2],
    pub condim: u32,
    pub friction: [f64; 5],
    pub softness: Softness,
    pub solreffriction: [f64; 2],
    pub margin: f64,
    pub gap: f64,
}

/// What an equality joins.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the words of MuJoCo")]
pub enum EqualityKind {
    /// Points of two bodies coincide; the anchor is in the first one's frame.
    Connect { bodies: [usize; 2], anchor: Vec3 },
    /// Two sites coincide.
    ConnectSites { sites: [usize; 2] },
    /// Two bodies keep their pose to each other.
    Weld { bodies: [usize; 2], anchor: Vec3, relpose: Option<Pose>, torquescale: f64 },
    /// Two sites coincide with their axes.
    WeldSites { sites: [usize; 2], torquescale: f64 },
    /// A joint follows another one, or stays.
    Joint { joints: [Option<usize>; 2], polycoef: [f64; 5] },
    /// A tendon follows another one, or stays.
    Tendon { tendons: [Option<usize>; 2], polycoef: [f64; 5] },
}

/// An equality.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the words of MuJoCo")]
pub struct Equality {
    pub name: String,
    pub active: bool,
    pub softness: Softness,
    pub kind: EqualityKind,
}

/// A part of a tendon's path.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the words of MuJoCo")]
pub enum Wrap {
    Joint { joint: usize, coef: f64 },
    Site(usize),
    Pulley(f64),
    Geom { geom: usize, side: Option<usize> },
}

/// A tendon.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the words of MuJoCo")]
pub struct Tendon {
    pub name: String,
    pub path: Vec<Wrap>,
    pub range: [f64; 2],
    pub limited: bool,
    pub margin: f64,
    pub limit: Softness,
    pub friction: Softness,
    pub stiffness: [f64; 3],
    pub damping: [f64; 3],
    pub armature: f64,
    pub frictionloss: f64,
    /// Dead band of the spring; −1: the length at the start.
    pub springlength: [f64; 2],
    pub actuatorfrcrange: Option<[f64; 2]>,
}

/// An actuator.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the words of MuJoCo")]
pub struct Actuator {
    pub name: String,
    pub transmission: Transmission,
    pub gear: [f64; 6],
    pub dynamics: DynKind,
    pub gain: GainKind,
    pub bias: GainKind,
    pub dynprm: [f64; 10],
    pub gainprm: [f64; 10],
    pub biasprm: [f64; 10],
    /// What each control is; most actuators have one.
    pub inputs: Vec<Input>,
    /// Bounds of each control.
    pub ctrlranges: Vec<Option<[f64; 2]>>,
    pub forcerange: Option<[f64; 2]>,
    pub actrange: Option<[f64; 2]>,
    pub lengthrange: [f64; 2],
    pub damping: [f64; 3],
    pub armature: f64,
    pub actearly: bool,
    pub actdim: usize,
    pub group: i64,
    /// A positive third number of `biasprm` is a damping ratio that is still to be resolved.
    pub dampratio: bool,
    /// Not done here: its force is zero.
    pub unknown: bool,
}

/// What a frame sensor looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the words of MuJoCo")]
pub enum Frame {
    /// The inertial frame of a body.
    Body(usize),
    /// The frame of a body.
    XBody(usize),
    Geom(usize),
    Site(usize),
    Camera(usize),
}

/// What one end of a contact or distance may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the words of MuJoCo")]
pub enum SensorEnd {
    Geom(usize),
    Body(usize),
    /// A body with all that hangs on it.
    Subtree(usize),
}

/// How a contact sensor chooses among the contacts that match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the words of MuJoCo")]
pub enum Reduce {
    #[default]
    None,
    MinDist,
    MaxForce,
    NetForce,
}

/// What a sensor of contacts, distances or rays asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SensorQuery {
    /// The two sides.
    pub ends: [Option<SensorEnd>; 2],
    /// Only what is inside of this site.
    pub site: Option<usize>,
    /// The camera that looks.
    pub camera: Option<usize>,
    /// The fields of a slot, in their order.
    pub fields: Vec<&'static str>,
    /// Slots of the fields.
    pub slots: usize,
    /// How slots are filled.
    pub reduce: Reduce,
}

/// A sensor.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the words of MuJoCo")]
pub struct Sensor {
    pub name: String,
    /// The element's name.
    pub kind: String,
    /// Id of the joint, tendon, actuator, site or body.
    pub object: usize,
    pub frame: Option<Frame>,
    pub reference: Option<Frame>,
    pub cutoff: f64,
    pub dim: usize,
    /// What it asks for beyond that.
    pub query: SensorQuery,
    /// Not done here: its values are zero.
    pub unknown: bool,
}

/// Which actuators get their range of lengths by a trial.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the words of MuJoCo")]
pub enum LengthMode {
    None,
    #[default]
    Muscle,
    MuscleUser,
    All,
}

/// `<lengthrange>`: how the range of an actuator's length is found.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the words of MuJoCo")]
pub struct LengthTrial {
    pub mode: LengthMode,
    pub useexisting: bool,
    pub uselimit: bool,
    pub accel: f64,
    pub maxforce: f64,
    pub timeconst: f64,
    pub timestep: f64,
    pub inttotal: f64,
    pub interval: f64,
    pub tolrange: f64,
}

impl Default for LengthTrial {
    fn default() -> Self {
        Self {
            mode: LengthMode::Muscle,
            useexisting: true,
            uselimit: false,
            accel: 20.0,
            maxforce: 0.0,
            timeconst: 1.0,
            timestep: 0.01,
            inttotal: 10.0,
            interval: 2.0,
            tolrange: 0.05,
        }
    }
}

impl Model {
    /// A name for each control: that of its actuator, with the input where there are several.
    pub fn control_names(&self) -> Vec<String> {
        let of = |a: &Actuator| -> Vec<String> {
            let word = |input: &Input| match input {
                Input::Command => "ctrl",
                Input::Position => "pos",
                Input::Velocity => "vel",
                Input::Force => "ff",
                Input::Voltage => "voltage",
            };
            match a.inputs.as_slice() {
                [_] => vec![a.name.clone()],
                several => several.iter().map(|input| format!("{}.{}", a.name, word(input))).collect(),
            }
        };
        self.actuators.iter().flat_map(of).collect()
    }
}

/// A keyframe.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the words of MuJoCo")]
pub struct Key {
    pub name: String,
    pub time: f64,
    pub qpos: Vec<f64>,
    pub qvel: Vec<f64>,
    pub act: Vec<f64>,
    pub ctrl: Vec<f64>,
    pub mpos: Vec<f64>,
    pub mquat: Vec<f64>,
}

/// A compiled model.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the words of MuJoCo")]
pub struct Model {
    pub name: String,
    pub options: Options,
    pub lengthrange: LengthTrial,
    pub bodies: Vec<Body>,
    pub joints: Vec<Joint>,
    pub geoms: Vec<Geom>,
    pub sites: Vec<Site>,
    pub cameras: Vec<Camera>,
    pub meshes: Vec<Arc<Mesh>>,
    pub hfields: Vec<Arc<HeightField>>,
    pub pairs: Vec<Pair>,
    pub excludes: Vec<[usize; 2]>,
    pub equalities: Vec<Equality>,
    pub tendons: Vec<Tendon>,
    pub actuators: Vec<Actuator>,
    pub sensors: Vec<Sensor>,
    pub keys: Vec<Key>,
    pub nq: usize,
    pub nv: usize,
    pub na: usize,
    pub nu: usize,
    pub nmocap: usize,
    /// Coordinates as drawn.
    pub qpos0: Vec<f64>,
    /// What is known but not done, each once, with its line.
    pub warnings: Vec<Fault>,
}
