//! Warnings come where a scene will surprise, and in no named scene.

use huygens::World;
use huygens::scene::SceneWarning;
use huygens_formats::{builtin, toml};

fn warnings(name: &str, text: &str) -> Vec<SceneWarning> {
    let loaded = toml::parse(name, text, &[]).unwrap_or_else(|report| panic!("{report}"));
    loaded.check().unwrap_or_else(|report| panic!("{report}"));
    let world = World::new(&loaded.scene).unwrap_or_else(|errors| panic!("{errors}"));
    loaded.scene.warnings(&world)
}

/// The only warning of a scene.
fn one(text: &str) -> SceneWarning {
    let mut found = warnings("scene.toml", text);
    assert_eq!(found.len(), 1, "{found:#?}");
    found.remove(0)
}

/// A ball over a floor, with what is put into their shapes.
fn ball_on_floor(world: &str, ball: &str, floor: &str) -> String {
    format!(
        "[world]\n{world}\n\
         [[body]]\nname = \"floor\"\nmotion = \"static\"\nshape = {{ kind = \"half-space\"{floor} }}\n\
         [[body]]\nname = \"ball\"\nposition = [0, 0, 1]\nshape = {{ kind = \"sphere\", radius = 0.5{ball} }}\n"
    )
}

fn quiet(text: &str) {
    let found = warnings("scene.toml", text);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn no_named_scene_has_a_warning() {
    let mut wrong = Vec::new();
    for name in builtin::names() {
        let text = builtin::text(name).unwrap();
        wrong.extend(warnings(name, text).iter().map(|warning| format!("{name}: {warning}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn restitution_that_the_rule_leaves_without_effect_is_told() {
    let bouncy = ", restitution = 0.8";
    let found = one(&ball_on_floor("", bouncy, ""));
    assert_eq!(found.path.to_string(), "body.\"ball\".shape[0].restitution");
    assert!(found.problem.contains("0.8") && found.problem.contains("\"floor\""), "{found}");
    assert!(
        found.remedy.contains("Give \"floor\" a restitution") && found.remedy.contains("\"max\""),
        "{found}"
    );
    quiet(&ball_on_floor("", bouncy, bouncy));
    quiet(&ball_on_floor("combine = \"max\"", bouncy, ""));
    quiet(&ball_on_floor("combine = \"mean\"", bouncy, ""));
    one(&ball_on_floor("combine = \"min\"", bouncy, ""));
    // Also when other bodies do bounce off it.
    let second = "[[body]]\nname = \"other\"\nposition = [0, 0, 3]\nshape = { kind = \"sphere\", radius = 0.5, restitution = 0.8 }\n";
    one(&(ball_on_floor("", bouncy, "") + second));
    // A floor that is written to be dead is meant to be dead.
    quiet(&ball_on_floor("", bouncy, ", restitution = 0"));
    // They never meet.
    quiet(&ball_on_floor("", ", restitution = 0.8, layer = 2, mask = 2", ""));
    let pair =
        "[materials.a]\nrestitution = 0.8\n[materials.b]\n[[pair]]\na = \"a\"\nb = \"b\"\nrestitution = 0\n";
    quiet(&(ball_on_floor("", ", material = \"a\"", ", material = \"b\"") + pair));
}

#[test]
fn friction_that_the_rule_leaves_without_effect_is_told() {
    quiet(&ball_on_floor("", ", friction = 0.6", ", friction = 0"));
    let found = one(&ball_on_floor("combine = \"max\"", ", friction = 0.1", ""));
    assert!(found.problem.starts_with("the friction 0.1 has no effect on \"floor\""), "{found}");
    assert!(found.problem.contains("has 0.5, the default"), "{found}");
    quiet(&ball_on_floor("", ", friction = 0.6", ", friction = 0.1"));
    let material = "[materials.ice]\nfriction = 0.05\npriority = -1\n";
    let found = one(&(ball_on_floor("combine = \"priority\"", ", material = \"ice\"", "") + material));
    assert!(found.problem.contains("0.05"), "{found}");
}

#[test]
fn bodies_that_overlap_at_the_start_are_told_by_name_and_depth() {
    let sunk = ball_on_floor("", "", "").replace("position = [0, 0, 1]", "position = [0, 0, -1]");
    let found = one(&sunk);
    assert_eq!(found.path.to_string(), "body.\"ball\".position");
    assert!(found.problem.contains("\"ball\"") && found.problem.contains("overlap by 1.5 m"), "{found}");
    quiet(&ball_on_floor("", "", "").replace("position = [0, 0, 1]", "position = [0, 0, 0.4999]"));
    quiet(&ball_on_floor("", ", layer = 2, mask = 2", "").replace("[0, 0, 1]", "[0, 0, -1]"));
    quiet(
        &ball_on_floor("", ", sensor = true }\nmass = 1\ninertia = [1, 1, 1]\n#", "")
            .replace("[0, 0, 1]", "[0, 0, -1]"),
    );
    let heap = "[[repeat]]\nkind = \"stack\"\ncount = 9\nspacing = 0.5\n\
                body = { name = \"b\", shape = { kind = \"box\", size = [1, 1, 1] } }\n";
    let found = warnings("heap.toml", heap);
    assert_eq!(found.len(), 5, "{found:#?}");
    assert_eq!(found[0].path.to_string(), "repeat[0].body[0].position");
    assert!(found[4].problem.contains("and 3 more pairs"), "{}", found[4]);
}

#[test]
fn an_edit_after_the_end_is_told() {
    let edit = |after: u64| {
        ball_on_floor("steps = 100", "", "")
            + &format!("[[edit]]\nafter = {after}\nbody = \"ball\"\nposition = [0, 0, 2]\n")
    };
    let found = one(&edit(100));
    assert_eq!(found.path.to_string(), "edit[0].after");
    assert!(found.problem.contains("after 100 steps") && found.problem.contains("ends after 100"), "{found}");
    quiet(&edit(99));
}

#[test]
fn a_body_that_is_too_fast_for_the_step_is_told_with_a_step_that_would_do() {
    let fast = |speed: f64, dt: f64| {
        let velocity = format!(" }}\nlinear_velocity = [{speed}, 0, 0]\n#");
        ball_on_floor(&format!("dt = {dt}"), &velocity, "")
    };
    let found = one(&fast(300.0, 0.01));
    assert_eq!(found.path.to_string(), "body.\"ball\".linear_velocity");
    assert!(found.problem.contains("goes 3 m in one step of 0.01 s, 3 times its own size"), "{found}");
    assert!(found.remedy.contains("world.dt to 0.0008 s"), "{found}");
    quiet(&fast(300.0, 0.0008));
    quiet(&fast(99.0, 0.01));
    let spin = "[[body]]\nname = \"rod\"\nangular_velocity = [0, 0, 400]\nshape = { kind = \"box\", size = [1, 0.1, 0.1] }\n";
    let found = one(&format!("[world]\ndt = 0.002\n{spin}"));
    assert!(found.problem.contains("turns by 0.8 rad"), "{found}");
    quiet(&format!("[world]\ndt = 0.001\n{spin}"));
    // A ball may spin.
    quiet(&format!(
        "[world]\ndt = 0.002\n{}",
        spin.replace("\"box\", size = [1, 0.1, 0.1]", "\"sphere\", radius = 0.5")
    ));
}

#[test]
fn a_length_far_from_the_bodies_is_told_with_one_that_suits() {
    let bodies = |radius: f64, length: f64| {
        format!(
            "[world]\nlength = {length}\n[[body]]\nname = \"b\"\nshape = {{ kind = \"sphere\", radius = {radius} }}\n"
        )
    };
    let found = one(&bodies(0.01, 1.0));
    assert_eq!(found.path.to_string(), "world.length");
    assert!(found.problem.contains("50 times larger than a typical body (0.02 m)"), "{found}");
    assert!(found.remedy.contains("world.length = 0.02"), "{found}");
    assert!(one(&bodies(50.0, 1.0)).problem.contains("100 times smaller"));
    quiet(&bodies(0.03, 1.0));
    quiet(&bodies(9.0, 1.0));
}

/// A ball of 1 kg on a spring.
fn sprung(stiffness: f64) -> String {
    format!(
        "[world]\ndt = 0.01\n[[body]]\nname = \"ball\"\nmass = 1\nshape = {{ kind = \"sphere\", radius = 0.5 }}\n\
         [[spring]]\nname = \"rope\"\nbodies = \"ball\"\nanchors = [[0, 0, 0], [0, 0, 2]]\nstiffness = {stiffness}\n"
    )
}

#[test]
fn a_spring_that_is_too_stiff_for_the_step_is_told_with_a_step_that_would_do() {
    // h √(k/m) = 1 at 10 kN/m.
    quiet(&sprung(9000.0));
    let found = one(&sprung(11_000.0));
    assert_eq!(found.path.to_string(), "spring.\"rope\".stiffness");
    assert!(found.problem.contains("0.05991 s") && found.problem.contains("far off"), "{found}");
    assert!(found.remedy.contains("world.dt to 0.002 s"), "{found}");
    assert!(one(&sprung(41_000.0)).problem.contains("gain energy"));
    // Two of them on one body add up.
    let second = "[[spring]]\nbodies = \"ball\"\nanchors = [[0, 0, 0], [0, 0, -2]]\nstiffness = 9000\n";
    assert_eq!(warnings("scene.toml", &(sprung(9000.0) + second)).len(), 2);
}

#[test]
fn a_medium_that_acts_on_nothing_is_told() {
    let found = one(&("[medium]\n".to_owned() + &sprung(1.0).replacen("[world]\ndt = 0.01\n", "", 1)));
    assert_eq!(found.path.to_string(), "medium");
    assert!(found.remedy.contains("medium = {"), "{found}");
    quiet(
        &("[medium]\n".to_owned()
            + &sprung(1.0).replace("mass = 1\n", "mass = 1\nmedium = { drag = 0.47 }\n")),
    );
}
