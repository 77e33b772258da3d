//! Springs, dampers, the compensation of gravity, and the medium.

use super::base::{JointKind, TreeKinematics};
use super::fluid;
use super::forward::Forward;
use super::model::{JointProperties, Mechanism};
use super::tendon::Tendon;
use super::transmission::{log, quat_at};
use huygens_math::Vec3;

/// c₀ + c₁ x + c₂ x².
fn polynomial(c: &[f64; 3], x: f64) -> f64 {
    c[0] + x * (c[1] + x * c[2])
}

/// Force −x(c₀ + c₁x + c₂x²) of a spring: of even orders the side counts, as MuJoCo has it.
fn pulled_back(c: &[f64; 3], x: f64) -> f64 {
    -x * polynomial(c, x)
}

/// Force −v(c₀ + c₁|v| + c₂v²) of a damper.
fn against(c: &[f64; 3], x: f64) -> f64 {
    -x * polynomial(c, x.abs())
}

/// Slope of a spring's force with its sign turned: c₀ + 2c₁x + 3c₂x².
pub(super) fn spring_slope(c: &[f64; 3], x: f64) -> f64 {
    c[0] + x * (2.0 * c[1] + 3.0 * c[2] * x)
}

/// How far a tendon is beyond the lengths at which it is slack [m].
pub(super) fn stretch(tendon: &Tendon, length: f64) -> f64 {
    let [low, high] = tendon.slack;
    if length > high {
        length - high
    } else if length < low {
        length - low
    } else {
        0.0
    }
}

/// Slope of a damper's force: c₀ + 2c₁|v| + 3c₂v².
pub(super) fn damping_slope(c: &[f64; 3], v: f64) -> f64 {
    c[0] + v.abs() * (2.0 * c[1] + 3.0 * c[2] * v.abs())
}

fn spring(joint: &JointProperties, q: &[f64], out: &mut [f64]) {
    let k = &joint.stiffness;
    if *k == [0.0; 3] {
        return;
    }
    let q = &q[joint.coordinate..];
    let mut vector = |at: usize, x: Vec3| {
        let force = x * -polynomial(k, x.length());
        (0..3).for_each(|i| out[joint.dof + at + i] += force[i]);
    };
    match joint.kind {
        JointKind::Hinge | JointKind::Slide | JointKind::Screw => {
            out[joint.dof] += pulled_back(k, q[0] - joint.rest[0]);
        }
        JointKind::BallLocal => vector(0, log(quat_at(&joint.rest).conjugate() * quat_at(q))),
        JointKind::FreeLocal => {
            vector(0, Vec3::from_slice(q) - Vec3::from_slice(&joint.rest));
            vector(3, log(quat_at(&joint.rest[3..]).conjugate() * quat_at(&q[3..])));
        }
        JointKind::Fixed | JointKind::Ball | JointKind::Free => {}
    }
}

/// Fills the passive forces of `out`, and what of gravity's compensation is an actuator's force.
pub(super) fn passive(m: &Mechanism, qpos: &[f64], out: &mut Forward) {
    let n = m.tree.dofs();
    let Forward { kin, passive, gravity_by_actuators, tendon_rows, tendon_length, tendon_velocity, .. } = out;
    passive.clear();
    passive.resize(n, 0.0);
    gravity_by_actuators.clear();
    gravity_by_actuators.resize(n, 0.0);
    for joint in &m.joints {
        if m.switches.spring {
            spring(joint, qpos, passive);
        }
        if m.switches.damper {
            let dofs = joint.dof..joint.dof + joint.kind.dofs();
            for (force, v) in passive[dofs.clone()].iter_mut().zip(&kin.velocity[dofs]) {
                *force += against(&joint.damping, *v);
            }
        }
    }
    for (i, tendon) in m.tendons.iter().enumerate() {
        let mut force = 0.0;
        if m.switches.spring {
            force += pulled_back(&tendon.stiffness, stretch(tendon, tendon_length[i]));
        }
        if m.switches.damper {
            force += against(&tendon.damping, tendon_velocity[i]);
        }
        if force != 0.0 {
            (0..n).for_each(|dof| passive[dof] += force * tendon_rows[i * n + dof]);
        }
    }
    if !m.switches.spring && !m.switches.damper {
        return;
    }
    gravity_compensation(m, kin, passive, gravity_by_actuators);
    fluid::forces(m, kin, |f| {
        for dof in m.tree.path(f.link) {
            let axis = &kin.axis[dof];
            passive[dof] += f.force.dot(axis.at(f.at)) + f.torque.dot(axis.angular);
        }
    });
}

/// Passive forces by their source, for the ledger; their sum is [`Forward::passive`] and the compensation by actuators.
#[derive(Clone, Debug, Default)]
pub struct PassiveParts {
    /// Springs of joints and tendons.
    pub spring: Vec<f64>,
    /// Dampers of joints and tendons.
    pub damper: Vec<f64>,
    /// The medium.
    pub medium: Vec<f64>,
    /// The compensation of gravity, that by actuators included.
    pub compensation: Vec<f64>,
}

/// Fills the parts at the state of `f`.
pub fn passive_parts(m: &Mechanism, qpos: &[f64], f: &Forward, parts: &mut PassiveParts) {
    let n = m.tree.dofs();
    let PassiveParts { spring: springs, damper, medium, compensation } = parts;
    for list in [&mut *springs, &mut *damper, &mut *medium, &mut *compensation] {
        list.clear();
        list.resize(n, 0.0);
    }
    for joint in &m.joints {
        if m.switches.spring {
            spring(joint, qpos, springs);
        }
        for dof in (joint.dof..joint.dof + joint.kind.dofs()).filter(|_| m.switches.damper) {
            damper[dof] += against(&joint.damping, f.kin.velocity[dof]);
        }
    }
    for (i, tendon) in m.tendons.iter().enumerate() {
        let pull = if m.switches.spring {
            pulled_back(&tendon.stiffness, stretch(tendon, f.tendon_length[i]))
        } else {
            0.0
        };
        let drag = if m.switches.damper { against(&tendon.damping, f.tendon_velocity[i]) } else { 0.0 };
        for dof in 0..n {
            springs[dof] += pull * f.tendon_rows[i * n + dof];
            damper[dof] += drag * f.tendon_rows[i * n + dof];
        }
    }
    if !m.switches.spring && !m.switches.damper {
        return;
    }
    let mut by_actuators = vec![0.0; n];
    gravity_compensation(m, &f.kin, compensation, &mut by_actuators);
    fluid::forces(m, &f.kin, |force| {
        for dof in m.tree.path(force.link) {
            let axis = &f.kin.axis[dof];
            medium[dof] += force.force.dot(axis.at(force.at)) + force.torque.dot(axis.angular);
        }
    });
}

/// Energy in the springs of joints and tendons [J].
pub fn elastic_energy(m: &Mechanism, qpos: &[f64], tendon_length: &[f64]) -> f64 {
    if !m.switches.spring {
        return 0.0;
    }
    let stored = |c: &[f64; 3], x: f64| x * x * (0.5 * c[0] + x * (c[1] / 3.0 + x * 0.25 * c[2]));
    let mut sum = 0.0;
    for joint in m.joints.iter().filter(|j| j.stiffness != [0.0; 3]) {
        let (k, q) = (&joint.stiffness, &qpos[joint.coordinate..]);
        sum += match joint.kind {
            JointKind::Hinge | JointKind::Slide | JointKind::Screw => stored(k, q[0] - joint.rest[0]),
            JointKind::BallLocal => stored(k, log(quat_at(&joint.rest).conjugate() * quat_at(q)).length()),
            JointKind::FreeLocal => {
                let turn = log(quat_at(&joint.rest[3..]).conjugate() * quat_at(&q[3..])).length();
                stored(k, (Vec3::from_slice(q) - Vec3::from_slice(&joint.rest)).length()) + stored(k, turn)
            }
            JointKind::Fixed | JointKind::Ball | JointKind::Free => 0.0,
        };
    }
    let tendons = m.tendons.iter().zip(tendon_length);
    sum + tendons.map(|(t, length)| stored(&t.stiffness, stretch(t, *length))).sum::<f64>()
}

fn gravity_compensation(m: &Mechanism, kin: &TreeKinematics, passive: &mut [f64], actuated: &mut [f64]) {
    if !m.switches.gravity || m.gravity_compensation.iter().all(|g| *g == 0.0) {
        return;
    }
    let mut force = vec![0.0; passive.len()];
    for (link, share) in m.gravity_compensation.iter().enumerate().filter(|(_, share)| **share != 0.0) {
        let lift = m.gravity * (-m.tree.links()[link].mass * share);
        for dof in m.tree.path(link) {
            force[dof] += lift.dot(kin.axis[dof].at(kin.com[link]));
        }
    }
    for joint in &m.joints {
        for dof in joint.dof..joint.dof + joint.kind.dofs() {
            if joint.actuator_gravity { actuated[dof] += force[dof] } else { passive[dof] += force[dof] }
        }
    }
}
