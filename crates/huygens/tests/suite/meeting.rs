//! A user's function that sees contacts before they are solved: what it leaves alone keeps every bit, what it changes is as if built so.

use crate::common::{solvers, velocity, world};
use huygens::math::{SplitMix, Vec3, scalar};
use huygens::scene::{Body, Material, Scene, Shape};
use huygens::{Meeting, MeetingError, World};

/// A bin with a heap that falls together, some of it fast.
fn heap(random: &mut SplitMix, solver: &str, friction: f64) -> Scene {
    let mut scene = Scene::new()
        .dt(1.0 / random.range(60.0, 400.0))
        .solver(solver)
        .material("all", Material::new().friction(friction).restitution(0.4))
        .body(Body::fixed("bin").shape(Shape::box_inside(2.0, 2.0, 3.0).material("all")).at(0.0, 0.0, 1.5));
    for i in 0..3 + random.index(4) {
        let shape = match random.index(3) {
            0 => Shape::sphere(random.range(0.1, 0.25)),
            1 => Shape::cuboid(random.range(0.2, 0.5), random.range(0.2, 0.5), random.range(0.2, 0.5)),
            _ => Shape::capsule(random.range(0.08, 0.15), random.range(0.1, 0.4)),
        };
        let (at, v) = (random.direction() * 0.6, random.direction() * random.range(0.0, 30.0));
        let body = Body::dynamic(format!("body {i}")).shape(shape.material("all"));
        scene = scene.body(body.at(at.x, at.y, 1.5 + at.z).velocity(v.x, v.y, v.z));
    }
    scene
}

/// One step whose book must close.
fn step_with(world: &mut World, look: impl FnMut(&mut Meeting<'_>)) {
    let report = world.step_with(look);
    let (left, bound) = (report.unexplained, report.unexplained_bound);
    assert!(left.abs() <= bound, "step {}: {left:e} J unexplained, bound {bound:e} J", world.steps());
}

#[test]
fn a_function_that_does_nothing_changes_no_bit_and_sees_every_contact_that_carries_load() {
    let mut random = SplitMix::new(0x4d45_4554);
    for solver in solvers() {
        let scene = heap(&mut random, solver, 0.5);
        let [mut with, mut without] = [world(&scene), world(&scene)];
        for _ in 0..60 {
            let mut seen = Vec::new();
            step_with(&mut with, |meeting| {
                assert!((meeting.normal().length() - 1.0).abs() < 1e-12 && meeting.place().is_finite());
                assert_eq!(meeting.friction(), [0.5; 2]);
                seen.push(meeting.shapes());
            });
            without.step();
            assert_eq!(with.hash(), without.hash(), "{solver}");
            assert!(with.contacts().all(|contact| seen.contains(&contact.shapes)), "{solver}");
        }
    }
}

#[test]
fn friction_and_restitution_of_a_function_are_those_of_a_scene_built_so() {
    let mut random = SplitMix::new(7);
    for solver in ["soft-step", "sequential-impulse", "ncp/newton"] {
        for _ in 0..4 {
            let friction = random.range(0.0, 1.5);
            let built = heap(&mut random, solver, friction);
            let mut other = built.clone();
            other.materials.insert("all".to_owned(), Material::new().friction(0.3).restitution(0.0));
            let [mut built, mut changed] = [world(&built), world(&other)];
            for _ in 0..40 {
                built.step();
                step_with(&mut changed, |meeting| {
                    meeting.set_friction(friction).unwrap();
                    meeting.set_restitution(0.4).unwrap();
                });
                assert_eq!(built.hash(), changed.hash(), "{solver}, friction {friction}");
            }
        }
    }
}

/// Rows of balls that bounce are others than those of balls that do not, from the look ahead on.
#[test]
fn fast_balls_bounce_as_the_function_says() {
    let mut random = SplitMix::new(31);
    for round in 0..60 {
        let speed = [3.0, 60.0, 300.0][round % 3];
        let offset = random.in_cube() * 0.15;
        let [own, given] = if round % 2 == 0 { [0.0, 0.7] } else { [0.7, 0.0] };
        let scene = |restitution: f64| {
            let ball = |name: &str| {
                Body::dynamic(name).shape(Shape::sphere(0.2).friction(0.3).restitution(restitution))
            };
            Scene::new()
                .dt(1.0 / 120.0)
                .solver(["soft-step", "sequential-impulse"][round / 2 % 2])
                .gravity(0.0, 0.0, 0.0)
                .body(ball("a").at(-0.6, 0.0, 0.0).velocity(speed, 0.0, 0.0))
                .body(ball("b").position(Vec3::X * 0.6 + offset).velocity(-speed, 0.0, 0.0))
        };
        let [mut built, mut changed] = [given, own].map(|restitution| world(&scene(restitution)));
        for step in 0..60 {
            built.step();
            step_with(&mut changed, |meeting| meeting.set_restitution(given).unwrap());
            assert_eq!(built.hash(), changed.hash(), "round {round}, step {step}");
        }
        assert!((velocity(&built, "a").x - speed).abs() > 1e-3 * speed, "they met");
    }
}

/// Fast and slow, in its way from the start or on its way: nothing of the one is left in the other.
#[test]
fn what_is_ignored_changes_no_bit_of_a_flight() {
    let mut random = SplitMix::new(99);
    for round in 0..60 {
        let speed = [3.0, 30.0, 400.0][round % 3];
        let v = random.direction() * speed;
        let ball = |name: &str| Body::dynamic(name).shape(Shape::sphere(0.1).restitution(1.0));
        let scene = Scene::new()
            .dt(1.0 / 240.0)
            .body(ball("ball").velocity(v.x, v.y, v.z))
            .body(Body::fixed("wall").shape(Shape::cuboid(0.05, 4.0, 4.0)).at(1.0, 0.0, 0.0))
            .body(Body::fixed("floor").shape(Shape::cuboid(9.0, 9.0, 0.1)).at(0.0, 0.0, -1.0))
            .body(Body::dynamic("other").cuboid(0.5, 0.4, 0.3).at(-0.5, 0.2, 0.1));
        let alone = Scene::new().dt(1.0 / 240.0).body(ball("ball").velocity(v.x, v.y, v.z));
        let [mut among, mut alone] = [world(&scene), world(&alone)];
        for _ in 0..120 {
            step_with(&mut among, |meeting| {
                if meeting.names().contains(&"ball") {
                    meeting.ignore();
                }
            });
            alone.step();
            let [a, b] = [&among, &alone].map(|world| crate::common::view(world, "ball"));
            assert_eq!((a.position, a.linear_velocity), (b.position, b.linear_velocity), "round {round}");
            assert!(among.contacts().all(|contact| !contact.bodies.contains(&a.id)));
            assert!(among.events().all(|event| !event.bodies.contains(&a.id)), "it touches nothing");
        }
    }
}

/// Whatever it says, step after step: the book closes, and no energy comes from nowhere.
#[test]
fn the_book_closes_under_a_function_that_decides_at_random_and_energy_does_not_rise() {
    let mut random = SplitMix::new(20261118);
    for solver in ["soft-step", "sequential-impulse", "ncp/newton"] {
        for round in 0..6 {
            // What is put down inside another body may come out at nobody's cost.
            let mut world = std::iter::repeat_with(|| world(&heap(&mut random, solver, 0.4)))
                .find(|world| world.overlaps().is_empty())
                .expect("one of them has no overlap");
            let scale = world.kinetic_energy() + 10.0;
            let mut least = world.energy();
            for _ in 0..150 {
                let random = &mut random;
                step_with(&mut world, |meeting| match random.index(6) {
                    0 => meeting.ignore(),
                    1 => meeting.set_friction(random.range(0.0, 2.0)).unwrap(),
                    2 => meeting.set_restitution(random.range(0.0, 1.0)).unwrap(),
                    _ => {}
                });
                let energy = world.energy();
                assert!(
                    energy <= least + 1e-6 * scale,
                    "{solver}, round {round}: {energy} J after {least} J"
                );
                least = scalar::min(least, energy);
            }
        }
    }
}

#[test]
fn a_surface_velocity_of_a_function_is_a_belt_whose_driver_gives_the_work() {
    let scene = |belt: Material, body: Body| {
        Scene::new()
            .dt(1.0 / 240.0)
            .material("belt", belt)
            .body(body.shape(Shape::cuboid(8.0, 1.0, 0.1).material("belt")).at(0.0, 0.0, -0.05))
            .body(Body::dynamic("box").cuboid(0.3, 0.3, 0.3).at(0.0, 0.0, 0.15))
    };
    let rubber = Material::new().friction(0.6);
    let built = scene(rubber.surface_velocity(2.0, 0.0, 0.0), Body::fixed("belt"));
    let driven = scene(rubber, Body::driven("belt", [0.0; 3], [0.0; 3]));
    let [mut built, mut changed] = [world(&built), world(&driven)];
    for _ in 0..240 {
        built.step();
        step_with(&mut changed, |meeting| {
            let side = usize::from(meeting.names()[1] == "belt");
            meeting.set_surface_velocity(side, Vec3::X * 2.0).unwrap();
            assert_eq!(meeting.set_surface_velocity(1 - side, Vec3::X), Err(MeetingError::NoDriver));
        });
        assert_eq!(built.hash(), changed.hash());
    }
    crate::common::near(velocity(&changed, "box").x, 2.0, 1e-9, "the speed of the belt");
    let work = |world: &World| world.drivers().map(|driver| driver.record.work).sum::<f64>();
    assert_eq!(work(&built), work(&changed));
    assert!(work(&changed) > 0.0);
}

#[test]
fn numbers_that_no_surface_has_are_refused() {
    let scene = Scene::new()
        .body(Body::fixed("floor").shape(Shape::half_space()))
        .body(Body::dynamic("ball").sphere(0.5).at(0.0, 0.0, 0.5));
    let mut world = world(&scene);
    let mut looks = 0;
    step_with(&mut world, |meeting| {
        looks += 1;
        for bad in [-0.1, f64::NAN, f64::INFINITY] {
            assert!(meeting.set_friction(bad).is_err() && meeting.set_restitution(bad).is_err());
            assert!(meeting.set_surface_velocity(0, Vec3::X * f64::NAN * bad).is_err());
        }
        assert!(meeting.set_restitution(1.1).is_err());
    });
    assert_eq!(looks, 1);
}
