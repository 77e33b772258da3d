//! Scenes from vectors that a program has: the same fields as `at`, `velocity` and `spin`, which take three numbers.
//!
//! ```
//! use huygens::math::{Quat, Vec3};
//! use huygens::scene::{Body, Shape};
//!
//! let place = Vec3::new(0.0, 0.0, 2.0);
//! let ball = Body::dynamic("ball").shape(Shape::sphere(0.5).position(Vec3::X)).position(place).linear_velocity([1.0, 0.0, 0.0]);
//! assert_eq!((ball.position, ball.orientation), (place, Quat::IDENTITY));
//! ```

use super::{Body, Shape};
use huygens_math::{Quat, Vec3};

impl Body {
    /// Place of its frame [m].
    #[must_use]
    pub fn position(mut self, position: impl Into<Vec3>) -> Self {
        self.position = position.into();
        self
    }

    /// Turn from the world's axes.
    #[must_use]
    pub fn orientation(mut self, orientation: Quat) -> Self {
        self.orientation = orientation;
        self
    }

    /// Velocity of the centre of mass [m/s].
    #[must_use]
    pub fn linear_velocity(mut self, velocity: impl Into<Vec3>) -> Self {
        self.linear_velocity = velocity.into();
        self
    }

    /// Spin in world axes [rad/s].
    #[must_use]
    pub fn angular_velocity(mut self, spin: impl Into<Vec3>) -> Self {
        self.angular_velocity = spin.into();
        self
    }
}

impl Shape {
    /// Place in the body's frame [m].
    #[must_use]
    pub fn position(mut self, position: impl Into<Vec3>) -> Self {
        self.position = position.into();
        self
    }

    /// Turn from the body's axes.
    #[must_use]
    pub fn orientation(mut self, orientation: Quat) -> Self {
        self.orientation = orientation;
        self
    }
}
