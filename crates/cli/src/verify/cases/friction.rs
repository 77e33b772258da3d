//! Sliding and sticking: cases 37, 38, 40, 41, 45.

use crate::verify::case::{Case, Figure, Measured, Trouble};
use crate::verify::lab::{
    G, booked, books, floor, largest, position, run, scene, smallest, velocity, view, world,
};
use huygens::World;
use huygens::ledger::Account;
use huygens::math::{Vec3, trig};
use huygens::scene::{Axis, Body, Lock, Shape};
use std::f64::consts::PI;

pub const CASES: &[Case] = &[
    Case {
        number: 37,
        name: "slide",
        title: "Sliding to a stop",
        setup: "A slab at 3 m/s on a floor with μ = 0.3, dt = 1/240 s",
        expected: "d = v²/(2μg) = 1.529052 m, t = v/(μg) = 1.019368 s, heat ½mv²",
        source: "Coulomb's law",
        tolerance: "0.2 %; heat 1e-12",
        contact: true,
        converges: false,
        long: false,
        measure: slide,
    },
    Case {
        number: 38,
        name: "isotropy",
        title: "Friction has no preferred direction",
        setup: "Case 37 in 13 directions from 0° to 90°",
        expected: "the same distance along a straight line",
        source: "Coulomb's law; an axis-aligned pyramid is off by up to 29 % and turns",
        tolerance: "spread 0.1 %, sideways 1e-4 of the distance",
        contact: true,
        converges: false,
        long: false,
        measure: isotropy,
    },
    Case {
        number: 40,
        name: "critical-angle",
        title: "Critical angle",
        setup: "A slab on a plane with μ = 0.5, 0.05° below and above 26.5651°, 1 s",
        expected: "below: rest; above: a = g(sin θ − μ cos θ)",
        source: "Coulomb's law",
        tolerance: "drift below 1e-9 m/s; a within 1e-3",
        contact: true,
        converges: false,
        long: false,
        measure: critical_angle,
    },
    Case {
        number: 41,
        name: "pinch",
        title: "Sticking under load",
        setup: "A capsule (45 g, r = 4 mm) pinched between two pads with μ = 0.7 at 12 N and 60 N for 60 s",
        expected: "no slip: the margin is 38 and 190",
        source: "Coulomb's law; MuJoCo #3328: 155 to 2300 µm/s",
        tolerance: "0.1 µm/s",
        contact: true,
        converges: false,
        long: false,
        measure: pinch,
    },
    Case {
        number: 45,
        name: "tip-or-slide",
        title: "Tip or slide",
        setup: "A block 0.4 m wide and 1 m high on a slope, 0.2° below and above the angle where it must go, with μ = 0.6 and 0.3, 3 s",
        expected: "tips above atan(b/h) = 21.80° when μ > b/h, else slides above atan μ = 16.70°",
        source: "statics",
        tolerance: "±0.2°",
        contact: true,
        converges: false,
        long: false,
        measure: tip_or_slide,
    },
];

const STEP: f64 = 1.0 / 240.0;
/// Share of the first speed above which a body still slides; what is below is creep, which case 40 judges.
pub const MOVING: f64 = 1e-3;

fn slab(mu: f64) -> Body {
    Body::dynamic("slab").shape(Shape::cuboid(1.0, 1.0, 0.2).friction(mu)).at(0.0, 0.0, 0.1)
}

/// Runs until the slab stands; where it stopped, and when: the step before it stopped, and its speed then over μg.
fn slid(solver: &str, direction: Vec3) -> Result<(Vec3, f64, World), Trouble> {
    let (v, mu) = (direction * 3.0, 0.3);
    let scene = scene(solver).dt(STEP).body(floor(mu, 0.0)).body(slab(mu).velocity(v.x, v.y, v.z));
    let mut world = world(&scene)?;
    let mut stopped = f64::NAN;
    for _ in 0..600 {
        let (time, speed) = (world.time(), velocity(&world, "slab").length());
        if speed > MOVING * 3.0 {
            stopped = time + speed / (mu * G);
        }
        world.step();
    }
    Ok((position(&world, "slab") - Vec3::Z * 0.1, stopped, world))
}

fn slide(solver: &str) -> Measured {
    let (end, time, world) = slid(solver, Vec3::X)?;
    let heat = 0.5 * view(&world, "slab").mass * 9.0;
    Ok(vec![
        Figure::relative("distance", end.x, 9.0 / (0.6 * G), 2e-3).unit("m"),
        Figure::relative("time", time, 3.0 / (0.3 * G), 2e-3).unit("s"),
        Figure::within("heat over ½mv²", -booked(&world, Account::Friction) / heat, 1.0, 1e-12),
        books(&world),
    ])
}

fn isotropy(solver: &str) -> Measured {
    let (mut distances, mut sideways) = (Vec::new(), 0.0);
    for k in 0..=12 {
        let (s, c) = trig::sin_cos(PI / 2.0 * f64::from(k) / 12.0);
        let direction = Vec3::new(c, s, 0.0);
        let (end, _, _) = slid(solver, direction)?;
        let along = end.dot(direction);
        let across = (end - direction * along).truncate().length();
        distances.push(along);
        sideways = largest([sideways, across / along]);
    }
    let (low, high) = (smallest(distances.iter().copied()), largest(distances.iter().copied()));
    Ok(vec![
        Figure::at_most("spread of the distance", (high - low) / low, 1e-3),
        Figure::at_most("sideways, over the distance", sideways, 1e-4),
    ])
}

/// A plane that falls along +x by `angle`, and a body that stands on it with its base `below` under its centre.
fn on_slope(solver: &str, mu: f64, angle: f64, body: Body, below: f64) -> Result<World, Trouble> {
    let (s, c) = trig::sin_cos(angle);
    let plane = Body::fixed("floor").shape(Shape::half_space().facing(s, 0.0, c).friction(mu));
    let body = body.at(below * s, 0.0, below * c).turned([0.0, 1.0, 0.0], angle);
    world(&scene(solver).body(plane).body(body))
}

fn critical_angle(solver: &str) -> Measured {
    let (critical, off) = (trig::atan2(0.5, 1.0), 0.05 * PI / 180.0);
    let mut below = on_slope(solver, 0.5, critical - off, slab(0.5), 0.1)?;
    run(&mut below, 100);
    let start = position(&below, "slab");
    run(&mut below, 900);
    let drift = (position(&below, "slab") - start).length() / 0.9;
    let mut above = on_slope(solver, 0.5, critical + off, slab(0.5), 0.1)?;
    run(&mut above, 1000);
    let (s, c) = trig::sin_cos(critical + off);
    let along = velocity(&above, "slab").dot(Vec3::new(c, 0.0, -s)) / above.time();
    Ok(vec![
        Figure::at_most("drift below", largest([drift, velocity(&below, "slab").length()]), 1e-9).unit("m/s"),
        Figure::relative("acceleration above", along, G * (s - 0.5 * c), 1e-3).unit("m/s²"),
    ])
}

fn pinch(solver: &str) -> Measured {
    let (r, mu) = (4e-3, 0.7);
    let mut figures = Vec::new();
    for load in [12.0, 60.0] {
        let pad = || Shape::cuboid(0.01, 0.06, 0.03).friction(mu);
        let guided = Lock { linear: [false, true, true], angular: [true; 3] };
        let capsule = Shape::capsule(r, 0.04).along(Axis::Y).friction(mu);
        let scene = scene(solver)
            .world(|world| world.length = 0.01)
            .body(Body::fixed("left").shape(pad()).at(-r - 0.005, 0.0, 0.0))
            .body(
                Body::dynamic("right")
                    .shape(pad())
                    .mass(0.1)
                    .gravity_scale(0.0)
                    .lock(guided)
                    .force(-load, 0.0, 0.0)
                    .at(r + 0.005, 0.0, 0.0),
            )
            .body(Body::dynamic("capsule").shape(capsule).mass(0.045));
        let mut world = world(&scene)?;
        run(&mut world, 60_000);
        let slip = position(&world, "capsule").length() / world.time();
        figures.push(Figure::at_most(format!("slip at {load} N"), slip * 1e6, 0.1).unit("µm/s"));
    }
    Ok(figures)
}

/// What a block did.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    Stays,
    Tips,
    Slides,
}

fn fate(solver: &str, mu: f64, angle: f64) -> Result<Fate, Trouble> {
    let block = Body::dynamic("block").shape(Shape::cuboid(0.4, 0.4, 1.0).friction(mu));
    let mut world = on_slope(solver, mu, angle, block, 0.5)?;
    let start = view(&world, "block").orientation;
    let from = position(&world, "block");
    for _ in 0..3000 {
        world.step();
        let turned = trig::rotation_angle(start.conjugate() * view(&world, "block").orientation);
        if turned > 0.3 {
            return Ok(Fate::Tips);
        }
    }
    // 0.2° beyond the angle of sliding it goes 0.16 m in 3 s.
    let gone = (position(&world, "block") - from).length();
    Ok(if gone > 0.05 { Fate::Slides } else { Fate::Stays })
}

fn tip_or_slide(solver: &str) -> Measured {
    let off = 0.2 * PI / 180.0;
    let (tips, slides) = (trig::atan2(0.4, 1.0), trig::atan2(0.3, 1.0));
    let outcomes = [
        (0.6, tips - off, Fate::Stays),
        (0.6, tips + off, Fate::Tips),
        (0.3, slides - off, Fate::Stays),
        (0.3, slides + off, Fate::Slides),
    ];
    let mut right = 0;
    for (mu, angle, expected) in outcomes {
        right += usize::from(fate(solver, mu, angle)? == expected);
    }
    Ok(vec![Figure::all_of("outcomes that are right, of 4", right, outcomes.len())])
}
