//! The run.

use super::finished::{Finished, hash};
use super::puppet::Puppet;
use super::settings::{self, SOLVER, set_to};
use super::{CG, NEWTON, readings, saved};
use crate::args::RunArgs;
use crate::checkpoint::{Checkpoint, Hashes};
use crate::interrupt::Interrupt;
use crate::record::Record;
use crate::robot::{self, Controls, Robot, Start};
use crate::table::short;
use crate::{Failure, print, progress};
use huygens::contact::convex::Method;
use huygens_formats::mjcf::Fault;
use huygens_formats::mjcf::mech::MechanismState;
use huygens_formats::mjcf::soft::SoftMachine;
use huygens_formats::trajectory::Writer;
use std::path::Path;
use std::time::{Duration, Instant};

/// Share of the largest kinetic energy above which energy that contacts created is said.
const CREATED: f64 = 1e-6;

/// Files, picture and hashes that follow a robot's run step by step.
struct OnTheWay {
    out: Option<Record>,
    picture: Option<Puppet>,
    checkpoint: Option<Checkpoint>,
    hashes: Option<Hashes>,
}

impl OnTheWay {
    fn new(args: &RunArgs, soft: &SoftMachine, state: &MechanismState, steps: u64) -> Result<Self, Failure> {
        if args.every.is_some() && args.out.is_none() && args.checkpoint.is_none() {
            let remedy = "Add --out FILE or --checkpoint FILE, or leave --every out.";
            return Err(Failure::Input(format!(
                "error: --every: there is no file to write\n  = help: {remedy}"
            )));
        }
        let record = |path: &Path| {
            let make = |frames| Writer::create_for_mechanism(path, soft, &readings(soft, state), frames);
            Record::with(path, args, steps, make)
        };
        Ok(Self {
            checkpoint: args.checkpoint.as_deref().map(|path| Checkpoint::create(path, args)).transpose()?,
            picture: Puppet::asked(args, soft, state, steps)?,
            out: args.out.as_deref().map(record).transpose()?,
            hashes: args.hash_every.map(Hashes::new),
        })
    }

    /// At the start, and after every step.
    fn step(&mut self, steps: u64, soft: &mut SoftMachine, state: &MechanismState) -> Result<(), Failure> {
        let recorded = self.out.as_mut().filter(|out| out.is_due(steps));
        let saved = self.checkpoint.as_ref().filter(|checkpoint| checkpoint.is_due(steps));
        if recorded.is_some() || saved.is_some() {
            soft.look(state);
        }
        if let Some(hashes) = &mut self.hashes {
            hashes.note(steps, || hash(state, soft));
        }
        if let Some(checkpoint) = saved {
            checkpoint.save(&saved::save(steps, state, soft))?;
        }
        if let Some(out) = recorded {
            out.add(|writer| writer.record_mechanism(soft, &readings(soft, state), steps))?;
        }
        self.picture.as_mut().map_or(Ok(()), |picture| picture.step(steps, soft, state))
    }

    /// After the last step, when the state was looked at.
    fn finish(&mut self, steps: u64, soft: &SoftMachine, state: &MechanismState) -> Result<(), Failure> {
        let save = |checkpoint: &Checkpoint| checkpoint.save(&saved::save(steps, state, soft));
        self.checkpoint.as_ref().map_or(Ok(()), save)?;
        self.out.as_mut().map_or(Ok(()), Record::finish)?;
        self.picture.as_mut().map_or(Ok(()), |picture| picture.finish(soft, state))
    }
}

/// Runs the mechanism.
pub fn run(args: &RunArgs) -> Result<(), Failure> {
    let name = args.scene.name();
    let start = Start { state: args.state.clone(), keyframe: args.keyframe.clone() };
    let change = |options: &mut _| settings::apply(&args.scene.set, options);
    let Robot { model, machine, mut state, left_out } = robot::read_with(Path::new(name), &start, change)?;
    let bad = |fault: Fault| Failure::Input(fault.to_string());
    let mut soft = SoftMachine::new(&model, machine).map_err(bad)?;
    match args.solver.as_deref().or_else(|| set_to(args, SOLVER)) {
        Some(CG) => soft.soft.solver.method = Method::Cg,
        Some(NEWTON) => soft.soft.solver.method = Method::Newton,
        _ => {}
    }
    let steps = settings::length(args, model.options.timestep)?;
    let controls =
        args.ctrl.as_deref().map(|path| Controls::read(path, &model.control_names())).transpose()?;
    let first = match &args.resume {
        Some(path) => saved::resume(path, &mut state, &mut soft)?,
        None => 0,
    };
    soft.look(&state);
    let mut on_the_way = OnTheWay::new(args, &soft, &state, steps)?;
    for warning in &model.warnings {
        eprintln!("{}\n", warning.as_warning());
    }
    left_out.iter().for_each(|line| eprintln!("warning: left aside: {line}"));
    if let Some(rows) = controls.as_ref().map(Controls::rows).filter(|rows| (*rows as u64) < steps) {
        eprintln!("note: --ctrl has {rows} rows for {steps} steps: the last one holds");
    }
    let advanced = advance(&mut soft, &mut state, &mut on_the_way, controls.as_ref(), first, steps);
    let Advance { done, stepping, mut trouble } = advanced;
    soft.look(&state);
    trouble = trouble.or(on_the_way.finish(done, &soft, &state).err());
    if soft.book.created() > CREATED * soft.book.most_kinetic {
        eprintln!(
            "warning: the soft contacts created {} J; a smaller timestep or a larger time constant in solref creates less",
            short(soft.book.created())
        );
    }
    let finished = Finished {
        name,
        model: &model,
        soft: &soft,
        state: &state,
        steps: done,
        wall_seconds: stepping.as_secs_f64(),
        hashes: on_the_way.hashes.map(|hashes| hashes.list),
    };
    print(&if args.json { finished.json() + "\n" } else { finished.page() })?;
    if let Some(trouble) = trouble {
        return Err(trouble);
    }
    if done < steps {
        let file = on_the_way.out.map_or(String::new(), |out| format!("; {}", out.tell()));
        return Err(Failure::Stopped(format!("stopped after step {done} of {steps}{file}")));
    }
    Ok(())
}

/// How stepping went.
struct Advance {
    /// Steps that were taken, those before a checkpoint among them.
    done: u64,
    stepping: Duration,
    trouble: Option<Failure>,
}

/// Steps to the end, or until Ctrl-C, or until an output takes no more.
fn advance(
    soft: &mut SoftMachine,
    state: &mut MechanismState,
    on_the_way: &mut OnTheWay,
    controls: Option<&Controls>,
    first: u64,
    steps: u64,
) -> Advance {
    let interrupt = Interrupt::listen();
    let bar = progress::bar(steps, progress::STEPS);
    let mut stepping = Duration::ZERO;
    let mut done = first;
    let mut trouble = on_the_way.step(done, soft, state).err();
    while trouble.is_none() && done < steps && !interrupt.is_asked() {
        if let Some(controls) = controls {
            controls.put(done, &mut state.ctrl);
        }
        let before = state.clone();
        let began = Instant::now();
        let moved = soft.step(state) && finite(state);
        stepping += began.elapsed();
        if !moved {
            let remedy = "A smaller timestep may help.";
            let message = format!("error: step {}: a number is not finite\n  = help: {remedy}", done + 1);
            trouble = Some(Failure::Trouble(message));
            *state = before;
            break;
        }
        done += 1;
        if done.is_multiple_of(64) {
            bar.set_position(done);
        }
        trouble = on_the_way.step(done, soft, state).err();
    }
    bar.finish_and_clear();
    Advance { done, stepping, trouble }
}

fn finite(state: &MechanismState) -> bool {
    state.qpos.iter().chain(&state.qvel).all(|x| x.is_finite())
}
