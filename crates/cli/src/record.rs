//! `--out`: the motion of a run in a file.

use crate::Failure;
use crate::adapter::Simulation;
use crate::args::RunArgs;
use huygens::Scene;
use huygens_formats::trajectory::{Format, Writer};
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
        let steps = scene.world.step_count();
        let bad = |problem: String, remedy: &str| {
            Failure::Input(format!("error: --out {}: {problem}\n  = help: {remedy}", path.display()))
        };
        if Format::of(path).is_none() {
            let known: Vec<&str> = Format::ENDINGS.iter().map(|(ending, _)| *ending).collect();
            let remedy = format!("The name must end in one of .{}.", known.join(", ."));
            return Err(bad("there is no such format".to_owned(), &remedy));
        }
        let every = args.every.unwrap_or(1);
        let frames = steps / every + 1;
        let made = match simulation.readings() {
            Some(readings) => Writer::create_for_robot(path, scene, world, &readings, frames),
            None => Writer::create_for(path, scene, world, frames),
        };
        let writer = made.map_err(|error| {
            bad(error.to_string(), "Name a file in a folder that exists, can be written and has room.")
        })?;
        Ok(Self { path: path.to_owned(), every, writer })
    }

    /// Writes the world as it is now, if it is its turn.
    pub fn step(&mut self, simulation: &Simulation) -> Result<(), Failure> {
        let world = simulation.world();
        if !world.steps().is_multiple_of(self.every) {
            return Ok(());
        }
        let written = match simulation.readings() {
            Some(readings) => self.writer.record_robot(world, &readings),
            None => self.writer.record(world),
        };
        written.map_err(|error| self.failed(&error))
    }

    /// Writes what is waiting.
    pub fn finish(&mut self) -> Result<(), Failure> {
        self.writer.flush().map_err(|error| self.failed(&error))
    }

    /// What is in the file.
    pub fn tell(&self) -> String {
        format!("{} is whole: {}", self.path.display(), self.writer.written())
    }

    fn failed(&self, error: &std::io::Error) -> Failure {
        Failure::Trouble(format!("error: --out {}: {error}; {}", self.path.display(), self.writer.written()))
    }
}
