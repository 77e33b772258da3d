//! `[medium]`, `medium` of a body, and `[[spring]]`.

use super::super::document::{Node, Value};
use super::super::keys;
use super::super::reader::{FromNode, Reader};
use super::joint::Direction;
use huygens::scene::{BodyMediumSpec, MediumSpec, SpecPath, SpringSpec, WindSpec};
use huygens_math::Vec3;

pub(super) fn read<'d>(reader: &mut Reader<'d>, node: &'d Node) -> Option<MediumSpec> {
    let mut medium = MediumSpec::default();
    let table = reader.table(node, &SpecPath::top("medium"), keys::MEDIUM)?;
    reader.set(&table, "density", &mut medium.density);
    medium.surface = reader.get(&table, "surface");
    let path = table.path.key("wind");
    match reader.node(&table, "wind") {
        // One velocity for everywhere, one field, or several.
        Some(node) if Vec3::from_node(node).is_some() => {
            medium.wind.extend(Vec3::from_node(node).map(|v| WindSpec::uniform(v.x, v.y, v.z)));
        }
        Some(Node { value: Value::Array(items), .. }) => {
            for (i, item) in items.iter().enumerate() {
                medium.wind.extend(read_wind(reader, item, &path.index(i)));
            }
        }
        Some(node) => medium.wind.extend(read_wind(reader, node, &path.index(0))),
        None => {}
    }
    Some(medium)
}

fn read_wind<'d>(reader: &mut Reader<'d>, node: &'d Node, path: &SpecPath) -> Option<WindSpec> {
    let mut wind = WindSpec::default();
    if !matches!(node.value, Value::Table(_)) {
        reader.mismatch(
            node,
            path.clone(),
            "a velocity [x, y, z] or tables such as { velocity = [x, y, z], gradient, origin, region }",
        );
        return None;
    }
    let table = reader.table(node, path, keys::WIND)?;
    reader.set(&table, "velocity", &mut wind.velocity);
    reader.set(&table, "gradient", &mut wind.gradient);
    reader.set(&table, "origin", &mut wind.origin);
    wind.region = reader.get(&table, "region");
    Some(wind)
}

pub(super) fn read_of_body<'d>(
    reader: &mut Reader<'d>,
    node: &'d Node,
    path: &SpecPath,
) -> Option<BodyMediumSpec> {
    let mut medium = BodyMediumSpec::default();
    let table = reader.table(node, path, keys::BODY_MEDIUM)?;
    reader.set(&table, "drag", &mut medium.drag);
    medium.area = reader.get(&table, "area");
    reader.set(&table, "linear_drag", &mut medium.linear_drag);
    reader.set(&table, "lift", &mut medium.lift);
    if let Some(Direction(span)) = reader.get(&table, "span") {
        medium.span = span;
    }
    reader.set(&table, "magnus", &mut medium.magnus);
    reader.set(&table, "buoyancy", &mut medium.buoyancy);
    Some(medium)
}

pub(super) fn read_spring<'d>(
    reader: &mut Reader<'d>,
    node: &'d Node,
    path: SpecPath,
    default: &str,
) -> SpringSpec {
    let mut spring = SpringSpec { name: default.to_owned(), ..SpringSpec::default() };
    let Some(mut table) = reader.table(node, &path, keys::SPRING) else { return spring };
    reader.set(&table, "name", &mut spring.name);
    if !spring.name.is_empty() {
        table.path = SpecPath::top("spring").name(&spring.name);
    }
    spring.bodies = reader.needed(&table, "bodies").unwrap_or_default();
    spring.anchors = reader.needed(&table, "anchors").unwrap_or_default();
    spring.stiffness = reader.needed(&table, "stiffness").unwrap_or_default();
    reader.set(&table, "damping", &mut spring.damping);
    spring.length = reader.get(&table, "length");
    spring
}

/// Vectors of an array, when it has as many as wanted.
fn vectors<const N: usize>(node: &Node) -> Option<[Vec3; N]> {
    let Value::Array(items) = &node.value else { return None };
    let vectors: Option<Vec<Vec3>> = items.iter().map(Vec3::from_node).collect();
    vectors?.try_into().ok()
}

impl FromNode for [Vec3; 2] {
    const EXPECTED: &'static str = "two points [[x, y, z], [x, y, z]]";

    fn from_node(node: &Node) -> Option<Self> {
        vectors(node)
    }
}

impl FromNode for [Vec3; 3] {
    const EXPECTED: &'static str = "three rows [[x, y, z], [x, y, z], [x, y, z]]";

    fn from_node(node: &Node) -> Option<Self> {
        vectors(node)
    }
}

impl FromNode for Vec<String> {
    const EXPECTED: &'static str = "names such as [\"a\", \"b\"]";

    fn from_node(node: &Node) -> Option<Self> {
        match &node.value {
            // One name needs no brackets.
            Value::String(name) => Some(vec![name.clone()]),
            Value::Array(items) => items.iter().map(String::from_node).collect(),
            _ => None,
        }
    }
}
