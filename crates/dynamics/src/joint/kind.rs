//! The interface of all joints.

use super::{ball, fixed, free, hinge, local, screw, slide};
use crate::kinematics::Axis;
use huygens_math::{Pose, Twist, Vec3};

/// How a link moves on the frame that carries it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JointKind {
    /// Not at all.
    #[default]
    Fixed,
    /// By turning about one axis; one coordinate [rad].
    Hinge,
    /// By sliding along one axis; one coordinate [m].
    Slide,
    /// By turning about one axis and travelling along it, `pitch` for each radian; one coordinate [rad].
    Screw,
    /// By turning about the anchor in any way. Four coordinates: the quaternion w, x, y, z from the joint's axes on the child to those
    /// on the carrier. Three dofs: spin relative to the carrier, along the joint's axes on the carrier [rad/s].
    Ball,
    /// In any way, on the world alone. Seven coordinates: position of the link's frame, then its orientation w, x, y, z.
    /// Six dofs: velocity of the link's centre of mass, then its spin, both in world axes.
    Free,
    /// As [`JointKind::Ball`], with the spin along the joint's axes on the child, as MuJoCo has it.
    BallLocal,
    /// As [`JointKind::Free`], with MuJoCo's dofs: velocity of the frame's origin in world axes, then the spin in the link's axes.
    FreeLocal,
}

impl JointKind {
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::Fixed,
        Self::Hinge,
        Self::Slide,
        Self::Screw,
        Self::Ball,
        Self::Free,
        Self::BallLocal,
        Self::FreeLocal,
    ];

    /// Numbers that describe its position.
    #[inline]
    pub const fn coordinates(self) -> usize {
        match self {
            Self::Fixed => fixed::COORDINATES,
            Self::Hinge => hinge::COORDINATES,
            Self::Slide => slide::COORDINATES,
            Self::Screw => screw::COORDINATES,
            Self::Ball | Self::BallLocal => ball::COORDINATES,
            Self::Free | Self::FreeLocal => free::COORDINATES,
        }
    }

    /// Numbers that describe its velocity.
    #[inline]
    pub const fn dofs(self) -> usize {
        match self {
            Self::Fixed => fixed::DOFS,
            Self::Hinge => hinge::DOFS,
            Self::Slide => slide::DOFS,
            Self::Screw => screw::DOFS,
            Self::Ball | Self::BallLocal => ball::DOFS,
            Self::Free | Self::FreeLocal => free::DOFS,
        }
    }

    /// Coordinates at which the two frames of the joint coincide.
    pub const fn neutral(self) -> &'static [f64] {
        match self {
            Self::Fixed => &[],
            Self::Hinge | Self::Slide | Self::Screw => &[0.0],
            Self::Ball | Self::BallLocal => &[1.0, 0.0, 0.0, 0.0],
            Self::Free | Self::FreeLocal => &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
        }
    }

    /// True for a base that moves in any way.
    #[inline]
    pub const fn is_free(self) -> bool {
        matches!(self, Self::Free | Self::FreeLocal)
    }
}

/// A joint: where it sits on what carries it and on the child, and how it moves.
///
/// A link has a list of joints, each carried by the one before it and the first one by the parent link, as if frames without mass lay
/// between them. At coordinate zero the joint's frame on the carrier and that on the child coincide:
/// `world_from_child` = `world_from_carrier` · `parent_from_joint` · motion(q) · `child_from_joint`⁻¹.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    /// How it moves.
    pub kind: JointKind,
    /// The joint's frame in that of its carrier (in the world when there is no parent). Unused by a free joint.
    pub parent_from_joint: Pose,
    /// The joint's frame in that of the next joint's carrier, or of the link. Unused by a free joint.
    pub child_from_joint: Pose,
    /// Direction of a hinge, slide or screw in the joint's frame; any length above zero.
    pub axis: Vec3,
    /// Travel of a screw along its axis for each radian [m/rad].
    pub pitch: f64,
    /// Inertia of the drive, added to the diagonal of the mass matrix at each of its dofs [kg m²; kg for a slide]. Unused by a free joint.
    pub armature: f64,
    /// Force against the velocity of each of its dofs [N m s/rad; N s/m for a slide]. Unused by a free joint.
    pub damping: f64,
    /// Force towards `rest` for each unit of the coordinate [N m/rad; N/m for a slide]; of a ball joint against the angle by which it is turned.
    /// Unused by a free joint.
    pub stiffness: f64,
    /// Coordinate at which the spring is slack [rad; m for a slide]; 0 for a ball joint.
    pub rest: f64,
}

impl Joint {
    /// A rigid connection.
    pub const fn fixed(parent_from_joint: Pose) -> Self {
        Self {
            kind: JointKind::Fixed,
            parent_from_joint,
            child_from_joint: Pose::IDENTITY,
            axis: Vec3::Z,
            pitch: 0.0,
            armature: 0.0,
            damping: 0.0,
            stiffness: 0.0,
            rest: 0.0,
        }
    }

    /// A hinge about `axis` (in the joint's frame); the child's frame is the joint's.
    pub const fn hinge(parent_from_joint: Pose, axis: Vec3) -> Self {
        Self { kind: JointKind::Hinge, axis, ..Self::fixed(parent_from_joint) }
    }

    /// A slide along `axis` (in the joint's frame); the child's frame is the joint's.
    pub const fn slide(parent_from_joint: Pose, axis: Vec3) -> Self {
        Self { kind: JointKind::Slide, axis, ..Self::fixed(parent_from_joint) }
    }

    /// A screw about `axis` (in the joint's frame) that travels `pitch` [m] for each radian; the child's frame is the joint's.
    pub const fn screw(parent_from_joint: Pose, axis: Vec3, pitch: f64) -> Self {
        Self { kind: JointKind::Screw, axis, pitch, ..Self::fixed(parent_from_joint) }
    }

    /// A ball joint; the child's frame is the joint's.
    pub const fn ball(parent_from_joint: Pose) -> Self {
        Self { kind: JointKind::Ball, ..Self::fixed(parent_from_joint) }
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

    /// Writes the axes of the joint's dofs in the world with their rates of change, and moves the carrier on to the frame behind the
    /// joint.
    #[inline]
    pub(crate) fn place(&self, child: &ChildFrame, q: &[f64], v: &[f64], on: &mut Carrier, mut out: AxesMut) {
        if self.kind == JointKind::Free {
            // The only joint of its link, so that nothing asks for the carrier's twist behind it.
            on.place(free::pose(q));
            free::axes(on.world_from_carrier.transform(child.com), v, &mut out);
            return;
        }
        if self.kind == JointKind::FreeLocal {
            on.place(free::pose(q));
            local::free_axes(&on.world_from_carrier, v, &mut out);
            return;
        }
        let world_from_joint = on.world_from_carrier * self.parent_from_joint;
        on.move_to(world_from_joint.translation);
        let motion = match self.kind {
            JointKind::Fixed | JointKind::Free | JointKind::FreeLocal => Pose::IDENTITY,
            JointKind::Hinge => {
                (out.axis[0], out.rate[0]) = hinge::axis(self, on, &world_from_joint);
                hinge::motion(self.axis, q[0])
            }
            JointKind::Slide => {
                (out.axis[0], out.rate[0]) = slide::axis(self, on, &world_from_joint);
                slide::motion(self.axis, q[0])
            }
            JointKind::Screw => {
                (out.axis[0], out.rate[0]) = screw::axis(self, on, &world_from_joint);
                screw::motion(self, q[0])
            }
            JointKind::Ball => {
                ball::axes(on, &world_from_joint, &mut out);
                ball::motion(q)
            }
            JointKind::BallLocal => {
                let motion = ball::motion(q);
                local::ball_axes(on, &(world_from_joint * motion), v, &mut out);
                motion
            }
        };
        let carrier_from_child = self.parent_from_joint * motion * child.joint_from_child;
        on.place(on.world_from_carrier * carrier_from_child);
        for (axis, v) in out.axis.iter().zip(v) {
            on.twist += Twist::new(axis.at(on.point), axis.angular) * *v;
        }
    }

    /// Moves the joint's coordinates by a small displacement of its dofs; `com` is the centre of mass of the link in its own frame.
    #[inline]
    pub(crate) fn advance(&self, com: Vec3, q: &mut [f64], displacement: &[f64]) {
        match self.kind {
            JointKind::Fixed => {}
            JointKind::Hinge | JointKind::Slide | JointKind::Screw => q[0] += displacement[0],
            JointKind::Ball => ball::advance(q, Vec3::from_slice(displacement)),
            JointKind::Free => free::advance(com, q, displacement),
            JointKind::BallLocal => local::turn(q, Vec3::from_slice(displacement)),
            JointKind::FreeLocal => {
                (0..3).for_each(|k| q[k] += displacement[k]);
                local::turn(&mut q[3..7], Vec3::from_slice(&displacement[3..6]));
            }
        }
    }
}

/// The frame that a joint carries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ChildFrame {
    /// Inverse of [`Joint::child_from_joint`].
    pub joint_from_child: Pose,
    /// Centre of mass of the link in its own frame [m].
    pub com: Vec3,
}

/// Where the axes of a joint's dofs are written, and their rates of change.
pub(crate) struct AxesMut<'a> {
    pub axis: &'a mut [Axis],
    pub rate: &'a mut [Axis],
}

/// The frame that carries a joint: that of the parent link, moved on by the joints before.
pub(crate) struct Carrier {
    /// Its pose in the world.
    pub world_from_carrier: Pose,
    /// A point of it, in the world [m].
    pub point: Vec3,
    /// Its twist at that point.
    pub twist: Twist,
}

impl Carrier {
    /// Moves its frame, with a rotation of unit length.
    #[inline]
    fn place(&mut self, world_from_carrier: Pose) {
        self.world_from_carrier = world_from_carrier;
        self.world_from_carrier.rotation = world_from_carrier.rotation.normalize();
    }

    /// Takes the twist at the material point at `r` [m, world] from now on: near the joint, so that nothing is lost far from the origin.
    #[inline]
    fn move_to(&mut self, r: Vec3) {
        self.twist.linear = self.twist.at(r - self.point);
        self.point = r;
    }
}
