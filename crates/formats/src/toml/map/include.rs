//! `include`: a file name, a table, or an array of either.

use super::super::document::{Node, Value};
use super::super::include::{IncludeSpec, MOST_COPIES};
use super::super::keys;
use super::super::reader::Reader;
use huygens::scene::{SceneError, SpecPath};
use huygens_math::{Quat, Vec3};

pub(super) fn read_all<'d>(reader: &mut Reader<'d>, node: &'d Node) -> Vec<IncludeSpec> {
    let path = SpecPath::top("include");
    match &node.value {
        Value::Array(items) => {
            items.iter().enumerate().filter_map(|(i, item)| read(reader, item, path.index(i))).collect()
        }
        _ => read(reader, node, path).into_iter().collect(),
    }
}

fn read<'d>(reader: &mut Reader<'d>, node: &'d Node, path: SpecPath) -> Option<IncludeSpec> {
    let mut spec = IncludeSpec {
        file: String::new(),
        position: Vec3::ZERO,
        orientation: Quat::IDENTITY,
        prefix: String::new(),
        count: 1,
        spacing: Vec3::ZERO,
        path: path.clone(),
    };
    match &node.value {
        Value::String(file) => spec.file.clone_from(file),
        Value::Table(_) => {
            let table = reader.table(node, &path, keys::INCLUDE)?;
            spec.file = reader.needed(&table, "file")?;
            reader.set(&table, "position", &mut spec.position);
            reader.set(&table, "orientation", &mut spec.orientation);
            reader.set(&table, "prefix", &mut spec.prefix);
            reader.set(&table, "count", &mut spec.count);
            reader.set(&table, "spacing", &mut spec.spacing);
            spec.path = path.key("file");
        }
        _ => {
            reader.mismatch(node, path, "a file name, or a table { file = … }");
            return None;
        }
    }
    let mut wrong = |key: &'static str, value: String, problem: &str, remedy: &str| {
        reader.error(SceneError::new(path.key(key), value, problem, remedy), &node.place);
    };
    let length = spec.orientation.length();
    if !(length.is_finite() && (length - 1.0).abs() < 1e-3) {
        wrong(
            "orientation",
            format!("{:?}", spec.orientation),
            "is no unit quaternion",
            "Write [w, x, y, z].",
        );
        return None;
    }
    if !spec.position.is_finite() || !spec.spacing.is_finite() {
        wrong("position", format!("{:?}", spec.position), "is not finite", "Write three numbers.");
        return None;
    }
    if spec.count == 0 || spec.count > MOST_COPIES {
        wrong("count", spec.count.to_string(), "must be from 1 to 100000", "Write a whole number.");
        return None;
    }
    spec.orientation = spec.orientation.normalize();
    Some(spec)
}
