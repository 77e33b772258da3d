//! The contact models by name.

use super::approximate_decoupling::ApproximateDecoupling;
use super::de_saxce::DeSaxce;
use super::decoupling::Decoupling;
use super::dense::{self, ComponentTask};
use super::frictionless::Frictionless;
use super::max_dissipation::MaxDissipation;
use super::orthogonal_projection::OrthogonalProjection;
use super::parameters::{self, Parameter};
use super::projected::Projected;
use super::sequential_impulse::SequentialImpulse;
use super::{active_set, convex, gauss_seidel, ncp_newton, soft_step};
use crate::solution::ImpulsesMut;
use crate::{Claim, ContactProblem, Scratch, Settings, Solution, Warm, cap};

/// A contact model that can be chosen at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SolverKind {
    /// `soft-step`.
    SoftStep,
    /// `sequential-impulse`.
    SequentialImpulse,
    /// `nbgs/approximate-decoupling`.
    NbgsApproximateDecoupling,
    /// `nbgs/frictionless`.
    NbgsFrictionless,
    /// `nbgs/decoupling`.
    NbgsDecoupling,
    /// `nbgs/orthogonal-projection`.
    NbgsOrthogonalProjection,
    /// `nbgs/de-saxce`.
    NbgsDeSaxce,
    /// `nbgs/max-dissipation`.
    NbgsMaxDissipation,
    /// `nbgs/projected`.
    NbgsProjected,
    /// `active-set`.
    ActiveSet,
    /// `ncp/newton`.
    NcpNewton,
    /// `convex/newton`.
    ConvexNewton,
    /// `convex/cg`.
    ConvexCg,
}

/// Why a solve ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
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
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SolveReport {
    /// Sweeps done; for the models that solve islands whole, the rounds or Newton steps of the island that took most.
    pub iterations: u32,
    /// Changes of the active set in the island that took most; 0 for models without one.
    pub pivots: u32,
    /// Why it ended.
    pub stopped: Stop,
    /// Largest change of a row velocity in the last sweep, relative to the problem's speed.
    pub residual: f64,
}

impl SolveReport {
    /// Takes in the report of one more island: the most of all counts, and the worst end.
    pub fn include(&mut self, island: &Self) {
        self.iterations = self.iterations.max(island.iterations);
        self.pivots = self.pivots.max(island.pivots);
        // In this order a NaN gets through.
        self.residual = if self.residual >= island.residual { self.residual } else { island.residual };
        self.stopped = self.stopped.worse(island.stopped);
    }
}

impl Stop {
    /// The less welcome of two ends.
    fn worse(self, other: Self) -> Self {
        let rank = |stop| match stop {
            Self::Converged => 0,
            Self::Done => 1,
            Self::Stalled => 2,
            Self::IterationLimit => 3,
        };
        if rank(self) >= rank(other) { self } else { other }
    }
}

/// There is no contact model of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown solver {name:?}; known are {}", SolverKind::names())]
pub struct UnknownSolver {
    /// What was asked for.
    pub name: String,
}

impl SolverKind {
    /// True for a model that finds the displacement of the step itself: it returns its own correction, and
    /// [`crate::correct`] is not for it. Under the guard its velocity counts alone, and the bank pays for what is
    /// undone of overlap ([`crate::correct_from_bank`]).
    pub const fn displaces(self) -> bool {
        matches!(self, Self::SoftStep)
    }

    /// True for a model whose contacts and limits are soft ([`Compliance::Impedance`](crate::Compliance::Impedance)): no restitution, and
    /// springs undo overlap.
    pub const fn is_soft(self) -> bool {
        matches!(self, Self::ConvexNewton | Self::ConvexCg)
    }

    /// True for a model that solves an island whole, as one dense system.
    pub const fn solves_whole(self) -> bool {
        matches!(self, Self::ActiveSet | Self::NcpNewton)
    }

    /// False for a model that knows no friction.
    pub const fn has_friction(self) -> bool {
        !matches!(self, Self::NbgsFrictionless)
    }

    /// Every model.
    pub const ALL: &'static [Self] = &[
        Self::SoftStep,
        Self::SequentialImpulse,
        Self::NbgsApproximateDecoupling,
        Self::NbgsFrictionless,
        Self::NbgsDecoupling,
        Self::NbgsOrthogonalProjection,
        Self::NbgsDeSaxce,
        Self::NbgsMaxDissipation,
        Self::NbgsProjected,
        Self::ActiveSet,
        Self::NcpNewton,
        Self::ConvexNewton,
        Self::ConvexCg,
    ];

    /// The name in scenes and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SoftStep => "soft-step",
            Self::SequentialImpulse => "sequential-impulse",
            Self::NbgsApproximateDecoupling => "nbgs/approximate-decoupling",
            Self::NbgsFrictionless => "nbgs/frictionless",
            Self::NbgsDecoupling => "nbgs/decoupling",
            Self::NbgsOrthogonalProjection => "nbgs/orthogonal-projection",
            Self::NbgsDeSaxce => "nbgs/de-saxce",
            Self::NbgsMaxDissipation => "nbgs/max-dissipation",
            Self::NbgsProjected => "nbgs/projected",
            Self::ActiveSet => "active-set",
            Self::NcpNewton => "ncp/newton",
            Self::ConvexNewton => "convex/newton",
            Self::ConvexCg => "convex/cg",
        }
    }

    /// What holds at convergence; [`crate::Certificate::of_claim`] tests it.
    pub const fn claim(self) -> Claim {
        match self {
            Self::SequentialImpulse
            | Self::NbgsDecoupling
            | Self::NbgsDeSaxce
            | Self::ActiveSet
            | Self::NcpNewton => Claim::Coulomb,
            Self::NbgsApproximateDecoupling | Self::NbgsMaxDissipation | Self::NbgsProjected => Claim::OnCone,
            Self::NbgsFrictionless => Claim::Frictionless,
            Self::NbgsOrthogonalProjection => Claim::Associated,
            // Sub-steps end where they end: what it leaves of the law is a figure, not a claim.
            Self::SoftStep => Claim::Cone,
            Self::ConvexNewton | Self::ConvexCg => Claim::Soft,
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
            Self::NbgsFrictionless => {
                "Hard contact without friction, whatever the materials say: the normal impulse is clamped at zero. \
                 Non-linear block Gauss–Seidel as in pe."
            }
            Self::NbgsDecoupling => {
                "Hard contact with the exact Coulomb disc: a point sticks when its 3×3 block says that the cone allows \
                 it. Otherwise normal and tangential parts are solved in turn, 20 times per visit, and friction is the \
                 impulse on its circle that opposes the slip (pe)."
            }
            Self::NbgsOrthogonalProjection => {
                "Hard contact as a convex problem: the impulse is projected on its cone until it is perpendicular to a \
                 velocity in the dual cone. Never adds energy, and a contact that slips opens with μ times its slip."
            }
            Self::NbgsDeSaxce => {
                "Hard contact with the exact Coulomb disc, by projection on the cone with De Saxcé's correction μ|u_t| of \
                 the normal velocity. The step is scaled by the contact's own matrix, so that it converges in any units."
            }
            Self::NbgsMaxDissipation => {
                "Hard contact: a point that cannot stick takes the impulse that dissipates most among those in the cone \
                 that stop the closing (generalised maximum dissipation, pe). Friction then opposes the slip where it \
                 does not act on the normal, and leans from it by their coupling elsewhere."
            }
            Self::NbgsProjected => {
                "Hard contact: the impulse that would stop a point is brought to its cone along its own direction, so that \
                 the closing still stops (projected Gauss–Seidel of waLBerla). Friction opposes the slip of round bodies, \
                 and leans from it where the contact's block is not isotropic."
            }
            Self::ActiveSet => {
                "Hard contact with the exact Coulomb disc, island by island (after msd-sim): all normals together are an exact \
                 complementarity problem, solved by pivoting, and friction is projected on the cone that they give, in turn until \
                 nothing changes. With `decoupled_friction` the normals are solved once, without friction, as msd-sim does."
            }
            Self::NcpNewton => {
                "The exact Coulomb problem with De Saxcé's correction, island by island, to round-off: the reference. A contact \
                 sticks with μ_s if the whole island can, else it slips with μ_d against the slip; redundant contacts share evenly."
            }
            Self::ConvexNewton => {
                "Soft contact as MuJoCo and Genesis have it: accelerations minimise a convex cost in which every row is a spring and a \
                 damper behind a regularisation, by Newton's method with an exact line search. Bodies sink in by their load, creep \
                 under it, and do not bounce by a coefficient."
            }
            Self::ConvexCg => {
                "The same soft convex cost as `convex/newton`, minimised by conjugate gradients that are preconditioned with the mass matrix."
            }
        }
    }

    /// What a user can set.
    pub const fn parameters(self) -> &'static [Parameter] {
        match self {
            Self::SoftStep => parameters::SOFT_STEP,
            Self::ActiveSet => parameters::ACTIVE_SET,
            Self::NcpNewton => parameters::NCP_NEWTON,
            Self::ConvexNewton | Self::ConvexCg => parameters::CONVEX,
            _ => parameters::SWEEPS,
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
        let mut report = self.solve_uncapped(settings, problem, warm, scratch, out);
        let Some(mut over) = cap::find_over(problem, warm, scratch, out) else { return report };
        if let Some(again) = cap::enforce(self, settings, problem, &mut over, scratch, out) {
            report.include(&again);
        }
        scratch.cap = Some(over);
        report
    }

    /// [`SolverKind::solve`] without the caps of drivers.
    pub(crate) fn solve_uncapped(
        self,
        settings: &Settings,
        problem: &ContactProblem,
        warm: Warm,
        scratch: &mut Scratch,
        out: &mut Solution,
    ) -> SolveReport {
        let solve = match self {
            Self::SoftStep => soft_step::run,
            Self::SequentialImpulse => gauss_seidel::run::<SequentialImpulse>,
            Self::NbgsApproximateDecoupling => gauss_seidel::run::<ApproximateDecoupling>,
            Self::NbgsFrictionless => gauss_seidel::run::<Frictionless>,
            Self::NbgsDecoupling => gauss_seidel::run::<Decoupling>,
            Self::NbgsOrthogonalProjection => gauss_seidel::run::<OrthogonalProjection>,
            Self::NbgsDeSaxce => gauss_seidel::run::<DeSaxce>,
            Self::NbgsMaxDissipation => gauss_seidel::run::<MaxDissipation>,
            Self::NbgsProjected => gauss_seidel::run::<Projected>,
            Self::ActiveSet => active_set::run,
            Self::NcpNewton => ncp_newton::run,
            Self::ConvexNewton => convex::newton_model,
            Self::ConvexCg => convex::cg,
        };
        let report = solve(settings, problem, warm, scratch, out);
        out.capped.clear();
        if !self.is_soft() {
            out.stored.clear();
        }
        report
    }
}

/// Solves contacts that are given as W, q and μ with a model that solves islands whole; others leave them as they are.
pub(crate) fn solve_component(
    kind: SolverKind,
    task: &ComponentTask,
    scratch: &mut Scratch,
    answer: ImpulsesMut,
    report: &mut SolveReport,
) {
    let solve = match kind {
        SolverKind::ActiveSet => active_set::solve_system,
        SolverKind::NcpNewton => ncp_newton::solve_to_the_end,
        _ => return,
    };
    dense::solve_component(solve, task, scratch, answer, report);
}

impl std::fmt::Display for SolverKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

impl From<SolverKind> for String {
    fn from(kind: SolverKind) -> Self {
        kind.name().to_owned()
    }
}

impl std::str::FromStr for SolverKind {
    type Err = UnknownSolver;

    fn from_str(name: &str) -> Result<Self, UnknownSolver> {
        let found = Self::ALL.iter().find(|kind| kind.name() == name);
        found.copied().ok_or_else(|| UnknownSolver { name: name.to_owned() })
    }
}
