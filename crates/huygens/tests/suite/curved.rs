//! Contact that lasts on a surface that curves or turns, against closed forms: second order in the step.

use crate::common::{G, position, step, velocity, world};
use crate::passivity::half_pipe;
use huygens::World;
use huygens::math::{scalar, trig};
use huygens::scene::{Axis, Body, Scene, Shape, ShapeKind};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_3, TAU};

/// The default, one that sweeps, and the reference.
const SOLVERS: [&str; 3] = ["soft-step", "sequential-impulse", "ncp/newton"];

/// Complete elliptic integral of the first kind of modulus k, by the arithmetic-geometric mean.
fn elliptic_k(k: f64) -> f64 {
    let (mut a, mut b) = (1.0, (1.0 - k * k).sqrt());
    for _ in 0..8 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    FRAC_PI_2 / a
}

/// Times at which a number of the world passes through zero, from a cubic through four steps.
fn crossings(world: &mut World, dt: f64, count: usize, number: impl Fn(&World) -> f64) -> Vec<f64> {
    let mut last = [number(world); 4];
    let mut found = Vec::new();
    for steps in 1..100_000 {
        step(world);
        last = [last[1], last[2], last[3], number(world)];
        if steps >= 3 && last[1] * last[2] <= 0.0 && last[1] != last[2] {
            let at = |s: f64| {
                let [a, b, c, d] = last;
                // Lagrange on the nodes −1, 0, 1, 2.
                -a * s * (s - 1.0) * (s - 2.0) / 6.0 + b * (s + 1.0) * (s - 1.0) * (s - 2.0) / 2.0
                    - c * (s + 1.0) * s * (s - 2.0) / 2.0
                    + d * (s + 1.0) * s * (s - 1.0) / 6.0
            };
            let [mut low, mut high] = [0.0, 1.0];
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if at(middle) * last[1] > 0.0 { low = middle } else { high = middle }
            }
            found.push(dt * (f64::from(steps) - 2.0 + low));
            if found.len() == count {
                break;
            }
        }
    }
    found
}

/// Holds the errors at dt, dt/2, dt/4 to second order, but for errors below `floor`.
#[track_caller]
fn second_order(what: &str, floor: f64, first: f64, error: impl Fn(f64) -> f64) {
    let errors = [first, 0.5 * first, 0.25 * first].map(|dt| error(dt).abs());
    let order = trig::ln(errors[0] / errors[2]) / trig::ln(4.0);
    println!("{what}: errors {errors:?}, order {order:.2}");
    assert!(order >= 1.9 || scalar::max(errors[1], errors[2]) <= floor, "{what}: {errors:?}, order {order}");
}

#[test]
fn ball_and_cylinder_roll_in_a_half_pipe_with_their_periods() {
    let k = elliptic_k(trig::sin_cos(FRAC_PI_3 / 2.0).0);
    let cylinder = Shape::new(ShapeKind::Cylinder { radius: 0.1, length: 0.3, axis: Axis::Y });
    for solver in SOLVERS {
        for (name, shape, factor) in [("ball", Shape::sphere(0.1), 1.4), ("cylinder", cylinder.clone(), 1.5)]
        {
            let expected = 4.0 * (factor * 0.9 / G).sqrt() * k;
            second_order(&format!("{solver}, {name}"), 1e-5, 1.0 / 120.0, |dt| {
                let mut world = half_pipe(solver, shape.clone(), 0.9, 2.0, dt);
                let at = crossings(&mut world, dt, 3, |world| position(world, "body").x);
                at[2] - at[0] - expected
            });
        }
    }
}

#[test]
fn a_smooth_ball_leaves_a_fixed_ball_at_two_thirds_of_its_height() {
    // From 0.1 rad beside the top: cos θ = ⅔(c₀ + v²/2gR), and the flight keeps v_x = √(gR) cos^{3/2} θ.
    let (distance, start) = (1.1, 0.3);
    let (s, c) = trig::sin_cos(0.1);
    let cosine = 2.0 / 3.0 * (c + start * start / (2.0 * G * distance));
    let expected = (G * distance).sqrt() * cosine * cosine.sqrt();
    for solver in SOLVERS {
        second_order(&format!("{solver}, leaves with {expected:.5} m/s"), 1e-6, 1.0 / 60.0, |dt| {
            let ground = Body::fixed("ground").shape(Shape::sphere(1.0).friction(0.0));
            let ball = Body::dynamic("ball").shape(Shape::sphere(0.1).friction(0.0));
            let ball = ball.at(distance * s, 0.0, distance * c).velocity(start * c, 0.0, -start * s);
            let mut world = world(&Scene::new().dt(dt).solver(solver).body(ground).body(ball));
            while position(&world, "ball").z > 0.0 {
                step(&mut world);
            }
            velocity(&world, "ball").x - expected
        });
    }
}

#[test]
fn a_ball_that_rolls_leaves_a_fixed_ball_at_ten_seventeenths_of_its_height() {
    // cos θ = 10/17 (c₀ + 7v²/10gR), and the flight keeps v_x = √(gR) cos^{3/2} θ. The moment of leaving falls anywhere in a step: the worst of several
    // starts.
    let (distance, speed, radius) = (1.1, 0.3, 0.1);
    for solver in SOLVERS {
        second_order(solver, 1e-6, 1.0 / 60.0, |dt| {
            let error = |start: f64| {
                let (s, c) = trig::sin_cos(start);
                let cosine = 10.0 / 17.0 * (c + 0.7 * speed * speed / (G * distance));
                let ground = Body::fixed("ground").shape(Shape::sphere(1.0).friction(1000.0));
                let ball = Body::dynamic("ball").shape(Shape::sphere(radius).friction(1000.0));
                let ball = ball.at(distance * s, 0.0, distance * c).spin(0.0, speed / radius, 0.0);
                let ball = ball.velocity(speed * c, 0.0, -speed * s);
                let mut world = world(&Scene::new().dt(dt).solver(solver).body(ground).body(ball));
                while position(&world, "ball").z > 0.0 {
                    step(&mut world);
                }
                (velocity(&world, "ball").x - (G * distance).sqrt() * cosine * cosine.sqrt()).abs()
            };
            [0.1, 0.11, 0.12, 0.13, 0.14, 0.15].map(error).into_iter().fold(0.0, scalar::max)
        });
    }
}

#[test]
fn a_smooth_ball_leaves_an_edge_at_two_thirds_of_its_radius() {
    // It goes round the edge of a box or of a mesh with its centre at the distance r: cos θ = ⅔(1 + v²/2gr), v_x = √(gr) cos^{3/2} θ.
    let (radius, start) = (0.1, 0.3);
    let cosine = 2.0 / 3.0 * (1.0 + start * start / (2.0 * G * radius));
    let expected = (G * radius).sqrt() * cosine * cosine.sqrt();
    let field = Shape::height_field(vec![vec![0.0; 3]; 3], 2.0, 2.0);
    let table = Shape::cuboid(2.0, 2.0, 0.2);
    for (name, table, low) in [("box", table, -0.1), ("height field", field, 0.0)] {
        for solver in SOLVERS {
            for (dt, most) in [(1.0 / 240.0, 2e-2), (1.0 / 960.0, 2e-3)] {
                let ground = Body::fixed("ground").shape(table.clone().friction(0.0)).at(0.0, 0.0, low);
                let ball = Body::dynamic("ball").shape(Shape::sphere(radius).friction(0.0));
                let ball = ball.at(0.97, 0.0, radius).velocity(start, 0.0, 0.0);
                let mut world = world(&Scene::new().dt(dt).solver(solver).body(ground).body(ball));
                while position(&world, "ball").z > -2.0 * radius {
                    step(&mut world);
                }
                let error = velocity(&world, "ball").x - expected;
                println!("{name}, {solver}, dt {dt:.1e}: {error:.1e} of {expected:.5} m/s");
                assert!(error.abs() < most, "{name}, {solver}, {dt}: {error:e}");
            }
        }
    }
}

#[test]
fn a_ball_that_rolls_inside_a_vertical_cylinder_swings_with_root_two_sevenths_of_its_orbit() {
    // Released at the top of its swing: z = z₀(1 − cos wt) with w = √(2/7)·Ω and z₀ = −(5/7)g/w².
    let (orbit, path, radius) = (3.0, 0.9, 0.1);
    let w = (2.0_f64 / 7.0).sqrt() * orbit;
    let middle = -5.0 / 7.0 * G / (w * w);
    for solver in SOLVERS {
        let scene = |dt: f64| {
            let pipe = ShapeKind::CylinderInside { radius: 1.0, length: 40.0, axis: Axis::Z };
            let pipe = Body::fixed("pipe").shape(Shape::new(pipe).friction(1000.0));
            let ball = Body::dynamic("ball").shape(Shape::sphere(radius).friction(1000.0)).at(path, 0.0, 0.0);
            let ball = ball.velocity(0.0, orbit * path, 0.0).spin(0.0, 0.0, -orbit * path / radius);
            world(&Scene::new().dt(dt).solver(solver).body(pipe).body(ball))
        };
        second_order(solver, 1e-6, 1.0 / 120.0, |dt| {
            let at = crossings(&mut scene(dt), dt, 3, |world| position(world, "ball").z - middle);
            at[2] - at[0] - TAU / w
        });
        let mut world = scene(1e-3);
        let (start, mut most) = (world.energy(), 0.0);
        for _ in 0..10_000 {
            step(&mut world);
            most = scalar::max(most, world.kinetic_energy());
        }
        let lost = (start - world.energy()) / most;
        println!("{solver}: loses {lost:.1e} in 10 s");
        assert!(lost.abs() < 1e-4, "{solver}: {lost:e}");
    }
}

#[test]
fn a_ball_on_a_turntable_circles_with_two_sevenths_of_its_spin() {
    let (spin, start, speed, radius) = (4.0, 0.5, 0.3, 0.1);
    let w = 2.0 / 7.0 * spin;
    for solver in SOLVERS {
        second_order(solver, 1e-5, 1.0 / 60.0, |dt| {
            let table =
                Body::driven("table", [0.0; 3], [0.0, 0.0, spin]).shape(Shape::half_space().friction(10.0));
            let ball =
                Body::dynamic("ball").shape(Shape::sphere(radius).friction(10.0)).at(start, 0.0, radius);
            let ball = ball.velocity(0.0, speed, 0.0).spin((spin * start - speed) / radius, 0.0, 0.0);
            let mut world = world(&Scene::new().dt(dt).solver(solver).body(table).body(ball));
            while world.time() < 5.0 - 0.5 * dt {
                step(&mut world);
            }
            let (s, c) = trig::sin_cos(w * world.time());
            let off = position(&world, "ball").truncate();
            let [x, y] = [start - speed / w + speed / w * c - off.x, speed / w * s - off.y];
            (x * x + y * y).sqrt()
        });
    }
}

#[test]
fn a_ball_that_rolls_on_a_free_ball_keeps_the_energy_of_both() {
    for solver in SOLVERS {
        // From 0.2 rad beside the top of a ball of 1 m that is free to roll on the floor, until it leaves.
        let scene = |dt: f64| {
            let (s, c) = trig::sin_cos(0.2);
            let floor = Body::fixed("floor").shape(Shape::half_space().friction(1000.0));
            let large = Body::dynamic("large").shape(Shape::sphere(1.0).friction(1000.0)).at(0.0, 0.0, 1.0);
            let small = Body::dynamic("small").shape(Shape::sphere(0.1).friction(1000.0).density(50_000.0));
            let small = small.at(1.1 * s, 0.0, 1.0 + 1.1 * c);
            world(&Scene::new().dt(dt).solver(solver).body(floor).body(large).body(small))
        };
        second_order(solver, 1e-6, 1.0 / 120.0, |dt| {
            let mut world = scene(dt);
            let start = world.energy();
            while world.time() < 0.5 - 0.5 * dt {
                step(&mut world);
            }
            (start - world.energy()) / world.kinetic_energy()
        });
    }
}
