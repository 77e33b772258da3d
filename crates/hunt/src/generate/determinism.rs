//! Random scenes for `determinism`.

use huygens::Scene;
use huygens::math::SplitMix;

/// A random scene.
pub fn scene(_random: &mut SplitMix, _solver: &str) -> Scene {
    Scene::default()
}
