//! `--set PATH=VALUE`.

use super::super::{Setting, parse};
use super::{error, load};
use crate::builtin;
use huygens::scene::*;
use huygens_math::Vec3;

const SCENE: &str = r#"
[world]
steps = 100
stabilisation = { kind = "baumgarte", erp = 0.7 }

[materials.steel]
friction = 0.3

[[body]]
name = "rotor"
motion = { kind = "driven", angular_velocity = [0, 0, 1], limit = { kind = "torque", max = 5 } }
shape = { kind = "capsule", radius = 0.2, length = 1, material = "steel" }

[[body]]
name = "a.b"
shapes = [{ kind = "sphere", radius = 1 }, { kind = "sphere", radius = 2, position = [1, 0, 0] }]

[[repeat]]
kind = "stack"
count = 3
spacing = 1
body = { name = "cube", shape = { kind = "box", size = [1, 1, 1] } }
"#;

fn set(sets: &[&str]) -> Scene {
    load(SCENE, sets).unwrap_or_else(|report| panic!("{report}")).scene
}

#[test]
fn values_of_the_file_are_replaced_and_absent_ones_added() {
    assert_eq!(set(&["world.dt=0.5"]).world.dt, 0.5);
    assert_eq!(set(&["world.gravity=[0, -9.81, 0]"]).world.gravity, Vec3::new(0.0, -9.81, 0.0));
    assert_eq!(set(&["world.gravity=[0,0,0]", "world.gravity[2]=-1"]).world.gravity, -Vec3::Z);
    assert_eq!(set(&["world . dt = 0.25"]).world.dt, 0.25);
    assert!(set(&["world.guard=true"]).world.guard);
    assert_eq!(set(&["materials.steel.friction=0"]).materials["steel"].surface.friction, Some(0.0));
    assert_eq!(set(&["world.dt=0.5", "world.dt=0.25"]).world.dt, 0.25, "the last one wins");
    assert_eq!(parse("", "", &[Setting::set("world.dt=0.5").unwrap()]).unwrap().scene.world.dt, 0.5);
}

#[test]
fn a_bare_word_is_a_string() {
    assert_eq!(
        set(&["world.solver=nbgs/approximate-decoupling"]).world.solver,
        "nbgs/approximate-decoupling"
    );
    assert_eq!(set(&["world.solver=\"sequential-impulse\""]).world.solver, "sequential-impulse");
    assert_eq!(set(&["world.combine=max"]).world.combine, Combine::Max);
    assert_eq!(set(&["world.stabilisation=none"]).world.stabilisation, StabilisationSpec::None);
}

#[test]
fn tables_in_arrays_are_addressed_by_name_and_by_number() {
    let limit = |scene: Scene| match scene.bodies[0].motion {
        Motion::Driven { limit, .. } => limit,
        _ => panic!("not driven"),
    };
    let ten = DriveLimit::Torque { max: 10.0 };
    assert_eq!(limit(set(&["body.rotor.motion.limit.max=10"])), ten);
    assert_eq!(limit(set(&["body.\"rotor\".motion.limit.max=10"])), ten);
    assert_eq!(limit(set(&["body.0.motion.limit.max=10"])), ten);
    assert_eq!(limit(set(&["body[0].motion.limit.max=10"])), ten);
    assert_eq!(set(&["body.rotor.mass=3"]).bodies[0].mass, Some(3.0));
    let radius = |scene: &Scene, body: usize, k: usize| match scene.bodies[body].shapes[k].kind {
        ShapeKind::Sphere { radius } | ShapeKind::Capsule { radius, .. } => radius,
        _ => panic!("no radius"),
    };
    assert_eq!(radius(&set(&["body.\"a.b\".shapes[1].radius=7"]), 1, 1), 7.0);
    assert_eq!(radius(&set(&["body.'a.b'.shape.1.radius=7"]), 1, 1), 7.0);
    assert_eq!(radius(&set(&["body.rotor.shape.radius=0.3"]), 0, 0), 0.3);
    assert_eq!(radius(&set(&["body.rotor.shape[0].radius=0.3"]), 0, 0), 0.3, "as errors write it");
    assert_eq!(radius(&set(&["body.rotor.shapes[0].radius=0.3"]), 0, 0), 0.3);
    assert_eq!(set(&["repeat.cube.count=5"]).repeats[0].count, [5, 1, 1]);
    for path in ["material", "materials"] {
        let scene = set(&["materials.steel.density=1", &format!("{path}.steel.friction=0.25")]);
        assert_eq!(scene.materials["steel"].surface.friction, Some(0.25), "{path}");
    }
    assert_eq!(set(&["repeat.0.body.mass=5"]).repeats[0].bodies[0].mass, Some(5.0));
}

#[test]
fn a_new_kind_takes_the_parameters_of_the_old_one_away() {
    let scene = set(&["world.stabilisation.kind=none"]);
    assert_eq!(scene.world.stabilisation, StabilisationSpec::None);
    let scene = set(&["world.stabilisation.kind=split-impulse", "world.stabilisation.beta=0.5"]);
    assert_eq!(scene.world.stabilisation, StabilisationSpec::SplitImpulse { beta: 0.5, slop: None });
    let scene = set(&["body.rotor.shape.kind=sphere"]);
    assert_eq!(scene.bodies[0].shapes[0].kind, ShapeKind::Sphere { radius: 0.2 });
    assert_eq!(scene.bodies[0].shapes[0].material.as_deref(), Some("steel"));
    assert_eq!(set(&["body.rotor.motion=static"]).bodies[0].motion, Motion::Static);
    assert_eq!(set(&["body.rotor.motion.kind=static"]).bodies[0].motion, Motion::Static);
}

#[test]
fn one_of_two_alternatives_replaces_the_other() {
    assert_eq!(set(&["world.seconds=2"]).world.duration, Duration::Seconds(2.0));
    let shapes = set(&["body.rotor.shapes=[{kind=\"sphere\",radius=1}]"]).bodies[0].shapes.clone();
    assert_eq!(shapes, [Shape::new(ShapeKind::Sphere { radius: 1.0 })]);
}

#[track_caller]
fn assert_error(sets: &[&str], parts: &[&str]) {
    let error = error(SCENE, sets);
    for part in parts {
        assert!(error.contains(part), "no {part:?} in\n{error}");
    }
}

#[test]
fn an_unknown_path_is_an_error_that_names_the_nearest() {
    let shown = error(SCENE, &["body.rotr.mass=1"]);
    let expected = "\
error: body: there is no `rotr`
 --> command line:1:12
  |
1 | --set body.rotr.mass=1
  |            ^^^^ here
  |
  = help: Did you mean `rotor`? There are also: a.b.";
    assert_eq!(shown, expected);
    assert_error(&["world.dtt=1"], &["world.dtt", "--set world.dtt=1", "`dt`"]);
    assert_error(&["wrold.dt=1"], &["there is no key `wrold`", "`world`"]);
    assert_error(&["body.rotor.motion.limt.max=1"], &["there is no key `limt`", "`limit`"]);
    assert_error(&["materials.stel.friction=1"], &["there is no material `stel`", "`steel`"]);
    assert_error(&["joint.x.axis=1"], &["the scene has no joint"]);
    assert_error(&["body.rotor.name.x=1"], &["is a string, so it has no `x`", "whole value"]);
    assert_error(&["body.\"a.b\".shapes.radius=1"], &["there is no `radius`", "from 0 to 1"]);
    assert_error(&["body.7.mass=1"], &["there is no `7`"]);
}

#[test]
fn a_bad_value_is_shown_on_the_command_line() {
    let shown = error(SCENE, &["world.dt=-1"]);
    assert!(shown.contains("world.dt is -1") && shown.contains("1 | --set world.dt=-1"), "{shown}");
    assert!(shown.contains("|                ^^"), "{shown}");
    assert_error(&["world.dt=1 2"], &["the value is no TOML", "--set world.dt=1 2"]);
    assert_error(&["world.dt=fast"], &["expected a number, found a string"]);
    assert_error(&["world.dt=nan"], &["world.dt is NaN"]);
    assert_error(&["world.gravity=[0,0"], &["the value is no TOML"]);
    assert!(Setting::set("world.dt").unwrap_err().to_string().contains("there is no `=`"));
    assert!(Setting::set("world.dt=").unwrap_err().to_string().contains("there is no value"));
    assert!(Setting::set("=3").unwrap_err().to_string().contains("path is empty"));
    assert!(Setting::set("a..b=3").unwrap_err().to_string().contains("path is empty"));
}

#[test]
fn options_are_settings_that_show_their_own_name() {
    let settings =
        [Setting::set("world.solver=x").unwrap(), Setting::text_option("--solver", "world.solver", "jcobi")];
    let loaded = parse("scene.toml", SCENE, &settings).unwrap();
    let shown = loaded.check().unwrap_err().to_string();
    assert!(
        shown.contains("1 | --solver jcobi\n  |          ^^^^^ there is no such contact model"),
        "{shown}"
    );
    let steps = [Setting::value_option("--seconds", "world.seconds", "2.5")];
    assert_eq!(parse("", SCENE, &steps).unwrap().scene.world.duration, Duration::Seconds(2.5));
}

#[test]
fn the_settings_of_the_documents_work_on_the_built_in_scenes() {
    let text = builtin::text("capsule_spin").unwrap();
    for set in [
        "world.stabilisation.kind=none",
        "world.stabilisation={kind=\"none\"}",
        "body.rotor.motion.limit={kind=\"torque\",max=10}",
        "body.rotor.motion.limit.max=10",
        "materials.granite.surface_velocity=[1, 0, 0]",
        "materials.granite.friction_rolling=0.01",
        "materials.granite.friction=0.2",
        "world.solver=sequential-impulse",
    ] {
        load(text, &[set]).unwrap_or_else(|report| panic!("{set}\n{report}"));
    }
}
