//! The energy book of a mechanism in MuJoCo's pipeline.
//!
//! With M at the start of the step and w = (v₀ + v₁)/2, ½v₁ᵀMv₁ − ½v₀ᵀMv₀ = wᵀM(v₁ − v₀) exactly. So a force F brought in h·wᵀF; what the
//! integrator did beside the forces of the start (implicit damping, the stages of RK4) is wᵀ(M(v₁ − v₀) − hF): `numerical`. The change of M along
//! the way, against the work of Coriolis forces, is `integration`.

use super::super::mech::{Forward, Mechanism, MechanismState, PassiveParts, elastic_energy, passive_parts};
use super::rows::{RowInfo, RowKind};
use huygens::contact::convex::{SoftLaw, SoftRows};
use huygens_dynamics::Tree;
use huygens_math::Vec3;

/// Accounts of a mechanism, in the order in which they are printed.
pub const ACCOUNTS: [&str; 12] = [
    "gravity",
    "user",
    "actuator",
    "impact",
    "friction",
    "joint",
    "limit",
    "spring",
    "viscous",
    "numerical",
    "integration",
    "medium",
];
const GRAVITY: usize = 0;
const USER: usize = 1;
const ACTUATOR: usize = 2;
const IMPACT: usize = 3;
const FRICTION: usize = 4;
const JOINT: usize = 5;
const LIMIT: usize = 6;
const SPRING: usize = 7;
const VISCOUS: usize = 8;
const NUMERICAL: usize = 9;
const INTEGRATION: usize = 10;
const MEDIUM: usize = 11;

/// Energies at a state [J].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energies {
    /// Kinetic.
    pub kinetic: f64,
    /// Of gravity.
    pub gravity: f64,
    /// In springs.
    pub elastic: f64,
}

impl Energies {
    /// All of it.
    pub fn total(&self) -> f64 {
        self.kinetic + self.gravity + self.elastic
    }
}

/// Where energy came from and went to. Losses are negative.
#[derive(Clone, Debug, Default)]
pub struct SoftBook {
    /// Energy that each of [`ACCOUNTS`] brought in [J].
    pub accounts: [f64; 12],
    /// What no account explains [J].
    pub unexplained: f64,
    /// The largest such remainder of a step [J].
    pub worst_step_unexplained: f64,
    /// Largest kinetic energy [J].
    pub most_kinetic: f64,
    /// Energies at the first state.
    pub start: Energies,
    /// Energies at the last state.
    pub end: Energies,
    /// True once a state was seen.
    begun: bool,
    /// Forces at the start of the step, by account.
    forces: [Vec<f64>; 12],
    coriolis: Vec<f64>,
    velocity: Vec<f64>,
    /// M v at the start of the step.
    momentum: Vec<f64>,
    /// M v of the start's M and the end's velocity, and velocities: room of a step's end.
    momentum_after: Vec<f64>,
    mean: Vec<f64>,
    /// Mass and first moment of each link with all that hangs on it.
    carried: Vec<(f64, Vec3)>,
    /// ½v₁ᵀMv₁ with M of the start.
    frozen: f64,
    /// Sum of all accounts before the step.
    before: f64,
    parts: PassiveParts,
}

/// What acts on a mechanism at a state.
pub(super) struct Acting<'a> {
    pub m: &'a Mechanism,
    pub state: &'a MechanismState,
    pub f: &'a Forward,
    pub rows: &'a SoftRows,
    pub info: &'a [RowInfo],
    pub force: &'a [f64],
}

/// Σ aᵢbᵢ in four interleaved sums.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = a4.remainder().iter().zip(b4.remainder()).map(|(a, b)| a * b).sum();
    let mut sum = [0.0; 4];
    for (a, b) in a4.zip(b4) {
        (0..4).for_each(|k| sum[k] += a[k] * b[k]);
    }
    (sum[0] + sum[1]) + (sum[2] + sum[3]) + rest
}

/// M v over the branches of the tree: entries of M between others are zero.
fn times(tree: &Tree, mass: &[f64], v: &[f64], out: &mut Vec<f64>) {
    let n = v.len();
    out.clear();
    out.resize(n, 0.0);
    for dof in 0..n {
        let row = &mass[dof * n..(dof + 1) * n];
        let mut sum = row[dof] * v[dof];
        for above in tree.path_from_dof(dof).skip(1) {
            sum += row[above] * v[above];
            out[above] += row[above] * v[dof];
        }
        out[dof] += sum;
    }
}

impl SoftBook {
    /// Energy that normal forces of contacts brought in beyond what they took [J]: a soft contact may give back what it stored, never more.
    pub fn created(&self) -> f64 {
        huygens_math::scalar::max(0.0, self.accounts[IMPACT])
    }

    /// At the start of a step, which is the end of the one before: closes that one and notes the forces.
    pub(super) fn open(&mut self, acting: &Acting<'_>) {
        let Acting { m, state, f, .. } = *acting;
        times(&m.tree, &f.mass, &state.qvel, &mut self.momentum);
        let kinetic = 0.5 * dot(&state.qvel, &self.momentum);
        let gravity = m.acting_gravity();
        let links = m.tree.links().iter().zip(&f.kin.com);
        let potential: f64 = links.map(|(link, com)| -link.mass * gravity.dot(*com)).sum();
        let elastic = elastic_energy(m, &state.qpos, &f.tendon_length);
        let now = Energies { kinetic, gravity: potential, elastic };
        if kinetic > self.most_kinetic {
            self.most_kinetic = kinetic;
        }
        if self.begun {
            self.accounts[GRAVITY] += now.gravity - self.end.gravity;
            self.accounts[SPRING] += now.elastic - self.end.elastic;
            self.accounts[INTEGRATION] += now.kinetic - self.frozen;
            let posted = self.accounts.iter().sum::<f64>() - self.before;
            let remainder = now.total() - self.end.total() - posted;
            self.unexplained += remainder;
            if remainder.abs() > self.worst_step_unexplained.abs() {
                self.worst_step_unexplained = remainder;
            }
        } else {
            self.start = now;
            self.begun = true;
        }
        self.end = now;
        // Looked at again before the next step, the same state posts nothing.
        self.frozen = now.kinetic;
        self.before = self.accounts.iter().sum();
        self.note_forces(acting);
    }

    /// All numbers of a book that was opened at a state and not posted to since.
    pub fn numbers(&self) -> Vec<f64> {
        let ends = [self.start, self.end].map(|e| [e.kinetic, e.gravity, e.elastic]);
        let rest = [self.unexplained, self.worst_step_unexplained, self.most_kinetic];
        self.accounts.into_iter().chain(rest).chain(ends.into_iter().flatten()).collect()
    }

    /// The book with the numbers of another one; none when they are not as many.
    pub fn with_numbers(numbers: &[f64]) -> Option<Self> {
        let (accounts, rest) = numbers.split_first_chunk::<12>()?;
        let rest = <[f64; 9]>::try_from(rest).ok()?;
        let energies = |x: &[f64]| Energies { kinetic: x[0], gravity: x[1], elastic: x[2] };
        let (start, end) = (energies(&rest[3..6]), energies(&rest[6..]));
        Some(Self {
            accounts: *accounts,
            unexplained: rest[0],
            worst_step_unexplained: rest[1],
            most_kinetic: rest[2],
            start,
            end,
            begun: true,
            frozen: end.kinetic,
            before: accounts.iter().sum(),
            ..Self::default()
        })
    }

    fn note_forces(&mut self, acting: &Acting<'_>) {
        let Acting { m, state, f, .. } = *acting;
        let n = m.tree.dofs();
        for list in &mut self.forces {
            list.clear();
            list.resize(n, 0.0);
        }
        passive_parts(m, &state.qpos, f, &mut self.parts);
        self.forces[SPRING].copy_from_slice(&self.parts.spring);
        self.forces[VISCOUS].copy_from_slice(&self.parts.damper);
        self.forces[MEDIUM].copy_from_slice(&self.parts.medium);
        self.forces[ACTUATOR].copy_from_slice(&f.actuator);
        let gravity = m.acting_gravity();
        // Each dof carries all links that hang on its own: their weight acts at their centre.
        let links = m.tree.links().iter();
        self.carried.clear();
        self.carried.extend(links.zip(&f.kin.com).map(|(link, com)| (link.mass, *com * link.mass)));
        for (link, body) in m.tree.links().iter().enumerate().rev() {
            let (mass, moment) = self.carried[link];
            if let Some(parent) = body.parent {
                self.carried[parent].0 += mass;
                self.carried[parent].1 += moment;
            }
            for dof in m.tree.dofs_of(link) {
                let axis = &f.kin.axis[dof];
                let at_center =
                    (axis.linear - axis.angular.cross(axis.anchor)) * mass + axis.angular.cross(moment);
                self.forces[GRAVITY][dof] = gravity.dot(at_center);
            }
        }
        self.coriolis.clear();
        self.coriolis.extend((0..n).map(|i| -f.bias[i] - self.forces[GRAVITY][i]));
        // Forces of the user, and the compensation of gravity that no actuator gives.
        for i in 0..n {
            self.forces[USER][i] =
                f.smooth[i] - (f.passive[i] - f.bias[i] + f.actuator[i]) + self.parts.compensation[i];
        }
        for (at, block) in acting.rows.blocks.iter().enumerate() {
            self.add_block(acting, at, block.first);
        }
        self.velocity.clone_from(&state.qvel);
    }

    fn add_block(&mut self, acting: &Acting<'_>, at: usize, first: usize) {
        let rows = acting.rows;
        let block = &rows.blocks[at];
        let kind = acting.info[first].kind;
        let account = match kind {
            RowKind::Equality => JOINT,
            RowKind::FrictionDof | RowKind::FrictionTendon => FRICTION,
            RowKind::LimitJoint | RowKind::LimitTendon => LIMIT,
            RowKind::ContactFrictionless | RowKind::ContactPyramidal | RowKind::ContactElliptic => IMPACT,
        };
        for row in 0..block.rows {
            let force = acting.force[first + row];
            let tangent = block.law != SoftLaw::Pyramid && kind == RowKind::ContactElliptic && row > 0;
            let to = if tangent { FRICTION } else { account };
            let columns = rows.columns_of(block);
            for (k, &dof) in columns.iter().enumerate() {
                let j = rows.row_of(block, row)[k];
                if block.law == SoftLaw::Pyramid {
                    // An edge is normal ± friction; its partner has the other sign.
                    let partner = rows.row_of(block, row ^ 1)[k];
                    self.forces[IMPACT][dof] += 0.5 * (j + partner) * force;
                    self.forces[FRICTION][dof] += 0.5 * (j - partner) * force;
                } else {
                    self.forces[to][dof] += j * force;
                }
            }
        }
    }

    /// After the velocities of the step are known.
    pub(super) fn post(&mut self, tree: &Tree, f: &Forward, h: f64, velocity: &[f64]) {
        self.before = self.accounts.iter().sum();
        let mut mean = std::mem::take(&mut self.mean);
        mean.clear();
        mean.extend(velocity.iter().zip(&self.velocity).map(|(a, b)| 0.5 * (a + b)));
        times(tree, &f.mass, velocity, &mut self.momentum_after);
        let mut all = 0.0;
        for (account, force) in self.accounts.iter_mut().zip(&self.forces) {
            let work = h * dot(&mean, force);
            *account += work;
            all += work;
        }
        let by_coriolis = h * dot(&mean, &self.coriolis);
        self.frozen = 0.5 * dot(velocity, &self.momentum_after);
        // wᵀM(v₁ − v₀) is the change of the kinetic energy with M of the start.
        self.accounts[NUMERICAL] += self.frozen - self.end.kinetic - all - by_coriolis;
        self.accounts[INTEGRATION] += by_coriolis;
        self.mean = mean;
    }
}
