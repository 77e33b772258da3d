//! Surfaces that are no shapes: rods, arrows, balls.

use huygens::geometry::tessellation::Surface;
use huygens_math::scalar::max;
use huygens_math::{Vec2, Vec3, trig};
use std::f64::consts::TAU;

/// A thin rod between two points; it has no ends.
pub(crate) fn rod(from: Vec3, to: Vec3, radius: f64) -> Surface {
    tube(&[(from, radius), (to, radius)], 8)
}

/// An arrow from a point along a vector; as thick as it is long allows.
pub(crate) fn arrow(from: Vec3, along: Vec3, thickness: f64) -> Surface {
    let length = along.length();
    let unit = along / max(length, f64::MIN_POSITIVE);
    let head = if length < 5.0 * thickness { 0.6 * length } else { 3.0 * thickness };
    let neck = from + unit * (length - head);
    let wide = if length < 5.0 * thickness { 0.2 * length } else { thickness };
    tube(&[(from, 0.0), (from, 0.45 * wide), (neck, 0.45 * wide), (neck, wide), (from + along, 0.0)], 12)
}

/// A surface around a line: points of the line with radii.
fn tube(line: &[(Vec3, f64)], n: usize) -> Surface {
    let mut faces = Surface::default();
    let (Some(first), Some(last)) = (line.first(), line.last()) else { return faces };
    let axis = (last.0 - first.0).normalize_or(Vec3::Z);
    let side = axis.any_orthonormal_vector();
    let other = axis.cross(side);
    for pair in line.windows(2) {
        let [(a, ra), (b, rb)] = [pair[0], pair[1]];
        let run = (b - a).dot(axis);
        for i in 0..n {
            let out = |i: usize| {
                let at = on_circle(i, n);
                side * at.x + other * at.y
            };
            let normal = |i: usize| (out(i) * run - axis * (rb - ra)).normalize_or(axis);
            let quad = [(a, ra, i), (a, ra, i + 1), (b, rb, i + 1), (b, rb, i)];
            let corners = quad.map(|(p, r, i)| faces.point(p + out(i) * r, normal(i)));
            faces.face(&corners);
        }
    }
    faces
}

/// The point at angle 2π i/n of the unit circle.
fn on_circle(i: usize, n: usize) -> Vec2 {
    let (sin, cos) = trig::sin_cos(TAU * (i % n) as f64 / n as f64);
    Vec2::new(cos, sin)
}
