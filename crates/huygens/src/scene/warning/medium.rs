//! A medium that acts on nothing, and springs that are too stiff for the step.

use super::motion::one_digit;
use super::{SceneWarning, shown};
use crate::World;
use crate::force::SpringModel;
use crate::scene::{Scene, SpecPath};
use huygens_dynamics::free_inertia;
use huygens_math::Vec3;
use std::f64::consts::TAU;

/// A spring of angular frequency ω is stable up to h ω = 2, and its motion has any accuracy below 1.
const MOST_PHASE: f64 = 1.0;

pub(super) fn acts_on_nothing(scene: &Scene) -> Vec<SceneWarning> {
    let repeated = scene.repeats.iter().flat_map(|repeat| &repeat.bodies);
    if scene.medium.is_none() || scene.bodies.iter().chain(repeated).any(|body| body.medium.is_some()) {
        return Vec::new();
    }
    let remedy =
        "Give a body `medium`, for example medium = { drag = 0.47 } or medium = { buoyancy = true }.";
    vec![SceneWarning::new(SpecPath::top("medium"), "no body feels the medium, so it does nothing", remedy)]
}

pub(super) fn too_stiff_for_the_step(scene: &Scene, start: &World) -> Vec<SceneWarning> {
    let (model, dt) = (start.model(), scene.world.dt);
    // k/m of each body, all of its springs together.
    let mut stiffness = vec![0.0; model.bodies.len()];
    for spring in &model.forces.springs {
        for (slot, inv_mass) in inv_masses(start, spring).into_iter().flatten() {
            stiffness[slot] += spring.law.stiffness * inv_mass;
        }
    }
    let mut found = Vec::new();
    for spring in model.forces.springs.iter().filter(|spring| spring.law.stiffness > 0.0) {
        let ends = inv_masses(start, spring).into_iter().flatten();
        let omega = ends.map(|(slot, _)| stiffness[slot]).sum::<f64>().sqrt();
        if omega * dt > MOST_PHASE {
            let problem = format!(
                "{:?} swings with a period of {} s, and a step has {} s: {}",
                spring.name,
                shown(TAU / omega),
                shown(dt),
                if omega * dt > 2.0 {
                    "it will gain energy without end"
                } else {
                    "its motion will be far off"
                }
            );
            let remedy = format!("Set world.dt to {} s or less, or make it softer.", one_digit(0.25 / omega));
            found.push(SceneWarning::new(
                SpecPath::top("spring").name(&spring.name).key("stiffness"),
                problem,
                remedy,
            ));
        }
    }
    found
}

/// Slot of the body of each end, and what a unit of impulse along the spring changes the velocity of the end by.
fn inv_masses(start: &World, spring: &SpringModel) -> [Option<(usize, f64)>; 2] {
    let (model, state) = (start.model(), start.state());
    let [a, b] = spring.places(state);
    let apart = a - b;
    // Ends at one place: any direction.
    let direction = if apart.length() > 0.0 { apart / apart.length() } else { Vec3::X };
    spring.ends.map(|end| {
        let slot = end.at.and(end.body)? as usize;
        let (body, q) = (&model.bodies[slot], state.orientation[slot]);
        let inverse = free_inertia(body.mass, &body.inertia, q, body.lock_linear, body.lock_angular);
        let arm = (q * end.anchor).cross(direction);
        Some((slot, direction.dot(inverse.inv_mass * direction) + arm.dot(inverse.inv_inertia * arm)))
    })
}
