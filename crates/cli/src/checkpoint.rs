//! `--checkpoint`, `--resume` and `--hash-every`: a run that is left and taken up again, and what proves that it is the same one.

use crate::args::RunArgs;
use crate::{Failure, output};
use huygens::World;
use std::path::{Path, PathBuf};

/// Where a run is saved.
pub struct Checkpoint {
    path: PathBuf,
    /// After how many steps each time; only at the end without a number.
    every: Option<u64>,
}

impl Checkpoint {
    /// The file, tried before the run.
    pub fn create(path: &Path, args: &RunArgs) -> Result<Self, Failure> {
        output::try_file("--checkpoint", path)?;
        Ok(Self { path: path.to_owned(), every: args.every })
    }

    /// True when it is its turn after so many steps.
    pub fn is_due(&self, steps: u64) -> bool {
        self.every.is_some_and(|every| steps > 0 && steps.is_multiple_of(every))
    }

    /// Saves the world, if it is its turn.
    pub fn step(&self, world: &World) -> Result<(), Failure> {
        if self.is_due(world.steps()) { self.save(&world.snapshot()) } else { Ok(()) }
    }

    /// Saves a run. A file that is there already is replaced as a whole: whoever reads it finds a checkpoint.
    pub fn save(&self, run: &[u8]) -> Result<(), Failure> {
        let mut name = self.path.as_os_str().to_owned();
        name.push(".new");
        let new = PathBuf::from(name);
        output::write("--checkpoint", &new, run)?;
        std::fs::rename(&new, &self.path).map_err(|error| {
            Failure::Trouble(format!("error: --checkpoint {}: {error}", self.path.display()))
        })
    }
}

/// Takes a world to where a checkpoint has it.
pub fn resume(path: &Path, world: &mut World) -> Result<(), Failure> {
    let bad = |problem: String, remedy: &str| {
        Failure::Input(format!("error: --resume {}: {problem}\n  = help: {remedy}", path.display()))
    };
    let bytes = std::fs::read(path)
        .map_err(|error| bad(error.to_string(), "Name a file that `huygens run --checkpoint` wrote."))?;
    world.restore(&bytes).map_err(|error| {
        let remedy = "Name the scene and the settings that the checkpoint was made with; the length of the run may differ.";
        bad(error.to_string(), remedy)
    })
}

/// Hashes of a world on its way.
pub struct Hashes {
    every: u64,
    /// Steps taken, and the hash then.
    pub list: Vec<(u64, u64)>,
}

impl Hashes {
    pub fn new(every: u64) -> Self {
        Self { every, list: Vec::new() }
    }

    /// Notes the hash, if it is its turn.
    pub fn step(&mut self, world: &World) {
        self.note(world.steps(), || world.hash());
    }

    /// Notes a hash after so many steps, if it is its turn.
    pub fn note(&mut self, steps: u64, hash: impl FnOnce() -> u64) {
        if steps.is_multiple_of(self.every) {
            self.list.push((steps, hash()));
        }
    }
}
