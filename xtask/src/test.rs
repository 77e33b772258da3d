//! `cargo xtask test`: runs everything, goes on after a failure, and says at the end what failed and what was missing.

use crate::{imports, page, profiles, root};
use std::process::Command;
use std::time::Instant;

/// How much to run.
#[derive(Clone, Copy, PartialEq)]
pub enum Extent {
    /// Format, lints and import rule.
    Checks,
    /// What the Rust toolchain alone can do.
    RustAlone,
    /// Every test there is.
    Everything,
}

/// Runs the tests.
pub fn run(extent: Extent) -> Result<(), String> {
    let mut failed: Vec<String> = Vec::new();
    let mut missing: Vec<String> = Vec::new();
    for (name, args) in checks() {
        step(name, &args, &mut failed, &mut missing);
    }
    let breaches = imports::breaches(&root());
    if !breaches.is_empty() {
        failed.push(format!("import rule:\n    {}", breaches.join("\n    ")));
    }
    if extent != Extent::Checks {
        for (name, args) in rust_tests() {
            step(name, &args, &mut failed, &mut missing);
        }
        println!("── named scenes: the same hash in debug and release, every contact model");
        match profiles::differences() {
            Ok(found) if found.is_empty() => {}
            Ok(found) => failed.push(format!("debug and release differ:\n    {}", found.join("\n    "))),
            Err(message) => failed.push(format!("debug and release: {message}")),
        }
    }
    match extent {
        Extent::Everything => {
            println!("── the page of `huygens compare --report`");
            if let Err(message) = page::test(None) {
                failed.push(format!("the page: {message}"));
            }
        }
        Extent::RustAlone => {
            println!("--quick leaves out the page of `huygens compare`: it needs Node and Chromium")
        }
        Extent::Checks => {}
    }
    for line in &missing {
        println!("note: {line}");
    }
    if failed.is_empty() {
        println!("all green");
        return Ok(());
    }
    Err(format!("failed:\n  {}", failed.join("\n  ")))
}

fn checks() -> Vec<(&'static str, Vec<&'static str>)> {
    vec![
        ("format", vec!["fmt", "--all", "--check"]),
        ("lints", vec!["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"]),
    ]
}

fn rust_tests() -> Vec<(&'static str, Vec<&'static str>)> {
    vec![
        ("tests, debug", vec!["test", "--workspace", "--quiet"]),
        (
            "tests, optimised",
            vec!["test", "--workspace", "--quiet", "--profile", "release-test", "--lib", "--bins", "--tests"],
        ),
        ("documentation", vec!["doc", "--workspace", "--no-deps", "--quiet"]),
    ]
}

/// Runs one cargo command. A component that the toolchain lacks is named, not counted as a failure of the code.
fn step(name: &str, args: &[&str], failed: &mut Vec<String>, missing: &mut Vec<String>) {
    println!("── {name}: cargo {}", args.join(" "));
    let start = Instant::now();
    let component = match args[0] {
        "fmt" => Some("rustfmt"),
        "clippy" => Some("clippy"),
        _ => None,
    };
    if let Some(component) = component
        && !has(args[0])
    {
        missing.push(format!(
            "{name}: this toolchain has no {component}; `rustup component add {component}` gives it"
        ));
        return;
    }
    let warnings = if args[0] == "doc" { "-D warnings" } else { "" };
    let status = Command::new("cargo").args(args).current_dir(root()).env("RUSTDOCFLAGS", warnings).status();
    match status {
        Ok(status) if status.success() => println!("   {:.0} s", start.elapsed().as_secs_f64()),
        Ok(_) => failed.push(format!("{name}: cargo {}", args.join(" "))),
        Err(error) => failed.push(format!("{name}: cargo did not start: {error}")),
    }
}

fn has(tool: &str) -> bool {
    Command::new("cargo").args([tool, "--version"]).output().is_ok_and(|out| out.status.success())
}
