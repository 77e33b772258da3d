//! Which bodies fly? A body that rests on something does not fall, whatever gravity says: without this a box on the floor
//! with one corner 0.2 mm up would "fall" on that corner and bounce.
//!
//! A body is supported when it touches the world or a driver, now or inside the step, too slowly to bounce, and is pressed against
//! it; when a joint or a motor acts on it, or it comes to a limit in the step; or when it so touches another body that is supported. What is supported flies without
//! acceleration: its velocity at the start of the step is all that its impacts see.

use super::flight::closing;
use super::schedule::ImpactScratch;
use super::stage::{ImpactProblem, TOUCH};
use crate::{Head, Law, Velocity};
use huygens_math::Twist;

/// Pressing is an acceleration whose effect in the step is above this share of the problem's speed.
const PRESSES: f64 = 1e-9;

/// Fills `scratch.acceleration`: that of the problem, zero for all that is supported.
pub(super) fn find_supported(
    problem: &ImpactProblem,
    v: &Velocity,
    threshold: f64,
    scratch: &mut ImpactScratch,
) {
    let groups = problem.groups;
    let movable = scratch.movable();
    scratch.islands.reset(movable);
    scratch.supported.clear();
    scratch.supported.resize(movable, false);
    for head in &groups.heads {
        let meet = match head.law {
            Law::Contact => contact(problem, v, threshold, head),
            Law::Unilateral => limit(problem, v, head),
            Law::Equality | Law::Bounded { .. } | Law::Drive { .. } => Meeting::Presses,
        };
        match (meet, problem.graph.movables_of(head)) {
            (Meeting::Apart, _) => {}
            (_, [Some(a), Some(b)]) => {
                scratch.islands.join(a, b);
                // A joint between two bodies may support one on the other's account.
                scratch.supported[a] |= !groups.row_range(head).is_empty();
            }
            (Meeting::Presses, [one, other]) => {
                for slot in [one, other].into_iter().flatten() {
                    scratch.supported[slot] = true;
                }
            }
            (Meeting::Touches, _) => {}
        }
        // A gear or a tendon holds all that it acts on.
        if meet != Meeting::Apart {
            for part in groups.parts_of_group(head) {
                if let Some(movable) = problem.graph.movable_of(part.side) {
                    scratch.supported[movable] = true;
                }
            }
        }
    }
    for i in 0..movable {
        if scratch.supported[i] {
            let root = scratch.islands.find(i);
            scratch.supported[root] = true;
        }
    }
    scratch.acceleration.copy_from(problem.acceleration);
    for i in 0..movable {
        let root = scratch.islands.find(i);
        if scratch.supported[root] {
            stop(problem, &mut scratch.acceleration, i);
        }
    }
}

/// How two sides meet in the step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meeting {
    /// Not at all, or so fast that they bounce.
    Apart,
    /// Slowly.
    Touches,
    /// Slowly, and one is pressed against the other.
    Presses,
}

fn contact(problem: &ImpactProblem, v: &Velocity, threshold: f64, head: &Head) -> Meeting {
    let groups = problem.groups;
    let inelastic = groups.materials[head.material as usize].restitution <= 0.0;
    let mut meeting = Meeting::Apart;
    for point in &groups.points[head.range()] {
        let u = groups.relative(head, point, v)[0];
        let a = groups.normal_rate(head, point, problem.acceleration);
        let landed = closing(point.gap, u, a)
            .is_some_and(|(wait, speed)| wait <= problem.h && (inelastic || speed <= threshold));
        if landed && a * problem.h < -PRESSES * problem.scale.speed {
            return Meeting::Presses;
        }
        if landed || (point.gap <= TOUCH * problem.scale.length && u.abs() <= threshold) {
            meeting = Meeting::Touches;
        }
    }
    meeting
}

fn limit(problem: &ImpactProblem, v: &Velocity, head: &Head) -> Meeting {
    let groups = problem.groups;
    let reached = head.range().any(|i| {
        let row = &groups.rows[i];
        let u = groups.relative_row(head, i, v) - row.target;
        let a = groups.rate_row(head, i, problem.acceleration);
        closing(row.error, u, a).is_some_and(|(wait, _)| wait <= problem.h)
    });
    if reached { Meeting::Presses } else { Meeting::Apart }
}

fn stop(problem: &ImpactProblem, acceleration: &mut Velocity, slot: usize) {
    let free = acceleration.free.len();
    if slot < free {
        acceleration.free[slot] = Twist::ZERO;
    } else if let Some(tree) = problem.inertia.trees.get(slot - free) {
        let first = tree.first_dof as usize;
        acceleration.dof[first..first + tree.ldl.len()].fill(0.0);
    }
}
