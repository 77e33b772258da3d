//! Drag, lift and Magnus force on a body that moves through a medium.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | u | `Wind::at` | velocity of the medium | m/s |
//! | w | `velocity` | v − u, velocity of the body in the medium | m/s |
//! | c | `linear` | linear drag: −c w | N·s/m |
//! | k | `quadratic` | ½ρ C_d A: −k \|w\| w | kg/m |
//! | k_L | `lift` | ½ρ C_L A: −k_L \|w\| a × w, a the span | kg/m |
//! | S | `magnus` | S ω × w | kg |
//! | p | `ahead` | w + θ h a, as it would be without the medium | m/s |
//!
//! The force is taken at w_θ = p + θ h M⁻¹F(w_θ). With x = |w_θ| it is F = −(c + k x) w_θ + s × w_θ, s = S ω − k_L x a, linear in w_θ but
//! for x. Without the cross product and with one mass, x solves x (1 + α + β x) = |p|, α = θhc/m, β = θhk/m; otherwise that
//! equation corrects x from the solution for the last x.

use super::share_of_end;
use huygens_math::{Vec3, scalar};

/// A field of wind: affine in the place, inside a box or everywhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wind {
    /// Velocity at `origin` [m/s].
    pub velocity: Vec3,
    /// Rows of the gradient ∂u/∂x [1/s].
    pub gradient: [Vec3; 3],
    /// Where the wind has `velocity` [m].
    pub origin: Vec3,
    /// Lowest and highest corner of the box that it blows in; `None` for everywhere [m].
    pub region: Option<[Vec3; 2]>,
}

impl Wind {
    /// Velocity at a place [m/s].
    pub fn at(&self, place: Vec3) -> Vec3 {
        if let Some([low, high]) = self.region
            && !(low.cmple(place).all() && place.cmple(high).all())
        {
            return Vec3::ZERO;
        }
        let d = place - self.origin;
        self.velocity + Vec3::new(self.gradient[0].dot(d), self.gradient[1].dot(d), self.gradient[2].dot(d))
    }
}

/// Coefficients of a body in its medium.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FlowForce {
    /// Linear drag c [N·s/m].
    pub linear: f64,
    /// Quadratic drag ½ρ C_d A [kg/m].
    pub quadratic: f64,
    /// Lift ½ρ C_L A [kg/m].
    pub lift: f64,
    /// Magnus coefficient S [kg].
    pub magnus: f64,
}

/// The motion of a body in a step, as its medium sees it.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    /// The step [s].
    pub h: f64,
    /// Inverse mass along each world axis, 0 where it is locked [1/kg].
    pub inv_mass: Vec3,
    /// Velocity of the body in the medium at the start of the step [m/s].
    pub velocity: Vec3,
    /// Acceleration by all other forces [m/s²].
    pub acceleration: Vec3,
    /// Spin in the middle of the step [rad/s].
    pub omega: Vec3,
    /// Unit vector along the span, for lift.
    pub span: Vec3,
    /// Rate at which all forces on the body together damp its motion, where that is known [1/s].
    pub rate: f64,
}

/// Corrections of the speed x; the second changes it in the last digits where the cross product turns w by less than a tenth.
const CORRECTIONS: usize = 6;

impl FlowForce {
    /// The same body with this share of it in the medium.
    #[must_use]
    pub fn scaled(&self, share: f64) -> Self {
        Self {
            linear: self.linear * share,
            quadratic: self.quadratic * share,
            lift: self.lift * share,
            magnus: self.magnus * share,
        }
    }

    /// Force of the medium over the step [N].
    pub fn force(&self, flow: &Flow) -> Vec3 {
        let lightest = flow.inv_mass.max_element();
        let speed = self.at_share(flow, 0.5).1;
        let own = lightest * (self.linear + self.quadratic * speed);
        let theta = share_of_end(flow.h * scalar::max(own, flow.rate));
        let (w, x) = self.at_share(flow, theta);
        self.of(flow, w, x)
    }

    /// The force at the velocity w of size x.
    fn of(&self, flow: &Flow, w: Vec3, x: f64) -> Vec3 {
        self.twist(flow, x).cross(w) - w * (self.linear + self.quadratic * x)
    }

    /// s: the force across the velocity is s × w.
    fn twist(&self, flow: &Flow, x: f64) -> Vec3 {
        flow.omega * self.magnus - flow.span * (self.lift * x)
    }

    /// The velocity w_θ and its size.
    fn at_share(&self, flow: &Flow, theta: f64) -> (Vec3, f64) {
        let reach = theta * flow.h;
        let ahead = flow.velocity + flow.acceleration * reach;
        let scale = reach * flow.inv_mass.max_element();
        let (alpha, beta) = (1.0 + scale * self.linear, scale * self.quadratic);
        // The positive root of x (alpha + beta x) = size.
        let root = |size: f64| 2.0 * size / (alpha + (alpha * alpha + 4.0 * beta * size).sqrt());
        let mut x = root(ahead.length());
        let mut w = self.solve(flow, reach, ahead, x);
        for _ in 0..CORRECTIONS {
            let size = w.length();
            let change = scalar::max(size, x) - scalar::min(size, x);
            if change <= 1e-15 * x {
                break;
            }
            x = root(size * (alpha + beta * x));
            w = self.solve(flow, reach, ahead, x);
        }
        (w, w.length())
    }

    /// Solves (1 + θ h M⁻¹(c + k x − [s]ₓ)) w = p for a given x, by Cramer's rule.
    fn solve(&self, flow: &Flow, reach: f64, ahead: Vec3, x: f64) -> Vec3 {
        let s = self.twist(flow, x);
        let g = self.linear + self.quadratic * x;
        let d = flow.inv_mass * reach;
        let rows = [
            Vec3::new(1.0 + d.x * g, d.x * s.z, -d.x * s.y),
            Vec3::new(-d.y * s.z, 1.0 + d.y * g, d.y * s.x),
            Vec3::new(d.z * s.y, -d.z * s.x, 1.0 + d.z * g),
        ];
        let columns = [rows[1].cross(rows[2]), rows[2].cross(rows[0]), rows[0].cross(rows[1])];
        (columns[0] * ahead.x + columns[1] * ahead.y + columns[2] * ahead.z) / rows[0].dot(columns[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use huygens_math::SplitMix;

    fn flow(random: &mut SplitMix) -> Flow {
        Flow {
            h: 0.01,
            inv_mass: Vec3::splat(0.5),
            velocity: random.direction() * 20.0,
            acceleration: random.direction() * 10.0,
            omega: random.direction() * 100.0,
            span: random.direction(),
            rate: 0.0,
        }
    }

    /// The force is that of the velocity in the middle of the step which it itself makes.
    #[test]
    fn the_force_is_that_of_the_middle_of_the_step() {
        let mut random = SplitMix::new(3);
        for _ in 0..200 {
            let flow = flow(&mut random);
            let body = FlowForce { linear: 0.3, quadratic: 0.05, lift: 0.08, magnus: 0.02 };
            let force = body.force(&flow);
            let middle = flow.velocity + (flow.acceleration + flow.inv_mass * force) * (0.5 * flow.h);
            let expected = body.of(&flow, middle, middle.length());
            assert!((force - expected).length() <= 1e-12 * expected.length(), "{force} {expected}");
        }
    }

    #[test]
    fn lift_and_magnus_force_do_no_work() {
        let mut random = SplitMix::new(4);
        for _ in 0..200 {
            let flow = flow(&mut random);
            let body = FlowForce { lift: 0.3, magnus: 0.05, ..FlowForce::default() };
            let force = body.force(&flow);
            let middle = flow.velocity + (flow.acceleration + flow.inv_mass * force) * (0.5 * flow.h);
            assert!(force.dot(middle).abs() <= 1e-13 * force.length() * middle.length());
        }
    }

    #[test]
    fn drag_of_any_strength_slows_and_never_reverses() {
        for strength in [1e-3, 1.0, 1e3, 1e9] {
            let body = FlowForce { linear: strength, quadratic: strength, ..FlowForce::default() };
            let velocity = Vec3::new(3.0, -4.0, 0.0);
            let flow = Flow {
                h: 0.01,
                inv_mass: Vec3::ONE,
                velocity,
                acceleration: Vec3::ZERO,
                omega: Vec3::ZERO,
                span: Vec3::Y,
                rate: 0.0,
            };
            let after = velocity + body.force(&flow) * flow.h;
            let left = after.dot(velocity) / velocity.length_squared();
            assert!((-1e-12..1.0).contains(&left), "{strength}: {left}");
        }
    }

    #[test]
    fn wind_is_affine_in_its_box_and_nothing_outside() {
        let wind = Wind {
            velocity: Vec3::X,
            gradient: [Vec3::ZERO, Vec3::ZERO, Vec3::new(2.0, 0.0, 0.0)],
            origin: Vec3::new(1.0, 0.0, 0.0),
            region: Some([Vec3::splat(-5.0), Vec3::splat(5.0)]),
        };
        assert_eq!(wind.at(Vec3::new(2.0, 1.0, 1.0)), Vec3::new(1.0, 0.0, 2.0));
        assert_eq!(wind.at(Vec3::new(6.0, 1.0, 1.0)), Vec3::ZERO);
    }
}
