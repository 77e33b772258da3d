//! Checks of `[materials]` and `[[pair]]`.

use super::number::Findings;
use super::table;
use crate::scene::{Combine, Motion, Scene, SceneError, SpecPath, Surface, SurfaceSpec};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn check(scene: &Scene, found: &mut Findings) {
    for (name, material) in &scene.materials {
        let path = SpecPath::top("materials").name(name);
        let good = table::check(material, &path, found);
        check_surface(&material.surface, good, &path, found);
    }
    let mut seen: BTreeSet<[&str; 2]> = BTreeSet::new();
    for (i, pair) in scene.pairs.iter().enumerate() {
        let path = SpecPath::top("pair").index(i);
        for (key, name) in [("a", &pair.a), ("b", &pair.b)] {
            check_name(scene, name, || path.key(key), found);
        }
        let mut names = [pair.a.as_str(), pair.b.as_str()];
        names.sort_unstable();
        if !seen.insert(names) {
            found.add(
                path.clone(),
                format_args!("{:?} and {:?}", pair.a, pair.b),
                "these two materials have a pair already",
                "Keep one of the two.",
            );
        }
        let good = table::check(pair, &path, found);
        check_surface(&pair.surface, good, &path, found);
    }
    if scene.world.combine == Combine::Table {
        check_table(scene, found);
    }
}

/// The material `name` exists.
pub(super) fn check_name(scene: &Scene, name: &str, path: impl FnOnce() -> SpecPath, found: &mut Findings) {
    if scene.materials.contains_key(name) {
        return;
    }
    let known = scene.materials.keys().map(String::as_str);
    let mut error = SceneError::unknown_word(path(), name, "material", known);
    if scene.materials.is_empty() {
        error.remedy = format!("Add a table [materials.{name}].");
    }
    found.push(error);
}

/// Static and dynamic friction fit together; `good` when each of them is a coefficient.
fn check_surface(surface: &SurfaceSpec, good: bool, path: &SpecPath, found: &mut Findings) {
    let Surface { friction_static, friction_dynamic, .. } = surface.over(&Surface::default());
    if good && friction_static < friction_dynamic {
        let key = if surface.friction_static.is_some() { "friction_static" } else { "friction_dynamic" };
        let value = if surface.friction_static.is_some() { friction_static } else { friction_dynamic };
        found.add(
            path.key(key),
            value,
            format!(
                "static friction ({friction_static}) must not be below dynamic friction ({friction_dynamic})"
            ),
            "Raise `friction_static` or lower `friction_dynamic`; `friction` sets both.",
        );
    }
}

/// With `combine = "table"` every two materials that can meet need a pair.
fn check_table(scene: &Scene, found: &mut Findings) {
    // Material name → whether a body that can move carries it.
    let mut moving: BTreeMap<&str, bool> = BTreeMap::new();
    let bodies = scene.bodies.iter().map(|body| (SpecPath::body(&body.name), body));
    let repeated = scene.repeats.iter().enumerate().flat_map(|(i, repeat)| {
        let path = SpecPath::top("repeat").index(i).key("body");
        repeat.bodies.iter().enumerate().map(move |(k, body)| (path.index(k), body))
    });
    for (path, body) in bodies.chain(repeated) {
        for (k, shape) in body.shapes.iter().enumerate() {
            match &shape.material {
                Some(name) => *moving.entry(name).or_default() |= body.motion != Motion::Static,
                None => found.add(
                    path.key("shape").index(k),
                    "",
                    "has no material, and combine = \"table\" knows only pairs of materials",
                    "Give the shape a `material`, or choose another `combine`.",
                ),
            }
        }
    }
    for (i, (a, a_moves)) in moving.iter().enumerate() {
        for (b, b_moves) in moving.iter().skip(i) {
            if (*a_moves || *b_moves) && scene.pair_of(Some(a), Some(b)).is_none() {
                found.add(
                    SpecPath::top("world").key("combine"),
                    "\"table\"",
                    format!("materials {a:?} and {b:?} can meet and have no pair"),
                    format!("Add [[pair]] a = {a:?}, b = {b:?}, or choose another `combine`."),
                );
            }
        }
    }
}
