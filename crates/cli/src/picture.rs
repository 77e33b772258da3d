//! `--picture`: the scene in an image.

use crate::args::RunArgs;
use crate::{Failure, output};
use huygens::MotionKind;
use huygens::math::Vec3;
use huygens::scene::suggest;
use huygens::{Scene, World};
use huygens_render::{Form, Look, Options, Trail, View};
use std::path::PathBuf;

/// A picture that is to be drawn once.
pub struct Picture {
    path: PathBuf,
    options: Options,
    /// Drawn after this many steps.
    after: u64,
    drawn: bool,
    /// Whether to keep where bodies have been, and every how many steps.
    trails: Option<u64>,
}

/// Most points of a trail, and most bodies with one.
const MOST_POINTS: u64 = 400;
const MOST_TRAILS: usize = 60;

impl Picture {
    /// The picture that the command line asks for, of a run of `scene` that begins with `start`; `None` for none.
    pub fn asked(args: &RunArgs, scene: &Scene, start: &World) -> Result<Option<Self>, Failure> {
        Self::of_run(args, scene, start, scene.world.step_count(), scene.world.dt)
    }

    /// The same for a run of another length than the scene says.
    pub fn of_run(
        args: &RunArgs,
        scene: &Scene,
        start: &World,
        steps: u64,
        dt: f64,
    ) -> Result<Option<Self>, Failure> {
        let Some(path) = args.picture.clone() else { return Ok(None) };
        let known: Vec<&str> = Form::ENDINGS.iter().map(|(ending, _)| *ending).collect();
        output::check_ending("--picture", &path, &known)?;
        let hide = args.hide.clone();
        let look = Look::of(scene, start);
        let mut options = Options { forces: args.forces, hide, look, ..Options::default() };
        for (option, name) in args
            .hide
            .iter()
            .map(|name| ("--hide", name))
            .chain(args.follow.iter().map(|name| ("--follow", name)))
        {
            check_body(option, name, start)?;
        }
        options.follow.clone_from(&args.follow);
        options.look_at = args.look_at.as_deref().map(point).transpose()?;
        options.zoom = zoom(args.zoom)?;
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
        let trails = args.trails.then_some(after.div_ceil(MOST_POINTS).max(1));
        Ok(Some(Self { path, options, after, drawn: false, trails }))
    }

    /// Draws the world as it is now, if it is its time.
    pub fn step(&mut self, world: &World) -> Result<(), Failure> {
        self.step_at(world.steps(), world)
    }

    /// True when the world is looked at after so many steps.
    pub fn is_due(&self, steps: u64) -> bool {
        !self.drawn && (steps == self.after || self.trails.is_some_and(|every| steps.is_multiple_of(every)))
    }

    /// Takes colours and joints from a world that stands for a run: its bodies may have other frames than at the start.
    pub fn look_anew(&mut self, scene: &Scene, world: &World) {
        self.options.look = Look::of(scene, world);
    }

    /// Draws a world that stands for a run after so many steps, if it is its time.
    pub fn step_at(&mut self, steps: u64, world: &World) -> Result<(), Failure> {
        if self.trails.is_some_and(|every| steps.is_multiple_of(every)) && !self.drawn {
            self.follow_bodies(world);
        }
        if steps == self.after { self.draw(world) } else { Ok(()) }
    }

    /// Adds where the bodies that can move are now to their trails.
    fn follow_bodies(&mut self, world: &World) {
        let moving = world.bodies().filter(|body| body.motion != MotionKind::Static);
        for (i, body) in moving.take(MOST_TRAILS).enumerate() {
            if self.options.trails.len() <= i {
                self.options.trails.push(Trail { body: body.name.to_owned(), points: Vec::new() });
            }
            self.options.trails[i].points.push(body.position);
        }
    }

    /// Draws the world of a run that ended before its time, if it was not drawn yet.
    pub fn finish(&mut self, world: &World) -> Result<(), Failure> {
        if self.drawn { Ok(()) } else { self.draw(world) }
    }

    fn draw(&mut self, world: &World) -> Result<(), Failure> {
        self.drawn = true;
        huygens_render::write(&self.path, world, &self.options)
            .map_err(|error| Failure::Trouble(format!("error: --picture {}: {error}", self.path.display())))
    }
}

fn bad(what: &str, problem: &str, remedy: &str) -> Failure {
    Failure::Input(format!("error: {what}: {problem}\n  = help: {remedy}"))
}

/// There is a body, or a pattern of bodies, of that name.
fn check_body(option: &str, name: &str, world: &World) -> Result<(), Failure> {
    let base =
        |name: &str| name.rsplit_once('[').map_or_else(|| name.to_owned(), |(base, _)| base.to_owned());
    if world.bodies().any(|body| body.name == name || (option == "--hide" && base(body.name) == name)) {
        return Ok(());
    }
    let names: Vec<&str> = world.bodies().map(|body| body.name).collect();
    Err(bad(&format!("{option} {name}"), "there is no such body", &suggest(name, names)))
}

/// `X,Y,Z`.
fn point(text: &str) -> Result<Vec3, Failure> {
    let numbers: Option<Vec<f64>> =
        text.split(',').map(|part| part.trim().parse().ok().filter(|x: &f64| x.is_finite())).collect();
    match numbers.as_deref() {
        Some([x, y, z]) => Ok(Vec3::new(*x, *y, *z)),
        _ => Err(bad(&format!("--look-at {text}"), "is no point", "Write X,Y,Z in metres, such as 0,0,1.5.")),
    }
}

fn zoom(factor: Option<f64>) -> Result<f64, Failure> {
    let factor = factor.unwrap_or(1.0);
    if (0.01..=1000.0).contains(&factor) {
        return Ok(factor);
    }
    Err(bad(
        &format!("--zoom {factor}"),
        "is no factor",
        "Give it a number from 0.01 to 1000; 2 is twice as large.",
    ))
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
