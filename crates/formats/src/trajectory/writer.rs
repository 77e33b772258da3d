//! The file of a motion.

use super::frame::{Cast, Frame};
use super::legacy::Legacy;
use super::npz::Npz;
use super::store::Folder;
use super::text::{Text, TextKind};
use super::vtk::Vtk;
use crate::mjcf::Readings;
use crate::mjcf::soft::SoftMachine;
use huygens::World;
use huygens::scene::Scene;
use std::fmt;
use std::fs::File;
use std::io;
use std::path::Path;

/// How a motion is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated values with a header: a row for each body and step.
    Csv,
    /// A JSON object on each line: one for each step.
    Jsonl,
    /// Arrays for numpy.
    Npz,
    /// Collections of grids for ParaView.
    Pvd,
    /// Legacy VTK files: surfaces alone.
    Vtk,
}

impl Format {
    /// The formats by the ending of the file's name.
    pub const ENDINGS: &'static [(&'static str, Self)] = &[
        ("csv", Self::Csv),
        ("jsonl", Self::Jsonl),
        ("npz", Self::Npz),
        ("pvd", Self::Pvd),
        ("vtk", Self::Vtk),
    ];

    /// The format that the ending of `path` names.
    pub fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        Self::ENDINGS.iter().find(|(known, _)| *known == ending).map(|(_, format)| *format)
    }
}

/// How much of a motion is safely in its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Steps, the start among them.
    pub steps: u64,
    /// Number of the last one.
    pub last: Option<u64>,
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.last {
            Some(last) => write!(f, "{} steps were written, the last is step {last}", self.steps),
            None => f.write_str("no step was written"),
        }
    }
}

/// Where frames go. After an error it holds what [`Sink::written`] says, and takes no more.
pub(super) trait Sink: fmt::Debug {
    /// Adds a frame.
    fn frame(&mut self, frame: &Frame, cast: &Cast) -> io::Result<()>;

    /// Writes what is waiting.
    fn flush(&mut self) -> io::Result<()>;

    /// What is in the file.
    fn written(&self) -> Written;
}

/// Writes the motion of a world; what is in the file is always a number of whole steps.
///
/// ```no_run
/// use huygens::World;
/// use huygens::scene::{Body, Scene};
/// use huygens_formats::trajectory::Writer;
///
/// let mut world = World::new(&Scene::new().body(Body::dynamic("ball").sphere(0.5)))?;
/// let mut writer = Writer::create("fall.npz".as_ref(), &world, 101)?;
/// writer.record(&world)?;
/// for _ in 0..100 {
///     world.step();
///     writer.record(&world)?;
/// }
/// writer.flush()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Writer {
    sink: Box<dyn Sink>,
    cast: Cast,
    frame: Frame,
}

impl Writer {
    /// Makes the file, or empties it, in the format that its ending names, for at most `frames` steps of `world`.
    ///
    /// # Errors
    /// When the ending names no format ([`io::ErrorKind::InvalidInput`]) or the file cannot be made.
    pub fn create(path: &Path, world: &World, frames: u64) -> io::Result<Self> {
        Self::with_cast(path, Cast::of(world), frames)
    }

    /// The same with the joints of the scene that `world` was made of and has not stepped.
    ///
    /// # Errors
    /// As [`Writer::create`].
    pub fn create_for(path: &Path, scene: &Scene, world: &World, frames: u64) -> io::Result<Self> {
        Self::with_cast(path, Cast::of_scene(world, scene), frames)
    }

    /// The same with what a robot tells; [`Writer::record_robot`] then adds every step.
    ///
    /// # Errors
    /// As [`Writer::create`].
    pub fn create_for_robot(
        path: &Path,
        scene: &Scene,
        world: &World,
        readings: &Readings,
        frames: u64,
    ) -> io::Result<Self> {
        Self::with_cast(path, Cast::of_robot(world, scene, readings), frames)
    }

    /// The same for a mechanism in MuJoCo's pipeline; [`Writer::record_mechanism`] then adds every step.
    ///
    /// # Errors
    /// As [`Writer::create`].
    pub fn create_for_mechanism(
        path: &Path,
        soft: &SoftMachine,
        readings: &Readings,
        frames: u64,
    ) -> io::Result<Self> {
        Self::with_cast(path, Cast::of_mechanism(soft, readings), frames)
    }

    fn with_cast(path: &Path, cast: Cast, frames: u64) -> io::Result<Self> {
        let format = Format::of(path)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "there is no such format"))?;
        let sink: Box<dyn Sink> = match format {
            Format::Csv => Box::new(Text::new(File::create(path)?, TextKind::Csv, &cast)),
            Format::Jsonl => Box::new(Text::new(File::create(path)?, TextKind::Jsonl, &cast)),
            Format::Npz => {
                // What is there is read again where the file may not be as large as it would have to be.
                let mut how = File::options();
                let file = how.read(true).write(true).create(true).truncate(true).open(path)?;
                Box::new(Npz::new(file, &cast, frames)?)
            }
            Format::Pvd | Format::Vtk => {
                let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or("motion");
                let folder = Folder::with_inner(path, stem)?;
                // Grids of an earlier run that was longer would be taken for those of this one.
                folder.clear(stem, &["vtu", "vtk"]);
                match format {
                    Format::Vtk => Box::new(Legacy::new(folder, stem, &cast)?),
                    _ => Box::new(Vtk::new(folder, stem, &cast)?),
                }
            }
        };
        Ok(Self { sink, cast, frame: Frame::default() })
    }

    /// Adds the world as it is now.
    ///
    /// # Errors
    /// When the file takes no more; it then holds what [`Writer::written`] says. Also when bodies were added or removed
    /// since the file was made, or there are more steps than it was made for.
    pub fn record(&mut self, world: &World) -> io::Result<()> {
        self.frame.read(world, &self.cast)?;
        self.sink.frame(&self.frame, &self.cast)
    }

    /// Adds the world as it is now, and what the robot in it tells.
    ///
    /// # Errors
    /// As [`Writer::record`].
    pub fn record_robot(&mut self, world: &World, readings: &Readings) -> io::Result<()> {
        self.frame.read_robot(readings);
        self.record(world)
    }

    /// Adds a mechanism that was looked at after its step number `step`.
    ///
    /// # Errors
    /// As [`Writer::record`].
    pub fn record_mechanism(&mut self, soft: &SoftMachine, readings: &Readings, step: u64) -> io::Result<()> {
        self.frame.read_mechanism(soft, readings, step, &self.cast);
        self.sink.frame(&self.frame, &self.cast)
    }

    /// Writes what is waiting.
    ///
    /// # Errors
    /// When the file takes no more.
    pub fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }

    /// What is in the file.
    pub fn written(&self) -> Written {
        self.sink.written()
    }
}
