//! The same bits for any number of threads: poses, velocities, impulses, books and events, in every model.

use crate::common::{floor, solvers, world};
use huygens::ledger::Account;
use huygens::math::{SplitMix, Twist, Vec3};
use huygens::scene::{Axis, Body, Joint, Scene, Shape};
use huygens::{BodyId, EventKind, ShapeId, World};

/// Numbers of threads: alone, as many as a small machine has cores, an odd number, and more than there are cores.
const THREADS: [usize; 4] = [1, 2, 3, 8];

/// Many small heaps beside each other, each an island of its own, and in each a hinged arm: a tree.
fn heaps(count: usize, solver: &str) -> Scene {
    let mut scene = Scene::new().dt(1.0 / 120.0).solver(solver).body(floor(0.5, 0.2));
    let mut random = SplitMix::new(77);
    let across = 1 + count.isqrt();
    for k in 0..count {
        let (x, y) = (3.0 * (k % across) as f64, 3.0 * (k / across) as f64);
        for i in 0..3_usize {
            let shape = match (i + k) % 4 {
                0 => Shape::cuboid(0.6, 0.5, 0.4),
                1 => Shape::sphere(0.25),
                2 => Shape::capsule(0.2, 0.4).along(Axis::X),
                _ => Shape::cylinder(0.25, 0.4),
            };
            let z = 0.3 + 0.45 * i as f64;
            let at = [x + random.range(-0.05, 0.05), y + random.range(-0.05, 0.05), z];
            let body = Body::dynamic(format!("b{k}.{i}")).shape(shape.friction(0.5).restitution(0.2));
            scene = scene.body(body.at(at[0], at[1], at[2]).spin(0.3, 0.2, 0.1 * i as f64));
        }
        if k % 5 == 0 {
            let name = format!("arm{k}");
            scene = scene
                .body(Body::dynamic(&name).cuboid(0.8, 0.1, 0.1).at(x + 0.2, y, 1.7))
                .joint(Joint::hinge(format!("hinge{k}"), &name).anchor(x - 0.2, y, 1.7).axis(0.0, 1.0, 0.0));
        }
    }
    scene
}

/// One heap that falls together in a bin: a large island.
fn pile(count: usize, solver: &str) -> Scene {
    let bin = Body::fixed("bin").shape(Shape::box_inside(4.0, 4.0, 40.0).friction(0.4).restitution(0.0));
    let mut scene = Scene::new().dt(1.0 / 120.0).solver(solver).body(bin);
    let mut random = SplitMix::new(5);
    for i in 0..count {
        let shape = match i % 3 {
            0 => Shape::cuboid(0.4, 0.3, 0.35),
            1 => Shape::sphere(0.2),
            _ => Shape::capsule(0.15, 0.3),
        };
        let (column, layer) = (i % 36, i / 36);
        let place = |k: usize| (k as f64 - 2.5) * 0.6;
        let axis = random.direction();
        let body = Body::dynamic(format!("b{i}")).shape(shape.friction(0.4).restitution(0.1));
        let at = [place(column % 6), place(column / 6), 0.4 + 0.5 * layer as f64 - 20.0];
        scene = scene.body(body.at(at[0], at[1], at[2]).turned(axis.to_array(), 1.0));
    }
    scene
}

/// All that a step came to, as numbers: state, events, books.
fn look(world: &World, seen: &mut Vec<u64>) {
    seen.push(world.hash());
    for event in world.events() {
        let [a, b] = event.shapes.map_or([u32::MAX as usize; 2], |shapes| shapes.map(ShapeId::index));
        let bodies = event.bodies.map(BodyId::index);
        seen.extend([a, b, bodies[0], bodies[1], event.kind as usize].map(|x| x as u64));
    }
    seen.extend(Account::ALL.iter().map(|account| world.ledger().get(*account).to_bits()));
    seen.push(world.ledger().unexplained().to_bits());
    seen.push(world.report().contacts as u64);
}

/// A run with edits, step by step.
fn history(scene: &Scene, threads: usize, steps: usize, shuffle: Option<u64>) -> Vec<u64> {
    let mut w = world(scene);
    w.set_threads(threads).expect("a number of threads");
    w.shuffle_lanes(shuffle);
    let mut seen = Vec::new();
    for step in 0..steps {
        match step {
            7 => {
                let id = w.find("b1").or_else(|| w.find("b1.1")).expect("a body");
                w.remove_body(id).expect("a body that is there");
            }
            9 => {
                let ball = Body::dynamic("new").sphere(0.3).at(0.3, 0.2, 2.0);
                w.add_body(&ball).unwrap_or_else(|errors| panic!("{errors}"));
            }
            11 => {
                let id = w.find("new").expect("a body");
                w.set_velocity(id, Twist::new(Vec3::new(0.0, 0.0, -8.0), Vec3::X)).expect("a velocity");
            }
            13 => w.drop_workspace(),
            _ => {}
        }
        w.step();
        look(&w, &mut seen);
    }
    assert_eq!(w.missing_threads(), 0);
    seen
}

fn same_for_all_threads(scene: &Scene, steps: usize, what: &str) {
    let alone = history(scene, 1, steps, None);
    for threads in THREADS {
        let found = history(scene, threads, steps, None);
        let first = alone.iter().zip(&found).position(|(a, b)| a != b);
        assert_eq!((first, found.len()), (None, alone.len()), "{what}: {threads} threads");
    }
}

#[test]
fn many_islands_have_the_same_bits_for_any_number_of_threads_in_every_model() {
    for solver in solvers() {
        let count = if solver == "soft-step" { 220 } else { 60 };
        same_for_all_threads(&heaps(count, solver), 24, solver);
    }
}

#[test]
fn a_pile_has_the_same_bits_for_any_number_of_threads() {
    for (solver, count) in [("soft-step", 900), ("sequential-impulse", 250)] {
        same_for_all_threads(&pile(count, solver), 60, solver);
    }
}

/// Two hundred stacks of three fall asleep; half of them are struck by balls, one stack after the other.
#[test]
fn what_sleeps_and_wakes_has_the_same_bits_for_any_number_of_threads() {
    let ground = Shape::half_space().friction(0.6).restitution(0.0);
    let mut scene = Scene::new().dt(1.0 / 120.0).sleep(true).body(Body::fixed("floor").shape(ground));
    for i in 0..200 {
        let (x, y) = (2.0 * f64::from(i % 20), 2.0 * f64::from(i / 20));
        for k in 0..3 {
            let shape = Shape::cuboid(0.5, 0.5, 0.5).friction(0.6).restitution(0.0);
            let z = 0.25 + 0.5 * f64::from(k);
            scene = scene.body(Body::dynamic(format!("b{i}.{k}")).shape(shape).at(x, y, z));
        }
        if i % 2 == 0 {
            let ball = Shape::sphere(0.2).friction(0.6).restitution(0.0);
            let high = 3.0 + 0.2 * f64::from(i);
            scene = scene.body(Body::dynamic(format!("ball{i}")).shape(ball).at(x + 0.1, y, high));
        }
    }
    let run = |threads| {
        let mut w = world(&scene);
        w.set_threads(threads).expect("a number of threads");
        let (mut seen, mut most, mut woke) = (Vec::new(), 0, 0);
        for _ in 0..260 {
            w.step();
            look(&w, &mut seen);
            most = most.max(w.sleepers());
            woke += w.events().filter(|event| event.kind == EventKind::Wake).count();
        }
        assert!(most > 100 && woke > 30, "{most} slept, {woke} woke");
        seen
    };
    let alone = run(1);
    for threads in THREADS {
        assert_eq!(alone.iter().zip(run(threads)).position(|(a, b)| *a != b), None, "{threads} threads");
    }
}

#[test]
fn shuffled_lanes_have_the_same_bits_on_several_threads() {
    let scene = pile(900, "soft-step");
    let hashes = |threads, shuffle| {
        let mut w = world(&scene);
        w.set_threads(threads).expect("a number of threads");
        w.shuffle_lanes(shuffle);
        (0..40)
            .map(|_| {
                w.step();
                w.hash()
            })
            .collect::<Vec<_>>()
    };
    let alone = hashes(1, None);
    assert_eq!(alone, hashes(3, Some(4)));
    assert_eq!(alone, hashes(8, Some(5)));
}

#[test]
fn the_number_of_threads_may_change_between_steps() {
    let scene = pile(500, "soft-step");
    let (mut alone, mut changing) = (world(&scene), world(&scene));
    alone.set_threads(1).expect("a number of threads");
    for step in 0..40 {
        changing.set_threads(1 + step % 5).expect("a number of threads");
        assert_eq!(changing.threads(), 1 + step % 5);
        alone.step();
        changing.step();
        assert_eq!(alone.hash(), changing.hash(), "step {step}");
    }
    // A clone has workers of its own, and a state that comes back finds the same ones.
    let mut twin = changing.clone();
    assert_eq!(twin.threads(), changing.threads());
    let saved = changing.snapshot();
    changing.step();
    twin.step();
    assert_eq!(twin.hash(), changing.hash());
    changing.restore(&saved).expect("a snapshot of this world");
    changing.step();
    assert_eq!(twin.hash(), changing.hash());
}

#[test]
fn numbers_of_threads_that_cannot_be_are_refused() {
    let mut w = world(&heaps(1, "soft-step"));
    let before = w.threads();
    for bad in [0, 257, 1_000_000_000, usize::MAX] {
        let refused = w.set_threads(bad).expect_err("too few or too many");
        assert!(refused.to_string().contains("must be from 1 to 256"), "{refused}");
        assert_eq!(w.threads(), before);
    }
    let errors = World::new(&heaps(1, "soft-step").world(|w| w.threads = Some(0))).expect_err("no threads");
    assert!(errors.to_string().contains("threads"), "{errors}");
}

#[test]
fn a_world_goes_from_thread_to_thread() {
    fn is_send_and_sync<T: Send + Sync>() {}
    is_send_and_sync::<World>();
}
