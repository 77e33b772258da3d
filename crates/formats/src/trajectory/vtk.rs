//! Motions for ParaView: a collection (`.pvd`) of one unstructured grid (`.vtu`) for each step, and a second collection for the
//! contacts.
//!
//! A collection is whole after every step: its last lines are written anew with each entry. A grid that does not fit on the
//! disk is taken away again, and the collection stays as it was.

use super::frame::{Cast, ContactFrame, Frame, Side};
use super::store::{Disk, Store, after};
use super::text::push_field;
use super::writer::{Sink, Written};
use huygens_math::Vec3;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Streams frames into collections of grids.
#[derive(Debug)]
pub(super) struct Vtk<D: Disk> {
    disk: D,
    /// Name of the folder for the grids, and of the collection without its ending.
    stem: String,
    bodies: Collection<D::File>,
    contacts: Collection<D::File>,
    written: Written,
}

/// A `.pvd` file.
#[derive(Debug)]
struct Collection<S> {
    out: S,
    /// Bytes before the closing lines.
    length: u64,
}

const OPENING: &str = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n\
                       <Collection>\n";
const CLOSING: &str = "</Collection>\n</VTKFile>\n";
const VERTEX: u8 = 1;
const LINE: u8 = 3;

impl<D: Disk> Vtk<D> {
    /// Makes the collections `stem.pvd` and `stem_contacts.pvd`; the grids go into the folder `stem`, which exists.
    pub fn new(mut disk: D, stem: &str, cast: &Cast) -> io::Result<Self> {
        let mut names = String::from("id,name\n");
        for (id, name) in cast.names.iter().enumerate() {
            let _ = write!(names, "{id},");
            push_field(&mut names, name);
            names.push('\n');
        }
        disk.create(&format!("{stem}/names.csv"))?.write_all(names.as_bytes())?;
        let bodies = Collection::new(disk.create(&format!("{stem}.pvd"))?)?;
        let contacts = Collection::new(disk.create(&format!("{stem}_contacts.pvd"))?)?;
        Ok(Self { disk, stem: stem.to_owned(), bodies, contacts, written: Written::default() })
    }

    #[cfg(test)]
    pub fn disk(&self) -> &D {
        &self.disk
    }

    /// Writes a grid, or leaves nothing of it.
    fn write_grid(&mut self, name: &str, grid: &Grid, time: f64) -> io::Result<()> {
        let mut file = self.disk.create(name)?;
        let done = file.write_all(&grid.bytes(time)).and_then(|()| file.flush());
        drop(file);
        if done.is_err() {
            self.disk.remove(name);
        }
        done
    }
}

impl<D: Disk + std::fmt::Debug> Sink for Vtk<D>
where
    D::File: std::fmt::Debug,
{
    fn frame(&mut self, frame: &Frame, cast: &Cast) -> io::Result<()> {
        let number = self.written.steps;
        let [bodies, contacts] =
            ["bodies", "contacts"].map(|kind| format!("{}/{kind}_{number:07}.vtu", self.stem));
        self.write_grid(&bodies, &body_grid(frame, cast), frame.time)?;
        self.write_grid(&contacts, &contact_grid(frame), frame.time)?;
        let before = self.contacts.length;
        self.contacts.add(&contacts, frame.time)?;
        if let Err(error) = self.bodies.add(&bodies, frame.time) {
            return Err(after(error, self.contacts.close_at(before)));
        }
        self.written = Written { steps: number + 1, last: Some(frame.step) };
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn written(&self) -> Written {
        self.written
    }
}

impl<S: Store> Collection<S> {
    fn new(mut out: S) -> io::Result<Self> {
        out.put(0, format!("{OPENING}{CLOSING}").as_bytes())?;
        Ok(Self { out, length: OPENING.len() as u64 })
    }

    fn add(&mut self, file: &str, time: f64) -> io::Result<()> {
        let file = file.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
        let entry = format!("<DataSet timestep=\"{time:?}\" group=\"\" part=\"0\" file=\"{file}\"/>\n");
        let done =
            self.out.put(self.length, format!("{entry}{CLOSING}").as_bytes()).and_then(|()| self.out.flush());
        if let Err(error) = done {
            return Err(after(error, self.close_at(self.length)));
        }
        self.length += entry.len() as u64;
        Ok(())
    }

    /// Lets the entries end at an earlier length, at which the closing lines have stood before.
    fn close_at(&mut self, length: u64) -> io::Result<()> {
        self.length = length;
        self.out.put(length, CLOSING.as_bytes())?;
        self.out.cut(length + CLOSING.len() as u64)
    }
}

/// An unstructured grid of vertices or lines: its text, and its numbers behind it.
#[derive(Debug, Default)]
struct Grid {
    data: String,
    points: String,
    cells: String,
    count: [usize; 2],
    /// Points of a cell: the numbers of a body are at its point, those of a contact at its line.
    ends: usize,
    numbers: Vec<u8>,
}

/// Where an array belongs.
#[derive(Clone, Copy)]
enum Part {
    Data,
    Points,
    Cells,
}

impl Grid {
    fn array(&mut self, part: Part, declared: &str, bytes: impl Iterator<Item = u8>) {
        let text = match part {
            Part::Data => &mut self.data,
            Part::Points => &mut self.points,
            Part::Cells => &mut self.cells,
        };
        let _ =
            writeln!(text, "<DataArray {declared} format=\"appended\" offset=\"{}\"/>", self.numbers.len());
        let start = self.numbers.len();
        self.numbers.extend_from_slice(&[0; 8]);
        self.numbers.extend(bytes);
        let size = (self.numbers.len() - start - 8) as u64;
        self.numbers[start..start + 8].copy_from_slice(&size.to_le_bytes());
    }

    fn floats(&mut self, part: Part, name: &str, width: usize, numbers: impl Iterator<Item = f64>) {
        let declared = format!("type=\"Float64\" Name=\"{name}\" NumberOfComponents=\"{width}\"");
        self.array(part, &declared, numbers.flat_map(f64::to_le_bytes));
    }

    fn integers(&mut self, part: Part, name: &str, width: usize, numbers: impl Iterator<Item = i64>) {
        let declared = format!("type=\"Int64\" Name=\"{name}\" NumberOfComponents=\"{width}\"");
        self.array(part, &declared, numbers.flat_map(i64::to_le_bytes));
    }

    /// `points` points, `points / ends` cells of `ends` points each.
    fn cells(&mut self, points: usize, ends: usize, kind: u8) {
        let cells = points / ends;
        (self.count, self.ends) = ([points, cells], ends);
        self.integers(Part::Cells, "connectivity", 1, 0..points as i64);
        self.integers(Part::Cells, "offsets", 1, (1..=cells).map(|i| (i * ends) as i64));
        self.array(Part::Cells, "type=\"UInt8\" Name=\"types\"", std::iter::repeat_n(kind, cells));
    }

    fn bytes(&self, time: f64) -> Vec<u8> {
        let [points, cells] = self.count;
        let place = if self.ends == 1 { "PointData" } else { "CellData" };
        let mut bytes = format!(
            "<?xml version=\"1.0\"?>\n\
             <VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n\
             <UnstructuredGrid>\n<FieldData>\n\
             <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{time:?}</DataArray>\n\
             </FieldData>\n<Piece NumberOfPoints=\"{points}\" NumberOfCells=\"{cells}\">\n\
             <{place}>\n{}</{place}>\n<Points>\n{}</Points>\n<Cells>\n{}</Cells>\n\
             </Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_",
            self.data, self.points, self.cells
        )
        .into_bytes();
        bytes.extend_from_slice(&self.numbers);
        bytes.extend_from_slice(b"\n</AppendedData>\n</VTKFile>\n");
        bytes
    }
}

/// A vertex for each body.
fn body_grid(frame: &Frame, cast: &Cast) -> Grid {
    let mut grid = Grid::default();
    let bodies = || frame.bodies.iter();
    let vectors = |grid: &mut Grid, name, get: fn(&super::frame::BodyFrame) -> Vec3| {
        grid.floats(Part::Data, name, 3, bodies().flat_map(|body| get(body).to_array()));
    };
    vectors(&mut grid, "velocity", |body| body.linear_velocity);
    vectors(&mut grid, "angular_velocity", |body| body.angular_velocity);
    let turns = bodies().map(|body| body.orientation).flat_map(|q| [q.w, q.x, q.y, q.z]);
    grid.floats(Part::Data, "orientation", 4, turns);
    grid.floats(Part::Data, "kinetic_energy", 1, bodies().map(|body| body.kinetic_energy));
    grid.floats(Part::Data, "size", 1, cast.sizes.iter().copied());
    grid.integers(Part::Data, "id", 1, 0..frame.bodies.len() as i64);
    grid.floats(Part::Points, "Points", 3, bodies().flat_map(|body| body.position.to_array()));
    grid.cells(frame.bodies.len(), 1, VERTEX);
    grid
}

/// A line for each contact point, between the places of its bodies; a static body is where it is touched.
fn contact_grid(frame: &Frame) -> Grid {
    let mut grid = Grid::default();
    let contacts = || frame.contacts.iter();
    let vectors = |grid: &mut Grid, name, get: fn(&ContactFrame) -> Vec3| {
        grid.floats(Part::Data, name, 3, contacts().flat_map(|contact| get(contact).to_array()));
    };
    vectors(&mut grid, "force", |contact| contact.force);
    vectors(&mut grid, "normal", |contact| contact.normal);
    vectors(&mut grid, "slip", |contact| contact.slip);
    vectors(&mut grid, "point", |contact| contact.point);
    grid.floats(Part::Data, "force_size", 1, contacts().map(|contact| contact.force.length()));
    grid.floats(Part::Data, "gap", 1, contacts().map(|contact| contact.gap));
    let id = |side: Side| match side {
        Side::Moving(i) => i64::from(i),
        Side::Fixed(_) => -1,
    };
    grid.integers(Part::Data, "bodies", 2, contacts().flat_map(|contact| contact.side.map(id)));
    let end = |contact: &ContactFrame, side: Side| match side {
        Side::Moving(i) => frame.bodies[i as usize].position,
        Side::Fixed(_) => contact.point,
    };
    let ends = contacts().flat_map(|contact| contact.side.map(|side| end(contact, side)));
    grid.floats(Part::Points, "Points", 3, ends.flat_map(|end| end.to_array()));
    grid.cells(2 * frame.contacts.len(), 2, LINE);
    grid
}
