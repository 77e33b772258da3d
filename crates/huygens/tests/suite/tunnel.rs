//! Verification case 67: nothing that is shot at a thin wall gets through it.

use crate::common::{position, step, world};
use huygens::math::{SplitMix, Vec3};
use huygens::scene::{Body, Scene, Shape};

/// Thickness of the wall [m].
const THICK: f64 = 1e-3;

/// Its width: nothing gets round it in the time that a shot is watched [m].
const WIDE: f64 = 200.0;

/// One shot: a shape, its start and its motion.
struct Shot {
    kind: &'static str,
    shape: Shape,
    at: Vec3,
    axis: Vec3,
    angle: f64,
    velocity: Vec3,
    spin: Vec3,
}

fn shot(r: &mut SplitMix) -> Shot {
    let size = r.range(0.02, 0.2);
    let (kind, shape, reach) = match r.index(4) {
        0 => ("sphere", Shape::sphere(size), size),
        1 => ("rod", Shape::capsule(0.1 * size, 6.0 * size), 3.1 * size),
        2 => ("stick", Shape::cuboid(0.2 * size, 0.3 * size, 6.0 * size), 3.1 * size),
        _ => ("box", Shape::cuboid(size, 1.5 * size, 2.0 * size), 1.4 * size),
    };
    // From 10 to 1000 m/s, as many in each decade.
    let speed = 10.0 * huygens::math::trig::exp(r.unit() * std::f64::consts::LN_10 * 2.0);
    let aim = Vec3::new(r.range(-0.3, 0.3), r.range(-0.3, 0.3), 0.0);
    let at = Vec3::new(r.range(-1.0, 1.0), r.range(-1.0, 1.0), reach + THICK + r.range(0.0, 1.0));
    let velocity = (aim - Vec3::Z).normalize() * speed;
    // The ends of a rod move as fast as the whole at most: more is no shot but a saw.
    let spin = r.direction() * (r.unit() * speed / reach);
    Shot { kind, shape, at, axis: r.direction(), angle: r.range(0.0, 6.0), velocity, spin }
}

/// Where the shot ends: the height of its centre over the wall after it had the time to pass it three times.
fn fire(shot: &Shot, wall: &Body, (dt, solver): (f64, &str)) -> (f64, bool) {
    let bullet = Body::dynamic("bullet")
        .shape(shot.shape.clone())
        .at(shot.at.x, shot.at.y, shot.at.z)
        .turned(shot.axis.to_array(), shot.angle)
        .velocity(shot.velocity.x, shot.velocity.y, shot.velocity.z)
        .spin(shot.spin.x, shot.spin.y, shot.spin.z);
    let scene = Scene::new().gravity(0.0, 0.0, 0.0).dt(dt).solver(solver).body(wall.clone()).body(bullet);
    let mut world = world(&scene);
    let energy = world.kinetic_energy();
    let steps = 4 + (3.0 * shot.at.z / (-shot.velocity.z * dt)) as usize;
    let mut lowest = f64::INFINITY;
    for _ in 0..steps.min(60) {
        step(&mut world);
        let z = position(&world, "bullet").z;
        lowest = if z < lowest { z } else { lowest };
    }
    (lowest, world.kinetic_energy() <= energy * (1.0 + 1e-9))
}

fn volley(name: &str, wall: &Body, shots: usize, seed: u64) {
    let mut r = SplitMix::new(seed);
    let (mut through, mut gained) = (Vec::new(), 0);
    for i in 0..shots {
        let shot = shot(&mut r);
        let dt = [1.0 / 60.0, 1.0 / 240.0, 1e-3][i % 3];
        // Nine of ten with the default model.
        let solver = if i % 10 == 7 { "sequential-impulse" } else { "soft-step" };
        let (lowest, passive) = fire(&shot, wall, (dt, solver));
        // Its centre has passed the middle of the wall: it will come out on the other side.
        if lowest < 0.0 {
            through.push((i, shot.kind, shot.velocity.length(), shot.spin.length(), dt, lowest));
        }
        gained += usize::from(!passive);
    }
    for fault in through.iter().take(12) {
        println!("{fault:?}");
    }
    println!("{name}: {} of {shots} through, {gained} gained energy", through.len());
    let mut kinds: Vec<&str> = through.iter().map(|t| t.1).collect();
    kinds.sort_unstable();
    println!("{:?}", kinds.chunk_by(|a, b| a == b).map(|k| (k[0], k.len())).collect::<Vec<_>>());
    assert!(
        through.is_empty() && gained == 0,
        "{name}: {} of {shots} through, {gained} gained energy",
        through.len()
    );
}

/// The 1e5 shots in a release build; a sample in a debug build.
const SHOTS: usize = if cfg!(debug_assertions) { 6_000 } else { 100_000 };

#[test]
fn nothing_passes_a_wall_of_1_mm() {
    let plate = Body::fixed("wall").shape(Shape::cuboid(WIDE, WIDE, THICK));
    volley("plate", &plate, SHOTS, 67);
}

#[test]
fn nothing_passes_a_sheet_without_thickness() {
    let sheet = Body::fixed("wall").shape(Shape::wall(WIDE, WIDE));
    volley("sheet", &sheet, SHOTS / 10, 68);
}

#[test]
fn nothing_passes_a_mesh() {
    let vertices = (0..9).map(|i| [WIDE * (f64::from(i % 3) - 1.0), WIDE * (f64::from(i / 3) - 1.0), 0.0]);
    let mut triangles = Vec::new();
    for a in [0, 1, 3, 4] {
        triangles.extend([[a, a + 1, a + 3], [a + 1, a + 4, a + 3]]);
    }
    let mesh = Body::fixed("wall").shape(Shape::mesh(vertices, triangles));
    volley("mesh", &mesh, SHOTS / 10, 69);
}
