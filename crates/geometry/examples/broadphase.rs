//! Times the broad phase: `cargo run --release -p huygens-geometry --example broadphase [million]`.
//!
//! A step sets every box and takes the pairs; ms per step on one thread, mean and worst over the steps after warm-up, each step
//! at the best of five runs.

use huygens_geometry::broadphase::{BroadPhase, Filter, Mobility, ProxyBox};
use huygens_math::{SplitMix, Vec3};
use std::time::Instant;

const RADIUS: f64 = 0.5;

#[derive(Clone)]
struct Scene {
    centres: Vec<Vec3>,
    velocities: Vec<Vec3>,
    radii: Vec<f64>,
    statics: Vec<ProxyBox>,
}

impl Scene {
    fn of(centres: Vec<Vec3>) -> Self {
        let n = centres.len();
        Self { centres, velocities: vec![Vec3::ZERO; n], radii: vec![RADIUS; n], statics: Vec::new() }
    }

    /// Spheres at the density of a settled pile (0.6), on a shaken face-centred lattice, in the order of the lattice.
    fn pile(n: usize) -> Self {
        let mut r = SplitMix::new(1);
        // Four spheres in a cube of edge a: 4·(4/3)π r³ / a³ = 0.6.
        let edge = RADIUS * libm_free_cube_root(4.0 * 4.0 / 3.0 * std::f64::consts::PI / 0.6);
        let side = libm_free_cube_root(n as f64 / 4.0) as usize + 1;
        let corners = [[0.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.5, 0.0, 0.5], [0.0, 0.5, 0.5]].map(Vec3::from);
        let mut centres = Vec::new();
        for k in 0..side * side * side {
            let cell = Vec3::new((k % side) as f64, (k / side % side) as f64, (k / side / side) as f64);
            centres.extend(corners.map(|c| (cell + c) * edge + r.in_cube() * (0.15 * RADIUS)));
        }
        centres.truncate(n);
        Self::of(centres)
    }

    /// Spheres at random, one per 64 of their boxes, each with its own velocity of 10 % of the radius per step.
    fn scattered(n: usize) -> Self {
        let mut r = SplitMix::new(2);
        let side = libm_free_cube_root(n as f64 * 64.0) * RADIUS;
        let mut scene = Self::of((0..n).map(|_| r.in_cube() * side).collect());
        scene.velocities.iter_mut().for_each(|v| *v = r.direction() * (0.1 * RADIUS));
        scene
    }

    fn shuffled(mut self) -> Self {
        let mut r = SplitMix::new(3);
        for i in (1..self.centres.len()).rev() {
            self.centres.swap(i, r.index(i + 1));
        }
        self
    }

    fn moving_at(mut self, velocity: Vec3) -> Self {
        self.velocities.fill(velocity);
        self
    }

    /// A ground, four walls and a half-space about the spheres.
    fn with_ground(mut self) -> Self {
        let wide = 1e4;
        let floor = -RADIUS * 0.5;
        let slab = |min: [f32; 3], max: [f32; 3]| ProxyBox { min, max };
        self.statics = vec![
            slab([-wide, -wide, -1.0], [wide, wide, floor as f32]),
            slab([-2.0, -wide, -1.0], [-1.0, wide, wide]),
            slab([-wide, -2.0, -1.0], [wide, -1.0, wide]),
            slab([f32::NEG_INFINITY; 3], [f32::INFINITY, f32::INFINITY, floor as f32]),
        ];
        self
    }

    fn boxes(&self, boxes: &mut Vec<ProxyBox>, mut shake: impl FnMut() -> Vec3) {
        boxes.clear();
        boxes.extend(self.centres.iter().zip(&self.radii).map(|(&c, &radius)| {
            let c = c + shake() * radius;
            ProxyBox::from_f64_outward(c - Vec3::splat(radius), c + Vec3::splat(radius))
        }));
    }
}

/// Newton's iteration; the examples avoid platform mathematics like the rest.
fn libm_free_cube_root(x: f64) -> f64 {
    (0..200).fold(x.sqrt(), |y, _| y - (y * y * y - x) / (3.0 * y * y))
}

struct Timing {
    mean: f64,
    worst: f64,
    pairs: usize,
    bytes: usize,
}

/// `shake`: amplitude of a random displacement about the place, in radii. `stir`: random walk per step, in radii.
#[derive(Clone, Copy)]
struct Motion {
    shake: f64,
    stir: f64,
}

/// Milliseconds of each step of one run; runs of the same scene do the same work.
fn times(mut scene: Scene, motion: Motion, steps: usize, phase: &mut BroadPhase) -> Vec<f64> {
    let mut r = SplitMix::new(4);
    let n = scene.centres.len();
    let mut boxes = Vec::new();
    scene.boxes(&mut boxes, || Vec3::ZERO);
    for (slot, b) in boxes.iter().enumerate() {
        phase.insert(slot as u32, *b, Filter::DEFAULT, Mobility::Moving, slot as u32);
    }
    for (i, b) in scene.statics.iter().enumerate() {
        let slot = (n + i) as u32;
        phase.insert(slot, *b, Filter::DEFAULT, Mobility::Static, slot);
    }
    let mut out = Vec::new();
    for _ in 0..steps + steps / 4 + 1 {
        for (c, v) in scene.centres.iter_mut().zip(&scene.velocities) {
            *c += *v + r.in_cube() * (motion.stir * RADIUS);
        }
        scene.boxes(&mut boxes, || r.in_cube() * motion.shake);
        let start = Instant::now();
        for (slot, b) in boxes.iter().enumerate() {
            phase.set_bounds(slot as u32, *b);
        }
        phase.update_pairs();
        out.push(start.elapsed().as_secs_f64() * 1e3);
    }
    out.split_off(steps / 4 + 1)
}

/// Each step at the best of `runs` runs, so that other work on the machine disturbs little.
fn time(scene: Scene, motion: Motion, steps: usize, runs: usize) -> Timing {
    let mut best = vec![f64::INFINITY; steps];
    let mut phase = BroadPhase::new();
    for _ in 0..runs {
        phase = BroadPhase::new();
        let run = times(scene.clone(), motion, steps, &mut phase);
        best.iter_mut().zip(run).for_each(|(b, t)| *b = if t < *b { t } else { *b });
    }
    let worst = best.iter().fold(0.0, |w, &t| if t > w { t } else { w });
    let mean = best.iter().sum::<f64>() / steps as f64;
    Timing { mean, worst, pairs: phase.pairs().len(), bytes: phase.bytes() }
}

fn report(name: &str, n: usize, t: &Timing) {
    println!(
        "{name:44} {n:>9} {:>9.3} {:>9.3} {:>8.1} {:>7.2} {:>6}",
        t.mean,
        t.worst,
        t.mean * 1e6 / n as f64,
        t.pairs as f64 / n as f64,
        t.bytes / n
    );
}

fn run(name: &str, scene: Scene, shake: f64, stir: f64, steps: usize) -> Timing {
    let n = scene.centres.len();
    let t = time(scene, Motion { shake, stir }, steps, if n > 100_000 { 1 } else { 5 });
    report(name, n, &t);
    t
}

fn main() {
    println!(
        "{:44} {:>9} {:>9} {:>9} {:>8} {:>7} {:>6}",
        "scene", "bodies", "ms/step", "worst", "ns/body", "pairs/n", "B/n"
    );
    let n = 30_000;
    if std::env::args().nth(1).as_deref() == Some("prof") {
        run("pile, 10 % jitter", Scene::pile(n), 0.1, 0.0, 500);
        return;
    }
    if std::env::args().nth(1).as_deref() == Some("prof2") {
        run("pile, 1 % jitter", Scene::pile(n), 0.01, 0.0, 2000);
        return;
    }
    if std::env::args().nth(1).as_deref() == Some("million") {
        let n = 1_000_000;
        run("pile, 1 % jitter", Scene::pile(n), 0.01, 0.0, 8);
        run("pile, falls by 10 % of r", Scene::pile(n).moving_at(Vec3::Z * (-0.1 * RADIUS)), 0.0, 0.0, 8);
        run("scattered, 10 % of r", Scene::scattered(n), 0.0, 0.0, 8);
        return;
    }
    run("pile, at rest", Scene::pile(n), 0.0, 0.0, 200);
    run("pile, 1e-5 jitter (resting)", Scene::pile(n), 1e-5, 0.0, 200);
    run("pile, 1 % jitter", Scene::pile(n), 0.01, 0.0, 200);
    run("pile, 1 % jitter, slots shuffled", Scene::pile(n).shuffled(), 0.01, 0.0, 200);
    run("pile, 1 % jitter, ground and half-space", Scene::pile(n).with_ground(), 0.01, 0.0, 200);
    run("pile, 1 % random walk", Scene::pile(n), 0.0, 0.01, 200);
    run(
        "pile, flows by 1 % of r",
        Scene::pile(n).moving_at(Vec3::new(0.6, 0.0, -0.8) * (0.01 * RADIUS)),
        0.001,
        0.0,
        200,
    );
    run("pile, falls by 10 % of r", Scene::pile(n).moving_at(Vec3::Z * (-0.1 * RADIUS)), 0.0, 0.0, 100);
    run(
        "pile, falls by 10 % of r, 1 % jitter",
        Scene::pile(n).moving_at(Vec3::Z * (-0.1 * RADIUS)),
        0.01,
        0.0,
        100,
    );
    run("pile, 10 % jitter", Scene::pile(n), 0.1, 0.0, 100);
    run("pile, 10 % random walk", Scene::pile(n), 0.0, 0.1, 100);
    run("pile, 10 % random walk, slots shuffled", Scene::pile(n).shuffled(), 0.0, 0.1, 100);
    run("pile, 1 radius per step", Scene::pile(n).moving_at(Vec3::X * RADIUS), 0.0, 0.0, 100);
    let per_body = [4, 16, 64].map(|k| {
        let n = k * 1000;
        run("scattered, 10 % of r", Scene::scattered(n), 0.0, 0.0, 200).mean / n as f64
    });
    println!("time per body, 64k against 4k: {:.2}", per_body[2] / per_body[0]);
}
