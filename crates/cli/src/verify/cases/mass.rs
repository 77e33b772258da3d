//! Mass properties and free fall: cases 1 to 6.

use crate::verify::case::{Case, Figure, Measured, Trouble};
use crate::verify::lab::{G, largest, position, weightless, world};
use huygens::World;
use huygens::ledger::Account;
use huygens::math::Sym3;
use huygens::scene::{Axis, Body, Integrator, Scene, Shape, ShapeKind};
use std::f64::consts::PI;

pub const CASES: &[Case] = &[
    Case {
        number: 1,
        name: "box-inertia",
        title: "Inertia of a box",
        setup: "A box with half-extents (0.1, 0.2, 0.3) m and mass 1 kg",
        expected: "I = m(b² + c²)/12 …: (13/300, 1/30, 1/60) kg·m²",
        source: "textbook",
        tolerance: "1e-14 relative",
        contact: false,
        converges: false,
        long: false,
        measure: box_inertia,
    },
    Case {
        number: 2,
        name: "round-inertia",
        title: "Inertia of sphere, cylinder and cone",
        setup: "Sphere r = 0.3 m; cylinder and cone r = 0.3 m, h = 0.8 m; density 1000 kg/m³",
        expected: "2/5 mr²; ½mr² and m(3r² + h²)/12; 3/10 mr² and 3/80 m(4r² + h²)",
        source: "textbook",
        tolerance: "1e-14 relative",
        contact: false,
        converges: false,
        long: false,
        measure: round_inertia,
    },
    Case {
        number: 3,
        name: "capsule-inertia",
        title: "Mass and inertia of a capsule",
        setup: "Capsule r = 0.2 m with a cylindrical part of 1 m, density 1000 kg/m³",
        expected: "cylinder and two half spheres, by the parallel-axis theorem: 159.17403 kg, 3.0494393 and 23.1556323 kg·m²",
        source: "closed form",
        tolerance: "1e-13 relative",
        contact: false,
        converges: false,
        long: false,
        measure: capsule_inertia,
    },
    Case {
        number: 5,
        name: "free-fall",
        title: "Free fall",
        setup: "A ball thrown at (3, 0, 0) m/s from 10 m, dt = 1/60 s, 1 s, with both integrators",
        expected: "kick-drift-kick: the parabola at every step; symplectic Euler: below it by ½g·dt·t",
        source: "closed form of the recurrences",
        tolerance: "1e-12 of the height",
        contact: false,
        converges: false,
        long: false,
        measure: free_fall,
    },
    Case {
        number: 6,
        name: "free-energy",
        title: "Energy of free flight",
        setup: "The throw of case 5, energy after every step",
        expected: "kick-drift-kick: ΔE = 0; symplectic Euler loses ½mg²dt² in every step, and books it",
        source: "closed form of the recurrences",
        tolerance: "1e-13 of the energy",
        contact: false,
        converges: false,
        long: false,
        measure: free_energy,
    },
];

/// Mass and inertia that a world gives to a shape.
pub fn properties(solver: &str, shape: Shape) -> Result<(f64, Sym3), Trouble> {
    let world = world(&weightless(solver).body(Body::dynamic("body").shape(shape)))?;
    let body = &world.model().bodies[0];
    Ok((body.mass, body.inertia))
}

fn box_inertia(solver: &str) -> Measured {
    let body = Body::dynamic("box").cuboid(0.2, 0.4, 0.6).mass(1.0);
    let world = world(&weightless(solver).body(body))?;
    let i = world.model().bodies[0].inertia;
    let figure = |name, got: f64, expected: f64| Figure::relative(name, got, expected, 1e-14).unit("kg·m²");
    Ok(vec![
        figure("Ixx", i.xx, 0.52 / 12.0),
        figure("Iyy", i.yy, 0.4 / 12.0),
        figure("Izz", i.zz, 0.2 / 12.0),
    ])
}

fn round_inertia(solver: &str) -> Measured {
    let (r, h) = (0.3, 0.8);
    let mut figures = Vec::new();
    let mut add = |name: &str, got: f64, expected: f64| {
        figures.push(Figure::relative(name, got, expected, 1e-14).unit("kg·m²"));
    };
    let (m, i) = properties(solver, Shape::sphere(r))?;
    add("sphere", i.xx, 0.4 * m * r * r);
    let (m, i) = properties(solver, Shape::cylinder(r, h))?;
    add("cylinder, axial", i.zz, 0.5 * m * r * r);
    add("cylinder, across", i.xx, m * (3.0 * r * r + h * h) / 12.0);
    let cone = Shape::new(ShapeKind::Cone { radius: r, length: h, axis: Axis::Z });
    let (m, i) = properties(solver, cone)?;
    add("cone, axial", i.zz, 0.3 * m * r * r);
    add("cone, across", i.xx, 0.0375 * m * (4.0 * r * r + h * h));
    Ok(figures)
}

/// Mass, axial and transverse inertia of a capsule of radius r, cylindrical length l and density ρ.
pub fn capsule(r: f64, l: f64, density: f64) -> [f64; 3] {
    let cylinder = density * PI * r * r * l;
    let ball = density * 4.0 / 3.0 * PI * r * r * r;
    let axial = 0.5 * cylinder * r * r + 0.4 * ball * r * r;
    let across =
        cylinder * (0.25 * r * r + l * l / 12.0) + ball * (0.4 * r * r + 0.375 * r * l + 0.25 * l * l);
    [cylinder + ball, axial, across]
}

fn capsule_inertia(solver: &str) -> Measured {
    let (m, i) = properties(solver, Shape::capsule(0.2, 1.0))?;
    let [mass, axial, across] = capsule(0.2, 1.0, 1000.0);
    Ok(vec![
        Figure::relative("mass", m, mass, 1e-13).unit("kg"),
        Figure::relative("axial", i.zz, axial, 1e-13).unit("kg·m²"),
        Figure::relative("across", i.xx, across, 1e-13).unit("kg·m²"),
    ])
}

const STEP: f64 = 1.0 / 60.0;
const HEIGHT: f64 = 10.0;
const MASS: f64 = 2.0;

fn thrown(solver: &str, integrator: Integrator) -> Result<World, Trouble> {
    let ball = Body::dynamic("ball").sphere(0.5).mass(MASS).at(0.0, 0.0, HEIGHT).velocity(3.0, 0.0, 0.0);
    let scene = Scene::new().dt(STEP).solver(solver).world(|world| world.integrator = integrator);
    world(&scene.body(ball))
}

fn free_fall(solver: &str) -> Measured {
    let worst = |integrator: Integrator, defect: f64| -> Result<f64, Trouble> {
        let mut world = thrown(solver, integrator)?;
        let mut worst: f64 = 0.0;
        for _ in 0..60 {
            world.step();
            let (t, p) = (world.time(), position(&world, "ball"));
            let z = HEIGHT - 0.5 * G * t * t - defect * t;
            worst = largest([worst, (p.z - z).abs(), (p.x - 3.0 * t).abs()]);
        }
        Ok(worst / HEIGHT)
    };
    let exact = worst(Integrator::KickDriftKick, 0.0)?;
    let euler = worst(Integrator::SymplecticEuler, 0.5 * G * STEP)?;
    Ok(vec![
        Figure::at_most("kick-drift-kick off the parabola", exact, 1e-12),
        Figure::at_most("symplectic Euler off its recurrence", euler, 1e-12),
    ])
}

fn free_energy(solver: &str) -> Measured {
    let worst = |integrator: Integrator, loss: f64| -> Result<f64, Trouble> {
        let mut world = thrown(solver, integrator)?;
        let energy = world.energy();
        let mut worst: f64 = 0.0;
        for k in 1..=60 {
            world.step();
            let lost = f64::from(k) * loss;
            let booked = world.ledger().get(Account::Gravity);
            worst = largest([worst, (world.energy() - energy + lost).abs(), (booked + lost).abs()]);
        }
        Ok(worst / energy)
    };
    let exact = worst(Integrator::KickDriftKick, 0.0)?;
    let euler = worst(Integrator::SymplecticEuler, 0.5 * MASS * G * G * STEP * STEP)?;
    Ok(vec![
        Figure::at_most("kick-drift-kick ΔE/E", exact, 1e-13),
        Figure::at_most("symplectic Euler off ½mg²dt² a step, over E", euler, 1e-13),
    ])
}
