//! Many balls: cases 16, 17, 18, 21, 22.

use crate::verify::case::{Case, Figure, Measured, Trouble};
use crate::verify::lab::{G, floor, largest, line, momenta, run, scene, weightless, world};
use huygens::World;
use huygens::math::scalar::{max, square};
use huygens::math::{SplitMix, Vec3, trig};
use huygens::scene::{Body, Material, Scene, Shape, SurfaceSpec};

pub const CASES: &[Case] = &[
    Case {
        number: 16,
        name: "bouncing",
        title: "49 balls bounce for 20 s",
        setup: "7 × 7 balls of 10 kg, R = 0.1 m, from 5 m on a floor, e = 1, μ = 0 (SimBenchmark's bouncing)",
        expected: "mean (E − E₀)² = 0 of E₀ = 24034.5 J",
        source: "invariant; SimBenchmark: RaiSim 0.0186, ODE 185, DART 72274, Bullet 75245 J²",
        tolerance: "1e-6 J²",
        contact: true,
        converges: false,
        long: false,
        measure: bouncing,
    },
    Case {
        number: 17,
        name: "elastic-666",
        title: "216 elastic balls fall on a floor",
        setup: "6³ balls of 10 kg, 0.21 m apart, the lowest at 1.101 m, shaken by 1 mm, e = 1, μ = 0, 10 s (SimBenchmark's 666)",
        expected: "mean (E − E₀)² = 0 of E₀ = 34454 J",
        source: "invariant; SimBenchmark: RaiSim 8.37, ODE 112, Bullet 41498, DART 346909 J²",
        tolerance: "1 J²",
        contact: true,
        converges: false,
        long: false,
        measure: elastic,
    },
    Case {
        number: 18,
        name: "inelastic-666",
        title: "216 inelastic balls fall on a floor",
        setup: "The balls of case 17, the lowest at 0.101 m, e = 0, μ = 0, 10 s",
        expected: "mean of Σ overlap² = 0",
        source: "SimBenchmark: RaiSim 1.35e-4, ODE 1.55e-4, DART 2.8e-4, MuJoCo 0.095, Bullet 0.382 m²",
        tolerance: "1.3e-4 m², the best published",
        contact: true,
        converges: false,
        long: false,
        measure: inelastic,
    },
    Case {
        number: 21,
        name: "elastic-gas",
        title: "An elastic gas in free space",
        setup: "512 smooth balls thrown together, e = 1, no gravity, 1e5 steps",
        expected: "momentum, angular momentum and energy stay",
        source: "invariants",
        tolerance: "T 1e-12, P 1e-13, L 1e-12, relative to the sums of their sizes",
        contact: true,
        converges: false,
        long: true,
        measure: elastic_gas,
    },
    Case {
        number: 22,
        name: "haff",
        title: "Haff's law of cooling",
        setup: "1000 smooth balls with e = 0.9 in a box with elastic walls, volume fraction 0.1, to a hundredth of the energy",
        expected: "T(t) = T₀/(1 + t/t₀)²",
        source: "Haff 1983",
        tolerance: "slope of ln T over ln(1 + t/t₀) −2 within 5 %",
        contact: true,
        converges: false,
        long: true,
        measure: haff,
    },
];

const R: f64 = 0.1;

fn ball(name: String, e: f64) -> Body {
    Body::dynamic(name).shape(Shape::sphere(R).restitution(e).friction(0.0)).mass(10.0)
}

/// Mean of (E − E₀)² over the steps, and E₀.
fn energy_scatter(mut world: World, steps: usize) -> (f64, f64) {
    let start = world.energy();
    let mut sum = 0.0;
    for _ in 0..steps {
        world.step();
        sum += square(world.energy() - start);
    }
    (sum / steps as f64, start)
}

fn bouncing(solver: &str) -> Measured {
    let mut scene = scene(solver).body(floor(0.0, 1.0));
    for i in 0..49 {
        let (x, y) = (f64::from(i % 7), f64::from(i / 7));
        scene = scene.body(ball(format!("ball{i}"), 1.0).at(x, y, 5.0));
    }
    let (scatter, start) = energy_scatter(world(&scene)?, 20_000);
    Ok(vec![
        Figure::at_most("mean (E − E₀)²", scatter, 1e-6).unit("J²"),
        Figure::relative("E₀", start, 24034.5, 1e-12).unit("J"),
    ])
}

/// The 6³ balls of SimBenchmark, the lowest layer at `height`, each shaken by up to 1 mm to the side.
fn cube_of_balls(solver: &str, height: f64, e: f64) -> Scene {
    let mut random = SplitMix::new(42);
    let mut scene = scene(solver).body(floor(0.0, e));
    for i in 0..216 {
        let (x, y, z) = (f64::from(i % 6), f64::from(i / 6 % 6), f64::from(i / 36));
        let shaken = random.in_cube() * 1e-3;
        let place = Vec3::new(0.21 * x + shaken.x, 0.21 * y + shaken.y, height + 0.21 * z);
        scene = scene.body(ball(format!("ball{i}"), e).at(place.x, place.y, place.z));
    }
    scene
}

fn elastic(solver: &str) -> Measured {
    let world = world(&cube_of_balls(solver, 1.101, 1.0))?;
    let (scatter, start) = energy_scatter(world, 10_000);
    Ok(vec![
        Figure::at_most("mean (E − E₀)²", scatter, 1.0).unit("J²"),
        Figure::relative("E₀", start, 2160.0 * G * 1.626, 1e-12).unit("J"),
    ])
}

/// Sum of the squared overlaps of all balls with each other and with the floor [m²].
fn overlap(world: &World) -> f64 {
    let places: Vec<Vec3> = world.bodies().filter(|b| b.mass > 0.0).map(|b| b.position).collect();
    let mut sum = 0.0;
    for (i, a) in places.iter().enumerate() {
        sum += square(max(R - a.z, 0.0));
        for b in &places[..i] {
            let apart = (*a - *b).length_squared();
            if apart < 4.0 * R * R {
                sum += square(2.0 * R - apart.sqrt());
            }
        }
    }
    sum
}

fn inelastic(solver: &str) -> Measured {
    let mut world = world(&cube_of_balls(solver, 0.101, 0.0))?;
    let (mut sum, steps) = (0.0, 10_000);
    for _ in 0..steps {
        world.step();
        sum += overlap(&world);
    }
    Ok(vec![Figure::at_most("mean Σ overlap²", sum / f64::from(steps), 1.3e-4).unit("m²")])
}

fn elastic_gas(solver: &str) -> Measured {
    let mut random = SplitMix::new(21);
    let mut scene = weightless(solver);
    for i in 0..512 {
        let at =
            Vec3::new(f64::from(i % 8), f64::from(i / 8 % 8), f64::from(i / 64)) * 0.3 - Vec3::splat(1.05);
        let v = random.in_cube() - at;
        let body = ball(format!("ball{i}"), 1.0).at(at.x, at.y, at.z).velocity(v.x, v.y, v.z);
        scene = scene.body(body);
    }
    let mut world = world(&scene)?;
    let (energy, (p, l)) = (world.energy(), momenta(&world));
    let sum_p: f64 = world.bodies().map(|b| b.mass * b.linear_velocity.length()).sum();
    // The gas spreads a hundredfold: what rounding does to x × p grows with it.
    let sum_l = |world: &World| -> f64 {
        world.bodies().map(|b| b.mass * b.linear_velocity.length() * b.position.length()).sum()
    };
    let (mut off_t, mut off_p, mut off_l) = (0.0, 0.0, 0.0);
    for _ in 0..1000 {
        run(&mut world, 100);
        let (now_p, now_l) = momenta(&world);
        off_t = largest([off_t, (world.energy() / energy - 1.0).abs()]);
        off_p = largest([off_p, (now_p - p).length() / sum_p]);
        off_l = largest([off_l, (now_l - l).length() / sum_l(&world)]);
    }
    Ok(vec![
        Figure::at_most("|T/T₀ − 1|", off_t, 1e-12),
        Figure::at_most("|ΔP| over Σ|p|", off_p, 1e-13),
        Figure::at_most("|ΔL| over Σ|x||p|", off_l, 1e-12),
    ])
}

fn cooling_gas(solver: &str) -> Result<World, Trouble> {
    let (r, n) = (0.05, 10);
    // Volume fraction 0.1.
    let edge = r * trig::cbrt(4.0 / 3.0 * std::f64::consts::PI * 1000.0 / 0.1);
    let surface =
        |e: f64| SurfaceSpec { friction: Some(0.0), restitution: Some(e), ..SurfaceSpec::default() };
    let walls = Body::fixed("walls").shape(Shape::box_inside(edge, edge, edge).material("wall"));
    let mut scene = weightless(solver)
        .world(|world| world.length = 2.0 * r)
        .material("wall", Material::new())
        .material("grain", Material::new())
        .pair("wall", "grain", surface(1.0))
        .pair("grain", "grain", surface(0.9))
        .body(walls);
    let mut random = SplitMix::new(22);
    let cell = edge / f64::from(n);
    for i in 0..n * n * n {
        let place = Vec3::new(f64::from(i % n), f64::from(i / n % n), f64::from(i / (n * n)));
        let at = (place + Vec3::splat(0.5)) * cell - Vec3::splat(0.5 * edge);
        // A sum of four uniform numbers is as good as normal here; collisions do the rest.
        let v = random.in_cube() + random.in_cube() + random.in_cube() + random.in_cube();
        let body = Body::dynamic(format!("ball{i}")).shape(Shape::sphere(r).material("grain"));
        scene = scene.body(body.at(at.x, at.y, at.z).velocity(v.x, v.y, v.z));
    }
    world(&scene)
}

fn haff(solver: &str) -> Measured {
    let mut world = cooling_gas(solver)?;
    let start = world.kinetic_energy();
    let mut track = Vec::new();
    for _ in 0..600 {
        run(&mut world, 100);
        let share = world.kinetic_energy() / start;
        track.push((world.time(), share));
        if share < 0.01 {
            break;
        }
    }
    // 1/√T is a straight line in t; its first half gives t₀, the whole is then judged.
    let root: Vec<(f64, f64)> = track.iter().map(|(t, share)| (*t, 1.0 / share.sqrt())).collect();
    let (slope, offset) = line(&root[..root.len() / 2]);
    let t0 = offset / slope;
    let logs: Vec<(f64, f64)> = track.iter().map(|(t, s)| (trig::ln(1.0 + t / t0), trig::ln(*s))).collect();
    Ok(vec![
        Figure::relative("slope of ln T", line(&logs).0, -2.0, 0.05),
        Figure::at_most("energy reached, over T₀", track.last().map_or(1.0, |last| last.1), 0.05),
        Figure::told("t₀", t0).unit("s"),
    ])
}
