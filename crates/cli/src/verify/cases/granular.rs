//! Granular flow: cases 59 and 61.

use crate::verify::case::{Case, Figure, Measured, Trouble};
use crate::verify::lab::{G, largest, line, run, scene, world};
use huygens::World;
use huygens::math::scalar::max;
use huygens::math::{SplitMix, Vec3, trig};
use huygens::scene::{Body, Scene, Shape};
use std::f64::consts::PI;

pub const CASES: &[Case] = &[
    Case {
        number: 59,
        name: "silo",
        title: "Silo discharge",
        setup: "About 3000 balls, d = 5 mm ± 10 %, μ = 0.5, leave a square silo of 80 mm through a round hole of 30, 36 and 42 mm",
        expected: "Beverloo: W = Cρ√g(D − kd)^5/2 with C = 0.58, k = 1.4, whatever the height",
        source: "Beverloo 1961; ρ is measured in the settled bed",
        tolerance: "C 15 %, exponent 5 %, second quarter of the outflow as the first to 10 %",
        contact: true,
        converges: false,
        long: true,
        measure: silo,
    },
    Case {
        number: 61,
        name: "repose",
        title: "Angle of repose",
        setup: "What stays in the silo of case 59 (hole of 42 mm) when nothing more flows, with μ = 0.1, 0.3, 0.6",
        expected: "the slope rises with μ; 20 … 30° for balls without rolling friction at μ = 0.6",
        source: "trend",
        tolerance: "as stated",
        contact: true,
        converges: false,
        long: true,
        measure: repose,
    },
];

const D: f64 = 5e-3;
/// Half of the silo's width.
const HALF: f64 = 0.04;
const GRAIN: f64 = 2500.0;
const SIDES: u32 = 24;

/// A flat bottom with a hole: boxes around a polygon of the same area as the circle.
fn bottom(mut scene: Scene, hole: f64, mu: f64) -> Scene {
    let n = f64::from(SIDES);
    let apothem = 0.5 * hole * (PI / n / trig::tan(PI / n)).sqrt();
    let reach = 2.0 * HALF;
    let width = 2.0 * (apothem + reach) * trig::tan(PI / n);
    for k in 0..SIDES {
        let angle = 2.0 * PI * f64::from(k) / n;
        let (s, c) = trig::sin_cos(angle);
        let out = apothem + 0.5 * reach;
        let plate = Shape::cuboid(reach, width, 0.01).friction(mu).restitution(0.0);
        let body = Body::fixed(format!("plate{k}")).shape(plate).at(c * out, s * out, -0.005);
        scene = scene.body(body.turned([0.0, 0.0, 1.0], angle));
    }
    scene
}

/// A silo, closed by a plug, filled with grains at rest.
fn filled(solver: &str, hole: f64, mu: f64, layers: u32) -> Result<World, Trouble> {
    let mut scene = bottom(scene(solver).world(|world| world.length = D), hole, mu);
    for (name, x, y) in [("w1", 1.0, 0.0), ("w2", -1.0, 0.0), ("w3", 0.0, 1.0), ("w4", 0.0, -1.0)] {
        let wall = Shape::half_space().facing(x, y, 0.0).friction(mu);
        scene = scene.body(Body::fixed(name).shape(wall).at(-x * HALF, -y * HALF, 0.0));
    }
    let plug = Shape::cuboid(hole + 0.01, hole + 0.01, 0.01).friction(mu);
    scene = scene.body(Body::fixed("plug").shape(plug).at(0.0, 0.0, -0.005));
    let mut random = SplitMix::new(59);
    let across = 14;
    let cell = 2.0 * HALF / f64::from(across);
    for i in 0..across * across * layers {
        let (x, y, z) =
            (f64::from(i % across), f64::from(i / across % across), f64::from(i / (across * across)));
        let r = 0.5 * D * random.range(0.9, 1.1);
        let shaken = random.in_cube() * 0.02 * D;
        let at = Vec3::new((x + 0.5) * cell - HALF, (y + 0.5) * cell - HALF, 0.6 * D + 1.12 * D * z) + shaken;
        let grain = Shape::sphere(r).density(GRAIN).friction(mu).restitution(0.0);
        scene = scene.body(Body::dynamic(format!("grain{i}")).shape(grain).at(at.x, at.y, at.z));
    }
    let mut world = world(&scene)?;
    run(&mut world, 250);
    Ok(world)
}

/// Takes the plug out.
fn open(world: &mut World) -> Result<(), Trouble> {
    let plug = world.find("plug").ok_or_else(|| Trouble("no plug".to_owned()))?;
    world.remove_body(plug).map_err(|error| Trouble(error.to_string()))
}

/// Mass of the grains above the bottom, and the height of their highest.
fn inside(world: &World) -> (f64, f64) {
    let grains = world.bodies().filter(|body| body.mass > 0.0 && body.position.z > 0.0);
    grains.fold((0.0, 0.0), |(mass, top), grain| (mass + grain.mass, max(top, grain.position.z)))
}

/// Density of the settled bed: its mass below half of its height.
fn bulk_density(world: &World) -> f64 {
    let half = 0.5 * inside(world).1;
    let low = world.bodies().filter(|body| body.mass > 0.0 && body.position.z < half);
    low.map(|grain| grain.mass).sum::<f64>() / (4.0 * HALF * HALF * half)
}

/// Outflow [kg/s] while the first and the second tenth to half leave, and the bulk density.
fn outflow(solver: &str, hole: f64) -> Result<(f64, f64, f64), Trouble> {
    let mut world = filled(solver, hole, 0.5, 16)?;
    let density = bulk_density(&world);
    let full = inside(&world).0;
    open(&mut world)?;
    let mut track = Vec::new();
    for _ in 0..200 {
        run(&mut world, 10);
        let gone = 1.0 - inside(&world).0 / full;
        track.push((world.time(), gone * full));
        if gone > 0.5 {
            break;
        }
    }
    let part = |from: f64, to: f64| {
        let kept = track.iter().filter(|(_, gone)| (from * full..to * full).contains(gone));
        line(&kept.copied().collect::<Vec<_>>()).0
    };
    Ok((part(0.1, 0.3), part(0.3, 0.5), density))
}

fn silo(solver: &str) -> Measured {
    let (mut figures, mut logs) = (Vec::new(), Vec::new());
    for hole in [0.030, 0.036, 0.042] {
        let (early, late, density) = outflow(solver, hole)?;
        let free = hole - 1.4 * D;
        let scale = density * G.sqrt() * free * free * free.sqrt();
        let flow = 0.5 * (early + late);
        logs.push((trig::ln(free), trig::ln(flow)));
        let millimetres = 1e3 * hole;
        figures.push(Figure::relative(format!("C at {millimetres} mm"), flow / scale, 0.58, 0.15));
        figures.push(Figure::within(
            format!("late over early flow at {millimetres} mm"),
            late / early,
            1.0,
            0.1,
        ));
        figures.push(Figure::told(format!("flow at {millimetres} mm"), flow).unit("kg/s"));
    }
    figures.push(Figure::relative("exponent", line(&logs).0, 2.5, 0.05));
    Ok(figures)
}

/// Slope of what stays: the highest grains in rings around the hole.
fn slope(solver: &str, mu: f64) -> Result<f64, Trouble> {
    let hole = 0.042;
    let mut world = filled(solver, hole, mu, 8)?;
    open(&mut world)?;
    let mut last = inside(&world).0;
    for _ in 0..40 {
        run(&mut world, 100);
        let now = inside(&world).0;
        if now == last {
            break;
        }
        last = now;
    }
    // Only towards the sides: in the corners the way to the wall is longer.
    let rings = 6;
    let step = (HALF - 0.5 * hole) / f64::from(rings);
    let mut profile = Vec::new();
    for ring in 0..rings {
        let from = 0.5 * hole + f64::from(ring) * step;
        let grains = world.bodies().filter(|body| body.mass > 0.0 && body.position.z > 0.0);
        let tops = grains.filter_map(|grain| {
            let p = grain.position;
            let (along, across) = (max(p.x.abs(), p.y.abs()), if p.x.abs() > p.y.abs() { p.y } else { p.x });
            let here = (from..from + step).contains(&along) && across.abs() < 0.5 * HALF;
            here.then_some(p.z)
        });
        profile.push((from + 0.5 * step, largest(tops)));
    }
    Ok(trig::atan2(line(&profile).0, 1.0) * 180.0 / PI)
}

fn repose(solver: &str) -> Measured {
    let [low, middle, high] = [slope(solver, 0.1)?, slope(solver, 0.3)?, slope(solver, 0.6)?];
    Ok(vec![
        Figure::at_least("rise from μ = 0.1 to 0.3", middle - low, 0.0).unit("°"),
        Figure::at_least("rise from μ = 0.3 to 0.6", high - middle, 0.0).unit("°"),
        Figure::within("angle at μ = 0.6", high, 25.0, 5.0).unit("°"),
    ])
}
