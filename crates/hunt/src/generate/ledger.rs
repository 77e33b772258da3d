//! Random scenes for `ledger`: every method, trees too.

use super::crowd::Crowd;
use huygens::Scene;
use huygens::math::SplitMix;

/// A random scene.
pub fn scene(random: &mut SplitMix, solver: &str) -> Scene {
    Crowd { seconds: 4.0, most_steps: 800, ..Crowd::USUAL }.scene(random, solver)
}
