//! Exit status, and outputs that cannot be written.

use crate::common::{folder, huygens, path, refused, text};
use crate::program::json;
use serde_json::Value;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A ball falls for 10 ms: 4.905e-4 m, with what it expects.
fn falling(expect: &str) -> String {
    format!(
        "[world]\ndt = 0.001\nsteps = 10\n[[body]]\nname = \"ball\"\nshape = {{ kind = \"sphere\", radius = 0.5 }}\n\
         [expect]\n{expect}\n"
    )
}

#[test]
fn an_expectation_that_does_not_hold_is_status_one_and_a_field_of_the_json() {
    let folder = folder("expect");
    let scene = path(&folder, "ball.toml");
    std::fs::write(&scene, falling("bodies.ball.z = [-1, 0]")).unwrap();
    let run = json(&["run", &scene]);
    assert_eq!(run["expect"], serde_json::json!({"pass": true, "checks": 1, "unmet": []}));
    std::fs::write(&scene, falling("bodies.ball.z = [0, 1]\nbodies.ball.x = [-1, 1]")).unwrap();
    for words in [&["run", scene.as_str()][..], &["run", &scene, "--json"]] {
        let output = huygens(words);
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    }
    let run: Value = serde_json::from_str(text(&huygens(&["run", &scene, "--json"]).stdout)).unwrap();
    assert_eq!(run["expect"]["pass"], false);
    assert_eq!(run["expect"]["checks"], 2);
    let unmet = &run["expect"]["unmet"][0];
    assert_eq!(unmet["quantity"], "bodies.\"ball\".z");
    assert!((unmet["value"].as_f64().unwrap() + 4.905e-4).abs() < 1e-12);
    assert_eq!((&unmet["low"], &unmet["high"], &unmet["time"]), (&0.0.into(), &1.0.into(), &Value::Null));
    // A changed run promises nothing.
    assert_eq!(json(&["run", &scene, "--set", "world.dt=0.002"])["expect"], Value::Null);
}

#[test]
fn the_json_echoes_what_the_command_line_changed() {
    let run = json(&["run", "cradle", "--set", "world.dt=0.002", "--steps", "3", "--solver", "active-set"]);
    let set = |path: &str, value: &str| serde_json::json!({"path": path, "value": value});
    let wanted = [set("world.dt", "0.002"), set("world.solver", "active-set"), set("world.steps", "3")];
    assert_eq!(run["set"].as_array().unwrap()[..], wanted);
    assert_eq!(json(&["run", "jsim/drop"])["set"], serde_json::json!([]));
}

#[test]
fn a_case_that_is_not_met_is_status_one() {
    assert_eq!(huygens(&["verify", "1", "--solvers", "soft-step"]).status.code(), Some(0));
    let output = huygens(&["verify", "37", "--solvers", "nbgs/frictionless", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let list: Value = serde_json::from_str(text(&output.stdout)).unwrap();
    assert_eq!(list[0]["results"][0]["pass"], false);
    assert_eq!(huygens(&["verify", "37", "--solvers", "nbgs/frictionless"]).status.code(), Some(1));
}

#[test]
fn outputs_are_tried_before_the_run() {
    let folder = folder("tried");
    let missing = path(&folder, "missing/a");
    let begun = Instant::now();
    for (words, option) in [
        (&["run", "pile", "--picture"][..], "--picture"),
        (&["compare", "pile", "--report"], "--report"),
        (&["verify", "--long", "--markdown"], "--markdown"),
    ] {
        let file = missing.clone() + if option == "--picture" { ".png" } else { ".html" };
        let message = refused(&[words, &[&file]].concat());
        assert!(message.contains(option) && message.contains("there is no folder"), "{message}");
    }
    let message = refused(&["compare", "pile", "--report", &path(&folder, "page.pdf")]);
    assert!(message.contains("must end in one of .html"), "{message}");
    std::fs::create_dir(folder.join("a.png")).unwrap();
    let message = refused(&["run", "pile", "--picture", &path(&folder, "a.png")]);
    assert!(message.contains("that is a folder"), "{message}");
    assert!(begun.elapsed() < Duration::from_secs(20), "none of them was run");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "a trial leaves nothing behind");
}

#[cfg(target_os = "linux")]
#[test]
fn the_summary_is_told_also_when_writing_fails() {
    let folder = folder("full");
    for (option, file, words) in [
        ("--out", "a.csv", &["run", "cradle", "--steps", "100000"][..]),
        ("--picture", "a.png", &["run", "cradle", "--steps", "3", "--size", "80x60"]),
        ("--report", "a.html", &["compare", "cradle", "--steps", "3", "--refine", "0"]),
    ] {
        let file = path(&folder, file);
        std::os::unix::fs::symlink("/dev/full", &file).unwrap();
        let output = huygens(&[words, &[option, &file]].concat());
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.contains(option) && message.contains("No space left"), "{message}");
        assert!(text(&output.stdout).contains("cradle"), "the summary is there");
    }
}

/// Starts the program as a background job of a script does, with SIGINT ignored, and interrupts it after a while.
#[cfg(unix)]
fn interrupted(words: &[&str], after: Duration) -> Output {
    let child = Command::new("sh")
        .args(["-c", "trap '' INT; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_huygens")])
        .args(words)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(after);
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    child.wait_with_output().unwrap()
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_what_is_done_of_compare_verify_and_bench() {
    let begun = Instant::now();
    let long = ["--steps", "100000000", "--json"];
    let output = interrupted(&[&["compare", "cradle"], &long[..]].concat(), Duration::from_millis(1500));
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    let comparison: Value = serde_json::from_str(text(&output.stdout)).unwrap();
    assert!(comparison.to_string().contains("Ctrl-C"), "the run that was under way says why it ended");
    assert!(text(&output.stderr).contains("models are in the table"));

    let output = interrupted(&["verify", "--long", "--json"], Duration::from_millis(1500));
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    let cases: Value = serde_json::from_str(text(&output.stdout)).unwrap();
    let done = cases.as_array().unwrap().iter().filter(|case| case["results"][0]["figures"].is_array());
    assert!(done.count() > 0 && text(&output.stderr).contains("cases were run"), "{}", text(&output.stderr));

    let words = ["bench", "jsim/drop", "pile", "--steps", "3000", "--warm", "1", "--json"];
    let output = interrupted(&words, Duration::from_millis(2500));
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("1 of 2 scenes were measured"), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("jsim/drop"));
    assert!(begun.elapsed() < Duration::from_secs(60));
}
