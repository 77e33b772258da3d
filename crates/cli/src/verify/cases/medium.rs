//! A medium and springs: cases 71 to 75.

use crate::verify::case::{Case, Figure, Measured, Trouble};
use crate::verify::lab::{G, books, largest, line, position, run, scene, velocity, weightless, world};
use huygens::World;
use huygens::math::{Vec3, trig};
use huygens::scene::{Body, BodyMediumSpec, MediumSpec, Scene, Spring};
use std::f64::consts::{PI, TAU};

pub const CASES: &[Case] = &[
    Case {
        number: 71,
        name: "terminal-velocity",
        title: "Terminal velocity",
        setup: "Ball of 1 kg, r = 0.3 m, C_d = 0.47 that falls through air, and with linear drag of 2 N·s/m, for 60 s at dt = 20 ms",
        expected: "√(2 m g/(ρ C_d A)) and m g/c; the medium then takes what gravity gives",
        source: "textbook",
        tolerance: "1e-13",
        contact: false,
        converges: false,
        long: false,
        measure: terminal,
    },
    Case {
        number: 72,
        name: "drag-law",
        title: "Fall with drag",
        setup: "The same ball from rest for 1 s, dt = 50, 25, 12.5 ms",
        expected: "v = v_t tanh(g t/v_t), z = −(v_t²/g) ln cosh(g t/v_t); error of order 2",
        source: "textbook",
        tolerance: "slope from 1.9 to 2.1; 5e-4 at 12.5 ms",
        contact: false,
        converges: true,
        long: false,
        measure: drag_law,
    },
    Case {
        number: 73,
        name: "magnus",
        title: "Magnus drift",
        setup: "Ball of 1 kg at 4 m/s, spinning at 50 rad/s across its path, S = 0.02 kg, for 1 s without gravity, dt = 20, 10, 5 ms",
        expected: "the velocity turns at S ω/m = 1 rad/s and keeps its size: a circle of 4 m; error of order 2",
        source: "closed form of m v' = S ω × v",
        tolerance: "slope from 1.9 to 2.1; speed 1e-13; place 2e-5 of 4 m at 5 ms",
        contact: false,
        converges: true,
        long: false,
        measure: magnus,
    },
    Case {
        number: 74,
        name: "floating-box",
        title: "Period of a floating box",
        setup: "Box of 0.8 × 0.8 × 0.5 m and 200 kg in water (metacentric height 7.7 cm), 5 cm above its draught, for 1 s, dt = 20, 10, 5 ms; periods over 20 s at 1 ms",
        expected: "ω² = ρ g S/m (heave without added mass): T = 1.121425 s; error of order 2",
        source: "Archimedes",
        tolerance: "slope from 1.9 to 2.1; period 1e-5",
        contact: false,
        converges: true,
        long: false,
        measure: floating,
    },
    Case {
        number: 75,
        name: "damped-spring",
        title: "Decrement of a damped spring",
        setup: "1 kg on k = 100 N/m, c = 2 N·s/m, pulled out 10 cm, for 1 s, dt = 20, 10, 5 ms; extremes over 3 s at 1 ms",
        expected: "ω_d = √(k/m − (c/2m)²), logarithmic decrement π c/(m ω_d) = 0.631484; error of order 2",
        source: "textbook",
        tolerance: "slope from 1.9 to 2.1; decrement 1e-4",
        contact: false,
        converges: true,
        long: false,
        measure: damped_spring,
    },
];

/// The slope of an error over three steps, each half the one before, and its size at the last.
fn second_order(
    name: &str,
    steps: f64,
    allowed: f64,
    error: impl Fn(f64) -> Result<f64, Trouble>,
) -> Result<[Figure; 2], Trouble> {
    let mut logs = Vec::new();
    let mut last = 0.0;
    for dt in [steps, 0.5 * steps, 0.25 * steps] {
        last = error(dt)?;
        logs.push((trig::ln(dt), trig::ln(last + 1e-300)));
    }
    Ok([
        Figure::within(format!("{name}: slope of the error"), line(&logs).0, 2.0, 0.1),
        Figure::at_most(format!("{name}: error at the shortest step"), last, allowed),
    ])
}

/// A world after one second.
fn after_a_second(scene: Scene, dt: f64) -> Result<World, Trouble> {
    let mut world = world(&scene.dt(dt))?;
    run(&mut world, (1.0 / dt).round() as usize);
    Ok(world)
}

const RADIUS: f64 = 0.3;
const AIR: f64 = 1.225;

/// A ball of 1 kg that falls through air.
fn falling(solver: &str, medium: BodyMediumSpec) -> Scene {
    let ball = Body::dynamic("ball").sphere(RADIUS).mass(1.0).medium(medium);
    scene(solver).medium(MediumSpec::new(AIR)).body(ball)
}

fn terminal_speed() -> f64 {
    (2.0 * G / (AIR * 0.47 * PI * RADIUS * RADIUS)).sqrt()
}

fn terminal(solver: &str) -> Measured {
    let linear = BodyMediumSpec { linear_drag: 2.0, ..BodyMediumSpec::default() };
    let mut figures = Vec::new();
    for (name, medium, expected) in
        [("quadratic drag", BodyMediumSpec::drag(0.47), terminal_speed()), ("linear drag", linear, 0.5 * G)]
    {
        let mut world = world(&falling(solver, medium).dt(0.02))?;
        run(&mut world, 3000);
        figures.push(Figure::relative(name, -velocity(&world, "ball").z, expected, 1e-13).unit("m/s"));
        figures.push(books(&world));
    }
    Ok(figures)
}

fn drag_law(solver: &str) -> Measured {
    let top = terminal_speed();
    let e = trig::exp(G / top);
    let speed = top * (e - 1.0 / e) / (e + 1.0 / e);
    let way = top * top / G * trig::ln(0.5 * (e + 1.0 / e));
    let at = |dt| after_a_second(falling(solver, BodyMediumSpec::drag(0.47)), dt);
    let mut figures = Vec::new();
    figures.extend(second_order("speed", 0.05, 5e-4, |dt| {
        Ok((velocity(&at(dt)?, "ball").z / speed + 1.0).abs())
    })?);
    figures
        .extend(second_order("way", 0.05, 5e-4, |dt| Ok((position(&at(dt)?, "ball").z / way + 1.0).abs()))?);
    figures.push(books(&at(0.0125)?));
    Ok(figures)
}

fn magnus(solver: &str) -> Measured {
    let medium = BodyMediumSpec { magnus: 0.02, ..BodyMediumSpec::default() };
    let ball = Body::dynamic("ball").sphere(0.1).mass(1.0).velocity(4.0, 0.0, 0.0).spin(0.0, 0.0, 50.0);
    let scene = || weightless(solver).medium(MediumSpec::new(AIR)).body(ball.clone().medium(medium.clone()));
    let (sin, cos) = trig::sin_cos(1.0);
    let place = Vec3::new(sin, 1.0 - cos, 0.0) * 4.0;
    let mut figures: Vec<Figure> = second_order("place over 4 m", 0.02, 2e-5, |dt| {
        Ok((position(&after_a_second(scene(), dt)?, "ball") - place).length() / 4.0)
    })?
    .into();
    let world = after_a_second(scene(), 0.005)?;
    figures.push(Figure::relative("speed", velocity(&world, "ball").length(), 4.0, 1e-13).unit("m/s"));
    figures.push(books(&world));
    Ok(figures)
}

/// Times at which a sequence of values at equal steps passes zero, by straight lines between them.
fn zeros(values: &[f64], dt: f64) -> Vec<f64> {
    let pairs = values.windows(2).enumerate().filter(|(_, pair)| (pair[0] > 0.0) != (pair[1] > 0.0));
    pairs.map(|(i, pair)| dt * (i as f64 + pair[0] / (pair[0] - pair[1]))).collect()
}

/// Height of the box's centre at rest: it draws 31.25 of its 50 cm [m].
const REST: f64 = 0.25 - 200.0 / 640.0;

fn floating(solver: &str) -> Measured {
    let omega = (1000.0 * G * 0.64 / 200.0).sqrt();
    let body = Body::dynamic("box").cuboid(0.8, 0.8, 0.5).mass(200.0).at(0.0, 0.0, REST + 0.05);
    let body = body.medium(BodyMediumSpec::buoyant());
    let scene = || scene(solver).medium(MediumSpec::new(1000.0).surface(0.0)).body(body.clone());
    let z = REST + 0.05 * trig::cos(omega);
    let mut figures: Vec<Figure> = second_order("height over 5 cm", 0.02, 1e-2, |dt| {
        Ok((position(&after_a_second(scene(), dt)?, "box").z - z).abs() / 0.05)
    })?
    .into();
    let mut world = world(&scene().dt(1e-3))?;
    let mut heights = Vec::new();
    for _ in 0..20_000 {
        world.step();
        heights.push(position(&world, "box").z - REST);
    }
    let times = zeros(&heights, 1e-3);
    let swings = times.len() as f64 - 1.0;
    let period = 2.0 * (times[times.len() - 1] - times[0]) / swings;
    figures.push(Figure::relative("period", period, TAU / omega, 1e-5).unit("s"));
    figures.push(books(&world));
    Ok(figures)
}

fn damped_spring(solver: &str) -> Measured {
    let k: f64 = 100.0;
    let c: f64 = 2.0;
    let decay = 0.5 * c;
    let omega = (k - decay * decay).sqrt();
    let ball = Body::dynamic("ball").sphere(0.05).mass(1.0).at(0.1, 0.0, 0.0);
    let spring =
        Spring::to_world("spring", "ball", [[0.1, 0.0, 0.0], [-1.0, 0.0, 0.0]], k).damping(c).length(1.0);
    let scene = || weightless(solver).body(ball.clone()).spring(spring.clone());
    let x = 0.1 * trig::exp(-decay) * (trig::cos(omega) + decay / omega * trig::sin(omega));
    let mut figures: Vec<Figure> = second_order("place over 10 cm", 0.02, 1e-2, |dt| {
        Ok((position(&after_a_second(scene(), dt)?, "ball").x - x).abs() / 0.1)
    })?
    .into();
    let mut world = world(&scene().dt(1e-3))?;
    let (mut highest, mut places) = (vec![0.1], [0.0, 0.1]);
    for _ in 0..3000 {
        world.step();
        let x = position(&world, "ball").x;
        if places[1] > places[0] && places[1] >= x && places[1] < 0.1 {
            // The top of the parabola through three points.
            let (a, b) = (places[0] - 2.0 * places[1] + x, 0.5 * (x - places[0]));
            highest.push(places[1] - 0.5 * b * b / a);
        }
        places = [places[1], x];
    }
    let decrements = highest.windows(2).map(|pair| trig::ln(pair[0] / pair[1]));
    let expected = decay * TAU / omega;
    let worst = largest(decrements.map(|decrement| (decrement / expected - 1.0).abs()));
    figures.push(Figure::at_most("decrement, relative error of the worst of all swings", worst, 1e-4));
    figures.push(Figure::at_least("swings", highest.len() as f64, 4.0));
    figures.push(books(&world));
    Ok(figures)
}
