//! The shortest way of a tendon around a sphere or a cylinder.
//!
//! Both are a circle in a plane: for a cylinder the plane across its axis, for a sphere the plane of its centre and the two ends.

use huygens_math::trig::{acos, asin, sin_cos};
use huygens_math::{Pose, Vec2, Vec3};
use std::f64::consts::PI;

/// Lengths below this are none.
const TINY: f64 = 1e-15;

/// The way around a geom: where it touches, and how long it is there [m].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Around {
    pub points: [Vec3; 2],
    pub length: f64,
}

/// Where the geom is, and what it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Obstacle {
    pub world_from_geom: Pose,
    pub radius: f64,
    pub cylinder: bool,
    pub side: Option<Vec3>,
}

/// The way from `a` to `b` around the obstacle; `None` when the straight way is the way.
pub(crate) fn around(a: Vec3, b: Vec3, o: &Obstacle) -> Option<Around> {
    let p = [a, b].map(|x| o.world_from_geom.inverse_transform(x));
    if p[0].length() < TINY || p[1].length() < TINY {
        return None;
    }
    let axes = if o.cylinder { [Vec3::X, Vec3::Y] } else { plane(p[0], p[1]) };
    let flat = |v: Vec3| Vec2::new(v.dot(axes[0]), v.dot(axes[1]));
    let ends = p.map(flat);
    let side = o.side.map(|s| o.world_from_geom.inverse_transform(s));
    let inside = side.is_some_and(|s| s.length() < o.radius);
    let (points, arc) =
        if inside { (inner(ends, o.radius)?, 0.0) } else { outer(ends, side.map(flat), o.radius)? };
    let mut touch = points.map(|q| axes[0] * q.x + axes[1] * q.y);
    let mut length = arc;
    if o.cylinder {
        // The height grows evenly along the way.
        let first = (ends[0] - points[0]).length();
        let last = (ends[1] - points[1]).length();
        let rise = (p[1].z - p[0].z) / (first + arc + last);
        touch[0].z = p[0].z + rise * first;
        touch[1].z = p[0].z + rise * (first + arc);
        let height = touch[1].z - touch[0].z;
        length = (arc * arc + height * height).sqrt();
    }
    Some(Around { points: touch.map(|t| o.world_from_geom.transform(t)), length })
}

/// Two axes of the plane through the origin and both points, the first one towards `p`.
fn plane(p: Vec3, q: Vec3) -> [Vec3; 2] {
    let x = p.normalize();
    let mut normal = p.cross(q);
    if normal.length() < TINY {
        let a = x.abs();
        let mut other = Vec3::ONE;
        if a.y > a.x && a.y > a.z {
            other.y = 0.0;
        } else if a.z > a.x && a.z > a.y {
            other.z = 0.0;
        } else {
            other.x = 0.0;
        }
        normal = x.cross(other);
    }
    [x, normal.normalize().cross(x).normalize()]
}

fn cross(a: Vec2, b: Vec2) -> f64 {
    a.x * b.y - a.y * b.x
}

/// Whether the segments p₁p₂ and p₃p₄ meet.
fn meet(p1: Vec2, p2: Vec2, p3: Vec2, p4: Vec2) -> bool {
    let det = (p4.y - p3.y) * (p2.x - p1.x) - (p4.x - p3.x) * (p2.y - p1.y);
    if det.abs() < TINY {
        return false;
    }
    let a = ((p4.x - p3.x) * (p1.y - p3.y) - (p4.y - p3.y) * (p1.x - p3.x)) / det;
    let b = ((p2.x - p1.x) * (p1.y - p3.y) - (p2.y - p1.y) * (p1.x - p3.x)) / det;
    (0.0..=1.0).contains(&a) && (0.0..=1.0).contains(&b)
}

/// Around the outside of a circle; with a side point the way is the one that goes on that side.
fn outer(ends: [Vec2; 2], side: Option<Vec2>, r: f64) -> Option<([Vec2; 2], f64)> {
    let [a, b] = ends;
    let (aa, bb, rr) = (a.length_squared(), b.length_squared(), r * r);
    if aa < rr || bb < rr || r < TINY {
        return None;
    }
    let along = b - a;
    let dd = along.length_squared();
    if dd < TINY {
        return None;
    }
    let t = (-along.dot(a) / dd).clamp(0.0, 1.0);
    let nearest = a + along * t;
    let side = side.map(|s| if s.length() > TINY { s.normalize() * r } else { Vec2::new(r, 0.0) });
    if nearest.length_squared() > rr && side.is_none_or(|s| s.dot(nearest) >= 0.0) {
        return None;
    }
    let (ta, tb) = ((aa - rr).sqrt(), (bb - rr).sqrt());
    let way = |sign: f64| {
        [
            Vec2::new(a.x * rr + sign * r * a.y * ta, a.y * rr - sign * r * a.x * ta) / aa,
            Vec2::new(b.x * rr - sign * r * b.y * tb, b.y * rr + sign * r * b.x * tb) / bb,
        ]
    };
    let ways = [way(1.0), way(-1.0)];
    let goodness = |w: &[Vec2; 2]| {
        if meet(a, w[0], b, w[1]) {
            return -10_000.0;
        }
        match side {
            Some(s) => (w[0] + w[1]).normalize_or_zero().dot(s),
            None => -(w[0] - w[1]).length_squared(),
        }
    };
    let which = usize::from(goodness(&ways[0]) <= goodness(&ways[1]));
    let w = ways[which];
    if meet(a, w[0], b, w[1]) {
        return None;
    }
    let mut angle = acos(w[0].normalize().dot(w[1].normalize()));
    let turn = -cross(w[0], w[1]);
    if (turn > 0.0 && which == 1) || (turn < 0.0 && which == 0) {
        angle = 2.0 * PI - angle;
    }
    Some((w, r * angle))
}

/// Through a point on the inside of a circle: where the angles to both ends are equal.
fn inner(ends: [Vec2; 2], r: f64) -> Option<[Vec2; 2]> {
    const MOST: usize = 20;
    const TOLERANCE: f64 = 1e-6;
    let [a, b] = ends;
    let (la, lb) = (a.length(), b.length());
    let along = b - a;
    let dd = along.length_squared();
    if la <= r || lb <= r || r < TINY {
        return None;
    }
    if dd > TINY {
        let t = -along.dot(a) / dd;
        if t > 0.0 && t < 1.0 && (a + along * t).length() <= r {
            return None;
        }
    }
    let middle = ((a + b) * 0.5).normalize_or_zero() * r;
    let (ka, kb) = (r / la, r / lb);
    let cosine = (la * la + lb * lb - dd) / (2.0 * la * lb);
    if cosine < -1.0 + TINY {
        return None;
    }
    let fallback = Some([middle, middle]);
    if cosine > 1.0 - TINY {
        return fallback;
    }
    let g = acos(cosine);
    let f = |z: f64| asin(ka * z) + asin(kb * z) - 2.0 * asin(z) + g;
    let slope = |k: f64, z: f64| k / huygens_math::scalar::max(TINY, (1.0 - z * z * k * k).sqrt());
    let mut z = 1.0 - 1e-7;
    let mut value = f(z);
    if value > 0.0 {
        return fallback;
    }
    let mut rounds = 0;
    while rounds < MOST && value.abs() > TOLERANCE {
        let df = slope(ka, z) + slope(kb, z) - 2.0 * slope(1.0, z);
        if df > -TINY {
            return fallback;
        }
        let next = z - value / df;
        if next > z {
            return fallback;
        }
        z = next;
        value = f(z);
        if value > TOLERANCE {
            return fallback;
        }
        rounds += 1;
    }
    if rounds >= MOST {
        return fallback;
    }
    let (from, angle) =
        if cross(a, b) > 0.0 { (a, asin(z) - asin(ka * z)) } else { (b, asin(z) - asin(kb * z)) };
    let v = from.normalize();
    let (s, c) = sin_cos(angle);
    let point = Vec2::new(c * v.x - s * v.y, s * v.x + c * v.y) * r;
    Some([point, point])
}
