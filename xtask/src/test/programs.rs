//! The test programs of the workspace, and the tests in them.
//!
//! Each test runs in a process of its own: `cargo test` stops at the first program that fails, and stable libtest tells no times. Starting a
//! process costs 2 ms.

use super::queue::{Attempt, Job};
use crate::root;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A program of tests that cargo built.
pub struct Program {
    /// Crate and target, for instance `contact suite`, `contact lib`.
    name: String,
    path: PathBuf,
    /// The crate's folder, where cargo starts its tests.
    folder: PathBuf,
}

/// The tests that a program lists.
pub struct Listed {
    /// Tests to run.
    pub jobs: Vec<Job>,
    /// Names of tests that are marked as ignored.
    pub ignored: Vec<String>,
}

/// Builds all test programs. `cargo build` goes on where a crate does not compile, which `cargo test` does not: the programs of the others are
/// given beside the problem.
pub fn build() -> (Vec<Program>, Option<String>) {
    let args = ["build", "--workspace", "--tests", "--profile", "release-test", "--keep-going", "--quiet"];
    println!("── building tests: cargo {}", args.join(" "));
    let out = Command::new("cargo")
        .args(args)
        .arg("--message-format=json-render-diagnostics")
        .current_dir(root())
        .stderr(Stdio::inherit())
        .output();
    match out {
        Ok(out) => {
            let problem = (!out.status.success()).then(|| format!("cargo {} failed", args.join(" ")));
            (programs(&String::from_utf8_lossy(&out.stdout)), problem)
        }
        Err(error) => (Vec::new(), Some(format!("cargo did not start: {error}"))),
    }
}

/// The test programs among cargo's messages, one JSON object a line.
fn programs(messages: &str) -> Vec<Program> {
    let mut found = Vec::new();
    for message in messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let is_test = message["profile"]["test"].as_bool() == Some(true);
        let (Some(path), Some(manifest)) =
            (message["executable"].as_str(), message["manifest_path"].as_str())
        else {
            continue;
        };
        if !is_test {
            continue;
        }
        let folder = Path::new(manifest).parent().map(Path::to_path_buf).unwrap_or_default();
        let krate = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let target = match message["target"]["kind"][0].as_str() {
            Some("test") | None => message["target"]["name"].as_str().unwrap_or_default(),
            Some(kind) => kind,
        };
        found.push(Program { name: format!("{krate} {target}"), path: PathBuf::from(path), folder });
    }
    found
}

impl Program {
    /// The tests of the program, each as a job.
    pub fn tests(&self) -> Result<Listed, String> {
        let full_name = |test: &str| format!("{} {test}", self.name);
        let ignored = self.list(&["--ignored"])?;
        let tests = self.list(&[])?.into_iter().filter(|test| !ignored.contains(test));
        let job = |test: String| Job { name: full_name(&test), attempt: self.attempt(&test) };
        let ignored = ignored.iter().map(|test| full_name(test)).collect();
        Ok(Listed { jobs: tests.map(job).collect(), ignored })
    }

    fn list(&self, words: &[&str]) -> Result<Vec<String>, String> {
        let out = Command::new(&self.path).args(["--list", "--format", "terse"]).args(words).output();
        let out = out.map_err(|error| format!("{} did not start: {error}", self.name))?;
        if !out.status.success() {
            return Err(format!("{} does not list its tests: {}", self.name, out.status));
        }
        let text = String::from_utf8_lossy(&out.stdout);
        Ok(text.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect())
    }

    fn attempt(&self, test: &str) -> Attempt {
        let mut command = Command::new(&self.path);
        command.args(["--exact", test]).current_dir(&self.folder).env("CARGO_MANIFEST_DIR", &self.folder);
        Box::new(move || passes(&mut command))
    }
}

/// One test in its process. A process that ran no test has shown nothing, and counts as failed.
fn passes(command: &mut Command) -> Result<(), String> {
    let out = command.output().map_err(|error| format!("did not start: {error}"))?;
    let text = String::from_utf8_lossy(&out.stdout);
    if out.status.success() && text.contains("test result: ok. 1 passed") {
        return Ok(());
    }
    Err(format!("{}\n{}{}", out.status, text.trim(), String::from_utf8_lossy(&out.stderr).trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_programs_are_told_from_other_artefacts() {
        let messages = [
            r#"{"reason":"compiler-artifact","manifest_path":"/p/crates/contact/Cargo.toml","target":{"kind":["test"],"name":"suite"},"profile":{"test":true},"executable":"/t/suite-1"}"#,
            r#"{"reason":"compiler-artifact","manifest_path":"/p/crates/contact/Cargo.toml","target":{"kind":["lib"],"name":"huygens_contact"},"profile":{"test":true},"executable":"/t/lib-2"}"#,
            r#"{"reason":"compiler-artifact","manifest_path":"/p/crates/contact/Cargo.toml","target":{"kind":["lib"],"name":"huygens_contact"},"profile":{"test":false},"executable":null}"#,
            r#"{"reason":"compiler-artifact","manifest_path":"/p/crates/cli/Cargo.toml","target":{"kind":["bin"],"name":"huygens"},"profile":{"test":false},"executable":"/t/huygens"}"#,
            r#"{"reason":"build-finished","success":true}"#,
        ];
        let names: Vec<_> = programs(&messages.join("\n")).into_iter().map(|program| program.name).collect();
        assert_eq!(names, ["contact suite", "contact lib"]);
    }

    #[test]
    fn a_program_that_ran_no_test_has_not_passed() {
        let said = |words: &str| passes(Command::new("echo").arg(words));
        assert!(said("test result: ok. 1 passed; 0 failed; 0 ignored").is_ok());
        assert!(said("test result: ok. 0 passed; 0 failed; 0 ignored").is_err());
    }
}
