//! Judge of `drift`: loops, gears and rods stay together.
//!
//! The figure is their largest error in the run over the size of the world.

use super::sight::Watched;
use super::{Judgement, Verdict};
use crate::{Engine, Workshop};
use huygens::Scene;

/// Largest figure of a sound engine.
const LIMIT: f64 = 1e-6;

/// Judges one scene.
pub fn judge<W: Workshop>(workshop: &W, scene: &Scene) -> Judgement {
    if scene.joints.is_empty() && scene.couplings.is_empty() {
        return Judgement::NotJudged("there is no mechanism".into());
    }
    let mut run = match Watched::build(workshop, scene) {
        Ok(run) => run,
        Err(judgement) => return judgement,
    };
    let (mut figure, mut step) = (0.0, 0);
    for at in 1..=scene.world.step_count() {
        run.step();
        if run.overflow().is_some() {
            return Judgement::NotJudged("a number is not finite: see `nan`".into());
        }
        let gap = run.engine.ledger().gap / scene.world.length;
        // A gap that is no number stays.
        if gap > figure || gap.is_nan() {
            if figure <= LIMIT {
                step = at;
            }
            figure = gap;
        }
        if gap.is_nan() {
            break;
        }
    }
    let what =
        format!("loops, gears and rods are off by {figure:.3e} of the world's length, first in step {step}");
    Judgement::Judged(Verdict { figure, limit: LIMIT, step, what })
}
