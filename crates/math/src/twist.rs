//! Velocity or displacement of a rigid body.

use crate::Vec3;
use std::ops::{Add, AddAssign, Mul, Sub};

/// Linear and angular velocity of a body, in world axes, at its centre of mass (or, scaled by a time, its small
/// displacement). One cache line.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct Twist {
    /// Velocity of the centre of mass [m/s].
    pub linear: Vec3,
    /// Spin [rad/s].
    pub angular: Vec3,
}

impl Twist {
    /// At rest.
    pub const ZERO: Self = Self { linear: Vec3::ZERO, angular: Vec3::ZERO };

    /// A twist from its two parts.
    #[inline(always)]
    pub const fn new(linear: Vec3, angular: Vec3) -> Self {
        Self { linear, angular }
    }

    /// Velocity of the material point at `arm` from the centre of mass.
    #[inline(always)]
    pub fn at(&self, arm: Vec3) -> Vec3 {
        self.linear + self.angular.cross(arm)
    }

    /// Its six numbers, the linear ones first.
    #[inline(always)]
    pub fn as_array(&self) -> &[f64; 6] {
        const { assert!(size_of::<Vec3>() == 24 && std::mem::offset_of!(Self, angular) == 24) };
        // SAFETY: both vectors are three numbers side by side, in this order and without a gap, as the line above checks.
        unsafe { &*std::ptr::from_ref(self).cast() }
    }

    /// The linear numbers and the first angular one, which are read at once.
    #[inline(always)]
    pub fn first_four(&self) -> &[f64; 4] {
        self.as_array().first_chunk().expect("six numbers have four")
    }

    /// The last linear number and the angular ones, which are read at once.
    #[inline(always)]
    pub fn last_four(&self) -> &[f64; 4] {
        self.as_array().last_chunk().expect("six numbers have four")
    }

    /// True when every number is finite.
    #[inline]
    pub fn is_finite(&self) -> bool {
        self.linear.is_finite() && self.angular.is_finite()
    }
}

impl Add for Twist {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self::new(self.linear + o.linear, self.angular + o.angular)
    }
}

impl AddAssign for Twist {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl Sub for Twist {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self::new(self.linear - o.linear, self.angular - o.angular)
    }
}

impl Mul<f64> for Twist {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: f64) -> Self {
        Self::new(self.linear * s, self.angular * s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twist_is_one_cache_line() {
        assert_eq!(size_of::<Twist>(), 64);
        assert_eq!(align_of::<Twist>(), 64);
    }

    #[test]
    fn its_numbers_are_the_linear_ones_then_the_angular_ones() {
        let twist = Twist::new(Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, 5.0, 6.0));
        assert_eq!(twist.as_array(), &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!((twist.first_four(), twist.last_four()), (&[1.0, 2.0, 3.0, 4.0], &[3.0, 4.0, 5.0, 6.0]));
    }

    #[test]
    fn spinning_body_moves_its_points_across_the_arm() {
        let twist = Twist::new(Vec3::X, Vec3::Z * 2.0);
        assert_eq!(twist.at(Vec3::Y * 3.0), Vec3::new(-5.0, 0.0, 0.0));
    }
}
