//! Derivative of the smooth forces with respect to velocity, for the implicit integrators.
//!
//! D is kept in the pattern of the mass matrix: entries between dofs of which neither carries the other are left out, as MuJoCo does.

use super::actuator::{GainKind, Motion, Transmission};
use super::base::{TreeKinematics, TreeScratch, bias, kinematics};
use super::fluid;
use super::forward::Forward;
use super::model::{Integration, Mechanism, MechanismState};
use super::passive::damping_slope;
use super::servo::At;

/// Share of a bound within which a sum of forces is at it.
const NEAR: f64 = 1e-10;

/// Adds `factor`·rowᵀrow in the pattern of the tree.
fn add_outer(m: &Mechanism, row: &[f64], factor: f64, d: &mut [f64]) {
    let n = row.len();
    for a in (0..n).filter(|&a| row[a] != 0.0) {
        for b in m.tree.path_from_dof(a).filter(|&b| row[b] != 0.0) {
            let x = factor * row[a] * row[b];
            d[a * n + b] += x;
            if a != b {
                d[b * n + a] += x;
            }
        }
    }
}

/// Dofs whose own range of actuator forces is reached.
fn saturated(m: &Mechanism, forward: &Forward, dof: usize) -> bool {
    m.joints.iter().any(|joint| {
        joint.dof == dof
            && joint.actuator_range.is_some_and(|[low, high]| {
                let force = forward.actuator[dof];
                force <= low || force >= high
            })
    })
}

/// True for an actuator whose force, or that of its tendon or joint, is at an end of its range: it gives no derivative.
pub(super) fn is_saturated(m: &Mechanism, forward: &Forward, i: usize) -> bool {
    let actuator = &m.actuators[i];
    let at_end =
        |range: Option<[f64; 2]>, force: f64| range.is_some_and(|[low, high]| force <= low || force >= high);
    // Forces that were scaled to their bound add up to it but for round-off.
    let inward = |[low, high]: [f64; 2]| [low + NEAR * low.abs(), high - NEAR * high.abs()];
    let on_joint = match actuator.transmission {
        Transmission::Tendon(id) => {
            let total: f64 = (0..m.actuators.len())
                .filter(|&k| m.actuators[k].transmission == actuator.transmission)
                .map(|k| forward.actuator_force[k] - forward.mechanical_force[k])
                .sum();
            at_end(m.tendons[id].actuator_range.map(inward), total)
        }
        _ => joint_is_saturated(m, forward, i),
    };
    on_joint || at_end(actuator.forcerange, forward.actuator_force[i] - forward.mechanical_force[i])
}

/// Derivatives of an actuator's force with respect to its length and velocity.
pub(super) fn force_slopes(m: &Mechanism, state: &MechanismState, forward: &Forward, i: usize) -> [f64; 2] {
    let actuator = &m.actuators[i];
    let bounded = is_saturated(m, forward, i);
    let motion = Motion { length: forward.actuator_length[i], velocity: forward.actuator_velocity[i] };
    if actuator.gain == GainKind::DcMotor {
        // A joint at its bound takes nothing from a motor; its own bounds are of its windings alone.
        if joint_is_saturated(m, forward, i) {
            return [0.0; 2];
        }
        let (controls, count) = m.controls(i, state);
        let act = &state.act[actuator.act.clone()];
        let at = At { controls: &controls[..count], act, motion, step: m.timestep };
        return actuator.motor_slopes(&at, &forward.activation_rate[actuator.act.clone()], bounded);
    }
    if bounded {
        return [0.0; 2];
    }
    let ([by_length, bias_by_length], [gain, bias]) =
        (actuator.length_slopes(), actuator.velocity_slopes(motion));
    if by_length == 0.0 && gain == 0.0 {
        return [bias_by_length, bias];
    }
    let input = m.input(i, state, &forward.activation_rate, motion);
    [bias_by_length + by_length * input, bias + gain * input]
}

fn joint_is_saturated(m: &Mechanism, forward: &Forward, i: usize) -> bool {
    match m.actuators[i].transmission {
        Transmission::Joint(id) | Transmission::JointInParent(id) => saturated(m, forward, m.joints[id].dof),
        _ => false,
    }
}

/// ∂(passive + actuator)/∂v, and −∂bias/∂v where the integrator asks for it, row-major n × n.
pub(super) fn smooth_by_velocity(m: &Mechanism, state: &MechanismState, forward: &Forward, d: &mut Vec<f64>) {
    let n = m.tree.dofs();
    d.clear();
    d.resize(n * n, 0.0);
    if m.switches.damper {
        for joint in &m.joints {
            for dof in joint.dof..joint.dof + joint.kind.dofs() {
                d[dof * n + dof] -= damping_slope(&joint.damping, state.qvel[dof]);
            }
        }
        for (i, tendon) in m.tendons.iter().enumerate() {
            let slope = damping_slope(&tendon.damping, forward.tendon_velocity[i]);
            if slope != 0.0 {
                add_outer(m, &forward.tendon_rows[i * n..(i + 1) * n], -slope, d);
            }
        }
    }
    if m.switches.actuation {
        actuators(m, state, forward, d);
    }
    if m.switches.spring || m.switches.damper {
        medium(m, &forward.kin, d);
    }
    if m.integration == Integration::Implicit {
        add_bias(m, state, forward, 0..n, d);
    } else {
        for &first in &m.standalone {
            add_bias(m, state, forward, first..first + 6, d);
        }
    }
}

fn actuators(m: &Mechanism, state: &MechanismState, forward: &Forward, d: &mut [f64]) {
    let n = m.tree.dofs();
    for i in (0..m.actuators.len()).filter(|i| m.actuators[*i].works) {
        let slope = force_slopes(m, state, forward, i)[1];
        if slope != 0.0 {
            add_outer(m, &forward.actuator_rows.dense(i, n), slope, d);
        }
    }
}

fn medium(m: &Mechanism, kin: &TreeKinematics, d: &mut [f64]) {
    let n = m.tree.dofs();
    fluid::derivatives(m, kin, |link, frame, mut b| {
        let path: Vec<usize> = m.tree.path(link).collect();
        let alone = path.last().is_some_and(|first| m.standalone.contains(first));
        if m.integration == Integration::ImplicitFast && !alone {
            let whole = b;
            for (i, row) in b.iter_mut().enumerate() {
                row.iter_mut().enumerate().for_each(|(j, x)| *x = 0.5 * (whole[i][j] + whole[j][i]));
            }
        }
        let columns: Vec<[f64; 6]> = path
            .iter()
            .map(|&dof| {
                let axis = &kin.axis[dof];
                let v = frame.inverse_rotate(axis.at(frame.translation));
                let w = frame.inverse_rotate(axis.angular);
                [v.x, v.y, v.z, w.x, w.y, w.z]
            })
            .collect();
        for (x, &row) in columns.iter().zip(&path) {
            for (y, &column) in columns.iter().zip(&path) {
                let mut sum = 0.0;
                for i in 0..6 {
                    for j in 0..6 {
                        sum += x[i] * b[i][j] * y[j];
                    }
                }
                d[row * n + column] += sum;
            }
        }
    });
}

/// Adds −∂bias/∂v of some dofs. The bias is a polynomial of second degree in velocity, so that central differences are exact but for rounding.
fn add_bias(
    m: &Mechanism,
    state: &MechanismState,
    forward: &Forward,
    dofs: std::ops::Range<usize>,
    d: &mut [f64],
) {
    let n = m.tree.dofs();
    let q: Vec<f64> = state.qpos.iter().zip(&m.offset).map(|(q, o)| q - o).collect();
    let mut v = state.qvel.clone();
    let mut kin = forward.kin.clone();
    let mut scratch = TreeScratch::default();
    let (mut plus, mut minus) = (vec![0.0; n], vec![0.0; n]);
    let gravity = m.acting_gravity();
    for column in dofs {
        let step = 1.0 + v[column].abs();
        let keep = v[column];
        for (sign, out) in [(1.0, &mut plus), (-1.0, &mut minus)] {
            v[column] = keep + sign * step;
            kinematics(&m.tree, &q, &v, &mut kin);
            bias(&m.tree, &kin, gravity, &[], &mut scratch, out);
        }
        v[column] = keep;
        for row in 0..n {
            d[row * n + column] += (plus[row] - minus[row]) / (2.0 * step);
        }
    }
}
