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

use super::bias::{TIE, band};
use super::box_faces::{edge_rod, face_id, main_axis, region, sign};
use super::build::Setting;
use super::convex::{Prefer, resolve};
use super::polyhedron::Polyhedron;
use super::rods::{Rod, closest};
use super::round::{Foot, Near, ball_contact, capsule_rod};
use super::surface::Surface;
use crate::gjk::Separation;
use crate::manifold::{Feature, Manifold};
use crate::shape::{Capsule, Sphere};
use huygens_math::scalar::clamp;
use huygens_math::{Pose, Vec3};

#[inline(always)]
fn clamp_to(half: Vec3, p: Vec3) -> Vec3 {
    Vec3::new(clamp(p.x, -half.x, half.x), clamp(p.y, -half.y, half.y), clamp(p.z, -half.z, half.z))
}

/// A ball beside or in a box; `size` is that of the smaller of the two.
#[inline]
pub(crate) fn box_ball(half: Vec3, center: Vec3, radius: f64, size: f64) -> Near {
    let foot = clamp_to(half, center);
    if foot != center {
        let (name, normal) = (region(half, center), Vec3::Z * -sign(center.z));
        return Foot { core: foot, radius: 0.0, name, normal }.near(center, radius);
    }
    // The centre is inside: out through the nearest face.
    let depth = half - center.abs();
    let least = depth.min_element() + TIE * size;
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
    Near {
        normal: -outward,
        gap: -depth[axis] - radius,
        on_a: center + outward * depth[axis],
        name: Feature::face(face_id(axis, center[axis])),
        lever: size,
    }
}

pub(crate) fn box_sphere(
    half: Vec3,
    b: &Sphere,
    b_in_a: &Pose,
    set: &Setting,
    out: &mut Vec<Manifold>,
) -> bool {
    let near = box_ball(half, b_in_a.translation, b.radius, set.size);
    ball_contact(&near, [0.0, b.radius], b_in_a, set, out)
}

/// Adds the contact of a box and a capsule.
pub(crate) fn box_capsule(
    half: Vec3,
    b: &Capsule,
    b_in_a: &Pose,
    set: &Setting,
    out: &mut Vec<Manifold>,
) -> bool {
    let rod = capsule_rod(b, b_in_a);
    let p = rod.center + rod.half * nearest_place(half, &rod);
    let foot = clamp_to(half, p);
    let d = foot - p;
    let distance = d.length();
    let star = if distance > TIE * set.size {
        let (normal, gap) = (d / distance, distance - rod.radius);
        Separation { gap, normal, on_a: foot, on_b: foot - normal * gap }
    } else {
        through(half, &rod, set)
    };
    let (a, b) = (Surface::Polyhedron(Polyhedron::Box(half)), Surface::Capsule(b));
    if star.gap > set.margin {
        return set.part(star.gap);
    }
    resolve(&a, &b, &star, b_in_a, (set, Prefer::A), out)
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
fn through(half: Vec3, rod: &Rod, set: &Setting) -> Separation {
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
    let gap = best - rod.radius;
    let on_a = match edge {
        Some(axis) => {
            let edge = edge_rod(half, axis, -normal);
            edge.center + edge.half * closest(&edge, rod).0
        }
        None => {
            // Under the face, from the end of the axis that is deeper.
            let axis = main_axis(normal);
            let end = if normal[axis] * rod.half[axis] > 0.0 { 1.0 } else { -1.0 };
            let mut foot = clamp_to(half, rod.center + rod.half * end);
            foot[axis] = -sign(normal[axis]) * half[axis];
            foot
        }
    };
    Separation { gap, normal, on_a, on_b: on_a - normal * gap }
}
