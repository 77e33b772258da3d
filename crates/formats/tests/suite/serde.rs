//! The feature `serde`: scenes and handles are the same after a way through JSON, results can be written.

use huygens::scene::Scene;
use huygens::{BodyId, World};
use huygens_formats::{builtin, toml};

fn scene(name: &str) -> Scene {
    let text = builtin::text(name).expect("a listed scene has a text");
    toml::parse(name, text, &[]).unwrap_or_else(|report| panic!("{report}")).scene
}

#[test]
fn every_named_scene_is_the_same_after_a_way_through_json_and_gives_the_same_bits() {
    let mut scenes = 0;
    for name in builtin::names() {
        let scene = scene(name);
        let text = serde_json::to_string(&scene).unwrap_or_else(|error| panic!("{name}: {error}"));
        let back: Scene = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(back == scene, "{name}");
        scenes += 1;
    }
    assert!(scenes > 60, "{scenes}");
}

#[test]
fn handles_events_contacts_reports_and_the_ledger_can_be_written() {
    let mut world = World::new(&scene("default")).unwrap();
    for _ in 0..100 {
        world.step();
    }
    let id = world.bodies().next().unwrap().id;
    let text = serde_json::to_string(&id).unwrap();
    assert_eq!(serde_json::from_str::<BodyId>(&text).unwrap(), id);
    let report = serde_json::to_value(world.report()).unwrap();
    assert_eq!(report["contacts"], world.report().contacts);
    assert_eq!(report["solve"]["iterations"], world.report().solve.iterations);
    let ledger = serde_json::to_value(world.ledger()).unwrap();
    assert_eq!(ledger["friction"], world.ledger().get(huygens::ledger::Account::Friction));
    for contact in world.contacts() {
        assert_eq!(serde_json::to_value(contact).unwrap()["gap"], contact.gap);
    }
    assert!(world.events().all(|event| serde_json::to_value(event).is_ok()));
}

/// An account that the ledger does not have is refused by its name.
#[test]
fn a_check_of_an_unknown_account_is_refused() {
    use huygens::scene::Quantity;
    let known = serde_json::to_string(&Quantity::Ledger("friction")).unwrap();
    assert_eq!(serde_json::from_str::<Quantity>(&known).unwrap(), Quantity::Ledger("friction"));
    let unknown = known.replace("friction", "luck");
    let error = serde_json::from_str::<Quantity>(&unknown).unwrap_err().to_string();
    assert!(error.contains("luck"), "{error}");
}
