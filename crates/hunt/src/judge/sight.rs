//! What every judge does with an engine: build it, look at its bodies, measure their energy.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | T | `kinetic` | Σ ½ m v² + ½ ω·I ω, I turned by the orientation | J |
//! | V | `potential` | −Σ m s g·(x − x₀), s the factor on gravity: relative to the start, so that far bodies have no round-off; and what springs at joints hold | J |

use super::Judgement;
use crate::{BodySight, Engine, Workshop};
use huygens::Scene;
use huygens::math::Vec3;

/// An engine and its bodies at the start of a scene.
pub struct Watched<E> {
    pub engine: E,
    /// Bodies now.
    pub bodies: Vec<BodySight>,
    /// Centres of mass at the start [m].
    start: Vec<Vec3>,
    gravity: Vec3,
}

impl<E: Engine> Watched<E> {
    /// Builds the engine; a scene that cannot be is not judged.
    pub fn build<W: Workshop<Engine = E>>(workshop: &W, scene: &Scene) -> Result<Self, Judgement> {
        let engine = workshop
            .build(scene)
            .map_err(|errors| Judgement::NotJudged(format!("the scene cannot be: {errors}")))?;
        let mut bodies = Vec::new();
        engine.bodies(&mut bodies);
        let start = bodies.iter().map(|body| body.center).collect();
        Ok(Self { engine, bodies, start, gravity: scene.world.gravity })
    }

    /// One step, and a look at the bodies.
    pub fn step(&mut self) {
        self.engine.step();
        self.engine.bodies(&mut self.bodies);
    }

    /// Kinetic and potential energy of all that moves, springs at joints included.
    pub fn energy(&self) -> Energy {
        let mut energy = Energy::default();
        for (body, start) in self.bodies.iter().zip(&self.start).filter(|(body, _)| body.moves) {
            let inertia = body.inertia.rotated(body.orientation);
            energy.kinetic +=
                0.5 * (body.mass * body.velocity.length_squared() + body.spin.dot(inertia * body.spin));
            let weight = body.mass * body.gravity_scale * self.gravity;
            energy.potential -= weight.dot(body.center - *start);
            energy.size += (weight * body.center.length()).length();
        }
        let stored = self.engine.ledger().stored;
        energy.potential += stored;
        energy.size += stored;
        energy
    }

    /// Σ m|g| of all that moves [N].
    pub fn weight(&self) -> f64 {
        let moving = self.bodies.iter().filter(|body| body.moves);
        moving.map(|body| body.mass * body.gravity_scale.abs() * self.gravity.length()).sum()
    }

    /// The first body with a number that is not finite, or that was quarantined.
    pub fn overflow(&self) -> Option<usize> {
        self.bodies.iter().position(|body| body.quarantined || !is_finite(body))
    }
}

/// Energy of all bodies that move [J].
#[derive(Clone, Copy, Debug, Default)]
pub struct Energy {
    pub kinetic: f64,
    pub potential: f64,
    /// Σ m|g||x|: what the round-off of a potential from the origin is made of.
    pub size: f64,
}

impl Energy {
    /// T + V.
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential
    }
}

fn is_finite(body: &BodySight) -> bool {
    body.center.is_finite()
        && body.position.is_finite()
        && body.orientation.is_finite()
        && body.velocity.is_finite()
        && body.spin.is_finite()
}

/// The name of a body of the scene, by its number among the engine's bodies.
pub fn name(scene: &Scene, number: usize) -> String {
    scene.expanded().nth(number).map_or_else(|| format!("body {number}"), |placed| placed.body.name)
}
