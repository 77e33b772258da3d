//! `--out`: the motion of a run in a file.

use crate::Failure;
use crate::adapter::Simulation;
use crate::args::RunArgs;
use huygens::Scene;
use huygens_formats::trajectory::{Format, Writer};
use std::io;
use std::path::{Path, PathBuf};

/// The file of a run.
pub struct Record {
    path: PathBuf,
    every: u64,
    writer: Writer,
}

impl Record {
    /// Makes the file, for a run of `scene` that begins with `world`.
    pub fn create(
        path: &Path,
        args: &RunArgs,
        scene: &Scene,
        simulation: &Simulation,
    ) -> Result<Self, Failure> {
        let world = simulation.world();
        Self::with(path, args, scene.world.step_count(), |frames| match simulation.readings() {
            Some(readings) => Writer::create_for_robot(path, scene, world, &readings, frames),
            None => Writer::create_for(path, scene, world, frames),
        })
    }

    /// Makes the file of a run of so many steps with `make`, which is told how many of them are written at most.
    pub fn with(
        path: &Path,
        args: &RunArgs,
        steps: u64,
        make: impl FnOnce(u64) -> io::Result<Writer>,
    ) -> Result<Self, Failure> {
        let bad = |problem: String, remedy: &str| {
            Failure::Input(format!("error: --out {}: {problem}\n  = help: {remedy}", path.display()))
        };
        if Format::of(path).is_none() {
            let known: Vec<&str> = Format::ENDINGS.iter().map(|(ending, _)| *ending).collect();
            let remedy = format!("The name must end in one of .{}.", known.join(", ."));
            return Err(bad("there is no such format".to_owned(), &remedy));
        }
        let every = args.every.unwrap_or(1);
        let writer = make(steps / every + 1).map_err(|error| {
            bad(error.to_string(), "Name a file in a folder that exists, can be written and has room.")
        })?;
        Ok(Self { path: path.to_owned(), every, writer })
    }

    /// True when it is its turn after so many steps.
    pub fn is_due(&self, steps: u64) -> bool {
        steps.is_multiple_of(self.every)
    }

    /// Writes the world as it is now, if it is its turn.
    pub fn step(&mut self, simulation: &Simulation) -> Result<(), Failure> {
        let world = simulation.world();
        if !self.is_due(world.steps()) {
            return Ok(());
        }
        self.add(|writer| match simulation.readings() {
            Some(readings) => writer.record_robot(world, &readings),
            None => writer.record(world),
        })
    }

    /// Writes a step with `write`.
    pub fn add(&mut self, write: impl FnOnce(&mut Writer) -> io::Result<()>) -> Result<(), Failure> {
        write(&mut self.writer).map_err(|error| self.failed(&error))
    }

    /// Writes what is waiting.
    pub fn finish(&mut self) -> Result<(), Failure> {
        self.writer.flush().map_err(|error| self.failed(&error))
    }

    /// What is in the file.
    pub fn tell(&self) -> String {
        format!("{} is whole: {}", self.path.display(), self.writer.written())
    }

    fn failed(&self, error: &io::Error) -> Failure {
        Failure::Trouble(format!("error: --out {}: {error}; {}", self.path.display(), self.writer.written()))
    }
}
