//! A headless sweep on all cores: how far a box slides, for many coefficients of friction, a world on each thread.

use huygens::scene::{Body, Scene, Shape};
use huygens::{SceneErrors, World};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Distance after which a box with 3 m/s stops [m].
fn slides(friction: f64) -> Result<f64, SceneErrors> {
    let floor = Body::fixed("floor").shape(Shape::half_space().friction(friction));
    let slider = Body::dynamic("box").shape(Shape::cuboid(0.5, 0.5, 0.2).friction(friction));
    let scene =
        Scene::new().dt(1.0 / 500.0).body(floor).body(slider.at(0.0, 0.0, 0.1).velocity(3.0, 0.0, 0.0));
    let mut world = World::new(&scene)?;
    while world.time() < 6.0 {
        world.step();
    }
    Ok(world.find("box").and_then(|id| world.body(id).ok()).map_or(0.0, |body| body.position.x))
}

/// Prints a table of friction and distance, beside v²/2μg.
pub fn main() -> Result<(), SceneErrors> {
    let frictions: Vec<f64> = (1..=16).map(|i| 0.1 + 0.05 * f64::from(i)).collect();
    let next = AtomicUsize::new(0);
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let mut table = std::thread::scope(|scope| {
        let worker = || {
            let mut own = Vec::new();
            while let Some(&friction) = frictions.get(next.fetch_add(1, Ordering::Relaxed)) {
                own.push((friction, slides(friction)));
            }
            own
        };
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().flat_map(|one| one.join().unwrap_or_default()).collect::<Vec<_>>()
    });
    table.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (friction, distance) in table {
        let (distance, exact) = (distance?, 9.0 / (2.0 * friction * 9.81));
        println!("μ = {friction:.2}: {distance:.4} m, in closed form {exact:.4} m");
        assert!((distance - exact).abs() < 1e-3 * exact);
    }
    Ok(())
}
