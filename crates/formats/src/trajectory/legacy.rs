//! Motions as legacy VTK files (`.vtk`): the surfaces of all shapes, a file for each step, and the last step under the name that
//! was asked for. A list of all of them (`.vtk.series`) opens in ParaView.

use super::frame::{Cast, Frame, Side};
use super::store::{Disk, Store, after};
use super::vtk::names;
use super::writer::{Sink, Written};
use huygens_math::Vec3;
use std::fmt::Write as _;
use std::io::{self, Write};

const OPENING: &str = "{\"file-series-version\": \"1.0\", \"files\": [\n";
const CLOSING: &str = "\n]}\n";
/// VTK's number of a triangle.
const TRIANGLE: u8 = 5;

/// Streams frames into legacy files.
#[derive(Debug)]
pub(super) struct Legacy<D: Disk> {
    disk: D,
    stem: String,
    series: D::File,
    /// Bytes of the list before its closing line.
    length: u64,
    /// Text of the last step.
    last: String,
    written: Written,
}

impl<D: Disk> Legacy<D> {
    /// Makes the list; the files of the steps go into the folder `stem`, which exists.
    pub fn new(mut disk: D, stem: &str, cast: &Cast) -> io::Result<Self> {
        disk.create(&format!("{stem}/names.csv"))?.write_all(names(cast).as_bytes())?;
        disk.create(&format!("{stem}.vtk"))?;
        let mut series = disk.create(&format!("{stem}.vtk.series"))?;
        series.put(0, format!("{OPENING}{CLOSING}").as_bytes())?;
        let length = OPENING.len() as u64;
        Ok(Self {
            disk,
            stem: stem.to_owned(),
            series,
            length,
            last: String::new(),
            written: Written::default(),
        })
    }

    /// Writes a file, or leaves nothing of it.
    fn write(&mut self, name: &str, text: &str) -> io::Result<()> {
        let mut file = self.disk.create(name)?;
        let done = file.write_all(text.as_bytes()).and_then(|()| file.flush());
        drop(file);
        if done.is_err() {
            self.disk.remove(name);
        }
        done
    }
}

impl<D: Disk + std::fmt::Debug> Sink for Legacy<D>
where
    D::File: std::fmt::Debug,
{
    fn frame(&mut self, frame: &Frame, cast: &Cast) -> io::Result<()> {
        let number = self.written.steps;
        let name = format!("{}/surfaces_{number:07}.vtk", self.stem);
        let text = text(frame, cast);
        self.write(&name, &text)?;
        let comma = if number > 0 { ",\n" } else { "" };
        let entry = format!("{comma}{{\"name\": {}, \"time\": {:?}}}", crate::json::text(&name), frame.time);
        let put = self.series.put(self.length, format!("{entry}{CLOSING}").as_bytes());
        if let Err(error) = put.and_then(|()| self.series.flush()) {
            let undone = self.series.put(self.length, CLOSING.as_bytes());
            let undone = undone.and_then(|()| self.series.cut(self.length + CLOSING.len() as u64));
            return Err(after(error, undone));
        }
        self.length += entry.len() as u64;
        self.last = text;
        self.written = Written { steps: number + 1, last: Some(frame.step) };
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        let (name, text) = (format!("{}.vtk", self.stem), std::mem::take(&mut self.last));
        self.write(&name, &text)
    }

    fn written(&self) -> Written {
        self.written
    }
}

/// The surfaces of all shapes as an unstructured grid of triangles.
fn text(frame: &Frame, cast: &Cast) -> String {
    let mut text = format!(
        "# vtk DataFile Version 3.0\nhuygens, step {}, {:?} s\nASCII\nDATASET UNSTRUCTURED_GRID\n",
        frame.step, frame.time
    );
    let (mut points, mut cells, mut bodies) = (Vec::<Vec3>::new(), Vec::<[usize; 3]>::new(), Vec::new());
    for surface in &cast.surfaces {
        let first = points.len();
        let pose = frame.pose(surface.side);
        points.extend(surface.points.iter().map(|point| pose.transform(*point)));
        cells.extend(surface.triangles.iter().map(|t| t.map(|i| first + i as usize)));
        let fixed = i64::from(matches!(surface.side, Side::Fixed(_)));
        bodies.extend(std::iter::repeat_n([cast.id(surface.side), fixed], surface.triangles.len()));
    }
    let _ = writeln!(text, "POINTS {} double", points.len());
    for p in &points {
        let _ = writeln!(text, "{:?} {:?} {:?}", p.x, p.y, p.z);
    }
    let _ = writeln!(text, "CELLS {} {}", cells.len(), 4 * cells.len());
    for [a, b, c] in &cells {
        let _ = writeln!(text, "3 {a} {b} {c}");
    }
    let _ = writeln!(text, "CELL_TYPES {}", cells.len());
    text.extend(std::iter::repeat_n(format!("{TRIANGLE}\n"), cells.len()));
    let _ = writeln!(text, "CELL_DATA {}", cells.len());
    for (k, name) in ["body", "static"].into_iter().enumerate() {
        let _ = writeln!(text, "SCALARS {name} int 1\nLOOKUP_TABLE default");
        for body in &bodies {
            let _ = writeln!(text, "{}", body[k]);
        }
    }
    text
}
