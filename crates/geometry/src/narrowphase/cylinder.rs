//! What a cylinder shows to a plane: four points of a rim, or the lowest points of both rims.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | d | `towards` | unit vector to the plane, in the cylinder's frame |
//! | τ | `tilt` | sine of the angle between axis and d |
//! | φ | `phi` | direction of d around the axis: where the rim is deepest |
//! | θₖ | | home of rim point k: 0°, 90°, 180°, 270° |
//!
//! A cylinder on its end touches along a whole rim. Four points at home carry it, and do not move with every breath
//! of the tilt direction. A tilted one must have its exact deepest point. Between the two, each point within 90° of φ
//! leaves home towards φ: by φ − θₖ when it is within 45°, less and less beyond that, and in all by the part
//! s = min(1, kτ) of this. That is continuous everywhere (a cross that turns as a whole is not: it would have to wind
//! around φ as φ winds around the axis, and yet stand still at τ = 0).
//!
//! * Motion: a change of pose by 1e-4 rad moves a point by at most (1 + π/4) k 1e-4 = 0.7 % of the radius.
//! * Error: the deepest of the four is shallower than the rim by at most τ(1 − cos((1 − s)π/4)) of the radius, which
//!   is largest, 0.0448/k = 1.12e-3, near s = 0.36, and 0 from τ = 1/k = 0.025 on.

use super::build::Setting;
use super::plane::{Candidates, Plane};
use crate::manifold::Feature;
use crate::shape::{Cone, Cylinder};
use huygens_math::scalar::min;
use huygens_math::{Pose, Vec2, Vec3, trig};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

/// How fast the rim points leave home with the tilt.
const LEAVE_HOME: f64 = 40.0;

/// Largest shortfall of the deepest rim point of a cylinder that stands on its end, in parts of the radius.
pub const RIM_ERROR: f64 = 1.13e-3;

/// Sine of the tilt from which on a cylinder shows its side and not its cap.
pub(crate) const ON_ITS_SIDE: f64 = 0.5;

/// Sine of the tilt from which on the side line is treated as part of a rolling surface.
const ROLLS: f64 = 0.99;

const HOME: [Vec2; 4] = [Vec2::X, Vec2::Y, Vec2::NEG_X, Vec2::NEG_Y];

/// Directions around the axis of the four rim points, for the plane in direction `towards` across the axis.
pub(crate) fn rim_cross(towards: Vec2) -> [Vec2; 4] {
    let tilt = towards.length();
    let part = min(1.0, LEAVE_HOME * tilt);
    let mut out = HOME;
    if tilt <= 1e-12 {
        return out;
    }
    let phi = trig::atan2(towards.y, towards.x);
    for (k, direction) in out.iter_mut().enumerate() {
        let mut away = phi - k as f64 * FRAC_PI_2;
        if away < -PI {
            away += 2.0 * PI;
        }
        let size = away.abs();
        if size >= FRAC_PI_2 {
            continue;
        }
        let leave = part * if size <= FRAC_PI_4 { size } else { FRAC_PI_2 - size };
        let (s, c) = trig::sin_cos(if away < 0.0 { -leave } else { leave });
        *direction = Vec2::new(direction.x * c - direction.y * s, direction.x * s + direction.y * c);
    }
    if part >= 1.0 {
        // The one that has arrived is exact to the last bit.
        let deepest = towards / tilt;
        let nearest =
            (0..4).fold(0, |best, k| if out[k].dot(deepest) > out[best].dot(deepest) { k } else { best });
        out[nearest] = deepest;
    }
    out
}

/// The lowest point of the rim at `z`, towards the unit vector `towards`.
pub(crate) fn lowest(cylinder: &Cylinder, towards: Vec3, z: f64) -> Vec3 {
    let across = Vec2::new(towards.x, towards.y);
    let length = across.length();
    let direction = if length > 0.0 { across / length } else { Vec2::X };
    (direction * cylinder.radius).extend(z)
}

/// Contact candidates of a cylinder B over a plane of A.
pub(crate) fn plane_candidates(plane: &Plane, b: &Cylinder, b_in_a: &Pose, set: &Setting) -> Candidates {
    let towards = b_in_a.inverse_rotate(-plane.frame.normal);
    let across = Vec2::new(towards.x, towards.y);
    let tilt = across.length();
    let push = |out: &mut Candidates, p: Vec3, name: u32| {
        out.push(plane.candidate(b_in_a.transform(p), 0.0, Feature::vertex(name)), set.margin);
    };
    if tilt < ON_ITS_SIDE {
        let cap = u32::from(towards.z >= 0.0);
        let z = if cap == 1 { b.half_length } else { -b.half_length };
        let mut out = Candidates::new(tilt, 0.0);
        out.lie.turn = set.turn_of_rim(b.radius, tilt);
        for (k, direction) in rim_cross(across).into_iter().enumerate() {
            push(&mut out, (direction * b.radius).extend(z), 4 * cap + k as u32);
        }
        out
    } else {
        let mut out = Candidates::new(towards.z.abs(), if tilt > ROLLS { b.radius } else { 0.0 });
        out.lie.turn = set.turn_of_side(b.radius);
        push(&mut out, lowest(b, towards, -b.half_length), 8);
        push(&mut out, lowest(b, towards, b.half_length), 9);
        out
    }
}

/// Contact candidates of a cone B over a plane of A: four points of its rim, or its tip and the lowest point of the rim.
pub(crate) fn cone_candidates(plane: &Plane, b: &Cone, b_in_a: &Pose, set: &Setting) -> Candidates {
    let towards = b_in_a.inverse_rotate(-plane.frame.normal);
    let across = Vec2::new(towards.x, towards.y);
    let tilt = across.length();
    let push = |out: &mut Candidates, p: Vec3, name: u32| {
        out.push(plane.candidate(b_in_a.transform(p), 0.0, Feature::vertex(name)), set.margin);
    };
    if towards.z < 0.0 && tilt < ON_ITS_SIDE {
        let mut out = Candidates::new(tilt, 0.0);
        out.lie.turn = set.turn_of_rim(b.radius, tilt);
        for (k, direction) in rim_cross(across).into_iter().enumerate() {
            push(&mut out, (direction * b.radius).extend(-b.half_length), k as u32);
        }
        return out;
    }
    let mut out = Candidates::new(towards.z.abs(), 0.0);
    out.lie.turn = set.turn_of_side(b.radius);
    push(&mut out, b.rim_towards(towards), 8);
    push(&mut out, b.tip(), 9);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use huygens_math::SplitMix;
    use huygens_math::scalar::max;

    #[test]
    fn the_deepest_rim_point_is_missed_by_no_more_than_stated() {
        let mut random = SplitMix::new(21);
        let mut worst: f64 = 0.0;
        for _ in 0..200_000 {
            let (tilt, phi) = (random.range(0.0, 0.1), random.range(-PI, PI));
            let (s, c) = trig::sin_cos(phi);
            let towards = Vec2::new(c, s) * tilt;
            let depth = rim_cross(towards).into_iter().map(|p| p.dot(towards)).fold(f64::NEG_INFINITY, max);
            worst = max(worst, tilt - depth);
            if tilt >= 1.0 / LEAVE_HOME {
                assert!((tilt - depth).abs() < 1e-15);
            }
        }
        assert!(worst <= RIM_ERROR, "{worst}");
        // The bound is sharp: otherwise it says nothing.
        assert!(worst > 0.95 * RIM_ERROR, "{worst}");
    }

    #[test]
    fn a_change_of_tilt_by_1e_4_moves_a_rim_point_by_less_than_a_hundredth_of_the_radius() {
        let mut random = SplitMix::new(22);
        let mut worst: f64 = 0.0;
        for _ in 0..200_000 {
            let tilt = random.unit() * 10f64.powi_free(-(random.index(4) as i32));
            let (s, c) = trig::sin_cos(random.range(-PI, PI));
            let old = Vec2::new(c, s) * tilt * 0.5;
            let (s, c) = trig::sin_cos(random.range(-PI, PI));
            let new = old + Vec2::new(c, s) * 1e-4;
            for (p, q) in rim_cross(old).into_iter().zip(rim_cross(new)) {
                worst = max(worst, (p - q).length());
            }
        }
        assert!(worst < 0.0075, "{worst}");
    }

    trait PowFree {
        fn powi_free(self, n: i32) -> f64;
    }
    impl PowFree for f64 {
        fn powi_free(self, n: i32) -> f64 {
            (0..n.abs()).fold(1.0, |p, _| if n < 0 { p / self } else { p * self })
        }
    }
}
