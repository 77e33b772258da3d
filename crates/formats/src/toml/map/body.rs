//! `[[body]]`.

use super::super::document::{Node, Value};
use super::super::keys;
use super::super::reader::{FromNode, Reader, Table, numbers};
use super::{medium, shape};
use huygens::scene::{BodySpec, Color, DriveLimit, Keyframe, Lock, Motion, SceneError, SpecPath};
use huygens_math::{Quat, Sym3, Vec3};

pub(super) fn read<'d>(reader: &mut Reader<'d>, node: &'d Node, path: SpecPath, default: &str) -> BodySpec {
    let mut body = BodySpec { name: default.to_owned(), ..BodySpec::default() };
    let Some(mut table) = reader.table(node, &path, keys::BODY) else { return body };
    reader.set(&table, "name", &mut body.name);
    // From here on errors use the name, as the checks do; a repeated body has none of its own.
    if path.parent() == Some(SpecPath::top("body")) && !body.name.is_empty() {
        table.path = SpecPath::body(&body.name);
    }
    reader.set(&table, "position", &mut body.position);
    reader.set(&table, "orientation", &mut body.orientation);
    reader.set(&table, "linear_velocity", &mut body.linear_velocity);
    reader.set(&table, "angular_velocity", &mut body.angular_velocity);
    body.mass = reader.get(&table, "mass");
    body.center_of_mass = reader.get(&table, "center_of_mass");
    body.inertia = reader.get(&table, "inertia");
    if let Some(node) = reader.node(&table, "motion") {
        body.motion = read_motion(reader, node, &table.path.key("motion"));
    }
    read_lock(reader, &table, &mut body.lock);
    reader.set(&table, "gravity_scale", &mut body.gravity_scale);
    reader.set(&table, "force", &mut body.force);
    reader.set(&table, "torque", &mut body.torque);
    reader.set(&table, "linear_damping", &mut body.linear_damping);
    reader.set(&table, "angular_damping", &mut body.angular_damping);
    if let Some(node) = reader.node(&table, "medium") {
        body.medium = medium::read_of_body(reader, node, &table.path.key("medium"));
    }
    read_shapes(reader, &table, &mut body);
    body.color = reader.get(&table, "color");
    body
}

impl FromNode for Color {
    const EXPECTED: &'static str = "a colour such as \"#c04040\"";

    fn from_node(node: &Node) -> Option<Self> {
        match &node.value {
            Value::String(text) => Self::parse(text),
            _ => None,
        }
    }
}

impl FromNode for Sym3 {
    const EXPECTED: &'static str = "three numbers [xx, yy, zz] or six [xx, yy, zz, xy, xz, yz]";

    fn from_node(node: &Node) -> Option<Self> {
        if let Some(d) = numbers(node) {
            return Some(Self::diagonal(Vec3::from_array(d)));
        }
        numbers(node).map(|[xx, yy, zz, xy, xz, yz]| Self { xx, yy, zz, xy, xz, yz })
    }
}

fn read_shapes<'d>(reader: &mut Reader<'d>, table: &Table<'d>, body: &mut BodySpec) {
    let path = table.path.key("shape");
    let one = reader.node(table, "shape");
    let many = reader.node(table, "shapes");
    if let (Some(_), Some(many)) = (one, many) {
        let problem = "the body has both `shape` and `shapes`";
        let error = SceneError::new(table.path.key("shapes"), "", problem, "Put all of them into `shapes`.");
        reader.error(error, &many.place);
    }
    // `shape = [{…}, {…}]` is as clear as `shapes`, and the other way round.
    for node in [one, many].into_iter().flatten() {
        match &node.value {
            Value::Array(items) => {
                for item in items {
                    let path = path.index(body.shapes.len());
                    body.shapes.extend(shape::read(reader, item, &path));
                }
            }
            _ => body.shapes.extend(shape::read(reader, node, &path.index(body.shapes.len()))),
        }
    }
}

fn read_lock<'d>(reader: &mut Reader<'d>, table: &Table<'d>, lock: &mut Lock) {
    let items = reader.items(table, "lock", "an array of axes such as [\"x\", \"rz\"]");
    for (i, item) in items.iter().enumerate() {
        let path = table.path.key("lock").index(i);
        match &item.value {
            Value::String(word) if lock.add(word) => {}
            Value::String(word) => {
                reader.error(SceneError::unknown_word(path, word, "axis", Lock::WORDS), &item.place);
            }
            _ => reader.mismatch(item, path, "an axis such as \"x\" or \"rz\""),
        }
    }
}

fn read_motion<'d>(reader: &mut Reader<'d>, node: &'d Node, path: &SpecPath) -> Motion {
    match super::kind(reader, node, path, keys::MOTION, (&[], None)) {
        Some(("static", _)) => Motion::Static,
        Some(("driven", table)) => {
            let (mut linear_velocity, mut angular_velocity) = (Vec3::ZERO, Vec3::ZERO);
            let (mut keyframes, mut limit) = (Vec::new(), DriveLimit::Unlimited);
            if let Some(table) = &table {
                reader.set(table, "linear_velocity", &mut linear_velocity);
                reader.set(table, "angular_velocity", &mut angular_velocity);
                let items = reader.items(table, "keyframes", "an array of { t, position, orientation }");
                for (i, item) in items.iter().enumerate() {
                    keyframes.extend(read_keyframe(reader, item, &table.path.key("keyframes").index(i)));
                }
                if let Some(node) = reader.node(table, "limit") {
                    limit = read_limit(reader, node, &table.path.key("limit"));
                }
            }
            Motion::Driven { linear_velocity, angular_velocity, keyframes, limit }
        }
        _ => Motion::Dynamic,
    }
}

fn read_keyframe<'d>(reader: &mut Reader<'d>, node: &'d Node, path: &SpecPath) -> Option<Keyframe> {
    let table = reader.table(node, path, keys::KEYFRAME)?;
    let t = reader.needed(&table, "t")?;
    let position = reader.needed(&table, "position")?;
    let orientation = reader.get(&table, "orientation").unwrap_or(Quat::IDENTITY);
    Some(Keyframe { t, position, orientation })
}

fn read_limit<'d>(reader: &mut Reader<'d>, node: &'d Node, path: &SpecPath) -> DriveLimit {
    let kind = super::kind(reader, node, path, DriveLimit::KINDS, (&[], Some("torque")));
    let Some((kind, table)) = kind else { return DriveLimit::Unlimited };
    let Some(table) = table else {
        if kind != "unlimited" {
            reader.mismatch(node, path.clone(), "a table such as { kind = \"torque\", max = 10 }");
        }
        return DriveLimit::Unlimited;
    };
    match kind {
        "torque" => {
            reader.need(&table, "max", "the largest torque [N·m]").map(|max| DriveLimit::Torque { max })
        }
        "power" => reader.need(&table, "max", "the largest power [W]").map(|max| DriveLimit::Power { max }),
        "cap" => reader
            .need(&table, "impulse", "the largest impulse of a step [N·s]")
            .map(|impulse| DriveLimit::Cap { impulse }),
        _ => None,
    }
    .unwrap_or_default()
}
