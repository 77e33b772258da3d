//! Every built-in scene with every contact model and stabilisation: the book closes, and the workspace may be dropped at any
//! step.

use huygens::World;
use huygens::contact::SolverKind;
use huygens::scene::{Scene, StabilisationSpec};
use huygens_formats::{builtin, toml};

fn scenes() -> impl Iterator<Item = (&'static str, SolverKind, Scene)> {
    builtin::names().flat_map(|name| {
        let text = builtin::text(name).expect("a listed scene has a text");
        let loaded = toml::parse(name, text, &[]).unwrap_or_else(|report| panic!("{report}"));
        SolverKind::ALL.iter().map(move |kind| (name, *kind, loaded.scene.clone().solver(kind.name())))
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
    for (name, kind, scene) in scenes() {
        let (mut world, mut dropped) = (world(&scene), world(&scene));
        for k in 0..1000 {
            step(&mut world, &format!("{name}, {kind}"));
            if k < 300 {
                dropped.drop_workspace();
                dropped.step();
            }
            if k == 299 {
                assert_eq!(world.hash(), dropped.hash(), "{name} with {kind}");
            }
        }
        seen += 1;
    }
    assert!(seen >= 64, "eight scenes and eight models: {seen}");
}

#[test]
fn named_scenes_close_their_books_with_every_stabilisation_and_the_guard() {
    for (name, kind, scene) in scenes() {
        for (stabilisation, guard) in [
            (StabilisationSpec::None, false),
            (StabilisationSpec::Baumgarte { erp: 0.2, cap: None }, false),
            (StabilisationSpec::Baumgarte { erp: 0.7, cap: Some(1.0) }, true),
            (StabilisationSpec::SplitImpulse { beta: 0.2, slop: None }, true),
        ] {
            let choose = |world: &mut huygens::scene::WorldSpec| {
                (world.stabilisation, world.guard) = (stabilisation, guard);
                // Books close for any number of sweeps; few are quick.
                world.iterations = world.iterations.min(50);
            };
            let mut world = world(&scene.clone().world(choose));
            for _ in 0..200 {
                step(&mut world, &format!("{name}, {kind}, {stabilisation:?}, guard {guard}"));
            }
        }
    }
}
