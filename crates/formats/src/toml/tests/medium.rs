//! `[medium]`, `medium` of bodies and `[[spring]]`.

use super::{error, load};
use huygens::scene::*;
use huygens_math::Vec3;

const SCENE: &str = r#"
[medium]
density = 1000
surface = 2
wind = [1, 0, 0]

[[body]]
name = "ball"
medium = { drag = 0.47, buoyancy = true }
linear_damping = 0.1
shape = { kind = "sphere", radius = 0.5 }

[[spring]]
name = "rope"
bodies = "ball"
anchors = [[0, 0, 0], [0, 0, 3]]
stiffness = 10
"#;

fn set(sets: &[&str]) -> Scene {
    load(SCENE, sets).unwrap_or_else(|report| panic!("{report}")).scene
}

#[test]
fn a_medium_and_a_spring_are_read() {
    let scene = set(&[]);
    let medium = scene.medium.expect("it is written");
    assert_eq!((medium.density, medium.surface), (1000.0, Some(2.0)));
    assert_eq!(medium.wind, [WindSpec::uniform(1.0, 0.0, 0.0)]);
    let body = &scene.bodies[0];
    assert_eq!(body.medium, Some(BodyMediumSpec { buoyancy: true, ..BodyMediumSpec::drag(0.47) }));
    assert_eq!(body.linear_damping, 0.1);
    assert_eq!(scene.springs, [Spring::to_world("rope", "ball", [[0.0; 3], [0.0, 0.0, 3.0]], 10.0)]);
}

#[test]
fn they_are_set_from_the_command_line() {
    assert_eq!(set(&["medium.density=2"]).medium.map(|medium| medium.density), Some(2.0));
    let wind = set(&[
        "medium.wind=[{ velocity = [0, 0, 1], region = [[0, 0, 0], [1, 1, 1]] }, { velocity = [2, 0, 0] }]",
    ]);
    let wind = wind.medium.map(|medium| medium.wind).unwrap_or_default();
    assert_eq!(wind.len(), 2);
    assert_eq!(wind[0].region, Some([Vec3::ZERO, Vec3::ONE]));
    assert_eq!(set(&["body.ball.medium.magnus=1e-4"]).bodies[0].medium.clone().map(|m| m.magnus), Some(1e-4));
    assert_eq!(set(&["body.ball.angular_damping=3"]).bodies[0].angular_damping, 3.0);
    assert_eq!(set(&["spring.rope.damping=0.5"]).springs[0].damping, 0.5);
    assert_eq!(set(&["spring.0.length=0.5"]).springs[0].length, Some(0.5));
}

#[test]
fn what_is_wrong_is_shown_at_its_line() {
    #[track_caller]
    fn assert_broken(from: &str, to: &str, parts: &[&str]) {
        assert!(SCENE.contains(from));
        let error = error(&SCENE.replace(from, to), &[]);
        for part in parts {
            assert!(error.contains(part), "no {part:?} in\n{error}");
        }
    }
    assert_broken("drag =", "drga =", &["there is no key `drga`", "scene.toml:9", "Did you mean `drag`?"]);
    assert_broken("density =", "desnity =", &["`desnity`", "scene.toml:3", "`density`"]);
    assert_broken("[medium]", "[medum]", &["`medum`", "Did you mean `medium`?"]);
    assert_broken("bodies = \"ball\"", "bodies = \"bal\"", &["scene.toml:15", "Did you mean `ball`?"]);
    assert_broken("stiffness = 10", "stiffness = -10", &["scene.toml:17", "the stiffness"]);
    assert_broken("stiffness = 10", "", &["stiffness", "is missing", "[N/m]"]);
    assert_broken(
        "anchors = [[0, 0, 0], [0, 0, 3]]",
        "anchors = [0, 0, 0]",
        &["two points", "scene.toml:16"],
    );
    assert_broken("wind = [1, 0, 0]", "wind = 3", &["scene.toml:5", "a velocity [x, y, z]"]);
    assert_broken("wind = [1, 0, 0]", "wind = { speed = 3 }", &["there is no key `speed`"]);
    assert_broken("density = 1000\n", "density = nan\n", &["scene.toml:3", "density"]);
}
