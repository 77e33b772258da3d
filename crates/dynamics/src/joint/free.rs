//! A base that moves in any way. Its dofs are those of a `Free` block: centre of mass and spin, world axes.

use super::{AxesMut, ball};
use crate::integrate::cayley;
use crate::kinematics::Axis;
use huygens_math::{Pose, Vec3};

pub(super) const COORDINATES: usize = 7;
pub(super) const DOFS: usize = 6;

/// The link's pose in the world.
#[inline]
pub(super) fn pose(q: &[f64]) -> Pose {
    Pose::new(ball::rotation(&q[3..]), Vec3::new(q[0], q[1], q[2]))
}

/// Three translations and three turns about the link's centre of mass `com` [m, world]. Only the anchor moves, with the velocity of the
/// first three dofs.
#[inline]
pub(super) fn axes(com: Vec3, v: &[f64], out: &mut AxesMut) {
    for (k, e) in Vec3::AXES.into_iter().enumerate() {
        out.axis[k] = Axis { linear: e, angular: Vec3::ZERO, anchor: com };
        out.axis[k + 3] = Axis { linear: Vec3::ZERO, angular: e, anchor: com };
    }
    let moving = Axis { linear: Vec3::ZERO, angular: Vec3::ZERO, anchor: Vec3::from_slice(&v[..3]) };
    out.rate[..DOFS].fill(moving);
}

/// The centre of mass (`com` in the link's frame) moves along and the link turns about it by the Cayley map, as a free body does.
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
