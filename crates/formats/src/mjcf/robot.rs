//! A robot whose scene runs in a world: its state in MuJoCo's layout, its sensors, and the forces that the joints of the scene do not have.
//!
//! Before a step actuators, tendons, the medium and springs of higher order are computed at the state of the robot. A joint of one coordinate
//! gets their sum f with its feedback, f + K(q₀ − q) + C(v₀ − v), which the step treats implicitly, so that stiff servos need no smaller step; ball
//! and free joints get a wrench. After the step the state is read back. As in MuJoCo, sensors belong to the state at which the step began, with the
//! acceleration of the step.

use super::inspect::{Computed, is_silent, list, sensor_name};
use super::mech::{
    DofGains, Forward, Mechanism, MechanismState, advance_activations, diagonal_gains, forward, sense,
};
use super::mechanism::Machine;
use super::model::{JointKind, Model};
use super::scene::Converted;
use crate::json::Object;
use huygens::{BodyId, DofDrive, EditError, JointId, World};
use huygens_math::{Pose, Quat, Vec3};

/// What can be read of a robot, in MuJoCo's layout.
#[derive(Clone, Copy, Debug)]
pub struct Readings<'r> {
    /// The model.
    pub model: &'r Model,
    /// qpos, qvel, act, ctrl.
    pub state: &'r MechanismState,
    /// Values of each sensor.
    pub sensors: &'r [Vec<f64>],
    /// What the sensors could look at.
    pub computed: Computed,
}

impl Readings<'_> {
    /// The four lists of the state by their names.
    pub fn lists(&self) -> [(&'static str, &[f64]); 4] {
        let MechanismState { qpos, qvel, act, ctrl, .. } = self.state;
        [("qpos", qpos), ("qvel", qvel), ("act", act), ("ctrl", ctrl)]
    }

    /// Each sensor that is computed, by its name, or its kind and number.
    pub fn sensors(&self) -> impl Iterator<Item = (String, &[f64])> {
        let computed =
            self.sensors.iter().enumerate().filter(|(i, _)| !is_silent(self.model, *i, self.computed));
        computed.map(|(i, values)| (sensor_name(self.model, i), values.as_slice()))
    }

    /// `qpos, qvel, act, ctrl, sensors` as members of a JSON object.
    pub fn members(&self) -> Vec<(&'static str, String)> {
        let mut members: Vec<_> = self.lists().iter().map(|(name, values)| (*name, list(values))).collect();
        let mut sensors = Object::default();
        for (name, values) in self.sensors() {
            sensors.raw(&name, &list(values));
        }
        members.push(("sensors", sensors.finish()));
        members
    }
}

/// A robot as a part of a scene: its model, and where its parts are there.
#[derive(Clone, Debug)]
pub struct ScenePart {
    /// The model.
    pub model: Model,
    /// Its tree with its forces.
    pub machine: Machine,
    /// Names of its bodies and joints in the scene, what acts from outside of them, and its start. The scene in it may be empty.
    pub made: Converted,
    /// Where the origin of the model is in the scene.
    pub place: Pose,
    /// A name for each of its controls.
    pub controls: Vec<String>,
}

impl ScenePart {
    /// True when something acts on it that the joints of the scene do not have.
    pub fn acts(&self) -> bool {
        acts(&self.made.outside, &self.made.start)
    }

    /// The robot in a world of its scene, which has not stepped.
    ///
    /// # Errors
    /// A body or joint that the world does not have: settings took it away.
    pub fn robot(&self, world: &World) -> Result<SceneRobot, String> {
        SceneRobot::placed(self.model.clone(), self.machine.clone(), &self.made, self.place, world)
    }
}

fn acts(outside: &Mechanism, start: &MechanismState) -> bool {
    !outside.actuators.is_empty()
        || outside.tendons.iter().any(|t| t.stiffness != [0.0; 3] || t.damping != [0.0; 3])
        || outside.joints.iter().any(|j| j.stiffness != [0.0; 3] || j.damping != [0.0; 3])
        || outside.medium.density != 0.0
        || outside.medium.viscosity != 0.0
        || !start.qfrc_applied.is_empty()
        || !start.xfrc_applied.is_empty()
}

/// Where a joint of the model is in the world.
#[derive(Clone, Debug)]
struct Placed {
    /// Its place in [`World::joints`]; none for a free body.
    joint: Option<usize>,
    /// Its handle.
    id: Option<JointId>,
    child: BodyId,
    parent: Option<BodyId>,
    /// Of a ball joint: what its quaternion turns, in the frame of the parent.
    parent_from_ball: Quat,
}

/// A body of the world that joints of the model carry.
#[derive(Clone, Copy, Debug, Default)]
struct Push {
    force: Vec3,
    torque: Vec3,
}

/// A robot whose scene runs in a world.
#[derive(Clone, Debug)]
pub struct SceneRobot {
    model: Model,
    machine: Machine,
    /// What acts from outside of the scene's joints.
    outside: Mechanism,
    acts: bool,
    /// Where the model's origin is in the world.
    place: Pose,
    joints: Vec<Placed>,
    /// Body of the world that carries each body of the model; none for the world itself.
    owners: Vec<Option<BodyId>>,
    /// Centre of mass of the owner in its own frame.
    centres: Vec<Vec3>,
    /// Coordinates in the scene's pose.
    start: Vec<f64>,
    state: MechanismState,
    sensors: Vec<Vec<f64>>,
    // Room for a step.
    last: MechanismState,
    at: Forward,
    whole: Forward,
    gains: Vec<DofGains>,
    coordinates: Vec<[f64; 2]>,
    pushes: Vec<(BodyId, Push)>,
}

impl SceneRobot {
    /// The robot of a model whose scene `made` began in `world`, which has not stepped.
    ///
    /// # Errors
    /// A body or joint of the scene that the world does not have: settings took it away.
    pub fn new(model: Model, machine: Machine, made: &Converted, world: &World) -> Result<Self, String> {
        Self::placed(model, machine, made, Pose::IDENTITY, world)
    }

    /// The same for a model whose origin is at `place`.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn placed(
        model: Model,
        machine: Machine,
        made: &Converted,
        place: Pose,
        world: &World,
    ) -> Result<Self, String> {
        let body = |name: &String| world.find(name).ok_or_else(|| format!("the scene has no body {name:?}"));
        let joint = |name: &String| {
            let found = world.joints().position(|joint| joint.name == name);
            found.ok_or_else(|| format!("the scene has no joint {name:?}"))
        };
        let mut joints = Vec::with_capacity(model.joints.len());
        for (found, source) in made.joints.iter().zip(&model.joints) {
            let mut placed = Placed {
                joint: found.joint.as_ref().map(joint).transpose()?,
                id: found.joint.as_ref().and_then(|name| world.find_joint(name)),
                child: body(&found.child)?,
                parent: found.parent.as_ref().map(body).transpose()?,
                parent_from_ball: Quat::IDENTITY,
            };
            if source.kind == JointKind::Ball {
                let turned = relative_rotation(world, &place, &placed);
                let q = &made.start.qpos[source.qpos..];
                placed.parent_from_ball = turned * quat_at(q).conjugate();
            }
            joints.push(placed);
        }
        let owners = made.owners.iter().map(|name| name.as_ref().map(body).transpose());
        let owners = owners.collect::<Result<Vec<_>, String>>()?;
        let mut outside = made.outside.clone();
        outside.timestep = world.model().settings.dt;
        let mut machine = machine;
        machine.mechanism.timestep = outside.timestep;
        if place != Pose::IDENTITY {
            machine.mechanism.gravity = place.inverse_rotate(world.model().settings.gravity);
        }
        let given = &made.start;
        let acts = acts(&outside, given);
        let mut robot = Self {
            model,
            machine,
            outside,
            acts,
            place,
            joints,
            owners,
            centres: made.centres.clone(),
            start: given.qpos.clone(),
            state: given.clone(),
            sensors: Vec::new(),
            last: MechanismState::default(),
            at: Forward::default(),
            whole: Forward::default(),
            gains: Vec::new(),
            coordinates: Vec::new(),
            pushes: Vec::new(),
        };
        robot.read(world);
        forward(&robot.machine.mechanism, &robot.state, &mut robot.whole);
        robot.sense_last(None);
        Ok(robot)
    }

    /// What can be read now.
    pub fn readings(&self) -> Readings<'_> {
        Readings {
            model: &self.model,
            state: &self.state,
            sensors: &self.sensors,
            computed: Computed::Smooth,
        }
    }

    /// The controls, which hold until they are changed.
    pub fn controls(&mut self) -> &mut [f64] {
        &mut self.state.ctrl
    }

    /// Puts on the world what acts in its next step.
    ///
    /// # Errors
    /// A force that is not finite.
    pub fn before_step(&mut self, world: &mut World) -> Result<(), EditError> {
        self.last.clone_from(&self.state);
        if !self.acts {
            return Ok(());
        }
        // What is applied from outside is no force of the mechanism.
        let applied = std::mem::take(&mut self.last.qfrc_applied);
        let wrenches = std::mem::take(&mut self.last.xfrc_applied);
        forward(&self.outside, &self.last, &mut self.at);
        diagonal_gains(&self.outside, &self.last, &self.at, &mut self.gains);
        let force = |dof: usize| {
            self.at.passive[dof] + self.at.actuator[dof] + applied.get(dof).copied().unwrap_or_default()
        };
        self.pushes.clear();
        let pushes = &mut self.pushes;
        for (joint, placed) in self.model.joints.iter().zip(&self.joints) {
            let vector = |at: usize| Vec3::new(force(at), force(at + 1), force(at + 2));
            match (joint.kind, placed.joint) {
                (JointKind::Hinge | JointKind::Slide, Some(place)) => {
                    let Some(id) = placed.id else { continue };
                    let DofGains { stiffness, damping } = self.gains[joint.dof];
                    let [position, velocity] = self.coordinates[place];
                    let force = force(joint.dof);
                    world.set_joint_drive(id, DofDrive { force, stiffness, damping, position, velocity })?;
                }
                (JointKind::Ball, _) => {
                    let torque = orientation(world, Some(placed.child)) * vector(joint.dof);
                    push(pushes, placed.child, Vec3::ZERO, torque);
                    if let Some(parent) = placed.parent {
                        push(pushes, parent, Vec3::ZERO, -torque);
                    }
                }
                _ => {
                    let turn = orientation(world, Some(placed.child));
                    let force = self.place.rotate(vector(joint.dof));
                    let torque = turn * vector(joint.dof + 3);
                    let arm = -(turn * self.centres[joint.body]);
                    push(pushes, placed.child, force, torque + arm.cross(force));
                }
            }
        }
        for (link, x) in wrenches.iter().enumerate().filter(|(_, x)| **x != [0.0; 6]) {
            let Some(owner) = self.owners[link] else { continue };
            let [force, torque] = [&x[..3], &x[3..]].map(|v| self.place.rotate(Vec3::from_slice(v)));
            let pose = pose(world, owner);
            let arm = self.place.transform(self.at.kin.com[link]) - pose.transform(self.centres[link]);
            push(pushes, owner, force, torque + arm.cross(force));
        }
        for (body, Push { force, torque }) in &self.pushes {
            world.set_force(*body, *force, *torque)?;
        }
        (self.last.qfrc_applied, self.last.xfrc_applied) = (applied, wrenches);
        Ok(())
    }

    /// Reads the state after a step, and the sensors of the state before it.
    pub fn after_step(&mut self, world: &World) {
        if self.acts {
            advance_activations(&self.outside, &self.at, &mut self.state.act, &self.at.activation_rate);
        }
        self.state.time = self.last.time + self.outside.timestep;
        self.read(world);
        if !self.model.sensors.is_empty() {
            forward(&self.machine.mechanism, &self.last, &mut self.whole);
            let h = self.outside.timestep;
            let change = self.state.qvel.iter().zip(&self.last.qvel).map(|(to, from)| (to - from) / h);
            self.sense_last(Some(change.collect()));
        }
    }

    fn sense_last(&mut self, acceleration: Option<Vec<f64>>) {
        let state = if acceleration.is_some() { &self.last } else { &self.state };
        let acceleration = acceleration.as_deref().unwrap_or(&self.whole.qacc_smooth);
        self.sensors =
            sense(&self.machine.mechanism, state, &self.whole, acceleration, &self.machine.sensors);
    }

    fn read(&mut self, world: &World) {
        self.coordinates.clear();
        self.coordinates.extend(world.joints().map(|joint| [joint.q, joint.v]));
        let Self { state, model, place, joints, coordinates, centres, start, .. } = self;
        for (joint, placed) in model.joints.iter().zip(joints) {
            let (q, v) = (joint.qpos, joint.dof);
            match (joint.kind, placed.joint) {
                (JointKind::Hinge | JointKind::Slide, Some(place)) => {
                    let [at, rate] = coordinates[place];
                    (state.qpos[q], state.qvel[v]) = (start[q] + at, rate);
                }
                (JointKind::Ball, _) => {
                    let turn = placed.parent_from_ball.conjugate() * relative_rotation(world, place, placed);
                    put_quat(&mut state.qpos[q..q + 4], turn);
                    let spin = spin(world, Some(placed.child)) - spin(world, placed.parent);
                    let local = orientation(world, Some(placed.child)).conjugate() * spin;
                    state.qvel[v..v + 3].copy_from_slice(&local.to_array());
                }
                _ => {
                    let Ok(body) = world.body(placed.child) else { continue };
                    let at = place.inverse_transform(body.position);
                    state.qpos[q..q + 3].copy_from_slice(&at.to_array());
                    put_quat(&mut state.qpos[q + 3..q + 7], place.rotation.conjugate() * body.orientation);
                    let arm = body.orientation * centres[joint.body];
                    let origin =
                        place.inverse_rotate(body.linear_velocity - body.angular_velocity.cross(arm));
                    let local = body.orientation.conjugate() * body.angular_velocity;
                    state.qvel[v..v + 3].copy_from_slice(&origin.to_array());
                    state.qvel[v + 3..v + 6].copy_from_slice(&local.to_array());
                }
            }
        }
    }
}

fn push(pushes: &mut Vec<(BodyId, Push)>, body: BodyId, force: Vec3, torque: Vec3) {
    let at = pushes.iter().position(|(id, _)| *id == body).unwrap_or_else(|| {
        pushes.push((body, Push::default()));
        pushes.len() - 1
    });
    pushes[at].1.force += force;
    pushes[at].1.torque += torque;
}

fn pose(world: &World, body: BodyId) -> Pose {
    world.body(body).map_or(Pose::IDENTITY, |body| Pose::new(body.orientation, body.position))
}

fn orientation(world: &World, body: Option<BodyId>) -> Quat {
    body.map_or(Quat::IDENTITY, |body| pose(world, body).rotation)
}

fn spin(world: &World, body: Option<BodyId>) -> Vec3 {
    body.and_then(|body| world.body(body).ok()).map_or(Vec3::ZERO, |body| body.angular_velocity)
}

fn relative_rotation(world: &World, place: &Pose, placed: &Placed) -> Quat {
    let parent = placed.parent.map_or(place.rotation, |body| orientation(world, Some(body)));
    parent.conjugate() * orientation(world, Some(placed.child))
}

fn quat_at(q: &[f64]) -> Quat {
    Quat::from_xyzw(q[1], q[2], q[3], q[0]).normalize()
}

/// Writes w, x, y, z; of the two quaternions of a turn the one nearer to what is there.
fn put_quat(out: &mut [f64], turn: Quat) {
    let new = [turn.w, turn.x, turn.y, turn.z];
    let along: f64 = out.iter().zip(new).map(|(old, new)| old * new).sum();
    let sign = if along < 0.0 { -1.0 } else { 1.0 };
    out.iter_mut().zip(new).for_each(|(out, new)| *out = sign * new);
}
