//! Rest: verification cases 28 and 29, msd-sim's D1, and a stack.

use crate::common::{G, booked, floor, hard_solvers, near, position, run, solvers, step, velocity, world};
use huygens::World;
use huygens::ledger::Account;
use huygens::math::{Vec3, trig};
use huygens::scene::{Body, Scene, Shape};

fn cube_on_floor(solver: &str, dt: f64) -> World {
    let cube = Body::dynamic("cube").cuboid(1.0, 1.0, 1.0).mass(1.0).at(0.0, 0.0, 0.5);
    world(&Scene::new().dt(dt).solver(solver).body(floor(0.5, 0.0)).body(cube))
}

fn normal_impulses(world: &World) -> Vec<f64> {
    world.state().contacts.points.iter().map(|point| point.impulse.z.abs()).collect()
}

#[test]
fn the_contact_forces_of_a_resting_box_carry_its_weight() {
    for solver in hard_solvers() {
        let dt = 1.0 / 240.0;
        let mut world = cube_on_floor(solver, dt);
        step(&mut world);
        let cold = normal_impulses(&world);
        assert_eq!(cold.len(), 4);
        for p in &cold {
            near(p / dt, G / 4.0, 1e-6 * G, "case 28: each corner a quarter from a cold start");
        }
        run(&mut world, 20);
        let sum: f64 = normal_impulses(&world).iter().sum();
        near(sum / dt, G, 1e-9 * G, "case 28: all of the weight");
    }
}

/// Heat of one step: all that contact took or gave [J].
fn heat(world: &World) -> f64 {
    [Account::Impact, Account::Friction, Account::Correction, Account::Stabilisation]
        .iter()
        .map(|account| booked(world, *account).abs())
        .sum()
}

#[test]
fn a_cube_at_rest_stays_and_makes_no_heat() {
    for solver in hard_solvers() {
        // The whole hour of case 29 at 240 Hz with one model in an optimised build; a minute of it else.
        let hour = solver == "sequential-impulse" && !cfg!(debug_assertions);
        let steps = if hour { 864_000 } else { 14_400 };
        let mut world = cube_on_floor(solver, 1.0 / 240.0);
        run(&mut world, 100);
        let (at, warm) = (position(&world, "cube"), heat(&world));
        run(&mut world, steps);
        let end = world.bodies().find(|body| body.name == "cube").unwrap();
        near((end.position - at).length(), 0.0, 1e-6, "case 29: drift");
        near(trig::rotation_angle(end.orientation), 0.0, 1e-6, "case 29: rotation");
        near(heat(&world), warm, 1e-12, "case 29: no heat after it has settled");
        assert!(world.kinetic_energy() < 1e-30, "{:e}", world.kinetic_energy());
    }
}

#[test]
fn a_cube_rests_for_a_thousand_frames_of_16_ms() {
    for solver in hard_solvers() {
        let mut world = cube_on_floor(solver, 0.016);
        run(&mut world, 1000);
        near((position(&world, "cube") - Vec3::Z * 0.5).length(), 0.0, 1e-9, "D1: far below its millimetre");
        assert!(velocity(&world, "cube").length() < 1e-12, "we rest at 0, not at g·dt");
    }
}

#[test]
fn five_cubes_stand() {
    for solver in solvers() {
        let mut scene = Scene::new().dt(1.0 / 240.0).solver(solver).body(floor(0.5, 0.0));
        for i in 0..5 {
            scene = scene.body(Body::dynamic(format!("c{i}")).shape(Shape::cuboid(1.0, 1.0, 1.0)).at(
                0.0,
                0.0,
                0.5 + f64::from(i),
            ));
        }
        let mut world = world(&scene);
        run(&mut world, 1000);
        let weight = 5.0 * 1000.0 * G;
        let warm = heat(&world);
        run(&mut world, 1000);
        for i in 0..5 {
            let off = position(&world, &format!("c{i}")) - Vec3::Z * (0.5 + f64::from(i));
            near(off.length(), 0.0, 1e-3, "the stack stands where it was");
        }
        assert!(world.kinetic_energy() < 1e-9 * weight, "{solver}: {:e} J", world.kinetic_energy());
        near(heat(&world), warm, 1e-9 * weight, "no heat once it stands");
    }
}
