//! Paths of driven bodies.
//!
//! Between two keyframes a body's frame moves straight and turns about one axis, the short way, both at constant speed; before the
//! first and after the last it rests. Over a step it has the velocity that takes it from where the path is at its start to where it
//! is at its end, so that it arrives exactly, wherever the keyframes fall.

use crate::scene::Keyframe;
use huygens_math::{Pose, Quat, Twist, Vec3, trig};

/// Where a path is at a time [s]. Keyframes stand in the order of time, with orientations of length 1; there is at least one.
pub(crate) fn pose_at(path: &[Keyframe], time: f64) -> Pose {
    let next = path.partition_point(|frame| frame.t <= time);
    let last = &path[next.max(1) - 1];
    let Some(to) = path.get(next).filter(|_| next > 0) else {
        return Pose::new(last.orientation, last.position);
    };
    let share = (time - last.t) / (to.t - last.t);
    let turn = rotation_between(last.orientation, to.orientation) * share;
    let rotation = (trig::rotation_vector(turn) * last.orientation).normalize();
    Pose::new(rotation, last.position + (to.position - last.position) * share)
}

/// The velocity that takes a body with its centre of mass at `center` in its frame from one pose to another in the time `h`.
pub(crate) fn velocity_between(from: &Pose, to: &Pose, center: Vec3, h: f64) -> Twist {
    let way = to.transform(center) - from.transform(center);
    Twist::new(way / h, rotation_between(from.rotation, to.rotation) / h)
}

/// The rotation vector in world axes that turns `from` into `to`, the short way [rad].
fn rotation_between(from: Quat, to: Quat) -> Vec3 {
    let turn = to * from.conjugate();
    let sign = if turn.w < 0.0 { -1.0 } else { 1.0 };
    let v = Vec3::new(turn.x, turn.y, turn.z) * sign;
    let s = v.length();
    // Below this the angle is twice the sine to the last bit.
    if s < 1e-9 { v * 2.0 } else { v * (2.0 * trig::atan2(s, turn.w.abs()) / s) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    fn frame(t: f64, x: f64, angle: f64) -> Keyframe {
        Keyframe { t, position: Vec3::X * x, orientation: trig::axis_angle(Vec3::Z, angle) }
    }

    #[test]
    fn a_path_is_straight_and_even_between_its_keyframes_and_rests_outside() {
        let path = [frame(1.0, 0.0, 0.0), frame(2.0, 3.0, 0.5 * PI), frame(4.0, 3.0, -0.4)];
        for (time, x, angle) in [
            (0.0, 0.0, 0.0),
            (1.0, 0.0, 0.0),
            (1.5, 1.5, 0.25 * PI),
            (2.0, 3.0, 0.5 * PI),
            (3.0, 3.0, 0.25 * PI - 0.2),
            (9.0, 3.0, -0.4),
        ] {
            let pose = pose_at(&path, time);
            assert!((pose.translation - Vec3::X * x).length() < 1e-15, "{time}");
            let off = pose.rotation * trig::axis_angle(Vec3::Z, angle).conjugate();
            assert!(trig::rotation_angle(off) < 1e-15, "{time}");
        }
    }

    #[test]
    fn the_velocity_over_a_step_brings_the_body_there() {
        let path = [frame(0.0, 0.0, 0.0), frame(0.05, 1.0, 0.3), frame(1.0, 2.0, 3.0)];
        let (from, to, h) = (pose_at(&path, 0.0), pose_at(&path, 0.1), 0.1);
        let center = Vec3::new(0.2, 0.1, 0.0);
        let twist = velocity_between(&from, &to, center, h);
        let there = from.transform(center) + twist.linear * h;
        assert!((there - to.transform(center)).length() < 1e-15);
        let turned = trig::rotation_vector(twist.angular * h) * from.rotation;
        assert!(trig::rotation_angle(turned * to.rotation.conjugate()) < 1e-15);
        assert_eq!(velocity_between(&to, &to, center, h), Twist::ZERO);
    }
}
