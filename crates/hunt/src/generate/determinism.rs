//! Random scenes for `determinism`: enough bodies that the wide kernels have full lanes.

use super::crowd::Crowd;
use huygens::Scene;
use huygens::math::SplitMix;

/// A random scene. Its seed is that of the judge's own choices: steps at which the workspace is dropped, orders of lanes.
pub fn scene(random: &mut SplitMix, solver: &str) -> Scene {
    let crowd = Crowd { bodies: [12, 40], seconds: 1.0, most_steps: 120, ..Crowd::USUAL };
    let mut scene = crowd.scene(random, solver);
    scene.world.seed = random.bits() >> 32;
    scene
}
