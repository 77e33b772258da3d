//! Joints while a world runs: their loads, motors, limits by axis, breaks and edits.

use crate::common::world;
use huygens::ledger::Account;
use huygens::math::{SplitMix, Sym3, Twist, Vec3, scalar, trig};
use huygens::scene::{AxisSpec, Body, Joint, JointKind, JointSpring, MotorSpec, Scene, Shape};
use huygens::{EditError, EventKind, World};

fn ball(name: &str, mass: f64, at: Vec3) -> Body {
    Body::dynamic(name).shape(Shape::sphere(0.1).groups(0, 0)).mass(mass).at(at.x, at.y, at.z)
}

fn run(world: &mut World, steps: usize) {
    (0..steps).for_each(|_| {
        world.step();
    });
}

#[test]
fn a_weld_breaks_when_its_load_is_above_what_it_bears() {
    let dt = 1e-3;
    let weld = Joint::hinge("weld", "load").kind(JointKind::Fixed).breaks_at(30.0, f64::INFINITY);
    let mut world = world(&Scene::new().dt(dt).body(ball("load", 2.0, Vec3::ZERO)).joint(weld));
    let load = world.find("load").expect("the load");
    let mut breaks = 0;
    for k in 0..1500 {
        let pull = 10.0 * dt * (f64::from(k) + 0.5);
        world.set_force(load, Vec3::new(0.0, 0.0, -pull), Vec3::ZERO).expect("a force");
        let before = world.body(load).expect("a body").position;
        world.step();
        breaks += world.events().filter(|event| event.kind == EventKind::Break).count();
        if breaks == 0 {
            assert_eq!(world.body(load).expect("a body").position, before);
        }
    }
    let broken = &world.state().broken;
    assert_eq!((breaks, broken.len(), broken[0].name.as_str()), (1, 1, "weld"));
    // 2 kg · 9.81 m/s² + 10 N/s · t = 30 N at t = 1.038 s; a step later at most.
    assert!((broken[0].time - 1.038).abs() <= 1.5 * dt, "{:?}", broken[0]);
    assert!((broken[0].force - 30.0).abs() < 0.02, "{:?}", broken[0]);
    let body = world.body(load).expect("a body");
    assert!((body.linear_velocity.z + 7.46361).abs() < 0.02, "{}", body.linear_velocity);
    assert!((body.position.z + 1.68300594).abs() < 0.02, "{}", body.position);
    assert!(world.ledger().worst_ratio() < 1.0, "{}", world.ledger().worst_ratio());
}

#[test]
fn joints_of_a_hanging_chain_carry_what_hangs_below_them() {
    let (n, link, load) = (20, 0.1, 100.0);
    let mut scene = Scene::new().dt(1e-3);
    for k in 0..n {
        let name = format!("link{k}");
        let z = -0.1 * (f64::from(k) + 0.5);
        let mass = if k + 1 == n { link + load } else { link };
        scene = scene.body(ball(&name, mass, Vec3::Z * z));
        let mut joint = Joint::hinge(&name, &name).anchor(0.0, 0.0, -0.1 * f64::from(k)).axis(0.0, 1.0, 0.0);
        if k > 0 {
            joint = joint.parent(format!("link{}", k - 1));
        }
        scene = scene.joint(joint);
    }
    let mut world = world(&scene);
    run(&mut world, 20);
    for (k, carried) in world.joint_loads().iter().enumerate() {
        let expected = (load + link * (20.0 - k as f64)) * 9.81;
        assert!((carried.force - Vec3::Z * expected).length() < 1e-9 * expected, "{k}: {}", carried.force);
        assert!(carried.torque.length() < 1e-9 * expected, "{k}: {}", carried.torque);
    }
}

#[test]
fn the_load_of_a_swinging_rod_is_that_of_newton() {
    // A point of 1 kg on 1 m from 60°: tension m(g cos θ + v²/L) along the string.
    let at = Vec3::new(3f64.sqrt() / 2.0, 0.0, -0.5);
    let bob = Body::dynamic("bob").shape(Shape::sphere(0.01).groups(0, 0)).mass(1.0);
    let bob = bob.inertia(Sym3::diagonal(Vec3::splat(1e-9))).at(at.x, at.y, at.z);
    let scene = Scene::new().dt(1e-3).body(bob).joint(Joint::hinge("j", "bob").axis(0.0, 1.0, 0.0));
    let mut world = world(&scene);
    for _ in 0..400 {
        let before = world.bodies().next().expect("the bob");
        let (x, v) = (before.position, before.linear_velocity);
        world.step();
        let after = world.bodies().next().expect("the bob");
        let (x, v) = ((x + after.position) * 0.5, (v + after.linear_velocity) * 0.5);
        let tension = -9.81 * x.z + v.length_squared();
        let load = world.joint_loads()[0];
        // Of second order in the step.
        assert!((load.force + x * tension).length() < 1e-4, "{} {tension}", load.force);
        assert!(load.torque.length() < 1e-4, "{}", load.torque);
    }
}

#[test]
fn the_work_of_motors_is_what_the_ledger_books() {
    for limit in [f64::INFINITY, 1.5] {
        let mut motor = MotorSpec::velocity(4.0, 0.5);
        motor.max_force = limit;
        let arm = |name: &str| ball(name, 1.0, Vec3::new(0.5, 0.0, 0.0));
        let hinge = |name: &str| Joint::hinge(name, name).axis(0.0, 1.0, 0.0);
        let scene = Scene::new()
            .dt(2e-3)
            .body(arm("a"))
            .body(arm("b"))
            .joint(hinge("a").motor(motor))
            .joint(hinge("b").motor(MotorSpec::position(1.0, 20.0, 1.0)));
        let mut world = world(&scene);
        run(&mut world, 100);
        world.set_motor_target("b", -1.0).expect("a target");
        run(&mut world, 500);
        let work: f64 = world.motor_records().iter().map(|record| record.work).sum();
        let booked = world.ledger().get(Account::Actuator);
        assert!((work - booked).abs() < 1e-10 * (1.0 + booked.abs()), "{limit}: {work} {booked}");
        assert_eq!(world.set_motor_target("c", 0.0), Err(EditError::NoJoint));
    }
}

#[test]
fn a_generic_joint_has_springs_of_its_own_at_each_axis() {
    let mut joint = Joint::hinge("j", "b").kind(JointKind::Generic);
    joint.free = [true, true, false, false, false, true];
    let spring = |stiffness: f64| Some(JointSpring { stiffness, rest: 0.0 });
    joint.axes[0] = Some(AxisSpec { spring: spring(8.0), position: 0.3, ..AxisSpec::default() });
    joint.axes[1] = Some(AxisSpec { spring: spring(18.0), velocity: 0.6, ..AxisSpec::default() });
    let turning = MotorSpec { target: 2.0, ..MotorSpec::velocity(2.0, 0.0) };
    joint.axes[5] = Some(AxisSpec { motor: Some(turning), ..AxisSpec::default() });
    let scene = Scene::new().gravity(0.0, 0.0, 0.0).dt(1e-3).body(ball("b", 2.0, Vec3::ZERO)).joint(joint);
    let mut world = world(&scene);
    for _ in 0..2000 {
        world.step();
        let t = world.time();
        let body = world.bodies().next().expect("the ball");
        // ω² = k/m: 4 and 9; the error of the midpoint rule is t ω³h²/24.
        let exact = Vec3::new(0.3 * trig::cos(2.0 * t), 0.2 * trig::sin(3.0 * t), 0.0);
        assert!((body.position - exact).length() < 1e-5, "{t}: {} {exact}", body.position);
        assert!((body.angular_velocity - Vec3::Z * 2.0).length() < 1e-9, "{}", body.angular_velocity);
    }
    assert!(world.ledger().worst_ratio() < 1.0, "{}", world.ledger().worst_ratio());
}

#[test]
fn a_ball_joint_stays_in_its_cone_and_twist() {
    for solver in ["soft-step", "sequential-impulse", "ncp/newton"] {
        let mut random = SplitMix::new(6);
        for k in 0..6 {
            let axis = -Vec3::Z;
            let mut joint = Joint::ball("j", "rod").axis(axis.x, axis.y, axis.z);
            (joint.cone, joint.twist) = (Some(0.6), Some([-0.4, 0.3]));
            let rod = Body::dynamic("rod").shape(Shape::capsule(0.05, 0.6).groups(0, 0)).mass(1.0);
            let rod = rod.inertia(Sym3::diagonal(Vec3::new(0.05, 0.05, 0.01))).at(0.0, 0.0, -0.5);
            let mut world = world(&Scene::new().dt(1e-3).solver(solver).body(rod).joint(joint));
            let id = world.find("rod").expect("the rod");
            let across = random.direction();
            let push = Vec3::new(across.x, across.y, 0.0).normalize() * 12.0;
            let (mut cone, mut twist) = (0.0f64, [0.0f64; 2]);
            for step in 0..1500 {
                let torque = if step % 500 < 250 { across } else { -across } * 2.4;
                world.set_force(id, push, torque).expect("a force");
                world.step();
                let joint = world.joints().next().expect("the joint");
                let q = joint.coordinates;
                let sign = q[0].signum();
                let along = axis.x * q[1] + axis.y * q[2] + axis.z * q[3];
                let angle = 2.0 * trig::atan2(sign * along, sign * q[0]);
                let turn = world.body(id).expect("a body").orientation;
                cone = scalar::max(cone, trig::angle_between(turn * axis, axis));
                twist = [scalar::min(twist[0], angle), scalar::max(twist[1], angle)];
            }
            // The usual slop, and what a step moves before a limit holds.
            assert!(cone > 0.55 && cone < 0.605, "{solver} {k}: {cone}");
            assert!(twist[0] > -0.405 && twist[1] < 0.305, "{solver} {k}: {twist:?}");
            assert!(world.ledger().worst_ratio() < 1.0, "{solver} {k}: {}", world.ledger().worst_ratio());
        }
    }
}

/// A free-floating chain of three links that tumbles.
fn tumbling(seed: u64) -> World {
    let mut r = SplitMix::new(seed);
    let mut scene = Scene::new().gravity(0.0, 0.0, 0.0).dt(2e-3);
    for k in 0..3 {
        let name = format!("b{k}");
        let inertia =
            Sym3::diagonal(Vec3::new(r.range(0.02, 0.05), r.range(0.03, 0.05), r.range(0.03, 0.06)));
        let at = Vec3::new(f64::from(k), 0.1 * r.unit(), 0.1 * r.unit());
        let mut body = ball(&name, r.range(0.5, 2.0), at).inertia(inertia);
        if k == 0 {
            let (v, w) = (r.in_cube(), r.in_cube() * 2.0);
            body = body.velocity(v.x, v.y, v.z).spin(w.x, w.y, w.z);
        } else {
            let kind = [JointKind::Ball, JointKind::Hinge, JointKind::Universal][r.index(3)];
            let axis = r.direction();
            let joint = Joint::hinge(format!("j{k}"), &name).kind(kind).parent(format!("b{}", k - 1));
            let joint = joint.anchor(f64::from(k) - 0.5, 0.0, 0.0).axis(axis.x, axis.y, axis.z);
            scene = scene.joint(joint.start(0.0, r.range(-3.0, 3.0)));
        }
        scene = scene.body(body);
    }
    world(&scene)
}

/// Momentum, and angular momentum about the origin, of all bodies.
fn momentum(world: &World) -> Twist {
    let mut sum = Twist::ZERO;
    for body in world.bodies() {
        let model = world.model().bodies.iter().find(|model| model.name == body.name).expect("a body");
        let linear = body.linear_velocity * model.mass;
        let turn = body.orientation;
        let spin = turn * (model.inertia * (turn.conjugate() * body.angular_velocity));
        let com = body.position + turn * model.center;
        sum += Twist::new(linear, com.cross(linear) + spin);
    }
    sum
}

#[test]
fn edits_of_joints_keep_momentum_and_book_their_energy() {
    for seed in 0..12 {
        let mut world = tumbling(seed);
        run(&mut world, 100);
        let start = momentum(&world);
        let same = |world: &World, what: &str| {
            let off = momentum(world) - start;
            // Hundreds of steps of round-off.
            let size = off.linear.length() + off.angular.length();
            assert!(size < 1e-11, "{seed} {what}: {size:e}");
            let ledger = world.ledger();
            assert!(ledger.worst_ratio() < 1.0, "{seed} {what}: {}", ledger.worst_ratio());
            let left = world.energy()
                - ledger.energy_start()
                - Account::ALL.iter().map(|a| ledger.get(*a)).sum::<f64>();
            assert!(left.abs() < 1e-11, "{seed} {what}: {left}");
        };
        let twists = |world: &World| -> Vec<Twist> {
            world.bodies().map(|body| Twist::new(body.linear_velocity, body.angular_velocity)).collect()
        };
        // A lock takes energy out, and none in; what it holds does not move.
        let (energy, before) = (world.energy(), world.joints().last().expect("a joint").coordinates.to_vec());
        world.lock_joint("j2", true).expect("a lock");
        assert!(world.energy() <= energy + 1e-12, "{seed}");
        same(&world, "lock");
        run(&mut world, 100);
        same(&world, "locked");
        world.lock_joint("j2", false).expect("no lock");
        let after = world.joints().last().expect("a joint").coordinates.to_vec();
        for (a, b) in before.iter().zip(&after) {
            assert!((a - b).abs() < 1e-9, "{seed}: {before:?} {after:?}");
        }
        run(&mut world, 100);
        same(&world, "unlocked");
        // What is cut goes on as it moved.
        let moving = twists(&world);
        let energy = world.energy();
        world.remove_joint("j1").expect("a cut");
        for (a, b) in moving.iter().zip(twists(&world)) {
            assert!((*a - b).linear.length() + (*a - b).angular.length() < 1e-12, "{seed}");
        }
        assert!((world.energy() - energy).abs() < 1e-12, "{seed}");
        run(&mut world, 50);
        same(&world, "cut");
        let middle = world.bodies().next().expect("a body").position;
        let joint = Joint::ball("new", "b1").parent("b0").anchor(middle.x, middle.y, middle.z);
        world.add_joint(&joint).expect("a joint");
        same(&world, "joined");
        run(&mut world, 50);
        same(&world, "together");
        assert!(world.add_joint(&joint).is_err() && world.remove_joint("none").is_err());
    }
}

#[test]
fn a_joint_can_be_set_and_changed() {
    let scene = Scene::new().gravity(0.0, 0.0, 0.0).dt(1e-3).body(ball("b", 1.0, Vec3::X));
    let joint = Joint::slide("j", "b").axis(1.0, 0.0, 0.0);
    let mut world = world(&scene.joint(joint.clone()));
    world.set_joint("j", 0.5, 2.0).expect("a setting");
    run(&mut world, 500);
    let at = world.bodies().next().expect("a body").position;
    assert!((at.x - 2.5).abs() < 1e-12, "{at}");
    world.change_joint(&joint.spring(100.0, 1.5)).expect("a change");
    run(&mut world, 1000);
    let view = world.joints().next().expect("a joint");
    // ½v² + ½k(q − 1.5)² stays.
    let energy = 0.5 * view.v * view.v + 50.0 * (view.q - 1.5) * (view.q - 1.5);
    assert!((energy - 2.0).abs() < 1e-9, "{energy}");
    assert!(world.ledger().worst_ratio() < 1.0);
    assert_eq!(world.set_joint("none", 0.0, 0.0), Err(EditError::NoJoint));
    assert!(matches!(world.set_joint("j", f64::NAN, 0.0), Err(EditError::NotFinite { .. })));
}

#[test]
fn inverse_dynamics_and_jacobians_agree_with_the_motion() {
    for seed in 0..8 {
        let mut world = tumbling(seed);
        run(&mut world, 30);
        let whole = world.tree_momentum("j2").expect("a tree");
        let sum = momentum(&world);
        assert!((whole.momentum.linear - sum.linear).length() < 1e-13);
        let about = whole.momentum.angular + whole.center.cross(sum.linear);
        assert!((about - sum.angular).length() < 1e-12);
        let point = world.bodies().last().expect("a body").position + Vec3::new(0.1, -0.2, 0.3);
        let [linear, angular] = world.joint_jacobian("j2", point).expect("rows");
        let v = &world.state().velocity.dof;
        let body = world.bodies().last().expect("a body");
        let expected = body.linear_velocity + body.angular_velocity.cross(point - body.position);
        for (k, (a, w)) in expected.to_array().into_iter().zip(body.angular_velocity.to_array()).enumerate() {
            let rate = |rows: &[f64]| {
                rows[k * v.len()..(k + 1) * v.len()].iter().zip(v).map(|(j, v)| j * v).sum::<f64>()
            };
            assert!((rate(&linear) - a).abs() < 1e-12 && (rate(&angular) - w).abs() < 1e-12, "{seed}");
        }
        // Without gravity and at rest nothing is needed to stay; the weight of the whole otherwise.
        let none = world.inverse_dynamics("j2", &vec![0.0; v.len()]).expect("forces");
        assert_eq!(none.len(), v.len());
        assert!(world.inverse_dynamics("j2", &[]).is_none());
    }
}

#[test]
fn neighbours_of_a_joint_on_a_static_body_do_not_collide_unless_asked() {
    for collide in [false, true] {
        let post = Body::fixed("post").shape(Shape::sphere(0.3));
        let ball = Body::dynamic("ball").shape(Shape::sphere(0.3)).mass(1.0).at(0.5, 0.0, 0.0);
        let mut joint = Joint::hinge("j", "ball").parent("post").axis(0.0, 1.0, 0.0);
        joint.collide = collide;
        let mut world = world(&Scene::new().dt(1e-3).body(post).body(ball).joint(joint));
        let touches = (0..10).any(|_| world.step().contacts > 0);
        assert_eq!(touches, collide);
    }
}
