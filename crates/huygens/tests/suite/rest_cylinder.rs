//! Cylinders and cones at rest: the contact patch stays, and so does the body.

use crate::common::{floor, position, run, solvers, step, velocity, world};
use huygens::World;
use huygens::math::Vec3;
use huygens::scene::{Axis, Body, Scene, Shape};

const RADIUS: f64 = 0.5;
const DT: f64 = 1.0 / 240.0;

/// Contact points of the only pair.
fn patch(world: &World) -> Vec<Vec3> {
    world.contacts().map(|contact| contact.point).collect()
}

/// The farthest that a point is from the nearest of the step before.
fn moved(before: &[Vec3], now: &[Vec3]) -> f64 {
    let nearest = |p: &Vec3| {
        before.iter().map(|q| (*q - *p).length()).fold(f64::INFINITY, |a, b| if b < a { b } else { a })
    };
    now.iter().map(nearest).fold(0.0, |a, b| if b > a { b } else { a })
}

fn rests(name: &str, shape: &Shape, height: f64, points: usize) {
    for solver in solvers() {
        let body = Body::dynamic("body").shape(shape.clone()).at(0.0, 0.0, height);
        let mut world = world(&Scene::new().dt(DT).solver(solver).body(floor(0.5, 0.0)).body(body));
        run(&mut world, 240);
        let (start, mut before) = (position(&world, "body"), patch(&world));
        assert_eq!(before.len(), points, "{name}, {solver}");
        let (mut most, steps) = (0.0, 1200);
        for _ in 0..steps {
            step(&mut world);
            let now = patch(&world);
            assert_eq!(now.len(), points, "{name}, {solver}: the number of points does not flicker");
            let m = moved(&before, &now);
            most = if m > most { m } else { most };
            before = now;
        }
        let drift = (position(&world, "body") - start).length() / (steps as f64 * DT);
        println!(
            "{name}, {solver}: patch moves {most:.1e} m in a step, drift {drift:.1e} m/s, speed {:.1e} m/s",
            velocity(&world, "body").length()
        );
        assert!(most < 0.01 * RADIUS, "{name}, {solver}: the patch moves {most} m in a step");
        // Issue 5: 1 µm/s.
        assert!(drift < 1e-6, "{name}, {solver}: drift {drift} m/s");
    }
}

#[test]
fn a_cylinder_on_its_end_keeps_its_patch_and_its_place() {
    rests("end", &Shape::cylinder(RADIUS, 1.0), 0.5, 4);
}

#[test]
fn a_cylinder_on_its_side_keeps_its_patch_and_its_place() {
    rests("side", &Shape::cylinder(RADIUS, 1.0).along(Axis::X), RADIUS, 2);
}

#[test]
fn a_cone_on_its_base_keeps_its_patch_and_its_place() {
    rests("base", &Shape::cone(RADIUS, 1.0), 0.5, 4);
}

#[test]
fn cylinders_that_are_set_down_askew_come_to_rest() {
    // Dropped from 1 mm with a tilt of 0.5°: it rocks and settles with friction alone.
    for (name, shape, height) in [
        ("end", Shape::cylinder(RADIUS, 1.0), 0.5),
        ("side", Shape::cylinder(RADIUS, 1.0).along(Axis::X), RADIUS),
    ] {
        let body =
            Body::dynamic("body").shape(shape).at(0.0, 0.0, height + 0.006).turned([0.3, 0.9, 0.0], 0.0087);
        let mut world = world(&Scene::new().dt(DT).body(floor(0.5, 0.0)).body(body));
        run(&mut world, 2400);
        let (start, mut before, mut most) = (position(&world, "body"), patch(&world), 0.0);
        for _ in 0..480 {
            step(&mut world);
            let now = patch(&world);
            let m = moved(&before, &now);
            most = if m > most { m } else { most };
            before = now;
        }
        let drift = (position(&world, "body") - start).length() / (480.0 * DT);
        println!("{name} askew: patch moves {most:.1e} m in a step, drift {drift:.1e} m/s");
        assert!(most < 0.01 * RADIUS && drift < 1e-6, "{name}: patch {most} m, drift {drift} m/s");
    }
}
