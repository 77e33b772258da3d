//! Trees that driven bodies carry. A driven body is a link of such a tree without mass, on a free joint whose velocity is prescribed
//! (`dynamics::Tree::with_prescribed`), so that contacts and joints see one tree and no second way to move.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | V | | velocity of the driven body: constant within a step, another one in the next | m/s, rad/s |
//! | R | `load` | impulse and angular impulse about its centre of mass that the driver gives to the tree | N·s, N·m·s |
//!
//! The driver's work in a step is V·R. Where V changes from step to step, the joints of the tree answer to a blow at the start of the step,
//! whose work is R·(V + V')/2.

use super::loads::StepEnd;
use crate::access::IntegrateAccess;
use crate::ledger::{Account, StepBook};
use crate::model::{Model, Motion};
use crate::state::State;
use crate::workspace::TreeWork;
use huygens_contact::DriverLoad;
use huygens_dynamics::kinematics;
use huygens_math::{TreeInertia, Twist, Vec3};

/// Puts the bases of a tree where their drivers are.
pub(super) fn place(model: &Model, state: &mut State, tree: usize) {
    let first = model.tree_offsets[tree].coordinate as usize;
    for (k, &slot) in model.bases_of(tree).iter().enumerate() {
        let slot = slot as usize;
        let r = state.orientation[slot];
        let at = state.position[slot] - r * model.bodies[slot].center;
        let from = first + 7 * k;
        state.coordinates[from..from + 7].copy_from_slice(&[at.x, at.y, at.z, r.w, r.x, r.y, r.z]);
    }
}

/// Gives the bases of a tree the velocity that their drivers have in this step; the joints answer to the blow, which is booked.
pub(super) fn set_velocity(
    model: &Model,
    state: &mut State,
    tree: usize,
    block: &mut TreeInertia,
    work: &mut TreeWork,
    book: &mut StepBook,
) {
    work.blow.clear();
    work.base_loads.clear();
    let bases = model.bases_of(tree);
    work.base_loads.resize(bases.len(), DriverLoad::default());
    let all = model.dofs_of(tree);
    let before = &state.velocity.dof[all.clone()];
    let mut changed = false;
    work.answer.clear();
    work.answer.resize(before.len(), 0.0);
    for (k, &slot) in bases.iter().enumerate() {
        let twist = state.velocity.free[slot as usize];
        let wanted = twist.linear.to_array().into_iter().chain(twist.angular.to_array());
        for (i, wanted) in wanted.enumerate() {
            let at = 6 * k + i;
            work.answer[at] = wanted - before[at];
            changed |= work.answer[at] != 0.0;
        }
    }
    let q = &state.coordinates[model.coordinates_of(tree)];
    if !changed || work.kick.factor_mass(&model.trees[tree], q, block).is_err() {
        return;
    }
    // The stage `factor` makes the matrix of the step.
    work.is_unit = false;
    // δ = δV − H⁻¹HδV, then what the equalities ask for.
    let TreeWork { answer, after, .. } = work;
    after.clear();
    after.extend_from_slice(answer);
    block.ldl.times(after);
    block.ldl.solve(after);
    for ((after, base), v) in after.iter_mut().zip(&*answer).zip(before) {
        *after = (v + base) - *after;
    }
    block.equalities.project(&mut work.after, &mut work.room);
    let after = &work.after;
    let given = block.ldl.product(|i| after[i] - before[i], |i| 0.5 * (after[i] + before[i]));
    book.post(Account::Driver, given);
    if let Some(load) = work.base_loads.first_mut() {
        // Of several drivers the first one has the work of all: what is booked adds up.
        load.work += given;
    }
    work.blow.extend(work.kick.start.twist.iter().map(|twist| *twist * -1.0));
    state.velocity.dof[all].copy_from_slice(after);
    kinematics(&model.trees[tree], q, after, &mut work.kick.start);
    work.blow.iter_mut().zip(&work.kick.start.twist).for_each(|(blow, twist)| *blow += *twist);
}

/// The displacement of a tree's dofs with that of its bases: to where their drivers are at the end of the step.
pub(super) fn displacement(model: &Model, state: &State, tree: usize, path: &[f64], work: &mut TreeWork) {
    work.answer.clear();
    work.answer.extend_from_slice(path);
    for (k, &slot) in model.bases_of(tree).iter().enumerate() {
        let slot = slot as usize;
        let (start, from) = (work.kick.start.com[k], work.kick.start.world_from_link[k].rotation);
        let turn = state.orientation[slot] * from.conjugate();
        // The Cayley map of φ turns by 2·atan(|φ|/2); a step of half a turn or more is none that it can make in one piece.
        let axis = Vec3::new(turn.x, turn.y, turn.z);
        let angle = if turn.w.abs() > 0.9 { axis * (2.0 / turn.w) } else { super::links::vector_of(turn) };
        let way = Twist::new(state.position[slot] - start, angle);
        work.answer[6 * k..6 * k + 3].copy_from_slice(&way.linear.to_array());
        work.answer[6 * k + 3..6 * k + 6].copy_from_slice(&way.angular.to_array());
    }
}

/// What the drivers of a tree gave in the step beside the blow at its start [J]: V·R of each; kept for their records.
pub(super) fn work(model: &Model, work: &mut IntegrateAccess, tree: usize) -> f64 {
    let IntegrateAccess { problem, solution, trees, .. } = work;
    let mut loads = std::mem::take(&mut trees[tree].loads);
    let tree_work = &mut trees[tree];
    loads.find(&StepEnd { model, problem, solution }, tree_work, tree);
    let mut sum = 0.0;
    for k in 0..model.bases_of(tree).len() {
        let from = model.tree_offsets[tree].dof as usize + 6 * k;
        let v = &problem.v_start.dof[from..from + 6];
        let middle = (tree_work.kick.start.com[k] + tree_work.end.com[k]) * 0.5;
        let [all, blow] = [loads.of_link[k], loads.of_blow[k]].map(|load| loads.about(&load, middle));
        let own = all - blow;
        let given = Vec3::from_slice(&v[..3]).dot(own.linear) + Vec3::from_slice(&v[3..]).dot(own.angular);
        sum += given;
        let load = &mut tree_work.base_loads[k];
        load.work += given;
        (load.impulse, load.torque_impulse) = (all.linear, all.angular);
    }
    tree_work.loads = loads;
    sum
}

/// Impulses of impacts on a tree times the velocities that its bases give to their points [J].
pub(super) fn power_of_impacts(model: &Model, work: &IntegrateAccess, tree: usize) -> f64 {
    let (groups, mut sum) = (work.problem.solve_groups(), 0.0);
    let (kick, first) = (&work.trees[tree].kick, model.tree_offsets[tree].dof as usize);
    for head in groups.contacts() {
        for (side, &shape) in head.key.shapes().iter().enumerate() {
            let Motion::Link { tree: of, link } =
                model.bodies[model.shapes[shape as usize].body as usize].motion
            else {
                continue;
            };
            if of as usize != tree {
                continue;
            }
            for at in head.range() {
                let impulse = work.problem.impact.impulses.get(at).copied().unwrap_or_default();
                let place = kick.start.com[link as usize] + groups.points[at].arm[side];
                let held =
                    model.trees[tree].path(link as usize).filter(|dof| model.trees[tree].is_held(*dof));
                let rate =
                    |dof: usize| kick.start.axis[dof].at(place) * work.problem.v_start.dof[first + dof];
                let speed: Vec3 = held.map(rate).sum();
                sum += if side == 0 { impulse.dot(speed) } else { -impulse.dot(speed) };
            }
        }
    }
    sum
}

/// Adds what the drivers of trees gave to the loads of drivers.
pub(super) fn add_loads(model: &Model, trees: &[TreeWork], mut add: impl FnMut(usize, &DriverLoad)) {
    for (i, tree) in trees.iter().enumerate().filter(|(i, _)| model.trees[*i].has_prescribed()) {
        for (&slot, load) in model.bases_of(i).iter().zip(&tree.base_loads) {
            if let Motion::Driven(driver) = model.bodies[slot as usize].motion {
                add(driver as usize, load);
            }
        }
    }
}
