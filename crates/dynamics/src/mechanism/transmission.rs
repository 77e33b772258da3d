//! Length of a transmission and its derivative with respect to the dofs.

use super::actuator::Transmission;
use super::base::{JointKind, TreeKinematics};
use super::model::{Mechanism, Place};
use huygens_math::trig::atan2;
use huygens_math::{Pose, Quat, Vec3};

/// The rotation vector of a unit quaternion, of the shorter way [rad].
pub(super) fn log(q: Quat) -> Vec3 {
    let v = Vec3::new(q.x, q.y, q.z);
    let s = v.length();
    if s < 1e-15 {
        return Vec3::ZERO;
    }
    let mut angle = 2.0 * atan2(s, q.w);
    if angle > std::f64::consts::PI {
        angle -= 2.0 * std::f64::consts::PI;
    }
    v * (angle / s)
}

/// The unit quaternion at w, x, y, z.
pub(super) fn quat_at(q: &[f64]) -> Quat {
    Quat::from_xyzw(q[1], q[2], q[3], q[0]).normalize()
}

/// Where a place is in the world.
pub(super) fn world_from(kin: &TreeKinematics, place: &Place) -> Pose {
    kin.world_from_link[place.link] * place.pose
}

fn vec(g: &[f64]) -> Vec3 {
    Vec3::new(g[0], g[1], g[2])
}

/// Lengths of all tendons, and their derivatives, a row each.
pub(super) struct TendonLengths<'f> {
    pub lengths: &'f [f64],
    pub rows: &'f [f64],
}

/// Length of the transmission of actuator `i`; `row`, which must be zero, gets its derivative.
pub(super) fn transmission(
    m: &Mechanism,
    kin: &TreeKinematics,
    qpos: &[f64],
    tendons: &TendonLengths<'_>,
    i: usize,
    row: &mut [f64],
) -> f64 {
    let actuator = &m.actuators[i];
    let gear = &actuator.gear;
    let n = row.len();
    match actuator.transmission {
        Transmission::Joint(id) | Transmission::JointInParent(id) => {
            let joint = &m.joints[id];
            let in_parent = matches!(actuator.transmission, Transmission::JointInParent(_));
            joint_transmission(joint.kind, &qpos[joint.coordinate..], gear, in_parent, &mut row[joint.dof..])
        }
        Transmission::Tendon(id) => {
            for (out, x) in row.iter_mut().zip(&tendons.rows[id * n..(id + 1) * n]) {
                *out = gear[0] * x;
            }
            gear[0] * tendons.lengths[id]
        }
        Transmission::Site { site, refsite: None } => {
            let pose = world_from(kin, &m.sites[site]);
            let (force, torque) = (pose.rotate(vec(&gear[..3])), pose.rotate(vec(&gear[3..])));
            for dof in m.tree.path(m.sites[site].link) {
                let axis = &kin.axis[dof];
                row[dof] = force.dot(axis.at(pose.translation)) + torque.dot(axis.angular);
            }
            0.0
        }
        Transmission::Site { site, refsite: Some(reference) } => {
            relative(m, kin, [site, reference], gear, row)
        }
        Transmission::SliderCrank { crank, slider, rod } => {
            slider_crank(m, kin, [crank, slider], rod, gear[0], row)
        }
        Transmission::Body(_) => 0.0,
    }
}

fn joint_transmission(kind: JointKind, q: &[f64], gear: &[f64; 6], in_parent: bool, row: &mut [f64]) -> f64 {
    match kind {
        JointKind::Hinge | JointKind::Slide | JointKind::Screw => {
            row[0] = gear[0];
            gear[0] * q[0]
        }
        JointKind::BallLocal => {
            let turn = quat_at(q);
            let axis = if in_parent { turn.conjugate() * vec(&gear[..3]) } else { vec(&gear[..3]) };
            row[..3].copy_from_slice(&axis.to_array());
            log(turn).dot(axis)
        }
        JointKind::FreeLocal => {
            let turn = quat_at(&q[3..]);
            let axis = if in_parent { turn.conjugate() * vec(&gear[3..]) } else { vec(&gear[3..]) };
            row[..3].copy_from_slice(&gear[..3]);
            row[3..6].copy_from_slice(&axis.to_array());
            0.0
        }
        JointKind::Fixed | JointKind::Ball | JointKind::Free => 0.0,
    }
}

/// Pose of a site in a reference site's frame, along the gear.
fn relative(m: &Mechanism, kin: &TreeKinematics, sites: [usize; 2], gear: &[f64; 6], row: &mut [f64]) -> f64 {
    let [a, b] = sites.map(|id| &m.sites[id]);
    let [pa, pb] = [a, b].map(|place| world_from(kin, place));
    let (move_by, turn_by) = (vec(&gear[..3]), vec(&gear[3..]));
    let mut length = 0.0;
    if move_by != Vec3::ZERO {
        length += pb.inverse_transform(pa.translation).dot(move_by);
    }
    if turn_by != Vec3::ZERO {
        length += log(pb.rotation.conjugate() * pa.rotation).dot(turn_by);
    }
    let (force, torque) = (pb.rotate(move_by), pb.rotate(turn_by));
    let shared: Vec<usize> = m.tree.path(b.link).collect();
    for dof in m.tree.path(a.link).filter(|dof| !shared.contains(dof)) {
        let axis = &kin.axis[dof];
        row[dof] += force.dot(axis.at(pa.translation)) + torque.dot(axis.angular);
    }
    let own: Vec<usize> = m.tree.path(a.link).collect();
    for dof in shared.into_iter().filter(|dof| !own.contains(dof)) {
        let axis = &kin.axis[dof];
        row[dof] -= force.dot(axis.at(pb.translation)) + torque.dot(axis.angular);
    }
    length
}

fn slider_crank(
    m: &Mechanism,
    kin: &TreeKinematics,
    sites: [usize; 2],
    rod: f64,
    gear: f64,
    row: &mut [f64],
) -> f64 {
    let [crank, slider] = sites.map(|id| &m.sites[id]);
    let [c, s] = [crank, slider].map(|place| world_from(kin, place));
    let axis = s.rotate(Vec3::Z);
    let v = c.translation - s.translation;
    let along = v.dot(axis);
    let det = along * along + rod * rod - v.length_squared();
    // l = a·v − √det; out of reach the rod is left aside.
    let (length, by_axis, by_v) = if det <= 0.0 {
        (along, v, axis)
    } else {
        let root = det.sqrt();
        (along - root, v * (1.0 - along / root), axis * (1.0 - along / root) + v / root)
    };
    for dof in m.tree.path(crank.link) {
        row[dof] += gear * by_v.dot(kin.axis[dof].at(c.translation));
    }
    for dof in m.tree.path(slider.link) {
        let moving = &kin.axis[dof];
        row[dof] += gear * (by_axis.dot(moving.angular.cross(axis)) - by_v.dot(moving.at(s.translation)));
    }
    length * gear
}
