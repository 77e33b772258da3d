//! `huygens bench` from outside, on scenes made small.

use crate::common::{huygens, text};
use huygens::math::scalar::max;
use huygens::math::trig::sin_cos;
use serde_json::Value;
use std::path::Path;

fn good(words: &[&str]) -> String {
    let output = huygens(words);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "", "nothing on standard error in a pipe");
    text(&output.stdout).to_owned()
}

fn refused(words: &[&str]) -> String {
    let output = huygens(words);
    assert_eq!(output.status.code(), Some(2), "{words:?}");
    text(&output.stderr).to_owned()
}

/// The text that `--export` writes.
fn exported(name: &str, words: &[&str]) -> String {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("export_{name}.txt"));
    let path = file.to_str().expect("UTF-8");
    assert_eq!(good(&[&["bench", name, "--export", path], words].concat()), "");
    std::fs::read_to_string(file).expect("the file was written")
}

fn numbers(line: &str) -> Vec<f64> {
    line.split(' ').skip(1).map(|word| word.parse().expect("a number")).collect()
}

/// The bodies that move, in the words of scenes.py.
fn moving(text: &str) -> Vec<Vec<f64>> {
    text.lines().filter(|line| line.starts_with("b 0")).map(numbers).collect()
}

fn assert_same(ours: &[Vec<f64>], recorded: &str) {
    let recorded: Vec<Vec<f64>> = recorded.lines().map(numbers).collect();
    assert_eq!(recorded.len(), 100);
    for (at, (ours, theirs)) in ours.iter().zip(&recorded).enumerate() {
        assert_eq!(ours.len(), theirs.len());
        for (a, b) in ours.iter().zip(theirs) {
            // scenes.py writes nine digits: half a unit of the ninth, and a rounding.
            let size = if b.abs() > 1e-8 { b.abs() } else { 1e-8 };
            assert!((a - b).abs() <= 5.1e-9 * size, "body {at}: {a} {b}");
        }
    }
}

#[test]
fn the_random_scenes_are_those_of_scenes_py_word_for_word() {
    let pile = exported("pile", &[]);
    assert!(pile.starts_with("scene pile 600 0.6\nb 1 2 20 1 20 0 -1 0 0 0 0 1 1\n"), "{}", &pile[..80]);
    let bodies = moving(&pile);
    assert_eq!(bodies.len(), 8000);
    assert_same(&bodies, include_str!("../../../huygens/src/scene/testdata/pile.txt"));
    let spheres = exported("spheres", &[]);
    assert!(spheres.starts_with("scene spheres 400 0.6\n"));
    let bodies = moving(&spheres);
    assert_eq!(bodies.len(), 30_000);
    assert_same(&bodies[6250..], include_str!("../../../huygens/src/scene/testdata/spheres.txt"));
    for wall in ["b 1 2 1 40 17 -16 40 0 0 0 0 1 1", "b 1 2 17 40 1 0 40 16 0 0 0 1 1"] {
        assert!(spheres.lines().any(|line| line == wall), "{wall}");
    }
}

#[test]
fn the_regular_scenes_are_those_of_scenes_py() {
    let pyramid = exported("pyramid", &[]);
    assert!(pyramid.starts_with("scene pyramid 400 0.6\nb 1 2 100 1 100 0 -1 0 0 0 0 1 1\n"));
    let bodies = moving(&pyramid);
    assert_eq!(bodies.len(), 820);
    let mut at = 0;
    for i in 0..40 {
        for j in 0..40 - i {
            let x = (f64::from(j) - f64::from(39 - i) / 2.0) * 1.1;
            assert_eq!(bodies[at][5..8], [x, 0.5 + f64::from(i), 0.0]);
            at += 1;
        }
    }
    let towers = moving(&exported("towers", &[]));
    assert_eq!(towers.len(), 1000);
    // i across, j deep, k up: body 100 i + 10 j + k.
    assert_eq!(towers[327][..8], [0.0, 2.0, 0.5, 0.5, 0.5, -6.0, 7.5, -10.0]);
}

#[test]
fn the_terrain_is_that_of_scenes_py() {
    let terrain = exported("terrain", &[]);
    assert!(terrain.starts_with("scene terrain 400 0.6\nmesh 10201 20000\n"), "{}", &terrain[..80]);
    let number = |word: &str| word.parse::<f64>().expect("a number");
    let triple = |line: &str| {
        let words: Vec<f64> = line.split_whitespace().skip(1).map(number).collect();
        [words[0], words[1], words[2]]
    };
    let vertices: Vec<[f64; 3]> = terrain.lines().filter(|line| line.starts_with("v ")).map(triple).collect();
    let triangles: Vec<[f64; 3]> =
        terrain.lines().filter(|line| line.starts_with("t ")).map(triple).collect();
    assert_eq!((vertices.len(), triangles.len(), moving(&terrain).len()), (10_201, 20_000, 2000));
    let height = |x: f64, z: f64| {
        let rim = max(max(x.abs(), z.abs()) - 42.0, 0.0);
        1.5 * sin_cos(0.3 * x).0 * sin_cos(0.25 * z).0 + 0.15 * rim * rim
    };
    for [x, y, z] in &vertices {
        assert!((y - height(x.round(), z.round())).abs() < 1e-7, "{x} {y} {z}");
    }
    // Each looks up.
    for t in &triangles {
        let [a, b, c] = t.map(|i| vertices[i as usize]);
        let [u, v] = [b, c].map(|p| [p[0] - a[0], p[2] - a[2]]);
        assert!(u[1] * v[0] - u[0] * v[1] > 0.0, "{t:?}");
    }
}

#[test]
fn a_seed_changes_the_bodies_and_steps_the_first_line() {
    let own = exported("pile", &["--bodies", "80"]);
    assert_eq!(moving(&own).len(), 80);
    let other = exported("pile", &["--bodies", "80", "--seed", "7", "--steps", "50"]);
    assert!(other.starts_with("scene pile 50 0.6\n"));
    assert_ne!(moving(&own)[0], moving(&other)[0]);
}

#[test]
fn the_json_has_every_figure_and_the_book_closes() {
    let words = ["bench", "pile", "pyramid", "--bodies", "20", "--steps", "30", "--json", "--threads", "1"];
    let all: Value = serde_json::from_str(&good(&words)).expect("one JSON object");
    let results = all["results"].as_array().expect("a list");
    assert_eq!((all["threads"].as_u64(), results.len()), (Some(1), 2));
    for run in results {
        let figures = [
            "bodies",
            "steps",
            "from",
            "to",
            "mean_ms",
            "median_ms",
            "busy_ms",
            "contacts",
            "ns_per_contact",
            "kinetic_energy",
            "peak_bytes",
            "bytes_per_body",
            "energy_start",
            "energy_end",
            "unexplained",
            "worst_ratio",
            "quarantined",
        ];
        for key in figures {
            assert!(run[key].is_number(), "{key} of {run}");
        }
        for key in ["engine", "version", "scene", "solver", "level", "hash"] {
            assert!(run[key].is_string(), "{key}");
        }
        for key in ["points", "max", "p99", "mean"] {
            assert!(run["penetration"][key].is_number(), "{key}");
        }
        assert_eq!(run["stages"].as_object().map(serde_json::Map::len), Some(huygens::STAGES.len()));
        assert!(run["ledger"]["friction"].is_number());
        assert_eq!((run["from"].as_u64(), run["to"].as_u64()), (Some(7), Some(30)));
        assert!(run["worst_ratio"].as_f64() < Some(1.0), "the book closes");
    }
    assert_eq!(results[0]["bodies"].as_u64(), Some(20));
    assert_eq!(results[1]["bodies"].as_u64(), Some(21));
}

#[test]
fn every_level_gives_the_same_hash_of_every_scene() {
    let steps = if cfg!(debug_assertions) { "60" } else { "200" };
    let hashes = |level: &str| {
        let scenes = ["pyramid", "towers", "pile", "spheres", "terrain"];
        let options = ["--bodies", "100", "--steps", steps, "--level", level, "--json"];
        let output = huygens(&[&["bench"], &scenes[..], &options].concat());
        let all: Option<Value> = serde_json::from_str(text(&output.stdout)).ok();
        all.map(|all| {
            scenes.map(|name| {
                let results = all["results"].as_array().into_iter().flatten();
                let run = results.clone().find(|run| run["scene"].as_str() == Some(name));
                run.map(|run| run["hash"].clone()).unwrap_or_else(|| panic!("{name} is missing"))
            })
        })
    };
    let best = hashes("best");
    assert!(best.is_some());
    let mut seen = 0;
    // A level that this CPU lacks is refused, and compared where it is there.
    for other in ["sse2", "avx2", "avx512"].into_iter().filter_map(hashes) {
        assert_eq!(Some(other), best);
        seen += 1;
    }
    assert!(seen >= 1);
}

#[test]
fn the_page_has_a_line_for_each_scene_and_the_stages_when_asked() {
    let page = good(&["bench", "towers", "--bodies", "20", "--steps", "8", "--profile", "--threads", "1"]);
    assert!(page.starts_with("1 thread, "), "{page}");
    assert_eq!(page.lines().filter(|line| line.starts_with("towers ")).count(), 2, "{page}");
    for stage in huygens::STAGES {
        assert!(page.lines().any(|line| line.trim_start().starts_with(stage)), "{stage}: {page}");
    }
    let short = good(&["bench", "towers", "--bodies", "20", "--steps", "8"]);
    assert!(!short.contains("kinematics"));
}

#[test]
fn sizes_grow_from_a_thousand_bodies_to_the_number_that_is_asked_for() {
    let text = good(&["bench", "--sizes", "--bodies", "3000", "--steps", "3", "--json"]);
    let all: Value = serde_json::from_str(&text).expect("one JSON object");
    let results = all["results"].as_array().expect("a list");
    let found: Vec<(&str, u64)> = results
        .iter()
        .map(|run| (run["scene"].as_str().expect("a name"), run["bodies"].as_u64().expect("a number")))
        .collect();
    let names: Vec<&str> = found.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["pile", "spheres", "pile", "spheres"]);
    for (at, (_, bodies)) in found.iter().enumerate() {
        let least = if at < 2 { 1000 } else { 3000 };
        assert!((least..3 * least).contains(bodies), "{found:?}");
    }
}

#[test]
fn what_cannot_be_is_said() {
    assert!(refused(&["bench", "pile", "--level", "mmx"]).contains("sse2, avx2, avx512"));
    assert!(refused(&["bench", "pile", "--steps", "5", "--warm", "9"]).contains("--warm"));
    assert!(refused(&["bench", "arm", "--bodies", "5"]).contains("[[repeat]]"));
    assert!(refused(&["bench", "pyle"]).contains("pile"));
    assert!(refused(&["bench", "pile", "towers", "--export", "x"]).contains("one scene"));
    assert!(refused(&["bench", "arm", "--export", "x"]).contains("gravity"));
    assert!(
        refused(&["bench", "pile", "--set", "world.gravity=[0,-9.81,0]", "--solver", "nbsg"])
            .contains("nbsg")
    );
}
