//! Named scenes have the same bits for any number of threads; numbers that cannot be are refused.

use crate::common::{huygens, text};
use serde_json::Value;

/// Scenes with their steps and with what is put over them: piles, a mesh, stacks, trees, drivers, surfaces that move, joints with motors.
const SCENES: [(&str, &str, &[&str]); 14] = [
    ("run", "heap", &["--steps", "60"]),
    ("run", "card_house", &["--steps", "60"]),
    ("run", "domino", &["--steps", "60"]),
    ("run", "bowling", &["--steps", "60"]),
    ("run", "tumbler", &["--steps", "40"]),
    ("run", "conveyor", &["--steps", "60"]),
    ("run", "roulette", &["--steps", "60"]),
    ("run", "vehicle", &["--steps", "60"]),
    ("run", "excavator", &["--steps", "40"]),
    ("bench", "pile", &["--bodies", "1200", "--steps", "60"]),
    ("bench", "spheres", &["--bodies", "3000", "--steps", "40"]),
    ("bench", "terrain", &["--bodies", "600", "--steps", "60"]),
    ("bench", "pyramid", &["--steps", "20"]),
    ("bench", "towers", &["--steps", "20"]),
];

fn json(words: &[&str]) -> Value {
    let out = huygens(words);
    assert_eq!(out.status.code(), Some(0), "{words:?}: {}", text(&out.stderr));
    serde_json::from_str(text(&out.stdout)).expect("one JSON object")
}

/// Hash, energies, books and bodies of a run in its JSON: everything but the times that it took.
fn result(command: &str, scene: &str, more: &[&str], threads: &str) -> Value {
    let mut words = vec![command, scene, "--threads", threads, "--json"];
    words.extend(more);
    let mut all = json(&words);
    let run = if command == "bench" { all["results"][0].take() } else { all };
    let Value::Object(mut run) = run else { panic!("{scene}: no object") };
    for time in [
        "wall_seconds",
        "mean_ms",
        "median_ms",
        "busy_ms",
        "wall_ms",
        "cpu_ms",
        "threads",
        "set",
        "ns_per_contact",
        "stages",
        "peak_bytes",
        "bytes_per_body",
    ] {
        run.remove(time);
    }
    assert!(run["hash"].is_string(), "{scene}");
    Value::Object(run)
}

#[test]
fn named_scenes_have_the_same_bits_for_any_number_of_threads() {
    for (command, scene, more) in SCENES {
        let alone = result(command, scene, more, "1");
        for threads in ["2", "3", "8"] {
            assert_eq!(alone, result(command, scene, more, threads), "{scene}: {threads} threads");
        }
    }
}

#[test]
fn numbers_of_threads_that_cannot_be_are_refused() {
    for command in ["run", "bench", "compare"] {
        for bad in ["0", "-1", "1000000000", "two"] {
            let out = huygens(&[command, "heap", "--threads", bad]);
            let told = text(&out.stderr);
            assert_eq!(out.status.code(), Some(2), "{command} {bad}: {told}");
            assert!(told.contains("threads"), "{command} {bad}: {told}");
        }
    }
}
