//! The tables of a scene file, one file each, from tree to plain data.

mod body;
mod edit;
mod expect;
mod include;
mod joint;
mod material;
mod medium;
mod repeat;
mod shape;
mod tendon;
mod world;

use super::document::{Node, Value};
use super::include::IncludeSpec;
use super::keys;
use super::reader::{Reader, Table};
use huygens::scene::{Scene, SpecPath};

/// The scene that the file describes; what could not be read is in `reader.errors`.
pub(super) fn scene<'d>(reader: &mut Reader<'d>, root: &'d Node) -> (Scene, Vec<IncludeSpec>) {
    let mut scene = Scene::default();
    let mut includes = Vec::new();
    let Some(table) = reader.table(root, &SpecPath::root(), keys::ROOT) else { return (scene, includes) };
    if let Some(node) = reader.node(&table, "include") {
        includes = include::read_all(reader, node);
    }
    if let Some(node) = reader.node(&table, "world") {
        scene.world = world::read(reader, node);
    }
    if let Some(node) = reader.node(&table, "materials") {
        scene.materials = material::read_all(reader, node);
    }
    for (path, node) in list(reader, &table, "pair") {
        scene.pairs.push(material::read_pair(reader, node, &path));
    }
    for (i, (path, node)) in list(reader, &table, "body").into_iter().enumerate() {
        scene.bodies.push(body::read(reader, node, path, &format!("body{i}")));
    }
    for (i, (path, node)) in list(reader, &table, "repeat").into_iter().enumerate() {
        repeat::add(reader, node, &path, i, &mut scene);
    }
    for (i, (path, node)) in list(reader, &table, "joint").into_iter().enumerate() {
        scene.joints.push(joint::read(reader, node, path, &format!("joint{i}")));
    }
    for (i, (path, node)) in list(reader, &table, "coupling").into_iter().enumerate() {
        scene.couplings.push(joint::read_coupling(reader, node, path, &format!("coupling{i}")));
    }
    for (i, (path, node)) in list(reader, &table, "tendon").into_iter().enumerate() {
        scene.tendons.push(tendon::read(reader, node, path, &format!("tendon{i}")));
    }
    if let Some(node) = reader.node(&table, "medium") {
        scene.medium = medium::read(reader, node);
    }
    for (i, (path, node)) in list(reader, &table, "spring").into_iter().enumerate() {
        scene.springs.push(medium::read_spring(reader, node, path, &format!("spring{i}")));
    }
    for (path, node) in list(reader, &table, "edit") {
        scene.edits.extend(edit::read(reader, node, &path));
    }
    if let Some(node) = reader.node(&table, "expect") {
        scene.expect = expect::read(reader, node);
    }
    (scene, includes)
}

/// The tables of `[[key]]`, each with its place.
fn list<'d>(reader: &mut Reader<'d>, table: &Table<'d>, key: &'static str) -> Vec<(SpecPath, &'d Node)> {
    let expected = format!("tables [[{key}]]");
    let items = reader.items(table, key, &expected);
    items.iter().enumerate().map(|(i, node)| (SpecPath::top(key).index(i), node)).collect()
}

/// The kind of a table that is either a word or has a `kind`; with its own keys, and the table if there is one.
///
/// `common` are the keys that every kind takes. A kind that is not known, or missing without a `default`, is an error.
fn kind<'d>(
    reader: &mut Reader<'d>,
    node: &'d Node,
    path: &SpecPath,
    kinds: &[(&'static str, &'static [&'static str])],
    (common, default): (&[&str], Option<&'static str>),
) -> Option<(&'static str, Option<Table<'d>>)> {
    let words = kinds.iter().map(|(word, _)| *word);
    if let Value::String(word) = &node.value {
        let known = kinds.iter().find(|(known, _)| known == word);
        if known.is_none() {
            let error = huygens::scene::SceneError::unknown_word(path.clone(), word, "kind", words);
            reader.error(error, &node.place);
        }
        return known.map(|(word, _)| (*word, None));
    }
    let table = reader.open(node, path)?;
    let word = match (table.has("kind"), default) {
        (false, Some(default)) => default.to_owned(),
        (false, None) => {
            let words: Vec<&str> = words.collect();
            reader.missing(&table, "kind", &format!("one of {}", words.join(", ")));
            return None;
        }
        (true, _) => reader.get::<String>(&table, "kind")?,
    };
    let Some((word, own)) = kinds.iter().find(|(known, _)| *known == word) else {
        reader.unknown_word(&table, "kind", &word, words);
        return None;
    };
    let mut known = vec!["kind"];
    known.extend(common);
    known.extend(*own);
    reader.only(&table, &known, &format!("of kind \"{word}\""));
    Some((word, Some(table)))
}
