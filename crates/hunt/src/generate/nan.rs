//! Random scenes for `nan`: extreme sizes, masses and speeds, and bodies that start inside of each other.

use super::body::{chance, log_range};
use super::crowd::Crowd;
use huygens::Scene;
use huygens::math::SplitMix;
use huygens::scene::Motion;

/// A random scene.
pub fn scene(random: &mut SplitMix, solver: &str) -> Scene {
    let speed = log_range(random, 1.0, 1e4);
    let crowd =
        Crowd { sizes: [1e-4, 1e3], speed, seconds: 2.0, most_steps: 300, mechanisms: 0.2, ..Crowd::USUAL };
    let mut scene = crowd.scene(random, solver);
    let crush = chance(random, 0.3);
    for body in scene.bodies.iter_mut().filter(|body| body.motion == Motion::Dynamic) {
        if chance(random, 0.3) {
            let factor = log_range(random, 1e-4, 1e4);
            for shape in &mut body.shapes {
                shape.density = Some(1000.0 * factor);
            }
        }
        // A link stays where its joint is.
        if crush && !body.name.starts_with("link") {
            body.position *= random.unit();
        }
    }
    scene
}
