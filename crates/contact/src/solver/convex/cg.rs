//! Conjugate gradients on the cost of an island, preconditioned with M (Hager, Zhang 2005).

use super::island::Island;
use super::line_search::{LineBounds, line_search};
use super::newton::{IterationRoom, dot, norm};
use super::options::SoftOptions;
use crate::solver::Stop;
use huygens_math::scalar;

/// Lower bound of β in units of the gradient, as Hager and Zhang advise.
const ETA: f64 = 0.01;

/// Minimises the cost from the iterate on; returns the number of iterations and why they ended.
pub(super) fn conjugate_gradients(
    island: &mut Island,
    options: &SoftOptions,
    room: &mut IterationRoom,
) -> (u32, Stop) {
    let bound = options.tolerance * island.trace;
    let least = options.least_improvement() * island.trace;
    room.preconditioned.clone_from(&island.gradient);
    island.mass_solve(&mut room.preconditioned);
    room.search.clear();
    room.search.extend(room.preconditioned.iter().map(|g| -g));
    // Directions are conjugate for n iterations at most; so many in which neither cost nor gradient falls are round-off.
    let patience = island.len() as u32 + 10;
    let (mut idle, mut best) = (0, f64::INFINITY);
    let mut fresh = true;
    for iteration in 0..options.iterations {
        if norm(&island.gradient) <= bound {
            return (iteration, Stop::Converged);
        }
        let slope = bound * options.ls_tolerance * norm(&room.search);
        let bounds = LineBounds { evaluations: options.ls_iterations, slope };
        let alpha = line_search(island, &room.search, bounds, &mut room.line);
        if alpha == 0.0 {
            if fresh {
                return (iteration, Stop::Stalled);
            }
            // The directions lost their conjugacy: begin anew along the steepest descent.
            room.search.clear();
            room.search.extend(room.preconditioned.iter().map(|g| -g));
            fresh = true;
            continue;
        }
        room.old_gradient.clone_from(&island.gradient);
        let cost = island.cost;
        island.a.iter_mut().zip(&room.search).for_each(|(a, s)| *a += alpha * s);
        island.evaluate();
        let (improvement, gradient) = (cost - island.cost, norm(&island.gradient));
        if improvement > 0.0 && improvement < least {
            return (iteration + 1, Stop::Converged);
        }
        if gradient < best {
            (best, idle) = (gradient, 0);
            room.last.clone_from(&island.a);
        } else if improvement <= 1e-12 * cost.abs() {
            idle += 1;
        }
        if idle > patience {
            island.a.clone_from(&room.last);
            island.evaluate();
            return (iteration + 1, Stop::Stalled);
        }
        fresh = false;
        std::mem::swap(&mut room.preconditioned, &mut room.old_preconditioned);
        room.preconditioned.clone_from(&island.gradient);
        island.mass_solve(&mut room.preconditioned);
        let beta = beta(island, room);
        room.search.iter_mut().zip(&room.preconditioned).for_each(|(s, g)| *s = beta * *s - g);
    }
    (options.iterations, Stop::IterationLimit)
}

fn beta(island: &Island, room: &IterationRoom) -> f64 {
    let (g, pg, s) = (&island.gradient, &room.preconditioned, &room.search);
    let changes = || g.iter().zip(&room.old_gradient).map(|(new, old)| new - old);
    let along: f64 = changes().zip(s).map(|(y, s)| y * s).sum();
    if along.abs() < f64::MIN_POSITIVE {
        return 0.0;
    }
    let y_pg: f64 = changes().zip(pg).map(|(y, p)| y * p).sum();
    let y_py: f64 =
        changes().zip(pg.iter().zip(&room.old_preconditioned)).map(|(y, (new, old))| y * (new - old)).sum();
    let beta = y_pg / along - 2.0 * y_py * dot(s, g) / (along * along);
    let least = -1.0 / (norm(s) * scalar::min(ETA, norm(g)));
    scalar::max(beta, least)
}
