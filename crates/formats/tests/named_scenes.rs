//! Every built-in scene of a few hundred bodies at most, with every contact model for 1000 steps: the book closes, and the workspace may be dropped at any step.

use huygens::World;
use huygens::contact::SolverKind;
use huygens_formats::{builtin, toml};

/// Those of `huygens bench` are larger; the program's tests run them with fewer bodies.
const MOST_BODIES: u64 = 500;

#[test]
fn named_scenes_close_their_books_and_need_nothing_from_the_workspace() {
    let mut seen = 0;
    for name in builtin::names() {
        let text = builtin::text(name).expect("a listed scene has a text");
        let bodies =
            toml::parse(name, text, &[]).unwrap_or_else(|report| panic!("{report}")).scene.body_count();
        if bodies > Some(MOST_BODIES) {
            continue;
        }
        for kind in SolverKind::ALL {
            let loaded = toml::parse(name, text, &[]).unwrap_or_else(|report| panic!("{report}"));
            let scene = loaded.scene.solver(kind.name());
            let mut world = World::new(&scene).unwrap_or_else(|errors| panic!("{errors}"));
            let mut dropped = World::new(&scene).unwrap_or_else(|errors| panic!("{errors}"));
            for _ in 0..1000 {
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
