//! Rapier's example `primitives3` with this crate: shapes of five kinds fall onto a floor and come to rest.

use huygens::scene::{Axis, Body, Scene, Shape};
use huygens::{SceneErrors, World};

/// Drops a grid of shapes and prints how fast they are in the end.
pub fn main() -> Result<(), SceneErrors> {
    // Rapier's cuboids take half edges, these take whole ones; both are y up here.
    let ground = Body::fixed("ground").shape(Shape::cuboid(40.0, 0.2, 40.0)).at(0.0, -0.1, 0.0);
    let mut scene = Scene::new().dt(1.0 / 60.0).gravity(0.0, -9.81, 0.0).body(ground);
    for i in 0..3 {
        for j in 0..5 {
            for k in 0..3 {
                let shape = match j {
                    0 => Shape::cuboid(2.0, 2.0, 2.0),
                    1 => Shape::sphere(1.0),
                    // The caps of a capsule are beyond its length, in Rapier, too.
                    2 => Shape::capsule(1.0, 2.0).along(Axis::Y),
                    3 => Shape::cylinder(1.0, 2.0).along(Axis::Y),
                    _ => Shape::cone(1.0, 2.0).along(Axis::Y),
                };
                let [x, z] = [i, k].map(|n| 3.0 * f64::from(n) + 0.3 * f64::from(j) - 3.0);
                let body = Body::dynamic(format!("{i} {j} {k}")).shape(shape.friction(0.5));
                scene = scene.body(body.at(x, 2.5 + 3.5 * f64::from(j), z));
            }
        }
    }
    let mut world = World::new(&scene)?;
    let start = world.energy();
    while world.time() < 8.0 {
        world.step();
        assert!(world.energy() <= start * (1.0 + 1e-12), "contact makes no energy");
    }
    let on_ground = world.bodies().filter(|body| body.position.y > 0.0).count();
    println!("{on_ground} bodies above the ground, {:.3} J of {start:.0} J", world.kinetic_energy());
    assert!(world.bodies().all(|body| body.name == "ground" || body.position.length() > 0.5));
    // What is round rolls on without end, some 3 m/s fast: how much of it does is chance.
    assert!(world.kinetic_energy() < 2e-2 * start, "most of it is at rest, and balls roll");
    Ok(())
}
