//! A joint that turns about one axis.

use super::{Carrier, Joint};
use crate::kinematics::Axis;
use huygens_math::trig::axis_angle;
use huygens_math::{Pose, Vec3};

pub(super) const COORDINATES: usize = 1;
pub(super) const DOFS: usize = 1;

/// The joint's frame on the child, in that on the carrier.
#[inline]
pub(super) fn motion(axis: Vec3, angle: f64) -> Pose {
    Pose::new(axis_angle(axis, angle), Vec3::ZERO)
}

/// The carrier takes axis and anchor along.
#[inline]
pub(super) fn axis(joint: &Joint, on: &Carrier, world_from_joint: &Pose) -> (Axis, Axis) {
    let angular = world_from_joint.rotate(joint.axis);
    let anchor = world_from_joint.translation;
    let rate = Axis { linear: Vec3::ZERO, angular: on.twist.angular.cross(angular), anchor: on.twist.linear };
    (Axis { linear: Vec3::ZERO, angular, anchor }, rate)
}
