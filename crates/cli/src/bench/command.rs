//! `huygens bench`.

use super::engine::{Measured, Plan, measure};
use super::{BenchArgs, export, figures, json, page, scale};
use crate::interrupt::Interrupt;
use crate::{Failure, print, run};
use huygens::Scene;
use huygens::math::SimdLevel;
use huygens::math::pool::available_threads;
use huygens_formats::toml::Setting;
use std::path::Path;

/// The scenes that are measured when none is named.
const SCENES: [&str; 5] = ["pyramid", "towers", "pile", "spheres", "terrain"];

pub fn bench(args: &BenchArgs) -> Result<(), Failure> {
    let named: Vec<&str> = if args.scenes.is_empty() {
        SCENES.to_vec()
    } else {
        args.scenes.iter().map(String::as_str).collect()
    };
    let level = level(&args.level)?;
    let mut settings = run::set_and_solver(&args.set, args.solver.as_deref())?;
    let threads = |value: &String| Setting::value_option("--threads", "world.threads", value);
    settings.extend(args.threads.as_ref().map(threads));
    let mut scenes = named.iter().map(|name| load(name, &settings, args)).collect::<Result<Vec<_>, _>>()?;
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
fn load(name: &str, settings: &[Setting], args: &BenchArgs) -> Result<Scene, Failure> {
    let mut scene = run::read(name, settings, false)?.scene;
    if let Some(bodies) = args.bodies {
        scale::resize(&mut scene, bodies).map_err(problem(name))?;
    }
    if let Some(seed) = args.seed {
        scale::reseed(&mut scene, seed);
    }
    Ok(scene)
}

fn plan(scene: &Scene, args: &BenchArgs, level: SimdLevel) -> Result<Plan, Failure> {
    let own = scene.world.step_count();
    let window = figures::window(own, args.steps, args.warm);
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
