//! What a step costs beyond the work in it: one ball alone, a function that looks at contacts and does nothing, sleepers, and edits of small and large
//! worlds.
//! Best of several rounds; other programs only make it slower.

use huygens::World;
use huygens::math::{Twist, Vec3};
use huygens::scene::{Body, Scene, SceneErrors, Shape};
use std::time::Instant;

/// Seconds of one call, the least of `rounds` means over `calls`.
fn least(rounds: usize, calls: usize, mut call: impl FnMut()) -> f64 {
    let round = |_| {
        let start = Instant::now();
        (0..calls).for_each(|_| call());
        start.elapsed().as_secs_f64() / calls as f64
    };
    (0..rounds).map(round).fold(f64::INFINITY, huygens_math::scalar::min)
}

/// Boxes at rest, side by side on a floor.
fn field(bodies: usize, sleep: bool) -> Scene {
    let mut scene = Scene::new().sleep(sleep).body(Body::fixed("floor").shape(Shape::half_space()));
    for i in 0..bodies {
        let (x, y) = ((i % 300) as f64, (i / 300) as f64);
        scene = scene.body(Body::dynamic(format!("b{i}")).cuboid(0.5, 0.5, 0.5).at(x, y, 0.25));
    }
    scene
}

/// Measures and prints; the first argument is the largest world (`cargo run --release -p huygens --example overhead 100000`).
pub fn main() -> Result<(), SceneErrors> {
    let most: usize = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(10);
    let ball =
        Scene::new().gravity(0.0, 0.0, 0.0).body(Body::dynamic("ball").sphere(0.5).velocity(1.0, 0.0, 0.0));
    let mut world = World::new(&ball)?;
    let step = least(50, 2000, || {
        let _ = world.step();
    });
    println!("a step of one ball that flies             {:8.3} µs", step * 1e6);

    let mut alone = World::new(&field(most.min(1000), false))?;
    let mut asked = alone.clone();
    let plain = least(20, 10, || {
        let _ = alone.step();
    });
    let hooked = least(20, 10, || {
        let _ = asked.step_with(|_| {});
    });
    assert_eq!(alone.hash(), asked.hash());
    println!(
        "a step of boxes: {:.1} µs, with a function that does nothing {:.1} µs",
        plain * 1e6,
        hooked * 1e6
    );

    let mut size = 10;
    while size <= most {
        let mut world = World::new(&field(size, true))?;
        let awake = least(6, 1, || {
            let _ = world.step();
        });
        // All sleep: what a step costs is what the edit made it do.
        for i in 0..size {
            let id = world.find(&format!("b{i}"));
            id.map(|id| world.put_to_sleep(id).is_ok());
        }
        world.step();
        let asleep = least(5, 20, || {
            let _ = world.step();
        });
        let ball =
            world.add_body(&Body::dynamic("ball").sphere(0.2).gravity_scale(0.0).at(-9.0, 0.0, 5.0))?;
        let beside = least(3, 3, || {
            // It never lies still.
            let _ = world.set_velocity(ball, Twist::new(Vec3::Z, Vec3::ZERO));
            world.step();
        });
        println!(
            "{size:6} bodies: a step awake {:9.1} µs, asleep {:.4} %, with one ball awake {:.2} %",
            awake * 1e6,
            1e2 * asleep / awake,
            1e2 * beside / awake
        );
        let _ = world.remove_body(ball);
        world.step();
        let new = Body::dynamic("new").cuboid(0.5, 0.5, 0.5).at(-50.0, 0.0, 20.0);
        let mut error: Option<SceneErrors> = None;
        let edit = least(5, 10, || match world.add_body(&new) {
            Ok(id) => drop(world.remove_body(id)),
            Err(errors) => error = Some(errors),
        });
        let with_steps = least(5, 10, || match world.add_body(&new) {
            Ok(id) => {
                world.step();
                let _ = world.remove_body(id);
                world.step();
            }
            Err(errors) => error = Some(errors),
        });
        println!(
            "{size:6} bodies: add and remove {:8.1} µs, with two steps {:8.1} µs",
            edit * 1e6,
            with_steps * 1e6
        );
        assert!(error.is_none());
        size *= 10;
    }
    Ok(())
}
