//! Two straight rods: segments with a radius. Capsules are rods; so are edges (radius 0) and the sides of cylinders.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | c, h | `center`, `half` | middle of the segment, vector from there to its second end | m |
//! | s, t | `s`, `t` | place on A and on B, from −1 to 1 | – |
//! | x, y | `on_a`, `on_b` | the points there | m |
//!
//! Crossed rods touch at one point, parallel ones along a line. There is no angle at which one becomes the other:
//! the ends of the stretch where the rods run side by side are contact points when their own distance is within the
//! margin, and the closest pair of points is one unless an end says nearly the same.

use super::build::Setting;
use crate::clip::axes_across;
use crate::manifold::{Feature, FeatureId, Manifold, ManifoldPoint, Reference};
use huygens_math::scalar::{clamp, max, min};
use huygens_math::{Pose, Vec3};

/// An end is a contact point only while the line between the rods there keeps within this cosine of the normal.
const SAME_WAY: f64 = 0.9995;

/// A manifold is kept only while it is within this one: the gap of an end is its distance, and not that along the normal.
const KEPT_WAY: f64 = 0.9999;

/// Sine of the largest angle from across the normal at which a rod touches along a line: the far end is covered by the
/// rest of a steeper one.
const LEVEL: f64 = 0.04;

/// Sine of the largest angle from across a blunt rod at which its end can be taken for the end of a line.
const AT_BLUNT_END: f64 = 0.03;

/// The same where the other rod ends there too.
const EXACTLY_BESIDE: f64 = 1e-6;

/// Cosine of the largest angle between the normal and the expected one, 1.4e-3 rad.
const EXPECTED_WAY: f64 = 1.0 - 1e-6;

/// The closest pair is left out when an end is farther by less than this part of the size: rods side by side would
/// else have a third point at the slightest turn.
const NEARLY: f64 = 1e-4;

/// A point of a rod this close to an end, in parts of the size, is named after the end: rods of equal length side by
/// side would else change names with the last bit.
const AT_END: f64 = 1e-3;

/// A segment with a radius, in the frame of A.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rod {
    pub center: Vec3,
    pub half: Vec3,
    pub radius: f64,
    /// True when it ends flat, as a cylinder does, and not in a ball.
    pub blunt: bool,
    /// Names of the end at −half, of the end at +half, and of the line.
    pub names: [Feature; 3],
}

impl Rod {
    #[inline(always)]
    fn at(&self, s: f64) -> Vec3 {
        self.center + self.half * s
    }

    /// Place of the point of the segment that is closest to `p`.
    #[inline]
    pub fn nearest(&self, p: Vec3) -> f64 {
        let square = self.half.length_squared();
        if square > 0.0 { clamp((p - self.center).dot(self.half) / square, -1.0, 1.0) } else { 0.0 }
    }

    /// The point of the surface at `s` towards the unit vector `direction`.
    #[inline]
    fn surface(&self, s: f64, direction: Vec3) -> Vec3 {
        if !self.blunt {
            return self.at(s) + direction * self.radius;
        }
        let along = self.half * (direction.dot(self.half) / self.half.length_squared());
        self.at(s) + (direction - along).normalize_or_zero() * self.radius
    }

    /// True when the rod is across the normal, so that its line and not only one end of it can touch.
    fn is_level(&self, normal: Vec3) -> bool {
        let along = normal.dot(self.half);
        along * along <= LEVEL * LEVEL * self.half.length_squared()
    }

    /// True when `s` is an end of a blunt rod.
    fn at_blunt_end(&self, s: f64) -> bool {
        self.blunt && s.abs() >= 1.0
    }

    /// True when the point at `s` can touch `other` at `t` in the direction `normal`: the end of a blunt rod is a rim,
    /// and nothing like the end of a line if the other rod is not beside this one.
    fn lies_beside(&self, s: f64, normal: Vec3, other: &Rod, t: f64) -> bool {
        if !self.at_blunt_end(s) {
            return true;
        }
        let square = self.half.length_squared();
        let along = normal.dot(self.half);
        let limit = if t.abs() >= 1.0 { EXACTLY_BESIDE } else { AT_BLUNT_END };
        let parallel = self.half.dot(other.half);
        along * along <= limit * limit * square
            && parallel * parallel
                >= (1.0 - AT_BLUNT_END * AT_BLUNT_END) * square * other.half.length_squared()
    }

    fn name(&self, s: f64, slack: f64) -> Feature {
        let from_end = (1.0 - s.abs()) * self.half.length();
        if from_end > slack {
            self.names[2]
        } else if s < 0.0 {
            self.names[0]
        } else {
            self.names[1]
        }
    }
}

/// Distance of two segments.
pub(crate) fn distance(a: &Rod, b: &Rod) -> f64 {
    let (s, t) = closest(a, b);
    (a.at(s) - b.at(t)).length()
}

/// Places of the closest points of two segments; for parallel ones the middle of the stretch they share.
pub(crate) fn closest(a: &Rod, b: &Rod) -> (f64, f64) {
    let d = a.center - b.center;
    let (aa, bb, ab) = (a.half.length_squared(), b.half.length_squared(), a.half.dot(b.half));
    let (ad, bd) = (a.half.dot(d), b.half.dot(d));
    if aa <= 0.0 {
        return (0.0, b.nearest(a.center));
    }
    if bb <= 0.0 {
        return (a.nearest(b.center), 0.0);
    }
    let det = aa * bb - ab * ab;
    let s = if det > 1e-12 * aa * bb {
        clamp((ab * bd - bb * ad) / det, -1.0, 1.0)
    } else {
        let (low, high) = shared(a, b);
        clamp(0.5 * (low + high), -1.0, 1.0)
    };
    let t = b.nearest(a.at(s));
    // With t clamped to an end the best s is the one closest to that end.
    let s = a.nearest(b.at(t));
    (s, b.nearest(a.at(s)))
}

/// The stretch of A's line beside which B runs, limited to A; empty when its first number is the larger.
fn shared(a: &Rod, b: &Rod) -> (f64, f64) {
    let square = a.half.length_squared();
    let middle = (b.center - a.center).dot(a.half) / square;
    let half = (b.half.dot(a.half) / square).abs();
    (max(-1.0, middle - half), min(1.0, middle + half))
}

/// What is known of two rods beforehand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expected {
    /// The normal to take where the segments cross each other; zero when nothing is known.
    pub normal: Vec3,
    /// The gap that they must have, with a tolerance, to be what touches.
    pub gap: Option<(f64, f64)>,
}

#[derive(Clone, Copy, Debug)]
struct Touch {
    gap: f64,
    on_a: Vec3,
    on_b: Vec3,
}

struct Pair<'p> {
    a: &'p Rod,
    b: &'p Rod,
    normal: Vec3,
}

impl Pair<'_> {
    fn touch(&self, s: f64, t: f64, direction: Vec3, distance: f64) -> Touch {
        let (a, b, n) = (self.a, self.b, self.normal);
        let (mut on_a, mut on_b) = (a.surface(s, -direction), b.surface(t, direction));
        let mut gap = distance - a.radius - b.radius;
        if b.at_blunt_end(t) {
            gap = n.dot(on_a - on_b);
            on_a = on_b + n * gap;
        } else if a.at_blunt_end(s) {
            gap = n.dot(on_a - on_b);
            on_b = on_a - n * gap;
        } else {
            let (middle, half) = (0.5 * (on_a + on_b), n * (0.5 * gap));
            (on_a, on_b) = (middle + half, middle - half);
        }
        Touch { gap, on_a, on_b }
    }
}

/// Adds the contact of two rods; false when they do not touch, or not as expected.
pub(crate) fn rods(
    a: &Rod,
    b: &Rod,
    b_in_a: &Pose,
    set: &Setting,
    expected: &Expected,
    out: &mut Vec<Manifold>,
) -> bool {
    let (s, t) = closest(a, b);
    let d = a.at(s) - b.at(t);
    let distance = d.length();
    let tiny = 1e-12 * (set.size + a.radius + b.radius);
    let normal = if distance > tiny { d * (1.0 / distance) } else { crossing_normal(a, b, expected.normal) };
    let pair = Pair { a, b, normal };
    let nearest = pair.touch(s, t, normal, distance);
    if !(a.lies_beside(s, normal, b, t) && b.lies_beside(t, normal, a, s)) {
        return false;
    }
    let surprising = |(gap, tolerance): (f64, f64)| {
        (nearest.gap - gap).abs() > tolerance || normal.dot(expected.normal) < EXPECTED_WAY
    };
    if nearest.gap > set.margin || expected.gap.is_some_and(surprising) {
        return false;
    }
    out.push(Manifold::new(normal, Reference::A));
    let last = out.len() - 1;
    let out = &mut out[last];
    out.round = [a.radius, b.radius];
    let slack = AT_END * set.size;
    let mut push = |p: &Touch, feature: FeatureId| {
        out.push(ManifoldPoint { on_a: p.on_a, on_b: b_in_a.inverse_transform(p.on_b), gap: p.gap, feature });
    };
    let (mut least, mut same_way) = (f64::INFINITY, 1.0);
    let level = a.is_level(normal) && b.is_level(normal);
    for (s, t, feature) in ends(a, b, slack).into_iter().flatten() {
        let d = a.at(s) - b.at(t);
        let distance = d.length();
        let direction = if distance > tiny { d * (1.0 / distance) } else { normal };
        let end = pair.touch(s, t, direction, distance);
        let beside = level && a.lies_beside(s, normal, b, t) && b.lies_beside(t, normal, a, s);
        if end.gap <= set.margin && direction.dot(normal) >= SAME_WAY && beside {
            least = min(least, end.gap);
            same_way = min(same_way, direction.dot(normal));
            push(&end, feature);
        }
    }
    let ends_only = least <= nearest.gap + NEARLY * set.size;
    if !ends_only {
        let slack = if least < f64::INFINITY { -1.0 } else { slack };
        push(&nearest, FeatureId { a: a.name(s, slack), b: b.name(t, slack) });
    }
    let farther = if ends_only { least - nearest.gap } else { 0.0 };
    if same_way > KEPT_WAY {
        out.reuse = set.reuse_of_rods(nearest.gap, distance, farther, a.half.length());
    }
    true
}

/// A pair of places with what meets there.
type End = (f64, f64, FeatureId);

/// The two ends of the stretch that the rods share; none where they share less than `slack`. Each is an end of one of the
/// rods, so no two have the same name.
fn ends(a: &Rod, b: &Rod, slack: f64) -> [Option<End>; 2] {
    let length = a.half.length();
    if length <= slack || b.half.length_squared() <= slack * slack {
        return [None; 2];
    }
    let (low, high) = shared(a, b);
    if (high - low) * length <= slack {
        return [None; 2];
    }
    let same_sense = if b.half.dot(a.half) < 0.0 { -1.0 } else { 1.0 };
    let pair = |limit: f64, s: f64| {
        if s == limit {
            let t = b.nearest(a.at(s));
            return Some((s, t, FeatureId { a: a.name(s, 0.0), b: b.name(t, slack) }));
        }
        let t = limit * same_sense;
        let s = a.nearest(b.at(t));
        Some((s, t, FeatureId { a: a.name(s, slack), b: b.name(t, 0.0) }))
    };
    [pair(-1.0, low), pair(1.0, high)]
}

/// The normal of segments that cross: across both, towards A's middle.
fn crossing_normal(a: &Rod, b: &Rod, expected: Vec3) -> Vec3 {
    if expected != Vec3::ZERO {
        return expected;
    }
    let cross = a.half.cross(b.half);
    let scale = a.half.length_squared() * b.half.length_squared();
    let square = cross.length_squared();
    let away = a.center - b.center;
    if square > 1e-18 * scale && scale > 0.0 {
        let n = cross / square.sqrt();
        return if n.dot(away) < 0.0 { -n } else { n };
    }
    let along = if a.half.length_squared() > 0.0 { a.half } else { b.half };
    let length = along.length();
    if length > 0.0 { axes_across(along / length).0 } else { Vec3::Z }
}

#[cfg(test)]
mod tests {
    use super::*;
    use huygens_math::SplitMix;

    fn rod(center: Vec3, half: Vec3) -> Rod {
        Rod {
            center,
            half,
            radius: 0.1,
            blunt: false,
            names: [Feature::vertex(0), Feature::vertex(1), Feature::edge(0)],
        }
    }

    #[test]
    fn closest_points_beat_every_point_of_a_fine_grid() {
        let mut random = SplitMix::new(11);
        for _ in 0..300 {
            let a = rod(random.in_cube(), random.in_cube());
            let parallel = random.unit() < 0.2;
            let half = if parallel { a.half * random.range(-2.0, 2.0) } else { random.in_cube() };
            let b = rod(random.in_cube(), half);
            let (s, t) = closest(&a, &b);
            let found = (a.at(s) - b.at(t)).length();
            for i in 0..=40 {
                for j in 0..=40 {
                    let (s, t) = (f64::from(i) / 20.0 - 1.0, f64::from(j) / 20.0 - 1.0);
                    // Parallel lines lose half the digits of the determinant.
                    assert!(
                        found <= (a.at(s) - b.at(t)).length() + 1e-6 * f64::from(u8::from(parallel)) + 1e-12
                    );
                }
            }
        }
    }
}
