//! Poses, velocities and world inertia of everything, from the state.

use super::kinetic_energy;
use crate::model::{Model, Motion};
use crate::state::State;
use crate::workspace::{TreeWork, Workspace};
use huygens_dynamics::{TreeKinematics, free_inertia};
use huygens_math::{FreeInertia, Pose, Sum, TreeInertia};

pub(crate) fn kinematics(model: &Model, state: &mut State, work: &mut Workspace) {
    work.book.clear();
    work.taken_out = Sum::default();
    trees(model, state, work);
    work.position_start.clone_from(&state.position);
    bodies(model, state, work);
    shapes(model, state, work);
}

fn bodies(model: &Model, state: &State, work: &mut Workspace) {
    work.inertia.free.clear();
    work.kinetic.clear();
    for (slot, body) in model.bodies.iter().enumerate() {
        let dynamic = body.motion == Motion::Dynamic && !body.removed && !state.quarantined[slot];
        work.inertia.free.push(if dynamic {
            free_inertia(
                body.mass,
                &body.inertia,
                state.orientation[slot],
                body.lock_linear,
                body.lock_angular,
            )
        } else {
            FreeInertia::FIXED
        });
        work.kinetic.push(if dynamic { kinetic_energy(model, state, slot) } else { 0.0 });
    }
}

fn shapes(model: &Model, state: &State, work: &mut Workspace) {
    work.shape_pose.clear();
    for shape in &model.shapes {
        let slot = shape.body as usize;
        let world_from_body = Pose::new(state.orientation[slot], state.position[slot]);
        work.shape_pose.push(world_from_body * shape.in_body);
    }
}

/// Kinematics and factored inertia of the trees; writes the derived poses and twists of their links.
fn trees(model: &Model, state: &mut State, work: &mut Workspace) {
    work.trees.resize_with(model.trees.len(), TreeWork::default);
    work.inertia.trees.resize_with(model.trees.len(), TreeInertia::default);
    let mut first_dof = 0;
    for (i, tree) in model.trees.iter().enumerate() {
        let dofs = first_dof..first_dof + tree.dofs();
        let tree_work = &mut work.trees[i];
        let block = &mut work.inertia.trees[i];
        block.first_dof = first_dof as u32;
        if block.ldl.len() != tree.dofs() {
            block.ldl = tree.new_ldl();
        }
        let factored =
            tree_work.kick.begin(tree, &state.trees[i], &state.velocity.dof[dofs.clone()], &mut block.ldl);
        tree_work.singular = factored.is_err();
        let start = &tree_work.kick.start;
        tree_work.kinetic = huygens_dynamics::kinetic_energy(tree, start);
        place_links(&model.tree_bodies[i], start, state);
        first_dof = dofs.end;
    }
}

/// Writes the derived poses and twists of a tree's links.
pub(crate) fn place_links(bodies: &[u32], kinematics: &TreeKinematics, state: &mut State) {
    for (link, &body) in bodies.iter().enumerate() {
        let body = body as usize;
        state.position[body] = kinematics.com[link];
        state.orientation[body] = kinematics.world_from_link[link].rotation;
        state.velocity.free[body] = kinematics.twist[link];
    }
}
