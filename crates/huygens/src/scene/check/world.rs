//! Checks of `[world]`.

use super::number::{Findings, text};
use crate::scene::{Duration, SceneError, SoftStepSpec, SpecPath, StabilisationSpec, WorldSpec};
use huygens_contact::SolverKind;

/// Longer runs are a slip of the pen: a microsecond each would take years.
const MOST_STEPS: f64 = 1e15;
const MOST_ITERATIONS: u32 = 1_000_000;
const MOST_SUBSTEPS: u32 = 1000;
/// A dense matrix of so many rows takes 800 MB.
const MOST_EXACT_ROWS: u32 = 10_000;

pub(super) fn check(world: &WorldSpec, found: &mut Findings) {
    let at = |key: &'static str| move || SpecPath::top("world").key(key);
    let length_is_good = found.positive(at("length"), world.length, "the typical size of a body");
    let gravity_is_good = found.vector(at("gravity"), world.gravity);
    if found.positive(at("dt"), world.dt, "a step") {
        if length_is_good && gravity_is_good {
            check_dt(world, found);
        }
        check_duration(world, found);
    }
    if world.solver.parse::<SolverKind>().is_err() {
        let known = SolverKind::ALL.iter().map(|kind| kind.name());
        found.push(SceneError::unknown_word(at("solver")(), &world.solver, "contact model", known));
    }
    check_stabilisation(world.stabilisation, found);
    check_soft_step(&world.soft_step, found);
    if world.iterations == 0 || world.iterations > MOST_ITERATIONS {
        found.add(
            at("iterations")(),
            world.iterations,
            format!("must be from 1 to {MOST_ITERATIONS}"),
            "50 is the default; more for tall stacks.",
        );
    }
    found.within(at("tolerance"), world.tolerance, [0.0, 1.0], "a relative tolerance");
    found.within(at("relaxation"), world.relaxation, [0.01, 1.0], "the share of a change that a sweep makes");
    if let Some(x) = world.correction_aggressiveness {
        found.positive(at("correction_aggressiveness"), x, "how many steps an overlap of one length takes");
    }
    if world.exact_rows > MOST_EXACT_ROWS {
        found.add(
            at("exact_rows")(),
            world.exact_rows,
            format!("must be from 0 to {MOST_EXACT_ROWS}"),
            "600 is the default; larger islands are swept.",
        );
    }
    if let Some(speed) = world.restitution_threshold {
        found.not_negative(at("restitution_threshold"), speed, "a speed");
    }
    if let Some(margin) = world.margin {
        found.not_negative(at("margin"), margin, "the distance at which contacts are first seen");
    }
}

/// A body falls its own typical size in √(2 length/|g|): a step ten times that long is no simulation.
fn check_dt(world: &WorldSpec, found: &mut Findings) {
    let gravity = world.gravity.length();
    let longest = 10.0 * (world.length / gravity).sqrt();
    if gravity > 0.0 && world.dt > longest {
        found.add(
            SpecPath::top("world").key("dt"),
            text(world.dt),
            format!("a step of more than 10 √(length/|g|) = {longest:.3} s shows nothing of the motion"),
            "Use a `dt` such as 0.004, in seconds, or set `length` to the size of the bodies.",
        );
    }
}

fn check_duration(world: &WorldSpec, found: &mut Findings) {
    let (key, value, steps) = match world.duration {
        Duration::Steps(n) => ("steps", n as f64, n as f64),
        Duration::Seconds(t) => ("seconds", t, t / world.dt),
    };
    let path = SpecPath::top("world").key(key);
    if !(value.is_finite() && value >= 0.0) {
        found.add(path, text(value), "must be finite and at or above 0", format!("Write `{key}` = 10, say."));
    } else if steps > MOST_STEPS {
        found.add(
            path,
            text(value),
            format!("that makes {steps:.3e} steps; no run has more than {MOST_STEPS:e}"),
            format!("Make `{key}` smaller."),
        );
    }
}

fn check_soft_step(soft: &SoftStepSpec, found: &mut Findings) {
    let at = |key: &'static str| move || SpecPath::top("world").key("soft_step").key(key);
    if soft.substeps == 0 || soft.substeps > MOST_SUBSTEPS {
        found.add(
            at("substeps")(),
            soft.substeps,
            format!("must be from 1 to {MOST_SUBSTEPS}"),
            "4 is the default; more for heavy bodies on light ones.",
        );
    }
    found.positive(at("hertz"), soft.hertz, "the frequency of the spring that undoes overlap");
    found.not_negative(at("damping_ratio"), soft.damping_ratio, "a damping ratio");
    if let Some(speed) = soft.push_speed {
        found.not_negative(at("push_speed"), speed, "a speed");
    }
}

fn check_stabilisation(stabilisation: StabilisationSpec, found: &mut Findings) {
    let at = |key: &'static str| move || SpecPath::top("world").key("stabilisation").key(key);
    let share = "the share of the overlap undone in a step";
    match stabilisation {
        StabilisationSpec::None => {}
        StabilisationSpec::Baumgarte { erp, cap } => {
            found.within(at("erp"), erp, [0.0, 1.0], share);
            if let Some(cap) = cap {
                found.not_negative(at("cap"), cap, "the largest bias");
            }
        }
        StabilisationSpec::SplitImpulse { beta, slop } => {
            found.within(at("beta"), beta, [0.0, 1.0], share);
            if let Some(slop) = slop {
                found.not_negative(at("slop"), slop, "the overlap that is left alone");
            }
        }
    }
}
