//! Box3D on our scenes, through the crate `boxddd`, which compiles the C source that it carries.

use bench_common::{Engine, Scene, Shape};
use boxddd::{BodyId, BodyType, BoxHull, Capsule, Foundation, Quat, ShapeId, Sphere, Vec3, World};
use std::process::ExitCode;

/// Sub-steps of the engine's own samples.
const SUB_STEPS: i32 = 4;

struct Box3d {
    world: World,
    scene: Scene,
    bodies: Vec<(BodyId, ShapeId)>,
}

impl Engine for Box3d {
    const NAME: &'static str = "box3d";
    const VERSION: &'static str = "boxddd 0.4";

    fn new(scene: &Scene) -> Self {
        assert!(scene.mesh.triangles.is_empty(), "the harness has no meshes for Box3D");
        build(scene).expect("Box3D takes the scene")
    }

    fn step(&mut self) {
        self.world.step(1.0 / 60.0, SUB_STEPS).expect("Box3D steps");
    }

    fn contacts(&self) -> usize {
        self.separations().len()
    }

    fn kinetic_energy(&self) -> f64 {
        let moving = self.scene.bodies.iter().zip(&self.bodies).filter(|(body, _)| !body.fixed);
        moving.map(|(_, (id, _))| self.energy_of(*id).expect("the body is there")).sum()
    }

    /// A world made anew at these poses, which a step of no length collides and does not move.
    fn gaps(&mut self) -> Vec<f64> {
        let mut scene = self.scene.clone();
        for (body, (id, _)) in scene.bodies.iter_mut().zip(&self.bodies) {
            let pose = self.world.body_transform(*id).expect("the body is there");
            let (p, q) = (pose.p, pose.q);
            body.position = [p.x, p.y, p.z].map(f64::from);
            body.rotation = [q.v.x, q.v.y, q.v.z, q.s].map(f64::from);
        }
        let mut fresh = Self::new(&scene);
        fresh.world.step(0.0, SUB_STEPS).expect("Box3D steps");
        fresh.separations()
    }
}

fn build(scene: &Scene) -> boxddd::Result<Box3d> {
    let foundation = Foundation::initialize_default()?;
    let definition = foundation.world_def_builder().gravity([0.0, -9.81, 0.0]).worker_count(1).build()?;
    let mut world = foundation.create_world(definition)?;
    world.enable_sleeping(false)?;
    let material = foundation.shape_def_builder().density(1000.0).friction(scene.friction as f32).build()?;
    let mut bodies = Vec::with_capacity(scene.bodies.len());
    for body in &scene.bodies {
        let kind = if body.fixed { BodyType::Static } else { BodyType::Dynamic };
        let [x, y, z, w] = body.rotation.map(|x| x as f32);
        let definition = foundation
            .body_def_builder()
            .body_type(kind)
            .position(body.position.map(|x| x as f32))
            .rotation(Quat { v: Vec3::new(x, y, z), s: w })
            .enable_sleep(false)
            .build()?;
        let id = world.create_body(definition)?;
        let shape = match body.shape {
            Shape::Sphere(radius) => {
                world.create_sphere_shape(id, &material, &Sphere::new(Vec3::ZERO, radius as f32))?
            }
            Shape::Capsule(radius, half) => {
                let end = half as f32;
                let capsule = Capsule::new([0.0, -end, 0.0], [0.0, end, 0.0], radius as f32);
                world.create_capsule_shape(id, &material, &capsule)?
            }
            Shape::Box([a, b, c]) => {
                world.create_hull_shape(id, &material, &BoxHull::new(a as f32, b as f32, c as f32)?)?
            }
        };
        bodies.push((id, shape));
    }
    Ok(Box3d { world, scene: scene.clone(), bodies })
}

impl Box3d {
    /// Of every contact point; each contact is asked for at its first shape.
    fn separations(&self) -> Vec<f64> {
        let mut all = Vec::new();
        let mut contacts = Vec::new();
        for (_, shape) in &self.bodies {
            self.world.shape_contacts_into(*shape, &mut contacts).expect("the shape is there");
            let own = contacts.iter().filter(|contact| contact.shape_id_a == *shape);
            let points = own.flat_map(|contact| &contact.manifolds).flat_map(|manifold| manifold.points());
            all.extend(points.map(|point| f64::from(point.separation)));
        }
        all
    }

    fn energy_of(&self, id: BodyId) -> boxddd::Result<f64> {
        let mass = f64::from(self.world.body_mass(id)?);
        let [v, w] = [self.world.body_linear_velocity(id)?, self.world.body_angular_velocity(id)?]
            .map(|v| [v.x, v.y, v.z].map(f64::from));
        let q = self.world.body_rotation(id)?;
        let w = turned_back([q.v.x, q.v.y, q.v.z].map(f64::from), f64::from(q.s), w);
        let inertia = self.world.body_local_rotational_inertia(id)?;
        let columns = [inertia.cx, inertia.cy, inertia.cz].map(|c| [c.x, c.y, c.z].map(f64::from));
        let mut twice = mass * dot(v, v);
        for (column, w_j) in columns.iter().zip(w) {
            twice += dot(*column, w) * w_j;
        }
        Ok(twice / 2.0)
    }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// x in the axes of a body with orientation (q, s): x + 2 s (−q)×x + 2 (−q)×((−q)×x).
fn turned_back(q: [f64; 3], s: f64, x: [f64; 3]) -> [f64; 3] {
    let back = q.map(|c| -c);
    let t = cross(back, x);
    let u = cross(back, t);
    std::array::from_fn(|i| x[i] + 2.0 * (s * t[i] + u[i]))
}

fn main() -> ExitCode {
    bench_common::main::<Box3d>()
}
