//! Driven bodies: cases 54 and 55.

use super::friction::MOVING;
use super::mass::capsule;
use crate::verify::case::{Case, Figure, Measured};
use crate::verify::lab::{G, booked, books, position, run, scene, spin, velocity, weightless, world};
use huygens::ledger::Account;
use huygens::math::trig;
use huygens::scene::{Axis, Body, Lock, Shape, StabilisationSpec};
use std::f64::consts::TAU;

pub const CASES: &[Case] = &[
    Case {
        number: 54,
        name: "conveyor",
        title: "A box dropped on a belt",
        setup: "1 kg set down at rest on a belt that moves at 2 m/s, μ = 0.4",
        expected: "slips for v/(μg) = 0.509684 s over 0.509684 m; the driver gives mv² = 4 J, 2 J become heat, 2 J kinetic energy",
        source: "closed form",
        tolerance: "energies 1e-10; time and slip 0.2 %",
        contact: true,
        converges: false,
        long: false,
        measure: conveyor,
    },
    Case {
        number: 55,
        name: "capsule-spin",
        title: "A driven capsule strikes another",
        setup: "Rotor at 2π rad/s about z, paddle free to turn at (0.7, 0.7, 0); e = 0, μ = 0, no stabilisation, density 2.8",
        expected: "first contact at t = 0.103 s; ω₂ = −8.32389 rad/s, driver work 4.49228 J, half of it lost, half in the paddle",
        source: "closed form at the pose of first contact; Baumgarte with erp 0.7 takes 6.330 J",
        tolerance: "1e-12 relative",
        contact: true,
        converges: false,
        long: false,
        measure: capsule_spin,
    },
];

fn conveyor(solver: &str) -> Measured {
    let (v, mu) = (2.0, 0.4);
    let belt = Body::driven("belt", [v, 0.0, 0.0], [0.0; 3])
        .shape(Shape::cuboid(40.0, 2.0, 0.2).friction(mu))
        .at(0.0, 0.0, -0.1);
    let cube =
        Body::dynamic("cube").shape(Shape::cuboid(0.4, 0.4, 0.2).friction(mu)).mass(1.0).at(0.0, 0.0, 0.1);
    let mut world = world(&scene(solver).body(belt).body(cube))?;
    let mut caught = f64::NAN;
    for _ in 0..1000 {
        let (time, left) = (world.time(), v - velocity(&world, "cube").x);
        if left.abs() > MOVING * v {
            caught = time + left / (mu * G);
        }
        world.step();
    }
    let slip = v * world.time() - position(&world, "cube").x;
    let expected = v / (mu * G);
    Ok(vec![
        Figure::relative("driver work", booked(&world, Account::Driver), 4.0, 1e-10).unit("J"),
        Figure::relative("heat", -booked(&world, Account::Friction), 2.0, 1e-10).unit("J"),
        Figure::relative("kinetic energy", world.kinetic_energy(), 2.0, 1e-10).unit("J"),
        Figure::relative("time of slip", caught, expected, 2e-3).unit("s"),
        Figure::relative("slip", slip, v * expected / 2.0, 2e-3).unit("m"),
        books(&world),
    ])
}

fn capsule_spin(solver: &str) -> Measured {
    let shape = || Shape::capsule(0.2, 1.0).along(Axis::X).density(2.8).friction(0.0).restitution(0.0);
    let lock = Lock { linear: [true; 3], ..Lock::NONE };
    let scene = weightless(solver)
        .stabilisation(StabilisationSpec::None)
        .world(|world| world.speculative = false)
        .body(Body::driven("rotor", [0.0; 3], [0.0, 0.0, TAU]).shape(shape()))
        .body(Body::dynamic("paddle").shape(shape()).at(0.7, 0.7, 0.0).lock(lock));
    let mut world = world(&scene)?;
    run(&mut world, 103);
    let early = spin(&world, "paddle").z;
    run(&mut world, 17);
    // At t = 0.103 s the rotor's tip is under the paddle's straight part: the normal is y, and the levers about the two
    // centres are those of the tip's place along x.
    let tip = 0.5 * trig::cos(TAU * 0.103);
    let lever = 0.7 - tip;
    let omega = -TAU * tip / lever;
    let impulse = capsule(0.2, 1.0, 2.8)[2] * omega.abs() / lever;
    let work = impulse * TAU * tip;
    Ok(vec![
        Figure::at_most("spin before the contact", early.abs(), 0.0).unit("rad/s"),
        Figure::relative("ω₂", spin(&world, "paddle").z, omega, 1e-12).unit("rad/s"),
        Figure::relative("driver work", booked(&world, Account::Driver), work, 1e-12).unit("J"),
        Figure::relative("loss", -booked(&world, Account::Impact), 0.5 * work, 1e-12).unit("J"),
        Figure::relative("energy of the paddle", world.kinetic_energy(), 0.5 * work, 1e-12).unit("J"),
        books(&world),
    ])
}
