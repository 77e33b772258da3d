//! `[[repeat]]` with joints.

use crate::toml::parse;
use huygens::World;
use huygens::scene::Scene;
use huygens_math::Vec3;

const ARMS: &str = r#"
[[body]]
name = "rail"
motion = "static"

[[repeat]]
kind = "grid"
count = [2, 1, 3]
spacing = [2, 1, 5]
body = [
  { name = "upper", position = [0.5, 0, 1], mass = 1, shape = { kind = "box", size = [1, 0.1, 0.1] } },
  { name = "lower", position = [1.5, 0, 1], mass = 1, shape = { kind = "box", size = [1, 0.1, 0.1] } },
]
joints = [
  { name = "shoulder", parent = "rail", child = "upper", anchor = [0, 0, 1], axis = "y" },
  { name = "elbow", kind = "ball", parent = "upper", child = "lower", anchor = [1, 0, 1], cone = 1, axis = "x" },
]
"#;

fn scene(text: &str) -> Scene {
    parse("arms", text, &[]).unwrap_or_else(|report| panic!("{report}")).scene
}

#[test]
fn a_repeat_with_joints_puts_all_its_bodies_at_each_place() {
    let scene = scene(ARMS);
    assert_eq!((scene.bodies.len(), scene.joints.len(), scene.repeats.len()), (13, 12, 0));
    // Numbered up first, then across, which is centred.
    let lower = scene.bodies.iter().find(|body| body.name == "lower[4]").unwrap();
    assert_eq!(lower.position, Vec3::new(2.5, 0.0, 6.0));
    let [shoulder, elbow] =
        ["shoulder[4]", "elbow[4]"].map(|name| scene.joints.iter().find(|joint| joint.name == name).unwrap());
    assert_eq!((shoulder.parent.as_deref(), shoulder.child.as_str()), (Some("rail"), "upper[4]"));
    assert_eq!((elbow.parent.as_deref(), elbow.child.as_str()), (Some("upper[4]"), "lower[4]"));
    assert_eq!(elbow.anchor, Vec3::new(2.0, 0.0, 6.0));
    assert_eq!(World::new(&scene).unwrap().joints().len(), 12);
}

#[test]
fn copies_that_tumble_keep_their_shape() {
    let tumbling =
        scene(&ARMS.replace("spacing = [2, 1, 5]", "spacing = [2, 1, 5]\ntumble = true\njitter = 0.1"));
    let body = |name: &str| tumbling.bodies.iter().find(|body| body.name == name).unwrap();
    for i in 0..6 {
        let (upper, lower) = (body(&format!("upper[{i}]")), body(&format!("lower[{i}]")));
        let joint = tumbling.joints.iter().find(|joint| joint.name == format!("elbow[{i}]")).unwrap();
        assert!((lower.position - upper.position - upper.orientation * Vec3::X).length() < 1e-14);
        assert!((joint.anchor - upper.position - upper.orientation * Vec3::X * 0.5).length() < 1e-14);
        assert!((joint.axis - upper.orientation * Vec3::X).length() < 1e-14);
        assert!(lower.orientation.dot(upper.orientation).abs() > 1.0 - 1e-14);
    }
    let first = body("upper[0]").orientation;
    assert!(first.dot(body("upper[1]").orientation).abs() < 0.999, "each has a turn of its own");
}

#[test]
fn what_cannot_be_copied_is_refused_at_its_line() {
    let says = |text: &str, word: &str| {
        let report =
            parse("arms", text, &[]).err().unwrap_or_else(|| panic!("{word} is not refused")).to_string();
        assert!(report.contains(word), "{report}");
    };
    says(&ARMS.replace("count = [2, 1, 3]", "count = [4000000000, 1, 3]"), "more than a million bodies");
    let generic =
        ARMS.replace("kind = \"ball\"", "kind = \"generic\", free = [\"x\"]").replace(", cone = 1", "");
    says(&generic.replace("spacing", "tumble = true\nspacing"), "do not turn with its bodies");
    says(&ARMS.replace("child = \"lower\"", "chid = \"lower\""), "chid");
}
