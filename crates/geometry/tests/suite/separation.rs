//! Separation of convex shapes: closed forms, and what may not change the answer.

use crate::common::{Any, along};
use huygens_geometry::gjk::{Separation, separation, separation_with_hint};
use huygens_geometry::shape::{Capsule, Cuboid, Cylinder, Hull, Sphere};
use huygens_geometry::support::Support;
use huygens_math::{Pose, Quat, SplitMix, Vec3, scalar, trig};

/// What every answer must satisfy: a unit normal, witnesses `gap` apart along it, each on its shape's far plane.
fn check<A: Support, B: Support>(a: &A, b: &B, pose: &Pose, s: &Separation, tolerance: f64) {
    assert!((s.normal.length() - 1.0).abs() < 1e-14, "{s:?}");
    assert!((s.on_a - s.on_b - s.gap * s.normal).length() <= tolerance, "{s:?}");
    assert!((along(a, b, pose, s.normal) - s.gap).abs() <= tolerance, "{s:?}");
    let edge_a = s.normal.dot(a.support(-s.normal).point) - a.radius();
    assert!((s.normal.dot(s.on_a) - edge_a).abs() <= tolerance, "{s:?}");
}

fn near(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance
}

fn random_pose(r: &mut SplitMix, reach: f64) -> Pose {
    let rotation = r.rotation();
    Pose::new(rotation, r.in_cube() * reach)
}

fn random_box(r: &mut SplitMix) -> Cuboid {
    Cuboid { half: Vec3::new(r.range(0.1, 1.0), r.range(0.1, 1.0), r.range(0.1, 1.0)) }
}

#[test]
fn spheres_are_apart_by_the_distance_of_their_centres_less_the_radii() {
    let mut r = SplitMix::new(1);
    for _ in 0..1000 {
        let (a, b) = (Sphere { radius: r.range(0.1, 2.0) }, Sphere { radius: r.range(0.1, 2.0) });
        let pose = random_pose(&mut r, 2.0);
        let s = separation(&a, &b, &pose);
        let distance = pose.translation.length();
        // A few roundings of numbers of size 4.
        assert!(near(s.gap, distance - a.radius - b.radius, 2e-15), "{s:?}");
        assert!((s.normal + pose.translation / distance).length() < 1e-15);
        check(&a, &b, &pose, &s, 4e-15);
    }
}

#[test]
fn concentric_spheres_part_along_some_unit_normal_by_the_sum_of_radii() {
    let s = separation(&Sphere { radius: 1.0 }, &Sphere { radius: 0.25 }, &Pose::IDENTITY);
    assert_eq!(s.gap, -1.25);
    assert_eq!(s.normal.length(), 1.0);
    assert_eq!(s.on_a - s.on_b, s.normal * s.gap);
}

/// Distance of two segments by trying every pair of features: ends against segments, and the two lines.
fn segment_distance(p: [Vec3; 2], q: [Vec3; 2]) -> f64 {
    let to_segment = |x: Vec3, s: [Vec3; 2]| {
        let d = s[1] - s[0];
        (s[0] + d * scalar::clamp((x - s[0]).dot(d) / d.length_squared(), 0.0, 1.0) - x).length()
    };
    let ends = [to_segment(p[0], q), to_segment(p[1], q), to_segment(q[0], p), to_segment(q[1], p)];
    let mut least = ends.into_iter().fold(f64::INFINITY, scalar::min);
    let (d, e, w) = (p[1] - p[0], q[1] - q[0], q[0] - p[0]);
    let n = d.cross(e);
    let (t, u) = (w.cross(e).dot(n) / n.length_squared(), w.cross(d).dot(n) / n.length_squared());
    if (0.0..=1.0).contains(&t) && (0.0..=1.0).contains(&u) {
        least = scalar::min(least, w.dot(n).abs() / n.length());
    }
    least
}

#[test]
fn capsules_are_apart_by_the_distance_of_their_axes_less_the_radii() {
    let mut r = SplitMix::new(2);
    for _ in 0..2000 {
        let mut capsule = || Capsule { radius: r.range(0.1, 0.5), half_length: r.range(0.1, 1.0) };
        let (a, b) = (capsule(), capsule());
        let pose = random_pose(&mut r, 1.5);
        let s = separation(&a, &b, &pose);
        let end = |c: &Capsule, z: f64| Vec3::new(0.0, 0.0, z * c.half_length);
        let p = [end(&a, -1.0), end(&a, 1.0)];
        let q = [pose.transform(end(&b, -1.0)), pose.transform(end(&b, 1.0))];
        // A dozen roundings of numbers of size 3.
        assert!(near(s.gap, segment_distance(p, q) - a.radius - b.radius, 1e-14), "{s:?}");
        check(&a, &b, &pose, &s, 1e-13);
    }
}

#[test]
fn crossing_capsules_part_across_both_axes() {
    let (a, b) = (Capsule { radius: 0.1, half_length: 1.0 }, Capsule { radius: 0.2, half_length: 0.5 });
    let turned = trig::axis_angle(Vec3::Y, 0.7);
    let s = separation(&a, &b, &Pose::new(turned, Vec3::new(0.1, 0.0, 0.05)));
    assert!(near(s.gap, -0.3, 1e-15) && near(s.normal.y.abs(), 1.0, 1e-15), "{s:?}");
    // Coincident axes: any normal across them.
    let s = separation(&a, &b, &Pose::IDENTITY);
    assert!(near(s.gap, -0.3, 1e-15) && s.normal.z == 0.0, "{s:?}");
    // Axes in one line, overlapping: still across.
    let s = separation(&a, &b, &Pose::at(Vec3::Z * 0.7));
    assert!(near(s.gap, -0.3, 1e-15) && s.normal.z.abs() < 1e-15, "{s:?}");
}

#[test]
fn sphere_and_box_follow_the_signed_distance_of_a_box() {
    let mut r = SplitMix::new(3);
    for _ in 0..2000 {
        let (a, b) = (random_box(&mut r), Sphere { radius: r.range(0.05, 1.0) });
        let pose = random_pose(&mut r, 1.5);
        let s = separation(&a, &b, &pose);
        let q = pose.translation.abs() - a.half;
        let outside = Vec3::new(scalar::max(q.x, 0.0), scalar::max(q.y, 0.0), scalar::max(q.z, 0.0));
        let inside = scalar::min(scalar::max(q.x, scalar::max(q.y, q.z)), 0.0);
        assert!(near(s.gap, outside.length() + inside - b.radius, 4e-15), "{s:?} {a:?} {b:?} {pose:?}");
        check(&a, &b, &pose, &s, 1e-14);
    }
}

/// Depth of two boxes by the fifteen axes that can part them; negative when one does.
fn box_depth(a: &Cuboid, b: &Cuboid, pose: &Pose) -> f64 {
    let axes_a = [Vec3::X, Vec3::Y, Vec3::Z];
    let axes_b = axes_a.map(|axis| pose.rotate(axis));
    let mut axes = [axes_a, axes_b].concat();
    for p in axes_a {
        axes.extend(axes_b.map(|q| p.cross(q)).iter().filter(|c| c.length() > 1e-6).map(|c| c.normalize()));
    }
    let reach = |n: Vec3, axes: &[Vec3; 3], half: Vec3| {
        axes.iter().zip(half.to_array()).fold(0.0, |sum, (axis, h)| sum + h * n.dot(*axis).abs())
    };
    axes.into_iter().fold(f64::INFINITY, |least, n| {
        let depth = reach(n, &axes_a, a.half) + reach(n, &axes_b, b.half) - n.dot(pose.translation).abs();
        scalar::min(least, depth)
    })
}

#[test]
fn box_depth_is_the_least_over_fifteen_axes() {
    let mut r = SplitMix::new(4);
    let mut overlaps = 0;
    for i in 0..20_000 {
        let (a, b) = (random_box(&mut r), random_box(&mut r));
        let rotation = match i % 4 {
            0 => Quat::IDENTITY,
            1 => trig::axis_angle(Vec3::Z, r.range(-3.0, 3.0)),
            // Almost parallel: edge crosses are all but undefined.
            2 => trig::axis_angle(r.direction(), 1e-9),
            _ => r.rotation(),
        };
        let pose = Pose::new(rotation, if i % 7 == 0 { Vec3::ZERO } else { r.in_cube() });
        let depth = box_depth(&a, &b, &pose);
        let s = separation(&a, &b, &pose);
        if depth < 0.0 {
            assert!(s.gap > -1e-14, "{s:?}");
            continue;
        }
        overlaps += 1;
        // The almost parallel ones may take an edge axis that the list leaves out: 1e-9 rad over a size of 1.
        let tolerance = if i % 4 == 2 { 1e-12 } else { 1e-14 };
        assert!(near(s.gap, -depth, tolerance), "{i}: {} {depth}", s.gap);
        check(&a, &b, &pose, &s, 1e-13);
    }
    println!("{overlaps} overlapping boxes");
    assert!(overlaps > 5_000);
}

#[test]
fn boxes_apart_are_as_far_as_their_intervals() {
    let mut r = SplitMix::new(5);
    for _ in 0..2000 {
        let (a, b) = (random_box(&mut r), random_box(&mut r));
        let t = r.in_cube() * 4.0;
        let q = t.abs() - a.half - b.half;
        let s = separation(&a, &b, &Pose::at(t));
        if q.max_element() <= 0.0 {
            continue;
        }
        let outside = Vec3::new(scalar::max(q.x, 0.0), scalar::max(q.y, 0.0), scalar::max(q.z, 0.0));
        assert!(near(s.gap, outside.length(), 1e-15 * 8.0), "{s:?}");
    }
}

#[test]
fn nearly_touching_faces_keep_their_gap_and_normal() {
    let (a, b) = (Cuboid { half: Vec3::new(1.0, 2.0, 0.5) }, Cuboid { half: Vec3::new(0.7, 0.3, 0.25) });
    let mut worst = 0.0;
    for k in 0..=40 {
        let gap = trig::pow(10.0, -0.5 * f64::from(k));
        for sign in [-1.0, 0.0, 1.0] {
            let pose = Pose::new(trig::axis_angle(Vec3::Z, 0.3), Vec3::new(0.2, -0.4, -0.75 - sign * gap));
            let s = separation(&a, &b, &pose);
            // −0.75 − gap rounds to half an ulp, and the depth is less than the other faces'.
            let expected = -0.75 - pose.translation.z;
            let expected = scalar::max(expected, -0.75 - 0.75);
            if sign < 0.0 && gap > 0.7 {
                continue;
            }
            worst = scalar::max(worst, (s.gap - expected).abs());
            assert!(near(s.gap, expected, 3e-16), "{s:?} at {gap:e}");
            assert!((s.normal - Vec3::Z).length() < 1e-14, "{s:?} at {gap:e}");
        }
    }
    println!("worst error of a gap: {worst:.1e}");
}

#[test]
fn cylinder_on_its_end_and_on_its_side_touches_a_box_at_the_closed_form() {
    let (c, b) = (Cylinder { radius: 0.5, half_length: 1.0 }, Cuboid { half: Vec3::new(2.0, 2.0, 0.25) });
    for gap in [0.3, 1e-3, 1e-9, 0.0, -1e-9, -1e-3, -0.1] {
        // Upright, off centre.
        let s = separation(&c, &b, &Pose::at(Vec3::new(0.3, 0.2, -1.25 - gap)));
        assert!(near(s.gap, gap, 1e-12) && (s.normal - Vec3::Z).length() < 1e-5, "{s:?} at {gap}");
        // Lying: the box's top is along the cylinder's −x.
        let side = Pose::new(
            trig::axis_angle(Vec3::Y, 0.5 * std::f64::consts::PI),
            Vec3::new(-0.75 - gap, 0.0, 0.1),
        );
        let s = separation(&c, &b, &side);
        assert!(near(s.gap, gap, 1e-12) && (s.normal - Vec3::X).length() < 1e-5, "{s:?} at {gap}");
    }
}

#[test]
fn cylinders_converge_where_their_support_function_does() {
    let mut r = SplitMix::new(6);
    let (mut worst, mut worst_angle) = (0.0, 0.0);
    for i in 0..3000 {
        let mut cylinder = || Cylinder { radius: r.range(0.1, 1.0), half_length: r.range(0.1, 1.0) };
        let (a, b) = (cylinder(), cylinder());
        let pose = random_pose(&mut r, if i % 3 == 0 { 0.2 } else { 1.5 });
        let s = separation(&a, &b, &pose);
        check(&a, &b, &pose, &s, 1e-10);
        // No direction nearby is better: the gap is the largest separation along any.
        let (mut m, mut best, mut step) = (s.normal, along(&a, &b, &pose, s.normal), 1e-3);
        while step > 1e-9 {
            let trial = (m + r.direction() * step).normalize();
            let gap = along(&a, &b, &pose, trial);
            if gap > best {
                (m, best) = (trial, gap);
                step *= 1.5;
            } else {
                step *= 0.95;
            }
        }
        worst = scalar::max(worst, (best - s.gap).abs());
        worst_angle = scalar::max(worst_angle, trig::angle_between(m, s.normal));
    }
    println!("cylinders: gap within {worst:.1e}, normal within {worst_angle:.1e} rad of a local refinement");
    // Sizes are about 1: 1e-8 relative, and 1e-5 rad.
    assert!(worst < 1e-8 && worst_angle < 1e-5);
}

#[test]
fn swapping_the_shapes_mirrors_the_answer() {
    let mut r = SplitMix::new(7);
    for _ in 0..5000 {
        let (a, b) = (Any::random(&mut r, 1.0), Any::random(&mut r, 1.0));
        let pose = random_pose(&mut r, 1.8);
        let s = separation(&a, &b, &pose);
        let t = separation(&b, &a, &pose.inverse()).transformed(&pose).swapped();
        // Cylinders converge to 1e-12, the rest to rounding.
        assert!(near(s.gap, t.gap, 1e-11), "{s:?} {t:?}");
        check(&a, &b, &pose, &s, 1e-10);
        // A normal can differ only where another one is as good.
        assert!(near(along(&a, &b, &pose, t.normal), s.gap, 1e-10), "{s:?} {t:?}");
    }
}

#[test]
fn scale_from_a_micrometre_to_ten_kilometres_scales_the_answer() {
    let mut r = SplitMix::new(8);
    for _ in 0..5000 {
        let (a, b) = (Any::random(&mut r, 1.0), Any::random(&mut r, 1.0));
        let pose = random_pose(&mut r, 1.8);
        let s = separation(&a, &b, &pose);
        for scale in [1e-6, 1e-3, 1e2, 1e4] {
            let far = Pose::new(pose.rotation, pose.translation * scale);
            let t = separation(&a.scaled(scale), &b.scaled(scale), &far);
            assert!(near(s.gap, t.gap / scale, 1e-11), "scale {scale}: {s:?} {t:?}");
            assert!(near(along(&a, &b, &pose, t.normal), s.gap, 1e-10), "scale {scale}: {s:?} {t:?}");
        }
    }
}

#[test]
fn a_hint_changes_the_answer_by_no_more_than_the_tolerance() {
    let mut r = SplitMix::new(9);
    for _ in 0..5000 {
        let (a, b) = (Any::random(&mut r, 1.0), Any::random(&mut r, 1.0));
        let pose = random_pose(&mut r, 1.8);
        let s = separation(&a, &b, &pose);
        for mut hint in [s.normal, -s.normal, r.direction(), Vec3::X] {
            let t = separation_with_hint(&a, &b, &pose, &mut hint);
            assert_eq!(hint, t.normal);
            assert!(near(s.gap, t.gap, 1e-11), "{s:?} {t:?}");
        }
    }
}

#[test]
fn turning_both_shapes_turns_the_answer() {
    let mut r = SplitMix::new(10);
    for _ in 0..5000 {
        let (a, b) = (random_box(&mut r), random_box(&mut r));
        let turn = r.rotation();
        let corners = |c: &Cuboid| -> Vec<Vec3> {
            (0..8)
                .map(|i| {
                    let sign = |bit: i32| if i >> bit & 1 == 0 { 1.0 } else { -1.0 };
                    c.half * Vec3::new(sign(0), sign(1), sign(2))
                })
                .collect()
        };
        let turned: Vec<Vec3> = corners(&a).into_iter().map(|p| turn * p).collect();
        let hull = Hull::new(&turned).unwrap();
        let pose = random_pose(&mut r, 1.8);
        let s = separation(&a, &b, &pose);
        let t = separation(&hull, &b, &(Pose::new(turn, Vec3::ZERO) * pose));
        assert!(near(s.gap, t.gap, 1e-14), "{s:?} {t:?}");
        assert!(near(along(&a, &b, &pose, turn.conjugate() * t.normal), s.gap, 1e-13), "{s:?} {t:?}");
    }
}
