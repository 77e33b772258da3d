//! Makes the collection of contact problems: steps small scenes, takes the problem of one step, solves it with the
//! reference and writes both to `crates/contact/collection`.
//!
//! `cargo run --release -p huygens --example collection`

use huygens::World;
use huygens::contact::{
    Head, Law, Row, Scratch, Settings, Side, Solution, SolverKind, StoredCase, StoredProblem, StoredSolution,
    Warm,
};
use huygens::math::{SplitMix, Vec3, trig};
use huygens::scene::{Axis, Body, Joint, Lock, Material, Scene, Shape, SurfaceSpec};
use std::path::Path;

/// Most points of a problem: the collection stays small.
const MOST_POINTS: usize = 150;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../contact/collection");
    std::fs::create_dir_all(&folder)?;
    let (mut count, mut bytes) = (0, 0);
    for (name, problem) in problems()? {
        let case = solved(&name, problem);
        let text = case.to_string();
        let points = case.problem.groups.points.len();
        assert!(points <= MOST_POINTS, "{name}: {points} points");
        let natural_map = case.solution.as_ref().map_or(f64::NAN, |s| s.certificate.natural_map);
        println!("{name:32} {points:4} points {:4} rows  {natural_map:9.1e}", case.problem.groups.rows.len());
        std::fs::write(folder.join(format!("{name}.txt")), &text)?;
        (count, bytes) = (count + 1, bytes + text.len());
    }
    println!("{count} problems, {bytes} bytes");
    Ok(())
}

/// A problem with the answer of the reference, without stabilisation: the law that the judge tests.
fn solved(name: &str, problem: StoredProblem) -> StoredCase {
    let view = problem.view();
    let settings = Settings { iterations: 5000, ..Settings::for_scale(view.scale) };
    let mut out = Solution::default();
    let kind = SolverKind::NcpNewton;
    kind.solve(&settings, &view, Warm::default(), &mut Scratch::default(), &mut out);
    let solution = StoredSolution::of(kind.name(), &view, &out);
    StoredCase { name: name.to_owned(), problem, solution: Some(solution) }
}

type Problems = Vec<(String, StoredProblem)>;

/// Steps a scene and takes the problem of the last of `steps`.
fn take(out: &mut Problems, name: &str, scene: &Scene, steps: &[usize]) -> Result<(), huygens::SceneErrors> {
    let mut world = World::new(scene)?;
    for &step in steps {
        while (world.steps() as usize) < step {
            world.step();
        }
        let name = if steps.len() > 1 { format!("{name}-{step}") } else { name.to_owned() };
        out.push((name, StoredProblem::of(&world.contact_problem())));
    }
    Ok(())
}

fn problems() -> Result<Problems, huygens::SceneErrors> {
    let mut out = vec![];
    stacks(&mut out)?;
    piles(&mut out)?;
    wedged(&mut out)?;
    sliding(&mut out)?;
    redundant(&mut out)?;
    trees(&mut out)?;
    driven(&mut out)?;
    rods(&mut out)?;
    with_rows(&mut out)?;
    Ok(out)
}

/// A floor with friction `mu`, 240 steps a second.
fn on_floor(mu: f64) -> Scene {
    Scene::new().dt(1.0 / 240.0).body(Body::fixed("floor").shape(Shape::half_space().friction(mu)))
}

fn cube(name: &str, edge: f64, mu: f64, mass: f64) -> Body {
    Body::dynamic(name).shape(Shape::cuboid(edge, edge, edge).friction(mu)).mass(mass)
}

fn stack(masses: &[f64], mu: f64, shift: f64) -> Scene {
    masses.iter().enumerate().fold(on_floor(mu), |scene, (k, &mass)| {
        let x = if k % 2 == 0 { shift } else { -shift };
        scene.body(cube(&format!("cube {k}"), 1.0, mu, mass).at(x, 0.0, 0.5 + k as f64))
    })
}

fn stacks(out: &mut Problems) -> Result<(), huygens::SceneErrors> {
    take(out, "stack-1", &stack(&[1.0], 0.5, 0.0), &[1])?;
    take(out, "stack-3", &stack(&[1.0; 3], 0.5, 0.0), &[1])?;
    take(out, "stack-5-shifted", &stack(&[1.0; 5], 0.5, 0.1), &[1, 60])?;
    take(out, "stack-10", &stack(&[1.0; 10], 0.5, 0.02), &[30])?;
    take(out, "stack-10-frictionless", &stack(&[1.0; 10], 0.0, 0.02), &[1])?;
    for (name, heavy) in [("1e2", 1e2), ("1e3", 1e3), ("1e4", 1e4), ("1e6", 1e6)] {
        take(out, &format!("heavy-on-light-{name}"), &stack(&[1.0, heavy], 0.5, 0.0), &[1])?;
    }
    take(out, "light-on-heavy-1e6", &stack(&[1e6, 1.0], 0.5, 0.05), &[10])?;
    take(out, "heavier-upwards", &stack(&[1.0, 10.0, 100.0, 1000.0], 0.5, 0.05), &[1])?;
    let big = cube("big", 3.0, 0.6, 400.0).at(0.0, 0.0, 2.5);
    let small = |name: &str, x: f64| cube(name, 1.0, 0.6, 1.0).at(x, 0.0, 0.5);
    take(
        out,
        "table-on-two",
        &on_floor(0.6).body(small("left", -1.0)).body(small("right", 1.0)).body(big),
        &[5],
    )
}

/// Bodies of random size and turn in a box without lid, in layers of two by two.
fn pile(shape: impl Fn(usize, f64) -> Shape, layers: usize, mu: f64, seed: u64) -> Scene {
    let mut r = SplitMix::new(seed);
    let mut scene = on_floor(mu);
    for (k, [x, y]) in [[-1.0, 0.0], [1.0, 0.0], [0.0, -1.0], [0.0, 1.0]].into_iter().enumerate() {
        let wall = Shape::half_space().facing(-x, -y, 0.0).friction(mu);
        scene = scene.body(Body::fixed(format!("wall {k}")).shape(wall).at(0.8 * x, 0.8 * y, 0.0));
    }
    for k in 0..4 * layers {
        let (x, y) = (if k % 2 == 0 { -0.36 } else { 0.36 }, if k % 4 < 2 { -0.36 } else { 0.36 });
        let body = Body::dynamic(format!("body {k}")).shape(shape(k, r.range(0.7, 1.0)).friction(mu));
        let axis = r.direction();
        let body = body.at(x, y, 0.5 + 0.75 * (k / 4) as f64).turned(axis.to_array(), r.range(0.0, 3.0));
        scene = scene.body(body);
    }
    scene
}

fn piles(out: &mut Problems) -> Result<(), huygens::SceneErrors> {
    let ball = |_, s: f64| Shape::sphere(0.33 * s);
    let brick = |_, s: f64| Shape::cuboid(0.5 * s, 0.4 * s, 0.3 * s);
    let mixed = |k: usize, s: f64| match k % 3 {
        0 => Shape::sphere(0.3 * s),
        1 => Shape::capsule(0.18 * s, 0.3 * s),
        _ => Shape::cuboid(0.45 * s, 0.4 * s, 0.35 * s),
    };
    take(out, "pile-balls", &pile(ball, 10, 0.4, 1), &[150, 400])?;
    take(out, "pile-balls-smooth", &pile(ball, 10, 0.0, 2), &[300])?;
    take(out, "pile-bricks", &pile(brick, 5, 0.5, 3), &[100, 240, 400])?;
    take(out, "pile-bricks-rough", &pile(brick, 4, 1.2, 4), &[200, 400])?;
    take(out, "pile-mixed", &pile(mixed, 8, 0.5, 5), &[150, 300, 500])?;
    let light = |k: usize, s: f64| mixed(k, s).density(if k.is_multiple_of(2) { 1.0 } else { 10_000.0 });
    take(out, "pile-mixed-1e4", &pile(light, 5, 0.5, 6), &[200, 400])
}

fn wedged(out: &mut Problems) -> Result<(), huygens::SceneErrors> {
    for (name, degrees, mu) in [("steep", 75.0f64, 0.6), ("flat", 30.0, 0.3), ("smooth", 60.0, 0.0)] {
        let (s, c) = trig::sin_cos(degrees.to_radians());
        let half = |name: &str, x: f64| {
            Body::fixed(name).shape(Shape::half_space().facing(x * s, 0.0, c).friction(mu))
        };
        let scene = Scene::new().dt(1.0 / 240.0).body(half("left", 1.0)).body(half("right", -1.0));
        let ball = Body::dynamic("ball").shape(Shape::sphere(0.5).friction(mu)).at(0.0, 0.0, 0.5 / c);
        let above = Body::dynamic("above")
            .shape(Shape::sphere(0.5).friction(mu))
            .at(0.05, 0.02, 0.5 / c + 1.0)
            .mass(50.0);
        take(out, &format!("groove-{name}"), &scene.clone().body(ball.clone()), &[3])?;
        take(out, &format!("groove-two-{name}"), &scene.body(ball).body(above), &[3])?;
    }
    let wall = |name: &str, x: f64, y: f64| {
        Body::fixed(name).shape(Shape::half_space().facing(x, y, 0.0).friction(0.4))
    };
    let corner = on_floor(0.4).gravity(-3.0, -4.0, -9.0).body(wall("x", 1.0, 0.0)).body(wall("y", 0.0, 1.0));
    take(out, "cube-in-corner", &corner.body(cube("cube", 1.0, 0.4, 2.0).at(0.5, 0.5, 0.5)), &[5])?;
    let card = |name: &str, x: f64, tilt: f64| {
        let shape = Shape::cuboid(0.02, 0.6, 1.0).friction(0.8);
        Body::dynamic(name).shape(shape).at(x, 0.0, 0.488).turned([0.0, 1.0, 0.0], tilt).mass(0.1)
    };
    take(out, "card-house", &on_floor(0.8).body(card("a", -0.13, 0.25)).body(card("b", 0.13, -0.25)), &[20])?;
    let ladder = Body::dynamic("ladder").shape(Shape::cuboid(0.05, 0.4, 2.0).friction(0.5));
    let ladder = ladder.at(0.52, 0.0, 0.89).turned([0.0, 1.0, 0.0], -0.5).mass(8.0);
    take(out, "ladder", &on_floor(0.5).body(wall("wall", 1.0, 0.0)).body(ladder), &[10])
}

fn sliding(out: &mut Problems) -> Result<(), huygens::SceneErrors> {
    let slide = |x: f64, y: f64| {
        on_floor(0.3).body(cube("cube", 1.0, 0.3, 2.0).at(0.0, 0.0, 0.5).velocity(x, y, 0.0))
    };
    take(out, "slide-along", &slide(3.0, 0.0), &[5])?;
    take(out, "slide-oblique", &slide(1.7, 2.4), &[5])?;
    let spun = cube("cube", 1.0, 0.3, 2.0).at(0.0, 0.0, 0.5).velocity(1.0, 0.0, 0.0).spin(0.0, 0.0, 4.0);
    take(out, "slide-turning", &on_floor(0.3).body(spun), &[5])?;
    for (name, degrees) in [("below", -0.05f64), ("above", 0.05)] {
        let (s, c) = trig::sin_cos(trig::atan2(0.5, 1.0) + degrees.to_radians());
        let scene = on_floor(0.5).gravity(9.81 * s, 0.0, -9.81 * c);
        take(
            out,
            &format!("incline-{name}"),
            &scene.body(cube("cube", 1.0, 0.5, 1.0).at(0.0, 0.0, 0.5)),
            &[5],
        )?;
    }
    let mut steel = Material::new();
    steel.surface =
        SurfaceSpec { friction_static: Some(0.6), friction_dynamic: Some(0.4), ..SurfaceSpec::default() };
    let shape = |shape: Shape| shape.material("steel");
    let scene = Scene::new().dt(1.0 / 240.0).material("steel", steel).gravity(4.6, 0.0, -9.0);
    let scene = scene.body(Body::fixed("floor").shape(shape(Shape::half_space())));
    let brick =
        |name: &str, z: f64| Body::dynamic(name).shape(shape(Shape::cuboid(1.0, 1.0, 0.4))).at(0.0, 0.0, z);
    take(out, "static-holds", &scene.clone().body(brick("low", 0.2)).body(brick("high", 0.6)), &[3])?;
    let top = brick("high", 0.6).velocity(2.0, 0.0, 0.0);
    take(out, "static-below-dynamic-above", &scene.body(brick("low", 0.2)).body(top), &[3])?;
    let coin = Body::dynamic("coin").shape(Shape::cylinder(0.5, 0.1).friction(0.4)).at(0.0, 0.0, 0.05);
    take(out, "coin-spinning", &on_floor(0.4).body(coin.velocity(0.5, 0.0, 0.0).spin(0.0, 0.0, 9.0)), &[5])?;
    let dominoes = (0..8).fold(on_floor(0.4), |scene, k| {
        let stone = Body::dynamic(format!("stone {k}")).shape(Shape::cuboid(0.1, 0.4, 0.8).friction(0.4));
        let spin = if k == 0 { 2.0 } else { 0.0 };
        scene.body(stone.at(0.35 * f64::from(k), 0.0, 0.4).spin(0.0, spin, 0.0))
    });
    take(out, "dominoes", &dominoes, &[60, 150])
}

/// A plate on `n` × `n` feet: as many manifolds of four points.
fn plate(name: &str, n: usize, z: f64, mass: f64) -> Body {
    let mut body = Body::dynamic(name).mass(mass).at(0.0, 0.0, z);
    for k in 0..n * n {
        let at = |i: usize| (i as f64 - 0.5 * (n as f64 - 1.0)) * 0.5;
        body = body.shape(Shape::cuboid(0.2, 0.2, 0.2).friction(0.5).at(at(k % n), at(k / n), 0.0));
    }
    body
}

fn redundant(out: &mut Problems) -> Result<(), huygens::SceneErrors> {
    take(out, "redundant-64-resting", &on_floor(0.5).body(plate("plate", 4, 0.1, 3.0)), &[1])?;
    let moving = plate("plate", 4, 0.1, 3.0).velocity(1.0, 0.3, 0.0).spin(0.0, 0.0, 1.0);
    take(out, "redundant-64-sliding", &on_floor(0.5).body(moving), &[2])?;
    let pushed = plate("plate", 4, 0.1, 3.0).force(8.0, 2.0, 0.0);
    take(out, "redundant-64-pushed", &on_floor(0.5).body(pushed), &[2])?;
    let two = on_floor(0.5).body(plate("low", 3, 0.1, 1.0)).body(plate("high", 3, 0.3, 500.0));
    take(out, "redundant-two-plates", &two, &[2])?;
    let chair = plate("table", 2, 0.1, 5.0).force(0.0, 0.0, -30.0);
    take(
        out,
        "redundant-with-load",
        &on_floor(0.5).body(chair).body(cube("cube", 0.9, 0.5, 20.0).at(0.1, 0.0, 0.65)),
        &[4],
    )
}

fn link(name: &str, x: f64, z: f64) -> Body {
    Body::dynamic(name).shape(Shape::capsule(0.05, 0.8).along(Axis::X).friction(0.5)).at(x, 0.0, z)
}

fn trees(out: &mut Problems) -> Result<(), huygens::SceneErrors> {
    let arm = |z: f64| {
        on_floor(0.5)
            .body(link("upper", 0.45, z))
            .body(link("lower", 1.35, z))
            .joint(Joint::hinge("shoulder", "upper").anchor(0.0, 0.0, z).axis(0.0, 1.0, 0.0))
            .joint(
                Joint::hinge("elbow", "lower")
                    .parent("upper")
                    .anchor(0.9, 0.0, z)
                    .axis(0.0, 1.0, 0.0)
                    .range(-0.4, 0.4),
            )
    };
    let block = Body::dynamic("cube").shape(Shape::cuboid(0.3, 0.3, 0.3)).at(1.2, 0.0, 0.15);
    take(out, "arm-on-floor", &arm(0.5), &[90, 200])?;
    take(out, "arm-on-cube", &arm(0.7).body(block), &[120, 400])?;
    take(out, "arm-at-limit", &arm(3.0), &[100])?;
    let mut free = on_floor(0.5)
        .body(Body::dynamic("base").shape(Shape::cuboid(0.4, 0.4, 0.2).friction(0.5)).at(0.0, 0.0, 0.1));
    for k in 0..3 {
        let (name, x) = (format!("link {k}"), 0.45 + 0.9 * f64::from(k));
        let parent = if k == 0 { "base".to_owned() } else { format!("link {}", k - 1) };
        free = free.body(link(&name, x, 0.3)).joint(
            Joint::hinge(format!("hinge {k}"), name)
                .parent(parent)
                .anchor(x - 0.45, 0.0, 0.3)
                .axis(0.0, 1.0, 0.2),
        );
    }
    take(out, "chain-on-free-base", &free, &[60, 200])
}

fn driven(out: &mut Problems) -> Result<(), huygens::SceneErrors> {
    let mu = 0.7;
    let pad = |name: &str, x: f64, v: f64| {
        Body::driven(name, [v, 0.0, 0.0], [0.0; 3])
            .shape(Shape::cuboid(0.02, 0.05, 0.05).friction(mu))
            .at(x, 0.0, 1.0)
    };
    let held = Body::dynamic("capsule")
        .shape(Shape::capsule(0.004, 0.03).friction(mu))
        .at(0.0, 0.0, 1.0)
        .mass(0.045);
    let press = |force: f64| {
        let lock = Lock { linear: [false, true, true], angular: [true; 3] };
        let free =
            Body::dynamic("right").shape(Shape::cuboid(0.02, 0.05, 0.05).friction(mu)).at(0.014, 0.0, 1.0);
        Scene::new()
            .dt(1.0 / 240.0)
            .world(|w| w.length = 0.01)
            .body(pad("left", -0.014, 0.0))
            .body(held.clone())
            .body(free.mass(1.0).lock(lock).force(-force, 0.0, 0.0))
    };
    take(out, "pinched-12N", &press(12.0), &[4])?;
    take(out, "pinched-60N", &press(60.0), &[4])?;
    let belt =
        Body::driven("belt", [2.0, 0.0, 0.0], [0.0; 3]).shape(Shape::cuboid(20.0, 2.0, 0.2).friction(0.4));
    let load = cube("box", 0.5, 0.4, 1.0).at(0.0, 0.0, 0.35);
    take(out, "conveyor", &Scene::new().dt(1.0 / 240.0).body(belt).body(load), &[5, 150])?;
    let turn = [0.0, 0.0, 3.0];
    let table = Body::driven("table", [0.0; 3], turn).shape(Shape::cylinder(2.0, 0.2).friction(0.5));
    let riders = Scene::new()
        .dt(1.0 / 240.0)
        .body(table)
        .body(cube("near", 0.4, 0.5, 1.0).at(0.3, 0.0, 0.3))
        .body(cube("far", 0.4, 0.5, 1.0).at(0.0, 1.3, 0.3));
    take(out, "turntable", &riders, &[20])?;
    let rotor = Body::driven("rotor", [0.0; 3], [0.0, 0.0, std::f64::consts::TAU])
        .shape(Shape::capsule(0.2, 1.0).along(Axis::X).friction(0.2));
    let paddle = Body::dynamic("paddle")
        .shape(Shape::capsule(0.2, 1.0).along(Axis::X).friction(0.2))
        .at(0.7, 0.7, 0.0);
    let paddle = paddle.lock(Lock { linear: [true; 3], angular: [false; 3] });
    let spin = Scene::new().dt(1e-3).gravity(0.0, 0.0, 0.0).world(|w| w.speculative = false);
    take(out, "capsule-spin", &spin.body(rotor).body(paddle), &[104])
}

/// Painlevé's rod: it slides towards its own jam.
fn rods(out: &mut Problems) -> Result<(), huygens::SceneErrors> {
    for (name, mu) in [("1.2", 1.2), ("1.4", 1.4), ("2", 2.0)] {
        for (way, v) in [("jam", -1.0), ("drag", 1.0)] {
            // 63.4° from the floor: tan θ = 2, the critical μ is 4/3.
            let lean = trig::atan2(1.0, 2.0);
            let (s, c) = trig::sin_cos(lean);
            let rod = Body::dynamic("rod").shape(Shape::capsule(0.01, 1.0).friction(mu)).at(
                0.5 * s,
                0.0,
                0.5 * c + 0.01,
            );
            let rod = rod.turned([0.0, 1.0, 0.0], lean).velocity(v, 0.0, 0.0).mass(1.0);
            take(out, &format!("painleve-{name}-{way}"), &on_floor(mu).dt(1e-3).body(rod), &[1])?;
        }
    }
    Ok(())
}

/// Joints and motors between free bodies: rows put on the problem of a scene.
fn with_rows(out: &mut Problems) -> Result<(), huygens::SceneErrors> {
    let scene = stack(&[2.0, 1.0], 0.5, 0.1).body(cube("third", 1.0, 0.5, 3.0).at(1.2, 0.0, 0.5));
    // Body slots: floor 0, cubes 1, 2, 3.
    let sides = |a: u32, b: u32| [Side::Free(a), Side::Free(b)];
    let (hinge, lo, hi) = (Law::Equality, -0.02, 0.02);
    for (name, side, law, row) in [
        ("joint-across", sides(1, 3), hinge, pull(Vec3::X, 0.0)),
        ("joint-moving", sides(2, 3), hinge, pull(Vec3::new(0.6, 0.0, 0.8), 0.1)),
        ("motor-weak", sides(1, 3), Law::Bounded { lo, hi }, pull(Vec3::Y, 1.0)),
        ("motor-strong", sides(1, 3), Law::Bounded { lo: -50.0, hi: 50.0 }, pull(Vec3::Y, 1.0)),
        ("limit-pressed", sides(2, 3), Law::Unilateral, pull(Vec3::Z, 0.2)),
    ] {
        take(out, name, &scene, &[2])?;
        let problem = &mut out.last_mut().expect("just put there").1;
        add_row(problem, side, law, row);
    }
    Ok(())
}

fn pull(linear: Vec3, target: f64) -> Row {
    Row { linear, angular: [Vec3::ZERO; 2], target, error: 0.0, tree: None }
}

fn add_row(problem: &mut StoredProblem, side: [Side; 2], law: Law, row: Row) {
    let groups = &mut problem.groups;
    let last = *groups.heads.last().expect("a scene with contacts");
    let first = groups.rows.len() as u32;
    let mut key = last.key;
    let [part_a, part_b] = key.parts();
    key = key.with_parts([part_a, part_b + 1]);
    groups.heads.push(Head { key, side, law, first, len: 1, ..last });
    groups.rows.push(row);
}
