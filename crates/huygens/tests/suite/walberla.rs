//! The oracles of waLBerla's own tests: a unit step, no gravity, and what one step must do.

use crate::common::{friction_solvers, hard_solvers, near, position, step, velocity, world};
use huygens::scene::{Body, Integrator, Scene, Shape, StabilisationSpec};

/// A sphere of radius 1.1 above the plane z = 5; dt = 1, no gravity, friction 0.2.
fn over_plane(solver: &str, integrator: Integrator, z: f64, v: f64) -> Scene {
    let plane = Body::fixed("plane").shape(Shape::half_space().friction(0.2)).at(0.0, 0.0, 5.0);
    let ball =
        Body::dynamic("ball").shape(Shape::sphere(1.1).friction(0.2)).at(0.0, 0.0, z).velocity(0.0, 0.0, v);
    Scene::new()
        .gravity(0.0, 0.0, 0.0)
        .dt(1.0)
        .solver(solver)
        .world(|world| world.integrator = integrator)
        .body(plane)
        .body(ball)
}

fn each(mut test: impl FnMut(&str, Integrator)) {
    for solver in hard_solvers() {
        for integrator in [Integrator::KickDriftKick, Integrator::SymplecticEuler] {
            test(solver, integrator);
        }
    }
}

const EXACT: f64 = 1e-9;

#[test]
fn overlap_is_undone_by_the_share_erp_whatever_the_speed_before() {
    each(|solver, integrator| {
        for (erp, z, v) in [(1.0, 6.1, 0.1), (0.5, 6.05, 0.05), (0.0, 6.0, 0.0)] {
            for before in [0.0, -1.0] {
                let scene = over_plane(solver, integrator, 6.0, before)
                    .stabilisation(StabilisationSpec::Baumgarte { erp, cap: None });
                let mut world = world(&scene);
                step(&mut world);
                near(position(&world, "ball").z, z, EXACT, solver);
                near(velocity(&world, "ball").z, v, EXACT, solver);
            }
        }
    });
}

#[test]
fn without_speculation_a_closing_ball_passes_the_surface() {
    each(|solver, integrator| {
        let scene = over_plane(solver, integrator, 6.2, -0.2).world(|world| world.speculative = false);
        let mut world = world(&scene);
        step(&mut world);
        near(position(&world, "ball").z, 6.0, EXACT, solver);
    });
}

#[test]
fn with_speculation_it_closes_the_gap_and_stops_in_the_next_step() {
    each(|solver, integrator| {
        let mut world = world(&over_plane(solver, integrator, 6.2, -0.2));
        step(&mut world);
        near(position(&world, "ball").z, 6.1, EXACT, solver);
        near(velocity(&world, "ball").z, -0.1, EXACT, solver);
        step(&mut world);
        near(position(&world, "ball").z, 6.1, EXACT, solver);
        near(velocity(&world, "ball").z, 0.0, EXACT, solver);
    });
}

#[test]
fn two_overlapping_spheres_share_the_correction() {
    each(|solver, integrator| {
        let ball = |name: &str, x: f64| Body::dynamic(name).sphere(1.1).at(x, 0.0, 0.0);
        let scene = Scene::new()
            .gravity(0.0, 0.0, 0.0)
            .dt(1.0)
            .solver(solver)
            .stabilisation(StabilisationSpec::Baumgarte { erp: 1.0, cap: None })
            .world(|world| world.integrator = integrator)
            .body(ball("left", 0.0))
            .body(ball("right", 2.0));
        let mut world = world(&scene);
        step(&mut world);
        near(velocity(&world, "left").x, -0.1, EXACT, solver);
        near(velocity(&world, "right").x, 0.1, EXACT, solver);
        near(position(&world, "left").x, -0.1, EXACT, solver);
        near(position(&world, "right").x, 2.1, EXACT, solver);
    });
}

#[test]
fn a_sliding_sphere_ends_rolling_at_five_sevenths_of_its_speed() {
    for solver in friction_solvers() {
        let scene = Scene::new()
            .gravity(0.0, 0.0, -10.0)
            .dt(0.002)
            .solver(solver)
            .body(Body::fixed("plane").shape(Shape::half_space().friction(0.2)))
            .body(
                Body::dynamic("ball")
                    .shape(Shape::sphere(1.0).friction(0.2).density(1.0))
                    .at(0.0, 0.0, 1.0)
                    .velocity(5.0, 0.0, 0.0),
            );
        let mut world = world(&scene);
        crate::common::run(&mut world, 500);
        near(velocity(&world, "ball").x, 25.0 / 7.0, 0.01, solver);
        near(crate::common::spin(&world, "ball").y, 25.0 / 7.0, 0.01, solver);
    }
}
