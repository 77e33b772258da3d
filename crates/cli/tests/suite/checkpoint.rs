//! A run that is left and taken up again is the same run.

use crate::common::{folder, path, refused};
use crate::program::json;

#[test]
fn a_run_that_is_resumed_at_any_checkpoint_ends_with_the_same_hash() {
    let folder = folder("checkpoint");
    let file = path(&folder, "run.snapshot");
    let whole = json(&["run", "tumbler", "--steps", "120", "--hash-every", "30"]);
    let hashes = whole["hashes"].as_array().unwrap();
    let steps: Vec<u64> = hashes.iter().map(|at| at["step"].as_u64().unwrap()).collect();
    assert_eq!(steps, [0, 30, 60, 90, 120]);
    assert_eq!(hashes[4]["hash"], whole["hash"]);
    for left_after in ["7", "60", "119"] {
        json(&["run", "tumbler", "--steps", left_after, "--checkpoint", &file, "--every", "1"]);
        let words = ["run", "tumbler", "--steps", "120", "--resume", &file, "--hash-every", "30"];
        let resumed = json(&words);
        for key in ["hash", "time", "energy", "ledger", "bodies", "drivers", "contacts"] {
            assert_eq!(resumed[key], whole[key], "{key} after a break at step {left_after}");
        }
        let seen = resumed["hashes"].as_array().unwrap();
        assert!(seen.iter().all(|at| hashes.contains(at)), "{seen:?}");
    }
    let left: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["run.snapshot"]);
}

#[test]
fn a_run_that_is_resumed_while_its_bodies_sleep_ends_with_the_same_hash() {
    let folder = folder("checkpoint-asleep");
    let file = path(&folder, "run.snapshot");
    let run = ["run", "stack", "--seconds", "2"];
    let whole = json(&run);
    let steps = whole["steps"].as_u64().unwrap();
    let bodies = whole["bodies"].as_array().unwrap();
    assert!(bodies.iter().all(|body| body["asleep"] == true), "{bodies:?}");
    assert_ne!(json(&["run", "stack", "--seconds", "0.2"])["bodies"][0]["asleep"], true);
    for left_after in [steps / 8, steps / 2, steps - 1] {
        let left_after = left_after.to_string();
        json(&["run", "stack", "--steps", &left_after, "--checkpoint", &file, "--every", "1"]);
        let resumed = json(&["run", "stack", "--seconds", "2", "--resume", &file]);
        for key in ["hash", "time", "energy", "ledger", "bodies", "contacts"] {
            assert_eq!(resumed[key], whole[key], "{key} after a break at step {left_after}");
        }
    }
    let off = json(&["run", "stack", "--seconds", "2", "--set", "world.sleep=false"]);
    assert!(off["bodies"].as_array().unwrap().iter().all(|body| body["asleep"] == false));
}

#[test]
fn a_checkpoint_that_does_not_fit_is_refused_with_a_remedy() {
    let folder = folder("checkpoint-refused");
    let (file, damaged) = (path(&folder, "run.snapshot"), path(&folder, "damaged"));
    json(&["run", "stack", "--steps", "3", "--checkpoint", &file]);
    let other = refused(&["run", "domino", "--resume", &file]);
    assert!(other.contains("another scene") && other.contains("help:"), "{other}");
    assert!(
        refused(&["run", "stack", "--resume", &file, "--set", "world.dt=0.001"]).contains("another scene")
    );
    let mut bytes = std::fs::read(&file).unwrap();
    bytes.truncate(bytes.len() / 2);
    std::fs::write(&damaged, bytes).unwrap();
    assert!(refused(&["run", "stack", "--resume", &damaged]).contains("damaged"));
    assert!(refused(&["run", "stack", "--resume", "no-such-file"]).contains("--resume no-such-file"));
    let nowhere = path(&folder, "no/such/folder/file");
    assert!(refused(&["run", "stack", "--checkpoint", &nowhere]).contains("there is no folder"));
    assert!(refused(&["run", "stack", "--every", "3"]).contains("--every"));
}
