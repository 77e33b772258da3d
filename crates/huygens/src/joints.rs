//! Joints of a world while it runs: what they carry, their setters, and edits.

use crate::assembly::{Lock, find, frame, joint_frames};
use crate::edit::{ChangeError, EditError};
use crate::energy;
use crate::event::{Event, EventKind};
use crate::handle::{JointId, JointKey};
use crate::model::{JointModel, Motion};
use crate::scene::{Joint, LARGEST, Scene, SceneError, SceneErrors, SpecPath};
use crate::sleep::tree_sleeps;
use crate::stage::{self, Loads, StepEnd};
use crate::state::{Broken, MotorRecord};
use crate::world::World;
use huygens_contact::{GroupId, RangeEnd};
use huygens_dynamics::{
    JointKind, TreeKinematics, TreeScratch, angular_jacobian, inverse_dynamics, jacobian, kinematics,
};
use huygens_math::{Twist, Vec3};

/// What a joint carried in the last step: means over its length.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointLoad {
    /// Force that the parent gives to the child through the joint, motors, springs and stops of the joint included, world axes [N].
    pub force: Vec3,
    /// Torque of the same about the joint's place on its parent, world axes [N·m].
    pub torque: Vec3,
}

/// A tree of joints as one body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TreeMomentum {
    /// Mass of its links [kg].
    pub mass: f64,
    /// Their centre of mass [m].
    pub center: Vec3,
    /// Momentum [N·s], and angular momentum about the centre of mass [N·m·s].
    pub momentum: Twist,
}

/// What can be seen of a tendon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TendonView<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its length [m].
    pub length: f64,
    /// Force with which it pulled in the last step, limits, springs, friction and motor together; below 0 where it pushed [N].
    pub tension: f64,
}

impl World {
    /// The tendons, in order.
    ///
    /// Example: `tests/suite/tendons.rs`.
    pub fn tendons(&self) -> impl Iterator<Item = TendonView<'_>> {
        self.model.tendons.iter().enumerate().map(|(i, tendon)| {
            let rows = self.state.row_impulses.iter().chain(&self.state.sleep.row_impulses).map(
                |(key, p)| match key.id() {
                    GroupId::JointLimit { joint, end: RangeEnd::High } => (joint, -*p),
                    GroupId::JointLimit { joint, .. }
                    | GroupId::JointFriction { joint }
                    | GroupId::JointMotor { joint } => (joint, *p),
                    _ => (u32::MAX, 0.0),
                },
            );
            let own = rows.filter(|(number, _)| stage::tendon_of(&self.model, *number) == Some(i));
            let length = energy::tendon_length(&self.model, &self.state, tendon);
            let tension = -own.map(|(_, p)| p).sum::<f64>() / self.model.settings.dt;
            TendonView { name: &tendon.name, length, tension }
        })
    }

    /// What each joint carried in the last step, in the order of [`World::joints`]; zero before the first step and after an edit of joints.
    /// What joints of sleepers carry is found by a step of a copy of the world in which they are awake.
    pub fn joint_loads(&self) -> Vec<JointLoad> {
        let sleeps = |tree: usize| tree_sleeps(&self.model, &self.state, tree);
        let mut loads = self.awake_loads();
        if (0..self.model.trees.len()).any(sleeps) {
            let mut awake = self.twin();
            awake.wake_all();
            awake.step();
            let twins = awake.awake_loads();
            // A joint of the copy may have broken.
            for (joint, load) in
                self.model.joints.iter().zip(&mut loads).filter(|(of, _)| sleeps(of.tree as usize))
            {
                let same = awake.model.joints.iter().position(|of| of.name == joint.name);
                *load = same.map_or(JointLoad::default(), |at| twins[at]);
            }
        }
        loads
    }

    /// The same, and zero for joints of sleepers.
    fn awake_loads(&self) -> Vec<JointLoad> {
        let (mut loads, mut of_tree, mut found) = (Vec::new(), Loads::default(), None);
        for joint in &self.model.joints {
            let i = joint.tree as usize;
            let has_stepped = self.work.trees.get(i).is_some_and(|tree| !tree.end.com.is_empty());
            if !has_stepped || stage::is_out(&self.model, &self.state, i) {
                loads.push(JointLoad::default());
                continue;
            }
            if found != Some(i) {
                let step = StepEnd {
                    model: &self.model,
                    problem: &self.work.problem,
                    solution: &self.work.solution,
                };
                of_tree.find(&step, &self.work.trees[i], i);
                found = Some(i);
            }
            loads.push(self.load(joint, &of_tree));
        }
        loads
    }

    fn load(&self, joint: &JointModel, loads: &Loads) -> JointLoad {
        let (tree, work) = (&self.model.trees[joint.tree as usize], &self.work.trees[joint.tree as usize]);
        let on_carrier = tree.joints()[joint.slot as usize].joint.parent_from_joint.translation;
        let carrier = tree.links()[joint.link as usize].parent;
        let at = |kin: &TreeKinematics| {
            carrier.map_or(on_carrier, |carrier| kin.world_from_link[carrier].transform(on_carrier))
        };
        let middle = (at(&work.kick.start) + at(&work.end)) * 0.5;
        let load = loads.about(&loads.of_link[joint.link as usize], middle);
        let per_step = if joint.reversed { -1.0 } else { 1.0 } / self.model.settings.dt;
        JointLoad { force: load.linear * per_step, torque: load.angular * per_step }
    }

    /// Work and power of the motor of each joint, in the order of [`World::joints`]: sums over its coordinates.
    pub fn motor_records(&self) -> Vec<MotorRecord> {
        let mut records = vec![MotorRecord::default(); self.model.joints.len()];
        for (dof, record) in self.model.joint_dofs.iter().zip(&self.state.motors) {
            let of = &mut records[dof.joint as usize];
            of.work += record.work;
            of.power += record.power;
        }
        records
    }

    /// The tree that a joint belongs to, as one body; `None` where there is no such joint.
    ///
    /// Example: `tests/suite/law_of_trees.rs`.
    pub fn tree_momentum<'k>(&self, joint: impl Into<JointKey<'k>>) -> Option<TreeMomentum> {
        let tree = self.model.joints[self.joint_at(joint.into()).ok()?].tree as usize;
        let bodies = || {
            let slots = self.model.tree_bodies[tree].iter().map(|&slot| slot as usize);
            slots.filter(|slot| matches!(self.model.bodies[*slot].motion, Motion::Link { .. }))
        };
        let mut whole = TreeMomentum::default();
        let (state, model) = (&self.state, &self.model);
        for slot in bodies() {
            let mass = model.bodies[slot].mass;
            whole.mass += mass;
            whole.center += state.position[slot] * mass;
            whole.momentum.linear += state.velocity.free[slot].linear * mass;
        }
        whole.center /= whole.mass;
        for slot in bodies() {
            let (twist, turn) = (state.velocity.free[slot], state.orientation[slot]);
            let spin = turn * (model.bodies[slot].inertia * (turn.conjugate() * twist.angular));
            let arm = state.position[slot] - whole.center;
            whole.momentum.angular += spin + arm.cross(twist.linear * model.bodies[slot].mass);
        }
        Some(whole)
    }

    /// Force or torque that each dof of a joint's tree needs for the acceleration `acceleration` of the tree's dofs, against gravity and velocity
    /// products: H v̇ − f. The dofs are those of the tree, in order; `None` where there is no such joint or the length does not fit.
    ///
    /// Example: `tests/suite/joint_edits.rs`.
    pub fn inverse_dynamics<'k>(
        &self,
        joint: impl Into<JointKey<'k>>,
        acceleration: &[f64],
    ) -> Option<Vec<f64>> {
        let (tree, kin) = self.placed_tree(joint.into())?;
        if acceleration.len() != tree.dofs() {
            return None;
        }
        let mut out = vec![0.0; tree.dofs()];
        let gravity = self.model.settings.gravity;
        inverse_dynamics(tree, &kin, gravity, acceleration, &mut TreeScratch::default(), &mut out);
        Some(out)
    }

    /// Rows over the dofs of a joint's tree: velocity (three rows), then spin (three rows) of the point of the joint's child that is at `point`
    /// [m, world]. `None` where there is no such joint.
    ///
    /// Example: `examples/arm.rs`.
    pub fn joint_jacobian<'k>(
        &self,
        joint: impl Into<JointKey<'k>>,
        point: impl Into<Vec3>,
    ) -> Option<[Vec<f64>; 2]> {
        let (joint, point) = (joint.into(), point.into());
        let link = self.model.joints[self.joint_at(joint).ok()?].link as usize;
        let (tree, kin) = self.placed_tree(joint)?;
        let [mut linear, mut angular] = [0, 1].map(|_| vec![0.0; 3 * tree.dofs()]);
        jacobian(tree, &kin, link, point, &Vec3::AXES, &mut linear);
        angular_jacobian(tree, &kin, link, &Vec3::AXES, &mut angular);
        Some([linear, angular])
    }

    fn placed_tree(&self, joint: JointKey) -> Option<(&huygens_dynamics::Tree, TreeKinematics)> {
        let i = self.model.joints[self.joint_at(joint).ok()?].tree as usize;
        let (tree, mut kin) = (&self.model.trees[i], TreeKinematics::default());
        let q = &self.state.coordinates[self.model.coordinates_of(i)];
        kinematics(tree, q, &self.state.velocity.dof[self.model.dofs_of(i)], &mut kin);
        Some((tree, kin))
    }

    /// Sets coordinate and velocity of a joint with one coordinate; loops and couplings of its tree must still close. The change of energy is
    /// booked as an edit.
    ///
    /// Example: [`World::add_joint`].
    ///
    /// # Errors
    /// When there is no such joint with one coordinate, a number is not finite, or its tree has loops or couplings.
    pub fn set_joint<'k>(
        &mut self,
        joint: impl Into<JointKey<'k>>,
        position: f64,
        velocity: f64,
    ) -> Result<(), EditError> {
        let joint = &self.model.joints[self.joint_at(joint.into())?];
        if !(position.abs() <= LARGEST && velocity.abs() <= LARGEST) {
            return Err(EditError::NotFinite { what: "position and velocity" });
        }
        let tree = joint.tree as usize;
        if joint.dofs != 1 || !self.model.trees[tree].equalities().is_empty() {
            return Err(EditError::NoCoordinate);
        }
        let (q, v) = (joint.main_coordinate as usize, joint.main_dof as usize);
        self.wake_tree(tree);
        let before = self.energy();
        (self.state.coordinates[q], self.state.velocity.dof[v]) = (position, velocity);
        self.place_trees();
        self.book_edit(self.energy() - before);
        Ok(())
    }

    /// Sets all coordinates and velocities of a joint: of a ball joint the quaternion w, x, y, z and the spin, as [`crate::JointView::coordinates`] and
    /// [`crate::JointView::velocities`] have them. The change of energy is booked as an edit.
    ///
    /// ```
    /// use huygens::World;
    /// use huygens::scene::{Body, Joint, Scene};
    ///
    /// let bob = Body::dynamic("bob").sphere(0.1).at(0.0, 0.0, -1.0);
    /// let mut world = World::new(&Scene::new().body(bob).joint(Joint::ball("ball", "bob")))?;
    /// let half = 0.5f64.sqrt();
    /// world.set_joint_state("ball", &[half, half, 0.0, 0.0], &[0.0, 0.0, 1.0]).unwrap();
    /// assert!((world.joint("ball").unwrap().q - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
    /// # Ok::<(), huygens::SceneErrors>(())
    /// ```
    ///
    /// # Errors
    /// When there is no such joint, there are not as many numbers as it has, one is not finite or a quaternion has no length, or its tree has loops
    /// or couplings.
    pub fn set_joint_state<'k>(
        &mut self,
        joint: impl Into<JointKey<'k>>,
        coordinates: &[f64],
        velocities: &[f64],
    ) -> Result<(), EditError> {
        let joint = &self.model.joints[self.joint_at(joint.into())?];
        let (q, v, tree) = (joint.coordinates(), joint.dofs(), joint.tree as usize);
        let good = |x: &f64| x.abs() <= LARGEST;
        if !coordinates.iter().chain(velocities).all(good) {
            return Err(EditError::NotFinite { what: "position and velocity" });
        }
        let counts = [coordinates.len(), velocities.len()] == [q.len(), v.len()];
        if !counts || !self.model.trees[tree].equalities().is_empty() {
            return Err(EditError::NoCoordinate);
        }
        let mut new = coordinates.to_vec();
        let first = self.model.coordinates_of(tree).start;
        for slot in self.model.trees[tree].joints() {
            let at = slot.coordinates();
            let is_ball = matches!(slot.joint.kind, JointKind::Ball | JointKind::BallLocal);
            let Some(from) = (first + at.start).checked_sub(q.start).filter(|from| *from < new.len()) else {
                continue;
            };
            if is_ball {
                let turn = &mut new[from..from + 4];
                let length = turn.iter().map(|x| x * x).sum::<f64>().sqrt();
                if !(length > 1e-6 && length.is_finite()) {
                    return Err(EditError::NotFinite { what: "the turn of a ball joint" });
                }
                turn.iter_mut().for_each(|x| *x /= length);
            }
        }
        self.wake_tree(tree);
        let before = self.energy();
        self.state.coordinates[q].copy_from_slice(&new);
        self.state.velocity.dof[v].copy_from_slice(velocities);
        self.place_trees();
        self.book_edit(self.energy() - before);
        Ok(())
    }

    /// Sets what the motor of a joint aims at: its coordinate, rate or force.
    ///
    /// Example: [`World::add_joint`].
    ///
    /// # Errors
    /// When there is no such joint with a motor, or the number is not finite.
    pub fn set_motor_target<'k>(
        &mut self,
        joint: impl Into<JointKey<'k>>,
        target: f64,
    ) -> Result<(), EditError> {
        let joint = &self.model.joints[self.joint_at(joint.into())?];
        if target.is_nan() || target.abs() > LARGEST {
            return Err(EditError::NotFinite { what: "the target" });
        }
        let dof = self.motor_of(joint).ok_or(EditError::NoMotor)?;
        let tree = joint.tree as usize;
        if self.state.motor_targets[dof] != target {
            self.state.motor_targets[dof] = target;
            self.wake_tree(tree);
        }
        Ok(())
    }

    /// Adds a joint between bodies where they are now: that pose is its zero. Bodies that move against each other lose that motion in a blow
    /// without rebound, which keeps their momentum; the energy is booked as an edit.
    ///
    /// ```
    /// use huygens::World;
    /// use huygens::scene::{Body, Joint, MotorSpec, Scene};
    ///
    /// let mut world = World::new(&Scene::new().gravity(0.0, 0.0, 0.0).body(Body::dynamic("fan").cuboid(1.0, 0.1, 0.02)))?;
    /// let hinge = Joint::hinge("axle", "fan").axis(0.0, 0.0, 1.0).motor(MotorSpec::velocity(3.0, 10.0));
    /// let axle = world.add_joint(&hinge)?;
    /// assert_eq!(world.find_joint("axle"), Some(axle));
    /// (0..240).for_each(|_| drop(world.step().quarantined.len()));
    /// assert!((world.joint(axle).unwrap().v - 3.0).abs() < 1e-3);
    /// world.set_motor_target(axle, -3.0).unwrap();
    /// world.set_joint(axle, 0.0, 0.0).unwrap();
    /// world.lock_joint(axle, true).unwrap();
    /// world.step();
    /// assert_eq!(world.body(world.find("fan").unwrap()).unwrap().angular_velocity.z, 0.0);
    /// world.remove_joint("axle").unwrap();
    /// assert_eq!(world.joint_name(axle), Some("axle"), "its name stays for the next events");
    /// # Ok::<(), huygens::SceneErrors>(())
    /// ```
    ///
    /// # Errors
    /// When the joint cannot be, or its name is taken; the world stays as it was.
    pub fn add_joint(&mut self, joint: &Joint) -> Result<JointId, SceneErrors> {
        let mut spec = joint.clone();
        (spec.position, spec.velocity) = (0.0, 0.0);
        if self.model.assembly.joint(&spec.name).is_some() {
            let path = SpecPath::top("joint").name(&spec.name).key("name");
            let problem = "the world has a joint of this name";
            return Err(
                SceneError::new(path, format!("{:?}", spec.name), problem, "Give it another name.").into()
            );
        }
        self.check_joint(&spec)?;
        let frames = joint_frames(&self.model, &self.state, &spec);
        self.edit_assembly(|assembly| assembly.add(&spec, frames))?;
        let number = self.model.assembly.joint(&spec.name).map(|at| self.model.assembly.joints[at].number);
        Ok(JointId { number: number.unwrap_or(u32::MAX), world: self.id })
    }

    /// Changes what acts at a joint (range, spring, damping, friction, motor, armature, limits of its load); kind, bodies and place stay.
    ///
    /// Example: [`World::add_joint`].
    ///
    /// # Errors
    /// When there is no such joint, or the new one cannot be; the world stays as it was.
    pub fn change_joint(&mut self, joint: &Joint) -> Result<(), SceneErrors> {
        let at = self.model.assembly.joint(&joint.name);
        let Some(at) = at else {
            let path = SpecPath::top("joint").name(&joint.name);
            return Err(SceneError::new(path, "", "the world has no such joint", "Add it first.").into());
        };
        let old = &self.model.assembly.joints[at].spec;
        let same = Joint {
            kind: old.kind,
            parent: old.parent.clone(),
            child: old.child.clone(),
            anchor: old.anchor,
            axis: old.axis,
            axis2: old.axis2,
            pitch: old.pitch,
            free: old.free,
            position: 0.0,
            velocity: 0.0,
            ..joint.clone()
        };
        self.check_joint(&same)?;
        self.edit_assembly(|assembly| assembly.joints[at].spec = same)
    }

    /// Removes a joint; bodies go on as they moved.
    ///
    /// Example: [`World::add_joint`].
    ///
    /// # Errors
    /// When there is no such joint, or a coupling needs it; the world stays as it was.
    pub fn remove_joint<'k>(&mut self, joint: impl Into<JointKey<'k>>) -> Result<(), ChangeError> {
        let at = self.assembled(joint.into())?;
        let joint = &self.model.assembly.joints[at];
        let gone = (joint.number, joint.spec.name.clone());
        self.edit_assembly(|assembly| {
            assembly.joints.remove(at);
        })?;
        self.removed_joints[1].push(gone);
        Ok(())
    }

    /// Locks a joint where it is, or lets it go again. What moved in it is lost in a blow that is booked as an edit.
    ///
    /// Example: [`World::add_joint`].
    ///
    /// # Errors
    /// When there is no such joint; the world stays as it was.
    pub fn lock_joint<'k>(
        &mut self,
        joint: impl Into<JointKey<'k>>,
        locked: bool,
    ) -> Result<(), ChangeError> {
        let at = self.assembled(joint.into())?;
        let joint = &self.model.assembly.joints[at];
        if joint.lock.is_some() == locked {
            return Ok(());
        }
        let lock = locked.then(|| {
            let [parent, child] = [joint.spec.parent.as_deref().unwrap_or_default(), &joint.spec.child]
                .map(|name| find(&self.model, name))
                .map(|slot| slot.filter(|slot| self.model.bodies[*slot].motion != Motion::Static));
            let pose = |slot: Option<usize>| slot.map(|slot| frame(&self.model, &self.state, slot));
            let world_from_joint = pose(parent).map_or(joint.frames[0], |pose| pose * joint.frames[0]);
            let on_child = pose(child).map_or(world_from_joint, |pose| pose.relative(&world_from_joint));
            let coordinates = self.kept().remove(&joint.spec.name).unwrap_or_default();
            Lock { on_child, coordinates: coordinates.into_iter().map(|[q, _]| [q, 0.0]).collect() }
        });
        Ok(self.edit_assembly(|assembly| assembly.joints[at].lock = lock)?)
    }

    fn assembled(&self, joint: JointKey) -> Result<usize, ChangeError> {
        self.assembled_at(joint).map_err(|error| match joint {
            JointKey::Name(name) => {
                let known = self.model.assembly.joints.iter().map(|joint| joint.spec.name.as_str());
                SceneErrors::from(SceneError::unknown_word(SpecPath::top("joint"), name, "joint", known))
                    .into()
            }
            JointKey::Id(_) => error.into(),
        })
    }

    /// Checks a joint alone, between bodies of this world.
    fn check_joint(&self, joint: &Joint) -> Result<(), SceneErrors> {
        let mut scene = Scene { joints: vec![joint.clone()], ..Scene::default() };
        for name in joint.parent.iter().chain([&joint.child]) {
            let Some(slot) = find(&self.model, name) else { continue };
            let body = &self.model.bodies[slot];
            let mut spec = match body.motion {
                Motion::Dynamic | Motion::Link { .. } => {
                    crate::scene::Body::dynamic(name.clone()).sphere(1.0)
                }
                Motion::Static => crate::scene::Body::fixed(name.clone()).sphere(1.0),
                Motion::Driven(_) => crate::scene::Body::driven(name.clone(), [0.0; 3], [0.0; 3]).sphere(1.0),
            };
            spec.position = self.state.position[slot];
            (spec.lock.linear, spec.lock.angular) = (body.lock_linear, body.lock_angular);
            scene.bodies.push(spec);
        }
        scene.check()
    }

    /// Removes the joints whose load in the last step was above what they bear.
    pub(crate) fn break_joints(&mut self) {
        let assembly = &self.model.assembly;
        let bears_all = |spec: &Joint| spec.break_force.is_infinite() && spec.break_torque.is_infinite();
        if assembly.joints.iter().all(|joint| bears_all(&joint.spec)) {
            return;
        }
        let loads = self.awake_loads();
        let mut broken = Vec::new();
        for (joint, load) in self.model.joints.iter().zip(&loads) {
            let spec = &assembly.joints[joint.assembled as usize].spec;
            let (force, torque) = (load.force.length(), load.torque.length());
            if force > spec.break_force || torque > spec.break_torque {
                broken.push((spec.name.clone(), force, torque));
            }
        }
        for (name, force, torque) in broken {
            let Some(at) = self.model.assembly.joint(&name) else { continue };
            let spec = &self.model.assembly.joints[at].spec;
            let slot = |name: &str| find(&self.model, name);
            let ends = [spec.parent.as_deref().and_then(slot), slot(&spec.child)];
            // Couplings of the joint go with it.
            let number = self.model.assembly.joints[at].number;
            let edited = self.edit_assembly(|assembly| {
                assembly.remove_joints(|joint| joint.name == name);
            });
            if edited.is_ok() {
                let time = self.state.time;
                let body = ends.map(|slot| slot.map(|slot| self.id_of(slot)));
                if let [parent, Some(child)] = body {
                    let joint = Some(JointId { number, world: self.id });
                    let event = Event::of_body(EventKind::Break, child);
                    let bodies = [parent.unwrap_or(child), child];
                    self.work.events.push(Event { bodies, joint, ..event });
                }
                self.removed_joints[1].push((number, name.clone()));
                self.state.broken.push(Broken { name, time, force, torque });
            }
        }
    }
}
