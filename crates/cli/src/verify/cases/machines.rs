//! Machines: mechanisms of many loops, masses and springs. Case 100 + n is number n of the list of mechanisms.

use super::mechanisms::{case, flat, gap, hinge, mass, planar};
use crate::verify::case::{Case, Figure, Measured, Trouble};
use crate::verify::lab::{G, joint, run, world};
use huygens::World;
use huygens::math::{Sym3, Vec3, scalar, trig};
use huygens::scene::{Body, CouplingKind, CouplingSpec, Integrator, Joint, MotorSpec, Scene};
use std::f64::consts::PI;

pub const CASES: &[Case] = &[
    Case {
        number: 32,
        name: "chain-tension",
        title: "Chain of 20 with 1000 times its link at the end",
        setup: "20 rods of 0.1 m and 0.1 kg, 100 kg at the end, hanging for 1 s",
        expected: "(M + km)g in every joint; the chain is as long as it was",
        source: "statics; Rapier's substep_chain_high_mass_ratio asks for a quarter of the stretch of its baseline",
        tolerance: "1e-9 relative; 1e-9 of the length",
        contact: false,
        converges: false,
        long: false,
        measure: chain_tension,
    },
    Case {
        measure: heavy_chain,
        long: true,
        ..case(
            105,
            "heavy-chain",
            "Chain with a heavy end",
            "20 rods of 0.1 m and 0.1 kg, 100 kg at the end; its slowest swing, and 10 s without drift",
        )
    },
    Case {
        measure: squeezer,
        long: true,
        ..case(
            110,
            "squeezer",
            "Andrews' squeezer",
            "Seven bodies, three loops, torque 0.033 N·m, a spring; state after 30 ms, dt = 0.1 ms and 0.02 ms",
        )
    },
    Case {
        measure: governor,
        ..case(
            111,
            "governor",
            "Centrifugal governor",
            "Shaft held at 12, 15 and 20 rad/s, two bobs, sleeve with spring and damper; angle of the arms",
        )
    },
];

/// A chain that hangs down, turned at its top by `angle`.
fn chain(solver: &str, dt: f64, angle: f64) -> Result<World, Trouble> {
    let (length, m) = (0.1, 0.1);
    let mut scene = planar(solver).dt(dt);
    for k in 0..20 {
        let top = -length * f64::from(k);
        let mut body =
            flat(&format!("rod{k}"), m, m * length * length / 12.0, Vec3::Y * (top - 0.5 * length));
        if k == 19 {
            // Rod and point mass as one body.
            let all = m + 100.0;
            let centre = top - (0.5 * m + 100.0) * length / all;
            let spread = m * 100.0 / all * 0.25 * length * length;
            body = flat(&format!("rod{k}"), all, m * length * length / 12.0 + spread, Vec3::Y * centre);
        }
        let mut joint = hinge(&format!("j{k}"), &format!("rod{k}"), Vec3::Y * top);
        if k > 0 {
            joint = joint.parent(format!("rod{}", k - 1));
        } else {
            joint.position = angle;
        }
        scene = scene.body(body).joint(joint);
    }
    world(&scene)
}

fn chain_tension(solver: &str) -> Measured {
    let mut world = chain(solver, 1e-3, 0.0)?;
    let end = crate::verify::lab::position(&world, "rod19").y;
    run(&mut world, 1000);
    let loads = world.joint_loads();
    let mut figures = Vec::new();
    for k in [0, 9, 19] {
        let expected = (100.0 + 0.1 * f64::from(20 - k)) * G;
        let name = format!("j{k}");
        let found = world.joints().zip(&loads).find(|(joint, _)| joint.name == name);
        let tension = found.map_or(f64::NAN, |(_, load)| load.force.y);
        figures.push(
            Figure::relative(format!("tension above link {}", k + 1), tension, expected, 1e-9).unit("N"),
        );
    }
    let stretch = (crate::verify::lab::position(&world, "rod19").y - end).abs();
    figures.push(Figure::at_most("stretch over the length", stretch / 2.0, 1e-9));
    figures.push(crate::verify::lab::books(&world));
    Ok(figures)
}

fn heavy_chain(solver: &str) -> Measured {
    // All rods in line: nearly the slowest mode. The others, 1e-4 of it, have no part in the mean of twenty crossings.
    let dt = 1e-3;
    let mut world = chain(solver, dt, 1e-4)?;
    let start = world.energy();
    let (mut crossings, mut before, mut off): (Vec<f64>, f64, f64) = (Vec::new(), f64::NAN, 0.0);
    for _ in 0..30_000 {
        world.step();
        let place = crate::verify::lab::position(&world, "rod19").x;
        if place * before < 0.0 {
            crossings.push(world.time() - dt * place / (place - before));
        }
        before = place;
        off = scalar::max(off, (world.energy() - start).abs());
    }
    let count = crossings.len() as f64 - 1.0;
    let frequency =
        PI * count / (crossings.last().unwrap_or(&f64::NAN) - crossings.first().unwrap_or(&f64::NAN));
    Ok(vec![
        Figure::relative("slowest frequency", frequency, 2.21837762, 1e-5).unit("rad/s"),
        Figure::at_most("largest error of the energy in 30 s", off, 1e-6 * 100.0 * G).unit("J"),
        crate::verify::lab::books(&world),
    ])
}

/// A body of the squeezer: mass, inertia, hinge, angle, and its centre of mass from the hinge in its own axes.
fn part(name: &str, [m, moment]: [f64; 2], at: Vec3, angle: f64, centre: [f64; 2]) -> Body {
    flat(name, m, moment, on(at, angle, centre))
}

/// A point of a body with its hinge at `at`, turned by `angle`.
fn on(at: Vec3, angle: f64, point: [f64; 2]) -> Vec3 {
    let (s, c) = trig::sin_cos(angle);
    at + Vec3::new(c * point[0] - s * point[1], s * point[0] + c * point[1], 0.0)
}

const BETA: f64 = -0.0617138900142764;
const GAMMA: f64 = 0.4552798191630704;
const PHI: f64 = 0.2226683901658859;
const DELTA: f64 = 0.4873649795438426;
const EPSILON: f64 = 1.2305474445498212;

fn squeezer_scene(solver: &str, dt: f64) -> Scene {
    let (a, b) = (Vec3::new(-0.06934, -0.00227, 0.0), Vec3::new(-0.03635, 0.03273, 0.0));
    let f = on(Vec3::ZERO, BETA, [0.007, 0.0]);
    let g = on(a, DELTA, [0.04, 0.0]);
    let h = on(a, EPSILON, [0.0, -0.04]);
    let e = on(b, GAMMA, [0.0, -0.035]);
    let pull = on(b, GAMMA, [0.02, -0.018]);
    // The spring is a slide between two feathers: springs of their own hold no links.
    let ground = Vec3::new(0.014, 0.072, 0.0);
    let along = (pull - ground).normalize();
    let feather = |name: &str, at: Vec3| flat(name, 1e-9, 1e-14, at);
    let spring = Joint::slide("spring", "rod")
        .parent("guide")
        .anchor(pull.x, pull.y, 0.0)
        .axis(along.x, along.y, 0.0)
        .spring(4530.0, 0.07785 - (pull - ground).length());
    planar(solver)
        .gravity(0.0, 0.0, 0.0)
        .dt(dt)
        .world(|world| world.length = 0.05)
        .body(part("k1", [0.04325, 2.194e-6], Vec3::ZERO, BETA, [0.00092, 0.0]))
        .body(part("k2", [0.00365, 4.410e-7], f, BETA, [-0.0115, 0.0]))
        .body(part("k3", [0.02373, 5.255e-6], b, GAMMA, [0.01043, -0.01874]))
        .body(part("k4", [0.00706, 5.667e-7], g, PHI + DELTA, [0.0, -0.00579]))
        .body(part("k5", [0.07050, 1.169e-5], a, DELTA, [0.02308, 0.00916]))
        .body(part("k6", [0.00706, 5.667e-7], h, EPSILON - PHI, [0.00579, 0.0]))
        .body(part("k7", [0.05498, 1.912e-5], a, EPSILON, [-0.01228, -0.00449]))
        .joint(hinge("beta", "k1", Vec3::ZERO).motor(MotorSpec::torque(0.033)))
        .joint(hinge("theta", "k2", f).parent("k1"))
        .joint(hinge("gamma", "k3", b))
        .joint(hinge("delta", "k5", a))
        .joint(hinge("phi", "k4", g).parent("k5"))
        .joint(hinge("epsilon", "k7", a))
        .joint(hinge("omega", "k6", h).parent("k7"))
        .joint(hinge("e2", "k2", e).parent("k3"))
        .joint(hinge("e4", "k4", e).parent("k3"))
        .joint(hinge("e6", "k6", e).parent("k3"))
        .body(feather("guide", ground))
        .body(feather("rod", pull))
        .joint(hinge("guide", "guide", ground))
        .joint(spring)
        .joint(hinge("pull", "rod", pull).parent("k3"))
}

fn squeezer(solver: &str) -> Measured {
    let mut figures = Vec::new();
    let mut errors = Vec::new();
    // Ten times the error of the midpoint rule in all coordinates, 1e-3 and 4e-5 in β.
    for (dt, tolerance) in [(1e-4, 1e-2), (2e-5, 4e-4)] {
        let mut world = world(&squeezer_scene(solver, dt))?;
        run(&mut world, (0.03 / dt).round() as usize);
        for (name, start, exact) in [
            ("beta", BETA, 15.810771195),
            ("theta", 0.0, -15.756371058),
            ("gamma", GAMMA, 0.0408222401),
            ("phi", PHI, -0.5347301163),
            ("delta", DELTA, 0.5244099659),
            ("epsilon", EPSILON, 1.0480807410),
        ] {
            let found = start + joint(&world, name).0;
            if name == "beta" {
                errors.push((found - exact).abs());
            }
            figures.push(Figure::within(format!("{name} at dt = {dt}"), found, exact, tolerance).unit("rad"));
        }
        figures.push(gap(&world));
        figures.push(crate::verify::lab::books(&world));
    }
    let order = trig::ln(errors[0] / errors[1]) / trig::ln(5.0);
    figures.push(Figure::within("order in dt", order, 2.0, 0.3));
    Ok(figures)
}

/// The governor with its arms at `angle` from down, at rest but for the shaft.
fn governor_world(solver: &str, speed: f64, angle: f64) -> Result<World, Trouble> {
    let (length, off, m) = (0.3, 0.05, 0.5);
    let (s, c) = trig::sin_cos(angle);
    let sleeve = -2.0 * length * c;
    let slack = -2.0 * length * trig::sin_cos(PI / 9.0).1;
    let scene = Scene::new().dt(1e-3).solver(solver).world(|world| world.integrator = Integrator::Midpoint);
    let mut scene = scene
        .body(flat("shaft", 1.0, 0.01, Vec3::ZERO))
        .body(flat("sleeve", 1.0, 0.01, Vec3::Z * sleeve))
        .joint(
            Joint::hinge("shaft", "shaft")
                .axis(0.0, 0.0, 1.0)
                .start(0.0, speed)
                .motor(MotorSpec::velocity(speed, 0.0)),
        )
        .joint(
            Joint::slide("sleeve", "sleeve")
                .parent("shaft")
                .anchor(0.0, 0.0, sleeve)
                .axis(0.0, 0.0, 1.0)
                .spring(200.0, slack - sleeve)
                .damping(20.0),
        );
    for (name, side) in [("left", -1.0), ("right", 1.0)] {
        let pivot = Vec3::X * (side * off);
        let bob = pivot + Vec3::new(side * length * s, 0.0, -length * c);
        let pin = Vec3::new(side * off, 0.0, sleeve);
        // A point mass: as good as no inertia of its own.
        scene = scene
            .body(mass(name, m, Sym3::diagonal(Vec3::splat(1e-12)), bob))
            .joint(Joint::hinge(name, name).parent("shaft").anchor(pivot.x, 0.0, 0.0).axis(0.0, -side, 0.0))
            .coupling(CouplingSpec::bodies(
                format!("link {name}"),
                CouplingKind::Distance,
                [name, "sleeve"],
                [bob.to_array(), pin.to_array()],
            ));
    }
    world(&scene)
}

fn governor(solver: &str) -> Measured {
    let mut figures = Vec::new();
    let start = PI / 6.0;
    let mut world = governor_world(solver, 15.0, start)?;
    for (until, exact) in [(100, 0.6038272750), (200, 0.6872072646)] {
        while world.steps() < until {
            world.step();
        }
        for side in ["left", "right"] {
            let found = start + joint(&world, side).0;
            figures.push(Figure::within(format!("{side} after {until} ms"), found, exact, 2e-5).unit("rad"));
        }
    }
    figures.push(gap(&world));
    figures.push(crate::verify::lab::books(&world));
    for (speed, exact) in [(12.0, 0.5397586431), (15.0, 0.6712210999), (20.0, 0.8506774178)] {
        let mut world = governor_world(solver, speed, exact)?;
        run(&mut world, 2000);
        let found = exact + joint(&world, "left").0;
        figures.push(Figure::within(format!("at rest at {speed} rad/s"), found, exact, 1e-6).unit("rad"));
    }
    Ok(figures)
}
