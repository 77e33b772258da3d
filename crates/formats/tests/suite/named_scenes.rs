//! Every built-in scene with every contact model: its own expectations hold, the book closes, and the workspace may be dropped
//! at any step.

use huygens::World;
use huygens::contact::SolverKind;
use huygens::scene::{Scene, Watch};
use huygens_formats::{builtin, toml};

/// A scene with more bodies than this runs 30 steps only, and that in optimised builds; its expectations are those of a run
/// that is watched by people.
const LARGE: u64 = 500;
const LARGE_STEPS: u64 = 30;
/// The models of which every scene's expectations are asked; the others (some have no friction at all) need only close the
/// book.
const ASKED: [&str; 3] = ["soft-step", "sequential-impulse", "nbgs/approximate-decoupling"];
const OTHER_STEPS: u64 = 60;
fn scene(name: &str, kind: SolverKind) -> Scene {
    let text = builtin::text(name).expect("a listed scene has a text");
    let loaded = toml::parse(name, text, &[]).unwrap_or_else(|report| panic!("{report}"));
    loaded.scene.solver(kind.name())
}

fn world(scene: &Scene) -> World {
    World::new(scene).unwrap_or_else(|errors| panic!("{errors}"))
}

fn is_large(scene: &Scene) -> bool {
    scene.body_count() > Some(LARGE)
}

/// Steps, and looks at the book of each.
fn step(world: &mut World, name: &str, kind: SolverKind, wrong: &mut Vec<String>) {
    let report = world.step();
    let (left, bound) = (report.unexplained, report.unexplained_bound);
    if left.abs() > bound {
        let step = world.steps();
        wrong.push(format!("{name}, {kind}, step {step}: {left:e} J unexplained, bound {bound:e}"));
    }
}

#[test]
fn every_named_scene_meets_its_own_expectations_with_every_model_and_closes_its_book() {
    let mut wrong = Vec::new();
    for name in builtin::names() {
        for &kind in SolverKind::ALL {
            let scene = scene(name, kind);
            if is_large(&scene) && cfg!(debug_assertions) {
                continue;
            }
            let mut world = world(&scene);
            if is_large(&scene) {
                (0..LARGE_STEPS).for_each(|_| step(&mut world, name, kind, &mut wrong));
                continue;
            }
            if !ASKED.contains(&kind.name()) {
                (0..OTHER_STEPS).for_each(|_| step(&mut world, name, kind, &mut wrong));
                continue;
            }
            let mut watch = Watch::new(&scene, &world);
            let steps = scene.world.step_count();
            for _ in 0..steps {
                step(&mut world, name, kind, &mut wrong);
                watch.look(&world);
            }
            wrong.extend(watch.unmet(&world).iter().map(|unmet| format!("{name}, {kind}: {unmet}")));
            // The book of a run that goes on must close too.
            (steps..1000).for_each(|_| step(&mut world, name, kind, &mut wrong));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn named_scenes_need_nothing_from_the_workspace() {
    for name in builtin::names() {
        for &kind in SolverKind::ALL {
            let scene = scene(name, kind);
            if is_large(&scene) {
                continue;
            }
            let (mut whole, mut dropped) = (world(&scene), world(&scene));
            for _ in 0..100 {
                dropped.drop_workspace();
                dropped.step();
                whole.step();
            }
            assert_eq!(whole.hash(), dropped.hash(), "{name} with {kind}");
        }
    }
}
