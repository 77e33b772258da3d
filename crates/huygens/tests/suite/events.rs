//! What begins and ends, in order, without flicker.

use crate::common::{floor, step, world};
use huygens::ledger::Account;
use huygens::scene::{Body, Scene, Shape};
use huygens::{Event, EventKind, World};

fn events(world: &World) -> Vec<Event> {
    world.events().collect()
}

#[test]
fn resting_bodies_begin_once_and_do_not_flicker() {
    for (solver, gap) in crate::common::solvers().flat_map(|solver| [(solver, 0.0), (solver, 0.05)]) {
        let mut scene = Scene::new().dt(1.0 / 120.0).solver(solver).body(floor(0.5, 0.0));
        for i in 0..3_i32 {
            let z = 0.5 + gap + (1.0 + gap) * f64::from(i);
            scene = scene.body(Body::dynamic(format!("box{i}")).cuboid(1.0, 1.0, 1.0).at(0.0, 0.0, z)).body(
                Body::dynamic(format!("ball{i}")).sphere(0.5).at(3.0 + 3.0 * f64::from(i), 0.0, 0.5 + gap),
            );
        }
        let mut w = world(&scene);
        let mut seen = Vec::new();
        for _ in 0..600 {
            step(&mut w);
            seen.extend(events(&w));
        }
        assert!(seen.iter().all(|event| event.kind == EventKind::Begin), "{solver}, {gap}: {seen:?}");
        assert_eq!(seen.len(), 6, "{solver}, {gap}: {seen:?}");
    }
}

#[test]
fn events_come_in_key_order_and_match_in_pairs() {
    let mut scene = Scene::new().dt(1.0 / 120.0).body(floor(0.2, 0.8));
    for i in 0..20_i32 {
        let ball = Body::dynamic(format!("ball{i}")).shape(Shape::sphere(0.3).restitution(0.8));
        scene = scene.body(ball.at(0.4 * f64::from(i % 4), 0.3 * f64::from(i % 3), 0.5 + 0.7 * f64::from(i)));
    }
    let mut w = world(&scene);
    let mut open = std::collections::BTreeSet::new();
    let mut count = 0;
    for i in 0..400 {
        step(&mut w);
        let now = events(&w);
        assert!(now.windows(2).all(|pair| pair[0].shapes < pair[1].shapes), "step {i}: {now:?}");
        for event in now {
            count += 1;
            let changed = match event.kind {
                EventKind::Begin => open.insert(event.shapes),
                EventKind::End => open.remove(&event.shapes),
                other => panic!("no joint, no sleep and no fault: {other:?}"),
            };
            assert!(changed, "step {i}: {event:?} twice");
        }
    }
    assert!(count > 100, "{count}");
}

#[test]
fn sensors_report_and_take_no_force() {
    let scene = Scene::new()
        .dt(1.0 / 240.0)
        .body(Body::fixed("gate").shape(Shape::cuboid(1.0, 1.0, 0.5).sensor()).at(0.0, 0.0, 2.0))
        .body(Body::dynamic("ball").sphere(0.25).at(0.0, 0.0, 4.0));
    let mut w = world(&scene);
    let mut seen = Vec::new();
    for i in 1..=240 {
        step(&mut w);
        seen.extend(events(&w).into_iter().map(|event| (i, event)));
    }
    let free = 4.0 - 0.5 * 9.81;
    crate::common::near(crate::common::position(&w, "ball").z, free, 1e-12, "free fall through the sensor");
    assert_eq!(crate::common::booked(&w, Account::Impact), 0.0);
    assert_eq!(w.max_penetration(), 0.0, "a sensor has no overlap");
    assert_eq!(seen.len(), 2, "{seen:?}");
    let ((entered, begin), (left, end)) = (seen[0], seen[1]);
    assert!(begin.sensor && begin.kind == EventKind::Begin && end.kind == EventKind::End);
    assert_eq!(begin.bodies, [w.find("gate").unwrap(), w.find("ball").unwrap()]);
    // It touches when it has fallen 1.5 m, and is beyond it after 2.5 m and the contact margin, 2 % of the ball: found at
    // the pose of the start of a step.
    let step_at = |fallen: f64| (2.0 * fallen / 9.81_f64).sqrt() * 240.0;
    assert!((f64::from(entered) - step_at(1.5)).abs() <= 2.0, "{entered}");
    assert!((f64::from(left) - step_at(2.5)).abs() <= 3.0, "{left}");
}

#[test]
fn removing_a_body_ends_its_contacts_once_with_its_own_handle() {
    let scene = Scene::new()
        .dt(0.01)
        .body(floor(0.5, 0.0))
        .body(Body::dynamic("low").cuboid(1.0, 1.0, 1.0).at(0.0, 0.0, 0.5))
        .body(Body::dynamic("high").cuboid(1.0, 1.0, 1.0).at(0.0, 0.0, 1.5));
    let mut w = world(&scene);
    for _ in 0..10 {
        step(&mut w);
    }
    let (ground, low, high) = (w.find("floor").unwrap(), w.find("low").unwrap(), w.find("high").unwrap());
    w.remove_body(low).unwrap();
    assert!(w.state().contacts.is_empty());
    // Another body takes the slot before the next step, and touches at once.
    let new = w.add_body(&scene.bodies[1]).unwrap();
    step(&mut w);
    let seen: Vec<_> = w.events().map(|event| (event.kind, event.bodies)).collect();
    let expected = [
        (EventKind::End, [ground, low]),
        (EventKind::Begin, [ground, new]),
        (EventKind::End, [low, high]),
        (EventKind::Begin, [new, high]),
    ];
    assert_eq!(seen, expected);
    step(&mut w);
    assert_eq!(w.events().count(), 0);
}

#[test]
fn a_ball_that_bounces_inside_its_steps_begins_and_ends_once_a_bounce() {
    let scene = Scene::new()
        .dt(1.0 / 60.0)
        .body(floor(0.5, 1.0))
        .body(Body::dynamic("ball").shape(Shape::sphere(0.5).restitution(1.0)).at(0.0, 0.0, 1.5));
    let mut w = world(&scene);
    let mut seen = Vec::new();
    for _ in 0..300 {
        step(&mut w);
        seen.extend(w.events().map(|event| event.kind));
    }
    // A fall of 1 m takes 0.4515 s: bounces at 0.45, 1.35, 2.26, 3.16, 4.06 and 4.97 s.
    assert_eq!(seen.len(), 12, "{seen:?}");
    assert!(seen.chunks(2).all(|pair| pair == [EventKind::Begin, EventKind::End]), "{seen:?}");
}

#[test]
fn a_pair_that_jitters_about_its_contact_begins_once_and_ends_beyond_the_margin() {
    // A sensor takes no force, so nothing but the place of the ball says whether the two touch.
    let scene = Scene::new()
        .gravity(0.0, 0.0, 0.0)
        .body(Body::fixed("gate").shape(Shape::cuboid(1.0, 1.0, 1.0).sensor()))
        .body(Body::dynamic("ball").sphere(0.5).at(2.0, 0.0, 0.0));
    let mut w = world(&scene);
    let ball = w.find("ball").unwrap();
    let mut seen = Vec::new();
    // 2 % of a body of 1 m or less is a margin of at most 2 cm and at least 5 mm.
    for gap in [0.1, 1e-4, -1e-4, 1e-4, -1e-4, 3e-3, -1e-4, 0.0, 0.03, 1e-4] {
        let pose = huygens::math::Pose::at(huygens::math::Vec3::X * (1.0 + gap));
        w.set_pose(ball, pose).unwrap();
        step(&mut w);
        seen.extend(w.events().map(|event| (gap, event.kind)));
    }
    assert_eq!(seen, [(-1e-4, EventKind::Begin), (0.03, EventKind::End)]);
}
