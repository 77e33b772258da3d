//! Robots whose scene runs in a world: the same motion as the mechanism alone makes, in MuJoCo's layout, with a closed book.

use huygens::World;
use huygens_formats::mjcf::mech::{Forward, Integration, MechanismState, step};
use huygens_formats::mjcf::{self, Machine, SceneRobot};
use std::path::Path;

/// Models without contacts: a motor and a servo on joints, tendons, balls, several joints on a body, a medium, activations, forces from outside.
const MODELS: [(&str, &str); 7] = [
    (
        "arm",
        r#"<mujoco><worldbody><body pos="0 0 1"><joint name="a" axis="0 1 0" damping=".2" stiffness="3" springref="20" armature=".01"/>
<geom type="capsule" fromto="0 0 0 .4 0 0" size=".04" contype="0" conaffinity="0"/>
<body pos=".4 0 0"><joint name="b" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".03" contype="0" conaffinity="0"/></body></body></worldbody>
<actuator><motor joint="a" gear="2"/><position name="servo" joint="b" kp="40" kv="2" gear=".5"/></actuator>
<sensor><jointpos joint="b"/><actuatorfrc actuator="servo"/></sensor></mujoco>"#,
    ),
    (
        "tendon",
        r#"<mujoco><worldbody><body pos="0 0 1"><joint name="a" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .4 0 0" size=".04" contype="0" conaffinity="0"/>
<body pos=".4 0 0"><joint name="b" axis="0 1 0" damping=".05"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".03" contype="0" conaffinity="0"/></body></body></worldbody>
<tendon><fixed name="t" stiffness="30" damping="1"><joint joint="a" coef=".5"/><joint joint="b" coef="-.3"/></fixed></tendon>
<actuator><position tendon="t" kp="20"/><general joint="b" dyntype="filter" dynprm=".05" gainprm="3"/></actuator></mujoco>"#,
    ),
    (
        "ball",
        r#"<mujoco><worldbody><body pos="0 0 1"><joint name="s" type="ball" damping=".1" stiffness="1"/><geom type="box" size=".05 .08 .2" pos="0 0 -.2" contype="0" conaffinity="0"/>
<body pos="0 0 -.4"><joint name="e" axis="1 .2 0"/><geom type="capsule" fromto="0 0 0 .1 0 -.3" size=".03" contype="0" conaffinity="0"/></body></body></worldbody>
<actuator><motor joint="s" gear="0 1 .5"/><velocity joint="e" kv=".5"/></actuator></mujoco>"#,
    ),
    (
        "three joints",
        r#"<mujoco><worldbody><body pos="0 0 1"><joint name="x" type="slide" axis="1 0 0" damping="1"/><joint name="h" axis="0 0 1" pos=".1 0 0"/><joint name="k" axis="0 1 0" pos="0 .05 .1"/>
<geom type="box" size=".2 .05 .1" pos=".2 0 0" contype="0" conaffinity="0"/></body></worldbody>
<actuator><motor joint="x" gear="30"/><position joint="k" kp="50" dampratio="1"/></actuator></mujoco>"#,
    ),
    (
        "free base",
        r#"<mujoco><option density="30" viscosity=".1" wind=".5 0 0"/><worldbody><body pos="0 0 1"><freejoint/><geom type="box" size=".2 .1 .05" pos=".03 0 .01" contype="0" conaffinity="0"/>
<site name="s" pos=".1 0 0"/><body pos=".2 0 0"><joint name="j" axis="0 1 0" damping=".1 .02"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".03" contype="0" conaffinity="0"/></body></body></worldbody>
<actuator><motor site="s" gear="1 2 3 .1 .2 .3"/><motor joint="j"/></actuator><sensor><gyro site="s"/><accelerometer site="s"/></sensor></mujoco>"#,
    ),
    (
        "coupled",
        r#"<mujoco><worldbody><body pos="0 0 1"><joint name="a" axis="0 1 0" armature=".1"/><geom type="capsule" fromto="0 0 0 .4 0 0" size=".04" contype="0" conaffinity="0"/></body>
<body pos="0 .5 1"><joint name="b" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".03" contype="0" conaffinity="0"/></body></worldbody>
<actuator><motor joint="a" gear="5"/></actuator></mujoco>"#,
    ),
    (
        "weightless",
        r#"<mujoco><worldbody><body pos="0 0 1" gravcomp="1"><freejoint/><geom type="box" size=".2 .1 .05" contype="0" conaffinity="0"/></body>
<body pos="1 0 1" gravcomp=".5"><joint axis="0 1 0"/><geom type="box" size=".2 .1 .05" pos=".2 0 0" contype="0" conaffinity="0"/></body></worldbody></mujoco>"#,
    ),
];

fn start(machine: &Machine) -> MechanismState {
    let mut state = machine.start();
    for (i, v) in state.qvel.iter_mut().enumerate() {
        *v = [0.4, -0.7, 0.9, 0.3, -0.5, 0.2][i % 6];
    }
    for (i, u) in state.ctrl.iter_mut().enumerate() {
        *u = [0.6, -0.4][i % 2];
    }
    state
}

/// qpos after `seconds` in a world with steps of `dt`.
fn in_world(text: &str, dt: f64, seconds: f64) -> MechanismState {
    let model = mjcf::parse("robot.xml", text, Path::new("")).unwrap();
    let machine = Machine::new(&model).unwrap();
    let made = mjcf::scene(&model, &machine, &start(&machine)).unwrap();
    let mut scene = made.scene.clone();
    scene.world.dt = dt;
    let mut world = World::new(&scene).unwrap();
    let mut robot = SceneRobot::new(model, machine, &made, &world).unwrap();
    for _ in 0..(seconds / dt).round() as usize {
        robot.before_step(&mut world).unwrap();
        world.step();
        robot.after_step(&world);
    }
    assert!(world.ledger().worst_ratio() < 1.0, "the book is open: {}", world.ledger());
    robot.readings().state.clone()
}

/// The same by the mechanism alone, so finely that its own error does not count.
fn alone(text: &str, seconds: f64) -> MechanismState {
    let model = mjcf::parse("robot.xml", text, Path::new("")).unwrap();
    let mut machine = Machine::new(&model).unwrap();
    let mut state = start(&machine);
    machine.mechanism.integration = Integration::Rk4;
    machine.mechanism.timestep = 5e-4;
    let mut work = Forward::default();
    for _ in 0..(seconds / 5e-4).round() as usize {
        assert!(step(&machine.mechanism, &mut state, &mut work));
    }
    state
}

fn off(a: &MechanismState, b: &MechanismState) -> f64 {
    let lists = [(&a.qpos, &b.qpos), (&a.act, &b.act)];
    lists
        .iter()
        .flat_map(|(a, b)| a.iter().zip(*b))
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, huygens_math::scalar::max)
}

#[test]
fn a_robot_in_a_world_moves_as_its_mechanism_does() {
    for (name, text) in MODELS {
        let exact = alone(text, 0.4);
        let [coarse, fine] = [4e-3, 2e-3].map(|dt| off(&in_world(text, dt, 0.4), &exact));
        println!("{name}: {coarse:.2e} {fine:.2e}");
        // Forces from outside are those of the start of a step: first order. (A tendon's feedback is implicit along each joint alone: 7e-3.)
        assert!(fine < 1e-2, "{name}: off by {fine}");
        assert!(fine < 0.6 * coarse + 1e-9, "{name}: {coarse} at twice the step, {fine}");
    }
}

#[test]
fn a_start_is_read_back_as_it_was_given() {
    for (name, text) in MODELS {
        let model = mjcf::parse("robot.xml", text, Path::new("")).unwrap();
        let machine = Machine::new(&model).unwrap();
        let mut state = start(&machine);
        for joint in &model.joints {
            let [n, _] = joint.kind.sizes();
            let q = &mut state.qpos[joint.qpos..joint.qpos + n];
            let turned = [0.8, 0.36, -0.48, 0.0];
            match n {
                1 => q[0] += 0.3,
                4 => q.copy_from_slice(&turned),
                _ => {
                    q[0] += 0.5;
                    q[3..].copy_from_slice(&turned);
                }
            }
        }
        let made = mjcf::scene(&model, &machine, &state).unwrap();
        let world = World::new(&made.scene).unwrap();
        let robot = SceneRobot::new(model, machine, &made, &world).unwrap();
        let found = robot.readings().state;
        for (list, given) in [(&found.qpos, &state.qpos), (&found.qvel, &state.qvel)] {
            for (i, (a, b)) in list.iter().zip(given).enumerate() {
                assert!((a - b).abs() < 1e-12, "{name}: number {i} is {a}, not {b}");
            }
        }
    }
}

#[test]
fn equalities_of_joints_hold_exactly() {
    // At the start b moves −1.75 times as fast as a.
    let equality =
        r#"<equality><joint joint1="b" joint2="a" polycoef="0 -1.75 .5 0 0"/></equality><actuator>"#;
    let end = in_world(&MODELS[5].1.replace("<actuator>", equality), 1e-3, 0.3);
    let [a, b] = [end.qpos[0], end.qpos[1]];
    assert!((b - (-1.75 * a + 0.5 * a * a)).abs() < 1e-9, "{a} {b}");
    assert!(a.abs() > 0.05, "it moved: {a}");
}

#[test]
fn included_robots_move_as_the_robot_alone_does_turned() {
    let folder = std::env::temp_dir().join(format!("huygens-included-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for (name, text) in MODELS {
        std::fs::write(folder.join("r.xml"), text).unwrap();
        // Wind turns with its robot.
        let text = "[world]\ndt = 0.002\nintegrator = \"kick-drift-kick\"\n[[include]]\nfile = \"r.xml\"\n[[include]]\nfile = \"r.xml\"\nprefix = \"t/\"\nposition = [20, 5, 0]\norientation = [0.8, 0, 0, 0.6]\n";
        let mut loaded = huygens_formats::toml::parse("s.toml", text, &[]).unwrap();
        loaded.read_files(&folder).unwrap();
        let mut world = World::new(&loaded.scene).unwrap();
        let mut robots: Vec<SceneRobot> =
            loaded.robots.iter().map(|part| part.robot(&world).unwrap()).collect();
        if robots.is_empty() {
            assert_eq!(name, "weightless");
            continue;
        }
        assert_eq!(robots.len(), 2, "{name}");
        for robot in &mut robots {
            robot.controls().iter_mut().enumerate().for_each(|(i, u)| *u = [0.6, -0.4][i % 2]);
        }
        for _ in 0..150 {
            robots.iter_mut().for_each(|robot| robot.before_step(&mut world).unwrap());
            world.step();
            robots.iter_mut().for_each(|robot| robot.after_step(&world));
        }
        let [a, b] = [0, 1].map(|k| robots[k].readings().state.clone());
        assert!(a.qpos.iter().zip(&robots[0].readings().model.qpos0).any(|(q, q0)| (q - q0).abs() > 1e-3));
        let off = off(&a, &b);
        println!("{name}: {off:.1e}");
        assert!(off < 1e-9, "{name}: the turned robot is off by {off}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}
