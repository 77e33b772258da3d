//! `[[repeat]]`.

use super::super::document::{Node, Value};
use super::super::keys;
use super::super::reader::{FromNode, Reader, Table};
use super::body;
use huygens::scene::{Named, RepeatKind, RepeatSpec, SpecPath};
use huygens_math::Vec3;

pub(super) fn read<'d>(
    reader: &mut Reader<'d>,
    node: &'d Node,
    path: &SpecPath,
    index: usize,
) -> Option<RepeatSpec> {
    let table = reader.table(node, path, keys::REPEAT)?;
    reader.needed::<String>(&table, "kind")?;
    let mut kind = RepeatKind::Grid;
    reader.set_word(&table, "kind", &mut kind);
    let count = read_count(reader, &table, kind);
    let spacing = read_spacing(reader, &table, kind);
    let jitter = reader.get(&table, "jitter").map_or(Vec3::ZERO, |Jitter(jitter)| jitter);
    let tumble = reader.get(&table, "tumble").unwrap_or(kind == RepeatKind::Pile);
    let seed = reader.get(&table, "seed");
    let default = format!("{}{index}", kind.word());
    let mut bodies = Vec::new();
    match reader.node(&table, "body") {
        None => reader.missing(&table, "body", "what is repeated, { name = …, shape = … }"),
        Some(Node { value: Value::Array(items), .. }) => {
            for (k, item) in items.iter().enumerate() {
                let path = table.path.key("body").index(k);
                bodies.push(body::read(reader, item, path, &format!("{default}_{k}")));
            }
        }
        Some(node) => bodies.push(body::read(reader, node, table.path.key("body").index(0), &default)),
    }
    Some(RepeatSpec { kind, count: count?, spacing: spacing?, jitter, tumble, seed, bodies })
}

/// One number for shifts across and deep, or one for each direction.
struct Jitter(Vec3);

impl FromNode for Jitter {
    const EXPECTED: &'static str = "one number or three [across, deep, up]";

    fn from_node(node: &Node) -> Option<Self> {
        let level = f64::from_node(node).map(|x| Vec3::new(x, x, 0.0));
        level.or_else(|| Vec3::from_node(node)).map(Self)
    }
}

fn read_count<'d>(reader: &mut Reader<'d>, table: &Table<'d>, kind: RepeatKind) -> Option<[u32; 3]> {
    let expected = match kind {
        RepeatKind::Stack => "a whole number above 0",
        RepeatKind::Pyramid => "the bodies of the lowest row, a whole number above 0",
        RepeatKind::Wall => "two whole numbers above 0, [across, up]",
        RepeatKind::Grid | RepeatKind::Pile => "three whole numbers above 0, [across, deep, up]",
    };
    let Some(node) = reader.node(table, "count") else {
        reader.missing(table, "count", expected);
        return None;
    };
    let one = std::slice::from_ref(node);
    let items = match &node.value {
        Value::Array(items) => items.as_slice(),
        _ => one,
    };
    let mut count = [1; 3];
    let mut good = items.len() == kind.counts();
    for (slot, item) in count.iter_mut().zip(items) {
        match u32::from_node(item) {
            Some(n) if n > 0 => *slot = n,
            _ => good = false,
        }
    }
    if !good {
        reader.mismatch(node, table.path.key("count"), expected);
    }
    good.then_some(count)
}

fn read_spacing<'d>(reader: &mut Reader<'d>, table: &Table<'d>, kind: RepeatKind) -> Option<Vec3> {
    let expected = match kind {
        RepeatKind::Stack => "one number [m]",
        RepeatKind::Wall | RepeatKind::Pyramid => "one number or two [across, up]",
        RepeatKind::Grid | RepeatKind::Pile => "one number or three [across, deep, up]",
    };
    let Some(node) = reader.node(table, "spacing") else {
        reader.missing(table, "spacing", expected);
        return None;
    };
    let used = kind.spaced();
    let given: Option<Vec<f64>> = match &node.value {
        Value::Array(items) if items.len() == used.len() => items.iter().map(f64::from_node).collect(),
        Value::Array(_) => None,
        _ => f64::from_node(node).map(|x| vec![x; used.len()]),
    };
    let Some(given) = given else {
        reader.mismatch(node, table.path.key("spacing"), expected);
        return None;
    };
    let mut spacing = Vec3::ZERO;
    for (&direction, distance) in used.iter().zip(given) {
        spacing[direction] = distance;
    }
    Some(spacing)
}
