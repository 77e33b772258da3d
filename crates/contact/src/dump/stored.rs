//! A contact problem that owns its data.

use crate::{
    Certificate, ContactGraph, ContactProblem, CoupleImpulse, Groups, Impulse, Impulses, Scale, Solution,
    Velocity,
};
use huygens_math::BlockInertia;

/// A contact problem that owns its data.
#[derive(Clone, Debug, Default)]
pub struct StoredProblem {
    /// The whole step [s].
    pub h: f64,
    /// Velocity at the start of the step.
    pub v_start: Velocity,
    /// Velocity at its end without impulses.
    pub v_free: Velocity,
    /// Mass matrix and its inverse.
    pub move_inertia: BlockInertia,
    /// Contacts and constraints.
    pub groups: Groups,
    /// [`ContactGraph::of`] the groups.
    pub graph: ContactGraph,
    /// Points whose free flight does not reach the surface; empty for none.
    pub airborne: Vec<bool>,
    /// Length and speed of the scene.
    pub scale: Scale,
}

impl StoredProblem {
    /// A copy of a problem.
    pub fn of(problem: &ContactProblem) -> Self {
        Self {
            h: problem.h,
            v_start: problem.v_start.clone(),
            v_free: problem.v_free.clone(),
            move_inertia: problem.move_inertia.clone(),
            groups: Groups { caps: problem.caps().to_vec(), ..problem.groups.clone() },
            graph: problem.graph.clone(),
            airborne: problem.airborne.to_vec(),
            scale: problem.scale,
        }
    }

    /// The problem, for a solver or the judge.
    pub fn view(&self) -> ContactProblem<'_> {
        ContactProblem {
            h: self.h,
            v_start: &self.v_start,
            v_free: &self.v_free,
            move_inertia: &self.move_inertia,
            groups: &self.groups,
            graph: &self.graph,
            airborne: &self.airborne,
            cap_left: &[],
            scale: self.scale,
        }
    }
}

/// An answer to a problem, and what the judge says of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoredSolution {
    /// Name of the model that gave it.
    pub solver: String,
    /// Impulse of each point.
    pub impulses: Vec<Impulse>,
    /// Couple of each point that has one.
    pub couples: Vec<CoupleImpulse>,
    /// Impulse of each row.
    pub rows: Vec<f64>,
    /// Velocity at the end of the step.
    pub v: Velocity,
    /// The judgement.
    pub certificate: Certificate,
}

impl StoredSolution {
    /// A copy of an answer, judged.
    pub fn of(solver: &str, problem: &ContactProblem, solution: &Solution) -> Self {
        Self {
            solver: solver.to_owned(),
            impulses: solution.impulses.clone(),
            couples: solution.couples.clone(),
            rows: solution.rows.clone(),
            v: solution.v.clone(),
            certificate: Certificate::of(problem, solution.all(), &solution.v),
        }
    }

    /// All impulses.
    pub fn all(&self) -> Impulses<'_> {
        Impulses { points: &self.impulses, couples: &self.couples, rows: &self.rows }
    }
}

/// A problem with its name, and the reference answer when it has one: what a file holds.
///
/// ```
/// use huygens_contact::{Scale, StoredCase, StoredProblem};
///
/// let problem = StoredProblem { h: 0.01, scale: Scale { length: 1.0, speed: 3.0 }, ..StoredProblem::default() };
/// let case = StoredCase { name: "empty".into(), problem, solution: None };
/// let text = case.to_string();
/// assert_eq!(text.parse::<StoredCase>()?.to_string(), text);
/// # Ok::<(), huygens_contact::ReadError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct StoredCase {
    /// Its name: one line.
    pub name: String,
    /// The problem.
    pub problem: StoredProblem,
    /// The answer that is known to it.
    pub solution: Option<StoredSolution>,
}
