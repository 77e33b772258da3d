//! Peer: what does parry say about the volume and centre of the same hull?

use huygens_geometry::shape::Hull;
use huygens_math::{SplitMix, Vec3, scalar::max, trig};
use parry3d_f64::{math::Vector, transformation::try_convex_hull};

type Cloud = fn(&mut SplitMix) -> Vec3;

const CLOUDS: [(&str, Cloud); 5] = [
    ("in a cube", |r| r.in_cube()),
    ("on a sphere", |r| r.direction()),
    ("on a grid", |r| (r.in_cube() * 3.0).round() / 3.0),
    ("a slab", |r| r.in_cube() * Vec3::new(1.0, 1.0, 1e-2)),
    ("a rod", |r| r.in_cube() * Vec3::new(1e-2, 1e-2, 1.0)),
];

enum Peer {
    Refused,
    /// One of its corners is above one of its triangles: the surface is folded.
    Folded,
    Solid {
        volume: f64,
        center: Vec3,
    },
}

/// Parry's hull of points about `scale` large, measured by tetrahedra.
fn parry(points: &[Vec3], scale: f64) -> Peer {
    let given: Vec<Vector> = points.iter().map(|p| Vector::new(p.x, p.y, p.z)).collect();
    let Ok((corners, triangles)) = try_convex_hull(&given) else { return Peer::Refused };
    let corners: Vec<Vec3> = corners.iter().map(|p| Vec3::new(p.x, p.y, p.z) - points[0]).collect();
    let (mut volume, mut moment) = (0.0, Vec3::ZERO);
    for [a, b, c] in triangles.iter().map(|t| t.map(|i| corners[i as usize])) {
        let normal = (b - a).cross(c - a).normalize_or_zero();
        if corners.iter().any(|p| (*p - a).dot(normal) > 1e-6 * scale) {
            return Peer::Folded;
        }
        let v = a.dot(b.cross(c)) / 6.0;
        volume += v;
        moment += (a + b + c) * (0.25 * v);
    }
    Peer::Solid { volume, center: points[0] + moment / volume }
}

#[test]
fn volumes_and_centres_agree_with_parry_where_its_hull_is_convex() {
    let mut r = SplitMix::new(1);
    let (mut compared, mut refused, mut folded) = (0, 0, 0);
    let (mut volume_off, mut center_off): (f64, f64) = (0.0, 0.0);
    for (name, cloud) in CLOUDS {
        for _ in 0..100 {
            let (n, q) = (8 + r.index(200), r.rotation());
            let scale = trig::pow(10.0, r.range(-6.0, 4.0));
            let points: Vec<Vec3> = (0..n).map(|_| q * cloud(&mut r) * scale).collect();
            let ours = Hull::new(&points).unwrap();
            match parry(&points, scale) {
                Peer::Refused => refused += 1,
                Peer::Folded => folded += 1,
                Peer::Solid { volume, center } => {
                    compared += 1;
                    volume_off = max(volume_off, (ours.volume() / volume - 1.0).abs());
                    center_off = max(center_off, (ours.centroid() - center).length() / scale);
                    // Rounding of corners, 1e-16, on rods and slabs 1e-2 thick, summed over some hundred triangles.
                    assert!(
                        volume_off < 1e-11 && center_off < 1e-11,
                        "{name}: {volume_off:e} {center_off:e}"
                    );
                }
            }
        }
    }
    println!(
        "{compared} compared: volume within {volume_off:.1e}, centre within {center_off:.1e}; parry refused {refused} and folded {folded}"
    );
    assert!(compared > 400);
}
