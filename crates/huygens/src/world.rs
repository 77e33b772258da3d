//! A world that steps: the type that users hold.

use crate::event::Event;
use crate::handle::{BodyId, HandleError, next_world};
use crate::hash::Fnv;
use crate::ledger::{Account, Ledger, StepBook};
use crate::model::{BodyModel, Model, Motion};
use crate::report::StepReport;
use crate::scene::{BodySpec, LARGEST, PlacedBody, Scene, SceneError, SceneErrors, ShapeSpec, SpecPath};
use crate::stage;
use crate::state::{DriverRecord, State};
use crate::step;
use crate::workspace::Workspace;
use crate::{compile, energy};
use huygens_math::{Pose, Quat, Twist, Vec3, scalar};
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
    model: Arc<Model>,
    state: State,
    work: Workspace,
    report: StepReport,
    id: u32,
    max_penetration: f64,
}

/// What can be seen of a body.
#[derive(Clone, Copy, Debug)]
pub struct BodyView<'a> {
    /// Its handle.
    pub id: BodyId,
    /// Its name.
    pub name: &'a str,
    /// What moves it.
    pub motion: Motion,
    /// Mass [kg]; 0 when nothing but the user moves it.
    pub mass: f64,
    /// Place of the body's frame [m].
    pub position: Vec3,
    /// Turn of the body's frame.
    pub orientation: Quat,
    /// Velocity of the centre of mass in world axes [m/s].
    pub linear_velocity: Vec3,
    /// Spin in world axes [rad/s].
    pub angular_velocity: Vec3,
    /// Kinetic energy [J]; 0 when nothing but the user moves it.
    pub kinetic_energy: f64,
    /// A number of it overflowed, and it was taken out of the simulation ([`StepReport::quarantined`]).
    pub quarantined: bool,
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

/// What can be seen of a joint.
#[derive(Clone, Copy, Debug)]
pub struct JointView<'a> {
    /// Its name.
    pub name: &'a str,
    /// Joint coordinate [rad].
    pub q: f64,
    /// Its rate [rad/s].
    pub v: f64,
}

/// Why a world refuses an edit. Nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum EditError {
    /// The handle names nothing.
    #[error(transparent)]
    Handle(#[from] HandleError),
    /// A number is infinite, not a number or above 1e20, or an orientation has no length.
    #[error("{what} must be finite numbers of at most 1e20; nothing was changed")]
    NotFinite {
        /// What was given.
        what: &'static str,
    },
    /// Links of a tree move with their joints.
    #[error("this body is a link of a tree, which moves with its joints; nothing was changed")]
    IsLink,
    /// Nothing moves a static body, and no force moves a driven one.
    #[error("{what} has no effect on a body that is not dynamic; nothing was changed")]
    NoEffect {
        /// What was given.
        what: &'static str,
    },
    /// A numerical fault took the body out of the simulation.
    #[error("a number overflowed and took this body out of the simulation; remove it and add it anew")]
    Quarantined,
}

/// How a body's place or motion changes.
enum Change {
    Pose(Pose),
    Velocity(Twist),
}

impl World {
    /// A world at the start of a scene.
    ///
    /// # Errors
    /// What of the scene cannot be, each with its place, its value and the remedy.
    pub fn new(scene: &Scene) -> Result<Self, SceneErrors> {
        let (model, mut state) = compile::scene(scene)?;
        state.reserve(&model);
        let mut work = Workspace::for_model(&model);
        // Places the links of the trees.
        stage::kinematics(&model, &mut state, &mut work);
        if let Some(tree) = work.trees.iter().position(|tree| tree.singular) {
            return Err(compile::singular_tree(&model, tree).into());
        }
        let energy = energy::kinetic(&model, &state) + energy::potential(&model, &state);
        state.ledger = Ledger::starting_at(energy);
        Ok(Self {
            model: Arc::new(model),
            state,
            work,
            report: StepReport::default(),
            id: next_world(),
            max_penetration: 0.0,
        })
    }

    /// Advances by one time step.
    pub fn step(&mut self) -> &StepReport {
        step::step(&self.model, &mut self.state, &mut self.work, &mut self.report);
        for body in &mut self.report.quarantined {
            body.world = self.id;
        }
        self.max_penetration = scalar::max(self.max_penetration, self.report.max_penetration);
        &self.report
    }

    /// Whether each step judges its own solve ([`StepReport::certificate`]); costs a pass over the contacts.
    pub fn want_certificate(&mut self, want: bool) {
        self.report.want_certificate = want;
    }

    /// The report of the last step.
    pub fn report(&self) -> &StepReport {
        &self.report
    }

    /// Time [s].
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// Steps taken.
    pub fn steps(&self) -> u64 {
        self.state.steps
    }

    /// What does not change while stepping.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// All that would have to be saved.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Forgets everything that a step computes for itself. Changes no bit of what follows.
    pub fn drop_workspace(&mut self) {
        self.work = Workspace::for_model(&self.model);
    }

    /// Events of the last step, ordered by the slots of their shapes.
    pub fn events(&self) -> impl ExactSizeIterator<Item = Event> + '_ {
        self.work.events.iter().map(|event| event.in_world(self.id))
    }

    /// What each account brought in the last step; empty before the first, and after [`World::drop_workspace`].
    pub fn book(&self) -> &StepBook {
        &self.work.book
    }

    /// The energy book.
    pub fn ledger(&self) -> &Ledger {
        &self.state.ledger
    }

    /// Kinetic plus potential energy [J].
    pub fn energy(&self) -> f64 {
        energy::kinetic(&self.model, &self.state) + energy::potential(&self.model, &self.state)
    }

    /// Kinetic energy [J].
    pub fn kinetic_energy(&self) -> f64 {
        energy::kinetic(&self.model, &self.state)
    }

    /// Deepest overlap of any step so far [m].
    pub fn max_penetration(&self) -> f64 {
        self.max_penetration
    }

    /// Deepest overlap now [m]. Looks at every pair anew.
    pub fn penetration(&self) -> f64 {
        let mut state = self.state.clone();
        let mut work = Workspace::default();
        stage::kinematics(&self.model, &mut state, &mut work);
        stage::collide(&self.model, &state, &mut work);
        let sensor = |slot: u32| self.model.shapes[slot as usize].sensor;
        let solid = work.found.iter().filter(|found| !sensor(found.key.a) && !sensor(found.key.b));
        solid.fold(0.0, |deepest, found| scalar::max(deepest, -found.gap))
    }

    /// Every body that was not removed, in order.
    pub fn bodies(&self) -> impl Iterator<Item = BodyView<'_>> {
        let alive = self.model.bodies.iter().enumerate().filter(|(_, body)| !body.removed);
        alive.map(|(slot, body)| self.view(slot, body))
    }

    /// One body.
    ///
    /// # Errors
    /// When the handle is stale or foreign.
    pub fn body(&self, id: BodyId) -> Result<BodyView<'_>, HandleError> {
        let slot = self.slot(id)?;
        Ok(self.view(slot, &self.model.bodies[slot]))
    }

    /// The body of that name.
    pub fn find(&self, name: &str) -> Option<BodyId> {
        self.bodies().find(|body| body.name == name).map(|body| body.id)
    }

    /// What the driven bodies gave, in body order.
    pub fn drivers(&self) -> impl Iterator<Item = DriverView<'_>> {
        self.model.drivers.iter().zip(&self.state.drivers).map(|(driver, record)| DriverView {
            name: &driver.name,
            body: driver.body.map(|slot| self.id_of(slot as usize)),
            record: *record,
        })
    }

    /// The joints, in the order of the trees.
    pub fn joints(&self) -> impl Iterator<Item = JointView<'_>> {
        self.model.joints.iter().map(|joint| JointView {
            name: &joint.name,
            q: self.state.trees[joint.tree as usize][joint.coordinate as usize],
            v: self.state.velocity.dof[joint.dof as usize],
        })
    }

    /// FNV-1a over poses, velocities, contact impulses and time.
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
        for contact in &state.contacts {
            for impulse in &contact.impulses[..contact.manifold.points().len()] {
                hash.vector(*impulse);
            }
        }
        hash.number(state.time);
        hash.value()
    }

    /// Adds a body; `scene` gives the materials that it names. The energy that it brings is booked as an edit.
    ///
    /// # Errors
    /// When the body cannot be, or its name is taken; the world stays as it was.
    pub fn add_body(&mut self, scene: &Scene, body: &BodySpec) -> Result<BodyId, SceneErrors> {
        // Only what the body can refer to: a scene of many bodies is not copied for each that is added.
        let alone = Scene {
            world: scene.world.clone(),
            materials: scene.materials.clone(),
            pairs: scene.pairs.clone(),
            bodies: vec![body.clone()],
            ..Scene::default()
        };
        alone.check()?;
        let path = SpecPath::body(&body.name);
        if self.find(&body.name).is_some() {
            let (key, name) = (path.key("name"), format!("{:?}", body.name));
            let remedy = "Give it a name of its own, or remove the other one first.";
            return Err(SceneError::new(key, name, "the world has a body of this name", remedy).into());
        }
        if let Some(shape) = body.shapes.iter().find(|shape| self.lacks_pair(shape)) {
            let material = format!("{:?}", shape.material.as_deref().unwrap_or_default());
            let problem =
                "with combine = \"table\" every two materials need a pair, and the world has none for it";
            return Err(SceneError::new(
                path.key("material"),
                material,
                problem,
                "Use a material with pairs.",
            )
            .into());
        }
        let placed = PlacedBody { path, body: body.clone() };
        let model = Arc::make_mut(&mut self.model);
        let slot = compile::add_body(model, &mut self.state, scene, &placed)?;
        model.edits += 1;
        self.book_edit(energy::of_body(&self.model, &self.state, slot));
        self.work.reserve(&self.model);
        self.state.reserve(&self.model);
        Ok(self.id_of(slot))
    }

    /// Removes a body; the energy that it takes along is booked as an edit. Its contacts end in the next step. A driver
    /// that is removed keeps its place and its record in [`World::drivers`].
    ///
    /// # Errors
    /// When the handle is stale or foreign, or the body is a link.
    pub fn remove_body(&mut self, id: BodyId) -> Result<(), EditError> {
        let slot = self.slot(id)?;
        if matches!(self.model.bodies[slot].motion, Motion::Link { .. }) {
            return Err(EditError::IsLink);
        }
        let energy = energy::of_body(&self.model, &self.state, slot);
        let model = Arc::make_mut(&mut self.model);
        compile::remove_body(model, &mut self.state, slot);
        model.edits += 1;
        self.book_edit(-energy);
        Ok(())
    }

    /// Puts a body's frame somewhere else; the change of energy is booked as an edit.
    ///
    /// # Errors
    /// When the handle is stale or foreign, the body is a link or quarantined, a number is not finite or above 1e20, or
    /// the orientation has no length.
    pub fn set_pose(&mut self, id: BodyId, world_from_body: Pose) -> Result<(), EditError> {
        let q = world_from_body.rotation;
        let length = q.length();
        let turned = length.is_finite() && length > 1e-6;
        if !turned || !is_sensible(world_from_body.translation) {
            self.slot(id)?;
            return Err(EditError::NotFinite { what: "the pose" });
        }
        self.change(id, Change::Pose(Pose::new(q.normalize(), world_from_body.translation)))
    }

    /// Sets the velocity of a body's centre of mass and its spin; the change of energy is booked as an edit. What is along
    /// a locked axis is left out. A driven body keeps this velocity from now on.
    ///
    /// # Errors
    /// When the handle is stale or foreign, the body is static, a link or quarantined, or a number is not finite or above
    /// 1e20.
    pub fn set_velocity(&mut self, id: BodyId, velocity: Twist) -> Result<(), EditError> {
        if !is_sensible(velocity.linear) || !is_sensible(velocity.angular) {
            self.slot(id)?;
            return Err(EditError::NotFinite { what: "the velocity" });
        }
        self.change(id, Change::Velocity(velocity))
    }

    /// Sets the force at the centre of mass [N] and the torque [N·m] that act on a body from now on.
    ///
    /// # Errors
    /// When the handle is stale or foreign, the body is static, driven or quarantined, or a number is not finite or above
    /// 1e20.
    pub fn set_force(&mut self, id: BodyId, force: Vec3, torque: Vec3) -> Result<(), EditError> {
        let slot = self.slot(id)?;
        if !is_sensible(force) || !is_sensible(torque) {
            return Err(EditError::NotFinite { what: "the force" });
        }
        if matches!(self.model.bodies[slot].motion, Motion::Static | Motion::Driven(_)) {
            return Err(EditError::NoEffect { what: "a force" });
        }
        if self.state.quarantined[slot] {
            return Err(EditError::Quarantined);
        }
        self.state.force[slot] = force;
        self.state.torque[slot] = torque;
        Ok(())
    }

    /// Changes one body and books its energy.
    fn change(&mut self, id: BodyId, change: Change) -> Result<(), EditError> {
        let slot = self.slot(id)?;
        let motion = self.model.bodies[slot].motion;
        if matches!(motion, Motion::Link { .. }) {
            return Err(EditError::IsLink);
        }
        if self.state.quarantined[slot] {
            return Err(EditError::Quarantined);
        }
        let before = energy::of_body(&self.model, &self.state, slot);
        match change {
            Change::Velocity(_) if motion == Motion::Static => {
                return Err(EditError::NoEffect { what: "a velocity" });
            }
            Change::Velocity(velocity) => {
                self.state.velocity.free[slot] = compile::unlocked(&self.model.bodies[slot], velocity);
            }
            Change::Pose(pose) => {
                self.state.position[slot] = pose.transform(self.model.bodies[slot].center);
                self.state.orientation[slot] = pose.rotation;
                if motion == Motion::Static {
                    // The broad phase looks at static bodies only after an edit.
                    Arc::make_mut(&mut self.model).edits += 1;
                }
            }
        }
        self.book_edit(energy::of_body(&self.model, &self.state, slot) - before);
        Ok(())
    }

    /// True when the shape could meet one of the world's whose material has no pair with its own.
    fn lacks_pair(&self, shape: &ShapeSpec) -> bool {
        let others =
            self.model.shapes.iter().filter(|other| !other.removed && !other.sensor && !shape.sensor);
        others.into_iter().any(|other| self.model.materials.lacks(shape.material.as_deref(), other.material))
    }

    fn book_edit(&mut self, change: f64) {
        let mut book = StepBook::default();
        book.post(Account::Edit, change);
        self.state.ledger.close(&book, change);
    }

    fn slot(&self, id: BodyId) -> Result<usize, HandleError> {
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

    fn id_of(&self, slot: usize) -> BodyId {
        BodyId { slot: slot as u32, generation: self.state.generation[slot], world: self.id }
    }

    fn view<'a>(&'a self, slot: usize, body: &'a BodyModel) -> BodyView<'a> {
        let orientation = self.state.orientation[slot];
        let twist = self.state.velocity.free[slot];
        let moves = !matches!(body.motion, Motion::Static | Motion::Driven(_));
        BodyView {
            id: self.id_of(slot),
            name: &body.name,
            motion: body.motion,
            mass: body.mass,
            position: self.state.position[slot] - orientation * body.center,
            orientation,
            linear_velocity: twist.linear,
            angular_velocity: twist.angular,
            quarantined: self.state.quarantined[slot],
            kinetic_energy: if moves { stage::kinetic_energy(&self.model, &self.state, slot) } else { 0.0 },
        }
    }
}

/// Finite, and no larger than a scene may write.
fn is_sensible(v: Vec3) -> bool {
    v.abs().cmple(Vec3::splat(LARGEST)).all()
}
