//! Bodies that overlap at the start.

use super::{SceneWarning, body_path, shown};
use crate::World;
use crate::scene::Scene;
use huygens_math::Vec3;

/// Overlap of less than this share of the thinner body is how bodies rest on each other.
const SHARE: f64 = 0.02;
/// Bodies that chance has placed overlap a little: nobody sees to each of them.
const SHARE_AT_RANDOM: f64 = 0.25;
/// More pairs than this are only counted.
const MOST_PAIRS: usize = 5;

pub(super) fn at_start(scene: &Scene, start: &World) -> Vec<SceneWarning> {
    let mut pairs = start.overlaps();
    pairs.retain(|pair| {
        let random = pair.names.iter().all(|name| is_random(scene, name));
        pair.depth > pair.size * if random { SHARE_AT_RANDOM } else { SHARE }
    });
    pairs.sort_by(|a, b| b.depth.total_cmp(&a.depth));
    let more = pairs.len().saturating_sub(MOST_PAIRS);
    let mut found: Vec<SceneWarning> = pairs
        .iter()
        .take(MOST_PAIRS)
        .map(|pair| {
            let [a, b] = pair.names;
            SceneWarning::new(
                body_path(scene, pair.moving).key("position"),
                format!("{a:?} and {b:?} overlap by {} m at the start", shown(pair.depth)),
                "Overlap is pushed apart, which can throw bodies about: move one of the two.",
            )
        })
        .collect();
    if let (true, Some(last)) = (more > 0, found.last_mut()) {
        last.problem += &format!(", and {more} more pairs less deep");
    }
    found
}

/// Whether a `[[repeat]]` with random shifts or turns makes the body.
fn is_random(scene: &Scene, name: &str) -> bool {
    let Some((base, _)) = name.strip_suffix(']').and_then(|rest| rest.rsplit_once('[')) else { return false };
    scene.repeats.iter().any(|repeat| {
        (repeat.tumble || repeat.jitter != Vec3::ZERO) && repeat.bodies.iter().any(|body| body.name == base)
    })
}
