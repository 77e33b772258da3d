//! Joints as a scene writes them.

use crate::scene::Named;
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
    /// Its axis, in world axes at the scene's pose; need not have length 1. Default z.
    pub axis: Vec3,
    /// Smallest and largest joint coordinate [rad]; `None` for no limit.
    pub range: Option<[f64; 2]>,
    /// Rate of the joint coordinate at the start [rad/s]. Default 0.
    pub velocity: f64,
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
            velocity: 0.0,
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
}

impl Named for JointKind {
    const NAMES: &'static [(&'static str, Self)] = &[("hinge", Self::Hinge)];
}
