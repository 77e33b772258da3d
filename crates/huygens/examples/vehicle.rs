//! A car: four wheels on springs, motors at the rear wheels, steering at the front ones, over bumps.

use huygens::math::{scalar, trig};
use huygens::scene::{Body, Joint, MotorSpec, Scene, Shape};
use huygens::{SceneErrors, World};

/// Radius of a wheel [m], stiffness of a spring [N/m], torque of a motor [N·m].
const WHEEL: f64 = 0.35;
const SPRING: f64 = 30_000.0;
const TORQUE: f64 = 300.0;

fn bumps() -> Vec<Vec<f64>> {
    let height = |i: usize, j: usize| 0.05 * trig::sin(0.9 * i as f64) * trig::sin(0.7 * j as f64);
    (0..41).map(|i| (0..161).map(|j| height(i, j)).collect()).collect()
}

/// One corner of the car: a hub that slides along z on a spring, steered about z at the front, and the wheel.
fn corner(scene: Scene, name: &str, x: f64, y: f64) -> Scene {
    let (hub, wheel) = (format!("hub {name}"), format!("wheel {name}"));
    let steered = x > 0.0;
    let z = WHEEL + 0.1;
    let mut scene = scene
        .body(Body::dynamic(&hub).shape(Shape::sphere(0.05).groups(2, 0)).mass(10.0).at(x, y, z))
        .body(Body::dynamic(&wheel).shape(Shape::sphere(WHEEL).friction(1.0)).mass(20.0).at(x, y, z));
    let strut = Joint::slide(format!("strut {name}"), &hub).parent("chassis").anchor(x, y, z);
    // The springs carry the weight of the chassis where they are at the start.
    scene = scene.joint(strut.axis(0.0, 0.0, 1.0).spring(SPRING, -0.08).damping(3000.0).range(-0.2, 0.2));
    let mut carrier = hub;
    if steered {
        let knuckle = format!("knuckle {name}");
        scene = scene
            .body(Body::dynamic(&knuckle).shape(Shape::sphere(0.05).groups(2, 0)).mass(5.0).at(x, y, z))
            .joint(
                Joint::hinge(format!("steer {name}"), &knuckle)
                    .parent(carrier)
                    .anchor(x, y, z)
                    .axis(0.0, 0.0, 1.0)
                    .motor(MotorSpec::position(0.0, 20_000.0, 500.0)),
            );
        carrier = knuckle;
    }
    let axle =
        Joint::hinge(format!("axle {name}"), &wheel).parent(carrier).anchor(x, y, z).axis(0.0, 1.0, 0.0);
    let drive = MotorSpec::velocity(0.0, 400.0).max_force(if steered { 1e-3 } else { TORQUE });
    scene.joint(axle.motor(drive))
}

/// Drives straight on and then round a bend, and prints speed and place.
pub fn main() -> Result<(), SceneErrors> {
    let ground = Body::fixed("ground").shape(Shape::height_field(bumps(), 80.0, 20.0).friction(1.0));
    let mut scene = Scene::new().dt(1.0 / 240.0).body(ground.at(30.0, 0.0, 0.0)).body(
        Body::dynamic("chassis")
            .shape(Shape::cuboid(3.0, 1.2, 0.4).groups(2, 0))
            .mass(900.0)
            .at(0.0, 0.0, 0.8),
    );
    for (name, x, y) in [("fl", 1.2, 0.8), ("fr", 1.2, -0.8), ("rl", -1.2, 0.8), ("rr", -1.2, -0.8)] {
        scene = corner(scene, name, x, y);
    }
    let mut world = World::new(&scene)?;
    let mut fastest: f64 = 0.0;
    while world.time() < 6.0 {
        let steer = if world.time() > 4.0 { 0.2 } else { 0.0 };
        let speed = if world.time() > 1.0 { 6.0 } else { 0.0 };
        for (joint, target) in
            [("steer fl", steer), ("steer fr", steer), ("axle rl", speed / WHEEL), ("axle rr", speed / WHEEL)]
        {
            assert!(world.set_motor_target(joint, target).is_ok(), "{joint}");
        }
        world.step();
        let Some(car) = world.find("chassis").and_then(|id| world.body(id).ok()) else { continue };
        fastest = scalar::max(fastest, car.linear_velocity.length());
        assert!(car.position.z > 0.5 && car.position.z < 1.2, "it stays on its wheels: {:?}", car.position);
    }
    let Some(car) = world.find("chassis").and_then(|id| world.body(id).ok()) else { return Ok(()) };
    println!("at {:.2}, {:.2} m/s at most", car.position, fastest);
    assert!(fastest > 4.0 && car.position.x > 10.0, "it drives");
    assert!(car.position.y > 0.5, "it turns left");
    Ok(())
}
