//! How errors fall with dt: case 69.

use super::impact::dropped;
use crate::verify::case::{Case, Figure, Measured, Trouble};
use crate::verify::lab::{G, floor, largest, line, position, run, scene, spin, view, weightless, world};
use huygens::math::{Vec3, trig};
use huygens::scene::{Axis, Body, Lock, Shape, StabilisationSpec};
use std::f64::consts::{PI, TAU};

pub const CASES: &[Case] = &[Case {
    number: 69,
    name: "convergence",
    title: "Errors fall with dt",
    setup: "Bouncing ball (14), oblique balls (20), sliding slab (37), driven capsules (55), a block that tips about its edge; dt = 10 ms … 0.1 ms; impacts: the worst of 16 start phases",
    expected: "impacts: error ≤ C·dt, slope at least 0.9; smooth motion: at least the same. Cases 8, 13 and 58 ask for the integrator's order 2",
    source: "closed forms; the tipping block, whose edge slips from 0.384 s on, by a fine Runge–Kutta integration. Baumgarte fails this",
    tolerance: "slope 0.9, where the error is not already round-off (1e-9)",
    contact: true,
    converges: true,
    long: false,
    measure: convergence,
}];

const STEPS: [f64; 5] = [1e-2, 3.2e-3, 1e-3, 3.2e-4, 1e-4];
const PHASES: u32 = 16;
/// Relative errors below this are round-off of the run, and have no slope.
const FLOOR: f64 = 1e-9;

/// Slope of the error over dt, or the largest error where all are round-off.
fn judged(name: &str, errors: &[f64]) -> Figure {
    if errors.iter().all(|error| *error <= FLOOR) {
        return Figure::at_most(format!("{name}: error at any dt"), largest(errors.iter().copied()), FLOOR);
    }
    let logs: Vec<(f64, f64)> =
        STEPS.iter().zip(errors).map(|(dt, error)| (trig::ln(*dt), trig::ln(error + 1e-300))).collect();
    Figure::at_least(format!("{name}: slope"), line(&logs).0, 0.9)
}

/// The error at every dt.
fn sweep(error: impl Fn(f64) -> Result<f64, Trouble>) -> Result<Vec<f64>, Trouble> {
    STEPS.iter().map(|dt| error(*dt)).collect()
}

/// The same, the worst of 16 start phases in [0, 1).
fn phases(error: impl Fn(f64, f64) -> Result<f64, Trouble>) -> Result<Vec<f64>, Trouble> {
    sweep(|dt| {
        let mut worst: f64 = 0.0;
        for phase in 0..PHASES {
            worst = largest([worst, error(dt, f64::from(phase) / f64::from(PHASES))?]);
        }
        Ok(worst)
    })
}

fn convergence(solver: &str) -> Measured {
    Ok(vec![
        judged("bouncing ball", &phases(|dt, phase| bounce(solver, dt, phase))?),
        judged("oblique balls", &phases(|dt, phase| oblique(solver, dt, phase))?),
        judged("driven capsules", &phases(|dt, phase| capsules(solver, dt, phase))?),
        judged("sliding slab", &sweep(|dt| slab(solver, dt))?),
        judged("tipping block", &sweep(|dt| tipping(solver, dt))?),
    ])
}

/// Height of a ball dropped from 1 … 1.2 m with e = 0.7 after 0.8 s, after its first bounce.
fn bounce(solver: &str, dt: f64, phase: f64) -> Result<f64, Trouble> {
    let (height, e, end) = (1.0 + 0.2 * phase, 0.7, 0.8);
    let mut world = dropped(solver, height, e, dt)?;
    run(&mut world, (end / dt).round() as usize);
    let fall = (2.0 * height / G).sqrt();
    let t = world.time() - fall;
    let exact = e * G * fall * t - 0.5 * G * t * t;
    Ok((position(&world, "ball").z - 0.5 - exact).abs())
}

/// Direction of the struck ball of case 20: along the line of centres at the moment of impact, 30° off.
fn oblique(solver: &str, dt: f64, phase: f64) -> Result<f64, Trouble> {
    let ball = |name: &str, x: f64, y: f64, v: f64| {
        let shape = Shape::sphere(0.5).restitution(1.0).friction(0.0);
        Body::dynamic(name).shape(shape).at(x, y, 0.0).velocity(v, 0.0, 0.0)
    };
    let scene = weightless(solver)
        .dt(dt)
        .body(ball("a", -1.0 - 0.02 * phase, 0.5, 2.0))
        .body(ball("b", 0.0, 0.0, 0.0));
    let mut world = world(&scene)?;
    run(&mut world, (0.2 / dt).round() as usize);
    let v = view(&world, "b").linear_velocity;
    Ok((trig::atan2(-v.y, v.x) - PI / 6.0).abs())
}

/// Spin of the paddle of case 55 after the first touch: −8.3776 rad/s, from the levers 0.4 and 0.3 m at sin θ = 0.6.
fn capsules(solver: &str, dt: f64, phase: f64) -> Result<f64, Trouble> {
    let shape = || Shape::capsule(0.2, 1.0).along(Axis::X).density(2.8).friction(0.0).restitution(0.0);
    let lock = Lock { linear: [true; 3], ..Lock::NONE };
    let rotor = Body::driven("rotor", [0.0; 3], [0.0, 0.0, TAU]).shape(shape());
    let scene = weightless(solver)
        .dt(dt)
        .stabilisation(StabilisationSpec::None)
        .world(|world| world.speculative = false)
        .body(rotor.turned([0.0, 0.0, 1.0], 0.2 * TAU / 10.0 * phase))
        .body(Body::dynamic("paddle").shape(shape()).at(0.7, 0.7, 0.0).lock(lock));
    let mut world = world(&scene)?;
    let most = (0.12 / dt).round() as usize;
    for _ in 0..most {
        if spin(&world, "paddle").z != 0.0 {
            break;
        }
        world.step();
    }
    Ok((spin(&world, "paddle").z + TAU * 4.0 / 3.0).abs())
}

/// Distance of case 37.
fn slab(solver: &str, dt: f64) -> Result<f64, Trouble> {
    let mu = 0.3;
    let body = Body::dynamic("slab").shape(Shape::cuboid(1.0, 1.0, 0.2).friction(mu)).at(0.0, 0.0, 0.1);
    let mut world = world(&scene(solver).dt(dt).body(floor(mu, 0.0)).body(body.velocity(3.0, 0.0, 0.0)))?;
    run(&mut world, (1.1 / dt).round() as usize);
    Ok((position(&world, "slab").x - 9.0 / (2.0 * mu * G)).abs())
}

/// Angle after 0.4 s of a block that stands 30° off its balance on an edge, which sticks until it slips.
fn tipping(solver: &str, dt: f64) -> Result<f64, Trouble> {
    let (b, h) = (0.4, 1.0);
    let arm = 0.5 * f64::sqrt(b * b + h * h);
    let start = PI / 6.0;
    // The line from the edge to the centre is atan(b/h) off the block's axis.
    let lean = start + trig::atan2(b, h);
    let (s, c) = trig::sin_cos(start);
    let block = Body::dynamic("block")
        .shape(Shape::cuboid(b, b, h).friction(2.0))
        .turned([0.0, 1.0, 0.0], lean)
        .at(arm * s, 0.0, arm * c);
    let mut world = world(&scene(solver).dt(dt).body(floor(2.0, 0.0)).body(block))?;
    let end = 0.4;
    run(&mut world, (end / dt).round() as usize);
    let axis = view(&world, "block").orientation * Vec3::Z;
    let angle = trig::atan2(axis.x, axis.z) - trig::atan2(b, h);
    Ok((angle - Tipping { arm, inertia: (b * b + h * h) / 12.0, mu: 2.0 }.angle(start, end)).abs())
}

/// A block of 1 kg that falls over an edge: φ is the angle of the line from the edge to its centre off the vertical, x the place of the edge.
struct Tipping {
    /// Length of that line [m].
    arm: f64,
    /// About the centre [m²].
    inertia: f64,
    mu: f64,
}

impl Tipping {
    /// φ(t) from rest, by Runge–Kutta in 40000 steps. The edge sticks at first: φ'' = k sin φ. From 63° on that would take more
    /// friction than μ times the load, and it slips ahead, to +x (at 0.3842 s from 30° with μ = 2). The moment is found to a step, and
    /// moves φ by the square of that: its own error is below 1e-10.
    fn angle(&self, start: f64, end: f64) -> f64 {
        let steps = 40_000;
        let h = end / f64::from(steps);
        let (mut y, mut slips) = ([start, 0.0], false);
        for _ in 0..steps {
            slips |= self.would_slip(y);
            let ahead = |k: [f64; 2], h: f64| [y[0] + h * k[0], y[1] + h * k[1]];
            let a = self.rate(y, slips);
            let b = self.rate(ahead(a, 0.5 * h), slips);
            let c = self.rate(ahead(b, 0.5 * h), slips);
            let d = self.rate(ahead(c, h), slips);
            for i in 0..2 {
                y[i] += h / 6.0 * (a[i] + 2.0 * (b[i] + c[i]) + d[i]);
            }
        }
        y[0]
    }

    /// (φ', φ'').
    fn rate(&self, [x, w]: [f64; 2], slips: bool) -> [f64; 2] {
        let (s, c) = trig::sin_cos(x);
        let arm = self.arm;
        // I φ'' = arm (N sin φ − F cos φ) with N = g − arm (φ'' sin φ + φ'² cos φ); F is that of a fixed edge, or −μN.
        let turn = if slips {
            let lever = s + self.mu * c;
            arm * (G - arm * w * w * c) * lever / (self.inertia + arm * arm * s * lever)
        } else {
            G * arm * s / (self.inertia + arm * arm)
        };
        [w, turn]
    }

    /// Whether a fixed edge needs more friction than there is.
    fn would_slip(&self, y: [f64; 2]) -> bool {
        let (s, c) = trig::sin_cos(y[0]);
        let [w, turn] = self.rate(y, false);
        let load = G - self.arm * (turn * s + w * w * c);
        let friction = self.arm * (turn * c - w * w * s);
        friction.abs() > self.mu * load
    }
}
