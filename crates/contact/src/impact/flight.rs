//! When does a group close? Everything flies on parabolas between impacts.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | t | `time` | since the start of the step | s |
//! | u, a | | normal velocity at t = 0 as the impacts so far left it, and acceleration | m/s, m/s² |
//! | d | `displacement` | Σ −τ M⁻¹Jᵀp of the impacts so far | m |
//!
//! gap(t) = gap + J_n d + u t + ½ a t² for every t after the last impact on either side: an impulse p at τ makes the
//! position x₀ + v t + ½ a t² + (t − τ) M⁻¹Jᵀp, and M⁻¹Jᵀp t is in u already.
//!
//! Two balls that pass each other turn the line between their centres while they come nearer: they meet when that line is as long as both
//! radii, and along it as it is then ([`super::round`]).

use super::revised::ImpactGroups;
use super::round::RelativePath;
use crate::{Head, Scale, Velocity};
use huygens_math::{BlockInertia, scalar};

/// State of the flight after the impacts so far.
pub(super) struct Flight<'a> {
    /// The whole step [s].
    pub h: f64,
    pub inertia: &'a BlockInertia,
    pub groups: ImpactGroups<'a>,
    pub scale: Scale,
    /// Acceleration of what flies, zero for what is supported.
    pub acceleration: &'a Velocity,
    /// Velocity at the start of the step, impacts included.
    pub v: &'a mut Velocity,
    pub displacement: &'a mut Velocity,
    /// Slower closing is not an impact [m/s].
    pub threshold: f64,
    /// Contacts have friction.
    pub friction: bool,
}

/// One point at some moment.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Approach {
    /// Distance [m].
    pub gap: f64,
    /// Velocity in (n, t₁, t₂) [m/s].
    pub u: [f64; 3],
    /// J a in (n, t₁, t₂) [m/s²].
    pub a: [f64; 3],
}

impl Flight<'_> {
    /// Where point `i` of a group is at a moment, if its sides meet nothing before.
    pub(super) fn at(&self, head: &Head, i: usize, time: f64) -> Approach {
        let groups = &*self.groups;
        let point = &groups.points[i];
        let start = groups.relative(head, point, self.v);
        let a = groups.rate(head, point, self.acceleration);
        let shift = groups.normal_rate(head, point, self.displacement);
        Approach {
            gap: point.gap + shift + time * (start[0] + 0.5 * a[0] * time),
            u: [start[0] + a[0] * time, start[1] + a[1] * time, start[2] + a[2] * time],
            a,
        }
    }

    /// When a group next closes faster than the threshold, from `earliest` on and inside the step, and by which point.
    pub(super) fn next_impact(&self, head: &Head, earliest: f64) -> Option<(f64, usize)> {
        if let Some(path) = RelativePath::of(self, head) {
            let path = path.from(earliest);
            if let Some(wait) = path.touch() {
                let meets = path.closing(wait) > self.threshold && earliest + wait <= self.h;
                return meets.then_some((earliest + wait, head.first as usize));
            }
            if path.is_straight() {
                return None;
            }
        }
        let mut first: Option<(f64, usize)> = None;
        // Rows of the middle of the step see a velocity at its start that is that of a contact which turns, and no approach.
        let turning =
            self.groups.surface_velocity(head).map_or(0.0, |surface| head.normal.dot(surface.half_change));
        for i in head.range() {
            let now = self.at(head, i, earliest);
            let Some((wait, speed)) = closing(now.gap, now.u[0] - turning, now.a[0]) else { continue };
            let time = earliest + wait;
            if speed > self.threshold && time <= self.h && first.is_none_or(|(t, _)| time < t) {
                first = Some((time, i));
            }
        }
        first
    }
}

/// How long until gap + u s + ½ a s² falls through zero, and the speed with which it does. An overlap counts as touch.
///
/// The speed is √(u² − 2 a gap); the forms of s are those without cancellation.
pub(super) fn closing(gap: f64, u: f64, a: f64) -> Option<(f64, f64)> {
    let gap = scalar::max(gap, 0.0);
    let square = u * u - 2.0 * a * gap;
    if square.is_nan() || square < 0.0 {
        return None;
    }
    let speed = square.sqrt();
    if u < 0.0 {
        Some((2.0 * gap / (speed - u), speed))
    } else if a < 0.0 {
        Some(((u + speed) / -a, speed))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_and_speed_of_touch_are_those_of_the_parabola() {
        for (gap, u, a) in [(1.0, -3.0, -9.81), (1.0, 2.0, -9.81), (0.5, -3.0, 2.0), (1e-9, -1e-3, -9.81)] {
            let (s, speed) = closing(gap, u, a).unwrap();
            assert!(s > 0.0);
            // Three roundings of terms not larger than |u| s and |a| s².
            let scale = gap + (u * s).abs() + (a * s * s).abs();
            assert!((gap + u * s + 0.5 * a * s * s).abs() <= 1e-15 * scale);
            assert!((u + a * s + speed).abs() <= 1e-15 * (u.abs() + (a * s).abs() + speed));
        }
    }

    #[test]
    fn what_turns_back_before_the_surface_never_touches() {
        assert_eq!(closing(1.0, -1.0, 2.0), None);
        assert_eq!(closing(1.0, 1.0, 0.0), None);
        assert_eq!(closing(0.0, 1.0, 1.0), None);
        assert_eq!(closing(f64::NAN, -1.0, f64::NAN), None);
    }

    #[test]
    fn an_overlap_closes_at_once_or_when_it_comes_back() {
        assert_eq!(closing(-0.1, -2.0, -10.0), Some((0.0, 2.0)));
        assert_eq!(closing(-0.1, 2.0, -10.0), Some((0.4, 2.0)));
    }
}
