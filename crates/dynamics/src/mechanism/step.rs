//! MuJoCo's integrators over the smooth forces of a mechanism.

use super::actuator::Motion;
use super::base::{JointKind, advance};
use super::derivative::smooth_by_velocity;
use super::forward::{Forward, forward};
use super::model::{Integration, Mechanism, MechanismState};
use super::passive::damping_slope;
use huygens_math::Vec3;
use huygens_math::dense::{LuProfile, solve_rows};
use huygens_math::trig::{cos, sin};

/// Moves the state by one step without constraints; `out` has afterwards what was computed at its start. False when the mass matrix is
/// singular.
pub fn step(m: &Mechanism, state: &mut MechanismState, out: &mut Forward) -> bool {
    step_with(m, state, out, &mut |_, _| {})
}

/// Moves the state by one step; `constrain` puts acceleration and force with constraints ([`Forward::qacc`], [`Forward::force`]) in the
/// place of those without, once for every evaluation of the integrator: RK4 has four.
pub fn step_with(
    m: &Mechanism,
    state: &mut MechanismState,
    out: &mut Forward,
    constrain: &mut dyn FnMut(&MechanismState, &mut Forward),
) -> bool {
    if !forward(m, state, out) {
        return false;
    }
    constrain(state, out);
    let h = m.timestep;
    match m.integration {
        Integration::Rk4 => return runge_kutta(m, state, out, constrain),
        Integration::Euler => {
            euler_acceleration(m, state, out);
            let mut displacement = std::mem::take(&mut out.displacement);
            finish(m, state, out, &out.activation_rate, &out.acceleration, None, &mut displacement);
            out.displacement = displacement;
        }
        Integration::Implicit | Integration::ImplicitFast => {
            let mut d = Vec::new();
            smooth_by_velocity(m, state, out, &mut d);
            for (d, mass) in d.iter_mut().zip(&out.mass) {
                *d = mass - h * *d;
            }
            let mut acceleration = out.force.clone();
            if !solve_by_trees(m, &d, &mut acceleration) {
                return false;
            }
            let mut displacement = std::mem::take(&mut out.displacement);
            finish(m, state, out, &out.activation_rate, &acceleration, None, &mut displacement);
            out.displacement = displacement;
        }
    }
    true
}

/// (M + hB)⁻¹ f with the damping B of the joints, into `out.acceleration`.
fn euler_acceleration(m: &Mechanism, state: &MechanismState, out: &mut Forward) {
    let n = m.tree.dofs();
    let damped = m.switches.damper && m.switches.eulerdamp && m.joints.iter().any(|j| j.damping != [0.0; 3]);
    if !damped {
        out.acceleration.clone_from(&out.qacc);
        return;
    }
    if !out.damped.parents().eq(out.factored.parents()) {
        out.damped = m.tree.new_ldl();
    }
    let ldl = &mut out.damped;
    for dof in 0..n {
        for above in m.tree.path_from_dof(dof) {
            ldl.matrix_mut()[dof * n + above] = out.mass[dof * n + above];
        }
    }
    for joint in &m.joints {
        for dof in joint.dof..joint.dof + joint.kind.dofs() {
            ldl.matrix_mut()[dof * n + dof] += m.timestep * damping_slope(&joint.damping, state.qvel[dof]);
        }
    }
    out.acceleration.clone_from(&out.force);
    if ldl.factor().is_ok() {
        ldl.solve(&mut out.acceleration);
    }
}

/// Solves A x = b, a tree at a time; A has no entries between trees.
fn solve_by_trees(m: &Mechanism, a: &[f64], x: &mut [f64]) -> bool {
    let n = x.len();
    let root = |dof: usize| m.tree.path_from_dof(dof).last().unwrap_or(dof);
    let mut start = 0;
    let mut profile = LuProfile::default();
    while start < n {
        let first = root(start);
        let end = (start..n).find(|&dof| root(dof) != first).unwrap_or(n);
        let mut block: Vec<f64> = Vec::with_capacity((end - start) * (end - start));
        for row in start..end {
            block.extend_from_slice(&a[row * n + start..row * n + end]);
        }
        if !solve_rows(&mut block, &mut x[start..end], &mut profile) {
            return false;
        }
        start = end;
    }
    true
}

/// Activations, velocities, then coordinates with the new velocities, or with those of `drift`.
fn finish(
    m: &Mechanism,
    state: &mut MechanismState,
    at: &Forward,
    rates: &[f64],
    acceleration: &[f64],
    drift: Option<&[f64]>,
    displacement: &mut Vec<f64>,
) {
    let h = m.timestep;
    advance_activations(m, at, &mut state.act, rates);
    for (v, a) in state.qvel.iter_mut().zip(acceleration) {
        *v += h * a;
    }
    displacement.clear();
    displacement.extend(drift.unwrap_or(&state.qvel).iter().map(|v| h * v));
    move_by(m, &mut state.qpos, displacement);
    state.time += h;
}

/// Moves activations by one step at their rates; `at` has the motion of the transmissions.
pub fn advance_activations(m: &Mechanism, at: &Forward, act: &mut [f64], rates: &[f64]) {
    for (k, actuator) in m.actuators.iter().enumerate() {
        let motion = Motion { length: at.actuator_length[k], velocity: at.actuator_velocity[k] };
        for i in actuator.act.clone() {
            act[i] = if actuator.is_servo() {
                actuator.servo_next(i - actuator.act.start, act[i], rates[i], motion, m.timestep)
            } else {
                actuator.nearest(actuator.next_activation(act[i], rates[i], m.timestep), motion.length)
            };
        }
    }
}

fn move_by(m: &Mechanism, qpos: &mut [f64], displacement: &[f64]) {
    for (q, o) in qpos.iter_mut().zip(&m.offset) {
        *q -= o;
    }
    advance(&m.tree, qpos, displacement);
    for (q, o) in qpos.iter_mut().zip(&m.offset) {
        *q += o;
    }
}

/// Rate of the rotation vector u of q₀·exp(u) when the spin in body axes is w.
fn rotation_rate(u: Vec3, w: Vec3) -> Vec3 {
    let t = u.length();
    // (1 − (t/2) cot(t/2))/t², whose series is 1/12 + t²/720.
    let factor = if t < 1e-2 {
        1.0 / 12.0 + t * t / 720.0 + t * t * t * t / 30240.0
    } else {
        (1.0 - 0.5 * t * cos(0.5 * t) / sin(0.5 * t)) / (t * t)
    };
    let uw = u.cross(w);
    w + uw * 0.5 + u.cross(uw) * factor
}

/// Turns the spins of `v` into rates of the rotation vectors in `u`.
fn to_rates(m: &Mechanism, u: &[f64], v: &mut [f64]) {
    for joint in &m.joints {
        let at = match joint.kind {
            JointKind::BallLocal => joint.dof,
            JointKind::FreeLocal => joint.dof + 3,
            _ => continue,
        };
        let rate = rotation_rate(Vec3::from_slice(&u[at..]), Vec3::from_slice(&v[at..]));
        v[at..at + 3].copy_from_slice(&rate.to_array());
    }
}

/// The classic scheme of fourth order; `out` stays what was computed at the start.
fn runge_kutta(
    m: &Mechanism,
    state: &mut MechanismState,
    out: &Forward,
    constrain: &mut dyn FnMut(&MechanismState, &mut Forward),
) -> bool {
    const STAGE: [f64; 3] = [0.5, 0.5, 1.0];
    const TIME: [f64; 3] = [0.5, 0.5, 1.0];
    const WEIGHT: [f64; 4] = [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0];
    let h = m.timestep;
    let start = state.clone();
    let mut velocity = start.qvel.clone();
    let mut acceleration = out.qacc.clone();
    let mut activation = out.activation_rate.clone();
    let scaled = |list: &[f64], w: f64| list.iter().map(|x| w * x).collect::<Vec<f64>>();
    let mut sum_v = scaled(&velocity, WEIGHT[0]);
    let mut sum_a = scaled(&acceleration, WEIGHT[0]);
    let mut sum_w = scaled(&activation, WEIGHT[0]);
    let mut inner = out.clone();
    let mut at = start.clone();
    let mut u = vec![0.0; velocity.len()];
    for stage in 0..3 {
        let part = STAGE[stage] * h;
        (0..u.len()).for_each(|i| u[i] = part * velocity[i]);
        at.qpos.clone_from(&start.qpos);
        move_by(m, &mut at.qpos, &u);
        (0..u.len()).for_each(|i| at.qvel[i] = start.qvel[i] + part * acceleration[i]);
        (0..at.act.len()).for_each(|i| at.act[i] = start.act[i] + part * activation[i]);
        at.time = start.time + TIME[stage] * h;
        if !forward(m, &at, &mut inner) {
            return false;
        }
        constrain(&at, &mut inner);
        velocity.clone_from(&at.qvel);
        to_rates(m, &u, &mut velocity);
        acceleration.clone_from(&inner.qacc);
        activation.clone_from(&inner.activation_rate);
        for (sum, x) in [(&mut sum_v, &velocity), (&mut sum_a, &acceleration), (&mut sum_w, &activation)] {
            sum.iter_mut().zip(x).for_each(|(s, x)| *s += WEIGHT[stage + 1] * x);
        }
    }
    finish(m, state, &inner, &sum_w, &sum_a, Some(&sum_v), &mut u);
    true
}
