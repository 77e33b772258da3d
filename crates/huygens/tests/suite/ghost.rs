//! Verification case 66: bodies that slide over inner edges of a flat ground feel nothing of them.

use crate::common::{G, position, spin, step, velocity, world};
use huygens::math::Vec3;
use huygens::scene::{Axis, Body, Scene, Shape};

/// Speed of the slide [m/s].
const SPEED: f64 = 5.0;

/// A regular grid of triangles over `x` by `y` metres about the origin in the plane z = 0.
fn sheet(x: f64, y: f64, cell: f64) -> Shape {
    let (nx, ny) = ((x / cell).round() as u32, (y / cell).round() as u32);
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for j in 0..=ny {
        for i in 0..=nx {
            vertices.push([f64::from(i) * cell - 0.5 * x, f64::from(j) * cell - 0.5 * y, 0.0]);
        }
    }
    for j in 0..ny {
        for i in 0..nx {
            let a = j * (nx + 1) + i;
            let b = a + nx + 1;
            // Alternating diagonals: edges in every direction.
            if (i + j) % 2 == 0 {
                triangles.extend([[a, a + 1, b], [a + 1, b + 1, b]]);
            } else {
                triangles.extend([[a, a + 1, b + 1], [a, b + 1, b]]);
            }
        }
    }
    Shape::mesh(vertices, triangles)
}

fn ground(name: &str) -> Vec<Body> {
    let fixed = |name: &str| Body::fixed(name.to_owned());
    match name {
        "triangles of 1 cm" => vec![fixed("ground").shape(sheet(6.0, 0.7, 0.01).friction(0.0))],
        "triangles of 0.3 m" => vec![fixed("ground").shape(sheet(6.0, 1.2, 0.3).friction(0.0))],
        "height field" => {
            let rows = vec![vec![0.0; 121]; 25];
            vec![fixed("ground").shape(Shape::height_field(rows, 6.0, 1.25).friction(0.0))]
        }
        "seam of two height fields" => [-1.5, 1.5]
            .into_iter()
            .map(|x| {
                let field = Shape::height_field(vec![vec![0.0; 31]; 13], 3.0, 1.25);
                fixed(&format!("field {x}")).shape(field.friction(0.0).at(x, 0.0, 0.0))
            })
            .collect(),
        "compound of boxes" => {
            let part =
                |i: i32| Shape::cuboid(0.25, 1.0, 0.1).at(0.25 * f64::from(i), 0.0, -0.05).friction(0.0);
            vec![(-12..=12).fold(fixed("ground"), |body, i| body.shape(part(i)))]
        }
        "row of boxes" => (-12..=12)
            .map(|i| {
                fixed(&format!("box {i}")).shape(Shape::cuboid(0.25, 1.0, 0.1).friction(0.0)).at(
                    0.25 * f64::from(i),
                    0.0,
                    -0.05,
                )
            })
            .collect(),
        other => panic!("no ground {other}"),
    }
}

const GROUNDS: [&str; 6] = [
    "triangles of 1 cm",
    "triangles of 0.3 m",
    "height field",
    "seam of two height fields",
    "compound of boxes",
    "row of boxes",
];

/// The sliders, each with the height of its origin over the ground.
fn sliders() -> Vec<(&'static str, Shape, f64)> {
    vec![
        ("sphere", Shape::sphere(0.1), 0.1),
        ("capsule", Shape::capsule(0.1, 0.2).along(Axis::Y), 0.1),
        ("capsule along the way", Shape::capsule(0.1, 0.2).along(Axis::X), 0.1),
        ("box", Shape::cuboid(0.2, 0.2, 0.2), 0.1),
        ("cylinder on its end", Shape::cylinder(0.1, 0.2), 0.1),
        ("cylinder on its side", Shape::cylinder(0.1, 0.2).along(Axis::Y), 0.1),
        ("cone on its base", Shape::cone(0.1, 0.2), 0.1),
        ("ellipsoid", Shape::ellipsoid(0.15, 0.12, 0.1), 0.1),
    ]
}

struct Worst {
    loss: f64,
    up: f64,
    aside: f64,
    spin: f64,
}

/// Slides `shape` over the ground for 4 m, obliquely by `aside` of its speed.
fn slide(ground: &[Body], shape: &Shape, height: f64, aside: f64, solver: &str) -> Worst {
    let mut scene = Scene::new().dt(1.0 / 240.0).solver(solver);
    for body in ground {
        scene = scene.body(body.clone());
    }
    let slider = Body::dynamic("slider").shape(shape.clone().friction(0.0)).at(-2.1, -0.02, height);
    let start = Vec3::new(SPEED, aside * SPEED, 0.0);
    let mut world = world(&scene.body(slider.velocity(start.x, start.y, 0.0)));
    let mut worst = Worst { loss: 0.0, up: 0.0, aside: 0.0, spin: 0.0 };
    let larger = |a: &mut f64, b: f64| *a = if b > *a { b } else { *a };
    for _ in 0..180 {
        step(&mut world);
        let v = velocity(&world, "slider");
        larger(&mut worst.loss, (v.x - start.x).abs());
        larger(&mut worst.aside, (v.y - start.y).abs());
        larger(&mut worst.up, v.z);
        larger(&mut worst.spin, spin(&world, "slider").length());
    }
    assert!(position(&world, "slider").z > 0.99 * height, "it fell through");
    worst
}

#[test]
fn bodies_slide_over_inner_edges_without_loss() {
    let mut faults = Vec::new();
    for name in GROUNDS {
        let ground = ground(name);
        for (slider, shape, height) in sliders() {
            for (aside, solver) in [(0.0, "soft-step"), (0.01, "soft-step"), (0.01, "sequential-impulse")] {
                let found = slide(&ground, &shape, height, aside, solver);
                let line = format!(
                    "{slider} on {name}, {solver}: loss {:.1e}, aside {:.1e}, up {:.1e} m/s, spin {:.1e} rad/s",
                    found.loss, found.aside, found.up, found.spin
                );
                println!("{line}");
                // Issue 5: 1e-6 of the speed; upwards nothing but round-off of g·dt. One step of soft-step leaves a body that
                // stands on two boxes with a little spin (measured 7e-3 rad/s), and a cone, whose centre is low, with 4e-5 m/s.
                let (up, turn) = match (solver, slider) {
                    ("soft-step", "cone on its base") => (1e-4, 0.05),
                    ("soft-step", _) => (1e-9 * G, 0.01),
                    _ => (1e-9 * G, 1e-4),
                };
                let good = found.loss < 1e-6 * SPEED
                    && found.aside < 1e-6 * SPEED
                    && found.up < up
                    && found.spin < turn;
                if !good {
                    faults.push(line);
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_step_of_one_hundredth_stops_a_body() {
    // The second box is 2 mm higher than the first; the slider is 0.2 m.
    for (name, shape, height) in sliders().into_iter().filter(|s| s.0 == "box" || s.0.contains("end")) {
        let part = |i: i32| {
            let rise = if i > 0 { 0.002 } else { 0.0 };
            Body::fixed(format!("box {i}")).shape(Shape::cuboid(0.25, 1.0, 0.1).friction(0.0)).at(
                0.25 * f64::from(i),
                0.0,
                -0.05 + rise,
            )
        };
        let row: Vec<Body> = (-12..=12).map(part).collect();
        let found = slide(&row, &shape, height, 0.0, "soft-step");
        assert!(found.loss > 0.1 * SPEED, "{name} lost only {} m/s", found.loss);
    }
}

#[test]
fn a_ball_that_takes_one_brick_with_it_meets_the_next() {
    // Two loose bricks are flush, and the ball comes down on the face of one, beside the seam: the edge of the other is hidden only for
    // as long as that face holds.
    let brick = |name: &str, x: f64| Body::dynamic(name).shape(Shape::cuboid(0.4, 0.4, 0.4)).at(x, 0.0, -0.2);
    let ball = Body::dynamic("ball").shape(Shape::sphere(0.4).density(2000.0));
    for solver in ["soft-step", "sequential-impulse"] {
        let scene = Scene::new()
            .dt(1.0 / 240.0)
            .gravity(0.0, 0.0, 0.0)
            .solver(solver)
            .body(brick("left", -0.2))
            .body(brick("right", 0.2))
            .body(ball.clone().at(0.1, 0.0, 0.55).velocity(0.0, 0.0, -9.0));
        let mut world = world(&scene);
        let mut deepest = 0.0;
        for _ in 0..30 {
            step(&mut world);
            deepest = if world.max_penetration() > deepest { world.max_penetration() } else { deepest };
        }
        assert!(velocity(&world, "left").z < -1.0, "{solver}: the second brick is not met");
        assert!(deepest < 0.004, "{solver}: {deepest} m deep");
    }
}
