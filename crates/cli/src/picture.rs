//! `--picture`: the scene in an image.

use crate::args::RunArgs;
use crate::{Failure, output};
use huygens::World;
use huygens_formats::picture::{self, Form, Options, View};
use std::path::PathBuf;

/// A picture that is to be drawn once.
pub struct Picture {
    path: PathBuf,
    options: Options,
    /// Drawn after this many steps.
    after: u64,
    drawn: bool,
}

impl Picture {
    /// The picture that the command line asks for, of a run of `steps` steps of `dt`; `None` for none.
    pub fn asked(args: &RunArgs, steps: u64, dt: f64) -> Result<Option<Self>, Failure> {
        let Some(path) = args.picture.clone() else { return Ok(None) };
        let known: Vec<&str> = Form::ENDINGS.iter().map(|(ending, _)| *ending).collect();
        output::check_ending("--picture", &path, &known)?;
        let mut options = Options { forces: args.forces, ..Options::default() };
        if let Some(text) = &args.size {
            (options.width, options.height) = size(text)?;
        }
        if let Some(text) = &args.view {
            options.view = View::parse(text).ok_or_else(|| {
                let names: Vec<&str> = View::NAMED.iter().map(|(name, _)| *name).collect();
                let remedy = format!("Write {} or two angles in degrees such as 40,20.", names.join(", "));
                bad(&format!("--view {text}"), "there is no such view", &remedy)
            })?;
        }
        let after = match args.at {
            None => steps,
            Some(time) => step_at(time, steps, dt)?,
        };
        output::try_file("--picture", &path)?;
        Ok(Some(Self { path, options, after, drawn: false }))
    }

    /// Draws the world as it is now, if it is its time.
    pub fn step(&mut self, world: &World) -> Result<(), Failure> {
        if world.steps() == self.after { self.draw(world) } else { Ok(()) }
    }

    /// Draws the world of a run that ended before its time, if it was not drawn yet.
    pub fn finish(&mut self, world: &World) -> Result<(), Failure> {
        if self.drawn { Ok(()) } else { self.draw(world) }
    }

    fn draw(&mut self, world: &World) -> Result<(), Failure> {
        self.drawn = true;
        picture::write(&self.path, world, &self.options)
            .map_err(|error| Failure::Trouble(format!("error: --picture {}: {error}", self.path.display())))
    }
}

fn bad(what: &str, problem: &str, remedy: &str) -> Failure {
    Failure::Input(format!("error: {what}: {problem}\n  = help: {remedy}"))
}

/// `1280x720`.
fn size(text: &str) -> Result<(u32, u32), Failure> {
    let side = |text: &str| text.trim().parse::<u32>().ok().filter(|n| (1..=Options::LARGEST).contains(n));
    let sides = text.split_once(['x', 'X', '×']).and_then(|(w, h)| Some((side(w)?, side(h)?)));
    sides.ok_or_else(|| {
        let remedy = format!("Write WIDTHxHEIGHT in pixels, at most {0}x{0}.", Options::LARGEST);
        bad(&format!("--size {text}"), "is no size", &remedy)
    })
}

/// The step that is nearest to a time of the run.
fn step_at(time: f64, steps: u64, dt: f64) -> Result<u64, Failure> {
    let end = steps as f64 * dt;
    // Half a step beyond the end is still its last step.
    if !(0.0..=end + 0.5 * dt).contains(&time) {
        let remedy = format!("The run goes from 0 to {end} s; --seconds makes it longer.");
        return Err(bad(&format!("--at {time}"), "the run is not there at that time", &remedy));
    }
    Ok(((time / dt).round() as u64).min(steps))
}
