//! `huygens bench`.

use super::engine::{Measured, Plan, measure};
use super::{BenchArgs, export, figures, json, page, robot, scale};
use crate::interrupt::Interrupt;
use crate::{Failure, print, run};
use huygens::Scene;
use huygens::math::SimdLevel;
use huygens::math::pool::available_threads;
use huygens_formats::toml::Setting;
use std::path::Path;

/// The scenes that are measured when none is named.
const SCENES: [&str; 5] = ["pyramid", "towers", "pile", "spheres", "terrain"];

/// Scenes of `--sizes`, and how many bodies they get.
const SIZED: [&str; 2] = ["pile", "spheres"];
const SIZES: [u64; 7] = [1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000];

/// The last steps of `--sizes` that are measured, and all of them: a pile has come down by then.
const SIZED_STEPS: [u64; 2] = [20, 240];

pub fn bench(args: &BenchArgs) -> Result<(), Failure> {
    if let Some(name) = args.scenes.iter().find(|name| robot::is_robot(name)) {
        if args.scenes.len() > 1 {
            return Err(Failure::Input(format!(
                "error: {name} is a robot\n  = help: A robot is measured alone, without other scenes."
            )));
        }
        return robot::bench(name, args);
    }
    if args.robots.is_some() || args.states.is_some() {
        let remedy = "They go with `huygens bench humanoid`.";
        return Err(Failure::Input(format!(
            "error: --robots, --states: no robot is named\n  = help: {remedy}"
        )));
    }
    let default = if args.sizes { &SIZED[..] } else { &SCENES };
    let mut named: Vec<&str> = default.to_vec();
    if !args.scenes.is_empty() {
        named = args.scenes.iter().map(String::as_str).collect();
    }
    // The small ones first: memory is the largest of the process so far.
    let sized: Vec<(&str, Option<u64>)> =
        sizes(args).into_iter().flat_map(|size| named.iter().map(move |name| (*name, size))).collect();
    let named: Vec<&str> = sized.iter().map(|(name, _)| *name).collect();
    let level = level(&args.level)?;
    let mut settings = run::set_and_solver(&args.set, args.solver.as_deref())?;
    let threads = |value: &String| Setting::value_option("--threads", "world.threads", value);
    settings.extend(args.threads.as_ref().map(threads));
    let load = |(name, size): &(&str, Option<u64>)| load(name, &settings, *size, args);
    let mut scenes = sized.iter().map(load).collect::<Result<Vec<_>, _>>()?;
    // The cost of work is measured: nothing sleeps where the scene does not say so.
    for scene in &mut scenes {
        scene.world.sleep.get_or_insert(false);
    }
    if let Some(file) = &args.export {
        return export(file, &named, &scenes, args.steps);
    }
    if !args.json {
        let used = if level == SimdLevel::Best { SimdLevel::best() } else { level };
        let threads = scenes.first().and_then(|scene| scene.world.threads);
        print(&page::head(used.name(), threads.map_or_else(available_threads, |n| n as usize)))?;
    }
    let interrupt = Interrupt::listen();
    let mut results = Vec::new();
    for (name, scene) in named.iter().zip(&scenes) {
        let plan = plan(scene, args, level)?;
        let Some(result) = measure(name, scene, &plan, &interrupt).map_err(problem(name))? else { break };
        if !args.json {
            print(&page::line(&result))?;
        }
        results.push(result);
    }
    print(&if args.json { json::all(&results) + "\n" } else { details(&results, args.profile) })?;
    if results.len() < scenes.len() {
        let (done, all) = (results.len(), scenes.len());
        return Err(Failure::Stopped(format!("stopped: {done} of {all} scenes were measured")));
    }
    Ok(())
}

/// Least number of bodies of each scene; `None` for its own.
fn sizes(args: &BenchArgs) -> Vec<Option<u64>> {
    if !args.sizes {
        return vec![args.bodies];
    }
    let most = args.bodies.unwrap_or(u64::MAX);
    let sizes: Vec<_> = SIZES.into_iter().filter(|size| *size <= most).map(Some).collect();
    if sizes.is_empty() { vec![args.bodies] } else { sizes }
}

fn details(results: &[Measured], profile: bool) -> String {
    let one = |run: &Measured| page::detail(run) + &if profile { page::profile(run) } else { String::new() };
    results.iter().map(one).collect()
}

fn problem(name: &str) -> impl Fn(String) -> Failure + '_ {
    move |problem| Failure::Input(format!("error: {name}: {problem}"))
}

fn level(word: &str) -> Result<SimdLevel, Failure> {
    SimdLevel::from_name(word).ok_or_else(|| {
        let known = SimdLevel::ALL.map(SimdLevel::name).join(", ");
        Failure::Input(format!(
            "error: --level: there is no level `{word}`\n  = help: Choose one of {known}."
        ))
    })
}

/// The scene with everything that the command line puts over it.
fn load(name: &str, settings: &[Setting], bodies: Option<u64>, args: &BenchArgs) -> Result<Scene, Failure> {
    let mut scene = run::read(name, settings, false)?.scene;
    if let Some(bodies) = bodies {
        scale::resize(&mut scene, bodies).map_err(problem(name))?;
    }
    if let Some(seed) = args.seed {
        scale::reseed(&mut scene, seed);
    }
    Ok(scene)
}

fn plan(scene: &Scene, args: &BenchArgs, level: SimdLevel) -> Result<Plan, Failure> {
    let own = if args.sizes { SIZED_STEPS[1] } else { scene.world.step_count() };
    let warm = if args.sizes && args.steps.is_none() { Some(own - SIZED_STEPS[0]) } else { None };
    let window = figures::window(own, args.steps, args.warm.or(warm));
    if window.is_empty() {
        return Err(Failure::Input(
            "error: no step is left to measure\n  = help: --steps must be more than --warm.".to_owned(),
        ));
    }
    Ok(Plan { steps: args.steps.unwrap_or(own), window, level })
}

fn export(file: &Path, names: &[&str], scenes: &[Scene], steps: Option<u64>) -> Result<(), Failure> {
    let ([name], [scene]) = (names, scenes) else {
        return Err(Failure::Input("error: --export writes one scene\n  = help: Name it.".to_owned()));
    };
    let mut scene = scene.clone();
    if let Some(steps) = steps {
        scene.world.duration = huygens::scene::Duration::Steps(steps);
    }
    let text = export::text(name, &scene).map_err(problem(name))?;
    std::fs::write(file, text)
        .map_err(|error| Failure::Input(format!("error: --export {}: {error}", file.display())))
}
