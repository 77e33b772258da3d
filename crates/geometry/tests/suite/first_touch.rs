//! The first touch of shapes that both move and turn, against gaps that are sampled densely.

use huygens_geometry::CollisionShape;
use huygens_geometry::query::{Motion, first_touch, first_touch_within, separation, stays_apart};
use huygens_math::{Pose, SplitMix, Vec2, Vec3};

const DURATION: f64 = 0.5;

/// One of the bounded convex kinds, of size about 1.
fn random_shape(r: &mut SplitMix) -> CollisionShape {
    let [x, y, z] = [0, 1, 2].map(|_| r.range(0.2, 1.0));
    let shape = match r.index(7) {
        0 => CollisionShape::sphere(x),
        1 => CollisionShape::capsule(0.5 * x, y),
        2 => CollisionShape::cuboid(Vec3::new(x, y, z)),
        3 => CollisionShape::cylinder(0.5 * x, y),
        4 => CollisionShape::cone(0.5 * x, y),
        5 => CollisionShape::ellipsoid(Vec3::new(x, y, z)),
        _ => CollisionShape::hull(&[0; 12].map(|_| r.direction() * x)),
    };
    shape.unwrap()
}

/// A shape at some distance that flies more or less at the origin and turns.
fn flight(r: &mut SplitMix, distance: f64) -> Motion {
    let place = r.direction() * distance;
    let aim = r.in_cube() * 1.5;
    let pose = Pose::new(r.rotation(), place);
    Motion {
        center: place + r.in_cube() * 0.3,
        velocity: (aim - place) * r.range(0.5, 4.0),
        acceleration: r.in_cube() * r.range(0.0, 20.0),
        spin: r.direction() * r.range(0.0, 30.0),
        pose,
    }
}

fn gap(a: &CollisionShape, motion_a: &Motion, b: &CollisionShape, motion_b: &Motion, time: f64) -> f64 {
    separation(a, &motion_a.pose_at(time), b, &motion_b.pose_at(time)).unwrap().gap
}

/// Checks one pair; true when the shapes touch.
fn judge(a: &CollisionShape, motion_a: &Motion, b: &CollisionShape, motion_b: &Motion) -> bool {
    const SAMPLES: u32 = 400;
    let found = first_touch(a, motion_a, b, motion_b, DURATION);
    let end = found.map_or(DURATION, |touch| touch.time);
    for k in 0..SAMPLES {
        let time = end * f64::from(k) / f64::from(SAMPLES);
        let before = gap(a, motion_a, b, motion_b, time);
        // Distances of round shapes converge to 1e-10.
        assert!(before > -1e-9, "{before} at {time} before {end}: {a:?} {motion_a:?} {b:?} {motion_b:?}");
    }
    if let Some(touch) = found {
        let there = gap(a, motion_a, b, motion_b, touch.time);
        assert!(there <= 1e-6, "no touch: {there} {a:?} {motion_a:?} {b:?} {motion_b:?}");
        assert!((there - touch.separation.gap).abs() < 1e-12);
    }
    found.is_some()
}

#[test]
fn no_touch_of_convex_shapes_is_missed_and_none_is_made_up() {
    let mut r = SplitMix::new(41);
    let mut touches = 0;
    for _ in 0..1500 {
        let (a, b) = (random_shape(&mut r), random_shape(&mut r));
        let (motion_a, motion_b) = (flight(&mut r, 5.0), flight(&mut r, 0.5));
        if gap(&a, &motion_a, &b, &motion_b, 0.0) > 1e-6 {
            touches += i32::from(judge(&a, &motion_a, &b, &motion_b));
        }
    }
    assert!((200..1300).contains(&touches), "{touches}");
}

#[test]
fn no_touch_with_ground_walls_and_insides_is_missed_and_none_is_made_up() {
    let mut r = SplitMix::new(42);
    let grounds = [
        CollisionShape::HalfSpace,
        CollisionShape::wall(Vec2::new(1.5, 2.0)).unwrap(),
        CollisionShape::box_inside(Vec3::new(9.0, 8.0, 7.0)).unwrap(),
        CollisionShape::cylinder_inside(4.0, 9.0).unwrap(),
    ];
    let mut touches = [0; 4];
    for k in 0..1200 {
        let ground = &grounds[k % 4];
        let a = random_shape(&mut r);
        let mut motion_a = flight(&mut r, 1.5);
        motion_a.velocity = r.direction() * r.range(2.0, 30.0);
        let lift = if k % 4 == 0 { 3.0 } else { 0.0 };
        motion_a.pose.translation.z += lift;
        motion_a.center.z += lift;
        let mut motion_b = Motion::at_rest(Pose::IDENTITY);
        if k % 8 >= 4 {
            (motion_b.velocity, motion_b.spin) = (r.in_cube(), r.in_cube() * 2.0);
        }
        if gap(&a, &motion_a, ground, &motion_b, 0.0) > 1e-6 {
            touches[k % 4] += i32::from(judge(&a, &motion_a, ground, &motion_b));
        }
    }
    assert!(touches.iter().all(|&n| n > 20), "{touches:?}");
}

#[test]
fn shapes_that_a_plane_keeps_apart_never_meet() {
    let mut r = SplitMix::new(43);
    let mut apart = 0;
    for _ in 0..1500 {
        let shapes = [random_shape(&mut r), random_shape(&mut r)];
        let (mut motion_a, mut motion_b) = (flight(&mut r, 3.0), flight(&mut r, 0.5));
        // Turns of up to two radians.
        (motion_a.spin, motion_b.spin) = (motion_a.spin * 0.1, motion_b.spin * 0.1);
        let [a, b] = &shapes;
        let start = separation(a, &motion_a.pose, b, &motion_b.pose).unwrap();
        let clearance = r.range(-0.2, 0.2);
        if stays_apart([a, b], [&motion_a, &motion_b], start.normal, clearance, DURATION) {
            apart += 1;
            for k in 0..=200 {
                let there = gap(a, &motion_a, b, &motion_b, DURATION * f64::from(k) / 200.0);
                assert!(
                    there > clearance - 1e-9,
                    "{there} {clearance} {a:?} {motion_a:?} {b:?} {motion_b:?}"
                );
            }
        }
    }
    assert!((300..1400).contains(&apart), "{apart}");
}

#[test]
fn a_search_within_a_margin_misses_no_touch_and_makes_up_none_beyond_it() {
    const COVERED: f64 = 0.01;
    let mut r = SplitMix::new(44);
    let [mut touches, mut passes] = [0, 0];
    for _ in 0..1500 {
        let (a, b) = (random_shape(&mut r), random_shape(&mut r));
        let (motion_a, motion_b) = (flight(&mut r, 3.0), flight(&mut r, 0.5));
        let start = separation(&a, &motion_a.pose, &b, &motion_b.pose).unwrap();
        if start.gap < 1e-6 {
            continue;
        }
        let exact = first_touch(&a, &motion_a, &b, &motion_b, DURATION);
        for normal in [None, Some(start.normal)] {
            let found = first_touch_within([&a, &b], [&motion_a, &motion_b], normal, COVERED, DURATION);
            assert!(
                found.is_some() || exact.is_none(),
                "missed {exact:?}: {a:?} {motion_a:?} {b:?} {motion_b:?}"
            );
            if let (Some(found), Some(exact)) = (found, exact) {
                touches += 1;
                // Both approach directly: the margin is small against their way.
                let off = (found.time - exact.time).abs();
                assert!(off < 0.1 * DURATION, "{found:?} {exact:?}");
            }
        }
        if exact.is_none() {
            let least = (0..=200)
                .map(|k| gap(&a, &motion_a, &b, &motion_b, DURATION * f64::from(k) / 200.0))
                .fold(f64::INFINITY, |least, gap| if gap < least { gap } else { least });
            let found = first_touch_within([&a, &b], [&motion_a, &motion_b], None, COVERED, DURATION);
            passes += i32::from(found.is_none());
            assert!(found.is_none() || least < 3.0 * COVERED, "{least} {found:?}");
        }
    }
    assert!(touches > 200 && passes > 200, "{touches} {passes}");
}
