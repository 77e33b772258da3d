//! Which bodies fall asleep together, and what that does to the state.

use super::store::moves;
use crate::contacts::Contacts;
use crate::energy;
use crate::event::EventKind;
use crate::ledger::Account;
use crate::ledger::StepBook;
use crate::model::{Model, Motion};
use crate::scene::DriveLimit;
use crate::state::State;
use huygens_math::{DisjointSets, Twist, Vec3};

/// Bodies that must be awake or asleep together: those that touch, hang on one tree, spring or rope, or meet the same driver with a limit.
/// A function of the state alone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups {
    sets: DisjointSets,
    /// By the lowest slot of a set: something in it keeps all of it awake.
    restless: Vec<bool>,
}

/// What keeps an island awake whose bodies do not move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Blocked {
    /// What a driver does to it counts: a moving driver, a moving surface or a motor with a torque limit is at work there.
    ByDrivers,
    /// Nothing.
    No,
}

impl Groups {
    /// Makes room for that many bodies.
    pub fn reserve(&mut self, bodies: usize) {
        self.sets.reserve(bodies);
        crate::workspace::reserve(&mut self.restless, bodies);
    }

    /// Finds the sets of all bodies that are awake.
    pub fn find(&mut self, model: &Model, state: &State, blocked: Blocked) {
        self.sets.reset(model.bodies.len());
        self.restless.clear();
        self.restless.resize(model.bodies.len(), false);
        self.join(model, state);
        if blocked == Blocked::ByDrivers {
            self.mark_driven(model, state);
        }
    }

    /// The lowest slot of the set of a body.
    pub fn set_of(&mut self, slot: usize) -> usize {
        self.sets.find(slot)
    }

    /// Keeps the set of a body awake.
    pub fn mark(&mut self, slot: usize) {
        let set = self.sets.find(slot);
        self.restless[set] = true;
    }

    /// True when something keeps the set of a body awake.
    pub fn is_restless(&mut self, slot: usize) -> bool {
        let set = self.sets.find(slot);
        self.restless[set]
    }

    fn join(&mut self, model: &Model, state: &State) {
        // A driver with a limit couples all that it touches.
        let couples = |slot: u32| {
            let limited = match model.bodies[slot as usize].motion {
                Motion::Driven(i) => model.drivers[i as usize].limit != DriveLimit::Unlimited,
                _ => false,
            };
            limited || moves(model, slot as usize)
        };
        for head in &state.contacts.heads {
            let [a, b] = head.key.shapes().map(|shape| model.shapes[shape as usize].body);
            if couples(a) && couples(b) {
                self.sets.join(a as usize, b as usize);
            }
        }
        for (tree, bodies) in model.tree_bodies.iter().enumerate() {
            let bases = model.bases_of(tree).len();
            for pair in bodies[bases..].windows(2) {
                self.sets.join(pair[0] as usize, pair[1] as usize);
            }
        }
        for ends in held(model) {
            if let [Some(a), Some(b)] = ends
                && couples(a)
                && couples(b)
            {
                self.sets.join(a as usize, b as usize);
            }
        }
    }

    /// Keeps awake what drivers may do work on.
    fn mark_driven(&mut self, model: &Model, state: &State) {
        let is_moving = |slot: u32| is_moving_driver(model, state, slot as usize);
        for head in &state.contacts.heads {
            let shapes = head.key.shapes().map(|shape| &model.shapes[shape as usize]);
            for (one, other) in [(0, 1), (1, 0)] {
                if is_moving(shapes[one].body) || shapes[one].surface_velocity != Vec3::ZERO {
                    self.mark(shapes[other].body as usize);
                }
            }
        }
        for tree in 0..model.trees.len() {
            if model.bases_of(tree).iter().any(|&base| is_moving(base)) {
                let link = model.tree_bodies[tree].last().copied();
                link.into_iter().for_each(|link| self.mark(link as usize));
            }
        }
        for ends in held(model) {
            for (one, other) in [(0, 1), (1, 0)] {
                if let [Some(one), Some(other)] = [ends[one], ends[other]]
                    && is_moving(one)
                {
                    self.mark(other as usize);
                }
            }
        }
        let driven = model.drivers.iter().filter_map(|driver| driver.body);
        for slot in driven.filter(|slot| model.torque_limited(*slot as usize).is_some()) {
            self.mark(slot as usize);
        }
        state.one_step_forces.iter().for_each(|force| self.mark(force.slot as usize));
    }
}

/// The bodies at the ends of springs and ropes.
pub(crate) fn held(model: &Model) -> impl Iterator<Item = [Option<u32>; 2]> + '_ {
    let springs = model.forces.springs.iter().map(|spring| spring.ends.map(|end| end.body));
    springs.chain(model.ropes.iter().map(|rope| rope.ends.map(|end| end.body)))
}

/// True for a driver that moves, or gives way.
pub(crate) fn is_moving_driver(model: &Model, state: &State, slot: usize) -> bool {
    matches!(model.bodies[slot].motion, Motion::Driven(_))
        && (state.velocity.free[slot] != Twist::ZERO || model.torque_limited(slot).is_some())
}

/// Puts those awake bodies to sleep that can move, are in the simulation, and for which `falls` is true; returns the kinetic energy that this takes [J].
/// The caller stores their contacts ([`State::store_sleepers`]) and books the energy.
pub(crate) fn fall_asleep(
    model: &Model,
    state: &mut State,
    groups: &mut Groups,
    bodies: impl Iterator<Item = usize>,
    mut falls: impl FnMut(&mut Groups, usize) -> bool,
) -> f64 {
    let (mut taken, before) = (0.0, state.sleep.sleepers);
    for slot in bodies {
        if state.sleep.has(slot) || state.quarantined[slot] || !falls(groups, slot) {
            continue;
        }
        taken += crate::stage::kinetic_energy(model, state, slot);
        state.sleep.island[slot] = groups.set_of(slot) as u32;
        state.sleep.sleepers += 1;
        state.velocity.free[slot] = Twist::ZERO;
        state.tell(EventKind::Sleep, slot);
    }
    if state.sleep.sleepers == before {
        return 0.0;
    }
    for tree in 0..model.trees.len() {
        if super::store::tree_sleeps(model, state, tree) {
            let dofs = model.dofs_of(tree);
            taken += energy::of_drives(model, state, tree);
            state.velocity.dof[dofs].fill(0.0);
            let motors = model.joint_dofs.iter().zip(&mut state.motors);
            motors.filter(|(dof, _)| dof.tree as usize == tree).for_each(|(_, motor)| motor.power = 0.0);
        }
    }
    state.sleep.changes += 1;
    taken
}

/// Puts a body to sleep, with all that touches it or hangs on it; false when it sleeps already.
pub(crate) fn put_to_sleep(model: &Model, state: &mut State, slot: usize) -> Option<StepBook> {
    if state.sleep.has(slot) {
        return None;
    }
    let mut groups = Groups::default();
    groups.find(model, state, Blocked::No);
    let set = groups.set_of(slot);
    let bodies =
        (0..model.bodies.len()).filter(|&slot| moves(model, slot) && model.torque_limited(slot).is_none());
    let taken = fall_asleep(model, state, &mut groups, bodies, |groups, slot| groups.set_of(slot) == set);
    state.store_sleepers(model, &mut Contacts::default());
    let mut book = StepBook::default();
    book.post(Account::Numerical, -taken);
    state.ledger.close(&book, -taken);
    Some(book)
}
