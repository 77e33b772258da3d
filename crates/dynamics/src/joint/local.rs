//! Ball and free joints with MuJoCo's dofs: spin along the axes of the child, and the velocity of a free body's origin.
//!
//! The axes turn with the child, so that their rates hold the child's spin ω: ȧ = ω × a.

use super::{AxesMut, Carrier, ball};
use crate::kinematics::Axis;
use huygens_math::trig::rotation_vector;
use huygens_math::{Pose, Vec3};

/// Three turns about the anchor along the axes of the child; `world_from_child` has the joint's axes on the child.
#[inline]
pub(super) fn ball_axes(on: &Carrier, world_from_child: &Pose, v: &[f64], out: &mut AxesMut) {
    let anchor = world_from_child.translation;
    let spin = on.twist.angular + world_from_child.rotate(Vec3::from_slice(v));
    turning(world_from_child, anchor, &ChildMotion { spin, anchor_velocity: on.twist.linear }, out);
}

/// Three translations along world axes, and three turns about the origin along the link's axes.
#[inline]
pub(super) fn free_axes(world_from_link: &Pose, v: &[f64], out: &mut AxesMut) {
    let origin = world_from_link.translation;
    for (k, e) in Vec3::AXES.into_iter().enumerate() {
        out.axis[k] = Axis { linear: e, angular: Vec3::ZERO, anchor: origin };
        out.rate[k] = Axis::default();
    }
    let spin = world_from_link.rotate(Vec3::from_slice(&v[3..6]));
    let mut turns = AxesMut { axis: &mut out.axis[3..6], rate: &mut out.rate[3..6] };
    turning(
        world_from_link,
        origin,
        &ChildMotion { spin, anchor_velocity: Vec3::from_slice(&v[..3]) },
        &mut turns,
    );
}

/// Motion of the child at the anchor.
struct ChildMotion {
    spin: Vec3,
    anchor_velocity: Vec3,
}

#[inline]
fn turning(world_from_child: &Pose, anchor: Vec3, moving: &ChildMotion, out: &mut AxesMut) {
    for (k, e) in Vec3::AXES.into_iter().enumerate() {
        let angular = world_from_child.rotate(e);
        out.axis[k] = Axis { linear: Vec3::ZERO, angular, anchor };
        let rate = moving.spin.cross(angular);
        out.rate[k] = Axis { linear: Vec3::ZERO, angular: rate, anchor: moving.anchor_velocity };
    }
}

/// Turns the quaternion w, x, y, z by a rotation vector along the axes of the child [rad].
pub(super) fn turn(q: &mut [f64], turn: Vec3) {
    let turned = (ball::rotation(q) * rotation_vector(turn)).normalize();
    q.copy_from_slice(&[turned.w, turned.x, turned.y, turned.z]);
}
