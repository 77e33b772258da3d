//! What a user changes between steps: checked, booked, and without surprises. And what happens when a number overflows.

use crate::common::{booked, floor, near, run, step, world};
use huygens::ledger::Account;
use huygens::math::{Pose, Quat, Twist, Vec3};
use huygens::scene::{Axis, Body, Joint, Keyframe, Motion, Scene, Shape};
use huygens::{EditError, World};

const BAD: [f64; 5] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e21];

fn scene() -> Scene {
    Scene::new()
        .dt(0.01)
        .body(floor(0.5, 0.2))
        .body(Body::driven("belt", [1.0, 0.0, 0.0], [0.0; 3]).cuboid(2.0, 1.0, 0.1).at(5.0, 0.0, 0.05))
        .body(Body::dynamic("box").cuboid(0.4, 0.5, 0.6).at(0.0, 0.0, 1.0).spin(1.0, 2.0, 3.0))
        .body(Body::dynamic("ball").sphere(0.3).at(0.1, 0.1, 2.0))
}

/// Everything that an edit may change, as one number or two.
fn look(world: &World) -> (u64, f64, usize, usize) {
    (world.hash(), booked(world, Account::Edit), world.bodies().count(), world.model().bodies.len())
}

#[test]
fn numbers_that_cannot_be_are_refused_and_change_nothing() {
    let mut w = world(&scene());
    run(&mut w, 40);
    let id = w.find("box").unwrap();
    let before = look(&w);
    for bad in BAD {
        for k in 0..3 {
            let mut v = Vec3::new(0.1, 0.2, 0.3);
            v[k] = bad;
            let ok = Vec3::ONE;
            let pose = w.set_pose(id, Pose::at(v));
            let velocity = [Twist::new(v, ok), Twist::new(ok, v)].map(|twist| w.set_velocity(id, twist));
            let force = [w.set_force(id, v, ok), w.set_force(id, ok, v)];
            for refused in [pose].into_iter().chain(velocity).chain(force) {
                assert!(matches!(refused, Err(EditError::NotFinite { .. })), "{bad}: {refused:?}");
            }
        }
    }
    for q in [
        Quat::from_xyzw(0.0, 0.0, 0.0, 0.0),
        Quat::from_xyzw(f64::NAN, 0.0, 0.0, 1.0),
        Quat::from_xyzw(1e300, 1e300, 0.0, 1.0),
    ] {
        assert!(w.set_pose(id, Pose::new(q, Vec3::ZERO)).is_err(), "{q}");
    }
    assert_eq!(look(&w), before);
    // And the run goes on as if nothing had been asked.
    let mut same = world(&scene());
    run(&mut same, 100);
    run(&mut w, 60);
    assert_eq!(w.hash(), same.hash());
}

#[test]
fn edits_without_effect_are_errors() {
    let mut w = world(&scene());
    let (ground, belt) = (w.find("floor").unwrap(), w.find("belt").unwrap());
    let push = Vec3::X;
    assert!(matches!(w.set_velocity(ground, Twist::ZERO), Err(EditError::NoEffect { .. })));
    assert!(matches!(w.set_force(ground, push, push), Err(EditError::NoEffect { .. })));
    assert!(matches!(w.set_force(belt, push, push), Err(EditError::NoEffect { .. })));
}

#[test]
fn the_energy_of_an_edit_is_booked() {
    let mut w = world(&scene());
    let (ball, mass) = (w.find("ball").unwrap(), 1000.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.027);
    let mut expected = 0.0;
    let mut check = |w: &World, change: f64, what: &str| {
        expected += change;
        near(booked(w, Account::Edit), expected, 1e-11, what);
        near(w.ledger().energy_end(), w.energy(), 1e-10, what);
    };
    w.set_velocity(ball, Twist::new(Vec3::new(3.0, 0.0, 4.0), Vec3::ZERO)).unwrap();
    check(&w, 0.5 * mass * 25.0, "a velocity of 5 m/s");
    w.set_pose(ball, Pose::at(Vec3::new(0.0, 0.0, 7.0))).unwrap();
    check(&w, mass * 9.81 * 5.0, "five metres up");
    w.remove_body(ball).unwrap();
    check(&w, -0.5 * mass * 25.0 - mass * 9.81 * 7.0, "taken away with all that it has");
    w.add_body(&scene().bodies[3]).unwrap();
    check(&w, mass * 9.81 * 2.0, "back two metres up");
    step(&mut w);
    assert!(w.ledger().worst_ratio() <= 1.0);
}

#[test]
fn a_body_that_cannot_be_is_refused_and_changes_nothing() {
    let scene = scene();
    let mut w = world(&scene);
    run(&mut w, 20);
    let gone = w.find("ball").unwrap();
    w.remove_body(gone).unwrap();
    let before = look(&w);
    let mut bad = vec![
        Body::dynamic("nothing"),
        Body::dynamic("box").sphere(1.0),
        Body::dynamic("").sphere(1.0),
        Body::dynamic("x").shape(Shape::sphere(1.0).material("unheard of")),
        Body::dynamic("x").sphere(1.0).mass(-1.0),
    ];
    for number in BAD {
        bad.push(Body::dynamic("x").sphere(number));
        bad.push(Body::dynamic("x").sphere(1.0).at(number, 0.0, 0.0));
        bad.push(Body::dynamic("x").sphere(1.0).velocity(0.0, number, 0.0));
        bad.push(Body::dynamic("x").sphere(1.0).spin(0.0, number, 0.0));
    }
    // Checked only when the engine builds it: this one must not lose the free slot either.
    let mut path = Body::driven("path", [0.0; 3], [0.0; 3]).sphere(1.0);
    if let Motion::Driven { keyframes, .. } = &mut path.motion {
        for t in [0.0, 1.0] {
            keyframes.push(Keyframe { t, position: Vec3::X * t, orientation: Quat::IDENTITY });
        }
    }
    bad.push(path.at(0.0, 3.0, 0.0));
    for body in &bad {
        assert!(w.add_body(body).is_err(), "{body:?}");
        assert_eq!(look(&w), before, "{body:?}");
    }
    w.add_body(&scene.bodies[3]).unwrap();
    assert_eq!(w.model().bodies.len(), 4, "the free slot is still there");
}

#[test]
fn a_removed_driver_keeps_its_record_and_moves_nothing() {
    let scene = Scene::new()
        .dt(0.01)
        .body(Body::driven("belt", [1.0, 0.0, 0.0], [0.0; 3]).cuboid(20.0, 2.0, 0.2).at(0.0, 0.0, -0.1))
        .body(Body::dynamic("box").cuboid(0.5, 0.5, 0.5).at(0.0, 0.0, 0.25));
    let mut w = world(&scene);
    run(&mut w, 100);
    let work = w.drivers().next().unwrap().record.work;
    near(work, booked(&w, Account::Driver), 1e-12, "the one driver did it all");
    assert!(work > 0.0);
    let belt = w.find("belt").unwrap();
    w.remove_body(belt).unwrap();
    // A body that falls takes over its slot: the driver must not carry it along.
    let free = Body::dynamic("free").sphere(0.5).at(0.0, 5.0, 10.0);
    let id = w.add_body(&free).unwrap();
    run(&mut w, 50);
    let view = w.body(id).unwrap();
    assert_eq!((view.linear_velocity.x, view.position.x), (0.0, 0.0));
    near(view.linear_velocity.z, -9.81 * 0.5, 1e-12, "it falls");
    let driver = w.drivers().next().unwrap();
    assert_eq!((driver.name, driver.body, driver.record.work), ("belt", None, work));
}

#[test]
fn a_driver_moves_with_the_velocity_that_it_is_given() {
    let mut w = world(&scene());
    let belt = w.find("belt").unwrap();
    run(&mut w, 10);
    w.set_velocity(belt, Twist::new(Vec3::new(0.0, -2.0, 0.0), Vec3::ZERO)).unwrap();
    run(&mut w, 10);
    let at = w.body(belt).unwrap().position;
    near(at.x, 5.1, 1e-12, "0.1 s with 1 m/s");
    near(at.y, -0.2, 1e-12, "0.1 s with −2 m/s");
}

#[test]
fn a_static_body_that_is_moved_is_met_where_it_is() {
    let shelf = Body::fixed("shelf").cuboid(2.0, 2.0, 0.2).at(0.0, 0.0, -5.0);
    let scene = Scene::new().dt(0.01).body(shelf).body(Body::dynamic("ball").sphere(0.5).at(0.0, 0.0, 2.0));
    let mut w = world(&scene);
    run(&mut w, 10);
    w.set_pose(w.find("shelf").unwrap(), Pose::at(Vec3::new(0.0, 0.0, 1.0))).unwrap();
    run(&mut w, 100);
    near(crate::common::position(&w, "ball").z, 1.6, 1e-3, "at rest on the shelf");
}

/// A heap on the floor, and far lighter than all the rest a mote in it.
fn heap_with_mote() -> Scene {
    let mut scene = Scene::new().dt(0.01).body(floor(0.5, 0.2));
    for i in 0..12_i32 {
        let (x, z) = (0.25 * f64::from(i % 3), 0.5 + 0.45 * f64::from(i));
        scene = scene
            .body(Body::dynamic(format!("b{i}")).cuboid(0.4, 0.4, 0.4).at(x, 0.1 * x, z).spin(1.0, 0.0, x));
    }
    scene.body(Body::dynamic("mote").sphere(0.2).mass(1e-18).at(0.25, 0.0, 0.2))
}

#[test]
fn an_overflow_takes_one_body_out_and_the_others_do_as_if_it_had_been_removed() {
    for solver in crate::common::solvers() {
        let scene = heap_with_mote().solver(solver);
        let (mut faulty, mut without) = (world(&scene), world(&scene));
        for w in [&mut faulty, &mut without] {
            run(w, 30);
        }
        let mote = faulty.find("mote").unwrap();
        // 1e20 N on 1e-18 kg: 1e36 m/s after one step.
        faulty.set_force(mote, Vec3::splat(1e20), Vec3::ZERO).unwrap();
        let place = crate::common::position(&faulty, "mote");
        without.remove_body(without.find("mote").unwrap()).unwrap();
        for i in 0..100 {
            step(&mut faulty);
            step(&mut without);
            let told: &[_] = if i == 0 { &[mote] } else { &[] };
            assert_eq!(faulty.report().quarantined, told, "{solver}, step {i}");
            for other in without.bodies() {
                let same = faulty.body(faulty.find(other.name).unwrap()).unwrap();
                assert_eq!(same.position, other.position, "{solver}, step {i}: {}", other.name);
                assert_eq!(same.orientation, other.orientation);
                assert_eq!(same.linear_velocity, other.linear_velocity);
            }
        }
        let view = faulty.body(mote).unwrap();
        assert!(view.quarantined);
        assert_eq!((view.position, view.linear_velocity), (place, Vec3::ZERO));
        near(faulty.ledger().energy_end(), faulty.energy(), 1e-9, "the book still tells the energy");
        assert_eq!(faulty.set_velocity(mote, Twist::ZERO), Err(EditError::Quarantined));
        assert_eq!(faulty.set_pose(mote, Pose::IDENTITY), Err(EditError::Quarantined));
        faulty.remove_body(mote).unwrap();
        assert_eq!(faulty.hash(), without.hash());
    }
}

#[test]
fn an_overflow_inside_the_contact_solve_leaves_no_nan() {
    // A torque on a mote that lies under a box: it overflows in the step, in contact.
    let mut w = world(&heap_with_mote());
    run(&mut w, 30);
    let mote = w.find("mote").unwrap();
    w.set_force(mote, Vec3::ZERO, Vec3::splat(1e20)).unwrap();
    run(&mut w, 100);
    for body in w.bodies() {
        assert!(body.position.is_finite() && body.linear_velocity.is_finite(), "{}", body.name);
        assert_eq!(body.quarantined, body.name == "mote", "{}", body.name);
    }
    assert!(w.ledger().unexplained().is_finite() && w.energy().is_finite());
}

#[test]
fn fast_bodies_that_the_gate_lets_in_do_no_harm() {
    let scene = Scene::new()
        .dt(0.01)
        .body(floor(0.5, 0.5))
        .body(Body::dynamic("still").sphere(0.5).at(0.0, 0.0, 0.5))
        .body(
            Body::dynamic("bullet")
                .sphere(0.5)
                .at(-3.0, 0.0, 0.5)
                .velocity(1e20, 0.0, 0.0)
                .spin(1e20, 1e20, 0.0),
        )
        .body(Body::dynamic("box").cuboid(0.5, 0.7, 0.9).at(9.0, 0.0, 2.0).spin(1e15, 1e20, 1e10));
    let mut w = world(&scene);
    for _ in 0..50 {
        w.step();
        let finite = w.bodies().all(|body| body.position.is_finite() && body.angular_velocity.is_finite());
        assert!(finite && w.energy().is_finite() && w.ledger().unexplained().is_finite());
    }
}

#[test]
fn a_tree_that_overflows_is_taken_out_as_a_whole() {
    let scene = Scene::new()
        .dt(0.01)
        .body(floor(0.5, 0.2))
        .body(Body::dynamic("upper").cuboid(1.0, 0.1, 0.1).mass(1e-18).at(0.5, 0.0, 1.0))
        .body(Body::dynamic("lower").cuboid(1.0, 0.1, 0.1).mass(1e-18).at(1.5, 0.0, 1.0))
        .body(Body::dynamic("ball").sphere(0.3).at(0.5, 0.0, 2.0))
        .joint(Joint::slide("a", "upper").anchor(0.0, 0.0, 1.0).axis(0.0, 0.0, 1.0))
        .joint(Joint::slide("b", "lower").parent("upper").anchor(1.0, 0.0, 1.0).axis(1.0, 0.0, 0.0));
    let mut w = world(&scene);
    run(&mut w, 10);
    let lower = w.find("lower").unwrap();
    // What turns too far is slowed down; what slides goes on.
    w.set_force(lower, Vec3::Z * 1e20, Vec3::ZERO).unwrap();
    step(&mut w);
    assert_eq!(w.report().quarantined, [w.find("upper").unwrap(), lower]);
    run(&mut w, 200);
    assert!(w.joints().all(|joint| joint.q.is_finite() && joint.v == 0.0));
    near(crate::common::position(&w, "ball").z, 0.3, 1e-2, "the ball falls through what is out");
    near(w.ledger().energy_end(), w.energy(), 1e-9, "the book still tells the energy");
}

#[test]
fn a_tree_too_unequal_for_double_precision_is_an_error_and_no_panic() {
    let scene = Scene::new()
        .body(Body::dynamic("light").sphere(1e-6).mass(1e-20).at(0.0, 0.0, 0.0))
        .body(Body::dynamic("heavy").sphere(1.0).mass(1e20).at(1.0, 0.0, 0.0))
        .joint(Joint::hinge("a", "light").axis(0.0, 1.0, 0.0))
        .joint(Joint::hinge("b", "heavy").parent("light").axis(0.0, 1.0, 0.0));
    // Either it is refused, or it can be stepped.
    if let Ok(mut w) = World::new(&scene) {
        for _ in 0..10 {
            w.step();
        }
    }
}

#[test]
fn a_body_in_the_slot_of_a_removed_one_finds_nothing_of_its_contacts() {
    let low = Body::dynamic("low").cuboid(1.0, 1.0, 1.0).at(0.0, 0.0, 0.5);
    let high = |shape: Shape| Body::dynamic("high").shape(shape).at(0.0, 0.0, 1.5);
    let base = Scene::new().dt(0.01).body(floor(0.5, 0.0)).body(low);
    let rod = high(Shape::capsule(0.5, 0.6).along(Axis::X));
    let mut w = world(&base.clone().body(high(Shape::cuboid(1.0, 1.0, 1.0))));
    run(&mut w, 30);
    let before = w.find("high").unwrap();
    let pose = w.body(before).unwrap();
    let (slots, at) = (w.model().bodies.len(), pose.position);
    w.remove_body(before).unwrap();
    w.add_body(&rod.clone().at(at.x, at.y, at.z)).unwrap();
    assert_eq!(w.model().bodies.len(), slots, "the slot is used again");
    step(&mut w);
    let points =
        w.state().contacts.iter().find(|(key, _)| key.shapes()[0] == 1).map(|(_, points)| points.len());
    assert_eq!(points, Some(2), "a lying rod touches a face with two points, a box with four");
    run(&mut w, 30);
    // The slop of the stabilisation on each of two contacts.
    near(w.body(w.find("high").unwrap()).unwrap().position.z, 1.5, 2e-3, "it lies on the low one");
}
