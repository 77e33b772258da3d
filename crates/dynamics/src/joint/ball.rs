//! A joint that turns about a point in any way.
//!
//! Its coordinates are the quaternion (w, x, y, z) that takes the joint's axes on the child to those on the carrier. Its dofs are the
//! spin of the child relative to the carrier along the joint's axes **on the carrier**: q̇ = ½ (0, w) q. A free joint is the same
//! with the world for carrier. (MuJoCo's ball joint has the same spin along the child's axes, q⁻¹ w q: convert at that border.)

use super::{AxesMut, Carrier};
use crate::integrate::cayley;
use crate::kinematics::Axis;
use huygens_math::{Pose, Quat, Vec3};

pub(super) const COORDINATES: usize = 4;
pub(super) const DOFS: usize = 3;

/// The rotation that coordinates w, x, y, z stand for. Users and snapshots may bring a quaternion that is off by rounding.
#[inline]
pub(super) fn rotation(q: &[f64]) -> Quat {
    Quat::from_xyzw(q[1], q[2], q[3], q[0]).normalize()
}

/// The joint's frame on the child, in that on the carrier.
#[inline]
pub(super) fn motion(q: &[f64]) -> Pose {
    Pose::new(rotation(q), Vec3::ZERO)
}

/// Three turns about the anchor; the carrier takes all of them along.
#[inline]
pub(super) fn axes(on: &Carrier, world_from_joint: &Pose, out: &mut AxesMut) {
    let anchor = world_from_joint.translation;
    for (k, e) in Vec3::AXES.into_iter().enumerate() {
        let angular = world_from_joint.rotate(e);
        out.axis[k] = Axis { linear: Vec3::ZERO, angular, anchor };
        out.rate[k] =
            Axis { linear: Vec3::ZERO, angular: on.twist.angular.cross(angular), anchor: on.twist.linear };
    }
}

/// Turns by the Cayley map of a small rotation along the joint's axes on the carrier.
pub(super) fn advance(q: &mut [f64], turn: Vec3) {
    let turned = (cayley(turn) * rotation(q)).normalize();
    q.copy_from_slice(&[turned.w, turned.x, turned.y, turned.z]);
}
