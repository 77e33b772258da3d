//! Checks of `[[joint]]`.

use super::number::{Findings, show_all};
use crate::scene::{
    Body, Joint, JointKind, JointSpring, Lock, Motion, MotorKind, MotorSpec, Named, Scene, SceneError,
    SpecPath,
};
use huygens_contact::Compliance;
use huygens_math::{Vec3, scalar};
use std::collections::BTreeMap;
use std::f64::consts::PI;

pub(super) fn check(scene: &Scene, found: &mut Findings) {
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
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
    }
    check_proportions(scene, found);
    super::coupling::check(scene, found);
}

fn check_numbers(joint: &Joint, path: &SpecPath, found: &mut Findings) {
    found.vector(|| path.key("anchor"), joint.anchor);
    found.direction(|| path.key("axis"), joint.axis);
    found.finite(|| path.key("velocity"), joint.velocity);
    for (key, value) in [("damping", joint.damping), ("armature", joint.armature)] {
        found.not_negative(|| path.key(key), value, key);
    }
    match joint.limit {
        Compliance::Rigid => {}
        Compliance::Spring { stiffness, damping } => {
            found.not_negative(|| path.key("soft").key("stiffness"), stiffness, "stiffness");
            found.not_negative(|| path.key("soft").key("damping"), damping, "damping");
            if stiffness == 0.0 && damping == 0.0 {
                let problem = "a limit without stiffness and damping holds nothing";
                found.add(path.key("soft").key("stiffness"), stiffness, problem, "Give it a stiffness.");
            }
        }
        Compliance::Response { time_constant, damping_ratio } => {
            found.positive(|| path.key("soft").key("time_constant"), time_constant, "time_constant");
            found.positive(|| path.key("soft").key("damping_ratio"), damping_ratio, "damping_ratio");
        }
        Compliance::Impedance(softness) => {
            for (key, numbers) in [("solref", &softness.solref[..]), ("solimp", &softness.solimp[..])] {
                numbers.iter().enumerate().for_each(|(k, x)| {
                    found.finite(|| path.key("soft").key(key).index(k), *x);
                });
            }
        }
    }
    if joint.limit != Compliance::Rigid && joint.range.is_none() {
        let problem = "the joint has no limit that could give way";
        found.add(path.key("range"), "none", problem, "Give it a `range`, or leave `soft` out.");
    }
    if let Some(range) = joint.range.filter(|_| !has_coordinate(joint)) {
        found.add(
            path.key("range"),
            show_all(&range),
            format!("a {} joint has no coordinate that a range could hold", joint.kind.word()),
            "Leave `range` out, or use hinges.",
        );
    }
    if let Some([low, high]) = joint.range
        && !(low <= joint.position && joint.position <= high && low < high)
    {
        found.add(
            path.key("range"),
            show_all(&[low, high]),
            format!(
                "must be [low, high] with low ≤ {} ≤ high: the joint starts there, and the pose in the scene is 0",
                joint.position
            ),
            "Write both ends in radians (of a slide in metres), counted from the scene's pose.",
        );
    }
    check_actors(joint, path, found);
    check_ball(joint, path, found);
    check_axes(joint, path, found);
}

/// Cone and twist of a ball joint.
fn check_ball(joint: &Joint, path: &SpecPath, found: &mut Findings) {
    let told = [("cone", joint.cone.is_some()), ("twist", joint.twist.is_some())];
    for (key, _) in told.into_iter().filter(|(_, told)| *told && joint.kind != JointKind::Ball) {
        let problem = format!("a {} joint has no cone and no twist", joint.kind.word());
        found.add(path.key(key), "", problem, "Give it a `range`, or make it a ball joint.");
    }
    if let Some(cone) = joint.cone.filter(|cone| !(*cone > 0.0 && *cone <= PI)) {
        found.add(path.key("cone"), cone, "must be an angle from above 0 to π", "Give it in radians.");
    }
    if let Some([low, high]) = joint.twist
        && !((-PI..=0.0).contains(&low) && (0.0..=PI).contains(&high) && low < high)
    {
        let problem = "must be [low, high] with −π ≤ low ≤ 0 ≤ high ≤ π: the joint starts at 0";
        found.add(path.key("twist"), show_all(&[low, high]), problem, "Write both ends in radians.");
    }
}

/// What a generic joint says axis by axis, each as if it were a joint of its own.
fn check_axes(joint: &Joint, path: &SpecPath, found: &mut Findings) {
    for (axis, own) in joint.axes.iter().enumerate().filter_map(|(axis, own)| Some((axis, own.as_ref()?))) {
        let word = ["x", "y", "z", "rx", "ry", "rz"][axis];
        if joint.kind != JointKind::Generic || !joint.free[axis] {
            let problem = "this axis of the joint is not free";
            found.add(
                path.key("free"),
                format_args!("{word:?}"),
                problem,
                "Name it in `free`, or leave it out.",
            );
            continue;
        }
        let alone = Joint {
            kind: if axis < 3 { JointKind::Slide } else { JointKind::Hinge },
            range: own.range,
            limit: own.limit,
            restitution: own.restitution,
            spring: own.spring,
            friction: own.friction,
            motor: own.motor,
            position: own.position,
            velocity: own.velocity,
            damping: own.damping,
            armature: own.armature,
            ..Joint::default()
        };
        check_numbers(&alone, path, found);
    }
}

/// True when the joint has a coordinate of its own.
fn has_coordinate(joint: &Joint) -> bool {
    match joint.kind {
        JointKind::Ball | JointKind::Fixed | JointKind::Free => false,
        JointKind::Generic => {
            joint.free[..3].contains(&true) || !joint.turns_freely() && joint.free[3..].contains(&true)
        }
        JointKind::Hinge
        | JointKind::Slide
        | JointKind::Universal
        | JointKind::Cylindrical
        | JointKind::Planar
        | JointKind::Screw => true,
    }
}

/// Springs, friction, motors, and what the start says.
fn check_actors(joint: &Joint, path: &SpecPath, found: &mut Findings) {
    found.finite(|| path.key("position"), joint.position);
    found.finite(|| path.key("pitch"), joint.pitch);
    found.not_negative(|| path.key("friction"), joint.friction, "friction");
    for (key, value) in [("break_force", joint.break_force), ("break_torque", joint.break_torque)] {
        if value.is_nan() || value <= 0.0 {
            found.add(
                path.key(key),
                value,
                "must be above 0",
                "Leave it out for a joint that bears everything.",
            );
        }
    }
    found.not_negative(|| path.key("restitution"), joint.restitution, "restitution");
    if joint.restitution > 1.0 {
        let problem = "a joint does not come back faster than it came";
        found.add(path.key("restitution"), joint.restitution, problem, "Give a number from 0 to 1.");
    }
    if let Some(axis2) = joint.axis2 {
        found.direction(|| path.key("axis2"), axis2);
        if joint.axis.cross(axis2).length() <= 1e-9 * joint.axis.length() * axis2.length() {
            let problem = "lies along `axis`, so that the two are one";
            found.add(path.key("axis2"), show_all(&axis2.to_array()), problem, "Give another direction.");
        }
    }
    check_spring_and_motor(joint.spring.as_ref(), joint.motor.as_ref(), path, found);
    let told = [
        ("spring", joint.spring.is_some() && joint.kind != JointKind::Ball),
        ("motor", joint.motor.is_some()),
        ("friction", joint.friction > 0.0),
        ("position", joint.position != 0.0),
    ];
    for (key, _) in told.into_iter().filter(|(_, told)| *told && !has_coordinate(joint)) {
        let problem = format!("a {} joint has no coordinate that it could act on", joint.kind.word());
        found.add(path.key(key), "", problem, "Leave it out, or use a hinge, slide or screw.");
    }
}

/// Numbers of a spring and of a motor.
pub(super) fn check_spring_and_motor(
    spring: Option<&JointSpring>,
    motor: Option<&MotorSpec>,
    path: &SpecPath,
    found: &mut Findings,
) {
    if let Some(spring) = spring {
        found.not_negative(|| path.key("spring").key("stiffness"), spring.stiffness, "the stiffness");
        found.finite(|| path.key("spring").key("rest"), spring.rest);
    }
    if let Some(motor) = motor {
        found.finite(|| path.key("motor").key("target"), motor.target);
        for (key, value) in [("stiffness", motor.stiffness), ("damping", motor.damping)] {
            found.not_negative(|| path.key("motor").key(key), value, key);
        }
        for (key, value) in [("max_force", motor.max_force), ("max_power", motor.max_power)] {
            if value.is_nan() || value < 0.0 {
                found.add(
                    path.key("motor").key(key),
                    value,
                    "must not be below 0",
                    "Leave it out for no limit.",
                );
            }
        }
        if motor.kind == MotorKind::Position && motor.stiffness == 0.0 && motor.damping == 0.0 {
            let problem = "a position motor without gains does nothing";
            found.add(path.key("motor").key("stiffness"), motor.stiffness, problem, "Give it a stiffness.");
        }
    }
}

fn check_child(scene: &Scene, joint: &Joint, path: &SpecPath, found: &mut Findings) {
    let Some(child) = scene.find_body(&joint.child) else {
        found.push(unknown_body(scene, path.key("child"), &joint.child));
        return;
    };
    let parent = joint.parent.as_deref().and_then(|name| scene.find_body(name));
    let parent_moves = parent.is_some_and(|parent| parent.motion == Motion::Dynamic);
    let is_driven = matches!(child.motion, Motion::Driven { .. });
    if is_driven || child.motion != Motion::Dynamic && !parent_moves {
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

fn check_parent(scene: &Scene, joint: &Joint, path: &SpecPath, found: &mut Findings) {
    let Some(name) = &joint.parent else { return };
    match scene.find_body(name) {
        None => found.push(unknown_body(scene, path.key("parent"), name)),
        Some(_) if *name == joint.child => found.add(
            path.key("parent"),
            format_args!("{name:?}"),
            "is the child too",
            "Join two different bodies; leave `parent` out for the world.",
        ),
        Some(_) => {}
    }
}

/// Lengths of one tree that differ by more than this leave fewer than four digits of the small ones in its inertia,
/// which has their squares.
const PROPORTION: f64 = 1e6;

/// The links of one tree are of comparable size: sizes of the links and distances to their joints.
fn check_proportions(scene: &Scene, found: &mut Findings) {
    // By tree, named by one of its bodies: the smallest link, and the largest length with its joint.
    let mut trees: BTreeMap<&str, (f64, f64, usize)> = BTreeMap::new();
    let leader = pieces(scene);
    for (i, joint) in scene.joints.iter().enumerate() {
        let Some(child) = scene.find_body(&joint.child) else { return };
        let reach = reach(child);
        let center = child.pose().transform(child.center_of_mass.unwrap_or_default());
        let largest = scalar::max((joint.anchor - center).length(), reach);
        if !(reach > 0.0 && largest.is_finite()) {
            continue;
        }
        let entry = trees.entry(follow(&leader, &joint.child)).or_insert((reach, largest, i));
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

/// For each body the one before it on the way to the body that names its tree.
fn pieces(scene: &Scene) -> BTreeMap<&str, &str> {
    let mut leader = BTreeMap::new();
    for joint in &scene.joints {
        let Some(parent) = joint.parent.as_deref() else { continue };
        let fixed = scene.find_body(parent).is_none_or(|body| body.motion != Motion::Dynamic);
        let (a, b) = (follow(&leader, parent), follow(&leader, &joint.child));
        if a != b && !fixed {
            leader.insert(b, a);
        }
    }
    leader
}

fn follow<'a>(leader: &BTreeMap<&'a str, &'a str>, body: &'a str) -> &'a str {
    let mut at = body;
    while let Some(&next) = leader.get(at) {
        at = next;
    }
    at
}

/// A length of the size of a body [m].
fn reach(body: &Body) -> f64 {
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
    pub fn find_body(&self, name: &str) -> Option<&Body> {
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
