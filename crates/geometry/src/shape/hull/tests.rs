//! Hulls of hostile point clouds are closed, convex and numbered the same way every time.

use super::{Hull, exact::cross};
use crate::shape::ShapeError;
use huygens_math::{Quat, SplitMix, Vec3, scalar::max, trig};

type Cloud = fn(&mut SplitMix, usize) -> Vec<Vec3>;

/// What a cloud looks like, from harmless to hostile; all about one metre large.
const CLOUDS: [(&str, Cloud); 14] = [
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
    let tolerance = max(relative * (bounds.max - bounds.min).max_element(), 64.0 * f64::EPSILON * reach);
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

/// Every face is a strictly convex polygon.
fn assert_convex_faces(hull: &Hull) {
    for face in (0..hull.face_count()).map(|i| hull.face(i)) {
        let n = face.vertices.len();
        let at = |k: usize| hull.vertices()[face.vertices[k % n] as usize];
        for k in 0..n {
            let turn = cross(at(k + 1) - at(k), at(k + 2) - at(k + 1)).dot(face.normal);
            assert!(turn > 0.0, "corner {k} of {n} turns by {turn:e}");
        }
    }
}

fn assert_climb_equals_scan(hull: &Hull, r: &mut SplitMix) {
    let at = |v: u32| hull.vertices()[v as usize];
    for _ in 0..20 {
        let (d, start) = (r.direction(), r.index(hull.vertices().len()) as u32);
        let (scan, climb) = (hull.scan(d), hull.climb(d, start));
        // Both find the top to the rounding of a height.
        assert!((at(scan) - at(climb)).dot(d) <= 4.0 * f64::EPSILON * hull.bounding_radius());
    }
}

#[test]
fn hulls_of_hostile_clouds_are_closed_and_convex_at_every_scale() {
    let mut r = SplitMix::new(1);
    let mut made = 0;
    for (name, cloud) in CLOUDS {
        let (mut above, mut off) = (0.0, 0.0);
        for round in 0..150 {
            let n = 4 + r.index(if round % 30 == 0 { 3000 } else { 120 });
            let scale = tenth_to(r.range(-4.0, 6.0));
            let points: Vec<Vec3> = cloud(&mut r, n).into_iter().map(|p| p * scale).collect();
            let Ok(hull) = Hull::new(&points) else { continue };
            made += 1;
            assert_closed(&hull);
            assert_convex_faces(&hull);
            assert_climb_equals_scan(&hull, &mut r);
            let worst = misfit(&points, &hull, Hull::TOLERANCE);
            (above, off) = (max(above, worst.0), max(off, worst.1));
        }
        println!("{name}: points above a face by {above:.2}, corners off theirs by {off:.2} tolerances");
        // A point is left out within one tolerance, when its neighbours go too within a few; triangles are joined
        // within a quarter of one, above and below.
        assert!(above < 3.0 && off < 1.0, "{name}");
    }
    // Only clouds of near duplicates of one place, or flatter than the tolerance, may be refused.
    assert!(made > 14 * 150 * 95 / 100, "{made}");
}

#[test]
fn noise_of_the_size_of_any_tolerance_does_no_harm() {
    let mut r = SplitMix::new(8);
    for (name, cloud) in CLOUDS {
        for _ in 0..150 {
            let (n, relative) = (4 + r.index(60), tenth_to(r.range(3.0, 13.0)));
            let noise = relative * tenth_to(r.range(-2.0, 2.0));
            let points: Vec<Vec3> = cloud(&mut r, n).into_iter().map(|p| p + r.in_cube() * noise).collect();
            let Ok(hull) = Hull::with_tolerance(&points, relative) else { continue };
            assert_closed(&hull);
            assert_convex_faces(&hull);
            assert_climb_equals_scan(&hull, &mut r);
            let (above, off) = misfit(&points, &hull, relative);
            // Solids may be as thin as 64 tolerances here: leaving a point out can tilt a face by a sixty-fourth,
            // and lift it over points that went before.
            assert!(above < 20.0 && off < 1.0, "{name}: {above:.2} {off:.2}");
        }
    }
}

#[test]
fn hulls_far_from_their_origin_keep_their_corners_as_given() {
    let mut r = SplitMix::new(2);
    for _ in 0..200 {
        let (size, far) = (tenth_to(r.range(-1.0, 3.0)), r.in_cube() * 1e4);
        let points: Vec<Vec3> = (0..40).map(|_| far + r.in_cube() * size).collect();
        let hull = Hull::new(&points).unwrap();
        assert_closed(&hull);
        assert!(hull.vertices().iter().all(|v| points.contains(v)));
        assert!(misfit(&points, &hull, Hull::TOLERANCE).0 < 3.0);
    }
}

fn box_corners(half: Vec3) -> Vec<Vec3> {
    (0..8).map(|i| half * Vec3::new(sign(i, 1), sign(i, 2), sign(i, 4))).collect()
}

fn sign(i: u32, bit: u32) -> f64 {
    if i & bit == 0 { -1.0 } else { 1.0 }
}

#[test]
fn a_box_has_six_faces_of_four_corners_with_exact_normals() {
    let hull = Hull::new(&box_corners(Vec3::new(0.1, 0.7, 0.3))).unwrap();
    assert_closed(&hull);
    assert_eq!((hull.vertices().len(), hull.edges().len(), hull.face_count()), (8, 12, 6));
    for face in (0..6).map(|i| hull.face(i)) {
        assert_eq!(face.vertices.len(), 4);
        assert_eq!(face.normal.abs().max_element(), 1.0);
        assert_eq!(face.normal.length_squared(), 1.0);
        assert!([0.1, 0.7, 0.3].contains(&face.offset));
    }
    assert_eq!(hull.thickness(), 0.2);
    assert_eq!(hull.extents(), Vec3::new(0.2, 1.4, 0.6));
    assert_eq!(hull.centroid(), Vec3::ZERO);
}

#[test]
fn points_inside_on_faces_on_edges_and_twice_change_nothing() {
    let corners = box_corners(Vec3::ONE);
    let plain = Hull::new(&corners).unwrap();
    let mut r = SplitMix::new(3);
    let mut more = corners.clone();
    more.extend(corners.iter().rev());
    for _ in 0..300 {
        more.extend([r.in_cube(), on_cube(&mut r), on_cube_edge(&mut r)]);
    }
    let full = Hull::new(&more).unwrap();
    assert_eq!(full.vertices(), plain.vertices());
    assert_eq!(full.edges(), plain.edges());
    assert_eq!((full.normals(), &full.corner), (plain.normals(), &plain.corner));
}

#[test]
fn a_turned_prism_keeps_its_polygons() {
    let mut r = SplitMix::new(4);
    for sides in [3, 5, 8, 40, 200] {
        let q: Quat = r.rotation();
        let ring = |z: f64| {
            (0..sides).map(move |i| {
                let (s, c) = trig::sin_cos(f64::from(i) * std::f64::consts::TAU / f64::from(sides));
                q * Vec3::new(c, s, z)
            })
        };
        let hull = Hull::new(&ring(-0.5).chain(ring(0.5)).collect::<Vec<_>>()).unwrap();
        assert_closed(&hull);
        assert_eq!(hull.face_count(), sides as usize + 2);
        assert_eq!(hull.vertices().len(), 2 * sides as usize);
    }
}

#[test]
fn equal_heights_give_the_lowest_corner_by_scan_and_by_climb() {
    let ring = |z: f64| {
        (0..64).map(move |i| {
            // A permutation, so that the lowest index of a rim is anywhere.
            let (s, c) = trig::sin_cos(f64::from(i * 37 % 64) * std::f64::consts::TAU / 64.0);
            Vec3::new(c, s, z)
        })
    };
    let hull = Hull::new(&ring(-0.5).chain(ring(0.5)).collect::<Vec<_>>()).unwrap();
    for start in 0..128 {
        assert_eq!(hull.climb(Vec3::Z, start), 64);
        assert_eq!(hull.climb(Vec3::NEG_Z, start), 0);
    }
    assert_eq!((hull.support_vertex(Vec3::Z), hull.support_vertex(Vec3::NEG_Z)), (64, 0));
    assert_eq!(hull.support_vertex_near(Vec3::Z, 3), 64);
}

#[test]
fn a_hull_is_the_same_every_time_and_for_a_scaled_cloud() {
    let mut r = SplitMix::new(5);
    let points: Vec<Vec3> = (0..500).map(|_| r.direction()).collect();
    let a = Hull::new(&points).unwrap();
    let scaled: Vec<Vec3> = points.iter().map(|p| *p * 1024.0).collect();
    let b = Hull::new(&scaled).unwrap();
    assert_eq!((a.corner, a.edges, a.edge_faces), (b.corner, b.edges, b.edge_faces));
}

#[test]
fn points_without_volume_are_refused_with_the_reason() {
    let mut r = SplitMix::new(6);
    let q = r.rotation();
    let same = vec![Vec3::ONE; 9];
    assert_eq!(Hull::new(&same).unwrap_err(), ShapeError::TooFewPoints { given: 9, distinct: 1 });
    assert_eq!(Hull::new(&[]).unwrap_err(), ShapeError::TooFewPoints { given: 0, distinct: 0 });
    for n in [4, 5, 50, 500] {
        let line: Vec<Vec3> = (0..n).map(|_| q * (Vec3::X * r.unit()) + Vec3::ONE).collect();
        let text = Hull::new(&line).unwrap_err().to_string();
        assert!(text.contains("on one line") && text.contains("Use a thin box"), "{text}");
        let plane: Vec<Vec3> = (0..n).map(|_| q * (r.in_cube() * Vec3::new(1.0, 1.0, 0.0))).collect();
        let text = Hull::new(&plane).unwrap_err().to_string();
        assert!(text.contains("in one plane"), "{text}");
    }
    let far: Vec<Vec3> = box_corners(Vec3::splat(1e-7)).iter().map(|c| *c + 1e6).collect();
    let text = Hull::new(&far).unwrap_err().to_string();
    assert!(text.contains("Move the points near their frame's origin"), "{text}");
    let bad = [Vec3::ZERO, Vec3::X, Vec3::new(0.0, f64::NAN, 0.0), Vec3::Z, Vec3::Y];
    assert!(matches!(Hull::new(&bad).unwrap_err(), ShapeError::BadPoint { index: 2, .. }));
}

#[test]
fn wide_tolerance_makes_polygons_of_single_precision_points() {
    let mut r = SplitMix::new(7);
    for _ in 0..50 {
        let q = r.rotation();
        let corners: Vec<Vec3> =
            box_corners(Vec3::ONE).iter().map(|c| (q * *c).as_vec3().as_dvec3()).collect();
        assert_eq!(Hull::with_tolerance(&corners, 1e-6).unwrap().face_count(), 6);
    }
}
