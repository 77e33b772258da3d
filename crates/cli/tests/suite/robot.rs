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
    let out = huygens(&["run", &file, "--keyframe", "bent", "--steps", "300", "--json"]);
    let o: Value = serde_json::from_str(text(&out.stdout)).unwrap();
    assert!(text(&out.stderr).contains("actuators: they do not act"));
    let ball = o["bodies"].as_array().unwrap().iter().find(|b| b["name"] == "ball").unwrap();
    let height = ball["position"][2].as_f64().unwrap();
    assert!((height - 0.1).abs() < 2e-3, "the ball lies on the plane: {height}");
    let unexplained = o["ledger"]["unexplained"].as_f64().unwrap();
    assert!(unexplained.abs() < 1e-9, "{unexplained}");
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
