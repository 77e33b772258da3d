//! No bit depends on the level of the CPU, nor on the lane that a contact gets: a heap of every shape.

use crate::common::world;
use huygens::World;
use huygens::math::{SimdLevel, SplitMix};
use huygens::scene::{Body, Scene, Shape};

const STEPS: usize = 200;

/// Layers of what is inside a container: all else would be in its walls.
const IN_BIN: u32 = 2;
const IN_DRUM: u32 = 4;

/// Corners and triangles of an octahedron.
fn octahedron(r: f64) -> Shape {
    let corners =
        [[r, 0.0, 0.0], [-r, 0.0, 0.0], [0.0, r, 0.0], [0.0, -r, 0.0], [0.0, 0.0, r], [0.0, 0.0, -r]];
    let triangles = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
    Shape::mesh(corners, triangles)
}

/// A movable body of one of the shapes, or of two.
fn lump(random: &mut SplitMix, i: usize, layer: u32) -> Body {
    let [a, b, c] = [0; 3].map(|_| random.range(0.12, 0.25));
    let body = Body::dynamic(format!("b{i}"));
    let shape = match i % 8 {
        0 => Shape::sphere(a),
        1 => Shape::capsule(0.6 * a, 2.0 * b),
        2 => Shape::cylinder(a, 1.5 * b),
        3 => Shape::cone(a, 2.0 * b),
        4 => Shape::cuboid(2.0 * a, 2.0 * b, 2.0 * c),
        5 => Shape::ellipsoid(2.0 * a, 2.0 * b, 2.0 * c),
        6 => Shape::hull((0..12).map(|_| (random.direction() * a).to_array()).collect::<Vec<_>>()),
        _ => {
            let knob = Shape::sphere(a).at(2.0 * a, 0.0, 0.0);
            return body
                .shape(Shape::cuboid(4.0 * a, 0.1, 0.1).groups(layer, u32::MAX))
                .shape(knob.groups(layer, u32::MAX));
        }
    };
    body.shape(shape.restitution(if i.is_multiple_of(4) { 0.4 } else { 0.0 }).groups(layer, u32::MAX))
}

/// Lumps that fall on a floor with a wall, into a bin, into a drum, on a mesh and on a landscape.
fn heap(seed: u64, lumps: usize) -> Scene {
    let mut random = SplitMix::new(seed);
    let rows: Vec<Vec<f64>> = (0..9).map(|_| (0..9).map(|_| random.range(0.0, 0.25)).collect()).collect();
    let mut scene = Scene::new()
        .dt(1.0 / 120.0)
        .body(Body::fixed("floor").shape(Shape::half_space()))
        .body(Body::fixed("wall").shape(Shape::wall(2.0, 2.0).facing(1.0, 0.0, 0.2)).at(-0.8, 0.0, 0.5))
        .body(
            Body::fixed("bin")
                .shape(Shape::box_inside(1.6, 1.6, 3.0).groups(IN_BIN, IN_BIN))
                .at(4.0, 0.0, 1.6),
        )
        .body(
            Body::driven("drum", [0.0; 3], [0.0, 1.0, 0.0])
                .shape(Shape::cylinder_inside(1.0, 1.6).groups(IN_DRUM, IN_DRUM))
                .at(8.0, 0.0, 1.4),
        )
        .body(Body::fixed("mesh").shape(octahedron(1.2)).at(12.0, 0.0, 0.3))
        .body(Body::fixed("land").shape(Shape::height_field(rows, 3.0, 3.0)).at(16.0, 0.0, 0.1));
    for i in 0..lumps {
        let place = 4.0 * (i % 5) as f64;
        let [x, y] = [place + random.range(-0.3, 0.3), random.range(-0.3, 0.3)];
        let z = 0.7 + 0.3 * (i / 5) as f64 + if i % 5 == 3 { 1.0 } else { 0.0 };
        let layer = [1, IN_BIN, IN_DRUM, 1, 1][i % 5];
        let body = lump(&mut random, i + i / 5, layer).at(x, y, z).turned(random.direction().to_array(), 1.0);
        scene = scene.body(body.velocity(0.0, 0.0, -0.5).spin(1.0, random.range(-3.0, 3.0), 0.5));
    }
    scene
}

fn hashes(scene: &Scene, level: SimdLevel, prepare: impl FnOnce(&mut World)) -> Vec<u64> {
    let mut world = world(scene);
    world.set_simd_level(level).expect("an available level");
    prepare(&mut world);
    let step = |_| {
        world.step();
        world.hash()
    };
    (0..STEPS).map(step).collect()
}

#[test]
fn a_heap_of_every_shape_has_the_same_hash_at_every_level_and_in_every_order_of_lanes() {
    let heaps = if cfg!(debug_assertions) { 1 } else { 2 };
    for seed in 0..heaps {
        let scene = heap(seed, 90);
        let expected = hashes(&scene, SimdLevel::Best, |_| {});
        for level in SimdLevel::available().filter(|level| *level != SimdLevel::Best) {
            for shuffle in [None, Some(seed + 1)] {
                let found = hashes(&scene, level, |world| world.shuffle_lanes(shuffle));
                let differs = expected.iter().zip(&found).position(|(a, b)| a != b);
                assert_eq!(
                    differs,
                    None,
                    "heap {seed}, {}, shuffled by {shuffle:?}: from this step on",
                    level.name()
                );
            }
        }
    }
}

#[test]
fn another_order_of_lanes_may_begin_and_end_at_any_step() {
    let scene = heap(9, 45);
    let (mut plain, mut shuffled) = (world(&scene), world(&scene));
    for step in 0..STEPS as u64 {
        shuffled.shuffle_lanes((step % 3 > 0).then_some(step));
        if step.is_multiple_of(7) {
            shuffled.drop_workspace();
        }
        plain.step();
        shuffled.step();
        assert_eq!(plain.hash(), shuffled.hash(), "step {step}");
    }
}

/// Balls, capsules and boxes that come down fast on those that lie.
fn hail(seed: u64, bodies: usize) -> Scene {
    let mut random = SplitMix::new(seed);
    let mut scene = Scene::new().dt(1.0 / 60.0).body(Body::fixed("floor").shape(Shape::half_space()));
    for i in 0..bodies {
        let shape = match i % 3 {
            0 => Shape::sphere(0.1),
            1 => Shape::capsule(0.06, 0.16),
            _ => Shape::cuboid(0.2, 0.14, 0.16),
        };
        let (x, y) = (0.25 * (i % 8) as f64, 0.25 * (i / 8 % 8) as f64);
        let z = 0.15 + 0.3 * (i / 64) as f64;
        let spread = [random.range(-0.05, 0.05), random.range(-0.05, 0.05)];
        let body =
            Body::dynamic(format!("b{i}")).shape(shape.restitution(if i % 7 == 0 { 0.5 } else { 0.0 }));
        let body = body.at(x + spread[0], y + spread[1], z).turned(random.direction().to_array(), 1.0);
        let fall = if i < 64 { 0.0 } else { -random.range(5.0, 60.0) };
        scene = scene.body(body.velocity(random.range(-2.0, 2.0), 0.0, fall).spin(
            0.0,
            random.range(-9.0, 9.0),
            0.0,
        ));
    }
    scene
}

#[test]
fn islands_that_the_sweep_gave_rows_to_have_alone_the_bits_of_a_solve_of_the_whole_world() {
    let mut alone = 0;
    for seed in 0..if cfg!(debug_assertions) { 1 } else { 4 } {
        let scene = hail(seed, 320);
        let [mut parts, mut whole] = [0; 2].map(|_| world(&scene));
        whole.solve_whole(true);
        for step in 0..90 {
            // Asked for or not, the certificate changes nothing, and is that of all islands.
            parts.want_certificate(step % 3 == 0);
            whole.want_certificate(step % 3 == 0);
            let [a, b] = [&mut parts, &mut whole].map(|world| world.step().clone());
            assert_eq!(parts.hash(), whole.hash(), "seed {seed}, step {step}");
            assert_eq!(a.certificate.map(|c| c.largest()), b.certificate.map(|c| c.largest()));
            assert!(
                a.unexplained.abs() <= a.unexplained_bound,
                "seed {seed}, step {step}: {}",
                a.unexplained
            );
            alone += usize::from(a.island_solves > b.island_solves);
        }
    }
    assert!(alone > 20, "in {alone} steps some islands were solved alone");
}
