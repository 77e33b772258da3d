//! Transcendental functions with the same bits on every machine, and rotations made from them.

use crate::{Quat, Vec3};

/// Sine and cosine of an angle in radians.
#[inline]
pub fn sin_cos(x: f64) -> (f64, f64) {
    libm::sincos(x)
}

/// Sine of an angle in radians.
#[inline]
pub fn sin(x: f64) -> f64 {
    libm::sin(x)
}

/// Cosine of an angle in radians.
#[inline]
pub fn cos(x: f64) -> f64 {
    libm::cos(x)
}

/// Tangent of an angle in radians.
#[inline]
pub fn tan(x: f64) -> f64 {
    libm::tan(x)
}

/// Arc sine in radians; the argument is limited to [−1, 1].
#[inline]
pub fn asin(x: f64) -> f64 {
    libm::asin(x.clamp(-1.0, 1.0))
}

/// Arc cosine in radians; the argument is limited to [−1, 1].
#[inline]
pub fn acos(x: f64) -> f64 {
    libm::acos(x.clamp(-1.0, 1.0))
}

/// Angle of the point (x, y) in radians.
#[inline]
pub fn atan2(y: f64, x: f64) -> f64 {
    libm::atan2(y, x)
}

/// e to the power x.
#[inline]
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// Natural logarithm.
#[inline]
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// `x` to the power `y`.
#[inline]
pub fn pow(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}

/// Cube root.
#[inline]
pub fn cbrt(x: f64) -> f64 {
    libm::cbrt(x)
}

/// Rotation by `angle` radians about the unit vector `axis`.
#[inline]
pub fn axis_angle(axis: Vec3, angle: f64) -> Quat {
    let (s, c) = sin_cos(0.5 * angle);
    Quat::from_xyzw(axis.x * s, axis.y * s, axis.z * s, c)
}

/// Rotation by the vector `rotation`: its direction is the axis, its length the angle in radians.
#[inline]
pub fn rotation_vector(rotation: Vec3) -> Quat {
    let angle_squared = rotation.length_squared();
    // Below 1e-8 rad the series is exact to the last bit and does not divide by the angle.
    if angle_squared < 1e-16 {
        let v = rotation * 0.5;
        return Quat::from_xyzw(v.x, v.y, v.z, 1.0 - 0.125 * angle_squared);
    }
    let angle = angle_squared.sqrt();
    axis_angle(rotation / angle, angle)
}

/// The shortest rotation from one unit vector to another that is less than a quarter of a turn away, exact for the smallest angles, too: that of glam
/// is none below 2e-8 rad, so that frames which it turns are askew by as much.
#[inline]
pub fn short_arc(from: Vec3, to: Vec3) -> Quat {
    let axis = from.cross(to);
    Quat::from_xyzw(axis.x, axis.y, axis.z, 1.0 + from.dot(to)).normalize()
}

/// Angle in radians, in [0, π], of the rotation that a unit quaternion does.
#[inline]
pub fn rotation_angle(q: Quat) -> f64 {
    let s = (q.x * q.x + q.y * q.y + q.z * q.z).sqrt();
    2.0 * atan2(s, q.w.abs())
}

/// Angle in radians, in [0, π], between two vectors of any length; 0 when one of them is zero.
///
/// From cross and dot product, so that it is accurate near 0 and π, where an arc cosine is not.
#[inline]
pub fn angle_between(a: Vec3, b: Vec3) -> f64 {
    atan2(a.cross(b).length(), a.dot(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn trigonometry_has_fixed_bits() {
        // Golden bits: a change of library or compiler that moves one of them changes every hash.
        assert_eq!(sin(1.0).to_bits(), 0x3FEA_ED54_8F09_0CEE);
        assert_eq!(cos(1.0).to_bits(), 0x3FE1_4A28_0FB5_068C);
        assert_eq!(atan2(1.0, 2.0).to_bits(), 0x3FDD_AC67_0561_BB4F);
        assert_eq!(exp(1.0).to_bits(), 0x4005_BF0A_8B14_576A);
        assert_eq!(acos(0.5).to_bits(), 0x3FF0_C152_382D_7366);
    }

    #[test]
    fn small_rotation_vectors_join_the_exact_form_smoothly() {
        for angle in [1e-12, 0.99e-8, 1.01e-8, 1e-3, 3.0] {
            let q = rotation_vector(Vec3::new(0.0, angle, 0.0));
            assert!((rotation_angle(q) - angle).abs() <= 4e-16 * crate::scalar::max(angle, 1e-3), "{angle}");
            assert!((q.length() - 1.0).abs() < 4e-16);
        }
    }

    #[test]
    fn angle_between_is_accurate_near_zero_and_pi() {
        let a = Vec3::X;
        let b = Vec3::new(1.0, 1e-9, 0.0);
        assert!((angle_between(a, b) - 1e-9).abs() < 1e-24);
        assert!((angle_between(a, -b) - (PI - 1e-9)).abs() < 1e-15);
    }

    #[test]
    fn a_short_arc_takes_one_direction_to_the_other_however_near_they_are() {
        let mut random = crate::SplitMix::new(41);
        for i in 0..10_000 {
            let from = random.direction();
            // From 1e-10 rad to a quarter of a turn.
            let angle = 1.5 / [1.0, 1e1, 1e2, 1e4, 1e6, 1e7, 3e7, 1e8, 1e10][i % 9];
            let across = from.cross(random.direction()).normalize();
            let to = rotation_vector(across * angle) * from;
            let turn = short_arc(from, to);
            assert!((turn * from - to).length() < 4e-15, "{angle}, a few roundings");
            // What is square to the one is square to the other afterwards.
            assert!((turn * across).dot(to).abs() < 4e-15, "{angle}, a few roundings");
        }
    }
}
