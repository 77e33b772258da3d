//! A stack of ten cubes stands for ten seconds: how far the top one moved, and how deep the contacts overlap.

use huygens::scene::{Body, Scene, Shape};
use huygens::{SceneErrors, World};

/// Builds the stack, runs it and prints what came of it.
pub fn main() -> Result<(), SceneErrors> {
    let mut scene = Scene::new().dt(1.0 / 60.0).body(Body::fixed("floor").shape(Shape::half_space()));
    for i in 0..10 {
        let body = Body::dynamic(format!("cube {i}")).cuboid(1.0, 1.0, 1.0);
        scene = scene.body(body.at(0.0, 0.0, 0.5 + f64::from(i)));
    }
    let mut world = World::new(&scene)?;
    let top = world.find("cube 9");
    while world.time() < 10.0 {
        world.step();
    }
    let top = top.and_then(|id| world.body(id).ok()).map(|body| body.position);
    if let Some(place) = top {
        println!(
            "the top cube is at {place} m; contacts overlap by {:.1e} m at most",
            world.max_penetration()
        );
        assert!((place.z - 9.5).abs() < 0.01 && place.x.abs() < 1e-3);
    }
    Ok(())
}
