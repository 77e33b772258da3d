//! Newton's method on the cost of an island.
//!
//! Islands of few dofs factor their Hessian in the pattern of their trees ([`super::dense`]). Larger ones have it in blocks ([`super::blocks`]) and choose between a sparse factor and
//! conjugate gradients ([`super::inner`]).

use super::dense::DenseHessian;
use super::inner::Inner;
use super::island::Island;
use super::line_search::{LineBounds, LineRoom, line_search};
use super::options::{Resolution, SoftOptions};
use crate::solver::Stop;

/// Room of an iteration.
#[derive(Clone, Debug, Default)]
pub(super) struct IterationRoom {
    dense: DenseHessian,
    pub search: Vec<f64>,
    pub line: LineRoom,
    pub last: Vec<f64>,
    pub old_gradient: Vec<f64>,
    pub old_preconditioned: Vec<f64>,
    pub preconditioned: Vec<f64>,
    inner: Inner,
}

pub(super) fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// What a step changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Progress {
    /// The cost tells the new iterate from the old one.
    Cheaper,
    /// It does not, but the gradient fell to less than half.
    Flatter,
    /// The improvement is below the tolerance.
    Small,
    /// Neither: the better of the two by its gradient stays.
    None,
}

/// Takes the step α·search and evaluates; an improvement below `least` (over the trace of M) is small.
pub(super) fn advance(island: &mut Island, alpha: f64, least: f64, room: &mut IterationRoom) -> Progress {
    if alpha == 0.0 {
        return Progress::None;
    }
    let (cost, gradient) = (island.cost, norm(&island.gradient));
    room.last.clone_from(&island.a);
    island.advance(alpha, &room.search, &room.line.y, &room.line.ms);
    let improvement = cost - island.cost;
    // Under `signorini` the cost of two iterates is not that of one problem.
    let signorini = island.resolution == Resolution::Signorini;
    if !signorini && improvement > 0.0 && improvement < least * island.trace {
        return Progress::Small;
    }
    let change = if signorini { improvement.abs() } else { improvement };
    if change > 1e-12 * cost.abs() {
        return Progress::Cheaper;
    }
    let now = norm(&island.gradient);
    if now > gradient {
        island.a.clone_from(&room.last);
        island.evaluate();
    }
    if now <= 0.5 * gradient { Progress::Flatter } else { Progress::None }
}

/// Dofs up to which trees of many dofs are factored in their own pattern; free bodies fill it in.
const TREE_DOFS: usize = 3000;

/// Dofs of a tree of many, in the mean of an island.
const MANY: usize = 12;

/// True for an island whose Hessian is factored in the pattern of its rows.
fn is_small(island: &Island, options: &SoftOptions) -> bool {
    let n = island.len();
    let has_trees = n <= TREE_DOFS && n >= MANY * island.mass.blocks.len() && options.dense_dofs > 0;
    n <= options.dense_dofs || has_trees
}

/// Fills `room.search` with the Newton step −H⁻¹g, or nearly so; false when H is not positive definite.
fn step(island: &Island, options: &SoftOptions, bound: f64, room: &mut IterationRoom) -> bool {
    if !is_small(island, options) {
        return room.inner.solve(island, bound, &mut room.search);
    }
    room.dense.fill(island);
    room.dense.solve(&island.gradient, &mut room.search)
}

/// Minimises the cost from the iterate on; returns the number of iterations and why they ended.
pub(super) fn newton(island: &mut Island, options: &SoftOptions, room: &mut IterationRoom) -> (u32, Stop) {
    let (bound, least) = (options.tolerance * island.trace, options.least_improvement());
    let signorini = island.resolution == Resolution::Signorini;
    if !is_small(island, options) {
        room.inner.begin(island);
    } else {
        room.dense.begin(island);
    }
    for iteration in 0..options.iterations {
        let is_flat = norm(&island.gradient) <= bound;
        if is_flat && !signorini {
            return (iteration, Stop::Converged);
        }
        if !step(island, options, bound, room) {
            return (iteration, Stop::Stalled);
        }
        let decrement = -0.5 * dot(&island.gradient, &room.search);
        let is_small = decrement <= least * island.trace;
        if is_small && (is_flat || !signorini) {
            return (iteration, Stop::Converged);
        }
        let slope = bound * options.ls_tolerance * norm(&room.search);
        let bounds = LineBounds { evaluations: options.ls_iterations, slope };
        let alpha = line_search(island, &room.search, bounds, &mut room.line);
        match advance(island, alpha, least, room) {
            Progress::Cheaper | Progress::Flatter => {}
            Progress::Small => return (iteration + 1, Stop::Converged),
            Progress::None => return (iteration + 1, Stop::Stalled),
        }
    }
    (options.iterations, Stop::IterationLimit)
}
