//! How two balls meet.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | d, u, a | `d`, `u`, `a` | from the centre of B to that of A, its rate and the rate of that | m, m/s, m/s² |
//! | R | `reach` | sum of the radii | m |
//!
//! They touch when d + ut + ½at² is R long, and the normal is along it then. An impulse along any other line does not go through both centres: it
//! turns the pair, and the angular momentum is off by the step times the speed. So every impact of a pair of balls has the normal of
//! its own moment, also the second one in a step, after another ball has turned one of them.

use super::flight::Flight;
use crate::{Head, Point, Velocity};
use huygens_math::{Vec3, scalar};

/// Steps of Newton's method from the time of straight flight: each doubles the digits.
const STEPS: usize = 4;

/// The motion of one centre relative to the other.
pub(super) struct RelativePath {
    d: Vec3,
    u: Vec3,
    a: Vec3,
    reach: f64,
}

impl RelativePath {
    /// From the start of the step on, as the impacts so far left it; none for what are no two balls.
    pub(super) fn of(flight: &Flight, head: &Head) -> Option<Self> {
        let groups = &*flight.groups;
        let round = groups.round(head)?;
        let centre = Point { arm: round.centre, gap: 0.0, feature: [0; 2], tree: None };
        let rate = |v: &Velocity| head.to_world(groups.rate(head, &centre, v));
        Some(Self {
            d: round.apart + rate(flight.displacement),
            u: head.to_world(groups.relative(head, &centre, flight.v)),
            a: rate(flight.acceleration),
            reach: round.radius[0] + round.radius[1],
        })
    }

    /// The same from a later moment on.
    pub(super) fn from(&self, time: f64) -> Self {
        Self { d: self.at(time), u: self.u + self.a * time, ..*self }
    }

    /// The line between the centres at a moment.
    pub(super) fn at(&self, t: f64) -> Vec3 {
        self.d + (self.u + self.a * (0.5 * t)) * t
    }

    /// How far apart the surfaces are at a moment [m].
    pub(super) fn gap(&self, t: f64) -> f64 {
        self.at(t).length() - self.reach
    }

    /// How fast they come nearer at a moment [m/s].
    pub(super) fn closing(&self, t: f64) -> f64 {
        -self.at(t).normalize_or_zero().dot(self.u + self.a * t)
    }

    /// Nothing but the velocity moves them: what does not meet now never does.
    pub(super) fn is_straight(&self) -> bool {
        self.a == Vec3::ZERO
    }

    /// When the line is first as long as both radii; at once for an overlap that grows. None when they part or pass, or when only the acceleration brings
    /// them together.
    pub(super) fn touch(&self) -> Option<f64> {
        let (square, half) = (self.u.length_squared(), self.d.dot(self.u));
        // (|d| − R)(|d| + R) without cancellation.
        let length = self.d.length();
        let left = scalar::max((length - self.reach) * (length + self.reach), 0.0);
        let root = half * half - square * left;
        if half >= 0.0 || root < 0.0 {
            return None;
        }
        let mut t = left / (root.sqrt() - half);
        if !self.is_straight() && left > 0.0 {
            for _ in 0..STEPS {
                let d = self.at(t);
                let rate = 2.0 * d.dot(self.u + self.a * t);
                let length = d.length();
                t -= (length - self.reach) * (length + self.reach) / rate;
            }
        }
        (t.is_finite() && t >= 0.0).then_some(t)
    }
}

/// Gives the contact of two balls the frame, arms and gap of the line between their centres at a moment.
pub(super) fn turn(flight: &mut Flight, group: usize, time: f64) {
    let head = flight.groups.heads[group];
    let Some(path) = RelativePath::of(flight, &head) else { return };
    let Some(normal) = path.at(time).try_normalize() else { return };
    let Some(round) = flight.groups.round(&head).copied() else { return };
    // The old tangent, or where the normal has come to lie along it the old normal.
    let old = if head.tangent.dot(normal).abs() < 0.9 { head.tangent } else { head.normal };
    let tangent = (old - normal * normal.dot(old)).normalize();
    let groups = flight.groups.revise(group);
    groups.heads[group] = Head { normal, tangent, demand: round.demand, ..head };
    let point = &mut groups.points[head.first as usize];
    point.arm = [round.centre[0] - normal * round.radius[0], round.centre[1] + normal * round.radius[1]];
    point.gap = normal.dot(round.apart) - path.reach;
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
            let path = RelativePath { d, u: r.direction() * 2.0 - d * 3.0, a, reach: 1.0 };
            let Some(t) = path.touch() else { continue };
            met += 1;
            assert!(path.gap(t).abs() < 1e-15 * 8.0, "{t}");
            assert!(path.closing(t) > 0.0);
            // Not before.
            assert!((1..20).all(|k| path.gap(t * f64::from(k) / 20.0) > 0.0));
            // The same from half of the time on.
            let rest = path.from(0.5 * t).touch().unwrap();
            assert!((rest - 0.5 * t).abs() < 1e-14, "{rest} {t}");
        }
        assert!(met > 500, "{met}");
    }

    #[test]
    fn what_parts_or_passes_does_not_touch_and_what_overlaps_does_at_once() {
        let touch = |d: Vec3, u: Vec3| RelativePath { d, u, a: Vec3::ZERO, reach: 1.0 }.touch();
        assert_eq!(touch(Vec3::new(1.2, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0)), None);
        assert_eq!(touch(Vec3::new(3.0, 1.1, 0.0), Vec3::new(-9.0, 0.0, 0.0)), None);
        assert_eq!(touch(Vec3::new(1.2, 0.0, 0.0), Vec3::ZERO), None);
        assert_eq!(touch(Vec3::new(0.9, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0)), None);
        assert_eq!(touch(Vec3::new(0.9, 0.0, 0.0), Vec3::new(-1.0, 0.0, 0.0)), Some(0.0));
    }
}
