//! What is wrong is shown at its line, with the remedy.

use super::{error, load};

const BALL: &str = r#"[world]
dt = 0.01

[materials.steel]
density = 7800

[[body]]
name = "ball"
position = [0, 0, 1]
shape = { kind = "sphere", radius = 0.5, material = "steel" }
"#;

#[track_caller]
fn assert_broken(from: &str, to: &str, parts: &[&str]) {
    assert!(BALL.contains(from));
    let error = error(&BALL.replace(from, to), &[]);
    for part in parts {
        assert!(error.contains(part), "no {part:?} in\n{error}");
    }
}

#[test]
fn the_unbroken_scene_passes() {
    load(BALL, &[]).unwrap();
}

#[test]
fn an_unknown_key_is_marked_and_the_nearest_one_named() {
    let shown = error(&BALL.replace("radius", "raduis"), &[]);
    let expected = "\
error: body.\"ball\".shape[0].raduis: there is no key `raduis` of kind \"sphere\"
  --> scene.toml:10:28
   |
10 | shape = { kind = \"sphere\", raduis = 0.5, material = \"steel\" }
   |                            ^^^^^^ here
   |
   = help: Did you mean `radius`? There are also: kind, position, orientation, material, friction, restitution, density, layer, mask, sensor.";
    assert!(shown.starts_with(expected), "{shown}");
    assert_broken("dt =", "Dt =", &["there is no key `Dt` here", "scene.toml:2:1", "Did you mean `dt`?"]);
    assert_broken("[world]", "[wrold]", &["there is no key `wrold`", "scene.toml:1:2", "`world`"]);
    assert_broken("density =", "densty =", &["materials.\"steel\".densty", "scene.toml:5:1", "`density`"]);
    assert_broken("position =", "psition =", &["`psition`", "scene.toml:9:1", "`position`"]);
    assert_broken("[[body]]", "[[bdy]]", &["`bdy`", "`body`"]);
}

#[test]
fn a_bad_number_is_marked_at_its_value() {
    let shown = error(&BALL.replace("0.01", "-0.01"), &[]);
    let expected = "\
error: world.dt is -0.01
 --> scene.toml:2:6
  |
2 | dt = -0.01
  |      ^^^^^ a step must be above 0
  |
  = help: Give `dt` a positive number in SI units.";
    assert_eq!(shown, expected);
    assert_broken("0.01", "nan", &["world.dt is NaN", "scene.toml:2:6", "finite"]);
    assert_broken(
        "0.5",
        "0",
        &["body.\"ball\".shape[0].radius is 0", "scene.toml:10:37", "^ a radius must be above 0"],
    );
    assert_broken("[0, 0, 1]", "[0, inf, 1]", &["position is [0, inf, 1]", "scene.toml:9:12", "finite"]);
    assert_broken("7800", "-7800", &["materials.\"steel\".density is -7800", "scene.toml:5:11"]);
    assert_broken("\"steel\" }", "\"stel\" }", &["there is no such material", "scene.toml:10:53", "`steel`"]);
    assert_broken("dt", "solver = \"jacobi\"\ndt", &["there is no such contact model", "scene.toml:2:10"]);
    assert_broken(
        ", material",
        ", orientation = [0, 0, 0, 0], material",
        &["length 0 is no rotation", "10:56"],
    );
}

#[test]
fn a_wrong_type_is_named_with_what_was_expected() {
    assert_broken("0.01", "\"fast\"", &["world.dt is \"fast\"", "expected a number, found a string"]);
    assert_broken(
        "[0, 0, 1]",
        "[0, 0]",
        &["is [0, 0]", "expected three numbers [x, y, z], found an array of 2"],
    );
    assert_broken("[0, 0, 1]", "2025-01-01", &["expected three numbers", "found a date"]);
    assert_broken("[[body]]", "[body]", &["expected tables [[body]], found a table"]);
    assert_broken("dt = 0.01", "steps = 1.5", &["world.steps is 1.5", "expected an integer"]);
    assert_broken("dt = 0.01", "iterations = -1", &["expected an integer from 0 to 4294967295"]);
    assert_broken(
        "dt = 0.01",
        "integrator = \"leapfrog\"",
        &["no such `integrator`", "There are: kick-drift-kick, symplectic-euler"],
    );
    assert_broken(
        "\"sphere\"",
        "\"spere\"",
        &["no such `kind`", "scene.toml:10:18", "Did you mean `sphere`?"],
    );
    assert_broken(
        "{ kind = \"sphere\", radius = 0.5, material = \"steel\" }",
        "\"sphere\"",
        &["expected a table such as"],
    );
}

#[test]
fn what_is_missing_or_given_twice_is_said() {
    assert_broken(
        "radius = 0.5, ",
        "",
        &["shape[0].radius: is missing", "scene.toml:10:9", "the radius [m]"],
    );
    assert_broken("kind = \"sphere\", ", "", &["shape[0].kind: is missing", "one of sphere, capsule"]);
    assert_broken("dt = 0.01", "steps = 5\nseconds = 2", &["given twice", "scene.toml:3:11", "Keep one"]);
    assert_broken("name =", "lock = [\"w\"]\nname =", &["no such axis", "scene.toml:8:9", "There are: "]);
    assert_broken(
        "name =",
        "motion = \"kinematic\"\nname =",
        &["no such kind", "scene.toml:8:10", "dynamic"],
    );
    assert_broken("name =", "motion = { linear_velocity = [1, 0, 0] }\nname =", &["motion.kind: is missing"]);
    assert_broken("dt = 0.01", "stabilisation = { kind = \"none\", erp = 1 }", &["there is no key `erp`"]);
}

#[test]
fn text_that_is_no_toml_is_shown_where_it_breaks() {
    assert_broken("dt = 0.01", "dt = ", &["scene.toml:2:", "https://toml.io"]);
    assert_broken("dt = 0.01", "dt = 0.01\ndt = 0.02", &["scene.toml:3:1", "duplicate key"]);
    assert_broken("name = \"ball\"", "name = \"ball", &["scene.toml:8:"]);
}

#[test]
fn a_body_without_a_name_is_called_by_its_number() {
    let text = BALL.replace("name = \"ball\"\n", "");
    assert_eq!(load(&text, &[]).unwrap().scene.bodies[0].name, "body0");
    let error = error(&text.replace("0.5", "-1"), &[]);
    assert!(
        error.contains("body.\"body0\".shape[0].radius is -1") && error.contains("scene.toml:9:37"),
        "{error}"
    );
}

#[test]
fn errors_of_a_second_body_with_the_same_name_are_shown_at_the_second() {
    let text = format!("{BALL}[[body]]\nname = \"ball\"\nshape = {{ kind = \"sphere\", radius = 1 }}\n");
    let error = error(&text, &[]);
    assert!(error.contains("body[1].name is \"ball\"") && error.contains("scene.toml:12:8"), "{error}");
}

#[test]
fn errors_in_repeats_joints_and_expectations_have_lines_too() {
    let repeat = "[[repeat]]\nkind = \"stack\"\ncount = 3\nspacing = 1\nbody = { name = \"c\", mass = -1, shape = { kind = \"sphere\", radius = 1 } }\n";
    let shown = error(&format!("{BALL}{repeat}"), &[]);
    assert!(shown.contains("repeat[0].body[0].mass is -1") && shown.contains("scene.toml:15:29"), "{shown}");
    let shown = error(&format!("{BALL}{}", repeat.replace("count = 3", "count = [3, 1]")), &[]);
    assert!(shown.contains("expected a whole number above 0, found an array of 2"), "{shown}");
    let joint = "[[joint]]\nname = \"j\"\nchild = \"bal\"\nanchor = [0, 0, 0]\n";
    let shown = error(&format!("{BALL}{joint}"), &[]);
    assert!(shown.contains("joint.\"j\".child is \"bal\"") && shown.contains("scene.toml:13:9"), "{shown}");
    let joint = "[[joint]]\nname = \"j\"\nchild = \"ball\"\nanchor = [0, 0, 0]\n";
    let shown = error(&format!("{BALL}{joint}soft = {{ stiffness = 1, time_constant = 0.1 }}\n"), &[]);
    assert!(shown.contains("either stiffness and damping, or time_constant"), "{shown}");
    let shown = error(&format!("{BALL}{joint}soft = {{ stiffness = 1 }}\n"), &[]);
    assert!(shown.contains("the joint has no limit that could give way"), "{shown}");
    let shown = error(&format!("{BALL}{joint}range = [-1, 1]\nsoft = {{ damping = -2 }}\n"), &[]);
    assert!(shown.contains("joint.\"j\".soft.damping is -2"), "{shown}");
    let shown = error(&format!("{BALL}{joint}kind = \"slidee\"\n"), &[]);
    assert!(shown.contains("slidee") && shown.contains("universal") && shown.contains("`slide`"), "{shown}");
    let shown =
        error(&format!("{BALL}{joint}kind = \"fixed\"\nmotor = {{ kind = \"torque\", target = 1 }}\n"), &[]);
    assert!(shown.contains("joint.\"j\".motor") && shown.contains("no coordinate"), "{shown}");
    let shown = error(&format!("{BALL}{joint}motor = {{ kind = \"speed\" }}\n"), &[]);
    assert!(shown.contains("speed") && shown.contains("velocity"), "{shown}");
    let shown = error(&format!("{BALL}{joint}[[coupling]]\nkind = \"gear\"\njoints = [\"j\", \"k\"]\n"), &[]);
    assert!(shown.contains("joints is \"k\"") && shown.contains("there is no such joint"), "{shown}");
    let expect = "[expect]\nbodies.bal.z = [0, 1]\n";
    let shown = error(&format!("{BALL}{expect}"), &[]);
    assert!(shown.contains("no such body") && shown.contains("scene.toml:12:"), "{shown}");
    let expect = "[expect]\nledger.heat = [0, 1]\nbodies.ball.zz = [0, 1]\n";
    let shown = error(&format!("{BALL}{expect}"), &[]);
    assert!(shown.contains("no key `heat`") && shown.contains("no key `zz`"), "{shown}");
}
