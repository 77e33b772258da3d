//! `huygens verify` from outside: quick cases, the forms of its output, and what it says to a wrong word.

use crate::common::{huygens, refused, text};
use serde_json::Value;
use std::path::Path;

/// What is printed by a run that must succeed and say nothing on standard error.
fn printed(words: &[&str]) -> String {
    ended(words, 0)
}

/// What is printed by a run that ends with that status and says nothing on standard error.
fn ended(words: &[&str], status: i32) -> String {
    let output = huygens(words);
    assert_eq!(output.status.code(), Some(status), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "");
    text(&output.stdout).to_owned()
}

/// The list of cases of a run with `--json`.
fn cases(words: &[&str]) -> Vec<Value> {
    let list = printed(&[&["verify", "--json"], words].concat());
    serde_json::from_str(&list).expect("a JSON list")
}

/// Cases that take a fraction of a second in a debug build.
const QUICK: [&str; 9] = ["1", "3", "5", "6", "19", "24", "27", "37", "55"];

#[test]
fn the_default_model_meets_the_quick_cases() {
    for case in cases(&[&["--solvers", "sequential-impulse"], &QUICK[..]].concat()) {
        let result = &case["results"][0];
        assert_eq!(result["pass"], true, "{case:#}");
    }
}

#[test]
fn json_is_a_list_of_cases_with_a_result_per_model_in_the_order_asked_for() {
    let models = ["nbgs/approximate-decoupling", "sequential-impulse"];
    let list = ended(&["verify", "--json", "slide", "19", "--solvers", &models.join(",")], 1);
    let list: Vec<Value> = serde_json::from_str(&list).expect("a JSON list");
    let numbers: Vec<u64> = list.iter().filter_map(|case| case["case"].as_u64()).collect();
    assert_eq!(numbers, [19, 37], "in the order of the numbers, whatever was asked first");
    for case in &list {
        for key in ["title", "expected", "source", "tolerance"] {
            assert!(case[key].as_str().is_some_and(|text| !text.is_empty()), "{key}: {case:#}");
        }
        assert_eq!(case["contact"], true);
        let results = case["results"].as_array().expect("results");
        assert_eq!(results.len(), 3, "two models, and Rapier");
        for (result, model) in results.iter().zip(models) {
            assert_eq!(result["solver"], model);
            assert!(result["measured"].is_f64() && result["pass"].is_boolean() && result["seconds"].is_f64());
            let figures = result["figures"].as_array().expect("figures");
            let all = figures.iter().all(|figure| figure["pass"] == true);
            assert_eq!(result["pass"], all, "a case passes when all of its figures do");
        }
    }
    // pe's relaxation slides a corner contact 15 % too far: shown as it comes out, with the reason.
    let pe = &list[1]["results"][0];
    assert_eq!(pe["pass"], false);
    assert!(pe["reason"].as_str().is_some_and(|why| why.contains("beside the slip")), "{pe:#}");
}

#[test]
fn the_page_shows_each_case_with_its_figure_and_lists_what_is_not_met() {
    let page = ended(&["verify", "37", "24", "--solvers", "all"], 1);
    assert!(page.contains("sequential-impulse") && page.contains("Sliding to a stop"), "{page}");
    assert!(page.contains('✓') && page.contains('✗'), "{page}");
    assert!(page.contains("not met:") && page.contains("distance: 1.762"), "{page}");
}

#[test]
fn the_list_names_every_case_once_and_tags_the_long_ones() {
    let short = printed(&["verify", "--list"]);
    let all = printed(&["verify", "--list", "--long"]);
    assert!(all.lines().count() > short.lines().count());
    assert!(!short.contains("long]"), "{short}");
    assert!(all.contains("29  resting-creep") && all.contains("[contact, long]"), "{all}");
    let contact = all.lines().filter(|line| line.contains("contact")).count();
    assert!(
        all.lines().count() >= 35 && contact >= 28,
        "{} cases, {contact} with contact",
        all.lines().count()
    );
    let mut numbers: Vec<&str> = all.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let count = numbers.len();
    numbers.dedup();
    assert_eq!(numbers.len(), count, "each number once");
}

#[test]
fn an_unknown_case_or_model_is_refused_with_the_nearest_name() {
    let message = refused(&["verify", "bal-drop"]);
    assert!(message.contains("no case `bal-drop`") && message.contains("`ball-drop`"), "{message}");
    let message = refused(&["verify", "999"]);
    assert!(message.contains("no case `999`"), "{message}");
    let message = refused(&["verify", "1", "--solvers", "sequential-impulze"]);
    assert!(message.contains("`sequential-impulse`"), "{message}");
    refused(&["verify", "1", "--solvers", ","]);
    let message = refused(&["verify", "1", "--peer", "no-such-file.json"]);
    assert!(message.contains("--peer no-such-file.json"), "{message}");
}

#[test]
fn a_peer_stands_in_its_own_column_and_is_judged_by_the_same_rule() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("peer.json");
    let peer = r#"{"peer": "other engine 1.0", "results": [{"case": 37, "seconds": 0.1, "figures": {"distance": 1.2}}]}"#;
    std::fs::write(&file, peer).expect("written");
    let list =
        cases(&["37", "1", "--solvers", "sequential-impulse", "--peer", file.to_str().expect("UTF-8")]);
    assert_eq!(list[0]["results"].as_array().map(Vec::len), Some(1), "it did not run case 1");
    let result = &list[1]["results"][1];
    assert_eq!(result["solver"], "other engine 1.0");
    assert_eq!(result["pass"], false);
    assert_eq!(result["measured"], 1.2);
}

#[test]
fn the_page_in_the_documentation_has_every_case() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/verification.md");
    let page = std::fs::read_to_string(file).expect("generated by `huygens verify --markdown`");
    for line in printed(&["verify", "--list"]).lines() {
        let number = line.split_whitespace().next().expect("a number");
        assert!(page.contains(&format!("\n| {number} | ")), "generate it anew: {line}");
    }
}

#[test]
fn the_markdown_page_is_the_same_twice_and_carries_the_version() {
    let write = |name: &str| {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        // Soft models have no restitution, and case 19 says so.
        ended(&["verify", "1", "19", "--solvers", "all", "--markdown", file.to_str().expect("UTF-8")], 1);
        std::fs::read_to_string(file).expect("written")
    };
    let page = write("first.md");
    assert_eq!(page, write("second.md"));
    assert!(
        page.contains(env!("CARGO_PKG_VERSION")) && page.contains("| 19 | Central collision |"),
        "{page}"
    );
}
