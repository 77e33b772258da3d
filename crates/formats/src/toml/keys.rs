//! The keys of tables that are read by hand: each with its name, its default and its meaning. All others stand beside the field that they
//! fill (`huygens::scene::keys`).
//!
//! Reading refuses other keys and names the nearest, says of a missing one what it is, and docs/scene-file.md has all tables of keys word for
//! word (`tests/keys.rs`, which also holds the defaults to those of the scene, and the writer to all keys).

use huygens::scene::keys::{Absent, Key};

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
    key("include", Says("none"), "robots from model files: a file name, a table or an array of either"),
    key("repeat", Says("none"), "bodies in a pattern"),
    key("joint", Says("none"), "joints between bodies"),
    key("coupling", Says("none"), "couplings of joints and of bodies"),
    key("tendon", Says("none"), "tendons over joints, or through points of bodies"),
    key("medium", Says("none"), "what fills the space around the bodies"),
    key("spring", Says("none"), "springs and dampers between points"),
    key("edit", Says("none"), "changes from outside during the run"),
    key("expect", Says("nothing"), "what the scene's own test checks"),
];

pub(super) const STABILISATION: &[(&str, &[&str])] =
    &[("none", &[]), ("baumgarte", &["erp", "cap"]), ("split-impulse", &["beta", "slop"])];

pub(super) const MOTION: &[(&str, &[&str])] = &[
    ("dynamic", &[]),
    ("static", &[]),
    ("driven", &["linear_velocity", "angular_velocity", "keyframes", "limit"]),
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
    key(
        "joints",
        Is("[]"),
        "joints between the bodies, as `[[joint]]` has them: then all bodies stand at each place, moved and turned about the first one",
    ),
];

pub(super) const INCLUDE: &[Key] = &[
    key("file", Needed, "the model, .xml (MJCF) or .urdf, relative to the scene file"),
    key("position", Is("[0, 0, 0]"), "where its origin is [m]"),
    key("orientation", Is("[1, 0, 0, 0]"), "how it is turned, [w, x, y, z]"),
    key("prefix", Is("\"\""), "what stands before the names of its bodies, joints and couplings"),
    key("count", Is("1"), "how often it is there; the names of several end in `[0]`, `[1]`, …"),
    key("spacing", Is("[0, 0, 0]"), "from one to the next [m]"),
];

pub(super) const JOINT: &[Key] = &[
    key("name", Says("`joint0`, `joint1`, …"), "unique among joints"),
    key(
        "kind",
        Is("\"hinge\""),
        "`\"hinge\"`, `\"slide\"`, `\"ball\"`, `\"fixed\"`, `\"free\"`, `\"universal\"`, `\"cylindrical\"`, `\"planar\"`, `\"screw\"` or `\"generic\"`",
    ),
    key("parent", Says("the world"), "the name of the body that carries it; it may be static"),
    key("child", Needed, "the name of the body that it carries"),
    key(
        "anchor",
        Needed,
        "where it is, [x, y, z] in world coordinates at the scene's pose, which is the joint's zero",
    ),
    key("axis", Is("\"z\""), "a vector or `\"x\"`, `\"y\"`, `\"z\"`, world axes at the scene's pose"),
    key("axis2", Says("across `axis`"), "second axis of a universal joint, second direction of a planar one"),
    key("pitch", Is("0"), "travel of a screw for each turn [m]"),
    key(
        "free",
        Is("[]"),
        "what a generic joint lets move: some of `\"x\"`, `\"y\"`, `\"z\"`, `\"rx\"`, `\"ry\"`, `\"rz\"`, along the world's axes at the scene's pose; what acts there (`range`, `restitution`, `soft`, `spring`, `friction`, `motor`, `position`, `velocity`, `damping`, `armature`) may be told axis by axis: `damping = { x = 1, rz = 0.1 }`",
    ),
    key("range", Says("no limit"), "`[low, high]` [rad, of a slide m; none for a ball joint]"),
    key(
        "cone",
        Says("no limit"),
        "of a ball joint: largest angle between `axis` on the child and on the parent [rad]",
    ),
    key("twist", Says("no limit"), "of a ball joint: `[low, high]` of its turn about `axis` [rad]"),
    key("restitution", Is("0"), "share of the speed with which it comes back from the ends of `range`"),
    key(
        "soft",
        Says("limits are rigid"),
        "the limits at the ends of the range give way as a spring and a damper: { stiffness [N·m/rad, of a slide N/m], damping } or { time_constant [s], damping_ratio }; or for the convex models alone { solref, solimp }",
    ),
    key("spring", Says("none"), "{ stiffness [N·m/rad, of a slide N/m], rest [rad, m] }"),
    key("friction", Is("0"), "dry friction: largest resistance to its motion [N·m, of a slide N]"),
    key(
        "motor",
        Says("none"),
        "{ kind = \"position\", \"velocity\" or \"torque\", target, stiffness, damping, max_force, max_power }; a velocity motor without `damping` holds its speed exactly",
    ),
    key(
        "position",
        Is("0"),
        "its coordinate at the start, counted from the scene's pose [rad, of a slide m]",
    ),
    key("velocity", Is("0"), "at the start [rad/s, of a slide m/s; of a ball joint the spin about `axis`]"),
    key("damping", Is("0"), "against the velocity [N·m·s/rad, of a slide N·s/m]"),
    key(
        "armature",
        Is("0"),
        "inertia of a drive that turns or travels with the joint [kg·m², of a slide kg]",
    ),
    key("collide", Is("false"), "whether parent and child touch"),
    key("break_force", Says("no limit"), "largest force that it bears [N]; above that it breaks"),
    key("break_torque", Says("no limit"), "largest torque about its anchor that it bears [N·m]"),
];

pub(super) const COUPLING: &[Key] = &[
    key("name", Says("`coupling0`, `coupling1`, …"), "unique among couplings"),
    key(
        "kind",
        Needed,
        "`\"gear\"`, `\"polynomial\"`, `\"distance\"`, `\"rope\"`, `\"connect\"` or `\"weld\"`",
    ),
    key(
        "joints",
        Says("none"),
        "of a gear or polynomial: [a, b], where the coordinate of a follows from that of b",
    ),
    key("ratio", Is("1"), "of a gear: q_a = ratio · q_b, counted from the scene's pose"),
    key("coefficients", Is("[]"), "of a polynomial: q_a = c0 + c1 q_b + … + c4 q_b⁴"),
    key("bodies", Says("none"), "of the other kinds: two names, or one, the other end is in the world"),
    key(
        "anchors",
        Says("the origin"),
        "a point on each body, in world coordinates at the scene's pose [m]; one point is enough for `connect` and `weld`",
    ),
    key("length", Says("that of the scene's pose"), "of a rope or rod [m]"),
];

pub(super) const TENDON: &[Key] = &[
    key("name", Says("`tendon0`, `tendon1`, …"), "unique among tendons"),
    key(
        "joints",
        Is("[]"),
        "[{ joint, factor }, …]: its length is the sum of these joints' coordinates times factors",
    ),
    key(
        "path",
        Is("[]"),
        "its way: { body, at = [x, y, z] } a point of a body, in world coordinates at the scene's pose, without `body` in the world; { pulley = d } what follows counts divided by d, and begins anew; { wrap = body, side = [x, y, z] } around the first sphere or cylinder of a body, on the side of a point",
    ),
    key("range", Says("no limit"), "`[low, high]` of its length [m]; a rope has `[0, length]`"),
    key("spring", Says("none"), "{ stiffness [N/m], rest [m] }"),
    key("damping", Is("0"), "against the rate of its length [N·s/m]"),
    key("friction", Is("0"), "dry friction: largest force against a change of its length [N]"),
    key("motor", Says("none"), "as that of a joint, about its length; a force above 0 makes it longer"),
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

/// Keys of which a table has one: setting one of them on the command line replaces the others.
pub(super) const ALTERNATIVES: &[&[&str]] =
    &[&["steps", "seconds"], &["shape", "shapes"], &["points", "file"], &["heights", "file"]];
