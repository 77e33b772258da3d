//! The convex models as contact models of the engine: what soft contacts do by their law, and the tests that Genesis holds itself to.

use crate::common::{G, booked, floor, near, position, run, spin, step, velocity, world};
use huygens::World;
use huygens::contact::convex::Softness;
use huygens::ledger::Account;
use huygens::math::{Twist, Vec3, scalar, trig};
use huygens::scene::{Body, Cone, ConvexLike, ConvexSpec, Integrator, Material, Resolution, Scene, Shape};
use std::f64::consts::PI;

const MODELS: [&str; 2] = ["convex/newton", "convex/cg"];
const DT: f64 = 0.01;

/// Genesis's choices with an elliptic cone: impratio 100, `signorini` with Newton.
fn genesis() -> ConvexSpec {
    ConvexSpec { like: ConvexLike::Genesis, cone: Some(Cone::Elliptic), ..ConvexSpec::default() }
}

fn scene(solver: &str, convex: ConvexSpec) -> Scene {
    Scene::new().dt(DT).solver(solver).world(|w| w.convex = convex)
}

/// A cube of 0.1 m and 1 kg on the floor, both with the friction μ.
fn cube(solver: &str, convex: ConvexSpec, mu: f64) -> Scene {
    let body = Body::dynamic("cube").shape(Shape::cuboid(0.1, 0.1, 0.1).friction(mu)).mass(1.0);
    scene(solver, convex).body(floor(mu, 0.0)).body(body.at(0.0, 0.0, 0.05))
}

/// Upward force of all contacts of the last step [N]: the change of momentum that the weight does not explain.
fn force(world: &World, before: f64) -> f64 {
    (velocity(world, "cube").z - before) / DT + G
}

#[test]
fn one_step_of_a_ball_is_the_soft_law_by_hand() {
    // M a = D (a_ref − a) − M g with D = d/(1 − d)·M: a = d a_ref − (1 − d) g.
    let softness = Softness::default();
    for solver in MODELS {
        for cone in [Cone::Pyramidal, Cone::Elliptic] {
            let convex = ConvexSpec { cone: Some(cone), ..ConvexSpec::default() };
            // With μ = 1 the edges of a pyramid are together as stiff as the normal of a cone.
            let ball = Body::dynamic("ball").shape(Shape::sphere(0.1).friction(1.0)).mass(2.0);
            let mut world = world(
                &scene(solver, convex)
                    .world(|w| w.integrator = Integrator::SymplecticEuler)
                    .body(floor(1.0, 0.0))
                    .body(ball.at(0.0, 0.0, 0.098)),
            );
            let (mut z, mut v) = (-0.002, 0.0);
            for i in 0..60 {
                step(&mut world);
                let law = softness.at(z, 2.0 * DT);
                let d = law.d;
                let a = d * law.reference(v, z) - (1.0 - d) * G;
                let a = if a < -G { -G } else { a };
                v += DT * a;
                z += DT * v;
                let (found, height) = (velocity(&world, "ball").z, position(&world, "ball").z - 0.1);
                near(found, v, 1e-8, &format!("{solver}, {cone:?}: velocity after step {i}"));
                near(height, z, 1e-8, &format!("{solver}, {cone:?}: height after step {i}"));
                assert!(z < 0.0, "it stays pressed");
            }
        }
    }
}

#[test]
fn a_body_at_rest_is_carried_by_springs_with_its_weight() {
    for solver in MODELS {
        for convex in [ConvexSpec::default(), genesis()] {
            let mut world = world(&cube(solver, convex, 0.5));
            run(&mut world, 400);
            let before = velocity(&world, "cube").z;
            step(&mut world);
            near(force(&world, before), G, 1e-5, &format!("{solver}: force over the weight of 1 kg"));
            let depth = 0.05 - position(&world, "cube").z;
            assert!(depth > 1e-6 && depth < 2e-3, "{solver}: it sinks in by its load: {depth}");
            let heat: f64 = [Account::Impact, Account::Friction, Account::Viscous, Account::Numerical]
                .map(|account| world.book().get(account).abs())
                .iter()
                .sum();
            assert!(heat < 1e-12, "{solver}: no heat at rest, {heat}");
        }
    }
}

#[test]
fn the_books_tell_springs_from_dampers_and_friction_and_close() {
    for solver in MODELS {
        for cone in [Cone::Pyramidal, Cone::Elliptic] {
            let convex = ConvexSpec { cone: Some(cone), ..ConvexSpec::default() };
            let mut dropped = cube(solver, convex, 0.4);
            dropped.bodies[1].position.z = 0.3;
            dropped.bodies[1].linear_velocity.x = 1.5;
            let mut world = world(&dropped);
            let start = world.energy();
            run(&mut world, 300);
            let of = |account| booked(&world, account);
            for account in [Account::Viscous, Account::Friction, Account::Spring] {
                assert!(of(account) < 0.0, "{solver}: {} {}", account.name(), of(account));
            }
            // Pressed in by about half a millimetre with its weight: ½ m g x.
            near(of(Account::Spring), 0.0, 0.5 * G * 2e-3, "what springs hold at rest");
            let change = world.energy() - start;
            assert!(world.ledger().unexplained().abs() < 1e-12 * start, "{solver}: {change}");
        }
    }
}

/// Acceleration along a push of `share` μN in that direction, after the load has settled [m/s²].
fn pushed(solver: &str, share: f64, angle: f64) -> (f64, f64) {
    let mu = 0.5;
    let (s, c) = trig::sin_cos(angle);
    let mut scene = cube(solver, genesis(), mu);
    // The push acts at the height of the floor, where it does not tip the cube.
    let push = share * mu * G;
    scene.bodies[1].force = Vec3::new(c, s, 0.0) * push;
    scene.bodies[1].torque = Vec3::new(-s, c, 0.0) * (-0.05 * push);
    let mut world = world(&scene);
    run(&mut world, 100);
    let before = velocity(&world, "cube");
    run(&mut world, 50);
    let along = (velocity(&world, "cube") - before).dot(Vec3::new(c, s, 0.0)) / (50.0 * DT);
    (along, velocity(&world, "cube").truncate().length())
}

#[test]
fn friction_is_the_same_in_all_directions() {
    let directions = 16;
    let found: Vec<f64> =
        (0..directions).map(|k| pushed("convex/newton", 1.5, 2.0 * PI * f64::from(k) / 16.0).0).collect();
    let mean = found.iter().sum::<f64>() / f64::from(directions);
    near(mean, 0.5 * 0.5 * G, 0.01 * 0.25 * G, "1.5 μN leave 0.5 μ g");
    let spread = found.iter().map(|a| (a - mean) * (a - mean)).sum::<f64>() / f64::from(directions);
    assert!(spread.sqrt() < 5e-5 * mean, "{:e} of {mean}", spread.sqrt());
}

#[test]
fn a_push_of_0_4_mu_n_sticks_with_an_elliptic_cone() {
    let (_, speed) = pushed("convex/newton", 0.4, 0.3);
    assert!(speed < 5e-5, "{speed} m/s");
}

#[test]
fn sliding_slows_down_by_mu_g_without_lift_under_signorini() {
    for speed in [2.0, 6.0, 20.0] {
        for mu in [0.01, 0.2, 0.5] {
            let mut scene = cube("convex/newton", genesis(), mu);
            scene.bodies[1].linear_velocity.x = speed;
            // What slides rests on its springs from the start.
            let mut at_rest = world(&cube("convex/newton", genesis(), mu));
            run(&mut at_rest, 300);
            let height = position(&at_rest, "cube").z;
            scene.bodies[1].position.z = height;
            let mut world = world(&scene);
            run(&mut world, 5);
            let before = velocity(&world, "cube").x;
            run(&mut world, 10);
            let slower = (before - velocity(&world, "cube").x) / (10.0 * DT);
            near(slower, mu * G, 0.01 * mu * G, &format!("μ {mu} at {speed} m/s"));
            near(position(&world, "cube").z, height, 5e-5, &format!("no lift, μ {mu} at {speed} m/s"));
        }
    }
    // The convex cone lifts what slides: the law that `signorini` is for.
    let convex = ConvexSpec { resolution: Some(Resolution::Convex), ..genesis() };
    let mut scene = cube("convex/newton", convex, 0.5);
    scene.bodies[1].linear_velocity.x = 6.0;
    let mut world = world(&scene);
    run(&mut world, 15);
    assert!(position(&world, "cube").z > 0.06, "{}", position(&world, "cube").z);
}

#[test]
fn spin_and_roll_are_slowed_by_their_levers() {
    let (radius, mu_t, mu_r) = (0.1, 0.01, 0.005);
    let rough = Material::new().friction(1.0).levers(mu_t, mu_r);
    let ball = |v: f64, spin: Vec3| {
        let shape = Shape::sphere(radius).material("rough");
        let body = Body::dynamic("ball").shape(shape).mass(1.0).at(0.0, 0.0, radius - 2e-5);
        let floor = Body::fixed("floor").shape(Shape::half_space().material("rough"));
        let mut scene = scene("convex/newton", genesis()).material("rough", rough);
        scene = scene.body(floor).body(body.velocity(v, 0.0, 0.0).spin(spin.x, spin.y, spin.z));
        let mut world = world(&scene);
        run(&mut world, 20);
        world
    };
    let slowed = |world: &mut World, value: fn(&World) -> f64| {
        let before = value(world);
        run(world, 20);
        (before - value(world)) / (20.0 * DT)
    };
    let spinning = slowed(&mut ball(0.0, Vec3::Z * 20.0), |w| spin(w, "ball").z);
    let expected = mu_t * G / (0.4 * radius * radius);
    near(spinning, expected, 0.05 * expected, "spin-down");
    let rolling = slowed(&mut ball(2.0, Vec3::Y * 20.0), |w| velocity(w, "ball").x);
    let expected = 5.0 / 7.0 * mu_r * G / radius;
    near(rolling, expected, 0.05 * expected, "rolling");
}

#[test]
fn a_block_of_125_boxes_settles() {
    for solver in MODELS {
        let mut scene = scene(solver, ConvexSpec::default()).body(floor(1.0, 0.0));
        for k in 0..125 {
            let place = [k % 5, k / 5 % 5, k / 25].map(|i| f64::from(i) * 0.999);
            let shape = Shape::cuboid(1.0, 1.0, 1.0).friction(1.0).density(200.0);
            let body = Body::dynamic(format!("box{k}")).shape(shape);
            scene = scene.body(body.at(place[0], place[1], place[2] + 0.5));
        }
        let mut world = world(&scene);
        let start: Vec<Vec3> = world.bodies().map(|body| body.position).collect();
        run(&mut world, 150);
        let moving: Vec<_> = world.bodies().filter(|body| body.name.starts_with("box")).collect();
        let mean = moving.iter().map(|body| body.linear_velocity.length()).sum::<f64>() / 125.0;
        assert!(mean < 0.05, "{solver}: {mean} m/s");
        let far = world
            .bodies()
            .zip(&start)
            .fold(0.0, |far, (body, start)| scalar::max((body.position - *start).length(), far));
        assert!(far < 0.05, "{solver}: {far} m");
        for body in moving {
            let turn = 2.0 * body.orientation.xyz().length();
            assert!(turn < 0.03, "{solver}: {} turns by {turn}", body.name);
        }
    }
}

#[test]
fn no_slip_sweeps_take_the_creep_out_of_a_pyramid() {
    let creep = |noslip_iterations| {
        let mut scene = cube("convex/newton", ConvexSpec { noslip_iterations, ..ConvexSpec::default() }, 0.5);
        scene.bodies[1].force = Vec3::X * (0.4 * 0.5 * G);
        scene.bodies[1].torque = Vec3::Y * (-0.05 * 0.4 * 0.5 * G);
        let mut world = world(&scene);
        run(&mut world, 200);
        velocity(&world, "cube").x.abs()
    };
    let (with, without) = (creep(10), creep(0));
    assert!(without > 1e-4, "a pyramid creeps: {without} m/s");
    assert!(with < 0.05 * without, "{with} m/s with sweeps, {without} without");
}

#[test]
fn static_friction_holds_and_what_slides_has_the_dynamic_one() {
    let rough = |mut scene: Scene| {
        for body in &mut scene.bodies {
            body.shapes[0].friction = None;
            body.shapes[0].material = Some("rough".to_owned());
        }
        let mut material = Material::default();
        (material.surface.friction_static, material.surface.friction_dynamic) = (Some(0.6), Some(0.3));
        scene.materials.insert("rough".to_owned(), material);
        scene
    };
    for cone in [Cone::Pyramidal, Cone::Elliptic] {
        let convex = ConvexSpec { cone: Some(cone), impratio: Some(10.0), ..ConvexSpec::default() };
        // The push is between the two coefficients: who rests holds, who slides slides on.
        for (start, slides) in [(0.0, false), (1.0, true)] {
            let mut scene = rough(cube("convex/newton", convex, 0.0));
            scene.bodies[1].force = Vec3::X * (0.45 * G);
            scene.bodies[1].torque = Vec3::Y * (-0.05 * 0.45 * G);
            let mut world = world(&scene);
            run(&mut world, 100);
            let body = world.find("cube").unwrap();
            let twist = Twist::new(velocity(&world, "cube") + Vec3::X * start, Vec3::ZERO);
            world.set_velocity(body, twist).unwrap();
            let before = velocity(&world, "cube").x;
            run(&mut world, 20);
            let faster = (velocity(&world, "cube").x - before) / (20.0 * DT);
            if slides {
                // Sliding raises the normal force of the convex law for a while.
                assert!(faster > 0.1 * G && faster < 0.16 * G, "{cone:?}: slides with μ_d, {faster} m/s²");
            } else {
                near(faster, 0.0, 0.02 * G, &format!("{cone:?}: sticks with μ_s"));
            }
        }
    }
}
