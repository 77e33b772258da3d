//! A joint that slides along one axis.

use super::{Carrier, Joint};
use crate::kinematics::Axis;
use huygens_math::{Pose, Vec3};

pub(super) const COORDINATES: usize = 1;
pub(super) const DOFS: usize = 1;

/// The joint's frame on the child, in that on the carrier.
#[inline]
pub(super) fn motion(axis: Vec3, travel: f64) -> Pose {
    Pose::at(axis * travel)
}

/// The carrier turns the axis along. No rotation, so the anchor is of no account.
#[inline]
pub(super) fn axis(joint: &Joint, on: &Carrier, world_from_joint: &Pose) -> (Axis, Axis) {
    let linear = world_from_joint.rotate(joint.axis);
    let anchor = world_from_joint.translation;
    let rate = Axis { linear: on.twist.angular.cross(linear), angular: Vec3::ZERO, anchor: on.twist.linear };
    (Axis { linear, angular: Vec3::ZERO, anchor }, rate)
}
