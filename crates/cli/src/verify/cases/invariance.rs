//! Frame invariance and residuals: cases 68 and 70.

use crate::verify::case::{Case, Figure, Measured, Trouble};
use crate::verify::lab::{floor, largest, run, scene, world};
use huygens::World;
use huygens::contact::Certificate;
use huygens::math::{Quat, SplitMix, Vec3, trig};
use huygens::scene::{Axis, Body, Scene, Shape, ShapeKind};

pub const CASES: &[Case] = &[
    Case {
        number: 68,
        name: "residuals",
        title: "Residuals of the exact law",
        setup: "A box on a slope, a stack of 10, a pile of 60 balls and a pile of 30 boxes and capsules, 2000 sweeps allowed; the last 20 of 200 steps",
        expected: "natural map, gap, cone and complementarity residuals of the Coulomb problem are 0",
        source: "De Saxcé's bipotential form, as FCLib states it; judged outside the solvers",
        tolerance: "1e-6, as in ContactBench",
        contact: true,
        converges: false,
        long: false,
        measure: residuals,
    },
    Case {
        number: 70,
        name: "invariance",
        title: "The same physics in every frame",
        setup: "Six bodies fall on a floor and on each other for 1 s; the world mirrored, turned, moved, and its bodies in another order",
        expected: "the same places after mapping back",
        source: "symmetry of mechanics; Jolt #1740, #983",
        tolerance: "1e-9 m mirrored; 1e-6 m turned, moved, reordered",
        contact: true,
        converges: false,
        long: false,
        measure: invariance,
    },
];

/// Five walls that keep a pile together.
fn bin(half: f64, mu: f64) -> Vec<Body> {
    let wall = |name: &str, x: f64, y: f64| {
        Body::fixed(name).shape(Shape::half_space().facing(x, y, 0.0).friction(mu)).at(
            -x * half,
            -y * half,
            0.0,
        )
    };
    vec![
        wall("w1", 1.0, 0.0),
        wall("w2", -1.0, 0.0),
        wall("w3", 0.0, 1.0),
        wall("w4", 0.0, -1.0),
        floor(mu, 0.0),
    ]
}

fn pile(mut scene: Scene, count: u32, shape: impl Fn(u32) -> Shape) -> Scene {
    for body in bin(1.0, 0.5) {
        scene = scene.body(body);
    }
    let mut random = SplitMix::new(68);
    for i in 0..count {
        let (x, y, z) = (f64::from(i % 3), f64::from(i / 3 % 3), f64::from(i / 9));
        let shaken = random.in_cube() * 0.05;
        let body = Body::dynamic(format!("grain{i}")).shape(shape(i).friction(0.5));
        let at = Vec3::new(0.6 * (x - 1.0), 0.6 * (y - 1.0), 0.3 + 0.55 * z) + shaken;
        scene = scene.body(body.at(at.x, at.y, at.z));
    }
    scene
}

fn worst_residual(scene: Scene) -> Result<Certificate, Trouble> {
    let scene = scene.world(|world| {
        world.iterations = 2000;
        world.tolerance = 1e-12;
    });
    let mut world = world(&scene)?;
    run(&mut world, 180);
    world.want_certificate(true);
    let mut worst = Certificate::default();
    for _ in 0..20 {
        if let Some(certificate) = world.step().certificate {
            worst = worst.worst(certificate);
        }
    }
    Ok(worst)
}

fn residuals(solver: &str) -> Measured {
    let (s, c) = trig::sin_cos(0.3);
    let base = || scene(solver).dt(1.0 / 240.0);
    let slope = Body::fixed("floor").shape(Shape::half_space().facing(s, 0.0, c).friction(0.5));
    let on_slope =
        Body::dynamic("box").cuboid(1.0, 1.0, 0.4).at(0.2 * s, 0.0, 0.2 * c).turned([0.0, 1.0, 0.0], 0.3);
    let mut stack = base().body(floor(0.5, 0.0));
    for i in 0..10 {
        stack = stack.body(Body::dynamic(format!("cube{i}")).cuboid(1.0, 1.0, 1.0).at(
            0.0,
            0.0,
            0.5 + f64::from(i),
        ));
    }
    let mixed = |i: u32| {
        if i.is_multiple_of(2) {
            Shape::cuboid(0.4, 0.4, 0.4)
        } else {
            Shape::capsule(0.15, 0.3).along(Axis::X)
        }
    };
    let problems = [
        ("box on a slope", base().body(slope).body(on_slope)),
        ("stack of 10", stack),
        ("pile of balls", pile(base(), 60, |_| Shape::sphere(0.25))),
        ("pile of boxes and capsules", pile(base(), 30, mixed)),
    ];
    let mut figures = Vec::new();
    for (name, scene) in problems {
        let found = worst_residual(scene)?;
        let other = largest([found.gap, found.cone, found.complementarity]);
        figures.push(Figure::at_most(format!("natural map, {name}"), found.natural_map, 1e-6));
        figures.push(Figure::at_most(format!("gap, cone, complementarity, {name}"), other, 1e-6));
    }
    Ok(figures)
}

/// A change of the frame: mirrored in x or not, then turned, then moved.
struct Frame {
    mirror: bool,
    turn: Quat,
    shift: Vec3,
}

impl Frame {
    fn vector(&self, v: Vec3) -> Vec3 {
        self.turn * if self.mirror { Vec3::new(-v.x, v.y, v.z) } else { v }
    }

    /// A spin is an axial vector: mirrored, it keeps what a vector would change.
    fn spin(&self, w: Vec3) -> Vec3 {
        self.turn * if self.mirror { Vec3::new(w.x, -w.y, -w.z) } else { w }
    }

    fn rotation(&self, q: Quat) -> Quat {
        self.turn * if self.mirror { Quat::from_xyzw(q.x, -q.y, -q.z, q.w) } else { q }
    }

    /// The scene in this frame. Its shapes are all symmetric about x.
    fn scene(&self, scene: &Scene) -> Scene {
        let mut moved = scene.clone();
        moved.world.gravity = self.vector(moved.world.gravity);
        for body in &mut moved.bodies {
            body.position = self.vector(body.position) + self.shift;
            body.orientation = self.rotation(body.orientation);
            body.linear_velocity = self.vector(body.linear_velocity);
            body.angular_velocity = self.spin(body.angular_velocity);
        }
        moved
    }
}

fn tumble(solver: &str) -> Scene {
    let box_ = |name: &str, x: f64, z: f64| {
        let shape = Shape::cuboid(0.5, 0.4, 0.3).friction(0.5).restitution(0.3);
        Body::dynamic(name).shape(shape).at(x, 0.03, z)
    };
    let rod = Shape::capsule(0.15, 0.5).along(Axis::Y).friction(0.5).restitution(0.3);
    scene(solver)
        .body(floor(0.5, 0.3))
        .body(box_("low", 0.0, 0.15))
        .body(box_("high", 0.05, 0.46))
        .body(box_("tilted", 0.9, 0.5).turned([0.3, 1.0, 0.2], 0.4).spin(0.5, 1.0, -0.3))
        .body(Body::dynamic("rod").shape(rod).at(-0.8, 0.1, 0.4).spin(0.0, 0.0, 2.0))
        .body(
            Body::dynamic("ball")
                .shape(Shape::sphere(0.2).friction(0.5).restitution(0.3))
                .at(-0.3, 0.0, 1.0)
                .velocity(1.0, 0.1, -1.0),
        )
        .body(
            Body::dynamic("late")
                .shape(
                    Shape::new(ShapeKind::Cylinder { radius: 0.2, length: 0.3, axis: Axis::Z }).friction(0.5),
                )
                .at(0.4, -0.9, 0.6)
                .velocity(0.0, 0.8, 0.0),
        )
}

/// Places by name after a second.
fn places(scene: &Scene) -> Result<World, Trouble> {
    let mut world = world(scene)?;
    run(&mut world, 1000);
    Ok(world)
}

fn invariance(solver: &str) -> Measured {
    let base = tumble(solver);
    let reference = places(&base)?;
    let off = |frame: &Frame, scene: &Scene| -> Result<f64, Trouble> {
        let world = places(scene)?;
        Ok(largest(reference.bodies().filter(|body| body.mass > 0.0).map(|body| {
            let there = world.bodies().find(|other| other.name == body.name);
            let expected = frame.vector(body.position) + frame.shift;
            there.map_or(f64::NAN, |there| (there.position - expected).length())
        })))
    };
    let same = || Frame { mirror: false, turn: Quat::IDENTITY, shift: Vec3::ZERO };
    let mirrored = Frame { mirror: true, ..same() };
    let turned = Frame { turn: trig::axis_angle(Vec3::new(0.6, 0.0, 0.8), 1.1), ..same() };
    let moved = Frame { shift: Vec3::new(30.0, -20.0, 10.0), ..same() };
    let mut reordered = base.clone();
    reordered.bodies.reverse();
    Ok(vec![
        Figure::at_most("mirrored", off(&mirrored, &mirrored.scene(&base))?, 1e-9).unit("m"),
        Figure::at_most("turned", off(&turned, &turned.scene(&base))?, 1e-6).unit("m"),
        Figure::at_most("moved", off(&moved, &moved.scene(&base))?, 1e-6).unit("m"),
        Figure::at_most("reordered", off(&same(), &reordered)?, 1e-6).unit("m"),
    ])
}
