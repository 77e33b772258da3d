//! The keys of every table, each stated once: its name, its default and what it is.
//!
//! Reading refuses other keys and names the nearest of these, says of a missing one what it is, and docs/scene-file.md has these tables word for
//! word (`tests/keys.rs`, which also holds the defaults to those of the scene, and the writer to all keys).

/// A key of a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    /// Its name.
    pub name: &'static str,
    /// What holds when it is left out.
    pub default: Absent,
    /// What it is; no full stop at the end.
    pub meaning: &'static str,
}

/// What holds when a key is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Absent {
    /// It must not be left out.
    Needed,
    /// This value, in TOML.
    Is(&'static str),
    /// What these words say.
    Says(&'static str),
}

use Absent::{Is, Needed, Says};

const fn key(name: &'static str, default: Absent, meaning: &'static str) -> Key {
    Key { name, default, meaning }
}

/// The names of a table's keys.
pub(super) fn names(keys: &[Key]) -> Vec<&'static str> {
    keys.iter().map(|key| key.name).collect()
}

/// Tables of a scene file; their keys are tables themselves.
pub(super) const ROOT: &[Key] = &[
    key("world", Says("the defaults below"), "time, gravity and the choices of method"),
    key("materials", Says("none"), "materials by name"),
    key("pair", Says("none"), "what two materials do together"),
    key("body", Says("none"), "bodies"),
    key("repeat", Says("none"), "bodies in a pattern"),
    key("joint", Says("none"), "joints between bodies"),
    key("medium", Says("none"), "what fills the space around the bodies"),
    key("spring", Says("none"), "springs and dampers between points"),
    key("edit", Says("none"), "changes from outside during the run"),
    key("expect", Says("nothing"), "what the scene's own test checks"),
];

pub(super) const WORLD: &[Key] = &[
    key("length", Is("1"), "typical size of a body [m]; every tolerance derives from it"),
    key("gravity", Is("[0, 0, -9.81]"), "[m/s²]"),
    key("dt", Says("1/240"), "length of a step [s]"),
    key("steps", Is("1000"), "length of the run; or `seconds`"),
    key(
        "seconds",
        Says("`steps` says it"),
        "length of the run [s]: it ends with the first step at or after it",
    ),
    key("solver", Is("\"soft-step\""), "contact model, see `huygens solvers`"),
    key("soft_step", Says("see below"), "choices of `soft-step`"),
    key("integrator", Is("\"kick-drift-kick\""), "or `\"symplectic-euler\"`"),
    key("gyroscopic", Is("\"midpoint\""), "or `\"explicit\"`, for comparison: creates energy"),
    key(
        "stabilisation",
        Says("`{ kind = \"split-impulse\", beta = 0.2, slop = 5e-4·length }`"),
        "how overlap is undone; or `{ kind = \"baumgarte\", erp = 0.2, cap }`, `\"none\"`",
    ),
    key("speculative", Is("true"), "contacts act before the surfaces touch"),
    key("iterations", Is("50"), "sweeps of iterative models"),
    key("tolerance", Is("1e-10"), "at which iterative models stop"),
    key("warm_start", Is("true"), "iterative models start from the impulses of the last step"),
    key("relaxation", Is("1"), "share of every change that a sweep makes, from 0.01 to 1"),
    key(
        "correction_aggressiveness",
        Says("no limit"),
        "a step undoes at most `length` divided by this of an overlap; pe's adaptive cap has 50",
    ),
    key(
        "exact_rows",
        Is("600"),
        "`active-set` and `ncp/newton` sweep islands with more rows (three for each point) instead of solving them whole; 0 to 10000",
    ),
    key(
        "decoupled_friction",
        Is("false"),
        "`active-set` solves its normals once, without friction, as msd-sim does",
    ),
    key("restitution_threshold", Says("0.01 √(\\|g\\| length)"), "slower impacts do not bounce [m/s]"),
    key(
        "combine",
        Is("\"geometric\""),
        "`table`, `max`, `min`, `mean`, `geometric`, `priority`: what two materials without a `[[pair]]` do; with `table` every two that can meet need one",
    ),
    key("margin", Says("2 % of the smaller shape"), "distance at which a contact is first seen [m]"),
    key(
        "guard",
        Is("true"),
        "contact may never add energy, over whole steps; overlap is undone only as far as what contacts lose in the step pays for the lift",
    ),
    key("seed", Is("0"), "of repeats that name none"),
];

pub(super) const SOFT_STEP: &[Key] = &[
    key("substeps", Is("4"), "sub-steps of a step"),
    key("hertz", Is("30"), "frequency of the spring that says how fast overlap is undone [1/s]"),
    key("damping_ratio", Is("10"), "its damping, as a share of the critical one"),
    key("push_speed", Says("√(\\|g\\|·length)"), "overlap is undone no faster [m/s]"),
    key("friction", Is("\"patch\""), "once for each manifold, or at each `\"point\"`"),
];

pub(super) const STABILISATION: &[(&str, &[&str])] =
    &[("none", &[]), ("baumgarte", &["erp", "cap"]), ("split-impulse", &["beta", "slop"])];

const FRICTION: Key = key("friction", Says("0.5"), "static and dynamic friction at once");
const FRICTION_STATIC: Key =
    key("friction_static", Says("`friction`"), "coefficient while nothing slides; alone it stands for both");
const FRICTION_DYNAMIC: Key =
    key("friction_dynamic", Says("`friction`"), "coefficient while it slides; alone it stands for both");
const FRICTION_TORSIONAL: Key =
    key("friction_torsional", Says("0"), "lever of friction about the normal [m]");
const FRICTION_ROLLING: Key =
    key("friction_rolling", Says("0"), "lever of friction about axes in the contact plane [m]");
const RESTITUTION: Key =
    key("restitution", Says("0"), "share of the approach speed that comes back, from 0 to 1");

pub(super) const MATERIAL: &[Key] = &[
    key("density", Says("1000"), "[kg/m³]"),
    FRICTION,
    FRICTION_STATIC,
    FRICTION_DYNAMIC,
    FRICTION_TORSIONAL,
    FRICTION_ROLLING,
    RESTITUTION,
    key(
        "surface_velocity",
        Says("0"),
        "velocity of the surface along itself, in the axes of the body: a conveyor belt [m/s]",
    ),
    key("priority", Says("0"), "with `combine = \"priority\"` the higher one's numbers hold"),
    key("color", Says("by the name of the body"), "of bodies made of it, in pictures: `\"#rrggbb\"`"),
];

pub(super) const PAIR: &[Key] = &[
    key("a", Needed, "the name of a material"),
    key("b", Needed, "the name of the other material, or of the same"),
    FRICTION,
    FRICTION_STATIC,
    FRICTION_DYNAMIC,
    FRICTION_TORSIONAL,
    FRICTION_ROLLING,
    RESTITUTION,
];

pub(super) const BODY: &[Key] = &[
    key("name", Says("`body0`, `body1`, …"), "unique"),
    key("position", Is("[0, 0, 0]"), "place of the body's frame [m]"),
    key(
        "orientation",
        Is("[1, 0, 0, 0]"),
        "turn of the body's frame: a quaternion w, x, y, z whose length may be off by 1e-3",
    ),
    key("linear_velocity", Is("[0, 0, 0]"), "of the centre of mass, world axes [m/s]"),
    key("angular_velocity", Is("[0, 0, 0]"), "spin, world axes [rad/s]"),
    key("mass", Says("from the shapes"), "[kg]"),
    key("center_of_mass", Says("from the shapes"), "in the body's frame [m]"),
    key(
        "inertia",
        Says("from the shapes, scaled to `mass`"),
        "about the centre of mass: `[xx, yy, zz]` or `[xx, yy, zz, xy, xz, yz]` [kg·m²]",
    ),
    key(
        "motion",
        Is("\"dynamic\""),
        "`\"static\"`, or `{ kind = \"driven\", linear_velocity, angular_velocity, keyframes = [{ t, position, orientation }], limit = { kind = \"torque\", max } }`; see below",
    ),
    key(
        "lock",
        Is("[]"),
        "`\"x\"`, `\"y\"`, `\"z\"`, `\"rx\"`, `\"ry\"`, `\"rz\"`: world axes along and about which it cannot move",
    ),
    key("gravity_scale", Is("1"), "factor on gravity"),
    key("force", Is("[0, 0, 0]"), "constant, world axes, at the centre of mass [N]"),
    key("torque", Is("[0, 0, 0]"), "constant, world axes [N·m]"),
    key("linear_damping", Is("0"), "rate at which its momentum dies away by itself [1/s]"),
    key("angular_damping", Is("0"), "rate at which its angular momentum dies away by itself [1/s]"),
    key("medium", Says("it feels none"), "how the scene's `[medium]` acts on it; see there"),
    key("shape", Says("none"), "one table, or an array of them"),
    key("shapes", Says("none"), "the same word for several"),
    key("color", Says("that of the material, else by the name"), "in pictures: `\"#rrggbb\"`"),
];

pub(super) const MOTION: &[(&str, &[&str])] = &[
    ("dynamic", &[]),
    ("static", &[]),
    ("driven", &["linear_velocity", "angular_velocity", "keyframes", "limit"]),
];

pub(super) const KEYFRAME: &[Key] = &[
    key("t", Needed, "the time [s]"),
    key("position", Needed, "the place of the body's frame [m]"),
    key("orientation", Is("[1, 0, 0, 0]"), "turn of the body's frame"),
];

/// What every shape takes, beside the keys of its kind.
pub(super) const SHAPE: &[Key] = &[
    key("kind", Needed, "one of those above"),
    key("position", Is("[0, 0, 0]"), "in the body's frame [m]"),
    key("orientation", Is("[1, 0, 0, 0]"), "in the body's frame"),
    key("material", Says("none"), "what it is made of, by name"),
    key("friction", Says("the material's"), "static and dynamic friction at once"),
    key("restitution", Says("the material's"), "share of the approach speed that comes back, from 0 to 1"),
    key("density", Says("the material's"), "[kg/m³]"),
    key("layer", Is("1"), "bits of the layers that it is in"),
    key("mask", Is("4294967295"), "bits of the layers that it meets"),
    key("sensor", Is("false"), "reports contacts, gives no force, has no mass"),
];

pub(super) const REPEAT: &[Key] = &[
    key("kind", Needed, "one of grid, stack, wall, pyramid, pile"),
    key("count", Needed, "bodies in each direction"),
    key("spacing", Needed, "from one to the next [m]"),
    key("jitter", Is("0"), "the largest random shift [m]: one number for across and deep, or three"),
    key("tumble", Says("`true` for a pile"), "every body has a random orientation"),
    key(
        "seed",
        Says("that of the world"),
        "feeds CPython's generator (`random.Random(seed)`), drawn across, deep, up, orientation",
    ),
    key(
        "body",
        Needed,
        "what is repeated, { name = …, shape = … }, or an array of bodies that are taken in turn",
    ),
];

pub(super) const JOINT: &[Key] = &[
    key("name", Says("`joint0`, `joint1`, …"), "unique among joints"),
    key("kind", Is("\"hinge\""), "`\"hinge\"`, `\"slide\"` or `\"ball\"`"),
    key("parent", Says("the world"), "the name of the body that carries it"),
    key("child", Needed, "the name of the body that it carries"),
    key(
        "anchor",
        Needed,
        "where it is, [x, y, z] in world coordinates at the scene's pose, which is the joint's zero",
    ),
    key("axis", Is("\"z\""), "a vector or `\"x\"`, `\"y\"`, `\"z\"`, world axes at the scene's pose"),
    key("range", Says("no limit"), "`[low, high]` [rad, of a slide m; none for a ball joint]"),
    key(
        "limit_stiffness",
        Says("limits are rigid"),
        "the limits at the ends of the range give way as a spring [N·m/rad, of a slide N/m]",
    ),
    key("limit_damping", Says("0"), "damper beside `limit_stiffness` [N·m·s/rad, of a slide N·s/m]"),
    key(
        "limit_time_constant",
        Says("limits are rigid"),
        "the same spring and damper by their time constant [s], instead of the two above",
    ),
    key("limit_damping_ratio", Says("1"), "damping ratio beside `limit_time_constant`"),
    key("velocity", Is("0"), "at the start [rad/s, of a slide m/s; of a ball joint the spin about `axis`]"),
    key("damping", Is("0"), "against the velocity [N·m·s/rad, of a slide N·s/m]"),
    key(
        "armature",
        Is("0"),
        "inertia of a drive that turns or travels with the joint [kg·m², of a slide kg]",
    ),
    key("collide", Is("false"), "whether parent and child touch"),
];

pub(super) const MEDIUM: &[Key] = &[
    key("density", Is("1.225"), "ρ [kg/m³]; the default is air, water has 1000"),
    key("surface", Says("it is everywhere"), "height of its surface, against gravity [m]"),
    key(
        "wind",
        Says("at rest"),
        "its velocity `[x, y, z]` [m/s], a field, or an array of fields that add up",
    ),
];

pub(super) const WIND: &[Key] = &[
    key("velocity", Is("[0, 0, 0]"), "at `origin` [m/s]"),
    key(
        "gradient",
        Is("[[0, 0, 0], [0, 0, 0], [0, 0, 0]]"),
        "G in u(x) = velocity + G (x − origin), by rows [1/s]: shear, whirl, spread",
    ),
    key("origin", Is("[0, 0, 0]"), "where the wind has `velocity` [m]"),
    key("region", Says("everywhere"), "lowest and highest corner of the box that it blows in [m]"),
];

pub(super) const BODY_MEDIUM: &[Key] = &[
    key("drag", Is("0"), "C_d of the drag −½ρ C_d A \\|w\\| w; a ball has 0.47"),
    key(
        "area",
        Says("a quarter of the surface of the shapes"),
        "A of drag and lift [m²]; the default is the mean shadow of a convex body, π r² of a ball",
    ),
    key(
        "linear_drag",
        Is("0"),
        "c of the drag −c w [N·s/m]; 6π η r of a small ball in a fluid of viscosity η",
    ),
    key("lift", Is("0"), "C_L of the lift −½ρ C_L A \\|w\\| a × w"),
    key("span", Is("\"y\""), "direction a of the span in the body's axes, for lift"),
    key("magnus", Is("0"), "S of the Magnus force S ω × w [kg]"),
    key("buoyancy", Is("false"), "lifted by the weight of what it displaces, at the centroid of that"),
];

pub(super) const SPRING: &[Key] = &[
    key("name", Says("`spring0`, `spring1`, …"), "unique among springs"),
    key("bodies", Needed, "one name, the other end is in the world, or two names"),
    key("anchors", Needed, "its two ends, in world coordinates at the scene's pose [m]"),
    key("stiffness", Needed, "k of the force −k (l − length) along its line [N/m]; 0 for a damper alone"),
    key("damping", Is("0"), "c of the force −c l' along its line [N·s/m]"),
    key("length", Says("the distance of the anchors"), "at rest [m]"),
];

pub(super) const EXPECT: &[Key] = &[
    key("kinetic_energy", Says("not checked"), "[J]"),
    key("energy", Says("not checked"), "kinetic, potential and that of springs [J]"),
    key("energy_change", Says("not checked"), "of the last step [J]"),
    key("contacts", Says("not checked"), "points of the last step that overlapped or carried an impulse"),
    key("max_penetration", Says("not checked"), "deepest overlap of the run [m]"),
    key("max_penetration_end", Says("not checked"), "deepest overlap at the end [m]"),
    key(
        "bodies",
        Says("not checked"),
        "by name: x y z height, vx vy vz speed, wx wy wz spin, turn, tilt, kinetic_energy",
    ),
    key("ledger", Says("not checked"), "any account, unexplained, worst_step_unexplained [J]"),
    key("drivers", Says("not checked"), "by name: work, peak_force, peak_torque"),
    key("joints", Says("not checked"), "by name: q, v"),
    key("during", Says("not checked"), "what must hold on the way"),
];

/// What a time of the run takes, beside the checks.
pub(super) const DURING: &[Key] = &[
    key("from", Says("the start"), "[s]"),
    key("until", Says("the end"), "[s]"),
    key(
        "take",
        Is("\"every\""),
        "at every step; `\"most\"`, `\"least\"`: the largest, the smallest value of that time",
    ),
];

pub(super) const EDIT: &[Key] = &[
    key("after", Needed, "the number of steps after which it is done"),
    key("body", Needed, "the name of the body that is changed"),
    key("position", Says("as it is"), "new place of the body's frame [m]"),
    key("orientation", Says("as it is"), "new turn of the body's frame"),
    key("linear_velocity", Says("as it is"), "new velocity of the centre of mass [m/s]"),
    key("angular_velocity", Says("as it is"), "new spin [rad/s]"),
];

/// Keys of which a table has one: setting one of them on the command line replaces the others.
pub(super) const ALTERNATIVES: &[&[&str]] =
    &[&["steps", "seconds"], &["shape", "shapes"], &["points", "file"], &["heights", "file"]];
