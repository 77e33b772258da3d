//! What a user can set for each model, with its range: the lists that `huygens solvers` and error messages print.

/// One number that a user can set for a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its key in a scene's `[world]`.
    pub name: &'static str,
    /// Its default, as it would stand in a scene.
    pub default: &'static str,
    /// What it does, with its range.
    pub meaning: &'static str,
}

const fn parameter(name: &'static str, default: &'static str, meaning: &'static str) -> Parameter {
    Parameter { name, default, meaning }
}

const ITERATIONS: Parameter = parameter("iterations", "50", "most sweeps over all contacts, ≥ 1");
const TOLERANCE: Parameter = parameter(
    "tolerance",
    "1e-10",
    "largest change of a row velocity in the last sweep, relative to the scene's speed, ≥ 0",
);
const RELAXATION: Parameter =
    parameter("relaxation", "1", "share of every change that a sweep makes, from 0.01 to 1");
const WARM_START: Parameter = parameter("warm_start", "true", "start from the impulses of the last step");
const STABILISATION: Parameter = parameter(
    "stabilisation",
    "{ kind = \"split-impulse\", beta = 0.2, slop = 5e-4·length }",
    "none | baumgarte{erp, cap} | split-impulse{beta, slop}; erp and beta from 0 to 1, cap [m/s] and slop [m] ≥ 0",
);
const CORRECTION_AGGRESSIVENESS: Parameter = parameter(
    "correction_aggressiveness",
    "none",
    "a step undoes at most length divided by this of an overlap, > 0; pe's adaptive cap has 50",
);
const GUARD: Parameter = parameter("guard", "true", "contact may never add energy, over whole steps");
const EXACT_ROWS: Parameter = parameter(
    "exact_rows",
    "600",
    "islands with more rows, three for each point, are swept instead of solved whole; 0 to 10000",
);
const DECOUPLED_FRICTION: Parameter = parameter(
    "decoupled_friction",
    "false",
    "normals once, without friction, then friction on the discs that they give, as msd-sim does",
);

/// Of every model that sweeps.
pub(super) const SWEEPS: &[Parameter] =
    &[ITERATIONS, TOLERANCE, RELAXATION, WARM_START, STABILISATION, CORRECTION_AGGRESSIVENESS, GUARD];

/// Of `active-set`.
pub(super) const ACTIVE_SET: &[Parameter] = &[
    ITERATIONS,
    TOLERANCE,
    WARM_START,
    STABILISATION,
    CORRECTION_AGGRESSIVENESS,
    GUARD,
    EXACT_ROWS,
    DECOUPLED_FRICTION,
];

/// Of `ncp/newton`.
pub(super) const NCP_NEWTON: &[Parameter] =
    &[ITERATIONS, TOLERANCE, WARM_START, STABILISATION, CORRECTION_AGGRESSIVENESS, GUARD, EXACT_ROWS];

/// Of `convex/newton` and `convex/cg`.
pub(super) const CONVEX: &[Parameter] = &[
    parameter("convex.like", "\"mujoco\"", "defaults of the keys below, mujoco | genesis"),
    parameter("convex.cone", "\"pyramidal\"", "shape of the friction cone, pyramidal | elliptic"),
    parameter("convex.impratio", "1", "how much stiffer friction is than the normal, > 0"),
    parameter(
        "convex.resolution",
        "\"convex\"",
        "convex: sliding raises the normal force | signorini: it does not (elliptic cone, convex/newton)",
    ),
    parameter(
        "convex.solref",
        "[0.02, 1]",
        "time constant [s] and damping ratio, > 0; or −stiffness and −damping",
    ),
    parameter(
        "convex.solimp",
        "[0.9, 0.95, 0.001, 0.5, 2]",
        "impedance at the surface and at the width, width [m], midpoint, power",
    ),
    parameter(
        "convex.noslip_iterations",
        "0",
        "sweeps that take the creep out of friction after the solve, 0 to 1000",
    ),
    parameter(
        "iterations",
        "50",
        "most iterations for an island (conjugate gradients: 20 times as many), ≥ 1",
    ),
    parameter(
        "tolerance",
        "1e-10",
        "gradient over the trace of the mass matrix, relative to the scene's speed in a step, ≥ 0",
    ),
    WARM_START,
    GUARD,
];

/// Of `soft-step`.
pub(super) const SOFT_STEP: &[Parameter] = &[
    parameter("soft_step.substeps", "4", "sub-steps of a step, 1 to 1000"),
    parameter(
        "soft_step.hertz",
        "30",
        "frequency of the spring that undoes overlap [Hz], > 0; at most a quarter of the sub-steps' own",
    ),
    parameter("soft_step.damping_ratio", "10", "its damping ratio, ≥ 0"),
    parameter("soft_step.push_speed", "√(|g|·length)", "largest speed at which overlap is undone [m/s], ≥ 0"),
    parameter(
        "soft_step.friction",
        "\"patch\"",
        "patch: one disc and a twist for each manifold | point: a disc for each point",
    ),
    WARM_START,
    parameter(
        "stabilisation",
        "{ kind = \"split-impulse\", beta = 0.2, slop = 5e-4·length }",
        "none: overlap stays | else overlap beyond the slop is undone as above",
    ),
    GUARD,
];
