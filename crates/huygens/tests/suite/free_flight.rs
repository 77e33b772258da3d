//! Mass properties, free flight and rotation: verification cases 1 to 9 through a world.

use crate::common::{G, booked, near, position, run, spin, step, velocity, world};
use huygens::World;
use huygens::ledger::Account;
use huygens::math::{Sym3, Vec3};
use huygens::scene::{Body, Integrator, Scene, Shape};

fn inertia_of(shape: Shape) -> (f64, Sym3) {
    let world = world(&Scene::new().body(Body::dynamic("b").shape(shape)));
    let body = &world.model().bodies[0];
    (body.mass, body.inertia)
}

#[test]
fn primitives_have_the_mass_and_inertia_of_the_books() {
    let relative = |got: f64, expected: f64| near(got / expected, 1.0, 1e-13, "cases 1 to 3");
    let (mass, i) = inertia_of(Shape::cuboid(0.2, 0.4, 0.6).density(1.0 / (0.2 * 0.4 * 0.6)));
    relative(mass, 1.0);
    relative(i.xx, (0.16 + 0.36) / 12.0);
    relative(i.yy, (0.04 + 0.36) / 12.0);
    relative(i.zz, (0.04 + 0.16) / 12.0);
    let (mass, i) = inertia_of(Shape::sphere(0.3));
    relative(i.xx, 0.4 * mass * 0.09);
    let (mass, i) = inertia_of(Shape::cylinder(0.3, 0.8));
    relative(i.zz, 0.5 * mass * 0.09);
    relative(i.xx, mass * (3.0 * 0.09 + 0.64) / 12.0);
    let (mass, i) = inertia_of(Shape::capsule(0.2, 1.0));
    near(mass, 159.17403, 5e-6, "case 3, to the digits given");
    near(i.zz, 3.0494393, 5e-8, "case 3");
    near(i.xx, 23.1556323, 5e-8, "case 3");
}

fn thrown(integrator: Integrator) -> World {
    let ball = Body::dynamic("ball").sphere(0.5).mass(2.0).at(0.0, 0.0, 10.0).velocity(3.0, 0.0, 0.0);
    world(&Scene::new().dt(1.0 / 60.0).world(|world| world.integrator = integrator).body(ball))
}

#[test]
fn kick_drift_kick_is_exact_in_free_fall_and_keeps_energy() {
    let mut world = thrown(Integrator::KickDriftKick);
    let energy = world.energy();
    for _ in 0..60 {
        step(&mut world);
        let t = world.time();
        near(position(&world, "ball").z, 10.0 - 0.5 * G * t * t, 1e-12, "case 5");
        near(position(&world, "ball").x, 3.0 * t, 1e-12, "case 5");
        near(world.energy(), energy, 1e-13 * energy, "case 6");
    }
    assert_eq!(booked(&world, Account::Gravity), 0.0, "no defect of its own");
}

#[test]
fn symplectic_euler_has_its_textbook_error_and_books_it() {
    let mut world = thrown(Integrator::SymplecticEuler);
    let energy = world.energy();
    let dt = 1.0 / 60.0;
    for k in 1..=60 {
        step(&mut world);
        let t = world.time();
        near(position(&world, "ball").z, 10.0 - 0.5 * G * t * t - 0.5 * G * dt * t, 1e-12, "case 5");
        let lost = f64::from(k) * 0.5 * 2.0 * G * G * dt * dt;
        near(world.energy(), energy - lost, 1e-12 * energy, "case 6: ½mg²h² in every step");
        near(booked(&world, Account::Gravity), -lost, 1e-12 * energy, "and it is booked");
    }
}

/// The box of case 1 spinning without torque.
fn tumbling(omega: [f64; 3], dt: f64) -> World {
    let body = Body::dynamic("box").cuboid(0.2, 0.4, 0.6).mass(1.0).spin(omega[0], omega[1], omega[2]);
    world(&Scene::new().gravity(0.0, 0.0, 0.0).dt(dt).body(body))
}

fn angular_momentum(world: &World) -> Vec3 {
    let body = world.bodies().next().unwrap();
    let q = body.orientation;
    q * (world.model().bodies[0].inertia * (q.conjugate() * body.angular_velocity))
}

#[test]
fn a_tumbling_box_keeps_energy_and_angular_momentum() {
    let mut world = tumbling([1.0, 2.0, 3.0], 0.01);
    let (energy, momentum) = (world.kinetic_energy(), angular_momentum(&world));
    run(&mut world, 500);
    near(world.kinetic_energy() / energy, 1.0, 1e-13, "case 7");
    near((angular_momentum(&world) - momentum).length() / momentum.length(), 0.0, 1e-13, "case 7");
}

#[test]
fn a_box_spun_about_its_middle_axis_turns_over_in_the_time_of_the_elliptic_integral() {
    let mut world = tumbling([0.05, 5.0, 0.05], 1e-3);
    let mut crossings = Vec::new();
    let mut before = 1.0;
    for _ in 0..8000 {
        step(&mut world);
        // Spin about the middle axis in the body frame changes its sign in every flip.
        let body = world.bodies().next().unwrap();
        let middle = (body.orientation.conjugate() * body.angular_velocity).y;
        if middle * before < 0.0 {
            crossings.push(world.time());
        }
        before = middle;
    }
    near(crossings[0], 2.09697, 0.01 * 5.110152, "case 8: first flip");
    near(crossings[1] - crossings[0], 5.110152, 0.01 * 5.110152, "case 8: flip interval");
}

#[test]
fn a_fast_spin_keeps_its_energy() {
    let mut world = tumbling([20.0, 0.05, 0.05], 0.005);
    let energy = world.kinetic_energy();
    run(&mut world, 20_000);
    near(world.kinetic_energy() / energy, 1.0, 1e-12, "case 9: 100 s");
}

#[test]
fn locked_axes_do_not_move_and_gravity_scale_scales() {
    let scene = Scene::new().dt(0.01).body(Body::dynamic("half").sphere(0.5).gravity_scale(0.5)).body({
        let mut body =
            Body::dynamic("rail").sphere(0.5).at(5.0, 0.0, 0.0).velocity(1.0, 1.0, 1.0).spin(1.0, 1.0, 1.0);
        body.lock.linear = [false, true, true];
        body.lock.angular = [true, true, false];
        body
    });
    let mut world = world(&scene);
    run(&mut world, 100);
    near(velocity(&world, "half").z, -0.5 * G, 1e-12, "after one second");
    assert_eq!(velocity(&world, "rail"), Vec3::X);
    assert_eq!(spin(&world, "rail"), Vec3::Z);
}
