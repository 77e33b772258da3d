//! Limits of joints that give way, against the closed forms of a mass on a spring and a damper.

use crate::common::{G, booked, near, run, solvers, step, world};
use huygens::World;
use huygens::contact::Compliance;
use huygens::ledger::Account;
use huygens::math::trig;
use huygens::scene::{Body, Joint, Scene};

const MASS: f64 = 2.0;

/// A weight on a vertical slide, just at the lower end of its range.
fn weight(solver: &str, dt: f64, limit: Compliance) -> Scene {
    let bob = Body::dynamic("bob").sphere(0.1).mass(MASS).at(0.0, 0.0, 1.0);
    let slide = Joint::slide("rail", "bob").anchor(0.0, 0.0, 1.0).axis(0.0, 0.0, 1.0).range(0.0, 1.0);
    Scene::new().dt(dt).solver(solver).body(bob).joint(slide.limit(limit))
}

fn coordinate(world: &World) -> f64 {
    world.joints().next().expect("one joint").q
}

#[test]
fn a_weight_sinks_into_a_limit_by_its_weight_over_the_stiffness() {
    let k = 1e3;
    let x = MASS * G / k;
    let limit = Compliance::Spring { stiffness: k, damping: 2.0 * (k * MASS).sqrt() };
    for solver in solvers() {
        for guard in [false, true] {
            let scene = weight(solver, 1.0 / 240.0, limit).world(|world| world.guard = guard);
            let mut world = world(&scene);
            run(&mut world, 480);
            near(coordinate(&world), -x, 1e-6 * x, &format!("{solver}, guard {guard}: compression"));
            near(booked(&world, Account::Spring), -0.5 * k * x * x, 1e-5, "the spring holds it");
            near(booked(&world, Account::Limit), 0.0, 0.0, "no rigid limit takes part");
            assert!(booked(&world, Account::Viscous) < 0.0, "{solver}: the damper took the rest");
        }
    }
}

/// Largest difference from the closed form of a weight that is let go at the end of its range, over the compression at rest.
fn misfit(solver: &str, dt: f64, zeta: f64) -> f64 {
    let (omega, time) = (30.0, 0.5);
    let response = Compliance::Response { time_constant: 1.0 / (zeta * omega), damping_ratio: zeta };
    let mut world = world(&weight(solver, dt, response));
    let (rest, damped) = (G / (omega * omega), omega * (1.0 - zeta * zeta).sqrt());
    let mut worst = 0.0;
    for _ in 0..(time / dt) as usize {
        step(&mut world);
        let t = world.time();
        let swing = trig::cos(damped * t) + zeta * omega / damped * trig::sin(damped * t);
        let exact = -rest * (1.0 - trig::exp(-zeta * omega * t) * swing);
        let error = (coordinate(&world) - exact).abs() / rest;
        worst = if error > worst { error } else { worst };
    }
    worst
}

#[test]
fn a_limit_swings_and_decays_as_its_response_says_to_first_order() {
    for solver in solvers() {
        let [coarse, fine] = [4e-4, 2e-4].map(|dt| misfit(solver, dt, 0.1));
        assert!(fine < 0.04, "{solver}: {fine}");
        assert!(fine < 0.6 * coarse, "{solver}: {coarse} {fine}");
    }
}
