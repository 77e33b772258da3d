//! Rolling and its relatives: cases 42, 44, 50, 53.

use super::friction::MOVING;
use crate::verify::case::{Case, Figure, Measured, Trouble};
use crate::verify::lab::{
    DT, G, booked, books, floor, largest, position, run, scene, spin, velocity, view, world,
};
use huygens::World;
use huygens::ledger::Account;
use huygens::math::{Sym3, Vec3, trig};
use huygens::scene::{Axis, Body, Shape};
use std::f64::consts::PI;

pub const CASES: &[Case] = &[
    Case {
        number: 42,
        name: "slide-to-roll",
        title: "A thrown ball begins to roll",
        setup: "A ball at 3 m/s without spin on a floor with μ = 0.3",
        expected: "rolls after 2v₀/(7μg) = 0.291248 s and 12v₀²/(49μg) = 0.748923 m at 5v₀/7; heat mv₀²/7",
        source: "textbook",
        tolerance: "0.2 %; heat 1e-10",
        contact: true,
        converges: false,
        long: false,
        measure: slide_to_roll,
    },
    Case {
        number: 44,
        name: "rolling-down",
        title: "Rolling down a slope",
        setup: "Ball, cylinder and hoop on a slope of 15° for 1 s, with μ 2 % above and below what rolling needs",
        expected: "a = g sin θ/(1 + I/mr²): 5/7, 2/3, 1/2 of g sin θ; no slip and no heat iff μ ≥ tan θ·(I/mr²)/(1 + I/mr²)",
        source: "textbook; Drake's RollingSphere",
        tolerance: "5.5e-4 in v; heat 1e-9 of the kinetic energy",
        contact: true,
        converges: false,
        long: false,
        measure: rolling_down,
    },
    Case {
        number: 50,
        name: "euler-disc",
        title: "Euler's disc",
        setup: "A thin disc, a = 37.5 mm, launched in steady rolling at 10° and 5°, 0.5 s, dt = 20 µs (in 1 ms the lowest point runs on by 4° to 6°; what comes out then is told)",
        expected: "Ω² sin α = 4g/a (77.627 and 109.572 rad/s), E = 3/2 Mga sin α, energy never rises",
        source: "textbook; the way it dies out depends on what dissipates and is not asked for",
        tolerance: "1 %; rise of energy 1e-9",
        contact: true,
        converges: false,
        long: false,
        measure: euler_disc,
    },
    Case {
        number: 53,
        name: "painleve",
        title: "Painlevé's rod",
        setup: "A thin rod with tan θ = 2 slides on its lower end at 1 m/s, μ = 1.2, 1.4, 2 (critical 4/3), 2000 sweeps allowed, 1 s",
        expected: "finite impulses, u_n⁺ ≥ 0 in the rows of the law, no end goes down into the floor, energy never rises",
        source: "Painlevé 1895; a velocity-level law always has a solution",
        tolerance: "u_n⁺ ≥ −1e-9 of the largest speed, depth 1e-3 of the radius, rise of energy 1e-12",
        contact: true,
        converges: false,
        long: false,
        measure: painleve,
    },
];

fn slide_to_roll(solver: &str) -> Measured {
    let (v0, mu, r) = (3.0, 0.3, 0.2);
    let ball = Body::dynamic("ball").shape(Shape::sphere(r).friction(mu)).at(0.0, 0.0, r);
    let scene = scene(solver).body(floor(mu, 0.0)).body(ball.velocity(v0, 0.0, 0.0));
    let mut world = world(&scene)?;
    let slip = |world: &World| velocity(world, "ball").x - r * spin(world, "ball").y;
    let mut rolls = f64::NAN;
    for _ in 0..600 {
        let (time, left) = (world.time(), slip(&world));
        if left.abs() > MOVING * v0 {
            // The slip falls by 7/2 μg.
            rolls = time + left / (3.5 * mu * G);
        }
        world.step();
    }
    let v = velocity(&world, "ball").x;
    let distance = position(&world, "ball").x - v * (world.time() - rolls);
    let heat = view(&world, "ball").mass * v0 * v0 / 7.0;
    Ok(vec![
        Figure::relative("time", rolls, 2.0 * v0 / (7.0 * mu * G), 2e-3).unit("s"),
        Figure::relative("distance", distance, 12.0 * v0 * v0 / (49.0 * mu * G), 2e-3).unit("m"),
        Figure::relative("speed", v, 5.0 * v0 / 7.0, 2e-3).unit("m/s"),
        Figure::within("heat over mv₀²/7", -booked(&world, Account::Friction) / heat, 1.0, 1e-10),
        books(&world),
    ])
}

fn round(kind: &str, mu: f64, r: f64) -> Body {
    let tube = Shape::cylinder(r, 0.8).along(Axis::Y).friction(mu);
    match kind {
        "ball" => Body::dynamic("body").shape(Shape::sphere(r).friction(mu)),
        "cylinder" => Body::dynamic("body").shape(tube),
        // A hoop: the cylinder's shape with all its mass on the rim.
        _ => Body::dynamic("body").shape(tube).mass(2.0).inertia(Sym3::diagonal(Vec3::new(
            0.3,
            2.0 * r * r,
            0.3,
        ))),
    }
}

fn rolling_down(solver: &str) -> Measured {
    let (r, (s, c)) = (0.3, trig::sin_cos(15.0 * PI / 180.0));
    let mut figures = Vec::new();
    for (kind, k) in [("ball", 0.4), ("cylinder", 0.5), ("hoop", 1.0)] {
        let needed = s / c * k / (1.0 + k);
        for (share, rolls) in [(1.02, true), (0.98, false)] {
            let mu = share * needed;
            let plane = Body::fixed("floor").shape(Shape::half_space().facing(s, 0.0, c).friction(mu));
            let body = round(kind, mu, r).at(r * s, 0.0, r * c);
            let mut world = world(&scene(solver).body(plane).body(body))?;
            run(&mut world, 1000);
            let v = velocity(&world, "body").dot(Vec3::new(c, 0.0, -s));
            if rolls {
                let heat = booked(&world, Account::Friction).abs() / world.kinetic_energy();
                figures.push(
                    Figure::relative(format!("speed of the {kind}"), v, G * s / (1.0 + k), 5.5e-4)
                        .unit("m/s"),
                );
                figures.push(Figure::at_most(format!("heat of the {kind} over its energy"), heat, 1e-9));
            } else {
                let slip = v - r * spin(&world, "body").y;
                // g sin θ − μg cos θ(1 + 1/k), with μ 2 % short: 2 % of g sin θ.
                let expected = 0.02 * G * s;
                figures.push(
                    Figure::relative(
                        format!("slip of the {kind} with too little friction"),
                        slip,
                        expected,
                        0.01,
                    )
                    .unit("m/s"),
                );
            }
        }
    }
    Ok(figures)
}

const DISC: f64 = 0.0375;

/// Inclination α, and the azimuth of the disc's axis.
fn attitude(world: &World) -> (f64, f64) {
    let axis = view(world, "disc").orientation * Vec3::Z;
    (trig::atan2(axis.truncate().length(), axis.z), trig::atan2(axis.y, axis.x))
}

fn spun_disc(solver: &str, alpha: f64, dt: f64) -> Result<World, Trouble> {
    let (s, c) = trig::sin_cos(alpha);
    let thickness = 1e-5;
    let rate = (4.0 * G / (DISC * s)).sqrt();
    let disc = Shape::cylinder(DISC, thickness).friction(1.0);
    // Turned about y by α, its lowest point is on the +x side; contact and centre are at rest, so that it turns about the
    // diameter between them, with Ω sin α.
    let omega = Vec3::new(-c, 0.0, s) * (rate * s);
    let body = Body::dynamic("disc")
        .shape(disc)
        .at(0.0, 0.0, DISC * s + 0.5 * thickness * c)
        .turned([0.0, 1.0, 0.0], alpha)
        .spin(omega.x, omega.y, omega.z);
    world(&scene(solver).dt(dt).world(|world| world.length = DISC).body(floor(1.0, 0.0)).body(body))
}

/// What a disc did in 0.5 s: means over the time in which it keeps half of its angle, since the law holds while it sinks.
struct Spun {
    /// Ω² sin α·a/4g.
    law: f64,
    /// E over 3/2 Mga sin α.
    share: f64,
    /// The largest rise of the energy in a step, relative to the start.
    rise: f64,
    /// Energy at the end, relative to the start.
    left: f64,
}

fn spin_disc(solver: &str, start_angle: f64, dt: f64) -> Result<Spun, Trouble> {
    let mut world = spun_disc(solver, start_angle, dt)?;
    let (start, mass) = (world.energy(), view(&world, "disc").mass);
    let (mut energy, mut rise) = (start, 0.0);
    let mut before = attitude(&world).1;
    let (mut law, mut share, mut count) = (0.0, 0.0, 0.0);
    let steps = (0.5 / dt).round() as usize;
    for _ in 0..steps {
        world.step();
        let (alpha, azimuth) = attitude(&world);
        let turn = azimuth - before;
        let turn = turn - 2.0 * PI * (turn / (2.0 * PI)).round();
        before = azimuth;
        rise = largest([rise, world.energy() - energy]);
        energy = world.energy();
        if alpha > 0.5 * start_angle {
            let rate = turn / dt;
            law += rate * rate * trig::sin(alpha) * DISC / (4.0 * G);
            share += energy / (1.5 * mass * G * DISC * trig::sin(alpha));
            count += 1.0;
        }
    }
    Ok(Spun { law: law / count, share: share / count, rise: rise / start, left: energy / start })
}

fn euler_disc(solver: &str) -> Measured {
    let mut figures = Vec::new();
    for degrees in [10.0, 5.0] {
        let angle = degrees * PI / 180.0;
        let fine = spin_disc(solver, angle, 2e-5)?;
        // The contact is held where the step began, Ω·dt behind the lowest point: an error of first order.
        let coarse = spin_disc(solver, angle, DT)?;
        figures.extend([
            Figure::within(format!("Ω² sin α·a/4g from {degrees}°"), fine.law, 1.0, 0.01),
            Figure::within(format!("E over 3/2 Mga sin α from {degrees}°"), fine.share, 1.0, 0.01),
            Figure::at_most(format!("rise of energy from {degrees}°, relative"), fine.rise, 1e-9),
            Figure::told(format!("energy left after 0.5 s from {degrees}°"), fine.left),
            Figure::told(format!("Ω² sin α·a/4g from {degrees}° with dt = 1 ms"), coarse.law),
            Figure::told(format!("rise of energy from {degrees}° with dt = 1 ms"), coarse.rise),
        ]);
    }
    Ok(figures)
}

fn painleve(solver: &str) -> Measured {
    let (l, r) = (1.0, 0.005);
    // tan θ = 2.
    let (s, c) = (2.0 / 5.0f64.sqrt(), 1.0 / 5.0f64.sqrt());
    let mut figures = Vec::new();
    for mu in [1.2, 1.4, 2.0] {
        // Both signs of the sliding: one of them drives the end into the floor.
        for way in [1.0, -1.0] {
            let thin = l * l / 12.0;
            let rod = Body::dynamic("rod")
                .shape(Shape::capsule(r, l).along(Axis::X).friction(mu))
                .mass(1.0)
                .inertia(Sym3::diagonal(Vec3::new(1e-3 * thin, thin, thin)))
                .turned([0.0, -1.0, 0.0], trig::atan2(s, c))
                .at(0.0, 0.0, r + 0.5 * l * s)
                .velocity(way, 0.0, 0.0);
            // Sweeps carry a load to and fro between both ends when the second one lands: `sequential-impulse` needs 51 to 100 in that step.
            let mut scene = scene(solver).body(floor(mu, 0.0)).body(rod);
            scene.world.iterations = 2000;
            let mut world = world(&scene)?;
            // The law is asked in the middle of the step, so the judge of the contact problem says whether it holds: at the pose of the end a point
            // that slides has a velocity of second order (1.7e-5 m/s here), and one that lands has its speed until the next step.
            world.want_certificate(true);
            let (mut energy, mut rise, mut closing, mut depth, mut finite) =
                (world.energy(), 0.0, 0.0, 0.0, true);
            let scale = energy;
            for _ in 0..1000 {
                world.step();
                let rod = view(&world, "rod");
                finite &= rod.position.is_finite() && rod.angular_velocity.is_finite() && !rod.quarantined;
                let half = rod.orientation * Vec3::X * (0.5 * l);
                for end in [half, -half] {
                    depth = largest([depth, r - (rod.position + end).z]);
                }
                closing =
                    largest([closing, world.report().certificate.map_or(f64::NAN, |judged| judged.gap)]);
                rise = largest([rise, (world.energy() - energy) / scale]);
                energy = world.energy();
            }
            let name = format!("μ = {mu}, v = {way}");
            figures.extend([
                Figure::all_of(format!("finite, {name}"), usize::from(finite), 1),
                Figure::at_most(format!("closing velocity over the largest, {name}"), closing, 1e-9),
                Figure::at_most(format!("depth, {name}"), depth, 1e-3 * r).unit("m"),
                Figure::at_most(format!("rise of energy, {name}"), rise, 1e-12),
                books(&world),
            ]);
        }
    }
    Ok(figures)
}
