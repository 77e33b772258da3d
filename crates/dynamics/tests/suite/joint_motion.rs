//! Motion of mechanisms with slides and ball joints: closed forms and references of high order.

use crate::common::{largest, placed};
use crate::mover::{BEST, Mover};
use huygens_dynamics::{Joint, Link, Tree, kinetic_energy, potential};
use huygens_math::trig::{axis_angle, cos, ln, sin};
use huygens_math::{Pose, Sym3, Vec3};
use std::f64::consts::LN_2;

const G: Vec3 = Vec3::new(0.0, 0.0, -9.81);

/// A body of 1 kg that hangs 1 m below a ball joint, with the moments 1.5 (about the joint) and 0.01 about its own axis.
fn spherical_pendulum() -> Tree {
    let inertia = Sym3::diagonal(Vec3::new(0.5, 0.5, 0.01));
    Tree::new(vec![
        Link::new(None, Joint::ball(Pose::IDENTITY), 1.0, inertia).with_com(Vec3::new(0.0, 0.0, -1.0)),
    ])
    .unwrap()
}

/// Runs the conical pendulum for a second; returns how far the centre of mass is from where it must be, and the largest error of its height.
fn conical_error(h: f64) -> [f64; 2] {
    let (theta, moment) = (0.7, 1.5);
    let tree = spherical_pendulum();
    // Steady precession without spin about its axis: Ω² = mgl/(I₁ cos θ).
    let rate = (9.81 / (moment * cos(theta))).sqrt();
    let tilt = axis_angle(Vec3::Y, -theta);
    let axis = tilt * Vec3::Z;
    // ω = Ω(z − (z·e)e): the rotation of the axis and none about it.
    let omega = (Vec3::Z - axis * axis.z) * rate;
    let mut pendulum =
        Mover::new(tree, vec![tilt.w, tilt.x, tilt.y, tilt.z], vec![omega.x, omega.y, omega.z]);
    let (mut height, steps) = (0.0, (1.0 / h).round() as usize);
    for _ in 0..steps {
        pendulum.step(h, G, BEST);
        let off = pendulum.end.com[0].z + cos(theta);
        height = if off.abs() > height { off.abs() } else { height };
    }
    let expected = Vec3::new(sin(theta) * cos(rate), sin(theta) * sin(rate), -cos(theta));
    [(pendulum.end.com[0] - expected).length(), height]
}

#[test]
fn a_conical_pendulum_on_a_ball_joint_precesses_at_its_rate() {
    let [coarse, fine] = [2e-3, 1e-3].map(conical_error);
    println!("conical pendulum: {coarse:?} {fine:?}");
    assert!(fine[0] < 1e-5 && fine[1] < 1e-6, "{fine:?}");
    for (coarse, fine) in coarse.into_iter().zip(fine) {
        let order = ln(coarse / fine) / LN_2;
        assert!(order > 1.9, "{order}"); // the integrator's order is 2
    }
}

#[test]
fn a_spherical_pendulum_keeps_its_vertical_angular_momentum_and_its_energy() {
    let start = axis_angle(Vec3::X, 1.2);
    let mut pendulum =
        Mover::new(spherical_pendulum(), vec![start.w, start.x, start.y, start.z], vec![0.3, 1.0, 0.8]);
    let figures = |mover: &Mover| {
        let kin = placed(&mover.tree, &mover.q, &mover.v);
        let l = kin.com[0].cross(kin.twist[0].linear) + kin.inertia[0] * kin.twist[0].angular;
        (l.z, kinetic_energy(&mover.tree, &kin) + potential(&mover.tree, &kin, G, Vec3::ZERO))
    };
    let (l, energy) = figures(&pendulum);
    let (mut off, mut drift) = (0.0, [0.0; 2]);
    for half in &mut drift {
        for _ in 0..10_000 {
            pendulum.step(1e-3, G, BEST);
            let now = figures(&pendulum);
            off = largest([off, now.0 - l]);
            *half = largest([*half, (now.1 - energy) / 9.81]);
        }
    }
    println!("vertical angular momentum off by {off:.1e} of {l:.2}, energy by {drift:?}");
    assert!(off < 1e-4 * l.abs(), "{off}");
    assert!(drift[0] < 1e-5 && drift[1] < 2.0 * drift[0], "{drift:?}");
}

/// A cart of 2 kg on a slide along x with a pendulum of 1 kg and 1 m: state (x, θ, ẋ, θ̇), θ from below about y.
fn cart_rate(s: [f64; 4]) -> [f64; 4] {
    let (sine, cosine) = (sin(s[1]), cos(s[1]));
    // (M+m)ẍ − m l θ̈ cos θ + m l θ̇² sin θ = 0 and l θ̈ − ẍ cos θ + g sin θ = 0, with x of the bob = x − l sin θ.
    let (cart, bob, length, g) = (2.0, 1.0, 1.0, 9.81);
    let x = (-bob * sine * (length * s[3] * s[3] + g * cosine)) / (cart + bob * sine * sine);
    let theta = (x * cosine - g * sine) / length;
    [s[2], s[3], x, theta]
}

fn cart_reference(start: [f64; 4], time: f64) -> [f64; 4] {
    let (steps, mut s) = (20_000, start);
    let h = time / f64::from(steps);
    let add = |s: [f64; 4], k: [f64; 4], h: f64| -> [f64; 4] { std::array::from_fn(|i| s[i] + h * k[i]) };
    for _ in 0..steps {
        let a = cart_rate(s);
        let b = cart_rate(add(s, a, 0.5 * h));
        let c = cart_rate(add(s, b, 0.5 * h));
        let d = cart_rate(add(s, c, h));
        s = std::array::from_fn(|i| s[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]));
    }
    s
}

fn cart(theta: f64) -> Mover {
    let cart = Link::new(None, Joint::slide(Pose::at(Vec3::new(0.0, 0.0, 3.0)), Vec3::X), 2.0, Sym3::ZERO);
    let bob = Link::new(Some(0), Joint::hinge(Pose::IDENTITY, Vec3::Y), 1.0, Sym3::ZERO)
        .with_com(Vec3::new(0.0, 0.0, -1.0));
    Mover::new(Tree::new(vec![cart, bob]).unwrap(), vec![0.0, theta], vec![0.0, 0.0])
}

#[test]
fn a_pendulum_on_a_slide_follows_the_reference_with_second_order() {
    let expected = cart_reference([0.0, 2.0, 0.0, 0.0], 1.0);
    let error = |h: f64| {
        let mut mover = cart(2.0);
        for _ in 0..(1.0 / h).round() as usize {
            mover.step(h, G, BEST);
        }
        let found = [mover.q[0], mover.q[1], mover.v[0], mover.v[1]];
        largest(found.iter().zip(expected).map(|(a, b)| a - b))
    };
    let errors = [2e-3, 1e-3, 5e-4].map(error);
    println!("cart and pendulum: {errors:?}");
    assert!(errors[1] < 1e-4, "{errors:?}");
    for pair in errors.windows(2) {
        let order = ln(pair[0] / pair[1]) / LN_2;
        assert!((order - 2.0).abs() < 0.15, "{order}");
    }
}

#[test]
fn a_pendulum_on_a_slide_swings_faster_by_its_share_of_the_mass() {
    // Small swings: ω² = (1 + m/M) g/l.
    let mut mover = cart(1e-3);
    let expected = 2.0 * std::f64::consts::PI / (1.5f64 * 9.81).sqrt();
    let (h, mut crossings, mut last) = (1e-3, Vec::new(), 1e-3);
    for step in 0..8000 {
        mover.step(h, G, BEST);
        let now = mover.q[1];
        if now * last < 0.0 {
            crossings.push(h * (f64::from(step) + last / (last - now)));
        }
        last = now;
    }
    let period = crossings[4] - crossings[2];
    // (ωh)²/24 of the integrator.
    assert!((period / expected - 1.0).abs() < 2e-6, "{period} {expected}");
    // Nothing pushes along the slide: the centre of mass stays.
    let centre = (2.0 * mover.end.com[0].x + mover.end.com[1].x) / 3.0;
    let start = -1e-3 / 3.0;
    assert!((centre - start).abs() < 1e-9, "{centre}");
}
