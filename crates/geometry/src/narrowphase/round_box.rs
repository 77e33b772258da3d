//! Spheres and capsules against boxes and walls. A is the box, B the round shape.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | h | `half` | half edges of the box; h_z = 0 for a wall | m |
//! | c, d | `rod.center`, `rod.half` | middle of the capsule's axis, vector to its second end | m |
//! | e(t) | `excess` | p − clamp(p, −h, h) at p = c + t d: vector from the box to the axis | m |
//!
//! The distance of the axis from the box is the least |e(t)|. Its square is convex with the derivative 2 d·e(t),
//! which is linear between the at most six places where a coordinate of p crosses ±h: the zero is found exactly.
//! An axis that reaches into the box is parted from it along a normal of the box or across one of its edges.

use super::bias::{ROUND_ANGLE, TIE, band};
use super::box_faces::{edge_id, edge_rod, face_frame, face_id, main_axis, next, region, sign};
use super::build::{Lie, Setting, face_manifold, least_gap, point};
use super::rods::{Expected, Rod, rods};
use super::round::{Foot, ball_contact, capsule_rod};
use crate::manifold::{Feature, FeatureId, Manifold, ManifoldPoint};
use crate::reduce::Candidate;
use crate::shape::{Capsule, Sphere};
use arrayvec::ArrayVec;
use huygens_math::scalar::{clamp, max};
use huygens_math::{Pose, Vec3};

#[inline(always)]
fn clamp_to(half: Vec3, p: Vec3) -> Vec3 {
    Vec3::new(clamp(p.x, -half.x, half.x), clamp(p.y, -half.y, half.y), clamp(p.z, -half.z, half.z))
}

pub(crate) fn box_sphere(
    half: Vec3,
    b: &Sphere,
    b_in_a: &Pose,
    set: &Setting,
    out: &mut Vec<Manifold>,
) -> bool {
    let center = b_in_a.translation;
    let foot = clamp_to(half, center);
    if foot != center {
        let foot = Foot { core: foot, radius: 0.0, name: region(half, center), normal: Vec3::Z };
        return ball_contact(&foot, b.radius, b_in_a, set, out);
    }
    // The centre is inside: out through the nearest face.
    let depth = half - center.abs();
    let least = depth.min_element() + TIE * set.size;
    let axis = if depth.z <= least && half.z == 0.0 {
        2
    } else if depth.x <= least {
        0
    } else if depth.y <= least {
        1
    } else {
        2
    };
    let outward = Vec3::AXES[axis] * sign(center[axis]);
    let gap = -depth[axis] - b.radius;
    let at = ManifoldPoint {
        on_a: center + outward * depth[axis],
        on_b: b_in_a.inverse_rotate(-outward * b.radius),
        gap,
        feature: FeatureId { a: Feature::face(face_id(axis, center[axis])), b: Feature::vertex(0) },
    };
    out.push(Manifold::of_point(-outward, [0.0, b.radius], set.reuse_of_ball(set.size), at));
    true
}

/// How an axis and a box are parted: along `normal`, which points to the box, by `gap` between their surfaces.
struct Parting {
    normal: Vec3,
    gap: f64,
    /// Place on the axis and point of the box that are closest; none when the axis reaches into the box.
    closest: Option<(f64, Vec3)>,
    /// Axis of the box edge across which they are parted.
    edge: Option<usize>,
}

pub(crate) fn box_capsule(
    half: Vec3,
    b: &Capsule,
    b_in_a: &Pose,
    set: &Setting,
    out: &mut Vec<Manifold>,
) -> bool {
    let rod = capsule_rod(b, b_in_a);
    let t = nearest_place(half, &rod);
    let p = rod.center + rod.half * t;
    let foot = clamp_to(half, p);
    let d = foot - p;
    let distance = d.length();
    let parting = if distance > TIE * set.size {
        if distance - rod.radius > set.margin {
            return false;
        }
        let beyond = [d.x != 0.0, d.y != 0.0, d.z != 0.0];
        let edge = match beyond {
            [false, true, true] => Some(0),
            [true, false, true] => Some(1),
            [true, true, false] => Some(2),
            _ => None,
        };
        Parting { normal: d / distance, gap: distance - rod.radius, closest: Some((t, foot)), edge }
    } else {
        through(half, &rod, set)
    };
    let contact = Contact { half, rod: &rod, parting: &parting, b_in_a, set };
    contact.on_face(out) || contact.along_edge(out) || contact.at_point(out)
}

/// The place on the axis that is closest to the box.
fn nearest_place(half: Vec3, rod: &Rod) -> f64 {
    let (c, d) = (rod.center, rod.half);
    let slope = |t: f64| {
        let p = c + d * t;
        d.dot(p - clamp_to(half, p))
    };
    let (mut low, mut high) = (-1.0, 1.0);
    let (mut slope_low, mut slope_high) = (slope(low), slope(high));
    if slope_low >= 0.0 {
        // Flat from here on: the stretch over a face has no closest point; its middle is as good as any.
        return if slope_low > 0.0 || slope_high > 0.0 { low } else { 0.0 };
    }
    if slope_high <= 0.0 {
        return high;
    }
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            let t = (side * half[axis] - c[axis]) / d[axis];
            if t > low && t < high {
                let s = slope(t);
                if s < 0.0 {
                    (low, slope_low) = (t, s);
                } else {
                    (high, slope_high) = (t, s);
                }
            }
        }
    }
    let t = low - slope_low * (high - low) / (slope_high - slope_low);
    clamp(t, low, high)
}

/// The shortest way out of the box for an axis that reaches into it; faces before edges.
fn through(half: Vec3, rod: &Rod, set: &Setting) -> Parting {
    let (c, d) = (rod.center, rod.half);
    let mut best = f64::NEG_INFINITY;
    let mut normal = Vec3::Z;
    for axis in 0..3 {
        let apart = c[axis].abs() - half[axis] - d[axis].abs();
        if apart > best + TIE * set.size {
            best = apart;
            normal = Vec3::AXES[axis] * -sign(c[axis]);
        }
    }
    let mut edge = None;
    let face_best = best;
    for axis in 0..3 {
        let l = Vec3::AXES[axis].cross(d);
        let length = l.length();
        if length <= 1e-4 * d.length() || length == 0.0 {
            continue;
        }
        let l = l / length;
        let apart = c.dot(l).abs() - half.dot(l.abs());
        if apart > best + TIE * set.size && apart > face_best + band(face_best, set.size) {
            best = apart;
            normal = l * -sign(c.dot(l));
            edge = Some(axis);
        }
    }
    Parting { normal, gap: best - rod.radius, closest: None, edge }
}

/// A capsule's axis and a box, with the way they are parted.
struct Contact<'c> {
    half: Vec3,
    rod: &'c Rod,
    parting: &'c Parting,
    b_in_a: &'c Pose,
    set: &'c Setting,
}

/// A place on the axis, with what of the box and of the capsule meets there.
type Place = (f64, Feature, Feature);

impl Contact<'_> {
    /// Both ends of the part of the axis that lies over the face which the normal meets.
    fn on_face(&self, out: &mut Vec<Manifold>) -> bool {
        let (rod, parting, set) = (self.rod, self.parting, self.set);
        let axis = main_axis(parting.normal);
        let flat = parting.normal[axis].abs();
        if parting.closest.is_some() && 1.0 - flat > 0.5 * ROUND_ANGLE * ROUND_ANGLE {
            return false;
        }
        let side = -sign(parting.normal[axis]);
        let Some(places) = self.places_over(axis, side) else { return false };
        let frame = face_frame(self.half, axis, side);
        let mut candidates: ArrayVec<Candidate, 2> = ArrayVec::new();
        for (t, reference, incident) in places {
            let (at, height) = frame.project(rod.center + rod.half * t);
            let gap = height - rod.radius;
            if gap <= set.margin {
                candidates.push(Candidate { at, gap, reference, incident, minor: false });
            }
        }
        if (least_gap(&candidates) - parting.gap).abs() > band(parting.gap, set.size) || candidates.is_empty()
        {
            return false;
        }
        let slope = rod.half[axis].abs() / max(rod.half.length(), f64::MIN_POSITIVE);
        let found = face_manifold(&frame, &mut candidates, self.b_in_a, (set, &Lie::sloped(slope)), out);
        found.round = [0.0, rod.radius];
        true
    }

    /// The ends of the part of the axis that lies over a face.
    fn places_over(&self, axis: usize, side: f64) -> Option<[Place; 2]> {
        let (half, rod) = (self.half, self.rod);
        let (u, v) = (next(axis), next(next(axis)));
        let mut low = (-1.0, Feature::face(face_id(axis, side)), Feature::vertex(0));
        let mut high = (1.0, low.1, Feature::vertex(1));
        for (across, along) in [(u, v), (v, u)] {
            let slack = crate::clip::ON_OUTLINE * half[across];
            let (c, d) = (rod.center[across], rod.half[across]);
            for edge_side in [-1.0, 1.0] {
                // Inside is where edge_side·(c + t d) ≤ h.
                let beyond = |t: f64| edge_side * (c + t * d) - half[across] > slack;
                let (first, last) = (beyond(low.0), beyond(high.0));
                if first && last {
                    return None;
                }
                if first || last {
                    let t = clamp((edge_side * half[across] - c) / d, low.0, high.0);
                    let mut at = Vec3::ZERO;
                    at[axis] = side;
                    at[across] = edge_side;
                    let place = (t, Feature::edge(edge_id(along, at)), Feature::edge(0));
                    *(if first { &mut low } else { &mut high }) = place;
                }
            }
        }
        Some([low, high])
    }

    /// A capsule beside an edge of the box.
    fn along_edge(&self, out: &mut Vec<Manifold>) -> bool {
        let parting = self.parting;
        let (Some(axis), Some(_)) = (parting.edge, parting.closest) else { return false };
        let edge = edge_rod(self.half, axis, -parting.normal);
        // The edge must be the one that matters: its distance is that of the whole box.
        let allowed = (parting.gap, band(parting.gap, self.set.size));
        rods(
            &edge,
            self.rod,
            self.b_in_a,
            self.set,
            &Expected { normal: parting.normal, gap: Some(allowed) },
            out,
        )
    }

    /// One point, where the two are closest, or where they cross.
    fn at_point(&self, out: &mut Vec<Manifold>) -> bool {
        let (rod, parting) = (self.rod, self.parting);
        if parting.gap > self.set.margin {
            return false;
        }
        let n = parting.normal;
        let (t, foot, name) = match parting.closest {
            Some((t, foot)) => (t, foot, region(self.half, rod.center + rod.half * t)),
            None => deepest_place(self.half, rod, parting),
        };
        let end = if t <= -1.0 {
            Feature::vertex(0)
        } else if t >= 1.0 {
            Feature::vertex(1)
        } else {
            Feature::edge(0)
        };
        let feature = FeatureId { a: name, b: end };
        let at = point(foot, foot - n * parting.gap, parting.gap, self.b_in_a, feature);
        let reuse = self.set.reuse_of_point(parting.gap, (parting.gap + rod.radius).abs());
        out.push(Manifold::of_point(n, [0.0, rod.radius], reuse, at));
        true
    }
}

/// Where an axis that reaches into the box has to leave it: place on the axis and point on the box's surface.
fn deepest_place(half: Vec3, rod: &Rod, parting: &Parting) -> (f64, Vec3, Feature) {
    let n = parting.normal;
    if let Some(axis) = parting.edge {
        let edge = edge_rod(half, axis, -n);
        let (s, t) = super::rods::closest(&edge, rod);
        let foot = edge.center + edge.half * s;
        return (t, foot, edge.names[2]);
    }
    let axis = main_axis(n);
    // The end that is deeper behind the face, moved along the axis until it lies under the face.
    let side = -sign(n[axis]);
    let t = if side * rod.half[axis] > 0.0 { -1.0 } else { 1.0 };
    let p = clamp_to(half, rod.center + rod.half * t);
    let mut foot = p;
    foot[axis] = side * half[axis];
    (t, foot, Feature::face(face_id(axis, side)))
}
