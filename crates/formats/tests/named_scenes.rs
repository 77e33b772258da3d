//! Every built-in scene with every contact model for 1000 steps, large ones for a few: the book closes, and the workspace may be dropped at any step.

use huygens::World;
use huygens::contact::SolverKind;
use huygens_formats::{builtin, toml};

#[test]
fn named_scenes_close_their_books_and_need_nothing_from_the_workspace() {
    let mut seen = 0;
    for name in builtin::names() {
        let text = builtin::text(name).expect("a listed scene has a text");
        for kind in SolverKind::ALL {
            let loaded = toml::parse(name, text, &[]).unwrap_or_else(|report| panic!("{report}"));
            let scene = loaded.scene.solver(kind.name());
            let mut world = World::new(&scene).unwrap_or_else(|errors| panic!("{errors}"));
            let mut dropped = World::new(&scene).unwrap_or_else(|errors| panic!("{errors}"));
            // Thousands of bodies take their time.
            let steps = if world.bodies().count() > 500 { 10 } else { 1000 };
            for _ in 0..steps {
                dropped.drop_workspace();
                dropped.step();
                let report = world.step();
                let (left, bound) = (report.unexplained, report.unexplained_bound);
                let step = world.steps();
                assert!(
                    left.abs() <= bound,
                    "{name}, {kind}, step {step}: {left:e} J unexplained, bound {bound:e}"
                );
            }
            assert_eq!(world.hash(), dropped.hash(), "{name} with {kind}");
            seen += 1;
        }
    }
    assert!(seen >= 16, "eight scenes and two models: {seen}");
}
