//! A joint that turns about one axis and travels along it in proportion.

use super::{Carrier, Joint, hinge};
use crate::kinematics::Axis;
use huygens_math::Pose;

pub(super) const COORDINATES: usize = 1;
pub(super) const DOFS: usize = 1;

/// The joint's frame on the child, in that on the carrier.
#[inline]
pub(super) fn motion(joint: &Joint, angle: f64) -> Pose {
    let turned = hinge::motion(joint.axis, angle);
    Pose { translation: joint.axis * (joint.pitch * angle), ..turned }
}

/// As a hinge, with the travel along its axis.
#[inline]
pub(super) fn axis(joint: &Joint, on: &Carrier, world_from_joint: &Pose) -> (Axis, Axis) {
    let (mut axis, mut rate) = hinge::axis(joint, on, world_from_joint);
    axis.linear = axis.angular * joint.pitch;
    rate.linear = rate.angular * joint.pitch;
    (axis, rate)
}
