//! Debug and release builds of the program must give the same bits on every named scene.

use crate::bench::SCENES;
use crate::root;
use crate::test::Job;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds the program in debug and in release.
pub fn both_programs() -> Result<[PathBuf; 2], String> {
    println!("── building the program: debug and release, whose hashes must be equal");
    // Both at once: a crate that all others wait for keeps one core busy, the other profile the other.
    std::thread::scope(|scope| {
        let builds = ["dev", "release"].map(|profile| scope.spawn(move || build(profile)));
        builds
            .into_iter()
            .try_for_each(|build| build.join().unwrap_or_else(|_| Err("a build panicked".to_owned())))
    })?;
    let target = std::env::var("CARGO_TARGET_DIR").map_or_else(|_| root().join("target"), PathBuf::from);
    Ok([target.join("debug/huygens"), target.join("release/huygens")])
}

/// A job for every built-in scene with every contact model, which runs it in both profiles and fails where the hashes differ.
pub fn jobs() -> Result<Vec<Job>, String> {
    let [debug, release] = both_programs()?;
    let scenes = words(&release, &["run", "--list"])?;
    let models = words(&release, &["solvers"])?;
    if scenes.is_empty() || models.is_empty() {
        return Err("no scenes or no contact models to compare".to_string());
    }
    let pairs =
        scenes.iter().flat_map(|scene| models.iter().map(move |model| (scene.clone(), model.clone())));
    let job = |(scene, model): (String, String)| {
        let (debug, release) = (debug.clone(), release.clone());
        let name = format!("debug and release: {scene} with {model}");
        Job { name, attempt: Box::new(move || same_hash(&debug, &release, &words_of_run(&scene, &model))) }
    };
    Ok(pairs.map(job).collect())
}

fn build(profile: &str) -> Result<(), String> {
    let args = ["build", "--quiet", "--package", "huygens-cli", "--profile", profile];
    let status = Command::new("cargo").args(args).current_dir(root()).status();
    if status.is_ok_and(|status| status.success()) {
        Ok(())
    } else {
        Err(format!("cargo {} failed", args.join(" ")))
    }
}

fn same_hash(debug: &Path, release: &Path, run: &[&str]) -> Result<(), String> {
    let (a, b) = (hash(debug, run)?, hash(release, run)?);
    if a == b { Ok(()) } else { Err(format!("hash {a} in debug, {b} in release")) }
}

/// The scenes of the benchmark run with few bodies and for a short time: a debug build is slow.
fn words_of_run<'a>(scene: &'a str, model: &'a str) -> Vec<&'a str> {
    if SCENES.contains(&scene) {
        vec!["bench", scene, "--bodies", "60", "--steps", "60", "--solver", model, "--json"]
    } else {
        // The default model for longer; the dense ones take seconds a step in a debug build.
        let steps = if model == "soft-step" { "300" } else { "40" };
        vec!["run", scene, "--solver", model, "--steps", steps, "--json"]
    }
}

/// What a program prints; an error when it fails.
pub fn output(program: &Path, args: &[&str]) -> Result<String, String> {
    let out = Command::new(program).args(args).output();
    match out {
        Ok(out) if out.status.success() => Ok(String::from_utf8_lossy(&out.stdout).into_owned()),
        Ok(out) => Err(format!("huygens {}: {}", args.join(" "), String::from_utf8_lossy(&out.stderr))),
        Err(error) => Err(format!("{} did not start: {error}", program.display())),
    }
}

/// The first words of the lines that are not indented: names.
fn words(program: &Path, args: &[&str]) -> Result<Vec<String>, String> {
    let name = |line: &&str| !line.is_empty() && !line.starts_with(' ');
    let first = |line: &str| line.split_whitespace().next().map(str::to_string);
    Ok(output(program, args)?.lines().filter(name).filter_map(first).collect())
}

/// The `hash` member of a run's JSON.
fn hash(program: &Path, args: &[&str]) -> Result<String, String> {
    let text = output(program, args)?;
    let hash = text.split("\"hash\"").nth(1).and_then(|rest| rest.split('"').nth(1));
    hash.map(str::to_string).ok_or_else(|| format!("huygens {} printed no hash", args.join(" ")))
}
