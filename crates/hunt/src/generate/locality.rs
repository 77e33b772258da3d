//! Random scenes for `locality`: a crowd on some ground, and a busy heap of strangers far away.

use super::body::{body, chance, log_range};
use super::crowd::Crowd;
use super::settings;
use huygens::Scene;
use huygens::math::{Quat, SplitMix, Vec3};
use huygens::scene::{Body, DriveLimit, Motion, Shape, ShapeKind};

/// Layer of strangers that have a ground of their own.
const APART: u32 = 2;

const CROWD: Crowd = Crowd { bodies: [1, 4], speed: 3.0, seconds: 1.0, most_steps: 60, ..Crowd::USUAL };

/// A random scene.
pub fn scene(random: &mut SplitMix, solver: &str) -> Scene {
    let mut scene = CROWD.scene(random, solver);
    let size = scene.world.length;
    let before = scene.bodies.len();
    let spot = size * random.range(80.0, 200.0) * Vec3::new(1.0, random.range(-1.0, 1.0), 0.0);
    // A level floor carries both; any other ground is not there for strangers.
    let level = scene.world.gravity.x == 0.0 && scene.world.gravity.y == 0.0;
    let shared = before > 0
        && level
        && matches!(scene.bodies[0].shapes[0].kind, ShapeKind::HalfSpace { .. })
        && scene.bodies[0].orientation == Quat::IDENTITY
        && scene.bodies[0].motion == Motion::Static
        && !scene.bodies.iter().any(|body| body.name == "ground 2" || body.name == "floor");
    if !shared {
        let floor = Shape::half_space();
        scene.bodies.push(Body::fixed("stranger ground").shape(floor).at(spot.x, spot.y, spot.z));
    }
    heap(random, &mut scene, spot, size);
    for body in scene.bodies[before..].iter_mut().filter(|_| !shared) {
        body.shapes.iter_mut().for_each(|shape| (shape.layer, shape.mask) = (APART, APART));
    }
    scene
}

/// Bodies that fall and are shot onto each other, and a driver with a torque limit.
fn heap(random: &mut SplitMix, scene: &mut Scene, spot: Vec3, size: f64) {
    let pace = (9.81 * size).sqrt();
    let others = size * log_range(random, 0.3, 3.0);
    let mut height = 0.0;
    for number in 1..=2 + random.index(4) {
        let own = others * random.range(0.3, 1.0);
        let mut stranger = body(random, &format!("stranger {number}"), own);
        height += own;
        stranger.position =
            spot + Vec3::new(0.3 * own * random.unit(), 0.3 * own * random.unit(), height * 1.001);
        height += own;
        if chance(random, 0.5) {
            stranger.linear_velocity = Vec3::NEG_Z * pace * log_range(random, 0.1, 30.0);
            stranger.angular_velocity = random.direction() * pace / own * log_range(random, 0.1, 10.0);
        }
        for shape in &mut stranger.shapes {
            shape.friction = Some(settings::friction(random));
            shape.restitution = Some(settings::restitution(random));
        }
        scene.bodies.push(stranger);
    }
    if chance(random, 0.5) {
        let bar = Shape::cuboid(4.0 * others, 0.5 * others, 0.5 * others).density(1000.0);
        let speed = log_range(random, 0.5, 20.0);
        let max = 4000.0 * others * others * others * others * log_range(random, 0.01, 100.0);
        let rotor = Body::driven("stranger rotor", [0.0; 3], [0.0, 0.0, speed]);
        let at = spot + Vec3::new(2.2 * others, 0.0, 0.3 * others);
        scene.bodies.push(rotor.shape(bar).limit(DriveLimit::Torque { max }).at(at.x, at.y, at.z));
    }
}
