//! Checks of `[[body]]` and `[[repeat]]`.

use super::{medium, number, number::Findings, shape, table};
use crate::scene::{Body, DriveLimit, Keyframe, Motion, RepeatSpec, Scene, SpecPath};
use huygens_math::{Sym3, Vec3};
use std::collections::BTreeMap;

/// More bodies than this do not fit in the memory of any machine that we know.
const MOST_BODIES: u64 = 20_000_000;

pub(super) fn check(scene: &Scene, found: &mut Findings) {
    let mut first_with: BTreeMap<&str, usize> = BTreeMap::new();
    for (i, body) in scene.bodies.iter().enumerate() {
        let mut path = SpecPath::body(&body.name);
        if body.name.is_empty() {
            path = SpecPath::top("body").index(i);
            found.add(path.key("name"), "\"\"", "a body needs a name", "Give it a `name` of its own.");
        } else if let Some(first) = first_with.insert(&body.name, i) {
            path = SpecPath::top("body").index(i);
            found.add(
                path.key("name"),
                format_args!("{:?}", body.name),
                format!("body {first} (counted from 0) has this name already"),
                "Give every body a `name` of its own.",
            );
        }
        check_body(scene, body, &path, found);
    }
    check_repeats(scene, found);
}

fn check_repeats(scene: &Scene, found: &mut Findings) {
    let mut total = scene.bodies.len() as u64;
    for (i, repeat) in scene.repeats.iter().enumerate() {
        let path = SpecPath::top("repeat").index(i);
        check_repeat(repeat, &path, found);
        total = total.saturating_add(repeat.total().unwrap_or(u64::MAX));
        if total > MOST_BODIES {
            found.add(
                path.key("count"),
                number::show_all(&repeat.count.map(f64::from)),
                format!("that makes more than {MOST_BODIES} bodies"),
                "Make `count` smaller.",
            );
            total = 0;
        }
        for (k, body) in repeat.bodies.iter().enumerate() {
            let path = path.key("body").index(k);
            if body.name.is_empty() {
                found.add(path.key("name"), "\"\"", "a body needs a name", "Give it a `name` of its own.");
            } else if let Some(clash) = clash(scene, i, k) {
                found.add(
                    path.key("name"),
                    format_args!("{:?}", body.name),
                    format!("its bodies are named {0}[0], {0}[1], …, as are those of {clash}", body.name),
                    "Give it another `name`.",
                );
            }
            check_body(scene, body, &path, found);
        }
    }
}

/// What else in the scene makes bodies with the names of body `k` of repeat `i`.
fn clash(scene: &Scene, i: usize, k: usize) -> Option<String> {
    let name = scene.repeats[i].bodies[k].name.as_str();
    let indexed = |other: &Body| {
        let index =
            other.name.strip_prefix(name).and_then(|rest| rest.strip_prefix('['))?.strip_suffix(']')?;
        index.parse::<u64>().ok()
    };
    if let Some(body) = scene.bodies.iter().find(|body| indexed(body).is_some()) {
        return Some(format!("body {:?}", body.name));
    }
    let earlier = scene.repeats[..i].iter().flat_map(|r| &r.bodies);
    earlier.clone().any(|b| b.name == name).then(|| "an earlier repeat".to_owned())
}

fn check_repeat(repeat: &RepeatSpec, path: &SpecPath, found: &mut Findings) {
    let used: Vec<f64> = repeat.kind.spaced().iter().map(|&i| repeat.spacing[i]).collect();
    found.sizes(|| path.key("spacing"), &used, "the distance between neighbours");
    for x in repeat.jitter.to_array() {
        if !found.not_negative(|| path.key("jitter"), x, "the largest random shift") {
            break;
        }
    }
    if repeat.bodies.is_empty() {
        found.add(path.key("body"), "", "a repeat needs a body", "Write body = { name = …, shape = … }.");
    }
}

fn check_body(scene: &Scene, body: &Body, path: &SpecPath, found: &mut Findings) {
    table::check(body, path, found);
    check_mass(body, path, found);
    if let Motion::Driven { linear_velocity, angular_velocity, keyframes, limit } = &body.motion {
        let path = path.key("motion");
        found.vector(|| path.key("linear_velocity"), *linear_velocity);
        found.vector(|| path.key("angular_velocity"), *angular_velocity);
        check_limit(*limit, &path.key("limit"), found);
        if let DriveLimit::Torque { max } = *limit {
            let limit = path.key("limit");
            if !keyframes.is_empty() {
                let problem = "a torque limit needs a fixed axis, and a path has none";
                found.add(limit, max, problem, "Use a limit of power or a cap, or a constant velocity.");
            } else if *angular_velocity == Vec3::ZERO {
                let problem = "a torque limit needs an axis: the driver's spin";
                found.add(limit, max, problem, "Give `motion` an angular_velocity, or choose another limit.");
            }
        }
        let constant = *linear_velocity != Vec3::ZERO || *angular_velocity != Vec3::ZERO;
        check_keyframes(keyframes, constant, &path, found);
    }
    check_motion(body, path, found);
    medium::check_body(scene, body, path, found);
    shape::check(scene, body, path, found);
}

fn check_mass(body: &Body, path: &SpecPath, found: &mut Findings) {
    if let Some(mass) = body.mass
        && mass == 0.0
    {
        let remedy = "Give `mass` a positive number; a body that never moves has motion = \"static\".";
        found.add(path.key("mass"), mass, "a mass must be above 0", remedy);
    } else if let Some(mass) = body.mass {
        found.positive(|| path.key("mass"), mass, "a mass");
    }
    if let Some(inertia) = body.inertia {
        check_inertia(inertia, path, found);
    }
    // A boundary on a dynamic body is an error of its own.
    if body.motion != Motion::Dynamic || body.shapes.iter().any(|s| s.kind.is_boundary()) {
        return;
    }
    let has_solid = body.shapes.iter().any(|s| !s.sensor);
    if !has_solid && body.mass.is_none() {
        let what = if body.shapes.is_empty() { "has no shape" } else { "has only sensors" };
        found.add(
            path.clone(),
            "",
            format!("is dynamic and {what}, so it has no mass"),
            "Give it a `shape` with a volume or a `mass`, or motion = \"static\".",
        );
    } else if !has_solid && body.inertia.is_none() && body.lock.angular != [true; 3] {
        found.add(
            path.clone(),
            "",
            "has a mass but no shape with a volume, so it has no inertia",
            "Give it an `inertia`, or lock = [\"rx\", \"ry\", \"rz\"].",
        );
    }
}

fn check_inertia(inertia: Sym3, path: &SpecPath, found: &mut Findings) {
    let Sym3 { xx, yy, zz, xy, xz, yz } = inertia;
    let off_diagonal = [xy, xz, yz] != [0.0; 3];
    let shown = if off_diagonal { vec![xx, yy, zz, xy, xz, yz] } else { vec![xx, yy, zz] };
    let size = xx.abs() + yy.abs() + zz.abs() + xy.abs() + xz.abs() + yz.abs();
    // Scaled to a trace of about one before the look at it, so that the test itself neither overflows nor vanishes.
    let scaled = inertia * (1.0 / size);
    if !(1e-60..=1e60).contains(&size) || !scaled.is_physical_inertia() {
        found.add(
            path.key("inertia"),
            number::show_all(&shown),
            "no body has this inertia: the principal moments must be above 0, and none above the sum of the other two",
            "Write [xx, yy, zz] or [xx, yy, zz, xy, xz, yz] about the centre of mass, or leave it to the shapes.",
        );
    }
}

fn check_limit(limit: DriveLimit, path: &SpecPath, found: &mut Findings) {
    match limit {
        DriveLimit::Unlimited => {}
        DriveLimit::Torque { max } => {
            found.not_negative(|| path.key("max"), max, "the largest torque");
        }
        DriveLimit::Power { max } => {
            found.not_negative(|| path.key("max"), max, "the largest power");
        }
        DriveLimit::Cap { impulse } => {
            found.not_negative(|| path.key("impulse"), impulse, "the largest impulse");
        }
    }
}

fn check_keyframes(keyframes: &[Keyframe], constant: bool, path: &SpecPath, found: &mut Findings) {
    if !keyframes.is_empty() && constant {
        found.add(
            path.key("keyframes"),
            format_args!("{} keyframes", keyframes.len()),
            "a body follows either a path or a constant velocity",
            "Remove the keyframes, or the velocities in `motion`.",
        );
    }
    if keyframes.len() == 1 {
        found.add(path.key("keyframes"), "1 keyframe", "a path needs at least 2", "Add a second one.");
    }
    for (i, frame) in keyframes.iter().enumerate() {
        let path = path.key("keyframes").index(i);
        let in_order = i == 0 || frame.t > keyframes[i - 1].t;
        if table::check(frame, &path, found) && !in_order {
            let problem = format!("must be after the time of the last keyframe, {}", keyframes[i - 1].t);
            found.add(
                path.key("t"),
                number::text(frame.t),
                problem,
                "Write the keyframes in the order of time.",
            );
        }
    }
}

/// What a body that is not dynamic would silently ignore.
fn check_motion(body: &Body, path: &SpecPath, found: &mut Findings) {
    if body.motion == Motion::Dynamic {
        return;
    }
    let word = body.motion.word();
    for (key, v) in [("linear_velocity", body.linear_velocity), ("angular_velocity", body.angular_velocity)] {
        if v != Vec3::ZERO {
            found.add(
                path.key(key),
                number::show(v),
                format!("the body is {word}, so this has no effect"),
                format!("Write motion = {{ kind = \"driven\", {key} = … }}, or make the body dynamic."),
            );
        }
    }
    for (key, v) in [("force", body.force), ("torque", body.torque)] {
        if v != Vec3::ZERO {
            found.add(
                path.key(key),
                number::show(v),
                format!("the body is {word}, so this has no effect"),
                format!("Remove `{key}`, or make the body dynamic."),
            );
        }
    }
    if let Some(first) = body.lock.words().next() {
        found.add(
            path.key("lock"),
            format_args!("[{first:?}, …]"),
            format!("the body is {word}, so this has no effect"),
            "Remove `lock`, or make the body dynamic.",
        );
    }
}
