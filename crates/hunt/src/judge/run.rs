//! Runs of a scene, step by step, as a judge sees them.

use crate::{BodySight, Engine, Workshop};
use huygens::math::scalar;
use huygens::{Scene, SceneErrors};

/// Every body at the start and after every step.
pub(crate) type Run = Vec<Vec<BodySight>>;

/// Runs a scene for a number of steps; entry k is the state after step k.
pub(crate) fn run<W: Workshop>(workshop: &W, scene: &Scene, steps: u64) -> Result<Run, SceneErrors> {
    let mut engine = workshop.build(scene)?;
    let mut run = Vec::new();
    for step in 0..=steps {
        if step > 0 {
            engine.step();
        }
        let mut bodies = Vec::new();
        engine.bodies(&mut bodies);
        run.push(bodies);
    }
    Ok(run)
}

/// A scene with some of its bodies, in their order, and the joints between them.
pub(crate) fn part_of(scene: &Scene, bodies: &[usize]) -> Scene {
    let chosen: Vec<_> = bodies.iter().map(|i| scene.bodies[*i].clone()).collect();
    let has = |name: &str| chosen.iter().any(|body| body.name == name);
    let joints = scene.joints.iter().filter(|joint| has(&joint.child)).cloned().collect();
    Scene {
        world: scene.world.clone(),
        materials: scene.materials.clone(),
        pairs: scene.pairs.clone(),
        bodies: chosen,
        joints,
        ..Scene::default()
    }
}

/// Bodies that joints connect, by index; each body is in one group.
pub(crate) fn jointed_groups(scene: &Scene) -> Vec<Vec<usize>> {
    let mut group: Vec<usize> = (0..scene.bodies.len()).collect();
    let index = |name: &str| scene.bodies.iter().position(|body| body.name == name);
    for joint in &scene.joints {
        let parent = joint.parent.as_deref().and_then(index);
        if let (Some(a), Some(b)) = (parent, index(&joint.child)) {
            let (old, new) = (group[b], group[a]);
            group.iter_mut().filter(|number| **number == old).for_each(|number| *number = new);
        }
    }
    let members = |number: usize| (0..group.len()).filter(|i| group[*i] == number).collect();
    (0..group.len()).map(members).filter(|members: &Vec<usize>| !members.is_empty()).collect()
}

/// Largest difference of two sights of a body, as a share of its speed or of its size; above 0 when a bit differs.
pub(crate) fn deviation(a: &BodySight, b: &BodySight, reach: f64) -> f64 {
    let size = if reach.is_finite() && reach > 0.0 { reach } else { 1.0 };
    let speed = |body: &BodySight| body.velocity.length() + size * body.spin.length();
    let moved = (a.velocity - b.velocity).length() + size * (a.spin - b.spin).length();
    let placed = (a.center - b.center).length() / size + (a.orientation - b.orientation).length();
    let scale = scalar::max(speed(a), speed(b));
    let share = if scale > 0.0 { moved / scale } else { 0.0 };
    // Written so that a number which is none stays none.
    if share + placed <= f64::MIN_POSITIVE { f64::MIN_POSITIVE } else { share + placed }
}
