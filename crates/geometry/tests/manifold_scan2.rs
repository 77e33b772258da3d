mod manifold_kit;
use manifold_kit::*;
use huygens_geometry::*;
use huygens_math::*;

fn hexprism(n: u32) -> Shape {
    let mut p = vec![];
    for i in 0..n {
        let (s, c) = trig::sin_cos(i as f64 * std::f64::consts::TAU / n as f64);
        p.push(Vec3::new(c, s, -0.5));
        p.push(Vec3::new(c, s, 0.5));
    }
    Shape::hull(&p).unwrap()
}

#[test]
fn seq() {
    let floor_box = Shape::cuboid(Vec3::new(20.0, 20.0, 2.0)).unwrap();
    let same_box = Shape::cuboid(Vec3::new(2.0, 2.0, 2.0)).unwrap();
    let small_box = Shape::cuboid(Vec3::new(1.0, 1.0, 2.0)).unwrap();
    let cyl = Shape::cylinder(1.0, 1.0).unwrap();
    let hs = Shape::HalfSpace;
    let side = trig::axis_angle(Vec3::X, std::f64::consts::FRAC_PI_2);
    let bodies: Vec<(&str, Shape, Quat, f64)> = vec![
        ("box", Shape::cuboid(Vec3::new(2.0, 2.0, 2.0)).unwrap(), Quat::IDENTITY, 1.0),
        ("cyl end", Shape::cylinder(1.0, 1.0).unwrap(), Quat::IDENTITY, 0.5),
        ("cyl side", Shape::cylinder(1.0, 3.0).unwrap(), side, 1.0),
        ("capsule", Shape::capsule(1.0, 3.0).unwrap(), side, 1.0),
        ("hex", hexprism(6), Quat::IDENTITY, 0.5),
        ("oct", hexprism(8), Quat::IDENTITY, 0.5),
        ("20gon", hexprism(20), Quat::IDENTITY, 0.5),
        (
            "boxhull",
            Shape::hull(&[
                Vec3::new(1., 1., 1.),
                Vec3::new(-1., 1., 1.),
                Vec3::new(1., -1., 1.),
                Vec3::new(-1., -1., 1.),
                Vec3::new(1., 1., -1.),
                Vec3::new(-1., 1., -1.),
                Vec3::new(1., -1., -1.),
                Vec3::new(-1., -1., -1.),
            ])
            .unwrap(),
            Quat::IDENTITY,
            1.0,
        ),
    ];
    let floors: Vec<(&str, Shape, f64)> = vec![
        ("hs", hs, 0.0),
        ("floor", floor_box.clone(), 1.0),
        ("same", same_box, 1.0),
        ("small", small_box, 1.0),
        ("cyl", cyl, 0.5),
        ("hex", hexprism(6), 0.5),
        ("bin", Shape::box_inside(Vec3::splat(10.0)).unwrap(), -5.0),
        ("cin", Shape::cylinder_inside(10.0, 10.0).unwrap(), -5.0),
    ];
    for (bn, b, q, h) in &bodies {
        for (fname, f, top) in &floors {
            for tilt0 in [0.0, 5e-3] {
                let (mut moved, mut flick, mut idch) = (0.0f64, 0, 0);
                let mut counts = std::collections::BTreeSet::new();
                for seed in 0..20 {
                    let mut random = SplitMix::new(seed);
                    let start = random.direction() * 1.0;
                    let (mut tilt, mut z, mut x, mut y, mut yaw) = (
                        Vec2::new(start.x, start.y) * tilt0,
                        -1e-3,
                        random.range(-1e-3, 1e-3),
                        random.range(-1e-3, 1e-3),
                        0.0,
                    );
                    let mut last: Option<Manifold> = None;
                    for _ in 0..100 {
                        let d = random.direction();
                        tilt += Vec2::new(d.x, d.y) * 0.9e-4 - tilt * 0.01;
                        let d = random.direction() * 0.9e-4;
                        z += d.z - (z + 1e-3) * 0.02;
                        x += d.x;
                        y += d.y;
                        yaw += random.range(-1e-5, 1e-5);
                        let rot = trig::rotation_vector(Vec3::new(tilt.x, tilt.y, yaw)) * *q;
                        let pose = Pose::new(rot, Vec3::new(x, y, top + h + z));
                        let m = manifolds(f, b, &pose, 0.02 * b.size().min(f.size()));
                        if m.len() != 1 {
                            counts.insert(100 + m.len());
                            last = None;
                            continue;
                        }
                        let m = m[0];
                        counts.insert(m.points().len());
                        if let Some(l) = last {
                            if l.points().len() != m.points().len() {
                                flick += 1;
                            } else {
                                for p in m.points() {
                                    let near = l
                                        .points()
                                        .iter()
                                        .map(|q| (q.on_a - p.on_a).length().max((q.on_b - p.on_b).length()))
                                        .fold(9.0, f64::min);
                                    moved = moved.max(near);
                                    if !l.points().iter().any(|q| q.feature == p.feature) {
                                        idch += 1;
                                    }
                                }
                            }
                        }
                        last = Some(m);
                    }
                }
                println!(
                    "{bn:9} on {fname:6} tilt {tilt0:.0e} moved {moved:.4} flick {flick} idchange {idch} counts {counts:?} {}",
                    if moved > 0.01 || flick > 0 { "<<<" } else { "" }
                );
            }
        }
    }
}
