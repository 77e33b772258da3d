//! Every built-in scene of a few hundred bodies at most, with every contact model and stabilisation: the book closes, and the
//! workspace may be dropped at any step.

use huygens::World;
use huygens::contact::SolverKind;
use huygens::scene::{Scene, StabilisationSpec, WorldSpec};
use huygens_formats::{builtin, toml};

/// Those of `huygens bench` are larger; the program's tests run them with fewer bodies.
const MOST_BODIES: u64 = 500;

/// Steps times bodies of one run: what is small runs longer.
const BUDGET: u64 = if cfg!(debug_assertions) { 200 } else { 1_500 };

/// Steps that a scene with so many bodies is given.
fn steps(bodies: u64) -> u64 {
    (BUDGET / bodies.max(1)).clamp(20, 1000)
}

/// Name, number of steps and scene of all that are small enough.
fn scenes() -> impl Iterator<Item = (&'static str, u64, Scene)> {
    builtin::names().filter_map(|name| {
        let text = builtin::text(name).expect("a listed scene has a text");
        let scene = toml::parse(name, text, &[]).unwrap_or_else(|report| panic!("{report}")).scene;
        let bodies = scene.body_count().filter(|bodies| *bodies <= MOST_BODIES)?;
        Some((name, steps(bodies), scene))
    })
}

fn world(scene: &Scene) -> World {
    World::new(scene).unwrap_or_else(|errors| panic!("{errors}"))
}

#[track_caller]
fn step(world: &mut World, what: &str) {
    let report = world.step();
    let (left, bound) = (report.unexplained, report.unexplained_bound);
    let step = world.steps();
    assert!(left.abs() <= bound, "{what}, step {step}: {left:e} J unexplained, bound {bound:e}");
}

#[test]
fn named_scenes_close_their_books_and_need_nothing_from_the_workspace() {
    let mut seen = 0;
    for (name, steps, scene) in scenes() {
        for kind in SolverKind::ALL {
            let scene = scene.clone().solver(kind.name());
            let (mut world, mut dropped) = (world(&scene), world(&scene));
            for _ in 0..2 * steps {
                step(&mut world, &format!("{name}, {kind}"));
                dropped.drop_workspace();
                dropped.step();
            }
            assert_eq!(world.hash(), dropped.hash(), "{name} with {kind}");
        }
        seen += 1;
    }
    assert!(seen >= 8, "small scenes: {seen}");
}

#[test]
fn named_scenes_close_their_books_with_every_stabilisation_and_the_guard() {
    for (name, steps, scene) in scenes() {
        for kind in SolverKind::ALL {
            for (stabilisation, guard) in [
                (StabilisationSpec::None, false),
                (StabilisationSpec::Baumgarte { erp: 0.2, cap: None }, false),
                (StabilisationSpec::Baumgarte { erp: 0.7, cap: Some(1.0) }, true),
                (StabilisationSpec::SplitImpulse { beta: 0.2, slop: None }, true),
            ] {
                let choose = |world: &mut WorldSpec| {
                    (world.stabilisation, world.guard) = (stabilisation, guard);
                    // Books close for any number of sweeps; few are quick.
                    world.iterations = world.iterations.min(50);
                };
                let mut world = world(&scene.clone().solver(kind.name()).world(choose));
                for _ in 0..steps {
                    step(&mut world, &format!("{name}, {kind}, {stabilisation:?}, guard {guard}"));
                }
            }
        }
    }
}
