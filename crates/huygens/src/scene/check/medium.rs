//! Checks of `[medium]`, of `medium` and damping of bodies, and of `[[spring]]`.

use super::joint::unknown_body;
use super::number::{self, Findings};
use super::table;
use crate::scene::{Body, DriveLimit, MediumSpec, Motion, Scene, SpecPath, Spring};
use std::collections::BTreeSet;

pub(super) fn check(scene: &Scene, found: &mut Findings) {
    if let Some(medium) = &scene.medium {
        check_medium(medium, found);
    }
    let mut names = BTreeSet::new();
    for (i, spring) in scene.springs.iter().enumerate() {
        let mut path = SpecPath::top("spring").name(&spring.name);
        if spring.name.is_empty() || !names.insert(&spring.name) {
            path = SpecPath::top("spring").index(i);
            let shown = format!("{:?}", spring.name);
            found.add(
                path.key("name"),
                shown,
                "every spring needs a name of its own",
                "Give it another `name`.",
            );
        }
        check_spring(scene, spring, &path, found);
    }
}

fn check_medium(medium: &MediumSpec, found: &mut Findings) {
    let path = SpecPath::top("medium");
    table::check(medium, &path, found);
    for (i, wind) in medium.wind.iter().enumerate() {
        let path = path.key("wind").index(i);
        table::check(wind, &path, found);
        let Some([low, high]) = wind.region else { continue };
        let sound = found.vector(|| path.key("region").index(0), low)
            && found.vector(|| path.key("region").index(1), high);
        if sound && !low.cmplt(high).all() {
            found.add(
                path.key("region"),
                format_args!("[{}, {}]", number::show(low), number::show(high)),
                "must be the lowest and the highest corner of a box",
                "Write [[x, y, z], [x, y, z]], every number of the first below that of the second.",
            );
        }
    }
}

/// `medium`, `linear_damping` and `angular_damping` of a body.
pub(super) fn check_body(scene: &Scene, body: &Body, path: &SpecPath, found: &mut Findings) {
    for (key, rate) in [("linear_damping", body.linear_damping), ("angular_damping", body.angular_damping)] {
        if rate > 0.0 {
            must_be_dynamic(body, path, key, found);
        }
    }
    let Some(medium) = &body.medium else { return };
    let within = path.key("medium");
    must_be_dynamic(body, path, "medium", found);
    if scene.medium.is_none() {
        let problem = "the body is to feel a medium, and the scene has none";
        found.add(
            within.clone(),
            "",
            problem,
            "Add [medium] with its `density`, or remove `medium` from the body.",
        );
    }
    table::check(medium, &within, found);
    let shapeless = body.shapes.iter().all(|shape| shape.sensor);
    if shapeless && medium.area.is_none() && (medium.drag != 0.0 || medium.lift != 0.0) {
        let problem = "the body has no shape that an area could be taken from";
        found.add(within.key("area"), "", problem, "Give `area` [m²], or give the body a shape.");
    }
    if shapeless && medium.buoyancy {
        let problem = "the body has no shape, so it displaces nothing";
        found.add(
            within.key("buoyancy"),
            "true",
            problem,
            "Give the body a shape, or set `buoyancy` to false.",
        );
    }
}

fn must_be_dynamic(body: &Body, path: &SpecPath, key: &'static str, found: &mut Findings) {
    if body.motion != Motion::Dynamic {
        let problem = format!("the body is {}, so this has no effect", body.motion.word());
        found.add(path.key(key), "", problem, format!("Remove `{key}`, or make the body dynamic."));
    }
}

fn check_spring(scene: &Scene, spring: &Spring, path: &SpecPath, found: &mut Findings) {
    table::check(spring, path, found);
    let shown = format!("{:?}", spring.bodies);
    if !(1..=2).contains(&spring.bodies.len()) || spring.bodies.first() == spring.bodies.get(1) {
        let problem = "a spring has one body, with its other end in the world, or two different ones";
        found.add(path.key("bodies"), shown, problem, "Write bodies = [\"a\"] or bodies = [\"a\", \"b\"].");
        return;
    }
    let mut moves = false;
    for (k, name) in spring.bodies.iter().enumerate() {
        let path = path.key("bodies").index(k);
        let Some(body) = scene.find_body(name) else {
            found.push(unknown_body(scene, path, name));
            return;
        };
        moves |= body.motion == Motion::Dynamic;
        if let Motion::Driven { limit, .. } = &body.motion
            && *limit != DriveLimit::Unlimited
        {
            let problem = "the driver has a limit, and a spring would pull beyond it";
            found.add(
                path,
                format_args!("{name:?}"),
                problem,
                "Remove `limit` from the driver, or use another body.",
            );
        }
    }
    if !moves {
        let problem = "none of its bodies is dynamic, so the spring moves nothing";
        found.add(path.key("bodies"), shown, problem, "Name at least one dynamic body.");
    }
}
