//! What lies still falls asleep and loses nothing by it; whatever comes to it wakes it.

use crate::common::{floor, world};
use crate::determinism::heap;
use huygens::World;
use huygens::math::SplitMix;
use huygens::scene::{Body, Scene, Shape};

/// As the library has it.
fn awake_world(scene: &Scene) -> World {
    World::new(scene).unwrap_or_else(|errors| panic!("{errors}"))
}

/// A pile of mixed bodies in a box.
pub fn pile(n: usize) -> Scene {
    let mut random = SplitMix::new(7);
    let mut scene = Scene::new()
        .dt(1.0 / 120.0)
        .body(floor(0.5, 0.0))
        .body(Body::fixed("bin").shape(Shape::box_inside(3.0, 3.0, 60.0).friction(0.5).restitution(0.0)));
    for i in 0..n {
        let shape = match i % 3 {
            0 => Shape::cuboid(0.4, 0.3, 0.35),
            1 => Shape::sphere(0.2),
            _ => Shape::capsule(0.12, 0.3),
        };
        let axis = random.direction();
        let (x, y) = (random.range(-1.0, 1.0), random.range(-1.0, 1.0));
        let body = Body::dynamic(format!("b{i}"))
            .shape(shape.friction(0.5).restitution(0.1))
            .at(x, y, 0.3 + 0.1 * i as f64)
            .turned(axis.to_array(), random.range(0.0, 3.0));
        scene = scene.body(body);
    }
    scene
}

#[test]
#[ignore = "measures"]
fn measure_how_still_things_lie() {
    let stack = |n: usize| {
        (0..n).fold(Scene::new().body(floor(0.5, 0.0)), |scene, i| {
            scene.body(Body::dynamic(format!("s{i}")).cuboid(1.0, 1.0, 1.0).at(
                0.01 * (i % 3) as f64,
                0.0,
                0.5 + i as f64,
            ))
        })
    };
    for (name, scene) in
        [("stack", stack(10)), ("pile100", pile(100)), ("pile400", pile(400)), ("heap", heap())]
    {
        for solver in ["soft-step", "sequential-impulse", "ncp/newton"] {
            if solver != "soft-step" && name == "pile400" {
                continue;
            }
            let mut w = world(&scene.clone().solver(solver));
            let mut last: Vec<_> = w.bodies().map(|body| body.position).collect();
            let dt = w.model().settings.dt;
            for window in 0..24 {
                let mut fastest = 0.0f64;
                for _ in 0..(0.255 / dt) as usize {
                    w.step();
                }
                let mut drifts = Vec::new();
                for (body, last) in w.bodies().zip(&mut last) {
                    drifts.push((body.position - *last).length());
                    *last = body.position;
                    let v = body.linear_velocity.length();
                    if v > fastest {
                        fastest = v;
                    }
                }
                drifts.sort_by(f64::total_cmp);
                let n = drifts.len();
                if window % 4 == 3 {
                    println!(
                        "{name} {solver} {:.2} s: fastest {fastest:.1e}, drift median {:.1e}, 90% {:.1e}, most {:.1e}",
                        w.time(),
                        drifts[n / 2],
                        drifts[n * 9 / 10],
                        drifts[n - 1]
                    );
                }
            }
        }
    }
}

#[test]
#[ignore = "measures"]
fn measure_when_things_sleep() {
    let stack = |n: usize| {
        (0..n).fold(Scene::new().body(floor(0.5, 0.0)), |scene, i| {
            scene.body(Body::dynamic(format!("s{i}")).cuboid(1.0, 1.0, 1.0).at(
                0.01 * (i % 3) as f64,
                0.0,
                0.5 + i as f64,
            ))
        })
    };
    for (name, scene) in
        [("stack", stack(10)), ("pile100", pile(100)), ("pile400", pile(400)), ("heap", heap())]
    {
        let mut w = awake_world(&scene);
        let mut asleep = 0;
        for _ in 0..2400 {
            w.step();
            if w.sleepers() != asleep {
                asleep = w.sleepers();
                println!("{name} {:.2} s: {asleep} asleep, ratio {:.2}", w.time(), w.ledger().worst_ratio());
            }
        }
    }
}
