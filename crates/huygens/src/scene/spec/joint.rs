//! Joints as a scene writes them.

use crate::scene::Named;
use huygens_contact::Compliance;
use huygens_math::Vec3;

/// A joint between two bodies: `[[joint]]`. The pose in the scene is its zero.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Joint {
    /// Its name, unique among joints.
    pub name: String,
    /// What it lets move.
    pub kind: JointKind,
    /// Name of the body that carries it; `None` for the world.
    pub parent: Option<String>,
    /// Name of the body that it carries.
    pub child: String,
    /// Where it is, in world coordinates at the scene's pose [m].
    pub anchor: Vec3,
    /// Its axis, in world axes at the scene's pose; need not have length 1. Default z. A ball joint needs one for `velocity` alone.
    pub axis: Vec3,
    /// Second axis of a universal joint, about which its child turns; any direction that is not along `axis`. Second direction of travel of a
    /// planar joint. `None` for one across `axis`.
    pub axis2: Option<Vec3>,
    /// Travel of a screw along its axis for each turn [m]. Default 0.
    pub pitch: f64,
    /// Axes of a generic joint that are free: x, y, z, then turns about them, along the world's axes at the scene's pose.
    pub free: [bool; 6],
    /// Smallest and largest joint coordinate of a hinge [rad] or slide [m]; `None` for no limit.
    pub range: Option<[f64; 2]>,
    /// Of a ball joint: largest angle between `axis` on the child and on the parent [rad]; `None` for no limit.
    pub cone: Option<f64>,
    /// Of a ball joint: smallest and largest turn of the child about its own `axis` [rad]; `None` for no limit.
    pub twist: Option<[f64; 2]>,
    /// How the limits at the ends of `range` give way. Default: not at all.
    pub limit: Compliance,
    /// Share of the speed with which it comes back from the ends of `range`. Default 0.
    pub restitution: f64,
    /// Spring towards a coordinate. Default none.
    pub spring: Option<JointSpring>,
    /// Dry friction: the largest force or torque that resists its motion [N·m, of a slide N]. Default 0.
    pub friction: f64,
    /// What drives it. Default nothing.
    pub motor: Option<MotorSpec>,
    /// Its coordinate at the start, counted from the scene's pose [rad, of a slide m]. Default 0.
    pub position: f64,
    /// Rate of the joint coordinate at the start [rad/s, of a slide m/s]; of a ball joint its spin about `axis`. Default 0.
    pub velocity: f64,
    /// Force or torque against the velocity, for each 1 of it [N·m·s/rad, of a slide N·s/m]. Default 0.
    pub damping: f64,
    /// Inertia of the drive, which moves with the joint coordinate and not in space [kg·m², of a slide kg]. Default 0.
    pub armature: f64,
    /// Whether parent and child touch each other. Default false.
    pub collide: bool,
    /// Largest force that it bears [N]: above that it breaks. Default no limit.
    #[cfg_attr(feature = "serde", serde(with = "super::unlimited"))]
    pub break_force: f64,
    /// Largest torque about its place that it bears [N·m]. Default no limit.
    #[cfg_attr(feature = "serde", serde(with = "super::unlimited"))]
    pub break_torque: f64,
    /// Of a generic joint: what acts at each of its axes, where that is told axis by axis.
    pub axes: [Option<AxisSpec>; 6],
}

/// What acts at one coordinate of a joint: see the fields of [`Joint`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs, reason = "the fields of Joint say what they are")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AxisSpec {
    pub range: Option<[f64; 2]>,
    pub limit: Compliance,
    pub restitution: f64,
    pub spring: Option<JointSpring>,
    pub friction: f64,
    pub motor: Option<MotorSpec>,
    pub position: f64,
    pub velocity: f64,
    pub damping: f64,
    pub armature: f64,
}

impl Joint {
    /// What acts at each coordinate of the joint beside its first: damping, friction and armature are about each.
    pub fn at_each(&self) -> AxisSpec {
        AxisSpec {
            limit: self.limit,
            restitution: self.restitution,
            friction: self.friction,
            damping: self.damping,
            armature: self.armature,
            ..AxisSpec::default()
        }
    }

    /// What acts at its first coordinate.
    pub fn at_first(&self) -> AxisSpec {
        AxisSpec {
            range: self.range,
            spring: self.spring,
            motor: self.motor,
            position: self.position,
            velocity: self.velocity,
            ..self.at_each()
        }
    }

    /// What acts at its part `part`, which is along the axis `axis` of a generic joint.
    pub fn at_part(&self, part: usize, axis: Option<usize>) -> AxisSpec {
        let own = axis.and_then(|axis| self.axes[axis]);
        own.unwrap_or_else(|| if part == 0 { self.at_first() } else { self.at_each() })
    }

    /// True for a generic joint that turns in any way and says nothing of single turns: a ball joint.
    pub fn turns_freely(&self) -> bool {
        self.free[3..] == [true; 3] && self.axes[3..].iter().all(Option::is_none)
    }
}

impl Default for Joint {
    fn default() -> Self {
        Self {
            name: String::new(),
            kind: JointKind::Hinge,
            parent: None,
            child: String::new(),
            anchor: Vec3::ZERO,
            axis: Vec3::Z,
            axis2: None,
            pitch: 0.0,
            free: [false; 6],
            range: None,
            cone: None,
            twist: None,
            limit: Compliance::Rigid,
            restitution: 0.0,
            spring: None,
            friction: 0.0,
            motor: None,
            position: 0.0,
            velocity: 0.0,
            damping: 0.0,
            armature: 0.0,
            collide: false,
            break_force: f64::INFINITY,
            break_torque: f64::INFINITY,
            axes: [None; 6],
        }
    }
}

/// What a joint lets move. Where a joint has several coordinates, `range`, `spring`, `motor`, `position` and `velocity` are about the
/// first, and `damping`, `friction` and `armature` about each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum JointKind {
    /// Rotation about one axis.
    #[default]
    Hinge,
    /// Travel along one axis.
    Slide,
    /// Rotation about the anchor in any way.
    Ball,
    /// Nothing.
    Fixed,
    /// Everything: the child only belongs to its parent.
    Free,
    /// Rotation about `axis`, then about `axis2`.
    Universal,
    /// Rotation about one axis, and travel along it.
    Cylindrical,
    /// Travel along `axis` and `axis2`, and rotation about the normal of both.
    Planar,
    /// Rotation about one axis with travel along it, `pitch` a turn.
    Screw,
    /// What `free` says.
    Generic,
}

impl Named for JointKind {
    const NAMES: &'static [(&'static str, Self)] = &[
        ("hinge", Self::Hinge),
        ("slide", Self::Slide),
        ("ball", Self::Ball),
        ("fixed", Self::Fixed),
        ("free", Self::Free),
        ("universal", Self::Universal),
        ("cylindrical", Self::Cylindrical),
        ("planar", Self::Planar),
        ("screw", Self::Screw),
        ("generic", Self::Generic),
    ];
}

/// A spring at a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct JointSpring {
    /// Force or torque for each unit of the coordinate [N·m/rad, of a slide N/m].
    pub stiffness: f64,
    /// Coordinate at which it is slack, counted from the scene's pose [rad, m]. Default 0.
    pub rest: f64,
}

/// What drives a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MotorSpec {
    /// What it aims at.
    pub kind: MotorKind,
    /// Coordinate [rad, m], its rate [rad/s, m/s] or force [N·m, N] that it aims at.
    pub target: f64,
    /// Force for each unit that the coordinate is off. Default 0.
    pub stiffness: f64,
    /// Force for each unit that the rate is off: off `target` for a velocity motor, off 0 for a position motor. Default 0.
    pub damping: f64,
    /// Largest force or torque [N, N·m]. Default unlimited.
    #[cfg_attr(feature = "serde", serde(with = "super::unlimited"))]
    pub max_force: f64,
    /// Largest power [W]. Default unlimited.
    #[cfg_attr(feature = "serde", serde(with = "super::unlimited"))]
    pub max_power: f64,
}

impl Default for MotorSpec {
    fn default() -> Self {
        Self {
            kind: MotorKind::Position,
            target: 0.0,
            stiffness: 0.0,
            damping: 0.0,
            max_force: f64::INFINITY,
            max_power: f64::INFINITY,
        }
    }
}

impl MotorSpec {
    /// A velocity motor without a gain holds its speed exactly, as far as its limits go.
    pub fn is_rigid(&self) -> bool {
        self.kind == MotorKind::Velocity && self.damping == 0.0
    }

    /// A rigid motor without limits holds its speed whatever it takes: an equality of its tree.
    pub fn holds_its_speed(&self) -> bool {
        self.is_rigid() && !self.is_limited()
    }

    /// Its force or its power has a limit.
    pub fn is_limited(&self) -> bool {
        self.max_force.is_finite() || self.max_power.is_finite()
    }
}

/// What a motor aims at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum MotorKind {
    /// A coordinate.
    #[default]
    Position,
    /// A rate.
    Velocity,
    /// A force or torque.
    Torque,
}

impl Named for MotorKind {
    const NAMES: &'static [(&'static str, Self)] =
        &[("position", Self::Position), ("velocity", Self::Velocity), ("torque", Self::Torque)];
}

/// A coupling of bodies or of joints: `[[coupling]]`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CouplingSpec {
    /// Its name, unique among couplings.
    pub name: String,
    /// What it holds.
    pub kind: CouplingKind,
    /// The two joints of a gear or polynomial: the coordinate of the first follows from that of the second.
    pub joints: [String; 2],
    /// Of a gear: turns of the first joint for each turn of the second, counted from the scene's pose.
    pub ratio: f64,
    /// Of a polynomial: q₀ = Σ cₖ q₁ᵏ.
    pub coefficients: [f64; 5],
    /// The two bodies of the other kinds; an empty name is the world.
    pub bodies: [String; 2],
    /// A point on each body, in world coordinates at the scene's pose [m]; of `connect` and `weld` the first counts.
    pub anchors: [Vec3; 2],
    /// Distance of the points [m]; `None` for that of the scene's pose.
    pub length: Option<f64>,
}

impl Default for CouplingSpec {
    fn default() -> Self {
        Self {
            name: String::new(),
            kind: CouplingKind::Gear,
            joints: Default::default(),
            ratio: 1.0,
            coefficients: [0.0; 5],
            bodies: Default::default(),
            anchors: [Vec3::ZERO; 2],
            length: None,
        }
    }
}

/// What a coupling holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum CouplingKind {
    /// Coordinates of two joints in proportion.
    #[default]
    Gear,
    /// The coordinate of one joint as a polynomial of that of another one.
    Polynomial,
    /// The distance of two points: a rod without mass.
    Distance,
    /// The distance of two points, not above a length.
    Rope,
    /// Two points together: a ball joint.
    Connect,
    /// Two bodies together.
    Weld,
}

impl CouplingKind {
    /// True when it is about joints, false when about bodies.
    pub const fn is_of_joints(self) -> bool {
        matches!(self, Self::Gear | Self::Polynomial)
    }
}

impl Named for CouplingKind {
    const NAMES: &'static [(&'static str, Self)] = &[
        ("gear", Self::Gear),
        ("polynomial", Self::Polynomial),
        ("distance", Self::Distance),
        ("rope", Self::Rope),
        ("connect", Self::Connect),
        ("weld", Self::Weld),
    ];
}
