//! `huygens run`.

use crate::adapter::{Outcome, Simulation};
use crate::args::RunArgs;
use crate::{Failure, expect, json, print, progress, summary};
use huygens::Scene;
use huygens::scene::suggest;
use huygens_formats::builtin;
use huygens_formats::toml::{self, Loaded, Setting};
use huygens_formats::trajectory::{Format, Writer};
use std::borrow::Cow;
use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant};

/// The scene that runs when none is named.
pub const DEFAULT_SCENE: &str = "default";

/// A run that came to its end.
pub struct Finished {
    pub name: String,
    pub scene: Scene,
    pub outcome: Outcome,
    pub wall_seconds: f64,
}

pub fn run(args: &RunArgs) -> Result<(), Failure> {
    if args.list {
        return print(&builtin::names().map(|name| format!("{name}\n")).collect::<String>());
    }
    let name = args.scene.as_deref().unwrap_or(DEFAULT_SCENE);
    let loaded = load(name, args)?;
    let mut simulation =
        Simulation::new(&loaded.scene).map_err(|errors| Failure::Input(loaded.report(errors).to_string()))?;
    let mut out = args.out.as_deref().map(create).transpose()?;
    let wall_seconds = advance(&mut simulation, loaded.scene.world.step_count(), out.as_mut())?;
    let outcome = simulation.outcome();
    if outcome.quarantined > 0 {
        eprintln!(
            "warning: {} times a body was stopped because a number was not finite; a smaller `dt` may help",
            outcome.quarantined
        );
    }
    let finished = Finished { name: name.to_owned(), scene: loaded.scene, outcome, wall_seconds };
    if args.json {
        return print(&(json::run(&finished) + "\n"));
    }
    let unmet = args.as_written().then(|| expect::unmet(&finished.scene, &finished.outcome));
    print(&summary::run(&finished, unmet.as_deref()))
}

/// The scene with everything that the command line puts over it, checked.
fn load(name: &str, args: &RunArgs) -> Result<Loaded, Failure> {
    read(name, &settings(args)?, args.as_written())
}

/// The scene with its settings, checked; what it expects of its own run stays only when it runs as it is written.
pub fn read(name: &str, settings: &[Setting], as_written: bool) -> Result<Loaded, Failure> {
    let text = find(name)?;
    let bad = |report: toml::Report| Failure::Input(report.to_string());
    let mut loaded = toml::parse(name, &text, settings).map_err(bad)?;
    let folder = Path::new(name).parent().unwrap_or(Path::new(""));
    loaded.read_files(folder).map_err(bad)?;
    if !as_written {
        // What the scene expects of its own run is not asked of another one, which may not even have those bodies.
        loaded.scene.expect.checks.clear();
    }
    loaded.check().map_err(bad)?;
    Ok(loaded)
}

/// The text of a built-in scene or of a file.
pub fn find(name: &str) -> Result<Cow<'static, str>, Failure> {
    if let Some(text) = builtin::text(name) {
        return Ok(Cow::Borrowed(text));
    }
    let problem = match std::fs::read(name) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => return Ok(Cow::Owned(text)),
            Err(error) => format!("byte {} is not UTF-8", error.utf8_error().valid_up_to()),
        },
        Err(error) if Path::new(name).exists() => error.to_string(),
        Err(_) => {
            return Err(Failure::Input(format!(
                "error: there is no built-in scene and no file `{name}`\n  = help: {}",
                suggest(name, builtin::names())
            )));
        }
    };
    Err(Failure::Input(format!("error: {name}: {problem}\n  = help: A scene is a TOML file.")))
}

/// In the order in which they are put over the file: `--set` first, the options over them.
fn settings(args: &RunArgs) -> Result<Vec<Setting>, Failure> {
    let mut settings = set_and_solver(&args.set, args.solver.as_deref())?;
    settings.extend(length(args.steps.as_deref(), args.seconds.as_deref()));
    Ok(settings)
}

/// What `--steps` and `--seconds` put over a scene.
pub fn length(steps: Option<&str>, seconds: Option<&str>) -> impl Iterator<Item = Setting> {
    let steps = steps.map(|steps| Setting::value_option("--steps", "world.steps", steps));
    let seconds = seconds.map(|seconds| Setting::value_option("--seconds", "world.seconds", seconds));
    steps.into_iter().chain(seconds)
}

/// What `--set` and `--solver` put over a scene.
pub fn set_and_solver(set: &[String], solver: Option<&str>) -> Result<Vec<Setting>, Failure> {
    let mut settings = Vec::new();
    for argument in set {
        let setting = Setting::set(argument)
            .map_err(|e| Failure::Input(format!("error: {}\n  = help: {}", e.problem, e.remedy)))?;
        settings.push(setting);
    }
    if let Some(name) = solver {
        settings.push(Setting::text_option("--solver", "world.solver", name));
    }
    Ok(settings)
}

fn create(path: &Path) -> Result<Writer<File>, Failure> {
    let bad = |problem: String, remedy: &str| {
        Failure::Input(format!("error: --out {}: {problem}\n  = help: {remedy}", path.display()))
    };
    let Some(format) = Format::of(path) else {
        let known: Vec<&str> = Format::ENDINGS.iter().map(|(ending, _)| *ending).collect();
        let remedy = format!("The name must end in one of .{}.", known.join(", ."));
        return Err(bad("there is no such format".to_owned(), &remedy));
    };
    Writer::create(path, format)
        .map_err(|error| bad(error.to_string(), "Name a file in a folder that exists and can be written."))
}

/// Steps to the end; returns the seconds that the steps took.
fn advance(
    simulation: &mut Simulation,
    steps: u64,
    mut out: Option<&mut Writer<File>>,
) -> Result<f64, Failure> {
    let bar = progress::bar(steps, progress::STEPS);
    let mut stepping = Duration::ZERO;
    let mut shown = Instant::now();
    record(simulation, &mut out, false)?;
    for step in 1..=steps {
        let start = Instant::now();
        simulation.step();
        let end = Instant::now();
        stepping += end - start;
        if end - shown > Duration::from_millis(50) {
            bar.set_position(step);
            shown = end;
        }
        record(simulation, &mut out, step == steps)?;
    }
    if steps == 0 {
        record_rest(&mut out)?;
    }
    bar.finish_and_clear();
    Ok(stepping.as_secs_f64())
}

fn record(simulation: &Simulation, out: &mut Option<&mut Writer<File>>, last: bool) -> Result<(), Failure> {
    let Some(writer) = out else { return Ok(()) };
    writer.step(simulation.rows()).map_err(|error| full(writer, &error))?;
    if last { record_rest(out) } else { Ok(()) }
}

fn record_rest(out: &mut Option<&mut Writer<File>>) -> Result<(), Failure> {
    let Some(writer) = out else { return Ok(()) };
    writer.flush().map_err(|error| full(writer, &error))
}

fn full(writer: &Writer<File>, error: &std::io::Error) -> Failure {
    let written = match writer.written() {
        Some(step) => format!("the file is good up to step {step}"),
        None => "nothing was written".to_owned(),
    };
    Failure::Trouble(format!("error: --out: {error}; {written}"))
}
