//! Times the broad phase: `cargo run --release -p huygens-geometry --example broadphase [million]`.
//!
//! A step sets every box and takes the pairs; ms per step on one thread, mean and worst over the steps after warm-up, each step
//! at the best of nine runs.

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

    /// Spheres at the density of a settled pile (0.6), pushed apart from random places, layer by layer.
    fn pile(n: usize, rounds: usize) -> Self {
        let mut r = SplitMix::new(1);
        let half = 0.5 * RADIUS * cube_root(n as f64 * 4.0 / 3.0 * std::f64::consts::PI / 0.6);
        let mut centres: Vec<Vec3> = (0..n).map(|_| r.in_cube() * half).collect();
        let layer = |c: &Vec3| (c.z / (2.0 * RADIUS)).floor() as i64;
        centres.sort_by(|p, q| layer(p).cmp(&layer(q)).then(p.y.total_cmp(&q.y)));
        let mut scene = Self::of(centres);
        let mut phase = BroadPhase::new();
        scene.insert_into(&mut phase);
        let mut push = vec![Vec3::ZERO; n];
        for _ in 0..rounds {
            push.fill(Vec3::ZERO);
            for pair in phase.update_pairs() {
                let (a, b) = (pair.a as usize, pair.b as usize);
                let apart = scene.centres[a] - scene.centres[b];
                let distance = apart.length();
                if distance < 2.0 * RADIUS && distance > 0.0 {
                    let by = apart * (0.5 * (2.0 * RADIUS - distance) / distance);
                    push[a] += by;
                    push[b] -= by;
                }
            }
            for (slot, (c, p)) in scene.centres.iter_mut().zip(&push).enumerate() {
                *c = (*c + *p).clamp(Vec3::splat(-half), Vec3::splat(half));
                phase.set_bounds(slot as u32, around(*c, RADIUS));
            }
        }
        scene
    }

    fn insert_into(&self, phase: &mut BroadPhase) {
        for (i, (&c, &radius)) in self.centres.iter().zip(&self.radii).enumerate() {
            phase.insert(i as u32, around(c, radius), Filter::DEFAULT, Mobility::Moving, i as u32);
        }
        for (i, b) in self.statics.iter().enumerate() {
            let slot = (self.centres.len() + i) as u32;
            phase.insert(slot, *b, Filter::DEFAULT, Mobility::Static, slot);
        }
    }

    /// Pairs of spheres closer than 2 % of a radius.
    fn contacts(&self) -> usize {
        let mut phase = BroadPhase::new();
        let mut fat = self.clone();
        fat.radii.iter_mut().for_each(|r| *r *= 1.01);
        fat.insert_into(&mut phase);
        let touch =
            |a: u32, b: u32| (self.centres[a as usize] - self.centres[b as usize]).length() < 2.02 * RADIUS;
        phase.update_pairs().iter().filter(|p| touch(p.a, p.b)).count()
    }

    /// Spheres at random, one per 64 of their boxes, each with its own velocity of 10 % of the radius per step.
    fn scattered(n: usize) -> Self {
        let mut r = SplitMix::new(2);
        let side = cube_root(n as f64 * 64.0) * RADIUS;
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

    /// Every second sphere between 1 and 1e-6 of its size.
    fn of_many_sizes(mut self) -> Self {
        let mut r = SplitMix::new(5);
        for radius in self.radii.iter_mut().step_by(2) {
            *radius /= [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6][r.index(7)];
        }
        self
    }

    /// A floor of static tiles below the spheres' middle.
    fn with_tiles(mut self, n: usize) -> Self {
        let side = (n as f64).sqrt() as usize;
        self.statics.extend((0..n).map(|i| {
            let at = Vec3::new((i % side) as f64, (i / side) as f64, 0.0)
                - Vec3::new(side as f64, side as f64, 0.0) * 0.5;
            around(at, 0.5)
        }));
        self
    }

    fn boxes(&self, boxes: &mut Vec<ProxyBox>, mut shake: impl FnMut() -> Vec3) {
        boxes.clear();
        boxes.extend(
            self.centres.iter().zip(&self.radii).map(|(&c, &radius)| around(c + shake() * radius, radius)),
        );
    }
}

fn around(c: Vec3, radius: f64) -> ProxyBox {
    ProxyBox::from_f64_outward(c - Vec3::splat(radius), c + Vec3::splat(radius))
}

/// Newton's iteration; the examples avoid platform mathematics like the rest.
fn cube_root(x: f64) -> f64 {
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
    let mut boxes = Vec::new();
    scene.insert_into(phase);
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

fn run(name: &str, scene: Scene, motion: Motion, steps: usize) -> Timing {
    let n = scene.centres.len();
    let t = time(scene, motion, steps, if n > 100_000 { 1 } else { 9 });
    report(name, n, &t);
    t
}

const STILL: Motion = Motion { shake: 0.0, stir: 0.0 };

const fn shake(shake: f64) -> Motion {
    Motion { shake, ..STILL }
}

const fn stir(stir: f64) -> Motion {
    Motion { stir, ..STILL }
}

fn piles(n: usize) {
    let pile = Scene::pile(n, 60);
    println!("(the pile has {:.2} contacts per body)", pile.contacts() as f64 / n as f64);
    let pile = || pile.clone();
    let falling = |part: f64| pile().moving_at(Vec3::new(0.6, 0.0, -0.8) * (part * RADIUS));
    run("pile, at rest", pile(), STILL, 100);
    run("pile, 1e-5 jitter", pile(), shake(1e-5), 100);
    run("pile, 1 % jitter", pile(), shake(0.01), 100);
    run("pile, 1 % jitter, slots shuffled", pile().shuffled(), shake(0.01), 100);
    run("pile, 1 % jitter, ground, walls, half-space", pile().with_ground(), shake(0.01), 100);
    run("pile, 1 % random walk", pile(), stir(0.01), 100);
    run("pile, falls by 1 % of r, jitter", falling(0.01), shake(0.001), 100);
    run("pile, falls by 10 % of r", falling(0.1), STILL, 100);
    run("pile, falls by 10 % of r, jitter", falling(0.1), shake(0.01), 100);
    run("pile, 10 % jitter", pile(), shake(0.1), 100);
    run("pile, 10 % random walk", pile(), stir(0.1), 100);
    run("pile, 10 % random walk, slots shuffled", pile().shuffled(), stir(0.1), 100);
    run("pile, falls by 1 radius", falling(1.0), STILL, 100);
}

fn scattered() {
    let per_body = [4_000, 16_000, 64_000]
        .map(|n| run("scattered, 10 % of r", Scene::scattered(n), STILL, 100).mean / n as f64);
    println!("time per body, 64k against 4k: {:.2}", per_body[2] / per_body[0]);
    run("scattered, sizes 1 to 1e6, 10 % of r", Scene::scattered(16_000).of_many_sizes(), STILL, 100);
    run("scattered over 100,000 static, 10 % of r", Scene::scattered(4_000).with_tiles(100_000), STILL, 100);
}

fn coincident(n: usize) {
    let mut phase = BroadPhase::new();
    Scene::of(vec![Vec3::ZERO; n]).insert_into(&mut phase);
    let start = Instant::now();
    let pairs = phase.update_pairs().len();
    let s = start.elapsed().as_secs_f64();
    println!(
        "{n} coincident boxes: {pairs} pairs from nothing in {s:.2} s, {:.1} ns per pair",
        s * 1e9 / pairs as f64
    );
}

fn million() {
    let n = 1_000_000;
    let pile = Scene::pile(n, 20);
    run("pile, 1 % jitter", pile.clone(), shake(0.01), 8);
    run("pile, falls by 10 % of r, jitter", pile.moving_at(Vec3::Z * (-0.1 * RADIUS)), shake(0.01), 24);
    run("scattered, 10 % of r", Scene::scattered(n), STILL, 24);
}

fn main() {
    println!(
        "{:44} {:>9} {:>9} {:>9} {:>8} {:>7} {:>6}",
        "scene", "bodies", "ms/step", "worst", "ns/body", "pairs/n", "B/n"
    );
    if std::env::args().nth(1).as_deref() == Some("million") {
        return million();
    }
    piles(30_000);
    scattered();
    coincident(10_000);
}
