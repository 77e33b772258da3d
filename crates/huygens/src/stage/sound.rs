//! Takes out of the simulation what a number has overflowed in, before the step is made.
//!
//! A body whose velocity or place is no longer a sensible number stays where it was at the start of the step, at rest and
//! without contacts; its energy is booked as an edit. The caller then makes the stages before this one again, so
//! that all others do exactly what they would have done without it.

use super::forces::forces;
use crate::access::SoundAccess;
use crate::energy;
use crate::handle::BodyId;
use crate::ledger::Account;
use crate::model::{Model, Motion};
use crate::report::StepReport;
use crate::sleep::tree_sleeps;
use crate::state::State;
use huygens_contact::Velocity;
use huygens_math::{FreeInertia, Twist};

/// Only a fault makes numbers this large: the gates let in nothing above 1e20. Ten of them multiplied are still finite, so
/// what is below it cannot overflow inside a step.
const OVERFLOW: f64 = 1e30;

/// True when every body comes out of the solve with sensible numbers. If not, those that do not, at least one, are out
/// of the simulation from here on.
pub(crate) fn sound(
    model: &Model,
    state: &mut State,
    work: &mut SoundAccess,
    report: &mut StepReport,
) -> bool {
    let result = [&work.solution.v, work.displacement, &work.solution.correction];
    if result.iter().all(|velocity| is_sound(velocity)) {
        return true;
    }
    // A body that overflows all by itself is the one to blame. Only when there is none, contact did it.
    let by_itself = [work.v_free; 3];
    let found =
        take_out(model, state, work, report, by_itself) || take_out(model, state, work, report, result);
    if found {
        // What pulled at a body that is out pulls no longer.
        forces(model, state, work.inertia, work.forces);
    }
    !found
}

fn is_sound(velocity: &Velocity) -> bool {
    // No branch for each body: almost always all of them are sound.
    let bodies = velocity.free.iter().fold(true, |sound, twist| sound & is_sound_twist(twist));
    bodies && velocity.dof.iter().all(|v| v.abs() <= OVERFLOW)
}

fn is_sound_twist(twist: &Twist) -> bool {
    let Twist { linear: v, angular: w } = twist;
    // A comparison with NaN is false.
    [v.x, v.y, v.z, w.x, w.y, w.z].iter().fold(true, |sound, x| sound & (x.abs() <= OVERFLOW))
}

/// Takes out all bodies and trees that one of the velocities is not sound for; false when there are none.
fn take_out(
    model: &Model,
    state: &mut State,
    work: &mut SoundAccess,
    report: &mut StepReport,
    velocities: [&Velocity; 3],
) -> bool {
    let before = report.quarantined.len();
    for (slot, body) in model.bodies.iter().enumerate() {
        let moves = (body.motion == Motion::Dynamic || model.torque_limited(slot).is_some())
            && !body.removed
            && !state.quarantined[slot];
        if moves && velocities.iter().any(|v| !is_sound_twist(&v.free[slot])) {
            let e = energy::of_body(model, state, slot);
            state.velocity.free[slot] = Twist::ZERO;
            state.quarantined[slot] = true;
            work.inertia.free[slot] = FreeInertia::FIXED;
            book(work, e);
            tell(state, report, slot);
        }
    }
    for i in 0..model.trees.len() {
        let dofs = model.dofs_of(i);
        let overflows = |v: &Velocity| v.dof[dofs.clone()].iter().any(|x| x.is_nan() || x.abs() > OVERFLOW);
        if !is_out(model, state, i) && velocities.into_iter().any(overflows) {
            take_out_tree(model, state, work, i);
            for slot in links(model, i) {
                tell(state, report, slot);
            }
        }
    }
    report.quarantined.len() > before
}

/// True for a tree that no stage looks at: it was taken out of the simulation, or sleeps.
pub(crate) fn is_out(model: &Model, state: &State, tree: usize) -> bool {
    is_taken_out(model, state, tree) || tree_sleeps(model, state, tree)
}

/// True when a tree was taken out of the simulation.
pub(crate) fn is_taken_out(model: &Model, state: &State, tree: usize) -> bool {
    // Driven bodies that carry the tree come first.
    model.tree_bodies[tree].last().is_some_and(|&body| state.quarantined[body as usize])
}

/// Slots of the bodies of a tree, without driven ones that carry it.
fn links(model: &Model, tree: usize) -> impl Iterator<Item = usize> + '_ {
    let slots = model.tree_bodies[tree].iter().map(|&slot| slot as usize);
    slots.filter(|slot| matches!(model.bodies[*slot].motion, Motion::Link { .. }))
}

/// Takes a whole tree out: at rest where it is.
fn take_out_tree(model: &Model, state: &mut State, work: &mut SoundAccess, tree: usize) {
    let mut e = 0.0;
    for slot in links(model, tree) {
        e += energy::of_body(model, state, slot);
        state.velocity.free[slot] = Twist::ZERO;
        state.quarantined[slot] = true;
    }
    state.velocity.dof[model.dofs_of(tree)].fill(0.0);
    book(work, e);
}

fn book(work: &mut SoundAccess, energy: f64) {
    work.book.post(Account::Edit, -energy);
    work.taken_out.add(energy);
}

fn tell(state: &State, report: &mut StepReport, slot: usize) {
    report.quarantined.push(BodyId { slot: slot as u32, generation: state.generation[slot], world: 0 });
}
