//! Whether bodies that fly alone would meet: the premise of `ghost`.
//!
//! Between the ends of a step a body moves on the parabola through both places that starts with the velocity of the start, and turns at
//! a constant rate. The gap of two bodies changes by no more than L = |v_rel| + Σ |ω| r in a second, so after a gap d at time t the next
//! look may wait until t + d/L, and nothing is missed between two looks.

use crate::BodySight;
use crate::forms::Forms;
use huygens::math::{Pose, Vec3, scalar, trig};

/// Looks at one pair in one step; one that needs more is not clear.
const MOST_LOOKS: usize = 400;

/// A body that turns farther in one step may have gone the long way round, and nothing is said about it [rad].
const MOST_TURN: f64 = 3.0;

/// Motion of a body in one step.
struct Motion {
    start: Pose,
    /// Velocity of the start [m/s].
    velocity: Vec3,
    /// Acceleration of the parabola [m/s²].
    acceleration: Vec3,
    /// Rate of turn [rad/s].
    spin: Vec3,
    /// Largest distance of the true motion of the step from this one [m]: neither the straight line, nor an acceleration that changes, nor
    /// a spin that changes from that of the start to that of the end leads farther away.
    slack: f64,
    /// Largest distance of a point from the centre of mass [m].
    reach: f64,
}

impl Motion {
    fn new(start: &BodySight, end: &BodySight, reach: f64, h: f64) -> Self {
        let way = end.center - start.center;
        let turn = (end.orientation * start.orientation.conjugate()).normalize();
        let angle = trig::rotation_angle(turn);
        let axis = Vec3::new(turn.x, turn.y, turn.z).normalize_or_zero();
        // The short way round.
        let axis = if turn.w < 0.0 { -axis } else { axis };
        let spin = axis * (angle / h);
        let change = (end.spin - start.spin).length();
        let mut turned = if change > 0.0 { change * reach } else { 0.0 };
        if 0.5 * (start.spin + end.spin).length() * h > MOST_TURN {
            turned = f64::INFINITY;
        }
        Self {
            start: Pose::new(start.orientation, start.center),
            velocity: start.velocity,
            acceleration: (way - h * start.velocity) * (2.0 / (h * h)),
            spin,
            slack: 0.25 * h * ((end.velocity - start.velocity).length() + turned),
            reach: if angle > 0.0 { reach } else { 0.0 },
        }
    }

    fn at(&self, t: f64) -> Pose {
        let turn = trig::rotation_vector(self.spin * t);
        let way = self.velocity * t + self.acceleration * (0.5 * t * t);
        Pose::new((turn * self.start.rotation).normalize(), self.start.translation + way)
    }
}

/// Two bodies within one step.
struct Pair<'a> {
    forms: &'a Forms,
    bodies: [usize; 2],
    motions: [Motion; 2],
}

impl Pair<'_> {
    /// Largest speed at which the gap changes [m/s].
    fn speed(&self, h: f64) -> f64 {
        let [a, b] = &self.motions;
        let (start, change) = (a.velocity - b.velocity, (a.acceleration - b.acceleration) * h);
        let drift = scalar::max(start.length(), (start + change).length());
        drift + a.spin.length() * a.reach + b.spin.length() * b.reach
    }

    /// Smallest gap within the step at the times that were looked at, less the slack [m]; above 0 only when it is so at all times.
    fn smallest_gap(&self, h: f64) -> f64 {
        let [a, b] = &self.motions;
        let (slack, speed) = (a.slack + b.slack, self.speed(h));
        let reaches = self.forms.reach(self.bodies[0]) + self.forms.reach(self.bodies[1]);
        let bound = (a.start.translation - b.start.translation).length() - reaches - speed * h - slack;
        // Far apart: no need to look.
        if bound > reaches {
            return bound;
        }
        let (mut t, mut least) = (0.0, f64::INFINITY);
        for _ in 0..MOST_LOOKS {
            let gap = self.forms.gap(self.bodies[0], &a.at(t), self.bodies[1], &b.at(t)) - slack;
            least = scalar::min(least, gap);
            if gap <= 0.0 || t >= h {
                return least;
            }
            // Nine tenths of the time that is safe: the gap stays above a tenth of this one until the next look.
            t = scalar::min(h, t + 0.9 * gap / speed);
        }
        -f64::MIN_POSITIVE
    }
}

/// Smallest gap of any two bodies of different groups in the step from `start` to `end`, and which two.
pub(crate) fn nearest_in_step(
    forms: &Forms,
    groups: &[Vec<usize>],
    start: &[BodySight],
    end: &[BodySight],
    h: f64,
) -> Nearest {
    let mut nearest = Nearest { gap: f64::INFINITY, bodies: [0, 0] };
    for (i, first) in groups.iter().enumerate() {
        for second in &groups[i + 1..] {
            for &a in first {
                for &b in second {
                    if start[a].moves || start[b].moves {
                        let motion =
                            |body: usize| Motion::new(&start[body], &end[body], forms.reach(body), h);
                        let pair = Pair { forms, bodies: [a, b], motions: [motion(a), motion(b)] };
                        let gap = pair.smallest_gap(h);
                        if gap < nearest.gap {
                            nearest = Nearest { gap, bodies: [a, b] };
                        }
                    }
                }
            }
        }
    }
    nearest
}

/// The two bodies that come nearest to each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearest {
    /// Their smallest gap, less the slack of their motions [m]; above 0 only when they do not meet.
    pub gap: f64,
    /// Their numbers.
    pub bodies: [usize; 2],
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::run::run;
    use crate::{Kind, Worlds, generate};
    use huygens::Scene;
    use huygens::scene::{Axis, Body, Shape};

    #[test]
    fn the_gap_under_a_whirling_rod_is_that_of_its_disc() {
        // The tip describes a circle in the plane z = 0, 2 cm above the top of the ball's flight.
        let rod = Shape::capsule(0.01, 0.78).along(Axis::X);
        let rod = Body::dynamic("rod").shape(rod).spin(0.0, 0.0, 20.0);
        let ball = Body::dynamic("ball").sphere(0.02).at(-0.45, 0.3, -0.05).velocity(20.0, 0.0, 0.0);
        let scene = Scene::new().gravity(0.0, 0.0, 0.0).dt(1.0 / 240.0).body(rod).body(ball);
        let forms = Forms::new(&scene).expect("a scene");
        let groups = [vec![0], vec![1]];
        // The judge is about to say whether an engine moves them so: here they do by themselves.
        let alone = |body: usize| {
            let lone = crate::judge::run::part_of(&scene, &[body]);
            run(&Worlds, &lone, 12).expect("a scene")
        };
        let (first, second) = (alone(0), alone(1));
        let mut least = f64::INFINITY;
        for step in 1..=12 {
            let at = |step: usize| [first[step][0], second[step][0]];
            let nearest = nearest_in_step(&forms, &groups, &at(step - 1), &at(step), scene.world.dt);
            least = scalar::min(least, nearest.gap);
        }
        assert!((0.02 - 1e-12..0.08).contains(&least), "{least} m");
    }

    #[test]
    fn a_flight_that_is_called_clear_touches_nothing_at_any_sample() {
        let mut clear = 0;
        for number in 0..20 {
            let scene = generate::scene(Kind::Ghost, 11, number, "soft-step");
            let groups = crate::judge::run::jointed_groups(&scene);
            let forms = Forms::new(&scene).expect("a scene");
            let start = run(&Worlds, &scene, 0).expect("a scene");
            let h = scene.world.dt;
            let flights =
                crate::judge::ghost::lone_runs(&Worlds, &scene, &groups, &start[0], 6).expect("runs");
            for step in 1..=6 {
                let (from, to) = (&flights[step - 1], &flights[step]);
                if nearest_in_step(&forms, &groups, from, to, h).gap <= 0.0 {
                    break;
                }
                clear += 1;
                let motion = |body: usize| Motion::new(&from[body], &to[body], forms.reach(body), h);
                for sample in 0..=200 {
                    let t = h * f64::from(sample) / 200.0;
                    let apart =
                        |a: usize, b: usize| forms.gap(a, &motion(a).at(t), b, &motion(b).at(t)) > 0.0;
                    let moves = |body: &usize| from[*body].moves;
                    let (first, rest) = groups.split_first().expect("two groups");
                    for a in first.iter().filter(|body| moves(body)) {
                        assert!(rest.iter().flatten().all(|b| apart(*a, *b)), "scene {number}, step {step}");
                    }
                }
            }
        }
        assert!(clear > 60, "{clear}");
    }
}
