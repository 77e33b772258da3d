//! Containers and walls: one manifold for each inner face that is touched, with numbers that stay.

use huygens_geometry::{CollisionShape, Feature, FeatureKind, Manifold, collide};
use huygens_math::{Pose, SplitMix, Vec2, Vec3, trig};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

fn manifolds(a: &CollisionShape, b: &CollisionShape, b_in_a: &Pose, margin: f64) -> Vec<Manifold> {
    let mut out = Vec::new();
    collide(a, b, b_in_a, margin, &mut out);
    out
}

fn sub_shapes(found: &[Manifold]) -> Vec<u32> {
    found.iter().map(|m| m.sub_shape[0]).collect()
}

#[test]
fn a_cube_in_the_corner_of_a_box_touches_three_faces_with_four_points_each() {
    let inside = CollisionShape::box_inside(Vec3::splat(10.0)).unwrap();
    let cube = CollisionShape::cuboid(Vec3::ONE).unwrap();
    let found = manifolds(&inside, &cube, &Pose::at(Vec3::new(4.501, -4.499, 4.5)), 0.01);
    // Faces 2·axis, + 1 on the positive side: +x, −y, +z.
    assert_eq!(sub_shapes(&found), [1, 2, 5]);
    for (m, gap) in found.iter().zip([-0.001, 0.001, 0.0]) {
        assert_eq!(m.points().len(), 4);
        assert!(m.points().iter().all(|p| (p.gap - gap).abs() < 1e-14));
    }
    // From B to A: from the cube to the wall, outwards.
    assert_eq!(found[0].normal, Vec3::X);
    assert!(manifolds(&inside, &cube, &Pose::at(Vec3::ZERO), 0.01).is_empty());
}

#[test]
fn a_cube_that_has_left_a_box_is_pushed_back_through_every_wall_it_has_passed() {
    let inside = CollisionShape::box_inside(Vec3::splat(10.0)).unwrap();
    let cube = CollisionShape::cuboid(Vec3::ONE).unwrap();
    let found = manifolds(&inside, &cube, &Pose::at(Vec3::new(7.0, 0.0, 6.0)), 0.0);
    assert_eq!(sub_shapes(&found), [1, 5]);
    assert!((found[0].gap() + 2.5).abs() < 1e-14 && (found[1].gap() + 1.5).abs() < 1e-14);
}

#[test]
fn a_ball_in_a_pipe_touches_the_wall_and_the_end() {
    let pipe = CollisionShape::cylinder_inside(2.0, 10.0).unwrap();
    let ball = CollisionShape::sphere(0.5).unwrap();
    let found = manifolds(&pipe, &ball, &Pose::at(Vec3::new(0.9, 1.2, 4.499)), 0.01);
    assert_eq!(sub_shapes(&found), [1, 2]);
    let wall = &found[1];
    // Centre at 1.5 from the axis, along (0.6, 0.8).
    assert!((wall.normal - Vec3::new(0.6, 0.8, 0.0)).length() < 1e-15);
    assert!(wall.gap().abs() < 1e-15);
    assert!((wall.points()[0].on_a - Vec3::new(1.2, 1.6, 4.499)).length() < 1e-14);
}

#[test]
fn an_upright_box_in_a_pipe_touches_along_each_upright_edge_with_two_points() {
    let pipe = CollisionShape::cylinder_inside(1.0, 10.0).unwrap();
    let half = 0.5f64.sqrt();
    let post = CollisionShape::cuboid(Vec3::new(2.0 * half, 2.0 * half, 4.0)).unwrap();
    let found = manifolds(&pipe, &post, &Pose::IDENTITY, 0.01);
    // Groups are numbered 2 + the lowest corner in them; corners 0–3 are those with +z.
    assert_eq!(sub_shapes(&found), [2, 3, 4, 5]);
    for m in &found {
        assert_eq!(m.points().len(), 2);
        assert!(m.gap().abs() < 1e-15);
        assert!((m.points()[0].on_a - m.points()[1].on_a).length() > 3.9);
    }
}

#[test]
fn groups_of_a_body_that_rocks_in_a_pipe_keep_their_numbers() {
    let pipe = CollisionShape::cylinder_inside(1.0, 10.0).unwrap();
    let half = 0.5f64.sqrt();
    let post = CollisionShape::cuboid(Vec3::new(2.0 * half, 2.0 * half, 4.0)).unwrap();
    let mut random = SplitMix::new(3);
    for _ in 0..200 {
        let tilt = trig::rotation_vector(random.in_cube() * 1e-3);
        let found = manifolds(&pipe, &post, &Pose::new(tilt, random.in_cube() * 1e-3), 0.02);
        assert_eq!(sub_shapes(&found), [2, 3, 4, 5]);
        assert!(found.iter().all(|m| m.points().len() == 2));
    }
}

#[test]
fn a_rod_across_a_pipe_touches_it_at_the_four_farthest_points_of_its_rims() {
    let pipe = CollisionShape::cylinder_inside(1.3, 10.0).unwrap();
    let rod = CollisionShape::cylinder(0.5, 2.4).unwrap();
    // Lying along x: the rims at x = ±1.2 reach (±1.2, ±0.5), which is 1.3 from the axis z.
    let lying = trig::axis_angle(Vec3::Y, FRAC_PI_2);
    let found = manifolds(&pipe, &rod, &Pose::new(lying, Vec3::ZERO), 1e-3);
    assert_eq!(found.len(), 4);
    for m in &found {
        assert_eq!(m.points().len(), 1);
        assert!(m.gap().abs() < 1e-14, "{}", m.gap());
        assert!((m.normal.x.abs() - 1.2 / 1.3).abs() < 1e-9 && (m.normal.y.abs() - 0.5 / 1.3).abs() < 1e-9);
    }
}

#[test]
fn two_boundaries_without_end_give_nothing() {
    let shapes = [
        CollisionShape::HalfSpace,
        CollisionShape::box_inside(Vec3::ONE).unwrap(),
        CollisionShape::cylinder_inside(1.0, 1.0).unwrap(),
    ];
    for a in &shapes {
        for b in &shapes {
            assert!(manifolds(a, b, &Pose::IDENTITY, 1.0).is_empty());
        }
    }
}

#[test]
fn a_wall_pushes_a_shape_that_it_cuts_to_the_side_of_its_centre() {
    let wall = CollisionShape::wall(Vec2::new(4.0, 4.0)).unwrap();
    let bodies = [
        CollisionShape::sphere(0.5).unwrap(),
        CollisionShape::cuboid(Vec3::ONE).unwrap(),
        CollisionShape::cylinder(0.5, 1.0).unwrap(),
        CollisionShape::capsule(0.5, 1.0).unwrap(),
    ];
    for body in bodies {
        let reach = if matches!(body, CollisionShape::Capsule(_)) { 1.0 } else { 0.5 };
        for z in [0.3, 0.01, -0.01, -0.3] {
            let found = manifolds(&wall, &body, &Pose::at(Vec3::new(0.2, -0.3, z)), 0.01);
            assert_eq!(found.len(), 1);
            let m = &found[0];
            let side = if z < 0.0 { -1.0 } else { 1.0 };
            assert_eq!(m.normal, Vec3::Z * -side, "{body:?} at {z}");
            assert!((m.gap() - (z.abs() - reach)).abs() < 1e-14, "{body:?} at {z}: {}", m.gap());
            // Seen from +z it is face 5, from −z face 4.
            assert_eq!(m.points()[0].feature.a, Feature::face(if z < 0.0 { 4 } else { 5 }));
        }
    }
}

#[test]
fn the_edges_and_corners_of_a_wall_are_round() {
    let wall = CollisionShape::wall(Vec2::new(2.0, 2.0)).unwrap();
    let ball = CollisionShape::sphere(0.5).unwrap();
    let over_edge = manifolds(&wall, &ball, &Pose::at(Vec3::new(1.3, 0.0, 0.4)), 0.01);
    assert!((over_edge[0].normal - Vec3::new(-0.6, 0.0, -0.8)).length() < 1e-15);
    assert!(over_edge[0].gap().abs() < 1e-15);
    assert_eq!(over_edge[0].points()[0].feature.a.kind(), FeatureKind::Edge);
    let over_corner = manifolds(&wall, &ball, &Pose::at(Vec3::new(1.2, 1.2, 0.1)), 0.01);
    assert_eq!(over_corner[0].points()[0].feature.a.kind(), FeatureKind::Vertex);
    assert!((over_corner[0].gap() - (0.3 - 0.5)).abs() < 1e-15);
}

#[test]
fn a_sheet_stands_on_its_edge_with_two_points() {
    let floor = CollisionShape::cylinder(2.0, 1.0).unwrap();
    let sheet = CollisionShape::wall(Vec2::new(1.0, 1.0)).unwrap();
    let upright = trig::axis_angle(Vec3::X, FRAC_PI_2) * trig::axis_angle(Vec3::Z, FRAC_PI_4 * 0.0);
    let found = manifolds(&floor, &sheet, &Pose::new(upright, Vec3::Z * 1.0), 0.01);
    assert_eq!(found[0].points().len(), 2, "{found:?}");
    assert!((found[0].points()[0].on_a - found[0].points()[1].on_a).length() > 0.99);
}
