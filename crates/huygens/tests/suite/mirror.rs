//! A mirrored scene moves as the mirror image of the scene: no point of a contact comes before another.

use crate::common::{floor, position, step, velocity, world};
use huygens::math::{SplitMix, Vec3, scalar};
use huygens::scene::{Axis, Body, Scene, Shape, ShapeKind};

/// Mirrors a place or a velocity in x = 0; a spin keeps what a place changes.
fn seen(v: Vec3, mirrored: bool) -> Vec3 {
    if mirrored { Vec3::new(-v.x, v.y, v.z) } else { v }
}

fn spin_seen(w: Vec3, mirrored: bool) -> Vec3 {
    if mirrored { Vec3::new(w.x, -w.y, -w.z) } else { w }
}

/// The largest difference between places and velocities of a scene and of its mirror image, mapped back, after so many steps.
fn difference(scene: impl Fn(bool) -> Scene, bodies: &[&str], steps: u32) -> f64 {
    let [mut here, mut there] = [false, true].map(|mirrored| world(&scene(mirrored)));
    let mut largest = 0.0;
    for _ in 0..steps {
        step(&mut here);
        step(&mut there);
        for body in bodies {
            let moved = position(&here, body) - seen(position(&there, body), true);
            let speed = velocity(&here, body) - seen(velocity(&there, body), true);
            largest = scalar::max(scalar::max(moved.length(), speed.length()), largest);
        }
    }
    largest
}

#[test]
fn what_falls_on_an_edge_or_a_corner_does_so_in_the_mirror_too() {
    // A contact of which some points lift. The first steps alone: what tumbles makes more of round-off later on.
    let mut r = SplitMix::new(70);
    let shapes = [
        Shape::cuboid(0.5, 0.4, 0.3),
        Shape::new(ShapeKind::Cylinder { radius: 0.2, length: 0.3, axis: Axis::Z }),
        Shape::new(ShapeKind::Cone { radius: 0.2, length: 0.3, axis: Axis::Z }),
        Shape::capsule(0.15, 0.5),
    ];
    for k in 0..40 {
        let (axis, angle, spin) = (r.in_cube(), r.range(0.0, 0.2), r.in_cube());
        let (speed, e) = (r.in_cube(), if k % 2 == 0 { 0.0 } else { 0.5 });
        let shape = shapes[k % 4].clone().friction(0.5).restitution(e);
        let scene = |mirrored: bool| {
            let [v, w] = [seen(speed, mirrored), spin_seen(spin, mirrored)];
            let body = Body::dynamic("body").shape(shape.clone()).at(0.0, 0.0, 0.26);
            let body = body.turned(spin_seen(axis, mirrored), angle).velocity(v.x, v.y, -1.0);
            Scene::new().dt(1.0 / 240.0).body(floor(0.5, e)).body(body.spin(w.x, w.y, w.z))
        };
        let off = difference(scene, &["body"], 30);
        // The displacement of what lands is swept 16 times, point after point.
        assert!(off < 1e-9, "{k}: {off:e}");
    }
}

#[test]
fn a_ball_strikes_a_stack_of_boxes_in_the_mirror_as_here() {
    // The boxes touch with four points each, and their gaps are round-off: neither decides which of them bears most or is struck first.
    for solver in ["soft-step"] {
        let scene = |mirrored: bool| {
            let boxed = |name: &str, x: f64, z: f64| {
                let shape = Shape::cuboid(0.5, 0.4, 0.3).friction(0.5).restitution(0.3);
                Body::dynamic(name).shape(shape).at(if mirrored { -x } else { x }, 0.03, z)
            };
            let [at, v] = [Vec3::new(-0.2, 0.0, 0.85), Vec3::new(1.0, 0.1, -1.0)].map(|v| seen(v, mirrored));
            let ball = Body::dynamic("ball").shape(Shape::sphere(0.2).friction(0.5).restitution(0.3));
            let ball = ball.at(at.x, at.y, at.z).velocity(v.x, v.y, v.z);
            let stack = [boxed("low", 0.0, 0.15), boxed("high", 0.05, 0.45)];
            let [low, high] = stack;
            let scene = Scene::new().dt(1e-3).solver(solver).body(floor(0.5, 0.3));
            scene.body(low).body(high).body(ball)
        };
        let off = difference(scene, &["low", "high", "ball"], 100);
        assert!(off < 1e-9, "{solver}: {off:e}");
    }
}
