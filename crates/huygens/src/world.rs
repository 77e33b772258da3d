//! A world that steps: the type that users hold.

use crate::event::{Event, EventKind};
use crate::handle::{BodyId, HandleError, next_world};
use crate::hash::Fnv;
use crate::ledger::{Account, Ledger, StepBook};
use crate::meeting::{Hook, MeetersOfWorld, Meeting};
use crate::model::{BodyModel, Model, Motion};
use crate::query::KeptPlaces;
use crate::report::StepReport;
use crate::scene::{Scene, SceneErrors};
use crate::snapshot::Fingerprint;
use crate::stage;
use crate::state::{Broken, DriverRecord, State};
use crate::step;
use crate::workspace::{Found, Workspace};
use crate::{compile, energy};
use huygens_math::pool::{MOST_THREADS, available_threads};
use huygens_math::{Pool, Quat, SimdLevel, Vec3, scalar};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A world that steps.
///
/// It is made from a [`Scene`]; that is where every number is checked. Then [`World::step`] moves it on by the scene's time
/// step, and [`World::bodies`], [`World::joints`], [`World::drivers`], [`World::events`] and [`World::ledger`] show what came
/// of it. Between steps bodies can be added, removed, moved and pushed, by handles ([`World::find`], [`BodyView::id`]): an
/// edit that cannot be is an `Err` and changes nothing, and the energy of one that can is in the account `edit`.
///
/// The same scene and the same edits give the same bits ([`World::hash`]) in every run, build and machine. A step
/// allocates nothing once the world is warm, and never panics: a body in which a number overflows is taken out of the
/// simulation and named in [`StepReport::quarantined`].
///
/// ```
/// use huygens::World;
/// use huygens::math::{Twist, Vec3};
/// use huygens::scene::{Body, Scene};
///
/// let scene = Scene::new().dt(0.01).body(Body::dynamic("ball").sphere(0.5).at(0.0, 0.0, 10.0));
/// let mut world = World::new(&scene)?;
/// let ball = world.find("ball").unwrap();
/// world.set_velocity(ball, Twist::new(Vec3::Z, Vec3::ZERO)).unwrap();
/// for _ in 0..100 {
///     world.step();
/// }
/// // 10 m + 1 m/s · 1 s − ½ · 9.81 m/s² · 1 s²
/// assert!((world.body(ball).unwrap().position.z - 6.095).abs() < 1e-12);
/// assert!(world.ledger().worst_ratio() < 1.0);
/// # Ok::<(), huygens::SceneErrors>(())
/// ```
#[derive(Debug)]
pub struct World {
    pub(crate) model: Arc<Model>,
    pub(crate) state: State,
    pub(crate) work: Workspace,
    report: StepReport,
    pub(crate) id: u32,
    pub(crate) max_penetration: f64,
    pub(crate) fingerprint: Fingerprint,
    /// How often something was moved between steps, and where all shapes were when somebody asked.
    pub(crate) moves: u64,
    pub(crate) places: KeptPlaces,
    /// A number of the user's for each body slot; slots beyond its end have 0.
    pub(crate) user_data: Vec<u128>,
    /// Names of bodies that were removed since the step before the last, and since the last.
    pub(crate) removed: [Vec<(BodyId, String)>; 2],
    /// The same of joints, by number.
    pub(crate) removed_joints: [Vec<(u32, String)>; 2],
    /// Slots of bodies that were added since the last step: they touch nothing yet.
    pub(crate) fresh: BTreeSet<u32>,
    /// Slots of shapes that were removed since the last step, sorted: its contacts are of others than those that have them now.
    pub(crate) gone: Vec<u32>,
}

/// This CPU lacks the instructions that were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this CPU has no {} instructions; the best it has are {}", .0.name(), SimdLevel::best().name())]
pub struct NoSuchLevel(pub SimdLevel);

/// A step cannot have that many threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} threads; must be from 1 to {MOST_THREADS}. 1 works without further threads.")]
pub struct BadThreads(pub usize);

/// What moves a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub enum MotionKind {
    /// Forces and contacts.
    Dynamic,
    /// Nothing.
    Static,
    /// It moves as it is told to.
    Driven,
    /// The joints of its tree, through which forces and contacts act.
    Link,
}

impl From<Motion> for MotionKind {
    fn from(motion: Motion) -> Self {
        match motion {
            Motion::Dynamic => Self::Dynamic,
            Motion::Static => Self::Static,
            Motion::Driven(_) => Self::Driven,
            Motion::Link { .. } => Self::Link,
        }
    }
}

impl MotionKind {
    /// Whether forces and contacts move it: dynamic bodies and links.
    pub fn is_moved_by_forces(self) -> bool {
        matches!(self, Self::Dynamic | Self::Link)
    }
}

/// What can be seen of a body.
#[derive(Clone, Copy, Debug)]
pub struct BodyView<'a> {
    /// Its handle.
    pub id: BodyId,
    /// Its name.
    pub name: &'a str,
    /// What moves it.
    pub motion: MotionKind,
    /// Mass [kg]; 0 when nothing but the user moves it.
    pub mass: f64,
    /// Place of the body's frame [m].
    pub position: Vec3,
    /// Turn of the body's frame.
    pub orientation: Quat,
    /// Its centre of mass [m].
    pub center_of_mass: Vec3,
    /// Velocity of the centre of mass in world axes [m/s].
    pub linear_velocity: Vec3,
    /// Spin in world axes [rad/s].
    pub angular_velocity: Vec3,
    /// Kinetic energy [J]; 0 when nothing but the user moves it.
    pub kinetic_energy: f64,
    /// Energy of its weight, −m g·x with x from the origin [J]; 0 when nothing but the user moves it.
    pub potential_energy: f64,
    /// A number of it overflowed, and it was taken out of the simulation ([`StepReport::quarantined`]).
    pub quarantined: bool,
    /// The number that [`World::set_user_data`] gave it; 0 before.
    pub user_data: u128,
    /// It sleeps ([`World::is_asleep`]).
    pub asleep: bool,
}

/// Two bodies that overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap<'a> {
    /// Their names.
    pub names: [&'a str; 2],
    /// The name of one that can move.
    pub moving: &'a str,
    /// The deepest overlap of any of their shapes [m].
    pub depth: f64,
    /// The least thickness of the thinner one of those two shapes [m].
    pub size: f64,
}

/// What can be seen of a driver.
#[derive(Clone, Copy, Debug)]
pub struct DriverView<'a> {
    /// Name of the driven body.
    pub name: &'a str,
    /// The body; `None` when it was removed. Its record stays: the work of all drivers adds up to the account.
    pub body: Option<BodyId>,
    /// What it has given so far.
    pub record: DriverRecord,
}

impl World {
    /// A world at the start of a scene.
    ///
    /// Example: [`World`].
    ///
    /// # Errors
    /// What of the scene cannot be, each with its place, its value and the remedy.
    pub fn new(scene: &Scene) -> Result<Self, SceneErrors> {
        let (model, mut state) = compile::scene(scene)?;
        state.reserve(&model);
        let mut work = Workspace::for_model(&model);
        // Places the links of the trees.
        stage::kinematics(&model, &mut state, &mut work.for_kinematics());
        if let Some(tree) = stage::first_singular(&model, &state, &mut work.for_factor()) {
            return Err(compile::singular_tree(&model, tree).into());
        }
        let energy = energy::kinetic(&model, &state) + energy::potential(&model, &state);
        state.ledger = Ledger::starting_at(energy);
        work.set_pool(Pool::new(scene.world.threads.map_or_else(available_threads, |n| n as usize)));
        Ok(Self {
            model: Arc::new(model),
            state,
            work,
            report: StepReport::default(),
            id: next_world(),
            max_penetration: 0.0,
            fingerprint: Fingerprint::default(),
            moves: 0,
            places: KeptPlaces::default(),
            user_data: Vec::new(),
            removed: Default::default(),
            removed_joints: Default::default(),
            fresh: BTreeSet::new(),
            gone: Vec::new(),
        })
    }

    /// The same world once more, with room of its own.
    pub(crate) fn twin(&self) -> Self {
        let mut work = Workspace::for_model(&self.model);
        work.choose_as(&self.work);
        work.set_pool(self.work.pool.another());
        let (model, state, report) = (self.model.clone(), self.state.clone(), self.report.clone());
        let fingerprint = Fingerprint::default();
        let (max_penetration, user_data) = (self.max_penetration, self.user_data.clone());
        let (removed, removed_joints) = (self.removed.clone(), self.removed_joints.clone());
        let id = self.id;
        // A twin has seen no step.
        let gone = Vec::new();
        Self {
            model,
            state,
            work,
            report,
            id,
            max_penetration,
            fingerprint,
            moves: self.moves,
            places: KeptPlaces::default(),
            user_data,
            removed,
            removed_joints,
            fresh: BTreeSet::new(),
            gone,
        }
    }

    /// Advances by one time step, after what the scene has planned for now (`[[edit]]`).
    ///
    /// Example: [`World`].
    pub fn step(&mut self) -> &StepReport {
        self.advance(None)
    }

    pub(crate) fn advance(&mut self, look: Option<&mut dyn FnMut(&mut Meeting<'_>)>) -> &StepReport {
        self.do_planned();
        let meeters = MeetersOfWorld { user_data: &self.user_data, world: self.id };
        let hook = look.map(|look| Hook { meeters, look });
        self.gone.clear();
        self.fresh.clear();
        self.removed[0].clear();
        self.removed.swap(0, 1);
        self.removed_joints[0].clear();
        self.removed_joints.swap(0, 1);
        self.work.start_threads(&self.model);
        step::step(&self.model, &mut self.state, &mut self.work, &mut self.report, hook);
        self.report.quarantined.sort_unstable_by_key(|body| body.slot);
        for body in &mut self.report.quarantined {
            body.world = self.id;
            self.work.events.push(Event::of_body(EventKind::Quarantine, *body));
        }
        self.max_penetration = scalar::max(self.max_penetration, self.report.max_penetration);
        self.end_one_step_forces();
        self.break_joints();
        &self.report
    }

    /// Whether each step judges its own solve ([`StepReport::certificate`]); costs a pass over the contacts.
    pub fn want_certificate(&mut self, want: bool) {
        self.report.want_certificate = want;
    }

    /// Whether each step times its stages ([`StepReport::stages`]); costs some 0.2 µs a step.
    pub fn want_stage_times(&mut self, want: bool) {
        self.report.want_stage_times = want;
    }

    /// The report of the last step.
    ///
    /// Example: `examples/energy_audit.rs`.
    pub fn report(&self) -> &StepReport {
        &self.report
    }

    /// Time [s].
    ///
    /// Example: [`World`].
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// Steps taken.
    ///
    /// Example: [`World`].
    pub fn steps(&self) -> u64 {
        self.state.steps
    }

    /// What does not change while stepping. For the programs of this repository: no part of the interface.
    #[doc(hidden)]
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// All that would have to be saved. For the programs of this repository: no part of the interface.
    #[doc(hidden)]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Forgets everything that a step computes for itself. Changes no bit of what follows.
    ///
    /// Example: [`World::snapshot`].
    pub fn drop_workspace(&mut self) {
        let mut work = Workspace::for_model(&self.model);
        work.choose_as(&self.work);
        self.work = work;
    }

    /// Chooses the instructions of everything that runs in lanes: broad phase, meshes, contacts of `soft-step`, integration. The bits are
    /// the same for every choice. For measurements: the default is the best that the CPU has.
    ///
    /// # Errors
    /// When this CPU lacks the instructions; nothing changes then.
    pub fn set_simd_level(&mut self, level: SimdLevel) -> Result<(), NoSuchLevel> {
        self.work.set_simd(level, level.level().ok_or(NoSuchLevel(level))?);
        Ok(())
    }

    /// Chooses how many threads share the work of a step, the caller among them. The bits are the same for any number; what is small is done by
    /// the caller alone. Threads start in the first step that has work for them, and end with the world.
    ///
    /// Example: `examples/sweep.rs`.
    ///
    /// # Errors
    /// When the number is 0 or above 256; nothing changes then.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), BadThreads> {
        if !(1..=MOST_THREADS).contains(&threads) {
            return Err(BadThreads(threads));
        }
        if threads != self.work.pool.threads() {
            self.work.set_pool(Pool::new(threads));
        }
        Ok(())
    }

    /// How many threads share the work of a step.
    ///
    /// Example: `examples/sweep.rs`.
    pub fn threads(&self) -> usize {
        self.work.pool.threads()
    }

    /// How many of them the system refused to start; the others do their work.
    pub fn missing_threads(&self) -> usize {
        self.work.pool.missing()
    }

    /// For tests: from now on `soft-step` gives contacts their lanes in a random order, another in each step, or with `None` in the order of the
    /// contacts again. [`World::hash`] is unchanged by it, since no lane depends on those beside it. Sums of the ledger run over lanes:
    /// their last bits may change.
    pub fn shuffle_lanes(&mut self, seed: Option<u64>) {
        self.work.shuffle_lanes(seed);
    }

    /// For tests: from now on the islands that a sweep gave rows to are solved again with all others, and not alone. No bit of a body depends on it.
    #[doc(hidden)]
    pub fn solve_whole(&mut self, whole: bool) {
        self.work.again.is_off = whole;
    }

    /// For tests: from now on all that an account posts is wrong by one millionth, so that the book of a step that used it does not close.
    #[doc(hidden)]
    pub fn distort_account(&mut self, account: Option<Account>) {
        self.work.distorted = account;
    }

    /// The instructions of the wide kernels.
    pub fn simd_level(&self) -> SimdLevel {
        self.work.simd
    }

    /// Events of the last step, ordered by the slots of their shapes.
    ///
    /// Example: `examples/pinball.rs`.
    pub fn events(&self) -> impl ExactSizeIterator<Item = Event> + '_ {
        self.work.events.iter().map(|event| event.in_world(self.id))
    }

    /// What each account brought in the last step; empty before the first, and after [`World::drop_workspace`].
    pub fn book(&self) -> &StepBook {
        &self.work.book
    }

    /// The energy book.
    ///
    /// Example: [`World`].
    pub fn ledger(&self) -> &Ledger {
        &self.state.ledger
    }

    /// Kinetic plus potential energy [J].
    ///
    /// Example: [`World`].
    pub fn energy(&self) -> f64 {
        energy::kinetic(&self.model, &self.state) + energy::potential(&self.model, &self.state)
    }

    /// Kinetic energy [J].
    ///
    /// Example: [`World`].
    pub fn kinetic_energy(&self) -> f64 {
        energy::kinetic(&self.model, &self.state)
    }

    /// Deepest overlap of any step so far [m].
    pub fn max_penetration(&self) -> f64 {
        self.max_penetration
    }

    /// Gap of every contact point now, negative where shapes overlap [m]. Looks at every pair anew.
    pub fn gaps(&self) -> Vec<f64> {
        let work = self.look_anew();
        let found = work.found.iter().filter(|found| !self.is_sensor(found));
        found.flat_map(|found| &work.found_points[found.range()]).map(|point| point.gap).collect()
    }

    /// Deepest overlap now [m]. Looks at every pair anew.
    pub fn penetration(&self) -> f64 {
        let work = self.look_anew();
        let found = work.found.iter().filter(|found| !self.is_sensor(found));
        found.fold(0.0, |deepest, found| scalar::max(deepest, -found.gap))
    }

    /// Pairs of bodies that overlap now, in the order of the bodies, each with its deepest overlap. Looks at every pair anew.
    pub fn overlaps(&self) -> Vec<Overlap<'_>> {
        let work = self.look_anew();
        let model = &self.model;
        let mut deepest: BTreeMap<[u32; 2], [f64; 2]> = BTreeMap::new();
        for found in work.found.iter().filter(|found| !self.is_sensor(found)) {
            let shapes = found.key.shapes().map(|slot| &model.shapes[slot as usize]);
            let size = shapes.map(|shape| shape.size).into_iter().fold(f64::INFINITY, scalar::min);
            if found.gap < 0.0 {
                let entry = deepest.entry(shapes.map(|shape| shape.body)).or_insert([0.0, size]);
                if -found.gap > entry[0] {
                    *entry = [-found.gap, size];
                }
            }
        }
        let overlap = |([a, b], [depth, size]): ([u32; 2], [f64; 2])| {
            let [a, b] = [a, b].map(|slot| &model.bodies[slot as usize]);
            let moving = if a.motion == Motion::Static { b } else { a };
            Overlap { names: [&a.name, &b.name], moving: &moving.name, depth, size }
        };
        deepest.into_iter().map(overlap).collect()
    }

    /// All pairs at the poses of now, nothing carried over.
    fn look_anew(&self) -> Workspace {
        let mut state = self.state.clone();
        state.wake(&self.model, |_| true);
        state.contacts.kept.clear();
        let mut work = Workspace::default();
        work.choose_as(&self.work);
        stage::kinematics(&self.model, &mut state, &mut work.for_kinematics());
        stage::near(&self.model, &state, &mut work.for_collide());
        stage::collide(&self.model, &mut state, &mut work.for_collide(), None);
        work
    }

    fn is_sensor(&self, found: &Found) -> bool {
        found.key.shapes().iter().any(|slot| self.model.shapes[*slot as usize].sensor)
    }

    /// Every body that was not removed, in order.
    ///
    /// Example: [`World`].
    pub fn bodies(&self) -> impl Iterator<Item = BodyView<'_>> {
        let alive = self.model.bodies.iter().enumerate().filter(|(_, body)| !body.removed);
        alive.map(|(slot, body)| self.view(slot, body))
    }

    /// One body.
    ///
    /// Example: [`World`].
    ///
    /// # Errors
    /// When the handle is stale or foreign.
    pub fn body(&self, id: BodyId) -> Result<BodyView<'_>, HandleError> {
        let slot = self.slot(id)?;
        Ok(self.view(slot, &self.model.bodies[slot]))
    }

    /// The body of that name.
    ///
    /// Example: [`World`].
    pub fn find(&self, name: &str) -> Option<BodyId> {
        self.model.names.get(name).map(|slot| self.id_of(*slot as usize))
    }

    /// What the driven bodies gave, in body order.
    ///
    /// Example: `examples/rapier_platform.rs`.
    pub fn drivers(&self) -> impl Iterator<Item = DriverView<'_>> {
        self.model.drivers.iter().zip(&self.state.drivers).map(|(driver, record)| DriverView {
            name: &driver.name,
            body: driver.body.map(|slot| self.id_of(slot as usize)),
            record: *record,
        })
    }

    /// Largest error of loops, gears and rods at the end of the last step [m, rad]; 0 where there are none.
    pub fn largest_gap(&self) -> f64 {
        self.work.trees.iter().fold(0.0, |most, tree| scalar::max(most, tree.kick.gap))
    }

    /// The joints that broke so far, in order, with the loads that did it.
    ///
    /// Example: `tests/suite/joint_edits.rs`.
    pub fn broken(&self) -> &[Broken] {
        &self.state.broken
    }

    /// FNV-1a over poses, velocities, contact impulses and time.
    ///
    /// Example: [`World::snapshot`].
    pub fn hash(&self) -> u64 {
        let state = &self.state;
        let mut hash = Fnv::default();
        for (slot, body) in self.model.bodies.iter().enumerate().filter(|(_, body)| !body.removed) {
            if body.motion == Motion::Static {
                continue;
            }
            hash.vector(state.position[slot]);
            hash.quaternion(state.orientation[slot]);
            hash.vector(state.velocity.free[slot].linear);
            hash.vector(state.velocity.free[slot].angular);
        }
        for &v in &state.velocity.dof {
            hash.number(v);
        }
        let (mut awake, mut asleep) =
            (state.contacts.iter().peekable(), state.sleep.contacts.iter().peekable());
        loop {
            let next = match (awake.peek(), asleep.peek()) {
                (Some((a, _)), Some((b, _))) if a < b => awake.next(),
                (_, Some(_)) => asleep.next(),
                _ => awake.next(),
            };
            let Some((_, points)) = next else { break };
            for point in points {
                hash.vector(point.impulse);
            }
        }
        hash.number(state.time);
        hash.value()
    }

    pub(crate) fn slot(&self, id: BodyId) -> Result<usize, HandleError> {
        if id.world != self.id {
            return Err(HandleError::Foreign);
        }
        let slot = id.slot as usize;
        if self.state.generation.get(slot) == Some(&id.generation) && !self.model.bodies[slot].removed {
            Ok(slot)
        } else {
            Err(HandleError::Stale)
        }
    }

    pub(crate) fn id_of(&self, slot: usize) -> BodyId {
        BodyId { slot: slot as u32, generation: self.state.generation[slot], world: self.id }
    }

    fn view<'a>(&'a self, slot: usize, body: &'a BodyModel) -> BodyView<'a> {
        let orientation = self.state.orientation[slot];
        let twist = self.state.velocity.free[slot];
        let moves = !matches!(body.motion, Motion::Static | Motion::Driven(_))
            || self.model.torque_limited(slot).is_some();
        BodyView {
            id: self.id_of(slot),
            name: &body.name,
            motion: body.motion.into(),
            mass: body.mass,
            position: self.state.position[slot] - orientation * body.center,
            orientation,
            center_of_mass: self.state.position[slot],
            linear_velocity: twist.linear,
            angular_velocity: twist.angular,
            quarantined: self.state.quarantined[slot],
            asleep: self.state.sleep.has(slot),
            user_data: self.user_data.get(slot).copied().unwrap_or(0),
            potential_energy: if moves { energy::potential_of(&self.model, &self.state, slot) } else { 0.0 },
            kinetic_energy: if moves { stage::kinetic_energy(&self.model, &self.state, slot) } else { 0.0 },
        }
    }
}
