//! Elastic balls, cases 16, 17, 21 and 23, shortened, with models that also pass 28 (rest.rs), 37 and 40 (friction.rs). `huygens verify`
//! runs them whole.

use crate::common::{floor, run, step, velocity, world};
use huygens::World;
use huygens::math::{SplitMix, Vec3};
use huygens::scene::{Body, Scene, Shape};

/// A sweeping model and the reference; the impact stage is the same for all.
const MODELS: [&str; 2] = ["sequential-impulse", "ncp/newton"];

/// Share of a case's time that a build has time for.
const SHARE: f64 = if cfg!(debug_assertions) { 0.02 } else { 0.2 };

fn ball(name: String, at: Vec3) -> Body {
    let shape = Shape::sphere(0.1).restitution(1.0).friction(0.0);
    Body::dynamic(name).shape(shape).mass(10.0).at(at.x, at.y, at.z)
}

fn scene(solver: &str) -> Scene {
    Scene::new().dt(1e-3).solver(solver)
}

/// Mean of (E − E₀)² over the run [J²].
fn scatter(mut world: World, steps: usize) -> f64 {
    let start = world.energy();
    let mut sum = 0.0;
    for _ in 0..steps {
        step(&mut world);
        let off = world.energy() - start;
        sum += off * off;
    }
    sum / steps as f64
}

#[test]
fn bouncing_balls_keep_their_energy() {
    for solver in MODELS {
        let mut scene = scene(solver).body(floor(0.0, 1.0));
        for i in 0..49 {
            let place = Vec3::new(f64::from(i % 7), f64::from(i / 7), 5.0);
            scene = scene.body(ball(format!("ball{i}"), place));
        }
        let off = scatter(world(&scene), (20_000.0 * SHARE) as usize);
        assert!(off < 1e-6, "case 16, {solver}: {off:e} J²");
    }
}

#[test]
fn balls_that_fall_on_each_other_keep_their_energy() {
    for solver in MODELS {
        let mut random = SplitMix::new(42);
        let mut scene = scene(solver).body(floor(0.0, 1.0));
        for i in 0..216 {
            let (x, y, z) = (f64::from(i % 6), f64::from(i / 6 % 6), f64::from(i / 36));
            let shaken = random.in_cube() * 1e-3;
            let place = Vec3::new(0.21 * x + shaken.x, 0.21 * y + shaken.y, 1.101 + 0.21 * z);
            scene = scene.body(ball(format!("ball{i}"), place));
        }
        let off = scatter(world(&scene), (10_000.0 * SHARE) as usize);
        assert!(off < 1.0, "case 17, {solver}: {off:e} J²");
    }
}

/// Momentum and angular momentum about the origin of balls that do not spin.
fn momenta(world: &World) -> (Vec3, Vec3) {
    world.bodies().fold((Vec3::ZERO, Vec3::ZERO), |(p, l), body| {
        let own = body.linear_velocity * body.mass;
        (p + own, l + body.position.cross(own))
    })
}

#[test]
fn a_gas_keeps_its_momentum_and_energy() {
    for solver in MODELS {
        let mut random = SplitMix::new(21);
        let mut scene = scene(solver).gravity(0.0, 0.0, 0.0);
        for i in 0..512 {
            let cell = Vec3::new(f64::from(i % 8), f64::from(i / 8 % 8), f64::from(i / 64));
            let at = cell * 0.3 - Vec3::splat(1.05);
            let v = random.in_cube() - at;
            scene = scene.body(ball(format!("ball{i}"), at).velocity(v.x, v.y, v.z));
        }
        let mut world = world(&scene);
        let (energy, (p, l)) = (world.energy(), momenta(&world));
        let size: f64 = world.bodies().map(|body| body.mass * body.linear_velocity.length()).sum();
        // The balls meet in the first two seconds.
        run(&mut world, (10_000.0 * SHARE) as usize);
        let (now_p, now_l) = momenta(&world);
        let off = (world.energy() / energy - 1.0).abs();
        assert!(off < 1e-12, "case 21, {solver}: energy {off:e}");
        assert!((now_p - p).length() < 1e-13 * size, "case 21, {solver}: momentum");
        let off = (now_l - l).length() / size;
        // Each impact has the normal of its own moment (with the normals of the start of the step 2e-4; with those of the pair's flight from
        // there 2.8e-5), and balls that only pass each other are not pushed (2e-8).
        assert!(off < 1e-12, "case 21, {solver}: angular momentum {off:e}");
    }
}

#[test]
fn as_many_balls_leave_a_cradle_as_came_in() {
    for solver in MODELS {
        for coming in 1..=4 {
            let mut scene = scene(solver).gravity(0.0, 0.0, 0.0);
            for i in 0..5 {
                let apart = if i < coming { 0.01 } else { 0.0 };
                let body = ball(format!("b{i}"), Vec3::X * (0.2 * f64::from(i) - apart));
                scene = scene.body(if i < coming { body.velocity(1.0, 0.0, 0.0) } else { body });
            }
            let mut world = world(&scene);
            let start = world.energy();
            for _ in 0..100 {
                step(&mut world);
                assert!(world.energy() <= start * (1.0 + 1e-14), "case 23, {solver}");
            }
            let out = |i: i32| velocity(&world, &format!("b{i}")).x;
            for i in 0..5 {
                let expected = if i >= 5 - coming { 1.0 } else { 0.0 };
                // 99 % of the energy is 0.5 % of the speed.
                assert!(
                    (out(i) - expected).abs() < 0.005,
                    "case 23, {solver}, {coming} in: ball {i} at {}",
                    out(i)
                );
            }
        }
    }
}

#[test]
fn a_ball_that_an_impact_turned_meets_the_next_along_their_line_of_centres() {
    let mut random = SplitMix::new(3);
    let mut twice = 0;
    for _ in 0..50 {
        // A comes at B aslant; B, thrown off, reaches C in the same step of 5 ms on another way than the start of the step foresaw.
        let (from, aside) = (random.direction(), random.direction());
        let to = (aside * 0.8 - from).normalize();
        let speed = aside * 1.5 - from * 4.0;
        let places = [("a", from * 0.21), ("b", Vec3::ZERO), ("c", to * 0.2005)];
        let mut scene = Scene::new().gravity(0.0, 0.0, 0.0).dt(0.005).solver("sequential-impulse");
        for (name, at) in places {
            let v = if name == "a" { speed } else { Vec3::ZERO };
            scene = scene.body(ball(name.into(), at + Vec3::new(1.0, 2.0, 3.0)).velocity(v.x, v.y, v.z));
        }
        let mut world = world(&scene);
        let (energy, (p, l)) = (world.energy(), momenta(&world));
        step(&mut world);
        twice += usize::from(world.report().impacts >= 2);
        let (now_p, now_l) = momenta(&world);
        // A few impacts, each to round-off of momenta of 10 kg at 4 m/s and arms of 4 m.
        assert!((now_p - p).length() < 1e-13 * p.length());
        assert!((now_l - l).length() < 1e-13 * 4.0 * p.length(), "{:e}", (now_l - l).length());
        assert!((world.energy() / energy - 1.0).abs() < 1e-13);
    }
    assert!(twice > 20, "{twice} of 50 meet twice");
}
