//! A model that moves under its soft constraints, in MuJoCo's pipeline.

use super::super::error::Fault;
use super::super::mech::{Forward, MechanismState, forward, step_with};
use super::super::mechanism::Machine;
use super::super::model::Model;
use super::adhesion::adhere;
use super::book::{Acting, SoftBook};
use super::collide::Collider;
use super::contact::SoftContact;
use super::sensed::{self, Sensed};
use super::work::{SoftModel, SoftWork};
use huygens::contact::convex::SoftReport;
use huygens_math::Vec3;
use std::time::{Duration, Instant};

/// Stages of a step, in the order of [`SoftMachine::stage_times`].
pub const STAGES: [&str; 6] = ["smooth", "collide", "rows", "solve", "book", "integrate"];
const SMOOTH: usize = 0;
const COLLIDE: usize = 1;
const ROWS: usize = 2;
const SOLVE: usize = 3;
const BOOK: usize = 4;
const INTEGRATE: usize = 5;

/// How long each stage took, while somebody asks.
#[derive(Clone, Debug, Default)]
struct Clock {
    last: Option<Instant>,
    times: [Duration; STAGES.len()],
}

impl Clock {
    /// Everything since the last call belongs to a stage.
    fn lap(&mut self, stage: usize) {
        if let Some(last) = &mut self.last {
            let now = Instant::now();
            self.times[stage] += now - *last;
            *last = now;
        }
    }
}

/// A model with its mechanism, its constraints, its contacts and its energy book.
#[derive(Clone, Debug)]
pub struct SoftMachine {
    /// The mechanism.
    pub machine: Machine,
    /// Its constraints.
    pub soft: SoftModel,
    collider: Collider,
    model: Model,
    /// What was computed at the start of the last step.
    pub forward: Forward,
    /// Rows and forces of the last evaluation.
    pub work: SoftWork,
    /// Contacts of the last evaluation.
    pub contacts: Vec<SoftContact>,
    /// Values of the sensors at the last evaluation, or at the start of the last step.
    pub sensors: Vec<Vec<f64>>,
    /// How the last solve went.
    pub report: Option<SoftReport>,
    /// Where energy came from and went to.
    pub book: SoftBook,
    /// Deepest overlap of a contact that was seen [m].
    pub max_penetration: f64,
    clock: Clock,
}

impl SoftMachine {
    /// A model that can be moved by `machine`.
    ///
    /// # Errors
    /// When a dof moves no mass.
    pub fn new(model: &Model, machine: Machine) -> Result<Self, Fault> {
        Ok(Self {
            machine,
            soft: SoftModel::new(model)?,
            collider: Collider::new(model),
            model: model.clone(),
            forward: Forward::default(),
            work: SoftWork::default(),
            contacts: Vec::new(),
            sensors: Vec::new(),
            report: None,
            book: SoftBook::default(),
            max_penetration: 0.0,
            clock: Clock::default(),
        })
    }

    /// From now on steps measure their stages from zero on, or not at all.
    pub fn want_stage_times(&mut self, wanted: bool) {
        self.clock = Clock { last: wanted.then(Instant::now), ..Clock::default() };
    }

    /// Time of each of [`STAGES`] since they are measured.
    pub fn stage_times(&self) -> [Duration; STAGES.len()] {
        self.clock.times
    }

    /// The model that moves.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Computes everything at a state; `given` are contacts in the place of those that the geoms make. False when the mass matrix is singular.
    pub fn evaluate(&mut self, state: &MechanismState, given: Option<&[SoftContact]>) -> bool {
        let Self { machine, soft, collider, model, forward: f, work, contacts, sensors, report, .. } = self;
        let m = &machine.mechanism;
        if !forward(m, state, f) {
            return false;
        }
        match given {
            Some(given) => *contacts = given.to_vec(),
            None => collider.find(model, &f.kin, contacts),
        }
        adhere(m, state, contacts, f);
        *report = Some(work.constrain(soft, m, state, contacts, f));
        let sensed = Sensed { model, machine, soft, collider, state, contacts, work };
        *sensors = sensed::read(&sensed, f);
        true
    }

    /// Force and torque of each contact of the last evaluation on its second body, about its point, in world axes.
    pub fn contact_forces(&self) -> Vec<[Vec3; 2]> {
        let of = |(contact, x): (&SoftContact, [f64; 6])| {
            let along =
                |x: &[f64]| contact.frame[0] * x[0] + contact.frame[1] * x[1] + contact.frame[2] * x[2];
            [along(&x[..3]), along(&x[3..])]
        };
        self.contacts.iter().zip(sensed::contact_forces(&self.contacts, &self.work)).map(of).collect()
    }

    /// Moves the state by one step and keeps its book. False when the mass matrix is singular.
    pub fn step(&mut self, state: &mut MechanismState) -> bool {
        let Self { machine, soft, collider, model, forward, work, contacts, report, .. } = self;
        let Self { sensors, book, max_penetration, clock, .. } = self;
        let m = &machine.mechanism;
        let mut is_first = true;
        if let Some(last) = &mut clock.last {
            *last = Instant::now();
        }
        let moved = step_with(m, state, forward, &mut |state, f| {
            clock.lap(SMOOTH);
            collider.find(model, &f.kin, contacts);
            adhere(m, state, contacts, f);
            clock.lap(COLLIDE);
            work.make_rows(soft, m, state, contacts, f);
            clock.lap(ROWS);
            *report = Some(work.solve(soft, m, f));
            clock.lap(SOLVE);
            if std::mem::take(&mut is_first) {
                work.note_warm();
                let sensed = Sensed { model, machine, soft, collider, state, contacts, work };
                *sensors = sensed::read(&sensed, f);
                let SoftWork { rows, info, solution, .. } = &*work;
                book.open(&Acting { m, state, f, rows, info, force: &solution.force });
                *max_penetration = deepest(contacts, *max_penetration);
                clock.lap(BOOK);
            }
        });
        clock.lap(INTEGRATE);
        if !is_first {
            work.take_warm();
            book.post(&m.tree, forward, m.timestep, &state.qvel);
        }
        clock.lap(BOOK);
        moved
    }

    /// Looks at a state between two steps, so that its book closes and everything is that of this state: but for the sensors of the step before it,
    /// and the acceleration from which the next solve starts. The steps after it have the same bits. False when the mass matrix is singular.
    pub fn look(&mut self, state: &MechanismState) -> bool {
        let (warm, sensors) = (self.work.warm.clone(), std::mem::take(&mut self.sensors));
        let found = self.evaluate(state, None);
        self.work.warm = warm;
        if !sensors.is_empty() {
            self.sensors = sensors;
        }
        let (m, SoftWork { rows, info, solution, .. }) = (&self.machine.mechanism, &self.work);
        self.book.open(&Acting { m, state, f: &self.forward, rows, info, force: &solution.force });
        self.max_penetration = deepest(&self.contacts, self.max_penetration);
        found
    }
}

/// The deepest overlap of contacts, at least `than`.
pub(super) fn deepest(contacts: &[SoftContact], than: f64) -> f64 {
    contacts.iter().fold(than, |most, c| if -c.dist > most { -c.dist } else { most })
}
