//! `huygens run`.

use crate::adapter::{Outcome, Simulation};
use crate::args::RunArgs;
use crate::checkpoint::{self, Checkpoint, Hashes};
use crate::compare::{self, Replay};
use crate::interrupt::Interrupt;
use crate::picture::Picture;
use crate::record::Record;
use crate::robot::{self, Cast, Start};
use crate::{Failure, json, list, print, progress, robot_run, summary};
use huygens::scene::{Expect, SceneWarning, Unmet, Watch, near};
use huygens::{MechanismReport, Scene, World};
use huygens_formats::builtin;
use huygens_formats::mjcf::ScenePart;
use huygens_formats::toml::{self, Loaded, Setting};
use std::borrow::Cow;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A run that came to its end.
pub struct Finished {
    pub name: String,
    pub scene: Scene,
    /// Values of the scene that the command line replaced.
    pub settings: Vec<Setting>,
    pub outcome: Outcome,
    pub wall_seconds: f64,
    pub warnings: Vec<SceneWarning>,
    /// Unmet lines of `[expect]`; `None` when the run was not checked against them.
    pub unmet: Option<Vec<Unmet>>,
    /// Steps and hashes on the way; `None` when nobody asked.
    pub hashes: Option<Vec<(u64, u64)>>,
    /// What can be read of a robot at the end: names with their JSON; empty for a scene.
    pub robot: Vec<(&'static str, String)>,
}

pub fn run(args: &RunArgs) -> Result<(), Failure> {
    if args.list {
        return print(&if args.json { list::json() + "\n" } else { list::page() });
    }
    if robot_run::is_asked(args)? {
        return robot_run::run(args);
    }
    let name = args.scene.name();
    let settings = args.scene.settings(args.solver.as_deref())?;
    let (source, robot) = find_robot(name, args)?;
    let mut loaded = read_text(name, &source, &settings, args.as_written())?;
    let cast = cast(robot, &mut loaded, args.ctrl.as_deref())?;
    let mut simulation =
        Simulation::new(&loaded.scene).map_err(|errors| Failure::Input(loaded.report(errors).to_string()))?;
    let steps = loaded.scene.world.step_count();
    check_cast(&cast, args, steps)?;
    simulation.set_pilots(cast.pilots(simulation.world()).map_err(missing)?);
    if args.every.is_some() && args.out.is_none() && args.checkpoint.is_none() {
        let remedy = "Add --out FILE or --checkpoint FILE, or leave --every out.";
        return Err(Failure::Input(format!("error: --every: there is no file to write\n  = help: {remedy}")));
    }
    let checkpoint = args.checkpoint.as_deref().map(|path| Checkpoint::create(path, args)).transpose()?;
    let mut hashes = args.hash_every.map(Hashes::new);
    if let Some(path) = &args.resume {
        checkpoint::resume(path, simulation.world_mut())?;
    }
    let record = |path| Record::create(path, args, &loaded.scene, &simulation);
    let mut picture = Picture::asked(args, &loaded.scene, simulation.world())?;
    let mut out = args.out.as_deref().map(record).transpose()?;
    let replay = |path| Replay::asked(path, &loaded.scene, simulation.world());
    let mut replay = args.report.as_deref().map(replay).transpose()?;
    let warnings = warn(&loaded, simulation.world());
    let mut watch = Watch::new(&loaded.scene, simulation.world());
    let mut on_the_way = OnTheWay {
        watch: &mut watch,
        out: out.as_mut(),
        picture: picture.as_mut(),
        replay: replay.as_mut(),
        checkpoint: checkpoint.as_ref(),
        hashes: hashes.as_mut(),
    };
    let Advance { wall_seconds, stopped, mut trouble } = advance(&mut simulation, steps, &mut on_the_way);
    if let Some(replay) = replay {
        let settings = compare::asked(&args.scene);
        let written = replay.write(name, &loaded.scene, &simulation, &source, &settings);
        trouble = trouble.or(written.err());
    }
    let outcome = simulation.outcome();
    if outcome.quarantined > 0 {
        eprintln!(
            "warning: {} times a body was stopped because a number was not finite; a smaller `dt` may help",
            outcome.quarantined
        );
    }
    warn_of_mechanisms(&outcome, loaded.scene.world.length);
    tell_missing_threads(simulation.world());
    let whole = !stopped && trouble.is_none();
    // A resumed run did not see its first part, so the scene's expectations cannot be judged.
    let unmet =
        (args.as_written() && args.resume.is_none() && whole).then(|| watch.unmet(simulation.world()));
    let finished = Finished {
        name: name.to_owned(),
        scene: loaded.scene,
        settings,
        outcome,
        wall_seconds,
        warnings,
        unmet,
        hashes: hashes.map(|hashes| hashes.list),
        robot: simulation.readings().map_or(Vec::new(), |readings| readings.members()),
    };
    print(&if args.json { json::run(&finished) + "\n" } else { summary::run(&finished) })?;
    if let Some(trouble) = trouble {
        return Err(trouble);
    }
    if stopped {
        let file = out.map_or(String::new(), |out| format!("; {}", out.tell()));
        let done = finished.outcome.steps;
        return Err(Failure::Stopped(format!("stopped after step {done} of {steps}{file}")));
    }
    if finished.unmet.is_some_and(|unmet| !unmet.is_empty()) { Err(Failure::Found) } else { Ok(()) }
}

/// Says on standard error how far the loops, gears and rods of a run were from their solution.
fn warn_of_mechanisms(outcome: &Outcome, length: f64) {
    let MechanismReport { residual, gap, .. } = outcome.mechanisms;
    if outcome.unsolved > 0 {
        eprintln!(
            "warning: the equations of a mechanism were not solved in {} of {} steps (residual {residual:.1e}); a smaller `dt` may help",
            outcome.unsolved, outcome.steps
        );
    }
    // A part of 1e-6 is what a mechanism promises.
    if gap.is_nan() || gap > 1e-6 * length {
        eprintln!(
            "warning: loops, gears or rods are off by up to {gap:.1e} (m or rad); joints and couplings that contradict each other cannot all hold"
        );
    }
}

/// Says on standard error when the system refused to start threads: the result is the same, and took longer.
pub fn tell_missing_threads(world: &World) {
    let missing = world.missing_threads();
    if missing > 0 {
        eprintln!(
            "warning: {missing} of {} threads could not be started; the others did their work, and the result is the same",
            world.threads()
        );
    }
}

/// Says on standard error what of a scene will probably surprise; `start` is the world before its first step.
pub fn warn(loaded: &Loaded, start: &World) -> Vec<SceneWarning> {
    let warnings = loaded.scene.warnings(start);
    for warning in &warnings {
        eprintln!("{}\n", loaded.warning(warning));
    }
    warnings
}

/// Expectations, files, pictures and hashes that follow a run step by step.
struct OnTheWay<'a> {
    watch: &'a mut Watch,
    out: Option<&'a mut Record>,
    picture: Option<&'a mut Picture>,
    replay: Option<&'a mut Replay>,
    checkpoint: Option<&'a Checkpoint>,
    hashes: Option<&'a mut Hashes>,
}

impl OnTheWay<'_> {
    /// At the start, and after every step, which took `seconds`.
    fn step(&mut self, simulation: &Simulation, seconds: f64) -> Result<(), Failure> {
        let world = simulation.world();
        self.watch.look(world);
        if let Some(replay) = self.replay.as_mut().filter(|_| world.steps() > 0) {
            replay.step(world, seconds);
        }
        if let Some(hashes) = &mut self.hashes {
            hashes.step(world);
        }
        self.checkpoint.map_or(Ok(()), |checkpoint| checkpoint.step(world))?;
        self.out.as_mut().map_or(Ok(()), |out| out.step(simulation))?;
        self.picture.as_mut().map_or(Ok(()), |picture| picture.step(world))
    }

    /// After the last step.
    fn finish(&mut self, world: &World) -> Result<(), Failure> {
        self.checkpoint.map_or(Ok(()), |checkpoint| checkpoint.save(&world.snapshot()))?;
        self.out.as_mut().map_or(Ok(()), |out| out.finish())?;
        self.picture.as_mut().map_or(Ok(()), |picture| picture.finish(world))
    }
}

/// How stepping went.
struct Advance {
    /// Time that the steps took.
    wall_seconds: f64,
    /// The user ended it before the last step.
    stopped: bool,
    /// An output took no more, which ended it.
    trouble: Option<Failure>,
}

/// The scene with its settings, checked; what it expects of its own run stays only when it runs as it is written.
pub fn read(name: &str, settings: &[Setting], as_written: bool) -> Result<Loaded, Failure> {
    read_text(name, &find(name)?, settings, as_written)
}

/// The same for the text of a scene that is called `name`.
pub fn read_text(name: &str, text: &str, settings: &[Setting], as_written: bool) -> Result<Loaded, Failure> {
    let bad = |report: toml::Report| Failure::Input(report.to_string());
    let shown = if name == STANDARD_INPUT { "standard input" } else { name };
    let mut loaded = toml::parse(shown, text, settings).map_err(bad)?;
    let folder = Path::new(name).parent().unwrap_or(Path::new(""));
    loaded.read_files(folder).map_err(bad)?;
    loaded.left_aside.iter().for_each(|line| eprintln!("warning: left aside: {line}"));
    if !as_written {
        // What the scene expects of its own run is not asked of another one, which may not even have those bodies.
        loaded.scene.expect = Expect::default();
    }
    loaded.check().map_err(bad)?;
    Ok(loaded)
}

/// The name that stands for standard input.
pub const STANDARD_INPUT: &str = "-";

/// The text of a built-in scene, of a file, or of standard input.
pub fn find(name: &str) -> Result<Cow<'static, str>, Failure> {
    if robot::is_model(name) {
        return robot::scene_text(Path::new(name), &Start::default()).map(Cow::Owned);
    }
    if name == STANDARD_INPUT {
        let mut bytes = Vec::new();
        let read = std::io::stdin().lock().read_to_end(&mut bytes);
        let text = read.map_err(|error| error.to_string());
        let text = text.and_then(|_| String::from_utf8(bytes).map_err(|_| "is not UTF-8".to_owned()));
        return text.map(Cow::Owned).map_err(|problem| {
            let remedy = "Pipe a scene file in: huygens run - < scene.toml.";
            Failure::Input(format!("error: standard input: {problem}\n  = help: {remedy}"))
        });
    }
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
                unknown_scene(name)
            )));
        }
    };
    Err(Failure::Input(format!("error: {name}: {problem}\n  = help: A scene is a TOML file.")))
}

/// The text of a scene to run, and the robot that it is made of.
fn find_robot(name: &str, args: &RunArgs) -> Result<(Cow<'static, str>, Option<Arc<ScenePart>>), Failure> {
    if !robot::is_model(name) && (args.state.is_some() || args.keyframe.is_some()) {
        let help = "A TOML scene has its start in its bodies.";
        return Err(Failure::Input(format!(
            "error: --state and --keyframe are for robots (.xml, .urdf)\n  = help: {help}"
        )));
    }
    find_played(name, &Start { state: args.state.clone(), keyframe: args.keyframe.clone() })
}

/// The text of a scene, and the robot that it is made of.
pub fn find_played(
    name: &str,
    start: &Start,
) -> Result<(Cow<'static, str>, Option<Arc<ScenePart>>), Failure> {
    if robot::is_model(name) {
        let robot = robot::to_scene(Path::new(name), start)?;
        return Ok((Cow::Owned(robot.text()), Some(Arc::new(robot.part()))));
    }
    find(name).map(|text| (text, None))
}

/// The robots of a scene with their controls.
pub fn cast(
    robot: Option<Arc<ScenePart>>,
    loaded: &mut Loaded,
    ctrl: Option<&Path>,
) -> Result<Cast, Failure> {
    Cast::new(robot, std::mem::take(&mut loaded.robots), ctrl, loaded.scene.world.dt)
}

/// The error that a part of a robot is not in the scene that `--set` left.
fn missing(problem: String) -> Failure {
    Failure::Input(format!("error: --set: {problem}"))
}

fn check_cast(cast: &Cast, args: &RunArgs, steps: u64) -> Result<(), Failure> {
    if cast.has_activations() && (args.checkpoint.is_some() || args.resume.is_some()) {
        let help = "Run it in one go, or use actuators without activations.";
        return Err(Failure::Input(format!(
            "error: --checkpoint and --resume keep no activations of actuators\n  = help: {help}"
        )));
    }
    if let Some(rows) = cast.rows().filter(|rows| (*rows as u64) < steps) {
        eprintln!("note: --ctrl has {rows} rows for {steps} steps: the last one holds");
    }
    Ok(())
}

/// The remedy in the message about a scene that does not exist.
fn unknown_scene(name: &str) -> String {
    match near(name, builtin::names()) {
        Some(near) => format!("Did you mean `{near}`? `huygens run --list` names the built-in scenes."),
        // A path: the file is missing, and no built-in name would help.
        None if name.contains(['/', '\\']) || name.ends_with(".toml") => {
            "Name a scene file that exists.".to_owned()
        }
        None => "Name a scene file, or a built-in scene of `huygens run --list`.".to_owned(),
    }
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

/// Steps to the end, or until Ctrl-C, or until an output takes no more.
fn advance(simulation: &mut Simulation, steps: u64, on_the_way: &mut OnTheWay) -> Advance {
    let interrupt = Interrupt::listen();
    let bar = progress::bar(steps, progress::STEPS);
    let mut stepping = Duration::ZERO;
    let mut shown = Instant::now();
    let mut written = on_the_way.step(simulation, 0.0);
    for step in simulation.world().steps() + 1..=steps {
        if written.is_err() || interrupt.is_asked() {
            break;
        }
        let start = Instant::now();
        let stepped = simulation.step_with_robots();
        let end = Instant::now();
        stepping += end - start;
        if end - shown > Duration::from_millis(50) {
            bar.set_position(step);
            shown = end;
        }
        written = stepped.and_then(|()| on_the_way.step(simulation, (end - start).as_secs_f64()));
    }
    bar.finish_and_clear();
    let trouble = written.and_then(|()| on_the_way.finish(simulation.world())).err();
    let stopped = trouble.is_none() && simulation.world().steps() < steps;
    Advance { wall_seconds: stepping.as_secs_f64(), stopped, trouble }
}
