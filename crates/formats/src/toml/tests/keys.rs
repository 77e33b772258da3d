//! The tables of keys against docs/scene-file.md, against the defaults of a scene, and against the writer.

use super::super::document::{Document, Node, Value, find};
use super::super::keys::*;
use super::super::{parse, write};
use super::round_trip::whole;
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

/// What docs/scene-file.md tells of.
const TOLD: [&[Key]; 14] = [
    WORLD,
    SOFT_STEP,
    MATERIAL,
    PAIR,
    BODY,
    KEYFRAME,
    SHAPE,
    REPEAT,
    JOINT,
    MEDIUM,
    WIND,
    BODY_MEDIUM,
    SPRING,
    EDIT,
];

#[test]
fn the_page_has_the_tables_of_keys_word_for_word() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scene-file.md");
    let page = std::fs::read_to_string(page).unwrap();
    for keys in TOLD {
        let table = markdown(keys);
        assert!(page.contains(&table), "docs/scene-file.md lacks this table:\n{table}");
    }
    let tables = page.matches("| key | default | meaning |").count();
    assert_eq!(tables, TOLD.len(), "every table of keys on the page is one of these");
}

/// A scene that is valid without the keys of one table, and where those are written.
fn places() -> Vec<(&'static [Key], &'static str, &'static str)> {
    vec![
        (WORLD, "[world]\n", ""),
        (SOFT_STEP, "[world.soft_step]\n", ""),
        (BODY, "[[body]]\n", ""),
        (SHAPE, "[[body]]\n[body.shape]\nkind = \"sphere\"\nradius = 1\n", ""),
        (REPEAT, "[[repeat]]\nkind = \"grid\"\ncount = [1, 1, 1]\nspacing = 1\nbody = {}\n", ""),
        (JOINT, "[[joint]]\nchild = \"b\"\nanchor = [0, 0, 0]\n", ""),
        (MEDIUM, "[medium]\n", ""),
        (WIND, "[medium.wind]\n", ""),
        (BODY_MEDIUM, "[[body]]\n[body.medium]\n", ""),
        (SPRING, "[[spring]]\nbodies = \"b\"\nanchors = [[0, 0, 0], [0, 0, 1]]\nstiffness = 1\n", ""),
        (
            KEYFRAME,
            "[[body]]\nmotion = { kind = \"driven\", keyframes = [{ t = 0, position = [0, 0, 0]",
            " }] }",
        ),
    ]
}

#[test]
fn a_key_that_is_written_with_its_default_changes_nothing() {
    let mut seen = 0;
    for (keys, before, after) in places() {
        let read = |line: &str| {
            let text = format!("{before}{line}{after}");
            parse("scene.toml", &text, &[]).unwrap_or_else(|report| panic!("{report}")).scene
        };
        for key in keys {
            let Absent::Is(value) = key.default else { continue };
            let comma = if after.is_empty() { "" } else { ", " };
            assert_eq!(read(&format!("{comma}{} = {value}", key.name)), read(""), "{} = {value}", key.name);
            seen += 1;
        }
    }
    let all = TOLD.iter().flat_map(|keys| keys.iter()).filter(|key| matches!(key.default, Absent::Is(_)));
    assert_eq!(seen, all.count(), "every default is tried");
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
    let seconds = write(&scene);
    // A run has a number of steps or of seconds.
    scene.world.duration = huygens::scene::Duration::Steps(3);
    let steps = write(&scene);
    let documents = [Document::parse("seconds.toml", &seconds).0, Document::parse("steps.toml", &steps).0];
    let paths: [(&[Key], &[&str]); 16] = [
        (ROOT, &[]),
        (WORLD, &["world"]),
        (SOFT_STEP, &["world", "soft_step"]),
        (MATERIAL, &["materials", "*"]),
        (PAIR, &["pair"]),
        (BODY, &["body"]),
        (KEYFRAME, &["body", "motion", "keyframes"]),
        (SHAPE, &["body", "shapes"]),
        (REPEAT, &["repeat"]),
        (JOINT, &["joint"]),
        (MEDIUM, &["medium"]),
        (WIND, &["medium", "wind"]),
        (BODY_MEDIUM, &["body", "medium"]),
        (SPRING, &["spring"]),
        (DURING, &["expect", "during"]),
        (EDIT, &["edit"]),
    ];
    for (keys, path) in paths {
        let mut found = BTreeSet::new();
        documents.iter().for_each(|document| written(&document.root, path, &mut found));
        let missing: Vec<&str> = names(keys).into_iter().filter(|name| !found.contains(name)).collect();
        assert!(missing.is_empty(), "{path:?}: {missing:?} are never written");
    }
}
