//! Rapier's example `restitution3` with this crate: balls with restitution 0 to 1 fall on a plate. Here each climbs as high as e² h.

use huygens::math::scalar;
use huygens::scene::{Body, Scene, Shape};
use huygens::{SceneErrors, World};

/// Height from which the balls fall [m].
const HEIGHT: f64 = 2.0;

/// Drops eleven balls and prints how high they bounce.
pub fn main() -> Result<(), SceneErrors> {
    let plate = Shape::cuboid(30.0, 2.0, 1.0).restitution(1.0);
    let mut scene = Scene::new()
        .dt(1.0 / 60.0)
        // Rapier averages the two coefficients; with 1 on the plate the geometric mean of √e² and 1 is e.
        .body(Body::fixed("plate").shape(plate).at(0.0, 0.0, -0.5));
    for i in 0..=10 {
        let e = f64::from(i) / 10.0;
        let ball = Shape::sphere(0.25).restitution(e * e);
        scene =
            scene.body(Body::dynamic(format!("{i}")).shape(ball).at(f64::from(i) - 5.0, 0.0, 0.25 + HEIGHT));
    }
    let mut world = World::new(&scene)?;
    // Each has hit at √(2h/g) and is at its top e times as long after that.
    let fall = (2.0 * HEIGHT / 9.81).sqrt();
    let mut highest = [0.0f64; 11];
    while world.time() < 2.0 * fall {
        world.step();
        if world.time() > fall + 1.0 / 60.0 {
            for (i, highest) in highest.iter_mut().enumerate() {
                let ball = world.find(&i.to_string()).and_then(|id| world.body(id).ok());
                *highest = scalar::max(*highest, ball.map_or(0.0, |ball| ball.position.z - 0.25));
            }
        }
    }
    for (i, highest) in highest.iter().enumerate() {
        let e = i as f64 / 10.0;
        println!("e = {e:.1}: {highest:.3} m");
        // The top lies between two steps: gdt²/8, and the ball of the first step after the bounce is a step off.
        assert!((highest - e * e * HEIGHT).abs() < 0.02, "e = {e}: {highest} m");
    }
    Ok(())
}
