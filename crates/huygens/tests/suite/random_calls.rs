//! Calls of a user's program at random, valid and not, between the steps of random worlds: the book closes, and a refused call changes no bit.

use crate::common::step;
use huygens::math::{Pose, SplitMix, Twist, Vec3, trig};
use huygens::scene::{Body, DriveLimit, Joint, Material, Motion, Scene, Shape};
use huygens::{Among, BodyId, ChangeError, EditError, HandleError, World};

/// A number that no call may take.
fn bad_number(random: &mut SplitMix) -> f64 {
    [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e21][random.index(4)]
}

fn vector(random: &mut SplitMix, size: f64) -> Vec3 {
    random.direction() * random.range(0.0, size)
}

/// A vector of which one number cannot be.
fn bad_vector(random: &mut SplitMix) -> Vec3 {
    let mut v = vector(random, 1.0);
    v[random.index(3)] = bad_number(random);
    v
}

fn pose(random: &mut SplitMix) -> Pose {
    let turn = trig::axis_angle(random.direction(), random.range(0.0, 3.0));
    Pose::new(turn, vector(random, 2.0) + Vec3::Z * 2.5)
}

fn driven(random: &mut SplitMix) -> Motion {
    Motion::Driven {
        linear_velocity: vector(random, 1.0),
        angular_velocity: vector(random, 3.0),
        keyframes: Vec::new(),
        limit: DriveLimit::Unlimited,
    }
}

fn body(random: &mut SplitMix, name: &str) -> Body {
    let shape = match random.index(4) {
        0 => Shape::sphere(random.range(0.1, 0.4)),
        1 => Shape::cuboid(random.range(0.2, 0.6), random.range(0.2, 0.6), random.range(0.2, 0.6)),
        2 => Shape::capsule(random.range(0.1, 0.2), random.range(0.1, 0.5)),
        _ => Shape::cylinder(random.range(0.1, 0.3), random.range(0.1, 0.5)),
    };
    let material = ["wood", "rubber"][random.index(2)];
    let at = vector(random, 2.0) + Vec3::Z * 2.5;
    Body::dynamic(name).shape(shape.material(material)).at(at.x, at.y, at.z)
}

/// A floor, a turning table, a hanging arm and some bodies.
fn scene(random: &mut SplitMix) -> Scene {
    let mut scene = Scene::new()
        .dt(1.0 / random.range(60.0, 500.0))
        .material("wood", Material::new().friction(random.range(0.0, 1.0)))
        .material("rubber", Material::new().friction(1.0).restitution(random.range(0.0, 1.0)))
        .body(Body::fixed("floor").shape(Shape::half_space()))
        .body(Body::driven("table", [0.0; 3], [0.0, 0.0, 1.0]).cuboid(1.0, 1.0, 0.2).at(0.0, 0.0, 0.5))
        .body(Body::dynamic("arm").cuboid(0.8, 0.1, 0.1).at(4.4, 0.0, 3.0))
        .joint(Joint::hinge("hinge", "arm").anchor(4.0, 0.0, 3.0).axis(0.0, 1.0, 0.0));
    for i in 0..1 + random.index(4) {
        scene = scene.body(body(random, &format!("body {i}")));
    }
    scene
}

/// One call that must work, or be refused for what the handle names.
fn call(random: &mut SplitMix, world: &mut World, id: BodyId, count: &mut u32) {
    // A handle of any body: what cannot be done with it is refused, and the other cases are what this test is for.
    let _ = match random.index(10) {
        9 => {
            let name = world.body(id).unwrap().name.to_owned();
            let mut new = body(random, &name);
            if random.index(3) == 0 {
                new.motion = [Motion::Static, driven(random)][random.index(2)].clone();
            }
            match world.change_body(id, &new) {
                Ok(()) | Err(ChangeError::Edit(_)) => Ok(()),
                Err(ChangeError::Scene(errors)) => panic!("{errors}"),
            }
        }
        0 => world.set_pose(id, pose(random)),
        1 => world.set_velocity(id, Twist::new(vector(random, 5.0), vector(random, 9.0))),
        2 => world.set_force(id, vector(random, 50.0), vector(random, 5.0)),
        3 => world.apply_force(id, vector(random, 50.0), vector(random, 5.0)),
        4 => world.apply_force_at(id, vector(random, 50.0), vector(random, 3.0)),
        5 => world.apply_impulse(id, vector(random, 5.0), vector(random, 1.0)),
        6 => world.apply_impulse_at(id, vector(random, 5.0), vector(random, 3.0)),
        7 => {
            *count += 1;
            let new = body(random, &format!("new {count}"));
            world.add_body(&new).map(drop).unwrap_or_else(|errors| panic!("{errors}"));
            Ok(())
        }
        _ if random.index(2) == 0 => world.remove_body(id),
        _ => {
            let (g, dt) = (vector(random, 12.0), 1.0 / random.range(60.0, 500.0));
            world.change_world(|w| (w.gravity, w.dt) = (g, dt)).unwrap_or_else(|errors| panic!("{errors}"));
            Ok(())
        }
    };
}

/// One call with an argument that cannot be, or a handle that names nothing here.
fn refused(random: &mut SplitMix, world: &mut World, id: BodyId, lost: BodyId) -> bool {
    let (good, bad) = (vector(random, 1.0), bad_vector(random));
    match random.index(16) {
        14 => matches!(
            world.change_body(lost, &body(random, "x")),
            Err(ChangeError::Edit(EditError::Handle(_)))
        ),
        15 => {
            let bad = Body::dynamic("x").shape(Shape::sphere(bad_number(random)));
            world.change_body(id, &bad).is_err()
        }
        0 => world.set_pose(id, Pose::at(bad)).is_err(),
        1 => world.set_velocity(id, Twist::new(good, bad)).is_err(),
        2 => world.set_force(id, bad, good).is_err(),
        3 => world.apply_force(id, good, bad).is_err(),
        4 => world.apply_force_at(id, bad, good).is_err(),
        5 => world.apply_impulse(id, bad, good).is_err(),
        6 => world.set_pose(lost, Pose::at(good)).is_err(),
        7 => world.apply_force(lost, good, good).is_err(),
        8 => world.apply_impulse_at(lost, good, good).is_err(),
        9 => world.remove_body(lost).is_err() && world.set_user_data(lost, 1).is_err(),
        10 => {
            let taken = world.body(id).unwrap().name.to_owned();
            world.add_body(&body(random, &taken)).is_err()
        }
        11 => world.add_body(&Body::dynamic("ghost").shape(Shape::sphere(bad_number(random)))).is_err(),
        12 => world.add_material("wood", Material::new()).is_err(),
        _ => world.change_world(|w| w.dt = -1.0).is_err(),
    }
}

#[test]
fn refused_calls_change_no_bit_and_the_book_of_all_others_closes() {
    let mut random = SplitMix::new(20261118);
    for round in 0..300 {
        let scene = scene(&mut random);
        let [mut world, other] = [&scene, &scene].map(|scene| World::new(scene).unwrap());
        let foreign = other.find("floor").unwrap();
        let gone = world.add_body(&body(&mut random, "gone")).unwrap();
        world.remove_body(gone).unwrap();
        let mut count = 0;
        for _ in 0..30 {
            for _ in 0..random.index(4) {
                let ids: Vec<BodyId> = world.bodies().map(|body| body.id).collect();
                let id = ids[random.index(ids.len())];
                call(&mut random, &mut world, id, &mut count);
            }
            let ids: Vec<BodyId> = world.bodies().map(|body| body.id).collect();
            for _ in 0..20 {
                let (id, lost) = (ids[random.index(ids.len())], [gone, foreign][random.index(2)]);
                let before = (world.hash(), world.snapshot());
                assert!(refused(&mut random, &mut world, id, lost), "round {round}");
                assert!((world.hash(), world.snapshot()) == before, "round {round}");
            }
            step(&mut world);
        }
    }
}

#[test]
fn a_body_that_is_changed_before_the_first_step_is_as_if_built_so() {
    let mut random = SplitMix::new(99);
    for round in 0..60 {
        let scene = scene(&mut random);
        let mut changed = scene.clone();
        let at = scene.bodies.iter().position(|body| body.name == "body 0").unwrap();
        let (was, mut new) = (&scene.bodies[at], body(&mut random, "body 0"));
        (new.position, new.orientation) = (was.position, was.orientation);
        changed.bodies[at] = new.clone();
        let [mut edited, mut built] = [&scene, &changed].map(|scene| World::new(scene).unwrap());
        let id = edited.find("body 0").unwrap();
        edited.change_body(id, &new).unwrap();
        for _ in 0..100 {
            step(&mut edited);
            step(&mut built);
            assert_eq!(edited.hash(), built.hash(), "round {round}");
        }
        assert_eq!(edited.body(id).unwrap().mass, built.body(built.find("body 0").unwrap()).unwrap().mass);
        edited.remove_body(id).unwrap();
        assert_eq!(edited.body(id).unwrap_err(), HandleError::Stale);
    }
}

#[test]
fn names_are_found_and_user_data_stays_with_its_body() {
    let mut world = World::new(&Scene::new()).unwrap();
    let mut random = SplitMix::new(7);
    let mut known: Vec<(String, BodyId, u128)> = Vec::new();
    for i in 0..400u128 {
        if known.len() > 20 || (!known.is_empty() && random.index(3) == 0) {
            let (name, id, _) = known.swap_remove(random.index(known.len()));
            world.remove_body(id).unwrap();
            assert_eq!(world.find(&name), None);
        } else {
            let name = format!("body {i}");
            let id = world.add_body(&Body::dynamic(&name).sphere(0.1)).unwrap();
            assert_eq!(world.body(id).unwrap().user_data, 0);
            world.set_user_data(id, i + 1).unwrap();
            known.push((name, id, i + 1));
        }
        for (name, id, data) in &known {
            assert_eq!(world.find(name), Some(*id));
            assert_eq!((world.body(*id).unwrap().name, world.body(*id).unwrap().user_data), (&**name, *data));
        }
    }
}

/// Forces of one step: the same bits as a force that is set before the step and set back after it.
#[test]
fn a_force_for_one_step_is_a_force_that_is_set_and_set_back() {
    let scene = Scene::new()
        .body(Body::fixed("floor").shape(Shape::half_space()))
        .body(Body::dynamic("box").cuboid(0.4, 0.5, 0.6).at(0.0, 0.0, 0.3));
    let [mut passing, mut set] = [&scene, &scene].map(|scene| World::new(scene).unwrap());
    let mut random = SplitMix::new(3);
    let (lasting, none) = (Vec3::new(3.0, -1.0, 2.0), Vec3::ZERO);
    for _ in 0..100 {
        let (force, torque) = (vector(&mut random, 200.0), vector(&mut random, 20.0));
        let [here, there] = [&passing, &set].map(|world| world.find("box").unwrap());
        passing.set_force(here, lasting, none).unwrap();
        passing.apply_force(here, force, torque).unwrap();
        // A snapshot between has the forces of the step.
        let saved = passing.snapshot();
        passing.apply_force(here, torque, force).unwrap();
        passing.restore(&saved).unwrap();
        set.set_force(there, lasting + force, torque).unwrap();
        step(&mut passing);
        step(&mut set);
        set.set_force(there, lasting, none).unwrap();
        assert_eq!(passing.hash(), set.hash());
        step(&mut passing);
        step(&mut set);
        assert_eq!(passing.hash(), set.hash(), "the force is gone");
    }
}

#[test]
fn a_shape_cast_finds_the_first_of_all_shapes_that_it_meets() {
    let mut random = SplitMix::new(11);
    let mut hits = 0;
    for _ in 0..200 {
        let mut scene = Scene::new().body(Body::fixed("floor").shape(Shape::half_space()));
        for i in 0..12 {
            scene = scene.body(body(&mut random, &format!("body {i}")).turned([1.0, 2.0, 0.5], i as f64));
        }
        scene = scene.material("wood", Material::new()).material("rubber", Material::new());
        let world = World::new(&scene).unwrap();
        let probe = world.probe();
        let form = huygens::geometry::CollisionShape::sphere(0.15).unwrap();
        let from = Pose::at(vector(&mut random, 3.0) + Vec3::Z * 3.5);
        let along = vector(&mut random, 6.0);
        let odd = |id: BodyId, _: huygens::ShapeId| {
            world.body(id).is_ok_and(|body| body.name.ends_with(['1', '3', '5']))
        };
        for among in [Among::ALL, Among { only: Some(&odd), ..Among::ALL }] {
            let hit = probe.cast_shape(&form, &from, along, among);
            assert_eq!(hit, world.cast_shape(&form, &from, along, among));
            // Where the shape hits, it touches; before, it overlaps nothing.
            let end = hit.map_or(1.0, |hit| hit.time);
            for k in 0..50 {
                let at = Pose::at(from.translation + along * (end * 0.999_999 * f64::from(k) / 50.0));
                assert!(end == 0.0 || probe.overlap(&form, &at, among).is_empty(), "{hit:?}");
            }
            if let Some(hit) = hit {
                hits += 1;
                let at = Pose::at(from.translation + along * hit.time);
                let nearest = probe.closest_shape(&form, &at, 1.0, among).unwrap();
                assert!(nearest.distance <= 1e-7, "{nearest:?}");
                assert!(among.only.is_none() || odd(hit.body, hit.shape));
                assert!(!probe.at_point(hit.point - hit.normal * 1e-6, among).is_empty());
            }
        }
    }
    assert!(hits > 40, "{hits}");
}
