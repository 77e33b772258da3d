//! Sensors that need no contacts: poses, velocities, accelerations, forces in joints.

use super::base::{TreeKinematics, accelerations};
use super::forward::Forward;
use super::model::{Mechanism, MechanismState, Place};
use super::transmission::{quat_at, world_from};
use huygens_math::{Pose, Twist, Vec3};

/// What a frame sensor looks at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// A frame on a link.
    pub place: Place,
}

/// What a sensor tells.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "MuJoCo's words")]
pub enum SensorKind {
    Accelerometer(usize),
    Velocimeter(usize),
    Gyro(usize),
    Force(usize),
    Torque(usize),
    Magnetometer(usize, Vec3),
    /// A coordinate.
    JointPos(usize),
    /// A velocity.
    JointVel(usize),
    TendonPos(usize),
    TendonVel(usize),
    ActuatorPos(usize),
    ActuatorVel(usize),
    ActuatorFrc(usize),
    /// Actuator force on a dof.
    JointActuatorFrc(usize),
    TendonActuatorFrc(usize),
    /// First number of a ball's quaternion.
    BallQuat(usize),
    /// First dof of a ball.
    BallAngVel(usize),
    FramePos(Frame, Option<Frame>),
    FrameQuat(Frame, Option<Frame>),
    /// The axis with that number.
    FrameAxis(Frame, Option<Frame>, usize),
    FrameLinVel(Frame, Option<Frame>),
    FrameAngVel(Frame, Option<Frame>),
    FrameLinAcc(Frame),
    FrameAngAcc(Frame),
    SubtreeCom(usize),
    SubtreeLinVel(usize),
    SubtreeAngMom(usize),
    /// Where a site is in the picture of a camera [pixels from the upper left corner].
    CamProjection {
        site: usize,
        camera: Frame,
        /// Focal lengths across and down [pixels].
        focal: [f64; 2],
        /// Pixels across and down.
        resolution: [f64; 2],
    },
    Clock,
    /// Kinetic energy.
    Kinetic,
    /// Zeros: what contacts, limits or rays tell.
    Silent,
}

/// A sensor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sensor {
    /// What it tells.
    pub kind: SensorKind,
    /// How many numbers.
    pub dim: usize,
    /// Largest size of a number; 0 for none.
    pub cutoff: f64,
    /// Numbers that cannot be negative are cut off above only.
    pub positive: bool,
}

/// Motion of links when the dofs accelerate.
struct Accelerated {
    links: Vec<Twist>,
    /// Force and torque about its centre of mass that each link and all below it need from its parent.
    wrench: Vec<Twist>,
}

/// The values of sensors; `acceleration` is that of the dofs.
pub fn sense(
    m: &Mechanism,
    state: &MechanismState,
    forward: &Forward,
    acceleration: &[f64],
    sensors: &[Sensor],
) -> Vec<Vec<f64>> {
    let kin = &forward.kin;
    let mut links = Vec::new();
    accelerations(&m.tree, kin, acceleration, &mut links);
    let wrench = interaction(m, state, forward, &links);
    let accelerated = Accelerated { links, wrench };
    sensors
        .iter()
        .map(|sensor| {
            let mut values = value(m, state, forward, &accelerated, sensor);
            values.resize(sensor.dim, 0.0);
            if sensor.cutoff > 0.0 {
                let cut = sensor.cutoff;
                let low = if sensor.positive { f64::NEG_INFINITY } else { -cut };
                values.iter_mut().for_each(|x| *x = huygens_math::scalar::clamp(*x, low, cut));
            }
            values
        })
        .collect()
}

/// What each link needs from its parent: Newton's and Euler's equations, from the leaves to the roots.
fn interaction(m: &Mechanism, state: &MechanismState, forward: &Forward, links: &[Twist]) -> Vec<Twist> {
    let kin = &forward.kin;
    let gravity = m.acting_gravity();
    let mut wrench: Vec<Twist> = (0..links.len())
        .map(|i| {
            let spin = kin.twist[i].angular;
            let force = (links[i].linear - gravity) * m.tree.links()[i].mass;
            let torque = kin.inertia[i] * links[i].angular + spin.cross(kin.inertia[i] * spin);
            let x = state.xfrc_applied.get(i).copied().unwrap_or_default();
            let pushed = forward.constraint_wrench.get(i).copied().unwrap_or_default();
            let given = Twist::new(Vec3::new(x[0], x[1], x[2]), Vec3::new(x[3], x[4], x[5])) + pushed;
            Twist::new(force - given.linear, torque - given.angular)
        })
        .collect();
    for i in (0..wrench.len()).rev() {
        if let Some(p) = m.tree.links()[i].parent {
            let below = wrench[i];
            let arm = kin.com[i] - kin.com[p];
            wrench[p] += Twist::new(below.linear, below.angular + arm.cross(below.linear));
        }
    }
    wrench
}

fn velocity_at(kin: &TreeKinematics, link: usize, at: Vec3) -> Vec3 {
    kin.twist[link].linear + kin.twist[link].angular.cross(at - kin.com[link])
}

fn acceleration_at(kin: &TreeKinematics, links: &[Twist], link: usize, at: Vec3) -> Vec3 {
    let (spin, arm) = (kin.twist[link].angular, at - kin.com[link]);
    links[link].linear + links[link].angular.cross(arm) + spin.cross(spin.cross(arm))
}

fn value(
    m: &Mechanism,
    state: &MechanismState,
    forward: &Forward,
    accelerated: &Accelerated,
    sensor: &Sensor,
) -> Vec<f64> {
    let kin = &forward.kin;
    let site = |id: usize| (m.sites[id].link, world_from(kin, &m.sites[id]));
    let list = |v: Vec3| v.to_array().to_vec();
    let frame = |f: &Frame| (f.place.link, world_from(kin, &f.place));
    match sensor.kind {
        SensorKind::Accelerometer(id) => {
            let (link, pose) = site(id);
            let a = acceleration_at(kin, &accelerated.links, link, pose.translation) - m.acting_gravity();
            list(pose.inverse_rotate(a))
        }
        SensorKind::Velocimeter(id) => {
            let (link, pose) = site(id);
            list(pose.inverse_rotate(velocity_at(kin, link, pose.translation)))
        }
        SensorKind::Gyro(id) => {
            let (link, pose) = site(id);
            list(pose.inverse_rotate(kin.twist[link].angular))
        }
        SensorKind::Force(id) => {
            let (link, pose) = site(id);
            list(pose.inverse_rotate(accelerated.wrench[link].linear))
        }
        SensorKind::Torque(id) => {
            let (link, pose) = site(id);
            let w = accelerated.wrench[link];
            let torque = w.angular + (kin.com[link] - pose.translation).cross(w.linear);
            list(pose.inverse_rotate(torque))
        }
        SensorKind::Magnetometer(id, field) => list(site(id).1.inverse_rotate(field)),
        SensorKind::JointPos(i) => vec![state.qpos[i]],
        SensorKind::JointVel(i) => vec![state.qvel[i]],
        SensorKind::TendonPos(i) => vec![forward.tendon_length[i]],
        SensorKind::TendonVel(i) => vec![forward.tendon_velocity[i]],
        SensorKind::ActuatorPos(i) => vec![forward.actuator_length[i]],
        SensorKind::ActuatorVel(i) => vec![forward.actuator_velocity[i]],
        SensorKind::ActuatorFrc(i) => vec![forward.actuator_force[i]],
        SensorKind::JointActuatorFrc(dof) => vec![forward.actuator[dof]],
        SensorKind::TendonActuatorFrc(id) => {
            let on = |i: &usize| m.actuators[*i].transmission == super::Transmission::Tendon(id);
            vec![(0..m.actuators.len()).filter(on).map(|i| forward.actuator_force[i]).sum()]
        }
        SensorKind::BallQuat(i) => {
            let q = quat_at(&state.qpos[i..]);
            vec![q.w, q.x, q.y, q.z]
        }
        SensorKind::BallAngVel(i) => state.qvel[i..i + 3].to_vec(),
        SensorKind::FramePos(f, reference) => {
            let at = frame(&f).1.translation;
            list(reference.map_or(at, |r| frame(&r).1.inverse_transform(at)))
        }
        SensorKind::FrameQuat(f, reference) => {
            let turn = frame(&f).1.rotation;
            let q = reference.map_or(turn, |r| frame(&r).1.rotation.conjugate() * turn);
            vec![q.w, q.x, q.y, q.z]
        }
        SensorKind::FrameAxis(f, reference, k) => {
            let axis = frame(&f).1.rotate(Vec3::AXES[k]);
            list(reference.map_or(axis, |r| frame(&r).1.inverse_rotate(axis)))
        }
        SensorKind::FrameLinVel(f, reference) => {
            let (link, pose) = frame(&f);
            let v = velocity_at(kin, link, pose.translation);
            list(reference.map_or(v, |r| relative_velocity(kin, &frame(&r), pose.translation, v)))
        }
        SensorKind::FrameAngVel(f, reference) => {
            let w = kin.twist[frame(&f).0].angular;
            list(reference.map_or(w, |r| {
                let (link, pose) = frame(&r);
                pose.inverse_rotate(w - kin.twist[link].angular)
            }))
        }
        SensorKind::FrameLinAcc(f) => {
            let (link, pose) = frame(&f);
            list(acceleration_at(kin, &accelerated.links, link, pose.translation) - m.acting_gravity())
        }
        SensorKind::FrameAngAcc(f) => list(accelerated.links[f.place.link].angular),
        SensorKind::SubtreeCom(link) => list(subtree(m, kin, link).0),
        SensorKind::SubtreeLinVel(link) => list(subtree(m, kin, link).1),
        SensorKind::SubtreeAngMom(link) => list(angular_momentum(m, kin, link)),
        SensorKind::CamProjection { site: id, camera, focal, resolution } => {
            let seen = frame(&camera).1.inverse_transform(site(id).1.translation);
            // A camera looks along its negative z axis; pixels are counted downwards.
            let depth = if seen.z.abs() < 1e-15 { 1e-15 } else { seen.z };
            vec![
                0.5 * resolution[0] - focal[0] * seen.x / depth,
                0.5 * resolution[1] + focal[1] * seen.y / depth,
            ]
        }
        SensorKind::Clock => vec![state.time],
        SensorKind::Kinetic => {
            let n = state.qvel.len();
            let mv = |i: usize| -> f64 { (0..n).map(|j| forward.mass[i * n + j] * state.qvel[j]).sum() };
            vec![0.5 * (0..n).map(|i| state.qvel[i] * mv(i)).sum::<f64>()]
        }
        SensorKind::Silent => Vec::new(),
    }
}

fn relative_velocity(kin: &TreeKinematics, reference: &(usize, Pose), at: Vec3, v: Vec3) -> Vec3 {
    let (link, pose) = reference;
    let carried =
        velocity_at(kin, *link, pose.translation) + kin.twist[*link].angular.cross(at - pose.translation);
    pose.inverse_rotate(v - carried)
}

/// True when `link` is `root` or hangs on it; link 0 is the world.
fn below(m: &Mechanism, root: usize, mut link: usize) -> bool {
    loop {
        if link == root || root == 0 {
            return true;
        }
        match m.tree.links()[link].parent {
            Some(parent) => link = parent,
            None => return false,
        }
    }
}

/// Centre of mass and its velocity of a link with all that hangs on it.
fn subtree(m: &Mechanism, kin: &TreeKinematics, root: usize) -> (Vec3, Vec3) {
    let (mut mass, mut at, mut momentum) = (0.0, Vec3::ZERO, Vec3::ZERO);
    for (i, link) in m.tree.links().iter().enumerate().filter(|(i, _)| below(m, root, *i)) {
        mass += link.mass;
        at += kin.com[i] * link.mass;
        momentum += kin.twist[i].linear * link.mass;
    }
    if mass < 1e-15 {
        return (kin.com[root], Vec3::ZERO);
    }
    (at / mass, momentum / mass)
}

/// Angular momentum about the centre of mass of a link with all that hangs on it.
fn angular_momentum(m: &Mechanism, kin: &TreeKinematics, root: usize) -> Vec3 {
    let (com, velocity) = subtree(m, kin, root);
    let mut total = Vec3::ZERO;
    for (i, link) in m.tree.links().iter().enumerate().filter(|(i, _)| below(m, root, *i)) {
        let momentum = (kin.twist[i].linear - velocity) * link.mass;
        total += kin.inertia[i] * kin.twist[i].angular + (kin.com[i] - com).cross(momentum);
    }
    total
}
