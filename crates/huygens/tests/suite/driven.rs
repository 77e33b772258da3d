//! The driven capsule of ledger.md, read correctly (case 55).

use crate::common::{booked, closed_friction_solvers, hard_solvers, near, run, spin, world};
use huygens::World;
use huygens::ledger::Account;
use huygens::scene::{Axis, Body, Lock, Scene, Shape, StabilisationSpec};
use std::f64::consts::TAU;

/// Rotor 2π rad/s about z, paddle free to turn only.
fn capsules(solver: &str, dt: f64, stabilisation: StabilisationSpec, mu: f64, e: f64) -> World {
    let shape = || Shape::capsule(0.2, 1.0).along(Axis::X).density(2.8).friction(mu).restitution(e);
    let lock = Lock { linear: [true; 3], ..Lock::NONE };
    let scene = Scene::new()
        .gravity(0.0, 0.0, 0.0)
        .dt(dt)
        .solver(solver)
        .stabilisation(stabilisation)
        .world(|world| world.speculative = false)
        .body(Body::driven("rotor", [0.0; 3], [0.0, 0.0, TAU]).shape(shape()))
        .body(Body::dynamic("paddle").shape(shape()).at(0.7, 0.7, 0.0).lock(lock));
    world(&scene)
}

const BAUMGARTE: StabilisationSpec = StabilisationSpec::Baumgarte { erp: 0.7, cap: None };

#[test]
fn an_inelastic_pick_up_burns_half_of_what_the_driver_gives() {
    for solver in hard_solvers() {
        let mut world = capsules(solver, 1e-3, StabilisationSpec::None, 0.0, 0.0);
        run(&mut world, 103);
        assert_eq!(spin(&world, "paddle").z, 0.0, "not yet touched");
        run(&mut world, 1);
        near(spin(&world, "paddle").z, -8.32389, 1e-5, "first contact in the 104th step");
        run(&mut world, 16);
        near(spin(&world, "paddle").z, -8.32389, 1e-5, "and it stays so");
        let (work, loss) = (booked(&world, Account::Driver), -booked(&world, Account::Impact));
        near(work, 4.49228, 1e-5, "driver work");
        near(loss, 0.5 * work, 1e-9, "half is lost");
        near(world.kinetic_energy(), 0.5 * work, 1e-9, "half is in the paddle");
        near(world.max_penetration(), 1.46477e-3, 1e-8, "the overlap at first contact");
    }
}

#[test]
fn baumgarte_takes_more_from_the_driver_and_acts_like_restitution() {
    for solver in hard_solvers() {
        let mut world = capsules(solver, 1e-3, BAUMGARTE, 0.0, 0.0);
        run(&mut world, 120);
        near(spin(&world, "paddle").z, -11.72917, 1e-5, "ledger.md");
        near(booked(&world, Account::Driver), 6.330, 5e-4, "ledger.md");
        let loss = -(booked(&world, Account::Impact) + booked(&world, Account::Stabilisation));
        near(loss, 1.870, 5e-4, "ledger.md");
        near(world.kinetic_energy(), 4.460, 5e-4, "ledger.md");
    }
}

#[test]
fn restitution_has_the_textbook_effect_on_the_paddle() {
    for solver in hard_solvers() {
        for (e, omega, work, loss) in [(0.5, -12.486, 6.738, 1.685), (1.0, -16.648, 8.985, 0.0)] {
            let mut world = capsules(solver, 1e-3, StabilisationSpec::None, 0.0, e);
            run(&mut world, 120);
            near(spin(&world, "paddle").z, omega, 5e-4, "ledger.md");
            near(booked(&world, Account::Driver), work, 5e-4, "ledger.md");
            near(-booked(&world, Account::Impact), loss, 5e-4, "ledger.md");
        }
    }
}

#[test]
fn friction_changes_the_work_and_not_the_speed() {
    for solver in closed_friction_solvers() {
        let mut world = capsules(solver, 1e-3, StabilisationSpec::None, 0.2, 0.0);
        run(&mut world, 120);
        near(spin(&world, "paddle").z, -8.32389, 1e-5, "one freedom in the plane");
        near(booked(&world, Account::Driver), 4.9632, 5e-5, "ledger.md");
        let lost = -(booked(&world, Account::Impact) + booked(&world, Account::Friction));
        near(lost, 2.7170, 5e-5, "ledger.md");
    }
}

#[test]
fn the_unbiased_run_converges_with_dt_and_the_biased_one_does_not() {
    let spins = |stabilisation: StabilisationSpec| -> Vec<f64> {
        [1e-3, 3e-4, 1e-4, 3e-5, 1e-5]
            .into_iter()
            .map(|dt| {
                let mut world = capsules("sequential-impulse", dt, stabilisation, 0.0, 0.0);
                while spin(&world, "paddle").z == 0.0 {
                    world.step();
                }
                spin(&world, "paddle").z
            })
            .collect()
    };
    let exact = -8.3776;
    let plain = spins(StabilisationSpec::None);
    near(plain[4], exact, 1e-3, "the limit");
    assert!((plain[4] - exact).abs() < 0.05 * (plain[0] - exact).abs(), "it converges: {plain:?}");
    let biased = spins(BAUMGARTE);
    let (low, high) = biased.iter().fold((0.0f64, -100.0f64), |(low, high), x| {
        (if *x < low { *x } else { low }, if *x > high { *x } else { high })
    });
    assert!(high - low > 1.0, "a hidden restitution that depends on the phase of the step: {biased:?}");
}
