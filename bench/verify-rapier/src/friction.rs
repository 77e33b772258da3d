//! Friction: cases 37, 38, 40, 42, 45, 54.

use crate::Figures;
use crate::lab::{DT, G, Lab, at, ball, cuboid, largest};
use rapier::prelude::*;
use std::f64::consts::PI;

/// Share of the first speed above which a body still slides, as in ours.
const MOVING: f64 = 1e-3;

pub const CASES: &[(u32, fn() -> Figures)] = &[
    (37, slide),
    (38, isotropy),
    (40, critical_angle),
    (42, slide_to_roll),
    (45, tip_or_slide),
    (54, conveyor),
];

fn slid(direction: Vector) -> (Vector, f64) {
    let mut lab = Lab::new(1.0 / 240.0);
    lab.floor(Vector::Z, 0.3, 0.0);
    let slab = lab.add(at(0.0, 0.0, 0.1).linvel(direction * 3.0), cuboid(1.0, 1.0, 0.2, 0.3));
    let mut stopped = f64::NAN;
    for _ in 0..600 {
        let speed = lab.v(slab).length();
        if speed > MOVING * 3.0 {
            stopped = lab.time + speed / (0.3 * G);
        }
        lab.run(1);
    }
    (lab.x(slab) - Vector::Z * 0.1, stopped)
}

fn slide() -> Figures {
    let (end, time) = slid(Vector::X);
    vec![("distance".into(), end.x), ("time".into(), time)]
}

fn isotropy() -> Figures {
    let (mut low, mut high, mut sideways): (f64, f64, f64) = (f64::INFINITY, 0.0, 0.0);
    for k in 0..=12 {
        let (s, c) = (PI / 2.0 * f64::from(k) / 12.0).sin_cos();
        let direction = Vector::new(c, s, 0.0);
        let (end, _) = slid(direction);
        let along = end.dot(direction);
        let across = end - direction * along;
        (low, high) = (low.min(along), high.max(along));
        sideways = largest([sideways, across.x.hypot(across.y) / along]);
    }
    vec![
        ("spread of the distance".into(), (high - low) / low),
        ("sideways, over the distance".into(), sideways),
    ]
}

/// A plane that falls along +x by `angle`, and a box that stands on it.
fn on_slope(mu: f64, angle: f64, size: [f64; 3]) -> (Lab, RigidBodyHandle) {
    let (s, c) = angle.sin_cos();
    let mut lab = Lab::new(DT);
    lab.floor(Vector::new(s, 0.0, c), mu, 0.0);
    let place = Vector::new(s, 0.0, c) * (0.5 * size[2]);
    let pose = Pose::from_parts(place, Rotation::from_rotation_y(angle));
    let body = lab.add(RigidBodyBuilder::dynamic().pose(pose), cuboid(size[0], size[1], size[2], mu));
    (lab, body)
}

fn critical_angle() -> Figures {
    let (critical, off) = (0.5f64.atan(), 0.05 * PI / 180.0);
    let slab = [1.0, 1.0, 0.2];
    let (mut below, body) = on_slope(0.5, critical - off, slab);
    below.run(100);
    let start = below.x(body);
    below.run(900);
    let drift = (below.x(body) - start).length() / 0.9;
    let drift = largest([drift, below.v(body).length()]);
    let (mut above, body) = on_slope(0.5, critical + off, slab);
    above.run(1000);
    let (s, c) = (critical + off).sin_cos();
    let along = above.v(body).dot(Vector::new(c, 0.0, -s)) / above.time;
    vec![("drift below".into(), drift), ("acceleration above".into(), along)]
}

fn slide_to_roll() -> Figures {
    let (v0, mu, r) = (3.0, 0.3, 0.2);
    let mut lab = Lab::new(DT);
    lab.floor(Vector::Z, mu, 0.0);
    let body = lab.add(at(0.0, 0.0, r).linvel(Vector::X * v0), ball(r, mu, 0.0));
    let mut rolls = f64::NAN;
    for _ in 0..600 {
        let left = lab.v(body).x - r * lab.w(body).y;
        if left.abs() > MOVING * v0 {
            rolls = lab.time + left / (3.5 * mu * G);
        }
        lab.run(1);
    }
    let v = lab.v(body).x;
    let distance = lab.x(body).x - v * (lab.time - rolls);
    vec![("time".into(), rolls), ("distance".into(), distance), ("speed".into(), v)]
}

fn fate(mu: f64, angle: f64) -> &'static str {
    let (mut lab, body) = on_slope(mu, angle, [0.4, 0.4, 1.0]);
    let (start, from) = (lab.q(body), lab.x(body));
    for _ in 0..3000 {
        lab.run(1);
        if start.angle_between(lab.q(body)) > 0.3 {
            return "tips";
        }
    }
    if (lab.x(body) - from).length() > 0.05 { "slides" } else { "stays" }
}

fn tip_or_slide() -> Figures {
    let off = 0.2 * PI / 180.0;
    let (tips, slides) = (0.4f64.atan(), 0.3f64.atan());
    let outcomes = [
        (0.6, tips - off, "stays"),
        (0.6, tips + off, "tips"),
        (0.3, slides - off, "stays"),
        (0.3, slides + off, "slides"),
    ];
    let right = outcomes.iter().filter(|(mu, angle, expected)| fate(*mu, *angle) == *expected).count();
    vec![("outcomes that are right, of 4".into(), right as f64)]
}

fn conveyor() -> Figures {
    let (v, mu) = (2.0, 0.4);
    let mut lab = Lab::new(DT);
    let belt = RigidBodyBuilder::kinematic_velocity_based().translation(Vector::new(0.0, 0.0, -0.1));
    lab.add(belt.linvel(Vector::X * v), cuboid(40.0, 2.0, 0.2, mu));
    let cube = lab.add(at(0.0, 0.0, 0.1), cuboid(0.4, 0.4, 0.2, mu).mass(1.0));
    let mut caught = f64::NAN;
    for _ in 0..1000 {
        let left = v - lab.v(cube).x;
        if left.abs() > MOVING * v {
            caught = lab.time + left / (mu * G);
        }
        lab.run(1);
    }
    vec![
        ("kinetic energy".into(), lab.world.bodies[cube].kinetic_energy()),
        ("time of slip".into(), caught),
        ("slip".into(), v * lab.time - lab.x(cube).x),
    ]
}
