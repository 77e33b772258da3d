//! A shape of a body.

use super::super::document::{Node, Value};
use super::super::fill::Filling;
use super::super::reader::{FromNode, Reader, Table, numbers};
use huygens::scene::keys::Table as _;
use huygens::scene::{HeightSource, HullSource, MeshSource, SceneError, Shape, ShapeKind, SpecPath};
use huygens_math::Vec3;

pub(super) fn read<'d>(reader: &mut Reader<'d>, node: &'d Node, path: &SpecPath) -> Option<Shape> {
    if let Value::String(_) = node.value {
        reader.mismatch(node, path.clone(), "a table such as { kind = \"sphere\", radius = 0.5 }");
        return None;
    }
    let table = reader.open(node, path)?;
    let word = reader.need::<String>(&table, "kind", &format!("one of {}", ShapeKind::words().join(", ")))?;
    let Some(mut kind) = ShapeKind::of_word(&word) else {
        reader.unknown_word(&table, "kind", &word, ShapeKind::words());
        return None;
    };
    let mut shape = Shape::default();
    let mut filling = Filling::new(reader, &table);
    shape.fill(&mut filling);
    kind.fill(&mut filling);
    filling.refuse_others(&format!("of kind \"{word}\""), String::new);
    match &mut kind {
        ShapeKind::Hull { source, .. } => *source = hull_source(reader, &table)?,
        ShapeKind::Mesh { source, .. } => *source = mesh_source(reader, &table)?,
        ShapeKind::HeightField { source, .. } => *source = height_source(reader, &table)?,
        _ => {}
    }
    Some(Shape { kind, ..shape })
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
