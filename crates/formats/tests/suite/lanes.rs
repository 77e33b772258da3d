//! Every built-in scene has the same hash after each step at every level of the CPU, and whichever lane a contact gets.

use huygens::World;
use huygens::math::SimdLevel;
use huygens::scene::{Expect, RepeatKind, Scene};
use huygens_formats::{builtin, toml};

const STEPS: usize = 200;
/// Columns and layers that patterns of the scenes of `huygens bench` keep here, and rows of a pyramid.
const MOST: u32 = if cfg!(debug_assertions) { 4 } else { 6 };
const MOST_ROWS: u32 = if cfg!(debug_assertions) { 8 } else { 16 };

/// A scene of the folder, with fewer bodies where it has thousands.
fn scene(name: &str) -> Scene {
    let text = builtin::text(name).expect("a listed scene has a text");
    let mut scene = toml::parse(name, text, &[]).unwrap_or_else(|report| panic!("{report}")).scene;
    if scene.body_count() > Some(500) {
        scene.expect = Expect::default();
        for repeat in &mut scene.repeats {
            let most = if repeat.kind == RepeatKind::Pyramid { MOST_ROWS } else { MOST };
            repeat.count = repeat.count.map(|count| count.min(most));
        }
    }
    scene
}

/// The hash after each step.
fn hashes(scene: &Scene, level: SimdLevel, shuffle: Option<u64>) -> Vec<u64> {
    let mut world = World::new(scene).unwrap_or_else(|errors| panic!("{errors}"));
    world.set_simd_level(level).expect("an available level");
    world.shuffle_lanes(shuffle);
    let step = |_| {
        world.step();
        world.hash()
    };
    (0..STEPS).map(step).collect()
}

#[test]
fn named_scenes_have_the_same_hash_at_every_level_and_in_every_order_of_lanes() {
    let best = SimdLevel::best();
    let others: Vec<SimdLevel> =
        SimdLevel::available().filter(|level| *level != SimdLevel::Best && *level != best).collect();
    let mut seen = 0;
    for name in builtin::names() {
        let scene = scene(name);
        let expected = hashes(&scene, SimdLevel::Best, None);
        let differs = |other: &[u64]| expected.iter().zip(other).position(|(a, b)| a != b);
        for &level in &others {
            let found = differs(&hashes(&scene, level, None));
            assert_eq!(found, None, "{name}: the step from which on {} differs", level.name());
        }
        let found = differs(&hashes(&scene, SimdLevel::Best, Some(7)));
        assert_eq!(found, None, "{name}: the step from which on another order of lanes differs");
        seen += 1;
    }
    assert!(seen >= 25, "{seen} scenes");
}
