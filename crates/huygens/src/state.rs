//! Everything that must be saved to go on with the same bits.

pub use crate::contacts::{ContactHead, ContactPoint, Contacts};
use crate::event::Event;
use crate::ledger::Ledger;
use crate::model::Model;
pub use crate::sleep::{AWAKE, Sleep, Stillness};
use crate::workspace::{kept_room, reserve, room};
use huygens_contact::{GroupKey, Velocity};
use huygens_dynamics::DofDrive;
use huygens_math::{Quat, Twist, Vec3};

/// A body with a force that ends with the next step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OneStepForce {
    /// Slot of the body.
    pub slot: u32,
    /// User force on it that stays [N].
    pub lasting_force: Vec3,
    /// User torque on it that stays [N·m].
    pub lasting_torque: Vec3,
}

/// What a driver has given so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DriverRecord {
    /// Work into the system [J].
    pub work: f64,
    /// Largest impulse of a step over dt [N].
    pub peak_force: f64,
    /// Largest angular impulse of a step about the driver's centre of mass, over dt [N·m].
    pub peak_torque: f64,
}

/// What a motor of a joint has given so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MotorRecord {
    /// Work into the system [J].
    pub work: f64,
    /// Mean power of the last step [W].
    pub power: f64,
}

/// Energy that the integrator has lent to a tree: see `stage/tree_bound.rs`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TreeCredit {
    /// What the steps so far have brought in, less what they lost [J].
    pub lent: f64,
    /// The largest scale of what a step can be off by [J].
    pub scale: f64,
}

/// A joint that broke.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Broken {
    /// Its name.
    pub name: String,
    /// End of the step in which it broke [s].
    pub time: f64,
    /// Its load in that step [N].
    pub force: f64,
    /// [N·m]
    pub torque: f64,
}

/// What a driver is to do.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drive {
    /// Velocity that it is to have; with a path, over the next step or the last.
    pub target: Twist,
    /// Unit vector about which it turns, for a torque limit.
    pub axis: Vec3,
}

/// The moment from which on steps have had the present length.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clock {
    /// Steps taken until then.
    pub steps: u64,
    /// Time then [s].
    pub time: f64,
}

impl State {
    /// Lets every motor aim at what its scene says.
    pub(crate) fn aim_motors(&mut self, model: &Model) {
        let target = |dof: &crate::model::DofModel| dof.motor.map_or(0.0, |motor| motor.target);
        self.motor_targets = model.joint_dofs.iter().map(target).collect();
        self.motors.resize(model.joint_dofs.len(), MotorRecord::default());
    }

    /// Time after so many steps more, of length `dt` [s].
    pub fn time_after(&self, more: u64, dt: f64) -> f64 {
        self.clock.time + (self.steps + more - self.clock.steps) as f64 * dt
    }

    /// Makes room for the contacts that a model can be expected to have.
    pub(crate) fn reserve(&mut self, model: &Model) {
        let room = room(model);
        reserve(&mut self.contacts.heads, room.groups);
        reserve(&mut self.contacts.points, room.points);
        let kept = kept_room(model, room.groups);
        reserve(&mut self.contacts.kept.pairs, kept);
        reserve(&mut self.contacts.kept.slots, kept);
        reserve(&mut self.contacts.kept.free, kept);
        reserve(&mut self.touching, room.groups);
        if model.settings.sleep {
            let sleep = &mut self.sleep;
            reserve(&mut sleep.contacts.heads, room.groups);
            reserve(&mut sleep.contacts.points, room.points);
            reserve(&mut sleep.contacts.kept.pairs, kept);
            reserve(&mut sleep.touching, room.groups);
            // One step wakes a body, and the same one puts it to sleep.
            reserve(&mut sleep.told, 2 * model.bodies.len());
        }
    }
}

/// Everything that must be saved to go on with the same bits.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Steps taken.
    pub steps: u64,
    /// Time [s]: steps × dt since the last change of dt, so that it does not drift.
    pub time: f64,
    /// The last change of dt.
    pub clock: Clock,
    /// Centre of mass of each body slot [m].
    pub position: Vec<Vec3>,
    /// Orientation of each body slot.
    pub orientation: Vec<Quat>,
    /// Velocities: a twist for each body slot (those of links are derived), then the dofs of the trees.
    pub velocity: Velocity,
    /// User force on each body slot [N].
    pub force: Vec<Vec3>,
    /// User torque on each body slot [N·m].
    pub torque: Vec<Vec3>,
    /// Bodies with forces that end with the next step; they are part of `force` and `torque`.
    pub one_step_forces: Vec<OneStepForce>,
    /// Coordinates of all trees, tree after tree ([`Model::coordinates_of`]).
    pub coordinates: Vec<f64>,
    /// Contacts of the last step: where the next one starts from.
    pub contacts: Contacts,
    /// Overlapping pairs of shapes of the last step that events know of, sorted.
    pub touching: Vec<[u32; 2]>,
    /// Contacts that ended because a body was removed since the last step: the next step's events tell of them.
    pub ended: Vec<Event>,
    /// Who sleeps, and all that is kept of them.
    pub sleep: Sleep,
    /// Bodies that were put down inside others: the guard lets them come out.
    pub placed: Vec<Placed>,
    /// Bodies that a numerical fault took out of the simulation.
    pub quarantined: Vec<bool>,
    /// Impulses of the scalar rows of the last step (limits, motors), by key.
    pub row_impulses: Vec<(GroupKey, f64)>,
    /// What each driver is to do.
    pub drives: Vec<Drive>,
    /// What a user's program puts on each dof of the trees ([`crate::World::set_joint_drive`]); empty for nothing.
    pub joint_drives: Vec<DofDrive>,
    /// What each driver has given.
    pub drivers: Vec<DriverRecord>,
    /// What the motor of each of [`Model::joint_dofs`] aims at.
    pub motor_targets: Vec<f64>,
    /// What it has given.
    pub motors: Vec<MotorRecord>,
    /// Energy that the integrator has lent to each tree.
    pub tree_credits: Vec<TreeCredit>,
    /// Joints that broke, in order.
    pub broken: Vec<Broken>,
    /// Generation of each body slot.
    pub generation: Vec<u32>,
    /// Generation of each shape slot.
    pub shape_generation: Vec<u32>,
    /// Free body slots, last freed first.
    pub free_bodies: Vec<u32>,
    /// Free shape slots, last freed first.
    pub free_shapes: Vec<u32>,
    /// The energy book.
    pub ledger: Ledger,
}

/// Whether a body was put down inside another one. Overlap that was put down may be undone, at nobody's cost; overlap that motion made is undone
/// as far as the contacts of the step pay for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Placed {
    /// It is not, or has come out.
    #[default]
    Clear,
    /// No step has looked at it yet.
    New,
    /// It overlaps by more than the slop since it was put down.
    Inside,
    /// As `Inside`, while a step looks through its contacts.
    StillInside,
}
