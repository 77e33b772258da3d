//! What each model makes of the same cases: figures for the table in the README, and what the exact ones must reach.

use crate::common::{G, exact_cone_solvers, floor, near, position, run, solvers, step, velocity, world};
use huygens::World;
use huygens::math::{Vec3, trig};
use huygens::scene::{Body, Scene, Shape};
use std::f64::consts::PI;

const DT: f64 = 1.0 / 240.0;

fn slab(mu: f64) -> Body {
    Body::dynamic("slab").shape(Shape::cuboid(1.0, 1.0, 0.2).friction(mu)).at(0.0, 0.0, 0.1)
}

/// Case 37: how far a slab slides at 3 m/s with μ = 0.3 [m].
fn slide(solver: &str) -> f64 {
    let scene = Scene::new().dt(DT).solver(solver).body(floor(0.3, 0.0));
    let mut world = world(&scene.body(slab(0.3).velocity(3.0, 0.0, 0.0)));
    run(&mut world, 400);
    position(&world, "slab").x
}

/// Case 40: speed of a slab after 200 steps on a slope, 0.05° below the critical angle [m/s].
fn creep(solver: &str) -> f64 {
    let (s, c) = trig::sin_cos(trig::atan2(0.5, 1.0) - 0.05 * PI / 180.0);
    let scene = Scene::new().gravity(G * s, 0.0, -G * c).dt(DT).solver(solver).body(floor(0.5, 0.0));
    let mut world = world(&scene.body(slab(0.5)));
    run(&mut world, 200);
    velocity(&world, "slab").length()
}

/// Total force of the floor [N].
fn on_floor(world: &World, dt: f64) -> f64 {
    let contacts = &world.state().contacts;
    let points = contacts.heads[0].points(&contacts.points);
    points.iter().fold(Vec3::ZERO, |sum, point| sum + point.impulse).length() / dt
}

/// Case 31: a cube 1000 times heavier on a light one, two seconds; depth of the light one [m] and error of the force chain.
fn heavy_on_light(solver: &str) -> (f64, f64) {
    let cube =
        |name: &str, mass: f64, z: f64| Body::dynamic(name).cuboid(1.0, 1.0, 1.0).mass(mass).at(0.0, 0.0, z);
    let scene = Scene::new().dt(DT).solver(solver).body(floor(0.5, 0.0));
    let mut world = world(&scene.body(cube("light", 1.0, 0.5)).body(cube("heavy", 1000.0, 1.5)));
    let mut deepest = 0.0;
    for _ in 0..480 {
        step(&mut world);
        let depth = world.penetration();
        deepest = if depth > deepest { depth } else { deepest };
    }
    (deepest, (on_floor(&world, DT) / (1001.0 * G) - 1.0).abs())
}

#[test]
fn figures_of_every_model() {
    for solver in solvers() {
        let (distance, creep, (depth, off)) = (slide(solver), creep(solver), heavy_on_light(solver));
        println!(
            "{solver}: slides {distance:.4} m, {creep:.2e} m/s below the critical angle, {depth:.2e} m and {off:.1e} under 1000:1"
        );
        if exact_cone_solvers().any(|name| name == solver) {
            near(distance, 1.529052, 0.002 * 1.529052, "case 37");
            near(creep, 0.0, 1e-9, "case 40");
        }
        // Sweeps carry a load up one body at a time: too slowly for 1000:1 in 50 of them. Direct methods have no excuse.
        if ["ncp/newton", "active-set"].contains(&solver) {
            near(depth, 0.0, 0.01, "case 31: less than 1 % of the edge");
            near(off, 0.0, 1e-3, "case 31: (M + m) g");
        }
    }
}
