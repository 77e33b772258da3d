//! The contact problem, its solvers and its judge: the heart of the Huygens contact engine.
//!
//! No shapes, no bodies, no world: a [`ContactProblem`] is plain data, every contact model solves that same data, and
//! the judge looks at problem and answer alone.

mod certificate;
mod correction;
mod impact;
mod island;
mod kernel;
pub mod passivity;
mod prepare;
mod problem;
mod scratch;
mod settings;
mod solution;
mod solver;
mod target;
mod transport;
mod work;

pub use certificate::Certificate;
pub use correction::{CorrectionReport, correct};
pub use impact::{ImpactOutcome, ImpactProblem, impact};
pub use problem::{
    ContactProblem, GroupKey, Groups, Head, Law, Material, NO_TREE, Point, Row, Scale, Side, TreeRows,
    TreeSpan, Velocity,
};
pub use scratch::{Room, Scratch};
pub use settings::{Settings, Stabilisation};
pub use solution::{DriverLoad, Impulse, Solution, Warm, Work};
pub use solver::{Parameter, SolveReport, SolverKind, Stop, UnknownSolver};
