//! Calls of a user's program at random, valid and not, between the steps of random worlds: the book closes, and a refused call changes no bit.

use crate::common::step;
use huygens::contact::SolverKind;
use huygens::ledger::Account;
use huygens::math::{Pose, SplitMix, Twist, Vec3, trig};
use huygens::scene::SceneErrors;
use huygens::scene::{
    Body, Combine, DriveLimit, Joint, JointKind, Material, Motion, MotorSpec, Scene, Shape,
};
use huygens::{Among, BodyId, ChangeError, EditError, HandleError, JointId, ShapeId, World};

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

fn body(random: &mut SplitMix, name: &str) -> Body {
    let shape = match random.index(4) {
        0 => Shape::sphere(random.range(0.1, 0.4)),
        1 => Shape::cuboid(random.range(0.2, 0.6), random.range(0.2, 0.6), random.range(0.2, 0.6)),
        2 => Shape::capsule(random.range(0.1, 0.2), random.range(0.1, 0.5)),
        _ => Shape::cylinder(random.range(0.1, 0.3), random.range(0.1, 0.5)),
    };
    let material = ["wood", "rubber"][random.index(2)];
    let at = vector(random, 2.0) + Vec3::Z * 2.5;
    Body::dynamic(name).shape(shape.material(material)).at(at.x, at.y, at.z)
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

/// One call that must work, or be refused for what the handle names: links do not move freely, static bodies take no force, and so on.
fn call(random: &mut SplitMix, world: &mut World, count: &mut u32) {
    let Chosen { body: id, shape, joint } = Chosen::new(random, world);
    *count += 1;
    match random.index(26) {
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
        _ => {
            let _ = joint.map(|joint| must(world.remove_joint(joint)));
        }
    }
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
    // Of a body whose frame is at its centre of mass.
    let l = if at_center { l } else { (at - world.body(id).unwrap().position).cross(p) };
    let done = if at_center { world.apply_impulse(id, p, l) } else { world.apply_impulse_at(id, p, at) };
    if done.is_ok() {
        let after = velocity(world);
        let work = (p.dot(before.linear + after.linear) + l.dot(before.angular + after.angular)) / 2.0;
        let booked = world.ledger().get(Account::User) - user;
        assert!((booked - work).abs() <= 1e-9 * (1.0 + work.abs()), "{booked} J for {work} J");
    }
}

/// One call with an argument that cannot be, or a handle that names nothing here: it must say so.
fn refused(random: &mut SplitMix, world: &mut World, lost: &Chosen) {
    let Chosen { body: id, shape, joint } = Chosen::new(random, world);
    let (good, bad) = (vector(random, 1.0), bad_vector(random));
    let (gone, lost_joint) = (lost.body, lost.joint.unwrap());
    let edit = |result: Result<(), EditError>| result.map_err(|error| error.to_string());
    let scene = |result: Result<(), SceneErrors>| result.map_err(|error| error.to_string());
    let change = |result: Result<(), ChangeError>| result.map_err(|error| error.to_string());
    let handle = |result: Result<(), HandleError>| result.map_err(|error| error.to_string());
    let answer = match random.index(34) {
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

/// Worlds of the test below. With 1,000 it makes a million calls, half of them wrong ones; `HUYGENS_WORLDS` says another number.
const WORLDS: usize = 25;

/// In every step of a world.
const CALLS: usize = 17;

#[test]
fn wrong_calls_change_no_bit_and_the_book_of_all_others_closes() {
    let worlds = std::env::var("HUYGENS_WORLDS").ok().and_then(|n| n.parse().ok()).unwrap_or(WORLDS);
    let mut random = SplitMix::new(20261118);
    for round in 0..worlds {
        let scene = scene(&mut random);
        let [mut world, other] = [&scene, &scene].map(|scene| World::new(scene).unwrap());
        let foreign = Chosen::new(&mut random, &other);
        let gone = world.add_body(&body(&mut random, "gone")).unwrap();
        let joint = world.add_joint(&Joint::ball("gone", "gone").anchor(0.0, 0.0, 3.0)).unwrap();
        let shape = world.shapes_of(gone).unwrap().next().unwrap().id;
        world.remove_body(gone).unwrap();
        let lost = [Chosen { body: gone, shape, joint: Some(joint) }, foreign];
        let mut count = 0;
        for _ in 0..30 {
            for _ in 0..CALLS {
                let sums = |world: &World| {
                    let ledger = world.ledger();
                    let accounts = Account::ALL.iter().map(|account| ledger.get(*account));
                    (world.energy(), accounts.sum::<f64>())
                };
                let before = sums(&world);
                call(&mut random, &mut world, &mut count);
                let after = sums(&world);
                let (change, booked) = (after.0 - before.0, after.1 - before.1);
                let size = 1.0 + before.0.abs() + before.1.abs() + change.abs();
                assert!(
                    (change - booked).abs() <= 1e-9 * size,
                    "round {round}: {change} J, {booked} J booked; {:?}",
                    Account::ALL.map(|account| (account, world.ledger().get(account)))
                );
            }
            let before = (world.hash(), world.snapshot());
            for _ in 0..CALLS {
                let lost = &lost[random.index(2)];
                refused(&mut random, &mut world, lost);
                assert!((world.hash(), world.snapshot()) == before, "round {round}");
            }
            let report = world.step();
            let (left, bound) = (report.unexplained, report.unexplained_bound);
            assert!(
                left.abs() <= bound,
                "round {round}: {left:e} J unexplained, bound {bound:e} J; {report:?}"
            );
        }
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
                    call(&mut random, &mut world, &mut count);
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
                call(&mut random, &mut world, &mut count);
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

/// Each change before the first step, and the scene that has it from the start.
#[test]
fn what_is_set_before_the_first_step_is_as_if_built_so() {
    let mut random = SplitMix::new(77);
    for round in 0..40 {
        let scene = scene(&mut random);
        let (layer, mass, solver) = (
            1 << random.index(3),
            random.range(1.0, 50.0),
            SolverKind::ALL[random.index(SolverKind::ALL.len())],
        );
        let (friction, gravity) = (random.range(0.0, 1.0), vector(&mut random, 12.0));
        let extra = body(&mut random, "extra");
        let hung = Joint::ball("hung", "extra").anchor(0.5, 0.0, 6.0);
        let of = |scene: &Scene| scene.bodies.iter().position(|body| body.name == "body 0").unwrap();
        type Set = Box<dyn Fn(&mut World, BodyId, ShapeId)>;
        type Build = Box<dyn Fn(&mut Scene)>;
        let pairs: Vec<(&str, Set, Build)> = vec![
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
