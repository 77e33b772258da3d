//! Normal contact and impact: verification cases 14, 15, 19, 20, 24, 27, 36, and JSim's example.

use crate::common::{
    G, booked, floor, hard_solvers, near, position, rigid_solvers, run, spin, step, velocity, world,
};
use huygens::World;
use huygens::ledger::Account;
use huygens::math::{SplitMix, Vec3};
use huygens::scene::{Body, Scene, Shape, StabilisationSpec};

fn ball_drop(solver: &str, height: f64, e: f64, dt: f64) -> World {
    let ball = Body::dynamic("ball").shape(Shape::sphere(0.5).restitution(e)).at(0.0, 0.0, 0.5 + height);
    world(&Scene::new().dt(dt).solver(solver).body(floor(0.5, e)).body(ball))
}

/// Height that the ball would reach from here if it met nothing.
fn apex(world: &World) -> f64 {
    let (z, v) = (position(world, "ball").z - 0.5, velocity(world, "ball").z);
    z + v * v / (2.0 * G)
}

#[test]
fn a_ball_with_restitution_e_climbs_to_e_squared_of_its_height_for_every_phase_of_the_step() {
    for solver in rigid_solvers() {
        for e in [0.3, 0.5, 0.8, 0.95, 1.0] {
            // The impact stage is the same for all models: one is tested at all 200 heights.
            let every = if solver == "sequential-impulse" { 1 } else { 10 };
            for k in (0..200).step_by(every) {
                let height = 1.0 + 0.2 * f64::from(k) / 199.0;
                let mut world = ball_drop(solver, height, e, 1.0 / 240.0);
                for bounce in 1..=2 {
                    while velocity(&world, "ball").z <= 0.0 {
                        step(&mut world);
                    }
                    let expected = height * (0..2 * bounce).fold(1.0, |product, _| product * e);
                    let got = apex(&world);
                    near(got, expected, 0.005 * height, "case 14: half a percent of the height");
                    assert!(
                        got <= expected * (1.0 + 1e-9),
                        "{solver} e {e} h {height}: {got} above {expected}"
                    );
                    while velocity(&world, "ball").z > 0.0 {
                        step(&mut world);
                    }
                }
            }
        }
    }
}

#[test]
fn a_bouncing_ball_comes_to_rest_after_its_zeno_time() {
    for solver in hard_solvers() {
        for (e, total) in [(0.5, 1.354571), (0.8, 4.063713)] {
            let mut world = ball_drop(solver, 1.0, e, 1.0 / 240.0);
            let start = world.energy();
            let mut rest = 0.0;
            for _ in 0..1500 {
                step(&mut world);
                if velocity(&world, "ball").length() > 1e-9 {
                    rest = world.time();
                }
            }
            near(rest, total, 0.01 * total + 1.0 / 240.0, "case 15: 1 % and the step in which it stops");
            assert_eq!(world.kinetic_energy(), 0.0, "{solver}: it must stop");
            let mass = world.bodies().find(|body| body.name == "ball").unwrap().mass;
            let loss = booked(&world, Account::Impact) + booked(&world, Account::Correction);
            near(loss, -mass * G * 1.0, 1e-12 * mass * G, "all of mgh is lost in the normal direction");
            near(world.energy(), start + loss, 1e-12 * start, "nothing else took any");
        }
    }
}

#[test]
fn jsims_example_gives_nine_newton_seconds() {
    for solver in rigid_solvers() {
        let scene = Scene::new().gravity(0.0, 0.0, 0.0).dt(0.01).solver(solver).body(floor(0.7, 0.5)).body(
            Body::dynamic("ball")
                .shape(Shape::sphere(0.5).restitution(0.5))
                .mass(2.0)
                .at(0.0, 0.0, 0.5)
                .velocity(0.0, 0.0, -3.0),
        );
        let mut world = world(&scene);
        step(&mut world);
        let v = velocity(&world, "ball").z;
        near(v, 1.5, 1e-12, "v' = −e v");
        near(2.0 * (v + 3.0), 9.0, 1e-12, "j = m Δv");
    }
}

#[test]
fn central_collisions_follow_newton_for_any_mass_ratio() {
    for solver in rigid_solvers() {
        for ratio in [1e-4, 1e-2, 1.0, 3.0, 1e4] {
            for e in [0.3, 1.0] {
                let ball = |name: &str, x: f64, mass: f64, v: f64| {
                    let shape = Shape::sphere(0.5).restitution(e);
                    Body::dynamic(name).shape(shape).mass(mass).at(x, 0.0, 0.0).velocity(v, 0.0, 0.0)
                };
                let (m1, m2, v1, v2) = (1.0, ratio, 2.0, -0.5);
                let scene = Scene::new()
                    .gravity(0.0, 0.0, 0.0)
                    .dt(0.01)
                    .solver(solver)
                    .body(ball("a", 0.0, m1, v1))
                    .body(ball("b", 1.013, m2, v2));
                let mut world = world(&scene);
                run(&mut world, 3);
                let sum = m1 + m2;
                let a = (m1 * v1 + m2 * v2 - m2 * e * (v1 - v2)) / sum;
                let b = (m1 * v1 + m2 * v2 + m1 * e * (v1 - v2)) / sum;
                near(velocity(&world, "a").x, a, 1e-12 * 2.5, "case 19");
                near(velocity(&world, "b").x, b, 1e-12 * 2.5, "case 19");
                let loss = 0.5 * (m1 * m2 / sum) * (1.0 - e * e) * 2.5 * 2.5;
                near(booked(&world, Account::Impact), -loss, 1e-12 * (loss + m1 * m2 / sum), "case 19");
            }
        }
    }
}

#[test]
fn equal_smooth_spheres_part_at_a_right_angle() {
    for solver in rigid_solvers() {
        let ball = |name: &str, x: f64, y: f64, v: f64| {
            let shape = Shape::sphere(0.5).restitution(1.0).friction(0.0);
            Body::dynamic(name).shape(shape).at(x, y, 0.0).velocity(v, 0.0, 0.0)
        };
        let scene = Scene::new()
            .gravity(0.0, 0.0, 0.0)
            .dt(0.01)
            .solver(solver)
            .body(ball("a", -1.0, 0.5, 2.0))
            .body(ball("b", 0.0, 0.0, 0.0));
        let mut world = world(&scene);
        let energy = world.energy();
        run(&mut world, 30);
        let (a, b) = (velocity(&world, "a"), velocity(&world, "b"));
        assert!(b.length() > 0.5, "they met");
        near(a.dot(b), 0.0, 1e-12 * 4.0, "case 20");
        near((a + b - Vec3::X * 2.0).length(), 0.0, 1e-12 * 2.0, "momentum");
        near(world.energy(), energy, 1e-12 * energy, "energy");
        near(booked(&world, Account::Impact), 0.0, 1e-12 * energy, "no loss");
    }
}

#[test]
fn a_falling_rod_that_hits_a_stop_with_its_end_turns_by_three_v_over_two_l() {
    for solver in rigid_solvers() {
        for e in [0.0, 0.5, 1.0] {
            // A thin rod: mass and inertia m L²/12 are given, its end is a small ball of radius r at x = L/2.
            let (m, l, v, r) = (3.0, 2.0, 1.5, 0.05);
            let thin = m * l * l / 12.0;
            let rod = Body::dynamic("rod")
                .shape(Shape::sphere(r).at(0.5 * l, 0.0, 0.0).friction(0.0).restitution(e))
                .mass(m)
                .center_of_mass(0.0, 0.0, 0.0)
                .inertia(huygens::math::Sym3::diagonal(Vec3::new(1e-3, thin, thin)))
                .at(0.0, 0.0, r)
                .velocity(0.0, 0.0, -v);
            let scene =
                Scene::new().gravity(0.0, 0.0, 0.0).dt(1e-3).solver(solver).body(floor(0.0, e)).body(rod);
            let mut world = world(&scene);
            step(&mut world);
            let p = (1.0 + e) * m * v / 4.0;
            near(velocity(&world, "rod").z, -v + p / m, 1e-12, "case 24");
            near(spin(&world, "rod").y, -p * 0.5 * l / thin, 1e-12 * 4.0, "case 24: 3v/(2L) for e = 0");
            let loss = (1.0 - e * e) * 0.25 * 0.5 * m * v * v;
            near(booked(&world, Account::Impact), -loss, 1e-12 * m * v * v, "case 24");
        }
    }
}

fn overlapping_cube(solver: &str, stabilisation: StabilisationSpec) -> World {
    let scene = Scene::new()
        .dt(0.005)
        .solver(solver)
        .stabilisation(stabilisation)
        .body(floor(0.5, 0.0))
        .body(Body::dynamic("cube").cuboid(1.0, 1.0, 1.0).mass(1.0).at(0.0, 0.0, 0.49));
    world(&scene)
}

#[test]
fn a_cube_that_starts_in_the_floor_comes_out_without_a_pop() {
    for solver in hard_solvers() {
        let mut world = overlapping_cube(solver, StabilisationSpec::SplitImpulse { beta: 0.2, slop: None });
        for _ in 0..400 {
            step(&mut world);
            let up = velocity(&world, "cube").z;
            assert!(up <= 1e-9, "{solver}: {up} m/s upwards; case 27 allows none");
        }
        near(position(&world, "cube").z, 0.5 - 5e-4, 1e-5, "out but for the slop");
        assert!(world.kinetic_energy() < 1e-6);
        let lifted = position(&world, "cube").z - 0.49;
        near(booked(&world, Account::Correction), G * lifted, 1e-9, "the lift is booked");
    }
}

#[test]
fn baumgarte_pops_the_same_cube_out_and_books_it() {
    for solver in hard_solvers() {
        let mut world = overlapping_cube(solver, StabilisationSpec::Baumgarte { erp: 0.2, cap: None });
        step(&mut world);
        near(velocity(&world, "cube").z, 0.2 * 0.01 / 0.005, 1e-9, "β δ / h = 0.4 m/s");
        let mut top = 0.0;
        for _ in 0..100 {
            step(&mut world);
            let z = position(&world, "cube").z;
            top = if z > top { z } else { top };
        }
        assert!(top > 0.5 - 0.008 + 0.006, "it hops by about 8 mm: {top}");
        assert!(booked(&world, Account::Stabilisation) > 0.05, "and the energy comes from the bias");
    }
}

/// Two balls, one on the other, dropped on the floor at a scale; positions in units of the scale.
fn dropped_pair(solver: &str, length: f64) -> Vec<f64> {
    // Time scales as √(length/g) with g as it is.
    let unit = length.sqrt();
    let ball = |name: &str, z: f64, x: f64| {
        let shape = Shape::sphere(0.5 * length).restitution(0.6).friction(0.4);
        Body::dynamic(name).shape(shape).at(x * length, 0.0, z * length)
    };
    let scene = Scene::new()
        .dt(unit / 240.0)
        .solver(solver)
        .world(|world| world.length = length)
        .body(floor(0.4, 0.6))
        .body(ball("low", 1.5, 0.0))
        .body(ball("high", 2.5, 0.01));
    let mut world = world(&scene);
    let mut track = Vec::new();
    for _ in 0..240 {
        step(&mut world);
        for name in ["low", "high"] {
            track.extend((position(&world, name) / length).to_array());
        }
    }
    track
}

#[test]
fn a_dropped_pair_moves_alike_from_micrometres_to_ten_kilometres() {
    for solver in rigid_solvers() {
        let unit = dropped_pair(solver, 1.0);
        for length in [1e-6, 1e-3, 1e4] {
            for (a, b) in dropped_pair(solver, length).iter().zip(&unit) {
                near(*a, *b, 1e-6, "case 36: the same in units of the length");
            }
        }
    }
}

/// A ball that leaves the ground at u < gh/2 is back within the step: it lies there at the end, and has lost ½mu².
#[test]
fn what_comes_down_again_within_the_step_gains_nothing() {
    let dt = 0.01;
    for solver in hard_solvers() {
        for share in [0.1, 0.25, 0.45] {
            let u = share * G * dt;
            let ball =
                Body::dynamic("ball").shape(Shape::sphere(0.5)).at(0.0, 0.0, 0.5).velocity(0.0, 0.0, u);
            let mut world =
                world(&Scene::new().dt(dt).solver(solver).body(floor(0.5, 0.0)).body(ball.mass(2.0)));
            let start = world.energy();
            step(&mut world);
            near(position(&world, "ball").z, 0.5, 1e-9, solver);
            near(velocity(&world, "ball").z, 0.0, 1e-9, solver);
            near(world.energy() - start, -u * u, 1e-8, solver);
        }
    }
}

#[test]
fn impacts_of_a_model_without_friction_keep_slip_and_spin() {
    let ball = Body::dynamic("ball")
        .shape(Shape::sphere(0.5).restitution(0.8).friction(0.5))
        .at(0.0, 0.0, 0.6)
        .velocity(2.0, 0.0, -3.0);
    let scene = Scene::new().dt(1.0 / 240.0).solver("nbgs/frictionless").body(floor(0.5, 0.8)).body(ball);
    let mut world = world(&scene);
    run(&mut world, 24);
    assert!(velocity(&world, "ball").z > 0.0, "it has bounced");
    near(velocity(&world, "ball").x, 2.0, 0.0, "nothing acts along the floor");
    near(spin(&world, "ball").length(), 0.0, 0.0, "and nothing turns it");
}

/// A body that rattles between two walls has many impacts in a step, with the rows of its first touch. Newton's restitution with friction may gain energy in each
/// (Kane's paradox), and without the guard the gains of repeated impacts multiplied: a shot of 0.9 MJ left with 1.6e44 J.
#[test]
fn gains_of_repeated_impacts_of_a_contact_in_one_step_do_not_multiply_without_the_guard() {
    let mut r = SplitMix::new(1913);
    for run in 0..200_i32 {
        let surface = |shape: Shape| shape.friction(f64::from(run % 5) * 0.4).restitution(1.0);
        let size = [0.010, 0.015, 0.016];
        let slot = r.range(0.0245, 0.03);
        let wall = |name: &str, z: f64| {
            Body::fixed(name).shape(surface(Shape::cuboid(1.0, 1.0, 0.1))).at(0.0, 0.0, z)
        };
        let mut shot = Body::dynamic("shot").shape(surface(Shape::cuboid(size[0], size[1], size[2])));
        shot.orientation = r.rotation();
        shot.linear_velocity = r.direction() * 155.0;
        shot.angular_velocity = r.direction() * 7100.0;
        let scene = Scene::new()
            .gravity(0.0, 0.0, 0.0)
            .dt(1.0 / 60.0)
            .world(|world| world.guard = false)
            .body(wall("low", -0.05 - 0.5 * slot))
            .body(wall("high", 0.05 + 0.5 * slot))
            .body(shot);
        let mut world = world(&scene);
        let start = world.kinetic_energy();
        for k in 0..4 {
            world.step();
            let now = world.kinetic_energy();
            assert!(now <= 20.0 * start, "run {run}, step {k}: {now} J of {start} J");
        }
    }
}
