//! Two capsules: the closest points of two segments; parallel ones touch at both ends of the stretch where they lie side by side.

use super::super::contact::Touch;
use super::Placed;
use super::sphere::{Ball, balls};
use huygens_math::{Vec3, scalar};

/// Squared sine of the angle below which two capsules are parallel.
const PARALLEL: f64 = 1e-8;

pub(super) fn touch(a: &Placed, b: &Placed, margin: f64, out: &mut Vec<Touch>) {
    let (p, q) = (a.axis() * a.size[1], b.axis() * b.size[1]);
    let between = a.center() - b.center();
    // Stationary point of |c₁ + p x₁ − c₂ − q x₂|².
    let (ma, mb, mc) = (p.dot(p), -p.dot(q), q.dot(q));
    let (u, v) = (-p.dot(between), q.dot(between));
    let det = ma * mc - mb * mb;
    let clip = |x: f64| scalar::clamp(x, -1.0, 1.0);
    let aside = {
        let cross = a.axis().cross(b.axis());
        let length = cross.length();
        if length < 1e-15 { Vec3::X } else { cross / length }
    };
    let mut at = |x1: f64, x2: f64| {
        let first = Ball { center: a.center() + p * x1, radius: a.size[0] };
        let second = Ball { center: b.center() + q * x2, radius: b.size[0] };
        balls(first, second, aside, margin, out);
    };
    if det.abs() >= PARALLEL * ma * mc {
        let (mut x1, mut x2) = ((mc * u - mb * v) / det, (ma * v - mb * u) / det);
        if x1 > 1.0 {
            (x1, x2) = (1.0, (v - mb) / mc);
        } else if x1 < -1.0 {
            (x1, x2) = (-1.0, (v + mb) / mc);
        }
        if x2 > 1.0 {
            (x1, x2) = (clip((u - mb) / ma), 1.0);
        } else if x2 < -1.0 {
            (x1, x2) = (clip((u + mb) / ma), -1.0);
        }
        at(x1, x2);
        return;
    }
    // The stretch of the first that lies beside the second, from its lower to its upper end.
    let ends = [-1.0, 1.0].map(|x2| ((u - mb * x2) / ma, x2));
    let [low, high] = if ends[0].0 <= ends[1].0 { ends } else { [ends[1], ends[0]] };
    for (x1, x2) in [low, high] {
        match clip(x1) {
            inside if inside == x1 => at(x1, x2),
            end => at(end, clip((v - mb * end) / mc)),
        }
    }
}
