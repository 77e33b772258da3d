//! Makes a scene with a fault as small as it goes: greedy passes over simpler scenes until none of them has the fault, or the budget is
//! spent. No clock is looked at, so that the same scene always shrinks to the same one.

mod bodies;
mod ground;
mod numbers;
mod world;

use crate::Verdict;
use huygens::Scene;
use std::sync::atomic::{AtomicBool, Ordering};

/// Simpler scenes than the given one, the boldest first.
type Pass = fn(&Scene) -> Vec<Scene>;

/// In the order in which they are tried: what makes later trials cheap comes first.
const PASSES: [Pass; 10] = [
    bodies::fewer_bodies,
    bodies::fewer_shapes,
    bodies::plainer_ground,
    ground::fewer_cells,
    bodies::plainer_motion,
    world::plainer_world,
    world::plainer_surfaces,
    numbers::stiller,
    bodies::plainer_shapes,
    numbers::rounder,
];

/// The smallest scene found that still has a fault, and its verdict. `fault` judges; it is asked at most `budget` times.
pub fn shrink(
    scene: &Scene,
    verdict: &Verdict,
    budget: usize,
    stop: &AtomicBool,
    fault: &dyn Fn(&Scene) -> Option<Verdict>,
) -> (Scene, Verdict) {
    let mut search = Shrinking { best: scene.clone(), verdict: verdict.clone(), left: budget, stop, fault };
    loop {
        let before = search.best.clone();
        search.cut_duration();
        for pass in PASSES {
            search.exhaust(pass);
        }
        if search.best == before || search.left == 0 {
            return (search.best, search.verdict);
        }
    }
}

struct Shrinking<'a> {
    best: Scene,
    verdict: Verdict,
    /// Trials left.
    left: usize,
    stop: &'a AtomicBool,
    fault: &'a dyn Fn(&Scene) -> Option<Verdict>,
}

impl Shrinking<'_> {
    /// Takes a simpler scene when it has the fault too.
    fn attempt(&mut self, candidate: Scene) -> bool {
        if candidate == self.best || self.left == 0 || self.stop.load(Ordering::Relaxed) {
            return false;
        }
        self.left -= 1;
        match (self.fault)(&candidate) {
            Some(verdict) => {
                (self.best, self.verdict) = (candidate, verdict);
                true
            }
            None => false,
        }
    }

    /// Tries the scenes of a pass in order. After a success the list is made anew, and goes on where it was: what failed before that place
    /// is tried again only in the next round.
    fn exhaust(&mut self, pass: Pass) {
        let mut at = 0;
        let mut candidates = pass(&self.best);
        while at < candidates.len() && self.left > 0 {
            let candidate = std::mem::take(&mut candidates[at]);
            if self.attempt(candidate) {
                candidates = pass(&self.best);
            } else {
                at += 1;
            }
        }
    }

    /// Ends the run just after the fault.
    fn cut_duration(&mut self) {
        let (step, steps) = (self.verdict.step, self.best.world.step_count());
        for end in [step, step + 2, step + step / 8, step.midpoint(steps)] {
            if end > 0 && end < self.best.world.step_count() {
                let mut candidate = self.best.clone();
                candidate.world.duration = huygens::scene::Duration::Steps(end);
                if self.attempt(candidate) {
                    self.cut_duration();
                    return;
                }
            }
        }
    }
}

/// A copy of a scene with one change.
fn with(scene: &Scene, change: impl FnOnce(&mut Scene)) -> Scene {
    let mut changed = scene.clone();
    change(&mut changed);
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::crowd::Crowd;
    use crate::generate::stream;
    use crate::{Kind, search::moving};
    use huygens::math::Vec3;

    fn verdict(step: u64) -> Verdict {
        Verdict { figure: 1.0, limit: 0.0, step, what: String::new() }
    }

    /// A scene with six free bodies.
    fn six() -> Scene {
        let crowd = Crowd { bodies: [6, 6], trees: false, ..Crowd::USUAL };
        let scenes = (0..100).map(|number| crowd.scene(&mut stream(7, Kind::Energy, number), "soft-step"));
        scenes.into_iter().find(|scene| moving(scene) == 6).expect("a scene of six bodies")
    }

    #[test]
    fn a_scene_of_six_bodies_is_shrunk_to_what_matters() {
        // The fault: body 3 is there and falls faster than 0.1 m/s, with friction; it shows in step 9.
        let mut scene = six();
        let third = |scene: &Scene| scene.bodies.iter().position(|body| body.name == "body 3");
        let at = third(&scene).expect("body 3");
        scene.bodies[at].linear_velocity = Vec3::new(0.3, -0.2, -1.23456);
        let fault = |scene: &Scene| {
            let body = &scene.bodies[third(scene)?];
            let rough = body.shapes.iter().any(|shape| shape.friction.unwrap_or(0.5) > 0.0);
            (body.linear_velocity.z < -0.1 && rough && scene.world.step_count() >= 9).then(|| verdict(9))
        };
        let first = fault(&scene).expect("the fault");
        let (small, _) = shrink(&scene, &first, 1000, &AtomicBool::new(false), &fault);
        assert_eq!(small.bodies.len(), 1, "{small:?}");
        assert_eq!(small.world.step_count(), 9);
        assert!(small.materials.is_empty() && small.joints.is_empty());
        let body = &small.bodies[0];
        assert_eq!(body.shapes.len(), 1);
        assert_eq!((body.linear_velocity.x, body.linear_velocity.y), (0.0, 0.0));
        assert_eq!(body.linear_velocity.z, -1.0);
        assert_eq!(small.world.stabilisation, huygens::scene::StabilisationSpec::default());
    }

    #[test]
    fn a_budget_of_trials_is_kept_and_the_result_is_the_same_every_time() {
        let scene = six();
        let asked = std::cell::Cell::new(0);
        let fault = |_: &Scene| {
            asked.set(asked.get() + 1);
            Some(verdict(1))
        };
        let once = shrink(&scene, &verdict(1), 10, &AtomicBool::new(false), &fault);
        assert_eq!(asked.get(), 10);
        assert_eq!(once, shrink(&scene, &verdict(1), 10, &AtomicBool::new(false), &fault));
    }
}
