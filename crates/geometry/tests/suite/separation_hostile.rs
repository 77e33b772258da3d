//! Separation where it is hard: sizes from 1e-6 to 1e4 m, thin plates and needles, ratios to 1e6, coincident shapes,
//! exactly touching and exactly parallel features. Always an answer, and one that holds together.

use crate::common::{Any, along};
use huygens_geometry::gjk::{MAX_EPA_ITERATIONS, MAX_GJK_ITERATIONS, separation_with_effort};
use huygens_geometry::shape::{Capsule, Cuboid, Cylinder, Hull, Sphere, Wall};
use huygens_geometry::support::Support;
use huygens_math::{Pose, Quat, SplitMix, Vec2, Vec3, scalar, trig};
use std::sync::Arc;

const CONFIGURATIONS: usize = 100_000;

fn hostile_shape(r: &mut SplitMix, size: f64) -> Any {
    let thin = if r.unit() < 0.5 { 0.0 } else { -4.0 };
    let mut length = || size * trig::pow(10.0, r.range(thin, 0.0));
    let half = Vec3::new(length(), length(), length());
    match r.index(6) {
        0 => Any::Sphere(Sphere { radius: half.x }),
        1 => Any::Capsule(Capsule { radius: half.x, half_length: half.y }),
        2 => Any::Box(Cuboid { half }),
        3 => Any::Cylinder(Cylinder { radius: half.x, half_length: half.y }),
        4 => Any::Wall(Wall { half: Vec2::new(half.x, half.y) }),
        _ => hostile_hull(r, half),
    }
}

/// Points in general position, on a grid, in clusters, or on a circle with two tips.
fn hostile_hull(r: &mut SplitMix, half: Vec3) -> Any {
    loop {
        let kind = r.index(4);
        let n = 4 + r.index(29);
        let points: Vec<Vec3> = (0..n)
            .map(|i| match kind {
                0 => r.direction() * half,
                1 => (r.in_cube() * 2.0).round() * half,
                2 => (r.in_cube().round() + r.in_cube() * 1e-9) * half,
                _ if i < 2 => Vec3::Z * if i == 0 { half.z } else { -half.z },
                _ => {
                    let (sin, cos) = trig::sin_cos(std::f64::consts::TAU * i as f64 / n as f64);
                    Vec3::new(cos * half.x, sin * half.y, 0.0)
                }
            })
            .collect();
        if let Ok(hull) = Hull::new(&points) {
            return Any::Hull(Arc::new(hull));
        }
    }
}

fn hostile_rotation(r: &mut SplitMix) -> Quat {
    let axis = [Vec3::X, Vec3::Y, Vec3::Z][r.index(3)];
    match r.index(5) {
        0 => Quat::IDENTITY,
        1 => trig::axis_angle(axis, 0.5 * std::f64::consts::PI * r.index(4) as f64),
        2 => trig::axis_angle(r.direction(), trig::pow(10.0, r.range(-17.0, -3.0))),
        3 => trig::axis_angle(axis, r.range(-3.0, 3.0)),
        _ => r.rotation(),
    }
}

fn hostile_translation(r: &mut SplitMix, a: &Any, b: &Any, rotation: Quat) -> Vec3 {
    let reach = a.extent() + b.extent();
    let far = |axis: Vec3| {
        let (p, q) = (a.support(axis), b.support(rotation.conjugate() * -axis));
        (axis.dot(p.point) + a.radius() + b.radius() - axis.dot(rotation * q.point)) * axis
    };
    let axis = [Vec3::X, Vec3::Y, Vec3::Z][r.index(3)];
    match r.index(8) {
        0 => Vec3::ZERO,
        1 => r.direction() * (reach * trig::pow(10.0, r.range(-17.0, -8.0))),
        // Exactly touching along an axis, and shifted along the plane of contact.
        2 => far(axis),
        3 => far(axis) + r.in_cube() * (Vec3::ONE - axis) * (0.3 * reach),
        // Almost touching, on either side.
        4 => {
            far(axis)
                * (1.0 + trig::pow(10.0, r.range(-16.0, -6.0)) * if r.unit() < 0.5 { 1.0 } else { -1.0 })
        }
        // A corner on a corner.
        5 => a.support(r.direction()).point - rotation * b.support(r.direction()).point,
        6 => r.direction() * (reach * trig::pow(10.0, r.range(0.0, 4.0))),
        _ => r.in_cube() * reach,
    }
}

fn hostile_pair(r: &mut SplitMix) -> (Any, Any, Pose) {
    let size = trig::pow(10.0, r.range(-6.0, 4.0));
    let ratio = if r.unit() < 0.5 { 1.0 } else { trig::pow(10.0, r.range(-6.0, 6.0)) };
    let a = hostile_shape(r, size);
    let b =
        if r.index(8) == 0 { a.clone() } else { hostile_shape(r, scalar::clamp(size * ratio, 1e-6, 1e4)) };
    let rotation = hostile_rotation(r);
    let translation = hostile_translation(r, &a, &b, rotation);
    (a, b, Pose::new(rotation, translation))
}

#[test]
fn hostile_configurations_always_get_a_consistent_answer() {
    let mut r = SplitMix::new(77);
    let (mut overlapping, mut unconverged, mut polytopes, mut most_gjk, mut most_epa) = (0, 0, 0, 0, 0);
    let (mut worst_polytope, mut worst_curved) = (0.0, 0.0);
    for i in 0..CONFIGURATIONS {
        let (a, b, pose) = hostile_pair(&mut r);
        let (s, effort) = separation_with_effort(&a, &b, &pose, Vec3::ZERO);
        let what = || format!("{i}: {s:?} {effort:?}\n{a:?}\n{b:?}\n{pose:?}");
        assert!(s.gap.is_finite() && s.on_a.is_finite() && s.on_b.is_finite(), "{}", what());
        assert!((s.normal.length() - 1.0).abs() < 1e-14, "{}", what());
        assert!(effort.gjk <= MAX_GJK_ITERATIONS && effort.epa <= MAX_EPA_ITERATIONS, "{}", what());
        // Everything is a difference of numbers of this size.
        let size = a.extent() + b.extent() + pose.translation.length();
        assert!((s.on_a - s.on_b - s.gap * s.normal).length() <= 1e-15 * size, "{}", what());
        // The normal does part the shapes by the gap, up to the tolerance of GJK and EPA.
        let error = (along(&a, &b, &pose, s.normal) - s.gap).abs() / size;
        let curved = a.round_axis().is_some() || b.round_axis().is_some();
        let worst = if curved { &mut worst_curved } else { &mut worst_polytope };
        *worst = scalar::max(*worst, error);
        let tolerance = if curved { 1e-10 } else { 1e-13 };
        assert!(error < tolerance, "{error:e} {}", what());
        // No direction parts them by more. What is nearer or flatter than 1e-12 of the size counts as touching or flat.
        let tolerance = if curved { 1e-10 } else { 5e-12 };
        for _ in 0..8 {
            let m = (s.normal * r.unit() + r.direction() * trig::pow(10.0, r.range(-6.0, 0.0))).normalize();
            assert!(along(&a, &b, &pose, m) - s.gap <= tolerance * size, "{m:?} {}", what());
        }
        // Each witness belongs to its shape. Where a circle of directions ties, depth knows the normal to 3e-8 rad
        // (the root of its rounding), and the witness moves by that; where facets of almost flat differences are one
        // plane within rounding, it may lie beside the right one.
        let tolerance = if curved { 1e-7 } else { 1e-9 };
        for _ in 0..3 {
            let u = r.direction();
            let out_a = u.dot(s.on_a - a.support(u).point) - a.radius();
            let v = pose.inverse_rotate(u);
            let out_b = v.dot(pose.inverse_transform(s.on_b) - b.support(v).point) - b.radius();
            assert!(out_a <= tolerance * size && out_b <= tolerance * size, "{out_a:e} {out_b:e} {}", what());
        }
        overlapping += usize::from(s.gap < 0.0);
        unconverged += usize::from(!effort.converged);
        polytopes += usize::from(!effort.converged && !curved);
        most_gjk = most_gjk.max(effort.gjk);
        most_epa = most_epa.max(effort.epa);
    }
    println!(
        "{CONFIGURATIONS} configurations, {overlapping} overlapping, {unconverged} stopped early ({polytopes} of polytopes); separation along \
         the normal within {worst_polytope:.1e} (polytopes) and {worst_curved:.1e} (cylinders) of the size; at most \
         {most_gjk} + {most_epa} support points"
    );
}
