//! `huygens solve` from outside.

use crate::common::{folder, huygens, path, refused, text};
use crate::program::json;
use serde_json::Value;

/// One contact with W = 2: the normal stops it with 2 N·s, and friction of 0.1 times that is not enough for the slip of 1 m/s.
const SLIPS: &str = "3 1\n0 3 3\n3 3\n2 0 0\n0 2 0\n0 0 2\n-4 1 0\n0.1\n";

const OURS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../contact/collection/arm-on-floor-90.txt");

fn stored(name: &str, files: &[(&str, &str)]) -> Vec<String> {
    let folder = folder(name);
    files
        .iter()
        .map(|(file, text)| {
            std::fs::write(folder.join(file), text).unwrap();
            path(&folder, file)
        })
        .collect()
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn one_file_and_model_is_one_object_with_the_members_of_the_interface() {
    let files = stored("solve_one", &[("slips.dat", SLIPS)]);
    let solved = json(&["solve", &files[0]]);
    let mut members = keys(&solved);
    members.sort_unstable();
    assert_eq!(
        members,
        ["certificate", "contacts", "file", "impulses", "iterations", "rank", "seconds", "solver"]
    );
    assert_eq!(keys(&solved["certificate"]).len(), 6);
    assert_eq!((&solved["contacts"], &solved["rank"]), (&Value::from(1), &Value::from(3)));
    assert_eq!(solved["solver"], "ncp/newton");
    let impulse: Vec<f64> =
        solved["impulses"][0].as_array().unwrap().iter().filter_map(Value::as_f64).collect();
    for (found, expected) in impulse.iter().zip([2.0, -0.2, 0.0]) {
        assert!((found - expected).abs() < 1e-15, "{impulse:?}");
    }
    assert!(solved["certificate"]["natural_map"].as_f64().unwrap() < 1e-15);
}

#[test]
fn all_models_are_a_list_and_those_that_need_bodies_say_why() {
    let files = stored("solve_all", &[("slips.dat", SLIPS)]);
    let all = json(&["solve", &files[0], OURS, "--solver", "all"]);
    let all = all.as_array().unwrap();
    assert_eq!(all.len(), 2 * huygens::contact::SolverKind::ALL.len());
    for item in all {
        let bare = item["file"] == files[0].as_str();
        let reason = match item["solver"].as_str().unwrap() {
            "soft-step" => Some("sub-steps"),
            "convex/newton" | "convex/cg" => Some("makes rows soft"),
            _ => None,
        };
        let refuses = bare && reason.is_some();
        let told = item["reason"].as_str().zip(reason).is_some_and(|(why, part)| why.contains(part));
        assert_eq!(told, refuses, "{item}");
        assert_eq!(item["impulses"].is_array(), !refuses, "{item}");
    }
    let table = huygens(&["solve", &files[0], "--solver", "all"]);
    assert_eq!(table.status.code(), Some(0));
    assert_eq!(text(&table.stdout).lines().count(), 1 + huygens::contact::SolverKind::ALL.len());
    assert!(refused(&["solve", &files[0], "--solver", "soft-step"]).contains("sub-steps"));
}

#[test]
fn a_list_for_several_files_and_the_reference_reaches_round_off_on_our_own_form() {
    let files = stored("solve_several", &[("slips.dat", SLIPS)]);
    let both = json(&["solve", OURS, &files[0]]);
    for item in both.as_array().unwrap() {
        assert!(item["certificate"]["natural_map"].as_f64().unwrap() < 1e-12, "{item}");
    }
}

#[test]
fn bad_input_is_refused_with_its_place_before_anything_is_solved() {
    let files = stored(
        "solve_bad",
        &[
            ("good.dat", SLIPS),
            ("nan.dat", &SLIPS.replace("-4 1", "nan 1")),
            ("short.dat", &SLIPS.replace("0.1\n", "")),
            ("square.dat", &SLIPS.replace("0 3 3", "0 3 4")),
            ("empty.dat", ""),
            ("ours.txt", "huygens-contact-problem 1\nstep x\nend\n"),
        ],
    );
    let good = files[0].as_str();
    for (file, expected) in [
        (&files[1], "line 7: word 1 (number 17 of the file)"),
        (&files[2], "the file ends after this word"),
        (&files[3], "line 2: word 3 (number 5 of the file): the number of columns of W is 4; expected 3"),
        (&files[4], "the file is empty"),
        (&files[5], "line 2: \"x\" is not a number"),
    ] {
        let said = refused(&["solve", good, file]);
        assert!(said.contains(expected) && said.contains(file.as_str()), "{said}");
    }
    let binary = format!("{good}.bin");
    std::fs::write(&binary, [0x33, 0x0a, 0xff, 0xfe]).unwrap();
    assert!(refused(&["solve", &binary]).contains("line 2: not text"));
    assert!(refused(&["solve", "there-is-no-such.dat"]).contains("there-is-no-such.dat"));
    let said = refused(&["solve", good, "--solver", "ncp/newtn"]);
    assert!(said.contains("--solver") && said.contains("Did you mean `ncp/newton`?"), "{said}");
}

#[test]
fn the_impulses_of_another_program_are_judged_as_ours_are() {
    let answer = |n: f64| {
        format!(
            "{{\"solver\": \"other\", \"seconds\": 0.5, \"iterations\": 7, \"impulses\": [[{n}, -0.2, 0]]}}"
        )
    };
    let (right, wrong) = (answer(2.0), answer(2.5));
    let files = stored(
        "solve_judge",
        &[
            ("slips.dat", SLIPS),
            ("right.json", &right),
            ("wrong.json", &wrong),
            ("few.json", "{\"impulses\": []}"),
        ],
    );
    let judged = |answer: &str| json(&["solve", &files[0], "--judge", answer]);
    assert!(judged(&files[1])["certificate"]["natural_map"].as_f64().unwrap() < 1e-15);
    let wrong = judged(&files[2]);
    assert_eq!(wrong["solver"], "other");
    // u_n = 1 instead of 0 and a friction cone that is not used up, beside ‖q‖ = √17.
    assert!(wrong["certificate"]["natural_map"].as_f64().unwrap() > 0.2, "{wrong}");
    assert!(
        refused(&["solve", &files[0], "--judge", &files[3]])
            .contains("0 impulses; the problem has 1 contacts")
    );
}
