//! Friction and rolling: verification cases 37, 38, 40, 42, 44, 54.

use crate::common::{
    G, booked, closed_friction_solvers, exact_cone_solvers, floor, near, position, run, spin, step, velocity,
    world,
};
use huygens::World;
use huygens::ledger::Account;
use huygens::math::{Sym3, Vec3, scalar, trig};
use huygens::scene::{Body, Scene, Shape};
use std::f64::consts::PI;

const DT: f64 = 1.0 / 240.0;

fn slab(mu: f64) -> Body {
    Body::dynamic("slab").shape(Shape::cuboid(1.0, 1.0, 0.2).friction(mu)).at(0.0, 0.0, 0.1)
}

/// Runs until the slab stands still; returns where it stopped.
fn slide(solver: &str, direction: Vec3) -> (Vec3, f64, World) {
    let v = direction * 3.0;
    let scene =
        Scene::new().dt(DT).solver(solver).body(floor(0.3, 0.0)).body(slab(0.3).velocity(v.x, v.y, v.z));
    let mut world = world(&scene);
    let mut stopped = 0.0;
    for _ in 0..400 {
        step(&mut world);
        if velocity(&world, "slab").length() > 1e-9 {
            stopped = world.time();
        }
    }
    (position(&world, "slab") - Vec3::Z * 0.1, stopped, world)
}

#[test]
fn a_sliding_slab_stops_after_v_squared_over_two_mu_g() {
    for solver in exact_cone_solvers() {
        let (end, time, world) = slide(solver, Vec3::X);
        near(end.x, 1.529052, 0.002 * 1.529052, "case 37");
        near(time, 1.019368, 2.0 * DT, "case 37: the step in which it stops");
        let mass = 0.2 * 1000.0;
        near(booked(&world, Account::Friction), -0.5 * mass * 9.0, 1e-12 * mass * 9.0, "case 37: heat ½mv²");
    }
}

/// Case 38: how far the slab slides in 13 directions over a quarter turn, the least and the most, and how far it leaves its line [m].
fn fan(solver: &str) -> ([f64; 2], f64) {
    let ([mut low, mut high], mut aside) = ([f64::INFINITY, 0.0], 0.0);
    for k in 0..=12 {
        let (s, c) = trig::sin_cos(PI / 2.0 * f64::from(k) / 12.0);
        let direction = Vec3::new(c, s, 0.0);
        let (end, _, _) = slide(solver, direction);
        let along = end.dot(direction);
        (low, high) = (scalar::min(along, low), scalar::max(along, high));
        aside = scalar::max((end - direction * along).length(), aside);
    }
    ([low, high], aside)
}

#[test]
fn friction_has_no_preferred_direction() {
    // soft-step claims no more than the cone of a manifold; it is as round.
    let models: Vec<&str> = exact_cone_solvers().chain(["soft-step"]).collect();
    for solver in ["sequential-impulse", "nbgs/decoupling", "nbgs/de-saxce", "active-set", "ncp/newton"] {
        assert!(models.contains(&solver), "{solver} has the exact cone");
    }
    for solver in models {
        let ([low, high], aside) = fan(solver);
        println!("{solver}: {low:.6} … {high:.6} m, {aside:.1e} m aside");
        assert!(high - low < 1e-3 * low, "case 38: {low} … {high} m with {solver}");
        near(aside, 0.0, 1e-4 * low, &format!("case 38: a straight line with {solver}"));
    }
}

/// At a corner of a box W_tt is not isotropic, and pe's default takes the impulse that would stop the corner, −W_tt⁻¹u, cut
/// back to the cone: it points beside the slip, and the parts across cancel over the corners. The law is as published; the
/// figure stands here so that nobody takes it for ours.
#[test]
fn approximate_decoupling_slides_a_corner_contact_too_far() {
    let (end, _, world) = slide("nbgs/approximate-decoupling", Vec3::X);
    near(end.x, 1.7627, 1e-3, "15 % beyond the 1.5291 m of case 37");
    near(booked(&world, Account::Friction), -900.0, 1e-9 * 900.0, "though all its heat is booked");
}

/// A slab on a floor, gravity turned by `angle`: a slope without turning the shapes.
fn on_slope(solver: &str, mu: f64, angle: f64, body: Body) -> World {
    let (s, c) = trig::sin_cos(angle);
    let scene =
        Scene::new().gravity(G * s, 0.0, -G * c).dt(DT).solver(solver).body(floor(mu, 0.0)).body(body);
    world(&scene)
}

#[test]
fn a_slab_sticks_below_the_critical_angle_and_slides_above_it() {
    let critical = trig::atan2(0.5, 1.0);
    let off = 0.05 * PI / 180.0;
    for solver in exact_cone_solvers() {
        let mut below = on_slope(solver, 0.5, critical - off, slab(0.5));
        run(&mut below, 200);
        let drift = velocity(&below, "slab").length();
        assert!(drift < 1e-9, "case 40: {drift:e} m/s below the critical angle with {solver}");

        let mut above = on_slope(solver, 0.5, critical + off, slab(0.5));
        run(&mut above, 200);
        let (s, c) = trig::sin_cos(critical + off);
        let expected = G * (s - 0.5 * c) * above.time();
        near(velocity(&above, "slab").x, expected, 1e-3 * expected, "case 40: a = g(sin θ − μ cos θ)");
    }
}

#[test]
fn a_slab_on_a_turned_plane_does_what_it_does_under_turned_gravity() {
    let critical = trig::atan2(0.5, 1.0);
    for solver in exact_cone_solvers() {
        for (off, slides) in [(-0.05, false), (0.05, true)] {
            let angle = critical + off * PI / 180.0;
            let (s, c) = trig::sin_cos(angle);
            let plane = Body::fixed("floor").shape(Shape::half_space().facing(s, 0.0, c).friction(0.5));
            let body = slab(0.5).at(0.1 * s, 0.0, 0.1 * c).turned([0.0, 1.0, 0.0], angle);
            let scene = Scene::new().dt(DT).solver(solver).body(plane).body(body);
            let mut world = world(&scene);
            run(&mut world, 200);
            let along = velocity(&world, "slab").dot(Vec3::new(c, 0.0, -s));
            if slides {
                let expected = G * (s - 0.5 * c) * world.time();
                near(along, expected, 1e-3 * expected, "case 40");
            } else {
                assert!(along.abs() < 1e-9, "case 40: {along:e} m/s with {solver}");
            }
        }
    }
}

#[test]
fn a_thrown_sphere_rolls_after_two_sevenths_of_the_stopping_time() {
    let (v0, mu) = (3.0, 0.3);
    for solver in closed_friction_solvers() {
        let ball = Body::dynamic("ball").shape(Shape::sphere(0.2).friction(mu)).at(0.0, 0.0, 0.2);
        let scene = Scene::new().dt(DT).solver(solver).body(floor(mu, 0.0)).body(ball.velocity(v0, 0.0, 0.0));
        let mut world = world(&scene);
        let (mut rolls, mut distance) = (0.0, 0.0);
        for _ in 0..240 {
            step(&mut world);
            let slip = velocity(&world, "ball").x - 0.2 * spin(&world, "ball").y;
            if slip.abs() > 1e-9 {
                rolls = world.time();
                distance = position(&world, "ball").x;
            }
        }
        near(rolls, 0.291248, 2.0 * DT, "case 42: the step in which it begins to roll");
        near(distance, 0.748923, 2.0 * DT * v0, "case 42: as far as that step is known");
        near(velocity(&world, "ball").x, 5.0 * v0 / 7.0, 0.002 * v0, "case 42");
        let mass = world.bodies().find(|body| body.name == "ball").unwrap().mass;
        let heat = mass * v0 * v0 / 7.0;
        near(booked(&world, Account::Friction), -heat, 1e-10 * heat, "case 42: heat m v₀²/7");
    }
}

#[test]
fn round_bodies_roll_down_a_slope_without_heat() {
    let angle = 15.0 * PI / 180.0;
    let (s, _) = trig::sin_cos(angle);
    let r = 0.3;
    let tube = |name: &str| {
        Body::dynamic(name).shape(Shape::cylinder(r, 0.8).along(huygens::scene::Axis::Y).friction(0.9))
    };
    // A hoop: the cylinder's shape with all its mass on the rim.
    let hoop = tube("b").mass(2.0).inertia(Sym3::diagonal(Vec3::new(0.1, 2.0 * r * r, 0.1)));
    let ball = Body::dynamic("b").shape(Shape::sphere(r).friction(0.9));
    for solver in closed_friction_solvers() {
        for (body, share) in [(ball.clone(), 5.0 / 7.0), (tube("b"), 2.0 / 3.0), (hoop.clone(), 0.5)] {
            let mut world = on_slope(solver, 0.9, angle, body.at(0.0, 0.0, r));
            run(&mut world, 240);
            let expected = share * G * s;
            near(velocity(&world, "b").x, expected, 5.5e-4 * expected, "case 44 after one second");
            let kinetic = world.kinetic_energy();
            near(booked(&world, Account::Friction), 0.0, 1e-9 * kinetic, "case 44: rolling makes no heat");
        }
    }
}

#[test]
fn a_box_dropped_on_a_belt_takes_twice_its_kinetic_energy_from_the_driver() {
    let (v, mu) = (2.0, 0.4);
    for solver in closed_friction_solvers() {
        let belt = Body::driven("belt", [v, 0.0, 0.0], [0.0; 3])
            .shape(Shape::cuboid(40.0, 2.0, 0.2).friction(mu))
            .at(0.0, 0.0, -0.1);
        let cube = Body::dynamic("cube")
            .shape(Shape::cuboid(0.4, 0.4, 0.2).friction(mu))
            .mass(1.0)
            .at(0.0, 0.0, 0.1);
        let scene = Scene::new().dt(1e-3).solver(solver).body(belt).body(cube);
        let mut world = world(&scene);
        let mut caught = 0.0;
        for _ in 0..1000 {
            step(&mut world);
            if (velocity(&world, "cube").x - v).abs() > 1e-9 {
                caught = world.time();
            }
        }
        if exact_cone_solvers().any(|name| name == solver) {
            near(caught, 0.509684, 2e-3, "case 54: two steps");
            let slip = v * world.time() - position(&world, "cube").x;
            near(slip, 0.509684, 2e-3, "case 54");
        }
        near(booked(&world, Account::Driver), 4.0, 4e-10, "case 54: W = m v²");
        near(booked(&world, Account::Friction), -2.0, 2e-10, "case 54: half of it becomes heat");
        near(world.kinetic_energy(), 2.0, 2e-10, "case 54");
        let record = world.drivers().next().unwrap().record;
        near(record.work, 4.0, 4e-10, "the driver says the same");
        if exact_cone_solvers().any(|name| name == solver) {
            // Weight and friction act on the belt together.
            near(record.peak_force, G * (1.0 + mu * mu).sqrt(), 1e-6 * G, "peak force of a step");
        }
    }
}
