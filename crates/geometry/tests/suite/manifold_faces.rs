//! Which face is the reference, and what lies on it.

use huygens_geometry::narrowphase::{FACE_BAND_OF_DEPTH, FACE_BAND_OF_SIZE, RIM_ERROR};
use huygens_geometry::{CollisionShape, FeatureKind, Manifold, Reference, collide, query};
use huygens_math::{Pose, SplitMix, Vec2, Vec3, scalar, trig};
use std::f64::consts::FRAC_PI_4;

fn contact(a: &CollisionShape, b: &CollisionShape, b_in_a: &Pose, margin: f64) -> Manifold {
    let mut out = Vec::new();
    collide(a, b, b_in_a, margin, &mut out);
    assert_eq!(out.len(), 1, "{a:?} {b:?} {b_in_a:?}");
    out[0]
}

fn kinds(m: &Manifold) -> Vec<[FeatureKind; 2]> {
    m.points().iter().map(|p| [p.feature.a.kind(), p.feature.b.kind()]).collect()
}

fn span(m: &Manifold) -> (Vec2, Vec2) {
    m.points().iter().fold((Vec2::INFINITY, Vec2::NEG_INFINITY), |(low, high), p| {
        let at = Vec2::new(p.on_a.x, p.on_a.y);
        (low.min(at), high.max(at))
    })
}

#[test]
fn nearly_flat_boxes_have_the_normal_of_a_face_and_not_of_crossed_edges() {
    let mut random = SplitMix::new(1);
    let mut worst: f64 = 0.0;
    for _ in 0..2000 {
        let size = |r: &mut SplitMix| Vec3::new(r.range(0.5, 2.0), r.range(0.5, 2.0), r.range(0.5, 2.0));
        let (sa, sb) = (size(&mut random), size(&mut random));
        let (a, b) = (CollisionShape::cuboid(sa).unwrap(), CollisionShape::cuboid(sb).unwrap());
        // Turned by any angle, overlapping in the plane, 1e-3 deep or apart, and tilted so little that the tilt times the
        // longest lever, 2.8, is within the band of the smallest box, 5e-4: then no other axis may win.
        let tilt = random.direction().with_z(0.0) * random.range(0.0, 1.7e-4);
        let yaw = trig::axis_angle(Vec3::Z, random.range(-3.0, 3.0));
        let at = Vec3::new(random.range(-0.2, 0.2), random.range(-0.2, 0.2), 0.5 * (sa.z + sb.z));
        let lowest = 0.5 * tilt.length() * sb.length();
        let b_in_a =
            Pose::new(trig::rotation_vector(tilt) * yaw, at + Vec3::Z * (lowest + random.range(-1e-3, 1e-3)));
        let smaller = scalar::min(a.size(), b.size());
        let m = contact(&a, &b, &b_in_a, 0.05 * smaller);
        assert!(m.points().len() >= 3, "{m:?}");
        let flat = match m.reference {
            Reference::A => m.normal.z.abs(),
            Reference::B => b_in_a.inverse_rotate(m.normal).z.abs(),
        };
        assert!((flat - 1.0).abs() < 1e-14, "{m:?}");
        let truth = query::separation(&a, &Pose::IDENTITY, &b, &b_in_a).unwrap().gap;
        let band = FACE_BAND_OF_DEPTH * truth.abs() + FACE_BAND_OF_SIZE * smaller;
        worst = scalar::max(worst, (m.gap() - truth).abs() / band);
    }
    // Of the band for the choice of the face and of that for the deepest of more than four points.
    assert!(worst <= 2.0, "{worst}");
}

#[test]
fn corners_and_edges_that_are_apart_get_their_true_direction() {
    let cube = CollisionShape::cuboid(Vec3::splat(2.0)).unwrap();
    let corner = contact(&cube, &cube, &Pose::at(Vec3::splat(2.1)), 0.2);
    assert_eq!(kinds(&corner), [[FeatureKind::Vertex; 2]]);
    assert!((corner.normal + Vec3::ONE.normalize()).length() < 1e-12);
    assert!((corner.gap() - 0.1 * 3f64.sqrt()).abs() < 1e-12);
    // Edges side by side, along y: both ends of the stretch that they share.
    let edges = contact(&cube, &cube, &Pose::at(Vec3::new(2.1, 0.5, 2.1)), 0.2);
    assert!((edges.normal + Vec3::new(1.0, 0.0, 1.0).normalize()).length() < 1e-12);
    assert_eq!(edges.points().len(), 2);
    let ends: Vec<f64> = edges.points().iter().map(|p| p.on_a.y).collect();
    assert!(ends.iter().any(|y| (y + 0.5).abs() < 1e-12) && ends.iter().any(|y| (y - 1.0).abs() < 1e-12));
    // A face that is near keeps its own normal.
    let faces = contact(&cube, &cube, &Pose::at(Vec3::new(0.5, 0.3, 2.1)), 0.2);
    assert_eq!((faces.normal, faces.points().len()), (Vec3::NEG_Z, 4));
}

#[test]
fn the_larger_shape_gives_the_face_whichever_comes_first() {
    let (large, small) =
        (CollisionShape::cuboid(Vec3::splat(4.0)).unwrap(), CollisionShape::cuboid(Vec3::ONE).unwrap());
    let pose = Pose::new(trig::axis_angle(Vec3::X, 1e-3), Vec3::Z * 2.5);
    assert_eq!(contact(&large, &small, &pose, 0.02).reference, Reference::A);
    assert_eq!(contact(&small, &large, &pose.inverse(), 0.02).reference, Reference::B);
}

#[test]
fn names_of_a_sliding_box_stay_and_tell_corners_from_crossings() {
    let (floor, cube) = (
        CollisionShape::cuboid(Vec3::new(4.0, 4.0, 1.0)).unwrap(),
        CollisionShape::cuboid(Vec3::ONE).unwrap(),
    );
    let first = contact(&floor, &cube, &Pose::at(Vec3::Z), 0.01);
    assert_eq!(kinds(&first), [[FeatureKind::Face, FeatureKind::Vertex]; 4]);
    for i in 0..=14 {
        let now = contact(&floor, &cube, &Pose::at(Vec3::new(f64::from(i) * 0.1, 0.0, 1.0)), 0.01);
        let ids = |m: &Manifold| m.points().iter().map(|p| p.feature).collect::<Vec<_>>();
        assert_eq!(ids(&now), ids(&first));
    }
    // Half over the edge at x = 2: two corners are left, and two crossings of edges.
    let over = contact(&floor, &cube, &Pose::at(Vec3::new(2.0, 0.0, 1.0)), 0.01);
    let crossings = kinds(&over).iter().filter(|k| **k == [FeatureKind::Edge; 2]).count();
    assert_eq!((over.points().len(), crossings), (4, 2));
    assert_eq!(span(&over), (Vec2::new(1.5, -0.5), Vec2::new(2.0, 0.5)));
}

#[test]
fn a_cylinder_on_a_smaller_square_has_its_corners_and_over_an_edge_the_ends_of_the_chord() {
    let drum = CollisionShape::cylinder(1.0, 1.0).unwrap();
    let post = CollisionShape::cuboid(Vec3::new(0.8, 0.8, 2.0)).unwrap();
    let m = contact(&post, &drum, &Pose::at(Vec3::Z * 1.5), 0.01);
    assert_eq!(span(&m), (Vec2::splat(-0.4), Vec2::splat(0.4)));
    assert_eq!(m.points().len(), 4);
    // The table's edge is at x = 0.6 of the drum: the chord ends at y = ±0.8.
    let table = CollisionShape::cuboid(Vec3::new(8.0, 8.0, 1.0)).unwrap();
    let m = contact(&table, &drum, &Pose::at(Vec3::new(3.4, 0.0, 1.0)), 0.01);
    let on_edge: Vec<f64> = m.points().iter().filter(|p| p.on_a.x > 3.999).map(|p| p.on_a.y).collect();
    assert_eq!(on_edge.len(), 2);
    assert!(on_edge.iter().all(|y| (y.abs() - 0.8).abs() < 1e-9), "{on_edge:?}");
}

#[test]
fn a_leaning_cylinder_has_its_lowest_rim_point_to_within_the_stated_error() {
    let drum = CollisionShape::cylinder(1.0, 1.0).unwrap();
    let mut random = SplitMix::new(4);
    for _ in 0..5000 {
        let tilt = random.direction().with_z(0.0) * random.range(0.0, 0.4);
        let rotation = trig::rotation_vector(tilt);
        let lean = tilt.length();
        let (s, c) = trig::sin_cos(lean);
        let depth = 0.01;
        let m = contact(
            &CollisionShape::HalfSpace,
            &drum,
            &Pose::new(rotation, Vec3::Z * (0.5 * c + s - depth)),
            0.02,
        );
        // The lowest rim point is at 0.5 cos τ + sin τ below the centre.
        let off = m.gap() + depth;
        assert!((-1e-14..=RIM_ERROR).contains(&off), "{off} at {lean}");
        if lean > 0.03 {
            assert!(off.abs() < 1e-14);
        }
    }
}

#[test]
fn a_capsule_over_an_edge_keeps_two_points_and_the_normal_across_both_lines() {
    let table = CollisionShape::cuboid(Vec3::splat(2.0)).unwrap();
    let rod = CollisionShape::capsule(0.3, 2.0).unwrap();
    // Lying along x with its outer end beyond x = 1, tilted outwards by 0.01 rad.
    let lying = trig::axis_angle(Vec3::Y, 2.0 * FRAC_PI_4 + 0.01);
    let m = contact(&table, &rod, &Pose::new(lying, Vec3::new(0.6, 0.0, 1.3)), 0.02);
    assert_eq!(m.points().len(), 2);
    let axis = lying * Vec3::Z;
    assert!(m.normal.dot(axis).abs() < 1e-14 && m.normal.dot(Vec3::Y).abs() < 1e-14);
    let truth = query::separation(&table, &Pose::IDENTITY, &rod, &Pose::new(lying, Vec3::new(0.6, 0.0, 1.3)))
        .unwrap();
    assert!((m.gap() - truth.gap).abs() < 1e-14);
}
