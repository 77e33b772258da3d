//! Robots: `inspect`, `convert`, and `run` of a model file.

use crate::common::{folder, huygens, text};
use serde_json::Value;

const ARM: &str = r#"<mujoco model="arm"><worldbody>
<geom type="plane" size="5 5 .1"/>
<body name="upper" pos="0 0 1"><joint name="shoulder" axis="0 1 0" range="-90 90" damping=".1"/>
<geom type="capsule" fromto="0 0 0 .4 0 0" size=".04"/>
<body name="lower" pos=".4 0 0"><joint name="elbow" axis="0 1 0" range="10 120"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".03"/></body></body>
<body name="ball" pos="2 0 .5"><freejoint/><geom size=".1"/></body></worldbody>
<actuator><motor name="m" joint="elbow" gear="3"/></actuator><sensor><jointpos name="q" joint="elbow"/></sensor>
<keyframe><key name="bent" qpos=".1 .5 2 0 .3 1 0 0 0"/></keyframe></mujoco>"#;

fn written(name: &str) -> (std::path::PathBuf, String) {
    let folder = folder(name);
    let file = folder.join("arm.xml");
    std::fs::write(&file, ARM).unwrap();
    (folder, file.to_string_lossy().into_owned())
}

#[test]
fn inspect_tells_sizes_names_and_numbers_in_mujocos_layout() {
    let (folder, file) = written("robot-inspect");
    let state = folder.join("state.json");
    std::fs::write(&state, r#"{"ctrl": [0.5]}"#).unwrap();
    let out = huygens(&["inspect", &file, "--state", &state.to_string_lossy(), "--json"]);
    let o: Value = serde_json::from_str(text(&out.stdout)).unwrap();
    assert_eq!((o["nq"].as_u64(), o["nv"].as_u64(), o["nu"].as_u64()), (Some(9), Some(8), Some(1)));
    assert_eq!(o["names"]["joint"][1], "elbow");
    assert_eq!(o["actuator"][1], 1.5);
    assert_eq!(o["sensors"]["q"][0], 0.0);
    let page = huygens(&["inspect", &file]);
    assert!(text(&page.stdout).contains("\"elbow\" starts at 0.0000, outside of"), "{}", text(&page.stdout));
    let bad = huygens(&["inspect", &file, "--keyframe", "none"]);
    assert_eq!(bad.status.code(), Some(2));
    assert!(text(&bad.stderr).contains("bent"));
}

#[test]
fn a_robot_runs_from_its_keyframe_with_a_closed_book() {
    let (_folder, file) = written("robot-run");
    let words = ["run", &file, "--keyframe", "bent", "--steps", "300", "--json", "--solver", "soft-step"];
    let out = huygens(&words);
    let o: Value = serde_json::from_str(text(&out.stdout)).unwrap();
    // Free fall of the joints apart, the state is there in MuJoCo's layout.
    assert_eq!(o["qpos"].as_array().map(Vec::len), Some(9));
    assert_eq!(o["qvel"].as_array().map(Vec::len), Some(8));
    assert_eq!((o["act"].as_array().map(Vec::len), o["ctrl"][0].as_f64()), (Some(0), Some(0.0)));
    // As in MuJoCo, sensors are those of the state before the last step.
    let (sensed, q, v) = (&o["sensors"]["q"][0], &o["qpos"][1], &o["qvel"][1]);
    let before = q.as_f64().unwrap() - 0.002 * v.as_f64().unwrap();
    assert!((sensed.as_f64().unwrap() - before).abs() < 1e-3, "{sensed} {q} {v}");
    let ball = o["bodies"].as_array().unwrap().iter().find(|b| b["name"] == "ball").unwrap();
    let height = ball["position"][2].as_f64().unwrap();
    assert!((height - 0.1).abs() < 2e-3, "the ball lies on the plane: {height}");
    let unexplained = o["ledger"]["unexplained"].as_f64().unwrap();
    assert!(unexplained.abs() < 1e-9, "{unexplained}");
}

#[test]
fn a_model_file_runs_in_mujocos_pipeline_by_default_and_as_a_scene_with_its_convex_model_when_asked() {
    let (folder, file) = written("robot-default");
    let read = |more: &[&str]| -> Value {
        let words = ["run", file.as_str(), "--keyframe", "bent", "--steps", "200", "--json"];
        let out = huygens(&[&words, more].concat());
        serde_json::from_str(text(&out.stdout)).unwrap_or_else(|_| panic!("{}", text(&out.stderr)))
    };
    let plain = read(&[]);
    assert_eq!(plain["solver"], "convex/newton");
    assert!(plain["convex"]["rows"].is_number(), "the mechanism itself: {plain}");
    assert_eq!(plain["hash"], read(&["--set", "world.contacts=mujoco"])["hash"]);
    let motion = folder.join("motion.csv").to_string_lossy().into_owned();
    let scene = read(&["--set", "world.contacts=huygens", "--out", &motion]);
    assert_eq!((&scene["solver"], scene["convex"].is_null()), (&plain["solver"], true));
    assert!(std::fs::metadata(&motion).unwrap().len() > 0);
    // The ball lies on soft contacts in both, sunk in by as much.
    let height = |of: &Value| {
        let ball = of["bodies"].as_array().unwrap().iter().find(|body| body["name"] == "ball").unwrap();
        ball["position"][2].as_f64().unwrap()
    };
    assert!((height(&scene) - height(&plain)).abs() < 1e-5, "{} {}", height(&scene), height(&plain));
    assert!(scene["ledger"]["unexplained"].as_f64().unwrap().abs() < 1e-9);
    // An option that needs a scene gets one, and that is said; beside a pipeline that is asked for by name it is refused.
    let page = folder.join("run.html").to_string_lossy().into_owned();
    let made = huygens(&["run", &file, "--steps", "20", "--report", &page]);
    assert_eq!(made.status.code(), Some(0));
    let said = text(&made.stderr);
    assert!(
        said.contains("--report needs a scene") && said.contains("world.contacts = \"huygens\""),
        "{said}"
    );
    let refused = huygens(&["run", &file, "--report", &page, "--set", "world.contacts=mujoco"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("world.contacts=mujoco"), "{}", text(&refused.stderr));
    let mixed = huygens(&["run", &file, "--solver", "soft-step", "--set", "world.contacts=mujoco"]);
    assert_eq!(mixed.status.code(), Some(2));
    let compared = huygens(&["compare", &file, "--steps", "20", "--solvers", "convex/newton,ncp/newton"]);
    assert!(compared.status.success(), "{}", text(&compared.stderr));
}

#[test]
fn the_pipeline_of_a_model_file_writes_its_motion_its_hashes_and_its_picture() {
    let (folder, file) = written("robot-pipeline-files");
    let at = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let (motion, image) = (at("motion.jsonl"), at("arm.png"));
    let words = ["run", file.as_str(), "--keyframe", "bent", "--steps", "100", "--json"];
    let read = |more: &[&str]| -> Value {
        let out = huygens(&[&words, more].concat());
        serde_json::from_str(text(&out.stdout)).unwrap_or_else(|_| panic!("{}", text(&out.stderr)))
    };
    let plain = read(&[]);
    let full =
        read(&["--out", &motion, "--every", "10", "--picture", &image, "--trails", "--hash-every", "50"]);
    // Who looks on changes nothing.
    assert_eq!((&full["hash"], &full["ledger"]), (&plain["hash"], &plain["ledger"]));
    assert_eq!(full["hashes"][2]["hash"], full["hash"]);
    let lines: Vec<Value> =
        std::fs::read_to_string(&motion).unwrap().lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(lines.len(), 11);
    let last = &lines[10];
    for name in ["qpos", "qvel", "act", "ctrl", "sensors"] {
        assert_eq!(last[name], full[name], "{name}");
    }
    assert_eq!(last["energy"], full["energy"]["end"]);
    assert_eq!(last["bodies"][2]["position"], full["bodies"][2]["position"]);
    assert!(std::fs::metadata(&image).unwrap().len() > 1000);
    for name in ["motion.npz", "motion.csv", "motion.pvd", "motion.vtk"] {
        let made = huygens(&[&words, ["--out", &at(name)].as_slice()].concat());
        assert!(made.status.success(), "{name}: {}", text(&made.stderr));
        assert!(std::fs::metadata(at(name)).unwrap().len() > 0, "{name}");
    }
    // Options of the file that a scene has too.
    let fine = read(&[
        "--set",
        "world.dt=0.001",
        "--set",
        "world.gravity=[0, 0, 0]",
        "--set",
        "world.convex.cone=elliptic",
    ]);
    assert_eq!((fine["dt"].as_f64(), fine["solver"].as_str()), (Some(0.001), Some("convex/newton")));
    let bad = huygens(&["run", &file, "--set", "world.dt=-1"]);
    assert_eq!(bad.status.code(), Some(2), "{}", text(&bad.stderr));
}

#[test]
fn the_pipeline_of_a_model_file_goes_on_from_a_checkpoint_with_the_same_bits() {
    let (folder, file) = written("robot-pipeline-checkpoint");
    let saved = folder.join("half").to_string_lossy().into_owned();
    let read = |more: &[&str]| -> Value {
        let out = huygens(&[&["run", file.as_str(), "--json"], more].concat());
        serde_json::from_str(text(&out.stdout)).unwrap_or_else(|_| panic!("{}", text(&out.stderr)))
    };
    let whole = read(&["--keyframe", "bent", "--steps", "200"]);
    read(&["--keyframe", "bent", "--steps", "120", "--checkpoint", &saved]);
    let rest = read(&["--steps", "200", "--resume", &saved]);
    for name in ["hash", "ledger", "energy", "qpos", "time", "sensors", "steps"] {
        assert_eq!(rest[name], whole[name], "{name}");
    }
    std::fs::write(&saved, "no checkpoint").unwrap();
    let refused = huygens(&["run", &file, "--resume", &saved]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("is no checkpoint"), "{}", text(&refused.stderr));
}

#[test]
fn controls_of_a_file_drive_the_robot_and_every_step_is_written() {
    let (folder, file) = written("robot-ctrl");
    let ctrl = folder.join("ctrl.csv");
    std::fs::write(&ctrl, "m\n0.5\n0.5\n-0.25\n").unwrap();
    let out = folder.join("motion.jsonl");
    let words = ["--keyframe", "bent", "--steps", "4", "--json", "--ctrl", &ctrl.to_string_lossy()];
    let run = |more: &[&str]| {
        huygens(&[&["run", file.as_str(), "--solver", "soft-step"], words.as_slice(), more].concat())
    };
    let ran = run(&["--out", &out.to_string_lossy()]);
    assert!(text(&ran.stderr).contains("3 rows for 4 steps"), "{}", text(&ran.stderr));
    let end: Value = serde_json::from_str(text(&ran.stdout)).unwrap();
    assert_eq!(end["ctrl"][0], -0.25);
    let lines: Vec<Value> = std::fs::read_to_string(&out)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let ctrl: Vec<f64> = lines.iter().map(|line| line["ctrl"][0].as_f64().unwrap()).collect();
    assert_eq!(ctrl, [0.0, 0.5, 0.5, -0.25, -0.25]);
    assert_eq!(lines[4]["qpos"], end["qpos"]);
    assert_eq!(lines[4]["sensors"], end["sensors"]);
    // The work of the motor is in its account: gear · control · way of the elbow.
    let way = end["qpos"][1].as_f64().unwrap() - 0.5;
    let work = end["ledger"]["actuator"].as_f64().unwrap();
    assert!(way > 0.0 && work > 0.0 && work < 3.0 * 0.5 * way, "{way} {work}");
    let none = huygens(&["run", &file, "--ctrl", &folder.join("none.csv").to_string_lossy()]);
    assert_eq!(none.status.code(), Some(2));
    let npz = folder.join("motion.npz");
    assert!(run(&["--out", &npz.to_string_lossy()]).status.success());
    let bytes = std::fs::read(&npz).unwrap();
    for name in ["qpos.npy", "qvel.npy", "act.npy", "ctrl.npy", "sensors/q.npy"] {
        assert!(bytes.windows(name.len()).any(|part| part == name.as_bytes()), "{name}");
    }
}

#[test]
fn a_scene_includes_robots_with_place_prefix_and_repetition() {
    let (folder, _) = written("robot-include");
    let scene = folder.join("two.toml");
    let write = |text: &str| std::fs::write(&scene, text).unwrap();
    let run = || huygens(&["run", &scene.to_string_lossy(), "--steps", "1", "--json"]);
    write(
        "[world]\ndt = 0.001\n[[include]]\nfile = \"arm.xml\"\nposition = [0, 5, 0]\norientation = [0.7071067811865476, 0, 0, 0.7071067811865476]\nprefix = \"r/\"\ncount = 2\nspacing = [0, 3, 0]\n",
    );
    let out = run();
    let o: Value =
        serde_json::from_str(text(&out.stdout)).unwrap_or_else(|_| panic!("{}", text(&out.stderr)));
    let place = |name: &str| {
        let body = o["bodies"].as_array().unwrap().iter().find(|b| b["name"] == name);
        let at = body.unwrap_or_else(|| panic!("no body {name}"))["position"].clone();
        [0, 1, 2].map(|k: usize| at[k].as_f64().unwrap())
    };
    // The ball lies at (2, 0, 0.5) in the file; turned by 90° about z and moved by 5 and 8 m along y.
    for (name, y) in [("r/ball[0]", 7.0), ("r/ball[1]", 10.0)] {
        let found = place(name);
        assert!(found.iter().zip([0.0, y, 0.5]).all(|(a, b)| (a - b).abs() < 1e-4), "{name}: {found:?}");
    }
    assert!(o["joints"].as_array().unwrap().iter().any(|j| j["name"] == "r/elbow[1]"));
    // The motor of the second copy pulls at its elbow.
    let controls = folder.join("c.csv");
    std::fs::write(&controls, "r/m[1]\n5\n").unwrap();
    let (scene_file, controls) = (scene.to_string_lossy(), controls.to_string_lossy());
    let pulled = huygens(&["run", &scene_file, "--steps", "20", "--json", "--ctrl", &controls]);
    let o: Value = serde_json::from_str(text(&pulled.stdout)).unwrap();
    let speed = |name: &str| {
        let joint = o["joints"].as_array().unwrap().iter().find(|j| j["name"] == name);
        joint.unwrap()["v"].as_f64().unwrap()
    };
    assert!(
        speed("r/elbow[1]") > speed("r/elbow[0]") + 1.0,
        "{} {}",
        speed("r/elbow[1]"),
        speed("r/elbow[0]")
    );
    write("include = \"arm.xml\"\n");
    assert!(run().status.success());
    write("include = [\"nowhere.xml\"]\n");
    let bad = run();
    assert_eq!(bad.status.code(), Some(2));
    assert!(
        text(&bad.stderr).contains("nowhere.xml") && text(&bad.stderr).contains("two.toml:1"),
        "{}",
        text(&bad.stderr)
    );
}

#[test]
fn a_model_becomes_a_scene_and_urdf_becomes_mjcf() {
    let (folder, file) = written("robot-convert");
    let scene = folder.join("arm.toml");
    assert!(huygens(&["convert", &file, &scene.to_string_lossy()]).status.success());
    assert!(huygens(&["run", &scene.to_string_lossy(), "--steps", "2"]).status.success());
    let urdf = folder.join("r.urdf");
    std::fs::write(&urdf, r#"<robot name="r"><link name="base"/><link name="tip"><inertial><origin xyz="0 0 .1"/><mass value="2"/><inertia ixx=".01" iyy=".02" izz=".02"/></inertial></link>
<joint name="j" type="revolute"><parent link="base"/><child link="tip"/><origin xyz="0 0 1" rpy="0 .5 0"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="5"/></joint></robot>"#).unwrap();
    let made = folder.join("r.xml");
    assert!(huygens(&["convert", &urdf.to_string_lossy(), &made.to_string_lossy()]).status.success());
    let out = huygens(&["inspect", &made.to_string_lossy(), "--json"]);
    let o: Value = serde_json::from_str(text(&out.stdout)).unwrap();
    // I_yy + m l² about the axis.
    let m = o["M"][0][0].as_f64().unwrap();
    assert!((m - (0.02 + 2.0 * 0.01)).abs() < 1e-14, "{m}");
}

#[test]
fn a_robot_runs_with_a_convex_model_and_the_book_closes() {
    let (folder, file) = written("robot-convex");
    let words = ["run", &file, "--keyframe", "bent", "--steps", "500", "--json", "--solver", "convex/newton"];
    let out = huygens(&words);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let o: Value = serde_json::from_str(text(&out.stdout)).unwrap();
    assert_eq!(o["solver"], "convex/newton");
    // At rest the soft law leaves an overlap of (1 − d)/d g/(k d): 0.4 mm with the default solref and solimp.
    let height = o["qpos"][4].as_f64().unwrap();
    assert!((height - 0.0996).abs() < 2e-4, "{height}");
    let of = |name: &str| o["ledger"][name].as_f64().unwrap();
    let scale = o["energy"]["start"].as_f64().unwrap();
    assert!(of("unexplained").abs() < 1e-9 * scale, "{}", o["ledger"]);
    assert!(of("impact") < -5.0 && of("viscous") < -0.01, "{}", o["ledger"]);
    let cg =
        huygens(&["run", &file, "--keyframe", "bent", "--steps", "50", "--solver", "convex/cg", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(text(&cg.stdout)).unwrap()["solver"], "convex/cg");
    let out = folder.join("out.csv").to_string_lossy().into_owned();
    let words = ["run", &file, "--solver", "convex/newton", "--set", "world.contacts=mujoco", "--out", &out];
    assert_eq!(huygens(&words).status.code(), Some(0));
    assert!(std::fs::metadata(&out).unwrap().len() > 0);
}

#[test]
fn inspect_has_contacts_rows_and_the_acceleration_with_them() {
    let (folder, file) = written("robot-rows");
    let state = folder.join("state.json");
    let given = |contacts: &str| {
        std::fs::write(&state, format!(r#"{{"qpos": [0, 0.3, 2, 0, 0.0995, 1, 0, 0, 0]{contacts}}}"#))
            .unwrap();
        let out = huygens(&["inspect", &file, "--state", &state.to_string_lossy(), "--json"]);
        assert!(out.status.success(), "{}", text(&out.stderr));
        serde_json::from_str::<Value>(text(&out.stdout)).unwrap()
    };
    let own = given("");
    assert_eq!(own["contacts"].as_array().unwrap().len(), 1);
    assert_eq!(own["rows"]["count"], 4);
    let f: f64 = own["rows"]["force"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).sum();
    // m (a + g) = f.
    let mass = own["body_mass"][3].as_f64().unwrap();
    let a = own["qacc"][4].as_f64().unwrap();
    assert!((mass * (a + 9.81) - f).abs() < 1e-9 * f, "{f} {a}");
    let outside = given(
        r#", "contacts": [{"geom": [0, 3], "pos": [2, 0, -0.00025], "dist": -0.0005, "frame": [0, 0, 1, 0, 1, 0, -1, 0, 0]}]"#,
    );
    // The overlap of 0.5 mm is a difference of numbers near 0.1 m in the one, and stated in the other.
    assert!((outside["qacc"][4].as_f64().unwrap() - a).abs() < 1e-9, "{}", outside["qacc"]);
    let none = given(r#", "contacts": []"#);
    assert_eq!(none["qacc"][4].as_f64(), Some(-9.81));
    std::fs::write(&state, r#"{"contacts": [{"geom": [0, 9], "pos": [0, 0, 0], "dist": 0, "frame": [0, 0, 1, 0, 1, 0, -1, 0, 0]}]}"#).unwrap();
    let bad = huygens(&["inspect", &file, "--state", &state.to_string_lossy()]);
    assert_eq!(bad.status.code(), Some(2));
    assert!(text(&bad.stderr).contains("contact 0"), "{}", text(&bad.stderr));
}

#[test]
fn a_scene_written_as_mjcf_moves_as_the_scene_does() {
    let folder = folder("robot-write");
    let scene = folder.join("s.toml");
    std::fs::write(
        &scene,
        r#"[world]
dt = 0.001
[[body]]
name = "floor & wall"
motion = "static"
shape = { kind = "half-space", normal = [0, 0, 2], offset = -10 }
[[body]]
name = "upper"
position = [0.2, 0, 1]
orientation = [0.9238795325112867, 0, 0.3826834323650898, 0]
shape = { kind = "box", size = [0.4, 0.1, 0.05] }
[[body]]
name = "lower"
position = [0.5, 0.1, 1]
shapes = [{ kind = "capsule", radius = 0.03, length = 0.2, axis = "x", density = 500 }, { kind = "sphere", radius = 0.05, position = [0.1, 0, 0] }]
[[body]]
name = "loose"
position = [3, 0, 1]
linear_velocity = [1, 0, 2]
angular_velocity = [0.5, 1, -2]
shape = { kind = "ellipsoid", radii = [0.1, 0.2, 0.3], position = [0.1, 0, 0] }
[[joint]]
name = "a"
child = "upper"
anchor = [0, 0, 1]
axis = "y"
damping = 0.1
velocity = 0.5
spring = { stiffness = 2, rest = 0.3 }
[[joint]]
name = "b"
kind = "universal"
parent = "upper"
child = "lower"
anchor = [0.4, 0.05, 1]
axis = "x"
axis2 = "y"
armature = 0.01
motor = { kind = "position", target = 0.4, stiffness = 5, damping = 0.5 }
"#,
    )
    .unwrap();
    let made = folder.join("s.xml");
    let out = huygens(&["convert", &scene.to_string_lossy(), &made.to_string_lossy()]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let end = |words: &[&str]| -> Value {
        let out = huygens(&[&["run"], words, &["--steps", "300", "--json"]].concat());
        serde_json::from_str(text(&out.stdout)).unwrap_or_else(|_| panic!("{}", text(&out.stderr)))
    };
    let as_scene = end(&[&scene.to_string_lossy()]);
    let as_robot = end(&[&made.to_string_lossy(), "--keyframe", "start", "--solver", "soft-step"]);
    for body in as_scene["bodies"].as_array().unwrap() {
        let robots = as_robot["bodies"].as_array().unwrap();
        let other = robots.iter().find(|b| b["name"] == body["name"]).unwrap();
        for k in 0..3 {
            let [a, b] = [body, other].map(|b| b["position"][k].as_f64().unwrap());
            // The servo is implicit in both, but taken at other places of the step.
            assert!((a - b).abs() < 2e-4, "{}: {a} and {b}", body["name"]);
        }
    }
}

#[test]
fn actuators_act_in_compare_and_sweep() {
    let (folder, file) = written("robot-compare");
    let controls = folder.join("c.csv");
    std::fs::write(&controls, "m\n2\n").unwrap();
    let controls = controls.to_string_lossy().into_owned();
    let words = ["compare", &file, "--solvers", "soft-step", "--steps", "40", "--refine", "2", "--json"];
    let actuator = |words: &[&str]| {
        let out = huygens(words);
        let o: Value =
            serde_json::from_str(text(&out.stdout)).unwrap_or_else(|_| panic!("{}", text(&out.stderr)));
        o["models"][0]["ledger"]["actuator"].as_f64().unwrap()
    };
    assert_eq!(actuator(&words), 0.0);
    let pulled = actuator(&[&words[..], &["--ctrl", &controls]].concat());
    assert!(pulled > 0.1, "{pulled}");
    let table = folder.join("t.csv");
    let table = table.to_string_lossy().into_owned();
    let words = [
        "sweep",
        &file,
        "--set",
        "world.solver=soft-step,sequential-impulse",
        "--steps",
        "40",
        "--out",
        &table,
    ];
    let out = huygens(&[&words[..], &["--ctrl", &controls]].concat());
    assert!(out.status.success(), "{}", text(&out.stderr));
    let rows = std::fs::read_to_string(&table).unwrap();
    let mut lines = rows.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let column = lines.next().unwrap().iter().position(|name| *name == "actuator").unwrap();
    let works: Vec<f64> = lines.map(|row| row[column].parse().unwrap()).collect();
    assert!(works.len() == 2 && works.iter().all(|work| *work > 0.1), "{works:?}");
    let bad = huygens(&["compare", "tumbler", "--steps", "2", "--ctrl", &controls]);
    assert_eq!(bad.status.code(), Some(2));
}

#[test]
fn models_and_scenes_become_urdf() {
    let (folder, file) = written("robot-urdf");
    // A scene starts inside of its limits.
    std::fs::write(&file, ARM.replace("10 120", "-10 120")).unwrap();
    let urdf = folder.join("arm.urdf");
    let urdf = urdf.to_string_lossy().into_owned();
    let out = huygens(&["convert", &file, &urdf]);
    assert!(out.status.success() && text(&out.stderr).contains("actuator \"m\""), "{}", text(&out.stderr));
    let mass = |file: &str| {
        let out = huygens(&["inspect", file, "--json", "--no-constraints"]);
        let o: Value = serde_json::from_str(text(&out.stdout)).unwrap();
        o["M"].to_string()
    };
    let read = |text: &str| -> Vec<f64> {
        let mut all = serde_json::from_str::<Vec<Vec<f64>>>(text).unwrap().concat();
        all.sort_by(f64::total_cmp);
        all
    };
    let (a, b) = (read(&mass(&file)), read(&mass(&urdf)));
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-12), "{a:?} {b:?}");
    // Scene to URDF and back.
    let scene = folder.join("arm.toml");
    let scene = scene.to_string_lossy().into_owned();
    assert!(huygens(&["convert", &urdf, &scene]).status.success());
    let again = folder.join("again.urdf");
    let again = again.to_string_lossy().into_owned();
    let out = huygens(&["convert", &scene, &again]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let c = read(&mass(&again));
    assert!(a.len() == c.len() && a.iter().zip(&c).all(|(a, b)| (a - b).abs() < 1e-9), "{a:?} {c:?}");
}
