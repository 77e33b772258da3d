//! `[[tendon]]`.

use super::super::document::Node;
use super::super::keys;
use super::super::reader::Reader;
use super::joint::{motor, spring};
use huygens::scene::{SpecPath, TendonJoint, TendonPart, TendonSpec};

pub(super) fn read<'d>(reader: &mut Reader<'d>, node: &'d Node, path: SpecPath, default: &str) -> TendonSpec {
    let mut tendon = TendonSpec { name: default.to_owned(), ..TendonSpec::default() };
    let Some(mut table) = reader.table(node, &path, keys::TENDON) else { return tendon };
    reader.set(&table, "name", &mut tendon.name);
    if !tendon.name.is_empty() {
        table.path = SpecPath::top("tendon").name(&tendon.name);
    }
    for node in reader.items(&table, "joints", "tables { joint, factor }") {
        let Some(inner) = reader.table_of(node, &table.path.key("joints"), &["joint", "factor"]) else {
            continue;
        };
        let mut part = TendonJoint { factor: 1.0, ..TendonJoint::default() };
        part.joint = reader.need(&inner, "joint", "the name of a joint").unwrap_or_default();
        reader.set(&inner, "factor", &mut part.factor);
        tendon.joints.push(part);
    }
    for node in reader.items(&table, "path", "tables { body, at }, { pulley } and { wrap, side }") {
        tendon.path.extend(part(reader, node, &table.path.key("path")));
    }
    tendon.range = reader.get(&table, "range");
    tendon.spring =
        reader.node(&table, "spring").and_then(|node| spring(reader, node, &table.path.key("spring")));
    reader.set(&table, "damping", &mut tendon.damping);
    reader.set(&table, "friction", &mut tendon.friction);
    tendon.motor =
        reader.node(&table, "motor").and_then(|node| motor(reader, node, &table.path.key("motor")));
    tendon
}

/// A part of a path: a point, a pulley, or a shape to go around.
fn part<'d>(reader: &mut Reader<'d>, node: &'d Node, path: &SpecPath) -> Option<TendonPart> {
    let table = reader.table_of(node, path, &["body", "at", "pulley", "wrap", "side"])?;
    let kinds = [table.has("pulley"), table.has("wrap"), table.has("at")];
    if kinds.iter().filter(|told| **told).count() != 1 {
        reader.mismatch(node, path.clone(), "one of { body, at }, { pulley } and { wrap, side }");
        return None;
    }
    if table.has("pulley") {
        return reader.get(&table, "pulley").map(TendonPart::Pulley);
    }
    if table.has("wrap") {
        return Some(TendonPart::Wrap {
            body: reader.get(&table, "wrap")?,
            side: reader.get(&table, "side"),
        });
    }
    let at = reader.get(&table, "at")?;
    Some(TendonPart::Point { body: reader.get(&table, "body").unwrap_or_default(), at })
}
