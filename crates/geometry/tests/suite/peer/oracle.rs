//! Distances and depths from support functions alone, written anew here: no code of the crate is used but the data of
//! the shapes.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | n | `normal` | a unit vector, from B to A |
//! | σ(n) | `apart` | min n·x over A less max n·x over B: how far A and B are apart along n |
//!
//! For closed convex A and B the signed distance is the largest σ. Each single σ(n) is a bound from below; two points
//! of A and of B are a bound from above when the shapes are apart. For an overlap the bound from above is the sweep:
//! many directions, the best of them refined by climbing.

use super::sample::Pair;
use huygens_geometry::CollisionShape;
use huygens_math::{Pose, SplitMix, Vec3, trig};

/// The point of a bounded shape (or of the half-space, upwards) that lies farthest along the unit vector `d`.
pub fn farthest(shape: &CollisionShape, d: Vec3) -> Vec3 {
    let signed = |half: Vec3| Vec3::new(half.x.copysign(d.x), half.y.copysign(d.y), half.z.copysign(d.z));
    match shape {
        CollisionShape::Sphere(s) => d * s.radius,
        CollisionShape::Capsule(s) => d * s.radius + Vec3::Z * s.half_length.copysign(d.z),
        CollisionShape::Box(s) => signed(s.half),
        CollisionShape::Wall(s) => signed(s.half.extend(0.0)),
        CollisionShape::Cylinder(s) => {
            let across = Vec3::new(d.x, d.y, 0.0).normalize_or_zero();
            across * s.radius + Vec3::Z * s.half_length.copysign(d.z)
        }
        CollisionShape::Hull(s) => {
            let mut best = s.vertices()[0];
            for v in s.vertices() {
                if v.dot(d) > best.dot(d) {
                    best = *v;
                }
            }
            best
        }
        CollisionShape::HalfSpace => Vec3::ZERO,
        _ => unreachable!("a container is not convex"),
    }
}

/// Distance by which `p` sticks out of a shape: positive outside, 0 on the surface, negative inside; exact for all but
/// corners and edges seen from outside, where it is a bound from below.
pub fn outside(shape: &CollisionShape, p: Vec3) -> f64 {
    let box_like = |half: Vec3| (p.abs() - half).max_element();
    match shape {
        CollisionShape::Sphere(s) => p.length() - s.radius,
        CollisionShape::Capsule(s) => {
            let z = p.z.clamp(-s.half_length, s.half_length);
            (p - Vec3::Z * z).length() - s.radius
        }
        CollisionShape::Box(s) => box_like(s.half),
        CollisionShape::Wall(s) => box_like(s.half.extend(0.0)),
        CollisionShape::Cylinder(s) => larger(p.truncate().length() - s.radius, p.z.abs() - s.half_length),
        CollisionShape::Hull(s) => (0..s.face_count())
            .map(|i| {
                // The plane from the corners, not from what the hull has stored.
                let f = s.face(i);
                let c = |k: usize| s.vertices()[f.vertices[k] as usize];
                let mut area = Vec3::ZERO;
                for k in 2..f.vertices.len() {
                    area += (c(k - 1) - c(0)).cross(c(k) - c(0));
                }
                area.normalize().dot(p - c(0))
            })
            .fold(f64::NEG_INFINITY, larger),
        CollisionShape::Cone(s) => {
            // Across the side, whose outward normal leans from the axis by the tip's half angle.
            let (rise, run) = (2.0 * s.half_length, s.radius);
            let side = ((p.truncate().length() * rise) + (p.z - s.half_length) * run)
                / (rise * rise + run * run).sqrt();
            larger(side, -p.z - s.half_length)
        }
        CollisionShape::Ellipsoid(s) => ((p / s.radii).length() - 1.0) * s.radii.min_element(),
        CollisionShape::Mesh(_) => unreachable!("a mesh is no solid here"),
        CollisionShape::HalfSpace => p.z,
        CollisionShape::BoxInside(s) => -box_like(s.half),
        CollisionShape::CylinderInside(s) => {
            -larger(p.truncate().length() - s.radius, p.z.abs() - s.half_length)
        }
    }
}

/// Distance of `p` from the surface of a shape. The walls of a container go on beyond its corners: what pokes out of
/// one there still touches the others.
pub fn off_surface(shape: &CollisionShape, p: Vec3) -> f64 {
    match shape {
        CollisionShape::BoxInside(s) => (p.abs() - s.half).abs().min_element(),
        CollisionShape::CylinderInside(s) => {
            smaller((p.truncate().length() - s.radius).abs(), (p.z.abs() - s.half_length).abs())
        }
        _ => outside(shape, p).abs(),
    }
}

pub fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

pub fn smaller(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// σ(n), with n in A's frame.
pub fn apart(pair: &Pair, normal: Vec3) -> f64 {
    let pose = &pair.b_in_a;
    let low = farthest(&pair.a, -normal).dot(normal);
    let high = pose.transform(farthest(&pair.b, pose.inverse_rotate(normal))).dot(normal);
    low - high
}

/// The largest σ known after a sweep, with its normal.
#[derive(Clone, Copy, Debug)]
pub struct Best {
    pub gap: f64,
    pub normal: Vec3,
}

/// The largest σ over `coarse` directions spread over the sphere, the shapes' own directions and `hints`; the `climbs`
/// best of them refined. Never larger than the truth.
pub fn sweep(pair: &Pair, coarse: usize, climbs: usize, hints: &[Vec3]) -> Best {
    if matches!(pair.a, CollisionShape::HalfSpace) {
        // Any other direction has σ = −∞.
        return Best { gap: apart(pair, Vec3::NEG_Z), normal: Vec3::NEG_Z };
    }
    let mut all: Vec<Best> = Vec::new();
    let mut consider = |n: Vec3| {
        for normal in [n, -n] {
            all.push(Best { gap: apart(pair, normal), normal });
        }
    };
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    for i in 0..coarse / 2 {
        let z = (i as f64 + 0.5) / (coarse / 2) as f64;
        let (s, c) = trig::sin_cos(golden * i as f64);
        let across = (1.0 - z * z).sqrt();
        consider(Vec3::new(c * across, s * across, z));
    }
    hints.iter().for_each(|&n| consider(n));
    let identity = Pose::IDENTITY;
    let (of_a, of_b) = (directions(&pair.a, &identity), directions(&pair.b, &pair.b_in_a));
    of_a.normals.iter().chain(&of_b.normals).for_each(|&n| consider(n));
    for e in &of_a.edges {
        for f in &of_b.edges {
            if let Some(n) = e.cross(*f).try_normalize() {
                consider(n);
            }
        }
    }
    all.sort_by(|a, b| b.gap.total_cmp(&a.gap));
    let mut random = SplitMix::new(1);
    let mut best = all[0];
    let mut started: Vec<Vec3> = Vec::new();
    for start in all {
        if started.len() == climbs {
            break;
        }
        if started.iter().any(|s| s.dot(start.normal) > 0.995) {
            continue;
        }
        started.push(start.normal);
        let top = climb(pair, start, 0.1, &mut random);
        if top.gap > best.gap {
            best = top;
        }
    }
    best
}

/// Unit normals of faces and directions of edges, axes included.
struct Directions {
    normals: Vec<Vec3>,
    edges: Vec<Vec3>,
}

fn directions(shape: &CollisionShape, pose: &Pose) -> Directions {
    let axes: Vec<Vec3> = Vec3::AXES.iter().map(|&a| pose.rotate(a)).collect();
    match shape {
        CollisionShape::Box(_) | CollisionShape::Wall(_) => Directions { normals: axes.clone(), edges: axes },
        CollisionShape::Cylinder(_) => Directions { normals: vec![axes[2]], edges: vec![axes[2]] },
        CollisionShape::Capsule(_) => Directions { normals: vec![], edges: vec![axes[2]] },
        CollisionShape::Hull(s) => Directions {
            normals: s.normals().iter().map(|&n| pose.rotate(n)).collect(),
            edges: s
                .edges()
                .iter()
                .map(|e| pose.rotate(s.vertices()[e[1] as usize] - s.vertices()[e[0] as usize]))
                .collect(),
        },
        _ => Directions { normals: vec![], edges: vec![] },
    }
}

/// Climbs σ from `start` by steps in random directions, the step shrinking where it finds nothing better.
pub fn climb(pair: &Pair, start: Best, first_step: f64, r: &mut SplitMix) -> Best {
    let mut best = start;
    let mut step = first_step;
    let mut last = Vec3::ZERO;
    let mut failed = 0;
    while step > 1e-10 {
        // What worked once is tried again first: it follows ridges.
        let way = if failed == 0 && last != Vec3::ZERO { last } else { r.direction() };
        let normal = (best.normal + way * step).normalize();
        let gap = apart(pair, normal);
        if gap > best.gap {
            best = Best { gap, normal };
            last = way;
            failed = 0;
            step = smaller(step * 1.5, 0.3);
        } else {
            failed += 1;
            if failed > 10 {
                step *= 0.6;
                failed = 0;
                last = Vec3::ZERO;
            }
        }
    }
    best
}
