//! Clearance of a convex shape from a half-space and inside a container, by closed forms.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | | `pose` | places the convex shape in the boundary's frame |
//! | u | `outward` | unit vector into the solid; the normal is −u |
//! | ρ | `reach` | largest distance of the convex shape from the container's axis |
//!
//! A container is bounded by planes and, for the cylinder, a round wall. The clearance from a plane is that of the
//! support point. The distance from an axis is a convex function, so its largest value on a polytope is at a corner,
//! and on a cylinder on a rim c + a cos θ + b sin θ, where
//! f(θ) = |…|² = const + 2P cos θ + 2Q sin θ + A cos 2θ + B sin 2θ has at most two maxima.

use super::convex::{Boundary, Convex};
use crate::gjk::Separation;
use crate::shape::Cylinder;
use crate::support::Support;
use huygens_math::{Pose, Vec2, Vec3, trig};
use std::f64::consts::TAU;

/// Clearance of `convex`, placed in the boundary's frame by `pose`, as shape A; in the boundary's frame.
pub(super) fn clearance(boundary: &Boundary, convex: &Convex, pose: &Pose) -> Separation {
    match boundary {
        Boundary::HalfSpace => from_plane(convex, pose, Vec3::NEG_Z, 0.0),
        Boundary::BoxInside(b) => {
            let mut best = from_plane(convex, pose, Vec3::X, b.half.x);
            let others = [
                (Vec3::NEG_X, b.half.x),
                (Vec3::Y, b.half.y),
                (Vec3::NEG_Y, b.half.y),
                (Vec3::Z, b.half.z),
                (Vec3::NEG_Z, b.half.z),
            ];
            for (outward, offset) in others {
                best = smaller(best, from_plane(convex, pose, outward, offset));
            }
            best
        }
        Boundary::CylinderInside(c) => {
            let top = from_plane(convex, pose, Vec3::Z, c.half_length);
            let bottom = from_plane(convex, pose, Vec3::NEG_Z, c.half_length);
            smaller(smaller(from_round_wall(convex, pose, c.radius), top), bottom)
        }
    }
}

fn smaller(a: Separation, b: Separation) -> Separation {
    if b.gap < a.gap { b } else { a }
}

/// Clearance from the solid u·x ≥ offset.
fn from_plane(convex: &Convex, pose: &Pose, outward: Vec3, offset: f64) -> Separation {
    let core = pose.transform(convex.support(pose.inverse_rotate(outward)).point);
    let on_a = core + outward * convex.radius();
    let gap = offset - on_a.dot(outward);
    Separation { gap, normal: -outward, on_a, on_b: on_a + outward * gap }
}

/// Clearance from the solid outside the cylinder of radius `radius` about z.
fn from_round_wall(convex: &Convex, pose: &Pose, radius: f64) -> Separation {
    let core = farthest_from_axis(convex, pose);
    let reach = core.truncate().length();
    let outward = if reach > 0.0 { Vec3::new(core.x / reach, core.y / reach, 0.0) } else { Vec3::X };
    let gap = radius - reach - convex.radius();
    let on_a = core + outward * convex.radius();
    Separation { gap, normal: -outward, on_a, on_b: on_a + outward * gap }
}

/// The point of the core farthest from the z axis.
fn farthest_from_axis(convex: &Convex, pose: &Pose) -> Vec3 {
    let corner = |x: f64, y: f64, z: f64| pose.transform(Vec3::new(x, y, z));
    let signs = [-1.0, 1.0];
    let mut best = Farthest::default();
    match convex {
        Convex::Sphere(_) => best.consider(pose.translation),
        Convex::Capsule(c) => signs.iter().for_each(|s| best.consider(corner(0.0, 0.0, s * c.half_length))),
        Convex::Hull(hull) => hull.vertices().iter().for_each(|&v| best.consider(pose.transform(v))),
        Convex::Box(b) => {
            for i in 0..8 {
                let [x, y, z] = [signs[i & 1], signs[(i >> 1) & 1], signs[i >> 2]];
                best.consider(corner(x * b.half.x, y * b.half.y, z * b.half.z));
            }
        }
        Convex::Wall(w) => {
            for i in 0..4 {
                best.consider(corner(signs[i & 1] * w.half.x, signs[i >> 1] * w.half.y, 0.0));
            }
        }
        Convex::Cone(c) => {
            best.consider(corner(0.0, 0.0, c.half_length));
            rim(&Cylinder { radius: c.radius, half_length: c.half_length }, -1.0, pose, &mut best);
        }
        Convex::Ellipsoid(e) => {
            for start in [Vec3::X, Vec3::Y, Vec3::NEG_X, Vec3::NEG_Y] {
                // The distance is convex, so the support point along its gradient is never nearer.
                let mut outward = start;
                for _ in 0..CLIMBS {
                    let p = pose.transform(e.support(pose.inverse_rotate(outward)).point);
                    outward = Vec3::new(p.x, p.y, 0.0).normalize_or(outward);
                    best.consider(p);
                }
            }
        }
        Convex::Cylinder(c) => signs.iter().for_each(|s| rim(c, *s, pose, &mut best)),
    }
    best.point
}

/// The point farthest from the z axis so far.
#[derive(Default)]
struct Farthest {
    point: Vec3,
    square: Option<f64>,
}

impl Farthest {
    fn consider(&mut self, point: Vec3) {
        let square = point.truncate().length_squared();
        if self.square.is_none_or(|known| square > known) {
            (self.point, self.square) = (point, Some(square));
        }
    }
}

/// Steps towards the farthest point of an ellipsoid.
const CLIMBS: usize = 64;

/// Angles at which a rim is looked at first: enough to tell its two maxima apart.
const LOOKS: usize = 32;

/// Considers the maxima of the distance from z on the rim at `end` times the cylinder's half length.
fn rim(cylinder: &Cylinder, end: f64, pose: &Pose, best: &mut Farthest) {
    let center = pose.transform(Vec3::new(0.0, 0.0, end * cylinder.half_length));
    let a = pose.rotate(Vec3::X) * cylinder.radius;
    let b = pose.rotate(Vec3::Y) * cylinder.radius;
    let at = |angle: f64| {
        let (sin, cos) = trig::sin_cos(angle);
        (center + a * cos + b * sin, b * cos - a * sin)
    };
    let flat = |p: Vec3| Vec2::new(p.x, p.y);
    let square = |i: usize| flat(at(TAU * i as f64 / LOOKS as f64).0).length_squared();
    let mut before = square(LOOKS - 1);
    let mut here = square(0);
    for i in 0..LOOKS {
        let after = square((i + 1) % LOOKS);
        if here >= before && here >= after {
            let (mut low, mut high) =
                (TAU * (i as f64 - 1.0) / LOOKS as f64, TAU * (i as f64 + 1.0) / LOOKS as f64);
            // The slope of f/2 falls through zero at the maximum; 52 halvings leave one rounding of the angle.
            for _ in 0..52 {
                let middle = 0.5 * (low + high);
                let (point, slope) = at(middle);
                if flat(point).dot(flat(slope)) > 0.0 { low = middle } else { high = middle }
            }
            best.consider(at(0.5 * (low + high)).0);
        }
        (before, here) = (here, after);
    }
}
