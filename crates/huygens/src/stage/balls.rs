//! Where two balls will touch.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | d, u, a | `d`, `u`, `a` | from the centre of B to that of A, its rate and the rate of that, at the start of the step | m, m/s, m/s² |
//! | R | `reach` | sum of the radii | m |
//! | τ | `time` | when d + uτ + ½aτ² is R long | s |
//!
//! Two balls that pass each other turn the line between their centres while they come nearer. An impulse along the line of the start of
//! the step, given at τ, does not go through both centres: it turns the pair, and their angular momentum is off by the step times their
//! speed. So the contact of balls that bounce has the normal of the moment of touch. Along that normal n the gap is n·d − R: on
//! the way n·(d + ut + ½at²) − R it is zero at τ, exactly.

use crate::model::Model;
use crate::stage::table::Kind;
use crate::workspace::{End, Found, Workspace};
use huygens_contact::Side;
use huygens_math::Vec3;

/// Steps of Newton's method from the time of straight flight: each doubles the digits.
const STEPS: usize = 4;

/// The contact as it will be.
pub(super) struct Meeting {
    pub normal: Vec3,
    pub gap: f64,
    /// From each centre of mass to the place of touch.
    pub arm: [Vec3; 2],
}

/// Where two balls that are apart touch in this step; none when they do not, or are no balls.
pub(super) fn meeting(
    model: &Model,
    work: &Workspace,
    found: &Found,
    (ends, side): (&[End; 2], [Side; 2]),
) -> Option<Meeting> {
    let [a, b] = [found.key.a, found.key.b].map(|slot| &work.shapes[slot as usize]);
    let are_balls = a.kind == Kind::Ball && b.kind == Kind::Ball;
    if !are_balls || found.gap <= 0.0 || side.iter().any(|side| matches!(side, Side::Tree(_))) {
        return None;
    }
    let off = [a.place - ends[0].center, b.place - ends[1].center];
    let twist = ends.map(|end| work.v_start.free[end.body as usize]);
    let acceleration = ends.map(|end| work.acceleration.free[end.body as usize].linear);
    let flight = Flight {
        d: a.place - b.place,
        u: twist[0].at(off[0]) - twist[1].at(off[1]),
        a: acceleration[0] - acceleration[1],
    };
    let reach = a.radius + b.radius;
    let time = flight.touch(reach)?;
    if time > model.settings.dt {
        return None;
    }
    let normal = flight.at(time).normalize();
    let gap = normal.dot(flight.d) - reach;
    // A graze comes to nothing along the normal.
    (gap > 0.0).then(|| Meeting {
        normal,
        gap,
        arm: [off[0] - normal * a.radius, off[1] + normal * b.radius],
    })
}

/// The way of one centre against the other.
struct Flight {
    d: Vec3,
    u: Vec3,
    a: Vec3,
}

impl Flight {
    fn at(&self, t: f64) -> Vec3 {
        self.d + (self.u + self.a * (0.5 * t)) * t
    }

    /// When |d + ut + ½at²| first is `reach`.
    fn touch(&self, reach: f64) -> Option<f64> {
        let (square, half) = (self.u.length_squared(), self.d.dot(self.u));
        // (|d| − R)(|d| + R) without cancellation.
        let length = self.d.length();
        let left = (length - reach) * (length + reach);
        let root = half * half - square * left;
        if half >= 0.0 || root < 0.0 {
            return None;
        }
        let mut t = left / (root.sqrt() - half);
        if self.a != Vec3::ZERO {
            for _ in 0..STEPS {
                let d = self.at(t);
                let rate = 2.0 * d.dot(self.u + self.a * t);
                let length = d.length();
                t -= (length - reach) * (length + reach) / rate;
            }
        }
        (t.is_finite() && t >= 0.0).then_some(t)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use huygens_math::SplitMix;

    #[test]
    fn they_touch_when_their_centres_are_as_far_apart_as_their_radii() {
        let mut r = SplitMix::new(5);
        let mut met = 0;
        for k in 0..1000 {
            let d = r.direction() * 1.2;
            let a = if k % 2 == 0 { Vec3::ZERO } else { r.direction() };
            let flight = Flight { d, u: r.direction() * 2.0 - d * 3.0, a };
            let Some(t) = flight.touch(1.0) else { continue };
            met += 1;
            assert!((flight.at(t).length() - 1.0).abs() < 1e-15 * 8.0, "{t}");
            // Not before.
            assert!((1..20).all(|k| flight.at(t * f64::from(k) / 20.0).length() > 1.0));
        }
        assert!(met > 500, "{met}");
    }

    #[test]
    fn what_parts_or_passes_does_not_touch() {
        let flight = |d: Vec3, u: Vec3| Flight { d, u, a: Vec3::ZERO };
        assert_eq!(flight(Vec3::new(1.2, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0)).touch(1.0), None);
        assert_eq!(flight(Vec3::new(3.0, 1.1, 0.0), Vec3::new(-9.0, 0.0, 0.0)).touch(1.0), None);
        assert_eq!(flight(Vec3::new(1.2, 0.0, 0.0), Vec3::ZERO).touch(1.0), None);
    }
}
