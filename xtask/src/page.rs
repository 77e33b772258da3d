//! The page of `huygens compare --report`: its bundle is what its sources make, and headless Chromium finds nothing wrong with it.
//!
//! Installs what it needs: the packages of `report/package-lock.json` by npm, and Chromium from Debian where there is none. What cannot be
//! had is a failure that says so, as it is for the peers of `cargo xtask bench`: a test that did not run has not passed.

use crate::bench::our_program;
use crate::root;
use std::path::{Path, PathBuf};
use std::process::Command;

const CHROMIUM: [&str; 3] = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/// The pages that are looked at: a name, and the words of `compare` that make it.
const PAGES: [(&str, &[&str]); 2] =
    [("capsule_spin", &["capsule_spin"]), ("shapes", &["report/test/shapes.toml", "--refine", "0"])];

/// Everything about the page, with pages that `program` writes; without one with those of an optimised build.
pub fn test(program: Option<&str>) -> Result<(), String> {
    install()?;
    let folder = root().join("report");
    run(&folder, "node", &["node_modules/typescript/bin/tsc", "--noEmit"])?;
    run(&folder, "node", &["build.mjs", "--check"])?;
    let program = program.map_or_else(our_program, |path| Ok(PathBuf::from(path)))?;
    let pages = pages(&program)?;
    let mut words = vec!["test/browser.mjs".to_owned()];
    words.extend(pages.iter().map(|page| page.to_string_lossy().into_owned()));
    run(&folder, "node", &words.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Installs what is missing: the packages of the lock file, and Chromium.
pub fn install() -> Result<(), String> {
    packages(&root().join("report"))?;
    chromium()
}

/// Node, and the packages of the lock file.
fn packages(folder: &Path) -> Result<(), String> {
    let has = |tool: &str| Command::new(tool).arg("--version").output().is_ok_and(|out| out.status.success());
    if !has("node") || !has("npm") {
        return Err("there is no Node.js with npm; Debian's packages `nodejs` and `npm` give it".to_owned());
    }
    let time = |path: PathBuf| std::fs::metadata(path).and_then(|data| data.modified()).ok();
    let installed = time(folder.join("node_modules/.package-lock.json"));
    if installed.is_some() && installed >= time(folder.join("package-lock.json")) {
        return Ok(());
    }
    quietly(folder, "npm", &["ci", "--no-audit", "--no-fund"])
        .map_err(|problem| format!("{problem}; the npm registry must be in reach"))
}

fn chromium() -> Result<(), String> {
    let there = || CHROMIUM.iter().any(|path| Path::new(path).exists());
    if there() {
        return Ok(());
    }
    let package = ["install", "-y", "--no-install-recommends", "chromium"];
    let installed = quietly(&root(), "apt-get", &package).or_else(|_| {
        quietly(&root(), "apt-get", &["update"])?;
        quietly(&root(), "apt-get", &package)
    });
    match installed {
        Ok(()) if there() => Ok(()),
        Ok(()) => Err("Debian's package `chromium` gave no program".to_owned()),
        Err(problem) => Err(format!("there is no Chromium, and it cannot be installed: {problem}")),
    }
}

fn pages(program: &Path) -> Result<Vec<PathBuf>, String> {
    let target = root().join("target/report");
    std::fs::create_dir_all(&target).map_err(|error| format!("{}: {error}", target.display()))?;
    let mut pages = Vec::new();
    for (name, words) in PAGES {
        let page = target.join(format!("{name}.html"));
        let file = page.to_string_lossy().into_owned();
        let words = [&["compare"], words, &["--report", &file]].concat();
        let out = Command::new(program).args(&words).current_dir(root()).output();
        match out {
            Ok(out) if out.status.success() => pages.push(page),
            Ok(out) => {
                return Err(format!("huygens {}: {}", words.join(" "), String::from_utf8_lossy(&out.stderr)));
            }
            Err(error) => return Err(format!("{} did not start: {error}", program.display())),
        }
    }
    Ok(pages)
}

fn run(folder: &Path, program: &str, words: &[&str]) -> Result<(), String> {
    println!("   {program} {}", words.join(" "));
    match Command::new(program).args(words).current_dir(folder).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{program} {}: {status}", words.join(" "))),
        Err(error) => Err(format!("{program} did not start: {error}")),
    }
}

/// Runs a program beside others: it only speaks when it fails.
fn quietly(folder: &Path, program: &str, words: &[&str]) -> Result<(), String> {
    match Command::new(program).args(words).current_dir(folder).output() {
        Ok(out) if out.status.success() => Ok(()),
        Ok(out) => {
            let said = String::from_utf8_lossy(&out.stderr).into_owned();
            Err(format!("{program} {}: {}: {}", words.join(" "), out.status, said.trim_end()))
        }
        Err(error) => Err(format!("{program} did not start: {error}")),
    }
}
