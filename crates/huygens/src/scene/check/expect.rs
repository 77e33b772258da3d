//! Checks of `[expect]`.

use super::joint::unknown_body;
use super::number::{Findings, show_all};
use crate::scene::{Body, Check, Motion, Quantity, Scene, SceneError, SpecPath};
use huygens_math::Vec3;

pub(super) fn check(scene: &Scene, found: &mut Findings) {
    let expect = SpecPath::top("expect");
    check_all(scene, &scene.expect.checks, &expect, found);
    for (i, during) in scene.expect.during.iter().enumerate() {
        let path = expect.key("during").index(i);
        for (key, time) in [("from", during.from), ("until", during.until)] {
            if let Some(time) = time {
                found.not_negative(|| path.key(key), time, "a time of the run");
            }
        }
        if during.from.zip(during.until).is_some_and(|(from, until)| from > until) {
            let until = during.until.unwrap_or_default();
            found.add(path.key("until"), until, "is before `from`", "Write the earlier time as `from`.");
        }
        check_all(scene, &during.checks, &path, found);
    }
}

fn check_all(scene: &Scene, checks: &[Check], expect: &SpecPath, found: &mut Findings) {
    for check in checks {
        let path = path_of(expect, &check.quantity);
        check_band(check, &path, found);
        match &check.quantity {
            Quantity::Body(name, _) if scene.find_body(name).is_none() => {
                found.push(unknown_body(scene, parent(path), name));
            }
            Quantity::Driver(name, _) => {
                // A body with a belt is among the drivers too.
                let has_belt =
                    |b: &Body| b.shapes.iter().any(|shape| scene.surface_velocity_of(shape) != Vec3::ZERO);
                let driven = |name: &str| {
                    let body = scene.find_body(name);
                    body.is_some_and(|b| matches!(b.motion, Motion::Driven { .. }) || has_belt(b))
                };
                if !driven(name) {
                    let known = scene.bodies.iter().map(|b| b.name.as_str()).filter(|n| driven(n));
                    found.push(SceneError::unknown_word(parent(path), name, "driven body", known));
                }
            }
            Quantity::Joint(name, _) if scene.joints.iter().all(|j| j.name != *name) => {
                let known = scene.joints.iter().map(|j| j.name.as_str());
                found.push(SceneError::unknown_word(parent(path), name, "joint", known));
            }
            _ => {}
        }
    }
}

fn check_band(check: &Check, path: &SpecPath, found: &mut Findings) {
    let (low, high) = (check.band.low, check.band.high);
    // An infinite end is a one-sided band, which is fine.
    if low.is_nan() || high.is_nan() || low > high {
        found.add(
            path.clone(),
            show_all(&[low, high]),
            "no value can be in this band",
            "Write [smallest, largest].",
        );
    }
}

fn parent(path: SpecPath) -> SpecPath {
    path.parent().unwrap_or_default()
}

/// Where a scene file has the check of `quantity`.
fn path_of(expect: &SpecPath, quantity: &Quantity) -> SpecPath {
    use crate::scene::Named;
    match quantity {
        Quantity::Body(name, field) => expect.key("bodies").name(name).key(field.word()),
        Quantity::Ledger(account) => expect.key("ledger").key(*account),
        Quantity::Driver(name, field) => expect.key("drivers").name(name).key(field.word()),
        Quantity::Joint(name, field) => expect.key("joints").name(name).key(field.word()),
        whole => expect.key(whole.to_string()),
    }
}
