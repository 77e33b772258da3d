//! Random choices of the world and of surfaces.

use super::body::{chance, log_range};
use huygens::math::{SplitMix, Vec3};
use huygens::scene::{
    DriveLimit, Duration, FrictionAt, Integrator, Lock, Material, Motion, Scene, StabilisationSpec, WorldSpec,
};

/// Which methods a scene may choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Methods {
    /// Every integrator and stabilisation.
    Every,
    /// Those that never bring energy in: neither Baumgarte nor symplectic Euler.
    Passive,
}

/// A random world for bodies of size `size` [m] that runs for about `seconds`, but at most `most_steps` steps.
pub fn world(random: &mut SplitMix, solver: &str, methods: Methods, size: f64) -> WorldSpec {
    let mut world = WorldSpec { solver: solver.into(), length: size, ..WorldSpec::default() };
    world.dt = dt(random);
    world.stabilisation = stabilisation(random, methods);
    // The default, most of the time.
    world.guard = chance(random, 0.9);
    // As the judges see it, also for who runs a finding.
    world.sleep = Some(false);
    world.speculative = !chance(random, 0.1);
    world.warm_start = !chance(random, 0.1);
    if methods == Methods::Every && chance(random, 0.1) {
        world.integrator = Integrator::SymplecticEuler;
    }
    if chance(random, 0.2) {
        world.soft_step.friction = FrictionAt::Point;
    }
    if chance(random, 0.15) {
        world.gravity = random.direction() * 9.81;
    } else if chance(random, 0.1) {
        world.gravity = Vec3::new(0.0, 0.0, -log_range(random, 0.1, 100.0));
    } else if chance(random, 0.05) {
        world.gravity = Vec3::ZERO;
    }
    world
}

/// Between 1/60 and 1/1000 s: a usual one, or any.
fn dt(random: &mut SplitMix) -> f64 {
    const USUAL: [f64; 5] = [60.0, 120.0, 240.0, 500.0, 1000.0];
    if chance(random, 0.5) {
        1.0 / USUAL[random.index(USUAL.len())]
    } else {
        1.0 / log_range(random, 60.0, 1000.0)
    }
}

fn stabilisation(random: &mut SplitMix, methods: Methods) -> StabilisationSpec {
    match random.index(if methods == Methods::Every { 5 } else { 4 }) {
        0 => StabilisationSpec::None,
        1 | 2 => StabilisationSpec::default(),
        3 => StabilisationSpec::SplitImpulse { beta: random.range(0.05, 1.0), slop: None },
        _ => StabilisationSpec::Baumgarte { erp: random.range(0.05, 0.8), cap: None },
    }
}

/// Runs for `seconds`, but not for more than `most` steps.
pub fn last(world: &mut WorldSpec, seconds: f64, most: u64) {
    let steps = Duration::Seconds(seconds).steps(world.dt);
    world.duration = Duration::Steps(steps.clamp(1, most));
}

/// A coefficient of friction: 0 to 2.
pub fn friction(random: &mut SplitMix) -> f64 {
    match random.index(6) {
        0 => 0.0,
        1 => 0.5,
        2 => random.range(0.0, 0.1),
        _ => random.range(0.0, 2.0),
    }
}

/// A coefficient of restitution: 0 to 1.
pub fn restitution(random: &mut SplitMix) -> f64 {
    match random.index(5) {
        0 | 1 => 0.0,
        2 => 1.0,
        _ => random.unit(),
    }
}

/// Gives every shape its friction and restitution, and now and then levers against rolling and spinning.
pub fn surfaces(random: &mut SplitMix, scene: &mut Scene, size: f64) {
    let (friction, restitution) = (friction(random), restitution(random));
    let alike = chance(random, 0.5);
    for shape in scene.shapes_mut() {
        // Often the same on both sides, since the geometric mean with 0 is 0.
        let mu = if alike { friction } else { self::friction(random) };
        let e = if alike { restitution } else { self::restitution(random) };
        shape.friction = Some(mu);
        shape.restitution = Some(e);
    }
    if chance(random, 0.1) {
        let lever = size * log_range(random, 1e-3, 0.1);
        scene.materials.insert("rough".into(), Material::new().levers(lever, lever * random.unit()));
        for shape in scene.shapes_mut().filter(|shape| shape.material.is_none()) {
            shape.material = Some("rough".into());
        }
    }
}

/// Locks an axis, a plane or all turning.
pub fn lock(random: &mut SplitMix) -> Lock {
    let mut lock = Lock::NONE;
    match random.index(4) {
        0 => lock.angular = [true; 3],
        1 => {
            let across = random.index(3);
            lock.linear[across] = true;
            lock.angular = [true; 3];
            lock.angular[across] = false;
        }
        2 => lock.linear[random.index(3)] = true,
        _ => lock.angular[random.index(3)] = true,
    }
    lock
}

/// Makes a driver's limit the plainest one; `None` when the body has no driver or no limit.
pub fn without_limit(motion: &Motion) -> Option<Motion> {
    let mut plain = motion.clone();
    match &mut plain {
        Motion::Driven { limit, .. } if *limit != DriveLimit::Unlimited => {
            *limit = DriveLimit::Unlimited;
            Some(plain)
        }
        _ => None,
    }
}
