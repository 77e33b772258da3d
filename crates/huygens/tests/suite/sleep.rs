//! What lies still falls asleep and loses nothing by it; whatever comes to it wakes it.

use crate::common::floor;
use crate::determinism::heap;
use huygens::ledger::Account;
use huygens::math::{Pose, Quat, SplitMix, Twist, Vec3, trig};
use huygens::scene::{Body, Joint, Material, Scene, Shape};
use huygens::{BodyId, EventKind, World};

/// As the library has it.
fn awake_world(scene: &Scene) -> World {
    World::new(scene).unwrap_or_else(|errors| panic!("{errors}"))
}

/// A pile of mixed bodies in a box. Balls that nothing brakes roll on for ever: there is friction against rolling.
pub fn pile(n: usize) -> Scene {
    let mut random = SplitMix::new(7);
    let felt = Material::new().friction(0.5).levers(0.005, 0.005);
    let ground = |name: &str, shape: Shape| Body::fixed(name).shape(shape.material("felt").restitution(0.0));
    let mut scene = Scene::new()
        .dt(1.0 / 120.0)
        .material("felt", felt)
        .body(ground("floor", Shape::half_space()))
        .body(ground("bin", Shape::box_inside(3.0, 3.0, 60.0)));
    for i in 0..n {
        let shape = match i % 3 {
            0 => Shape::cuboid(0.4, 0.3, 0.35),
            1 => Shape::sphere(0.2),
            _ => Shape::capsule(0.12, 0.3),
        };
        let axis = random.direction();
        let (x, y) = (random.range(-1.0, 1.0), random.range(-1.0, 1.0));
        let body = Body::dynamic(format!("b{i}"))
            .shape(shape.material("felt").restitution(0.1))
            .at(x, y, 0.3 + 0.1 * i as f64)
            .turned(axis.to_array(), random.range(0.0, 3.0));
        scene = scene.body(body);
    }
    scene
}

/// A tower of boxes, their faces on one another.
fn tower(scene: Scene, name: &str, at: [f64; 2], height: usize) -> Scene {
    (0..height).fold(scene, |scene, i| {
        let body = Body::dynamic(format!("{name}{i}")).cuboid(0.5, 0.5, 0.5);
        scene.body(body.at(at[0], at[1], 0.25 + 0.5 * i as f64))
    })
}

fn id(world: &World, name: &str) -> BodyId {
    world.find(name).unwrap_or_else(|| panic!("no body {name}"))
}

/// For results that may be refusals.
fn ignore<T>(_: T) {}

fn sleeps(world: &World, name: &str) -> bool {
    world.is_asleep(id(world, name)).unwrap()
}

/// A step; the book must close, also where something falls asleep in it.
fn step(world: &mut World) {
    let before = world.ledger().energy_end();
    let report = world.step();
    let (left, bound) = (report.unexplained, report.unexplained_bound);
    assert!(left.abs() <= bound, "step {}: {left:e} J unexplained, bound {bound:e} J", world.steps());
    let (change, booked) = (world.report().energy_change, world.book().total());
    let bound = world.book().bound();
    assert!((change - booked).abs() <= bound, "step {}: {change:e} J, booked {booked:e} J", world.steps());
    let moved = world.ledger().energy_end() - before - change;
    assert!(moved.abs() <= 1e-12 * (1.0 + before.abs()), "step {}: {moved:e} J", world.steps());
}

fn run_until_asleep(world: &mut World, names: &[&str], most_seconds: f64) {
    let until = world.time() + most_seconds;
    while !names.iter().all(|name| sleeps(world, name)) {
        assert!(world.time() < until, "after {} s: {:?}", world.time(), still_awake(world));
        step(world);
    }
}

fn still_awake(world: &World) -> Vec<(String, f64)> {
    let moves = |body: &huygens::BodyView| body.mass > 0.0 && !body.asleep;
    world.bodies().filter(moves).map(|body| (body.name.to_owned(), body.linear_velocity.length())).collect()
}

fn poses(world: &World) -> Vec<(Vec3, Quat)> {
    world.bodies().map(|body| (body.position, body.orientation)).collect()
}

#[test]
fn stacks_fall_asleep_within_a_second_with_every_model() {
    for solver in crate::common::catalogue_solvers().chain(["ncp/newton", "active-set"]) {
        let scene = tower(tower(Scene::new().body(floor(0.5, 0.0)), "a", [0.0, 0.0], 6), "b", [3.0, 0.0], 1);
        let mut w = awake_world(&scene.solver(solver));
        run_until_asleep(&mut w, &["a0", "a5", "b0"], 1.0);
        let (at, energy) = (poses(&w), w.energy());
        for _ in 0..50 {
            step(&mut w);
            assert_eq!(w.report().contacts, 7 * 4, "{solver}: contacts of sleepers count");
        }
        assert_eq!(poses(&w), at, "{solver}");
        assert_eq!(w.energy(), energy);
        assert!(w.ledger().get(Account::Numerical) <= 0.0);
        assert!(w.bodies().all(|body| body.linear_velocity == Vec3::ZERO));
    }
}

#[test]
fn a_pile_falls_asleep() {
    let mut w = awake_world(&pile(60));
    let names: Vec<String> = (0..60).map(|i| format!("b{i}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    run_until_asleep(&mut w, &names, 12.0);
}

/// Sleep changes nothing before the first body sleeps, and in that step velocities alone.
#[test]
fn until_the_first_sleep_nothing_changes() {
    for seed in 0..6 {
        let mut random = SplitMix::new(seed);
        let mut scene =
            pile(10 + random.index(10)).solver(["soft-step", "sequential-impulse"][random.index(2)]);
        scene = tower(scene, "t", [8.0, 0.0], 1 + random.index(4));
        let (mut on, mut off) = (awake_world(&scene.clone().sleep(true)), awake_world(&scene.sleep(false)));
        let mut slept = false;
        for i in 0..600 {
            on.step();
            off.step();
            assert_eq!(poses(&on), poses(&off), "seed {seed}, step {i}");
            if on.sleepers() > 0 {
                slept = true;
                break;
            }
            assert_eq!(on.hash(), off.hash(), "seed {seed}, step {i}");
        }
        assert!(slept, "seed {seed}: nothing slept");
    }
}

#[test]
fn what_touches_nothing_of_a_sleeping_island_changes_no_bit_of_it() {
    let scene = tower(Scene::new().dt(1.0 / 120.0).body(floor(0.5, 0.7)), "a", [0.0, 0.0], 4);
    let busy = |scene: Scene| {
        (0..8).fold(scene, |scene, i| {
            let ball = Body::dynamic(format!("ball{i}")).shape(Shape::sphere(0.1).restitution(0.8));
            let side = if i % 2 == 0 { 0.5 } else { -0.45 };
            // They fly past, over and beside it.
            scene.body(
                ball.at(-2.0 - 3.0 * f64::from(i), side, 0.5 + 0.2 * f64::from(i)).velocity(4.0, 0.0, 1.0),
            )
        })
    };
    let (mut alone, mut with) = (awake_world(&scene), awake_world(&busy(scene)));
    let mut slept = 0;
    for i in 0..600 {
        alone.step();
        step(&mut with);
        for k in 0..4 {
            let [a, b] = [&alone, &with].map(|world| world.body(id(world, &format!("a{k}"))).unwrap());
            assert_eq!(
                (a.position, a.orientation, a.linear_velocity),
                (b.position, b.orientation, b.linear_velocity),
                "step {i}, body {k}"
            );
            assert_eq!(a.asleep, b.asleep, "step {i}, body {k}");
        }
        slept += usize::from(sleeps(&with, "a0"));
    }
    assert!(slept > 400, "{slept} steps asleep");
}

/// Two towers far apart, a table that is driven, and an arm on a hinge that hangs still.
fn towers() -> World {
    let mut scene = Scene::new().dt(1.0 / 120.0).body(floor(0.5, 0.0));
    scene = tower(tower(scene, "a", [0.0, 0.0], 3), "b", [10.0, 0.0], 3);
    let scene = scene
        .body(Body::fixed("block").cuboid(1.0, 1.0, 1.0).at(20.0, 0.0, 0.5))
        .body(Body::dynamic("on").cuboid(0.5, 0.5, 0.5).at(20.0, 0.0, 1.25))
        .body(Body::driven("table", [0.0; 3], [0.0; 3]).cuboid(1.0, 1.0, 0.2).at(30.0, 0.0, 0.1))
        .body(Body::dynamic("cup").cuboid(0.3, 0.3, 0.3).at(30.0, 0.0, 0.35))
        .body(Body::dynamic("arm").cuboid(0.1, 0.1, 1.0).at(40.0, 0.0, 2.5))
        .joint(Joint::hinge("hinge", "arm").anchor(40.0, 0.0, 3.0).axis(0.0, 1.0, 0.0).friction(0.1));
    let mut w = awake_world(&scene);
    run_until_asleep(&mut w, &["a0", "a2", "b0", "b2", "on", "cup", "arm"], 3.0);
    step(&mut w);
    w
}

#[test]
fn every_cause_wakes_its_island_and_no_other() {
    type Act = Box<dyn Fn(&mut World)>;
    let on = |name: &'static str, act: fn(&mut World, BodyId)| -> Act {
        Box::new(move |world| act(world, id(world, name)))
    };
    let a = ["a0", "a1", "a2"];
    let causes: Vec<(&str, &[&str], Act)> = vec![
        ("wake", &a, on("a1", |w, a| w.wake(a).unwrap())),
        ("a force", &a, on("a1", |w, a| w.set_force(a, [0.0, 0.0, 1e-3], [0.0; 3]).unwrap())),
        ("a force of one step", &a, on("a1", |w, a| w.apply_force(a, [0.0, 0.0, 1e-3], [0.0; 3]).unwrap())),
        ("an impulse", &a, on("a1", |w, a| w.apply_impulse(a, [1e-3, 0.0, 0.0], [0.0; 3]).unwrap())),
        ("a velocity", &a, on("a1", |w, a| w.set_velocity(a, Twist::new(Vec3::X, Vec3::ZERO)).unwrap())),
        ("a pose", &a, on("a1", |w, a| w.set_pose(a, Pose::at(Vec3::new(0.0, 0.0, 0.76))).unwrap())),
        (
            "another body",
            &a,
            on("a1", |w, a| {
                w.change_body(a, &Body::dynamic("a1").cuboid(0.5, 0.5, 0.4)).unwrap();
            }),
        ),
        ("a neighbour that leaves", &["a1", "a2"], on("a0", |w, a| w.remove_body(a).unwrap())),
        ("a ground that leaves", &["on"], on("block", |w, a| w.remove_body(a).unwrap())),
        (
            "a ground that is moved",
            &["on"],
            on("block", |w, a| w.set_pose(a, Pose::at(Vec3::new(20.0, 3.0, 0.5))).unwrap()),
        ),
        (
            "a body that comes",
            &a,
            Box::new(|w| {
                w.add_body(&Body::dynamic("new").sphere(0.2).at(0.0, 0.0, 1.69)).unwrap();
            }),
        ),
        (
            "a wall that comes",
            &a,
            Box::new(|w| {
                w.add_body(&Body::fixed("new").cuboid(0.5, 0.5, 0.5).at(0.49, 0.0, 0.25)).unwrap();
            }),
        ),
        (
            "a driver that starts",
            &["cup"],
            on("table", |w, a| w.set_velocity(a, Twist::new(Vec3::X * 0.01, Vec3::ZERO)).unwrap()),
        ),
        ("a joint that is moved", &["arm"], Box::new(|w| w.set_joint("hinge", 0.1, 0.0).unwrap())),
        ("a joint that leaves", &["arm"], Box::new(|w| w.remove_joint("hinge").unwrap())),
    ];
    let start = towers();
    for (cause, wakes, act) in causes {
        let mut w = start.clone();
        act(&mut w);
        step(&mut w);
        let all = ["a0", "a1", "a2", "b0", "b1", "b2", "on", "cup", "arm"];
        for name in all.into_iter().filter(|name| w.find(name).is_some()) {
            assert_eq!(!sleeps(&w, name), wakes.contains(&name), "{cause}: {name}");
        }
        let told: Vec<BodyId> =
            w.events().filter(|event| event.kind == EventKind::Wake).map(|event| event.bodies[0]).collect();
        let mut names: Vec<&str> = told.iter().filter_map(|id| w.name_of(*id)).collect();
        assert_eq!(names.len(), told.len(), "{cause}: names of all, also of what was removed");
        assert!(names.is_sorted(), "{cause}: in the order of the bodies: {names:?}");
        names.retain(|name| w.find(name).is_some());
        assert_eq!(names, wakes, "{cause}");
        // And it finds its rest again, unless it fell.
        if matches!(cause, "wake" | "a force" | "an impulse" | "a force of one step") {
            run_until_asleep(&mut w, &a, 2.0);
            let asleep = w.events().filter(|event| event.kind == EventKind::Sleep);
            assert!(asleep.map(|event| w.name_of(event.bodies[0]).unwrap().to_owned()).eq(a), "{cause}");
        }
    }
    let mut w = start.clone();
    w.change_world(|world| world.gravity = Vec3::new(0.0, 0.0, -9.0)).unwrap();
    assert_eq!(w.sleepers(), 0, "another gravity wakes all");
    w = start.clone();
    w.change_world(|_| {}).unwrap();
    w.set_force(id(&w, "a0"), [0.0; 3], [0.0; 3]).unwrap();
    assert_eq!(w.sleepers(), start.sleepers(), "the same choice as before wakes nobody");
    for wrong in [1e300, f64::NAN] {
        assert!(w.set_force(id(&w, "a0"), [wrong; 3], [0.0; 3]).is_err());
        assert!(w.change_body(id(&w, "a0"), &Body::dynamic("a0").sphere(wrong)).is_err());
    }
    assert_eq!(w.sleepers(), start.sleepers(), "what is refused wakes nobody");
}

#[test]
fn joints_of_sleepers_carry_what_they_carried() {
    let w = towers();
    let weight = w.body(id(&w, "arm")).unwrap().mass * 9.81;
    let loads = w.joint_loads();
    assert!((loads[0].force.length() - weight).abs() < 1e-9 * weight, "{} N of {weight} N", loads[0].force);
    assert_eq!(loads, w.joint_loads());
    assert!(sleeps(&w, "arm"), "to ask wakes nobody");
}

#[test]
fn a_body_that_is_put_to_sleep_takes_its_island_along_and_its_energy_is_booked() {
    let mut w = towers();
    w.wake(id(&w, "a0")).unwrap();
    step(&mut w);
    w.set_velocity(id(&w, "a1"), Twist::new(Vec3::X, Vec3::ZERO)).unwrap();
    let (energy, booked) = (w.kinetic_energy(), w.ledger().get(Account::Numerical));
    w.put_to_sleep(id(&w, "a0")).unwrap();
    assert!(["a0", "a1", "a2"].iter().all(|name| sleeps(&w, name)));
    let taken = booked - w.ledger().get(Account::Numerical);
    assert!((taken - energy).abs() < 1e-12 * energy && energy > 60.0, "{taken} J of {energy} J");
    assert_eq!(w.kinetic_energy(), 0.0);
    step(&mut w);
    assert_eq!(w.events().map(|event| event.kind).collect::<Vec<_>>(), [EventKind::Sleep; 3]);
    assert!(w.put_to_sleep(id(&w, "block")).is_err());
    // What looks at every pair anew sees sleepers, too.
    let mut awake = w.clone();
    let ids: Vec<BodyId> = awake.bodies().map(|body| body.id).collect();
    ids.into_iter().for_each(|id| awake.wake(id).unwrap());
    assert!(w.sleepers() > 0 && w.gaps().len() > 20);
    assert_eq!((w.gaps(), w.penetration()), (awake.gaps(), awake.penetration()));
    let supported = w.contacts().filter(|contact| contact.impulse.z < 0.0).count();
    assert!(supported > 20, "{supported} contacts of sleepers carry load");
}

/// What lay still goes on as it was: the impulses of the first step are those of the last.
#[test]
fn impulses_after_waking_are_those_before_the_sleep() {
    for solver in ["soft-step", "sequential-impulse", "ncp/newton"] {
        let scene = tower(Scene::new().body(floor(0.5, 0.0)), "a", [0.0, 0.0], 5);
        let mut w = awake_world(&scene.solver(solver));
        run_until_asleep(&mut w, &["a0"], 2.0);
        (0..100).for_each(|_| step(&mut w));
        let before: Vec<Vec3> = w.state().sleep.contacts.points.iter().map(|point| point.impulse).collect();
        let at = poses(&w);
        w.wake(id(&w, "a4")).unwrap();
        step(&mut w);
        assert!(before.len() == 20 && w.sleepers() == 0);
        for (before, after) in before.iter().zip(&w.state().contacts.points) {
            let off = (*before - after.impulse).length();
            assert!(off <= 1e-9 * before.length(), "{solver}: {before} before, {} after", after.impulse);
        }
        for (before, after) in at.iter().zip(poses(&w)) {
            assert!((before.0 - after.0).length() < 1e-9, "{solver}");
        }
    }
}

#[test]
fn what_balances_swings_or_flies_does_not_fall_asleep() {
    // A plate on edge, off its balance by so many radians: its centre is over the edge at atan(0.2).
    for off in [1e-3, 1e-4, 1e-5] {
        let tilt: f64 = 0.19739555984988078 + off;
        let half = Vec3::new(0.1, 0.2, 0.5);
        let turn = trig::axis_angle(Vec3::Y, tilt);
        // The lower corner on the side to which it leans is the edge on the floor.
        let edge = turn * Vec3::new(half.x, 0.0, -half.z);
        let plate = Body::dynamic("plate")
            .cuboid(0.2, 0.4, 1.0)
            .at(-edge.x, 0.0, -edge.z)
            .turned([0.0, 1.0, 0.0], tilt);
        let mut w = awake_world(&Scene::new().body(floor(0.8, 0.0)).body(plate));
        let height = |w: &World| w.body(id(w, "plate")).unwrap().position.z;
        while height(&w) > 0.3 {
            step(&mut w);
            assert!(!sleeps(&w, "plate"), "off by {off}: asleep {} m high at {} s", height(&w), w.time());
            assert!(w.time() < 10.0, "off by {off}: it stands");
        }
        run_until_asleep(&mut w, &["plate"], 4.0);
    }
    for angle in [1.0, 0.1, 0.01] {
        let arm = Body::dynamic("arm").cuboid(0.1, 0.1, 1.0).at(0.0, 0.0, -0.5);
        let hinge = Joint::hinge("hinge", "arm").axis(0.0, 1.0, 0.0).start(angle, 0.0);
        let mut w = awake_world(&Scene::new().body(arm).joint(hinge));
        for _ in 0..2400 {
            step(&mut w);
            assert!(!sleeps(&w, "arm"), "amplitude {angle}, at {} s", w.time());
        }
    }
    let ball = Body::dynamic("ball")
        .shape(Shape::sphere(0.1).restitution(0.9))
        .at(0.0, 0.0, 0.11)
        .velocity(0.0, 0.0, 0.5);
    let mut w = awake_world(&Scene::new().dt(1.0 / 1000.0).body(floor(0.5, 0.9)).body(ball));
    for _ in 0..800 {
        step(&mut w);
        assert!(!sleeps(&w, "ball"), "at {} s", w.time());
    }
    // Carried along by a slow table, and drifting in free space.
    let table = Body::driven("table", [1e-3, 0.0, 0.0], [0.0; 3]).cuboid(4.0, 4.0, 0.2);
    let box_on = Body::dynamic("box").cuboid(0.5, 0.5, 0.5).at(0.0, 0.0, 0.35);
    let floats =
        Body::dynamic("floats").sphere(0.2).at(0.0, 0.0, 9.0).gravity_scale(0.0).velocity(1e-3, 0.0, 0.0);
    let mut w = awake_world(&Scene::new().body(table).body(box_on).body(floats));
    for _ in 0..1200 {
        step(&mut w);
        assert_eq!(w.sleepers(), 0, "at {} s", w.time());
    }
}

/// Drivers, a tree, impacts, a tower that sleeps and is hit later, and one that sleeps on.
fn chaos() -> Scene {
    let scene = tower(tower(heap(), "t", [6.0, 0.0], 3), "u", [9.0, 0.0], 3);
    let ball = Body::dynamic("late")
        .shape(Shape::sphere(0.2).restitution(0.5))
        .at(3.0, 0.0, 0.9)
        .velocity(2.4, 0.0, 6.0);
    scene.body(ball).sleep(true)
}

#[test]
fn a_world_with_sleepers_goes_on_with_the_same_bits_after_any_restore() {
    let scene = chaos();
    let mut first = awake_world(&scene);
    let (mut saved, mut hashes, mut asleep, mut woke) = (Vec::new(), Vec::new(), 0, 0);
    for _ in 0..300 {
        saved.push(first.snapshot());
        hashes.push((first.hash(), format!("{:?}", first.ledger())));
        step(&mut first);
        asleep += usize::from(first.sleepers() > 0);
        woke += first.events().filter(|event| event.kind == EventKind::Wake).count();
    }
    assert!(asleep > 100 && woke >= 3, "{asleep} steps with sleepers, {woke} woke");
    let mut jumping = awake_world(&scene);
    for at in (0..200).map(|k| k * 77 % 200) {
        jumping.restore(&saved[at]).unwrap();
        assert_eq!(jumping.snapshot(), saved[at], "step {at}: the same bytes again");
        let mut twin = jumping.clone();
        for i in 0..100 {
            assert_eq!(
                (jumping.hash(), format!("{:?}", jumping.ledger())),
                hashes[at + i],
                "{i} steps after {at}"
            );
            jumping.step();
            if at % 10 == 0 {
                twin.drop_workspace();
                twin.step();
                assert_eq!(twin.hash(), jumping.hash(), "{i} steps after {at}, without workspace");
            }
        }
    }
}

/// Bytes whose sum is right, but which no engine wrote: an error or a state that can be stepped, and never a panic.
#[test]
fn forged_snapshots_with_sleepers_never_panic() {
    let mut w = towers();
    w.wake(id(&w, "b0")).unwrap();
    step(&mut w);
    let good = w.snapshot();
    let mut random = SplitMix::new(3);
    let (mut refused, mut taken) = (0, 0);
    for _ in 0..3000 {
        let mut bad = good.clone();
        for _ in 0..1 + random.index(3) {
            let at = 28 + random.index(good.len() - 36);
            bad[at] ^= 1 << random.index(8);
        }
        let mut hash = huygens::Fnv::default();
        let end = bad.len() - 8;
        hash.bytes(&bad[..end]);
        bad[end..].copy_from_slice(&hash.value().to_le_bytes());
        let before = w.snapshot();
        if w.restore(&bad).is_err() {
            refused += 1;
            assert_eq!(w.snapshot(), before);
        } else {
            taken += 1;
        }
    }
    assert!(refused > 100 && taken > 100, "{refused} refused, {taken} taken");
}

/// Edits, forces, sleep and waking at random: the book closes in every step, the workspace matters to no bit, and a snapshot goes on alike.
#[test]
fn random_orders_to_sleepers_keep_the_books_and_the_bits() {
    for seed in 0..8 {
        let mut random = SplitMix::new(100 + seed);
        let mut scene =
            pile(12).sleep(true).solver(["soft-step", "soft-step", "sequential-impulse"][random.index(3)]);
        for i in 0..4 {
            scene = tower(scene, &format!("t{i}-"), [6.0 + 2.0 * f64::from(i), 0.0], 1 + random.index(3));
        }
        scene =
            scene.body(Body::driven("paddle", [0.0; 3], [0.0; 3]).cuboid(0.4, 2.0, 1.0).at(4.5, 0.0, 0.55));
        let mut w = awake_world(&scene);
        let mut bare = w.clone();
        let (mut slept, mut woke) = (0, 0);
        for i in 0..500 {
            let ids: Vec<BodyId> = w.bodies().map(|body| body.id).collect();
            let one = ids[random.index(ids.len())];
            let v = random.direction() * random.range(0.0, 2.0);
            let (what, name) = (random.index(60), format!("new{i}"));
            let new = Body::dynamic(name).sphere(0.2).at(random.range(5.0, 13.0), 0.1, 3.0);
            for w in [&mut w, &mut bare] {
                // Refusals are fine: some bodies are static or driven.
                match what {
                    0 => ignore(w.apply_impulse(one, v * 20.0, [0.0; 3])),
                    1 => ignore(w.set_velocity(one, Twist::new(v, Vec3::ZERO))),
                    2 => ignore(w.apply_force(one, v * 100.0, [0.0; 3])),
                    3 => ignore(w.wake(one)),
                    4 => ignore(w.put_to_sleep(one)),
                    5 if i > 200 => ignore(w.remove_body(one)),
                    6 => ignore(w.add_body(&new)),
                    7 => ignore(w.set_velocity(id(w, "floor"), Twist::ZERO)),
                    8 if w.find("paddle").is_some() => {
                        ignore(w.set_velocity(id(w, "paddle"), Twist::new(Vec3::X * v.x, Vec3::ZERO)));
                    }
                    _ => {}
                }
                if w.find("floor").is_none() {
                    w.add_body(&floor(0.5, 0.0)).unwrap();
                }
            }
            step(&mut w);
            bare.drop_workspace();
            bare.step();
            assert_eq!(w.hash(), bare.hash(), "seed {seed}, step {i}");
            assert_eq!(w.sleepers(), bare.sleepers(), "seed {seed}, step {i}");
            slept += w.events().filter(|event| event.kind == EventKind::Sleep).count();
            woke += w.events().filter(|event| event.kind == EventKind::Wake).count();
            let energy = w.energy();
            let off = (energy - w.ledger().energy_end()).abs();
            assert!(off < 1e-9 * (1.0 + energy.abs()), "seed {seed}, step {i}: {off:e} J");
        }
        assert!(slept > 5 && woke > 3, "seed {seed}: {slept} fell asleep, {woke} woke");
    }
}
