//! The last digits of a contact with a curved rim.
//!
//! GJK and EPA approach a curved feature by points of it, and stop when the distance is right to 1e-12: the normal is
//! then right to 1e-6 only, and round-off in the pose shows in it. Once the features are known, the closest points of
//! two curves solve two equations, and Newton's method has them to the last digit.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | x(s), y(t) | | points of the curves of A and B: a corner, an edge, an axis or a rim | m |
//! | w | `w` | x − y | m |
//!
//! At the closest points w·x' = 0 and w·y' = 0, for shapes apart and for shapes that overlap alike. The normal is along
//! w, and also across both curves: the latter is better conditioned where the curves cross at an angle.

use crate::gjk::Separation;
use huygens_math::{Pose, Vec2, Vec3, trig};

/// Newton steps; from six right digits two would do.
const STEPS: usize = 6;

/// The polished normal and gap must be this close to those of GJK, or the features were misread.
const SAME: f64 = 1e-3;

/// Sine of the angle between curves from which on their common normal is taken.
const CROSS: f64 = 0.1;

/// Sine of the angle between lines up to which they are parallel.
const PARALLEL: f64 = 1e-6;

/// What of a shape takes part in a contact.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Curve {
    Point(Vec3),
    /// A point and a unit vector.
    Line(Vec3, Vec3),
    /// Centre, two half axes.
    Circle(Vec3, Vec3, Vec3),
}

struct Place {
    at: Vec3,
    first: Vec3,
    second: Vec3,
}

impl Curve {
    pub fn placed(&self, pose: &Pose) -> Self {
        match *self {
            Self::Point(p) => Self::Point(pose.transform(p)),
            Self::Line(p, e) => Self::Line(pose.transform(p), pose.rotate(e)),
            Self::Circle(c, u, v) => Self::Circle(pose.transform(c), pose.rotate(u), pose.rotate(v)),
        }
    }

    /// The parameter of the point of the curve near `p`.
    fn parameter(&self, p: Vec3) -> f64 {
        match *self {
            Self::Point(_) => 0.0,
            Self::Line(q, e) => (p - q).dot(e),
            Self::Circle(c, u, v) => trig::atan2((p - c).dot(v), (p - c).dot(u)),
        }
    }

    fn place(&self, s: f64) -> Place {
        match *self {
            Self::Point(p) => Place { at: p, first: Vec3::ZERO, second: Vec3::ZERO },
            Self::Line(p, e) => Place { at: p + e * s, first: e, second: Vec3::ZERO },
            Self::Circle(c, u, v) => {
                let (sin, cos) = trig::sin_cos(s);
                let out = u * cos + v * sin;
                Place { at: c + out, first: v * cos - u * sin, second: -out }
            }
        }
    }
}

/// A curve with a radius around it, in A's frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strand {
    pub curve: Curve,
    pub radius: f64,
}

/// The separation `star` with the closest points of the two strands in place of GJK's.
pub(crate) fn polish(a: &Strand, b: &Strand, star: &Separation, size: f64) -> Option<Separation> {
    if let (Curve::Line(p, e), Curve::Line(q, f)) = (a.curve, b.curve)
        && e.cross(f).length_squared() < PARALLEL * PARALLEL
    {
        let w = p - q;
        return checked([a.radius, b.radius], w - e * w.dot(e), star, size);
    }
    let mut at = Vec2::new(a.curve.parameter(star.on_a), b.curve.parameter(star.on_b));
    for _ in 0..STEPS {
        at -= step(&a.curve.place(at.x), &b.curve.place(at.y))?;
    }
    let (x, y) = (a.curve.place(at.x), b.curve.place(at.y));
    let w = x.at - y.at;
    let cross = x.first.cross(y.first);
    let angle = x.first.length() * y.first.length() * CROSS;
    let normal = if cross.length() > angle && angle > 0.0 { cross } else { w };
    let length = normal.length();
    if length <= 1e-6 * size * if angle > 0.0 && cross.length() > angle { 0.0 } else { 1.0 } {
        return None;
    }
    let normal = normal / if normal.dot(star.normal) < 0.0 { -length } else { length };
    let gap = w.dot(normal) - a.radius - b.radius;
    if (normal - star.normal).length() > SAME || (gap - star.gap).abs() > SAME * size {
        return None;
    }
    let middle = 0.5 * (x.at - normal * a.radius + y.at + normal * b.radius);
    Some(Separation { gap, normal, on_a: middle + normal * (0.5 * gap), on_b: middle - normal * (0.5 * gap) })
}

/// The separation of two parallel lines that are `w` apart, with the witness points left where they were along the lines.
fn checked([r_a, r_b]: [f64; 2], w: Vec3, star: &Separation, size: f64) -> Option<Separation> {
    let length = w.length();
    if length <= 1e-6 * size {
        return None;
    }
    let normal = w / if w.dot(star.normal) < 0.0 { -length } else { length };
    let gap = w.dot(normal) - r_a - r_b;
    if (normal - star.normal).length() > SAME || (gap - star.gap).abs() > SAME * size {
        return None;
    }
    let middle = 0.5 * (star.on_a + star.on_b);
    Some(Separation { gap, normal, on_a: middle + normal * (0.5 * gap), on_b: middle - normal * (0.5 * gap) })
}

/// One step of Newton's method for the stationary points of |w|²/2; none where the curves say nothing.
fn step(x: &Place, y: &Place) -> Option<Vec2> {
    let w = x.at - y.at;
    let gradient = Vec2::new(w.dot(x.first), -w.dot(y.first));
    let (mut xx, xy) = (x.first.length_squared() + w.dot(x.second), -x.first.dot(y.first));
    let mut yy = y.first.length_squared() - w.dot(y.second);
    // A corner does not move.
    if x.first == Vec3::ZERO {
        xx = 1.0;
    }
    if y.first == Vec3::ZERO {
        yy = 1.0;
    }
    let det = xx * yy - xy * xy;
    if det.abs() <= 1e-9 * (xx * yy).abs() {
        return None;
    }
    Some(Vec2::new(yy * gradient.x - xy * gradient.y, xx * gradient.y - xy * gradient.x) / det)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_over_a_rim_gets_its_closest_point_to_the_last_digit() {
        // A unit circle in the xy plane, a line along x at y = 0.6, z = 0.5: closest where the circle has y = … by the
        // symmetry in x at (0, 1, 0)? No: at equal distance from the line's foot. The condition is solved by hand for
        // a line along the tangent at (0, 1, 0): closest point (0, 1, 0).
        let circle = Strand { curve: Curve::Circle(Vec3::ZERO, Vec3::X, Vec3::Y), radius: 0.0 };
        let line = Strand { curve: Curve::Line(Vec3::new(0.0, 1.3, 0.4), Vec3::X), radius: 0.0 };
        let d = Vec3::new(0.0, 0.3, 0.4);
        let rough = Vec3::new(1e-5, 0.6, 0.8).normalize();
        let star =
            Separation { gap: 0.5, normal: -rough, on_a: Vec3::new(1e-5, 1.0, 0.0), on_b: d + Vec3::Y };
        let found = polish(&circle, &line, &star, 1.0).unwrap();
        assert!((found.normal + Vec3::new(0.0, 0.6, 0.8)).length() < 1e-15);
        assert!((found.gap - 0.5).abs() < 1e-15 && (found.on_a - Vec3::Y).length() < 1e-15);
    }
}
