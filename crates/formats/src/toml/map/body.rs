//! `[[body]]`.

use super::super::document::{Node, Value};
use super::super::keys;
use super::super::reader::{Reader, Table};
use super::{medium, shape};
use huygens::scene::{Body, DriveLimit, Keyframe, Lock, Motion, SceneError, SpecPath};
use huygens_math::Vec3;

pub(super) fn read<'d>(reader: &mut Reader<'d>, node: &'d Node, path: SpecPath, default: &str) -> Body {
    let mut body = Body { name: default.to_owned(), ..Body::default() };
    // A repeated body has no name of its own: errors call it by its place.
    let is_repeated = path.parent() != Some(SpecPath::top("body"));
    let table = if is_repeated { reader.open(node, &path) } else { reader.open_named(node, path, "body") };
    let Some(table) = table else { return body };
    reader.fill(&table, &mut body);
    if let Some(node) = reader.node(&table, "motion") {
        body.motion = read_motion(reader, node, &table.path.key("motion"));
    }
    read_lock(reader, &table, &mut body.lock);
    if let Some(node) = reader.node(&table, "medium") {
        body.medium = medium::read_of_body(reader, node, &table.path.key("medium"));
    }
    read_shapes(reader, &table, &mut body);
    body
}

fn read_shapes<'d>(reader: &mut Reader<'d>, table: &Table<'d>, body: &mut Body) {
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
    let table = reader.open(node, path)?;
    let mut frame = Keyframe::default();
    reader.fill(&table, &mut frame);
    Some(frame)
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
