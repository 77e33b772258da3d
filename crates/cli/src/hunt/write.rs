//! The folder of findings.

use super::page::figure;
use crate::Failure;
use huygens_formats::toml;
use huygens_hunt::{Finding, Plan, Report};
use std::path::{Path, PathBuf};

/// A folder that can be written.
pub struct Folder(PathBuf);

/// The file of a finding, and how to see the fault.
pub struct Written {
    pub file: String,
    /// Runs the scene.
    pub command: String,
    /// Judges it again.
    pub judge: String,
}

impl Folder {
    /// Makes the folder and tries to write into it.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let trial = path.join(".huygens-hunt");
        let tried = std::fs::create_dir_all(path)
            .and_then(|()| std::fs::write(&trial, b""))
            .and_then(|()| std::fs::remove_file(&trial));
        tried.map_err(|error| {
            Failure::Input(format!(
                "error: --out {}: {error}\n  = help: Name a folder that can be made and written.",
                path.display()
            ))
        })?;
        Ok(Self(path.to_owned()))
    }

    /// Writes every finding.
    pub fn write(&self, plan: &Plan, report: &Report) -> Result<Vec<Written>, Failure> {
        report.findings.iter().map(|finding| self.scene(plan, finding)).collect()
    }

    fn scene(&self, plan: &Plan, finding: &Finding) -> Result<Written, Failure> {
        let name = format!("{}-{}-{}.toml", finding.kind.word(), plan.seed, finding.number);
        let path = self.0.join(name);
        let file = path.to_string_lossy().into_owned();
        let written = Written {
            command: format!("huygens run {}", quoted(&file)),
            judge: format!("huygens hunt --for {} --replay {}", finding.kind.word(), quoted(&file)),
            file,
        };
        let text = head(plan, finding, &written) + &toml::write(&finding.scene);
        std::fs::write(&path, text)
            .map_err(|error| Failure::Trouble(format!("error: --out {}: {error}", path.display())))?;
        Ok(written)
    }
}

/// Comments at the head of a scene file: its kind of fault, its figure and the commands that show it.
fn head(plan: &Plan, finding: &Finding, written: &Written) -> String {
    let state = if finding.shrunk { "shrunk" } else { "as it was found" };
    format!(
        "# {}: {}.\n# Figure {}, limit {}. Scene {} of seed {}, {state}.\n# {}\n# {}\n\n",
        finding.kind.word(),
        one_line(&finding.verdict.what),
        figure(finding.verdict.figure),
        figure(finding.verdict.limit),
        finding.number,
        plan.seed,
        written.command,
        written.judge,
    )
}

/// A comment ends with its line.
pub fn one_line(text: &str) -> String {
    text.lines().collect::<Vec<_>>().join(" ")
}

/// A word of a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-".contains(c);
    if word.chars().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}
