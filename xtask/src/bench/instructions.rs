//! Instruction counts under callgrind: a figure that a loaded machine does not change.

use super::build;
use super::machine::Setting;
use crate::root;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Small forms of the scenes, of which the steps alone are counted; valgrind is some fifty times slower than the CPU, and knows AVX2 but not AVX-512.
const RUNS: [(&str, &[&str]); 5] = [
    ("pyramid", &["--bodies", "55", "--steps", "60"]),
    ("towers", &["--bodies", "40", "--steps", "60"]),
    ("pile", &["--bodies", "180", "--steps", "90"]),
    ("spheres", &["--bodies", "432", "--steps", "60"]),
    ("terrain", &["--bodies", "60", "--steps", "60"]),
];

const HEAD: &str = "scene,part,instructions,commit";
/// What a check lets pass: another compiler moves a few instructions.
const MOST_GROWTH: f64 = 1.05;

/// Counts; writes bench/instructions.csv, or compares with it.
pub fn run(check: bool) -> Result<(), String> {
    let program = build::our_program()?;
    let commit = Setting::now().commit;
    let path = root().join("bench/instructions.csv");
    let old = parse(&std::fs::read_to_string(&path).unwrap_or_default());
    let mut text = format!("{HEAD}\n");
    let mut grown = Vec::new();
    for (scene, words) in RUNS {
        let parts = parts(&count(&program, scene, words)?);
        if parts.get("total").is_none_or(|total| *total == 0) {
            return Err(format!("{scene}: nothing was counted; is `huygens::step::step` inlined?"));
        }
        for (part, instructions) in &parts {
            let before = old.get(&(scene.to_owned(), part.clone())).copied();
            let ratio = before.map(|before| *instructions as f64 / before as f64);
            let shown = ratio.map(|ratio| format!("{ratio:.3} of the recorded")).unwrap_or_default();
            println!("{scene:<10}{part:<44}{instructions:>14}  {shown}");
            if let Some(ratio) = ratio.filter(|ratio| part == "total" && *ratio > MOST_GROWTH) {
                grown.push(format!("{scene}: {ratio:.3} times as many instructions as recorded"));
            }
            let _ = writeln!(text, "{scene},{part},{instructions},{commit}");
        }
    }
    if check {
        return if grown.is_empty() { Ok(()) } else { Err(grown.join("\n")) };
    }
    std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
}

/// The file that callgrind writes.
fn count(program: &Path, scene: &str, words: &[&str]) -> Result<String, String> {
    let folder = root().join("target/bench");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let file = folder.join(format!("callgrind-{scene}.out"));
    let status = Command::new("valgrind")
        .args(["--tool=callgrind", "--quiet", "--toggle-collect=huygens::step::step"])
        .arg(format!("--callgrind-out-file={}", file.display()))
        .arg(program)
        .args(["bench", scene, "--level", "avx2", "--threads", "1", "--json"])
        .args(words)
        .stdout(Stdio::null())
        .status();
    match status {
        Ok(status) if status.success() => {
            std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))
        }
        Ok(_) => Err(format!("callgrind failed on {scene}")),
        Err(error) => {
            Err(format!("valgrind did not start ({error}); install it, e.g. `apt-get install valgrind`"))
        }
    }
}

/// Instructions of each part of the engine, and in all.
fn parts(callgrind: &str) -> BTreeMap<String, u64> {
    let mut parts = BTreeMap::new();
    for (function, instructions) in self_costs(callgrind) {
        *parts.entry("total".to_owned()).or_insert(0) += instructions;
        if let Some(part) = part(&function) {
            *parts.entry(part).or_insert(0) += instructions;
        }
    }
    // What is less than a thousandth of all says nothing.
    let total = parts.get("total").copied().unwrap_or(0);
    parts.retain(|_, instructions| *instructions * 1000 >= total);
    parts
}

/// `huygens_geometry::broadphase` for `<huygens_geometry::broadphase::tree::Tree as T>::f`, the file or folder too for a
/// contact model; `None` for what is not ours.
fn part(function: &str) -> Option<String> {
    let at = function.find("huygens")?;
    let end_of = |word: &str| word.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(word.len());
    let path: Vec<&str> = function[at..].split("::").map(|word| &word[..end_of(word)]).collect();
    let deep = if path.get(1) == Some(&"solver") { 3 } else { 2 };
    (path.len() >= 2).then(|| path[..path.len().min(deep)].join("::"))
}

/// Function and its own instructions, from the lines of callgrind's format.
fn self_costs(callgrind: &str) -> Vec<(String, u64)> {
    let mut names: BTreeMap<&str, &str> = BTreeMap::new();
    let mut costs: Vec<(String, u64)> = Vec::new();
    let mut inclusive = false;
    for line in callgrind.lines() {
        if let Some(function) = line.strip_prefix("fn=") {
            costs.push((named(function, &mut names).to_owned(), 0));
        } else if let Some(function) = line.strip_prefix("cfn=") {
            named(function, &mut names);
        } else if line.starts_with("calls=") {
            // The next line is what the called function cost.
            inclusive = true;
        } else if line.starts_with(|c: char| c.is_ascii_digit() || "+-*".contains(c)) {
            let cost = line.split(' ').nth(1).and_then(|word| word.parse::<u64>().ok());
            if let (false, Some((_, sum)), Some(cost)) = (inclusive, costs.last_mut(), cost) {
                *sum += cost;
            }
            inclusive = false;
        }
    }
    costs
}

/// `(7) name` gives number 7 a name, `(7)` means it.
fn named<'a>(text: &'a str, names: &mut BTreeMap<&'a str, &'a str>) -> &'a str {
    match text.split_once(") ") {
        Some((number, name)) => {
            names.insert(number, name);
            name
        }
        None => names.get(text.trim_end_matches(')')).copied().unwrap_or(text),
    }
}

fn parse(text: &str) -> BTreeMap<(String, String), u64> {
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        Some(((cells.first()?.to_string(), cells.get(1)?.to_string()), cells.get(2)?.parse().ok()?))
    };
    text.lines().skip(1).filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
events: Ir
fn=(1) huygens_contact::solver::soft_step::wide_pass
10 100
+2 50
cfn=(2) <huygens_geometry::narrowphase::Round as core::ops::Fn>::call
calls=3 20
* 7000
fn=(2)
20 7000
fn=(3) memcpy
5 50
fn=(1)
12 10
";

    #[test]
    fn own_instructions_are_summed_by_part() {
        let parts = parts(TEXT);
        let of = |part: &str| parts.get(part).copied();
        assert_eq!(of("total"), Some(7210));
        assert_eq!(of("huygens_contact::solver::soft_step"), Some(160));
        assert_eq!(of("huygens_geometry::narrowphase"), Some(7000));
        assert_eq!(parts.len(), 3);
    }

    #[test]
    fn the_file_reads_back() {
        let old = parse(&format!("{HEAD}\npile,total,12,abc\n"));
        assert_eq!(old.get(&("pile".to_owned(), "total".to_owned())), Some(&12));
        assert!(parse("").is_empty());
    }
}
