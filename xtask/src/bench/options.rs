//! The words of `cargo xtask bench`.

use super::SCENES;

pub const USAGE: &str = "\
cargo xtask bench [SCENE…]   ours and the peers alternately; appends to bench/results.csv
  --rounds K       rounds (default 3)
  --seeds K        seeds of the pile (default 5)
  --peers LIST     of rapier-f32, rapier-f64, box3d (default rapier-f32); `none`
  --against REV    also an older commit of ours
  --bodies N       another number of bodies
  --steps N        another number of steps
  --solver NAME    our contact model
  --dry            appends nothing
cargo xtask bench --table                     writes the tables of docs/bench.md anew
cargo xtask bench --instructions [--check]    instruction counts under callgrind, into bench/instructions.csv
cargo xtask bench --disassembly [PATTERN]     no call inside the packed loops of the functions whose name has PATTERN";

/// What `cargo xtask bench` is asked for.
#[derive(Debug, PartialEq)]
pub enum Task {
    Measure(Options),
    Table,
    Instructions { check: bool },
    Disassembly { pattern: String },
}

/// What to measure.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    pub scenes: Vec<String>,
    pub rounds: u32,
    pub seeds: u32,
    pub peers: Vec<String>,
    pub against: Option<String>,
    pub bodies: Option<String>,
    pub steps: Option<String>,
    pub solver: Option<String>,
    pub dry: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            scenes: SCENES.map(str::to_owned).to_vec(),
            rounds: 3,
            seeds: 5,
            peers: vec![super::REFERENCE.to_owned()],
            against: None,
            bodies: None,
            steps: None,
            solver: None,
            dry: false,
        }
    }
}

/// Functions that hold the hot loops: each has one for each set of instructions.
const HOT: &str = "vectorize_";

/// Reads the words after `bench`.
pub fn parse(words: &[&str]) -> Result<Task, String> {
    match words {
        ["--table"] => return Ok(Task::Table),
        ["--instructions"] => return Ok(Task::Instructions { check: false }),
        ["--instructions", "--check"] => return Ok(Task::Instructions { check: true }),
        ["--disassembly"] => return Ok(Task::Disassembly { pattern: HOT.to_owned() }),
        ["--disassembly", pattern] => return Ok(Task::Disassembly { pattern: (*pattern).to_owned() }),
        _ => {}
    }
    let mut options = Options::default();
    let mut scenes = Vec::new();
    let mut words = words.iter();
    while let Some(&word) = words.next() {
        let mut value = || words.next().map(|v| (*v).to_owned()).ok_or(format!("{word} needs a value"));
        match word {
            "--rounds" => options.rounds = count(word, &value()?)?,
            "--seeds" => options.seeds = count(word, &value()?)?,
            "--peers" => options.peers = peers(&value()?),
            "--against" => options.against = Some(value()?),
            "--bodies" => options.bodies = Some(value()?),
            "--steps" => options.steps = Some(value()?),
            "--solver" => options.solver = Some(value()?),
            "--dry" => options.dry = true,
            _ if word.starts_with('-') => return Err(format!("unknown option `{word}`\n\n{USAGE}")),
            scene if SCENES.contains(&scene) => scenes.push(scene.to_owned()),
            other => return Err(format!("`{other}` is none of the scenes {}", SCENES.join(", "))),
        }
    }
    if !scenes.is_empty() {
        options.scenes = scenes;
    }
    Ok(Task::Measure(options))
}

fn count(word: &str, text: &str) -> Result<u32, String> {
    text.parse().ok().filter(|n| *n > 0).ok_or(format!("{word}: `{text}` is no whole number above 0"))
}

fn peers(list: &str) -> Vec<String> {
    list.split(',').filter(|name| !name.is_empty() && *name != "none").map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_a_task() {
        assert_eq!(parse(&[]), Ok(Task::Measure(Options::default())));
        assert_eq!(parse(&["--table"]), Ok(Task::Table));
        let Ok(Task::Measure(options)) = parse(&["pile", "--rounds", "2", "--peers", "rapier-f32,box3d"])
        else {
            panic!("a measurement")
        };
        assert_eq!((options.scenes, options.rounds), (vec!["pile".to_owned()], 2));
        assert_eq!(options.peers, ["rapier-f32", "box3d"]);
        assert!(
            parse(&["--peers", "none"])
                .is_ok_and(|task| matches!(task, Task::Measure(o) if o.peers.is_empty()))
        );
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for words in [&["--rounds"][..], &["--rounds", "0"], &["--fast"], &["pyle"]] {
            assert!(parse(words).is_err(), "{words:?}");
        }
    }
}
