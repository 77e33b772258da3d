//! Questions about a world, against closed forms; and what the debug drawer is told.

use huygens::geometry::CollisionShape;
use huygens::math::{Pose, SplitMix, Vec3};
use huygens::scene::{Body, Scene, Shape};
use huygens::{Among, DebugDraw, DebugParts, Ink, World};

/// A floor at z = 0, a ball of radius 1 about (0, 0, 3), a box of edge 2 about (5, 0, 1), a sensor between them.
fn world() -> World {
    let scene = Scene::new()
        .body(Body::fixed("floor").shape(Shape::half_space()))
        .body(Body::dynamic("ball").sphere(1.0).at(0.0, 0.0, 3.0))
        .body(Body::dynamic("box").shape(Shape::cuboid(2.0, 2.0, 2.0).groups(4, !0)).at(5.0, 0.0, 1.0))
        .body(Body::fixed("gate").shape(Shape::cuboid(0.2, 2.0, 2.0).sensor()).at(2.5, 0.0, 1.0));
    World::new(&scene).unwrap()
}

fn name(world: &World, body: huygens::BodyId) -> String {
    world.body(body).unwrap().name.to_owned()
}

#[test]
fn a_ray_hits_the_nearest_shape_at_the_time_of_the_closed_form() {
    let world = world();
    let cast = |origin: Vec3, direction: Vec3, among| {
        let hit = world.cast_ray(origin, direction, 100.0, among)?;
        assert!((origin + direction * hit.time - hit.point).length() < 1e-14);
        Some((name(&world, hit.body), hit.time, hit.normal))
    };
    // Half a metre beside the middle of the ball: it is hit sqrt(3)/2 before its middle.
    let (who, time, normal) = cast(Vec3::new(0.5, 0.0, 10.0), Vec3::NEG_Z, Among::ALL).unwrap();
    assert_eq!(who, "ball");
    let height = 0.75f64.sqrt();
    assert!((time - (7.0 - height)).abs() < 1e-14 && (normal - Vec3::new(0.5, 0.0, height)).length() < 1e-14);
    // Twice the direction, half the time.
    let (who, time, _) = cast(Vec3::new(5.0, 0.0, 10.0), Vec3::NEG_Z * 2.0, Among::ALL).unwrap();
    assert_eq!((who.as_str(), time), ("box", 4.0));
    let along = |among| cast(Vec3::new(1.0, 0.0, 1.0), Vec3::X, among);
    assert_eq!(along(Among::ALL).unwrap(), ("box".into(), 3.0, Vec3::NEG_X));
    let (who, time, _) = along(Among { sensors: true, ..Among::ALL }).unwrap();
    assert!(who == "gate" && (time - 1.4).abs() < 1e-15);
    assert_eq!(along(Among { layers: 1, ..Among::ALL }), None, "the box is in another layer");
    let except = world.find("box");
    assert_eq!(along(Among { except, ..Among::ALL }), None);
    assert!(world.cast_ray(Vec3::new(1.0, 0.0, 1.0), Vec3::X, 2.9, Among::ALL).is_none(), "out of reach");
    assert!(world.cast_ray(Vec3::NAN, Vec3::X, 1.0, Among::ALL).is_none());
}

#[test]
fn the_closest_point_is_that_of_the_closed_form() {
    let world = world();
    let ask = |point: Vec3, most: f64| {
        let found = world.closest(point, most, Among::ALL)?;
        Some((name(&world, found.body), found.distance, found.point, found.normal))
    };
    let (who, distance, point, normal) = ask(Vec3::new(0.0, 2.0, 3.0), 9.0).unwrap();
    assert_eq!(who, "ball");
    assert!((distance - 1.0).abs() < 1e-14 && (point - Vec3::new(0.0, 1.0, 3.0)).length() < 1e-14);
    assert!((normal - Vec3::Y).length() < 1e-14);
    // From the edge of the box, a diagonal away.
    let (who, distance, point, _) = ask(Vec3::new(5.0, 2.0, 3.0), 9.0).unwrap();
    assert_eq!(who, "box");
    assert!((distance - 2f64.sqrt()).abs() < 1e-12 && (point - Vec3::new(5.0, 1.0, 2.0)).length() < 1e-12);
    // Inside: the way out.
    let (who, distance, ..) = ask(Vec3::new(0.0, 0.0, -0.25), 9.0).unwrap();
    assert!(who == "floor" && (distance + 0.25).abs() < 1e-14);
    assert_eq!(ask(Vec3::new(0.0, 50.0, 60.0), 9.0), None);
}

#[test]
fn overlaps_come_by_slot_and_follow_the_world() {
    let mut world = world();
    let block = CollisionShape::cuboid(Vec3::new(8.0, 1.0, 1.0)).unwrap();
    let names = |world: &World, z: f64, among| -> Vec<String> {
        let found = world.overlap(&block, &Pose::at(Vec3::new(3.0, 0.0, z)), among);
        found.into_iter().map(|(body, _)| name(world, body)).collect()
    };
    assert_eq!(names(&world, 2.0, Among::ALL), ["ball", "box"]);
    assert_eq!(names(&world, 0.2, Among { sensors: true, ..Among::ALL }), ["floor", "box", "gate"]);
    assert!(names(&world, 9.0, Among::ALL).is_empty());
    // Without a step in between: an edit counts at once.
    let ball = world.find("ball").unwrap();
    world.set_pose(ball, Pose::at(Vec3::new(0.0, 0.0, 9.0))).unwrap();
    assert_eq!(names(&world, 9.0, Among::ALL), ["ball"]);
    world.remove_body(ball).unwrap();
    assert!(names(&world, 9.0, Among::ALL).is_empty());
}

#[test]
fn a_probe_says_what_the_world_says() {
    let mut scene = Scene::new().gravity(0.0, 0.0, 0.0);
    let mut random = SplitMix::new(11);
    for i in 0..300 {
        let p = random.in_cube() * 5.0;
        let body = Body::dynamic(format!("b{i}")).at(p.x, p.y, p.z);
        scene = scene.body(if i % 2 == 0 { body.sphere(0.4) } else { body.cuboid(0.5, 0.6, 0.7) });
    }
    let world = World::new(&scene).unwrap();
    let probe = world.probe();
    let mut hits = 0;
    for _ in 0..500 {
        let (from, along) = (random.in_cube() * 6.0, random.direction());
        let hit = probe.cast_ray(from, along, 30.0, Among::ALL);
        assert_eq!(hit, world.cast_ray(from, along, 30.0, Among::ALL));
        hits += usize::from(hit.is_some());
        assert_eq!(probe.closest(from, 3.0, Among::ALL), world.closest(from, 3.0, Among::ALL));
    }
    assert!(hits > 50, "{hits}");
}

/// Counts what it is told to draw.
#[derive(Default)]
struct Count {
    lines: Vec<(Vec3, Vec3, Ink)>,
    points: usize,
    triangles: usize,
}

impl DebugDraw for Count {
    fn line(&mut self, from: Vec3, to: Vec3, ink: Ink) {
        self.lines.push((from, to, ink));
    }

    fn point(&mut self, _at: Vec3, _ink: Ink) {
        self.points += 1;
    }

    fn triangle(&mut self, _corners: [Vec3; 3], _ink: Ink) {
        self.triangles += 1;
    }
}

#[test]
fn the_debug_drawer_gets_edges_boxes_axes_and_the_weight() {
    let scene = Scene::new()
        .body(Body::fixed("floor").shape(Shape::half_space()))
        .body(Body::dynamic("box").cuboid(1.0, 1.0, 1.0).mass(2.0).at(0.0, 0.0, 0.5));
    let mut world = World::new(&scene).unwrap();
    world.step();
    let parts = DebugParts { bounds: true, axes: true, force_scale: 0.01, ..DebugParts::default() };
    let mut drawn = Count::default();
    world.debug_draw(parts, &mut drawn);
    let of = |ink: Ink| drawn.lines.iter().filter(move |line| line.2 == ink);
    assert_eq!(of(Ink::Moving).count(), 12, "edges of a box");
    for (from, to, _) in of(Ink::Moving) {
        assert!(((*to - *from).length() - 1.0).abs() < 1e-12);
    }
    assert_eq!((of(Ink::Bounds).count(), of(Ink::Axis(2)).count()), (12, 1));
    assert_eq!((drawn.points, drawn.triangles), (4, 2), "four corners, and the square between them");
    let weight: f64 = of(Ink::Force).map(|(from, to, _)| (to.z - from.z) / 0.01).sum();
    // On the floor, which is the first body: 2 kg downwards.
    assert!((weight + 2.0 * 9.81).abs() < 1e-6, "{weight}");
}

#[test]
fn every_shape_has_lines_that_lie_on_it() {
    let shapes = [
        Shape::sphere(0.5),
        Shape::capsule(0.3, 0.8),
        Shape::cylinder(0.4, 0.9),
        Shape::cuboid(1.0, 0.5, 0.7),
        Shape::hull([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
        Shape::half_space(),
        Shape::wall(1.0, 2.0),
        Shape::box_inside(2.0, 2.0, 2.0),
        Shape::cylinder_inside(1.0, 2.0),
    ];
    for shape in shapes {
        let kind = shape.kind.word();
        let body = Body::fixed("it").shape(shape).at(1.0, 2.0, 3.0).turned([1.0, 2.0, 3.0], 0.7);
        let world = World::new(&Scene::new().body(body)).unwrap();
        let mut drawn = Count::default();
        world.debug_draw(DebugParts::default(), &mut drawn);
        assert!(drawn.lines.len() >= 6, "{kind}");
        for (from, ..) in &drawn.lines {
            let found = world.closest(*from, 1.0, Among::ALL).expect(kind);
            assert!(found.distance.abs() < 1e-9, "{kind}: {}", found.distance);
        }
    }
}
