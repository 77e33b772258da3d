//! Checks of `[[joint]]`.

use super::number::{Findings, show_all};
use crate::scene::{BodySpec, JointKind, JointSpec, Lock, Motion, Scene, SceneError, SpecPath};
use huygens_contact::Compliance;
use huygens_math::{Vec3, scalar};
use std::collections::BTreeMap;

pub(super) fn check(scene: &Scene, found: &mut Findings) {
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    let mut carried_by: BTreeMap<&str, usize> = BTreeMap::new();
    for (i, joint) in scene.joints.iter().enumerate() {
        let mut path = SpecPath::top("joint").name(&joint.name);
        if joint.name.is_empty() || names.insert(&joint.name, i).is_some() {
            path = SpecPath::top("joint").index(i);
            let shown = format!("{:?}", joint.name);
            found.add(
                path.key("name"),
                shown,
                "every joint needs a name of its own",
                "Give it another `name`.",
            );
        }
        check_numbers(joint, &path, found);
        check_child(scene, joint, &path, found);
        check_parent(scene, joint, &path, found);
        if let Some(other) = carried_by.insert(&joint.child, i) {
            found.add(
                path.key("child"),
                format_args!("{:?}", joint.child),
                format!(
                    "joint {:?} carries this body already, and a tree has no loops",
                    scene.joints[other].name
                ),
                "Remove one of the two joints.",
            );
        }
    }
    if !check_loops(scene, &carried_by, found) {
        check_proportions(scene, &carried_by, found);
    }
}

fn check_numbers(joint: &JointSpec, path: &SpecPath, found: &mut Findings) {
    found.vector(|| path.key("anchor"), joint.anchor);
    found.direction(|| path.key("axis"), joint.axis);
    found.finite(|| path.key("velocity"), joint.velocity);
    for (key, value) in [("damping", joint.damping), ("armature", joint.armature)] {
        found.not_negative(|| path.key(key), value, key);
    }
    match joint.limit {
        Compliance::Rigid => {}
        Compliance::Spring { stiffness, damping } => {
            found.not_negative(|| path.key("limit_stiffness"), stiffness, "limit_stiffness");
            found.not_negative(|| path.key("limit_damping"), damping, "limit_damping");
            if stiffness == 0.0 && damping == 0.0 {
                let problem = "a limit without stiffness and damping holds nothing";
                found.add(path.key("limit_stiffness"), stiffness, problem, "Give it a stiffness.");
            }
        }
        Compliance::Response { time_constant, damping_ratio } => {
            found.positive(|| path.key("limit_time_constant"), time_constant, "limit_time_constant");
            found.positive(|| path.key("limit_damping_ratio"), damping_ratio, "limit_damping_ratio");
        }
    }
    if joint.limit != Compliance::Rigid && joint.range.is_none() {
        let problem = "the joint has no limit that could give way";
        found.add(path.key("range"), "none", problem, "Give it a `range`, or leave `limit_…` out.");
    }
    if let Some(range) = joint.range.filter(|_| joint.kind == JointKind::Ball) {
        found.add(
            path.key("range"),
            show_all(&range),
            "a ball joint has no coordinate that a range could hold",
            "Leave `range` out, or use hinges.",
        );
    }
    if let Some([low, high]) = joint.range
        && !(low <= 0.0 && 0.0 <= high && low < high)
    {
        found.add(
            path.key("range"),
            show_all(&[low, high]),
            "must be [low, high] with low ≤ 0 ≤ high: the pose in the scene is 0",
            "Write both ends in radians (of a slide in metres), counted from the scene's pose.",
        );
    }
}

fn check_child(scene: &Scene, joint: &JointSpec, path: &SpecPath, found: &mut Findings) {
    let Some(child) = scene.find_body(&joint.child) else {
        found.push(unknown_body(scene, path.key("child"), &joint.child));
        return;
    };
    if child.motion != Motion::Dynamic {
        found.add(
            path.key("child"),
            format_args!("{:?}", joint.child),
            format!("the body is {}; a joint moves a dynamic body", child.motion.word()),
            "Make the child dynamic, or swap parent and child.",
        );
    }
    if child.lock != Lock::NONE {
        found.add(
            path.key("child"),
            format_args!("{:?}", joint.child),
            "the body has locked axes; a joint decides by itself what can move",
            "Remove `lock` from the body.",
        );
    }
    if child.linear_velocity != Vec3::ZERO || child.angular_velocity != Vec3::ZERO {
        found.add(
            path.key("child"),
            format_args!("{:?}", joint.child),
            "the body has a velocity of its own; its joint gives it",
            "Remove the body's velocities and set the joint's `velocity`.",
        );
    }
}

fn check_parent(scene: &Scene, joint: &JointSpec, path: &SpecPath, found: &mut Findings) {
    let Some(name) = &joint.parent else { return };
    match scene.find_body(name) {
        None => found.push(unknown_body(scene, path.key("parent"), name)),
        Some(parent) if matches!(parent.motion, Motion::Driven { .. }) => found.add(
            path.key("parent"),
            format_args!("{name:?}"),
            "the body is driven; a tree stands on the world, on a static or on a dynamic body",
            "Make the parent static or dynamic.",
        ),
        Some(_) if *name == joint.child => found.add(
            path.key("parent"),
            format_args!("{name:?}"),
            "is the child too",
            "Join two different bodies; leave `parent` out for the world.",
        ),
        Some(_) => {}
    }
}

/// Following parents from any joint must end. Each walk stops at a joint that an earlier one passed, so all of them
/// together are linear. True when there is a loop.
fn check_loops(scene: &Scene, carried_by: &BTreeMap<&str, usize>, found: &mut Findings) -> bool {
    const NEW: usize = usize::MAX;
    let mut any = false;
    let mut walk_of = vec![NEW; scene.joints.len()];
    for start in 0..scene.joints.len() {
        let mut at = Some(start);
        while let Some(i) = at
            && walk_of[i] == NEW
        {
            walk_of[i] = start;
            let parent = scene.joints[i].parent.as_deref();
            at = parent.and_then(|name| carried_by.get(name).copied());
        }
        let Some(joint) = at.filter(|&i| walk_of[i] == start).map(|i| &scene.joints[i]) else { continue };
        any = true;
        // A joint of a body with itself is reported as such.
        if let Some(parent) = joint.parent.as_ref().filter(|name| **name != joint.child) {
            found.add(
                SpecPath::top("joint").name(&joint.name).key("parent"),
                format_args!("{parent:?}"),
                "the joints form a loop",
                "A tree starts at the world or at one body; break the loop.",
            );
        }
    }
    any
}

/// Lengths of one tree that differ by more than this leave fewer than four digits of the small ones in its inertia,
/// which has their squares.
const PROPORTION: f64 = 1e6;

/// The links of one tree are of comparable size: sizes of the links and distances to their joints.
fn check_proportions(scene: &Scene, carried_by: &BTreeMap<&str, usize>, found: &mut Findings) {
    // By tree, named by its first joint: the smallest link, and the largest length with its joint.
    let mut trees: BTreeMap<usize, (f64, f64, usize)> = BTreeMap::new();
    for (i, joint) in scene.joints.iter().enumerate() {
        let Some(child) = scene.find_body(&joint.child) else { return };
        let reach = reach(child);
        let center = child.pose().transform(child.center_of_mass.unwrap_or_default());
        let largest = scalar::max((joint.anchor - center).length(), reach);
        if !(reach > 0.0 && largest.is_finite()) {
            continue;
        }
        let entry = trees.entry(root(scene, carried_by, i)).or_insert((reach, largest, i));
        entry.0 = scalar::min(reach, entry.0);
        if largest > entry.1 {
            (entry.1, entry.2) = (largest, i);
        }
    }
    for (smallest, largest, i) in trees.into_values() {
        if largest > PROPORTION * smallest {
            found.add(
                SpecPath::top("joint").name(&scene.joints[i].name),
                "",
                format!("its link has {largest:.3e} m to the joint or of its own, and another one of the tree {smallest:.3e} m"),
                "Links of one tree may differ by a factor of a million; mend `anchor`, `position` or the sizes.",
            );
        }
    }
}

/// The joint of the tree of joint `i` that stands on the world or on a body that no joint carries.
fn root(scene: &Scene, carried_by: &BTreeMap<&str, usize>, i: usize) -> usize {
    let mut at = i;
    // There is no loop, so the walk ends before this.
    for _ in 0..scene.joints.len() {
        let parent = scene.joints[at].parent.as_deref();
        match parent.and_then(|name| carried_by.get(name)) {
            Some(&above) => at = above,
            None => break,
        }
    }
    at
}

/// A length of the size of a body [m].
fn reach(body: &BodySpec) -> f64 {
    let shapes = body.shapes.iter().filter(|shape| !shape.sensor);
    let largest = shapes.fold(0.0, |reach, shape| scalar::max(shape.kind.reach(), reach));
    match (body.inertia, body.mass) {
        (Some(inertia), Some(mass)) if largest == 0.0 => (inertia.trace() / mass).sqrt(),
        _ => largest,
    }
}

/// The body `name` is not in the scene.
pub(super) fn unknown_body(scene: &Scene, path: SpecPath, name: &str) -> SceneError {
    let repeated = scene.repeats.iter().flat_map(|r| &r.bodies);
    let known: Vec<&str> = scene.bodies.iter().chain(repeated).map(|b| b.name.as_str()).collect();
    SceneError::unknown_word(path, name, "body", known)
}

impl Scene {
    /// The body called `name`; for a repeated one, NAME\[i\], the pattern that it is made from.
    pub fn find_body(&self, name: &str) -> Option<&BodySpec> {
        if let Some(body) = self.bodies.iter().find(|body| body.name == name) {
            return Some(body);
        }
        let (base, rest) = name.rsplit_once('[')?;
        let index: u64 = rest.strip_suffix(']')?.parse().ok()?;
        let repeat = self.repeats.iter().find(|r| r.bodies.iter().any(|b| b.name == base))?;
        if index >= repeat.total()? {
            return None;
        }
        let body = &repeat.bodies[(index % repeat.bodies.len() as u64) as usize];
        (body.name == base).then_some(body)
    }
}
