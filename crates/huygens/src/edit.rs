//! What a user may change between steps: checked, and booked.

use crate::assembly::frame;
use crate::handle::{BodyId, HandleError, JointKey};
use crate::ledger::{Account, StepBook};
use crate::model::Motion;
use crate::scene::{Body, LARGEST, Material, PlacedBody, Scene, SceneError, SceneErrors, Shape, SpecPath};
use crate::state::State;
use crate::world::World;
use crate::{compile, energy, scene};
use huygens_dynamics::{DofDrive, JointKind};
use huygens_math::{Pose, Twist, Vec3};
use std::sync::Arc;

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
    /// Links of a tree move with their joints; only the first of one that floats can be moved.
    #[error(
        "joints say where this body is and how it moves, and hold it to others; set them, or remove them; nothing was changed"
    )]
    IsLink,
    /// Nothing moves a static body, and no force moves a driven one.
    #[error("{what} has no effect on a body that is not dynamic; nothing was changed")]
    NoEffect {
        /// What was given.
        what: &'static str,
    },
    /// The body follows a path.
    #[error("this body follows its path, and its keyframes say where it is; nothing was changed")]
    OnPath,
    /// There is no joint of that name.
    #[error("there is no joint of this name, or it lets everything move; nothing was changed")]
    NoJoint,
    /// The joint has no coordinate that can be set by itself.
    #[error("the joint has not one coordinate that loops and couplings leave free; nothing was changed")]
    NoCoordinate,
    /// The joint has no motor.
    #[error("the joint has no motor; nothing was changed")]
    NoMotor,
    /// A driven body carries joints.
    #[error("this driven body carries joints, and they go where it goes; nothing was changed")]
    CarriesJoints,
    /// A numerical fault took the body out of the simulation.
    #[error("a number overflowed and took this body out of the simulation; remove it and add it anew")]
    Quarantined,
}

/// Why a world refuses to make another thing of one that it has. Nothing was changed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ChangeError {
    /// What is there cannot be changed.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// What it shall be cannot be.
    #[error(transparent)]
    Scene(#[from] SceneErrors),
}

/// How a body's place or motion changes.
enum Change {
    Pose(Pose),
    Velocity(Twist),
}

impl World {
    /// Adds a body, which may name materials of the world's scene and of [`World::add_material`]. The energy that it brings is booked as an
    /// edit.
    ///
    /// ```
    /// use huygens::World;
    /// use huygens::scene::{Body, Material, Scene, Shape};
    ///
    /// let mut world = World::new(&Scene::new().body(Body::fixed("floor").shape(Shape::half_space())))?;
    /// world.add_material("ice", Material::new().friction(0.02))?;
    /// let puck = Body::dynamic("puck").shape(Shape::cylinder(0.04, 0.025).material("ice")).at(0.0, 0.0, 0.0125);
    /// let id = world.add_body(&puck)?;
    /// assert_eq!(world.find("puck"), Some(id));
    /// # Ok::<(), huygens::SceneErrors>(())
    /// ```
    ///
    /// # Errors
    /// When the body cannot be, or its name is taken; the world stays as it was.
    pub fn add_body(&mut self, body: &Body) -> Result<BodyId, SceneErrors> {
        let scene = self.surroundings();
        let placed = self.checked(&scene, body, None)?;
        let model = Arc::make_mut(&mut self.model);
        let slot = compile::add_body(model, &mut self.state, &scene, &placed)?;
        compile::index_forces(model);
        model.note_edit(slot, Vec::new());
        self.fresh.insert(slot as u32);
        if self.model.bodies[slot].motion != Motion::Dynamic {
            self.wake_around(slot);
        }
        self.book_edit(energy::of_body(&self.model, &self.state, slot));
        self.make_room();
        if let Some(data) = self.user_data.get_mut(slot) {
            *data = 0;
        }
        Ok(self.id_of(slot))
    }

    /// Makes another body of one that is there: shapes, materials, layers, sensors, mass, locks and kind of motion become those of `body`, its
    /// name too. The body stays where it is, keeps its velocity unless `body` is driven or static, its handle, forces and springs; `position`,
    /// `orientation` and velocities of a dynamic `body` are not read. Its contacts end and begin again. A body that joints hold keeps its name and
    /// its kind of motion. The change of energy is booked as an edit.
    ///
    /// ```
    /// use huygens::World;
    /// use huygens::scene::{Body, Scene};
    ///
    /// let ball = Body::dynamic("ball").sphere(0.5);
    /// let mut world = World::new(&Scene::new().body(ball.clone()))?;
    /// let id = world.find("ball").unwrap();
    /// world.change_body(id, &ball.mass(3.0)).unwrap();
    /// assert_eq!(world.body(id).unwrap().mass, 3.0);
    /// # Ok::<(), huygens::SceneErrors>(())
    /// ```
    ///
    /// # Errors
    /// When the handle is stale or foreign, the body is driven and carries joints, or is quarantined, or the new body cannot be; nothing changes.
    pub fn change_body(&mut self, id: BodyId, body: &Body) -> Result<(), ChangeError> {
        let slot = self.slot(id).map_err(EditError::from)?;
        if self.model.carries_tree(slot) {
            return Err(EditError::CarriesJoints.into());
        }
        if self.state.quarantined[slot] {
            return Err(EditError::Quarantined.into());
        }
        let mut body = body.clone();
        let has_path =
            matches!(&body.motion, scene::Motion::Driven { keyframes, .. } if !keyframes.is_empty());
        if !has_path {
            let frame = frame(&self.model, &self.state, slot);
            (body.position, body.orientation) = (frame.translation, frame.rotation);
        }
        if body.motion == scene::Motion::Dynamic {
            let velocity = self.state.velocity.free[slot];
            (body.linear_velocity, body.angular_velocity) = (velocity.linear, velocity.angular);
        }
        let scene = self.surroundings();
        let placed = self.checked(&scene, &body, Some(id))?;
        if self.model.assembly.holds(&self.model.bodies[slot].name) {
            self.keeps_joints(slot, &placed)?;
        }
        if matches!(self.model.bodies[slot].motion, Motion::Link { .. }) {
            return Ok(self.change_link(slot, &scene, &placed)?);
        }
        if !self.state.sleep.is_empty() {
            compile::check_body(&self.model, &self.state, &scene, &placed).map_err(SceneErrors::from)?;
            self.wake_around(slot);
        }
        let before = energy::of_body(&self.model, &self.state, slot);
        let gone = self.model.bodies[slot].shapes.clone();
        self.note_gone(gone.clone());
        let model = Arc::make_mut(&mut self.model);
        compile::replace_body(model, &mut self.state, &scene, &placed, slot).map_err(SceneErrors::from)?;
        compile::index_forces(model);
        model.note_edit(slot, gone);
        self.wake_around(slot);
        self.book_edit(energy::of_body(&self.model, &self.state, slot) - before);
        self.make_room();
        Ok(())
    }

    /// Makes room for what the model can be expected to need now. To find out what that is takes a look at every shape, so a large world does it
    /// when it has grown by a part of itself.
    pub(crate) fn make_room(&mut self) {
        const LARGE: usize = 1024;
        let [bodies, shapes] = [self.model.bodies.len(), self.model.shapes.len()];
        if shapes > LARGE && bodies <= self.work.room_for[0] && shapes <= self.work.room_for[1] {
            return;
        }
        self.work.room_for = [bodies, shapes].map(|n| n + n / 16);
        self.work.reserve(&self.model);
        self.state.reserve(&self.model);
    }

    /// Whether joints can hold the new body as they hold the one that is there.
    fn keeps_joints(&self, slot: usize, new: &PlacedBody) -> Result<(), SceneErrors> {
        let (old, body) = (&self.model.bodies[slot], &new.body);
        let moves = matches!(old.motion, Motion::Link { .. } | Motion::Dynamic);
        let refuse = |key: &'static str, value: String| {
            let problem = "joints hold this body, which they know by its name and its kind of motion";
            SceneErrors::from(SceneError::new(new.path.key(key), value, problem, "Remove its joints first."))
        };
        if body.name != old.name {
            return Err(refuse("name", format!("{:?}", body.name)));
        }
        if moves != (body.motion == scene::Motion::Dynamic) {
            return Err(refuse("motion", format!("{:?}", body.motion.word())));
        }
        Ok(())
    }

    /// Makes another body of a link; its tree goes on with the coordinates that it has.
    fn change_link(&mut self, slot: usize, scene: &Scene, new: &PlacedBody) -> Result<(), SceneErrors> {
        let (twist, center) = (self.state.velocity.free[slot], self.model.bodies[slot].center);
        let shapes = self.model.bodies[slot].shapes.clone();
        self.rebuild(
            |_| {},
            |model, state| {
                compile::replace_body(model, state, scene, new, slot)?;
                // The same motion of the body, seen at another centre of mass.
                let arm = state.orientation[slot] * (model.bodies[slot].center - center);
                let linear = twist.linear + twist.angular.cross(arm);
                state.velocity.free[slot] = Twist::new(linear, twist.angular);
                Ok(())
            },
        )?;
        self.note_gone(shapes);
        self.wake_around(slot);
        Ok(())
    }

    /// A body that the world can take in the place of `instead`.
    pub(crate) fn checked(
        &self,
        scene: &Scene,
        body: &Body,
        instead: Option<BodyId>,
    ) -> Result<PlacedBody, SceneErrors> {
        Scene { bodies: vec![body.clone()], ..scene.clone() }.check()?;
        let path = SpecPath::body(&body.name);
        if self.find(&body.name).is_some_and(|other| Some(other) != instead) {
            let (key, name) = (path.key("name"), format!("{:?}", body.name));
            let remedy = "Give it a name of its own, or remove the other one first.";
            return Err(SceneError::new(key, name, "the world has a body of this name", remedy).into());
        }
        if let Some(shape) = body.shapes.iter().find(|shape| self.lacks_pair(shape)) {
            let material = format!("{:?}", shape.material.as_deref().unwrap_or_default());
            let problem =
                "with combine = \"table\" every two materials need a pair, and the world has none for it";
            let remedy = "Use a material with pairs.";
            return Err(SceneError::new(path.key("material"), material, problem, remedy).into());
        }
        Ok(PlacedBody { path, body: body.clone() })
    }

    /// Adds a material for bodies that are added later, and for [`World::set_material`].
    ///
    /// # Errors
    /// When a number of it cannot be, or the world has a material of this name; the world stays as it was.
    pub fn add_material(&mut self, name: &str, material: Material) -> Result<(), SceneErrors> {
        if self.model.surroundings.materials.contains_key(name) {
            let path = SpecPath::top("materials").name(name);
            let remedy = "Give it a name of its own.";
            let problem = "the world has a material of this name";
            return Err(SceneError::new(path, format_args!("{name:?}"), problem, remedy).into());
        }
        let mut scene = self.surroundings();
        scene.materials.insert(name.to_owned(), material);
        scene.check()?;
        Arc::make_mut(&mut self.model).surroundings = Arc::new(scene);
        Ok(())
    }

    /// Changes a material: friction, restitution, levers and priority of all shapes that have it and no numbers of their own there, from the next step
    /// on. Masses and surface velocities of the bodies that are there stay.
    ///
    /// ```
    /// use huygens::World;
    /// use huygens::scene::{Body, Material, Scene, Shape};
    ///
    /// let scene = Scene::new()
    ///     .material("deck", Material::new().friction(0.8))
    ///     .body(Body::fixed("deck").shape(Shape::half_space().material("deck")))
    ///     .body(Body::dynamic("crate").shape(Shape::cuboid(1.0, 1.0, 1.0).material("deck")).at(0.0, 0.0, 0.5));
    /// let mut world = World::new(&scene)?;
    /// world.change_material("deck", Material::new().friction(0.05))?;
    /// # Ok::<(), huygens::SceneErrors>(())
    /// ```
    ///
    /// # Errors
    /// When the world has no such material, or a number cannot be; the world stays as it was.
    pub fn change_material(&mut self, name: &str, material: Material) -> Result<(), SceneErrors> {
        let mut scene = self.surroundings();
        let Some(known) = scene.materials.get_mut(name) else {
            let known = scene.materials.keys().map(String::as_str);
            return Err(SceneError::unknown_word(SpecPath::top("materials"), name, "material", known).into());
        };
        *known = material;
        scene.check()?;
        self.wake_all();
        let model = Arc::make_mut(&mut self.model);
        model.materials.change(name, &scene);
        model.surroundings = Arc::new(scene);
        model.edits.note_all();
        Ok(())
    }

    /// The scene without its bodies, with the choices of now.
    pub(crate) fn surroundings(&self) -> Scene {
        Scene { world: self.model.choices.clone(), ..(*self.model.surroundings).clone() }
    }

    /// Gives a body a number of the user's own, which no step looks at ([`crate::BodyView::user_data`]). A body that is added has 0.
    ///
    /// # Errors
    /// When the handle is stale or foreign.
    pub fn set_user_data(&mut self, id: BodyId, data: u128) -> Result<(), HandleError> {
        let slot = self.slot(id)?;
        if self.user_data.len() <= slot {
            self.user_data.resize(self.model.bodies.len(), 0);
        }
        self.user_data[slot] = data;
        Ok(())
    }

    /// Removes a body, with the joints, couplings, tendons, springs and ropes that hold it; the energy that they take along is booked as an edit. Its
    /// contacts end in the next step. A driver that is removed keeps its place and its record in [`World::drivers`].
    ///
    /// # Errors
    /// When the handle is stale or foreign, or what remains of a tree cannot move.
    pub fn remove_body(&mut self, id: BodyId) -> Result<(), EditError> {
        let slot = self.slot(id)?;
        let name = self.model.bodies[slot].name.clone();
        if self.model.assembly.holds(&name) {
            let (mut gone, shapes) = (Vec::new(), self.model.bodies[slot].shapes.clone());
            self.wake_around(slot);
            self.rebuild(
                |assembly| gone = assembly.remove_body(&name),
                |model, state| {
                    compile::remove_body(model, state, slot, true);
                    Ok(())
                },
            )
            .map_err(|_| EditError::IsLink)?;
            self.note_gone(shapes);
            self.removed_joints[1].extend(gone);
            self.removed[1].push((id, name));
            self.forget_told(id);
            return Ok(());
        }
        self.wake_around(slot);
        self.removed[1].push((id, name));
        let energy = energy::of_body(&self.model, &self.state, slot);
        let gone = self.model.bodies[slot].shapes.clone();
        self.note_gone(gone.clone());
        self.forget_told(id);
        let model = Arc::make_mut(&mut self.model);
        compile::remove_body(model, &mut self.state, slot, !self.fresh.remove(&(slot as u32)));
        compile::index_forces(model);
        model.note_edit(slot, gone);
        self.book_edit(-energy);
        Ok(())
    }

    /// A body that was asleep and is removed did not wake.
    fn forget_told(&mut self, id: BodyId) {
        self.state.sleep.told.retain(|event| event.bodies[0].slot != id.slot);
    }

    /// Puts a body's frame somewhere else; the change of energy is booked as an edit. What hangs on the first link of a tree that floats goes with it.
    ///
    /// Example: [`World::change_body`]; `examples/rollback.rs`.
    ///
    /// # Errors
    /// When the handle is stale or foreign, the body is another link or one of a tree with loops or couplings, on a path or quarantined, a number is not finite or above 1e20,
    /// or the orientation has no length.
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
    /// a locked axis is left out. A driven body keeps this velocity from now on. Joints on the first link of a tree that floats keep theirs.
    ///
    /// Example: [`World`].
    ///
    /// # Errors
    /// When the handle is stale or foreign, the body is static, another link or one of a tree with loops or couplings, on a path or quarantined, or a number is not finite or
    /// above 1e20.
    pub fn set_velocity(&mut self, id: BodyId, velocity: Twist) -> Result<(), EditError> {
        if !is_sensible(velocity.linear) || !is_sensible(velocity.angular) {
            self.slot(id)?;
            return Err(EditError::NotFinite { what: "the velocity" });
        }
        self.change(id, Change::Velocity(velocity))
    }

    /// Sets the force at the centre of mass [N] and the torque [N·m] that act on a body from now on.
    ///
    /// Example: [`World::apply_force_at`].
    ///
    /// # Errors
    /// When the handle is stale or foreign, the body is static, driven or quarantined, or a number is not finite or above
    /// 1e20.
    pub fn set_force(
        &mut self,
        id: BodyId,
        force: impl Into<Vec3>,
        torque: impl Into<Vec3>,
    ) -> Result<(), EditError> {
        let (force, torque) = (force.into(), torque.into());
        let slot = self.check_force(id, force, torque)?;
        if [force, torque] != [self.state.force[slot], self.state.torque[slot]] {
            self.wake_slot(slot);
        }
        let State { force: forces, torque: torques, one_step_forces, .. } = &mut self.state;
        match one_step_forces.iter_mut().find(|passing| passing.slot as usize == slot) {
            // Forces of the next step alone stay.
            Some(passing) => {
                forces[slot] = force + (forces[slot] - passing.lasting_force);
                torques[slot] = torque + (torques[slot] - passing.lasting_torque);
                (passing.lasting_force, passing.lasting_torque) = (force, torque);
            }
            None => (forces[slot], torques[slot]) = (force, torque),
        }
        Ok(())
    }

    /// Slot of a body on which this force and torque can act.
    pub(crate) fn check_force(&self, id: BodyId, force: Vec3, torque: Vec3) -> Result<usize, EditError> {
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
        Ok(slot)
    }

    /// Sets what drives the first coordinate of a joint from now on, beside its own motor: a force, and linear feedback, which acts
    /// implicitly. Its work is in the account `actuator`.
    ///
    /// ```
    /// use huygens::scene::{Body, Joint, Scene};
    /// use huygens::{DofDrive, World};
    ///
    /// let arm = Body::dynamic("arm").cuboid(1.0, 0.1, 0.1).at(0.5, 0.0, 0.0);
    /// let mut world = World::new(&Scene::new().body(arm).joint(Joint::hinge("hinge", "arm").axis(0.0, 1.0, 0.0)))?;
    /// let hinge = world.find_joint("hinge").unwrap();
    /// world.set_joint_drive(hinge, DofDrive { stiffness: 1e6, damping: 1e4, ..DofDrive::default() }).unwrap();
    /// (0..480).for_each(|_| drop(world.step().contacts));
    /// assert!(world.joint(hinge).unwrap().q.abs() < 1e-3, "it holds the arm up");
    /// # Ok::<(), huygens::SceneErrors>(())
    /// ```
    ///
    /// # Errors
    /// When there is no such joint, it has no coordinate of its own (a ball joint, a rigid one), a number is not finite or above 1e20, or a
    /// gain is negative.
    pub fn set_joint_drive<'k>(
        &mut self,
        joint: impl Into<JointKey<'k>>,
        drive: DofDrive,
    ) -> Result<(), EditError> {
        let found = &self.model.joints[self.joint_at(joint.into())?];
        if found.kind.coordinates() != 1 {
            return Err(EditError::NoCoordinate);
        }
        let (dof, tree) = (found.main_dof as usize, found.tree as usize);
        let DofDrive { force, stiffness, damping, position, velocity } = drive;
        let gains = stiffness >= 0.0 && damping >= 0.0;
        if !gains
            || !is_sensible(Vec3::new(force, stiffness, damping))
            || !is_sensible(Vec3::new(position, velocity, 0.0))
        {
            return Err(EditError::NotFinite { what: "a joint drive, with gains of at least 0," });
        }
        let drives = &mut self.state.joint_drives;
        drives.resize(self.state.velocity.dof.len(), DofDrive::default());
        if std::mem::replace(&mut drives[dof], drive) != drive {
            self.wake_tree(tree);
        }
        Ok(())
    }

    /// Changes one body and books its energy.
    fn change(&mut self, id: BodyId, change: Change) -> Result<(), EditError> {
        let slot = self.slot(id)?;
        let motion = self.model.bodies[slot].motion;
        if self.state.quarantined[slot] {
            return Err(EditError::Quarantined);
        }
        if let Motion::Link { tree, link } = motion {
            return self.change_root(slot, [tree as usize, link as usize], change);
        }
        let driver = if let Motion::Driven(driver) = motion { Some(driver as usize) } else { None };
        if driver.is_some_and(|driver| !self.model.drivers[driver].path.is_empty()) {
            return Err(EditError::OnPath);
        }
        if matches!(change, Change::Pose(_)) && self.model.carries_tree(slot) {
            return Err(EditError::CarriesJoints);
        }
        if matches!(change, Change::Velocity(_)) && motion == Motion::Static {
            return Err(EditError::NoEffect { what: "a velocity" });
        }
        match change {
            Change::Pose(_) => self.wake_around(slot),
            Change::Velocity(_) => self.wake_slot(slot),
        }
        let before = energy::of_body(&self.model, &self.state, slot);
        match change {
            Change::Velocity(velocity) => {
                self.state.velocity.free[slot] = compile::unlocked(&self.model.bodies[slot], velocity);
                if let Some(driver) = driver {
                    let drive = &mut self.state.drives[driver];
                    drive.target = velocity;
                    if velocity.angular != Vec3::ZERO {
                        drive.axis = velocity.angular / velocity.angular.length();
                    }
                }
            }
            Change::Pose(pose) => {
                self.state.position[slot] = pose.transform(self.model.bodies[slot].center);
                self.state.orientation[slot] = pose.rotation;
                self.moves += 1;
                if motion == Motion::Static {
                    // The broad phase looks at static bodies only after an edit.
                    Arc::make_mut(&mut self.model).note_edit(slot, Vec::new());
                }
                self.wake_around(slot);
            }
        }
        self.book_edit(energy::of_body(&self.model, &self.state, slot) - before);
        Ok(())
    }

    /// Changes the first link of a tree that floats: all that hangs on it goes with it, as its joints have it.
    fn change_root(
        &mut self,
        slot: usize,
        [tree, link]: [usize; 2],
        change: Change,
    ) -> Result<(), EditError> {
        let of = &self.model.trees[tree];
        let is_root = of.links()[link].parent.is_none() && of.equalities().is_empty();
        let [joint] = of.joints_of(link) else { return Err(EditError::IsLink) };
        if !is_root || joint.joint.kind != JointKind::Free {
            return Err(EditError::IsLink);
        }
        let (q, v) = (self.model.coordinates_of(tree), self.model.dofs_of(tree));
        let (q, v) = (q.start + joint.coordinates().start, v.start + joint.dofs().start);
        self.wake_slot(slot);
        let before = self.energy();
        match change {
            Change::Pose(Pose { translation: t, rotation: r }) => {
                self.state.coordinates[q..q + 7].copy_from_slice(&[t.x, t.y, t.z, r.w, r.x, r.y, r.z]);
            }
            Change::Velocity(Twist { linear, angular }) => {
                self.state.velocity.dof[v..v + 3].copy_from_slice(&linear.to_array());
                self.state.velocity.dof[v + 3..v + 6].copy_from_slice(&angular.to_array());
            }
        }
        self.place_trees();
        self.book_edit(self.energy() - before);
        Ok(())
    }

    /// True when the shape could meet one of the world's whose material has no pair with its own.
    pub(crate) fn lacks_pair(&self, shape: &Shape) -> bool {
        if !self.model.materials.is_table() {
            return false;
        }
        let others =
            self.model.shapes.iter().filter(|other| !other.removed && !other.sensor && !shape.sensor);
        others.into_iter().any(|other| self.model.materials.lacks(shape.material.as_deref(), other.material))
    }

    pub(crate) fn book_edit(&mut self, change: f64) {
        let mut book = StepBook::default();
        book.post(Account::Edit, change);
        self.work.distorted.into_iter().for_each(|account| book.distort(account));
        self.state.ledger.close(&book, change);
    }
}

/// Finite, and no larger than a scene may write.
pub(crate) fn is_sensible(v: Vec3) -> bool {
    v.abs().cmple(Vec3::splat(LARGEST)).all()
}
