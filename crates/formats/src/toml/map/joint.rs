//! `[[joint]]`.

use super::super::document::{Node, Value};
use super::super::keys;
use super::super::reader::{FromNode, Reader, Table};
use huygens::contact::Compliance;
use huygens::contact::convex::Softness;
use huygens::scene::{
    Axis, AxisSpec, CouplingSpec, Joint, JointSpring, MotorKind, MotorSpec, Named, SpecPath,
};
use huygens_math::Vec3;

pub(super) fn read<'d>(reader: &mut Reader<'d>, node: &'d Node, path: SpecPath, default: &str) -> Joint {
    let mut joint = Joint { name: default.to_owned(), ..Joint::default() };
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
    joint.cone = reader.get(&table, "cone");
    joint.twist = reader.get(&table, "twist");
    let mut first = AxisSpec::default();
    for key in ACTING {
        if by_axis(reader, &table, key).is_none() {
            acting(reader, &table, key, key, &mut first);
        }
    }
    (joint.range, joint.spring, joint.motor) = (first.range, first.spring, first.motor);
    (joint.limit, joint.restitution, joint.friction) = (first.limit, first.restitution, first.friction);
    (joint.position, joint.velocity) = (first.position, first.velocity);
    (joint.damping, joint.armature) = (first.damping, first.armature);
    axes(reader, &table, &mut joint);
    reader.set(&table, "collide", &mut joint.collide);
    reader.set(&table, "break_force", &mut joint.break_force);
    reader.set(&table, "break_torque", &mut joint.break_torque);
    joint
}

/// Keys of what acts at a coordinate.
const ACTING: [&str; 10] = [
    "range",
    "soft",
    "restitution",
    "spring",
    "friction",
    "motor",
    "position",
    "velocity",
    "damping",
    "armature",
];

/// Reads the value of one of [`ACTING`], which stands in `table` as `word`.
fn acting<'d>(reader: &mut Reader<'d>, table: &Table<'d>, word: &'static str, key: &str, to: &mut AxisSpec) {
    let (path, node) = (table.path.key(word), reader.node(table, word));
    match key {
        "range" => to.range = reader.get(table, word),
        "soft" => to.limit = node.map_or(to.limit, |node| soft(reader, node, &path)),
        "spring" => to.spring = node.and_then(|node| spring(reader, node, &path)),
        "motor" => to.motor = node.and_then(|node| motor(reader, node, &path)),
        "restitution" => reader.set(table, word, &mut to.restitution),
        "friction" => reader.set(table, word, &mut to.friction),
        "position" => reader.set(table, word, &mut to.position),
        "velocity" => reader.set(table, word, &mut to.velocity),
        "damping" => reader.set(table, word, &mut to.damping),
        _ => reader.set(table, word, &mut to.armature),
    }
}

/// The table of a key that is told axis by axis; `None` where it is told for the whole joint, or not at all.
fn by_axis<'d>(reader: &Reader<'d>, table: &Table<'d>, key: &str) -> Option<&'d Node> {
    let node = reader.node(table, key)?;
    match &node.value {
        Value::Table(entries) if entries.iter().any(|entry| FREE.contains(&entry.key.as_str())) => Some(node),
        _ => None,
    }
}

/// What a generic joint says axis by axis: then each of its free axes has an entry.
fn axes<'d>(reader: &mut Reader<'d>, table: &Table<'d>, joint: &mut Joint) {
    let told: Vec<(&'static str, &'d Node)> =
        ACTING.into_iter().filter_map(|key| Some((key, by_axis(reader, table, key)?))).collect();
    if told.is_empty() {
        return;
    }
    let (each, first) = (joint.at_each(), joint.at_first());
    for axis in (0..6).filter(|axis| joint.free[*axis]) {
        let is_first = joint.free[..axis].iter().all(|free| !free);
        joint.axes[axis] = Some(if is_first { first } else { each });
    }
    // What is told of the joint is now told of each of its axes.
    (joint.limit, joint.restitution, joint.friction) = (Compliance::Rigid, 0.0, 0.0);
    (joint.damping, joint.armature, joint.position, joint.velocity) = (0.0, 0.0, 0.0, 0.0);
    (joint.range, joint.spring, joint.motor) = (None, None, None);
    for (key, node) in told {
        let Some(inner) = reader.table_of(node, &table.path.key(key), &FREE) else { continue };
        for (axis, word) in FREE.into_iter().enumerate().filter(|(_, word)| inner.has(word)) {
            let own = joint.axes[axis].get_or_insert(each);
            acting(reader, &inner, word, key, own);
        }
    }
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
    let keys = ["stiffness", "damping", "time_constant", "damping_ratio", "solref", "solimp"];
    let Some(table) = reader.table_of(node, path, &keys) else { return Compliance::Rigid };
    let (mut stiffness, mut damping, mut time_constant, mut damping_ratio) = (0.0, 0.0, 0.0, 1.0);
    reader.set(&table, "stiffness", &mut stiffness);
    reader.set(&table, "damping", &mut damping);
    reader.set(&table, "time_constant", &mut time_constant);
    reader.set(&table, "damping_ratio", &mut damping_ratio);
    if table.has("solref") || table.has("solimp") {
        let mut softness = Softness::default();
        reader.set(&table, "solref", &mut softness.solref);
        reader.set(&table, "solimp", &mut softness.solimp);
        return Compliance::Impedance(softness);
    }
    if table.has("time_constant") || table.has("damping_ratio") {
        if table.has("stiffness") || table.has("damping") {
            let expected = "either stiffness and damping, or time_constant and damping_ratio";
            reader.mismatch(node, path.clone(), expected);
        }
        return Compliance::Response { time_constant, damping_ratio };
    }
    Compliance::Spring { stiffness, damping }
}

/// `spring = { … }`.
pub(super) fn spring<'d>(reader: &mut Reader<'d>, node: &'d Node, path: &SpecPath) -> Option<JointSpring> {
    let table = reader.table_of(node, path, &["stiffness", "rest"])?;
    let mut spring = JointSpring::default();
    reader.set(&table, "stiffness", &mut spring.stiffness);
    reader.set(&table, "rest", &mut spring.rest);
    Some(spring)
}

/// `motor = { … }`.
pub(super) fn motor<'d>(reader: &mut Reader<'d>, node: &'d Node, path: &SpecPath) -> Option<MotorSpec> {
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
