//! The identity of points from one manifold to the next, and the cached update where its answer is known exactly.

use huygens_geometry::{
    Carried, CollisionShape, Feature, FeatureId, Manifold, ManifoldPoint, Reference, collide, match_points,
};
use huygens_math::{Pose, SplitMix, Vec3, trig};

fn contact(a: &CollisionShape, b: &CollisionShape, b_in_a: &Pose, margin: f64) -> Manifold {
    let mut out = Vec::new();
    collide(a, b, b_in_a, margin, &mut out);
    assert_eq!(out.len(), 1);
    out[0]
}

fn carried(m: &Manifold, made_at: &Pose, now: &Pose, size: f64) -> Option<Carried> {
    let mut out = Carried::default();
    m.carried(made_at, now, [size, 1.0], &mut out).then_some(out)
}

fn point(at: Vec3, a: Feature, b: Feature) -> ManifoldPoint {
    ManifoldPoint { on_a: at, on_b: at - Vec3::Z, gap: 0.0, feature: FeatureId { a, b } }
}

#[test]
fn points_are_matched_by_id_whatever_their_order_and_place() {
    let ids: Vec<Feature> = (0..4).map(Feature::vertex).collect();
    let mut before = Manifold::new(Vec3::Z, Reference::A);
    let mut now = before;
    for i in 0..4 {
        before.push(point(Vec3::X * i as f64, Feature::face(0), ids[i]));
        now.push(point(Vec3::X * 7.0, Feature::face(0), ids[3 - i]));
    }
    assert_eq!(match_points(&before, &now), [Some(3), Some(2), Some(1), Some(0)]);
}

#[test]
fn a_point_with_a_new_id_at_an_old_place_is_the_old_point_and_no_point_is_used_twice() {
    let mut before = Manifold::new(Vec3::Z, Reference::A);
    before.push(point(Vec3::new(1.0, 0.0, 0.0), Feature::face(0), Feature::vertex(1)));
    before.push(point(Vec3::new(-1.0, 0.0, 0.0), Feature::face(0), Feature::vertex(2)));
    let mut now = Manifold::new(Vec3::Z, Reference::A);
    // 2 % of the smaller body, which reaches √2 here, is 0.028.
    now.push(point(Vec3::new(1.02, 0.0, 0.0), Feature::edge(3), Feature::edge(5)));
    now.push(point(Vec3::new(1.01, 0.0, 0.0), Feature::vertex(3), Feature::face(5)));
    now.push(point(Vec3::new(-1.2, 0.0, 0.0), Feature::edge(4), Feature::edge(6)));
    assert_eq!(match_points(&before, &now), [Some(0), None, None, None]);
}

#[test]
fn equal_cubes_on_each_other_keep_their_points_while_the_last_bits_change_their_ids() {
    let cube = CollisionShape::cuboid(Vec3::ONE).unwrap();
    let mut random = SplitMix::new(5);
    let mut before: Option<Manifold> = None;
    let mut renamed = 0;
    for _ in 0..500 {
        let jitter = random.in_cube() * 1e-4;
        let turn = trig::rotation_vector(random.in_cube() * 1e-4);
        let now = contact(&cube, &cube, &Pose::new(turn, Vec3::Z + jitter), 0.02);
        assert_eq!(now.points().len(), 4);
        if let Some(before) = before {
            assert!(match_points(&before, &now).iter().all(Option::is_some), "{before:?} {now:?}");
            let known = |p: &ManifoldPoint| before.points().iter().any(|q| q.feature == p.feature);
            renamed += now.points().iter().filter(|p| !known(p)).count();
        }
        before = Some(now);
    }
    // Otherwise the test says nothing.
    assert!(renamed > 100);
}

#[test]
fn a_kept_box_on_a_floor_has_the_gaps_of_its_corners_to_the_last_digits() {
    let (floor, cube) = (CollisionShape::HalfSpace, CollisionShape::cuboid(Vec3::ONE).unwrap());
    let mut random = SplitMix::new(6);
    for swapped in [false, true] {
        for _ in 0..500 {
            let made_at = Pose::new(trig::rotation_vector(random.in_cube() * 2e-3), Vec3::Z * 0.5);
            let turn = trig::rotation_vector(random.in_cube() * 2e-3);
            let now = Pose::new(turn * made_at.rotation, made_at.translation + random.in_cube() * 1e-3);
            let (a, b) = if swapped { (&cube, &floor) } else { (&floor, &cube) };
            let pose = |p: &Pose| if swapped { p.inverse() } else { *p };
            let made = contact(a, b, &pose(&made_at), 0.02);
            let kept = carried(&made, &pose(&made_at), &pose(&now), cube.size()).expect("it hardly moved");
            let anew = contact(a, b, &pose(&now), 0.02);
            assert!((kept.normal - anew.normal).length() < 1e-15);
            for (i, (p, q)) in made.points().iter().zip(anew.points()).enumerate() {
                assert_eq!(p.feature, q.feature);
                assert!((kept.gap[i] - q.gap).abs() < 1e-15);
                let middle = (q.on_a + pose(&now).transform(q.on_b)) * 0.5;
                assert!((kept.middle[i] - middle).length() < 1e-14);
            }
        }
    }
}

#[test]
fn a_rolling_ball_is_kept_exactly_since_its_centre_counts_and_not_its_skin() {
    let (floor, ball) = (CollisionShape::HalfSpace, CollisionShape::sphere(0.5).unwrap());
    let made_at = Pose::at(Vec3::Z * 0.499);
    let rolled = Pose::new(trig::axis_angle(Vec3::Y, 0.005), Vec3::new(0.0025, 0.0, 0.499));
    let made = contact(&floor, &ball, &made_at, 0.01);
    let kept = carried(&made, &made_at, &rolled, 1.0).expect("it hardly moved");
    assert!((kept.gap[0] + 0.001).abs() < 1e-15);
    // Straight below the centre, not where the old point of the skin has gone.
    assert!((kept.middle[0] - Vec3::new(0.0025, 0.0, -0.0005)).length() < 1e-15);
}

#[test]
fn what_has_moved_too_far_is_not_kept() {
    let (floor, cube) = (CollisionShape::HalfSpace, CollisionShape::cuboid(Vec3::ONE).unwrap());
    let made_at = Pose::at(Vec3::Z * 0.5);
    let m = contact(&floor, &cube, &made_at, 0.05);
    let turned = |angle: f64| Pose::new(trig::axis_angle(Vec3::X, angle), made_at.translation);
    assert!(carried(&m, &made_at, &turned(0.008), 1.0).is_some());
    assert!(carried(&m, &made_at, &turned(0.011), 1.0).is_none());
    let moved = |x: f64| Pose::at(made_at.translation + Vec3::X * x);
    assert!(carried(&m, &made_at, &moved(0.0099), 1.0).is_some());
    assert!(carried(&m, &made_at, &moved(0.0101), 1.0).is_none());
    let nan = Pose::new(made_at.rotation, Vec3::NAN);
    assert!(carried(&m, &made_at, &nan, 1.0).is_none());
    // Without a margin something unseen may come down at any turn.
    let blind = contact(&floor, &cube, &made_at, 0.0);
    assert!(carried(&blind, &made_at, &turned(1e-6), 1.0).is_none());
}
