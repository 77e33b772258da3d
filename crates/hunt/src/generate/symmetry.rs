//! Random scenes for `symmetry`: a crowd on some ground, in the state in which it is after a number of steps.

use super::crowd::Crowd;
use crate::Worlds;
use crate::judge::run::run;
use huygens::Scene;
use huygens::math::SplitMix;
use huygens::scene::{Duration, Motion};

/// Few bodies: the judge runs each scene six times.
const CROWD: Crowd = Crowd { bodies: [1, 5], speed: 3.0, seconds: 3.0, most_steps: 300, ..Crowd::USUAL };

/// A random scene.
pub fn scene(random: &mut SplitMix, solver: &str) -> Scene {
    let mut scene = CROWD.scene(random, solver);
    let steps = random.index(scene.world.step_count() as usize + 1) as u64;
    scene.world.seed = random.bits() >> 32;
    // Coordinates of joints and times of paths are not part of a scene: those start where they are.
    let on_path =
        |motion: &Motion| matches!(motion, Motion::Driven { keyframes, .. } if !keyframes.is_empty());
    let later = scene.joints.is_empty() && !scene.bodies.iter().any(|body| on_path(&body.motion));
    if later && let Ok(states) = run(&Worlds, &scene, steps) {
        for (body, state) in scene.bodies.iter_mut().zip(&states[steps as usize]) {
            if body.motion == Motion::Static || state.quarantined {
                continue;
            }
            (body.position, body.orientation) = (state.position, state.orientation);
            if body.motion == Motion::Dynamic {
                (body.linear_velocity, body.angular_velocity) = (state.velocity, state.spin);
            }
        }
    }
    scene.world.duration = Duration::Steps(1);
    scene
}
