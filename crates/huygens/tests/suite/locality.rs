//! An island is alone: a body that touches nothing of it changes no bit of it.

use crate::common::{floor, solvers, world};
use huygens::math::SplitMix;
use huygens::scene::{Body, DriveLimit, Scene, Shape};

/// A heap of mixed bodies about (x, 0, 0) that falls, bounces and slides; its names begin with `name`.
fn heap(name: &str, bodies: usize, x: f64, seed: u64) -> Vec<Body> {
    let mut random = SplitMix::new(seed);
    let mut heap = Vec::new();
    for k in 0..bodies {
        let size = random.range(0.2, 0.4);
        let (e, mu) = ([0.0, 0.6][random.index(2)], random.range(0.0, 1.0));
        let shape = match random.index(4) {
            0 => Shape::sphere(0.5 * size),
            1 => Shape::capsule(0.3 * size, size),
            2 => Shape::cylinder(0.4 * size, size),
            _ => Shape::cuboid(size, size, size),
        };
        let body = Body::dynamic(format!("{name} {k}")).shape(shape.restitution(e).friction(mu));
        let place = [x + 0.3 * random.range(-1.0, 1.0), 0.3 * random.range(-1.0, 1.0), 0.4 + 0.35 * k as f64];
        heap.push(body.at(place[0], place[1], place[2]).velocity(0.0, 0.0, -random.range(0.0, 3.0)));
    }
    heap
}

fn scene(solver: &str, guard: bool, heaps: &[Vec<Body>]) -> Scene {
    let mut scene = Scene::new().dt(1.0 / 120.0).solver(solver).body(floor(0.6, 0.5));
    scene.world.guard = guard;
    for body in heaps.iter().flatten() {
        scene = scene.body(body.clone());
    }
    scene
}

#[test]
fn a_stranger_changes_no_bit_whatever_the_model() {
    let steps = if cfg!(debug_assertions) { 20 } else { 120 };
    for (solver, guard) in solvers().flat_map(|solver| [(solver, false), (solver, true)]) {
        let (own, stranger) = (heap("own", 5, 0.0, 3), heap("stranger", 9, 50.0, 4));
        let mut alone = world(&scene(solver, guard, std::slice::from_ref(&own)));
        let mut first = world(&scene(solver, guard, &[own.clone(), stranger.clone()]));
        let mut last = world(&scene(solver, guard, &[stranger, own]));
        for step in 0..steps {
            for world in [&mut alone, &mut first, &mut last] {
                world.step();
            }
            for k in 0..5 {
                let of = |world: &huygens::World| {
                    let body =
                        world.body(world.find(&format!("own {k}")).expect("it is there")).expect("alive");
                    (body.position, body.orientation, body.linear_velocity, body.angular_velocity)
                };
                assert_eq!(
                    of(&alone),
                    of(&first),
                    "{solver}, guard {guard}, step {step}, own {k}, stranger behind"
                );
                assert_eq!(
                    of(&alone),
                    of(&last),
                    "{solver}, guard {guard}, step {step}, own {k}, stranger before"
                );
            }
        }
    }
}

/// A lift, a pusher and a conveyor far away from the heap, each with that limit of its power or impulse.
fn limited(limit: impl Fn() -> DriveLimit) -> Vec<Body> {
    let lift = Body::driven("lift", [0.0, 0.0, 1.0], [0.0; 3])
        .limit(limit())
        .cuboid(1.0, 1.0, 0.1)
        .at(50.0, 0.0, 0.1);
    let load = Body::dynamic("load").shape(Shape::sphere(0.2).restitution(0.5)).at(50.0, 0.0, 0.36);
    let pusher = Body::driven("pusher", [1.0, 0.0, 0.0], [0.0; 3])
        .limit(limit())
        .shape(Shape::cuboid(0.2, 0.2, 0.2).friction(0.3))
        .at(59.6, 0.0, 0.25);
    let cube = Body::dynamic("cube").shape(Shape::cuboid(0.5, 0.5, 0.5).friction(0.5)).at(60.0, 0.0, 0.25);
    vec![lift, load, pusher, cube]
}

#[test]
fn a_limit_of_power_or_impulse_is_a_bound_in_the_drivers_own_island() {
    let steps = if cfg!(debug_assertions) { 20 } else { 40 };
    let limits: [fn() -> DriveLimit; 3] =
        [|| DriveLimit::Unlimited, || DriveLimit::Power { max: 40.0 }, || DriveLimit::Cap { impulse: 0.05 }];
    for (solver, guard) in solvers().flat_map(|solver| [(solver, false), (solver, true)]) {
        // Islands that no driver touches: more of them than the trials that two drivers may need, 62 each.
        let mut own = heap("own", 5, 0.0, 3);
        let ball = |k: u32| Body::dynamic(format!("ball {k}")).sphere(0.1).at(0.5 * f64::from(k), 9.0, 0.1);
        own.extend((0..125).map(ball));
        let mut worlds = limits.map(|limit| world(&scene(solver, guard, &[own.clone(), limited(limit)])));
        let mut searched = 0;
        for step in 0..steps {
            for world in &mut worlds {
                let report = world.step().clone();
                let (solves, islands) = (report.island_solves, world.contact_problem().graph.islands());
                assert!(
                    report.unexplained.abs() <= report.unexplained_bound,
                    "{solver}, guard {guard}, step {step}"
                );
                assert!(solves < islands + 125, "{solver}: {solves} solves of {islands} islands");
                searched += usize::from(solves > islands);
            }
            let [first, others @ ..] = worlds.each_ref();
            for name in own.iter().map(|body| &body.name) {
                let of = |world: &huygens::World| {
                    let body = world.body(world.find(name.as_ref()).expect("it is there")).expect("alive");
                    (body.position, body.orientation, body.linear_velocity, body.angular_velocity)
                };
                for other in others {
                    assert_eq!(of(first), of(other), "{solver}, guard {guard}, step {step}, {name}");
                }
            }
        }
        assert!(searched > 10, "{solver}: the power was the limit in {searched} steps");
    }
}
