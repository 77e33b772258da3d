//! Random scenes for `drift`: a mechanism on some ground with a few bodies around it, for a long time.

use super::crowd::Crowd;
use huygens::Scene;
use huygens::math::SplitMix;

/// A random scene.
pub fn scene(random: &mut SplitMix, solver: &str) -> Scene {
    Crowd { bodies: [0, 2], mechanisms: 1.0, seconds: 20.0, most_steps: 2500, ..Crowd::USUAL }
        .scene(random, solver)
}
