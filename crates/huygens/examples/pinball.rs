//! Pinball: a ball on a slope between bouncing pins; sensors count, and events say when the ball passes them.

use huygens::scene::{Body, Scene, Shape};
use huygens::{EventKind, SceneErrors, World};

/// Lets the ball run and prints when it passed which gate.
pub fn main() -> Result<(), SceneErrors> {
    // A table that falls by 6° towards −y.
    let g = 9.81;
    let mut scene = Scene::new()
        .dt(1.0 / 240.0)
        .gravity(0.0, -g * 0.104_528, -g * 0.994_522)
        .body(Body::fixed("table").shape(Shape::half_space().friction(0.1)))
        .body(Body::fixed("rim").shape(Shape::box_inside(0.6, 1.2, 1.0).restitution(0.6)))
        .body(
            Body::dynamic("ball")
                .shape(Shape::sphere(0.0135).density(7800.0).restitution(0.8))
                .at(0.03, 0.5, 0.0135),
        );
    for (row, y) in [0.3, 0.1, -0.1].into_iter().enumerate() {
        for column in 0..5 {
            let x = -0.2 + 0.1 * f64::from(column) + if row % 2 == 0 { 0.0 } else { 0.05 };
            let pin = Shape::cylinder(0.01, 0.1).restitution(0.9);
            scene = scene.body(Body::fixed(format!("pin {row} {column}")).shape(pin).at(x, y, 0.0));
        }
        let gate = Shape::cuboid(0.6, 0.02, 0.1).sensor();
        scene = scene.body(Body::fixed(format!("gate {row}")).shape(gate).at(0.0, y - 0.1, 0.0));
    }
    let mut world = World::new(&scene)?;
    let mut passed = Vec::new();
    while world.time() < 5.0 {
        world.step();
        for event in world.events().filter(|event| event.sensor && event.kind == EventKind::Begin) {
            let names = event.bodies.map(|id| world.body(id).map_or("?", |body| body.name));
            let gate = if names[0] == "ball" { names[1] } else { names[0] };
            println!("{:.3} s  {gate}", world.time());
            passed.push(gate.to_owned());
        }
    }
    for gate in ["gate 0", "gate 1", "gate 2"] {
        assert!(passed.iter().any(|name| name == gate), "the ball rolls down to {gate}: {passed:?}");
    }
    Ok(())
}
