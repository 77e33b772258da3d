//! Joints of a scene as joints of one coordinate, balls and rigid connections.

use crate::scene::{Joint, JointKind};
use huygens_dynamics::{Joint as LinkJoint, JointKind as Kind};
use huygens_math::{Pose, Vec3};
use std::f64::consts::TAU;

/// A part of a joint: how it moves, in a frame with the world's axes at the scene's pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Elementary {
    pub kind: Kind,
    pub axis: Vec3,
    /// Travel of a screw for each radian [m].
    pub pitch: f64,
    /// Inertia of its drive.
    pub armature: f64,
    pub damping: f64,
    pub stiffness: f64,
    pub rest: f64,
}

impl Elementary {
    fn new(kind: Kind, axis: Vec3) -> Self {
        Self { kind, axis, pitch: 0.0, armature: 0.0, damping: 0.0, stiffness: 0.0, rest: 0.0 }
    }

    /// A rigid connection.
    pub(super) fn fixed() -> Self {
        Self::new(Kind::Fixed, Vec3::Z)
    }

    /// A ball joint.
    pub(super) fn ball() -> Self {
        Self::new(Kind::Ball, Vec3::Z)
    }

    /// The same part with carrier and child exchanged: the same coordinate about the opposite axis.
    pub(super) fn inverse(&self) -> Self {
        Self { axis: -self.axis, ..*self }
    }

    /// The joint of a tree, with its frames on its carrier and on what it carries.
    pub(super) fn joint(&self, parent_from_joint: Pose, child_from_joint: Pose) -> LinkJoint {
        let Self { kind, axis, pitch, armature, damping, stiffness, rest } = *self;
        LinkJoint {
            parent_from_joint,
            child_from_joint,
            kind,
            axis,
            pitch,
            armature,
            damping,
            stiffness,
            rest,
        }
    }
}

/// The parts of a joint, from its parent on.
pub(super) fn parts(spec: &Joint) -> Vec<Elementary> {
    let axis = spec.axis.normalize();
    let across = || across(axis, spec.axis2);
    let [hinge, slide] = [Kind::Hinge, Kind::Slide].map(|kind| Elementary::new(kind, axis));
    let mut parts = match spec.kind {
        JointKind::Hinge => vec![hinge],
        JointKind::Slide => vec![slide],
        JointKind::Ball => vec![Elementary { axis, ..Elementary::ball() }],
        JointKind::Fixed | JointKind::Free => vec![Elementary::fixed()],
        JointKind::Universal => vec![hinge, Elementary::new(Kind::Hinge, across())],
        JointKind::Cylindrical => vec![hinge, slide],
        JointKind::Planar => {
            let other = across();
            vec![slide, Elementary::new(Kind::Slide, other), Elementary::new(Kind::Hinge, axis.cross(other))]
        }
        JointKind::Screw => vec![Elementary { kind: Kind::Screw, pitch: spec.pitch / TAU, ..hinge }],
        JointKind::Generic => generic(spec),
    };
    let axes = axes(spec);
    for (k, part) in parts.iter_mut().enumerate().filter(|(_, part)| part.kind != Kind::Fixed) {
        let acting = spec.at_part(k, axes.get(k).copied());
        (part.armature, part.damping) = (acting.armature, acting.damping);
        if let Some(spring) = acting.spring {
            (part.stiffness, part.rest) = (spring.stiffness, spring.rest);
        }
    }
    parts
}

/// The axis of each part of a generic joint, without its ball; none of other joints.
pub(super) fn axes(spec: &Joint) -> Vec<usize> {
    if spec.kind != JointKind::Generic {
        return Vec::new();
    }
    let single = if spec.turns_freely() { 3 } else { 6 };
    (0..single).filter(|axis| spec.free[*axis]).collect()
}

/// `second` without its part along `axis`, or any direction across it.
fn across(axis: Vec3, second: Option<Vec3>) -> Vec3 {
    let other = second.map(|second| second - axis * axis.dot(second));
    other
        .filter(|other| other.length_squared() > 0.0)
        .map_or_else(|| axis.any_orthonormal_vector(), |other| other.normalize())
}

fn generic(spec: &Joint) -> Vec<Elementary> {
    let part = |axis: usize| {
        let kind = if axis < 3 { Kind::Slide } else { Kind::Hinge };
        Elementary::new(kind, Vec3::AXES[axis % 3])
    };
    let mut parts: Vec<Elementary> = axes(spec).into_iter().map(part).collect();
    if spec.turns_freely() {
        parts.push(Elementary::ball());
    }
    if parts.is_empty() {
        parts.push(Elementary::fixed());
    }
    parts
}
