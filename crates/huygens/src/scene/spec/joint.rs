//! Joints as a scene writes them.

use crate::scene::Named;
use huygens_contact::Compliance;
use huygens_math::Vec3;

/// A joint between two bodies: `[[joint]]`. The pose in the scene is its zero.
#[derive(Clone, Debug, PartialEq)]
pub struct JointSpec {
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
    /// Smallest and largest joint coordinate of a hinge [rad] or slide [m]; `None` for no limit.
    pub range: Option<[f64; 2]>,
    /// How the limits at the ends of `range` give way. Default: not at all.
    pub limit: Compliance,
    /// Rate of the joint coordinate at the start [rad/s, of a slide m/s]; of a ball joint its spin about `axis`. Default 0.
    pub velocity: f64,
    /// Force or torque against the velocity, for each 1 of it [N·m·s/rad, of a slide N·s/m]. Default 0.
    pub damping: f64,
    /// Inertia of the drive, which moves with the joint coordinate and not in space [kg·m², of a slide kg]. Default 0.
    pub armature: f64,
    /// Whether parent and child touch each other. Default false.
    pub collide: bool,
}

impl Default for JointSpec {
    fn default() -> Self {
        Self {
            name: String::new(),
            kind: JointKind::Hinge,
            parent: None,
            child: String::new(),
            anchor: Vec3::ZERO,
            axis: Vec3::Z,
            range: None,
            limit: Compliance::Rigid,
            velocity: 0.0,
            damping: 0.0,
            armature: 0.0,
            collide: false,
        }
    }
}

/// What a joint lets move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JointKind {
    /// Rotation about one axis.
    #[default]
    Hinge,
    /// Travel along one axis.
    Slide,
    /// Rotation about the anchor in any way.
    Ball,
}

impl Named for JointKind {
    const NAMES: &'static [(&'static str, Self)] =
        &[("hinge", Self::Hinge), ("slide", Self::Slide), ("ball", Self::Ball)];
}
