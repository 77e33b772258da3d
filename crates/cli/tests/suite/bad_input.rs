//! Two hundred bad inputs: each is answered with the place, the value and a remedy, and with no hint that misleads.

use crate::common::{folder, huygens, path, text};

/// A scene with one of everything; every row of [`SCENES`] breaks one place of it.
const SCENE: &str = r#"[world]
dt = 0.005
steps = 20
length = 1
gravity = [0, 0, -9.81]
combine = "geometric"
iterations = 50
seed = 7
stabilisation = { kind = "split-impulse", beta = 0.2 }
soft_step = { substeps = 4, hertz = 30 }

[materials.steel]
density = 7800
friction = 0.4
restitution = 0.3

[materials.ice]
friction = 0.1
restitution = 0

[[pair]]
a = "steel"
b = "ice"
friction = 0.05

[[body]]
name = "floor"
motion = "static"
shape = { kind = "half-space", normal = [0, 0, 1], material = "ice" }

[[body]]
name = "ball"
position = [0, 0, 2]
orientation = [1, 0, 0, 0]
linear_velocity = [1, 0, 0]
lock = ["ry"]
gravity_scale = 1
shape = { kind = "sphere", radius = 0.5, material = "steel" }

[[body]]
name = "belt"
position = [5, 0, 3]
motion = { kind = "driven", angular_velocity = [0, 1, 0], limit = { kind = "torque", max = 10 } }
shapes = [{ kind = "box", size = [1, 1, 1] }, { kind = "capsule", radius = 0.1, length = 1, axis = "x" }]

[[body]]
name = "arm"
position = [-4, 0, 5]
shape = { kind = "hull", points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], scale = 1 }

[[repeat]]
kind = "stack"
count = 3
spacing = 1.1
body = { name = "crate", position = [9, 0, 0.5], shape = { kind = "box", size = [1, 1, 1] } }

[[joint]]
name = "elbow"
kind = "hinge"
child = "arm"
anchor = [-4, 0, 5]
axis = [0, 1, 0]
range = [-1, 1]

[[edit]]
after = 5
body = "ball"
position = [0, 0, 3]

[expect]
energy = [-1e9, 1e9]
bodies.ball.z = [-10, 10]
ledger.impact = [-1e9, 0]
drivers.belt.work = [-1e9, 1e9]
joints.elbow.q = [-2, 2]

[[expect.during]]
until = 1
take = "most"
bodies.ball.speed = [0, 100]
"#;

/// What is replaced, by what, and what the message must have: place, value, remedy.
type Row = (&'static str, &'static str, &'static [&'static str]);

const SCENES: &[Row] = &[
    // [world]
    ("dt = 0.005", "dt = -1", &["world.dt is -1", "above 0"]),
    ("dt = 0.005", "dt = 0", &["world.dt is 0", "above 0"]),
    ("dt = 0.005", "dt = nan", &["world.dt is NaN"]),
    ("dt = 0.005", "dt = inf", &["world.dt is inf"]),
    ("dt = 0.005", "dt = 1e300", &["world.dt is 1e300", "at most 1e20"]),
    ("dt = 0.005", "dt = 1e-300", &["world.dt is 1e-300", "at least 1e-20"]),
    ("dt = 0.005", "dt = 100", &["world.dt is 100", "shows nothing", "0.004"]),
    ("dt = 0.005", "dt = \"fast\"", &["expected a number, found a string"]),
    ("dt = 0.005", "dt = [1]", &["expected a number, found an array of 1"]),
    ("dt = 0.005", "dt = true", &["found the truth value true"]),
    ("dt = 0.005", "dt = 2025-01-01", &["found a date"]),
    ("dt = 0.005", "dtt = 0.005", &["no key `dtt`", "Did you mean `dt`?"]),
    ("dt = 0.005", "timestep = 0.005", &["no key `timestep`", "There are: length, gravity, dt"]),
    ("dt = 0.005", "drag = 0.5", &["no key `drag`", "There are: length"]),
    ("dt = 0.005", "wind = [1, 0, 0]", &["no key `wind`", "There are: length"]),
    ("steps = 20", "steps = -1", &["world.steps is -1", "found the integer -1"]),
    ("steps = 20", "steps = 1.5", &["expected an integer", "found the number 1.5"]),
    ("steps = 20", "steps = 99999999999999999999", &["world.steps is 99999999999999999999", "from 0 to"]),
    ("steps = 20", "steps = 20\nseconds = 1", &["given twice", "Keep one"]),
    ("steps = 20", "seconds = -1", &["world.seconds is -1", "at or above 0"]),
    ("steps = 20", "seconds = inf", &["world.seconds is inf"]),
    ("steps = 20", "steps = 10000000000000000", &["1e15", "smaller"]),
    ("length = 1", "length = 0", &["world.length is 0", "typical size"]),
    ("length = 1", "length = -2", &["world.length is -2"]),
    ("length = 1", "lenght = 1", &["Did you mean `length`?"]),
    (
        "gravity = [0, 0, -9.81]",
        "gravity = -9.81",
        &["expected three numbers [x, y, z], found the number -9.81"],
    ),
    ("gravity = [0, 0, -9.81]", "gravity = [0, -9.81]", &["found an array of 2"]),
    ("gravity = [0, 0, -9.81]", "gravity = [0, 0, \"down\"]", &["whose number 3 is a string"]),
    ("gravity = [0, 0, -9.81]", "gravity = [0, 0, nan]", &["world.gravity is [0, 0, NaN]"]),
    ("gravity = [0, 0, -9.81]", "gravity = [0, 0, -1e200]", &["[0, 0, -1e200]", "at most 1e20"]),
    (
        "combine = \"geometric\"",
        "combine = \"gometric\"",
        &["no such `combine`", "Did you mean `geometric`?"],
    ),
    ("combine = \"geometric\"", "combine = \"average\"", &["There are: table, max, min, mean"]),
    ("combine = \"geometric\"", "combine = 3", &["expected a string, found the integer 3"]),
    ("combine = \"geometric\"", "combine = \"table\"", &["have no pair", "[[pair]]"]),
    ("iterations = 50", "iterations = 0", &["from 1 to 1000000", "50 is the default"]),
    ("iterations = 50", "iterations = -3", &["found the integer -3"]),
    ("iterations = 50", "iterations = 5000000000", &["found the integer 5000000000"]),
    ("iterations = 50", "tolerance = 2", &["world.tolerance is 2", "from 0 to 1"]),
    ("iterations = 50", "relaxation = 0", &["world.relaxation is 0", "from 0.01 to 1"]),
    ("iterations = 50", "margin = -1", &["world.margin is -1", "at or above 0"]),
    ("iterations = 50", "restitution_threshold = -1", &["restitution_threshold is -1"]),
    ("iterations = 50", "exact_rows = 999999", &["from 0 to 10000"]),
    ("iterations = 50", "guard = 1", &["expected true or false, found the integer 1"]),
    ("iterations = 50", "speculative = \"yes\"", &["expected true or false, found a string"]),
    ("iterations = 50", "warm_start = 0.5", &["expected true or false, found the number 0.5"]),
    ("iterations = 50", "correction_aggressiveness = 0", &["above 0"]),
    ("iterations = 50", "solver = \"foo\"", &["no such contact model", "There are: soft-step"]),
    ("iterations = 50", "solver = \"pgs\"", &["no such contact model", "There are:"]),
    ("iterations = 50", "solver = \"sofstep\"", &["Did you mean `soft-step`?"]),
    ("iterations = 50", "solver = \"ncp/newtn\"", &["Did you mean `ncp/newton`?"]),
    (
        "iterations = 50",
        "integrator = \"leapfrog\"",
        &["no such `integrator`", "There are: kick-drift-kick, symplectic-euler"],
    ),
    ("iterations = 50", "gyroscopic = \"off\"", &["There are: midpoint, explicit"]),
    ("iterations = 50", "workers = 4", &["no key `workers`", "There are:"]),
    ("iterations = 50", "threads = 0", &["threads", "0"]),
    ("iterations = 50", "threads = 1000000000", &["threads", "1000000000", "256"]),
    ("seed = 7", "seed = -7", &["found the integer -7"]),
    ("seed = 7", "seed = \"now\"", &["expected an integer", "found a string"]),
    (
        "kind = \"split-impulse\", beta = 0.2",
        "kind = \"split\", beta = 0.2",
        &["Did you mean `split-impulse`?"],
    ),
    (
        "kind = \"split-impulse\", beta = 0.2",
        "kind = \"spring\"",
        &["There are: none, baumgarte, split-impulse"],
    ),
    ("beta = 0.2", "beta = 2", &["stabilisation.beta is 2", "from 0 to 1"]),
    ("beta = 0.2", "erp = 0.2", &["no key `erp` of kind \"split-impulse\"", "There are:"]),
    ("beta = 0.2", "slop = -1", &["slop is -1"]),
    ("substeps = 4", "substeps = 0", &["substeps is 0", "from 1 to 1000"]),
    ("substeps = 4", "sub_steps = 4", &["Did you mean `substeps`?"]),
    ("hertz = 30", "hertz = 0", &["hertz is 0", "above 0"]),
    ("hertz = 30", "frequency = 30", &["no key `frequency`", "There are: substeps, hertz"]),
    ("[world]", "[wrold]", &["no key `wrold`", "Did you mean `world`?"]),
    ("[world]", "[simulation]", &["no key `simulation`", "There are: world, materials"]),
    ("[world]\n", "world = 3\n[other]\n", &["expected a table, found the integer 3"]),
    // materials and pairs
    ("density = 7800", "density = 0", &["materials.\"steel\".density is 0", "above 0"]),
    ("density = 7800", "density = \"heavy\"", &["expected a number, found a string"]),
    ("density = 7800", "rho = 7800", &["no key `rho`", "There are: density, friction"]),
    ("density = 7800", "densty = 7800", &["Did you mean `density`?"]),
    ("friction = 0.4", "friction = -0.4", &["friction is -0.4", "at or above 0"]),
    ("friction = 0.4", "friction = [0.4, 0.3]", &["expected a number, found an array of 2"]),
    (
        "friction = 0.4",
        "friction_static = 0.1\nfriction_dynamic = 0.4",
        &["must not be below dynamic friction"],
    ),
    ("friction = 0.4", "mu = 0.4", &["no key `mu`", "There are: density, friction"]),
    ("friction = 0.4", "friction_coefficient = 0.4", &["Did you mean `friction`?"]),
    ("friction = 0.4", "friction_rolling = -1", &["a friction lever", "at or above 0"]),
    ("friction = 0.4", "surface_velocity = 2", &["expected three numbers"]),
    ("friction = 0.4", "priority = 0.5", &["expected an integer", "found the number 0.5"]),
    ("restitution = 0.3", "restitution = 1.5", &["restitution is 1.5", "from 0 to 1"]),
    ("restitution = 0.3", "restitution = -0.1", &["from 0 to 1"]),
    ("restitution = 0.3", "bounciness = 0.3", &["no key `bounciness`", "There are:"]),
    ("restitution = 0.3", "restituton = 0.3", &["Did you mean `restitution`?"]),
    (
        "[materials.steel]",
        "[materials]\nsteel = 1\n[materials.other]",
        &["expected a table, found the integer 1"],
    ),
    ("[materials.steel]", "[material.steel]", &["no key `material`", "Did you mean `materials`?"]),
    ("a = \"steel\"", "a = \"stel\"", &["no such material", "Did you mean `steel`?"]),
    ("a = \"steel\"", "a = \"granite\"", &["no such material", "There are: ice, steel"]),
    ("a = \"steel\"", "", &["pair[0].a: is missing", "Add `a`"]),
    ("[[pair]]", "[pair]", &["expected tables [[pair]], found a table"]),
    (
        "friction = 0.05\n",
        "friction = 0.05\n[[pair]]\na = \"ice\"\nb = \"steel\"\n",
        &["have a pair already", "Keep one"],
    ),
    ("friction = 0.05", "friction = nan", &["pair[0].friction is NaN"]),
    // bodies
    ("name = \"ball\"", "name = \"floor\"", &["name"]),
    ("name = \"ball\"", "name = \"\"", &["name"]),
    ("name = \"ball\"", "name = 5", &["expected a string, found the integer 5"]),
    ("name = \"ball\"", "nme = \"ball\"", &["Did you mean `name`?"]),
    ("position = [0, 0, 2]", "position = [0, 0]", &["expected three numbers [x, y, z], found an array of 2"]),
    ("position = [0, 0, 2]", "position = \"up\"", &["found a string"]),
    ("position = [0, 0, 2]", "position = [0, 0, true]", &["whose number 3 is the truth value true"]),
    ("position = [0, 0, 2]", "position = [inf, 0, 2]", &["[inf, 0, 2]", "finite"]),
    ("position = [0, 0, 2]", "posiiton = [0, 0, 2]", &["Did you mean `position`?"]),
    ("position = [0, 0, 2]", "location = [0, 0, 2]", &["no key `location`", "There are: name, position"]),
    ("position = [0, 0, 2]", "drag = 0.47", &["no key `drag`", "There are: name, position"]),
    ("position = [0, 0, 2]", "damping = 0.1", &["no key `damping`", "There are: name"]),
    (
        "orientation = [1, 0, 0, 0]",
        "orientation = [0, 0, 0, 0]",
        &["length 0 is no rotation", "[1, 0, 0, 0]"],
    ),
    ("orientation = [1, 0, 0, 0]", "orientation = [1, 1, 0, 0]", &["1.414214", "[0.707107, 0.707107, 0, 0]"]),
    (
        "orientation = [1, 0, 0, 0]",
        "orientation = [0, 0, 90]",
        &["a quaternion of four numbers [w, x, y, z]"],
    ),
    ("orientation = [1, 0, 0, 0]", "orientation = [nan, 0, 0, 0]", &["finite", "w, x, y, z"]),
    ("orientation = [1, 0, 0, 0]", "rotation = [1, 0, 0, 0]", &["no key `rotation`"]),
    ("linear_velocity = [1, 0, 0]", "velocity = [1, 0, 0]", &["no key `velocity`", "There are:"]),
    ("linear_velocity = [1, 0, 0]", "linear_velocity = 1", &["expected three numbers"]),
    ("linear_velocity = [1, 0, 0]", "linear_velocty = [1, 0, 0]", &["Did you mean `linear_velocity`?"]),
    ("linear_velocity = [1, 0, 0]", "mass = 0", &["mass is 0", "motion = \"static\""]),
    ("linear_velocity = [1, 0, 0]", "mass = -2", &["mass is -2", "above 0"]),
    ("linear_velocity = [1, 0, 0]", "inertia = [1, 1, 9]", &["no body has this inertia"]),
    ("linear_velocity = [1, 0, 0]", "inertia = [1, 1]", &["three numbers [xx, yy, zz] or six"]),
    ("linear_velocity = [1, 0, 0]", "center_of_mass = [0, 0, inf]", &["center_of_mass is [0, 0, inf]"]),
    ("linear_velocity = [1, 0, 0]", "force = [1, 0]", &["force is [1, 0]", "three numbers"]),
    ("lock = [\"ry\"]", "lock = [\"roll\"]", &["no such axis", "There are: x, y, z, rx, ry, rz"]),
    ("lock = [\"ry\"]", "lock = \"ry\"", &["expected an array of axes"]),
    ("lock = [\"ry\"]", "lock = [3]", &["expected an axis such as \"x\""]),
    ("gravity_scale = 1", "gravity_scale = inf", &["gravity_scale is inf"]),
    ("gravity_scale = 1", "gravity = 1", &["no key `gravity`", "Did you mean `gravity_scale`?"]),
    ("motion = \"static\"", "motion = \"fixed\"", &["no such kind", "There are: dynamic, static, driven"]),
    ("motion = \"static\"", "motion = \"statc\"", &["Did you mean `static`?"]),
    ("motion = \"static\"", "motion = 0", &["expected a table, found the integer 0"]),
    ("motion = \"static\"", "motion = \"dynamic\"", &["a boundary has no volume", "motion = \"static\""]),
    (
        "motion = \"static\"",
        "motion = \"static\"\nforce = [1, 0, 0]",
        &["the body is static, so this has no effect"],
    ),
    ("motion = \"static\"", "motion = \"static\"\nlinear_velocity = [1, 0, 0]", &["kind = \"driven\""]),
    (
        "motion = \"static\"",
        "motion = \"static\"\nlock = [\"x\"]",
        &["so this has no effect", "Remove `lock`"],
    ),
    ("angular_velocity = [0, 1, 0]", "speed = 1", &["no key `speed` of kind \"driven\""]),
    ("angular_velocity = [0, 1, 0]", "angular_velocity = [0, 0, 0]", &["needs an axis"]),
    ("angular_velocity = [0, 1, 0]", "keyframes = [{ t = 0, position = [0, 0, 0] }]", &["at least 2"]),
    ("angular_velocity = [0, 1, 0]", "keyframes = [{ position = [0, 0, 0] }]", &["t: is missing"]),
    ("kind = \"torque\", max = 10", "kind = \"torque\"", &["limit.max: is missing", "[N·m]"]),
    ("kind = \"torque\", max = 10", "kind = \"torque\", max = -1", &["max is -1"]),
    (
        "kind = \"torque\", max = 10",
        "kind = \"force\", max = 10",
        &["no such `kind`", "There are: unlimited, torque, power, cap"],
    ),
    ("kind = \"torque\", max = 10", "kind = \"power\", watts = 10", &["no key `watts`"]),
    ("limit = { kind = \"torque\", max = 10 }", "limit = \"torque\"", &["{ kind = \"torque\", max = 10 }"]),
    // shapes
    ("kind = \"sphere\"", "kind = \"spere\"", &["Did you mean `sphere`?"]),
    ("kind = \"sphere\"", "kind = \"ball\"", &["no such `kind`", "There are: sphere, capsule, cylinder"]),
    ("kind = \"sphere\"", "kind = \"torus\"", &["There are: sphere, capsule"]),
    ("kind = \"sphere\"", "kind = 1", &["expected a string, found the integer 1"]),
    ("kind = \"sphere\", ", "", &["kind: is missing", "one of sphere, capsule"]),
    ("radius = 0.5", "radius = 0", &["shape[0].radius is 0", "above 0"]),
    ("radius = 0.5", "radius = -0.5", &["radius is -0.5"]),
    ("radius = 0.5", "radius = 1e30", &["radius is 1e30", "1e20"]),
    ("radius = 0.5", "radius = 1e-30", &["radius is 1e-30"]),
    ("radius = 0.5", "r = 0.5", &["no key `r`", "There are:"]),
    ("radius = 0.5", "diameter = 1", &["no key `diameter`", "There are:"]),
    ("radius = 0.5", "raduis = 0.5", &["Did you mean `radius`?"]),
    ("radius = 0.5, ", "", &["radius: is missing"]),
    ("radius = 0.5", "radius = 0.5, color = 1", &["color"]),
    ("radius = 0.5", "radius = 0.5, layer = -1", &["found the integer -1"]),
    ("radius = 0.5", "radius = 0.5, sensor = 1", &["expected true or false"]),
    ("radius = 0.5", "radius = 0.5, position = [1, 2]", &["three numbers"]),
    ("radius = 0.5", "radius = 0.5, density = 0", &["density is 0"]),
    ("radius = 0.5", "radius = 0.5, friction = -1", &["friction is -1"]),
    ("radius = 0.5", "radius = 0.5, restitution = 7", &["from 0 to 1"]),
    (
        "shape = { kind = \"sphere\", radius = 0.5, material = \"steel\" }",
        "shape = \"sphere\"",
        &["a table such as { kind = \"sphere\""],
    ),
    (
        "shape = { kind = \"sphere\", radius = 0.5, material = \"steel\" }",
        "",
        &["no shape", "Give it a `shape`"],
    ),
    (
        "shape = { kind = \"sphere\", radius = 0.5, material = \"steel\" }",
        "shape = { kind = \"sphere\", radius = 1 }\nshapes = []",
        &["both `shape` and `shapes`"],
    ),
    ("material = \"steel\" }", "material = \"gold\" }", &["no such material", "There are: ice, steel"]),
    ("material = \"steel\" }", "material = 3 }", &["expected a string"]),
    ("size = [1, 1, 1] }, {", "size = 1 }, {", &["expected three numbers"]),
    ("size = [1, 1, 1] }, {", "size = [1, 0, 1] }, {", &["[1, 0, 1]", "positive lengths"]),
    ("size = [1, 1, 1] }, {", "half_extents = [1, 1, 1] }, {", &["no key `half_extents`"]),
    ("length = 1, axis = \"x\"", "length = 1, axis = \"w\"", &["no such `axis`", "There are: x, y, z"]),
    ("length = 1, axis = \"x\"", "length = 1, axis = [1, 0, 0]", &["expected a string"]),
    ("length = 1, axis = \"x\"", "height = 1", &["no key `height`"]),
    ("radius = 0.1, length = 1", "radius = 0.1", &["length: is missing", "cylindrical part"]),
    ("kind = \"half-space\", normal = [0, 0, 1]", "kind = \"plane\"", &["no such `kind`", "half-space"]),
    ("normal = [0, 0, 1]", "normal = [0, 0, 0]", &["a direction must be finite and have a length above 0"]),
    ("normal = [0, 0, 1]", "normal = \"up\"", &["three numbers"]),
    (
        "points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]",
        "points = [[0, 0, 0], [1, 0, 0]]",
        &["2 points", "at least 4"],
    ),
    (
        "points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]",
        "points = [[0, 0], [1, 0, 0]]",
        &["an array of points"],
    ),
    (
        "points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]",
        "points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]",
        &["shape[0]"],
    ),
    (
        "points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]",
        "file = \"rock.ply\"",
        &["`.stl`, `.obj` and `.msh`"],
    ),
    (
        "points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]",
        "file = \"rock.obj\"",
        &["rock.obj", "relative to the scene file"],
    ),
    (", scale = 1", ", scale = 0", &["every factor must be finite and not 0"]),
    (", scale = 1", ", scale = [1, 2]", &["one factor or three"]),
    ("kind = \"hull\"", "kind = \"mesh\"", &["no key `points` of kind \"mesh\""]),
    // repeats
    ("kind = \"stack\"", "kind = \"tower\"", &["There are: grid, stack, wall, pyramid, pile"]),
    ("kind = \"stack\"", "kind = \"grid\"", &["three whole numbers above 0"]),
    ("count = 3", "count = 0", &["a whole number above 0"]),
    ("count = 3", "count = -3", &["a whole number above 0"]),
    ("count = 3", "count = 4000000000", &["bodies", "smaller"]),
    ("count = 3", "n = 3", &["no key `n`", "count"]),
    ("spacing = 1.1", "spacing = 0", &["spacing is [0]", "above 0"]),
    ("spacing = 1.1", "spacing = [1, 1]", &["one number [m]"]),
    ("spacing = 1.1", "gap = 1.1", &["no key `gap`"]),
    ("spacing = 1.1", "spacing = 1.1\njitter = -1", &["jitter is -1"]),
    ("body = { name = \"crate\"", "body = { name = \"crate\", bdy = 1", &["no key `bdy`"]),
    // joints
    ("kind = \"hinge\"", "kind = \"rope\"", &["no such `kind`", "There are: hinge, slide, ball"]),
    ("kind = \"hinge\"", "kind = \"rope\"", &["There are: hinge"]),
    (
        "kind = \"hinge\"",
        "motor = { target = 1 }",
        &["a position motor without gains", "Give it a stiffness"],
    ),
    ("child = \"arm\"", "child = \"amr\"", &["Did you mean `arm`?"]),
    ("child = \"arm\"", "child = \"leg\"", &["\"leg\""]),
    ("child = \"arm\"", "child = \"floor\"", &["the body is static; a joint moves a dynamic body"]),
    ("child = \"arm\"", "child = \"arm\"\nparent = \"arm\"", &["is the child too"]),
    ("child = \"arm\"", "", &["child: is missing"]),
    ("anchor = [-4, 0, 5]", "", &["anchor: is missing", "world coordinates"]),
    ("anchor = [-4, 0, 5]", "pivot = [-4, 0, 5]", &["no key `pivot`"]),
    ("axis = [0, 1, 0]", "axis = [0, 0, 0]", &["a direction"]),
    ("axis = [0, 1, 0]", "axis = \"up\"", &["a direction [x, y, z] or \"x\""]),
    ("range = [-1, 1]", "range = [1, 2]", &["[1, 2]", "low ≤ 0 ≤ high"]),
    ("range = [-1, 1]", "range = 1", &["two numbers [low, high]"]),
    // edits
    ("after = 5", "after = -5", &["found the integer -5"]),
    ("after = 5", "at = 0.1", &["no key `at`"]),
    (
        "body = \"ball\"\nposition = [0, 0, 3]",
        "body = \"bal\"\nposition = [0, 0, 3]",
        &["Did you mean `ball`?"],
    ),
    ("body = \"ball\"\nposition = [0, 0, 3]", "body = \"arm\"\nposition = [0, 0, 3]", &["hangs on a joint"]),
    (
        "body = \"ball\"\nposition = [0, 0, 3]",
        "body = \"floor\"\nlinear_velocity = [0, 0, 3]",
        &["the body is static"],
    ),
    // expect
    ("energy = [-1e9, 1e9]", "energy = 5", &["a band [smallest, largest]"]),
    ("energy = [-1e9, 1e9]", "energy = [5, -5]", &["[5, -5]", "no value can be in this band"]),
    ("energy = [-1e9, 1e9]", "enrgy = [0, 1]", &["Did you mean `energy`?"]),
    ("bodies.ball.z", "bodies.ball.altitude", &["no key `altitude`", "height"]),
    ("bodies.ball.z", "bodies.bull.z", &["\"bull\"", "Did you mean `ball`?"]),
    ("ledger.impact", "ledger.heat", &["no key `heat`", "friction"]),
    ("ledger.impact", "ledger.impct", &["Did you mean `impact`?"]),
    ("drivers.belt.work", "drivers.ball.work", &["\"ball\"", "driven body"]),
    ("joints.elbow.q", "joints.knee.q", &["\"knee\"", "elbow"]),
    ("take = \"most\"", "take = \"max\"", &["There are: every, most, least"]),
    // no TOML
    ("dt = 0.005", "dt = ", &["toml.io"]),
    ("dt = 0.005", "dt = 0.005 s", &["toml.io"]),
    ("dt = 0.005", "dt = 0.005\ndt = 0.006", &["duplicate key"]),
    ("[[body]]", "[body", &["toml.io"]),
    ("steps = 20", "steps = twenty", &["toml.io"]),
];

/// Words of the command line, and what the message must have.
const COMMANDS: &[(&[&str], &[&str])] = &[
    (&["walk"], &["walk"]),
    (&["run", "stak"], &["Did you mean `stack`?"]),
    (&["run", "no/such.toml"], &["no file `no/such.toml`", "a scene file that exists"]),
    (&["run", "xylophone"], &["--list"]),
    (&["run", "stack", "--solver", "jacobi"], &["There are: soft-step"]),
    (&["run", "stack", "--sovler", "x"], &["--solver"]),
    (&["run", "stack", "--steps", "x"], &["--steps x"]),
    (&["run", "stack", "--steps", "-1"], &["--steps -1", "found the integer -1"]),
    (&["run", "stack", "--seconds", "soon"], &["expected a number, found a string"]),
    (&["run", "stack", "--set", "world.dt"], &["there is no `=`"]),
    (&["run", "stack", "--set", "=1"], &["PATH=VALUE"]),
    (&["run", "stack", "--set", "world.dt="], &["there is no value"]),
    (&["run", "stack", "--set", "world.drag=1"], &["no key `drag`", "There are:"]),
    (&["run", "stack", "--set", "body.nobody.mass=1"], &["there is no `nobody`", "floor"]),
    (&["run", "stack", "--set", "repeat.cub.count=2"], &["Did you mean `cube`?"]),
    (&["run", "stack", "--set", "materials.foo.friction=1"], &["no material `foo`"]),
    (&["run", "stack", "--set", "joint.a.kind=slide"], &["the scene has no joint"]),
    (&["run", "stack", "--set", "world.dt=[1"], &["no TOML"]),
    (&["run", "stack", "--set", "world.dt.x=1"], &["so it has no `x`"]),
    (&["run", "stack", "--out", "a.xyz"], &[".csv, .jsonl, .npz"]),
    (&["run", "stack", "--out", "no/such/folder/a.csv"], &["folder that exists"]),
    (&["run", "stack", "--picture", "a.gif"], &[".png, .svg"]),
    (&["run", "stack", "--picture", "a.png", "--view", "behind"], &["corner, front, side, top"]),
    (&["run", "stack", "--picture", "a.png", "--size", "big"], &["WIDTHxHEIGHT"]),
    (&["run", "stack", "--picture", "a.png", "--at", "1e9"], &["the run is not there"]),
    (&["run", "stack", "--every", "2"], &["--out"]),
    (&["compare", "stack", "--solvers", "fast"], &["There are:"]),
    (&["compare", "stack", "--limit", "-1"], &["0 or more"]),
    (&["compare", "stack", "--report", "a.pdf"], &[".html"]),
    (&["verify", "bal-drop"], &["Did you mean `ball-drop`?", "`--list`"]),
    (&["verify", "1", "--solvers", ","], &["names no contact model"]),
    (&["solvers", "gauss"], &["There are: soft-step"]),
    (&["bench", "stack", "--level", "mmx"], &["sse2"]),
    (&["sweep", "stack", "--set", "world.dt=1,1", "--out", "a.csv"], &["twice"]),
    (&["sweep", "stack", "--set", "world.dt", "--out", "a.csv"], &["there is no `=`"]),
    (&["sweep", "stack", "--set", "world.dt=0.001", "--out", "a.txt"], &[".csv"]),
    (&["hunt", "--for", "bugs"], &["There are:"]),
    (&["solve", "no-such-file.txt"], &["no-such-file.txt"]),
];

/// What is wrong with a message, if anything.
fn fault(message: &str, wanted: &[&str]) -> Option<String> {
    if let Some(missing) = wanted.iter().find(|part| !message.contains(**part)) {
        return Some(format!("does not say {missing:?}"));
    }
    let remedy = ["help: ", "tip: ", "Usage: "].iter().any(|word| message.contains(word));
    if !remedy {
        return Some("has no remedy".to_owned());
    }
    let digits = message.split(|c: char| !c.is_ascii_digit()).map(str::len).max().unwrap_or(0);
    if digits > 20 || message.contains("0e0") {
        return Some("has numbers full of noise".to_owned());
    }
    if message.contains("expected an integer") && message.contains("found an integer") {
        return Some("contradicts itself".to_owned());
    }
    // A hint is given only where the row says so.
    let hinted = wanted.iter().any(|part| part.contains("Did you mean") || part.contains("`cube`"));
    (message.contains("Did you mean") && !hinted).then(|| "gives a hint that misleads".to_owned())
}

#[test]
fn the_unbroken_scene_runs() {
    let scene = path(&folder("bad_input_none"), "good.toml");
    std::fs::write(&scene, SCENE).unwrap();
    let output = huygens(&["run", &scene]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

#[test]
fn two_hundred_bad_inputs_are_answered_with_place_value_and_remedy() {
    assert!(SCENES.len() + COMMANDS.len() >= 200, "{} and {}", SCENES.len(), COMMANDS.len());
    let scene = path(&folder("bad_input"), "bad.toml");
    let mut wrong = Vec::new();
    for (from, to, wanted) in SCENES {
        assert!(SCENE.contains(from), "{from:?} is not in the scene");
        std::fs::write(&scene, SCENE.replacen(from, to, 1)).unwrap();
        let output = huygens(&["run", &scene]);
        let message = text(&output.stderr);
        let place = message.contains("bad.toml");
        let found = match output.status.code() {
            Some(2) if place => fault(message, wanted),
            Some(2) => Some("has no place".to_owned()),
            status => Some(format!("ends with {status:?}")),
        };
        wrong.extend(found.map(|found| format!("{to}: {found}\n{message}\n")));
    }
    for (words, wanted) in COMMANDS {
        let output = huygens(words);
        let message = text(&output.stderr);
        let found = match output.status.code() {
            Some(2) => fault(message, wanted),
            status => Some(format!("ends with {status:?}")),
        };
        wrong.extend(found.map(|found| format!("{}: {found}\n{message}\n", words.join(" "))));
    }
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
}
