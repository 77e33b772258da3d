//! Surfaces that must hold: cases 66 and 67.

use crate::verify::case::{Case, Figure, Measured, Trouble};
use crate::verify::lab::{largest, position, scene, velocity, view, weightless, world};
use huygens::math::scalar::max;
use huygens::math::{SplitMix, Vec3, trig};
use huygens::scene::{Axis, Body, Scene, Shape};

pub const CASES: &[Case] = &[
    Case {
        number: 66,
        name: "ghost-edge",
        title: "No ghost edges",
        setup: "Ball (r = 0.1 m), box and capsule at 5 m/s over two flush boxes, over a flat mesh of 1 cm and over the seam of two height fields, μ = 0",
        expected: "a straight line: nothing happens at the seam",
        source: "geometry; Jolt #717, Avian #612, Bullet #4273",
        tolerance: "1e-6: largest vertical speed [m/s], sideways [m], loss of speed [m/s]",
        contact: true,
        converges: false,
        long: false,
        measure: ghost_edge,
    },
    Case {
        number: 67,
        name: "bullets",
        title: "100 000 shots at a wall of 1 mm",
        setup: "Balls and spinning rods at 10 … 1000 m/s, random directions, against a static wall of 1 mm, dt = 1 ms",
        expected: "none crosses; the energy is accounted for",
        source: "solids; Rapier's issue_524",
        tolerance: "0 shots",
        contact: true,
        converges: false,
        long: true,
        measure: bullets,
    },
];

/// Largest vertical speed, largest sideways deviation and loss of speed of a body that slides over `ground`.
fn crossing(ground: Scene, slider: Shape, height: f64) -> Result<[f64; 3], Trouble> {
    let body = Body::dynamic("slider").shape(slider.friction(0.0)).at(-1.0, 0.03, height);
    let mut world = world(&ground.body(body.velocity(5.0, 0.0, 0.0)))?;
    let [mut up, mut side, mut loss]: [f64; 3] = [0.0; 3];
    for _ in 0..400 {
        world.step();
        let (p, v) = (position(&world, "slider"), velocity(&world, "slider"));
        up = largest([up, v.z.abs()]);
        side = largest([side, (p.y - 0.03).abs()]);
        loss = largest([loss, 5.0 - v.x]);
    }
    Ok([up, side, loss])
}

fn flush_boxes(solver: &str) -> Scene {
    let tile = |name: &str, x: f64| {
        Body::fixed(name).shape(Shape::cuboid(2.0, 2.0, 1.0).friction(0.0)).at(x, 0.0, -0.5)
    };
    scene(solver).body(tile("left", -1.0)).body(tile("right", 1.0))
}

/// A flat grid of squares of 1 cm, two triangles each, from −1.2 to 1.2 m.
fn flat_mesh(solver: &str) -> Scene {
    let (nx, ny) = (240, 40);
    let corner = |i: u32, j: u32| j * (nx + 1) + i;
    let place = |n: u32, of: u32| (f64::from(n) - 0.5 * f64::from(of)) * 0.01;
    let vertices: Vec<[f64; 3]> =
        (0..=ny).flat_map(|j| (0..=nx).map(move |i| [place(i, nx), place(j, ny), 0.0])).collect();
    let triangles: Vec<[u32; 3]> = (0..ny)
        .flat_map(|j| (0..nx).map(move |i| (i, j)))
        .flat_map(|(i, j)| {
            let [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
            [[a, b, c], [a, c, d]]
        })
        .collect();
    scene(solver).body(Body::fixed("mesh").shape(Shape::mesh(vertices, triangles).friction(0.0)))
}

/// Two flat height fields with cells of 1 cm that meet at x = 0.
fn two_fields(solver: &str) -> Scene {
    let field = |name: &str, x: f64| {
        let heights = vec![vec![0.0; 121]; 41];
        Body::fixed(name).shape(Shape::height_field(heights, 1.2, 0.4).friction(0.0)).at(x, 0.0, 0.0)
    };
    scene(solver).body(field("left", -0.6)).body(field("right", 0.6))
}

fn ghost_edge(solver: &str) -> Measured {
    let sliders = [
        ("ball", Shape::sphere(0.1)),
        ("box", Shape::cuboid(0.2, 0.2, 0.2)),
        ("capsule", Shape::capsule(0.1, 0.2).along(Axis::Y)),
    ];
    let grounds =
        [("flush boxes", flush_boxes(solver)), ("mesh", flat_mesh(solver)), ("fields", two_fields(solver))];
    let mut figures = Vec::new();
    for (ground, scene) in grounds {
        for (name, shape) in &sliders {
            let [up, side, loss] = crossing(scene.clone(), shape.clone(), 0.1)?;
            let which =
                if ground == "flush boxes" { format!("the {name}") } else { format!("the {name}, {ground}") };
            figures.extend([
                Figure::at_most(format!("vertical speed of {which}"), up, 1e-6).unit("m/s"),
                Figure::at_most(format!("sideways of {which}"), side, 1e-6).unit("m"),
                Figure::at_most(format!("loss of speed of {which}"), loss, 1e-6).unit("m/s"),
            ]);
        }
    }
    Ok(figures)
}

/// What a shot did.
struct Shot {
    crossed: bool,
    unexplained: f64,
    gain: f64,
}

fn shoot(solver: &str, random: &mut SplitMix) -> Result<Shot, Trouble> {
    let e = random.unit();
    // Speeds uniform in their logarithm, directions within 45° of the normal.
    let speed = 10.0 * trig::pow(100.0, random.unit());
    let direction = Vec3::new(1.0, random.range(-0.7, 0.7), random.range(-0.7, 0.7)).normalize();
    let velocity = direction * speed;
    let rod = random.unit() < 0.5;
    let shape = if rod { Shape::capsule(0.005, 0.05) } else { Shape::sphere(0.005) };
    let spin = if rod { random.direction() * random.range(0.0, 1000.0) } else { Vec3::ZERO };
    let distance = random.range(0.05, 0.3);
    let mut bullet = Body::dynamic("bullet")
        .shape(shape.restitution(e).friction(0.3))
        .at(-distance, 0.0, 0.0)
        .velocity(velocity.x, velocity.y, velocity.z)
        .spin(spin.x, spin.y, spin.z);
    bullet.orientation = random.rotation();
    let wall = Body::fixed("wall").shape(Shape::cuboid(1e-3, 4.0, 4.0).restitution(e).friction(0.3));
    let scene = weightless(solver).world(|world| world.length = 0.01).body(wall).body(bullet);
    let mut world = world(&scene)?;
    let start = world.energy();
    let mut shot = Shot { crossed: false, unexplained: 0.0, gain: 0.0 };
    let steps = (2.0 * distance / (velocity.x * 1e-3)) as usize + 5;
    for _ in 0..steps {
        world.step();
        let body = view(&world, "bullet");
        shot.crossed |= body.position.x >= 0.0 || body.position.x.is_nan();
        shot.gain = max(shot.gain, world.energy() / start - 1.0);
        if body.linear_velocity.x <= 0.0 && body.position.x < -0.05 {
            break;
        }
    }
    shot.unexplained = world.ledger().worst_ratio();
    Ok(shot)
}

fn bullets(solver: &str) -> Measured {
    let mut random = SplitMix::new(67);
    let (mut crossed, mut unexplained, mut gain) = (0, 0.0, 0.0);
    for _ in 0..100_000 {
        let shot = shoot(solver, &mut random)?;
        crossed += u32::from(shot.crossed);
        unexplained = largest([unexplained, shot.unexplained]);
        gain = largest([gain, shot.gain]);
    }
    Ok(vec![
        Figure::at_most("shots that cross", f64::from(crossed), 0.0),
        Figure::at_most("unexplained energy over its round-off bound", unexplained, 1.0),
        // Newton's restitution with friction may give a spinning rod energy (case 25); the books say so.
        Figure::told("largest gain of energy, relative", gain),
    ])
}
