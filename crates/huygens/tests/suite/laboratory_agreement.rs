//! Do all models with the exact cone give the same forces and velocities? Stack, sliding box, wedge, critical angle.

use crate::common::{G, exact_cone_solvers, floor, near, run, solvers, world};
use huygens::World;
use huygens::math::{Vec3, trig};
use huygens::scene::{Body, Scene, Shape};
use std::f64::consts::PI;

/// The model that the others are held to: the exact Coulomb problem by Newton's method, where it is built in.
fn reference() -> &'static str {
    solvers().find(|name| *name == "ncp/newton").unwrap_or("sequential-impulse")
}

/// Total contact force on each body in the last step, over all its contacts [N].
fn forces(world: &World) -> Vec<Vec3> {
    let (model, state, dt) = (world.model(), world.state(), world.time() / world.steps() as f64);
    let mut sum = vec![Vec3::ZERO; model.bodies.len()];
    for contact in &state.contacts.heads {
        let points = contact.points(&state.contacts.points);
        let on_a = points.iter().fold(Vec3::ZERO, |sum, point| sum + point.impulse);
        for (shape, sign) in contact.key.shapes().into_iter().zip([1.0, -1.0]) {
            sum[model.shapes[shape as usize].body as usize] += on_a * (sign / dt);
        }
    }
    sum
}

/// Runs a scene with every exact model; force sums agree to 1e-6 of the largest, velocities to 1e-4 m/s and rad/s.
fn agree(name: &str, steps: usize, scene: impl Fn() -> Scene) {
    let solved = |solver: &str| {
        let scene =
            scene().solver(solver).world(|world| (world.iterations, world.tolerance) = (20_000, 1e-13));
        let mut world = world(&scene);
        run(&mut world, steps);
        let velocities: Vec<Vec3> =
            world.bodies().flat_map(|body| [body.linear_velocity, body.angular_velocity]).collect();
        (forces(&world), velocities)
    };
    let (force, velocity) = solved(reference());
    let largest = force.iter().map(|f| f.length()).fold(0.0, |a, b| if b > a { b } else { a });
    assert!(largest > 0.0, "{name}: something touches");
    for solver in exact_cone_solvers() {
        let (f, v) = solved(solver);
        for (i, (f, reference)) in f.iter().zip(&force).enumerate() {
            near((*f - *reference).length() / largest, 0.0, 1e-6, &format!("{name}, {solver}: force on {i}"));
        }
        for (v, reference) in v.iter().zip(&velocity) {
            near((*v - *reference).length(), 0.0, 1e-4, &format!("{name}, {solver}: velocity"));
        }
    }
}

fn cube(name: &str, z: f64) -> Body {
    Body::dynamic(name).cuboid(1.0, 1.0, 1.0).at(0.0, 0.0, z)
}

#[test]
fn a_stack_carries_its_weight_from_floor_to_floor() {
    agree("stack", 60, || {
        (0..4).fold(Scene::new().body(floor(0.5, 0.0)), |scene, k| {
            scene.body(cube(&format!("c{k}"), 0.5 + f64::from(k)))
        })
    });
}

#[test]
fn a_sliding_box_slows_alike() {
    let slab = || Body::dynamic("slab").shape(Shape::cuboid(1.0, 1.0, 0.2).friction(0.3)).at(0.0, 0.0, 0.1);
    agree("sliding box", 100, || Scene::new().body(floor(0.3, 0.0)).body(slab().velocity(2.0, 1.0, 0.0)));
    // Turning as it slides, each corner has a slip of its own.
    agree("turning box", 60, || {
        Scene::new().body(floor(0.3, 0.0)).body(slab().velocity(2.0, 1.0, 0.0).spin(0.0, 0.0, 3.0))
    });
}

#[test]
fn a_ball_in_a_wedge_slides_and_rolls_alike() {
    let (s, c) = trig::sin_cos(PI / 6.0);
    let wall =
        |name: &str, x: f64| Body::fixed(name).shape(Shape::half_space().facing(x * c, 0.0, s).friction(0.3));
    agree("wedge", 120, || {
        let ball = Body::dynamic("ball").shape(Shape::sphere(0.5).friction(0.3)).at(0.0, 0.0, 0.5 / s);
        Scene::new()
            .body(wall("left", 1.0))
            .body(wall("right", -1.0))
            .body(ball.velocity(0.0, 3.0, 0.0).spin(2.0, 1.0, 4.0))
    });
}

#[test]
fn a_box_near_the_critical_angle_sticks_or_slides_alike() {
    let critical = trig::atan2(0.5, 1.0);
    for off in [-0.05, 0.05] {
        let (s, c) = trig::sin_cos(critical + off * PI / 180.0);
        agree("incline", 40, || {
            let slab = Body::dynamic("slab").shape(Shape::cuboid(1.0, 1.0, 0.2)).at(0.0, 0.0, 0.1);
            Scene::new().gravity(G * s, 0.0, -G * c).body(floor(0.5, 0.0)).body(slab)
        });
    }
}
