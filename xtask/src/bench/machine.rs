//! What a figure was measured on.

use crate::root;
use std::process::Command;

/// The machine and the versions of a measurement, as words without commas.
#[derive(Clone, Debug)]
pub struct Setting {
    pub date: String,
    pub commit: String,
    pub machine: String,
    pub rustc: String,
}

impl Setting {
    /// Now and here.
    pub fn now() -> Self {
        let dirty =
            if said("git", &["status", "--porcelain", "--untracked-files=no"]).is_empty() { "" } else { "+" };
        let commit = said("git", &["rev-parse", "--short=10", "HEAD"]);
        let rustc = said("rustc", &["--version"]);
        Self {
            date: said("date", &["-u", "+%Y-%m-%dT%H:%M:%SZ"]),
            commit: format!("{commit}{dirty}"),
            machine: machine(),
            rustc: rustc.split(' ').nth(1).unwrap_or("?").to_owned(),
        }
    }
}

/// CPU, number of cores, widest instructions.
fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |key: &str| {
        let line = info.lines().find(|line| line.starts_with(key));
        line.and_then(|line| line.split_once(':')).map_or("", |(_, value)| value.trim())
    };
    let flags: Vec<&str> = field("flags").split(' ').collect();
    let simd = ["avx512f", "avx2", "sse2"].into_iter().find(|flag| flags.contains(flag)).unwrap_or("?");
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    format!("{} · {cores} cores · {simd}", field("model name").replace(',', " "))
}

/// The first line that a program says; empty when there is none.
fn said(program: &str, args: &[&str]) -> String {
    let out = Command::new(program).args(args).current_dir(root()).output();
    let text = out.map(|out| String::from_utf8_lossy(&out.stdout).into_owned()).unwrap_or_default();
    text.lines().next().unwrap_or_default().trim().replace(',', " ")
}
