//! Granular flow: cases 59 to 62.

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
        number: 60,
        name: "collapse",
        title: "A column of grains collapses",
        setup: "Balls, d = 3 mm ± 10 %, μ = 0.5, in a tube of radius 24 mm, filled to 0.6, 1.2, 2.5 and 5 radii, on a floor of glued balls; the tube vanishes",
        expected: "run-out (r∞ − r₀)/r₀ = 1.24a below a = 1.7 and 1.6√a above; height 0.88 r₀ a^1/6 for tall columns",
        source: "Lube et al. 2004; grains cover at least half of the floor out to r∞; a is measured in the settled column",
        tolerance: "exponents 10 %, prefactors 25 %",
        contact: true,
        converges: false,
        long: true,
        measure: collapse,
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
    Case {
        number: 62,
        name: "janssen",
        title: "Walls bear the weight in a silo",
        setup: "Balls, d = 3 mm ± 10 %, μ = 0.5, in a tube of radius 12 mm, filled to about 1, 3 and 7 diameters, on a floor that sinks at 2 mm/s",
        expected: "σ = (ρgD/4μK)(1 − exp(−4μKz/D)) on the floor: K from the middle filling, the other two follow",
        source: "Janssen 1895",
        tolerance: "15 %",
        contact: true,
        converges: false,
        long: true,
        measure: janssen,
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

/// Diameter of the grains in tubes.
const FINE: f64 = 3e-3;

/// Friction of everything in cases 60 and 62.
const MU: f64 = 0.5;

/// A scene with a tube of that radius about z, and so many grains in it above z = 0.
fn tube(mut scene: Scene, radius: f64, count: usize) -> Scene {
    let length = 1.0;
    let wall = Shape::cylinder_inside(radius, length).friction(MU).restitution(0.0);
    scene = scene.body(Body::fixed("tube").shape(wall).at(0.0, 0.0, 0.5 * length - 0.1));
    let mut random = SplitMix::new(60);
    let cell = 1.12 * FINE;
    let across = (radius / cell) as i32 + 1;
    let fits = |x: f64, y: f64| x * x + y * y < (radius - 0.6 * FINE) * (radius - 0.6 * FINE);
    let mut places = Vec::new();
    for i in -across..=across {
        for j in -across..=across {
            let (x, y) = (f64::from(i) * cell, f64::from(j) * cell);
            if fits(x, y) {
                places.push((x, y));
            }
        }
    }
    for k in 0..count {
        let (x, y) = places[k % places.len()];
        let layer = (k / places.len()) as f64;
        let r = 0.5 * FINE * random.range(0.9, 1.1);
        let shaken = random.in_cube() * 0.02 * FINE;
        let at = Vec3::new(x, y, 0.6 * FINE + cell * layer) + shaken;
        let grain = Shape::sphere(r).density(GRAIN).friction(MU).restitution(0.0);
        scene = scene.body(Body::dynamic(format!("grain{k}")).shape(grain).at(at.x, at.y, at.z));
    }
    scene
}

/// Height of a bed of grains: twice that of its centre of mass.
fn height(world: &World) -> f64 {
    let (mass, moment) = world
        .bodies()
        .filter(|body| body.mass > 0.0)
        .fold((0.0, 0.0), |(m, z), body| (m + body.mass, z + body.mass * body.position.z));
    2.0 * moment / mass
}

/// A floor of grains that are glued to a plane, out to that radius: on a smooth one balls would roll away.
fn rough(radius: f64) -> Body {
    let mut floor = Body::fixed("floor").shape(Shape::half_space().friction(MU).restitution(0.0));
    let cell = 1.25 * FINE;
    let across = (radius / cell) as i32;
    for i in -across..=across {
        for j in -across..=across {
            let (x, y) = (f64::from(i) * cell, f64::from(j) * cell);
            if x * x + y * y < radius * radius {
                floor = floor.shape(Shape::sphere(0.5 * FINE).friction(MU).restitution(0.0).at(
                    x,
                    y,
                    -0.1 * FINE,
                ));
            }
        }
    }
    floor
}

/// Radius out to which grains cover at least half of the floor, ring by ring.
fn edge(places: impl Iterator<Item = Vec3>) -> f64 {
    let mut rings: Vec<u32> = Vec::new();
    for p in places {
        let ring = ((p.x * p.x + p.y * p.y).sqrt() / FINE) as usize;
        if rings.len() <= ring {
            rings.resize(ring + 1, 0);
        }
        rings[ring] += 1;
    }
    // The share of a ring that its grains cover: π d²/4 each, of π d²(2k + 1).
    let covered = |k: usize| f64::from(rings[k]) / (4.0 * (2.0 * k as f64 + 1.0));
    let last = (0..rings.len()).find(|&k| covered(k) < 0.5).unwrap_or(rings.len());
    last as f64 * FINE
}

/// Aspect of a column, its run-out and its height afterwards, in radii.
fn fall(solver: &str, radius: f64, count: usize) -> Result<[f64; 3], Trouble> {
    let scene = scene(solver).world(|world| world.length = FINE).body(rough(5.0 * radius));
    let mut world = world(&tube(scene, radius, count))?;
    run(&mut world, 400);
    let aspect = height(&world) / radius;
    let tube = world.find("tube").ok_or_else(|| Trouble("no tube".to_owned()))?;
    world.remove_body(tube).map_err(|error| Trouble(error.to_string()))?;
    run(&mut world, 1200);
    let grains = || world.bodies().filter(|body| body.mass > 0.0);
    let edge = edge(grains().map(|body| body.position));
    let top = largest(grains().map(|body| body.position.z)) + 0.5 * FINE;
    Ok([aspect, edge / radius - 1.0, top / radius])
}

fn collapse(solver: &str) -> Measured {
    let radius = 8.0 * FINE;
    let mut figures = Vec::new();
    let mut seen = Vec::new();
    // About 0.58 of the volume is grain.
    let whole = 0.58 * PI * radius * radius * radius / (PI / 6.0 * FINE * FINE * FINE);
    for aspect in [0.6, 1.2, 2.5, 5.0] {
        let [a, out, top] = fall(solver, radius, (aspect * whole) as usize)?;
        let expected = if a < 1.7 { 1.24 * a } else { 1.6 * a.sqrt() };
        figures.push(Figure::relative(format!("run-out at a = {aspect}"), out, expected, 0.25));
        if a > 1.7 {
            let expected = 0.88 * trig::exp(trig::ln(a) / 6.0);
            figures.push(Figure::relative(format!("height at a = {aspect}"), top, expected, 0.25));
        }
        seen.push((trig::ln(a), trig::ln(out)));
    }
    figures.push(Figure::relative("exponent of low columns", line(&seen[..2]).0, 1.0, 0.1));
    figures.push(Figure::relative("exponent of tall columns", line(&seen[2..]).0, 0.5, 0.1));
    Ok(figures)
}

/// Height of the bed, its weight, and the force on a floor that sinks.
fn load(solver: &str, radius: f64, count: usize) -> Result<[f64; 3], Trouble> {
    let sinking = Body::driven("floor", [0.0, 0.0, -2e-3], [0.0; 3]);
    let plate = Shape::cylinder(radius - 0.1 * FINE, 0.02).friction(MU).restitution(0.0);
    let scene =
        scene(solver).world(|world| world.length = FINE).body(sinking.shape(plate).at(0.0, 0.0, -0.01));
    let mut world = world(&tube(scene, radius, count))?;
    run(&mut world, 1000);
    let floor = world.find("floor").ok_or_else(|| Trouble("no floor".to_owned()))?;
    let (steps, h) = (500, world.model().settings.dt);
    let mut impulse = 0.0;
    for _ in 0..steps {
        run(&mut world, 1);
        for contact in world.contacts().filter(|contact| contact.bodies.contains(&floor)) {
            impulse += contact.impulse.z.abs();
        }
    }
    let weight = G * world.bodies().map(|body| body.mass).sum::<f64>();
    let ground = world.body(floor).map_err(|error| Trouble(error.to_string()))?.position.z + 0.01;
    Ok([height(&world) - 2.0 * ground, weight, impulse / (f64::from(steps) * h)])
}

fn janssen(solver: &str) -> Measured {
    let radius = 4.0 * FINE;
    let across = 2.0 * radius;
    let whole = 0.58 * PI * radius * radius * across / (PI / 6.0 * FINE * FINE * FINE);
    let mut seen = Vec::new();
    for filled in [1.0, 3.0, 7.0] {
        seen.push(load(solver, radius, (filled * whole) as usize)?);
    }
    // The share of the weight that the floor bears is (1 − exp(−x))/x with x = z/λ, λ = D/4μK; it falls with x.
    let share = |x: f64| (1.0 - trig::exp(-x)) / x;
    let wanted = seen[1][2] / seen[1][1];
    let (mut low, mut high) = (1e-6, 1e3);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if share(middle) > wanted {
            low = middle;
        } else {
            high = middle;
        }
    }
    let lambda = seen[1][0] / low;
    let mut figures = vec![
        Figure::told("K", across / (4.0 * MU * lambda)),
        Figure::told("share of the weight on the floor, middle filling", wanted),
    ];
    for (name, [height, weight, force]) in [("low", seen[0]), ("high", seen[2])] {
        let expected = weight * share(height / lambda);
        figures.push(
            Figure::relative(format!("force on the floor, {name} filling"), force, expected, 0.15).unit("N"),
        );
    }
    Ok(figures)
}
