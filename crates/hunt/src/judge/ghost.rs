//! Judge of `ghost`: bodies that fly past each other without meeting change no bit of each other's flight.
//!
//! Every body, with the bodies that joints connect it to, also runs alone. As long as the lone flights stay clear of each other
//! (`flight`), the run of all must have the bits of the lone runs. Steps after the first meeting are not judged.

use super::flight::{Nearest, nearest_in_step};
use super::run::{Run, deviation, jointed_groups, part_of, run};
use super::{Judgement, Verdict};
use crate::forms::Forms;
use crate::{BodySight, Workshop};
use huygens::math::scalar;
use huygens::{Scene, SceneErrors};

/// Judges one scene.
pub fn judge<W: Workshop>(workshop: &W, scene: &Scene) -> Judgement {
    match compare(workshop, scene) {
        Ok(judgement) => judgement,
        Err(errors) => Judgement::NotJudged(errors.to_string()),
    }
}

fn compare<W: Workshop>(workshop: &W, scene: &Scene) -> Result<Judgement, SceneErrors> {
    if !scene.repeats.is_empty() || !scene.edits.is_empty() {
        return Ok(Judgement::NotJudged("repeats and edits are not looked at".into()));
    }
    let groups = jointed_groups(scene);
    let forms = Forms::new(scene)?;
    let steps = scene.world.step_count();
    let whole = run(workshop, scene, steps)?;
    if whole[0].iter().filter(|body| body.moves).count() == 0 || groups.len() < 2 {
        return Ok(Judgement::NotJudged("a flight needs a body that moves, and another body".into()));
    }
    let alone = lone_runs(workshop, scene, &groups, &whole[0], steps)?;
    let mut worst = Verdict { figure: 0.0, limit: 0.0, step: 0, what: String::new() };
    let mut least = f64::INFINITY;
    for step in 1..=steps as usize {
        let nearest = nearest_in_step(&forms, &groups, &alone[step - 1], &alone[step], scene.world.dt);
        if nearest.gap.is_nan() || nearest.gap <= 0.0 {
            if step == 1 {
                return Ok(Judgement::NotJudged("two bodies meet in the first step".into()));
            }
            break;
        }
        least = scalar::min(least, nearest.gap);
        for (body, (lone, found)) in alone[step].iter().zip(&whole[step]).enumerate() {
            if lone != found {
                let figure = deviation(lone, found, forms.reach(body));
                let name = &scene.bodies[body].name;
                let what = sentence(scene, name, figure, step, &nearest);
                return Ok(Judgement::Judged(Verdict { figure, limit: 0.0, step: step as u64, what }));
            }
        }
        worst.step = step as u64;
    }
    worst.what = format!("bodies came within {:.3e} m of each other and changed no bit", least);
    Ok(Judgement::Judged(worst))
}

/// Every group's bodies from its own run, put together in the order of the scene.
pub(crate) fn lone_runs<W: Workshop>(
    workshop: &W,
    scene: &Scene,
    groups: &[Vec<usize>],
    start: &[BodySight],
    steps: u64,
) -> Result<Run, SceneErrors> {
    let mut together = vec![start.to_vec(); steps as usize + 1];
    for group in groups {
        let lone = run(workshop, &part_of(scene, group), steps)?;
        for (all, bodies) in together.iter_mut().zip(&lone) {
            for (body, sight) in group.iter().zip(bodies) {
                all[*body] = *sight;
            }
        }
    }
    Ok(together)
}

fn sentence(scene: &Scene, name: &str, figure: f64, step: usize, nearest: &Nearest) -> String {
    let [a, b] = nearest.bodies.map(|body| &scene.bodies[body].name);
    format!(
        "{name:?} flies otherwise than alone by {figure:.1e} after step {step}, in which {a:?} and {b:?} are \
         nearest, about {:.3e} m apart",
        nearest.gap
    )
}
