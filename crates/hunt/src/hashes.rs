//! Bits of the last states of random scenes, to compare two builds of the program.

use crate::search::{Plan, generated, in_parallel};
use crate::{Engine, Kind, Workshop};
use std::sync::atomic::AtomicBool;

/// The state after the last step of a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SceneHash {
    /// Kind of fault that the scene is made for.
    pub kind: Kind,
    /// Its number.
    pub number: u64,
    /// Bits of the state; `None` when the scene cannot be.
    pub hash: Option<u64>,
}

/// Runs every scene of a plan to its end, and judges nothing. `tell` hears how many are done.
pub fn hashes<W: Workshop>(
    workshop: &W,
    plan: &Plan,
    stop: &AtomicBool,
    tell: &(dyn Fn(usize) + Sync),
) -> Vec<SceneHash> {
    in_parallel(&plan.jobs(), plan.threads, stop, tell, &|job| {
        let (kind, number) = *job;
        let scene = generated(plan, kind, number);
        let hash = workshop.build(&scene).ok().map(|mut engine| {
            for _ in 0..scene.world.step_count() {
                engine.step();
            }
            engine.hash()
        });
        SceneHash { kind, number, hash }
    })
}
