//! A robot arm of two links follows a target: inverse kinematics in closed form, and position motors at the joints.

use huygens::math::{Vec3, trig};
use huygens::scene::{Body, Joint, MotorSpec, Scene};
use huygens::{SceneErrors, World};

/// Length of each link [m].
const LINK: f64 = 0.5;

/// Angles of shoulder and elbow at which the tip is at (x, z) from the shoulder, elbow up.
fn angles(x: f64, z: f64) -> [f64; 2] {
    let cosine = ((x * x + z * z) / (2.0 * LINK * LINK) - 1.0).clamp(-1.0, 1.0);
    let elbow = trig::atan2((1.0 - cosine * cosine).sqrt(), cosine);
    // Hinges turn about y: a positive angle lowers the tip.
    [-trig::atan2(z, x) - elbow / 2.0, elbow]
}

/// Moves the tip along a circle and prints how far it is from it.
pub fn main() -> Result<(), SceneErrors> {
    let link = |name: &str, x: f64| Body::dynamic(name).cuboid(LINK, 0.06, 0.06).at(x, 0.0, 1.0);
    let motor = || MotorSpec::position(0.0, 4000.0, 200.0);
    let scene = Scene::new()
        .dt(1.0 / 500.0)
        .body(link("upper", 0.25))
        .body(link("lower", 0.75))
        .joint(Joint::hinge("shoulder", "upper").anchor(0.0, 0.0, 1.0).axis(0.0, 1.0, 0.0).motor(motor()))
        .joint(
            Joint::hinge("elbow", "lower")
                .parent("upper")
                .anchor(LINK, 0.0, 1.0)
                .axis(0.0, 1.0, 0.0)
                .motor(motor()),
        );
    let mut world = World::new(&scene)?;
    let mut worst = 0.0;
    while world.time() < 6.0 {
        let phase = world.time();
        let target = [0.6 + 0.15 * trig::cos(phase), 0.15 * trig::sin(phase)];
        for (name, angle) in ["shoulder", "elbow"].into_iter().zip(angles(target[0], target[1])) {
            assert!(world.set_motor_target(name, angle).is_ok());
        }
        world.step();
        let Some(lower) = world.find("lower").and_then(|id| world.body(id).ok()) else { continue };
        let tip = lower.position + lower.orientation * Vec3::new(LINK / 2.0, 0.0, 0.0);
        if world.time() > 2.0 {
            let off = Vec3::new(tip.x - target[0], 0.0, tip.z - 1.0 - target[1]).length();
            worst = if off > worst { off } else { worst };
        }
    }
    println!("the tip is {:.1} mm from its target at most", 1e3 * worst);
    assert!(worst < 0.03);
    Ok(())
}
