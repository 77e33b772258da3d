//! What drivers can give: limits of torque and power, caps, paths.

use crate::common::{G, booked, catalogue_solvers, floor, near, position, run, spin, step, velocity, world};
use huygens::World;
use huygens::ledger::Account;
use huygens::math::{Quat, Twist, Vec3, trig};
use huygens::scene::{Axis, Body, DriveLimit, Keyframe, Lock, Scene, Shape, StabilisationSpec};
use std::f64::consts::TAU;

/// Step in which the capsules of ledger.md first touch, and the lever arms of rotor and paddle there.
const TOUCH: usize = 104;

fn levers() -> [f64; 2] {
    let tip = 0.5 * trig::cos(TAU * 0.103);
    [tip, 0.7 - tip]
}

/// Moment of the capsules across their axis, density 2.8 (case 3).
const MOMENT: f64 = 0.023_155_632_3 * 2.8;

/// The driven capsule of ledger.md.
fn capsules(solver: &str, limit: DriveLimit, e: f64) -> World {
    let shape = || Shape::capsule(0.2, 1.0).along(Axis::X).density(2.8).friction(0.0).restitution(e);
    let lock = Lock { linear: [true; 3], ..Lock::NONE };
    let scene = Scene::new()
        .gravity(0.0, 0.0, 0.0)
        .dt(1e-3)
        .solver(solver)
        .stabilisation(StabilisationSpec::None)
        .world(|world| world.speculative = false)
        .body(Body::driven("rotor", [0.0; 3], [0.0, 0.0, TAU]).limit(limit).shape(shape()))
        .body(Body::dynamic("paddle").shape(shape()).at(0.7, 0.7, 0.0).lock(lock));
    world(&scene)
}

#[test]
fn a_torque_limit_lets_the_rotor_lose_what_its_motor_cannot_give() {
    let [a, b] = levers();
    for solver in catalogue_solvers() {
        for (max, rotor, paddle) in
            [(0.0, 2.281, 3.021), (10.0, 2.337, 3.095), (100.0, 2.840, 3.763), (500.0, 5.080, 6.730)]
        {
            let mut world = capsules(solver, DriveLimit::Torque { max }, 0.0);
            run(&mut world, TOUCH);
            let (one, two) = (spin(&world, "rotor").z, -spin(&world, "paddle").z);
            near(one, rotor, 1e-3, "ledger.md");
            near(two, paddle, 1e-3, "ledger.md");
            // I ω₁ + p a = I Ω + M h and I ω₂ = p b with ω₁ a = ω₂ b.
            let exact = (TAU + max * 1e-3 / MOMENT) / (1.0 + a * a / (b * b));
            near(one, exact, 1e-7, "closed form; the moment is known to nine digits");
            near(two, exact * a / b, 1e-7, "closed form");
            let work = max * 1e-3 * 0.5 * (TAU + exact);
            near(booked(&world, Account::Driver), work, 1e-6, "the motor's impulse times its mean speed");
            let record = world.drivers().next().unwrap().record;
            near(record.work, booked(&world, Account::Driver), 1e-15, "the driver says the same");
            near(record.peak_torque, max, 1e-9 * max, "the motor gave all it has");
        }
    }
}

#[test]
fn enough_torque_holds_the_speed() {
    for solver in catalogue_solvers() {
        for max in [715.0, 1000.0, 1e6] {
            let mut world = capsules(solver, DriveLimit::Torque { max }, 0.0);
            run(&mut world, TOUCH);
            near(spin(&world, "rotor").z, TAU, 1e-3, "ledger.md: 715 N·m hold it");
            near(spin(&world, "paddle").z, -8.32389, 1e-3, "as with an unlimited driver");
            run(&mut world, 16);
            near(spin(&world, "rotor").z, TAU, 1e-3, "and it stays so");
        }
    }
}

#[test]
fn a_motor_brings_its_rotor_back_to_speed_at_the_rate_of_its_torque() {
    for solver in catalogue_solvers() {
        let mut world = capsules(solver, DriveLimit::Torque { max: 10.0 }, 1.0);
        run(&mut world, TOUCH);
        let after = spin(&world, "rotor").z;
        assert!(after < 2.0, "an elastic impact stops most of it: {after}");
        // The paddle is faster than the rotor: they do not meet again.
        run(&mut world, 10);
        near(spin(&world, "rotor").z - after, 10.0 * 10e-3 / MOMENT, 1e-6, "Δω = M t/I");
        let energy = world.kinetic_energy();
        let given = 0.5 * MOMENT * TAU * TAU + booked(&world, Account::Driver);
        near(energy, given, 1e-8, "elastic: all of it is kinetic");
    }
}

#[test]
fn a_motor_stalls_at_a_wall_and_a_belt_under_it_moves_its_bearing() {
    for solver in catalogue_solvers() {
        let wall = Body::fixed("wall").shape(Shape::cuboid(0.2, 0.2, 1.0).friction(0.0)).at(0.4, 0.3, 0.0);
        let rotor = Body::driven("rotor", [0.1, 0.0, 0.0], [0.0, 0.0, 2.0])
            .limit(DriveLimit::Torque { max: 3.0 })
            .shape(Shape::cuboid(1.0, 0.1, 0.1).density(100.0).friction(0.0));
        let mut world =
            world(&Scene::new().gravity(0.0, 0.0, 0.0).dt(1e-3).solver(solver).body(rotor).body(wall));
        run(&mut world, 400);
        assert!(
            spin(&world, "rotor").z.abs() < 0.8,
            "{solver}: stalled, but for what the slide lets it turn"
        );
        near(position(&world, "rotor").x, 0.04, 1e-12, "its bearing moves as prescribed");
        near(world.drivers().next().unwrap().record.peak_torque, 3.0, 1e-9, "with all its torque");
    }
}

#[test]
fn a_power_limit_gives_no_more_work_in_a_step_than_it_may() {
    let [a, b] = levers();
    // Unlimited, the first touch takes I Ω² (a/b)².
    let whole = MOMENT * TAU * TAU * a * a / (b * b);
    for solver in catalogue_solvers() {
        let mut world = capsules(solver, DriveLimit::Power { max: 1000.0 }, 0.0);
        let mut before = 0.0;
        for k in 1..=120 {
            step(&mut world);
            let work = booked(&world, Account::Driver);
            assert!(work - before <= 1.0, "{solver}: {} J in a step of 1 ms", work - before);
            if k == TOUCH {
                near(work, 1.0, 2e-9, "all of its power");
                let share = (1.0 / whole).sqrt();
                near(spin(&world, "rotor").z, share * TAU, 1e-6, "it slows down: W grows with the square");
                near(spin(&world, "paddle").z, -share * TAU * a / b, 1e-6, "closed form");
            }
            before = work;
        }
        near(spin(&world, "rotor").z, TAU, 1e-12, "and back at its speed when nothing is in the way");
        near(world.drivers().next().unwrap().record.work, before, 1e-14, "the driver says the same");
    }
}

#[test]
fn a_power_limit_lifts_a_load_as_fast_as_it_can() {
    for solver in catalogue_solvers() {
        let lift = Body::driven("lift", [0.0, 0.0, 1.0], [0.0; 3])
            .limit(DriveLimit::Power { max: 0.5 * 2.0 * G })
            .cuboid(1.0, 1.0, 0.1)
            .at(0.0, 0.0, -0.05);
        let load = Body::dynamic("load").cuboid(0.5, 0.5, 0.5).mass(2.0).at(0.0, 0.0, 0.25);
        let mut world = world(&Scene::new().dt(1.0 / 240.0).solver(solver).body(lift).body(load));
        run(&mut world, 480);
        near(velocity(&world, "load").z, 0.5, 1e-3, "P = m g v");
        near(position(&world, "lift").z, 0.95, 0.06, "half a metre a second, but for the start");
        assert!(
            booked(&world, Account::Driver) <= 2.0 * 0.5 * 2.0 * G,
            "no more than its power times the time"
        );
    }
}

#[test]
fn a_cap_scales_the_impulse_and_takes_the_removed_work_back() {
    let [a, b] = levers();
    let whole = MOMENT * TAU * a / (b * b);
    for solver in catalogue_solvers() {
        for e in [0.0, 0.5] {
            let mut world = capsules(solver, DriveLimit::Cap { impulse: 1.0 }, e);
            run(&mut world, TOUCH);
            near(spin(&world, "rotor").z, TAU, 0.0, "the driver itself is not slowed");
            near(spin(&world, "paddle").z, -b / MOMENT, 1e-6, "one newton second on its lever");
            let given = TAU * a;
            let (driver, cap) = (booked(&world, Account::Driver), booked(&world, Account::DriverCap));
            if e == 0.0 {
                near(driver, whole * TAU * a, 1e-6, "what it would have taken");
            }
            assert!(cap < 0.0);
            near(driver + cap, given, 1e-6, "and what of that was not given");
            let record = world.drivers().next().unwrap().record;
            near(record.work, given, 1e-6, "the driver gave the rest");
            near(record.peak_force, 1000.0, 1e-9, "a newton second in a millisecond");
        }
    }
}

#[test]
fn what_a_capped_driver_cannot_push_stays_where_it_is() {
    for solver in catalogue_solvers() {
        let pusher = Body::driven("pusher", [1.0, 0.0, 0.0], [0.0; 3])
            .limit(DriveLimit::Cap { impulse: 0.01 })
            .shape(Shape::cuboid(0.2, 0.2, 0.2).friction(0.0))
            .at(-0.36, 0.0, 0.25);
        let cube = Body::dynamic("cube")
            .shape(Shape::cuboid(0.5, 0.5, 0.5).friction(0.5))
            .mass(1.0)
            .at(0.0, 0.0, 0.25);
        let scene = Scene::new().dt(1.0 / 240.0).solver(solver).body(floor(0.5, 0.0)).body(pusher).body(cube);
        let mut world = world(&scene);
        // Friction holds μ m g h = 0.0204 N·s, twice the cap; in 0.2 s the pusher is 19 cm inside.
        run(&mut world, 48);
        // Sub-steps that do not sweep to the end give way a little when the push begins.
        let slack = if solver == "soft-step" { 1e-5 } else { 1e-12 };
        near(position(&world, "cube").x, 0.0, slack, "the floor holds it");
        near(velocity(&world, "cube").length(), 0.0, slack, "and it stands still");
        assert!(booked(&world, Account::DriverCap) < 0.0 && world.max_penetration() > 0.1, "{solver}");
        near(world.drivers().next().unwrap().record.peak_force, 0.01 * 240.0, 1e-9, "its cap");
    }
}

fn frame(t: f64, position: [f64; 3], angle: f64) -> Keyframe {
    Keyframe { t, position: Vec3::from_array(position), orientation: trig::axis_angle(Vec3::Z, angle) }
}

#[test]
fn a_path_is_followed_exactly_wherever_its_keyframes_fall() {
    let path =
        [frame(0.0, [0.0; 3], 0.0), frame(0.3337, [1.0, 0.0, 0.5], 2.0), frame(1.0, [1.0, 2.0, 0.0], -1.0)];
    for solver in catalogue_solvers() {
        let body = Body::on_path("arm", path).cuboid(0.4, 0.2, 0.1).center_of_mass(0.1, 0.05, 0.0);
        let mut world = world(&Scene::new().gravity(0.0, 0.0, 0.0).dt(0.01).solver(solver).body(body));
        run(&mut world, 20);
        let (share, view) = (0.2 / 0.3337, position(&world, "arm"));
        near((view - Vec3::new(1.0, 0.0, 0.5) * share).length(), 0.0, 1e-15, "between two keyframes");
        near(velocity(&world, "arm").z, 0.5 / 0.3337, 1e-12, "at constant speed");
        near(spin(&world, "arm").z, 2.0 / 0.3337, 1e-12, "and spin");
        run(&mut world, 80);
        near(
            (position(&world, "arm") - Vec3::new(1.0, 2.0, 0.0)).length(),
            0.0,
            0.0,
            "it arrives, to the bit",
        );
        run(&mut world, 10);
        near(velocity(&world, "arm").length() + spin(&world, "arm").length(), 0.0, 0.0, "and rests");
    }
}

#[test]
fn a_body_on_a_path_gives_the_work_that_its_load_takes() {
    for solver in catalogue_solvers() {
        // Up 0.5 m in half a second, there for half a second, and down again.
        let path = [
            frame(0.0, [0.0, 0.0, -0.05], 0.0),
            frame(0.5, [0.0, 0.0, 0.45], 0.0),
            frame(1.0, [0.0, 0.0, 0.45], 0.0),
            frame(2.0, [0.0, 0.0, -0.05], 0.0),
        ];
        let lift = Body::on_path("lift", path).cuboid(1.0, 1.0, 0.1);
        let load = Body::dynamic("load").cuboid(0.4, 0.4, 0.4).mass(3.0).at(0.0, 0.0, 0.2);
        let mut world = world(&Scene::new().dt(1.0 / 240.0).solver(solver).body(lift).body(load));
        run(&mut world, 120);
        let kinetic = 0.5 * 3.0;
        // It starts at once: m v² from the driver, half of it lost; then m g v t, but for the step of the start.
        let lifted = 3.0 * G * 0.5;
        near(booked(&world, Account::Driver), 2.0 * kinetic + lifted, 0.01 * lifted, "start and lift");
        run(&mut world, 360);
        near(position(&world, "load").z, 0.2, 2e-3, "and down again");
        near(world.energy() - 3.0 * G * 0.2, 0.25 * kinetic, 0.05, "with the speed of the lift");
    }
}

#[test]
fn limits_that_cannot_be_are_refused_with_a_remedy() {
    let refused = |body: Body, word: &str| {
        let errors =
            World::new(&Scene::new().body(body)).err().map(|errors| errors.to_string()).unwrap_or_default();
        assert!(errors.contains(word), "{errors}");
    };
    let torque = DriveLimit::Torque { max: 1.0 };
    refused(Body::driven("d", [1.0, 0.0, 0.0], [0.0; 3]).limit(torque).sphere(1.0), "needs an axis");
    refused(
        Body::driven("d", [0.0; 3], [0.0, 0.0, 1.0]).limit(torque).shape(Shape::half_space()),
        "needs an inertia",
    );
    let path = [frame(0.0, [0.0; 3], 0.0), frame(1.0, [1.0; 3], 0.0)];
    refused(Body::on_path("d", path).limit(torque).sphere(1.0), "fixed axis");
    refused(Body::on_path("d", path).sphere(1.0).at(3.0, 0.0, 0.0), "begins elsewhere");
    let mut world = world(&Scene::new().body(Body::on_path("d", path).sphere(1.0)));
    let id = world.find("d").unwrap();
    assert!(world.set_velocity(id, Twist::ZERO).is_err());
    assert!(world.set_pose(id, huygens::math::Pose::new(Quat::IDENTITY, Vec3::X)).is_err());
}

#[test]
fn a_motor_takes_a_new_speed() {
    let rotor = Body::driven("rotor", [0.0; 3], [0.0, 0.0, 1.0])
        .limit(DriveLimit::Torque { max: 1.0 })
        .shape(Shape::sphere(0.1));
    let mut world = world(&Scene::new().dt(0.01).body(rotor));
    let id = world.find("rotor").unwrap();
    run(&mut world, 3);
    world.set_velocity(id, Twist::new(Vec3::ZERO, Vec3::new(0.0, 0.0, -2.0))).unwrap();
    run(&mut world, 3);
    near(spin(&world, "rotor").z, -2.0, 1e-15, "it keeps this velocity from now on");
    let kinetic = world.kinetic_energy();
    near(booked(&world, Account::Edit), 0.75 * kinetic, 1e-12, "the edit brought ¾ of 4 T");
}

#[test]
fn a_capped_driver_changes_no_bit_of_a_landing_elsewhere() {
    for solver in catalogue_solvers() {
        for guard in [false, true] {
            let mut alone = Scene::new().dt(1.0 / 240.0).solver(solver).body(floor(0.5, 0.0));
            alone.world.guard = guard;
            for (k, height) in [0.53, 0.56, 0.61].into_iter().enumerate() {
                let cube = Body::dynamic(format!("lands {k}")).cuboid(0.5, 0.5, 0.5);
                alone = alone.body(cube.at(5.0 + k as f64, 0.0, height));
            }
            let pusher = Body::driven("pusher", [1.0, 0.0, 0.0], [0.0; 3])
                .limit(DriveLimit::Cap { impulse: 0.01 })
                .shape(Shape::cuboid(0.2, 0.2, 0.2))
                .at(-0.36, 0.0, 0.25);
            let beside = alone
                .clone()
                .body(pusher)
                .body(Body::dynamic("pushed").cuboid(0.5, 0.5, 0.5).at(0.0, 0.0, 0.25));
            let (mut alone, mut beside) = (world(&alone), world(&beside));
            for _ in 0..60 {
                step(&mut alone);
                step(&mut beside);
                for k in 0..3 {
                    let name = format!("lands {k}");
                    assert_eq!(position(&alone, &name), position(&beside, &name), "{solver}, guard {guard}");
                    assert_eq!(velocity(&alone, &name), velocity(&beside, &name), "{solver}, guard {guard}");
                }
            }
        }
    }
}
