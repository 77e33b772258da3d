//! `huygens run` of a robot with `contacts = "mujoco"`: the mechanism itself is stepped, in MuJoCo's pipeline. The default of MJCF files.

use crate::args::RunArgs;
use crate::interrupt::Interrupt;
use crate::robot::{self, Controls, Robot, Start};
use crate::table::{duration, power, short};
use crate::{Failure, json, print, progress};
use huygens::Fnv;
use huygens::contact::convex::Method;
use huygens_formats::json::{Object, number};
use huygens_formats::mjcf::mech::{MechanismState, sense};
use huygens_formats::mjcf::model::JointKind;
use huygens_formats::mjcf::soft::{ACCOUNTS, SoftMachine};
use huygens_formats::mjcf::{Fault, Model, Readings};
use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

/// Names of the convex models.
const NEWTON: &str = "convex/newton";
const CG: &str = "convex/cg";

/// Keys of `[world]` that choose how a robot runs.
const CONTACTS: &str = "world.contacts";
const SOLVER: &str = "world.solver";

/// Steps of a run that states no length, as in a scene.
const DEFAULT_STEPS: u64 = 1000;

/// Share of the largest kinetic energy above which energy that contacts created is said.
const CREATED: f64 = 1e-6;

/// The last value that `--set` gives a key of `[world]`.
fn set_to<'a>(args: &'a RunArgs, key: &str) -> Option<&'a str> {
    let value = |set: &'a String| {
        let (path, value) = set.split_once('=')?;
        (path.trim() == key).then(|| value.trim().trim_matches('"'))
    };
    args.scene.set.iter().rev().find_map(value)
}

/// True when a run is that of a mechanism: an MJCF file unless another model is asked for, or another robot with a convex model that is; but not with
/// the engine's own contacts.
///
/// # Errors
/// With an option that only a scene has, where MuJoCo's pipeline is asked for by name; where it is the default, the run is that of a scene, and
/// standard error says so.
pub fn is_asked(args: &RunArgs) -> Result<bool, Failure> {
    let name = args.scene.name();
    if !robot::is_model(name) {
        return Ok(false);
    }
    let contacts = set_to(args, CONTACTS);
    let solver = args.solver.as_deref().or_else(|| set_to(args, SOLVER));
    let convex = solver.map_or(robot::is_mjcf(name), |solver| solver == NEWTON || solver == CG);
    if !convex && contacts == Some("mujoco") {
        return Err(Failure::Input(format!(
            "error: --set {CONTACTS}=mujoco: MuJoCo's pipeline has a convex model, and {} is none\n  = help: Use --solver {NEWTON}, or leave it out.",
            solver.unwrap_or("soft-step")
        )));
    }
    if !convex || contacts == Some("huygens") {
        return Ok(false);
    }
    let is_other = |set: &String| ![CONTACTS, SOLVER].contains(&set.split('=').next().unwrap_or("").trim());
    let scene_only = [
        ("--set", args.scene.set.iter().any(is_other)),
        ("--out", args.out.is_some()),
        ("--picture", args.picture.is_some()),
        ("--report", args.report.is_some()),
        ("--checkpoint", args.checkpoint.is_some()),
        ("--resume", args.resume.is_some()),
        ("--hash-every", args.hash_every.is_some()),
        ("--every", args.every.is_some()),
    ];
    match scene_only.into_iter().find(|(_, used)| *used) {
        Some((option, _)) if contacts == Some("mujoco") => Err(Failure::Input(format!(
            "error: {option} is not there yet for a robot that MuJoCo's pipeline runs\n  = help: Leave out --set {CONTACTS}=mujoco: the engine's own stages then run the convex model of the file."
        ))),
        Some((option, _)) => {
            eprintln!(
                "note: {option} needs a scene: the convex model runs in the engine's own stages, with its own contacts ({CONTACTS} = \"huygens\"), and not in MuJoCo's pipeline"
            );
            Ok(false)
        }
        None => Ok(true),
    }
}

/// Runs the mechanism.
pub fn run(args: &RunArgs) -> Result<(), Failure> {
    let name = args.scene.name();
    let start = Start { state: args.state.clone(), keyframe: args.keyframe.clone() };
    let Robot { model, machine, mut state, left_out } = robot::read(Path::new(name), &start)?;
    let bad = |fault: Fault| Failure::Input(fault.to_string());
    let mut soft = SoftMachine::new(&model, machine).map_err(bad)?;
    match args.solver.as_deref().or_else(|| set_to(args, SOLVER)) {
        Some(CG) => soft.soft.solver.method = Method::Cg,
        Some(NEWTON) => soft.soft.solver.method = Method::Newton,
        _ => {}
    }
    let steps = length(args, model.options.timestep)?;
    let controls = args.ctrl.as_deref().map(|path| Controls::read(path, &model)).transpose()?;
    for warning in &model.warnings {
        eprintln!("{}\n", warning.as_warning());
    }
    left_out.iter().for_each(|line| eprintln!("warning: left aside: {line}"));
    let interrupt = Interrupt::listen();
    let bar = progress::bar(steps, progress::STEPS);
    let began = Instant::now();
    let mut done = 0;
    let mut before = state.clone();
    while done < steps && !interrupt.is_asked() {
        if let Some(controls) = &controls {
            controls.put(done, &mut state.ctrl);
        }
        before.clone_from(&state);
        if !soft.step(&mut state) || !finite(&state) {
            let remedy = "A smaller timestep may help.";
            let message = format!("error: step {}: a number is not finite\n  = help: {remedy}", done + 1);
            return Err(Failure::Trouble(message));
        }
        done += 1;
        if done % 64 == 0 {
            bar.set_position(done);
        }
    }
    bar.finish_and_clear();
    let wall_seconds = began.elapsed().as_secs_f64();
    if steps == 0 {
        soft.evaluate(&state, None);
    }
    // As in MuJoCo, sensors belong to the state at which the last step began.
    let mechanism = &soft.machine.mechanism;
    let sensors = sense(mechanism, &before, &soft.forward, &soft.forward.qacc, &soft.machine.sensors);
    soft.finish(&state);
    if soft.book.created() > CREATED * soft.book.most_kinetic {
        eprintln!(
            "warning: the soft contacts created {} J; a smaller timestep or a larger time constant in solref creates less",
            short(soft.book.created())
        );
    }
    let finished =
        Finished { name, model: &model, soft: &soft, state: &state, sensors, steps: done, wall_seconds };
    print(&if args.json { finished.json() + "\n" } else { finished.page() })?;
    if done < steps {
        return Err(Failure::Stopped(format!("stopped after step {done} of {steps}")));
    }
    Ok(())
}

fn finite(state: &MechanismState) -> bool {
    state.qpos.iter().chain(&state.qvel).all(|x| x.is_finite())
}

fn length(args: &RunArgs, dt: f64) -> Result<u64, Failure> {
    if let Some(word) = &args.scene.steps {
        let bad = || Failure::Input(format!("error: --steps is {word}; must be a whole number from 0 on"));
        return word.parse().map_err(|_| bad());
    }
    if let Some(word) = &args.scene.seconds {
        let seconds: Option<f64> = word.parse().ok().filter(|s: &f64| *s >= 0.0 && s.is_finite());
        let bad = || Failure::Input(format!("error: --seconds is {word}; must be a number from 0 on"));
        return seconds.map(|s| huygens::scene::Duration::Seconds(s).steps(dt)).ok_or_else(bad);
    }
    Ok(DEFAULT_STEPS)
}

/// A run that came to its end.
struct Finished<'a> {
    name: &'a str,
    model: &'a Model,
    soft: &'a SoftMachine,
    state: &'a MechanismState,
    sensors: Vec<Vec<f64>>,
    steps: u64,
    wall_seconds: f64,
}

fn list(values: &[f64]) -> String {
    format!("[{}]", values.iter().map(|x| number(*x)).collect::<Vec<_>>().join(","))
}

impl Finished<'_> {
    fn solver(&self) -> &'static str {
        match self.soft.soft.solver.method {
            Method::Newton => NEWTON,
            Method::Cg => CG,
        }
    }

    fn hash(&self) -> u64 {
        let mut hash = Fnv::default();
        let numbers = self.state.qpos.iter().chain(&self.state.qvel).chain(&self.state.act);
        numbers.chain(&self.soft.work.warm).for_each(|x| hash.number(*x));
        hash.number(self.state.time);
        hash.value()
    }

    fn ledger(&self) -> Vec<(&'static str, f64)> {
        let book = &self.soft.book;
        let mut list: Vec<_> = ACCOUNTS.into_iter().zip(book.accounts).collect();
        list.push(("unexplained", book.unexplained));
        list.push(("worst_step_unexplained", book.worst_step_unexplained));
        list
    }

    fn json(&self) -> String {
        let (soft, state, model) = (self.soft, self.state, self.model);
        let book = &soft.book;
        let mut o = Object::default();
        o.text("scene", self.name).text("solver", self.solver()).number("dt", model.options.timestep);
        o.integer("steps", self.steps).number("time", state.time).number("wall_seconds", self.wall_seconds);
        let mut energy = Object::default();
        energy.number("start", book.start.total()).number("end", book.end.total());
        o.raw("energy", &energy.finish());
        o.raw("ledger", &json::named(&self.ledger()));
        o.number("created", book.created());
        o.list("bodies", self.bodies());
        o.list("joints", self.joints());
        o.raw("drivers", "[]");
        let mut contacts = Object::default();
        let deepest =
            soft.contacts.iter().fold(0.0, |most: f64, c| if -c.dist > most { -c.dist } else { most });
        contacts.integer("count", soft.contacts.len() as u64);
        contacts.number("max_penetration", soft.max_penetration).number("max_penetration_end", deepest);
        o.raw("contacts", &contacts.finish());
        for (name, value) in (Readings { model, state, sensors: &self.sensors }).members() {
            o.raw(name, &value);
        }
        o.raw("qacc", &list(&soft.forward.qacc));
        if let Some(report) = soft.report {
            let mut convex = Object::default();
            convex.integer("iterations", u64::from(report.iterations)).number("gradient", report.gradient);
            convex.integer("rows", soft.work.rows.len() as u64);
            o.raw("convex", &convex.finish());
        }
        o.text("hash", &format!("{:016x}", self.hash()));
        o.list("warnings", model.warnings.iter().map(|w| huygens_formats::json::text(&w.as_warning())));
        o.finish()
    }

    /// Bodies that move, with the velocity of their centre of mass.
    fn bodies(&self) -> impl Iterator<Item = String> + '_ {
        let kin = &self.soft.forward.kin;
        let tree = &self.soft.machine.mechanism.tree;
        let moving = (1..self.model.bodies.len()).filter(|&link| tree.path(link).next().is_some());
        moving.map(move |link| {
            let (pose, twist) = (kin.world_from_link[link], kin.twist[link]);
            let q = pose.rotation;
            let mut o = Object::default();
            let name = &self.model.bodies[link].name;
            o.text("name", &if name.is_empty() { format!("body {link}") } else { name.clone() });
            o.numbers("position", pose.translation.to_array()).numbers("orientation", [q.w, q.x, q.y, q.z]);
            o.numbers("linear_velocity", twist.linear.to_array());
            o.numbers("angular_velocity", twist.angular.to_array());
            o.finish()
        })
    }

    fn joints(&self) -> impl Iterator<Item = String> + '_ {
        let single =
            self.model.joints.iter().filter(|j| matches!(j.kind, JointKind::Hinge | JointKind::Slide));
        single.map(|joint| {
            let mut o = Object::default();
            o.text("name", &joint.name).number("q", self.state.qpos[joint.qpos]);
            o.number("v", self.state.qvel[joint.dof]);
            o.finish()
        })
    }

    fn page(&self) -> String {
        let mut page = String::new();
        let book = &self.soft.book;
        let dt = self.model.options.timestep;
        let _ = writeln!(
            page,
            "{} · {} · {} steps of {} = {}\n",
            self.name,
            self.solver(),
            self.steps,
            duration(dt),
            duration(self.state.time)
        );
        for joint in
            self.model.joints.iter().filter(|j| matches!(j.kind, JointKind::Hinge | JointKind::Slide))
        {
            let (q, v) = (self.state.qpos[joint.qpos], self.state.qvel[joint.dof]);
            let _ = writeln!(page, "  {:<24}{:>14}{:>14}", joint.name, short(q), short(v));
        }
        let _ = writeln!(page, "\nenergy [J]\n  {:<14}{:>14}", "start", short(book.start.total()));
        for (name, x) in ACCOUNTS.into_iter().zip(book.accounts).filter(|(_, x)| *x != 0.0) {
            let _ = writeln!(page, "  {name:<14}{:>14}", short(x));
        }
        let _ = writeln!(page, "  {:<14}{:>14}", "end", short(book.end.total()));
        let (sum, worst) = (power(book.unexplained), power(book.worst_step_unexplained));
        let _ = writeln!(page, "  unexplained {sum} (worst step {worst})\n");
        let contacts = self.soft.contacts.len();
        let _ = writeln!(page, "{contacts} contacts, deepest overlap {} m", short(self.soft.max_penetration));
        let _ = writeln!(page, "hash       {:016x}", self.hash());
        page
    }
}
