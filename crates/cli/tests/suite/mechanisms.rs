//! Mechanisms as a stranger writes them: scene files with a known answer, run by the program.

use crate::common::{folder, huygens, path, refused, text};
use huygens::math::trig;
use serde_json::Value;

/// Models whose joints, limits and motors are hard.
const HARD: &[&str] = &[
    "soft-step",
    "sequential-impulse",
    "ncp/newton",
    "active-set",
    "nbgs/orthogonal-projection",
    "nbgs/approximate-decoupling",
];

/// Every model that a mechanism without contacts may have.
const ALL: &[&str] = &["soft-step", "sequential-impulse", "ncp/newton", "active-set", "convex/newton"];

/// A body that touches nothing.
fn body(name: &str, at: [f64; 3], mass: f64, inertia: [f64; 3]) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\nposition = {at:?}\nmass = {mass}\ninertia = {inertia:?}\n\
         center_of_mass = [0, 0, 0]\nshape = {{ kind = \"sphere\", radius = 0.01, layer = 0, mask = 0 }}\n"
    )
}

fn world(seconds: f64, gravity: f64) -> String {
    format!(
        "[world]\nlength = 0.1\ndt = 0.001\nseconds = {seconds}\ngravity = [0, 0, {gravity}]\nintegrator = \"midpoint\"\n"
    )
}

/// The JSON that the program prints for a scene that runs.
fn run(name: &str, scene: &str, more: &[&str]) -> Value {
    let folder = folder(&format!("mechanism_{name}"));
    let file = path(&folder, "scene.toml");
    std::fs::write(&file, scene).unwrap();
    let mut words = vec!["run", &file, "--json"];
    words.extend(more);
    let output = huygens(&words);
    assert_eq!(output.status.code(), Some(0), "{name}: {}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// A number of a thing by its name.
fn of(run: &Value, list: &str, name: &str, key: &str) -> f64 {
    let things = run[list].as_array().expect("a list");
    let thing = things.iter().find(|thing| thing["name"] == name).unwrap_or_else(|| panic!("no {name}"));
    thing.pointer(key).and_then(Value::as_f64).unwrap_or_else(|| panic!("no {key} in {thing}"))
}

/// Runs a scene with each of the models and compares joints' numbers; the books close.
fn answers(name: &str, scene: &str, solvers: &[&str], expected: &[(&str, &str, f64, f64)]) {
    for solver in solvers {
        let run = run(&format!("{name}_{}", solver.replace('/', "_")), scene, &["--solver", solver]);
        for &(joint, key, value, tolerance) in expected {
            let found = of(&run, "joints", joint, key);
            let off = (found - value).abs();
            assert!(
                off <= tolerance,
                "{name}, {solver}: {joint}{key} is {found}, not {value}: off by {off:e}"
            );
        }
        let off = run["ledger"]["worst_step_unexplained"].as_f64().unwrap();
        assert!(off < 1e-9, "{name}, {solver}: {off:e} J unexplained");
    }
}

#[test]
fn a_cardan_joint_turns_its_second_shaft_as_it_must() {
    // tan θ₂ = cos β tan θ₁ at β = 30°, where θ₁ = 3 rad.
    let (s, c) = (0.5, 0.75_f64.sqrt());
    let scene = world(1.0, 0.0)
        + &body("one", [0.0, 0.0, -0.5], 1.0, [0.1; 3])
        + &body("two", [0.5 * s, 0.0, 0.5 * c], 1.0, [0.1; 3])
        + &format!(
            "[[joint]]\nname = \"one\"\nchild = \"one\"\nanchor = [0, 0, -0.5]\nvelocity = 3\n\
             motor = {{ kind = \"velocity\", target = 3 }}\n\
             [[joint]]\nname = \"two\"\nchild = \"two\"\nanchor = [{}, 0, {}]\naxis = [{s}, 0, {c}]\n\
             [[joint]]\nname = \"cross\"\nkind = \"universal\"\nparent = \"one\"\nchild = \"two\"\nanchor = [0, 0, 0]\n\
             axis = \"y\"\naxis2 = [{c}, 0, {}]\n",
            0.5 * s,
            0.5 * c,
            -s
        );
    let turn = trig::atan2(c * trig::sin(3.0), trig::cos(3.0));
    answers("cardan", &scene, ALL, &[("one", "/q", 3.0, 1e-9), ("two", "/q", turn, 1e-8)]);
}

#[test]
fn every_coordinate_of_a_joint_is_told() {
    let slides = |kind: &str, more: &str| {
        world(1.0, -9.81)
            + &body("one", [0.0; 3], 1.0, [0.1; 3])
            + &format!(
                "[[joint]]\nname = \"one\"\nkind = \"{kind}\"\nchild = \"one\"\nanchor = [0, 0, 0]\n{more}"
            )
    };
    let fall = -0.5 * 9.81;
    // Turn and travel of a cylindrical joint, each by itself.
    let cylinder = slides("cylindrical", "axis = \"z\"\nvelocity = 2\n");
    let told = [("one", "/coordinates/0", 2.0, 1e-9), ("one", "/coordinates/1", fall, 1e-9)];
    answers("cylinder", &cylinder, ALL, &told);
    let plane = slides("planar", "axis = \"x\"\naxis2 = \"z\"\nvelocity = 1.5\n");
    let told = [("one", "/coordinates/0", 1.5, 1e-9), ("one", "/coordinates/1", fall, 1e-9)];
    answers("plane", &plane, ALL, &told);
    // A spring along x and a damper about y, axis by axis: x = 0.1 cos 10t, the spin dies by e^(−4t).
    let generic = slides(
        "generic",
        "free = [\"x\", \"ry\"]\nspring = { x = { stiffness = 100 } }\nposition = { x = 0.1 }\nvelocity = { ry = 3 }\n\
         damping = { ry = 0.4 }\n",
    );
    let turn = 3.0 / 4.0 * (1.0 - trig::exp(-4.0));
    let told = [
        ("one", "/coordinates/0", 0.1 * trig::cos(10.0), 3e-5),
        ("one", "/coordinates/1", turn, 3e-6),
        ("one", "/velocities/1", 3.0 * trig::exp(-4.0), 1e-5),
    ];
    answers("generic", &generic, ALL, &told);
}

#[test]
fn a_screw_gives_way_to_torque_by_its_pitch_and_takes_set() {
    let scene = world(1.0, 0.0)
        + &body("nut", [0.0; 3], 3.0, [0.1, 0.1, 0.01])
        + "[[joint]]\nname = \"screw\"\nkind = \"screw\"\nchild = \"nut\"\nanchor = [0, 0, 0]\npitch = 0.02\n\
           motor = { kind = \"torque\", target = 0.5 }\n";
    let acceleration = |torque: f64, pitch: f64| {
        let lead = pitch / std::f64::consts::TAU;
        torque / (0.01 + 3.0 * lead * lead)
    };
    let turn = 0.5 * acceleration(0.5, 0.02);
    answers("screw", &scene, ALL, &[("screw", "/q", turn, 1e-8), ("screw", "/work", 0.5 * turn, 1e-6)]);
    let set = ["--set", "joint.screw.pitch=-0.04", "--set", "joint.screw.motor.target=1"];
    let found = of(&run("screw_set", &scene, &set), "joints", "screw", "/q");
    assert!((found - 0.5 * acceleration(1.0, -0.04)).abs() < 1e-8, "{found}");
}

#[test]
fn couplings_of_joints_move_what_they_couple() {
    let slide = |name: &str, at: f64, axis: &str, more: &str| {
        format!(
            "[[joint]]\nname = \"{name}\"\nkind = \"slide\"\nchild = \"{name}\"\nanchor = [{at}, 0, 0]\naxis = \"{axis}\"\n{more}"
        )
    };
    // Rack and pinion: 1 N·m on 0.05 kg·m² and 2 kg at 0.1 m.
    let rack = world(1.0, 0.0)
        + &body("wheel", [0.0; 3], 1.0, [0.1, 0.1, 0.05])
        + &body("rack", [1.0, 0.0, 0.0], 2.0, [0.1; 3])
        + "[[joint]]\nname = \"wheel\"\nchild = \"wheel\"\nanchor = [0, 0, 0]\nmotor = { kind = \"torque\", target = 1 }\n"
        + &slide("rack", 1.0, "y", "")
        + "[[coupling]]\nkind = \"gear\"\njoints = [\"rack\", \"wheel\"]\nratio = 0.1\n";
    let turn = 0.5 / (0.05 + 2.0 * 0.01);
    answers("rack", &rack, ALL, &[("wheel", "/q", turn, 1e-8), ("rack", "/q", 0.1 * turn, 1e-9)]);
    // x = y² of two masses of 1 kg, ẏ₀ = 1: ½(1 + 4y²)ẏ² = ½, so that ½ y √(1 + 4y²) + ¼ asinh 2y = t.
    let cam = world(1.0, 0.0)
        + &body("one", [0.0; 3], 1.0, [0.1; 3])
        + &body("two", [1.0, 0.0, 0.0], 1.0, [0.1; 3])
        + &slide("one", 0.0, "x", "")
        + &slide("two", 1.0, "y", "velocity = 1\n")
        + "[[coupling]]\nkind = \"polynomial\"\njoints = [\"one\", \"two\"]\ncoefficients = [0, 0, 1, 0, 0]\n";
    let time = |y: f64| {
        let root = (1.0 + 4.0 * y * y).sqrt();
        0.5 * y * root + 0.25 * trig::ln(2.0 * y + root)
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if time(middle) < 1.0 { low = middle } else { high = middle }
    }
    answers("cam", &cam, ALL, &[("two", "/q", low, 2e-6), ("one", "/q", low * low, 4e-6)]);
}

#[test]
fn ropes_over_pulleys_lift_by_their_divisors() {
    let hangs = |path: &str, length: f64| {
        let slide = |name: &str, x: f64| {
            format!(
                "[[joint]]\nname = \"{name}\"\nkind = \"slide\"\nchild = \"{name}\"\nanchor = [{x}, 0, -1]\naxis = \"z\"\n"
            )
        };
        world(0.3, -9.81)
            + &body("heavy", [0.0, 0.0, -1.0], 3.0, [0.1; 3])
            + &body("light", [1.0, 0.0, -1.0], 1.0, [0.1; 3])
            + &slide("heavy", 0.0)
            + &slide("light", 1.0)
            + &format!("[[tendon]]\nname = \"rope\"\npath = [{path}]\nrange = [0, {length}]\n")
    };
    let heavy = "{ body = \"heavy\", at = [0, 0, -1] }";
    let light = "{ body = \"light\", at = [1, 0, -1] }";
    let path = format!("{{ at = [0, 0, 0] }}, {heavy}, {{ at = [0, 0, 0] }}, {{ at = [1, 0, 0] }}, {light}");
    // The heavy one hangs on two strands: (3 + 4·1) a = −3g + 2g.
    let fall = -9.81 / 7.0 * 0.045;
    let told = [("heavy", "/q", fall, 1e-6), ("light", "/q", -2.0 * fall, 2e-6)];
    answers("tackle", &hangs(&path, 4.0), HARD, &told);
    // The light one hangs on two strands by the divisor: x_h + 2 x_l is constant, (12 + 1) a_h = −10 g.
    let path = format!("{{ at = [0, 0, 0] }}, {heavy}, {{ pulley = 0.5 }}, {{ at = [1, 0, 0] }}, {light}");
    let fall = -10.0 * 9.81 / 13.0 * 0.045;
    let told = [("heavy", "/q", fall, 1e-6), ("light", "/q", -0.5 * fall, 1e-6)];
    answers("divisor", &hangs(&path, 3.0), HARD, &told);
}

#[test]
fn springs_dampers_and_friction_of_tendons_act_along_them() {
    let scene = |more: &str| {
        world(1.0, 0.0)
            + &body("one", [1.0, 0.0, 0.0], 1.0, [0.1; 3])
            + "[[joint]]\nname = \"one\"\nkind = \"slide\"\nchild = \"one\"\nanchor = [1, 0, 0]\naxis = \"x\"\n"
            + "[[tendon]]\nname = \"line\"\npath = [{ at = [0, 0, 0] }, { body = \"one\", at = [1, 0, 0] }]\n"
            + more
    };
    let spring = "spring = { stiffness = 100, rest = 0.9 }\n";
    let swings = -0.1 + 0.1 * trig::cos(10.0);
    answers("line", &scene(spring), HARD, &[("one", "/q", swings, 2e-5)]);
    let root = 99.0_f64.sqrt();
    let dies = -0.1 + 0.1 * trig::exp(-1.0) * (trig::cos(root) + trig::sin(root) / root);
    answers("damped", &scene(&format!("{spring}damping = 2\n")), HARD, &[("one", "/q", dies, 2e-5)]);
    // From 0.1 beyond the rest, 0.005 less at each end of a swing of π/10 s, about ±0.005 in turn; after 1 s in the fourth swing.
    let rubs = -0.1 + (-0.005 - (0.1 - 0.035) * trig::cos(10.0 - 3.0 * std::f64::consts::PI));
    answers("rubbed", &scene(&format!("{spring}friction = 0.5\n")), HARD, &[("one", "/q", rubs, 2e-4)]);
}

#[test]
fn motors_keep_their_limits_from_rest_on() {
    let wheel = |motor: &str| {
        world(1.0, 0.0)
            + &body("wheel", [0.0; 3], 1.0, [0.3, 0.3, 0.5])
            + &format!(
                "[[joint]]\nname = \"wheel\"\nchild = \"wheel\"\nanchor = [0, 0, 0]\nmotor = {{ {motor} }}\n"
            )
    };
    // 4 W for 1 s: ½ · 0.5 ω² = 4, and θ = ∫ 4√t = 8/3.
    let power = wheel("kind = \"velocity\", target = 10, max_power = 4");
    let told = [("wheel", "/v", 4.0, 1e-9), ("wheel", "/work", 4.0, 1e-9), ("wheel", "/q", 8.0 / 3.0, 1e-4)];
    answers("power", &power, HARD, &told);
    // Brakes from 3 rad/s by no more than 2 W: 2.25 − 2t = ¼ω².
    let brake = wheel("kind = \"velocity\", target = 0, max_power = 2") + "velocity = 3\n";
    answers("brake", &brake, HARD, &[("wheel", "/v", 1.0, 1e-9), ("wheel", "/work", -2.0, 1e-9)]);
    // 2 N·m: 4 rad/s² for 0.75 s, then 3 rad/s.
    let force = wheel("kind = \"velocity\", target = 3, max_force = 2");
    answers("force", &force, HARD, &[("wheel", "/v", 3.0, 1e-9), ("wheel", "/q", 1.875, 1e-5)]);
}

#[test]
fn a_bead_on_a_driven_arm_is_flung_out_and_the_driver_pays() {
    let scene = world(1.0, 0.0)
        + "[[body]]\nname = \"arm\"\nmotion = { kind = \"driven\", angular_velocity = [0, 0, 2] }\n\
           shape = { kind = \"box\", size = [0.1, 0.1, 0.1], layer = 0, mask = 0 }\n"
        + &body("bead", [1.0, 0.0, 0.0], 1.0, [0.01; 3])
        + "[[joint]]\nname = \"slide\"\nkind = \"slide\"\nparent = \"arm\"\nchild = \"bead\"\nanchor = [1, 0, 0]\naxis = \"x\"\n";
    // r = cosh Ωt; the arm gives ½(ṙ² + Ω²r²) − ½Ω² = Ω² sinh² Ωt.
    let (grown, shrunk) = (trig::exp(2.0), trig::exp(-2.0));
    let (out, work) = (0.5 * (grown + shrunk) - 1.0, (grown - shrunk) * (grown - shrunk));
    answers("bead", &scene, ALL, &[("slide", "/q", out, 1e-5)]);
    let run = run("bead_work", &scene, &[]);
    let found = of(&run, "drivers", "arm", "/work");
    assert!((found - work).abs() < 1e-4, "{found} {work}");
}

#[test]
fn what_cannot_be_is_refused_with_its_line_and_the_remedy() {
    let folder = folder("mechanism_refused");
    let says = |name: &str, tables: &str, words: &[&str]| {
        let file = path(&folder, &format!("{name}.toml"));
        let scene = world(1.0, 0.0)
            + &body("a", [0.0; 3], 1.0, [0.1; 3])
            + &body("b", [1.0, 0.0, 0.0], 1.0, [0.1; 3]);
        std::fs::write(&file, scene + tables).unwrap();
        let said = refused(&["run", &file]);
        for word in words {
            assert!(said.contains(word), "{name}: {word:?} is missing in\n{said}");
        }
        assert!(said.contains(&format!("{name}.toml:")), "{name}: no line in\n{said}");
    };
    let joint = |more: &str| format!("[[joint]]\nname = \"j\"\nchild = \"a\"\nanchor = [0, 0, 0]\n{more}\n");
    says(
        "kind",
        &joint("kind = \"hnge\""),
        &["\"hnge\"", "hinge", "slide", "ball", "universal", "screw", "generic"],
    );
    says("axis", &joint("axis = [0, 0, 0]"), &["[0, 0, 0]", "length above 0"]);
    says("range", &joint("range = [1, -1]"), &["[1, -1]", "low ≤"]);
    says(
        "motor",
        &joint("kind = \"fixed\"\nmotor = { kind = \"velocity\", target = 1 }"),
        &["fixed", "motor"],
    );
    let gears = joint("")
        + "[[joint]]\nname = \"k\"\nchild = \"b\"\nanchor = [1, 0, 0]\n"
        + "[[coupling]]\nkind = \"gear\"\njoints = [\"j\", \"k\"]\nratio = 2\n[[coupling]]\nkind = \"gear\"\njoints = [\"j\", \"k\"]\nratio = 3\n";
    says("gears", &gears, &["coupling0", "coupling1", "something else about the same joints"]);
    let open = joint("")
        + "[[joint]]\nname = \"k\"\nparent = \"a\"\nchild = \"b\"\nanchor = [1, 0, 0]\n"
        + "[[coupling]]\nkind = \"distance\"\nbodies = [\"b\"]\nanchors = [[1, 0, 0], [5, 0, 0]]\nlength = 1\n";
    says("open", &open, &["cannot be closed", "3.000e0"]);
}

#[test]
fn every_integrator_has_its_word_and_moves_a_pendulum_by_its_order() {
    // A rod of 1 m from the horizontal: half a period later it stands at the other end of its swing.
    let scene = world(0.9666674272, -9.81)
        + &body("rod", [0.5, 0.0, 0.0], 1.0, [0.01, 1.0 / 12.0, 1.0 / 12.0])
        + "[[joint]]\nname = \"hinge\"\nchild = \"rod\"\nanchor = [0, 0, 0]\naxis = \"y\"\n";
    for (integrator, off) in [
        ("kick-drift-kick", 1e-5),
        ("midpoint", 1e-5),
        ("rk4", 1e-5),
        ("symplectic-euler", 2e-2),
        ("euler", 2e-2),
        ("implicitfast", 2e-2),
        ("implicit", 2e-2),
        ("approximate-implicitfast", 2e-2),
    ] {
        let set = format!("world.integrator={integrator}");
        let run = run(&format!("word_{integrator}"), &scene, &["--set", &set]);
        let found = of(&run, "joints", "hinge", "/q");
        // The run ends with the first step after that, up to 1 ms later: at rest to second order.
        assert!((found - std::f64::consts::PI).abs() < off, "{integrator}: {found}");
    }
}
