//! The contact models by name.

use super::approximate_decoupling::ApproximateDecoupling;
use super::gauss_seidel;
use super::sequential_impulse::SequentialImpulse;
use super::soft_step;
use crate::{ContactProblem, Scratch, Settings, Solution, Warm, cap};

/// A contact model that can be chosen at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SolverKind {
    /// `soft-step`.
    SoftStep,
    /// `sequential-impulse`.
    SequentialImpulse,
    /// `nbgs/approximate-decoupling`.
    NbgsApproximateDecoupling,
}

/// Why a solve ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stop {
    /// The last sweep changed no row velocity by more than the tolerance.
    #[default]
    Converged,
    /// The sweeps ran out.
    IterationLimit,
    /// The model takes a set number of sub-steps.
    Done,
    /// The changes are at round-off and still above the tolerance, or are not numbers: more sweeps cannot help.
    Stalled,
}

/// How a solve went; whether the answer is good is for [`crate::Certificate`] to say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolveReport {
    /// Sweeps done.
    pub iterations: u32,
    /// Why it ended.
    pub stopped: Stop,
    /// Largest change of a row velocity in the last sweep, relative to the problem's speed.
    pub residual: f64,
}

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

/// There is no contact model of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown solver {name:?}; known are {}", SolverKind::names())]
pub struct UnknownSolver {
    /// What was asked for.
    pub name: String,
}

/// Parameters of every model that sweeps.
const SWEEP_PARAMETERS: &[Parameter] = &[
    Parameter { name: "iterations", default: "50", meaning: "most sweeps over all contacts, ≥ 1" },
    Parameter {
        name: "tolerance",
        default: "1e-10",
        meaning: "largest change of a row velocity in the last sweep, relative to the scene's speed, ≥ 0",
    },
    Parameter { name: "warm_start", default: "true", meaning: "start from the impulses of the last step" },
    Parameter {
        name: "stabilisation",
        default: "{ kind = \"split-impulse\", beta = 0.2, slop = 5e-4·length }",
        meaning: "none | baumgarte{erp, cap} | split-impulse{beta, slop}",
    },
    Parameter { name: "guard", default: "false", meaning: "impacts may never add energy" },
];

/// Parameters of `soft-step`.
const SOFT_STEP_PARAMETERS: &[Parameter] = &[
    Parameter { name: "soft_step.substeps", default: "4", meaning: "sub-steps of a step, 1 to 1000" },
    Parameter {
        name: "soft_step.hertz",
        default: "30",
        meaning: "frequency of the spring that undoes overlap [Hz], > 0; at most a quarter of the sub-steps' own",
    },
    Parameter { name: "soft_step.damping_ratio", default: "10", meaning: "its damping ratio, ≥ 0" },
    Parameter {
        name: "soft_step.push_speed",
        default: "√(|g|·length)",
        meaning: "largest speed at which overlap is undone [m/s], ≥ 0",
    },
    Parameter {
        name: "soft_step.friction",
        default: "\"patch\"",
        meaning: "patch: one disc and a twist for each manifold | point: a disc for each point",
    },
    Parameter { name: "warm_start", default: "true", meaning: "start from the impulses of the last step" },
    Parameter {
        name: "stabilisation",
        default: "{ kind = \"split-impulse\", beta = 0.2, slop = 5e-4·length }",
        meaning: "none: overlap stays | else overlap beyond the slop is undone as above",
    },
    Parameter { name: "guard", default: "false", meaning: "impacts may never add energy" },
];

impl SolverKind {
    /// True for a model that finds the displacement of the step itself: it returns its own correction, and
    /// [`crate::correct`] is not for it.
    pub const fn displaces(self) -> bool {
        matches!(self, Self::SoftStep)
    }

    /// Every model.
    pub const ALL: &'static [Self] =
        &[Self::SoftStep, Self::SequentialImpulse, Self::NbgsApproximateDecoupling];

    /// The name in scenes and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SoftStep => "soft-step",
            Self::SequentialImpulse => "sequential-impulse",
            Self::NbgsApproximateDecoupling => "nbgs/approximate-decoupling",
        }
    }

    /// The law it solves, in two sentences.
    pub const fn law(self) -> &'static str {
        match self {
            Self::SoftStep => {
                "Hard contact with the exact Coulomb disc, one for each manifold, and a bound on its twist, in sub-steps that \
                 undo overlap softly and then relax the velocity: what pushes bodies apart moves them and leaves no speed. \
                 Manifolds that share no body are solved eight at a time, once biased and once relaxed in each sub-step."
            }
            Self::SequentialImpulse => {
                "Hard contact with the exact Coulomb disc: at each point the accumulated normal impulse is clamped at \
                 zero, then the two tangential impulses together stick or oppose the slip with μ_d times it. \
                 Points are swept in order from the impulses of the last step until nothing changes."
            }
            Self::NbgsApproximateDecoupling => {
                "Hard contact, completely inelastic, by non-linear block Gauss–Seidel (pe's default relaxation): a point \
                 sticks when its 3×3 block says that the cone allows it. Otherwise normal and tangential parts are \
                 solved one after the other, and friction is cut back radially to the cone."
            }
        }
    }

    /// What a user can set.
    pub const fn parameters(self) -> &'static [Parameter] {
        match self {
            Self::SoftStep => SOFT_STEP_PARAMETERS,
            Self::SequentialImpulse | Self::NbgsApproximateDecoupling => SWEEP_PARAMETERS,
        }
    }

    /// All names, for messages.
    fn names() -> String {
        Self::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
    }

    /// Solves one problem: fills impulses, end velocity, energy by account and driver loads of `out`. Its correction
    /// is zero, and [`crate::correct`] comes after, unless the model [`displaces`](Self::displaces).
    ///
    /// # Panics
    /// When `warm` is neither empty nor aligned with points and rows: the caller's bug.
    pub fn solve(
        self,
        settings: &Settings,
        problem: &ContactProblem,
        warm: Warm,
        scratch: &mut Scratch,
        out: &mut Solution,
    ) -> SolveReport {
        let report = match self {
            Self::SoftStep => soft_step::run(settings, problem, warm, scratch, out),
            Self::SequentialImpulse => {
                gauss_seidel::run::<SequentialImpulse>(settings, problem, warm, scratch, out)
            }
            Self::NbgsApproximateDecoupling => {
                gauss_seidel::run::<ApproximateDecoupling>(settings, problem, warm, scratch, out)
            }
        };
        out.capped.clear();
        if problem.groups.caps.is_empty() {
            return report;
        }
        cap::enforce(self, settings, problem, (warm, scratch), out).unwrap_or(report)
    }
}

impl std::fmt::Display for SolverKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

impl std::str::FromStr for SolverKind {
    type Err = UnknownSolver;

    fn from_str(name: &str) -> Result<Self, UnknownSolver> {
        let found = Self::ALL.iter().find(|kind| kind.name() == name);
        found.copied().ok_or_else(|| UnknownSolver { name: name.to_owned() })
    }
}
