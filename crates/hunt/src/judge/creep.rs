//! Judge of `creep`: what statics says must rest, rests.
//!
//! The figure is a speed in sizes per second: after a quarter of the run, for settling, how far the farthest point of a body has
//! moved since, over its size and the time. A body that has left its place by more than a hundredth of its size since the start counts with
//! that, also when it has come to rest elsewhere. A sound engine rests to the bit, or to round-off.

use super::sight::{Watched, name};
use super::statics;
use super::{Judgement, Verdict};
use crate::generate::place::reach;
use crate::{BodySight, Workshop};
use huygens::Scene;
use huygens::contact::SolverKind;
use huygens::math::scalar;

/// Largest figure of a sound engine [1/s].
const LIMIT: f64 = 1e-6;
/// Shortest run that is judged [s].
const SHORTEST: f64 = 0.99;
/// Way that settling may take, in sizes.
const SETTLING: f64 = 0.01;

/// Judges one scene.
pub fn judge<W: Workshop>(workshop: &W, scene: &Scene) -> Judgement {
    if let Some(reason) = model_slides(&scene.world.solver) {
        return Judgement::NotJudged(reason);
    }
    if let Some(reason) = statics::may_move(scene) {
        return Judgement::NotJudged(reason);
    }
    if scene.world.step_count() as f64 * scene.world.dt < SHORTEST {
        return Judgement::NotJudged("the run is too short to tell creeping from settling".into());
    }
    let mut run = match Watched::build(workshop, scene) {
        Ok(run) => run,
        Err(judgement) => return judgement,
    };
    let sizes: Vec<f64> = scene.bodies.iter().map(reach).collect();
    let start = run.bodies.clone();
    let steps = scene.world.step_count();
    let settled = steps / 4;
    let mut since = start.clone();
    let mut worst = Verdict { figure: 0.0, limit: LIMIT, step: 0, what: "everything rests".into() };
    for step in 1..=steps {
        run.step();
        if run.overflow().is_some() {
            return Judgement::NotJudged("a number is not finite: see `nan`".into());
        }
        if step == settled {
            since.clone_from(&run.bodies);
        }
        for (i, now) in run.bodies.iter().enumerate().filter(|(_, body)| body.moves) {
            let left = moved(&start[i], now, sizes[i]) - SETTLING;
            let whole = left / (step as f64 * scene.world.dt);
            // The rate needs a time over which it is a rate: the second half of what is measured.
            let rate = if step >= (steps + settled) / 2 {
                moved(&since[i], now, sizes[i]) / ((step - settled) as f64 * scene.world.dt)
            } else {
                0.0
            };
            let figure = scalar::max(whole, rate);
            if figure > worst.figure {
                if !worst.is_fault() {
                    worst.step = step;
                }
                worst.figure = figure;
                worst.what = format!(
                    "`{}` should rest and moves by {figure:.3e} of its size a second",
                    name(scene, i)
                );
            }
        }
    }
    Judgement::Judged(worst)
}

/// How far the farthest point of a body has moved, in sizes.
fn moved(from: &BodySight, to: &BodySight, size: f64) -> f64 {
    (to.center - from.center).length() / size + statics::turned(from.orientation, to.orientation)
}

/// Why a model is known to let things slide that must rest.
fn model_slides(solver: &str) -> Option<String> {
    let known =
        [SolverKind::NbgsApproximateDecoupling, SolverKind::NbgsProjected, SolverKind::NbgsFrictionless];
    let found = known.iter().find(|kind| kind.name() == solver)?;
    Some(format!("the law of {} lets bodies slide below the critical angle", found.name()))
}
