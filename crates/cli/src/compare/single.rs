//! `run --report`: the page of one run, without a reference.

use super::contender::Contender;
use super::figures::{Comparison, Entry, Figures, Run};
use super::record::{Plan, Recorder};
use super::report;
use crate::adapter::Simulation;
use crate::{Failure, output};
use huygens::{Scene, World};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A page that is written after the run.
pub struct Replay {
    path: PathBuf,
    recorder: Recorder,
}

impl Replay {
    /// For a run of `scene` that begins with `start`.
    ///
    /// # Errors
    /// When the page could not be written.
    pub fn asked(path: &Path, scene: &Scene, start: &World) -> Result<Self, Failure> {
        output::check_ending("--report", path, &["html", "htm"])?;
        output::try_file("--report", path)?;
        let contenders: Vec<Contender> = Contender::of_scene(scene).into_iter().collect();
        let plan = Plan::new(scene, Duration::MAX).with_frames(report::most_frames(scene, &contenders));
        Ok(Self { path: path.to_owned(), recorder: Recorder::starting(plan, start) })
    }

    /// After each step, which took `seconds`.
    pub fn step(&mut self, world: &World, seconds: f64) {
        self.recorder.step(world, seconds, false);
    }

    /// Writes the page of a run called `name`; `source` is the text of the scene, `settings` what the command line put over it.
    ///
    /// # Errors
    /// When the file takes no more.
    pub fn write(
        self,
        name: &str,
        scene: &Scene,
        simulation: &Simulation,
        source: &str,
        settings: &[String],
    ) -> Result<(), Failure> {
        let Some(contender) = Contender::of_scene(scene) else { return Ok(()) };
        let done = simulation.world().steps();
        let all = scene.world.step_count();
        let stopped = (done < all).then(|| format!("stopped after step {done} of {all}"));
        let record = self.recorder.finish(simulation, stopped);
        let figures = Figures::of(&record, None);
        let entries = vec![Entry { contender, run: Ok(Run { record, figures }) }];
        let comparison =
            Comparison { name: name.to_owned(), scene: scene.clone(), entries, refinement: None };
        output::write("--report", &self.path, report::html(&comparison, source, settings))
    }
}
