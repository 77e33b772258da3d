//! Hinges: cases 10, 12, 13, 57, 58.

use crate::verify::case::{Case, Figure, Measured, Trouble};
use crate::verify::lab::{DT, G, booked, joint, momenta, run, scene, spin, weightless, world};
use huygens::World;
use huygens::ledger::Account;
use huygens::math::{Sym3, Vec3, trig};
use huygens::scene::{Axis, Body, Joint, Scene, Shape};
use std::f64::consts::PI;

pub const CASES: &[Case] = &[
    Case {
        number: 10,
        name: "gyroscope",
        title: "Gyroscope with a horizontal axis",
        setup: "Disc m = 1 kg, R = 0.1 m, 0.1 m from a gimbal of three hinges, spin 200 rad/s, launched at the steady precession; 2 s",
        expected: "Ω = mgl/(I₃ω₃) = 0.981 rad/s, exact at θ = 90°",
        source: "textbook",
        tolerance: "0.1 %",
        contact: false,
        converges: false,
        long: false,
        measure: gyroscope,
    },
    Case {
        number: 12,
        name: "pendulum",
        title: "Pendulum",
        setup: "Point mass 1 m below a hinge, released at 0.001 rad, 90° and 150°",
        expected: "T = 4√(L/g)·K(sin θ₀/2): 2.0060667, 2.3678419, 3.5350982 s",
        source: "complete elliptic integral",
        tolerance: "1e-4 relative at dt = 1 ms",
        contact: false,
        converges: false,
        long: false,
        measure: pendulum,
    },
    Case {
        number: 13,
        name: "double-pendulum",
        title: "Double pendulum",
        setup: "Two point masses of 1 kg on rods of 1 m, released at rest with both rods level",
        expected: "t = 1 s: θ = (−0.6250876998, −1.0345850857), ω = (−3.9222795729, −1.3030992487); t = 2 s: (−0.482971534, −1.324048712), (3.065288192, 2.949271548)",
        source: "two fine integrations that agree",
        tolerance: "1e-3 at dt = 0.1 ms; order 2 in dt",
        contact: false,
        converges: true,
        long: false,
        measure: double_pendulum,
    },
    Case {
        number: 57,
        name: "tree-momentum",
        title: "A ball hits a floating arm",
        setup: "10 kg ball at 5 m/s against a free two-link arm, no gravity, 1 s",
        expected: "momentum and angular momentum stay",
        source: "invariants; SimBenchmark's metric: ODE 4.6e-26, MuJoCo RK4 3e-13, RaiSim 4.7e-5, Bullet 2.7e-4, MuJoCo Euler 1.1e-3, DART 169",
        tolerance: "mean square below 1e-24",
        contact: true,
        converges: false,
        long: false,
        measure: tree_momentum,
    },
    Case {
        number: 58,
        name: "tree-energy",
        title: "Energy of a falling arm",
        setup: "A free two-link arm falls and folds for 1 s, dt = 1 ms and below",
        expected: "mean of (E − E₀)² = 0; |E − E₀| falls with the integrator's order, 2",
        source: "invariant; SimBenchmark: MuJoCo RK4 1.6e-17, RaiSim 0.0118, MuJoCo Euler 3.48, Bullet 3.65, ODE 3.89, DART 237 J²",
        tolerance: "order at least 1.9",
        contact: false,
        converges: true,
        long: false,
        measure: tree_energy,
    },
];

/// A body that carries as good as no mass.
fn feather(name: &str) -> Body {
    let inertia = Sym3::diagonal(Vec3::splat(1e-12));
    Body::dynamic(name).mass(1e-9).center_of_mass(0.0, 0.0, 0.0).inertia(inertia).shape(ghost())
}

/// A shape that touches nothing.
fn ghost() -> Shape {
    Shape::sphere(0.01).groups(0, 0)
}

fn gyroscope(solver: &str) -> Measured {
    let (m, radius, arm, rate) = (1.0, 0.1, 0.1, 200.0);
    let axial = 0.5 * m * radius * radius;
    let omega = m * G * arm / (axial * rate);
    let inertia = Sym3::diagonal(Vec3::new(axial, 0.5 * axial, 0.5 * axial));
    let disc = Body::dynamic("disc")
        .shape(ghost())
        .mass(m)
        .center_of_mass(0.0, 0.0, 0.0)
        .inertia(inertia)
        .at(arm, 0.0, 0.0);
    let mut yaw = Joint::hinge("yaw", "ring").axis(0.0, 0.0, 1.0);
    // Gravity turns the spin, which points outwards, towards +y: the precession is positive about z.
    yaw.velocity = omega;
    let pitch = Joint::hinge("pitch", "fork").parent("ring").axis(0.0, 1.0, 0.0);
    let mut roll = Joint::hinge("roll", "disc").parent("fork").anchor(arm, 0.0, 0.0).axis(1.0, 0.0, 0.0);
    roll.velocity = rate;
    let scene = scene(solver)
        .body(feather("ring"))
        .body(feather("fork"))
        .body(disc)
        .joint(yaw)
        .joint(pitch)
        .joint(roll);
    let mut world = world(&scene)?;
    run(&mut world, 2000);
    let (turned, _) = joint(&world, "yaw");
    Ok(vec![
        Figure::relative("mean precession", turned / world.time(), omega, 1e-3).unit("rad/s"),
        Figure::at_most("largest dip", joint(&world, "pitch").0.abs(), 1e-3).unit("rad"),
    ])
}

/// A point mass of 1 kg.
fn bob(name: &str, x: f64, z: f64) -> Body {
    let inertia = Sym3::diagonal(Vec3::splat(1e-12));
    Body::dynamic(name).shape(ghost()).mass(1.0).center_of_mass(0.0, 0.0, 0.0).inertia(inertia).at(x, 0.0, z)
}

fn pendulum(solver: &str) -> Measured {
    let mut figures = Vec::new();
    for (name, angle, period) in [
        ("0.001 rad", 1e-3, 2.0 * PI / G.sqrt()),
        ("90°", 0.5 * PI, 2.3678419),
        ("150°", PI * 150.0 / 180.0, 3.5350982),
    ] {
        let (s, c) = trig::sin_cos(angle);
        let hinge = Joint::hinge("hinge", "bob").axis(0.0, 1.0, 0.0);
        let mut world = world(&scene(solver).body(bob("bob", s, -c)).joint(hinge))?;
        // The hinge counts from the start; it hangs straight down after ±`angle`.
        let hanging = |world: &World| joint(world, "hinge").0.abs() - angle;
        let mut crossings = Vec::new();
        let mut before = hanging(&world);
        for _ in 0..6000 {
            world.step();
            let now = hanging(&world);
            if now * before < 0.0 {
                crossings.push(world.time() - DT * now / (now - before));
            }
            before = now;
        }
        let measured = match crossings[..] {
            [first, _, third, ..] => third - first,
            _ => f64::NAN,
        };
        figures.push(Figure::relative(format!("period from {name}"), measured, period, 1e-4).unit("s"));
    }
    Ok(figures)
}

/// Angles from the vertical and their rates, after 1 s and after 2 s.
fn double(solver: &str, dt: f64) -> Result<[[f64; 4]; 2], Trouble> {
    // Released at +90° (both rods along +x); a positive turn about −y lifts them.
    let scene = scene(solver)
        .dt(dt)
        .body(bob("upper", 1.0, 0.0))
        .body(bob("lower", 2.0, 0.0))
        .joint(Joint::hinge("one", "upper").axis(0.0, -1.0, 0.0))
        .joint(Joint::hinge("two", "lower").parent("upper").anchor(1.0, 0.0, 0.0).axis(0.0, -1.0, 0.0));
    let mut world = world(&scene)?;
    let steps = (1.0 / dt).round() as usize;
    let mut read = || {
        run(&mut world, steps);
        let ((q1, v1), (q2, v2)) = (joint(&world, "one"), joint(&world, "two"));
        let first = 0.5 * PI + q1;
        [first, first + q2, v1, v1 + v2]
    };
    Ok([read(), read()])
}

fn double_pendulum(solver: &str) -> Measured {
    let exact = [
        [-0.6250876998, -1.0345850857, -3.9222795729, -1.3030992487],
        [-0.482971534, -1.324048712, 3.065288192, 2.949271548],
    ];
    let fine = double(solver, 1e-4)?;
    let mut figures = Vec::new();
    for (when, (got, exact)) in fine.iter().zip(&exact).enumerate() {
        for (name, (x, value)) in ["θ₁", "θ₂", "ω₁", "ω₂"].into_iter().zip(got.iter().zip(exact))
        {
            let unit = if name.starts_with('θ') { "rad" } else { "rad/s" };
            figures.push(Figure::within(format!("{name} at {} s", when + 1), *x, *value, 1e-3).unit(unit));
        }
    }
    let error = |got: &[[f64; 4]; 2]| (got[0][0] - exact[0][0]).abs();
    let order = trig::ln(error(&double(solver, 2e-3)?) / error(&double(solver, 1e-3)?)) / trig::ln(2.0);
    figures.push(Figure::within("order in dt", order, 2.0, 0.1));
    Ok(figures)
}

fn link(name: &str, x: f64) -> Body {
    let shape = Shape::capsule(0.05, 0.8).along(Axis::X).friction(0.5).restitution(0.2);
    Body::dynamic(name).shape(shape).at(x, 0.0, 0.0)
}

/// Two links joined by a hinge, the first of them free.
fn floating_arm(scene: Scene) -> Scene {
    scene
        .body(link("upper", 0.45))
        .body(link("lower", 1.35))
        .joint(Joint::hinge("elbow", "lower").parent("upper").anchor(0.9, 0.0, 0.0).axis(0.0, 1.0, 0.0))
}

fn tree_momentum(solver: &str) -> Measured {
    let ball = Body::dynamic("ball")
        .shape(Shape::sphere(0.2).restitution(0.2).friction(0.5))
        .mass(10.0)
        .at(1.4, 0.05, 1.0)
        .velocity(0.0, 0.0, -5.0);
    let mut world = world(&floating_arm(weightless(solver)).body(ball))?;
    let (p, l) = momenta(&world);
    let (mut square_p, mut square_l) = (0.0, 0.0);
    let steps = 1000;
    for _ in 0..steps {
        world.step();
        let (now_p, now_l) = momenta(&world);
        square_p += (now_p - p).length_squared() / f64::from(steps);
        square_l += (now_l - l).length_squared() / f64::from(steps);
    }
    if booked(&world, Account::Impact) >= 0.0 {
        return Err(Trouble("the ball did not hit the arm".to_owned()));
    }
    Ok(vec![
        Figure::at_most("mean |ΔP|²", square_p, 1e-24).unit("(kg·m/s)²"),
        Figure::at_most("mean |ΔL|²", square_l, 1e-24).unit("(kg·m²/s)²"),
    ])
}

/// Mean of (E − E₀)² of an arm that falls and folds for a second.
fn energy_error(solver: &str, dt: f64) -> Result<f64, Trouble> {
    let mut free = floating_arm(scene(solver).dt(dt));
    free.joints[0].velocity = 6.0;
    free.bodies[0].angular_velocity = Vec3::new(0.5, 2.0, 1.0);
    let mut world = world(&free)?;
    let start = world.energy();
    let steps = (1.0 / dt).round() as usize;
    let mut sum = 0.0;
    for _ in 0..steps {
        world.step();
        let off = world.energy() - start;
        sum += off * off;
    }
    // The links do turn: else there would be nothing to measure.
    assert!(spin(&world, "lower").length() > 0.0);
    Ok(sum / steps as f64)
}

fn tree_energy(solver: &str) -> Measured {
    let [coarse, fine] = [energy_error(solver, 1e-3)?, energy_error(solver, 0.5e-3)?];
    let order = 0.5 * trig::ln(coarse / fine) / trig::ln(2.0);
    Ok(vec![
        Figure::at_least("order of |E − E₀| in dt", order, 1.9),
        Figure::told("mean (E − E₀)² at 1 ms", coarse).unit("J²"),
    ])
}
