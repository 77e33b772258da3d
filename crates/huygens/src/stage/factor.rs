//! The inertia of the trees that rows may act on.

use super::assemble::smooth_forces;
use crate::access::FactorAccess;
use crate::model::{DofModel, Model, Motion};
use crate::sleep::tree_sleeps;
use crate::state::State;
use crate::workspace::{Factored, TreeWork};
use huygens_math::{TreeInertia, TreeLdl};

/// Factors the inertia of the trees that rows may act on, and of those with equalities. Others need none: their motion is solved link by
/// link, at a cost linear in the links.
pub(crate) fn factor(model: &Model, state: &State, work: &mut FactorAccess) {
    let has_rows =
        |dof: &DofModel| dof.range.is_some() || dof.friction > 0.0 || dof.limited_motor().is_some();
    let shapes = work.found.iter().filter(|entry| entry.len > 0).flat_map(|entry| entry.key.shapes());
    let (rows, of_shape) = (work.body_rows, work.shapes);
    let touched = shapes.filter_map(|shape| match rows[of_shape[shape as usize].body as usize].motion {
        Motion::Link { tree, .. } => Some(tree as usize),
        Motion::Dynamic | Motion::Static | Motion::Driven(_) => None,
    });
    let jointed = model.joint_dofs.iter().filter(|dof| has_rows(dof)).map(|dof| dof.tree);
    let limited = model.ball_limits.iter().map(|limit| limit.tree);
    let tied = model.tendons.iter().map(|tendon| tendon.tree);
    let jointed = jointed.chain(limited).chain(tied).map(|tree| tree as usize);
    let closed = (0..model.trees.len()).filter(|i| !model.trees[*i].equalities().is_empty());
    // A rope may pull at any link.
    let roped = if model.ropes.is_empty() { 0..0 } else { 0..model.trees.len() };
    for i in touched.chain(jointed).chain(closed).chain(roped) {
        factor_one(model, state, work.trees, work.inertia, i);
    }
    for (tree_work, block) in work.trees.iter_mut().zip(work.inertia.iter_mut()) {
        if tree_work.factored == Factored::No && !tree_work.is_unit {
            set_unit(&mut block.ldl);
            tree_work.is_unit = true;
        }
    }
}

/// The first tree whose inertia cannot be factored where it is.
pub(crate) fn first_singular(model: &Model, state: &State, work: &mut FactorAccess) -> Option<usize> {
    (0..model.trees.len()).find(|&i| {
        factor_one(model, state, work.trees, work.inertia, i);
        work.trees[i].factored == Factored::Singular
    })
}

fn factor_one(model: &Model, state: &State, trees: &mut [TreeWork], blocks: &mut [TreeInertia], i: usize) {
    let tree_work = &mut trees[i];
    if tree_work.factored != Factored::No || tree_sleeps(model, state, i) {
        return;
    }
    let forces = smooth_forces(model, &[], &tree_work.drives);
    let q = &state.coordinates[model.coordinates_of(i)];
    let factored = tree_work.kick.factor(&model.trees[i], q, &forces, &mut blocks[i]);
    tree_work.factored = if factored.is_ok() { Factored::Yes } else { Factored::Singular };
    tree_work.is_unit = false;
}

/// A stored problem has the inertia of every tree: of those that nothing acts on the unit matrix, whatever the last steps left there.
fn set_unit(ldl: &mut TreeLdl) {
    let n = ldl.len();
    let matrix = ldl.matrix_mut();
    matrix.fill(0.0);
    matrix.iter_mut().step_by(n + 1).for_each(|entry| *entry = 1.0);
    // The unit matrix has pivots of 1.
    let _ = ldl.factor();
}
