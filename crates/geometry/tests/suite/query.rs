//! Queries on placed shapes: separation, overlap, ray cast, shape cast, for every kind of shape.

use huygens_geometry::CollisionShape;
use huygens_geometry::query::{overlap, ray_cast, separation, shape_cast};
use huygens_geometry::shape::{BoxInside, Capsule, Cuboid, Cylinder, CylinderInside, Hull, Sphere, Wall};
use huygens_math::{Pose, SplitMix, Vec2, Vec3, trig};
use std::sync::Arc;

fn near(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance
}

fn sphere(radius: f64) -> CollisionShape {
    CollisionShape::Sphere(Sphere { radius })
}

/// One of the bounded convex kinds, of size about 1.
fn random_bounded(r: &mut SplitMix) -> CollisionShape {
    let half = Vec3::new(r.range(0.2, 1.0), r.range(0.2, 1.0), r.range(0.2, 1.0));
    match r.index(6) {
        0 => sphere(half.x),
        1 => CollisionShape::Capsule(Capsule { radius: half.x, half_length: half.y }),
        2 => CollisionShape::Box(Cuboid { half }),
        3 => CollisionShape::Cylinder(Cylinder { radius: half.x, half_length: half.y }),
        4 => CollisionShape::Wall(Wall { half: Vec2::new(half.x, half.y) }),
        _ => {
            let points: Vec<Vec3> = (0..12).map(|_| r.direction()).collect();
            CollisionShape::Hull(Arc::new(Hull::new(&points).unwrap()))
        }
    }
}

fn random_unbounded(r: &mut SplitMix) -> CollisionShape {
    match r.index(3) {
        0 => CollisionShape::HalfSpace,
        1 => CollisionShape::BoxInside(BoxInside { half: Vec3::new(3.0, 2.5, 2.0) }),
        _ => CollisionShape::CylinderInside(CylinderInside { radius: 2.5, half_length: 2.0 }),
    }
}

fn random_pose(r: &mut SplitMix, reach: f64) -> Pose {
    let rotation = r.rotation();
    Pose::new(rotation, r.in_cube() * reach)
}

#[test]
fn separation_turns_with_the_scene_and_mirrors_with_the_order() {
    let mut r = SplitMix::new(1);
    for i in 0..4000 {
        let a = random_bounded(&mut r);
        let b = if i % 2 == 0 { random_bounded(&mut r) } else { random_unbounded(&mut r) };
        let (pose_a, pose_b) = (random_pose(&mut r, 1.5), random_pose(&mut r, 1.0));
        let s = separation(&a, &pose_a, &b, &pose_b).unwrap();
        // Cylinders converge to 1e-12; the scene is of size 5.
        assert!((s.on_a - s.on_b - s.normal * s.gap).length() < 1e-14, "{s:?}");
        let t = separation(&b, &pose_b, &a, &pose_a).unwrap().swapped();
        assert!(near(s.gap, t.gap, 1e-11), "{s:?} {t:?} {a:?} {b:?}");
        let world = random_pose(&mut r, 10.0);
        let t = separation(&a, &(world * pose_a), &b, &(world * pose_b)).unwrap();
        assert!(near(s.gap, t.gap, 1e-11), "{s:?} {t:?}");
        assert!(
            (world.rotate(s.normal) - t.normal).length() < 1e-4 || near(s.gap, t.gap, 1e-12),
            "{s:?} {t:?}"
        );
        if s.gap.abs() > 1e-9 {
            assert_eq!(overlap(&a, &pose_a, &b, &pose_b), s.gap < 0.0, "{s:?}");
            assert_eq!(overlap(&b, &pose_b, &a, &pose_a), s.gap < 0.0, "{s:?}");
        }
    }
}

#[test]
fn two_boundaries_without_end_have_no_separation() {
    let mut r = SplitMix::new(2);
    for _ in 0..20 {
        let (a, b) = (random_unbounded(&mut r), random_unbounded(&mut r));
        assert_eq!(separation(&a, &Pose::IDENTITY, &b, &Pose::IDENTITY), None);
        assert_eq!(shape_cast(&a, &Pose::IDENTITY, Vec3::X, &b, &Pose::IDENTITY), None);
        assert!(!overlap(&a, &Pose::IDENTITY, &b, &Pose::IDENTITY));
    }
}

#[test]
fn ball_in_a_box_has_the_clearance_of_the_nearest_wall() {
    let room = CollisionShape::BoxInside(BoxInside { half: Vec3::new(3.0, 2.0, 1.0) });
    let s = separation(&sphere(0.25), &Pose::at(Vec3::new(1.0, -1.5, 0.1)), &room, &Pose::IDENTITY).unwrap();
    assert_eq!((s.gap, s.normal), (0.25, Vec3::Y));
    assert_eq!((s.on_a, s.on_b), (Vec3::new(1.0, -1.75, 0.1), Vec3::new(1.0, -2.0, 0.1)));
    // Poking through.
    let s = separation(&sphere(0.25), &Pose::at(Vec3::new(2.9, 0.0, 0.0)), &room, &Pose::IDENTITY).unwrap();
    assert!(near(s.gap, -0.15, 1e-15) && s.normal == Vec3::NEG_X, "{s:?}");
}

#[test]
fn shapes_in_a_cylinder_have_the_clearance_of_their_farthest_point() {
    let mut r = SplitMix::new(3);
    let pipe = CollisionShape::CylinderInside(CylinderInside { radius: 3.0, half_length: 50.0 });
    for _ in 0..300 {
        let pose = random_pose(&mut r, 1.0);
        let (radius, half_length) = (r.range(0.1, 1.0), r.range(0.1, 1.0));
        let can = CollisionShape::Cylinder(Cylinder { radius, half_length });
        let s = separation(&can, &pose, &pipe, &Pose::IDENTITY).unwrap();
        let mut reach = 0.0;
        for end in [-half_length, half_length] {
            for k in 0..20_000 {
                let (sin, cos) = trig::sin_cos(f64::from(k) * std::f64::consts::TAU / 20_000.0);
                let p = pose.transform(Vec3::new(radius * cos, radius * sin, end));
                let distance = p.truncate().length();
                reach = if distance > reach { distance } else { reach };
            }
        }
        // The sample misses the top by at most half a step: r·(π/20000)²/2.
        assert!(s.gap <= 3.0 - reach + 1e-14 && s.gap > 3.0 - reach - 2e-8, "{s:?} {reach}");
        assert!(near(s.on_b.truncate().length(), 3.0, 1e-14));
    }
    let s = separation(&sphere(0.5), &Pose::IDENTITY, &pipe, &Pose::IDENTITY).unwrap();
    assert_eq!(s.gap, 2.5);
    let cube = CollisionShape::Box(Cuboid { half: Vec3::ONE });
    let s = separation(&cube, &Pose::IDENTITY, &pipe, &Pose::IDENTITY).unwrap();
    assert!(near(s.gap, 3.0 - std::f64::consts::SQRT_2, 1e-15));
}

#[test]
fn wall_pushes_a_shape_to_the_side_of_its_centre() {
    let wall = CollisionShape::Wall(Wall { half: Vec2::new(2.0, 2.0) });
    let cube = CollisionShape::Box(Cuboid { half: Vec3::splat(0.5) });
    for side in [-1.0, 1.0] {
        let s = separation(&cube, &Pose::at(Vec3::Z * (0.1 * side)), &wall, &Pose::IDENTITY).unwrap();
        assert!(near(s.gap, -0.4, 1e-15) && near(s.normal.z, side, 1e-15), "{s:?}");
    }
    // A long thin hull whose centre of mass is above, but which reaches less far below.
    let points = [
        Vec3::new(1.0, 0.0, 2.0),
        Vec3::new(-1.0, 0.0, 2.0),
        Vec3::new(0.0, 1.0, 2.0),
        Vec3::new(0.0, 0.2, -0.6),
    ];
    let hull = CollisionShape::Hull(Arc::new(Hull::new(&points).unwrap()));
    let below = Pose::at(Vec3::new(0.0, 0.0, -1.6));
    let s = separation(&hull, &below, &wall, &Pose::IDENTITY).unwrap();
    // Its centre, at z = 1.35 − 1.6 < 0, is below: the way out is 0.4 down, though its tip is 2.2 down already.
    assert!(near(s.gap, -0.4, 1e-15) && near(s.normal.z, -1.0, 1e-15), "{s:?}");
    let below = Pose::at(Vec3::new(0.0, 0.0, -1.2));
    let s = separation(&hull, &below, &wall, &Pose::IDENTITY).unwrap();
    // Centre above: out upwards by 1.8, though 0.8 down would do.
    assert!(near(s.gap, -1.8, 1e-15) && near(s.normal.z, 1.0, 1e-15), "{s:?}");
}

#[test]
fn rays_hit_where_a_point_would_touch_and_not_before() {
    let mut r = SplitMix::new(4);
    let (mut hits, mut misses) = (0, 0);
    let point = sphere(1e-9);
    for i in 0..6000 {
        let shape = if i % 3 == 0 { random_unbounded(&mut r) } else { random_bounded(&mut r) };
        let pose = random_pose(&mut r, 0.5);
        let (origin, direction) = (r.in_cube() * 3.0, r.direction() * r.range(0.1, 5.0));
        let gap = |p: Vec3| separation(&point, &Pose::at(p), &shape, &pose).unwrap().gap;
        match ray_cast(&shape, &pose, origin, direction, 10.0) {
            Some(hit) => {
                hits += 1;
                assert!((0.0..=10.0).contains(&hit.toi), "{hit:?}");
                assert!(near(hit.normal.length(), 1.0, 1e-14) && hit.normal.dot(direction) <= 0.0, "{hit:?}");
                assert_eq!(hit.point, origin + direction * hit.toi);
                if hit.toi > 0.0 {
                    // On the surface: the ball's radius, and rounding of distances up to 50.
                    assert!(near(gap(hit.point), 0.0, 2e-9), "{hit:?} {shape:?} {}", gap(hit.point));
                    for k in 0..8 {
                        let before = gap(origin + direction * (hit.toi * (f64::from(k) / 8.0)));
                        assert!(before > -2e-9, "{hit:?} {shape:?} {before}");
                    }
                } else {
                    assert!(gap(origin) < 2e-9, "{hit:?} {shape:?}");
                }
            }
            None => {
                misses += 1;
                for k in 0..=16 {
                    let along = gap(origin + direction * (10.0 * f64::from(k) / 16.0));
                    assert!(along > -2e-9, "{shape:?} {along}");
                }
            }
        }
    }
    println!("{hits} rays hit, {misses} miss");
    assert!(hits > 1500 && misses > 1500);
}

#[test]
fn rays_meet_the_closed_forms() {
    let cast = |shape: &CollisionShape, o: Vec3, d: Vec3| {
        ray_cast(shape, &Pose::IDENTITY, o, d, f64::INFINITY).map(|hit| (hit.toi, hit.normal))
    };
    let far = Vec3::new(-10.0, 0.0, 0.0);
    assert_eq!(cast(&sphere(1.0), far, Vec3::X * 2.0), Some((4.5, Vec3::NEG_X)));
    let cube = CollisionShape::Box(Cuboid { half: Vec3::ONE });
    assert_eq!(cast(&cube, far, Vec3::X), Some((9.0, Vec3::NEG_X)));
    assert_eq!(cast(&cube, Vec3::ZERO, Vec3::X), Some((0.0, Vec3::NEG_X)));
    assert_eq!(cast(&cube, far, Vec3::NEG_X), None);
    assert_eq!(cast(&cube, Vec3::new(-10.0, 2.0, 0.0), Vec3::X), None);
    let capsule = CollisionShape::Capsule(Capsule { radius: 0.5, half_length: 1.0 });
    assert_eq!(cast(&capsule, far, Vec3::X), Some((9.5, Vec3::NEG_X)));
    assert_eq!(cast(&capsule, Vec3::Z * 5.0, Vec3::NEG_Z), Some((3.5, Vec3::Z)));
    let can = CollisionShape::Cylinder(Cylinder { radius: 0.5, half_length: 1.0 });
    assert_eq!(cast(&can, Vec3::new(0.4, 0.0, 5.0), Vec3::NEG_Z), Some((4.0, Vec3::Z)));
    let wall = CollisionShape::Wall(Wall { half: Vec2::new(1.0, 1.0) });
    assert_eq!(cast(&wall, Vec3::Z * 2.0, Vec3::NEG_Z), Some((2.0, Vec3::Z)));
    assert_eq!(cast(&wall, Vec3::NEG_Z, Vec3::Z), Some((1.0, Vec3::NEG_Z)));
    assert_eq!(cast(&wall, far, Vec3::X), Some((9.0, Vec3::NEG_X)));
    assert_eq!(cast(&wall, far + Vec3::Z, Vec3::X), None);
    assert_eq!(cast(&CollisionShape::HalfSpace, Vec3::new(1.0, 2.0, 3.0), Vec3::NEG_Z), Some((3.0, Vec3::Z)));
    assert_eq!(cast(&CollisionShape::HalfSpace, Vec3::Z, Vec3::X), None);
    let room = CollisionShape::BoxInside(BoxInside { half: Vec3::new(3.0, 2.0, 1.0) });
    assert_eq!(cast(&room, Vec3::X, Vec3::X), Some((2.0, Vec3::NEG_X)));
    assert_eq!(cast(&room, far, Vec3::X), Some((0.0, Vec3::NEG_X)));
    // A grazing ray from 1e6 radii away still finds the chord.
    let hit = cast(&sphere(1.0), Vec3::new(-1e6, 0.6, 0.0), Vec3::X).unwrap();
    assert!(near(hit.0, 1e6 - 0.8, 1e-9), "{hit:?}");
    // The limit counts.
    assert!(ray_cast(&cube, &Pose::IDENTITY, far, Vec3::X, 8.9).is_none());
    // A ray without direction hits what it starts in.
    assert_eq!(cast(&cube, Vec3::ZERO, Vec3::ZERO), Some((0.0, Vec3::Z)));
    assert_eq!(cast(&cube, far, Vec3::ZERO), None);
}

#[test]
fn casts_stop_at_the_first_contact_and_never_behind_it() {
    let mut r = SplitMix::new(5);
    let (mut hits, mut misses) = (0, 0);
    for i in 0..4000 {
        let a = random_bounded(&mut r);
        let b = if i % 3 == 0 { random_unbounded(&mut r) } else { random_bounded(&mut r) };
        let (pose_a, pose_b) = (random_pose(&mut r, 4.0), random_pose(&mut r, 0.3));
        let displacement = (r.in_cube() * 2.0 - pose_a.translation) * 1.5;
        let gap = |fraction: f64| {
            let moved = Pose::new(pose_a.rotation, pose_a.translation + displacement * fraction);
            separation(&a, &moved, &b, &pose_b).unwrap().gap
        };
        match shape_cast(&a, &pose_a, displacement, &b, &pose_b) {
            Some(hit) if hit.fraction == 0.0 => assert!(gap(0.0) <= 1e-7),
            Some(hit) => {
                hits += 1;
                let at = gap(hit.fraction);
                // The stated tolerance is 1e-8 of the smaller shape, here about 1.
                assert!((-1e-12..2e-8).contains(&at), "{hit:?} gap {at} {a:?} {b:?}");
                for k in 0..16 {
                    let before = gap(hit.fraction * f64::from(k) / 16.0);
                    assert!(before > -1e-12, "{hit:?} {before}");
                }
                assert!(
                    near(hit.normal.length(), 1.0, 1e-12) && hit.normal.dot(displacement) < 0.0,
                    "{hit:?}"
                );
            }
            None => {
                misses += 1;
                for k in 0..=32 {
                    let along = gap(f64::from(k) / 32.0);
                    assert!(along > -1e-12, "{a:?} {b:?} {along}");
                }
            }
        }
    }
    println!("{hits} casts hit, {misses} miss");
    assert!(hits > 500 && misses > 500);
}

#[test]
fn casts_meet_the_closed_forms() {
    let ball = sphere(0.5);
    let hit = shape_cast(&ball, &Pose::at(Vec3::X * -10.0), Vec3::X * 20.0, &ball, &Pose::IDENTITY).unwrap();
    // 9 of 20 m, to 1e-8 of the ball.
    assert!(near(hit.fraction, 9.0 / 20.0, 1e-9) && (hit.normal - Vec3::NEG_X).length() < 1e-9, "{hit:?}");
    assert!((hit.witness - Vec3::X * -0.5).length() < 1e-8);
    // Past it.
    let aside = Pose::at(Vec3::new(-10.0, 1.001, 0.0));
    assert_eq!(shape_cast(&ball, &aside, Vec3::X * 20.0, &ball, &Pose::IDENTITY), None);
    // Grazing by a hair: 0.9999 aside, contact √(1 − 0.9999²) before the middle.
    let aside = Pose::at(Vec3::new(-10.0, 0.9999, 0.0));
    let hit = shape_cast(&ball, &aside, Vec3::X * 20.0, &ball, &Pose::IDENTITY).unwrap();
    let early = (1.0_f64 - 0.9999 * 0.9999).sqrt();
    // A gap of 1e-8 is closed at a slope of 1.4 %.
    assert!(near(20.0 * hit.fraction, 10.0 - early, 2e-6), "{hit:?}");
    // In contact at the start.
    let hit = shape_cast(&ball, &Pose::at(Vec3::X * 0.2), Vec3::X, &ball, &Pose::IDENTITY).unwrap();
    assert_eq!((hit.fraction, hit.normal), (0.0, Vec3::X));
    // A box falls on the floor.
    let cube = CollisionShape::Box(Cuboid { half: Vec3::splat(0.5) });
    let hit = shape_cast(
        &cube,
        &Pose::at(Vec3::Z * 4.5),
        Vec3::NEG_Z * 10.0,
        &CollisionShape::HalfSpace,
        &Pose::IDENTITY,
    );
    assert!(near(hit.unwrap().fraction, 0.4, 1e-9));
    // And is stopped by the inside of a pipe.
    let pipe = CollisionShape::CylinderInside(CylinderInside { radius: 3.0, half_length: 50.0 });
    let hit = shape_cast(&ball, &Pose::IDENTITY, Vec3::new(3.0, 4.0, 0.0), &pipe, &Pose::IDENTITY).unwrap();
    assert!(
        near(hit.fraction, 0.5, 1e-8) && (hit.normal + Vec3::new(0.6, 0.8, 0.0)).length() < 1e-8,
        "{hit:?}"
    );
    // The pipe moves instead.
    let hit = shape_cast(&pipe, &Pose::IDENTITY, Vec3::new(3.0, 4.0, 0.0), &ball, &Pose::IDENTITY).unwrap();
    assert!(near(hit.fraction, 0.5, 1e-8), "{hit:?}");
}

#[test]
fn thin_wall_is_not_tunnelled_at_any_speed() {
    let wall = CollisionShape::Wall(Wall { half: Vec2::new(1.0, 1.0) });
    for speed in [1.0, 1e3, 1e6, 1e9] {
        for shape in [sphere(1e-3), CollisionShape::Box(Cuboid { half: Vec3::splat(1e-3) })] {
            let start = Pose::at(Vec3::new(0.1, 0.2, 0.5));
            let hit =
                shape_cast(&shape, &start, Vec3::new(0.0, 0.0, -speed), &wall, &Pose::IDENTITY).unwrap();
            assert!(near(hit.fraction * speed, 0.499, 1e-10), "{hit:?}");
            assert!(near(hit.normal.z, 1.0, 1e-12), "{hit:?}");
        }
    }
}
