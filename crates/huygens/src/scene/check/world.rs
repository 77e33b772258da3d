//! Checks of `[world]`.

use super::number::{Findings, text};
use super::table;
use crate::scene::{
    Cone, ContactsOf, Duration, Resolution, SceneError, SpecPath, StabilisationSpec, WorldSpec,
};
use huygens_contact::SolverKind;

/// Longer runs are a slip of the pen: a microsecond each would take years.
const MOST_STEPS: f64 = 1e15;

pub(super) fn check(world: &WorldSpec, found: &mut Findings) {
    let at = |key: &'static str| move || SpecPath::top("world").key(key);
    if table::check(world, &SpecPath::top("world"), found) {
        check_dt(world, found);
        check_duration(world, found);
    }
    if world.solver.parse::<SolverKind>().is_err() {
        let known = SolverKind::ALL.iter().map(|kind| kind.name());
        found.push(SceneError::unknown_word(at("solver")(), &world.solver, "contact model", known));
    }
    check_stabilisation(world.stabilisation, found);
    table::check(&world.soft_step, &SpecPath::top("world").key("soft_step"), found);
    table::check(&world.convex, &SpecPath::top("world").key("convex"), found);
    check_convex(world, found);
    if world.contacts == ContactsOf::Mujoco {
        found.add(
            at("contacts")(),
            "\"mujoco\"",
            "is the pipeline of an MJCF file that `huygens run` steps as it is; this is a scene of the engine",
            "Leave `contacts` out, or run the MJCF file with a convex model.",
        );
    }
}

/// A normal force that does not feel sliding is no minimum: conjugate gradients and pyramids have none, and the no-slip pass moves friction of
/// a minimum.
fn check_convex(world: &WorldSpec, found: &mut Findings) {
    let Ok(solver) = world.solver.parse::<SolverKind>() else { return };
    let convex = world.convex.settings(solver);
    let at = |key: &'static str| SpecPath::top("world").key("convex").key(key);
    if convex.resolution == Resolution::Signorini {
        let remedy =
            "Leave `resolution` out, or choose `cone = \"elliptic\"` and `solver = \"convex/newton\"`.";
        let mut refuse = |problem: &str| found.add(at("resolution"), "\"signorini\"", problem, remedy);
        if convex.cone == Cone::Pyramidal {
            refuse("needs an elliptic cone: the edges of a pyramid have no normal force of their own");
        }
        if solver == SolverKind::ConvexCg {
            refuse("is no minimum, so that conjugate gradients cannot find it");
        }
        if convex.noslip_iterations > 0 {
            found.add(
                at("noslip_iterations"),
                convex.noslip_iterations.to_string(),
                "the no-slip pass starts from the minimum of a cost, and `signorini` has none",
                "Set `noslip_iterations` = 0, or `resolution` = \"convex\".",
            );
        }
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
