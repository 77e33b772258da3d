//! Hulls of hostile point clouds are closed, convex and numbered the same way every time.

use super::Hull;
use crate::shape::ShapeError;
use huygens_math::{Quat, SplitMix, Vec3, scalar::max, trig};

/// What a cloud looks like, from harmless to hostile; all about one metre large.
const CLOUDS: [(&str, fn(&mut SplitMix, usize) -> Vec<Vec3>); 14] = [
    ("in a cube", |r, n| (0..n).map(|_| r.in_cube()).collect()),
    ("on a sphere", |r, n| (0..n).map(|_| r.direction()).collect()),
    ("on a grid", |r, n| (0..n).map(|_| (r.in_cube() * 4.0).round() / 4.0).collect()),
    ("on a turned grid", |r, n| {
        let q = r.rotation();
        (0..n).map(|_| q * ((r.in_cube() * 4.0).round() / 4.0)).collect()
    }),
    ("on the faces of a turned box", |r, n| {
        let q = r.rotation();
        (0..n).map(|_| q * on_cube(r)).collect()
    }),
    ("on the edges of a turned box", |r, n| {
        let q = r.rotation();
        (0..n).map(|_| q * on_cube_edge(r)).collect()
    }),
    ("nearly flat", |r, n| {
        let (q, flat) = (r.rotation(), tenth_to(r.range(1.0, 9.0)));
        (0..n).map(|_| q * (r.in_cube() * Vec3::new(1.0, 1.0, flat))).collect()
    }),
    ("a needle", |r, n| {
        let q = r.rotation();
        (0..n).map(|_| q * (r.in_cube() * Vec3::new(1e-4, 1e-4, 1.0))).collect()
    }),
    ("on a needle's grid", |r, n| {
        let q = r.rotation();
        (0..n).map(|_| q * ((r.in_cube() * 3.0).round() / 3.0 * Vec3::new(1e-4, 1e-4, 1.0))).collect()
    }),
    ("on a cylinder", |r, n| {
        let q = r.rotation();
        (0..n)
            .map(|_| {
                let (s, c) = trig::sin_cos(r.range(0.0, 6.3));
                q * Vec3::new(c, s, if r.unit() < 0.5 { -1.0 } else { 1.0 })
            })
            .collect()
    }),
    ("on a box with noise near the tolerance", |r, n| {
        let (q, noise) = (r.rotation(), tenth_to(r.range(9.0, 16.0)));
        (0..n).map(|_| q * (on_cube(r) + r.in_cube() * noise)).collect()
    }),
    ("on box edges with noise near the tolerance", |r, n| {
        let (q, noise) = (r.rotation(), tenth_to(r.range(9.0, 16.0)));
        (0..n).map(|_| q * (on_cube_edge(r) + r.in_cube() * noise)).collect()
    }),
    ("in clusters of near duplicates", |r, n| {
        let (centers, noise): (Vec<Vec3>, _) =
            ((0..12).map(|_| r.in_cube()).collect(), tenth_to(r.range(9.0, 17.0)));
        (0..n).map(|_| centers[r.index(12)] + r.in_cube() * noise).collect()
    }),
    ("a shallow dome", |r, n| {
        let (q, rise) = (r.rotation(), tenth_to(r.range(2.0, 12.0)));
        let mut points: Vec<Vec3> = (0..n)
            .map(|_| {
                let p = r.in_cube();
                q * Vec3::new(p.x, p.y, 1.0 - rise * (p.x * p.x + p.y * p.y))
            })
            .collect();
        points.push(q * -Vec3::Z);
        points
    }),
];

fn tenth_to(x: f64) -> f64 {
    trig::pow(10.0, -x)
}

fn on_cube(r: &mut SplitMix) -> Vec3 {
    let mut p = r.in_cube();
    p[r.index(3)] = if r.unit() < 0.5 { -1.0 } else { 1.0 };
    p
}

fn on_cube_edge(r: &mut SplitMix) -> Vec3 {
    let free = r.index(3);
    let mut p = r.in_cube();
    for axis in (0..3).filter(|&axis| axis != free) {
        p[axis] = if r.unit() < 0.5 { -1.0 } else { 1.0 };
    }
    p
}

/// Largest distance of a point above a face, and of a corner from the plane of its face, in tolerances.
fn misfit(points: &[Vec3], hull: &Hull, relative: f64) -> (f64, f64) {
    let reach = points.iter().fold(0.0, |m, p| max(m, p.abs().max_element()));
    let bounds = crate::Aabb::of_points(points);
    let tolerance = max(relative * (bounds.max - bounds.min).max_element(), 16.0 * f64::EPSILON * reach);
    let (mut above, mut off) = (0.0, 0.0);
    for face in (0..hull.face_count()).map(|i| hull.face(i)) {
        let height = |p: Vec3| (face.normal.dot(p) - face.offset) / tolerance;
        above = points.iter().fold(above, |m, p| max(m, height(*p)));
        off = face.vertices.iter().fold(off, |m, &v| max(m, -height(hull.vertices()[v as usize])));
    }
    (above, off)
}

fn assert_closed(hull: &Hull) {
    let (v, e, f) = (hull.vertices().len(), hull.edges().len(), hull.face_count());
    assert_eq!(v + f, e + 2, "Euler: {v} − {e} + {f} must be 2");
    let mut uses = vec![[false; 2]; e];
    for (i, face) in (0..f).map(|i| (i, hull.face(i))) {
        let n = face.vertices.len();
        assert!(n >= 3 && face.edges.len() == n);
        assert!((face.normal.length() - 1.0).abs() < 4e-16);
        assert!(face.vertices[1..].iter().all(|&c| c > face.vertices[0]), "starts with its lowest corner");
        for k in 0..n {
            let (a, b, edge) = (face.vertices[k], face.vertices[(k + 1) % n], face.edges[k] as usize);
            let side = usize::from(a > b);
            assert_eq!(hull.edges()[edge], if a < b { [a, b] } else { [b, a] });
            assert_eq!(hull.edge_faces(edge)[side] as usize, i);
            assert!(!std::mem::replace(&mut uses[edge][side], true), "each side of an edge once");
            assert!(hull.neighbours(a).contains(&b) && hull.neighbours(b).contains(&a));
        }
    }
    assert!(uses.iter().all(|u| *u == [true; 2]));
    assert!((0..v as u32).all(|i| hull.neighbours(i).len() >= 3));
    assert!(hull.edges().windows(2).all(|w| w[0] < w[1]));
    assert_eq!((0..v as u32).map(|i| hull.neighbours(i).len()).sum::<usize>(), 2 * e);
}

#[test]
fn explore() {
    let mut r = SplitMix::new(1);
    for (name, cloud) in CLOUDS {
        let (mut worst, mut errors, mut climb) = ((0.0, 0.0), 0, 0.0);
        let mut faces = 0;
        for round in 0..200 {
            let n = 4 + r.index(if round % 20 == 0 { 2000 } else { 100 });
            let points = cloud(&mut r, n);
            match Hull::new(&points) {
                Ok(hull) => {
                    assert_closed(&hull);
                    let (a, b) = misfit(&points, &hull, Hull::TOLERANCE);
                    worst = (max(worst.0, a), max(worst.1, b));
                    faces = faces.max(hull.face_count());
                    for _ in 0..20 {
                        let d = r.direction();
                        let (s, c) = (hull.scan(d), hull.climb(d, 0));
                        let diff = (hull.vertices()[s as usize] - hull.vertices()[c as usize]).dot(d);
                        climb = max(climb, diff);
                    }
                }
                Err(_) => errors += 1,
            }
        }
        println!(
            "{name}: above {:.2} off {:.2} errors {errors} faces {faces} climb {climb:e}",
            worst.0, worst.1
        );
    }
    let _ = (Quat::IDENTITY, ShapeError::NoParts);
}
