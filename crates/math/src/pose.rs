//! Position and orientation of one frame in another.

use crate::{Quat, Vec3};
use std::ops::Mul;

/// A rigid placement, named `target_from_source`: it maps points of the source frame to the target frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Rotation from the source's axes to the target's; a unit quaternion.
    pub rotation: Quat,
    /// Origin of the source frame, in the target frame [m].
    pub translation: Vec3,
}

impl Pose {
    /// Source and target coincide.
    pub const IDENTITY: Self = Self { rotation: Quat::IDENTITY, translation: Vec3::ZERO };

    /// A placement from rotation and translation.
    #[inline(always)]
    pub const fn new(rotation: Quat, translation: Vec3) -> Self {
        Self { rotation, translation }
    }

    /// A placement without rotation.
    #[inline(always)]
    pub const fn at(translation: Vec3) -> Self {
        Self { rotation: Quat::IDENTITY, translation }
    }

    /// The point `p` of the source frame, in the target frame.
    #[inline(always)]
    pub fn transform(&self, p: Vec3) -> Vec3 {
        self.rotation * p + self.translation
    }

    /// The direction `v` of the source frame, in the target frame.
    #[inline(always)]
    pub fn rotate(&self, v: Vec3) -> Vec3 {
        self.rotation * v
    }

    /// The point `p` of the target frame, in the source frame.
    #[inline(always)]
    pub fn inverse_transform(&self, p: Vec3) -> Vec3 {
        self.rotation.conjugate() * (p - self.translation)
    }

    /// The direction `v` of the target frame, in the source frame.
    #[inline(always)]
    pub fn inverse_rotate(&self, v: Vec3) -> Vec3 {
        self.rotation.conjugate() * v
    }

    /// `source_from_target`.
    #[inline(always)]
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.conjugate();
        Self { rotation, translation: -(rotation * self.translation) }
    }

    /// The pose `other` seen from the frame that `self` places: `self.inverse() * other`, with one rounding less.
    #[inline(always)]
    pub fn relative(&self, other: &Self) -> Self {
        let rotation = self.rotation.conjugate();
        Self {
            rotation: rotation * other.rotation,
            translation: rotation * (other.translation - self.translation),
        }
    }

    /// True when every number is finite.
    #[inline]
    pub fn is_finite(&self) -> bool {
        self.rotation.is_finite() && self.translation.is_finite()
    }
}

impl Mul for Pose {
    type Output = Self;

    /// `a_from_b * b_from_c` is `a_from_c`.
    #[inline(always)]
    fn mul(self, b_from_c: Self) -> Self {
        Self {
            rotation: self.rotation * b_from_c.rotation,
            translation: self.rotation * b_from_c.translation + self.translation,
        }
    }
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trig::axis_angle;

    fn sample() -> (Pose, Pose) {
        let a = Pose::new(axis_angle(Vec3::new(0.6, 0.0, 0.8), 1.1), Vec3::new(1.0, -2.0, 3.0));
        let b = Pose::new(axis_angle(Vec3::new(0.0, 0.6, -0.8), -2.3), Vec3::new(0.3, 0.2, -5.0));
        (a, b)
    }

    #[test]
    fn product_maps_points_like_its_factors_in_turn() {
        let (a, b) = sample();
        let p = Vec3::new(0.1, 0.2, 0.3);
        // Four roundings on numbers of size 10.
        assert!(((a * b).transform(p) - a.transform(b.transform(p))).length() < 1e-14);
    }

    #[test]
    fn inverse_and_relative_undo_the_pose() {
        let (a, b) = sample();
        let p = Vec3::new(0.1, 0.2, 0.3);
        assert!((a.inverse().transform(a.transform(p)) - p).length() < 1e-14);
        assert!((a.inverse_transform(a.transform(p)) - p).length() < 1e-14);
        assert!((a.inverse_rotate(a.rotate(p)) - p).length() < 1e-14);
        assert!(((a * a.relative(&b)).transform(p) - b.transform(p)).length() < 1e-14);
    }
}
