//! Someone who takes part: how it is called, and what it says.

use super::options::Options;
use crate::root;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How a program is called.
#[derive(Clone, Debug)]
pub enum Kind {
    /// Reads the exported text.
    Peer,
    /// Our program of this commit.
    Ours { level: &'static str },
    /// Our program of an older commit, on the scene file of this one.
    Older,
}

/// Someone who takes part.
#[derive(Clone, Debug)]
pub struct Contender {
    pub name: String,
    pub program: PathBuf,
    pub kind: Kind,
}

/// One scene of the benchmark, with one seed.
#[derive(Clone, Debug)]
pub struct Start {
    pub scene: String,
    /// `None` for the scene's own.
    pub seed: Option<u32>,
    /// The exported text.
    pub text: PathBuf,
}

/// What a run said.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures {
    pub version: String,
    pub solver: String,
    pub level: String,
    pub hash: String,
    pub bodies: f64,
    pub steps: f64,
    pub mean_ms: f64,
    pub median_ms: f64,
    pub busy_ms: f64,
    pub contacts: f64,
    pub penetration: [f64; 3],
    pub kinetic: f64,
    pub peak_bytes: f64,
}

/// Peers run on one thread, and so do we beside them.
const ONE_THREAD: [&str; 2] = ["--threads", "1"];

impl Contender {
    pub fn new(name: &str, program: PathBuf, kind: Kind) -> Self {
        Self { name: name.to_owned(), program, kind }
    }

    /// Runs once.
    pub fn run(&self, start: &Start, options: &Options) -> Result<Figures, String> {
        let mut words = Vec::new();
        match &self.kind {
            Kind::Peer => words.push(start.text.to_string_lossy().into_owned()),
            Kind::Ours { level } => {
                words.extend(["bench", &start.scene, "--level", level, "--json"].map(str::to_owned));
                words.extend(ONE_THREAD.map(str::to_owned));
                words.extend(scene_words(start.seed, options));
            }
            Kind::Older => {
                let file = root().join(format!("scenes/{}.toml", start.scene));
                words.extend(["bench", &file.to_string_lossy(), "--json"].map(str::to_owned));
                if said(&self.program, &["bench", "--help"].map(str::to_owned))?.contains("--threads") {
                    words.extend(ONE_THREAD.map(str::to_owned));
                }
                words.extend(scene_words(start.seed, options));
            }
        }
        if let Some(steps) = &options.steps {
            words.extend(["--steps".to_owned(), steps.clone()]);
        }
        Figures::parse(&said(&self.program, &words)?)
    }
}

/// What says to our program which bodies, and how they are solved.
fn scene_words(seed: Option<u32>, options: &Options) -> Vec<String> {
    let mut words = Vec::new();
    let mut push = |name: &str, value: Option<String>| {
        words.extend(value.map(|value| [name.to_owned(), value]).into_iter().flatten());
    };
    push("--seed", seed.map(|seed| seed.to_string()));
    push("--bodies", options.bodies.clone());
    push("--solver", options.solver.clone());
    words
}

/// Writes the text of a scene that the peers read.
pub fn export(ours: &Path, scene: &str, seed: Option<u32>, options: &Options) -> Result<PathBuf, String> {
    let folder = root().join("target/bench");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let number = seed.map_or_else(|| "own".to_owned(), |seed| seed.to_string());
    let file = folder.join(format!("{scene}-{number}.txt"));
    let mut words: Vec<String> =
        ["bench", scene, "--export", &file.to_string_lossy()].map(str::to_owned).to_vec();
    words.extend(scene_words(seed, options));
    said(ours, &words)?;
    Ok(file)
}

fn said(program: &Path, words: &[String]) -> Result<String, String> {
    let call = || format!("{} {}", program.display(), words.join(" "));
    let out = Command::new(program).args(words).output().map_err(|error| format!("{}: {error}", call()))?;
    if out.status.success() {
        Ok(String::from_utf8_lossy(&out.stdout).into_owned())
    } else {
        Err(format!("{}: {}", call(), String::from_utf8_lossy(&out.stderr)))
    }
}

impl Figures {
    /// Reads the JSON of a peer, or of our program with one scene.
    pub fn parse(text: &str) -> Result<Self, String> {
        let bad = |key: &str| format!("no `{key}` in {text}");
        let all: Value = serde_json::from_str(text).map_err(|error| format!("{error} in {text}"))?;
        let run = all.get("results").map_or(&all, |results| &results[0]);
        let number = |value: &Value, key: &str| value[key].as_f64().ok_or_else(|| bad(key));
        let word = |key: &str| run[key].as_str().unwrap_or("").to_owned();
        let depth = &run["penetration"];
        Ok(Self {
            version: word("version"),
            solver: word("solver"),
            level: word("level"),
            hash: word("hash"),
            bodies: number(run, "bodies")?,
            steps: number(run, "steps")?,
            mean_ms: number(run, "mean_ms")?,
            median_ms: number(run, "median_ms")?,
            busy_ms: number(run, "busy_ms")?,
            contacts: number(run, "contacts")?,
            penetration: [number(depth, "max")?, number(depth, "p99")?, number(depth, "mean")?],
            kinetic: number(run, "kinetic_energy")?,
            peak_bytes: number(run, "peak_bytes")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PEER: &str = r#"{"engine":"rapier-f32","version":"0.36","scene":"pile","bodies":8000,"steps":600,"mean_ms":2.0,"median_ms":1.5,"busy_ms":1.25,"contacts":10,"ns_per_contact":3,"penetration":{"points":7,"max":0.003,"p99":0.002,"mean":0.001},"kinetic_energy":4.5,"peak_bytes":1000}"#;

    #[test]
    fn the_line_of_a_peer_and_our_object_are_read_alike() {
        let peer = Figures::parse(PEER).unwrap();
        assert_eq!((peer.busy_ms, peer.penetration), (1.25, [0.003, 0.002, 0.001]));
        let ours = Figures::parse(&format!(r#"{{"threads":1,"results":[{PEER}]}}"#)).unwrap();
        assert_eq!(ours, peer);
        assert!(Figures::parse("{}").unwrap_err().contains("bodies"));
    }
}
