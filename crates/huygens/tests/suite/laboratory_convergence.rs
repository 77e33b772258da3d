//! Does a smaller step give a better answer (case 69)? For every model without a velocity bias; with Baumgarte it does not.

use crate::common::{G, floor, friction_solvers, position, run, spin, world};
use huygens::contact::SolverKind;
use huygens::math::trig;
use huygens::scene::{Axis, Body, Lock, Scene, Shape, StabilisationSpec};
use std::f64::consts::TAU;

/// Moments inside a step at which the event of a case falls.
const PHASES: u32 = 16;

/// Least slope of the worst error over the phases, in powers of dt, that counts as first order.
const SLOPE: f64 = 0.9;

fn worst(error: impl Fn(f64) -> f64) -> f64 {
    (0..PHASES).map(|k| error(f64::from(k) / f64::from(PHASES))).fold(0.0, |a, b| if b > a { b } else { a })
}

/// Spin of the paddle after the driven capsule of ledger.md has met it, the rotor ahead by a share of a step.
fn paddle_spin(solver: &str, dt: f64, phase: f64, stabilisation: StabilisationSpec) -> f64 {
    let shape = || Shape::capsule(0.2, 1.0).along(Axis::X).density(2.8).friction(0.0);
    let lock = Lock { linear: [true; 3], ..Lock::NONE };
    let rotor = Body::driven("rotor", [0.0; 3], [0.0, 0.0, TAU]).shape(shape());
    let scene = Scene::new()
        .gravity(0.0, 0.0, 0.0)
        .dt(dt)
        .solver(solver)
        .stabilisation(stabilisation)
        .world(|world| world.speculative = false)
        .body(rotor.turned([0.0, 0.0, 1.0], TAU * dt * phase))
        .body(Body::dynamic("paddle").shape(shape()).at(0.7, 0.7, 0.0).lock(lock));
    let mut world = world(&scene);
    // Just past the touch at 0.1024 s, so that the first meeting is all that is seen.
    run(&mut world, (0.1024 / dt) as usize + 2);
    spin(&world, "paddle").z
}

#[test]
fn an_inelastic_pick_up_converges_with_the_step() {
    // At the exact touch the ratio of the levers is 4/3.
    let exact = -TAU * 4.0 / 3.0;
    for kind in SolverKind::ALL.iter().filter(|kind| !kind.is_soft()) {
        for stabilisation in [StabilisationSpec::None, StabilisationSpec::default()] {
            let error =
                |dt: f64| worst(|phase| (paddle_spin(kind.name(), dt, phase, stabilisation) - exact).abs());
            let (coarse, fine) = (error(2e-3), error(1.25e-4));
            let slope = trig::ln(coarse / fine) / trig::ln(16.0);
            println!("{kind}: {coarse:.4} and {fine:.5} rad/s, slope {slope:.3}");
            assert!(slope > SLOPE, "{kind}, {stabilisation:?}: {coarse} {fine} rad/s, slope {slope}");
        }
    }
}

#[test]
fn with_baumgarte_the_same_pick_up_does_not_converge() {
    let exact = -TAU * 4.0 / 3.0;
    let bias = StabilisationSpec::Baumgarte { erp: 0.7, cap: None };
    // soft-step pushes by displacements alone: it has no bias to give.
    for kind in SolverKind::ALL.iter().filter(|kind| !kind.displaces()) {
        let error = |dt: f64| worst(|phase| (paddle_spin(kind.name(), dt, phase, bias) - exact).abs());
        let (coarse, fine) = (error(2e-3), error(1.25e-4));
        println!("{kind}: {coarse:.3} and {fine:.3} rad/s");
        // The overlap at the first contact is up to u_n dt, and 0.7 of it over dt is up to 0.7 u_n, whatever dt is.
        assert!(fine > 0.5 * coarse && fine > 0.5 * 0.7 * exact.abs(), "{kind}: {coarse} {fine} rad/s");
    }
}

/// How far from the closed form of case 42 a sliding ball rolls; it begins to roll a share of a step later.
fn rolled(solver: &str, dt: f64, phase: f64) -> f64 {
    let mu = 0.3;
    let v0 = 3.0 + phase * dt * 3.5 * mu * G;
    let ball = Body::dynamic("ball").shape(Shape::sphere(0.5).friction(mu)).at(0.0, 0.0, 0.5);
    let scene = Scene::new().dt(dt).solver(solver).body(floor(mu, 0.0)).body(ball.velocity(v0, 0.0, 0.0));
    let mut world = world(&scene);
    run(&mut world, (0.5 / dt).round() as usize);
    let slides = 2.0 * v0 / (7.0 * mu * G);
    let exact = 12.0 * v0 * v0 / (49.0 * mu * G) + 5.0 / 7.0 * v0 * (0.5 - slides);
    (position(&world, "ball").x - exact).abs()
}

#[test]
fn a_ball_that_begins_to_roll_converges_with_the_step() {
    for solver in friction_solvers() {
        let error = |dt: f64| worst(|phase| rolled(solver, dt, phase));
        let (coarse, fine) = (error(0.02), error(0.00125));
        let slope = trig::ln(coarse / fine) / trig::ln(16.0);
        println!("{solver}: {coarse:.2e} and {fine:.2e} m, slope {slope:.3}");
        assert!(slope > SLOPE, "{solver}: {coarse} {fine} m, slope {slope}");
    }
}

/// φ(t) of a block that falls over an edge from rest at `start`, by Runge–Kutta: the line from the edge to its centre is `arm` long and φ off the
/// vertical. The edge sticks while μ times the load is enough, then slips ahead.
fn falls_over(start: f64, [arm, inertia, mu]: [f64; 3], end: f64) -> f64 {
    let rate = |[x, w]: [f64; 2], slips: bool| {
        let (s, c) = trig::sin_cos(x);
        let lever = s + mu * c;
        let sliding = arm * (G - arm * w * w * c) * lever / (inertia + arm * arm * s * lever);
        [w, if slips { sliding } else { G * arm * s / (inertia + arm * arm) }]
    };
    let (steps, mut y, mut slips) = (20_000, [start, 0.0], false);
    let h = end / f64::from(steps);
    for _ in 0..steps {
        let ((s, c), [w, turn]) = (trig::sin_cos(y[0]), rate(y, false));
        let (load, friction) = (G - arm * (turn * s + w * w * c), arm * (turn * c - w * w * s));
        slips |= friction.abs() > mu * load;
        let ahead = |k: [f64; 2], h: f64| [y[0] + h * k[0], y[1] + h * k[1]];
        let a = rate(y, slips);
        let b = rate(ahead(a, 0.5 * h), slips);
        let c = rate(ahead(b, 0.5 * h), slips);
        let d = rate(ahead(c, h), slips);
        y = [0, 1].map(|i| y[i] + h / 6.0 * (a[i] + 2.0 * (b[i] + c[i]) + d[i]));
    }
    y[0]
}

#[test]
fn a_block_that_falls_over_its_edge_and_then_slips_converges_with_the_step() {
    let (b, h, mu, start, end) = (0.4, 1.0, 2.0, TAU / 12.0, 0.4);
    let arm = 0.5 * f64::sqrt(b * b + h * h);
    let exact = falls_over(start, [arm, (b * b + h * h) / 12.0, mu], end);
    for solver in ["soft-step", "sequential-impulse", "active-set", "ncp/newton"] {
        let error = |dt: f64| {
            let (s, c) = trig::sin_cos(start);
            let block = Body::dynamic("block")
                .shape(Shape::cuboid(b, b, h).friction(mu))
                .turned([0.0, 1.0, 0.0], start + trig::atan2(b, h))
                .at(arm * s, 0.0, arm * c);
            let mut world = world(&Scene::new().dt(dt).solver(solver).body(floor(mu, 0.0)).body(block));
            run(&mut world, (end / dt).round() as usize);
            let view = world.bodies().find(|body| body.name == "block").unwrap();
            let axis = view.orientation * huygens::math::Vec3::Z;
            (trig::atan2(axis.x, axis.z) - trig::atan2(b, h) - exact).abs()
        };
        let (coarse, fine) = (error(1e-3), error(1e-4 / 3.2));
        let slope = trig::ln(coarse / fine) / trig::ln(32.0);
        println!("{solver}: {coarse:.2e} and {fine:.2e} rad, slope {slope:.3}");
        assert!(slope > SLOPE, "{solver}: {coarse} {fine} rad, slope {slope}");
    }
}
