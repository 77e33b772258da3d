//! The `huygens` program.

mod adapter;
mod args;
mod bench;
mod checkpoint;
mod compare;
mod convert;
mod hunt;
mod inspect;
mod interrupt;
mod json;
mod list;
mod models;
mod output;
mod picture;
mod progress;
mod record;
mod robot;
mod robot_run;
mod run;
mod solve;
mod solvers;
mod summary;
mod sweep;
mod table;
mod verify;

use args::{Command, RunArgs, Words};
use clap::Parser;
use std::io::{self, Write};
use std::process::ExitCode;

/// Why the program ends without success.
enum Failure {
    /// The user's input cannot be used; nothing was written.
    Input(String),
    /// Something went wrong on the way.
    Trouble(String),
    /// A check did not hold: something that the scene expects, a case with a known answer, a search for faults. What was found is printed.
    Found,
    /// The user stopped it; what was done until then was told.
    Stopped(String),
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Input(text) | Self::Trouble(text) | Self::Stopped(text) => f.write_str(text),
            Self::Found => f.write_str("a check did not hold"),
        }
    }
}

/// What a shell expects of a program that Ctrl-C ended: 128 and the number of the signal.
const STOPPED: u8 = 130;

fn main() -> ExitCode {
    let words = Words::parse();
    interrupt::survive_file_limits();
    let outcome = match words.command {
        None => run::run(&RunArgs::default()),
        Some(Command::Run(args)) => run::run(&args),
        Some(Command::Compare(args)) => compare::compare(&args),
        Some(Command::Sweep(args)) => sweep::sweep(&args),
        Some(Command::Verify(args)) => verify::verify(&args),
        Some(Command::Hunt(args)) => hunt::hunt(&args),
        Some(Command::Bench(args)) => bench::bench(&args),
        Some(Command::Convert(args)) => convert::convert(&args),
        Some(Command::Inspect(args)) => inspect::inspect(&args),
        Some(Command::Solve(args)) => solve::solve(&args),
        Some(Command::Solvers(args)) => solvers::solvers(&args),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Input(message)) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
        Err(Failure::Trouble(message)) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
        Err(Failure::Found) => ExitCode::FAILURE,
        Err(Failure::Stopped(message)) => {
            eprintln!("{message}");
            ExitCode::from(STOPPED)
        }
    }
}

/// Prints to standard output; a reader that has gone away (`| head`) is no trouble.
fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::Trouble(format!("error: standard output: {error}")))
        }
        _ => Ok(()),
    }
}
