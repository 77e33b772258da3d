//! Recorded hashes of twelve named scenes: the same in every build, on every machine, with any number of threads and any instructions.
//!
//! Whoever changes the physics on purpose records them anew: `HUYGENS_RECORD=1 cargo test … golden` writes `tests/golden.csv`.

use crate::common::{huygens, text};
use serde_json::Value;
use std::path::Path;

const SCENES: [&str; 12] = [
    "heap",
    "card_house",
    "domino",
    "bowling",
    "tumbler",
    "conveyor",
    "roulette",
    "vehicle",
    "excavator",
    "cradle",
    "lift",
    "jsim/field",
];

/// Lines of scene and hash after 90 steps; `None` where the CPU has not these instructions.
fn hashes(level: &str, threads: &str) -> Option<String> {
    let options = ["--steps", "90", "--warm", "89", "--level", level, "--threads", threads, "--json"];
    let output = huygens(&[&["bench"], &SCENES[..], &options].concat());
    let told = text(&output.stderr);
    if output.status.code() == Some(2) && told.contains("instructions") {
        return None;
    }
    assert_eq!(output.status.code(), Some(0), "{told}");
    let all: Value = serde_json::from_str(text(&output.stdout)).expect("one JSON object");
    let results = all["results"].as_array().expect("a list");
    let line = |run: &Value| {
        format!("{},{}\n", run["scene"].as_str().expect("a name"), run["hash"].as_str().expect("a hash"))
    };
    Some(results.iter().map(line).collect())
}

#[test]
fn golden_hashes_of_twelve_scenes_hold_with_any_threads_and_instructions() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden.csv");
    let seen = hashes("best", "1").expect("every CPU has some level");
    if std::env::var("HUYGENS_RECORD").is_ok() {
        std::fs::write(&file, &seen).expect("the file is written");
    }
    let recorded = std::fs::read_to_string(&file).expect("tests/golden.csv");
    assert_eq!(recorded, seen, "recorded on the left; HUYGENS_RECORD=1 records anew");
    for (level, threads) in [("sse2", "3"), ("avx2", "2"), ("avx512", "8"), ("best", "8")] {
        if let Some(other) = hashes(level, threads) {
            assert_eq!(recorded, other, "{level}, {threads} threads");
        }
    }
}
