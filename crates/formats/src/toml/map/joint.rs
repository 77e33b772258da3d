//! `[[joint]]`.

use super::super::document::{Node, Value};
use super::super::keys;
use super::super::reader::{FromNode, Reader, Table};
use huygens::contact::Compliance;
use huygens::scene::{Axis, JointSpec, Named, SpecPath};
use huygens_math::Vec3;

pub(super) fn read<'d>(reader: &mut Reader<'d>, node: &'d Node, path: SpecPath, default: &str) -> JointSpec {
    let mut joint = JointSpec { name: default.to_owned(), ..JointSpec::default() };
    let Some(mut table) = reader.table(node, &path, keys::JOINT) else { return joint };
    reader.set(&table, "name", &mut joint.name);
    if !joint.name.is_empty() {
        table.path = SpecPath::top("joint").name(&joint.name);
    }
    reader.set_word(&table, "kind", &mut joint.kind);
    joint.parent = reader.get(&table, "parent");
    joint.child = reader.needed(&table, "child").unwrap_or_default();
    joint.anchor = reader.needed(&table, "anchor").unwrap_or_default();
    if let Some(Direction(axis)) = reader.get(&table, "axis") {
        joint.axis = axis;
    }
    joint.range = reader.get(&table, "range");
    joint.limit = limit(reader, &table);
    reader.set(&table, "velocity", &mut joint.velocity);
    reader.set(&table, "damping", &mut joint.damping);
    reader.set(&table, "armature", &mut joint.armature);
    reader.set(&table, "collide", &mut joint.collide);
    joint
}

/// How limits give way: by stiffness and damping, or by time constant and damping ratio.
fn limit<'d>(reader: &mut Reader<'d>, table: &Table<'d>) -> Compliance {
    let stiffness: Option<f64> = reader.get(table, "limit_stiffness");
    let damping: Option<f64> = reader.get(table, "limit_damping");
    let time_constant: Option<f64> = reader.get(table, "limit_time_constant");
    let damping_ratio: Option<f64> = reader.get(table, "limit_damping_ratio");
    let by_size = stiffness.is_some() || damping.is_some();
    if by_size {
        for key in ["limit_time_constant", "limit_damping_ratio"] {
            if let Some(node) = reader.node(table, key) {
                let expected = "either limit_stiffness and limit_damping, or limit_time_constant and limit_damping_ratio";
                reader.mismatch(node, table.path.key(key), expected);
            }
        }
        return Compliance::Spring {
            stiffness: stiffness.unwrap_or_default(),
            damping: damping.unwrap_or_default(),
        };
    }
    match (time_constant, damping_ratio) {
        (None, None) => Compliance::Rigid,
        (time_constant, ratio) => Compliance::Response {
            time_constant: time_constant.unwrap_or_default(),
            damping_ratio: ratio.unwrap_or(1.0),
        },
    }
}

/// A direction by its components or by the letter of an axis.
pub(super) struct Direction(pub Vec3);

impl FromNode for Direction {
    const EXPECTED: &'static str = "a direction [x, y, z] or \"x\", \"y\", \"z\"";

    fn from_node(node: &Node) -> Option<Self> {
        match &node.value {
            Value::String(word) => Axis::from_word(word).map(|axis| Self(axis.vector())),
            _ => Vec3::from_node(node).map(Self),
        }
    }
}
