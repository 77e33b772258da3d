//! A shape of a body.

use super::super::document::{Node, Value};
use super::super::keys;
use super::super::reader::{FromNode, Reader, Table, numbers};
use huygens::scene::{
    Axis, HeightSource, HullSource, MeshSource, SceneError, ShapeKind, ShapeSpec, SpecPath,
};
use huygens_math::Vec3;

pub(super) fn read<'d>(reader: &mut Reader<'d>, node: &'d Node, path: &SpecPath) -> Option<ShapeSpec> {
    if let Value::String(_) = node.value {
        reader.mismatch(node, path.clone(), "a table such as { kind = \"sphere\", radius = 0.5 }");
        return None;
    }
    let (kind, table) =
        super::kind(reader, node, path, ShapeKind::KINDS, (&keys::names(&keys::SHAPE[1..]), None))?;
    let table = table?;
    let mut shape = ShapeSpec::new(read_kind(reader, &table, kind)?);
    reader.set(&table, "position", &mut shape.position);
    reader.set(&table, "orientation", &mut shape.orientation);
    shape.material = reader.get(&table, "material");
    shape.friction = reader.get(&table, "friction");
    shape.restitution = reader.get(&table, "restitution");
    shape.density = reader.get(&table, "density");
    reader.set(&table, "layer", &mut shape.layer);
    reader.set(&table, "mask", &mut shape.mask);
    reader.set(&table, "sensor", &mut shape.sensor);
    Some(shape)
}

fn read_kind<'d>(reader: &mut Reader<'d>, table: &Table<'d>, kind: &str) -> Option<ShapeKind> {
    Some(match kind {
        "sphere" => ShapeKind::Sphere { radius: radius(reader, table)? },
        "capsule" => {
            let length = reader.need(table, "length", "that of the cylindrical part [m]");
            ShapeKind::Capsule { radius: radius(reader, table)?, length: length?, axis: axis(reader, table) }
        }
        "cylinder" => {
            let length = whole_length(reader, table);
            ShapeKind::Cylinder { radius: radius(reader, table)?, length: length?, axis: axis(reader, table) }
        }
        "cone" => {
            let length = whole_length(reader, table);
            ShapeKind::Cone { radius: radius(reader, table)?, length: length?, axis: axis(reader, table) }
        }
        "cylinder-inside" => {
            let (length, radius) = (whole_length(reader, table), radius(reader, table));
            ShapeKind::CylinderInside { radius: radius?, length: length?, axis: axis(reader, table) }
        }
        "box" => ShapeKind::Box { size: reader.need(table, "size", "the full edges [x, y, z] in metres")? },
        "box-inside" => ShapeKind::BoxInside {
            size: reader.need(table, "size", "the full inner edges [x, y, z] in metres")?,
        },
        "ellipsoid" => {
            ShapeKind::Ellipsoid { radii: reader.need(table, "radii", "the half axes [x, y, z] in metres")? }
        }
        "hull" => {
            let scale = scale(reader, table);
            ShapeKind::Hull { source: hull_source(reader, table)?, scale }
        }
        "mesh" => {
            let scale = scale(reader, table);
            ShapeKind::Mesh { source: mesh_source(reader, table)?, scale }
        }
        "heightfield" => {
            let size = reader.need(table, "size", "the extent [x, y] in metres");
            ShapeKind::HeightField { source: height_source(reader, table)?, size: size? }
        }
        "wall" => {
            let size = reader.need(table, "size", "the full edges [x, y] in metres");
            ShapeKind::Wall { size: size?, normal: normal(reader, table) }
        }
        _ => {
            let offset = reader.get(table, "offset").unwrap_or(0.0);
            ShapeKind::HalfSpace { normal: normal(reader, table), offset }
        }
    })
}

fn radius<'d>(reader: &mut Reader<'d>, table: &Table<'d>) -> Option<f64> {
    reader.need(table, "radius", "the radius [m]")
}

fn whole_length<'d>(reader: &mut Reader<'d>, table: &Table<'d>) -> Option<f64> {
    reader.need(table, "length", "the whole length [m]")
}

fn axis<'d>(reader: &mut Reader<'d>, table: &Table<'d>) -> Axis {
    let mut axis = Axis::Z;
    reader.set_word(table, "axis", &mut axis);
    axis
}

fn normal<'d>(reader: &mut Reader<'d>, table: &Table<'d>) -> Vec3 {
    reader.get(table, "normal").unwrap_or(Vec3::Z)
}

/// One factor for all axes, or one for each.
struct Scale(Vec3);

impl FromNode for Scale {
    const EXPECTED: &'static str = "one factor or three [x, y, z]";

    fn from_node(node: &Node) -> Option<Self> {
        f64::from_node(node).map(Vec3::splat).or_else(|| Vec3::from_node(node)).map(Self)
    }
}

fn scale<'d>(reader: &mut Reader<'d>, table: &Table<'d>) -> Vec3 {
    reader.get(table, "scale").map_or(Vec3::ONE, |Scale(scale)| scale)
}

struct Points(Vec<Vec3>);

impl FromNode for Points {
    const EXPECTED: &'static str = "an array of points [[x, y, z], …]";

    fn from_node(node: &Node) -> Option<Self> {
        let Value::Array(items) = &node.value else { return None };
        let points: Option<Vec<Vec3>> =
            items.iter().map(|item| numbers(item).map(Vec3::from_array)).collect();
        points.map(Self)
    }
}

struct Heights(Vec<Vec<f64>>);

impl FromNode for Heights {
    const EXPECTED: &'static str = "rows of heights [[h, h, …], [h, h, …], …]";

    fn from_node(node: &Node) -> Option<Self> {
        let Value::Array(rows) = &node.value else { return None };
        let row = |node: &Node| match &node.value {
            Value::Array(items) => items.iter().map(f64::from_node).collect::<Option<Vec<f64>>>(),
            _ => None,
        };
        rows.iter().map(row).collect::<Option<Vec<_>>>().map(Self)
    }
}

fn hull_source<'d>(reader: &mut Reader<'d>, table: &Table<'d>) -> Option<HullSource> {
    one_source(reader, table, "points", "the corners [[x, y, z], …], or a `file`")?;
    match reader.get::<Points>(table, "points") {
        Some(Points(points)) => Some(HullSource::Points(points)),
        None => reader.get(table, "file").map(HullSource::File),
    }
}

struct Triangles(Vec<[u32; 3]>);

impl FromNode for Triangles {
    const EXPECTED: &'static str = "an array of corners [[a, b, c], …], counted from 0";

    fn from_node(node: &Node) -> Option<Self> {
        let Value::Array(items) = &node.value else { return None };
        let triangle = |node: &Node| match &node.value {
            Value::Array(items) => {
                let corners: Option<Vec<u32>> = items.iter().map(u32::from_node).collect();
                <[u32; 3]>::try_from(corners?).ok()
            }
            _ => None,
        };
        items.iter().map(triangle).collect::<Option<Vec<_>>>().map(Self)
    }
}

fn mesh_source<'d>(reader: &mut Reader<'d>, table: &Table<'d>) -> Option<MeshSource> {
    one_source(reader, table, "vertices", "the vertices [[x, y, z], …] with `triangles`, or a `file`")?;
    if reader.node(table, "file").is_some() {
        return reader.get(table, "file").map(MeshSource::File);
    }
    let Points(vertices) = reader.get(table, "vertices")?;
    let Triangles(triangles) =
        reader.need(table, "triangles", "the corners [[a, b, c], …] of each triangle")?;
    Some(MeshSource::Triangles { vertices, triangles })
}

fn height_source<'d>(reader: &mut Reader<'d>, table: &Table<'d>) -> Option<HeightSource> {
    one_source(reader, table, "heights", "rows of heights [[h, h, …], …], or a `file`")?;
    match reader.get::<Heights>(table, "heights") {
        Some(Heights(rows)) => Some(HeightSource::Heights(rows)),
        None => reader.get(table, "file").map(HeightSource::File),
    }
}

/// Either the data or a file, and not both.
fn one_source<'d>(reader: &mut Reader<'d>, table: &Table<'d>, key: &'static str, what: &str) -> Option<()> {
    match (reader.node(table, key), reader.node(table, "file")) {
        (None, None) => {
            reader.missing(table, key, what);
            None
        }
        (Some(_), Some(file)) => {
            let problem = format!("the shape has both `{key}` and a `file`");
            let error = SceneError::new(table.path.key("file"), "", problem, "Keep one of the two.");
            reader.error(error, &file.place);
            None
        }
        _ => Some(()),
    }
}
