//! A base that moves in any way. Its dofs are those of a `Free` block: centre of mass and spin, world axes.

use super::Carrier;
use crate::integrate::cayley;
use crate::kinematics::Axis;
use huygens_math::{Pose, Quat, Vec3};

pub(super) const COORDINATES: usize = 7;
pub(super) const DOFS: usize = 6;

/// The link's pose in the world.
#[inline]
pub(super) fn pose(q: &[f64]) -> Pose {
    // Users and snapshots may bring a quaternion that is off by rounding.
    let rotation = Quat::from_xyzw(q[4], q[5], q[6], q[3]).normalize();
    Pose::new(rotation, Vec3::new(q[0], q[1], q[2]))
}

/// Three translations and three turns about the centre of mass; only the anchor moves.
#[inline]
pub(super) fn axes(on: &Carrier, axis: &mut [Axis], rate: &mut [Axis]) {
    for (k, e) in Vec3::AXES.into_iter().enumerate() {
        axis[k] = Axis { linear: e, angular: Vec3::ZERO, anchor: on.child_com };
        axis[k + 3] = Axis { linear: Vec3::ZERO, angular: e, anchor: on.child_com };
    }
    let moving = Axis { linear: Vec3::ZERO, angular: Vec3::ZERO, anchor: on.child_velocity };
    rate[..DOFS].fill(moving);
}

/// The centre of mass moves along and the link turns about it by the Cayley map, as a free body does.
pub(super) fn advance(com: Vec3, q: &mut [f64], displacement: &[f64]) {
    let old = pose(q);
    let d = displacement;
    let turn = cayley(Vec3::new(d[3], d[4], d[5]));
    let rotation = (turn * old.rotation).normalize();
    // Not via the centre of mass in the world: with a frame in the centre nothing is lost far from the origin.
    let lever = old.rotation * com - rotation * com;
    let position = old.translation + (Vec3::new(d[0], d[1], d[2]) + lever);
    q[..3].copy_from_slice(&position.to_array());
    q[3..7].copy_from_slice(&[rotation.w, rotation.x, rotation.y, rotation.z]);
}
