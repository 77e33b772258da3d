//! Random scenes for `energy`: bodies that start free of overlap, with methods that never bring energy in, without trees.

use super::crowd::Crowd;
use super::settings::Methods;
use huygens::Scene;
use huygens::math::SplitMix;

/// A random scene.
pub fn scene(random: &mut SplitMix, solver: &str) -> Scene {
    Crowd { methods: Methods::Passive, trees: false, ..Crowd::USUAL }.scene(random, solver)
}
