//! Rapier's example `collision_groups3` with this crate: two kinds of cubes, each stopped by the shelf of its own kind alone.

use huygens::scene::{Body, Scene, Shape};
use huygens::{SceneErrors, World};

const GREEN: u32 = 1;
const BLUE: u32 = 2;

/// Drops cubes of both kinds on two shelves and prints where they lie.
pub fn main() -> Result<(), SceneErrors> {
    // Rapier's `InteractionGroups::new(memberships, filter)` is `groups(layer, mask)`.
    let shelf = |name: &str, kind: u32, z: f64| {
        Body::fixed(name).shape(Shape::cuboid(4.0, 4.0, 0.2).groups(kind, kind)).at(0.0, 0.0, z)
    };
    let mut scene = Scene::new().dt(1.0 / 60.0).body(shelf("green shelf", GREEN, 1.0)).body(shelf(
        "blue shelf",
        BLUE,
        2.0,
    ));
    for i in 0..4 {
        for k in 0..4 {
            let (kind, name) = if (i + k) % 2 == 0 { (GREEN, "green") } else { (BLUE, "blue") };
            let cube = Body::dynamic(format!("{name} {i} {k}"))
                .shape(Shape::cuboid(0.2, 0.2, 0.2).groups(kind, kind));
            scene = scene.body(cube.at(0.3 * f64::from(i), 0.3 * f64::from(k), 3.0));
        }
    }
    let mut world = World::new(&scene)?;
    while world.time() < 2.0 {
        world.step();
    }
    for body in world.bodies().filter(|body| !body.name.ends_with("shelf")) {
        let height = if body.name.starts_with("green") { 1.2 } else { 2.2 };
        println!("{} at {:.3} m", body.name, body.position.z);
        assert!((body.position.z - height).abs() < 1e-3, "{} lies on its own shelf", body.name);
    }
    Ok(())
}
