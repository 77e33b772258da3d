//! Builds ours, an older commit of ours, and the peers.

use super::contender::{Contender, Kind};
use super::options::Options;
use crate::root;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Everyone who takes part, built: the peers, ours, ours with narrower instructions, the older commit.
pub fn contenders(options: &Options) -> Result<Vec<Contender>, String> {
    let mut all = Vec::new();
    for peer in &options.peers {
        all.push(Contender::new(peer, peer_program(peer)?, Kind::Peer));
    }
    let ours = our_program()?;
    all.push(Contender::new("huygens", ours.clone(), Kind::Ours { level: "best" }));
    if std::fs::read_to_string("/proc/cpuinfo").is_ok_and(|info| info.contains(" avx512f")) {
        all.push(Contender::new("huygens-avx2", ours, Kind::Ours { level: "avx2" }));
    } else {
        println!("this CPU has no AVX-512: `huygens` is the AVX2 level already");
    }
    if let Some(revision) = &options.against {
        let name = format!("huygens@{revision}");
        all.push(Contender::new(&name, older_program(revision)?, Kind::Older));
    }
    Ok(all)
}

/// Our program, optimised.
pub fn our_program() -> Result<PathBuf, String> {
    cargo(&root(), &["build", "--release", "--package", "huygens-cli"], None)?;
    let target = std::env::var("CARGO_TARGET_DIR").map_or_else(|_| root().join("target"), PathBuf::from);
    Ok(target.join("release/huygens"))
}

fn peer_program(name: &str) -> Result<PathBuf, String> {
    let folder = root().join("bench");
    if !folder.join(name).join("Cargo.toml").exists() {
        return Err(format!("there is no peer `{name}` under bench/"));
    }
    let package = format!("bench-{name}");
    // Its own target folder: its flags are its own.
    cargo(&folder, &["build", "--release", "--package", &package], Some(&folder.join("target")))?;
    Ok(folder.join("target/release").join(package))
}

/// An older commit in a work tree of its own, below target/.
fn older_program(revision: &str) -> Result<PathBuf, String> {
    let name = format!("{revision}^{{commit}}");
    let commit = text_of(Command::new("git").args(["rev-parse", "--short=12", "--verify", &name]))?;
    let folder = root().join("target/against").join(&commit);
    if !folder.exists() {
        let path = folder.to_string_lossy().into_owned();
        text_of(Command::new("git").args(["worktree", "add", "--detach", &path, &commit]))?;
    }
    // One target folder for all commits, so that dependencies are built once.
    let target = root().join("target/against/target");
    cargo(&folder, &["build", "--release", "--package", "huygens-cli"], Some(&target))?;
    let program = folder.join("huygens-release");
    std::fs::copy(target.join("release/huygens"), &program)
        .map_err(|error| format!("{revision}: {error}"))?;
    Ok(program)
}

fn cargo(folder: &Path, args: &[&str], target: Option<&Path>) -> Result<(), String> {
    println!("── {}: cargo {}", folder.display(), args.join(" "));
    let mut command = Command::new("cargo");
    command.args(args).current_dir(folder);
    if let Some(target) = target {
        command.env("CARGO_TARGET_DIR", target);
    }
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(format!("cargo {} failed in {}", args.join(" "), folder.display())),
        Err(error) => Err(format!("cargo did not start: {error}")),
    }
}

fn text_of(command: &mut Command) -> Result<String, String> {
    let out = command.current_dir(root()).output().map_err(|error| format!("git did not start: {error}"))?;
    if out.status.success() {
        Ok(String::from_utf8_lossy(&out.stdout).trim().to_owned())
    } else {
        Err(String::from_utf8_lossy(&out.stderr).trim().to_owned())
    }
}
