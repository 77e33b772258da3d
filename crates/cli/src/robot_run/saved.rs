//! Checkpoints of a robot in MuJoCo's pipeline: a text of named lists, each number as its 64 bits, so that the run goes on with the same bits.

use crate::Failure;
use huygens_formats::mjcf::mech::MechanismState;
use huygens_formats::mjcf::soft::{SoftBook, SoftMachine};
use std::fmt::Write;
use std::path::Path;

const HEAD: &str = "huygens robot checkpoint 1";

/// A run after `steps` steps, which was looked at.
pub fn save(steps: u64, state: &MechanismState, soft: &SoftMachine) -> Vec<u8> {
    let mut text = format!("{HEAD}\nsteps {steps}\n");
    let lists: [(&str, &[f64]); 8] = [
        ("qpos", &state.qpos),
        ("qvel", &state.qvel),
        ("act", &state.act),
        ("ctrl", &state.ctrl),
        ("time", &[state.time]),
        ("warm", &soft.work.warm),
        ("book", &soft.book.numbers()),
        ("depth", &[soft.max_penetration]),
    ];
    for (name, values) in lists {
        text.push_str(name);
        for x in values {
            let _ = write!(text, " {:016x}", x.to_bits());
        }
        text.push('\n');
    }
    text.into_bytes()
}

/// Takes a run to where a checkpoint has it; the number of steps that it had taken.
pub fn resume(path: &Path, state: &mut MechanismState, soft: &mut SoftMachine) -> Result<u64, Failure> {
    let bad = |problem: &str, remedy: &str| {
        Failure::Input(format!("error: --resume {}: {problem}\n  = help: {remedy}", path.display()))
    };
    let remedy = "Name a file that `huygens run --checkpoint` wrote for this robot.";
    let bytes = std::fs::read(path).map_err(|error| bad(&error.to_string(), remedy))?;
    let text = std::str::from_utf8(&bytes).ok().and_then(|text| text.strip_prefix(HEAD));
    let text = text.ok_or_else(|| bad("is no checkpoint of a robot in MuJoCo's pipeline", remedy))?;
    let mut lists = text.lines().filter_map(|line| line.split_once(' ').or(Some((line, ""))));
    let mut list =
        |name: &str| -> Option<&str> { lists.find(|(found, _)| *found == name).map(|(_, rest)| rest) };
    let broken = || bad("is not whole", "Name another file.");
    let steps = list("steps").and_then(|word| word.parse().ok()).ok_or_else(broken)?;
    let mut numbers = |name: &str, count: usize| -> Result<Vec<f64>, Failure> {
        let words = list(name).ok_or_else(broken)?;
        let bits: Result<Vec<f64>, _> =
            words.split_whitespace().map(|word| u64::from_str_radix(word, 16).map(f64::from_bits)).collect();
        let values = bits.map_err(|_| broken())?;
        if values.len() != count {
            let problem = format!("has {} numbers of `{name}`; this robot has {count}", values.len());
            return Err(bad(&problem, "Name the model and the settings that the checkpoint was made with."));
        }
        Ok(values)
    };
    let (nq, nv) = (state.qpos.len(), state.qvel.len());
    state.qpos = numbers("qpos", nq)?;
    state.qvel = numbers("qvel", nv)?;
    state.act = numbers("act", state.act.len())?;
    state.ctrl = numbers("ctrl", state.ctrl.len())?;
    state.time = numbers("time", 1)?[0];
    soft.work.warm = numbers("warm", nv)?;
    soft.book = SoftBook::with_numbers(&numbers("book", 21)?).ok_or_else(broken)?;
    soft.max_penetration = numbers("depth", 1)?[0];
    Ok(steps)
}
