//! Random scenes for `ghost`: bodies that fly past another one and do not meet it, with clearances from 1 mm to 10 cm.
//!
//! The first body is the `target`: a rod that whirls, any body that spins, a chain, or a thing that stands still. Each `passer` is aimed
//! at it, and then moved aside until its flight is clear.

use super::body::{body, chance, log_range, solid};
use super::settings::{self, Methods};
use crate::Worlds;
use crate::forms::Forms;
use crate::judge::flight::nearest_in_step;
use crate::judge::ghost::lone_runs;
use crate::judge::run::{Run, jointed_groups, part_of, run};
use huygens::Scene;
use huygens::math::{SplitMix, Vec3, scalar};
use huygens::scene::{Axis, Body, Duration, Joint, Motion, Shape, ShapeKind};

/// Largest turn in one step [rad]: a faster one has no sense of rotation.
const MOST_TURN: f64 = 2.5;

/// A random scene.
pub fn scene(random: &mut SplitMix, solver: &str) -> Scene {
    let size = log_range(random, 0.02, 0.5);
    let mut scene =
        Scene { world: settings::world(random, solver, Methods::Every, size), ..Scene::default() };
    scene.world.duration = Duration::Steps(8 + random.index(30) as u64);
    if chance(random, 0.3) {
        scene.world.gravity = Vec3::ZERO;
    }
    if chance(random, 0.2) {
        scene.world.margin = Some(size * log_range(random, 0.01, 0.5));
    }
    target(random, &mut scene, size);
    for number in 1..=1 + random.index(3) {
        let own = if chance(random, 0.5) {
            log_range(random, 0.01, 0.1)
        } else {
            size * log_range(random, 0.2, 1.0)
        };
        let name = format!("passer {number}");
        let mut passer =
            if chance(random, 0.3) { Body::dynamic(name).sphere(own) } else { body(random, &name, own) };
        passer.linear_velocity = random.direction() * log_range(random, 1.0, 100.0);
        passer.angular_velocity = spin(random, scene.world.dt);
        send_past(random, &mut scene, passer);
    }
    settings::surfaces(random, &mut scene, size);
    scene
}

fn spin(random: &mut SplitMix, dt: f64) -> Vec3 {
    random.direction() * log_range(random, 0.5, scalar::min(150.0, MOST_TURN / dt))
}

/// Puts the body that the others pass at the origin.
fn target(random: &mut SplitMix, scene: &mut Scene, size: f64) {
    let dt = scene.world.dt;
    let name = "target";
    let kind = random.unit();
    if kind < 0.35 {
        // A rod that whirls about an axis across itself.
        let rod = Shape::capsule(size * log_range(random, 0.02, 0.3), 2.0 * size).along(Axis::X);
        let mut target = Body::dynamic(name).shape(rod.density(1000.0));
        target.orientation = random.rotation();
        let across = (target.orientation * Vec3::X).cross(random.direction()).normalize_or(Vec3::Z);
        target.angular_velocity = across * spin(random, dt).length();
        if chance(random, 0.2) {
            let (linear_velocity, angular_velocity) = (Vec3::ZERO, target.angular_velocity);
            let limit = Default::default();
            target.motion =
                Motion::Driven { linear_velocity, angular_velocity, keyframes: Vec::new(), limit };
            target.angular_velocity = Vec3::ZERO;
        }
        scene.bodies.push(target);
    } else if kind < 0.65 {
        let mut target = body(random, name, size);
        target.angular_velocity = spin(random, dt);
        target.linear_velocity = random.direction() * log_range(random, 0.1, 30.0);
        scene.bodies.push(target);
    } else if kind < 0.75 {
        chain(random, scene, size);
    } else {
        let shape = match random.index(5) {
            0 => Shape::half_space(),
            1 => Shape::wall(2.0 * size, size * random.range(0.5, 4.0)),
            2 => Shape::cuboid(2.0 * size, 2.0 * size, 0.002),
            3 => ridge(random, size),
            _ => Shape::new(solid(random, size)),
        };
        let mut target = Body::fixed(name).shape(shape);
        target.orientation = random.rotation();
        scene.bodies.push(target);
    }
}

/// A surface of triangles with one ridge.
fn ridge(random: &mut SplitMix, size: f64) -> Shape {
    let height = size * random.range(0.0, 1.0);
    let vertices = (0..9u32).map(|i| {
        let (x, y) = (f64::from(i % 3) - 1.0, f64::from(i / 3) - 1.0);
        [x * size, y * size, height * (1.0 - x.abs())]
    });
    let cells = [0, 1, 3, 4].into_iter().flat_map(|a| [[a, a + 1, a + 3], [a + 1, a + 4, a + 3]]);
    Shape::mesh(vertices, cells)
}

/// Two or three links on hinges that whirl about the first one's anchor.
fn chain(random: &mut SplitMix, scene: &mut Scene, size: f64) {
    let axis = random.direction();
    for k in 0..2 + random.index(2) {
        let name = format!("target {}", k + 1);
        let x = 2.0 * size * k as f64;
        let link = Shape::capsule(0.1 * size, 1.6 * size).along(Axis::X).density(1000.0);
        scene.bodies.push(Body::dynamic(&name).shape(link).at(x, 0.0, 0.0));
        let mut joint = Joint::hinge(format!("hinge {}", k + 1), name)
            .anchor(x - size, 0.0, 0.0)
            .axis(axis.x, axis.y, axis.z);
        joint.velocity = random.range(-1.0, 1.0) * scalar::min(20.0, 0.3 / scene.world.dt);
        if k > 0 {
            joint = joint.parent(format!("target {k}"));
        }
        scene.joints.push(joint);
    }
}

/// Adds a body whose flight passes the bodies that are there already by a random clearance.
fn send_past(random: &mut SplitMix, scene: &mut Scene, mut passer: Body) {
    let steps = scene.world.step_count();
    let clearance = log_range(random, 1e-3, 0.1);
    // Aimed at where the last body that was there before will be in some step.
    let before = scene.bodies.len();
    let groups = jointed_groups(scene);
    let flights = run(&Worlds, scene, 0)
        .and_then(|start| lone_runs(&Worlds, scene, &groups, &start[0], steps))
        .expect("a scene that can be");
    let step = 1 + random.index(steps as usize - 1);
    let aim = flights[step][random.index(before)];
    scene.bodies.push(passer.clone());
    let alone = part_of(scene, &[before]);
    let free = run(&Worlds, &alone, steps).expect("a body that can be");
    let velocity = passer.linear_velocity - aim.velocity;
    let aside = match scene.bodies[0].shapes[0].kind {
        ShapeKind::HalfSpace { .. } => scene.bodies[0].orientation * Vec3::Z,
        _ => velocity.cross(random.direction()).normalize_or(Vec3::X),
    };
    let start = aim.center - free[step][0].center;
    let forms = Forms::new(scene).expect("a scene that can be");
    let way = Way { forms: &forms, flights: &flights, free: &free, start, aside, h: scene.world.dt };
    passer.position += start + aside * way.clear_shift(clearance);
    scene.bodies[before] = passer;
}

/// The flight of a passer that may be moved aside.
struct Way<'a> {
    forms: &'a Forms,
    /// Flights of the bodies that are there already.
    flights: &'a Run,
    /// Flight of the passer from the origin.
    free: &'a Run,
    /// Start of a flight that leads through the target.
    start: Vec3,
    /// Direction in which it is moved.
    aside: Vec3,
    /// Time step [s].
    h: f64,
}

impl Way<'_> {
    /// Smallest gap of the passer's flight, moved aside by `shift` [m].
    fn gap(&self, shift: f64) -> f64 {
        let before = self.flights[0].len();
        let groups = [(0..before).collect(), vec![before]];
        let moved = self.start + self.aside * shift;
        let bodies = |step: usize| {
            let mut bodies = self.flights[step].clone();
            let mut passer = self.free[step][0];
            passer.center += moved;
            bodies.push(passer);
            bodies
        };
        let mut least = f64::INFINITY;
        for step in 1..self.flights.len() {
            let nearest = nearest_in_step(self.forms, &groups, &bodies(step - 1), &bodies(step), self.h);
            least = scalar::min(least, nearest.gap);
            if least <= 0.0 {
                break;
            }
        }
        least
    }

    /// A shift at which the flight is clear by about `clearance` [m]; a large one where there is none.
    fn clear_shift(&self, clearance: f64) -> f64 {
        let (mut low, mut high) = (0.0, 0.1);
        while self.gap(high) < clearance && high < 1e3 {
            (low, high) = (high, 2.0 * high);
        }
        for _ in 0..10 {
            let middle = 0.5 * (low + high);
            if self.gap(middle) < clearance { low = middle } else { high = middle }
        }
        high
    }
}
