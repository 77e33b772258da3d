//! Judge of `nan`: every number stays finite, and no body is taken out of the simulation.
//!
//! The figure is the number of bodies that are not finite or quarantined, and one more where the book is not finite.

use super::sight::{Watched, name};
use super::{Judgement, Verdict};
use crate::{Engine, Workshop};
use huygens::Scene;

/// Judges one scene.
pub fn judge<W: Workshop>(workshop: &W, scene: &Scene) -> Judgement {
    let mut run = match Watched::build(workshop, scene) {
        Ok(run) => run,
        Err(judgement) => return judgement,
    };
    let steps = scene.world.step_count();
    for step in 1..=steps {
        run.step();
        if let Some(number) = run.overflow() {
            let bad = run.bodies.iter().filter(|body| body.quarantined).count();
            let what = format!("`{}` has a number that is not finite in step {step}", name(scene, number));
            return Judgement::Judged(Verdict { figure: bad.max(1) as f64, limit: 0.0, step, what });
        }
        let book = run.engine.ledger();
        if ![book.from_outside, book.booked, book.worst_ratio].into_iter().all(f64::is_finite) {
            let what = format!("the energy book is not finite in step {step}");
            return Judgement::Judged(Verdict { figure: 1.0, limit: 0.0, step, what });
        }
    }
    let what = "every number is finite".into();
    Judgement::Judged(Verdict { figure: 0.0, limit: 0.0, step: steps, what })
}
