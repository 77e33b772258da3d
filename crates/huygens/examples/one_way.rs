//! A custom contact filter: platforms that let through what comes from below, and ice on half of the floor.

use huygens::scene::{Body, Scene, Shape};
use huygens::{Meeting, SceneErrors, World};

/// Half of the thickness of a platform [m].
const HALF: f64 = 0.05;
/// Radius of the balls [m].
const RADIUS: f64 = 0.2;

/// What the two bodies of a contact do together.
fn filter(meeting: &mut Meeting<'_>) {
    let names = meeting.names();
    if let Some(side) = names.iter().position(|name| name.starts_with("platform")) {
        // Height and speed of the other body against the platform.
        let [platform, other] = [side, 1 - side].map(|side| meeting.centres()[side].z);
        let speed = if side == 1 { meeting.velocity().z } else { -meeting.velocity().z };
        if other - platform < HALF + RADIUS - 1e-3 || speed > 1e-6 {
            meeting.ignore();
        }
    } else if names.contains(&"floor") && meeting.place().x > 0.0 {
        // No friction coefficient is refused but a negative or infinite one.
        assert!(meeting.set_friction(0.0).is_ok());
    }
}

/// Throws a ball up through two platforms, and slides two boxes, and prints where they end.
pub fn main() -> Result<(), SceneErrors> {
    let platform =
        |name: &str, z: f64| Body::fixed(name).shape(Shape::cuboid(2.0, 2.0, 2.0 * HALF)).at(0.0, 3.0, z);
    let sled = |name: &str, x: f64| {
        Body::dynamic(name).cuboid(0.4, 0.4, 0.2).at(x, -2.0, 0.1).velocity(0.0, -2.0, 0.0)
    };
    let scene = Scene::new()
        .body(Body::fixed("floor").shape(Shape::half_space().friction(0.5)))
        .body(platform("platform 1", 1.0))
        .body(platform("platform 2", 2.0))
        .body(Body::dynamic("ball").sphere(RADIUS).at(0.0, 3.0, 0.3).velocity(0.0, 0.0, 6.6))
        .body(sled("dry", -1.0))
        .body(sled("icy", 1.0));
    let mut world = World::new(&scene)?;
    while world.time() < 3.0 {
        world.step_with(filter);
    }
    for body in world.bodies() {
        println!("{:12} at {:6.3}", body.name, body.position);
    }
    let place = |name| world.find(name).and_then(|id| world.body(id).ok()).map(|body| body.position);
    assert!(place("ball").is_some_and(|at| (at.z - 2.25).abs() < 1e-3), "on the upper platform");
    assert!(place("dry").is_some_and(|at| (at.y + 2.0 + 4.0 / 9.81).abs() < 0.02), "v²/2μg");
    assert!(place("icy").is_some_and(|at| (at.y + 8.0).abs() < 1e-9), "as far as its speed takes it");
    Ok(())
}
