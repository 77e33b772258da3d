//! What only a model that solves an island whole can do: hold under load without creep, and carry much on little.

use crate::common::{floor, position, run, step, velocity, world};
use huygens::World;
use huygens::scene::{Body, Lock, Scene, Shape};

const WHOLE: [&str; 2] = ["active-set", "ncp/newton"];

/// Contact force on a body along z in the last step, from below [N].
fn carried(world: &World, body: &str) -> f64 {
    let (problem, solution) = (world.contact_problem(), world.contact_solution());
    let slot = world.bodies().position(|view| view.name == body).unwrap();
    let change = solution.v.free[slot].linear - problem.v_free.free[slot].linear;
    change.z / problem.move_inertia.free[slot].inv_mass.z / problem.h
}

#[test]
fn a_light_cube_carries_one_ten_thousand_times_as_heavy() {
    // Case 31: no visible overlap (1 % of the edge), and the chain of forces exact.
    for solver in WHOLE {
        for heavy in [1e2, 1e3, 1e4] {
            let cube = |name: &str, z: f64, mass: f64| {
                Body::dynamic(name).shape(Shape::cuboid(1.0, 1.0, 1.0)).mass(mass).at(0.0, 0.0, z)
            };
            let scene = Scene::new().dt(1.0 / 240.0).solver(solver).body(floor(0.5, 0.0));
            let mut w = world(&scene.body(cube("light", 0.5, 1.0)).body(cube("heavy", 1.5, heavy)));
            run(&mut w, 240);
            assert!(w.max_penetration() < 1e-6, "{solver} {heavy}: {} m", w.max_penetration());
            assert!(
                (carried(&w, "heavy") / (heavy * crate::common::G) - 1.0).abs() < 1e-9,
                "{solver} {heavy}"
            );
            // The light cube feels the difference of two large forces.
            let light = carried(&w, "light") / crate::common::G;
            assert!((light - 1.0).abs() < 1e-12 * heavy + 1e-9, "{solver} {heavy}: {light}");
        }
    }
}

#[test]
fn a_pinched_capsule_does_not_creep() {
    // Case 41: 45 g, radius 4 mm, μ = 0.7 and 12 to 60 N: slip below 0.1 µm/s for a minute.
    let seconds = if cfg!(debug_assertions) { 2 } else { 60 };
    for solver in WHOLE {
        for force in [12.0, 60.0] {
            let pad = |name: &str, x: f64| {
                Body::dynamic(name)
                    .shape(Shape::cuboid(0.02, 0.05, 0.05).friction(0.7))
                    .mass(1.0)
                    .at(x, 0.0, 1.0)
            };
            let along_x = Lock { linear: [false, true, true], angular: [true; 3] };
            let held = Body::dynamic("capsule").shape(Shape::capsule(0.004, 0.03).friction(0.7));
            let scene = Scene::new()
                .dt(1.0 / 240.0)
                .solver(solver)
                .world(|world| world.length = 0.01)
                .body(pad("left", -0.014).lock(along_x).force(force, 0.0, 0.0))
                .body(held.mass(0.045).at(0.0, 0.0, 1.0))
                .body(pad("right", 0.014).lock(along_x).force(-force, 0.0, 0.0));
            let mut w = world(&scene);
            for _ in 0..seconds * 240 {
                step(&mut w);
            }
            let (fell, v) = (1.0 - position(&w, "capsule").z, velocity(&w, "capsule").length());
            let speed = fell.abs() / f64::from(seconds);
            assert!(speed < 1e-10, "{solver} {force} N: {speed:e} m/s, a thousandth of what is allowed");
            assert!(v < 1e-10, "{solver} {force} N: {v:e} m/s");
        }
    }
}
