//! Checks of `[[coupling]]`.

use super::joint::unknown_body;
use super::number::Findings;
use crate::scene::{CouplingKind, CouplingSpec, Scene, SceneError, SpecPath};
use std::collections::BTreeSet;

pub(super) fn check(scene: &Scene, found: &mut Findings) {
    let mut names = BTreeSet::new();
    for (i, coupling) in scene.couplings.iter().enumerate() {
        let mut path = SpecPath::top("coupling").name(&coupling.name);
        if coupling.name.is_empty() || !names.insert(&coupling.name) {
            path = SpecPath::top("coupling").index(i);
            let shown = format!("{:?}", coupling.name);
            let problem = "every coupling needs a name of its own";
            found.add(path.key("name"), shown, problem, "Give it another `name`.");
        }
        if coupling.kind.is_of_joints() {
            of_joints(scene, coupling, &path, found);
        } else {
            of_bodies(scene, coupling, &path, found);
        }
    }
}

fn of_joints(scene: &Scene, coupling: &CouplingSpec, path: &SpecPath, found: &mut Findings) {
    for name in &coupling.joints {
        if !scene.joints.iter().any(|joint| joint.name == *name) {
            let known = scene.joints.iter().map(|joint| joint.name.as_str());
            found.push(SceneError::unknown_word(path.key("joints"), name, "joint", known));
        }
    }
    if coupling.joints[0] == coupling.joints[1] {
        let problem = "couples a joint with itself";
        found.add(path.key("joints"), format_args!("{:?}", coupling.joints), problem, "Name two joints.");
    }
    found.finite(|| path.key("ratio"), coupling.ratio);
    for c in coupling.coefficients {
        found.finite(|| path.key("coefficients"), c);
    }
    let same = |other: &&CouplingSpec| {
        other.name != coupling.name && other.kind == coupling.kind && other.joints == coupling.joints
    };
    let numbers = |c: &CouplingSpec| (c.ratio, c.coefficients);
    if let Some(other) = scene.couplings.iter().find(same).filter(|other| numbers(other) != numbers(coupling))
    {
        let problem = format!("coupling {:?} says something else about the same joints", other.name);
        found.add(
            path.key("joints"),
            format_args!("{:?}", coupling.joints),
            problem,
            "Remove one of the two.",
        );
    }
}

fn of_bodies(scene: &Scene, coupling: &CouplingSpec, path: &SpecPath, found: &mut Findings) {
    for name in coupling.bodies.iter().filter(|name| !name.is_empty()) {
        if scene.find_body(name).is_none() {
            found.push(unknown_body(scene, path.key("bodies"), name));
        }
    }
    if coupling.bodies[0] == coupling.bodies[1] {
        let problem = "couples a body with itself";
        found.add(path.key("bodies"), format_args!("{:?}", coupling.bodies), problem, "Name two bodies.");
    }
    for anchor in coupling.anchors {
        found.vector(|| path.key("anchors"), anchor);
    }
    let is_line = matches!(coupling.kind, CouplingKind::Distance | CouplingKind::Rope);
    let length = coupling.length.unwrap_or((coupling.anchors[0] - coupling.anchors[1]).length());
    if is_line && !(length > 0.0 && length.is_finite()) {
        let problem = "a rope or rod needs a length above 0";
        found.add(path.key("length"), length, problem, "Give a `length`, or anchors that are apart.");
    }
}
