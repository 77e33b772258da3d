//! How far two motions of one body are apart, over all of its mass.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | C | `moments` | second moments of the mass about its centre over the mass, body axes: (½ tr I · 1 − I)/m | m² |
//! | R, x | `rotation`, `center` | turn of the body, its centre of mass | –, m |
//! | A | `change` | R − R' for places, \[ω\]R − \[ω'\]R' for velocities | –, 1/s |
//!
//! A point r of the body is at x + R r. The mean of the squared distance over the mass is |x − x'|² + tr(A C Aᵀ), because the
//! first moment about the centre is zero; velocities likewise. So a body that only turns counts, and no radius has to be chosen.

use huygens::World;
use huygens::math::scalar::max;
use huygens::math::{Mat3, Quat, Sym3, Vec3};
use huygens::model::{BodyModel, Motion};

/// Motion of one body at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyMotion {
    /// Centre of mass [m].
    pub center: Vec3,
    /// Turn.
    pub rotation: Quat,
    /// Velocity of the centre [m/s].
    pub linear: Vec3,
    /// Spin [rad/s].
    pub angular: Vec3,
}

/// What of a body its distances need.
#[derive(Clone, Copy, Debug)]
pub struct Mass {
    /// Slot of the body in the model.
    pub slot: usize,
    moments: Mat3,
}

/// The bodies that contact can move, in order.
pub fn movable(world: &World) -> Vec<Mass> {
    let moves = |body: &BodyModel| matches!(body.motion, Motion::Dynamic | Motion::Link { .. });
    let bodies = world.model().bodies.iter().enumerate();
    bodies
        .filter(|(_, body)| moves(body) && body.mass > 0.0)
        .map(|(slot, body)| Mass { slot, moments: moments(&body.inertia, body.mass) })
        .collect()
}

fn moments(inertia: &Sym3, mass: f64) -> Mat3 {
    let half_trace = 0.5 * inertia.trace();
    (Mat3::from_diagonal(Vec3::splat(half_trace)) - inertia.to_mat3()) * (1.0 / mass)
}

impl Mass {
    /// Its motion now.
    pub fn motion(&self, world: &World) -> BodyMotion {
        let state = world.state();
        let twist = state.velocity.free[self.slot];
        BodyMotion {
            center: state.position[self.slot],
            rotation: state.orientation[self.slot],
            linear: twist.linear,
            angular: twist.angular,
        }
    }

    /// Root mean square, over the mass, of the distance between two places of the body [m].
    pub fn place(&self, a: &BodyMotion, b: &BodyMotion) -> f64 {
        self.root(a.center - b.center, Mat3::from_quat(a.rotation) - Mat3::from_quat(b.rotation))
    }

    /// The same for its velocities [m/s].
    pub fn velocity(&self, a: &BodyMotion, b: &BodyMotion) -> f64 {
        self.root(a.linear - b.linear, a.rates() - b.rates())
    }

    /// Root mean square speed over the mass [m/s].
    pub fn speed(&self, a: &BodyMotion) -> f64 {
        self.root(a.linear, a.rates())
    }

    fn root(&self, offset: Vec3, change: Mat3) -> f64 {
        let spread = change * self.moments * change.transpose();
        let trace = spread.x_axis.x + spread.y_axis.y + spread.z_axis.z;
        // An inertia that a user wrote may be that of no mass: then only the centre counts.
        max(offset.length_squared() + max(trace, 0.0), 0.0).sqrt()
    }
}

impl BodyMotion {
    /// \[ω\]R.
    fn rates(&self) -> Mat3 {
        let r = Mat3::from_quat(self.rotation);
        let w = self.angular;
        Mat3::from_cols(w.cross(r.x_axis), w.cross(r.y_axis), w.cross(r.z_axis))
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.center.is_finite()
            && self.rotation.is_finite()
            && self.linear.is_finite()
            && self.angular.is_finite()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use huygens::math::SplitMix;
    use huygens::math::trig::axis_angle;

    /// A body of a few point masses about their centre, and the same by definition.
    #[test]
    fn distances_are_the_mean_over_the_mass() {
        let mut random = SplitMix::new(7);
        let points = [Vec3::X, Vec3::Y * 2.0, Vec3::Z * 0.5].map(|p| [p, -p]).concat();
        let inertia =
            points.iter().map(|p| Sym3::point_inertia(*p).to_mat3()).fold(Mat3::ZERO, |sum, one| sum + one);
        let mass = points.len() as f64;
        let body = Mass { slot: 0, moments: moments(&Sym3::from_mat3(&inertia), mass) };
        for _ in 0..20 {
            let motion = |random: &mut SplitMix| BodyMotion {
                center: random.direction(),
                rotation: axis_angle(random.direction(), random.range(0.0, 3.0)),
                linear: random.direction(),
                angular: random.direction() * 4.0,
            };
            let (a, b) = (motion(&mut random), motion(&mut random));
            let place = |m: &BodyMotion, r: Vec3| m.center + m.rotation * r;
            let velocity = |m: &BodyMotion, r: Vec3| m.linear + m.angular.cross(m.rotation * r);
            let mean = |f: &dyn Fn(Vec3) -> f64| (points.iter().map(|r| f(*r)).sum::<f64>() / mass).sqrt();
            // A dozen products of numbers near 1.
            let near = |x: f64, y: f64| assert!((x - y).abs() < 1e-13, "{x} {y}");
            near(body.place(&a, &b), mean(&|r| (place(&a, r) - place(&b, r)).length_squared()));
            near(body.velocity(&a, &b), mean(&|r| (velocity(&a, r) - velocity(&b, r)).length_squared()));
            near(body.speed(&a), mean(&|r| velocity(&a, r).length_squared()));
        }
    }
}
