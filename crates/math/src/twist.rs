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
    fn spinning_body_moves_its_points_across_the_arm() {
        let twist = Twist::new(Vec3::X, Vec3::Z * 2.0);
        assert_eq!(twist.at(Vec3::Y * 3.0), Vec3::new(-5.0, 0.0, 0.0));
    }
}
