//! The inside of a closed cylinder against every bounded shape: two flat ends, and one manifold for each group of
//! points that touch the curved wall in about the same direction.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | R | `radius` | of the inside | m |
//! | ρ | `reach` | distance of a point from the axis | m |
//! | c, p, q | `center`, `p`, `q` | a rim seen along the axis: c + p cos α + q sin α | m |
//!
//! The distance from the axis is convex, so only corners, ends and rims can touch. Along a rim its square has two
//! maxima at most. With p and q made orthogonal (|p| ≥ |q|) and the signs of c made positive by mirroring, the larger
//! one is between 0 and 90°, where the derivative falls from c_q|q| to −c_p|p|; the smaller one, if there is one, lies
//! between 90° and 180°.

use super::build::{Lie, Setting, face_manifold};
use super::cylinder::{ON_ITS_SIDE, rim_cross};
use super::plane::Plane;
use super::polyhedron::Polyhedron;
use crate::clip::PlaneFrame;
use crate::manifold::{Feature, Manifold};
use crate::reduce::Candidate;
use crate::shape::{CollisionShape, Cylinder, CylinderInside, Ellipsoid};
use crate::support::Support;
use huygens_math::scalar::min;
use huygens_math::{Pose, Vec2, Vec3, trig};
use std::f64::consts::FRAC_PI_2;

/// Cosine of 2.5°: points whose normals are closer than this to that of the first are one group, so that all of a group
/// are within 5° of each other.
const SAME_DIRECTION: f64 = 0.999_048_221_581_857_8;

/// Most points on the curved wall that are looked at, the deepest of them.
const MAX_TOUCHES: usize = 32;

/// Largest rotation for which the points of a rim are kept [rad].
const RIM_TURN: f64 = 2e-5;

/// Steps towards the farthest point of an ellipsoid.
const CLIMBS: u32 = 48;

/// Halvings of a quarter turn that leave nothing of it.
const BISECTIONS: u32 = 60;

#[derive(Clone, Copy, Debug, Default)]
struct Touch {
    /// The point behind the surface, in A's frame.
    core: Vec3,
    radius: f64,
    gap: f64,
    normal: Vec2,
    name: Feature,
    used: bool,
}

struct Touches {
    list: [Touch; MAX_TOUCHES],
    len: usize,
    wall: f64,
    margin: f64,
}

impl Touches {
    fn push(&mut self, core: Vec3, radius: f64, name: Feature) {
        let across = Vec2::new(core.x, core.y);
        let reach = across.length();
        let gap = self.wall - reach - radius;
        if gap > self.margin {
            return;
        }
        let normal = if reach > 0.0 { across / reach } else { Vec2::X };
        let touch = Touch { core, radius, gap, normal, name, used: false };
        if self.len < MAX_TOUCHES {
            self.list[self.len] = touch;
            self.len += 1;
            return;
        }
        let shallowest =
            (0..self.len).fold(0, |i, j| if self.list[j].gap > self.list[i].gap { j } else { i });
        if gap < self.list[shallowest].gap {
            self.list[shallowest] = touch;
        }
    }
}

pub(crate) fn cylinder_inside(
    a: &CylinderInside,
    b: &CollisionShape,
    b_in_a: &Pose,
    set: &Setting,
    out: &mut Vec<Manifold>,
) -> bool {
    let before = out.len();
    for (side, id) in [(-1.0, 0), (1.0, 1)] {
        let normal = Vec3::Z * -side;
        let frame = PlaneFrame { origin: normal * -a.half_length, x: Vec3::X, y: Vec3::Y * -side, normal };
        let plane = Plane { frame, id };
        if plane.frame.project(b_in_a.translation).1 > set.reach + set.margin {
            continue;
        }
        if let Some(manifold) = plane.contact(b, b_in_a, set, out) {
            manifold.sub_shape[0] = id;
        }
    }
    let across = Vec2::new(b_in_a.translation.x, b_in_a.translation.y).length();
    if across + set.reach < a.radius - set.margin {
        return out.len() > before;
    }
    let mut touches =
        Touches { list: [Touch::default(); MAX_TOUCHES], len: 0, wall: a.radius, margin: set.margin };
    collect(b, b_in_a, &mut touches);
    groups((a, matches!(b, CollisionShape::Cylinder(_))), &mut touches, b_in_a, set, out);
    out.len() > before
}

fn collect(b: &CollisionShape, b_in_a: &Pose, out: &mut Touches) {
    match b {
        CollisionShape::Sphere(s) => out.push(b_in_a.translation, s.radius, Feature::vertex(0)),
        CollisionShape::Capsule(s) => {
            let axis = b_in_a.rotate(Vec3::Z);
            for (side, name) in [(-1.0, 0), (1.0, 1)] {
                let end = b_in_a.translation + axis * (side * s.half_length);
                let outward = Vec3::new(end.x, end.y, 0.0).normalize_or(Vec3::X);
                // The rest of the capsule covers the ball at this end where it reaches farther out: then it is the side
                // of the capsule that looks at the wall.
                let inward = -side * axis.dot(outward);
                if inward <= 0.0 {
                    out.push(end, s.radius, Feature::vertex(name));
                } else if let Some(beside) = (outward - axis * axis.dot(outward)).try_normalize() {
                    out.push(end + beside * s.radius, 0.0, Feature::vertex(name));
                }
            }
        }
        CollisionShape::Cylinder(s) => {
            for (side, number) in [(-1.0, 0), (1.0, 1)] {
                rim(s, side, number, b_in_a, out);
            }
        }
        CollisionShape::Cone(s) => {
            let base = Cylinder { radius: s.radius, half_length: s.half_length };
            rim(&base, -1.0, 0, b_in_a, out);
            out.push(b_in_a.transform(s.tip()), 0.0, Feature::vertex(9));
        }
        CollisionShape::Ellipsoid(s) => {
            for (k, start) in [Vec3::X, Vec3::Y, Vec3::NEG_X, Vec3::NEG_Y].into_iter().enumerate() {
                out.push(farthest_out(s, start, b_in_a), 0.0, Feature::vertex(k as u32));
            }
        }
        CollisionShape::Box(s) => corners(&Polyhedron::Box(s.half), b_in_a, out),
        CollisionShape::Wall(s) => corners(&Polyhedron::Box(s.half.extend(0.0)), b_in_a, out),
        CollisionShape::Hull(s) => corners(&Polyhedron::Hull(s), b_in_a, out),
        _ => {}
    }
}

/// The point of an ellipsoid that is farthest from the container's axis, in A's frame, climbing from the side of `start`:
/// the distance is convex, so the support point along its gradient is never nearer.
fn farthest_out(b: &Ellipsoid, start: Vec3, b_in_a: &Pose) -> Vec3 {
    let mut outward = start;
    let mut p = b_in_a.translation;
    for _ in 0..CLIMBS {
        p = b_in_a.transform(b.support(b_in_a.inverse_rotate(outward)).point);
        outward = Vec3::new(p.x, p.y, 0.0).normalize_or(outward);
    }
    p
}

fn corners(b: &Polyhedron, b_in_a: &Pose, out: &mut Touches) {
    for i in 0..b.corner_count() {
        out.push(b_in_a.transform(b.corner(i)), 0.0, Feature::vertex(i as u32));
    }
}

/// Points of one rim: of a cylinder on its side the farthest one, else four that follow it (see `cylinder`); and the second farthest. A
/// cylinder that rolls on its side would have another of the four under it every quarter of a turn, and near the change two of them.
fn rim(b: &Cylinder, side: f64, number: u32, b_in_a: &Pose, out: &mut Touches) {
    let z = side * b.half_length;
    let center = b_in_a.transform(Vec3::new(0.0, 0.0, z));
    let (x, y) = (b_in_a.rotate(Vec3::X), b_in_a.rotate(Vec3::Y));
    let flat = |v: Vec3| Vec2::new(v.x, v.y);
    let rim = Rim { center: flat(center), p: flat(x) * b.radius, q: flat(y) * b.radius };
    let (first, second) = rim.farthest();
    let place = |direction: Vec2| b_in_a.transform((direction * b.radius).extend(z));
    let farthest = place(first);
    let outward = Vec3::new(farthest.x, farthest.y, 0.0).normalize_or(Vec3::X);
    let upright = b_in_a.rotate(Vec3::Z).dot(outward);
    if upright * upright <= 1.0 - ON_ITS_SIDE * ON_ITS_SIDE {
        out.push(farthest, 0.0, Feature::vertex(4 * number));
    } else {
        for (k, direction) in rim_cross(first).into_iter().enumerate() {
            out.push(place(direction), 0.0, Feature::vertex(4 * number + k as u32));
        }
    }
    if let Some(second) = second {
        out.push(place(second), 0.0, Feature::vertex(8 + number));
    }
}

/// A circle seen along the axis of the container.
struct Rim {
    center: Vec2,
    p: Vec2,
    q: Vec2,
}

impl Rim {
    /// Unit vectors around the rim's own axis to its farthest and second farthest point.
    fn farthest(&self) -> (Vec2, Option<Vec2>) {
        // Turn p and q until they are the ellipse's half axes.
        let turn =
            0.5 * trig::atan2(2.0 * self.p.dot(self.q), self.p.length_squared() - self.q.length_squared());
        let (s, c) = trig::sin_cos(turn);
        let (p, q) = (self.p * c + self.q * s, self.q * c - self.p * s);
        let (a, b) = (p.length(), q.length());
        let along = |axis: Vec2, length: f64| if length > 0.0 { self.center.dot(axis) / length } else { 0.0 };
        let (cp, cq) = (along(p, a), along(q, b));
        let (sp, sq) = (if cp < 0.0 { -1.0 } else { 1.0 }, if cq < 0.0 { -1.0 } else { 1.0 });
        let (cp, cq) = (cp.abs(), cq.abs());
        // Half the derivative of the squared distance at the angle with this cosine sign.
        let slope = |angle: f64, sign: f64| {
            let (s, c) = trig::sin_cos(angle);
            cq * b * c - sign * cp * a * s - (a * a - b * b) * s * c
        };
        let back = |angle: f64, sign: f64| {
            let (s_angle, c_angle) = trig::sin_cos(angle);
            let (u, v) = (sign * sp * c_angle, sq * s_angle);
            Vec2::new(u * c - v * s, u * s + v * c)
        };
        let first = back(zero(|t| slope(t, 1.0), FRAC_PI_2), 1.0);
        let low = (0..=16).map(|i| f64::from(i) * FRAC_PI_2 / 16.0).find(|&t| slope(t, -1.0) < 0.0);
        (first, low.map(|t| back(zero(|t| slope(t, -1.0), t), -1.0)))
    }
}

/// Where a function that is not negative at 0 and not positive at `high` passes through zero.
fn zero(f: impl Fn(f64) -> f64, high: f64) -> f64 {
    let (mut low, mut high) = (0.0, high);
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (low + high);
        if f(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// One manifold for each group of directions, in the order of the lowest name in it, which is also its number.
fn groups(
    (a, rim): (&CylinderInside, bool),
    touches: &mut Touches,
    b_in_a: &Pose,
    set: &Setting,
    out: &mut Vec<Manifold>,
) {
    let len = touches.len;
    for _ in 0..len {
        let Some(first) = lowest_unused(&touches.list[..len]) else { break };
        let seed = touches.list[first];
        let mut sum = Vec2::ZERO;
        let mut round = seed.radius;
        for touch in &mut touches.list[..len] {
            if !touch.used && touch.normal.dot(seed.normal) >= SAME_DIRECTION {
                sum += touch.normal;
                round = min(round, touch.radius);
            }
        }
        let outward = sum / sum.length();
        let normal = Vec3::new(-outward.x, -outward.y, 0.0);
        let frame = PlaneFrame { origin: normal * -a.radius, x: Vec3::Z, y: normal.cross(Vec3::Z), normal };
        let mut candidates = [Candidate::default(); MAX_TOUCHES];
        let mut count = 0;
        for touch in &mut touches.list[..len] {
            if !touch.used && touch.normal.dot(seed.normal) >= SAME_DIRECTION {
                touch.used = true;
                let (at, _) = frame.project(touch.core);
                candidates[count] = Candidate {
                    at,
                    gap: touch.gap,
                    reference: Feature::face(2),
                    incident: touch.name,
                    minor: false,
                    slide: 0.0,
                };
                count += 1;
            }
        }
        group(&frame, &mut candidates[..count], (&seed, round, rim), (b_in_a, set), out);
    }
}

fn lowest_unused(list: &[Touch]) -> Option<usize> {
    let mut found: Option<usize> = None;
    for (i, touch) in list.iter().enumerate() {
        if !touch.used && found.is_none_or(|j| touch.name < list[j].name) {
            found = Some(i);
        }
    }
    found
}

fn group(
    frame: &PlaneFrame,
    list: &mut [Candidate],
    (seed, round, rim): (&Touch, f64, bool),
    (b_in_a, set): (&Pose, &Setting),
    out: &mut Vec<Manifold>,
) {
    let manifold = face_manifold(frame, list, b_in_a, (set, &Lie::sloped(1.0)), out);
    manifold.sub_shape[0] = 2 + seed.name.index();
    manifold.round = [0.0, round];
    // The normal follows the point around the axis: the gap changes by ℓ²/2ρ beyond what the points say.
    let reach = Vec2::new(seed.core.x, seed.core.y).length();
    manifold.reuse.travel = min(set.reuse_of_ball(reach).travel, manifold.reuse.travel);
    if rim {
        // The farthest point of a rim runs around it faster than the cylinder turns.
        manifold.reuse.turn = min(manifold.reuse.turn, RIM_TURN);
    }
}
