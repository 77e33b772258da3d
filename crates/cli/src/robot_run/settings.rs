//! Options of a robot's file that `--set` changes in MuJoCo's pipeline: those that a scene has too.

use super::{CG, NEWTON};
use crate::Failure;
use crate::args::RunArgs;
use huygens::math::Vec3;
use huygens::scene::{Duration, suggest};
use huygens_formats::mjcf::model::{IntegratorKind, Options};
use serde_json::Value;

/// Keys of `[world]` that choose how a robot runs.
pub const CONTACTS: &str = "world.contacts";
pub const SOLVER: &str = "world.solver";

/// Keys that are options of the file.
const DT: &str = "world.dt";
const GRAVITY: &str = "world.gravity";
const STEPS: &str = "world.steps";
const SECONDS: &str = "world.seconds";
const INTEGRATOR: &str = "world.integrator";
const ITERATIONS: &str = "world.iterations";
const TOLERANCE: &str = "world.tolerance";
const CONE: &str = "world.convex.cone";
const IMPRATIO: &str = "world.convex.impratio";
const NOSLIP: &str = "world.convex.noslip_iterations";
const KNOWN: [&str; 12] = [
    CONTACTS, SOLVER, DT, GRAVITY, STEPS, SECONDS, INTEGRATOR, ITERATIONS, TOLERANCE, CONE, IMPRATIO, NOSLIP,
];

/// Integrators by their words in a scene.
const INTEGRATORS: [(&str, IntegratorKind); 4] = [
    ("euler", IntegratorKind::Euler),
    ("rk4", IntegratorKind::Rk4),
    ("implicit", IntegratorKind::Implicit),
    ("implicitfast", IntegratorKind::ImplicitFast),
];

/// Steps of a run that states no length, as in a scene.
const DEFAULT_STEPS: u64 = 1000;

fn split(set: &str) -> Option<(&str, &str)> {
    set.split_once('=').map(|(path, value)| (path.trim(), value.trim().trim_matches('"')))
}

/// The last value that `--set` gives a key.
pub fn set_to<'a>(args: &'a RunArgs, key: &str) -> Option<&'a str> {
    args.scene
        .set
        .iter()
        .rev()
        .filter_map(|set| split(set))
        .find(|(path, _)| *path == key)
        .map(|(_, value)| value)
}

/// The first `--set` that only a scene understands.
pub fn of_a_scene(args: &RunArgs) -> Option<String> {
    let is_other = |set: &&String| !split(set).is_some_and(|(path, _)| KNOWN.contains(&path));
    args.scene.set.iter().find(is_other).map(|set| format!("--set {set}"))
}

fn bad(key: &str, value: &str, remedy: &str) -> Failure {
    Failure::Input(format!("error: --set {key}={value}\n  = help: {remedy}"))
}

fn number(key: &str, value: &str, least: f64) -> Result<f64, Failure> {
    let found = value.parse().ok().filter(|x: &f64| x.is_finite() && *x >= least);
    found.ok_or_else(|| bad(key, value, &format!("Write a number from {least} on.")))
}

fn count(key: &str, value: &str) -> Result<i64, Failure> {
    let found = value.parse().ok().filter(|n| (0..=1_000_000).contains(n));
    found.ok_or_else(|| bad(key, value, "Write a whole number from 0 to 1000000."))
}

/// MuJoCo's word for a convex model.
fn solver(name: &str) -> Option<&'static str> {
    match name {
        NEWTON => Some("Newton"),
        CG => Some("CG"),
        _ => None,
    }
}

/// The same for `inspect`, where every key must be one of a robot.
///
/// # Errors
/// The first key or value that is not.
pub fn apply_all(set: &[String], options: &mut Options) -> Result<(), Failure> {
    for given in set {
        let known = split(given).is_some_and(|(key, _)| KNOWN.contains(&key));
        if !known {
            let remedy = suggest(given.split('=').next().unwrap_or(given), KNOWN);
            return Err(Failure::Input(format!(
                "error: --set {given}: a robot has no such option\n  = help: {remedy}"
            )));
        }
    }
    apply(set, options)
}

/// Puts what the command line sets over the options of a file.
pub fn apply(set: &[String], options: &mut Options) -> Result<(), Failure> {
    for (key, value) in set.iter().filter_map(|set| split(set)) {
        match key {
            DT => options.timestep = number(key, value, 1e-9)?,
            GRAVITY => {
                let list = serde_json::from_str::<Value>(value).ok();
                let list: Option<Vec<f64>> = list
                    .as_ref()
                    .and_then(Value::as_array)
                    .and_then(|l| l.iter().map(Value::as_f64).collect());
                let list = list.and_then(|list| <[f64; 3]>::try_from(list).ok());
                options.gravity = Vec3::from_array(
                    list.ok_or_else(|| bad(key, value, "Write three numbers: [0, 0, -9.81]."))?,
                );
            }
            INTEGRATOR => {
                let found = INTEGRATORS.iter().find(|(word, _)| value.eq_ignore_ascii_case(word));
                let words = INTEGRATORS.map(|(word, _)| word);
                options.integrator = found.ok_or_else(|| bad(key, value, &suggest(value, words)))?.1;
            }
            ITERATIONS => options.iterations = count(key, value)?,
            TOLERANCE => options.tolerance = number(key, value, 0.0)?,
            CONE => {
                options.elliptic = match value {
                    "elliptic" => true,
                    "pyramidal" => false,
                    _ => return Err(bad(key, value, "There are pyramidal and elliptic.")),
                }
            }
            IMPRATIO => options.impratio = number(key, value, 1e-15)?,
            NOSLIP => options.noslip_iterations = count(key, value)?,
            SOLVER => options.solver = solver(value).unwrap_or(&options.solver).to_owned(),
            _ => {}
        }
    }
    Ok(())
}

/// How many steps of `dt` a run has.
pub fn length(args: &RunArgs, dt: f64) -> Result<u64, Failure> {
    let option = |word: &Option<String>, name: &'static str| word.clone().map(|word| (name, word));
    let set = |key: &'static str| set_to(args, key).map(|word| (key, word.to_owned()));
    let steps = option(&args.scene.steps, "--steps");
    let seconds = option(&args.scene.seconds, "--seconds");
    let stated = steps.is_some() || seconds.is_some();
    if let Some((name, word)) = steps.or_else(|| set(STEPS).filter(|_| !stated)) {
        let bad = || Failure::Input(format!("error: {name} is {word}; must be a whole number from 0 on"));
        return word.parse().map_err(|_| bad());
    }
    if let Some((name, word)) = seconds.or_else(|| set(SECONDS).filter(|_| !stated)) {
        let seconds: Option<f64> = word.parse().ok().filter(|s: &f64| *s >= 0.0 && s.is_finite());
        let bad = || Failure::Input(format!("error: {name} is {word}; must be a number from 0 on"));
        return seconds.map(|s| Duration::Seconds(s).steps(dt)).ok_or_else(bad);
    }
    Ok(DEFAULT_STEPS)
}
