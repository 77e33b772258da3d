//! Tendons and couplings against closed forms.

use crate::common::world;
use huygens::World;
use huygens::ledger::Account;
use huygens::math::{Vec3, trig};
use huygens::scene::{
    Body, CouplingKind, CouplingSpec, Joint, JointSpring, MotorKind, MotorSpec, Scene, Shape, TendonSpec,
};

const G: f64 = 9.81;
const MODELS: [&str; 3] = ["soft-step", "sequential-impulse", "ncp/newton"];

fn ball(name: &str, mass: f64, at: Vec3) -> Body {
    Body::dynamic(name).shape(Shape::sphere(0.1).groups(0, 0)).mass(mass).at(at.x, at.y, at.z)
}

fn run(world: &mut World, seconds: f64) {
    while world.time() < seconds - 1e-9 {
        world.step();
    }
    let ratio = world.ledger().worst_ratio();
    assert!(ratio < 1.0, "the books do not close: {ratio}");
}

fn z(world: &World, name: &str) -> [f64; 2] {
    let body = world.bodies().find(|body| body.name == name).expect("a body");
    [body.position.z, body.linear_velocity.z]
}

#[test]
fn a_rope_over_a_pulley_without_mass_is_an_atwood_machine() {
    // 2 kg and 1 kg over two points: a = g/3.
    let (a, b) = (Vec3::new(-0.5, 0.0, 0.0), Vec3::new(0.5, 0.0, 0.0));
    let top = [a + Vec3::Z, b + Vec3::Z];
    for solver in MODELS {
        let mut rope = TendonSpec::through("rope", [("heavy", a), ("", top[0]), ("", top[1]), ("light", b)]);
        rope.range = Some([0.0, 3.0]);
        let scene =
            Scene::new().dt(1e-3).solver(solver).body(ball("heavy", 2.0, a)).body(ball("light", 1.0, b));
        let mut world = world(&scene.tendon(rope));
        run(&mut world, 0.5);
        let ([x, v], [y, w]) = (z(&world, "heavy"), z(&world, "light"));
        let accel = G / 3.0;
        // In the first step the rope is slack by round-off: some gh².
        assert!((v + accel * 0.5).abs() < 1e-6 && (w - accel * 0.5).abs() < 1e-6, "{solver}: {v} {w}");
        assert!((x + accel * 0.125).abs() < 2e-5 && (y - accel * 0.125).abs() < 2e-5, "{solver}: {x} {y}");
    }
}

#[test]
fn a_pulley_halves_the_length_of_its_branch() {
    // The load hangs in a loop: two strands of the branch that counts divided by 1; the counterweight moves twice as far.
    let (load, weight) = (Vec3::new(0.0, 0.0, 0.0), Vec3::new(2.0, 0.0, 0.0));
    let up = |at: Vec3| Vec3::new(at.x, at.y, 2.0);
    let mut rope =
        TendonSpec::through("rope", [("load", load), ("", up(load)), ("", up(weight)), ("weight", weight)]);
    // Length = 2·(strand of the load) + strand of the weight: the first branch is divided by ½.
    rope.path.insert(0, huygens::scene::TendonPart::Pulley(0.5));
    rope.path.insert(3, huygens::scene::TendonPart::Pulley(1.0));
    rope.range = Some([0.0, 2.0 / 0.5 + 2.0]);
    let scene = Scene::new().dt(1e-3).body(ball("load", 3.0, load)).body(ball("weight", 1.0, weight));
    let mut world = world(&scene.tendon(rope));
    run(&mut world, 0.4);
    // 2T − 3g = 3a, T − g = −2a... with a of the load upwards: 2a downwards for the weight: a = (2·1 − 3)g/(3 + 4) = −g/7.
    let accel = -G / 7.0;
    let ([_, v], [_, w]) = (z(&world, "load"), z(&world, "weight"));
    assert!((v - accel * 0.4).abs() < 1e-6 && (w + 2.0 * accel * 0.4).abs() < 1e-6, "{v} {w} {accel}");
}

#[test]
fn a_tendon_over_joints_is_a_spring_between_them() {
    // Two slides of 1 kg and 2 kg with ℓ = q₀ − 2 q₁: along (1/m₀, −2/m₁) with ω² = k(1/m₀ + 4/m₁).
    // `soft-step` solves the row in sub-steps and loses some of the energy: not for this test.
    let mut errors = Vec::new();
    for dt in [2e-3, 1e-3] {
        let slide = |name: &str| Joint::slide(name, name).axis(1.0, 0.0, 0.0);
        let mut tendon = TendonSpec::over("t", [("a", 1.0), ("b", -2.0)]);
        tendon.spring = Some(JointSpring { stiffness: 12.0, rest: 0.5 });
        let scene = Scene::new()
            .gravity(0.0, 0.0, 0.0)
            .dt(dt)
            .solver("ncp/newton")
            .body(ball("a", 1.0, Vec3::ZERO))
            .body(ball("b", 2.0, Vec3::Y))
            .joint(slide("a"))
            .joint(slide("b"))
            .tendon(tendon);
        let mut world = world(&scene);
        run(&mut world, 1.0);
        let q: Vec<f64> = world.joints().map(|joint| joint.q).collect();
        let (omega, length) = (36f64.sqrt(), 0.5 * (1.0 - trig::cos(6.0)));
        let exact = [length / 3.0, -length / 3.0];
        assert!((omega - 6.0).abs() < 1e-12);
        errors.push((q[0] - exact[0]).abs() + (q[1] - exact[1]).abs());
        let energy = world.ledger().get(Account::Spring).abs() + world.ledger().get(Account::Actuator).abs();
        assert!(energy < 1e-9, "an implicit spring without damping loses nothing: {energy}");
    }
    assert!(errors[1] < 2e-5 && errors[0] > 3.5 * errors[1], "{errors:?}");
}

#[test]
fn a_damper_between_points_takes_what_it_should() {
    // Two free balls on a line with a damper alone: their relative speed falls by e^(−c t/μ), μ the reduced mass.
    let mut tendon = TendonSpec::through("t", [("a", Vec3::ZERO), ("b", Vec3::X)]);
    tendon.damping = 0.8;
    let b = ball("b", 2.0, Vec3::X).velocity(1.5, 0.0, 0.0);
    let scene = Scene::new().gravity(0.0, 0.0, 0.0).dt(1e-3).solver("ncp/newton");
    let scene = scene.body(ball("a", 1.0, Vec3::ZERO)).body(b);
    let mut world = world(&scene.tendon(tendon));
    let start = world.energy();
    run(&mut world, 1.0);
    let v: Vec<f64> = world.bodies().map(|body| body.linear_velocity.x).collect();
    let exact = 1.5 * trig::exp(-0.8 * 1.5);
    assert!((v[1] - v[0] - exact).abs() < 1e-6, "{v:?} {exact}");
    assert!((v[0] + 2.0 * v[1] - 3.0).abs() < 1e-12, "momentum: {v:?}");
    let viscous = world.ledger().get(Account::Viscous);
    assert!((world.energy() - start - viscous).abs() < 1e-9, "{viscous}");
}

#[test]
fn a_tendon_motor_gives_its_force_and_its_work_is_booked() {
    let mut tendon = TendonSpec::through("t", [("", Vec3::ZERO), ("a", Vec3::X)]);
    tendon.motor = Some(MotorSpec { kind: MotorKind::Torque, target: 3.0, ..MotorSpec::default() });
    let scene = Scene::new().gravity(0.0, 0.0, 0.0).dt(1e-3).body(ball("a", 2.0, Vec3::X));
    let mut world = world(&scene.tendon(tendon));
    run(&mut world, 1.0);
    let body = world.bodies().next().expect("the ball");
    assert!((body.linear_velocity.x - 1.5).abs() < 1e-9, "{}", body.linear_velocity);
    let work = world.ledger().get(Account::Actuator);
    assert!((work - 0.5 * 2.0 * 1.5 * 1.5).abs() < 1e-9, "{work}");
}

#[test]
fn a_tendon_around_a_cylinder_winds_off_without_slip_of_its_length() {
    // A ball hangs on a string over a fixed cylinder of radius ½ m, and another of twice its mass on the other side.
    let drum =
        Body::fixed("drum").shape(Shape::cylinder(0.5, 1.0).along(huygens::scene::Axis::Y).groups(0, 0));
    let (a, b) = (Vec3::new(-0.5, 0.0, -1.0), Vec3::new(0.5, 0.0, -1.0));
    let mut rope = TendonSpec::through("rope", [("heavy", a), ("light", b)]);
    let over = huygens::scene::TendonPart::Wrap { body: "drum".into(), side: Some(Vec3::Z) };
    rope.path.insert(1, over);
    rope.range = Some([0.0, 2.0 + 0.5 * std::f64::consts::PI]);
    let scene = Scene::new().dt(1e-3).body(drum).body(ball("heavy", 2.0, a)).body(ball("light", 1.0, b));
    let mut world = world(&scene.tendon(rope));
    run(&mut world, 0.4);
    let ([_, v], [_, w]) = (z(&world, "heavy"), z(&world, "light"));
    // Both strands stay vertical: a = g/3.
    assert!((v + G / 3.0 * 0.4).abs() < 1e-5 && (w - G / 3.0 * 0.4).abs() < 1e-5, "{v} {w}");
}

#[test]
fn a_polynomial_coupling_moves_as_its_reduced_equation() {
    // y = x²/2 + x/4 on two slides without gravity: T = ½(m₀ (x + ¼)² + m₁) ẋ² is constant.
    let slide = |name: &str| Joint::slide(name, name).axis(1.0, 0.0, 0.0);
    for solver in MODELS {
        let scene = Scene::new()
            .gravity(0.0, 0.0, 0.0)
            .dt(1e-3)
            .solver(solver)
            .body(ball("y", 1.5, Vec3::ZERO))
            .body(ball("x", 1.0, Vec3::Y))
            .joint(slide("y"))
            .joint(slide("x").start(0.0, 1.0))
            .coupling(CouplingSpec::polynomial("c", "y", "x", [0.0, 0.25, 0.5, 0.0, 0.0]));
        let mut world = world(&scene);
        let start = world.energy();
        for _ in 0..1000 {
            world.step();
            let joint = |name: &str| world.joints().find(|joint| joint.name == name).expect("a joint");
            let (x, y) = (joint("x"), joint("y"));
            assert!((y.q - (0.5 * x.q * x.q + 0.25 * x.q)).abs() < 1e-12, "{solver}: {} {}", y.q, x.q);
            let speed = (2.0 * start / (1.5 * (x.q + 0.25) * (x.q + 0.25) + 1.0)).sqrt();
            assert!((x.v - speed).abs() < 1e-6, "{solver}: {} {speed}", x.v);
        }
        assert!(world.ledger().worst_ratio() < 1.0);
    }
}

#[test]
fn a_rope_stops_a_fall_and_then_carries_it_as_a_pendulum() {
    for solver in MODELS {
        // Free fall of ½ m, then taut without rebound: all of the speed is along the rope.
        let rope =
            CouplingSpec::bodies("r", CouplingKind::Rope, ["b", ""], [[0.0; 3], [0.0, 0.0, 1.0]]).length(1.5);
        let scene = Scene::new().dt(1e-3).solver(solver).body(ball("b", 1.0, Vec3::ZERO)).coupling(rope);
        let mut world = world(&scene);
        run(&mut world, 0.3);
        assert!((z(&world, "b")[0] + 0.5 * G * 0.09).abs() < 1e-9, "{solver}: slack");
        run(&mut world, 1.0);
        let [z, v] = z(&world, "b");
        assert!((z + 0.5).abs() < 1e-3 && v.abs() < 1e-6, "{solver}: {z} {v}");
        let lost = world.ledger().get(Account::Limit) + world.ledger().get(Account::Joint);
        assert!((lost + G * 0.5).abs() < 0.02, "{solver}: {lost}");
    }
}

#[test]
fn connect_and_weld_are_a_ball_joint_and_one_body() {
    let [a, b] = [Vec3::ZERO, Vec3::X];
    for (kind, same) in [
        (CouplingKind::Connect, Joint::ball("j", "b")),
        (CouplingKind::Weld, Joint::hinge("j", "b").kind(huygens::scene::JointKind::Fixed)),
    ] {
        let bodies = || {
            let a = ball("a", 1.0, a).velocity(0.3, 0.0, 0.2).spin(0.4, 1.0, -0.7);
            Scene::new().dt(1e-3).body(a).body(ball("b", 2.0, b))
        };
        let coupling = CouplingSpec::bodies("c", kind, ["a", "b"], [[0.4, 0.0, 0.1], [0.0; 3]]);
        let mut coupled = world(&bodies().coupling(coupling));
        let mut jointed = world(&bodies().joint(same.parent("a").anchor(0.4, 0.0, 0.1)));
        run(&mut coupled, 1.0);
        run(&mut jointed, 1.0);
        for (x, y) in coupled.bodies().zip(jointed.bodies()) {
            assert!((x.position - y.position).length() < 1e-10, "{kind:?}: {} {}", x.position, y.position);
        }
        // They fall as one: the centre of mass is that of free flight.
        let sum: Vec3 = coupled.bodies().map(|body| body.position * body.mass).sum();
        let start = (b * 2.0) / 3.0;
        let speed: Vec3 = jointed.bodies().map(|body| body.linear_velocity * body.mass).sum();
        let mean = (sum / 3.0 - start) + Vec3::Z * (0.5 * G);
        assert!((mean.z - (speed.z / 3.0 + G)).abs() < 1e-9, "{kind:?}: {mean} {speed}");
    }
}
