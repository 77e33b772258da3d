//! Judge of `locality`: a body that touches nothing of an island changes no bit of it.
//!
//! The scene runs without its strangers (names that start with `stranger`), with the strangers after its own bodies, and with the strangers before
//! them, where every slot number is another one. Its own bodies must have the same bits in each step. A step is judged as long as every
//! stranger is farther from every body of the scene that is not static than both are large; from boundaries
//! without end layers may keep it apart.

use super::run::{deviation, part_of, run};
use super::{Judgement, Verdict};
use crate::forms::{Forms, pose};
use crate::{BodySight, Workshop};
use huygens::math::scalar;
use huygens::scene::{Body, Motion, Shape};
use huygens::{Scene, SceneErrors};

/// Judges one scene.
pub fn judge<W: Workshop>(workshop: &W, scene: &Scene) -> Judgement {
    compare(workshop, scene).unwrap_or_else(|errors| Judgement::NotJudged(errors.to_string()))
}

fn compare<W: Workshop>(workshop: &W, scene: &Scene) -> Result<Judgement, SceneErrors> {
    if !scene.repeats.is_empty() || !scene.edits.is_empty() {
        return Ok(Judgement::NotJudged("repeats and edits are not looked at".into()));
    }
    let is_stranger = |body: &usize| scene.bodies[*body].name.starts_with("stranger");
    let (strangers, own): (Vec<usize>, Vec<usize>) = (0..scene.bodies.len()).partition(is_stranger);
    if strangers.is_empty() || own.is_empty() {
        return Ok(Judgement::NotJudged("there are not both strangers and others".into()));
    }
    let steps = scene.world.step_count();
    let alone = run(workshop, &part_of(scene, &own), steps)?;
    let mut verdict = Verdict { figure: 0.0, limit: 0.0, step: steps, what: "no bit changed".into() };
    for (words, order) in
        [("beside", [own.clone(), strangers.clone()].concat()), ("before", [strangers, own].concat())]
    {
        let together = part_of(scene, &order);
        let forms = Forms::new(&together)?;
        let whole = run(workshop, &together, steps)?;
        let first = together.bodies.iter().position(|body| !body.name.starts_with("stranger")).unwrap_or(0);
        for (step, (lone, all)) in alone.iter().zip(&whole).enumerate() {
            if !apart(&together, &forms, all) {
                if step == 0 {
                    return Ok(Judgement::NotJudged("a stranger is near".into()));
                }
                break;
            }
            let differs = (0..lone.len()).find(|body| lone[*body] != all[first + *body]);
            if let Some(body) = differs {
                let (before, after) = (&lone[body], &all[first + body]);
                let figure = deviation(before, after, forms.reach(first + body));
                if figure > verdict.figure {
                    let name = &together.bodies[first + body].name;
                    let what = format!(
                        "strangers {words} it change {name:?} by {figure:.1e} in step {step}, without a touch"
                    );
                    verdict = Verdict { figure, limit: 0.0, step: step as u64, what };
                }
                break;
            }
        }
    }
    Ok(Judgement::Judged(verdict))
}

/// Every stranger is far from all of the scene that it could meet and disturb.
fn apart(scene: &Scene, forms: &Forms, bodies: &[BodySight]) -> bool {
    let is_stranger = |body: usize| scene.bodies[body].name.starts_with("stranger");
    let moves = |body: usize| scene.bodies[body].motion != Motion::Static;
    let far = |stranger: usize, own: usize| {
        // What stands still is nobody's: strangers may lie on the ground of the scene.
        if !moves(own) {
            return true;
        }
        let (a, b) = (forms.reach(stranger), forms.reach(own));
        if (a + b).is_finite() {
            return (bodies[stranger].center - bodies[own].center).length() > 2.0 * (a + b);
        }
        // A boundary without end is everywhere: layers keep it apart.
        !may_meet(&scene.bodies[stranger], &scene.bodies[own])
            || forms.gap(stranger, &pose(&bodies[stranger]), own, &pose(&bodies[own])) > scalar::min(a, b)
    };
    let all = 0..bodies.len();
    let mut strangers = all.clone().filter(|body| is_stranger(*body));
    strangers.all(|stranger| all.clone().filter(|body| !is_stranger(*body)).all(|own| far(stranger, own)))
}

/// Whether layers and masks let two bodies meet.
fn may_meet(a: &Body, b: &Body) -> bool {
    let meets = |a: &Shape, b: &Shape| a.mask & b.layer != 0 && b.mask & a.layer != 0;
    a.shapes.iter().any(|shape| b.shapes.iter().any(|other| meets(shape, other)))
}
