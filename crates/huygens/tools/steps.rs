//! Time of each stage on four large scenes: `steps [SCENE] [STEPS] [FROM] [SOLVER]`; the first FROM steps are not counted.
//!
//! The scenes have the layout of the benchmark's; their random numbers are other ones.

use huygens::math::{SplitMix, Vec3};
use huygens::scene::{Axis, Body, Scene, Shape};
use huygens::{STAGES, World};
use std::time::Duration;

const SCENES: [&str; 4] = ["pyramid", "towers", "pile", "spheres"];

fn main() {
    let mut args = std::env::args().skip(1);
    let only = args.next();
    let steps: usize = args.next().and_then(|n| n.parse().ok()).unwrap_or(300);
    let from = args.next().and_then(|n| n.parse().ok()).unwrap_or(steps / 4);
    let solver = args.next();
    for name in SCENES.into_iter().filter(|name| only.as_deref().is_none_or(|only| only == *name)) {
        let mut scene = scene(name);
        match &solver {
            Some(solver) => scene = scene.solver(solver),
            None => scene.world.iterations = 4,
        }
        let mut world = World::new(&scene).unwrap_or_else(|errors| panic!("{errors}"));
        world.want_stage_times(true);
        let mut sums = [Duration::ZERO; STAGES.len()];
        for i in 0..steps {
            let report = world.step();
            if i >= from {
                sums.iter_mut().zip(report.stage_time).for_each(|(sum, time)| *sum += time);
            }
        }
        show(name, &world, &sums, steps - from);
    }
}

fn show(name: &str, world: &World, sums: &[Duration], steps: usize) {
    let ms = |time: &Duration| time.as_secs_f64() * 1e3 / steps as f64;
    let contacts = world.report().contacts;
    println!("{name}: {contacts} points in contact, hash {:016x}; ms per step:", world.hash());
    for (stage, sum) in STAGES.iter().zip(sums) {
        print!("  {stage} {:.3}", ms(sum));
    }
    println!("  all {:.3}", sums.iter().map(ms).sum::<f64>());
}

fn scene(name: &str) -> Scene {
    let base = Scene::new().dt(1.0 / 60.0).gravity(0.0, -9.81, 0.0);
    match name {
        "pyramid" => pyramid(base),
        "towers" => towers(base),
        "pile" => pile(base),
        _ => spheres(base),
    }
}

fn fixed(name: &str, half: [f64; 3], at: [f64; 3]) -> Body {
    let [x, y, z] = half;
    let shape = Shape::cuboid(2.0 * x, 2.0 * y, 2.0 * z).friction(0.6).restitution(0.0);
    Body::fixed(name).shape(shape).at(at[0], at[1], at[2])
}

fn moving(i: usize, shape: Shape, at: Vec3) -> Body {
    let shape = shape.friction(0.6).restitution(0.0).density(1000.0);
    Body::dynamic(format!("b{i}")).shape(shape).at(at.x, at.y, at.z)
}

fn ground(half: f64) -> Body {
    fixed("ground", [half, 1.0, half], [0.0, -1.0, 0.0])
}

fn bin(scene: Scene, half: f64, height: f64) -> Scene {
    let (h, w) = (0.5 * height, half + 2.0);
    scene
        .body(ground(half + 5.0))
        .body(fixed("left", [1.0, h, w], [-half - 1.0, h, 0.0]))
        .body(fixed("right", [1.0, h, w], [half + 1.0, h, 0.0]))
        .body(fixed("front", [w, h, 1.0], [0.0, h, -half - 1.0]))
        .body(fixed("back", [w, h, 1.0], [0.0, h, half + 1.0]))
}

fn pyramid(base: Scene) -> Scene {
    let mut scene = base.body(ground(100.0));
    for row in 0..40 {
        for j in 0..40 - row {
            let x = (f64::from(j) - 0.5 * f64::from(39 - row)) * 1.1;
            let at = Vec3::new(x, 0.5 + f64::from(row), 0.0);
            let body = moving(scene.bodies.len(), Shape::cuboid(1.0, 1.0, 1.0), at);
            scene = scene.body(body);
        }
    }
    scene
}

fn towers(base: Scene) -> Scene {
    let mut scene = base.body(ground(100.0));
    for i in 0..1000 {
        let (x, z, y) = (f64::from(i / 100) - 4.5, f64::from(i / 10 % 10) - 4.5, f64::from(i % 10));
        let at = Vec3::new(4.0 * x, 0.5 + y, 4.0 * z);
        scene = scene.body(moving(1 + i as usize, Shape::cuboid(1.0, 1.0, 1.0), at));
    }
    scene
}

fn pile(base: Scene) -> Scene {
    let mut scene = bin(base, 15.0, 60.0);
    let mut random = SplitMix::new(1);
    for n in 0..8000 {
        let (layer, i, j) = (n / 400, n / 20 % 20, n % 20);
        let mut place = |k: usize| (k as f64 - 9.5) * 1.4 + random.range(-0.1, 0.1);
        let at = Vec3::new(place(i), 1.0 + 1.4 * layer as f64, place(j));
        let shape = match n % 3 {
            0 => Shape::sphere(0.5),
            1 => Shape::capsule(0.3, 0.7).along(Axis::Y),
            _ => Shape::cuboid(0.8, 0.8, 0.8),
        };
        let mut body = moving(n, shape, at);
        body.orientation = random.rotation();
        scene = scene.body(body);
    }
    scene
}

fn spheres(base: Scene) -> Scene {
    let mut scene = bin(base, 15.0, 80.0);
    let mut random = SplitMix::new(2);
    for n in 0..30_000 {
        let (layer, i, j) = (n / 625, n / 25 % 25, n % 25);
        let mut place = |k: usize| (k as f64 - 12.0) * 1.1 + random.range(-0.04, 0.04);
        let at = Vec3::new(place(i), 0.6 + 1.1 * layer as f64, place(j));
        scene = scene.body(moving(n, Shape::sphere(0.5), at));
    }
    scene
}
