//! Judge of `determinism`: the same bits in a second run, at every SIMD level, with the workspace dropped, with shuffled lanes.
//!
//! The figure is the number of these runs that differ from the first one.

use super::{Judgement, Verdict};
use crate::{Engine, Workshop};
use huygens::Scene;
use huygens::math::{SimdLevel, SplitMix};

/// One in so many steps begins without a workspace.
const DROPS: usize = 7;

/// How a run differs from the first one, which must change nothing.
#[derive(Clone, Copy, Debug)]
enum Variant {
    Again,
    Level(SimdLevel),
    DroppedWorkspace,
    ShuffledLanes,
}

impl Variant {
    fn name(self) -> String {
        match self {
            Self::Again => "a second run".into(),
            Self::Level(level) => format!("a run at the SIMD level {}", level.name()),
            Self::DroppedWorkspace => "a run whose workspace is dropped now and then".into(),
            Self::ShuffledLanes => "a run with shuffled lanes".into(),
        }
    }

    fn all() -> impl Iterator<Item = Self> {
        let levels = SimdLevel::ALL.into_iter().filter(|level| *level != SimdLevel::Best);
        [Self::Again, Self::DroppedWorkspace, Self::ShuffledLanes].into_iter().chain(levels.map(Self::Level))
    }
}

/// Judges one scene.
pub fn judge<W: Workshop>(workshop: &W, scene: &Scene) -> Judgement {
    let mut first = match workshop.build(scene) {
        Ok(engine) => engine,
        Err(errors) => return Judgement::NotJudged(format!("the scene cannot be: {errors}")),
    };
    let hashes: Vec<u64> = (0..scene.world.step_count())
        .map(|_| {
            first.step();
            first.hash()
        })
        .collect();
    let steps = hashes.len() as u64;
    let mut worst =
        Verdict { figure: 0.0, limit: 0.0, step: steps, what: "every run has the same bits".into() };
    for variant in Variant::all() {
        let Ok(mut engine) = workshop.build(scene) else { continue };
        if let Some(step) = difference(&mut engine, variant, &hashes, scene.world.seed) {
            if !worst.is_fault() {
                worst.step = step;
                worst.what = format!("{} has other bits from step {step} on", variant.name());
            }
            worst.figure += 1.0;
        }
    }
    Judgement::Judged(worst)
}

/// The first step after which a run's bits are not those of the first run.
fn difference<E: Engine>(engine: &mut E, variant: Variant, hashes: &[u64], seed: u64) -> Option<u64> {
    let mut random = SplitMix::new(seed);
    match variant {
        Variant::Level(level) if !engine.set_simd_level(level) => return None,
        Variant::ShuffledLanes => engine.shuffle_lanes(seed),
        _ => {}
    }
    for (k, expected) in hashes.iter().enumerate() {
        if matches!(variant, Variant::DroppedWorkspace) && random.index(DROPS) == 0 {
            engine.drop_workspace();
        }
        engine.step();
        if engine.hash() != *expected {
            return Some(k as u64 + 1);
        }
    }
    None
}
