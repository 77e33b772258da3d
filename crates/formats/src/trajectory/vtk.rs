//! Motions for ParaView: collections (`.pvd`) of one unstructured grid (`.vtu`) for each step: bodies, surfaces, contacts, joints.
//!
//! A collection is whole after every step: its last lines are written anew with each entry. A grid that does not fit on the
//! disk is taken away again, and the collection stays as it was.

use super::frame::{Cast, ContactFrame, Frame, Side};
use super::store::{Disk, Store, after};
use super::text::push_field;
use super::writer::{Sink, Written};
use crate::base64::encode;
use huygens_math::Vec3;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Streams frames into collections of grids.
#[derive(Debug)]
pub(super) struct Vtk<D: Disk> {
    disk: D,
    /// Name of the folder for the grids, and of the collection without its ending.
    stem: String,
    /// One for each of [`KINDS`].
    collections: Vec<Collection<D::File>>,
    written: Written,
}

/// The grids of a step, and the ending of their collection's name. The bodies come last: a step counts when they are there.
const KINDS: [(&str, &str); 4] =
    [("surfaces", "_surfaces"), ("contacts", "_contacts"), ("joints", "_joints"), ("bodies", "")];

/// The table of the names of all bodies: `id, name, static`.
pub(super) fn names(cast: &Cast) -> String {
    let mut text = String::from("id,name,static\n");
    let all = cast.names.iter().map(|name| (name, 0)).chain(cast.fixed.iter().map(|name| (name, 1)));
    for (id, (name, fixed)) in all.enumerate() {
        let _ = write!(text, "{id},");
        push_field(&mut text, name);
        let _ = writeln!(text, ",{fixed}");
    }
    text
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
const TRIANGLE: u8 = 5;

impl<D: Disk> Vtk<D> {
    /// Makes the collections `stem.pvd`, `stem_surfaces.pvd` and so on; the grids go into the folder `stem`, which exists.
    pub fn new(mut disk: D, stem: &str, cast: &Cast) -> io::Result<Self> {
        disk.create(&format!("{stem}/names.csv"))?.write_all(names(cast).as_bytes())?;
        let collection =
            |(_, ending): &(&str, &str)| Collection::new(disk.create(&format!("{stem}{ending}.pvd"))?);
        let collections = KINDS.iter().map(collection).collect::<io::Result<Vec<_>>>()?;
        Ok(Self { disk, stem: stem.to_owned(), collections, written: Written::default() })
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
        let grids = [
            surface_grid(frame, cast),
            contact_grid(frame, cast),
            joint_grid(frame, cast),
            body_grid(frame, cast),
        ];
        let files = KINDS.map(|(kind, _)| format!("{}/{kind}_{number:07}.vtu", self.stem));
        for (file, grid) in files.iter().zip(&grids) {
            self.write_grid(file, grid, frame.time)?;
        }
        let before: Vec<u64> = self.collections.iter().map(|collection| collection.length).collect();
        for (i, file) in files.iter().enumerate() {
            if let Err(error) = self.collections[i].add(file, frame.time) {
                let mut undone = Ok(());
                for (collection, length) in self.collections.iter_mut().zip(&before).take(i) {
                    undone = undone.and(collection.close_at(*length));
                }
                return Err(after(error, undone));
            }
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

/// An unstructured grid: its arrays as text.
#[derive(Debug, Default)]
struct Grid {
    point_data: String,
    cell_data: String,
    points: String,
    cells: String,
    count: [usize; 2],
}

/// Where an array belongs.
#[derive(Clone, Copy)]
enum Part {
    PointData,
    CellData,
    Points,
    Cells,
}

impl Grid {
    /// An array in base64: the number of its bytes, then the bytes.
    fn array(&mut self, part: Part, declared: &str, bytes: impl Iterator<Item = u8>) {
        let text = match part {
            Part::PointData => &mut self.point_data,
            Part::CellData => &mut self.cell_data,
            Part::Points => &mut self.points,
            Part::Cells => &mut self.cells,
        };
        let mut all = vec![0; 8];
        all.extend(bytes);
        let size = (all.len() - 8) as u64;
        all[..8].copy_from_slice(&size.to_le_bytes());
        let _ = writeln!(text, "<DataArray {declared} format=\"binary\">{}</DataArray>", encode(&all));
    }

    fn floats(&mut self, part: Part, name: &str, width: usize, numbers: impl Iterator<Item = f64>) {
        let declared = format!("type=\"Float64\" Name=\"{name}\" NumberOfComponents=\"{width}\"");
        self.array(part, &declared, numbers.flat_map(f64::to_le_bytes));
    }

    fn integers(&mut self, part: Part, name: &str, width: usize, numbers: impl Iterator<Item = i64>) {
        let declared = format!("type=\"Int64\" Name=\"{name}\" NumberOfComponents=\"{width}\"");
        self.array(part, &declared, numbers.flat_map(i64::to_le_bytes));
    }

    /// Half as long as [`Grid::floats`], for what is only looked at.
    fn short_floats(&mut self, part: Part, name: &str, width: usize, numbers: impl Iterator<Item = f64>) {
        let declared = format!("type=\"Float32\" Name=\"{name}\" NumberOfComponents=\"{width}\"");
        self.array(part, &declared, numbers.flat_map(|x| (x as f32).to_le_bytes()));
    }

    fn short_integers(&mut self, part: Part, name: &str, numbers: impl Iterator<Item = i32>) {
        let declared = format!("type=\"Int32\" Name=\"{name}\" NumberOfComponents=\"1\"");
        self.array(part, &declared, numbers.flat_map(i32::to_le_bytes));
    }

    /// Points, and cells of `ends` points each by the numbers of their points. Where there is none, a vertex at the origin stands for it:
    /// some readers need a cell.
    fn cells(&mut self, points: &[Vec3], corners: &[i32], ends: usize, kind: u8) {
        let points = if points.is_empty() { &[Vec3::ZERO] } else { points };
        self.floats(Part::Points, "Points", 3, points.iter().flat_map(|point| point.to_array()));
        self.cells_of(points.len(), corners, ends, kind);
    }

    /// The same for points that are there already.
    fn cells_of(&mut self, points: usize, corners: &[i32], ends: usize, kind: u8) {
        let (corners, ends, kind) =
            if corners.is_empty() { (&[0][..], 1, VERTEX) } else { (corners, ends, kind) };
        let cells = corners.len() / ends;
        self.count = [points, cells];
        self.short_integers(Part::Cells, "connectivity", corners.iter().copied());
        self.short_integers(Part::Cells, "offsets", (1..=cells).map(|i| (i * ends) as i32));
        self.array(Part::Cells, "type=\"UInt8\" Name=\"types\"", std::iter::repeat_n(kind, cells));
    }

    fn bytes(&self, time: f64) -> Vec<u8> {
        let [points, cells] = self.count;
        format!(
            "<?xml version=\"1.0\"?>\n\
             <VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n\
             <UnstructuredGrid>\n<FieldData>\n\
             <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{time:?}</DataArray>\n\
             </FieldData>\n<Piece NumberOfPoints=\"{points}\" NumberOfCells=\"{cells}\">\n\
             <PointData>\n{}</PointData>\n<CellData>\n{}</CellData>\n<Points>\n{}</Points>\n<Cells>\n{}</Cells>\n\
             </Piece>\n</UnstructuredGrid>\n</VTKFile>\n",
            self.point_data, self.cell_data, self.points, self.cells
        )
        .into_bytes()
    }
}

/// One row for each of `items`; a row of zeros for the vertex that stands for none.
fn rows<T: Copy + Default, const N: usize>(items: Vec<[T; N]>) -> impl Iterator<Item = T> {
    let items = if items.is_empty() { vec![[T::default(); N]] } else { items };
    items.into_iter().flatten()
}

/// A vertex for each body that moves.
fn body_grid(frame: &Frame, cast: &Cast) -> Grid {
    let mut grid = Grid::default();
    let bodies = || frame.bodies.iter();
    let vectors = |grid: &mut Grid, name, get: fn(&super::frame::BodyFrame) -> Vec3| {
        grid.floats(Part::PointData, name, 3, rows(bodies().map(|body| get(body).to_array()).collect()));
    };
    vectors(&mut grid, "velocity", |body| body.linear_velocity);
    vectors(&mut grid, "angular_velocity", |body| body.angular_velocity);
    let turns = bodies().map(|body| body.orientation).map(|q| [q.w, q.x, q.y, q.z]);
    grid.floats(Part::PointData, "orientation", 4, rows(turns.collect()));
    let energy = bodies().map(|body| [body.kinetic_energy]).collect();
    grid.floats(Part::PointData, "kinetic_energy", 1, rows(energy));
    grid.floats(Part::PointData, "size", 1, rows(cast.sizes.iter().map(|size| [*size]).collect()));
    grid.integers(Part::PointData, "id", 1, rows((0..frame.bodies.len() as i64).map(|id| [id]).collect()));
    let corners: Vec<i32> = (0..frame.bodies.len() as i32).collect();
    let places: Vec<Vec3> = bodies().map(|body| body.position).collect();
    grid.cells(&places, &corners, 1, VERTEX);
    grid
}

/// The surfaces of all shapes, static ones too, in triangles: whose they are, and how fast.
fn surface_grid(frame: &Frame, cast: &Cast) -> Grid {
    let mut grid = Grid::default();
    let mut points: Vec<Vec3> = Vec::new();
    let mut corners: Vec<i32> = Vec::new();
    let (mut bodies, mut speeds) = (Vec::new(), Vec::new());
    for surface in &cast.surfaces {
        let first = points.len() as i32;
        let pose = frame.pose(surface.side);
        points.extend(surface.points.iter().map(|point| pose.transform(*point)));
        corners.extend(surface.triangles.iter().flatten().map(|i| first + *i as i32));
        let (fixed, speed) = match surface.side {
            Side::Moving(i) => (0, frame.bodies[i as usize].linear_velocity.length()),
            Side::Fixed(_) => (1, 0.0),
        };
        let count = surface.triangles.len();
        bodies.extend(std::iter::repeat_n([cast.id(surface.side) as i32, fixed], count));
        speeds.extend(std::iter::repeat_n([speed], count));
    }
    grid.short_integers(Part::CellData, "body", rows(bodies.iter().map(|[id, _]| [*id]).collect()));
    grid.short_integers(Part::CellData, "static", rows(bodies.iter().map(|[_, fixed]| [*fixed]).collect()));
    grid.short_floats(Part::CellData, "speed", 1, rows(speeds));
    if points.is_empty() {
        points.push(Vec3::ZERO);
    }
    grid.short_floats(Part::Points, "Points", 3, points.iter().flat_map(|point| point.to_array()));
    grid.cells_of(points.len(), &corners, 3, TRIANGLE);
    grid
}

/// A line for each contact point, between the places of its bodies; a static body is where it is touched.
fn contact_grid(frame: &Frame, cast: &Cast) -> Grid {
    let mut grid = Grid::default();
    let contacts = || frame.contacts.iter();
    let vectors = |grid: &mut Grid, name, get: fn(&ContactFrame) -> Vec3| {
        grid.floats(
            Part::CellData,
            name,
            3,
            rows(contacts().map(|contact| get(contact).to_array()).collect()),
        );
    };
    vectors(&mut grid, "force", |contact| contact.force);
    vectors(&mut grid, "normal", |contact| contact.normal);
    vectors(&mut grid, "slip", |contact| contact.slip);
    vectors(&mut grid, "point", |contact| contact.point);
    let size = contacts().map(|contact| [contact.force.length()]).collect();
    grid.floats(Part::CellData, "force_size", 1, rows(size));
    grid.floats(Part::CellData, "gap", 1, rows(contacts().map(|contact| [contact.gap]).collect()));
    let ids = contacts().map(|contact| contact.side.map(|side| cast.id(side))).collect();
    grid.integers(Part::CellData, "bodies", 2, rows(ids));
    let end = |contact: &ContactFrame, side: Side| match side {
        Side::Moving(i) => frame.bodies[i as usize].position,
        Side::Fixed(_) => contact.point,
    };
    let ends: Vec<Vec3> =
        contacts().flat_map(|contact| contact.side.map(|side| end(contact, side))).collect();
    let corners: Vec<i32> = (0..ends.len() as i32).collect();
    grid.cells(&ends, &corners, 2, LINE);
    grid
}

/// A vertex for each joint: its coordinate and rate, its axis, and the body that it carries.
fn joint_grid(frame: &Frame, cast: &Cast) -> Grid {
    let mut grid = Grid::default();
    let joints = || frame.joints.iter();
    grid.floats(Part::PointData, "q", 1, rows(joints().map(|joint| [joint.q]).collect()));
    grid.floats(Part::PointData, "v", 1, rows(joints().map(|joint| [joint.v]).collect()));
    grid.floats(Part::PointData, "axis", 3, rows(joints().map(|joint| joint.axis.to_array()).collect()));
    let children = cast.joints.iter().map(|joint| [cast.id(joint.child)]).collect();
    grid.integers(Part::PointData, "child", 1, rows(children));
    let corners: Vec<i32> = (0..frame.joints.len() as i32).collect();
    let places: Vec<Vec3> = joints().map(|joint| joint.at).collect();
    grid.cells(&places, &corners, 1, VERTEX);
    grid
}
