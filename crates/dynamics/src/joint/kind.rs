//! What every joint tells about itself.

use super::{fixed, free, hinge};
use crate::kinematics::Axis;
use huygens_math::{Pose, Twist, Vec3};

/// How a link moves on its parent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JointKind {
    /// Not at all.
    #[default]
    Fixed,
    /// By turning about one axis; one coordinate [rad].
    Hinge,
    /// In any way, on the world alone. Seven coordinates: position of the link's frame, then its orientation w, x, y, z.
    /// Six dofs: velocity of the link's centre of mass, then its spin, both in world axes.
    Free,
}

impl JointKind {
    /// Numbers that describe its position.
    #[inline]
    pub const fn coordinates(self) -> usize {
        match self {
            Self::Fixed => fixed::COORDINATES,
            Self::Hinge => hinge::COORDINATES,
            Self::Free => free::COORDINATES,
        }
    }

    /// Numbers that describe its velocity.
    #[inline]
    pub const fn dofs(self) -> usize {
        match self {
            Self::Fixed => fixed::DOFS,
            Self::Hinge => hinge::DOFS,
            Self::Free => free::DOFS,
        }
    }
}

/// A joint: where it sits on the parent and on the child, and how it moves.
///
/// At coordinate zero the joint's frame on the parent and that on the child coincide:
/// world_from_child = world_from_parent · `parent_from_joint` · motion(q) · `child_from_joint`⁻¹.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    /// How it moves.
    pub kind: JointKind,
    /// The joint's frame in the parent's (in the world when there is no parent). Unused by a free joint.
    pub parent_from_joint: Pose,
    /// The joint's frame in the child's. Unused by a free joint.
    pub child_from_joint: Pose,
    /// Direction of the hinge in the joint's frame; any length above zero.
    pub axis: Vec3,
    /// Inertia of the drive, added to the diagonal of the mass matrix [kg m²]. Unused by a free joint.
    pub armature: f64,
    /// Torque against the joint's velocity [N m s/rad]. Unused by a free joint.
    pub damping: f64,
}

impl Joint {
    /// A rigid connection.
    pub const fn fixed(parent_from_joint: Pose) -> Self {
        Self {
            kind: JointKind::Fixed,
            parent_from_joint,
            child_from_joint: Pose::IDENTITY,
            axis: Vec3::Z,
            armature: 0.0,
            damping: 0.0,
        }
    }

    /// A hinge about `axis` (in the joint's frame); the child's frame is the joint's.
    pub const fn hinge(parent_from_joint: Pose, axis: Vec3) -> Self {
        Self { kind: JointKind::Hinge, axis, ..Self::fixed(parent_from_joint) }
    }

    /// A base that moves in any way.
    pub const fn free() -> Self {
        Self { kind: JointKind::Free, ..Self::fixed(Pose::IDENTITY) }
    }

    /// The same joint with another place on the child.
    #[must_use]
    pub const fn with_child_from_joint(self, child_from_joint: Pose) -> Self {
        Self { child_from_joint, ..self }
    }

    /// Pose of the child in the parent at the joint's coordinates.
    #[inline]
    pub(crate) fn parent_from_child(&self, joint_from_child: &Pose, q: &[f64]) -> Pose {
        match self.kind {
            JointKind::Fixed => self.parent_from_joint * *joint_from_child,
            JointKind::Hinge => self.parent_from_joint * hinge::motion(self.axis, q[0]) * *joint_from_child,
            JointKind::Free => free::pose(q),
        }
    }

    /// The axes of the joint's dofs in the world, and their rates of change.
    #[inline]
    pub(crate) fn axes(&self, on: &Carrier, axis: &mut [Axis], rate: &mut [Axis]) {
        match self.kind {
            JointKind::Fixed => {}
            JointKind::Hinge => (axis[0], rate[0]) = hinge::axis(self, on),
            JointKind::Free => free::axes(on, axis, rate),
        }
    }

    /// Moves the joint's coordinates by a small displacement of its dofs; `com` is the child's centre of mass in its
    /// own frame.
    #[inline]
    pub(crate) fn advance(&self, com: Vec3, q: &mut [f64], displacement: &[f64]) {
        match self.kind {
            JointKind::Fixed => {}
            JointKind::Hinge => q[0] += displacement[0],
            JointKind::Free => free::advance(com, q, displacement),
        }
    }
}

/// What a joint's axes depend on.
pub(crate) struct Carrier {
    /// Pose of the parent in the world.
    pub world_from_parent: Pose,
    /// Centre of mass of the parent, world axes.
    pub parent_com: Vec3,
    /// Its twist.
    pub parent_twist: Twist,
    /// Centre of mass of the child, world axes.
    pub child_com: Vec3,
    /// Velocity of a free child's centre of mass, its first three dofs.
    pub child_velocity: Vec3,
}
