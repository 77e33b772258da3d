//! The command: every combination is checked, then run on all cores, and its row written as it ends.

use super::args::SweepArgs;
use super::grid::Grid;
use super::row::{self, Job};
use super::table::{Old, Table};
use crate::interrupt::Interrupt;
use crate::robot::Start;
use crate::table::duration;
use crate::{Failure, output, print, progress, run};
use huygens_formats::mjcf::ScenePart;
use huygens_formats::toml::Setting;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// Tail of the bar.
const RUNS: &str = "{pos}/{len} runs, {eta} left";

/// `huygens sweep`.
pub fn sweep(args: &SweepArgs) -> Result<(), Failure> {
    let grid = Grid::of(&args.set)?;
    output::check_ending("--out", &args.out, &["csv"])?;
    let (text, robot) = run::find_played(&args.scene, &Start::default())?;
    let columns = row::columns(&grid);
    // All are looked at before the first is run: the last of a night's runs must not be the one with the slip of the pen.
    let jobs = (0..grid.len())
        .map(|number| job(args, &grid, &text, robot.clone(), number))
        .collect::<Result<Vec<_>, _>>()?;
    let (table, old) = if args.resume {
        Table::resume(&args.out, &columns, &grid)?
    } else {
        (Table::create(&args.out, &columns)?, Vec::new())
    };
    check_same(args, &jobs, &old)?;
    let todo: Vec<Job> =
        jobs.into_iter().filter(|job| !old.iter().any(|old| old.number == job.number)).collect();
    let begun = Instant::now();
    let interrupt = Interrupt::listen();
    let mut table = run_all(&todo, &grid, args, table, &interrupt)?;
    let (rows, all) = (table.len(), grid.len());
    let file = args.out.display();
    if rows < all {
        let how = "--resume goes on with the others";
        return Err(Failure::Stopped(format!("stopped: {rows} of {all} rows are in {file}; {how}")));
    }
    table.finish()?;
    let sides: Vec<String> = grid.sides.iter().map(|side| side.values.len().to_string()).collect();
    let time = duration(begun.elapsed().as_secs_f64());
    print(&format!(
        "{file}: {rows} rows ({} values), {} of them new, in {time}\n",
        sides.join(" × "),
        todo.len()
    ))
}

/// The scene of one combination.
fn job(
    args: &SweepArgs,
    grid: &Grid,
    text: &str,
    robot: Option<Arc<ScenePart>>,
    number: usize,
) -> Result<Job, Failure> {
    let set = grid.settings(number);
    let mut settings = run::set_and_solver(&set, None)?;
    let option = |name, path| move |value: &String| Setting::value_option(name, path, value);
    settings.extend(args.steps.as_ref().map(option("--steps", "world.steps")));
    settings.extend(args.seconds.as_ref().map(option("--seconds", "world.seconds")));
    // What the scene expects may name bodies that this combination has not: then nothing is expected.
    let (mut loaded, expects) = match run::read_text(&args.scene, text, &settings, true) {
        Ok(loaded) => (loaded, true),
        Err(_) => (run::read_text(&args.scene, text, &settings, false)?, false),
    };
    let expects = expects && !loaded.scene.expect.is_empty();
    let cast = run::cast(robot, &mut loaded, args.ctrl.as_deref())?;
    Ok(Job { number, scene: loaded.scene, cast, expects, input: fingerprint(text, &settings) })
}

/// FNV-1a of the text and of what is put over it.
fn fingerprint(text: &str, settings: &[Setting]) -> u64 {
    let settings = settings.iter().map(|setting| format!("\n{}={}", setting.path(), setting.value()));
    let all = text.to_owned() + &settings.collect::<String>();
    all.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// The rows that are there came from this scene.
fn check_same(args: &SweepArgs, jobs: &[Job], old: &[Old]) -> Result<(), Failure> {
    let changed =
        |old: &&Old| jobs.get(old.number).is_none_or(|job| format!("{:016x}", job.input) != old.input);
    match old.iter().find(changed) {
        Some(old) => Err(Failure::Input(format!(
            "error: --resume: the scene has changed since row {} of {} was made\n  = help: Name another file, or remove that one.",
            old.number + 1,
            args.out.display()
        ))),
        None => Ok(()),
    }
}

/// Runs on all cores; gives the table back with what was done.
fn run_all(
    jobs: &[Job],
    grid: &Grid,
    args: &SweepArgs,
    table: Table,
    interrupt: &Interrupt,
) -> Result<Table, Failure> {
    let bar = progress::bar(jobs.len() as u64, RUNS);
    let next = AtomicUsize::new(0);
    let shared = Mutex::new((table, None::<Failure>));
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = args.threads.map_or_else(cores, usize::from).min(jobs.len());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let done = row::run(job, grid, interrupt);
                    let Ok(mut shared) = shared.lock() else { break };
                    let written = match done {
                        Ok(Some(fields)) => shared.0.add(job.number, &fields),
                        Ok(None) => break,
                        Err(why) => Err(Failure::Input(format!("error: run {}: {why}", job.number + 1))),
                    };
                    if let Err(failure) = written {
                        shared.1.get_or_insert(failure);
                    }
                    if shared.1.is_some() {
                        break;
                    }
                    bar.inc(1);
                }
            });
        }
    });
    bar.finish_and_clear();
    match shared.into_inner() {
        Ok((_, Some(failure))) => Err(failure),
        Ok((table, None)) => Ok(table),
        Err(_) => Err(Failure::Trouble(
            "error: a run panicked; the rows that are in the table are whole".to_owned(),
        )),
    }
}
