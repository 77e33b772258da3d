//! Feedback along single dofs: what an engine that steps the mechanism's tree by its own means treats implicitly.

use super::derivative::force_slopes;
use super::forward::Forward;
use super::model::{Mechanism, MechanismState};
use super::passive::{damping_slope, spring_slope, stretch};
use huygens_math::scalar;

/// Feedback along one dof.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DofGains {
    /// −∂f/∂q, at least 0 [N/m or N m/rad].
    pub stiffness: f64,
    /// −∂f/∂v, at least 0 [N s/m or N m s/rad].
    pub damping: f64,
}

/// Feedback of joint springs and dampers, tendons and actuators along each dof: the diagonal of their derivatives, each part that pulls back.
/// For a transmission along one joint this is the whole derivative.
pub fn diagonal_gains(m: &Mechanism, state: &MechanismState, at: &Forward, gains: &mut Vec<DofGains>) {
    let n = m.tree.dofs();
    gains.clear();
    gains.resize(n, DofGains::default());
    let mut add = |dof: usize, square: f64, stiffness: f64, damping: f64| {
        gains[dof].stiffness += square * scalar::max(stiffness, 0.0);
        gains[dof].damping += square * scalar::max(damping, 0.0);
    };
    for joint in &m.joints {
        let one = joint.kind.coordinates() == 1;
        for dof in joint.dof..joint.dof + joint.kind.dofs() {
            let x = if one { state.qpos[joint.coordinate] - joint.rest[0] } else { 0.0 };
            let stiffness = if one && m.switches.spring { spring_slope(&joint.stiffness, x) } else { 0.0 };
            let damping =
                if m.switches.damper { damping_slope(&joint.damping, state.qvel[dof]) } else { 0.0 };
            add(dof, 1.0, stiffness, damping);
        }
    }
    for (i, tendon) in m.tendons.iter().enumerate() {
        let x = stretch(tendon, at.tendon_length[i]);
        let stiffness = if m.switches.spring && x != 0.0 { spring_slope(&tendon.stiffness, x) } else { 0.0 };
        let damping =
            if m.switches.damper { damping_slope(&tendon.damping, at.tendon_velocity[i]) } else { 0.0 };
        let row = &at.tendon_rows[i * n..(i + 1) * n];
        (0..n)
            .filter(|dof| row[*dof] != 0.0)
            .for_each(|dof| add(dof, row[dof] * row[dof], stiffness, damping));
    }
    if !m.switches.actuation {
        return;
    }
    for i in (0..m.actuators.len()).filter(|i| m.actuators[*i].works) {
        let [stiffness, damping] = force_slopes(m, state, at, i).map(|slope| -slope);
        at.actuator_rows.row(i).for_each(|(dof, value)| add(dof, value * value, stiffness, damping));
    }
}
