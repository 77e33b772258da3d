//! Any contact model that needs no bodies, on W, q and μ.

use super::DelassusProblem;
use crate::solution::ImpulsesMut;
use crate::solver::{self, ComponentTask, SolveReport, Stop};
use crate::{CoupleImpulse, Impulse, Impulses, Scale, Scratch, Settings, Solution, SolverKind, Warm};

/// Most sweeps of the models that sweep.
const SWEEPS: u32 = 10_000;

/// Rounds of the models that solve a set whole.
const ROUNDS: u32 = 500;

/// Most rows of a set that is solved as one dense system: three matrices of 288 MB.
const MOST_ROWS: usize = 6000;

impl Settings {
    /// For one problem that is to be solved as well as a model can: from no impulses, until nothing changes but
    /// round-off, whatever the size.
    pub fn to_the_end(kind: SolverKind, scale: Scale) -> Self {
        let whole = kind.solves_whole();
        Self {
            iterations: if whole { ROUNDS } else { SWEEPS },
            tolerance: if whole { 1e-14 } else { 1e-15 },
            warm_start: false,
            exact_rows: MOST_ROWS as u32,
            ..Self::for_scale(scale)
        }
    }
}

/// What a model found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DelassusAnswer {
    /// Impulse of each contact in (n, t₁, t₂) [N·s].
    pub impulses: Vec<Impulse>,
    /// Couple of each contact in (n, t₁, t₂) [N·m·s]; empty without friction against rolling.
    pub couples: Vec<CoupleImpulse>,
    /// How it went; [`DelassusProblem::judge`] says how good it is.
    pub report: SolveReport,
}

impl DelassusAnswer {
    /// All impulses.
    pub fn all(&self) -> Impulses<'_> {
        Impulses { points: &self.impulses, couples: &self.couples, rows: &[] }
    }
}

/// Why a model cannot solve a problem without bodies.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NeedsBodies {
    /// It takes sub-steps.
    #[error(
        "{0} moves bodies and gaps in sub-steps, and W, q and μ have neither; use another model, e.g. ncp/newton"
    )]
    SubSteps(SolverKind),
    /// The convex models need the masses of bodies for the softness of their rows.
    #[error(
        "{0} makes rows soft by their gaps, masses and a step, and W, q and μ have none of these; use another model, e.g. ncp/newton"
    )]
    Softness(SolverKind),
    /// A set of contacts is too large to be dense.
    #[error("{rows} rows act on each other; at most {most} are solved as one dense system")]
    TooLarge {
        /// Rows of the largest set.
        rows: usize,
        /// Most rows.
        most: usize,
    },
}

impl NeedsBodies {
    /// Why a model can solve no problem without bodies at all; `None` for one that can.
    pub const fn of_model(kind: SolverKind) -> Option<Self> {
        if kind.displaces() {
            Some(Self::SubSteps(kind))
        } else if kind.is_soft() {
            Some(Self::Softness(kind))
        } else {
            None
        }
    }
}

impl DelassusProblem {
    /// Solves the problem with W as it is given, symmetric or not, until nothing changes but round-off: models that sweep do so at most
    /// 10 000 times.
    ///
    /// # Errors
    /// When the model needs bodies, or a set of contacts is too large.
    pub fn solve(&self, kind: SolverKind, scratch: &mut Scratch) -> Result<DelassusAnswer, NeedsBodies> {
        if let Some(reason) = NeedsBodies::of_model(kind) {
            return Err(reason);
        }
        let sets = self.sets();
        let rows = sets.iter().fold(0, |most, set| most.max(self.dimension * set.len()));
        if rows > MOST_ROWS {
            return Err(NeedsBodies::TooLarge { rows, most: MOST_ROWS });
        }
        let settings = Settings::to_the_end(kind, Scale { length: 1.0, speed: self.speed() });
        if kind.solves_whole() {
            return Ok(self.solve_whole(kind, &settings, &sets, scratch));
        }
        let stored = self.stored();
        let mut out = Solution::default();
        let report = kind.solve(&settings, &stored.view(), Warm::default(), scratch, &mut out);
        Ok(DelassusAnswer { impulses: out.impulses, couples: out.couples, report })
    }

    fn solve_whole(
        &self,
        kind: SolverKind,
        settings: &Settings,
        sets: &[Vec<u32>],
        scratch: &mut Scratch,
    ) -> DelassusAnswer {
        let mut answer = DelassusAnswer {
            impulses: vec![[0.0; 3]; self.contacts()],
            couples: vec![[0.0; 3]; if self.dimension > 3 { self.contacts() } else { 0 }],
            report: SolveReport { stopped: Stop::Converged, ..SolveReport::default() },
        };
        let speed = self.speed();
        for members in sets {
            let component = self.component(members);
            let task = ComponentTask { settings, speed, component: &component };
            let places =
                ImpulsesMut { points: &mut answer.impulses, couples: &mut answer.couples, rows: &mut [] };
            solver::solve_component(kind, &task, scratch, places, &mut answer.report);
        }
        answer
    }
}
