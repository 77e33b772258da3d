//! Impact: cases 14, 15, 16, 17, 18, 19, 20, 23, 27.

use crate::Figures;
use crate::lab::{DT, G, Lab, at, ball, cuboid, largest};
use rapier::prelude::*;

pub const CASES: &[(u32, fn() -> Figures)] = &[
    (14, ball_drop),
    (15, zeno),
    (16, bouncing),
    (17, elastic),
    (18, inelastic),
    (19, central),
    (20, oblique),
    (23, cradle),
    (27, overlap_start),
];

fn dropped(height: f64, e: f64, dt: f64) -> (Lab, RigidBodyHandle) {
    let mut lab = Lab::new(dt);
    lab.floor(Vector::Z, 0.5, e);
    let body = lab.add(at(0.0, 0.0, 0.5 + height), ball(0.5, 0.5, e));
    (lab, body)
}

fn next_apex(lab: &mut Lab, body: RigidBodyHandle) -> f64 {
    let mut left = 2000;
    while lab.v(body).z <= 0.0 && left > 1000 {
        lab.run(1);
        left -= 1;
    }
    while lab.v(body).z > 0.0 && left > 0 {
        lab.run(1);
        left -= 1;
    }
    let (z, v) = (lab.x(body).z - 0.5, lab.v(body).z);
    z + v * v / (2.0 * G)
}

fn ball_drop() -> Figures {
    let (mut off, mut above): (f64, f64) = (0.0, 0.0);
    for e in [0.3, 0.5, 0.8, 0.95, 1.0] {
        for k in 0..200 {
            let height = 1.0 + 0.2 * f64::from(k) / 199.0;
            let (mut lab, body) = dropped(height, e, 1.0 / 240.0);
            let mut expected = height;
            for _ in 0..3 {
                expected *= e * e;
                let got = next_apex(&mut lab, body);
                off = largest([off, (got - expected).abs() / height]);
                above = largest([above, got / expected - 1.0]);
            }
        }
    }
    vec![("apex off e²ⁿh, over h".into(), off), ("apex above e²ⁿh".into(), above)]
}

fn zeno() -> Figures {
    let mut figures = Vec::new();
    for e in [0.5, 0.8] {
        let (mut lab, body) = dropped(1.0, e, DT);
        let mut rest = 0.0;
        for _ in 0..6000 {
            lab.run(1);
            if lab.v(body).length() > 1e-9 {
                rest = lab.time;
            }
        }
        let weight = lab.world.bodies[body].mass() * G;
        figures.push((format!("time to rest, e = {e}"), rest));
        figures.push((format!("kinetic energy left over mgh, e = {e}"), lab.kinetic() / weight));
    }
    figures
}

fn heavy_ball(e: f64) -> ColliderBuilder {
    ColliderBuilder::ball(0.1).mass(10.0).friction(0.0).restitution(e)
}

fn scatter(lab: &mut Lab, start: f64, steps: usize) -> f64 {
    let mut sum = 0.0;
    for _ in 0..steps {
        lab.run(1);
        sum += (lab.energy() - start).powi(2);
    }
    sum / steps as f64
}

fn bouncing() -> Figures {
    let mut lab = Lab::new(DT);
    lab.floor(Vector::Z, 0.0, 1.0);
    for i in 0..49 {
        lab.add(at(f64::from(i % 7), f64::from(i / 7), 5.0), heavy_ball(1.0));
    }
    vec![("mean (E − E₀)²".into(), scatter(&mut lab, 24034.5, 20_000))]
}

/// Numbers in [−1, 1), of a kind that needs no crate.
fn shaken(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

fn cube_of_balls(height: f64, e: f64) -> Lab {
    let mut lab = Lab::new(DT);
    lab.floor(Vector::Z, 0.0, e);
    let mut seed = 42;
    for i in 0..216 {
        let (x, y, z) = (f64::from(i % 6), f64::from(i / 6 % 6), f64::from(i / 36));
        let (dx, dy) = (1e-3 * shaken(&mut seed), 1e-3 * shaken(&mut seed));
        lab.add(at(0.21 * x + dx, 0.21 * y + dy, height + 0.21 * z), heavy_ball(e));
    }
    lab
}

fn elastic() -> Figures {
    let mut lab = cube_of_balls(1.101, 1.0);
    vec![("mean (E − E₀)²".into(), scatter(&mut lab, 2160.0 * G * 1.626, 10_000))]
}

fn inelastic() -> Figures {
    let mut lab = cube_of_balls(0.101, 0.0);
    let (mut sum, r, steps) = (0.0, 0.1, 10_000);
    for _ in 0..steps {
        lab.run(1);
        let moving = lab.world.bodies.iter().filter(|(_, body)| body.is_dynamic());
        let places: Vec<Vector> = moving.map(|(_, body)| body.translation()).collect();
        for (i, a) in places.iter().enumerate() {
            sum += (r - a.z).max(0.0).powi(2);
            for b in &places[..i] {
                sum += (2.0 * r - (*a - *b).length()).max(0.0).powi(2);
            }
        }
    }
    vec![("mean Σ overlap²".into(), sum / f64::from(steps))]
}

fn central() -> Figures {
    let mut off: f64 = 0.0;
    for ratio in [1e-4, 1e-2, 1.0, 3.0, 1e2, 1e4] {
        for e in [0.0, 0.3, 0.7, 1.0] {
            let mut lab = Lab::weightless(DT);
            let (m1, m2, v1, v2) = (1.0, ratio, 2.0, -0.5);
            let shape = |m: f64| ColliderBuilder::ball(0.5).mass(m).restitution(e).friction(0.5);
            let a = lab.add(at(0.0, 0.0, 0.0).linvel(Vector::X * v1), shape(m1));
            let b = lab.add(at(1.0133, 0.0, 0.0).linvel(Vector::X * v2), shape(m2));
            lab.run(10);
            let (sum, closing) = (m1 + m2, v1 - v2);
            let exact_a = (m1 * v1 + m2 * v2 - m2 * e * closing) / sum;
            let exact_b = (m1 * v1 + m2 * v2 + m1 * e * closing) / sum;
            off = largest([
                off,
                (lab.v(a).x - exact_a).abs() / closing,
                (lab.v(b).x - exact_b).abs() / closing,
            ]);
        }
    }
    vec![("velocity off, over the closing speed".into(), off)]
}

fn oblique() -> Figures {
    let mut lab = Lab::weightless(DT);
    let a = lab.add(at(-1.0, 0.5, 0.0).linvel(Vector::X * 2.0), ball(0.5, 0.0, 1.0));
    let b = lab.add(at(0.0, 0.0, 0.0), ball(0.5, 0.0, 1.0));
    lab.run(300);
    let (va, vb) = (lab.v(a), lab.v(b));
    let m = lab.world.bodies[a].mass();
    let l = lab.x(a).cross(va) + lab.x(b).cross(vb);
    vec![
        ("cosine between them".into(), (va.dot(vb) / (va.length() * vb.length())).abs()),
        ("|ΔP|/P".into(), (va + vb - Vector::X * 2.0).length() / 2.0),
        ("|ΔL|/L".into(), (l + Vector::Z).length()),
        ("|T/T₀ − 1|".into(), (lab.kinetic() / (0.5 * m * 4.0) - 1.0).abs()),
    ]
}

fn cradle() -> Figures {
    let mut figures = Vec::new();
    let mut most: f64 = 0.0;
    for incoming in 1..=4 {
        let mut lab = Lab::weightless(DT);
        lab.world.integration_parameters.length_unit = 0.1;
        let balls: Vec<RigidBodyHandle> = (0..5)
            .map(|i| {
                let (gap, v) = if i < incoming { (-0.02, 1.0) } else { (0.0, 0.0) };
                lab.add(at(0.1 * i as f64 + gap, 0.0, 0.0).linvel(Vector::X * v), ball(0.05, 0.0, 1.0))
            })
            .collect();
        let mass = 4.0 / 3.0 * std::f64::consts::PI * 0.05f64.powi(3) * 1000.0;
        let start = 0.5 * mass * incoming as f64;
        for _ in 0..200 {
            lab.run(1);
            most = largest([most, lab.kinetic() / start]);
        }
        let out: f64 = balls[5 - incoming..].iter().map(|b| lab.world.bodies[*b].kinetic_energy()).sum();
        figures.push((format!("energy of the {incoming} that leave"), out / start));
    }
    figures.push(("largest T/T₀".into(), most));
    figures
}

fn overlap_start() -> Figures {
    let mut lab = Lab::new(0.005);
    lab.floor(Vector::Z, 0.5, 0.0);
    let cube = lab.add(at(0.0, 0.0, 0.49), cuboid(1.0, 1.0, 1.0, 0.5).mass(1.0));
    let (mut up, mut hop): (f64, f64) = (0.0, 0.0);
    for _ in 0..400 {
        lab.run(1);
        up = largest([up, lab.v(cube).z]);
        hop = largest([hop, lab.x(cube).z - 0.5]);
    }
    vec![
        ("largest upward speed".into(), up),
        ("hop above the floor".into(), hop),
        ("it came out by".into(), lab.x(cube).z - 0.49),
        ("kinetic energy after recovery".into(), lab.kinetic()),
    ]
}
