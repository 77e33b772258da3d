//! Rotation of a free body: cases 7 to 9.

use crate::verify::case::{Case, Figure, Measured, Trouble};
use crate::verify::lab::{largest, momenta, run, view, weightless, world};
use huygens::World;
use huygens::math::Vec3;
use huygens::math::trig;
use huygens::scene::Body;

pub const CASES: &[Case] = &[
    Case {
        number: 7,
        name: "torque-free",
        title: "Torque-free box",
        setup: "The box of case 1 with spin (1, 2, 3) rad/s, dt = 10 ms, 500 steps",
        expected: "kinetic energy and angular momentum stay",
        source: "invariants of Euler's equations; MuJoCo's own test has T/T₀ = 1.09 (Euler) and 0.93 (implicitfast)",
        tolerance: "1e-13 relative",
        contact: false,
        converges: false,
        long: false,
        measure: torque_free,
    },
    Case {
        number: 8,
        name: "dzhanibekov",
        title: "Dzhanibekov effect",
        setup: "The box of case 1 with spin (0.05, 5, 0.05) rad/s, dt = 1 ms; the invariants over 1e5 steps",
        expected: "flips every 2K(k)√(I₁I₂I₃/((I₃−I₂)(L²−2T·I₁))) = 5.110152 s, first at 2.09697 s; T and L stay",
        source: "Jacobi's solution; a fine Runge–Kutta integration",
        tolerance: "flip times 1 %, order 2 in dt; invariants 1e-12",
        contact: false,
        converges: true,
        long: false,
        measure: dzhanibekov,
    },
    Case {
        number: 9,
        name: "fast-spin",
        title: "Fast spin",
        setup: "The box of case 1 with spin (20, 0.05, 0.05) rad/s, dt = 5 ms, 100 s",
        expected: "kinetic energy stays",
        source: "invariant of Euler's equations; MuJoCo's FreeBodyGyroStable",
        tolerance: "1e-12 relative",
        contact: false,
        converges: false,
        long: false,
        measure: fast_spin,
    },
];

fn tumbling(solver: &str, omega: [f64; 3], dt: f64) -> Result<World, Trouble> {
    let body = Body::dynamic("box").cuboid(0.2, 0.4, 0.6).mass(1.0).spin(omega[0], omega[1], omega[2]);
    world(&weightless(solver).dt(dt).body(body))
}

/// How far kinetic energy and angular momentum have moved, relative.
fn drift(world: &World, energy: f64, momentum: Vec3) -> (f64, f64) {
    let moved = (momenta(world).1 - momentum).length() / momentum.length();
    ((world.kinetic_energy() / energy - 1.0).abs(), moved)
}

fn torque_free(solver: &str) -> Measured {
    let mut world = tumbling(solver, [1.0, 2.0, 3.0], 0.01)?;
    let (energy, momentum) = (world.kinetic_energy(), momenta(&world).1);
    let (mut off_energy, mut off_momentum) = (0.0, 0.0);
    for _ in 0..500 {
        world.step();
        let (e, l) = drift(&world, energy, momentum);
        (off_energy, off_momentum) = (largest([off_energy, e]), largest([off_momentum, l]));
    }
    Ok(vec![Figure::at_most("|T/T₀ − 1|", off_energy, 1e-13), Figure::at_most("|ΔL|/L", off_momentum, 1e-13)])
}

/// Moments of the first two flips: where the spin about the middle axis changes its sign.
fn flips(solver: &str, dt: f64) -> Result<[f64; 2], Trouble> {
    let mut world = tumbling(solver, [0.05, 5.0, 0.05], dt)?;
    let middle = |world: &World| {
        let body = view(world, "box");
        (body.orientation.conjugate() * body.angular_velocity).y
    };
    let mut before = middle(&world);
    let mut found = Vec::new();
    for _ in 0..(8.0 / dt) as usize {
        world.step();
        let now = middle(&world);
        if now * before < 0.0 {
            found.push(world.time() - dt * now / (now - before));
        }
        before = now;
    }
    match found[..] {
        [first, second, ..] => Ok([first, second]),
        _ => Err(Trouble(format!("{} flips in 8 s instead of 2", found.len()))),
    }
}

fn dzhanibekov(solver: &str) -> Measured {
    let interval = 5.110152;
    let [first, second] = flips(solver, 1e-3)?;
    // Order of the first flip's error in dt, from three steps: log₂ of the ratio of successive differences.
    let [coarse, middle, fine] = [flips(solver, 8e-3)?[0], flips(solver, 4e-3)?[0], flips(solver, 2e-3)?[0]];
    let order = trig::ln(((coarse - middle) / (middle - fine)).abs()) / trig::ln(2.0);
    let mut world = tumbling(solver, [0.05, 5.0, 0.05], 1e-3)?;
    let (energy, momentum) = (world.kinetic_energy(), momenta(&world).1);
    let (mut off_energy, mut off_momentum) = (0.0, 0.0);
    for _ in 0..1000 {
        run(&mut world, 100);
        let (e, l) = drift(&world, energy, momentum);
        (off_energy, off_momentum) = (largest([off_energy, e]), largest([off_momentum, l]));
    }
    Ok(vec![
        Figure::relative("interval of flips", second - first, interval, 0.01).unit("s"),
        Figure::within("first flip", first, 2.09697, 0.01 * interval).unit("s"),
        Figure::within("order in dt", order, 2.0, 0.1),
        Figure::at_most("|T/T₀ − 1| in 1e5 steps", off_energy, 1e-12),
        Figure::at_most("|ΔL|/L in 1e5 steps", off_momentum, 1e-12),
    ])
}

fn fast_spin(solver: &str) -> Measured {
    let mut world = tumbling(solver, [20.0, 0.05, 0.05], 0.005)?;
    let energy = world.kinetic_energy();
    let mut off: f64 = 0.0;
    for _ in 0..200 {
        run(&mut world, 100);
        off = largest([off, (world.kinetic_energy() / energy - 1.0).abs()]);
    }
    Ok(vec![Figure::at_most("|T/T₀ − 1|", off, 1e-12)])
}
