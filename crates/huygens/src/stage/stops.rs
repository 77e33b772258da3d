//! Joints that bounce at the ends of their range: at the time at which they reach it, as impacts of bodies do.

use super::is_out;
use crate::access::ImpactAccess;
use crate::model::{DofModel, Model};
use crate::state::State;
use crate::workspace::TreeWork;
use huygens_math::scalar;

/// Most rounds over the joints of a world in a step.
const ROUNDS: usize = 4;

/// Turns back joints that reach an end of their range in this step: u⁺ = −e u at that time τ. The impulse p acts on the velocity at the start,
/// and −τH⁻¹Jᵀp moves the tree such that the bounce happens at the end of the range.
pub(crate) fn stops(model: &Model, state: &State, work: &mut ImpactAccess) {
    let any = model.joint_dofs.iter().any(|dof| dof.restitution > 0.0 && dof.range.is_some());
    if !any || model.settings.solver.is_soft() {
        return;
    }
    for _ in 0..ROUNDS {
        let mut any = false;
        for dof in &model.joint_dofs {
            let bounces = dof.restitution > 0.0 && !dof.is_soft() && !is_out(model, state, dof.tree as usize);
            let Some([low, high]) = dof.range.filter(|_| bounces) else { continue };
            let q =
                state.coordinates[dof.coordinate as usize] + work.impact.displacement.dof[dof.dof as usize];
            for (sign, gap) in [(1.0, q - low), (-1.0, high - q)] {
                any |= bounce(model, work, dof, sign, gap);
            }
        }
        if !any {
            break;
        }
    }
}

fn bounce(model: &Model, work: &mut ImpactAccess, dof: &DofModel, sign: f64, gap: f64) -> bool {
    let (h, k) = (model.settings.dt, dof.dof as usize);
    let (u, a) = (sign * work.v_start.dof[k], sign * work.acceleration.dof[k]);
    let Some(time) = time_of_touch(gap, u, a, h) else { return false };
    let speed = u + a * time;
    if speed >= -model.settings.contact.restitution_threshold / model.settings.length {
        return false;
    }
    let block = &work.inertia.trees[dof.tree as usize];
    let TreeWork { answer, room, .. } = &mut work.trees[dof.tree as usize];
    let first = block.first_dof as usize;
    answer.clear();
    answer.resize(block.ldl.len(), 0.0);
    answer[k - first] = sign;
    block.respond(answer, room);
    let w = sign * answer[k - first];
    if w <= 0.0 {
        return false;
    }
    let p = -(1.0 + dof.restitution) * speed / w;
    for (i, y) in answer.iter().enumerate() {
        work.v_start.dof[first + i] += y * p;
        work.v_free.dof[first + i] += y * p;
        work.impact.displacement.dof[first + i] -= time * y * p;
    }
    work.impact.work.limit.add(0.5 * p * (2.0 * speed + w * p));
    work.impact.work.magnitude += p * speed.abs() + 0.5 * w * p * p;
    work.impact.time_shift.add(-time * p * a);
    work.impact.impacts += 1;
    true
}

/// When gap + uτ + aτ²/2 falls to 0 within the step; at once where it is below already.
fn time_of_touch(gap: f64, u: f64, a: f64, h: f64) -> Option<f64> {
    if gap <= 0.0 {
        return Some(0.0);
    }
    let root = u * u - 2.0 * a * gap;
    if root < 0.0 {
        return None;
    }
    // The first root, without cancellation.
    let below = -u + root.sqrt();
    let time = if below > 0.0 { 2.0 * gap / below } else { f64::INFINITY };
    (time < h && scalar::max(u, u + a * time) < f64::INFINITY).then_some(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_touch_is_the_first_root() {
        assert_eq!(time_of_touch(-1e-9, -1.0, 0.0, 1.0), Some(0.0));
        assert_eq!(time_of_touch(0.5, -1.0, 0.0, 1.0), Some(0.5));
        assert_eq!(time_of_touch(2.0, -1.0, 0.0, 1.0), None);
        // 0.5 − t + t²/4 = 0 at 2 − √2.
        assert!((time_of_touch(0.5, -1.0, 0.5, 1.0).unwrap() - (2.0 - 2f64.sqrt())).abs() < 1e-15);
        assert_eq!(time_of_touch(0.5, 1.0, 0.0, 1.0), None);
    }
}
