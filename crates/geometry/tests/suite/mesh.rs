//! Meshes and height fields: mass, rays and distances against closed forms, brute force and parry; contacts on flat ground,
//! folds and brinks.

use crate::peer::oracle::{larger, smaller};
use crate::peer::parry;
use huygens_geometry::{CollisionShape, Manifold, collide, query};
use huygens_math::{Pose, SplitMix, Vec2, Vec3, trig};

/// A box as twelve triangles, moved by `at`.
fn crate_of(size: Vec3, at: Vec3) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let corner = |i: u32| {
        let side = |bit: u32| if i >> bit & 1 == 1 { 0.5 } else { -0.5 };
        Vec3::new(side(0), side(1), side(2)) * size + at
    };
    let triangles = vec![
        [0, 2, 1],
        [1, 2, 3],
        [4, 5, 6],
        [5, 7, 6],
        [0, 1, 4],
        [1, 5, 4],
        [2, 6, 3],
        [3, 6, 7],
        [0, 4, 2],
        [2, 4, 6],
        [1, 3, 5],
        [3, 7, 5],
    ];
    ((0..8).map(corner).collect(), triangles)
}

/// A rolling landscape of n by n cells of 0.5 m.
fn landscape(n: usize, steep: f64, r: &mut SplitMix) -> CollisionShape {
    let rows: Vec<Vec<f64>> = (0..=n).map(|_| (0..=n).map(|_| r.range(-steep, steep)).collect()).collect();
    CollisionShape::height_field(&rows, Vec2::splat(0.5 * n as f64)).expect("a grid")
}

fn flat(n: usize, size: f64) -> CollisionShape {
    CollisionShape::height_field(&vec![vec![0.0; n + 1]; n + 1], Vec2::splat(size)).expect("a grid")
}

fn contacts(a: &CollisionShape, b: &CollisionShape, b_in_a: &Pose, margin: f64) -> Vec<Manifold> {
    let mut out = Vec::new();
    collide(a, b, b_in_a, margin, &mut out);
    out
}

#[test]
fn a_closed_mesh_has_the_mass_of_its_solid_wherever_it_is() {
    let mut r = SplitMix::new(1);
    for _ in 0..200 {
        let size = Vec3::new(r.range(0.1, 2.0), r.range(0.1, 2.0), r.range(0.1, 2.0));
        let at = r.in_cube() * 10.0;
        let (vertices, triangles) = crate_of(size, at);
        let mesh = CollisionShape::mesh(&vertices, &triangles).unwrap().mass_properties(700.0).unwrap();
        let solid =
            CollisionShape::cuboid(size).unwrap().mass_properties(700.0).unwrap().transformed(&Pose::at(at));
        assert!((mesh.mass - solid.mass).abs() < 1e-12 * solid.mass);
        assert!((mesh.center - solid.center).length() < 1e-12);
        let off = (mesh.inertia - solid.inertia).to_mat3();
        assert!(off.to_cols_array().iter().all(|x| x.abs() < 1e-10 * solid.inertia.trace()));
    }
    let hull: Vec<Vec3> = (0..40).map(|_| r.direction()).collect();
    let CollisionShape::Hull(hull) = CollisionShape::hull(&hull).unwrap() else { panic!("it is one") };
    let mut triangles = Vec::new();
    for f in 0..hull.face_count() {
        let v = hull.face(f).vertices;
        triangles.extend(v[1..].windows(2).map(|pair| [v[0], pair[0], pair[1]]));
    }
    let mesh = CollisionShape::mesh(hull.vertices(), &triangles).unwrap().mass_properties(1.0).unwrap();
    let solid = CollisionShape::Hull(hull).mass_properties(1.0).unwrap();
    assert!((mesh.mass - solid.mass).abs() < 1e-13 && (mesh.center - solid.center).length() < 1e-13);
}

#[test]
fn an_open_mesh_has_no_mass_and_says_which_edge_is_open() {
    let (vertices, mut triangles) = crate_of(Vec3::ONE, Vec3::ZERO);
    triangles.pop();
    let CollisionShape::Mesh(open) = CollisionShape::mesh(&vertices, &triangles).unwrap() else {
        panic!("it is one")
    };
    assert!(CollisionShape::Mesh(open.clone()).mass_properties(1.0).is_none());
    let text = open.enclosed().unwrap_err().to_string();
    assert!(text.starts_with("mesh: the edge between vertices") && text.contains("does not close"), "{text}");
}

#[test]
fn rays_hit_what_parry_says_and_what_every_triangle_says() {
    let mut r = SplitMix::new(2);
    let mut hits = 0;
    for _ in 0..20 {
        let ground = landscape(12, 0.6, &mut r);
        let theirs = parry::shape(&ground).expect("parry has it");
        for _ in 0..200 {
            let origin = Vec3::new(r.range(-3.5, 3.5), r.range(-3.5, 3.5), r.range(1.0, 3.0));
            let direction = Vec3::new(r.range(-1.0, 1.0), r.range(-1.0, 1.0), r.range(-1.5, -0.1));
            let ours = query::ray_cast(&ground, &Pose::IDENTITY, origin, direction, 50.0);
            let ray = parry3d_f64::query::Ray::new(parry::vector(origin), parry::vector(direction));
            let pose = parry::pose(&ground, &Pose::IDENTITY);
            let toi = theirs.cast_ray(&pose, &ray, 50.0, true);
            match (ours, toi) {
                (Some(a), Some(b)) => {
                    hits += 1;
                    assert!((a.toi - b).abs() < 1e-9, "{} {b}", a.toi);
                    assert!(a.normal.dot(direction) < 0.0);
                }
                (a, b) => assert!(a.is_none() && b.is_none(), "{a:?} {b:?}"),
            }
        }
    }
    assert!(hits > 1000, "{hits}");
}

#[test]
fn distances_from_a_mesh_agree_with_parry_and_casts_stop_there() {
    let mut r = SplitMix::new(3);
    for round in 0..300 {
        let ground = landscape(8, 0.4, &mut r);
        let shape = match round % 3 {
            0 => CollisionShape::sphere(0.3).unwrap(),
            1 => CollisionShape::cuboid(Vec3::new(0.3, 0.5, 0.7)).unwrap(),
            _ => CollisionShape::capsule(0.1, 0.6).unwrap(),
        };
        let pose =
            Pose::new(r.rotation(), Vec3::new(r.range(-1.5, 1.5), r.range(-1.5, 1.5), r.range(1.2, 2.5)));
        let s = query::separation(&ground, &Pose::IDENTITY, &shape, &pose).unwrap();
        let [a, b] = [&ground, &shape].map(|s| parry::shape(s).expect("parry has it"));
        let poses = [parry::pose(&ground, &Pose::IDENTITY), parry::pose(&shape, &pose)];
        let distance =
            parry3d_f64::query::distance(&poses[0], &*a, &poses[1], &*b).expect("supported").distance;
        assert!((s.gap - distance).abs() < 1e-6, "{} {distance}", s.gap);
        let falls = query::Motion {
            velocity: Vec3::new(0.0, 0.0, -4.0),
            spin: r.in_cube() * 2.0,
            ..query::Motion::at_rest(pose)
        };
        let still = query::Motion::at_rest(Pose::IDENTITY);
        let touch = query::first_touch(&shape, &falls, &ground, &still, 1.0).expect("it lands");
        let there = falls.pose_at(touch.time);
        let left = query::separation(&ground, &Pose::IDENTITY, &shape, &there).unwrap().gap;
        assert!(left.abs() < 1e-6, "{left}");
        // Nothing before it touches.
        for i in 0..20 {
            let there = falls.pose_at(touch.time * f64::from(i) / 20.0);
            assert!(!query::overlap(&ground, &Pose::IDENTITY, &shape, &there));
        }
    }
}

#[test]
fn flat_ground_of_many_triangles_is_as_one_plane() {
    let mut r = SplitMix::new(4);
    let ground = flat(40, 4.0);
    let shapes = [
        CollisionShape::sphere(0.3).unwrap(),
        CollisionShape::capsule(0.2, 0.5).unwrap(),
        CollisionShape::cuboid(Vec3::new(0.5, 0.7, 0.4)).unwrap(),
        CollisionShape::cylinder(0.3, 0.6).unwrap(),
        CollisionShape::cone(0.3, 0.6).unwrap(),
        CollisionShape::ellipsoid(Vec3::new(0.2, 0.3, 0.4)).unwrap(),
        CollisionShape::hull(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z]).unwrap(),
    ];
    for shape in &shapes {
        for k in 0..200 {
            let tilt = r.direction() * if k % 2 == 0 { 1e-3 } else { 3.0 };
            let pose = Pose::new(
                trig::rotation_vector(tilt),
                Vec3::new(r.range(-0.8, 0.8), r.range(-0.8, 0.8), 0.0),
            );
            let low =
                query::separation(&CollisionShape::HalfSpace, &Pose::IDENTITY, shape, &pose).unwrap().gap;
            let pose = Pose::new(pose.rotation, pose.translation - Vec3::Z * (low + 1e-3));
            let mut plane = contacts(&CollisionShape::HalfSpace, shape, &pose, 0.02);
            let mut mesh = contacts(&ground, shape, &pose, 0.02);
            assert_eq!((plane.len(), mesh.len()), (1, 1), "{}", shape.kind());
            let (plane, mesh) = (plane.remove(0), mesh.remove(0));
            assert_eq!(mesh.points().len(), plane.points().len(), "{} {k}", shape.kind());
            for (p, q) in plane.points().iter().zip(mesh.points()) {
                assert!((p.on_a - q.on_a).length() < 1e-12 && (p.gap - q.gap).abs() < 1e-12);
                assert_eq!(p.feature.b, q.feature.b);
            }
            assert_eq!(mesh.normal, plane.normal);
            assert_eq!(mesh.sub_shape, [0, 0]);
        }
    }
}

#[test]
fn a_contact_with_rolling_ground_is_as_close_as_the_ground() {
    let mut r = SplitMix::new(5);
    let (mut touching, mut groups) = (0, 0);
    for round in 0..2000 {
        let ground = landscape(6, 0.08, &mut r);
        let shape = match round % 4 {
            0 => CollisionShape::sphere(0.3).unwrap(),
            1 => CollisionShape::cuboid(Vec3::new(0.4, 0.5, 0.7)).unwrap(),
            2 => CollisionShape::cylinder(0.3, 0.5).unwrap(),
            _ => CollisionShape::capsule(0.15, 0.6).unwrap(),
        };
        let pose =
            Pose::new(r.rotation(), Vec3::new(r.range(-0.5, 0.5), r.range(-0.5, 0.5), r.range(0.3, 0.8)));
        let truth = query::separation(&ground, &Pose::IDENTITY, &shape, &pose).unwrap();
        if truth.gap < 0.0 {
            continue;
        }
        let found = contacts(&ground, &shape, &pose, 0.05);
        let least = found.iter().map(Manifold::gap).fold(f64::INFINITY, smaller);
        if truth.gap > 0.05 {
            // Along the normal of a face a shape may be nearer than by the straight way past a brink, never by much.
            assert!(found.is_empty() || least > 0.03, "{} {least}", truth.gap);
            continue;
        }
        touching += 1;
        groups += found.len();
        // The straight way may lead past a fold, and a face is preferred within its band: 1e-3 of the size and 5 %.
        let allowed = 2e-3 * shape.size() + 0.1 * truth.gap;
        assert!(
            truth.gap > 0.045 || (least - truth.gap).abs() < allowed,
            "{round} {}: {least} against {}",
            shape.kind(),
            truth.gap
        );
        for m in &found {
            assert!(m.points().len() <= 4 && !m.points().is_empty());
            assert!((m.normal.length() - 1.0).abs() < 1e-12);
        }
    }
    println!("{touching} touching, {groups} manifolds");
    assert!(touching > 100, "{touching}");
}

#[test]
fn a_ridge_holds_a_box_along_the_ridge_with_the_normal_of_the_box() {
    // A roof of 10° on both sides, its ridge along y.
    let slope = trig::tan(10f64.to_radians());
    let rows = vec![vec![-slope, 0.0, -slope]; 9];
    let roof = CollisionShape::height_field(&rows, Vec2::new(2.0, 4.0)).unwrap();
    let block = CollisionShape::cuboid(Vec3::new(0.6, 0.5, 0.4)).unwrap();
    for turn in [0.0, 0.02, -0.05] {
        let q = trig::axis_angle(Vec3::Y, turn);
        // Touching the ridge with its lower face, whose plane is 0.2 below its centre.
        let pose = Pose::new(q, q * Vec3::new(0.05, 0.0, 0.2));
        let found = contacts(&roof, &block, &pose, 0.005);
        assert_eq!(found.len(), 1, "turned by {turn}");
        assert!((found[0].normal + q * Vec3::Z).length() < 1e-9, "turned by {turn}: {:?}", found[0].normal);
        assert_eq!(found[0].points().len(), 2);
        assert!(found[0].points().iter().all(|p| p.gap.abs() < 1e-12 && p.on_a.x.abs() < 1e-12));
    }
}

#[test]
fn a_valley_holds_a_ball_on_both_sides() {
    let slope = trig::tan(30f64.to_radians());
    let rows = vec![vec![slope, 0.0, slope]; 3];
    let valley = CollisionShape::height_field(&rows, Vec2::new(2.0, 4.0)).unwrap();
    let ball = CollisionShape::sphere(0.2).unwrap();
    let pose = Pose::at(Vec3::Z * (0.2 / trig::cos(30f64.to_radians())));
    let found = contacts(&valley, &ball, &pose, 0.01);
    assert_eq!(found.len(), 2);
    for m in &found {
        assert!(
            m.points()[0].gap.abs() < 1e-12 && (m.normal.z + trig::cos(30f64.to_radians())).abs() < 1e-12
        );
    }
}

#[test]
fn a_curb_of_one_hundredth_meets_the_front_of_a_box() {
    // Steps up by 1 cm at x = 0.
    let v = [
        (-2.0, -1.0, 0.0),
        (0.0, -1.0, 0.0),
        (0.0, -1.0, 0.01),
        (2.0, -1.0, 0.01),
        (-2.0, 1.0, 0.0),
        (0.0, 1.0, 0.0),
        (0.0, 1.0, 0.01),
        (2.0, 1.0, 0.01),
    ];
    let vertices: Vec<Vec3> = v.iter().map(|&(x, y, z)| Vec3::new(x, y, z)).collect();
    let strip = |a: u32| [[a, a + 1, a + 4], [a + 1, a + 5, a + 4]];
    let triangles: Vec<[u32; 3]> = [0, 1, 2].into_iter().flat_map(strip).collect();
    let curb = CollisionShape::mesh(&vertices, &triangles).unwrap();
    let block = CollisionShape::cuboid(Vec3::ONE).unwrap();
    for sunk in [0.0, 1e-4] {
        let pose = Pose::at(Vec3::new(-0.51, 0.0, 0.5 - sunk));
        let found = contacts(&curb, &block, &pose, 0.05);
        assert_eq!(found.len(), 2, "the ground and the front");
        let front = found.iter().find(|m| m.normal.x > 0.9).expect("the front is met");
        assert!((front.normal - Vec3::X).length() < 1e-12 && (front.gap() - 0.01).abs() < 1e-12);
        let ground = found.iter().find(|m| m.normal.z < -0.9).expect("the ground is met");
        assert!((ground.normal + Vec3::Z).length() < 1e-12 && ground.points().len() == 4);
    }
}

#[test]
fn malformed_meshes_are_refused_by_name() {
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::ONE];
    let refused =
        |v: &[Vec3], t: &[[u32; 3]]| CollisionShape::mesh(v, t).expect_err("must be refused").to_string();
    assert!(refused(&corners, &[]).contains("0 triangles"));
    assert!(refused(&corners, &[[0, 1, 5]]).contains("triangle 0 names vertex 5, but there are 5 vertices"));
    assert!(refused(&corners, &[[0, 1, 1]]).contains("triangle 0 has the corners [0, 1, 1], an area of 0.0"));
    let line = [Vec3::ZERO, Vec3::X, Vec3::X * 2.0];
    assert!(refused(&line, &[[0, 1, 2]]).contains("it has no normal"));
    assert!(refused(&corners, &[[0, 1, 2], [1, 2, 0]]).contains("triangles 0 and 1 have the same corners"));
    // Back to back they are a sheet that is solid from both sides.
    assert!(CollisionShape::mesh(&corners, &[[0, 1, 2], [2, 1, 0]]).is_ok());
    assert!(refused(&corners, &[[0, 1, 2], [0, 1, 3]]).contains("in the same direction"));
    let three = refused(&corners, &[[0, 1, 2], [1, 0, 3], [0, 1, 4]]);
    assert!(three.contains("belongs to 3 triangles"), "{three}");
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e16] {
        let text = refused(&[Vec3::ZERO, Vec3::new(1.0, bad, 0.0), Vec3::Y], &[[0, 1, 2]]);
        assert!(text.starts_with("mesh: vertex 1 is (1.0, "), "{text}");
        let rows = vec![vec![0.0, 1.0], vec![bad, 0.0]];
        let text = CollisionShape::height_field(&rows, Vec2::ONE).expect_err("refused").to_string();
        assert!(text.starts_with("heightfield: row 1, height 0 is"), "{text}");
    }
    let ragged = vec![vec![0.0, 1.0], vec![0.0]];
    assert!(
        CollisionShape::height_field(&ragged, Vec2::ONE)
            .expect_err("refused")
            .to_string()
            .contains("row 1 has 1 heights")
    );
    assert!(CollisionShape::height_field(&[], Vec2::ONE).is_err());
    assert!(CollisionShape::height_field(&vec![vec![1.0; 2]; 2], Vec2::new(0.0, 1.0)).is_err());
}

#[test]
fn a_hundred_thousand_hostile_meshes_never_panic() {
    let rounds = if cfg!(debug_assertions) { 20_000 } else { 100_000 };
    let mut r = SplitMix::new(6);
    let odd = [
        0.0,
        -0.0,
        1e-300,
        1e-15,
        1e15,
        1e16,
        f64::NAN,
        f64::INFINITY,
        f64::MAX,
        f64::MIN_POSITIVE,
        1.0,
        -1.0,
    ];
    let (mut built, mut met) = (0, 0);
    for _ in 0..rounds {
        let number = |r: &mut SplitMix| match r.index(12) {
            0 => odd[r.index(odd.len())],
            1..=4 => (r.range(-2.0, 2.0)).round(),
            _ => r.range(-1.0, 1.0),
        };
        let vertices: Vec<Vec3> = (0..r.index(8))
            .map(|_| {
                if r.index(4) == 0 {
                    Vec3::new(number(&mut r), number(&mut r), number(&mut r))
                } else {
                    r.in_cube()
                }
            })
            .collect();
        let n = vertices.len() + usize::from(r.index(20) == 0) + usize::from(vertices.is_empty());
        let triangles: Vec<[u32; 3]> =
            (0..r.index(5)).map(|_| [r.index(n) as u32, r.index(n) as u32, r.index(n) as u32]).collect();
        match CollisionShape::mesh(&vertices, &triangles) {
            Ok(mesh) => {
                built += 1;
                let shape = match r.index(4) {
                    0 => CollisionShape::sphere(r.range(0.01, 1.0)),
                    1 => CollisionShape::cuboid(Vec3::splat(r.range(0.01, 1.0))),
                    2 => CollisionShape::cylinder(r.range(0.01, 1.0), r.range(0.01, 1.0)),
                    _ => CollisionShape::cone(r.range(0.01, 1.0), r.range(0.01, 1.0)),
                };
                let shape = shape.expect("valid");
                let pose = Pose::new(r.rotation(), r.in_cube());
                let margin = larger(0.0, number(&mut r));
                let found = contacts(&mesh, &shape, &pose, if margin.is_finite() { margin } else { 0.1 });
                met += usize::from(!found.is_empty());
                let good = |m: &Manifold| {
                    m.normal.is_finite() && m.points().iter().all(|p| p.on_a.is_finite() && p.gap.is_finite())
                };
                assert!(found.iter().all(good) && found.len() <= 16);
                let _ = query::ray_cast(&mesh, &pose, r.in_cube() * 3.0, r.in_cube(), 10.0);
                let _ = mesh.mass_properties(1.0);
            }
            Err(error) => assert!(error.to_string().len() > 30, "{error}"),
        }
    }
    println!("{built} built, {met} met");
    assert!(built > rounds / 20 && met > 100);
}

#[test]
fn the_same_mesh_in_another_place_gives_the_same_contacts() {
    let mut r = SplitMix::new(7);
    for _ in 0..300 {
        let ground = landscape(6, 0.08, &mut r);
        let block = CollisionShape::cuboid(Vec3::new(0.4, 0.5, 0.7)).unwrap();
        let pose =
            Pose::new(r.rotation(), Vec3::new(r.range(-0.5, 0.5), r.range(-0.5, 0.5), r.range(0.3, 0.6)));
        let one = contacts(&ground, &block, &pose, 0.05);
        let other = contacts(&block, &ground, &pose.inverse(), 0.05);
        assert_eq!(one.len(), other.len());
        for (a, b) in one.iter().zip(&other) {
            assert!((a.gap() - b.gap()).abs() < 1e-12);
            assert!((a.normal + pose.rotate(b.normal)).length() < 1e-12);
            assert_eq!((a.sub_shape[0], a.points().len()), (b.sub_shape[1], b.points().len()));
        }
    }
}
