//! Shapes and poses that nobody would make on purpose: always an answer, never a NaN, never for ever.

use crate::peer::oracle::{self, larger, smaller};
use crate::peer::sample::{Kind, Pair, Turn, random};
use huygens_geometry::{CollisionShape, Manifold, collide, query};
use huygens_math::{Pose, Quat, SplitMix, Vec2, Vec3, trig};
use std::time::{Duration, Instant};

const CONFIGURATIONS: usize = 100_000;

/// No single call may take longer. A call takes microseconds, a hard one some hundred; the rest is for a busy machine
/// and for code that is hardly optimised.
const MAX_TIME: Duration = Duration::from_millis(20);

/// A call that takes longer than this is timed again: the machine may have been busy.
const SUSPECT: Duration = Duration::from_millis(1);

/// A length in 1e-6 … 1e4 m, never more than 1e6 times another one of the same pair.
fn length(r: &mut SplitMix, about: f64) -> f64 {
    let x = about * trig::pow(10.0, r.range(-3.0, 3.0));
    x.clamp(1e-6, 1e4)
}

/// Needles, slivers, sheets and ordinary shapes of any size.
fn shape(kind: Kind, r: &mut SplitMix, about: f64) -> CollisionShape {
    let mut size = || length(r, about);
    let made = match kind {
        Kind::Sphere => CollisionShape::sphere(size()),
        Kind::Capsule => CollisionShape::capsule(size(), size()),
        Kind::Box => CollisionShape::cuboid(Vec3::new(size(), size(), size())),
        Kind::Cylinder => CollisionShape::cylinder(size(), size()),
        Kind::Wall => CollisionShape::wall(Vec2::new(size(), size())),
        Kind::BoxInside => CollisionShape::box_inside(Vec3::new(size(), size(), size())),
        Kind::CylinderInside => CollisionShape::cylinder_inside(size(), size()),
        Kind::HalfSpace => CollisionShape::half_space(),
        Kind::Hull => return hull(r, about),
    };
    made.expect("lengths are in range")
}

/// A hull that is a needle, a sliver, a fan around a point, or has many corners on one face.
fn hull(r: &mut SplitMix, about: f64) -> CollisionShape {
    loop {
        let stretch = Vec3::new(length(r, about), length(r, about), length(r, about));
        let count = 4 + r.index(24);
        let style = r.index(4);
        let points: Vec<Vec3> = (0..count)
            .map(|i| {
                let p = match style {
                    0 => r.in_cube(),
                    1 => r.direction(),
                    // Corners of a grid: flat faces with many points on them.
                    2 => Vec3::new(r.index(3) as f64, r.index(3) as f64, r.index(3) as f64) - Vec3::ONE,
                    // A prism: two flat rings.
                    _ => {
                        let (s, c) = trig::sin_cos(0.5 * (i / 2) as f64);
                        Vec3::new(c, s, if i % 2 == 0 { -1.0 } else { 1.0 })
                    }
                };
                p * stretch
            })
            .collect();
        // Flat or collinear points are refused with an error; that is tested where hulls are made.
        if let Ok(shape) = CollisionShape::hull(&points) {
            return shape;
        }
    }
}

/// A length of the shape itself: exact multiples of it make features touch exactly.
fn own_length(shape: &CollisionShape, r: &mut SplitMix) -> f64 {
    match shape {
        CollisionShape::Sphere(s) => s.radius,
        CollisionShape::Capsule(s) => [s.radius, s.half_length, s.radius + s.half_length][r.index(3)],
        CollisionShape::Box(s) => s.half[r.index(3)],
        CollisionShape::Cylinder(s) => [s.radius, s.half_length][r.index(2)],
        CollisionShape::Cone(s) => [s.radius, s.half_length][r.index(2)],
        CollisionShape::Ellipsoid(s) => s.radii[r.index(3)],
        CollisionShape::Hull(s) => s.vertices()[r.index(s.vertices().len())].abs().max_element(),
        CollisionShape::Mesh(_) | CollisionShape::HalfSpace => 0.0,
        CollisionShape::Wall(s) => s.half[r.index(2)],
        CollisionShape::BoxInside(s) => s.half[r.index(3)],
        CollisionShape::CylinderInside(s) => [s.radius, s.half_length][r.index(2)],
    }
}

fn pose(a: &CollisionShape, b: &CollisionShape, r: &mut SplitMix) -> Pose {
    let rotation = match r.index(6) {
        0 => Quat::IDENTITY,
        1 => trig::rotation_vector(r.direction() * trig::pow(10.0, r.range(-16.0, -1.0))),
        _ => Turn::ALL[r.index(4)].rotation(r),
    };
    let (la, lb) = (own_length(a, r), own_length(b, r));
    let direction = if r.unit() < 0.5 { Vec3::AXES[r.index(3)] } else { r.direction() };
    let both = larger(la, lb);
    let translation = match r.index(8) {
        0 => Vec3::ZERO,
        // Exactly touching or exactly flush.
        1 => direction * (la + lb),
        2 => direction * (la - lb),
        3 => Vec3::AXES[r.index(3)] * (la + lb) + Vec3::AXES[r.index(3)] * (la - lb),
        // A hair apart or into each other.
        4 => direction * (la + lb) * (1.0 + r.range(-1.0, 1.0) * trig::pow(10.0, r.range(-17.0, -3.0))),
        5 => r.in_cube() * both * trig::pow(10.0, r.range(-20.0, 0.0)),
        6 => r.in_cube() * both * trig::pow(10.0, r.range(0.0, 8.0)),
        _ => r.in_cube() * (la + lb),
    };
    Pose::new(rotation, translation)
}

fn check(a: &CollisionShape, b: &CollisionShape, b_in_a: &Pose, margin: f64, found: &[Manifold]) {
    let what = || format!("{a:?} {b:?} {b_in_a:?} margin {margin:e}: {found:?}");
    let convex = !matches!(a, CollisionShape::BoxInside(_) | CollisionShape::CylinderInside(_))
        && !matches!(b, CollisionShape::BoxInside(_) | CollisionShape::CylinderInside(_));
    assert!(found.len() <= if convex { 1 } else { 64 }, "{}", what());
    for m in found {
        assert!((m.normal.length() - 1.0).abs() < 1e-12, "normal {} {}", m.normal.length(), what());
        assert!((1..=4).contains(&m.points().len()), "{}", what());
        assert!(m.round.iter().all(|x| x.is_finite() && *x >= 0.0), "{}", what());
        assert!(m.reuse.turn >= 0.0 && m.reuse.travel >= 0.0, "{}", what());
        for p in m.points() {
            assert!(p.on_a.is_finite() && p.on_b.is_finite() && p.gap.is_finite(), "{}", what());
            // Up to the rounding of the coordinates that the gap is a difference of.
            let rounding = 4.0 * f64::EPSILON * (p.on_a.length() + p.on_b.length());
            assert!(p.gap <= margin + rounding, "{}", what());
        }
    }
}

/// Least time of `once`, which is run again where it seems slow.
fn timed(mut once: impl FnMut()) -> Duration {
    let mut least = Duration::MAX;
    for _ in 0..8 {
        let start = Instant::now();
        once();
        least = least.min(start.elapsed());
        if least < SUSPECT {
            break;
        }
    }
    least
}

#[test]
fn hostile_pairs_always_get_a_finite_answer_in_bounded_time() {
    let mut r = random(6);
    let (mut touching, mut slowest) = (0, Duration::ZERO);
    let mut out = Vec::new();
    for _ in 0..CONFIGURATIONS {
        let kinds = [Kind::ALL[r.index(9)], Kind::ALL[r.index(9)]];
        let about = trig::pow(10.0, r.range(-3.0, 1.0));
        let (a, b) = (shape(kinds[0], &mut r, about), shape(kinds[1], &mut r, about));
        let b_in_a = pose(&a, &b, &mut r);
        let size = smaller(a.size(), b.size());
        let scale = if size.is_finite() { size } else { about };
        let margin = [0.0, 0.02, 1.0, 100.0][r.index(4)] * scale;
        let time = timed(|| {
            out.clear();
            collide(&a, &b, &b_in_a, margin, &mut out);
        });
        if time > slowest {
            slowest = time;
        }
        assert!(time < MAX_TIME, "{time:?} {a:?} {b:?} {b_in_a:?}");
        check(&a, &b, &b_in_a, margin, &out);
        touching += usize::from(!out.is_empty());
    }
    println!("{CONFIGURATIONS} configurations, {touching} with a manifold, slowest call {slowest:?}");
    assert!(touching > CONFIGURATIONS / 4);
}

#[test]
fn hostile_pairs_get_a_right_separation_and_agree_on_overlap() {
    let mut r = random(7);
    let mut slowest = Duration::ZERO;
    let (mut worst, mut swept, mut shallower) = (0.0, 0, f64::NEG_INFINITY);
    for i in 0..CONFIGURATIONS / 2 {
        let kinds = [Kind::ALL[r.index(9)], Kind::ALL[r.index(9)]];
        let about = trig::pow(10.0, r.range(-3.0, 1.0));
        let (a, b) = (shape(kinds[0], &mut r, about), shape(kinds[1], &mut r, about));
        let b_in_a = pose(&a, &b, &mut r);
        let mut found = None;
        let time = timed(|| found = query::separation(&a, &Pose::IDENTITY, &b, &b_in_a));
        if time > slowest {
            slowest = time;
        }
        assert!(time < MAX_TIME, "{time:?} {a:?} {b:?} {b_in_a:?}");
        assert_eq!(found.is_none(), kinds[0].is_unbounded() && kinds[1].is_unbounded());
        let overlap = query::overlap(&a, &Pose::IDENTITY, &b, &b_in_a);
        if let Some(s) = found {
            assert!(
                s.gap.is_finite() && s.normal.is_finite() && s.on_a.is_finite() && s.on_b.is_finite(),
                "{s:?} {a:?} {b:?} {b_in_a:?}"
            );
            assert!((s.normal.length() - 1.0).abs() < 1e-12, "{s:?} {a:?} {b:?} {b_in_a:?}");
            // Rounding is relative to the largest coordinate that enters.
            let large =
                [&a, &b].map(|s| if s.bounding_radius().is_finite() { s.bounding_radius() } else { 0.0 });
            let noise = 1e-9 * (large[0] + large[1] + b_in_a.translation.length());
            assert!(s.gap.abs() <= noise || overlap == (s.gap <= 0.0), "{s:?} {a:?} {b:?} {b_in_a:?}");
            let pair = Pair { a, b, b_in_a };
            let convex = !kinds.iter().any(|k| matches!(k, Kind::BoxInside | Kind::CylinderInside));
            if convex && kinds[1] != Kind::HalfSpace {
                let scale = large[0] + large[1] + b_in_a.translation.length();
                let error = (oracle::apart(&pair, s.normal) - s.gap).abs() / scale;
                worst = larger(worst, error);
                // GJK and EPA end within 1e-12 of the coordinates on a cylinder.
                assert!(error <= 1e-12, "{error:e} {s:?} {pair:?}");
                // A wall pushes to the side of the centre, which need not be the shorter way.
                if i % 40 == 0 && s.gap < 0.0 && !kinds.contains(&Kind::Wall) {
                    swept += 1;
                    let best = oracle::sweep(&pair, 300, 4, &[s.normal]);
                    let better = (best.gap - s.gap) / pair.size();
                    shallower = larger(shallower, better);
                    assert!(
                        best.gap <= s.gap + 1e-9 * pair.size() + 1e-12 * scale,
                        "{best:?} {s:?} {pair:?}"
                    );
                }
            }
        }
    }
    println!("slowest query {slowest:?}, gap along the normal to {worst:.1e} of the largest coordinate");
    println!("{swept} overlaps swept, best direction better by {shallower:.1e} of the size");
}

#[test]
fn poses_that_are_not_numbers_give_nothing() {
    let mut r = random(8);
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for a in Kind::ALL {
            for b in Kind::ALL {
                let (a, b) = (a.shape(&mut r, 1.0), b.shape(&mut r, 1.0));
                let mut out = Vec::new();
                collide(&a, &b, &Pose::at(Vec3::new(0.0, bad, 0.0)), 0.1, &mut out);
                collide(&a, &b, &Pose::new(Quat::from_xyzw(bad, 0.0, 0.0, 1.0), Vec3::ZERO), 0.1, &mut out);
                collide(&a, &b, &Pose::IDENTITY, bad, &mut out);
                assert!(out.is_empty(), "{a:?} {b:?}");
            }
        }
    }
}
