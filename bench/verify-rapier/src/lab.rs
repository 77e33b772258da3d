//! A Rapier world set up as our cases are: z up, both bodies of a pair with the same numbers, nothing asleep.

use rapier::prelude::*;

pub const G: f64 = 9.81;
pub const DT: f64 = 1e-3;

/// A world and what a case reads of it.
pub struct Lab {
    pub world: PhysicsWorld,
    pub time: f64,
}

impl Lab {
    pub fn new(dt: f64) -> Self {
        let mut world = PhysicsWorld::new();
        world.gravity = Vector::new(0.0, 0.0, -G);
        world.integration_parameters.dt = dt;
        Self { world, time: 0.0 }
    }

    pub fn weightless(dt: f64) -> Self {
        let mut lab = Self::new(dt);
        lab.world.gravity = Vector::ZERO;
        lab
    }

    /// Everything below the plane through the origin with that normal.
    pub fn floor(&mut self, normal: Vector, mu: f64, e: f64) {
        let shape = ColliderBuilder::new(SharedShape::halfspace(normal)).friction(mu).restitution(e);
        self.world.insert(RigidBodyBuilder::fixed(), shape);
    }

    pub fn add(&mut self, body: RigidBodyBuilder, shape: ColliderBuilder) -> RigidBodyHandle {
        self.world.insert(body.can_sleep(false), shape).0
    }

    pub fn run(&mut self, steps: usize) {
        for _ in 0..steps {
            self.world.step();
            self.time += self.world.integration_parameters.dt;
        }
    }

    pub fn x(&self, body: RigidBodyHandle) -> Vector {
        self.world.bodies[body].translation()
    }

    pub fn v(&self, body: RigidBodyHandle) -> Vector {
        self.world.bodies[body].linvel()
    }

    pub fn w(&self, body: RigidBodyHandle) -> Vector {
        self.world.bodies[body].angvel()
    }

    pub fn q(&self, body: RigidBodyHandle) -> Rotation {
        *self.world.bodies[body].rotation()
    }

    pub fn kinetic(&self) -> f64 {
        self.world.bodies.iter().map(|(_, body)| body.kinetic_energy()).sum()
    }

    /// Kinetic plus potential energy.
    pub fn energy(&self) -> f64 {
        let g = -self.world.gravity.z;
        let potential = self.world.bodies.iter().filter(|(_, body)| body.is_dynamic());
        self.kinetic() + potential.map(|(_, body)| body.mass() * g * body.translation().z).sum::<f64>()
    }

    /// Normal force of every contact point of the last step.
    pub fn forces(&self, keep: impl Fn(RigidBodyHandle, RigidBodyHandle) -> bool) -> Vec<f64> {
        let dt = self.world.integration_parameters.dt;
        let parent = |collider: ColliderHandle| self.world.colliders[collider].parent().unwrap_or_default();
        let pairs = self.world.contact_pairs();
        let kept = pairs.filter(|pair| keep(parent(pair.collider1), parent(pair.collider2)));
        let manifolds = kept.filter_map(|pair| pair.rigid()).flat_map(|contacts| &contacts.manifolds);
        manifolds.flat_map(|manifold| &manifold.points).map(|point| point.data.impulse / dt).collect()
    }

    /// Deepest overlap of the last step.
    pub fn overlap(&self) -> f64 {
        let manifolds = self.world.contact_pairs().filter_map(|pair| pair.rigid()).flat_map(|c| &c.manifolds);
        manifolds
            .flat_map(|manifold| &manifold.points)
            .fold(0.0, |deepest: f64, point| deepest.max(-point.dist))
    }
}

pub fn at(x: f64, y: f64, z: f64) -> RigidBodyBuilder {
    RigidBodyBuilder::dynamic().translation(Vector::new(x, y, z))
}

pub fn ball(r: f64, mu: f64, e: f64) -> ColliderBuilder {
    ColliderBuilder::ball(r).density(1000.0).friction(mu).restitution(e)
}

/// A box by its full edges.
pub fn cuboid(x: f64, y: f64, z: f64, mu: f64) -> ColliderBuilder {
    ColliderBuilder::cuboid(0.5 * x, 0.5 * y, 0.5 * z).density(1000.0).friction(mu).restitution(0.0)
}

pub fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(0.0, |a: f64, b| if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) })
}
