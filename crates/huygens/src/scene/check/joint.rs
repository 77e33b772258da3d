//! Checks of `[[joint]]`.

use super::number::Findings;
use crate::scene::{BodySpec, JointSpec, Lock, Motion, Scene, SceneError, SpecPath};
use huygens_math::Vec3;
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
    check_loops(scene, &carried_by, found);
}

fn check_numbers(joint: &JointSpec, path: &SpecPath, found: &mut Findings) {
    found.vector(|| path.key("anchor"), joint.anchor);
    found.direction(|| path.key("axis"), joint.axis);
    found.finite(|| path.key("velocity"), joint.velocity);
    if let Some([low, high]) = joint.range
        && !(low <= 0.0 && 0.0 <= high && low < high)
    {
        found.add(
            path.key("range"),
            format_args!("[{low}, {high}]"),
            "must be [low, high] with low ≤ 0 ≤ high: the pose in the scene is 0",
            "Write both ends in radians, counted from the scene's pose.",
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
/// together are linear.
fn check_loops(scene: &Scene, carried_by: &BTreeMap<&str, usize>, found: &mut Findings) {
    const NEW: usize = usize::MAX;
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
