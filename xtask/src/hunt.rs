//! `cargo xtask hunt`: the long hunt with the optimised program, its page docs/hunt.md, and debug against release on random scenes.

use crate::bench::our_program;
use crate::profiles::{both_programs, output};
use crate::root;
use std::process::Command;

pub const USAGE: &str = "\
cargo xtask hunt [--quick] [WORDS of `huygens hunt`]…

Builds the program, compares the last states of random scenes in debug and release, then runs
`huygens hunt --scenes 200 --seed 1 --markdown docs/hunt.md` with the commit named. Scenes with a fault are in target/hunt.
--quick leaves out the comparison. Further words replace `--scenes 200 --seed 1`. Fails when something was found.";

/// Scenes of each kind whose last state is compared between debug and release.
const COMPARED: [&str; 8] =
    ["hunt", "--hashes", "--scenes", "12", "--seed", "1", "--for", "nan,ledger,determinism"];

/// Runs the hunt.
pub fn run(words: &[&str]) -> Result<(), String> {
    let quick = words.contains(&"--quick");
    let words: Vec<&str> = words.iter().copied().filter(|word| *word != "--quick").collect();
    if !quick {
        compare_profiles()?;
    }
    let program = our_program()?;
    let commit = commit();
    let (out, page) = (root().join("target/hunt"), root().join("docs/hunt.md"));
    let (out, page) = (out.to_string_lossy().into_owned(), page.to_string_lossy().into_owned());
    let chosen = if words.is_empty() { vec!["--scenes", "200", "--seed", "1"] } else { words };
    let mut command = Command::new(&program);
    command.arg("hunt").args(&chosen).args(["--out", &out, "--markdown", &page, "--commit", &commit]);
    match command.current_dir(root()).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) if status.code() == Some(1) => {
            Err(format!("something was found: {page} lists it, scenes are in {out}"))
        }
        Ok(status) => Err(format!("huygens hunt {}: {status}", chosen.join(" "))),
        Err(error) => Err(format!("{} did not start: {error}", program.display())),
    }
}

/// Debug and release must give the same bits on random scenes, every contact model in turn.
fn compare_profiles() -> Result<(), String> {
    let [debug, release] = both_programs()?;
    let words = [&COMPARED[..], &["--solver", "all"]].concat();
    let [a, b] = [output(&debug, &words)?, output(&release, &words)?];
    let [a, b] = [&a, &b].map(|text| text.lines().collect::<Vec<_>>());
    let differ: Vec<String> = a
        .iter()
        .zip(&b)
        .filter(|(a, b)| a != b)
        .map(|(a, b)| format!("{a} in debug, {b} in release"))
        .collect();
    println!("debug against release: {} random scenes, {} differ", a.len(), differ.len());
    if differ.is_empty() && a.len() == b.len() && !a.is_empty() {
        Ok(())
    } else {
        Err(format!("debug and release differ:\n    {}", differ.join("\n    ")))
    }
}

/// The commit of the work tree, with a mark when files were changed since; a word where there is no git.
fn commit() -> String {
    let described = Command::new("git")
        .args(["describe", "--always", "--dirty", "--abbrev=12"])
        .current_dir(root())
        .output();
    match described {
        Ok(out) if out.status.success() => String::from_utf8_lossy(&out.stdout).trim().to_owned(),
        _ => "unknown".to_owned(),
    }
}
