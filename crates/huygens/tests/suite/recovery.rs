//! How overlap is undone is the scene's choice, with the guard and without it.

use crate::common::{floor, position, run, world};
use huygens::math::Vec3;
use huygens::scene::{Body, Scene, StabilisationSpec};

/// Where a cube that lies 2 cm deep in the floor is after a ball has fallen on it: under the guard what the ball loses pays for the lift.
fn lifted(solver: &str, guard: bool, beta: f64, hertz: f64) -> Vec3 {
    let cube = Body::dynamic("cube").cuboid(0.5, 0.5, 0.5).mass(1.0).at(0.0, 0.0, 0.23);
    let ball = Body::dynamic("ball").sphere(0.1).mass(1.0).at(0.01, 0.0, 0.9);
    let mut scene = Scene::new().dt(1.0 / 240.0).solver(solver).body(floor(0.5, 0.0)).body(cube).body(ball);
    scene = scene.stabilisation(StabilisationSpec::SplitImpulse { beta, slop: None });
    scene.world.guard = guard;
    scene.world.soft_step.hertz = hertz;
    let mut world = world(&scene);
    run(&mut world, 96);
    position(&world, "cube")
}

#[test]
fn soft_step_follows_its_spring_and_every_other_model_its_beta_with_the_guard_and_without() {
    for guard in [false, true] {
        for (solver, has_spring) in
            [("soft-step", true), ("sequential-impulse", false), ("ncp/newton", false)]
        {
            let usual = lifted(solver, guard, 0.2, 30.0);
            let other_beta = lifted(solver, guard, 0.01, 30.0);
            let other_spring = lifted(solver, guard, 0.2, 1.0);
            assert_eq!(usual == other_beta, has_spring, "{solver}, guard {guard}: {usual} and {other_beta}");
            assert_eq!(
                usual == other_spring,
                !has_spring,
                "{solver}, guard {guard}: {usual} and {other_spring}"
            );
            assert!(usual.z > 0.23, "{solver}, guard {guard}: it rises: {usual}");
        }
    }
}
