//! Poses, velocities and world inertia of everything, from the state.

use super::base;
use super::forces::forces;
use super::lanes::{quaternions, scatter, tensors, vectors};
use crate::access::KinematicsAccess;
use crate::bodies::{Bodies, BodyNumbers};
use crate::edit_log::Since;
use crate::model::{Model, Motion};
use crate::scene::MotorKind;
use crate::sleep::tree_sleeps;
use crate::state::State;
use crate::workspace::{Factored, TreeWork};
use huygens_dynamics::{Axes, DofDrive, TreeKinematics, free_inertia, is_isotropic};
use huygens_math::at_level;
use huygens_math::lanes::{Lane, f64x8};
use huygens_math::{
    BlockInertia, FreeInertia, FreeMass, Pose, Sum, Sym3, Sym3Lanes, TreeInertia, Vec3, scalar,
};

pub(crate) fn kinematics(model: &Model, state: &mut State, work: &mut KinematicsAccess) {
    work.book.clear();
    *work.taken_out = Sum::default();
    work.trees.iter_mut().for_each(|tree| tree.begun = None);
    place(model, state, work);
}

/// The same for what woke after it, in the same step. What was awake is as it was.
pub(crate) fn rouse(model: &Model, state: &mut State, work: &mut KinematicsAccess) {
    place(model, state, work);
}

fn place(model: &Model, state: &mut State, work: &mut KinematicsAccess) {
    trees(model, state, work);
    let edits = work.bodies.update(model, &state.sleep);
    blocks(model, state, work, &edits);
    let Bodies { numbers, principal, any_axes, others, .. } = &*work.bodies;
    let BlockInertia { free: inverse, mass: masses, .. } = &mut *work.inertia;
    let mut turn = WorldInertia { numbers, state, inverse, mass: masses };
    if !(principal.is_empty() && any_axes.is_empty()) {
        at_level!(work.bodies.level, simd => {
            turn.all::<f64x8<_>>(simd, principal, Axes::Principal);
            turn.all::<f64x8<_>>(simd, any_axes, Axes::Any);
        });
    }
    let driven = model.drivers.iter().filter_map(|driver| driver.body);
    let torque_limited = driven.filter(|slot| model.torque_limited(*slot as usize).is_some());
    for slot in others.iter().copied().chain(torque_limited) {
        let inverse = block(model, state, slot as usize);
        work.inertia.free[slot as usize] = inverse;
        work.inertia.mass[slot as usize] = mass(model, state, slot as usize, &inverse);
    }
    shapes(model, state, work, &edits);
    forces(model, state, work.inertia, work.forces);
}

/// The blocks of the bodies that were edited. Those of bodies with three equal moments stay as they are here.
fn blocks(model: &Model, state: &State, work: &mut KinematicsAccess, edits: &Since) {
    let BlockInertia { free, mass: masses, .. } = &mut *work.inertia;
    if let Since::All = edits {
        free.clear();
        masses.clear();
    }
    let all = if let Since::All = edits { 0..model.bodies.len() } else { 0..0 };
    // The mass of what nothing moves takes a while to find, and almost no step needs it.
    if free.len() != model.bodies.len() || masses.len() != model.bodies.len() {
        free.resize(model.bodies.len(), FreeInertia::FIXED);
        masses.resize(model.bodies.len(), FreeMass::from_inverse(&FreeInertia::FIXED));
    }
    for slot in all.chain(edits.bodies()) {
        free[slot] = block(model, state, slot);
        masses[slot] = mass(model, state, slot, &free[slot]);
    }
}

/// The inverse inertia of a free body, restricted to what its locks leave; zero for all else.
pub(crate) fn block(model: &Model, state: &State, slot: usize) -> FreeInertia {
    let body = &model.bodies[slot];
    if let Some(driver) = model.torque_limited(slot).filter(|_| !state.quarantined[slot]) {
        return about_axis(
            &body.inertia.rotated(state.orientation[slot]),
            state.drives[driver as usize].axis,
        );
    }
    if body.motion != Motion::Dynamic || body.removed || state.quarantined[slot] {
        return FreeInertia::FIXED;
    }
    free_inertia(body.mass, &body.inertia, state.orientation[slot], body.lock_linear, body.lock_angular)
}

/// The mass of a body whose inverse block is known.
fn mass(model: &Model, state: &State, slot: usize, inverse: &FreeInertia) -> FreeMass {
    let body = &model.bodies[slot];
    if inverse.inv_mass.min_element() > 0.0
        && body.lock_angular == [false; 3]
        && inverse.inv_inertia != Sym3::ZERO
    {
        // Three equal moments are the same in all axes; rotated they would have the round-off of the pose in which the model was edited.
        let is_constant = is_isotropic(&body.inertia);
        let inertia = if is_constant { body.inertia } else { body.inertia.rotated(state.orientation[slot]) };
        return FreeMass { mass: Vec3::splat(body.mass), inertia };
    }
    FreeMass::from_inverse(inverse)
}

/// A body that turns about one axis and is held otherwise.
fn about_axis(inertia: &Sym3, axis: Vec3) -> FreeInertia {
    let per_moment = 1.0 / axis.dot(*inertia * axis);
    let Vec3 { x, y, z } = axis;
    let outer = Sym3 { xx: x * x, yy: y * y, zz: z * z, xy: x * y, xz: x * z, yz: y * z };
    FreeInertia { inv_mass: Vec3::ZERO, inv_inertia: outer * per_moment }
}

/// The world inertia of bodies without locked axes of rotation, eight at a time.
struct WorldInertia<'a> {
    numbers: &'a [BodyNumbers],
    state: &'a State,
    inverse: &'a mut [FreeInertia],
    mass: &'a mut [FreeMass],
}

impl WorldInertia<'_> {
    #[inline(always)]
    fn all<L: Lane>(&mut self, token: L::Token, slots: &[u32], axes: Axes) {
        let batches = slots.chunks_exact(L::WIDTH);
        let rest = batches.remainder();
        for batch in batches {
            self.batch::<L>(token, batch, axes);
        }
        for slot in rest.chunks_exact(1) {
            self.batch::<f64>((), slot, axes);
        }
    }

    /// What was taken out of the simulation keeps a block that nothing moves.
    #[inline(always)]
    fn batch<L: Lane>(&mut self, token: L::Token, slots: &[u32], axes: Axes) {
        let (numbers, state) = (self.numbers, self.state);
        let q = quaternions::<L>(token, slots, &state.orientation);
        let [inverse, inertia] = match axes {
            Axes::Principal => [
                Sym3Lanes::rotated_diagonal(vectors(token, slots, |slot| numbers[slot].inverse.diag()), q),
                Sym3Lanes::rotated_diagonal(vectors(token, slots, |slot| numbers[slot].inertia.diag()), q),
            ],
            Axes::Any => [
                tensors(token, slots, |slot| &numbers[slot].inverse).rotated(q),
                tensors(token, slots, |slot| &numbers[slot].inertia).rotated(q),
            ],
        };
        scatter(slots, entries(inverse), |slot, [xx, yy, zz, xy, xz, yz]| {
            if !state.quarantined[slot] {
                self.inverse[slot].inv_inertia = Sym3 { xx, yy, zz, xy, xz, yz };
            }
        });
        scatter(slots, entries(inertia), |slot, [xx, yy, zz, xy, xz, yz]| {
            if !state.quarantined[slot] {
                self.mass[slot].inertia = Sym3 { xx, yy, zz, xy, xz, yz };
            }
        });
    }
}

/// The six entries of tensors in lanes.
#[inline(always)]
fn entries<L: Lane>(s: Sym3Lanes<L>) -> [L; 6] {
    [s.diagonal.x, s.diagonal.y, s.diagonal.z, s.xy, s.xz, s.yz]
}

/// Poses of the shapes that may have moved, and of those that were edited; of all shapes when some fell asleep or woke.
fn shapes(model: &Model, state: &State, work: &mut KinematicsAccess, edits: &Since) {
    let Bodies { sites, awake_shapes, .. } = &*work.bodies;
    let pose = |slot: usize| {
        let site = &sites[slot];
        let body = site.body as usize;
        let world_from_body = Pose::new(state.orientation[body], state.position[body]);
        if site.centred { world_from_body } else { world_from_body * model.shapes[slot].in_body }
    };
    if let Since::All = edits {
        work.shape_pose.clear();
        work.shape_pose.extend((0..sites.len()).map(pose));
        return;
    }
    work.shape_pose.resize(sites.len(), Pose::IDENTITY);
    for &slot in awake_shapes {
        work.shape_pose[slot as usize] = pose(slot as usize);
    }
    edits.shapes().for_each(|slot| work.shape_pose[slot] = pose(slot));
}

/// Kinematics and factored inertia of the trees; writes the derived poses and twists of their links.
fn trees(model: &Model, state: &mut State, work: &mut KinematicsAccess) {
    work.trees.resize_with(model.trees.len(), TreeWork::default);
    work.inertia.trees.resize_with(model.trees.len(), TreeInertia::default);
    for (i, tree) in model.trees.iter().enumerate() {
        let tree_work = &mut work.trees[i];
        let block = &mut work.inertia.trees[i];
        block.first_dof = model.tree_offsets[i].dof;
        if block.ldl.len() != tree.dofs() {
            block.ldl = tree.new_ldl();
        }
        if tree_sleeps(model, state, i) {
            tree_work.factored = Factored::No;
            tree_work.base_loads.clear();
            tree_work.motor_work.clear();
            continue;
        }
        if tree_work.begun == Some(state.steps) {
            continue;
        }
        tree_work.begun = Some(state.steps);
        if tree.has_prescribed() {
            base::place(model, state, i);
        }
        let (q, v) = (&state.coordinates[model.coordinates_of(i)], &state.velocity.dof[model.dofs_of(i)]);
        motors(model, state, i, &mut tree_work.drives);
        tree_work.kick.begin(tree, q, v);
        tree_work.factored = Factored::No;
        let start = &tree_work.kick.start;
        tree_work.kinetic = huygens_dynamics::kinetic_energy(tree, start);
        if tree.has_prescribed() {
            base::set_velocity(model, state, i, block, tree_work, work.book);
        }
        let start = &tree_work.kick.start;
        place_links(model, i, start, state);
    }
}

/// The motors without limits of a tree, by dof.
fn motors(model: &Model, state: &State, tree: usize, drives: &mut Vec<DofDrive>) {
    drives.clear();
    let first = model.tree_offsets[tree].dof;
    let from = model.joint_dofs.partition_point(|dof| (dof.tree as usize) < tree);
    let dofs = model.joint_dofs_of(tree).iter().zip(&state.motor_targets[from..]);
    for (dof, &target) in dofs.filter(|(dof, _)| dof.limited_motor().is_none()) {
        let Some(motor) = &dof.motor else { continue };
        drives.resize(model.trees[tree].dofs(), DofDrive::default());
        let drive = &mut drives[(dof.dof - first) as usize];
        match motor.kind {
            MotorKind::Position => {
                (drive.stiffness, drive.damping, drive.position) = (motor.stiffness, motor.damping, target);
            }
            MotorKind::Velocity => (drive.damping, drive.velocity) = (motor.damping, target),
            MotorKind::Torque => {
                let v = state.velocity.dof[dof.dof as usize];
                let by_power = if v != 0.0 { motor.max_power / v.abs() } else { f64::INFINITY };
                let most = scalar::min(motor.max_force, by_power);
                drive.force = scalar::clamp(target, -most, most);
            }
        }
    }
    if let Some(given) = state.joint_drives.get(model.dofs_of(tree)) {
        drives.resize(model.trees[tree].dofs(), DofDrive::default());
        drives.iter_mut().zip(given).for_each(|(drive, given)| *drive = drive.with(given));
    }
}

/// Writes the derived poses and twists of a tree's links. Driven bodies that carry it are where their drivers say.
pub(crate) fn place_links(model: &Model, tree: usize, kinematics: &TreeKinematics, state: &mut State) {
    let bases = model.bases_of(tree).len();
    for (link, &body) in model.tree_bodies[tree].iter().enumerate().skip(bases) {
        let body = body as usize;
        state.position[body] = kinematics.com[link];
        state.orientation[body] = kinematics.world_from_link[link].rotation;
        state.velocity.free[body] = kinematics.twist[link];
    }
}
