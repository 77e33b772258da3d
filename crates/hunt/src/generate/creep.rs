//! Random scenes for `creep`: bodies that touch their ground at the start, at rest, and must stay there.
//!
//! The judge decides by statics whether a scene must rest; a scene here that must not is not judged, so none is made on purpose.

use super::body::{chance, log_range};
use super::settings::{self, Methods};
use huygens::Scene;
use huygens::math::{Quat, SplitMix, Vec3, trig};
use huygens::scene::{Axis, Body, Lock, Shape, ShapeKind};
use std::f64::consts::TAU;

/// A random scene.
pub fn scene(random: &mut SplitMix, solver: &str) -> Scene {
    let size = log_range(random, 0.02, 2.0);
    let mut scene =
        Scene { world: settings::world(random, solver, Methods::Every, size), ..Scene::default() };
    scene.world.gravity = Vec3::new(0.0, 0.0, -9.81);
    settings::last(&mut scene.world, 3.0, 1000);
    let friction = random.range(0.05, 1.5);
    match random.index(6) {
        0 => {
            level(random, &mut scene, size);
            let (shape, half) = standing(random, size);
            put(random, &mut scene, shape, half);
        }
        1 => slope(random, &mut scene, size, friction),
        2 => stack(random, &mut scene, size),
        3 => lying(random, &mut scene, size),
        4 => table(random, &mut scene, size),
        _ => pyramid(random, &mut scene, size),
    }
    // A level floor holds without friction too.
    let slippery = chance(random, 0.2) && scene.bodies[0].orientation == Quat::IDENTITY;
    let restitution = settings::restitution(random);
    for shape in scene.shapes_mut() {
        shape.friction = Some(if slippery { 0.0 } else { friction });
        shape.restitution = Some(restitution);
    }
    scene
}

/// A level ground of any kind, its surface at z = 0.
fn level(random: &mut SplitMix, scene: &mut Scene, size: f64) {
    let edge = 20.0 * size;
    let flat = |k: usize| vec![vec![0.0; k]; k];
    let ground = match random.index(6) {
        0 => Shape::half_space(),
        1 => Shape::cuboid(edge, edge, size).at(0.0, 0.0, -0.5 * size),
        2 => Shape::wall(edge, edge),
        3 => Shape::box_inside(edge, edge, edge).at(0.0, 0.0, 0.5 * edge),
        4 => Shape::height_field(flat(3 + random.index(8)), edge, edge),
        _ => {
            let half = 0.5 * edge;
            let corners = [[-half, -half, 0.0], [half, -half, 0.0], [half, half, 0.0], [-half, half, 0.0]];
            Shape::mesh(corners, [[0, 1, 2], [0, 2, 3]])
        }
    };
    scene.bodies.push(Body::fixed("ground").shape(ground));
}

/// A solid that stands on its flat side, its middle at the origin, and half of its height [m].
fn standing(random: &mut SplitMix, size: f64) -> (Shape, f64) {
    let share = |random: &mut SplitMix| log_range(random, 0.15, 1.0);
    let (a, b, height) = (size * share(random), size * share(random), size * share(random));
    let shape = match random.index(4) {
        0 => Shape::cylinder(a, 2.0 * height),
        1 => Shape::cone(a, 2.0 * height),
        2 => prism(random, a, height),
        _ => Shape::cuboid(2.0 * a, 2.0 * b, 2.0 * height),
    };
    (shape, height)
}

/// A hull that is a prism over a regular polygon.
fn prism(random: &mut SplitMix, radius: f64, half: f64) -> Shape {
    let corners = 3 + random.index(6);
    let mut points = Vec::new();
    for k in 0..corners {
        let (sin, cos) = trig::sin_cos(TAU * k as f64 / corners as f64);
        for z in [-half, half] {
            points.push([radius * cos, radius * sin, z]);
        }
    }
    Shape::hull(points)
}

/// Puts a body on the level ground at z = 0, turned about the vertical.
fn put(random: &mut SplitMix, scene: &mut Scene, shape: Shape, half: f64) {
    let mut body = Body::dynamic("body 1").shape(shape).at(0.0, 0.0, half);
    body.orientation =
        trig::axis_angle(Vec3::Z, if chance(random, 0.5) { 0.0 } else { random.range(0.0, TAU) });
    scene.bodies.push(body);
}

/// A solid on a slope that its friction holds, and that does not tip; or a ball whose turning is locked.
fn slope(random: &mut SplitMix, scene: &mut Scene, size: f64, friction: f64) {
    let tangent = 0.85 * friction * random.unit();
    let tilt = trig::axis_angle(Vec3::X, trig::atan2(tangent, 1.0));
    let mut ground = Body::fixed("ground").shape(Shape::half_space());
    ground.orientation = tilt;
    scene.bodies.push(ground);
    let round = chance(random, 0.3);
    let (mut shape, mut half) = standing(random, size);
    let mut body = Body::dynamic("body 1");
    if round {
        // Down the slope, or a ball that cannot turn.
        half = size * log_range(random, 0.1, 1.0);
        shape = match random.index(3) {
            0 => {
                body.lock = Lock { linear: [false; 3], angular: [true; 3] };
                Shape::sphere(half)
            }
            1 => Shape::capsule(half, size).along(Axis::Y),
            _ => Shape::cylinder(half, size).along(Axis::Y),
        };
    } else if let ShapeKind::Box { size: edges } = &mut shape.kind {
        // Low enough not to tip.
        let least = 0.5 * huygens::math::scalar::min(edges.x, edges.y);
        half = huygens::math::scalar::min(half, 0.8 * least / huygens::math::scalar::max(tangent, 0.1));
        edges.z = 2.0 * half;
    }
    body = body.shape(shape);
    body.position = tilt * Vec3::new(0.0, 0.0, half);
    let about = if round { 0.0 } else { random.range(0.0, TAU) };
    body.orientation = tilt * trig::axis_angle(Vec3::Z, about);
    scene.bodies.push(body);
}

/// Two to six boxes or cylinders on top of each other, each a little aside.
fn stack(random: &mut SplitMix, scene: &mut Scene, size: f64) {
    level(random, scene, size);
    let mut top = 0.0;
    for number in 1..=2 + random.index(5) {
        let share = |random: &mut SplitMix| size * random.range(0.5, 1.0);
        let (a, b, half) = (share(random), share(random), size * log_range(random, 0.1, 0.8));
        let shape = if chance(random, 0.2) {
            Shape::cylinder(a, 2.0 * half)
        } else {
            Shape::cuboid(2.0 * a, 2.0 * b, 2.0 * half)
        };
        let aside = 0.1 * size;
        let mut body = Body::dynamic(format!("body {number}")).shape(shape);
        body.position = Vec3::new(random.range(-aside, aside), random.range(-aside, aside), top + half);
        if chance(random, 0.5) {
            body.orientation = trig::axis_angle(Vec3::Z, random.range(0.0, TAU));
        }
        top += 2.0 * half;
        scene.bodies.push(body);
    }
}

/// Balls, capsules and cylinders on their sides: on a level ground, or in a trough.
fn lying(random: &mut SplitMix, scene: &mut Scene, size: f64) {
    let radius = size * log_range(random, 0.1, 1.0);
    let length = size * random.range(0.3, 2.0);
    let shape = match random.index(4) {
        0 => Shape::sphere(radius),
        1 => Shape::ellipsoid(radius * random.range(1.1, 3.0), radius * random.range(1.1, 3.0), radius),
        2 => Shape::capsule(radius, length).along(Axis::X),
        _ => Shape::cylinder(radius, length).along(Axis::X),
    };
    if chance(random, 0.5) || matches!(shape.kind, ShapeKind::Ellipsoid { .. }) {
        level(random, scene, size);
        put(random, scene, shape, radius);
        return;
    }
    let angle = random.range(0.1, 0.7);
    for (name, tilt) in [("ground", angle), ("ground 2", -angle)] {
        let mut side = Body::fixed(name).shape(Shape::half_space());
        side.orientation = trig::axis_angle(Vec3::X, tilt);
        scene.bodies.push(side);
    }
    scene.bodies.push(Body::dynamic("body 1").shape(shape).at(0.0, 0.0, radius / trig::cos(angle)));
}

/// A slab on three or four legs: one body of several shapes.
fn table(random: &mut SplitMix, scene: &mut Scene, size: f64) {
    level(random, scene, size);
    let legs = 3 + random.index(2);
    let (thick, leg, half) = (0.2 * size, 0.1 * size, size * random.range(0.2, 0.6));
    let mut body = Body::dynamic("body 1").shape(Shape::cuboid(1.6 * size, 1.6 * size, thick));
    for k in 0..legs {
        let (sin, cos) = trig::sin_cos(TAU * k as f64 / legs as f64);
        let away = 0.7 * size;
        let z = -half - 0.5 * thick;
        body = body.shape(Shape::cuboid(leg, leg, 2.0 * half).at(away * cos, away * sin, z));
    }
    scene.bodies.push(body.at(0.0, 0.0, 2.0 * half + 0.5 * thick));
}

/// Two boxes side by side with one across, or three with two and one.
fn pyramid(random: &mut SplitMix, scene: &mut Scene, size: f64) {
    level(random, scene, size);
    let base = 2 + random.index(2);
    let (edge, apart) = (size, size * random.range(1.02, 1.4));
    let mut number = 0;
    for row in 0..base {
        for k in 0..base - row {
            number += 1;
            let x = apart * (k as f64 - 0.5 * (base - row - 1) as f64);
            let shape = Shape::cuboid(edge, edge, edge);
            let body = Body::dynamic(format!("body {number}")).shape(shape);
            scene.bodies.push(body.at(x, 0.0, edge * (row as f64 + 0.5)));
        }
    }
}
