//! What two surfaces do together, and who meets whom, seen in a world.

use crate::common::{near, run, world};
use huygens::scene::{Body, Combine, Material, Scene, Shape, SurfaceSpec};

/// Deceleration over g of a ball without rotation that slides from material `a` on a floor of material `b`, and its
/// rebound from 1 m/s.
fn measured(scene: &Scene, a: &str, b: &str) -> (f64, f64) {
    let locked = huygens::scene::Lock { linear: [false; 3], angular: [true; 3] };
    let ball = |name: &str| Body::dynamic(name).shape(Shape::sphere(0.5).material(a)).lock(locked);
    let scene = scene
        .clone()
        .dt(1e-3)
        .gravity(0.0, 0.0, -10.0)
        .body(Body::fixed("floor").shape(Shape::half_space().material(b)))
        .body(ball("slides").at(0.0, 0.0, 0.5).velocity(5.0, 0.0, 0.0))
        .body(ball("bounces").at(5.0, 0.0, 0.5 + 1e-6).velocity(0.0, 0.0, -1.0));
    let mut w = world(&scene);
    run(&mut w, 1);
    let rebound = crate::common::velocity(&w, "bounces").z + 10.0 * 1e-3;
    run(&mut w, 99);
    ((5.0 - crate::common::velocity(&w, "slides").x) / 1.0, rebound)
}

/// Two materials with friction 0.2 and 0.8, restitution 0.9 and 0.4.
fn two(combine: Combine) -> Scene {
    Scene::new()
        .world(|w| w.combine = combine)
        .material("a", Material { priority: Some(1), ..Material::new().friction(0.2).restitution(0.9) })
        .material("b", Material { priority: Some(3), ..Material::new().friction(0.8).restitution(0.4) })
}

#[test]
fn each_rule_combines_friction_and_restitution_as_it_says() {
    for (rule, friction, restitution) in [
        (Combine::Max, 0.8, 0.9),
        (Combine::Min, 0.2, 0.4),
        (Combine::Mean, 0.5, 0.65),
        (Combine::Geometric, 0.4, 0.6),
        (Combine::Priority, 0.8, 0.4),
    ] {
        for (a, b) in [("a", "b"), ("b", "a")] {
            let (mu, e) = measured(&two(rule), a, b);
            near(mu, friction, 1e-9, &format!("{rule:?}: friction of {a} on {b}"));
            // The ball falls for 1e-6 s before it touches.
            near(e, restitution, 1e-4, &format!("{rule:?}: restitution of {a} on {b}"));
        }
    }
}

#[test]
fn the_pair_table_wins_over_every_rule_and_leaves_what_it_does_not_name() {
    let own = SurfaceSpec { friction: Some(0.05), ..SurfaceSpec::default() };
    for rule in [Combine::Max, Combine::Min, Combine::Mean, Combine::Geometric, Combine::Priority] {
        let (_, without) = measured(&two(rule), "a", "b");
        let (mu, e) = measured(&two(rule).pair("b", "a", own), "a", "b");
        near(mu, 0.05, 1e-9, "the pair's friction");
        near(e, without, 1e-12, "the rule's restitution");
    }
}

#[test]
fn with_the_rule_table_only_pairs_count_and_a_missing_one_is_an_error() {
    let both = SurfaceSpec { friction: Some(0.3), restitution: Some(0.7), ..SurfaceSpec::default() };
    let mut scene = two(Combine::Table).pair("a", "b", both).pair("a", "a", both);
    let (mu, e) = measured(&scene, "a", "b");
    near(mu, 0.3, 1e-9, "friction of the table");
    near(e, 0.7, 1e-4, "restitution of the table");
    scene.pairs.clear();
    let scene = scene
        .body(Body::fixed("floor").shape(Shape::half_space().material("b")))
        .body(Body::dynamic("ball").shape(Shape::sphere(0.5).material("a")));
    assert!(huygens::World::new(&scene).is_err());
}

#[test]
fn a_body_added_later_needs_its_pairs_too() {
    let both = SurfaceSpec { friction: Some(0.3), ..SurfaceSpec::default() };
    let scene = two(Combine::Table)
        .pair("a", "a", both)
        .body(Body::fixed("floor").shape(Shape::half_space().material("a")))
        .body(Body::dynamic("ball").shape(Shape::sphere(0.5).material("a")).at(0.0, 0.0, 1.0));
    let mut w = world(&scene);
    let other = |name: &str, material: &str| {
        Body::dynamic(name).shape(Shape::sphere(0.5).material(material)).at(3.0, 0.0, 1.0)
    };
    let before = w.hash();
    assert!(w.add_body(&other("b", "b")).is_err());
    assert_eq!((w.hash(), w.bodies().count()), (before, 2));
    w.add_body(&other("a", "a")).unwrap();
}

#[test]
fn shapes_meet_when_each_is_in_the_mask_of_the_other() {
    let ball = |name: &str, x: f64, layer: u32, mask: u32| {
        Body::dynamic(name).shape(Shape::sphere(0.3).groups(layer, mask)).at(x, 0.0, 0.3)
    };
    let scene = Scene::new()
        .dt(0.01)
        .body(Body::fixed("floor").shape(Shape::half_space().groups(0b01, !0)))
        .body(ball("meets", 0.0, 0b01, 0b01))
        .body(ball("ignores", 2.0, 0b01, 0b10))
        .body(ball("ignored", 4.0, 0b10, 0b01).gravity_scale(0.0))
        .body(ball("through", 4.1, 0b01, 0b01).gravity_scale(0.0));
    let mut w = world(&scene);
    run(&mut w, 50);
    near(crate::common::position(&w, "meets").z, 0.3, 1e-9, "rests on the floor");
    // ½ g t² in half a second.
    near(crate::common::position(&w, "ignores").z, 0.3 - 0.5 * 9.81 * 0.25, 1e-9, "falls through");
    near(crate::common::position(&w, "ignored").x, 4.0, 0.0, "two balls in one place that do not meet");
    near(crate::common::position(&w, "through").x, 4.1, 0.0, "two balls in one place that do not meet");
}
