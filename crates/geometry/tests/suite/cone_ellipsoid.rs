//! Cones and ellipsoids: support, boxes, mass, rays and contacts by closed forms, distances by parry and by a support sweep.

use crate::peer::parry;
use huygens_geometry::support::Support;
use huygens_geometry::{CollisionShape, FeatureKind, Manifold, collide, query};
use huygens_math::{Pose, SplitMix, Vec3, trig};

fn cone(radius: f64, length: f64) -> CollisionShape {
    CollisionShape::cone(radius, length).expect("valid")
}

fn ellipsoid(x: f64, y: f64, z: f64) -> CollisionShape {
    CollisionShape::ellipsoid(Vec3::new(x, y, z)).expect("valid")
}

fn contact(a: &CollisionShape, b: &CollisionShape, b_in_a: &Pose, margin: f64) -> Manifold {
    let mut out = Vec::new();
    collide(a, b, b_in_a, margin, &mut out);
    assert_eq!(out.len(), 1, "one contact of {} and {}", a.kind(), b.kind());
    out[0]
}

/// A random point inside the shape.
fn inside(shape: &CollisionShape, r: &mut SplitMix) -> Vec3 {
    match shape {
        CollisionShape::Cone(c) => loop {
            let p = r.in_cube() * Vec3::new(c.radius, c.radius, c.half_length);
            let limit = c.radius * (c.half_length - p.z) / (2.0 * c.half_length);
            if p.x * p.x + p.y * p.y <= limit * limit {
                return p;
            }
        },
        CollisionShape::Ellipsoid(e) => loop {
            let p = r.in_cube();
            if p.length_squared() <= 1.0 {
                return p * e.radii;
            }
        },
        other => panic!("no {}", other.kind()),
    }
}

fn height(shape: &CollisionShape, d: Vec3) -> f64 {
    match shape {
        CollisionShape::Cone(c) => c.support(d).point.dot(d),
        CollisionShape::Ellipsoid(e) => e.support(d).point.dot(d),
        other => panic!("no {}", other.kind()),
    }
}

#[test]
fn no_point_lies_farther_than_the_support_point_and_the_box_is_tight() {
    let mut r = SplitMix::new(1);
    for shape in [cone(0.4, 1.3), cone(2.0, 0.1), ellipsoid(0.3, 1.0, 2.0), ellipsoid(1.0, 1.0, 0.01)] {
        for _ in 0..200 {
            let d = r.direction();
            let most = height(&shape, d);
            assert!((0..100).all(|_| inside(&shape, &mut r).dot(d) <= most + 1e-15));
            let pose = Pose::new(r.rotation(), r.in_cube());
            let bounds = shape.aabb(&pose);
            for (axis, u) in Vec3::AXES.into_iter().enumerate() {
                let reach = |u: Vec3| height(&shape, pose.inverse_rotate(u)) + u.dot(pose.translation);
                // Two dozen roundings of numbers below 3.
                assert!((bounds.max[axis] - reach(u)).abs() < 1e-14);
                assert!((-bounds.min[axis] - reach(-u)).abs() < 1e-14);
            }
        }
    }
}

#[test]
fn masses_are_those_of_the_textbook_and_of_many_thin_discs() {
    let solid = cone(0.3, 0.8).mass_properties(2.0).unwrap();
    let (mut mass, mut first, mut axial, mut across) = (0.0, 0.0, 0.0, 0.0);
    let n = 100_000;
    for i in 0..n {
        let dz = 0.8 / f64::from(n);
        let z = -0.4 + (f64::from(i) + 0.5) * dz;
        let radius = 0.3 * (0.4 - z) / 0.8;
        let m = 2.0 * std::f64::consts::PI * radius * radius * dz;
        mass += m;
        first += m * z;
        axial += 0.5 * m * radius * radius;
        across += m * (0.25 * radius * radius + z * z);
    }
    let center = first / mass;
    across -= mass * center * center;
    // The midpoint rule leaves 1/n² of it.
    assert!((solid.mass - mass).abs() < 1e-9 * mass && (solid.center.z - center).abs() < 1e-9);
    assert!((solid.inertia.zz - axial).abs() < 1e-9 * axial);
    assert!((solid.inertia.xx - across).abs() < 1e-8 * across, "{} {across}", solid.inertia.xx);
    let (ball, round) = (CollisionShape::sphere(0.7).unwrap(), ellipsoid(0.7, 0.7, 0.7));
    let (ball, round) = (ball.mass_properties(3.0).unwrap(), round.mass_properties(3.0).unwrap());
    assert!((ball.mass - round.mass).abs() < 1e-14 && (ball.inertia.xx - round.inertia.xx).abs() < 1e-15);
    // Stretching along x by 2 doubles the mass and quadruples the second moment along x.
    let long = ellipsoid(1.4, 0.7, 0.7).mass_properties(3.0).unwrap();
    assert!((long.inertia.xx / long.mass - ball.inertia.xx / ball.mass).abs() < 1e-15);
    assert!((long.inertia.yy / long.mass - 0.2 * (1.96 + 0.49)).abs() < 1e-14);
}

#[test]
fn a_ray_enters_where_a_fine_search_says() {
    let mut r = SplitMix::new(2);
    let within = |shape: &CollisionShape, p: Vec3| match shape {
        CollisionShape::Cone(c) => {
            let limit = c.radius * (c.half_length - p.z) / (2.0 * c.half_length);
            p.z.abs() <= c.half_length && (p.x * p.x + p.y * p.y).sqrt() <= limit
        }
        CollisionShape::Ellipsoid(e) => (p / e.radii).length() <= 1.0,
        _ => false,
    };
    let mut hits = 0;
    for shape in [cone(0.5, 1.0), cone(1.5, 0.4), ellipsoid(0.4, 0.8, 1.2)] {
        for _ in 0..3000 {
            let pose = Pose::new(r.rotation(), r.in_cube());
            let o = r.direction() * 3.0;
            let d = (pose.translation + r.in_cube() * 0.7 - o) * r.range(0.2, 1.0);
            let found = query::ray_cast(&shape, &pose, o, d, 20.0);
            let inside = |t: f64| within(&shape, pose.inverse_transform(o + d * t));
            let first = (0..4000).map(|i| f64::from(i) * 0.005).find(|&t| inside(t));
            match found {
                Some(hit) => {
                    hits += 1;
                    // On the surface: inside just after, outside just before.
                    assert!(!inside(hit.toi - 1e-7) || hit.toi == 0.0);
                    assert!(first.is_none_or(|t| hit.toi <= t && hit.toi > t - 0.006), "{first:?} {hit:?}");
                    assert!(hit.normal.dot(d) <= 0.0 && (hit.normal.length() - 1.0).abs() < 1e-12);
                }
                None => assert!(first.is_none(), "missed at {first:?}"),
            }
        }
    }
    assert!(hits > 1000);
}

#[test]
fn distances_of_a_cone_agree_with_parry() {
    let mut r = SplitMix::new(3);
    let (mut worst, mut apart) = (0.0, 0);
    for _ in 0..3000 {
        let ours = cone(r.range(0.1, 1.0), r.range(0.2, 2.0));
        let edges = Vec3::new(r.range(0.2, 2.0), r.range(0.2, 2.0), r.range(0.2, 2.0));
        let block = CollisionShape::cuboid(edges).expect("valid");
        let pose = Pose::new(r.rotation(), r.direction() * r.range(1.0, 3.0));
        let found = query::separation(&ours, &pose, &block, &Pose::IDENTITY).expect("bounded");
        let [a, b] = [&ours, &block].map(|s| parry::shape(s).expect("parry has it"));
        let poses = [parry::pose(&ours, &pose), parry::pose(&block, &Pose::IDENTITY)];
        let distance =
            parry3d_f64::query::distance(&poses[0], &*a, &poses[1], &*b).expect("supported").distance;
        if found.gap > 0.0 {
            apart += 1;
            let off = (distance - found.gap).abs();
            worst = if off > worst { off } else { worst };
        } else {
            assert!(distance < 1e-6, "{distance} {}", found.gap);
        }
    }
    println!("{apart} apart, worst {worst:.1e} m");
    // parry stops at 1e-7 of the distance or so.
    assert!(apart > 1000 && worst < 1e-5, "{worst}");
}

#[test]
fn depths_are_the_least_of_a_support_sweep() {
    let mut r = SplitMix::new(4);
    for _ in 0..60 {
        let pairs = [
            (cone(0.5, 1.0), ellipsoid(0.3, 0.6, 0.4)),
            (ellipsoid(0.5, 0.4, 0.8), ellipsoid(0.3, 0.6, 0.4)),
            (cone(0.5, 1.0), cone(0.3, 0.9)),
        ];
        for (a, b) in pairs {
            let pose = Pose::new(r.rotation(), r.direction() * r.range(0.2, 1.6));
            let s = query::separation(&a, &Pose::IDENTITY, &b, &pose).expect("bounded");
            // gap(n) = −n·t − h_A(−n) − h_B(n): the signed distance is its largest value over unit vectors.
            let gap =
                |n: Vec3| -n.dot(pose.translation) - height(&a, -n) - height(&b, pose.inverse_rotate(n));
            assert!((gap(s.normal) - s.gap).abs() < 1e-9, "{} {}", gap(s.normal), s.gap);
            let best = (0..4000)
                .map(|_| gap(r.direction()))
                .fold(f64::NEG_INFINITY, |x, y| if y > x { y } else { x });
            assert!(best <= s.gap + 1e-9, "{best} {}", s.gap);
        }
    }
}

#[test]
fn a_cone_stands_on_its_base_with_four_points_and_lies_on_its_side_with_two() {
    let shape = cone(0.5, 1.0);
    let floors = [
        (CollisionShape::HalfSpace, Pose::IDENTITY),
        (CollisionShape::cuboid(Vec3::new(6.0, 6.0, 1.0)).expect("valid"), Pose::at(Vec3::Z * -0.5)),
    ];
    for (floor, at) in floors {
        let upright = contact(&floor, &shape, &at.relative(&Pose::at(Vec3::Z * 0.4999)), 0.01);
        assert_eq!(upright.points().len(), 4, "{}", floor.kind());
        assert!(upright.points().iter().all(|p| (p.gap + 1e-4).abs() < 1e-12));
        assert!((upright.normal + Vec3::Z).length() < 1e-12);
        // On its side: the axis is inclined by the half angle of the tip, tan = r/h = 0.5.
        let tip = trig::atan2(0.5, 1.0);
        let lying = trig::axis_angle(Vec3::Y, std::f64::consts::FRAC_PI_2 + tip);
        let low = height(&shape, lying.conjugate() * Vec3::NEG_Z);
        let pose = at.relative(&Pose::new(lying, Vec3::Z * (low - 1e-4)));
        let side = contact(&floor, &shape, &pose, 0.01);
        assert_eq!(side.points().len(), 2, "{}", floor.kind());
        let [p, q] = [side.points()[0].on_a, side.points()[1].on_a];
        // From the tip to the rim: √(r² + h²).
        assert!(((p - q).length() - 1.25f64.sqrt()).abs() < 1e-9, "{}", (p - q).length());
        assert!(side.points().iter().all(|p| (p.gap + 1e-4).abs() < 1e-9));
        // On its tip it has one.
        let over = trig::axis_angle(Vec3::X, std::f64::consts::PI);
        let top = contact(&floor, &shape, &at.relative(&Pose::new(over, Vec3::Z * 0.4999)), 0.01);
        assert_eq!(top.points().len(), 1);
        assert!((top.points()[0].gap + 1e-4).abs() < 1e-9);
    }
}

#[test]
fn an_ellipsoid_touches_at_the_point_with_the_normal_of_the_floor() {
    let mut r = SplitMix::new(5);
    let shape = ellipsoid(0.3, 0.7, 1.1);
    let CollisionShape::Ellipsoid(e) = &shape else { panic!("it is one") };
    let floors = [
        (CollisionShape::HalfSpace, Pose::IDENTITY),
        (CollisionShape::cuboid(Vec3::new(6.0, 6.0, 1.0)).expect("valid"), Pose::at(Vec3::Z * -0.5)),
    ];
    for (floor, at) in floors {
        for _ in 0..300 {
            let q = r.rotation();
            let low = height(&shape, q.conjugate() * Vec3::NEG_Z);
            let gap = r.range(-0.01, 0.01);
            let pose = Pose::new(q, Vec3::new(r.range(-1.0, 1.0), r.range(-1.0, 1.0), low + gap));
            let m = contact(&floor, &shape, &at.relative(&pose), 0.02);
            assert_eq!(m.points().len(), 1);
            let p = m.points()[0];
            // The place as a closed form, the gap as the height of the origin less the support function.
            assert!((p.gap - gap).abs() < 1e-12, "{} {gap}", p.gap);
            let down = q.conjugate() * Vec3::NEG_Z;
            assert!((p.on_b - e.support(down).point).length() < 1e-9);
            assert_eq!(p.feature.b.kind(), FeatureKind::Vertex);
        }
    }
}

#[test]
fn every_pair_with_a_cone_or_an_ellipsoid_has_the_gap_of_its_separation() {
    let mut r = SplitMix::new(6);
    let others = [
        cone(0.4, 0.9),
        ellipsoid(0.5, 0.3, 0.4),
        CollisionShape::sphere(0.4).expect("valid"),
        CollisionShape::capsule(0.2, 0.6).expect("valid"),
        CollisionShape::cuboid(Vec3::new(0.6, 0.8, 0.5)).expect("valid"),
        CollisionShape::cylinder(0.3, 0.8).expect("valid"),
        CollisionShape::hull(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z]).expect("valid"),
    ];
    for a in [cone(0.5, 1.0), ellipsoid(0.3, 0.6, 0.4)] {
        for b in &others {
            let mut seen = 0;
            for _ in 0..400 {
                let pose = Pose::new(r.rotation(), r.direction() * r.range(0.3, 1.5));
                let s = query::separation(&a, &Pose::IDENTITY, b, &pose).expect("bounded");
                let mut out = Vec::new();
                collide(&a, b, &pose, 0.05, &mut out);
                let size = oracle_size(&a, b);
                if s.gap > 0.05 + 1e-6 {
                    assert!(out.is_empty());
                } else if s.gap < 0.05 - 1e-3 * size {
                    assert_eq!(out.len(), 1, "{} {} {}", a.kind(), b.kind(), s.gap);
                    seen += 1;
                    // The face band: 1e-3 of the size and 5 % of the depth.
                    let allowed = 1.5e-3 * size + 0.06 * s.gap.abs();
                    assert!(
                        (out[0].gap() - s.gap).abs() <= allowed,
                        "{} {} {}",
                        b.kind(),
                        out[0].gap(),
                        s.gap
                    );
                    assert!(out[0].points().iter().all(|p| p.on_a.is_finite() && p.on_b.is_finite()));
                }
            }
            assert!(seen > 50, "{} {}: {seen}", a.kind(), b.kind());
        }
    }
}

fn oracle_size(a: &CollisionShape, b: &CollisionShape) -> f64 {
    crate::peer::oracle::smaller(a.size(), b.size())
}
