//! The contact problem, its solvers and its judge: the heart of the Huygens contact engine.
//!
//! No shapes, no bodies, no world: a [`ContactProblem`] is plain data, every contact model solves that same data, and
//! the judge looks at problem and answer alone.

mod problem;
mod settings;
mod solution;
mod transport;

pub use problem::GroupKey;
pub use problem::{
    ContactProblem, Groups, Head, Law, Material, Point, Row, Scale, Side, TreeRows, TreeSpan, Velocity,
};
pub use settings::{Settings, Stabilisation};
pub use solution::{Impulse, Solution, Work};
