//! The keys of every table.

pub(super) const ROOT: &[&str] =
    &["world", "materials", "pair", "body", "repeat", "joint", "medium", "spring", "edit", "expect"];

pub(super) const WORLD: &[&str] = &[
    "length",
    "gravity",
    "dt",
    "steps",
    "seconds",
    "solver",
    "integrator",
    "gyroscopic",
    "stabilisation",
    "soft_step",
    "speculative",
    "iterations",
    "tolerance",
    "relaxation",
    "correction_aggressiveness",
    "exact_rows",
    "decoupled_friction",
    "warm_start",
    "restitution_threshold",
    "combine",
    "margin",
    "guard",
    "seed",
];

pub(super) const SOFT_STEP: &[&str] = &["substeps", "hertz", "damping_ratio", "push_speed", "friction"];

pub(super) const STABILISATION: &[(&str, &[&str])] =
    &[("none", &[]), ("baumgarte", &["erp", "cap"]), ("split-impulse", &["beta", "slop"])];

pub(super) const MATERIAL: &[&str] = &[
    "density",
    "friction",
    "friction_static",
    "friction_dynamic",
    "friction_torsional",
    "friction_rolling",
    "restitution",
    "surface_velocity",
    "priority",
    "color",
];

pub(super) const PAIR: &[&str] = &[
    "a",
    "b",
    "friction",
    "friction_static",
    "friction_dynamic",
    "friction_torsional",
    "friction_rolling",
    "restitution",
];

pub(super) const BODY: &[&str] = &[
    "name",
    "position",
    "orientation",
    "linear_velocity",
    "angular_velocity",
    "mass",
    "center_of_mass",
    "inertia",
    "motion",
    "lock",
    "gravity_scale",
    "force",
    "torque",
    "linear_damping",
    "angular_damping",
    "medium",
    "shape",
    "shapes",
    "color",
];

pub(super) const MOTION: &[(&str, &[&str])] = &[
    ("dynamic", &[]),
    ("static", &[]),
    ("driven", &["linear_velocity", "angular_velocity", "keyframes", "limit"]),
];

pub(super) const KEYFRAME: &[&str] = &["t", "position", "orientation"];

/// What every shape takes, beside the keys of its kind.
pub(super) const SHAPE: &[&str] = &[
    "kind",
    "position",
    "orientation",
    "material",
    "friction",
    "restitution",
    "density",
    "layer",
    "mask",
    "sensor",
];

pub(super) const REPEAT: &[&str] = &["kind", "count", "spacing", "jitter", "tumble", "seed", "body"];

pub(super) const JOINT: &[&str] = &[
    "name", "kind", "parent", "child", "anchor", "axis", "range", "velocity", "damping", "armature",
    "collide",
];

pub(super) const MEDIUM: &[&str] = &["density", "surface", "wind"];

pub(super) const WIND: &[&str] = &["velocity", "gradient", "origin", "region"];

pub(super) const BODY_MEDIUM: &[&str] =
    &["drag", "area", "linear_drag", "lift", "span", "magnus", "buoyancy"];

pub(super) const SPRING: &[&str] = &["name", "bodies", "anchors", "stiffness", "damping", "length"];

pub(super) const EXPECT: &[&str] = &[
    "kinetic_energy",
    "energy",
    "energy_change",
    "contacts",
    "max_penetration",
    "max_penetration_end",
    "bodies",
    "ledger",
    "drivers",
    "joints",
    "during",
];

/// What a time of the run takes, beside the checks.
pub(super) const DURING: &[&str] = &["from", "until", "take"];

pub(super) const EDIT: &[&str] =
    &["after", "body", "position", "orientation", "linear_velocity", "angular_velocity"];

/// Keys of which a table has one: setting one of them on the command line replaces the others.
pub(super) const ALTERNATIVES: &[&[&str]] =
    &[&["steps", "seconds"], &["shape", "shapes"], &["points", "file"], &["heights", "file"]];
