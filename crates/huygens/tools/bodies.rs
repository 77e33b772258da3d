//! What the passes over the bodies of a step cost: free bodies without a contact, time by stage.
//!
//! `cargo run --release -p huygens --example bodies [SCENE] [BODIES] [STEPS]`, where SCENE is `spheres`, `boxes`, `tilted`
//! (boxes with inertia in no principal axes), `locked`, `rest` (spheres that nothing moves) or `all`.

use huygens::World;
use huygens::scene::{Body, Lock, Scene, Shape};
use std::time::Duration;

const SCENES: [&str; 5] = ["spheres", "boxes", "tilted", "locked", "rest"];

/// A cubic grid of bodies, far enough apart that none meets another while it falls.
fn scene(kind: &str, n: usize) -> Scene {
    let mut scene = Scene::new().dt(1.0 / 60.0);
    if kind == "rest" {
        scene = scene.gravity(0.0, 0.0, 0.0);
    }
    let side = (1..).find(|side| side * side * side >= n).unwrap_or(1);
    for i in 0..n {
        let [x, y, z] = [i % side, i / side % side, i / (side * side)].map(|k| 2.0 * k as f64);
        let body = Body::dynamic(format!("b{i}")).at(x, y, z);
        let phase = i as f64 / n as f64;
        scene = scene.body(match kind {
            "rest" => body.sphere(0.3),
            "spheres" => body.sphere(0.3).velocity(0.1 * phase, 0.2, 0.3).spin(1.0, phase, -0.5),
            "tilted" => body
                .shape(Shape::cuboid(0.2, 0.3, 0.4).turned([1.0, 2.0, 3.0], 0.7))
                .velocity(0.1 * phase, 0.2, 0.3)
                .spin(1.0, phase, -0.5),
            "locked" => body
                .cuboid(0.2, 0.3, 0.4)
                .spin(1.0, phase, 0.0)
                .lock(Lock { linear: [false, false, true], angular: [false, false, true] }),
            _ => body.cuboid(0.2, 0.3, 0.4).velocity(0.1 * phase, 0.2, 0.3).spin(1.0, phase, -0.5),
        });
    }
    scene
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let kind = arguments.next().unwrap_or_else(|| "all".to_owned());
    let mut number = |otherwise| arguments.next().and_then(|a| a.parse().ok()).unwrap_or(otherwise);
    let (n, steps) = (number(30_000), number(50));
    for kind in SCENES.into_iter().filter(|scene| kind == "all" || kind == *scene) {
        let mut world = match World::new(&scene(kind, n)) {
            Ok(world) => world,
            Err(errors) => return eprintln!("{errors}"),
        };
        world.want_stage_times(true);
        world.step();
        let mut least = [Duration::MAX; huygens::STAGES.len()];
        for _ in 0..steps {
            let report = world.step();
            for (least, time) in least.iter_mut().zip(report.stage_time) {
                *least = time.min(*least);
            }
        }
        println!("{kind}: {n} bodies, least of {steps} steps; hash {:016x}", world.hash());
        for (name, time) in huygens::STAGES.iter().zip(least) {
            let each = time.as_nanos() as f64 / n as f64;
            println!("  {name:<12} {:9.4} ms  {each:8.1} ns per body", time.as_secs_f64() * 1e3);
        }
        println!("  worst unexplained over its bound: {:.3e}", world.ledger().worst_ratio());
    }
}
