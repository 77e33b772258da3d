//! Impact: cases 14, 15, 19, 20, 23, 24, 25, 27, 36.

use crate::verify::case::{Case, Figure, Measured, Trouble};
use crate::verify::lab::{
    DT, G, booked, books, floor, largest, momenta, normal_loss, position, run, run_while, scene, spin,
    velocity, weightless, world,
};
use huygens::World;
use huygens::ledger::Account;
use huygens::math::{Sym3, Vec3, trig};
use huygens::scene::{Body, Scene, Shape};

pub const CASES: &[Case] = &[
    Case {
        number: 14,
        name: "ball-drop",
        title: "Bouncing ball",
        setup: "A ball dropped from 200 heights of 1 … 1.2 m with e = 0.3, 0.5, 0.8, 0.95, 1; dt = 1/240 s; three bounces",
        expected: "the n-th apex is at e²ⁿh",
        source: "Newton's law of restitution; Rapier #974: 0.07/0.25/0.66/0.94 of h for e = 0.3/0.5/0.8/0.95",
        tolerance: "0.5 % of h; never above by more than 1e-9",
        contact: true,
        converges: false,
        long: false,
        measure: ball_drop,
    },
    Case {
        number: 15,
        name: "zeno",
        title: "Infinitely many bounces end",
        setup: "A ball dropped from 1 m with e = 0.5 and 0.8",
        expected: "rest after √(2h/g)(1+e)/(1−e) = 1.354571 and 4.063713 s, all of mgh lost in the normal direction",
        source: "geometric series",
        tolerance: "1 % in time; it stops; loss 1e-12 of mgh",
        contact: true,
        converges: false,
        long: false,
        measure: zeno,
    },
    Case {
        number: 19,
        name: "central-collision",
        title: "Central collision",
        setup: "Two balls at 2 and −0.5 m/s, mass ratio 1e-4 … 1e4, e = 0, 0.3, 0.7, 1",
        expected: "v₁' = (m₁v₁ + m₂v₂ − m₂e(v₁ − v₂))/(m₁ + m₂), v₂' alike, loss ½m_r(1 − e²)Δv²",
        source: "textbook",
        tolerance: "1e-12 of the closing speed and of the reduced energy",
        contact: true,
        converges: false,
        long: false,
        measure: central_collision,
    },
    Case {
        number: 20,
        name: "oblique-spheres",
        title: "Oblique collision of equal smooth balls",
        setup: "A ball at 2 m/s meets an equal one at rest, offset by R; e = 1, μ = 0",
        expected: "they part at 90°; momentum, angular momentum and energy stay",
        source: "textbook",
        tolerance: "1e-12 relative",
        contact: true,
        converges: false,
        long: false,
        measure: oblique_spheres,
    },
    Case {
        number: 23,
        name: "cradle",
        title: "Newton's cradle",
        setup: "Five touching equal balls, e = 1; one, two, three and four of them come in at 1 m/s",
        expected: "k in, k out, the others rest; energy never above the start",
        source: "criteria of Smith et al. 2012; Rapier #630 gains energy",
        tolerance: "the k balls that leave have at least 99 % of the energy",
        contact: true,
        converges: false,
        long: false,
        measure: cradle,
    },
    Case {
        number: 24,
        name: "rod-on-stop",
        title: "A rod hits a stop with its end",
        setup: "A rod (3 kg, 2 m) falls flat at 1.5 m/s, one end hits a stop; e = 0, 0.5, 1",
        expected: "p = (1+e)mv/4; ω = 3v(1+e)/(2L), v' = v − p/m, loss (1−e²)/4 of ½mv²",
        source: "textbook",
        tolerance: "1e-12 relative",
        contact: true,
        converges: false,
        long: false,
        measure: rod_on_stop,
    },
    Case {
        number: 25,
        name: "kane-trap",
        title: "Kane's trap: restitution with friction must not make energy",
        setup: "A rod (1 kg, 1 m) at 0.7886382 rad, lower end in contact, v = (−0.0070107, −0.4038596) m/s, ω = 1.8377057 rad/s, e = μ = 1, with the passivity guard",
        expected: "T⁺ ≤ T⁻; Newton's restitution with Coulomb friction gives T⁺/T⁻ = 1.5615",
        source: "Kane & Levinson 1985; closed form",
        tolerance: "1e-14",
        contact: true,
        converges: false,
        long: false,
        measure: kane_trap,
    },
    Case {
        number: 27,
        name: "overlap-start",
        title: "A cube that starts inside the floor",
        setup: "Unit cube of 1 kg, 10 mm inside the floor at rest, dt = 5 ms, 2 s",
        expected: "no pop: overlap is undone by displacement, so the recovery speed is 0; Baumgarte with erp 0.2 pops at 0.4 m/s and hops 8 mm",
        source: "βδ/h; MuJoCo #752",
        tolerance: "upward speed below 1e-6 m/s, kinetic energy below 1e-6 J after recovery, lift booked to 1e-9 J",
        contact: true,
        converges: false,
        long: false,
        measure: overlap_start,
    },
    Case {
        number: 36,
        name: "scales",
        title: "The same from micrometres to ten kilometres",
        setup: "Two balls, one on the other, dropped at 1e-6 … 1e4 m with gravity scaled; e = 0, 0.6, 1; 1 s",
        expected: "the dimensionless trajectory of 1 m",
        source: "similarity",
        tolerance: "1e-6 of the length",
        contact: true,
        converges: false,
        long: false,
        measure: scales,
    },
];

pub fn dropped(solver: &str, height: f64, e: f64, dt: f64) -> Result<World, Trouble> {
    let ball = Body::dynamic("ball").shape(Shape::sphere(0.5).restitution(e)).at(0.0, 0.0, 0.5 + height);
    world(&scene(solver).dt(dt).body(floor(0.5, e)).body(ball))
}

/// Height of the next apex, from the first step after it, where the flight is a parabola; NaN when there is none.
fn next_apex(world: &mut World) -> f64 {
    let limit = 1000;
    let fell = run_while(world, limit, |world| velocity(world, "ball").z <= 0.0);
    let rose = run_while(world, limit, |world| velocity(world, "ball").z > 0.0);
    if !(fell && rose) {
        return f64::NAN;
    }
    let (z, v) = (position(world, "ball").z - 0.5, velocity(world, "ball").z);
    z + v * v / (2.0 * G)
}

fn ball_drop(solver: &str) -> Measured {
    let (mut off, mut above) = (0.0, 0.0);
    for e in [0.3, 0.5, 0.8, 0.95, 1.0] {
        for k in 0..200 {
            let height = 1.0 + 0.2 * f64::from(k) / 199.0;
            let mut world = dropped(solver, height, e, 1.0 / 240.0)?;
            let mut expected = height;
            for _ in 0..3 {
                expected *= e * e;
                let got = next_apex(&mut world);
                off = largest([off, (got - expected).abs() / height]);
                above = largest([above, got / expected - 1.0]);
            }
        }
    }
    Ok(vec![
        Figure::at_most("apex off e²ⁿh, over h", off, 0.005),
        Figure::at_most("apex above e²ⁿh", above, 1e-9),
    ])
}

fn zeno(solver: &str) -> Measured {
    let mut figures = Vec::new();
    for e in [0.5, 0.8] {
        let mut world = dropped(solver, 1.0, e, DT)?;
        let mut rest = 0.0;
        for _ in 0..6000 {
            world.step();
            if velocity(&world, "ball").length() > 1e-9 {
                rest = world.time();
            }
        }
        let total = (2.0 / G).sqrt() * (1.0 + e) / (1.0 - e);
        let weight = world.bodies().map(|body| body.mass).sum::<f64>() * G;
        figures.extend([
            Figure::relative(format!("time to rest, e = {e}"), rest, total, 0.01).unit("s"),
            Figure::at_most(
                format!("kinetic energy left over mgh, e = {e}"),
                world.kinetic_energy() / weight,
                0.0,
            ),
            Figure::within(
                format!("normal loss over mgh, e = {e}"),
                normal_loss(&world) / weight,
                1.0,
                1e-12,
            ),
            books(&world),
        ]);
    }
    Ok(figures)
}

fn central_collision(solver: &str) -> Measured {
    let (mut off, mut off_loss) = (0.0, 0.0);
    for ratio in [1e-4, 1e-2, 1.0, 3.0, 1e2, 1e4] {
        for e in [0.0, 0.3, 0.7, 1.0] {
            let ball = |name: &str, x: f64, mass: f64, v: f64| {
                let shape = Shape::sphere(0.5).restitution(e);
                Body::dynamic(name).shape(shape).mass(mass).at(x, 0.0, 0.0).velocity(v, 0.0, 0.0)
            };
            let (m1, m2, v1, v2) = (1.0, ratio, 2.0, -0.5);
            let scene = weightless(solver).body(ball("a", 0.0, m1, v1)).body(ball("b", 1.0133, m2, v2));
            let mut world = world(&scene)?;
            run(&mut world, 10);
            let (sum, closing) = (m1 + m2, v1 - v2);
            let a = (m1 * v1 + m2 * v2 - m2 * e * closing) / sum;
            let b = (m1 * v1 + m2 * v2 + m1 * e * closing) / sum;
            let (got_a, got_b) = (velocity(&world, "a").x, velocity(&world, "b").x);
            off = largest([off, (got_a - a).abs() / closing, (got_b - b).abs() / closing]);
            let reduced = 0.5 * (m1 * m2 / sum) * closing * closing;
            let loss = normal_loss(&world);
            off_loss = largest([off_loss, (loss / reduced - (1.0 - e * e)).abs()]);
        }
    }
    Ok(vec![
        Figure::at_most("velocity off, over the closing speed", off, 1e-12),
        Figure::at_most("loss off, over ½m_rΔv²", off_loss, 1e-12),
    ])
}

fn oblique_spheres(solver: &str) -> Measured {
    let ball = |name: &str, x: f64, y: f64, v: f64| {
        let shape = Shape::sphere(0.5).restitution(1.0).friction(0.0);
        Body::dynamic(name).shape(shape).at(x, y, 0.0).velocity(v, 0.0, 0.0)
    };
    let scene = weightless(solver).body(ball("a", -1.0, 0.5, 2.0)).body(ball("b", 0.0, 0.0, 0.0));
    let mut world = world(&scene)?;
    let (energy, (p, l)) = (world.energy(), momenta(&world));
    run(&mut world, 300);
    let (a, b) = (velocity(&world, "a"), velocity(&world, "b"));
    let (now_p, now_l) = momenta(&world);
    Ok(vec![
        Figure::at_most("cosine between them", (a.dot(b) / (a.length() * b.length())).abs(), 1e-12),
        Figure::at_most("|ΔP|/P", (now_p - p).length() / p.length(), 1e-12),
        Figure::at_most("|ΔL|/L", (now_l - l).length() / l.length(), 1e-12),
        Figure::at_most("|T/T₀ − 1|", (world.energy() / energy - 1.0).abs(), 1e-12),
    ])
}

/// Energy share of the `incoming` balls that must leave, and the most that there was of the start's energy.
fn cradle_with(solver: &str, incoming: usize) -> Result<(f64, f64), Trouble> {
    let (r, balls) = (0.05, 5);
    let mut scene = weightless(solver).world(|world| world.length = 0.1);
    for i in 0..balls {
        let shape = Shape::sphere(r).restitution(1.0).friction(0.0);
        let (gap, v) = if i < incoming { (-0.02, 1.0) } else { (0.0, 0.0) };
        let x = 2.0 * r * i as f64 + gap;
        scene =
            scene.body(Body::dynamic(format!("ball{i}")).shape(shape).at(x, 0.0, 0.0).velocity(v, 0.0, 0.0));
    }
    let mut world = world(&scene)?;
    let start = world.energy();
    let mut most: f64 = 0.0;
    for _ in 0..200 {
        world.step();
        most = largest([most, world.energy() / start]);
    }
    let out: f64 = world.bodies().skip(balls - incoming).map(|body| body.kinetic_energy).sum();
    Ok((out / start, most))
}

fn cradle(solver: &str) -> Measured {
    let mut figures = Vec::new();
    let mut most: f64 = 0.0;
    for incoming in 1..=4 {
        let (out, peak) = cradle_with(solver, incoming)?;
        figures.push(Figure::at_least(format!("energy of the {incoming} that leave"), out, 0.99));
        most = largest([most, peak]);
    }
    // Round-off of five balls over 200 steps.
    figures.push(Figure::at_most("largest T/T₀", most, 1.0 + 1e-12));
    Ok(figures)
}

fn rod_on_stop(solver: &str) -> Measured {
    let (m, l, v, r) = (3.0, 2.0, 1.5, 0.05);
    let thin = m * l * l / 12.0;
    let (mut off, mut off_loss) = (0.0, 0.0);
    for e in [0.0, 0.5, 1.0] {
        // The end is a small ball; mass and inertia are those of a thin rod.
        let rod = Body::dynamic("rod")
            .shape(Shape::sphere(r).at(0.5 * l, 0.0, 0.0).friction(0.0).restitution(e))
            .mass(m)
            .center_of_mass(0.0, 0.0, 0.0)
            .inertia(Sym3::diagonal(Vec3::new(1e-3, thin, thin)))
            .at(0.0, 0.0, r)
            .velocity(0.0, 0.0, -v);
        let mut world = world(&weightless(solver).body(floor(0.0, e)).body(rod))?;
        world.step();
        let p = (1.0 + e) * m * v / 4.0;
        let fall = velocity(&world, "rod").z - (p / m - v);
        let turn = spin(&world, "rod").y + p * 0.5 * l / thin;
        off = largest([off, fall.abs() / v, turn.abs() * l / v]);
        let share = normal_loss(&world) / (0.5 * m * v * v) - (1.0 - e * e) * 0.25;
        off_loss = largest([off_loss, share.abs()]);
    }
    Ok(vec![
        Figure::at_most("velocity and spin off, over v and v/L", off, 1e-12),
        Figure::at_most("loss off, over ½mv²", off_loss, 1e-12),
    ])
}

fn kane_trap(solver: &str) -> Measured {
    let (angle, r) = (0.7886382, 1e-6);
    let (s, c) = trig::sin_cos(angle);
    // The rod goes up to the right from its lower end, which is a tiny ball; the centre stands above it.
    let rod = Body::dynamic("rod")
        .shape(Shape::sphere(r).at(-0.5 * c, 0.0, -0.5 * s).friction(1.0).restitution(1.0))
        .mass(1.0)
        .center_of_mass(0.0, 0.0, 0.0)
        .inertia(Sym3::diagonal(Vec3::splat(1.0 / 12.0)))
        .at(0.5 * c, 0.0, 0.5 * s + r)
        .velocity(-0.0070107, 0.0, -0.4038596)
        // Counter-clockwise in the x–z plane is about −y.
        .spin(0.0, -1.8377057, 0.0);
    let scene = weightless(solver).world(|world| world.guard = true).body(floor(1.0, 1.0)).body(rod);
    let mut world = world(&scene)?;
    let before = world.kinetic_energy();
    run(&mut world, 2);
    let touched = booked(&world, Account::Friction) != 0.0 || velocity(&world, "rod").z > -0.4;
    if !touched {
        return Err(Trouble("the rod did not touch the floor".to_owned()));
    }
    Ok(vec![Figure::at_most("T⁺/T⁻", world.kinetic_energy() / before, 1.0 + 1e-14), books(&world)])
}

fn overlap_start(solver: &str) -> Measured {
    let cube = Body::dynamic("cube").cuboid(1.0, 1.0, 1.0).mass(1.0).at(0.0, 0.0, 0.49);
    let mut world = world(&scene(solver).dt(0.005).body(floor(0.5, 0.0)).body(cube))?;
    let (mut up, mut hop): (f64, f64) = (0.0, 0.0);
    for _ in 0..400 {
        world.step();
        up = largest([up, velocity(&world, "cube").z]);
        hop = largest([hop, position(&world, "cube").z - 0.5]);
    }
    let lifted = position(&world, "cube").z - 0.49;
    let paid = booked(&world, Account::Correction)
        + booked(&world, Account::Stabilisation)
        + booked(&world, Account::Impact)
        + booked(&world, Account::Friction);
    Ok(vec![
        Figure::at_most("largest upward speed", up, 1e-6).unit("m/s"),
        Figure::at_most("hop above the floor", hop, 1e-9).unit("m"),
        Figure::at_least("it came out by", lifted, 0.009).unit("m"),
        Figure::at_most("kinetic energy after recovery", world.kinetic_energy(), 1e-6).unit("J"),
        Figure::within("booked for the lift", paid, G * lifted, 1e-9).unit("J"),
    ])
}

/// Positions of the pair after every step, in units of the length.
fn pair_track(solver: &str, length: f64, e: f64) -> Result<Vec<f64>, Trouble> {
    let ball = |name: &str, z: f64, x: f64| {
        let shape = Shape::sphere(0.5 * length).restitution(e).friction(0.4);
        Body::dynamic(name).shape(shape).at(x * length, 0.0, z * length)
    };
    let scene: Scene = scene(solver)
        .gravity(0.0, 0.0, -G * length)
        .world(|world| world.length = length)
        .body(floor(0.4, e))
        .body(ball("low", 1.0, 0.0))
        .body(ball("high", 2.0, 0.01));
    let mut world = world(&scene)?;
    let mut track = Vec::new();
    for _ in 0..1000 {
        world.step();
        for name in ["low", "high"] {
            track.extend((position(&world, name) / length).to_array());
        }
    }
    Ok(track)
}

fn scales(solver: &str) -> Measured {
    let mut figures = Vec::new();
    for e in [0.0, 0.6, 1.0] {
        let unit = pair_track(solver, 1.0, e)?;
        let mut off: f64 = 0.0;
        for length in [1e-6, 1e-4, 1e-2, 1e2, 1e4] {
            let track = pair_track(solver, length, e)?;
            off = largest([off, largest(track.iter().zip(&unit).map(|(a, b)| (a - b).abs()))]);
        }
        figures.push(Figure::at_most(format!("off the trajectory of 1 m, e = {e}"), off, 1e-6));
    }
    Ok(figures)
}
