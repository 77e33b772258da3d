//! A spring with a damper between two points.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | l, l₀ | `distance`, `length` | distance of the points, and at rest | m |
//! | k, c | `stiffness`, `damping` | force −k (l − l₀) − c u along the line | N/m, N·s/m |
//! | u | `speed` | rate of l | m/s |
//! | 1/m | `inv_mass` | what a unit of impulse along the line changes u by | 1/kg |

use super::share_of_end;
use huygens_math::scalar;

/// A spring with a damper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpringLaw {
    /// Stiffness k [N/m].
    pub stiffness: f64,
    /// Damping c [N·s/m].
    pub damping: f64,
    /// Length l₀ at rest [m].
    pub length: f64,
}

/// The two points of a damper in a step.
#[derive(Clone, Copy, Debug)]
pub struct Damped {
    /// The step [s].
    pub h: f64,
    /// Change of the speed by a unit of impulse along the line [1/kg].
    pub inv_mass: f64,
    /// Rate of the distance at the start of the step [m/s].
    pub speed: f64,
    /// Its rate of change by all other forces [m/s²].
    pub acceleration: f64,
    /// Rate at which all forces on the two bodies together damp their motion, where that is known [1/s].
    pub rate: f64,
}

impl SpringLaw {
    /// Force of the spring on its ends, positive when it pushes them apart [N].
    pub fn push(&self, distance: f64) -> f64 {
        self.stiffness * (self.length - distance)
    }

    /// Energy that it holds [J].
    pub fn stored(&self, distance: f64) -> f64 {
        let s = distance - self.length;
        0.5 * self.stiffness * s * s
    }

    /// Change of the energy that it holds between two distances [J], as a product that does not cancel.
    pub fn stored_change(&self, from: f64, to: f64) -> f64 {
        0.5 * self.stiffness * (to - from) * ((to - self.length) + (from - self.length))
    }

    /// Force of the damper on its ends over the step, positive when it pushes them apart [N].
    pub fn damping_push(&self, at: &Damped) -> f64 {
        let rate = scalar::max(self.damping * at.inv_mass, at.rate);
        let reach = share_of_end(at.h * rate) * at.h;
        let speed = (at.speed + reach * at.acceleration) / (1.0 + reach * self.damping * at.inv_mass);
        -self.damping * speed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_change_of_stored_energy_is_that_of_its_formula() {
        let law = SpringLaw { stiffness: 30.0, damping: 0.0, length: 0.7 };
        for (from, to) in [(0.7, 1.1), (0.2, 1.3), (1.0, 1.0)] {
            let expected = law.stored(to) - law.stored(from);
            assert!((law.stored_change(from, to) - expected).abs() < 1e-14);
        }
        assert_eq!(law.push(1.7), -30.0);
    }

    /// The force is that of the speed in the middle of the step; however strong, it does not reverse the speed.
    #[test]
    fn a_damper_acts_at_the_middle_of_the_step_and_reverses_nothing() {
        for damping in [0.1, 10.0, 1e3, 1e9] {
            let law = SpringLaw { stiffness: 0.0, damping, length: 1.0 };
            let at = Damped { h: 0.01, inv_mass: 2.0, speed: 3.0, acceleration: 0.0, rate: 0.0 };
            let push = law.damping_push(&at);
            let after = at.speed + at.h * at.inv_mass * push;
            assert!((-1e-9..3.0).contains(&after), "{damping}: {after}");
            if damping < 100.0 {
                assert!((push + damping * 0.5 * (at.speed + after)).abs() < 1e-12 * push.abs());
            }
        }
    }
}
