//! Checks of `[[tendon]]`.

use super::joint::{check_spring_and_motor, unknown_body};
use super::number::{Findings, show_all};
use crate::scene::{Scene, SceneError, SpecPath, TendonPart, TendonSpec};
use std::collections::BTreeSet;

pub(super) fn check(scene: &Scene, found: &mut Findings) {
    let mut names = BTreeSet::new();
    for (i, tendon) in scene.tendons.iter().enumerate() {
        let mut path = SpecPath::top("tendon").name(&tendon.name);
        if tendon.name.is_empty() || !names.insert(&tendon.name) {
            path = SpecPath::top("tendon").index(i);
            let shown = format!("{:?}", tendon.name);
            found.add(
                path.key("name"),
                shown,
                "every tendon needs a name of its own",
                "Give it another `name`.",
            );
        }
        way(scene, tendon, &path, found);
        numbers(tendon, &path, found);
    }
}

fn way(scene: &Scene, tendon: &TendonSpec, path: &SpecPath, found: &mut Findings) {
    if tendon.joints.is_empty() == tendon.path.is_empty() {
        let problem = "a tendon has either joints or a path";
        found.add(
            path.key("path"),
            "",
            problem,
            "Give `joints = [{ joint, factor }, …]` or `path = [{ body, at }, …]`.",
        );
    }
    for part in &tendon.joints {
        found.finite(|| path.key("joints"), part.factor);
        if !scene.joints.iter().any(|joint| joint.name == part.joint) {
            let known = scene.joints.iter().map(|joint| joint.name.as_str());
            found.push(SceneError::unknown_word(path.key("joints"), &part.joint, "joint", known));
        }
    }
    for name in tendon.bodies().filter(|name| !name.is_empty()) {
        if scene.find_body(name).is_none() {
            found.push(unknown_body(scene, path.key("path"), name));
        }
    }
    for part in &tendon.path {
        let _ = match part {
            TendonPart::Point { at, .. } => found.vector(|| path.key("path"), *at),
            TendonPart::Pulley(divisor) => {
                found.positive(|| path.key("path"), *divisor, "the divisor of a pulley")
            }
            TendonPart::Wrap { side, .. } => side.iter().all(|side| found.vector(|| path.key("path"), *side)),
        };
    }
    let is_point = |part: Option<&TendonPart>| matches!(part, Some(TendonPart::Point { .. }));
    for (i, part) in tendon.path.iter().enumerate() {
        let stands_between = i > 0 && is_point(tendon.path.get(i - 1)) && is_point(tendon.path.get(i + 1));
        if matches!(part, TendonPart::Wrap { .. }) && !stands_between {
            let problem = "a shape to go around stands between two points";
            found.add(path.key("path"), i, problem, "Put { body, at } before and after it.");
        }
    }
    if !tendon.path.is_empty()
        && !tendon
            .path
            .windows(2)
            .any(|two| is_point(two.first()) && !matches!(two[1], TendonPart::Pulley(_)))
    {
        let problem = "a path needs two points";
        found.add(path.key("path"), tendon.path.len(), problem, "Give [{ body, at }, { body, at }].");
    }
}

fn numbers(tendon: &TendonSpec, path: &SpecPath, found: &mut Findings) {
    found.not_negative(|| path.key("damping"), tendon.damping, "damping");
    found.not_negative(|| path.key("friction"), tendon.friction, "friction");
    check_spring_and_motor(tendon.spring.as_ref(), tendon.motor.as_ref(), path, found);
    if let Some([low, high]) =
        tendon.range.filter(|[low, high]| !(low.is_finite() && high.is_finite() && low < high))
    {
        let problem = "must be [low, high] with low < high";
        found.add(path.key("range"), show_all(&[low, high]), problem, "Write both ends of its length.");
    }
}
