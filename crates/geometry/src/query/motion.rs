//! When two shapes that both move and turn first touch: conservative advancement.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | v, a, ω | `velocity`, `acceleration`, `spin` | of the point about which a shape turns, and its spin, constant world vectors | m/s, m/s², rad/s |
//! | R | `reach` | largest distance of a point of the shape from that point | m |
//! | n | `normal` | unit normal of the separation, from B to A | – |
//! | g | `gap` | signed distance | m |
//!
//! A plane between two convex shapes with the normal n stays between them for a time δ as long as g > c δ + ½ α δ², where
//! c = −n·(v_A − v_B) + |n × ω_A| R_A + |n × ω_B| R_B bounds how fast the shapes close along n now, and α = max(−n·(a_A − a_B), 0) how that grows.
//! So the shapes do not touch before the δ at which the two sides are equal, and the search goes on from there. From a mesh or inside a
//! container the nearest feature changes, and n is taken in every direction: c = |v_A − v_B| + |ω_A| R_A + |ω_B| R_B.

use super::cast::touch_of;
use super::convex::{Boundary, Solid};
use super::pair::solid_separation;
use crate::gjk::Separation;
use crate::shape::Shape;
use huygens_math::scalar::max;
use huygens_math::{Pose, Vec3, trig};

/// Most advances. Shapes that graze need some v h/g of them.
const MAX_STEPS: usize = 512;

/// How a shape moves: its centre on a parabola, and about it a turn with a constant spin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// Pose of the shape at time zero.
    pub pose: Pose,
    /// The point that it turns about at time zero, in world axes [m].
    pub center: Vec3,
    /// Velocity of that point at time zero [m/s].
    pub velocity: Vec3,
    /// Acceleration of that point [m/s²].
    pub acceleration: Vec3,
    /// Spin [rad/s].
    pub spin: Vec3,
}

impl Motion {
    /// A shape that stays where it is.
    pub const fn at_rest(pose: Pose) -> Self {
        Self {
            center: pose.translation,
            pose,
            velocity: Vec3::ZERO,
            acceleration: Vec3::ZERO,
            spin: Vec3::ZERO,
        }
    }

    /// The pose at a time [s].
    pub fn pose_at(&self, time: f64) -> Pose {
        let moved = self.center + (self.velocity + self.acceleration * (0.5 * time)) * time;
        if self.spin == Vec3::ZERO {
            return Pose::new(self.pose.rotation, moved + (self.pose.translation - self.center));
        }
        let turn = trig::rotation_vector(self.spin * time);
        let rotation = (turn * self.pose.rotation).normalize();
        Pose::new(rotation, moved + turn * (self.pose.translation - self.center))
    }

    /// Largest distance of a point of the shape from the point that it turns about [m].
    fn reach(&self, shape: &Shape) -> f64 {
        (self.pose.translation - self.center).length() + shape.bounding_radius()
    }
}

/// Two shapes at the moment when they first touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstTouch {
    /// Moment of the touch [s].
    pub time: f64,
    /// How the shapes stand to each other then: a gap of at most 1e-8 of the smaller one, or the overlap of the start.
    pub separation: Separation,
}

/// The first touch of two moving shapes in the time from zero to `duration` [s], or `None` when they pass each other.
///
/// Shapes that overlap at time zero touch at once. Never later than the true touch; earlier by at most 1e-8 of the smaller shape, unless
/// they graze so long that 512 advances do not decide (inside containers and on meshes, where the bound knows no direction, gaps of 1e-4 were
/// seen then). `None` also where neither shape is bounded and convex.
///
/// ```
/// use huygens_geometry::query::{Motion, first_touch};
/// use huygens_geometry::Shape;
/// use huygens_math::{Pose, Vec3};
/// // A rod of 2 m turns at 10 rad/s; a ball passes below the circle of its tip, and one hits it.
/// let rod = Shape::capsule(0.05, 2.0)?;
/// let spin = Vec3::new(0.0, 10.0, 0.0);
/// let turning = Motion { spin, ..Motion::at_rest(Pose::IDENTITY) };
/// let ball = Shape::sphere(0.02)?;
/// let flies = |z: f64| Motion { velocity: Vec3::X * 20.0, ..Motion::at_rest(Pose::at(Vec3::new(-1.0, 0.0, z))) };
/// assert!(first_touch(&ball, &flies(-1.1), &rod, &turning, 0.1).is_none());
/// assert!(first_touch(&ball, &flies(-0.9), &rod, &turning, 0.1).is_some());
/// # Ok::<(), huygens_geometry::ShapeError>(())
/// ```
pub fn first_touch(
    a: &Shape,
    motion_a: &Motion,
    b: &Shape,
    motion_b: &Motion,
    duration: f64,
) -> Option<FirstTouch> {
    let (solid_a, solid_b) = (Solid::new(a), Solid::new(b));
    let touch = touch_of(&solid_a, &solid_b)?;
    let bound = ClosingBound::new([a, b], [motion_a, motion_b], [&solid_a, &solid_b], duration);
    let (mut time, mut advances) = (0.0, 0);
    loop {
        let found = solid_separation(&solid_a, &motion_a.pose_at(time), &solid_b, &motion_b.pose_at(time))?;
        let wait = bound.least_wait(found.gap - 0.5 * touch, found.normal, time);
        // A gap within the tolerance that opens is no touch.
        let closes = wait < duration - time;
        if found.gap <= 0.0 || (found.gap <= touch && closes) || (advances == MAX_STEPS && closes) {
            return Some(FirstTouch { time, separation: found });
        }
        if !closes {
            return None;
        }
        time += wait;
        advances += 1;
    }
}

/// Bounds how fast two shapes close.
struct ClosingBound {
    velocity: Vec3,
    acceleration: Vec3,
    spin: [Vec3; 2],
    reach: [f64; 2],
    /// The plane of a separation is not one for all features of the shapes.
    any_direction: bool,
}

impl ClosingBound {
    fn new(shapes: [&Shape; 2], motions: [&Motion; 2], solids: [&Solid; 2], duration: f64) -> Self {
        let mut reach = [0, 1].map(|k| motions[k].reach(shapes[k]));
        for k in 0..2 {
            if !reach[k].is_finite() {
                // Of a shape without end only the part that the other one can come to counts.
                let (this, other) = (motions[k], motions[1 - k]);
                let apart = (this.center - other.center).length();
                let moved = (this.velocity - other.velocity).length() * duration
                    + 0.5 * (this.acceleration - other.acceleration).length() * duration * duration;
                reach[k] = apart + moved + reach[1 - k];
            }
        }
        let is_flat =
            |solid: &Solid| matches!(solid, Solid::Convex(_) | Solid::Boundary(Boundary::HalfSpace));
        Self {
            velocity: motions[0].velocity - motions[1].velocity,
            acceleration: motions[0].acceleration - motions[1].acceleration,
            spin: motions.map(|motion| motion.spin),
            reach,
            any_direction: !solids.into_iter().all(is_flat),
        }
    }

    /// Time that a gap along `normal` needs at least to close, from `time` on [s]; infinite when it does not.
    fn least_wait(&self, gap: f64, normal: Vec3, time: f64) -> f64 {
        let gap = max(gap, 0.0);
        let velocity = self.velocity + self.acceleration * time;
        let (closing, growth) = if self.any_direction {
            let turning = self.spin[0].length() * self.reach[0] + self.spin[1].length() * self.reach[1];
            (velocity.length() + turning, self.acceleration.length())
        } else {
            let turning = normal.cross(self.spin[0]).length() * self.reach[0]
                + normal.cross(self.spin[1]).length() * self.reach[1];
            (turning - normal.dot(velocity), max(-normal.dot(self.acceleration), 0.0))
        };
        // g = c δ + ½ α δ², in the form without cancellation.
        let square = closing * closing + 2.0 * growth * gap;
        let sum = square.sqrt() + closing;
        if sum > 0.0 {
            2.0 * gap / sum
        } else if growth > 0.0 {
            -2.0 * closing / growth
        } else {
            f64::INFINITY
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balls_that_fly_straight_touch_when_their_distance_is_the_sum_of_their_radii() {
        let ball = Shape::sphere(0.5).unwrap();
        let still = Motion::at_rest(Pose::IDENTITY);
        for (offset, expected) in [(0.0, Some(2.0)), (0.6, Some(3.0 - 0.8)), (1.001, None)] {
            let flies =
                Motion { velocity: Vec3::X, ..Motion::at_rest(Pose::at(Vec3::new(-3.0, offset, 0.0))) };
            let found = first_touch(&ball, &flies, &ball, &still, 5.0);
            match (found, expected) {
                (Some(found), Some(time)) => assert!((found.time - time).abs() < 2e-8, "{}", found.time),
                (found, expected) => assert!(found.is_none() && expected.is_none(), "{offset} {found:?}"),
            }
        }
    }

    #[test]
    fn a_ball_that_is_thrown_up_touches_the_ground_when_the_parabola_does() {
        let (ball, ground) = (Shape::sphere(0.1).unwrap(), Shape::HalfSpace);
        let thrown = Motion {
            velocity: Vec3::new(3.0, 0.0, 4.0),
            acceleration: Vec3::Z * -10.0,
            ..Motion::at_rest(Pose::at(Vec3::Z * 1.1))
        };
        // 1 + 4 t − 5 t² = 0.
        let found = first_touch(&ball, &thrown, &ground, &Motion::at_rest(Pose::IDENTITY), 2.0).unwrap();
        assert!((found.time - 1.0).abs() < 1e-8, "{}", found.time);
        assert!(found.separation.gap.abs() < 1e-8);
        assert!(first_touch(&ball, &thrown, &ground, &Motion::at_rest(Pose::IDENTITY), 0.999).is_none());
    }

    #[test]
    fn a_hand_of_a_clock_meets_the_mark() {
        // A rod from the origin to x = 1 turns about z; its surface reaches the point (0, 0.8) early by asin(r/0.8).
        let rod = Shape::capsule(0.05, 1.0).unwrap();
        let along_x = Pose::new(trig::rotation_vector(Vec3::Y * std::f64::consts::FRAC_PI_2), Vec3::X * 0.5);
        let hand = Motion { center: Vec3::ZERO, spin: Vec3::Z * 3.0, ..Motion::at_rest(along_x) };
        let mark = Shape::sphere(0.01).unwrap();
        let at = Motion::at_rest(Pose::at(Vec3::Y * 0.8));
        let found = first_touch(&rod, &hand, &mark, &at, 1.0).unwrap();
        let angle = std::f64::consts::FRAC_PI_2 - trig::asin(0.06 / 0.8);
        assert!((3.0 * found.time - angle).abs() < 1e-7, "{} {angle}", 3.0 * found.time);
    }
}
