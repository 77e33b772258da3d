//! Rapier's example `platform3` with this crate: boxes ride on two platforms, one moved by velocities, the other along a path.

use huygens::math::{Quat, Twist, Vec3, trig};
use huygens::scene::{Body, Keyframe, Scene, Shape};
use huygens::{SceneErrors, World};

/// Carries two boxes to and fro and prints how far they slipped.
pub fn main() -> Result<(), SceneErrors> {
    let plate = || Shape::cuboid(4.0, 4.0, 0.2).friction(0.8);
    let turned = Quat::IDENTITY;
    let frame = |i: u32| {
        let t = f64::from(i) / 60.0;
        Keyframe { t, position: Vec3::new(9.0 - trig::cos(t), 0.0, 0.0), orientation: turned }
    };
    let scene = Scene::new()
        .dt(1.0 / 60.0)
        // A `kinematic_velocity_based` body is driven; what `set_next_kinematic_translation` asks for is a path, or its velocity.
        .body(Body::driven("by velocity", [0.0; 3], [0.0; 3]).shape(plate()))
        .body(Body::on_path("by path", (0..=360).map(frame)).shape(plate()))
        .body(Body::dynamic("left").cuboid(0.5, 0.5, 0.5).at(0.0, 0.0, 0.35))
        .body(Body::dynamic("right").cuboid(0.5, 0.5, 0.5).at(8.0, 0.0, 0.35));
    let mut world = World::new(&scene)?;
    let Some(platform) = world.find("by velocity") else { return Ok(()) };
    while world.time() < 6.0 {
        let velocity = Vec3::new(trig::sin(world.time()), 0.0, 0.5 * trig::sin(2.0 * world.time()));
        assert!(world.set_velocity(platform, Twist::new(velocity, Vec3::ZERO)).is_ok());
        world.step();
    }
    let place =
        |name| world.find(name).and_then(|id| world.body(id).ok()).map_or(Vec3::NAN, |body| body.position);
    for (name, on) in [("left", "by velocity"), ("right", "by path")] {
        let slipped = place(name) - place(on) - Vec3::Z * 0.35;
        println!("{name}: slipped by {:.1} mm", 1e3 * slipped.length());
        assert!(slipped.length() < 5e-3, "{slipped:?}");
    }
    for driver in world.drivers() {
        println!("{} gave {:.2} J", driver.name, driver.record.work);
    }
    Ok(())
}
