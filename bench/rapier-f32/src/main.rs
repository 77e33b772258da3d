//! Rapier on our scenes; the same text for f32 and f64, which are two crates with one interface.

use bench_common::{Engine, Scene, Shape};
use rapier::prelude::*;
use std::process::ExitCode;

struct Rapier {
    world: PhysicsWorld,
    scene: Scene,
    handles: Vec<RigidBodyHandle>,
}

impl Engine for Rapier {
    const NAME: &'static str = if size_of::<Real>() == 4 { "rapier-f32" } else { "rapier-f64" };
    const VERSION: &'static str = "0.36";

    fn new(scene: &Scene) -> Self {
        let mut world = PhysicsWorld::new();
        let mut handles = Vec::with_capacity(scene.bodies.len());
        for body in &scene.bodies {
            let r = |x: f64| x as Real;
            let kind = if body.fixed { RigidBodyBuilder::fixed() } else { RigidBodyBuilder::dynamic() };
            let [x, y, z, w] = body.rotation.map(r);
            let turn = Rotation::from_xyzw(x, y, z, w);
            let place = Pose::from_parts(Vector::from(body.position.map(r)), turn.normalize());
            let shape = match body.shape {
                Shape::Sphere(radius) => ColliderBuilder::ball(r(radius)),
                Shape::Capsule(radius, half) => ColliderBuilder::capsule_y(r(half), r(radius)),
                Shape::Box([a, b, c]) => ColliderBuilder::cuboid(r(a), r(b), r(c)),
            };
            let collider = shape.density(1000.0).friction(scene.friction as Real);
            handles.push(world.insert(kind.pose(place).can_sleep(false), collider).0);
        }
        if !scene.mesh.triangles.is_empty() {
            let corners = scene.mesh.vertices.iter().map(|p| Vector::from(p.map(|x| x as Real))).collect();
            let ground = ColliderBuilder::trimesh(corners, scene.mesh.triangles.clone()).expect("a mesh");
            let ground = ground.friction(scene.friction as Real);
            world.insert(RigidBodyBuilder::fixed(), ground);
        }
        world.integration_parameters.dt = 1.0 / 60.0;
        Self { world, scene: scene.clone(), handles }
    }

    fn step(&mut self) {
        self.world.step();
    }

    fn contacts(&self) -> usize {
        manifolds(&self.world).map(|manifold| manifold.data.solver_contacts.len()).sum()
    }

    fn kinetic_energy(&self) -> f64 {
        self.world.bodies.iter().map(|(_, body)| f64::from(body.kinetic_energy())).sum()
    }

    /// A world made anew at these poses: the manifolds of the run were found at the start of the last step, or earlier
    /// where they were recycled.
    fn gaps(&mut self) -> Vec<f64> {
        let mut fresh = Self::new(&self.scene);
        for (old, new) in self.handles.iter().zip(&fresh.handles) {
            let pose = *self.world.bodies[*old].position();
            fresh.world.bodies[*new].set_position(pose, true);
        }
        fresh.world.detect_collisions(&(), &());
        let gaps = manifolds(&fresh.world).flat_map(|manifold| &manifold.points);
        gaps.map(|point| f64::from(point.dist)).collect()
    }
}

fn manifolds(world: &PhysicsWorld) -> impl Iterator<Item = &ContactManifold> {
    world.contact_pairs().filter_map(|pair| pair.rigid()).flat_map(|contacts| &contacts.manifolds)
}

fn main() -> ExitCode {
    bench_common::main::<Rapier>()
}
