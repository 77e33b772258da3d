//! `huygens hunt` from outside: what it finds and writes, what it says to a wrong word, and how it ends.

use crate::common::{folder, huygens, path, refused, text};
use serde_json::Value;

/// The JSON of a hunt that must end with that status.
fn hunted(words: &[&str], status: i32) -> Value {
    let output = huygens(words);
    assert_eq!(output.status.code(), Some(status), "{}", text(&output.stderr));
    serde_json::from_str(text(&output.stdout)).expect("one JSON object")
}

#[test]
fn a_finding_is_a_file_that_runs_and_is_judged_the_same_again() {
    let folder = folder("hunt_found");
    let out = path(&folder, "findings");
    let page = path(&folder, "hunt.md");
    // Soft contacts give way to friction's load for ever: that law creeps, whatever is mended.
    let soft = "convex/newton";
    let words = [
        "hunt", "--for", "creep", "--solver", soft, "--scenes", "12", "--seed", "918273", "--shrink", "1",
        "--out", &out,
    ];
    let json = hunted(&[&words[..], &["--markdown", &page, "--commit", "abc", "--json"]].concat(), 1);
    assert_eq!((json["seed"].as_u64(), json["scenes"].as_u64()), (Some(918_273), Some(12)));
    let found = json["found"].as_array().expect("a list");
    assert!(found.iter().any(|finding| finding["shrunk"] == true));
    for finding in found {
        let file = finding["file"].as_str().expect("a file");
        assert_eq!(finding["command"], format!("huygens run {file}"));
        assert_eq!(finding["judge"], format!("huygens hunt --for creep --replay {file}"));
        assert!(finding["bodies_after"].as_u64() <= finding["bodies_before"].as_u64());
        let again = hunted(&["hunt", "--for", "creep", "--replay", file, "--json"], 1);
        assert_eq!((&again["figure"], &again["step"]), (&finding["figure"], &finding["step"]), "{file}");
        assert_eq!(huygens(&["run", file]).status.code(), Some(0));
    }
    // The same words once more give the same findings.
    assert_eq!(hunted(&[&words[..], &["--json"]].concat(), 1)["found"], json["found"]);
    let page = std::fs::read_to_string(page).expect("the page");
    assert!(page.contains("| `creep` | 12 |") && page.contains("commit abc"), "{page}");
}

/// Scenes of `hunt/mended`, each named by the kind of fault that it once showed.
#[test]
fn what_was_mended_stays_mended() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../hunt/mended");
    let files = std::fs::read_dir(folder).expect("the folder").map(|file| file.expect("a file").path());
    let mut files: Vec<_> = files.collect();
    files.sort();
    assert!(!files.is_empty());
    for file in files {
        let name = file.file_name().and_then(|name| name.to_str()).expect("a name");
        let kind = name.split('-').next().expect("a kind");
        let output = huygens(&["hunt", "--for", kind, "--replay", file.to_str().expect("a path")]);
        assert_eq!(output.status.code(), Some(0), "{name}: {}", text(&output.stdout));
    }
}

#[test]
fn nothing_found_ends_with_success() {
    let folder = folder("hunt_nothing");
    let out = path(&folder, "findings");
    let json = hunted(&["hunt", "--for", "ledger", "--scenes", "3", "--out", &out, "--json"], 0);
    assert_eq!(json["found"], Value::Array(Vec::new()));
    assert_eq!(json["kinds"][0]["judged"], 3);
}

#[test]
fn wrong_words_are_refused_before_the_work_begins() {
    let folder = folder("hunt_refused");
    let (file, out) = (path(&folder, "file"), path(&folder, "findings"));
    std::fs::write(&file, "").expect("a file");
    let cases: [(&[&str], &str, &str); 8] = [
        (&["--scenes", "0"], "--scenes is 0", "from 1 to"),
        (&["--scenes", "-3"], "--scenes is -3", "from 1 to"),
        (&["--seed", "x"], "--seed is x", "whole number"),
        (&["--for", "energi"], "no kind of fault `energi`", "energy"),
        (&["--for", ""], "--for names no kind", "all"),
        (&["--solver", "soft-stop"], "--solver: there is no contact model `soft-stop`", "soft-step"),
        (&["--markdown", &path(&folder, "missing/page.md")], "--markdown", "can be written"),
        (&["--for", "all", "--replay", &file], "--replay judges one kind", "--for energy"),
    ];
    for (words, problem, remedy) in cases {
        let place: &[&str] = if words.contains(&"--replay") { &[] } else { &["--out", &out] };
        let message = refused(&[&["hunt"], words, place].concat());
        assert!(message.contains(problem) && message.contains(remedy), "{words:?}: {message}");
    }
    let message = refused(&["hunt", "--out", &path(&folder, "file/inside")]);
    assert!(message.contains("--out") && message.contains("can be made and written"), "{message}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_what_was_found() {
    let folder = folder("hunt_interrupt");
    let out = path(&folder, "findings");
    let child = std::process::Command::new(env!("CARGO_BIN_EXE_huygens"))
        .args(["hunt", "--for", "creep", "--solver", "convex/newton", "--scenes", "1000000"])
        .args(["--seed", "918273", "--out", &out, "--json"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    std::thread::sleep(std::time::Duration::from_secs(8));
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()));
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    let json: Value = serde_json::from_str(text(&output.stdout)).expect("one JSON object");
    assert_eq!(json["stopped"], true);
    let found = json["found"].as_array().expect("a list");
    assert!(!found.is_empty(), "the law of soft contacts creeps");
    let files = std::fs::read_dir(&out).expect("the folder").count();
    assert_eq!(files, found.len());
}
