//! Everything up to the acceleration without constraints.

use super::actuator::{DynKind, Motion, Transmission};
use super::base::{TreeKinematics, TreeScratch, accelerations, bias, kinematics, robot_mass_matrix};
use super::model::{Mechanism, MechanismState};
use super::passive::passive;
use super::servo::At;
use super::sparse_rows::SparseRows;
use super::tendon;
use super::transmission::{TendonLengths, transmission};
use huygens_math::{Pose, TreeLdl, Twist, Vec3, scalar};

/// What [`forward`] finds.
#[derive(Clone, Debug, Default)]
pub struct Forward {
    /// Poses, velocities and axes.
    pub kin: TreeKinematics,
    /// Mass matrix with armatures, row-major n × n.
    pub mass: Vec<f64>,
    /// The same, factored.
    pub factored: TreeLdl,
    /// Force that velocity and gravity ask for: H v̇ + bias = τ.
    pub bias: Vec<f64>,
    /// Springs, dampers, medium, compensation of gravity.
    pub passive: Vec<f64>,
    /// Compensation of gravity that counts as an actuator's force.
    pub gravity_by_actuators: Vec<f64>,
    /// Length of each tendon.
    pub tendon_length: Vec<f64>,
    /// Rate of each tendon's length.
    pub tendon_velocity: Vec<f64>,
    /// Derivative of each tendon's length, a row each.
    pub tendon_rows: Vec<f64>,
    /// Length of each transmission.
    pub actuator_length: Vec<f64>,
    /// Rate of each transmission's length.
    pub actuator_velocity: Vec<f64>,
    /// Derivative of each transmission's length, a row each.
    pub actuator_rows: SparseRows,
    /// Scalar force of each actuator.
    pub actuator_force: Vec<f64>,
    /// What of each actuator's force no bound holds: cogging and friction of motors.
    pub(super) mechanical_force: Vec<f64>,
    /// Rate of each activation.
    pub activation_rate: Vec<f64>,
    /// Force of all actuators on the dofs.
    pub actuator: Vec<f64>,
    /// Acceleration without constraints.
    pub qacc_smooth: Vec<f64>,
    /// Force without constraints.
    pub smooth: Vec<f64>,
    /// Acceleration with constraints; [`forward`] leaves that without them here.
    pub qacc: Vec<f64>,
    /// Force with constraints; [`forward`] leaves that without them here.
    pub force: Vec<f64>,
    /// Force and torque about its centre of mass that constraints put on each link, for sensors; empty for none, as [`forward`] leaves it.
    pub constraint_wrench: Vec<Twist>,
    scratch: TreeScratch,
    links: Vec<Twist>,
    coordinates: Vec<f64>,
    /// A dense row of zeros.
    row: Vec<f64>,
    /// Room of the integrators: M + hB factored, accelerations, displacements.
    pub(super) damped: TreeLdl,
    pub(super) acceleration: Vec<f64>,
    pub(super) displacement: Vec<f64>,
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Computes everything at `state`; false when the mass matrix is singular.
///
/// # Panics
/// When a list of the state has not the length that the mechanism asks for.
pub fn forward(m: &Mechanism, state: &MechanismState, out: &mut Forward) -> bool {
    position(m, state, out);
    out.constraint_wrench.clear();
    let n = m.tree.dofs();
    inertia(m, out);
    bias_force(m, out);
    passive(m, &state.qpos, out);
    actuation(m, state, out);
    out.smooth.clear();
    out.smooth.extend((0..n).map(|i| out.passive[i] - out.bias[i] + out.actuator[i]));
    if !state.qfrc_applied.is_empty() {
        (0..n).for_each(|i| out.smooth[i] += state.qfrc_applied[i]);
    }
    for (link, x) in state.xfrc_applied.iter().enumerate() {
        let (force, torque) = (Vec3::new(x[0], x[1], x[2]), Vec3::new(x[3], x[4], x[5]));
        if force == Vec3::ZERO && torque == Vec3::ZERO {
            continue;
        }
        for dof in m.tree.path(link) {
            let axis = &out.kin.axis[dof];
            out.smooth[dof] += force.dot(axis.at(out.kin.com[link])) + torque.dot(axis.angular);
        }
    }
    if out.factored.factor().is_err() {
        out.qacc_smooth = vec![0.0; n];
        out.qacc = vec![0.0; n];
        out.force.clone_from(&out.smooth);
        return false;
    }
    out.qacc_smooth.clone_from(&out.smooth);
    out.factored.solve(&mut out.qacc_smooth);
    out.qacc.clone_from(&out.qacc_smooth);
    out.force.clone_from(&out.smooth);
    true
}

/// Poses and velocities, tendons and transmissions.
fn position(m: &Mechanism, state: &MechanismState, out: &mut Forward) {
    let n = m.tree.dofs();
    out.coordinates.clear();
    out.coordinates.extend(state.qpos.iter().zip(&m.offset).map(|(q, o)| q - o));
    kinematics(&m.tree, &out.coordinates, &state.qvel, &mut out.kin);
    out.tendon_rows.clear();
    out.tendon_rows.resize(n * m.tendons.len(), 0.0);
    out.tendon_length.clear();
    out.tendon_velocity.clear();
    for (i, tendon) in m.tendons.iter().enumerate() {
        let row = &mut out.tendon_rows[i * n..(i + 1) * n];
        out.tendon_length.push(tendon::length(m, &out.kin, &state.qpos, tendon, row));
        out.tendon_velocity.push(dot(row, &state.qvel));
    }
    out.actuator_rows.clear();
    out.row.resize(n, 0.0);
    out.actuator_length.clear();
    out.actuator_velocity.clear();
    for i in 0..m.actuators.len() {
        let tendons = TendonLengths { lengths: &out.tendon_length, rows: &out.tendon_rows };
        let length = transmission(m, &out.kin, &state.qpos, &tendons, i, &mut out.row);
        out.actuator_rows.take(&mut out.row, reach(m, i));
        out.actuator_length.push(length);
        out.actuator_velocity.push(out.actuator_rows.dot(i, &state.qvel));
    }
}

/// The dofs that the transmission of actuator `i` may act on.
fn reach(m: &Mechanism, i: usize) -> std::ops::Range<usize> {
    match m.actuators[i].transmission {
        Transmission::Joint(id) | Transmission::JointInParent(id) => {
            let joint = &m.joints[id];
            joint.dof..joint.dof + joint.kind.dofs()
        }
        _ => 0..m.tree.dofs(),
    }
}

/// The mass matrix, with the armature of tendons where the tree's pattern has room for it.
fn inertia(m: &Mechanism, out: &mut Forward) {
    let n = m.tree.dofs();
    let parents = || (0..n).map(|dof| m.tree.path_from_dof(dof).nth(1).map(|p| p as u32));
    if !out.factored.parents().eq(parents()) || out.mass.len() != n * n {
        out.factored = m.tree.new_ldl();
        out.mass.clear();
        out.mass.resize(n * n, 0.0);
    }
    // Entries between dofs of which neither carries the other are zero and stay so.
    robot_mass_matrix(&m.tree, &out.kin, &mut out.scratch, &mut out.mass);
    for (i, tendon) in m.tendons.iter().enumerate().filter(|(_, t)| t.armature != 0.0) {
        let row = &out.tendon_rows[i * n..(i + 1) * n];
        for a in (0..n).filter(|&a| row[a] != 0.0) {
            for b in m.tree.path_from_dof(a) {
                out.mass[a * n + b] += tendon.armature * row[a] * row[b];
            }
        }
    }
    let factored = out.factored.matrix_mut();
    for dof in 0..n {
        for above in m.tree.path_from_dof(dof) {
            let mass = out.mass[dof * n + above];
            out.mass[above * n + dof] = mass;
            factored[dof * n + above] = mass;
        }
    }
}

fn bias_force(m: &Mechanism, out: &mut Forward) {
    let n = m.tree.dofs();
    out.bias.resize(n, 0.0);
    bias(&m.tree, &out.kin, m.acting_gravity(), &[], &mut out.scratch, &mut out.bias);
    out.bias.iter_mut().for_each(|x| *x = -*x);
    if m.tendons.iter().any(|t| t.armature != 0.0) {
        accelerations(&m.tree, &out.kin, &[], &mut out.links);
        for (i, tendon) in m.tendons.iter().enumerate().filter(|(_, t)| t.armature != 0.0) {
            let force = tendon.armature * tendon::rate_of_rate(m, &out.kin, &out.links, tendon);
            let row = &out.tendon_rows[i * n..(i + 1) * n];
            (0..n).for_each(|dof| out.bias[dof] += force * row[dof]);
        }
    }
}

impl Mechanism {
    /// Gravity, unless it is switched off.
    pub fn acting_gravity(&self) -> Vec3 {
        if self.switches.gravity { self.gravity } else { Vec3::ZERO }
    }

    /// Control `k` of an actuator within its bounds.
    fn control(&self, i: usize, k: usize, state: &MechanismState) -> f64 {
        let actuator = &self.actuators[i];
        let u = state.ctrl[actuator.controls.start + k];
        match actuator.ctrlranges[k].filter(|_| self.switches.clampctrl) {
            Some([low, high]) => scalar::clamp(u, low, high),
            None => u,
        }
    }

    /// Controls that count, of which an actuator has at most four.
    pub(super) fn controls(&self, i: usize, state: &MechanismState) -> ([f64; 4], usize) {
        let count = self.actuators[i].controls.len();
        (std::array::from_fn(|k| if k < count { self.control(i, k, state) } else { 0.0 }), count)
    }

    /// Where a frame on a link is.
    pub fn world_from(&self, kin: &TreeKinematics, link: usize, pose: &Pose) -> Pose {
        kin.world_from_link[link] * *pose
    }

    /// The input of an actuator that is moved so: its control, or its last activation.
    pub(super) fn input(&self, i: usize, state: &MechanismState, rates: &[f64], motion: Motion) -> f64 {
        let actuator = &self.actuators[i];
        let input = if actuator.act.is_empty() {
            self.control(i, 0, state)
        } else {
            let last = actuator.act.end - 1;
            let w = state.act[last];
            if actuator.actearly { actuator.next_activation(w, rates[last], self.timestep) } else { w }
        };
        actuator.nearest(input, motion.length)
    }
}

/// Activation rates, scalar forces, and forces on dofs.
fn actuation(m: &Mechanism, state: &MechanismState, out: &mut Forward) {
    let n = m.tree.dofs();
    for list in [&mut out.actuator_force, &mut out.mechanical_force] {
        list.clear();
        list.resize(m.actuators.len(), 0.0);
    }
    out.activation_rate.clear();
    out.activation_rate.resize(state.act.len(), 0.0);
    out.actuator.clear();
    out.actuator.resize(n, 0.0);
    // Without actuators joints feel no compensation of gravity by actuators either: MuJoCo leaves the whole stage out.
    if m.actuators.is_empty() || !m.switches.actuation {
        return;
    }
    for (i, actuator) in m.actuators.iter().enumerate() {
        let motion = Motion { length: out.actuator_length[i], velocity: out.actuator_velocity[i] };
        if actuator.is_servo() && actuator.works {
            let (controls, count) = m.controls(i, state);
            let act = &state.act[actuator.act.clone()];
            let at = At { controls: &controls[..count], act, motion, step: m.timestep };
            let rates = &mut out.activation_rate[actuator.act.clone()];
            actuator.servo_rates(&at, rates);
            [out.actuator_force[i], out.mechanical_force[i]] = actuator.servo_force(&at, rates);
            continue;
        }
        if !actuator.act.is_empty() && actuator.dynamics != DynKind::User {
            let last = actuator.act.end - 1;
            out.activation_rate[last] = actuator.activation_rate(m.control(i, 0, state), state.act[last]);
        }
        if actuator.works {
            let input = m.input(i, state, &out.activation_rate, motion);
            out.actuator_force[i] = actuator.gain_at(motion) * input + actuator.bias_at(motion);
        }
    }
    bound_by_tendons(m, &mut out.actuator_force);
    for (i, actuator) in m.actuators.iter().enumerate() {
        let force = &mut out.actuator_force[i];
        if let Some([low, high]) = actuator.forcerange {
            *force = scalar::clamp(*force, low, high);
        }
        *force += out.mechanical_force[i];
        if *force != 0.0 {
            out.actuator_rows.row(i).for_each(|(dof, value)| out.actuator[dof] += *force * value);
        }
    }
    for joint in &m.joints {
        for dof in joint.dof..joint.dof + joint.kind.dofs() {
            out.actuator[dof] += out.gravity_by_actuators[dof];
        }
        if let Some([low, high]) = joint.actuator_range {
            out.actuator[joint.dof] = scalar::clamp(out.actuator[joint.dof], low, high);
        }
    }
}

/// Scales the forces on a tendon so that their sum is in its range.
fn bound_by_tendons(m: &Mechanism, force: &mut [f64]) {
    for (id, tendon) in m.tendons.iter().enumerate() {
        let Some([low, high]) = tendon.actuator_range else { continue };
        let on = |i: usize| m.actuators[i].transmission == Transmission::Tendon(id);
        let total: f64 = (0..force.len()).filter(|&i| on(i)).map(|i| force[i]).sum();
        let bounded = scalar::clamp(total, low, high);
        if bounded != total && total != 0.0 {
            (0..force.len()).filter(|&i| on(i)).for_each(|i| force[i] *= bounded / total);
        }
    }
}
