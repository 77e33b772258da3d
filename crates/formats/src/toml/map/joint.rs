//! `[[joint]]`.

use super::super::document::{Node, Value};
use super::super::keys;
use super::super::reader::{FromNode, Reader, Table};
use huygens::contact::Compliance;
use huygens::scene::{Axis, CouplingSpec, JointSpec, JointSpring, MotorKind, MotorSpec, Named, SpecPath};
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
    if let Some(Direction(axis)) = reader.get(&table, "axis2") {
        joint.axis2 = Some(axis);
    }
    reader.set(&table, "pitch", &mut joint.pitch);
    joint.free = free(reader, &table);
    joint.range = reader.get(&table, "range");
    if let Some(node) = reader.node(&table, "soft") {
        joint.limit = soft(reader, node, &table.path.key("soft"));
    }
    reader.set(&table, "restitution", &mut joint.restitution);
    if let Some(node) = reader.node(&table, "spring")
        && let Some(inner) = reader.table_of(node, &table.path.key("spring"), &["stiffness", "rest"])
    {
        let mut spring = JointSpring::default();
        reader.set(&inner, "stiffness", &mut spring.stiffness);
        reader.set(&inner, "rest", &mut spring.rest);
        joint.spring = Some(spring);
    }
    joint.motor = reader.node(&table, "motor").and_then(|node| motor(reader, node, &table.path.key("motor")));
    reader.set(&table, "friction", &mut joint.friction);
    reader.set(&table, "position", &mut joint.position);
    reader.set(&table, "velocity", &mut joint.velocity);
    reader.set(&table, "damping", &mut joint.damping);
    reader.set(&table, "armature", &mut joint.armature);
    reader.set(&table, "collide", &mut joint.collide);
    joint
}

const FREE: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];

/// The axes of a generic joint that are free.
fn free<'d>(reader: &mut Reader<'d>, table: &Table<'d>) -> [bool; 6] {
    let mut free = [false; 6];
    for node in reader.items(table, "free", "axes such as [\"x\", \"rz\"]") {
        let place = if let Value::String(word) = &node.value {
            FREE.iter().position(|known| known == word)
        } else {
            None
        };
        match place {
            Some(place) => free[place] = true,
            None => reader.mismatch(
                node,
                table.path.key("free"),
                "one of \"x\", \"y\", \"z\", \"rx\", \"ry\", \"rz\"",
            ),
        }
    }
    free
}

/// `soft = { … }`.
fn soft<'d>(reader: &mut Reader<'d>, node: &'d Node, path: &SpecPath) -> Compliance {
    let keys = ["stiffness", "damping", "time_constant", "damping_ratio"];
    let Some(table) = reader.table_of(node, path, &keys) else { return Compliance::Rigid };
    let (mut stiffness, mut damping, mut time_constant, mut damping_ratio) = (0.0, 0.0, 0.0, 1.0);
    reader.set(&table, "stiffness", &mut stiffness);
    reader.set(&table, "damping", &mut damping);
    reader.set(&table, "time_constant", &mut time_constant);
    reader.set(&table, "damping_ratio", &mut damping_ratio);
    if table.has("time_constant") || table.has("damping_ratio") {
        if table.has("stiffness") || table.has("damping") {
            let expected = "either stiffness and damping, or time_constant and damping_ratio";
            reader.mismatch(node, path.clone(), expected);
        }
        return Compliance::Response { time_constant, damping_ratio };
    }
    Compliance::Spring { stiffness, damping }
}

/// `motor = { … }`.
fn motor<'d>(reader: &mut Reader<'d>, node: &'d Node, path: &SpecPath) -> Option<MotorSpec> {
    let keys = ["kind", "target", "stiffness", "damping", "max_force", "max_power"];
    let table = reader.table_of(node, path, &keys)?;
    let mut motor = MotorSpec::default();
    if let Some(node) = reader.node(&table, "kind") {
        let word = if let Value::String(word) = &node.value { word.as_str() } else { "" };
        match MotorKind::from_word(word) {
            Some(kind) => motor.kind = kind,
            None => {
                let known = MotorKind::NAMES.iter().map(|(name, _)| *name);
                reader.unknown_word(&table, "kind", word, known);
            }
        }
    }
    reader.set(&table, "target", &mut motor.target);
    reader.set(&table, "stiffness", &mut motor.stiffness);
    reader.set(&table, "damping", &mut motor.damping);
    reader.set(&table, "max_force", &mut motor.max_force);
    reader.set(&table, "max_power", &mut motor.max_power);
    Some(motor)
}

pub(super) fn read_coupling<'d>(
    reader: &mut Reader<'d>,
    node: &'d Node,
    path: SpecPath,
    default: &str,
) -> CouplingSpec {
    let mut coupling = CouplingSpec { name: default.to_owned(), ..CouplingSpec::default() };
    let Some(mut table) = reader.table(node, &path, keys::COUPLING) else { return coupling };
    reader.set(&table, "name", &mut coupling.name);
    if !coupling.name.is_empty() {
        table.path = SpecPath::top("coupling").name(&coupling.name);
    }
    let _: Option<String> = reader.needed(&table, "kind");
    reader.set_word(&table, "kind", &mut coupling.kind);
    let mut names = |key: &'static str, least: usize| -> [String; 2] {
        let list: Vec<String> = reader.get(&table, key).unwrap_or_default();
        if list.len() < least || list.len() > 2 {
            match reader.node(&table, key) {
                Some(node) => reader.mismatch(node, table.path.key(key), "two names"),
                None => reader.missing(&table, key, "two names"),
            }
        }
        std::array::from_fn(|k| list.get(k).cloned().unwrap_or_default())
    };
    if coupling.kind.is_of_joints() {
        coupling.joints = names("joints", 2);
    } else {
        coupling.bodies = names("bodies", 1);
    }
    reader.set(&table, "ratio", &mut coupling.ratio);
    for (k, node) in reader.items(&table, "coefficients", "at most five numbers").iter().enumerate() {
        match (f64::from_node(node), coupling.coefficients.get_mut(k)) {
            (Some(value), Some(c)) => *c = value,
            _ => reader.mismatch(node, table.path.key("coefficients"), "at most five numbers"),
        }
    }
    for (k, node) in reader.items(&table, "anchors", "one or two points").iter().enumerate() {
        match (Vec3::from_node(node), coupling.anchors.get_mut(k)) {
            (Some(value), Some(anchor)) => *anchor = value,
            _ => reader.mismatch(node, table.path.key("anchors"), "one or two points [[x, y, z], [x, y, z]]"),
        }
    }
    coupling.length = reader.get(&table, "length");
    coupling
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
