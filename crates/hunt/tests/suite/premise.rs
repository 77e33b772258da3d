//! A judge says nothing about a scene that lost what it is about, and names it.

use crate::sound::Contactless;
use huygens::Scene;
use huygens::math::Quat;
use huygens::scene::{Body, Shape};
use huygens_hunt::{Judgement, Kind, Worlds, judge};

/// Why a judge says nothing about a scene.
fn refusal(kind: Kind, scene: &Scene) -> String {
    match judge(kind, &Contactless, scene) {
        Judgement::NotJudged(why) => why,
        Judgement::Judged(verdict) => panic!("judged: {verdict:?}"),
    }
}

fn ball(name: &str, x: f64, z: f64) -> Body {
    Body::dynamic(name).sphere(0.02).at(x, 0.0, z)
}

/// A closed box, a plate across it and a shot at it.
fn range(plate: f64) -> Scene {
    Scene::new()
        .steps(5)
        .body(Body::fixed("box").shape(Shape::box_inside(1.0, 1.0, 2.0)))
        .body(Body::fixed("thin 1").shape(Shape::cuboid(plate, plate, 0.002)))
        .body(ball("shot 1", 0.0, 0.1).velocity(0.0, 0.0, -1.0))
}

fn without(scene: &Scene, name: &str) -> Scene {
    let mut less = scene.clone();
    less.bodies.retain(|body| body.name != name);
    less
}

#[test]
fn passage_wants_a_box_a_shot_and_no_way_round() {
    let whole = range(1.0);
    assert!(judge(Kind::Passage, &Worlds, &whole).fault().is_none());
    assert!(refusal(Kind::Passage, &without(&whole, "box")).contains("not one box"));
    assert!(refusal(Kind::Passage, &without(&whole, "shot 1")).contains("no shot"));
    assert!(refusal(Kind::Passage, &range(0.9)).contains("does not span"));
    let mut tilted = range(1.0);
    tilted.bodies[1].orientation = Quat::from_xyzw(0.1, 0.0, 0.0, 1.0).normalize();
    assert!(refusal(Kind::Passage, &tilted).contains("does not span"));
    let mut loose = range(1.0);
    loose.bodies[1].motion = huygens::scene::Motion::Dynamic;
    assert!(refusal(Kind::Passage, &loose).contains("beside it"));
    let inside = whole.body(ball("shot 2", 0.01, 0.1));
    assert!(refusal(Kind::Passage, &inside).contains("overlap at the start"));
}

#[test]
fn passage_blames_a_shot_that_flies_through() {
    // Nothing touches anything: 10 m/s through the plate in the 0.01 s of three steps.
    let mut scene = range(1.0);
    scene.bodies[2].linear_velocity.z = -10.0;
    let said = judge(Kind::Passage, &Contactless, &scene);
    let fault = said.fault().expect("a shot on the other side");
    assert!(fault.step == 3 && fault.what.contains("shot 1"), "{fault:?}");
}

#[test]
fn ghost_wants_a_clear_step_and_judges_until_the_first_meeting() {
    let still = Body::fixed("target").shape(Shape::sphere(0.1));
    let scene = |x: f64| {
        let flyer = ball("passer 1", x, 0.0).velocity(-10.0, 0.0, 0.0);
        Scene::new().gravity(0.0, 0.0, 0.0).dt(0.01).steps(5).body(still.clone()).body(flyer)
    };
    assert!(refusal(Kind::Ghost, &scene(0.15)).contains("meet in the first step"));
    // 0.23 m away at 0.1 m a step: two steps are clear, the third one is not.
    let Judgement::Judged(verdict) = judge(Kind::Ghost, &Contactless, &scene(0.12 + 0.23)) else {
        panic!("not judged");
    };
    assert_eq!((verdict.figure, verdict.step), (0.0, 2));
    assert!(refusal(Kind::Ghost, &without(&scene(1.0), "target")).contains("another body"));
}

#[test]
fn locality_wants_strangers_that_stay_away() {
    let scene =
        |x: f64| Scene::new().steps(3).body(ball("body 1", 0.0, 1.0)).body(ball("stranger 1", x, 1.0));
    assert!(judge(Kind::Locality, &Contactless, &scene(1.0)).fault().is_none());
    assert!(refusal(Kind::Locality, &scene(0.07)).contains("near"));
    assert!(refusal(Kind::Locality, &without(&scene(1.0), "stranger 1")).contains("not both"));
}
