//! Judge of `symmetry`: the scene mirrored, turned, moved, in other units or with its bodies in another order moves alike in one step.
//!
//! The new scene's step is compared with the old one's step seen the same way ([`Likeness`]), as a share of the largest speed and size of the scene.
//! `world.seed` chooses the likenesses. With gravity absent the engine's scale of speed is one `length` in a second by definition, so the unit of
//! time is then kept. Another order of bodies is another order of sweeps: it is asked only of models that solve a problem to its end
//! ([`CONVERGED`]).

use super::run::run;
use super::{Judgement, Verdict};
use crate::forms::Forms;
use crate::likeness::Likeness;
use crate::{BodySight, Workshop};
use huygens::math::{Quat, SplitMix, Vec3, scalar, trig};
use huygens::scene::{Lock, Motion};
use huygens::{Scene, SceneErrors};

/// Largest difference, as a share of the scales of speed and size.
const LIMIT: f64 = 1e-9;

/// Displacement of the start, as a share of the size, that tells a tie: the rounding of a few operations.
const NUDGE: f64 = 1e-14;

/// Displaced starts that are looked at.
const NUDGES: usize = 8;

/// Models whose answer does not depend on the order of contacts.
const CONVERGED: [&str; 1] = ["ncp/newton"];

/// Judges one scene.
pub fn judge<W: Workshop>(workshop: &W, scene: &Scene) -> Judgement {
    compare(workshop, scene).unwrap_or_else(|errors| Judgement::NotJudged(errors.to_string()))
}

fn compare<W: Workshop>(workshop: &W, scene: &Scene) -> Result<Judgement, SceneErrors> {
    let forms = Forms::new(scene)?;
    let old = run(workshop, scene, 1)?;
    if !old[0].iter().any(|body| body.moves) {
        return Ok(Judgement::NotJudged("nothing moves".into()));
    }
    let scales = Scales::new(scene, &forms, &old);
    let mut verdict = Verdict { figure: 0.0, limit: LIMIT, step: 1, what: "alike in every way".into() };
    for (word, likeness) in likenesses(scene) {
        let Some(seen) = likeness.of(scene) else { continue };
        let new = run(workshop, &seen, 1)?;
        for (number, body) in new[1].iter().enumerate() {
            let before = likeness.order.get(number).copied().unwrap_or(number);
            let figure = scales.difference(&likeness, &likeness.sight(&old[1][before]), body);
            if figure.is_nan() || figure > verdict.figure {
                let name = &scene.bodies[before].name;
                let what =
                    format!("{word}, {name:?} moves otherwise by {figure:.1e} of the largest speed or size");
                verdict = Verdict { figure, what, ..verdict };
            }
        }
    }
    if verdict.is_fault()
        && let Some(figure) = unsteady(workshop, scene, &scales, &old[1])?
    {
        let why = format!(
            "a displacement by {NUDGE:.0e} of the size changes this step by {figure:.1e}: it is at a tie"
        );
        return Ok(Judgement::NotJudged(why));
    }
    Ok(Judgement::Judged(verdict))
}

/// Largest change of the step when all that moves starts a little elsewhere, if that alone is beyond the limit.
fn unsteady<W: Workshop>(
    workshop: &W,
    scene: &Scene,
    scales: &Scales,
    old: &[BodySight],
) -> Result<Option<f64>, SceneErrors> {
    let random = &mut SplitMix::new(scene.world.seed);
    let mut largest = 0.0;
    for _ in 0..NUDGES {
        let mut nudged = scene.clone();
        for body in nudged.bodies.iter_mut().filter(|body| body.motion == Motion::Dynamic) {
            body.position += random.in_cube() * (NUDGE * scales.size);
            body.orientation = trig::rotation_vector(random.in_cube() * NUDGE) * body.pose().rotation;
            body.linear_velocity += random.in_cube() * (NUDGE * scales.speed);
        }
        let new = run(workshop, &nudged, 1)?;
        for (before, after) in old.iter().zip(&new[1]) {
            largest = scalar::max(largest, scales.difference(&Likeness::SAME, before, after));
        }
    }
    Ok((largest > LIMIT).then_some(largest))
}

/// The ways in which a scene is seen, each with words for a person.
fn likenesses(scene: &Scene) -> Vec<(&'static str, Likeness)> {
    let random = &mut SplitMix::new(scene.world.seed);
    let same = Likeness::SAME;
    let size = scene.world.length;
    let free = scene.bodies.iter().all(|body| body.lock == Lock::NONE);
    // Exchanges the axes: x to y to z.
    let cycle = Quat::from_xyzw(0.5, 0.5, 0.5, 0.5);
    let rotation = if free { random.rotation() } else { cycle };
    let shift = random.in_cube() * 4.0 * size;
    let any = |random: &mut SplitMix| trig::exp(random.range(-3.0, 3.0));
    let (length, mass) = (any(random), any(random));
    let time = if scene.world.gravity == Vec3::ZERO { 1.0 } else { any(random) };
    let units = Likeness { length, time, mass, ..same.clone() };
    let mut seen = vec![
        ("mirrored", Likeness { mirrored: true, ..same.clone() }),
        ("turned", Likeness { rotation, ..same.clone() }),
        ("moved", Likeness { shift, ..same.clone() }),
        ("in other units", units.clone()),
        (
            "mirrored, turned, moved and in other units",
            Likeness { mirrored: true, rotation, shift: shift * length, ..units },
        ),
    ];
    if CONVERGED.contains(&scene.world.solver.as_str()) {
        let mut order: Vec<usize> = (0..scene.bodies.len()).collect();
        for i in (1..order.len()).rev() {
            order.swap(i, random.index(i + 1));
        }
        seen.push(("with its bodies in another order", Likeness { order, ..same }));
    }
    seen
}

/// Speed and size that differences are compared with.
struct Scales {
    speed: f64,
    size: f64,
    /// Largest distance of a point from its body's centre of mass [m].
    reach: f64,
}

impl Scales {
    fn new(scene: &Scene, forms: &Forms, old: &[Vec<BodySight>]) -> Self {
        let mut scales = Self {
            speed: scene.world.gravity.length() * scene.world.dt,
            size: scene.world.length,
            reach: 0.0,
        };
        for (number, start) in old[0].iter().enumerate() {
            let reach = forms.reach(number);
            if !reach.is_finite() {
                continue;
            }
            scales.reach = scalar::max(scales.reach, reach);
            scales.size = scalar::max(scales.size, start.center.length() + reach);
            for body in [start, &old[1][number]] {
                scales.speed = scalar::max(scales.speed, body.velocity.length() + reach * body.spin.length());
            }
        }
        scales
    }

    /// Largest difference of two sights in the new units, as a share of the scales.
    fn difference(&self, likeness: &Likeness, a: &BodySight, b: &BodySight) -> f64 {
        let (length, speed) = (likeness.length, likeness.speed());
        let turned =
            scalar::min((a.orientation - b.orientation).length(), (a.orientation + b.orientation).length());
        let moved = (a.velocity - b.velocity).length() + self.reach * length * (a.spin - b.spin).length();
        let placed = (a.center - b.center).length() / (self.size * length);
        // A sum, so that a number which is none stays none.
        placed + turned + if self.speed > 0.0 { moved / (self.speed * speed) } else { moved }
    }
}
