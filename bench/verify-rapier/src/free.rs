//! Rotation of a free body: cases 7, 8, 9.

use crate::Figures;
use crate::lab::{DT, Lab, at, largest};
use rapier::prelude::*;

pub const CASES: &[(u32, fn() -> Figures)] = &[(7, torque_free), (8, dzhanibekov), (9, fast_spin)];

fn tumbling(omega: [f64; 3], dt: f64) -> (Lab, RigidBodyHandle) {
    let mut lab = Lab::weightless(dt);
    let body = lab.add(
        at(0.0, 0.0, 0.0).angvel(Vector::from(omega)).gyroscopic_forces_enabled(true),
        ColliderBuilder::cuboid(0.1, 0.2, 0.3).mass(1.0),
    );
    (lab, body)
}

fn momentum(lab: &Lab, body: RigidBodyHandle) -> Vector {
    let q = lab.q(body);
    let w = q.inverse() * lab.w(body);
    q * Vector::new(0.52 / 12.0 * w.x, 0.4 / 12.0 * w.y, 0.2 / 12.0 * w.z)
}

/// Worst drift of energy and angular momentum over a run.
fn drift(omega: [f64; 3], dt: f64, steps: usize) -> (f64, f64) {
    let (mut lab, body) = tumbling(omega, dt);
    // The inertia is known only after a step has begun; the closed form is the same.
    let kinetic = |lab: &Lab| 0.5 * lab.w(body).dot(momentum(lab, body));
    let (energy, l) = (kinetic(&lab), momentum(&lab, body));
    let (mut off_t, mut off_l): (f64, f64) = (0.0, 0.0);
    for _ in 0..steps {
        lab.run(1);
        off_t = largest([off_t, (kinetic(&lab) / energy - 1.0).abs()]);
        off_l = largest([off_l, (momentum(&lab, body) - l).length() / l.length()]);
    }
    (off_t, off_l)
}

fn torque_free() -> Figures {
    let (t, l) = drift([1.0, 2.0, 3.0], 0.01, 500);
    vec![("|T/T₀ − 1|".into(), t), ("|ΔL|/L".into(), l)]
}

fn flips(dt: f64) -> Vec<f64> {
    let (mut lab, body) = tumbling([0.05, 5.0, 0.05], dt);
    let middle = |lab: &Lab| (lab.q(body).inverse() * lab.w(body)).y;
    let mut before = middle(&lab);
    let mut found = Vec::new();
    while lab.time < 8.0 {
        lab.run(1);
        let now = middle(&lab);
        if now * before < 0.0 {
            found.push(lab.time - dt * now / (now - before));
        }
        before = now;
    }
    found.resize(2, f64::NAN);
    found
}

fn dzhanibekov() -> Figures {
    let found = flips(DT);
    let (t, l) = drift([0.05, 5.0, 0.05], DT, 100_000);
    vec![
        ("interval of flips".into(), found[1] - found[0]),
        ("first flip".into(), found[0]),
        ("|T/T₀ − 1| in 1e5 steps".into(), t),
        ("|ΔL|/L in 1e5 steps".into(), l),
    ]
}

fn fast_spin() -> Figures {
    vec![("|T/T₀ − 1|".into(), drift([20.0, 0.05, 0.05], 0.005, 20_000).0)]
}
