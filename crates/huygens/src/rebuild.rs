//! Trees built anew from where everything is and how it moves, after joints or the bodies that they hold were changed.

use crate::assembly::{Assembly, KeptCoordinates, find};
use crate::compile;
use crate::model::{Exclusions, JointModel, Model, Motion};
use crate::scene::SceneErrors;
use crate::stage;
use crate::state::{MotorRecord, State};
use crate::workspace::Workspace;
use crate::world::World;
use huygens_dynamics::DofDrive;
use std::collections::HashMap;
use std::sync::Arc;

/// What users and motors left at a dof, by the number of its joint and its place in it.
#[derive(Clone, Copy, Debug, Default)]
struct Left {
    /// What its motor aims at.
    target: Option<f64>,
    /// What its motor gave.
    record: MotorRecord,
    /// What a user's program drives it by.
    drive: DofDrive,
}

impl World {
    /// Position and velocity of all joints, by name.
    pub(crate) fn kept(&self) -> KeptCoordinates {
        let mut kept = KeptCoordinates::new();
        for joint in &self.model.joints {
            kept.insert(joint.name.clone(), Vec::new());
        }
        for dof in &self.model.joint_dofs {
            let name = &self.model.joints[dof.joint as usize].name;
            let at =
                [self.state.coordinates[dof.coordinate as usize], self.state.velocity.dof[dof.dof as usize]];
            kept.entry(name.clone()).or_default().push(at);
        }
        for joint in &self.model.assembly.joints {
            if let Some(lock) = &joint.lock {
                kept.insert(joint.spec.name.clone(), lock.coordinates.clone());
            }
        }
        kept
    }

    /// Changes the joints of the world, and builds its trees anew from where everything is and how it moves.
    pub(crate) fn edit_assembly(&mut self, change: impl FnOnce(&mut Assembly)) -> Result<(), SceneErrors> {
        self.rebuild(change, |_, _| Ok(()))
    }

    /// The same, and `change_bodies` changes bodies while none of them is a link.
    pub(crate) fn rebuild(
        &mut self,
        change: impl FnOnce(&mut Assembly),
        change_bodies: impl FnOnce(&mut Model, &mut State) -> Result<(), SceneErrors>,
    ) -> Result<(), SceneErrors> {
        let mut assembly = (*self.model.assembly).clone();
        change(&mut assembly);
        assembly.index();
        let kept = self.kept();
        let (mut model, mut state) = ((*self.model).clone(), self.state.clone());
        wake_jointed(&model, &mut state, &assembly);
        let left = self.left_at_dofs();
        take_apart(&mut model, &mut state);
        change_bodies(&mut model, &mut state)?;
        compile::build_trees(&mut model, &mut state, &assembly, Some(&kept))?;
        model.describe(assembly);
        model.edits.note_all();
        compile::index_forces(&mut model);
        state.aim_motors(&model);
        self.restore_dofs(&model, &mut state, &left);
        let before = self.energy();
        let mut work = Workspace::default();
        work.choose_as(&self.work);
        work.keep_events(&mut self.work);
        work.reserve(&model);
        (self.model, self.state, self.work) = (Arc::new(model), state, work);
        self.place_trees();
        self.state.reserve(&self.model);
        self.book_edit(self.energy() - before);
        Ok(())
    }

    /// What users and motors left at the dofs of joints.
    fn left_at_dofs(&self) -> HashMap<[u32; 2], Left> {
        let (model, state) = (&self.model, &self.state);
        let mut left: HashMap<[u32; 2], Left> = HashMap::new();
        let number = |joint: &JointModel| model.assembly.joints[joint.assembled as usize].number;
        for joint in model.joints.iter().filter(|_| !state.joint_drives.is_empty()) {
            for (at, dof) in joint.dofs().enumerate() {
                left.entry([number(joint), at as u32]).or_default().drive = state.joint_drives[dof];
            }
        }
        for (dof, (target, record)) in
            model.joint_dofs.iter().zip(state.motor_targets.iter().zip(&state.motors))
        {
            let joint = &model.joints[dof.joint as usize];
            let of = left.entry([number(joint), dof.dof - joint.first_dof]).or_default();
            (of.target, of.record) = (dof.motor.is_some().then_some(*target), *record);
        }
        left
    }

    /// Gives it back to those of the same joints in new trees; targets where the motor is the same.
    fn restore_dofs(&self, model: &Model, state: &mut State, left: &HashMap<[u32; 2], Left>) {
        let described = |joint: &JointModel| &model.assembly.joints[joint.assembled as usize];
        if !self.state.joint_drives.is_empty() {
            state.joint_drives.resize(state.velocity.dof.len(), DofDrive::default());
            for joint in &model.joints {
                for (at, dof) in joint.dofs().enumerate() {
                    let drive = left.get(&[described(joint).number, at as u32]).map(|left| left.drive);
                    state.joint_drives[dof] = drive.unwrap_or_default();
                }
            }
        }
        for (i, dof) in model.joint_dofs.iter().enumerate() {
            let joint = &model.joints[dof.joint as usize];
            let new = described(joint);
            let old = left.get(&[new.number, dof.dof - joint.first_dof]);
            state.motors[i] = old.map(|old| old.record).unwrap_or_default();
            let before = self.model.assembly.numbered(new.number);
            let before = before.map(|at| &self.model.assembly.joints[at].spec.motor);
            if let (Some(target), true) = (old.and_then(|old| old.target), before == Some(&new.spec.motor)) {
                state.motor_targets[i] = target;
            }
        }
    }

    /// Places the links of all trees.
    pub(crate) fn place_trees(&mut self) {
        self.moves += 1;
        stage::kinematics(&self.model, &mut self.state, &mut self.work.for_kinematics());
    }
}

/// Wakes all that joints hold, or that they shall hold: their trees are built anew.
fn wake_jointed(model: &Model, state: &mut State, assembly: &Assembly) {
    let names = assembly.joints.iter().flat_map(|joint| joint.spec.parent.iter().chain([&joint.spec.child]));
    let ends: Vec<usize> = names.filter_map(|name| find(model, name)).collect();
    let is_link = |slot: usize| matches!(model.bodies[slot].motion, Motion::Link { .. });
    state.wake(model, |slot| is_link(slot) || ends.contains(&slot));
}

/// Makes free bodies of all links, where they are and with the velocities that they have.
fn take_apart(model: &mut Model, state: &mut State) {
    for body in &mut model.bodies {
        if let Motion::Link { .. } = body.motion {
            body.motion = Motion::Dynamic;
        }
    }
    model.trees.clear();
    model.tree_bodies.clear();
    model.tree_offsets.clear();
    model.joints.clear();
    model.joint_dofs.clear();
    model.ball_limits.clear();
    model.tendons.clear();
    model.exclusions = Exclusions::default();
    state.coordinates.clear();
    state.velocity.dof.clear();
    state.row_impulses.clear();
    state.tree_credits.clear();
    // They return to the same joints.
    state.joint_drives.clear();
}
