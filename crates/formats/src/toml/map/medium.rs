//! `[medium]`, `medium` of a body, and `[[spring]]`.

use super::super::document::{Node, Value};
use super::super::reader::{FromNode, Reader};
use huygens::scene::{BodyMediumSpec, MediumSpec, SpecPath, Spring, WindSpec};
use huygens_math::Vec3;

pub(super) fn read<'d>(reader: &mut Reader<'d>, node: &'d Node) -> Option<MediumSpec> {
    let mut medium = MediumSpec::default();
    let table = reader.open(node, &SpecPath::top("medium"))?;
    reader.fill(&table, &mut medium);
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
    let table = reader.open(node, path)?;
    reader.fill(&table, &mut wind);
    Some(wind)
}

pub(super) fn read_of_body<'d>(
    reader: &mut Reader<'d>,
    node: &'d Node,
    path: &SpecPath,
) -> Option<BodyMediumSpec> {
    let mut medium = BodyMediumSpec::default();
    let table = reader.open(node, path)?;
    reader.fill(&table, &mut medium);
    Some(medium)
}

pub(super) fn read_spring<'d>(
    reader: &mut Reader<'d>,
    node: &'d Node,
    path: SpecPath,
    default: &str,
) -> Spring {
    let mut spring = Spring { name: default.to_owned(), ..Spring::default() };
    let Some(table) = reader.open_named(node, path, "spring") else { return spring };
    reader.fill(&table, &mut spring);
    spring
}
