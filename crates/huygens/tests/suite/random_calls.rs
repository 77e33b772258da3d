//! Calls of a user's program at random, valid and not, between the steps of random worlds: the book closes, and a refused call changes no bit.

use crate::common::step;
use huygens::contact::SolverKind;
use huygens::ledger::Account;
use huygens::math::{Pose, SplitMix, Twist, Vec3, trig};
use huygens::scene::SceneErrors;
use huygens::scene::{
    Body, Combine, DriveLimit, Joint, JointKind, Material, Motion, MotorSpec, Scene, Shape,
};
use huygens::{
    Among, BodyId, ChangeError, DofDrive, EditError, HandleError, JointId, MotionKind, ShapeId, World,
};

/// A number that no call may take.
fn bad_number(random: &mut SplitMix) -> f64 {
    [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e21][random.index(4)]
}

fn vector(random: &mut SplitMix, size: f64) -> Vec3 {
    random.direction() * random.range(0.0, size)
}

/// A vector of which one number cannot be.
fn bad_vector(random: &mut SplitMix) -> Vec3 {
    let mut v = vector(random, 1.0);
    v[random.index(3)] = bad_number(random);
    v
}

fn pose(random: &mut SplitMix) -> Pose {
    let turn = trig::axis_angle(random.direction(), random.range(0.0, 3.0));
    Pose::new(turn, vector(random, 2.0) + Vec3::Z * 2.5)
}

fn driven(random: &mut SplitMix) -> Motion {
    Motion::Driven {
        linear_velocity: vector(random, 1.0),
        angular_velocity: vector(random, 3.0),
        keyframes: Vec::new(),
        limit: DriveLimit::Unlimited,
    }
}

fn shape_of(random: &mut SplitMix) -> Shape {
    let shape = match random.index(4) {
        0 => Shape::sphere(random.range(0.1, 0.4)),
        1 => Shape::cuboid(random.range(0.2, 0.6), random.range(0.2, 0.6), random.range(0.2, 0.6)),
        2 => Shape::capsule(random.range(0.1, 0.2), random.range(0.1, 0.5)),
        _ => Shape::cylinder(random.range(0.1, 0.3), random.range(0.1, 0.5)),
    };
    shape.material(["wood", "rubber"][random.index(2)])
}

fn body(random: &mut SplitMix, name: &str) -> Body {
    let shape = shape_of(random);
    let at = vector(random, 2.0) + Vec3::Z * 2.5;
    Body::dynamic(name).shape(shape).at(at.x, at.y, at.z)
}

/// A floor, a turning table, a hanging arm and some bodies.
fn scene(random: &mut SplitMix) -> Scene {
    let mut scene = Scene::new()
        .dt(1.0 / random.range(60.0, 500.0))
        .material("wood", Material::new().friction(random.range(0.0, 1.0)))
        .material("rubber", Material::new().friction(1.0).restitution(random.range(0.0, 1.0)))
        .body(Body::fixed("floor").shape(Shape::half_space()))
        .body(Body::driven("table", [0.0; 3], [0.0, 0.0, 1.0]).cuboid(1.0, 1.0, 0.2).at(0.0, 0.0, 0.5))
        .body(Body::dynamic("arm").cuboid(0.8, 0.1, 0.1).at(4.4, 0.0, 3.0))
        .joint(Joint::hinge("hinge", "arm").anchor(4.0, 0.0, 3.0).axis(0.0, 1.0, 0.0));
    for i in 0..1 + random.index(4) {
        scene = scene.body(body(random, &format!("body {i}")));
    }
    scene
}

/// What a call is about.
struct Chosen {
    body: BodyId,
    shape: ShapeId,
    joint: Option<JointId>,
}

impl Chosen {
    fn new(random: &mut SplitMix, world: &World) -> Self {
        let ids: Vec<BodyId> = world.bodies().map(|body| body.id).collect();
        let body = ids[random.index(ids.len())];
        let shapes: Vec<ShapeId> = world.shapes_of(body).unwrap().map(|shape| shape.id).collect();
        let joints: Vec<JointId> = world.joints().map(|joint| joint.id).collect();
        let joint = (!joints.is_empty()).then(|| joints[random.index(joints.len())]);
        Self { body, shape: shapes[random.index(shapes.len())], joint }
    }
}

/// An error of a call that no argument excuses.
fn must<T, E: std::fmt::Display>(result: Result<T, E>) {
    if let Err(error) = result {
        panic!("{error}");
    }
}

/// Which calls are made.
#[derive(Clone, Copy, Debug)]
struct Mix {
    /// The first so many kinds of right and of wrong calls.
    kinds: [usize; 2],
    /// A body that hangs on a joint may get another one, and close a loop.
    loops: bool,
}

/// All calls, on trees without loops.
const ALL: Mix = Mix { kinds: [29, 40], loops: false };

/// Those of before shapes came and went, with loops.
const LOOPS: Mix = Mix { kinds: [26, 34], loops: true };

/// One call that must work, or be refused for what the handle names: links do not move freely, static bodies take no force, and so on. Returns which.
fn call(random: &mut SplitMix, world: &mut World, count: &mut u32, mix: Mix) -> usize {
    let Chosen { body: id, shape, joint } = Chosen::new(random, world);
    *count += 1;
    let what = random.index(mix.kinds[0]);
    match what {
        0 => {
            let _ = world.set_pose(id, pose(random));
        }
        1 => {
            let _ = world.set_velocity(id, Twist::new(vector(random, 5.0), vector(random, 9.0)));
        }
        2 => {
            let _ = world.set_force(id, vector(random, 50.0), vector(random, 5.0));
        }
        3 => {
            let _ = world.apply_force(id, vector(random, 50.0), vector(random, 5.0));
        }
        4 => {
            let _ = world.apply_force_at(id, vector(random, 50.0), vector(random, 3.0));
        }
        5 | 6 => impulse(random, world, id),
        7 => {
            let new = body(random, &format!("new {count}"));
            must(world.add_body(&new));
        }
        8 if world.bodies().count() > 5 => must(world.remove_body(id)),
        9 => {
            let (g, dt) = (vector(random, 12.0), 1.0 / random.range(60.0, 500.0));
            must(world.change_world(|w| (w.gravity, w.dt) = (g, dt)));
        }
        10 => {
            let kind = SolverKind::ALL[random.index(SolverKind::ALL.len())];
            must(world.change_world(|w| w.solver = kind.into()));
        }
        11 => {
            let rule = [Combine::Max, Combine::Min, Combine::Mean, Combine::Geometric][random.index(4)];
            must(world.change_world(|w| w.combine = rule));
        }
        12 => {
            let name = world.body(id).unwrap().name.to_owned();
            let mut new = body(random, &name);
            if random.index(3) == 0 {
                new.motion = [Motion::Static, driven(random)][random.index(2)].clone();
            }
            // What joints hold keeps its kind of motion.
            let _ = world.change_body(id, &new);
        }
        13 => must(world.set_groups(shape, 1 << random.index(2), 1 + random.index(3) as u32)),
        14 => must(world.set_sensor(shape, random.index(2) == 0)),
        15 => must(world.set_material(shape, ["wood", "rubber"][random.index(2)])),
        16 => {
            let material =
                Material::new().friction(random.range(0.0, 1.5)).restitution(random.range(0.0, 1.0));
            must(world.change_material(["wood", "rubber"][random.index(2)], material));
        }
        17 => {
            let _ = world.set_mass(id, random.range(0.5, 100.0));
        }
        18 => must(world.wake(id)),
        19 => {
            let _ = world.put_to_sleep(id);
        }
        20 => must(world.set_user_data(id, u128::from(*count))),
        21 => {
            let _ =
                joint.map(|joint| world.set_joint(joint, random.range(-2.0, 2.0), random.range(-3.0, 3.0)));
        }
        22 => {
            let _ = joint.map(|joint| world.set_motor_target(joint, random.range(-2.0, 2.0)));
        }
        23 if !mix.loops && world.body(id).unwrap().motion == MotionKind::Link => {}
        23 => {
            let name = world.body(id).unwrap().name.to_owned();
            let kind = [JointKind::Ball, JointKind::Fixed, JointKind::Hinge][random.index(3)];
            let motor = MotorSpec::velocity(random.range(-2.0, 2.0), random.range(0.1, 5.0)).max_force(20.0);
            let at = world.body(id).unwrap().position + vector(random, 0.3);
            let new = Joint::hinge(format!("joint {count}"), name).kind(kind).anchor(at.x, at.y, at.z);
            let new = if kind == JointKind::Hinge { new.axis(0.0, 1.0, 0.0).motor(motor) } else { new };
            // Static bodies hang on nothing.
            let _ = world.add_joint(&new);
        }
        24 => {
            let _ = joint.map(|joint| world.lock_joint(joint, random.index(2) == 0));
        }
        8 | 25 => {
            let _ = joint.map(|joint| must(world.remove_joint(joint)));
        }
        26 => {
            let shape = shape_of(random).at(random.range(-0.3, 0.3), 0.1, random.range(-0.2, 0.2));
            // Not to driven bodies that carry joints.
            let _ = world.add_shape(id, &if random.index(4) == 0 { shape.sensor() } else { shape });
        }
        27 => {
            // Never the last one.
            let _ = world.remove_shape(shape);
        }
        _ => {
            let gain = random.range(0.0, 50.0);
            let drive = DofDrive { force: random.range(-5.0, 5.0), damping: gain, ..DofDrive::default() };
            // Ball joints have no coordinate of their own.
            let _ = joint.map(|joint| world.set_joint_drive(joint, drive));
        }
    }
    what
}

/// An impulse, whose work is p·v̄ + l·ω̄.
fn impulse(random: &mut SplitMix, world: &mut World, id: BodyId) {
    let (p, l, at) = (vector(random, 5.0), vector(random, 1.0), vector(random, 3.0));
    let at_center = random.index(2) == 0;
    let velocity = |world: &World| {
        let body = world.body(id).unwrap();
        Twist::new(body.linear_velocity, body.angular_velocity)
    };
    let (before, user) = (velocity(world), world.ledger().get(Account::User));
    let l = if at_center { l } else { (at - world.body(id).unwrap().center_of_mass).cross(p) };
    let done = if at_center { world.apply_impulse(id, p, l) } else { world.apply_impulse_at(id, p, at) };
    if done.is_ok() {
        let after = velocity(world);
        let work = (p.dot(before.linear + after.linear) + l.dot(before.angular + after.angular)) / 2.0;
        let booked = world.ledger().get(Account::User) - user;
        assert!(
            (booked - work).abs() <= 1e-9 * (1.0 + work.abs()) + 1e-14 * user.abs(),
            "{booked} J for {work} J, of {user} J"
        );
    }
}

/// One call with an argument that cannot be, or a handle that names nothing here: it must say so.
fn refused(random: &mut SplitMix, world: &mut World, lost: &Chosen, mix: Mix) {
    let Chosen { body: id, shape, joint } = Chosen::new(random, world);
    let (good, bad) = (vector(random, 1.0), bad_vector(random));
    let (gone, lost_joint) = (lost.body, lost.joint.unwrap());
    let edit = |result: Result<(), EditError>| result.map_err(|error| error.to_string());
    let scene = |result: Result<(), SceneErrors>| result.map_err(|error| error.to_string());
    let change = |result: Result<(), ChangeError>| result.map_err(|error| error.to_string());
    let handle = |result: Result<(), HandleError>| result.map_err(|error| error.to_string());
    let answer = match random.index(mix.kinds[1]) {
        0 => edit(world.set_pose(id, Pose::at(bad))),
        1 => edit(world.set_velocity(id, Twist::new(good, bad))),
        2 => edit(world.set_force(id, bad, good)),
        3 => edit(world.apply_force(id, good, bad)),
        4 => edit(world.apply_force_at(id, bad, good)),
        5 => edit(world.apply_impulse(id, bad, good)),
        6 => edit(world.set_pose(gone, Pose::at(good))),
        7 => edit(world.apply_force(gone, good, good)),
        8 => edit(world.apply_impulse_at(gone, good, good)),
        9 => edit(world.remove_body(gone)),
        10 => handle(world.set_user_data(gone, 1)),
        11 => {
            let taken = world.body(id).unwrap().name.to_owned();
            scene(world.add_body(&body(random, &taken)).map(drop))
        }
        12 => scene(world.add_body(&Body::dynamic("ghost").sphere(bad_number(random))).map(drop)),
        13 => scene(world.add_material("wood", Material::new())),
        14 => scene(world.change_world(|w| w.dt = -1.0)),
        15 => change(world.change_body(gone, &body(random, "x"))),
        16 => change(world.change_body(id, &Body::dynamic("x").sphere(bad_number(random)))),
        17 => handle(world.set_groups(lost.shape, 1, 1)),
        18 => handle(world.set_sensor(lost.shape, true)),
        19 => change(world.set_material(lost.shape, "wood")),
        20 => change(world.set_material(shape, "glass")),
        21 => scene(world.change_material("glass", Material::new())),
        22 => scene(world.change_material("wood", Material::new().friction(-1.0))),
        23 => change(world.set_mass(id, [0.0, -1.0, f64::NAN, f64::INFINITY][random.index(4)])),
        24 => change(world.set_mass(gone, 1.0)),
        25 => edit(world.set_joint(lost_joint, 0.0, 0.0)),
        26 => edit(world.set_motor_target(lost_joint, 0.0)),
        27 => change(world.remove_joint(lost_joint)),
        28 => change(world.lock_joint(lost_joint, true)),
        29 => edit(world.set_joint("no such joint", 0.0, 0.0)),
        30 => joint.map_or(Err("no joint".to_owned()), |joint| {
            edit(world.set_joint(joint, bad_number(random), 0.0))
        }),
        31 => scene(world.add_joint(&Joint::hinge("x", "no such body")).map(drop)),
        32 => edit(world.put_to_sleep(gone)),
        33 => change(world.add_shape(gone, &Shape::sphere(0.1)).map(drop)),
        34 => change(world.add_shape(id, &Shape::sphere(bad_number(random))).map(drop)),
        35 => change(world.add_shape(id, &Shape::sphere(0.1).material("glass")).map(drop)),
        36 => change(world.remove_shape(lost.shape)),
        37 => edit(world.set_joint_drive(lost_joint, DofDrive::default())),
        38 => joint.map_or(Err("no joint".to_owned()), |joint| {
            edit(world.set_joint_drive(joint, DofDrive { damping: -1.0, ..DofDrive::default() }))
        }),
        _ => handle(world.wake(gone)),
    };
    let error = answer.expect_err("it must be refused");
    assert!(error.len() > 5, "{error:?} says nothing");
    // Questions have no errors: they find nothing, or what they can.
    let probe = world.probe();
    let form = huygens::geometry::CollisionShape::sphere(0.15).unwrap();
    match random.index(4) {
        0 => assert!(bad.is_finite() || probe.cast_ray(bad, good, 1.0, Among::ALL).is_none()),
        1 => {
            let _ = probe.closest(bad, 1.0, Among::ALL);
        }
        2 => {
            let _ = probe.overlap(&form, &Pose::at(bad), Among::ALL);
        }
        _ => {
            let _ = probe.cast_shape(&form, &Pose::at(good), bad, Among::ALL);
        }
    }
    assert!(world.contacts_of(gone).is_err() && world.shape(lost.shape).is_err());
}

/// Worlds of the test below. With 1,000 it makes a million calls, half of them wrong ones.
const WORLDS: usize = 25;

/// In every step of a world.
const CALLS: usize = 17;

/// A number that the environment says, or another one.
fn told(name: &str, otherwise: usize) -> usize {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(otherwise)
}

/// `HUYGENS_WORLDS` says another number of worlds, `HUYGENS_FIRST` the first of them: each has a seed of its own.
#[test]
fn wrong_calls_change_no_bit_and_the_book_of_all_others_closes() {
    let (first, worlds) = (told("HUYGENS_FIRST", 0), told("HUYGENS_WORLDS", WORLDS));
    let fails = |world: &usize| {
        let mut random = SplitMix::new(20_261_118 + *world as u64);
        let fails = std::panic::catch_unwind(move || calls_of_world(*world, &mut random, ALL)).is_err();
        if fails {
            eprintln!("in world {world}");
        }
        fails
    };
    let failed: Vec<usize> = (first..first + worlds).filter(fails).collect();
    assert_eq!(failed, [0; 0], "worlds");
}

/// The same with joints that close loops, one world after the other.
#[test]
fn calls_on_loops_do_the_same() {
    let mut random = SplitMix::new(20261118);
    for world in 0..WORLDS {
        calls_of_world(world, &mut random, LOOPS);
    }
}

/// Right and wrong calls in every step of one world.
fn calls_of_world(number: usize, random: &mut SplitMix, mix: Mix) {
    let scene = scene(random);
    let [mut world, other] = [&scene, &scene].map(|scene| World::new(scene).unwrap());
    let foreign = Chosen::new(random, &other);
    let gone = world.add_body(&body(random, "gone")).unwrap();
    let joint = world.add_joint(&Joint::ball("gone", "gone").anchor(0.0, 0.0, 3.0)).unwrap();
    let shape = world.shapes_of(gone).unwrap().next().unwrap().id;
    world.remove_body(gone).unwrap();
    let lost = [Chosen { body: gone, shape, joint: Some(joint) }, foreign];
    let mut count = 0;
    // The energy, what was booked, and how large that is: large accounts that cancel have the round-off of their size.
    let sums = |world: &World| {
        let accounts = || Account::ALL.iter().map(|account| world.ledger().get(*account));
        (world.energy(), accounts().sum::<f64>(), accounts().map(f64::abs).sum::<f64>())
    };
    for at in 0..30 {
        for _ in 0..CALLS {
            let before = sums(&world);
            let what = call(random, &mut world, &mut count, mix);
            let after = sums(&world);
            let (change, booked) = (after.0 - before.0, after.1 - before.1);
            let size = 1.0 + before.0.abs() + before.1.abs() + change.abs();
            assert!(
                (change - booked).abs() <= 1e-9 * size + 1e-14 * after.2,
                "world {number}, step {at}, call {what}: {change} J, {booked} J booked"
            );
        }
        let before = (world.hash(), world.snapshot());
        for _ in 0..CALLS {
            let lost = &lost[random.index(2)];
            refused(random, &mut world, lost, mix);
            assert!((world.hash(), world.snapshot()) == before, "world {number}, step {at}");
        }
        step(&mut world);
    }
}

/// Tables that follow the edits one by one are those that would be made anew.
#[test]
fn edits_at_random_have_the_same_bits_with_and_without_a_workspace() {
    let mut random = SplitMix::new(20261119);
    for round in 0..40 {
        let scene = scene(&mut random);
        let calls = SplitMix::new(round);
        let [kept, dropped] = [false, true].map(|is_dropped| {
            let (mut world, mut random, mut count) = (World::new(&scene).unwrap(), calls.clone(), 0);
            let mut hashes = Vec::new();
            for _ in 0..60 {
                for _ in 0..random.index(4) {
                    call(&mut random, &mut world, &mut count, ALL);
                }
                if is_dropped {
                    world.drop_workspace();
                }
                step(&mut world);
                hashes.push(world.hash());
            }
            hashes
        });
        assert_eq!(kept, dropped, "round {round}");
    }
}

/// Questions that go on from the last one see where everything is now: their answers are those of a world that was never asked.
#[test]
fn questions_after_edits_and_steps_have_the_answers_of_a_world_that_was_never_asked() {
    let mut random = SplitMix::new(20261120);
    let (mut hits, mut all) = (0, 0);
    for _ in 0..20 {
        let (mut world, mut count) = (World::new(&scene(&mut random)).unwrap(), 0);
        for round in 0..60 {
            if round % 3 == 0 {
                step(&mut world);
            } else {
                call(&mut random, &mut world, &mut count, ALL);
            }
            let never_asked = world.clone();
            for _ in 0..3 {
                let (from, along) = (vector(&mut random, 4.0), random.direction());
                let answers = |world: &World| {
                    let near = world.closest(from, 0.5, Among::ALL);
                    (world.cast_ray(from, along, 9.0, Among::ALL), near, world.at_point(from, Among::ALL))
                };
                let (seen, expected) = (answers(&world), answers(&never_asked.clone()));
                assert_eq!(seen, expected, "round {round}");
                hits += usize::from(seen.0.is_some());
                all += 1;
            }
        }
    }
    assert!(hits * 4 > all, "{hits} of {all} rays hit something");
}

/// A setting: what it is, how a world gets it, with "body 0" and its shape, and how a scene has it.
type Setting = (&'static str, Box<dyn Fn(&mut World, BodyId, ShapeId)>, Box<dyn Fn(&mut Scene)>);

fn body_0(scene: &Scene) -> usize {
    scene.bodies.iter().position(|body| body.name == "body 0").unwrap()
}

fn more_settings(random: &mut SplitMix) -> Vec<Setting> {
    let (dt, place, force) = (1.0 / random.range(60.0, 500.0), pose(random), vector(random, 50.0));
    let (twist, angle, rate) = (
        Twist::new(vector(random, 5.0), vector(random, 9.0)),
        random.range(-2.0, 2.0),
        random.range(-3.0, 3.0),
    );
    let (moving, target) = (driven(random), random.range(-2.0, 2.0));
    let Motion::Driven { linear_velocity, angular_velocity, .. } = moving.clone() else { panic!("driven") };
    let motor = move |target| MotorSpec::velocity(target, 3.0).max_force(20.0);
    let hinge = |scene: &Scene| scene.joints.iter().position(|joint| joint.name == "hinge").unwrap();
    vec![
        (
            "time step",
            Box::new(move |world, _, _| world.change_world(|w| w.dt = dt).unwrap()),
            Box::new(move |scene| scene.world.dt = dt),
        ),
        (
            "a sensor of the same mass",
            Box::new(move |world, body, shape| {
                world.set_mass(body, 2.0).unwrap();
                world.set_sensor(shape, true).unwrap();
                world.set_sensor(shape, false).unwrap();
            }),
            Box::new(move |scene| {
                let at = body_0(scene);
                scene.bodies[at].mass = Some(2.0);
            }),
        ),
        (
            "pose and velocity",
            Box::new(move |world, body, _| {
                world.set_pose(body, place).unwrap();
                world.set_velocity(body, twist).unwrap();
            }),
            Box::new(move |scene| {
                let at = body_0(scene);
                let body = &mut scene.bodies[at];
                (body.position, body.orientation) = (place.translation, place.rotation);
                (body.linear_velocity, body.angular_velocity) = (twist.linear, twist.angular);
            }),
        ),
        (
            "velocity of a driver",
            Box::new(move |world, _, _| {
                let table = world.find("table").unwrap();
                world.set_velocity(table, Twist::new(linear_velocity, angular_velocity)).unwrap();
            }),
            Box::new(move |scene| {
                let table = scene.bodies.iter_mut().find(|body| body.name == "table").unwrap();
                table.motion = moving.clone();
            }),
        ),
        (
            "force",
            Box::new(move |world, body, _| world.set_force(body, force, -force).unwrap()),
            Box::new(move |scene| {
                let at = body_0(scene);
                (scene.bodies[at].force, scene.bodies[at].torque) = (force, -force);
            }),
        ),
        (
            "coordinate of a joint",
            Box::new(move |world, _, _| world.set_joint("hinge", angle, rate).unwrap()),
            Box::new(move |scene| {
                let at = hinge(scene);
                (scene.joints[at].position, scene.joints[at].velocity) = (angle, rate);
            }),
        ),
        (
            "a motor and its target",
            Box::new(move |world, _, _| {
                let joint = Joint::hinge("hinge", "arm").anchor(4.0, 0.0, 3.0).axis(0.0, 1.0, 0.0);
                world.change_joint(&joint.motor(motor(0.5))).unwrap();
                world.set_motor_target("hinge", target).unwrap();
            }),
            Box::new(move |scene| {
                let at = hinge(scene);
                scene.joints[at].motor = Some(motor(target));
            }),
        ),
        (
            "a body that came and went",
            Box::new(move |world, _, _| {
                let id = world.add_body(&Body::dynamic("guest").sphere(0.2).at(0.0, 0.0, 9.0)).unwrap();
                world.remove_body(id).unwrap();
            }),
            Box::new(|_| {}),
        ),
    ]
}

/// Each change before the first step, and the scene that has it from the start.
#[test]
fn what_is_set_before_the_first_step_is_as_if_built_so() {
    let mut random = SplitMix::new(77);
    for round in 0..told("HUYGENS_WORLDS", 25) {
        let scene = scene(&mut random);
        let (layer, mass, solver) = (
            1 << random.index(3),
            random.range(1.0, 50.0),
            SolverKind::ALL[random.index(SolverKind::ALL.len())],
        );
        let (friction, gravity) = (random.range(0.0, 1.0), vector(&mut random, 12.0));
        let extra = body(&mut random, "extra");
        let hung = Joint::ball("hung", "extra").anchor(0.5, 0.0, 6.0);
        let of = body_0;
        let pairs: Vec<Setting> = vec![
            (
                "groups",
                Box::new(move |world, _, shape| world.set_groups(shape, layer, 3).unwrap()),
                Box::new(move |scene| {
                    let at = of(scene);
                    (scene.bodies[at].shapes[0].layer, scene.bodies[at].shapes[0].mask) = (layer, 3);
                }),
            ),
            (
                "mass",
                Box::new(move |world, body, _| world.set_mass(body, mass).unwrap()),
                Box::new(move |scene| {
                    let at = of(scene);
                    scene.bodies[at].mass = Some(mass);
                }),
            ),
            (
                "material of a shape",
                Box::new(|world, _, shape| world.set_material(shape, "rubber").unwrap()),
                Box::new(move |scene| {
                    let at = of(scene);
                    scene.bodies[at].shapes[0].material = Some("rubber".to_owned());
                }),
            ),
            (
                "material",
                Box::new(move |world, _, _| {
                    world.change_material("wood", Material::new().friction(friction)).unwrap();
                }),
                Box::new(move |scene| {
                    scene.materials.insert("wood".to_owned(), Material::new().friction(friction));
                }),
            ),
            (
                "combine, solver and gravity",
                Box::new(move |world, _, _| {
                    world
                        .change_world(|w| {
                            (w.combine, w.solver, w.gravity) = (Combine::Max, solver.into(), gravity)
                        })
                        .unwrap();
                }),
                Box::new(move |scene| {
                    let w = &mut scene.world;
                    (w.combine, w.solver, w.gravity) = (Combine::Max, solver.into(), gravity);
                }),
            ),
            (
                "a body and a joint",
                Box::new({
                    let (extra, hung) = (extra.clone(), hung.clone());
                    move |world, _, _| {
                        world.add_body(&extra).unwrap();
                        world.add_joint(&hung).unwrap();
                    }
                }),
                Box::new(move |scene| {
                    scene.bodies.push(extra.clone());
                    scene.joints.push(hung.clone());
                }),
            ),
        ];
        let pairs = pairs.into_iter().chain(more_settings(&mut random));
        for (what, set, build) in pairs {
            let mut changed = scene.clone();
            build(&mut changed);
            let [mut edited, mut built] = [&scene, &changed].map(|scene| World::new(scene).unwrap());
            let id = edited.find("body 0").unwrap();
            let shape = edited.shapes_of(id).unwrap().next().unwrap().id;
            set(&mut edited, id, shape);
            for k in 0..60 {
                step(&mut edited);
                step(&mut built);
                assert_eq!(edited.hash(), built.hash(), "round {round}, {what}, step {k}");
            }
        }
    }
}

#[test]
fn a_body_that_is_changed_before_the_first_step_is_as_if_built_so() {
    let mut random = SplitMix::new(99);
    for round in 0..60 {
        let scene = scene(&mut random);
        let mut changed = scene.clone();
        let at = scene.bodies.iter().position(|body| body.name == "body 0").unwrap();
        let (was, mut new) = (&scene.bodies[at], body(&mut random, "body 0"));
        (new.position, new.orientation) = (was.position, was.orientation);
        changed.bodies[at] = new.clone();
        let [mut edited, mut built] = [&scene, &changed].map(|scene| World::new(scene).unwrap());
        let id = edited.find("body 0").unwrap();
        edited.change_body(id, &new).unwrap();
        for _ in 0..100 {
            step(&mut edited);
            step(&mut built);
            assert_eq!(edited.hash(), built.hash(), "round {round}");
        }
        assert_eq!(edited.body(id).unwrap().mass, built.body(built.find("body 0").unwrap()).unwrap().mass);
        edited.remove_body(id).unwrap();
        assert_eq!(edited.body(id).unwrap_err(), HandleError::Stale);
    }
}

#[test]
fn names_are_found_and_user_data_stays_with_its_body() {
    let mut world = World::new(&Scene::new()).unwrap();
    let mut random = SplitMix::new(7);
    let mut known: Vec<(String, BodyId, u128)> = Vec::new();
    for i in 0..400u128 {
        if known.len() > 20 || (!known.is_empty() && random.index(3) == 0) {
            let (name, id, _) = known.swap_remove(random.index(known.len()));
            world.remove_body(id).unwrap();
            assert_eq!(world.find(&name), None);
        } else {
            let name = format!("body {i}");
            let id = world.add_body(&Body::dynamic(&name).sphere(0.1)).unwrap();
            assert_eq!(world.body(id).unwrap().user_data, 0);
            world.set_user_data(id, i + 1).unwrap();
            known.push((name, id, i + 1));
        }
        for (name, id, data) in &known {
            assert_eq!(world.find(name), Some(*id));
            assert_eq!((world.body(*id).unwrap().name, world.body(*id).unwrap().user_data), (&**name, *data));
        }
    }
}

/// Forces of one step: the same bits as a force that is set before the step and set back after it.
#[test]
fn a_force_for_one_step_is_a_force_that_is_set_and_set_back() {
    let scene = Scene::new()
        .body(Body::fixed("floor").shape(Shape::half_space()))
        .body(Body::dynamic("box").cuboid(0.4, 0.5, 0.6).at(0.0, 0.0, 0.3));
    let [mut passing, mut set] = [&scene, &scene].map(|scene| World::new(scene).unwrap());
    let mut random = SplitMix::new(3);
    let (lasting, none) = (Vec3::new(3.0, -1.0, 2.0), Vec3::ZERO);
    for _ in 0..100 {
        let (force, torque) = (vector(&mut random, 200.0), vector(&mut random, 20.0));
        let [here, there] = [&passing, &set].map(|world| world.find("box").unwrap());
        passing.set_force(here, lasting, none).unwrap();
        passing.apply_force(here, force, torque).unwrap();
        // A snapshot between has the forces of the step.
        let saved = passing.snapshot();
        passing.apply_force(here, torque, force).unwrap();
        passing.restore(&saved).unwrap();
        set.set_force(there, lasting + force, torque).unwrap();
        step(&mut passing);
        step(&mut set);
        set.set_force(there, lasting, none).unwrap();
        assert_eq!(passing.hash(), set.hash());
        step(&mut passing);
        step(&mut set);
        assert_eq!(passing.hash(), set.hash(), "the force is gone");
    }
}

#[test]
fn a_shape_cast_finds_the_first_of_all_shapes_that_it_meets() {
    let mut random = SplitMix::new(11);
    let mut hits = 0;
    for _ in 0..200 {
        let mut scene = Scene::new().body(Body::fixed("floor").shape(Shape::half_space()));
        for i in 0..12 {
            scene = scene.body(body(&mut random, &format!("body {i}")).turned([1.0, 2.0, 0.5], i as f64));
        }
        scene = scene.material("wood", Material::new()).material("rubber", Material::new());
        let world = World::new(&scene).unwrap();
        let probe = world.probe();
        let form = huygens::geometry::CollisionShape::sphere(0.15).unwrap();
        let from = Pose::at(vector(&mut random, 3.0) + Vec3::Z * 3.5);
        let along = vector(&mut random, 6.0);
        let odd =
            |id: BodyId, _: ShapeId| world.body(id).is_ok_and(|body| body.name.ends_with(['1', '3', '5']));
        for among in [Among::ALL, Among { only: Some(&odd), ..Among::ALL }] {
            let hit = probe.cast_shape(&form, &from, along, among);
            assert_eq!(hit, world.cast_shape(&form, &from, along, among));
            // Where the shape hits, it touches; before, it overlaps nothing.
            let end = hit.map_or(1.0, |hit| hit.time);
            for k in 0..50 {
                let at = Pose::at(from.translation + along * (end * 0.999_999 * f64::from(k) / 50.0));
                assert!(end == 0.0 || probe.overlap(&form, &at, among).is_empty(), "{hit:?}");
            }
            if let Some(hit) = hit {
                hits += 1;
                let at = Pose::at(from.translation + along * hit.time);
                let nearest = probe.closest_shape(&form, &at, 1.0, among).unwrap();
                assert!(nearest.distance <= 1e-7, "{nearest:?}");
                assert!(among.only.is_none() || odd(hit.body, hit.shape));
                assert!(!probe.at_point(hit.point - hit.normal * 1e-6, among).is_empty());
            }
        }
    }
    assert!(hits > 40, "{hits}");
}
