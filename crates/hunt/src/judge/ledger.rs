//! Judge of `ledger`: the book closes in every step, and closes on the energy that the judge computes.
//!
//! The figure is the larger of two ratios. The first is the engine's own: what a step left unexplained over the bound on its
//! round-off. The second is |ΔE − Σ accounts| over [`SHARE`] of all sizes that occurred, with ΔE the judge's own. A step rounds
//! by at most 64 ε of its sizes; over the at most 3000 steps of a scene that is 4e-11 of them, and kappa of bodies with extreme inertia
//! is allowed 20 times more.

use super::sight::Watched;
use super::{Judgement, Verdict};
use crate::{Engine, Workshop};
use huygens::Scene;
use huygens::math::scalar;

/// Share of the largest energies of a run that round-off may leave.
const SHARE: f64 = 1e-9;

/// Judges one scene.
pub fn judge<W: Workshop>(workshop: &W, scene: &Scene) -> Judgement {
    let mut run = match Watched::build(workshop, scene) {
        Ok(run) => run,
        Err(judgement) => return judgement,
    };
    let begin = run.energy();
    let mut size = begin.kinetic + begin.size;
    let mut worst = Verdict { figure: 0.0, limit: 1.0, step: 0, what: "the book closes".into() };
    for step in 1..=scene.world.step_count() {
        run.step();
        if run.overflow().is_some() {
            return Judgement::NotJudged("a number is not finite: see `nan`".into());
        }
        let (now, book) = (run.energy(), run.engine.ledger());
        let sizes = now.kinetic + now.size + book.from_outside.abs() + book.booked.abs();
        size = scalar::max(size, sizes);
        let off = (now.total() - begin.total() - book.booked).abs();
        let beyond = if off > 0.0 { off / (SHARE * size) } else { 0.0 };
        let figure = scalar::max(beyond, book.worst_ratio);
        if figure > worst.figure && !worst.is_fault() {
            worst.step = step;
        }
        if figure > worst.figure {
            worst.figure = figure;
            worst.what = if beyond > book.worst_ratio {
                format!(
                    "the book is off by {off:.3e} J from the energy of the bodies, first in step {}",
                    worst.step
                )
            } else {
                format!("a step leaves {figure:.3e} times what round-off may, first in step {}", worst.step)
            };
        }
    }
    Judgement::Judged(worst)
}
