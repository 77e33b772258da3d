//! The tables of keys against docs/scene-file.md, against the defaults of a scene, and against the writer.

use super::super::document::{Document, Node, Value, find};
use super::super::keys::{COUPLING, DURING, INCLUDE, JOINT, REPEAT, ROOT, TENDON, names};
use super::super::{parse, write};
use super::round_trip::whole;
use huygens::scene::keys::{Absent, Key, keys_of};
use huygens::scene::{
    Body, BodyMediumSpec, ContactsOf, ConvexSpec, EditSpec, Keyframe, Material, MediumSpec, PairSpec, Shape,
    SoftStepSpec, Spring, WindSpec, WorldSpec,
};
use std::collections::BTreeSet;
use std::path::Path;

/// A table of keys, as docs/scene-file.md has it.
fn markdown(keys: &[Key]) -> String {
    let mut text = String::from("| key | default | meaning |\n|---|---|---|\n");
    for key in keys {
        let default = match key.default {
            Absent::Needed => "*needed*".to_owned(),
            Absent::Is(value) => format!("`{value}`"),
            Absent::Says(words) => words.to_owned(),
        };
        text += &format!("| `{}` | {default} | {} |\n", key.name, key.meaning);
    }
    text
}

/// Tables of keys of docs/scene-file.md, each with its place in a scene file.
fn told() -> Vec<(Vec<Key>, &'static [&'static str])> {
    vec![
        (keys_of(&WorldSpec::default()), &["world"]),
        (keys_of(&SoftStepSpec::default()), &["world", "soft_step"]),
        (keys_of(&ConvexSpec::default()), &["world", "convex"]),
        (keys_of(&Material::default()), &["materials", "*"]),
        (keys_of(&PairSpec::default()), &["pair"]),
        (keys_of(&Body::default()), &["body"]),
        (keys_of(&Keyframe::default()), &["body", "motion", "keyframes"]),
        (keys_of(&Shape::default()), &["body", "shapes"]),
        (REPEAT.to_vec(), &["repeat"]),
        (INCLUDE.to_vec(), &["include"]),
        (JOINT.to_vec(), &["joint"]),
        (COUPLING.to_vec(), &["coupling"]),
        (TENDON.to_vec(), &["tendon"]),
        (keys_of(&MediumSpec::default()), &["medium"]),
        (keys_of(&WindSpec::default()), &["medium", "wind"]),
        (keys_of(&BodyMediumSpec::default()), &["body", "medium"]),
        (keys_of(&Spring::default()), &["spring"]),
        (keys_of(&EditSpec::default()), &["edit"]),
    ]
}

#[test]
fn the_page_has_the_tables_of_keys_word_for_word() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scene-file.md");
    let page = std::fs::read_to_string(page).unwrap();
    for (keys, _) in told() {
        let table = markdown(&keys);
        assert!(page.contains(&table), "docs/scene-file.md lacks this table:\n{table}");
    }
    let tables = page.matches("| key | default | meaning |").count();
    assert_eq!(tables, told().len(), "every table of keys on the page is one of these");
}

/// A scene that is valid without the keys of the table at a place: the text before those keys, and the text after them.
fn scene_around(place: &[&str]) -> [&'static str; 2] {
    let before = match place {
        ["world"] => "[world]\n",
        ["world", "soft_step"] => "[world.soft_step]\n",
        ["world", "convex"] => "[world.convex]\n",
        ["materials", "*"] => "[materials.m]\n",
        ["pair"] => "[[pair]]\na = \"m\"\nb = \"m\"\n",
        ["body"] => "[[body]]\n",
        ["body", "shapes"] => "[[body]]\n[body.shape]\nkind = \"sphere\"\nradius = 1\n",
        ["repeat"] => "[[repeat]]\nkind = \"grid\"\ncount = [1, 1, 1]\nspacing = 1\nbody = {}\n",
        ["include"] => "[include]\nfile = \"robot.xml\"\n",
        ["joint"] => "[[joint]]\nchild = \"b\"\nanchor = [0, 0, 0]\n",
        ["coupling"] => "[[coupling]]\nkind = \"rope\"\nbodies = \"b\"\n",
        ["tendon"] => "[[tendon]]\n",
        ["medium"] => "[medium]\n",
        ["medium", "wind"] => "[medium.wind]\n",
        ["body", "medium"] => "[[body]]\n[body.medium]\n",
        ["spring"] => "[[spring]]\nbodies = \"b\"\nanchors = [[0, 0, 0], [0, 0, 1]]\nstiffness = 1\n",
        ["edit"] => "[[edit]]\nafter = 1\nbody = \"b\"\n",
        ["body", "motion", "keyframes"] => {
            return [
                "[[body]]\nmotion = { kind = \"driven\", keyframes = [{ t = 0, position = [0, 0, 0]",
                " }] }",
            ];
        }
        _ => panic!("no scene for {place:?}"),
    };
    [before, ""]
}

#[test]
fn a_key_that_is_written_with_its_default_changes_nothing() {
    for (keys, place) in told() {
        let [before, after] = scene_around(place);
        let read = |line: &str| {
            let text = format!("{before}{line}{after}");
            parse("scene.toml", &text, &[]).unwrap_or_else(|report| panic!("{report}")).scene
        };
        for key in keys {
            let Absent::Is(value) = key.default else { continue };
            let comma = if after.is_empty() { "" } else { ", " };
            assert_eq!(read(&format!("{comma}{} = {value}", key.name)), read(""), "{} = {value}", key.name);
        }
    }
}

/// The keys that the tables at a path have, over all of them.
fn written<'d>(node: &'d Node, path: &[&str], keys: &mut BTreeSet<&'d str>) {
    match &node.value {
        Value::Array(items) => items.iter().for_each(|item| written(item, path, keys)),
        Value::Table(entries) => match path {
            [] => keys.extend(entries.iter().map(|entry| entry.key.as_str())),
            ["*", rest @ ..] => entries.iter().for_each(|entry| written(&entry.node, rest, keys)),
            [step, rest @ ..] => {
                if let Some(entry) = find(entries, step) {
                    written(&entry.node, rest, keys);
                }
            }
        },
        _ => {}
    }
}

#[test]
fn every_key_is_written_when_it_has_not_its_default() {
    let mut scene = whole();
    // A scene with it is refused: it belongs to model files.
    scene.world.contacts = ContactsOf::Mujoco;
    let seconds = write(&scene);
    // A run has a number of steps or of seconds.
    scene.world.duration = huygens::scene::Duration::Steps(3);
    let steps = write(&scene);
    let documents = [Document::parse("seconds.toml", &seconds).0, Document::parse("steps.toml", &steps).0];
    let mut tables = told();
    tables.extend([(ROOT.to_vec(), &[] as &[&str]), (DURING.to_vec(), &["expect", "during"])]);
    tables.retain(|(_, path)| *path != ["include"]);
    for (keys, path) in tables {
        let mut found = BTreeSet::new();
        documents.iter().for_each(|document| written(&document.root, path, &mut found));
        // What is included, and assemblies that are repeated with their joints, are written as bodies and joints.
        let is_expanded = |name: &str| name == "include" || (path == ["repeat"] && name == "joints");
        let missing: Vec<&str> =
            names(&keys).into_iter().filter(|name| !is_expanded(name) && !found.contains(name)).collect();
        assert!(missing.is_empty(), "{path:?}: {missing:?} are never written");
    }
}
