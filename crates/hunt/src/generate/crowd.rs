//! A ground with bodies on it: the scene that most kinds of fault are looked for in.

use super::body::{body, chance, log_range, solid};
use super::ground::Ground;
use super::mechanism::mechanism;
use super::place::{Room, Taken};
use super::settings::{self, Methods};
use huygens::Scene;
use huygens::math::{SplitMix, Vec3};
use huygens::scene::{Body, Joint, Shape};

/// How a scene is made.
#[derive(Clone, Copy, Debug)]
pub struct Crowd {
    /// Which methods its world may choose.
    pub methods: Methods,
    /// Smallest and largest number of bodies.
    pub bodies: [usize; 2],
    /// Whether some scenes have a tree of hinges.
    pub trees: bool,
    /// Share of the scenes that have a mechanism instead.
    pub mechanisms: f64,
    /// Smallest and largest size of bodies, over scenes [m].
    pub sizes: [f64; 2],
    /// Largest speed at the start, in √(g·size).
    pub speed: f64,
    /// Time to run [s].
    pub seconds: f64,
    /// Most steps.
    pub most_steps: u64,
}

impl Crowd {
    /// One to six bodies of a size between 2 cm and 2 m, for 8 s or 1500 steps.
    pub const USUAL: Self = Self {
        methods: Methods::Every,
        bodies: [1, 6],
        trees: true,
        mechanisms: 0.0,
        sizes: [0.02, 2.0],
        speed: 5.0,
        seconds: 8.0,
        most_steps: 1500,
    };

    /// A scene whose bodies start free of overlap.
    pub fn scene(&self, random: &mut SplitMix, solver: &str) -> Scene {
        let size = log_range(random, self.sizes[0], self.sizes[1]);
        let mut scene =
            Scene { world: settings::world(random, solver, self.methods, size), ..Scene::default() };
        settings::last(&mut scene.world, self.seconds, self.most_steps);
        let room = Ground::any(random).lay(random, &mut scene, size);
        let mut taken = Taken::default();
        if self.mechanisms > 0.0 && chance(random, self.mechanisms) {
            mechanism(random, &mut scene, &room, &mut taken, size);
        } else if self.trees && chance(random, 0.2) {
            chain(random, &mut scene, &room, &mut taken, size);
        }
        self.fill(random, &mut scene, &room, &mut taken, size);
        settings::surfaces(random, &mut scene, size);
        scene
    }

    fn fill(&self, random: &mut SplitMix, scene: &mut Scene, room: &Room, taken: &mut Taken, size: f64) {
        let [least, most] = self.bodies;
        let count = least + random.index(most - least + 1);
        let pace = (9.81 * size).sqrt();
        for number in 1..=count {
            let own = size * if chance(random, 0.5) { 1.0 } else { log_range(random, 0.1, 1.0) };
            let mut body = body(random, &format!("body {number}"), own);
            let Some(center) = taken.place(random, room, own) else { continue };
            body.position = center;
            let fast = chance(random, 0.5);
            if fast {
                body.linear_velocity = random.direction() * pace * self.speed * random.unit();
                body.angular_velocity = random.direction() * pace / own * self.speed * random.unit();
            }
            if chance(random, 0.15) {
                body.lock = settings::lock(random);
                obey(&mut body);
            }
            if chance(random, 0.05) {
                body.gravity_scale = random.range(0.0, 2.0);
            }
            if chance(random, 0.05) {
                let weight = 4000.0 * own * own * own * 9.81;
                body.force = random.direction() * weight * random.unit();
            }
            scene.bodies.push(body);
        }
    }
}

/// Takes away the velocity along locked axes, which a scene may not have.
fn obey(body: &mut Body) {
    let free = |locked: [bool; 3], v: Vec3| {
        let keep = |locked: bool, x: f64| if locked { 0.0 } else { x };
        Vec3::new(keep(locked[0], v.x), keep(locked[1], v.y), keep(locked[2], v.z))
    };
    body.linear_velocity = free(body.lock.linear, body.linear_velocity);
    body.angular_velocity = free(body.lock.angular, body.angular_velocity);
}

/// Two to four links on hinges, in a line; the first one on the world, or free.
fn chain(random: &mut SplitMix, scene: &mut Scene, room: &Room, taken: &mut Taken, size: f64) {
    let count = 2 + random.index(3);
    let link = size / count as f64;
    let Some(center) = taken.place(random, room, size) else { return };
    let along = random.direction();
    let at = |k: f64| center + along * link * (2.0 * k + 1.0 - count as f64);
    let free = chance(random, 0.5);
    for k in 0..count {
        let name = format!("link {}", k + 1);
        let mut shape = Shape::new(solid(random, 0.95 * link));
        shape.density = Some(1000.0);
        let mut body = Body::dynamic(&name).shape(shape);
        body.position = at(k as f64);
        body.orientation = random.rotation();
        scene.bodies.push(body);
        if k == 0 && free {
            continue;
        }
        let anchor = at(k as f64 - 0.5);
        let axis = random.direction();
        let mut joint = Joint::hinge(format!("hinge {}", k + 1), &name)
            .anchor(anchor.x, anchor.y, anchor.z)
            .axis(axis.x, axis.y, axis.z);
        if k > 0 {
            joint = joint.parent(format!("link {k}"));
        }
        if chance(random, 0.3) {
            joint.range = Some([-random.range(0.1, 2.0), random.range(0.1, 2.0)]);
        }
        scene.joints.push(joint);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;
    use crate::generate::stream;
    use huygens::World;

    #[test]
    fn every_random_scene_can_be_and_starts_free_of_overlap() {
        for number in 0..400 {
            let mut random = stream(3, Kind::Nan, number);
            let scene = Crowd::USUAL.scene(&mut random, "soft-step");
            let world = World::new(&scene).unwrap_or_else(|errors| panic!("scene {number}: {errors}"));
            let deepest = world.penetration();
            assert!(deepest <= 1e-9 * scene.world.length, "scene {number}: {deepest} m");
        }
    }
}
