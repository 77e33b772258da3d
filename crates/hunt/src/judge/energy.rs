//! Judge of `energy`: contact never brings energy in.
//!
//! The figure is the largest rise of T + V − W above an earlier minimum, over max(largest T, Σ m|g|·slop). T and V are the judge's
//! own, springs of joints and their drives included; W is what drivers, motors, users and caps brought in by the book.
//!
//! The energy of a mechanism is kept to the order of its integrator: the limit of a scene with links is at least [`SMOOTH`]·φ², φ the largest
//! angle by which a link has turned in a step so far.

use super::sight::Watched;
use super::{Judgement, Verdict};
use crate::{Engine, Workshop};
use huygens::math::scalar;
use huygens::scene::{Gyroscopic, Integrator, JointKind, StabilisationSpec};
use huygens::{Scene, World};

/// Largest figure of a sound engine.
const LIMIT: f64 = 1e-6;
/// Share of the kinetic energy that the smooth motion of links which turn by a radian in a step may bring in: of trees that only turn; and of
/// mechanisms with loops and couplings, whose joints turn faster than any link where they are nearly stretched, or with joints along which links
/// slide, whose distance from what carries them grows while that turns.
const SMOOTH: [f64; 2] = [0.5, 10.0];

/// Judges one scene.
pub fn judge<W: Workshop>(workshop: &W, scene: &Scene) -> Judgement {
    if let Some(reason) = known_to_fail(scene) {
        return Judgement::NotJudged(reason.into());
    }
    if overlaps(scene) {
        return Judgement::NotJudged("bodies overlap at the start".into());
    }
    let mut run = match Watched::build(workshop, scene) {
        Ok(run) => run,
        Err(judgement) => return judgement,
    };
    let begin = run.energy();
    // What sinks as deep as the overlap that is left alone has turned Σ m|g|·slop into motion.
    let floor = run.weight() * scene.world.slop();
    let (mut least, mut most_kinetic) = (begin.total() - run.engine.ledger().from_outside, begin.kinetic);
    let (mut rises, mut limits): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
    let (mut turn, smooth) = (0.0, SMOOTH[usize::from(is_closed(scene) || slides(scene))]);
    for _ in 0..scene.world.step_count() {
        run.step();
        if run.overflow().is_some() {
            return Judgement::NotJudged("a number is not finite: see `nan`".into());
        }
        let energy = run.energy();
        let own = energy.total() - run.engine.ledger().from_outside;
        rises.push(own - least);
        for link in run.bodies.iter().filter(|body| body.is_link) {
            turn = scalar::max(turn, link.spin.length() * scene.world.dt);
        }
        limits.push(scalar::max(LIMIT, smooth * turn * turn));
        least = scalar::min(least, own);
        most_kinetic = scalar::max(most_kinetic, energy.kinetic);
    }
    Judgement::Judged(verdict(&rises, &limits, scalar::max(most_kinetic, floor)))
}

fn verdict(rises: &[f64], limits: &[f64], scale: f64) -> Verdict {
    let worst = rises.iter().fold(0.0, |most, rise| scalar::max(most, *rise));
    let figure = if worst > 0.0 { worst / scale } else { 0.0 };
    let passing = rises.iter().zip(limits).position(|(rise, limit)| *rise > limit * scale);
    let largest = rises.iter().position(|rise| *rise == worst);
    let step = passing.or(largest).map_or(0, |at| at + 1);
    // Of a fault the limit is that of the step which passes it.
    let limit = passing.or(largest).and_then(|at| limits.get(at)).copied().unwrap_or(LIMIT);
    let what = format!(
        "energy rises by {worst:.3e} J, {figure:.3e} of {scale:.3e} J, that nothing outside brought in; first in step {step}"
    );
    Verdict { figure, limit, step: step as u64, what }
}

/// True for a scene with a coupling, or with more joints than hang its bodies up.
fn is_closed(scene: &Scene) -> bool {
    let links = scene.bodies.iter().filter(|body| scene.joints.iter().any(|joint| joint.child == body.name));
    let between = scene.joints.iter().filter(|joint| joint.parent.is_some());
    let roots = scene.bodies.iter().filter(|body| {
        scene.joints.iter().any(|joint| joint.parent.as_ref() == Some(&body.name))
            && scene.joints.iter().all(|joint| joint.child != body.name)
    });
    let bodies = links.count() + roots.count();
    !scene.couplings.is_empty() || scene.joints.len() > bodies || (bodies > 0 && between.count() >= bodies)
}

/// True for a scene with a joint along which a link moves.
fn slides(scene: &Scene) -> bool {
    scene.joints.iter().any(|joint| match joint.kind {
        JointKind::Slide | JointKind::Cylindrical | JointKind::Planar | JointKind::Screw => true,
        JointKind::Generic => joint.free[..3].contains(&true),
        JointKind::Hinge | JointKind::Ball | JointKind::Fixed | JointKind::Free | JointKind::Universal => {
            false
        }
    })
}

/// Why a scene is known to gain energy, and books it.
fn known_to_fail(scene: &Scene) -> Option<&'static str> {
    if matches!(scene.world.stabilisation, StabilisationSpec::Baumgarte { .. }) {
        return Some("Baumgarte's stabilisation is known to bring energy in, and books it");
    }
    if !scene.world.guard {
        return Some("the scene switches the passivity guard off");
    }
    if scene.world.integrator == Integrator::SymplecticEuler {
        return Some("symplectic Euler is known to bring energy in, and books it");
    }
    if scene.world.gyroscopic == Gyroscopic::Explicit {
        return Some("the explicit gyroscopic term is known to bring energy in, and books it");
    }
    None
}

/// True when bodies overlap at the start by more than round-off: undoing that brings energy in.
fn overlaps(scene: &Scene) -> bool {
    World::new(scene).is_ok_and(|world| world.penetration() > 1e-9 * scene.world.length)
}
