//! The normals and rows of an island as one linear complementarity problem with bounds, by pivoting.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | x | `x` | impulses of the normals and rows, lo ≤ x ≤ hi |
//! | w | | A x + b, their velocities: w ≥ 0 at x = lo, w ≤ 0 at x = hi, else w = 0 |
//! | A | | the rows and columns of W that belong to them |
//! | b | `b` | their velocity from friction and free motion |
//! | ε | `epsilon` | proximal weight |
//! | c | `centre` | proximal centre |
//!
//! A is singular when contacts are redundant. So the problem with A + ε and b − εc is solved, which has one answer, and
//! repeated with c = x until x stays: x is then an answer of the problem itself, and from c = 0 one whose loads are shared
//! evenly (proximal point method, Rockafellar 1976). Each is the minimum of ½xᵀAx + bᵀx in a box, found by an active set: the free variables are
//! solved for; one that would leave its bounds is stopped there; else the bound variable with the worst velocity is freed
//! (Lawson, Hanson 1974, chapter 23). The function falls with every change, so no set comes twice.

use super::factor::Factor;
use crate::solver::dense::{EntryLaw, System, dot};
use huygens_math::scalar;

/// Proximal weight, of a matrix with diagonal 1: small beside what masses of 1 : 1e6 leave, large beside round-off.
const EPSILON: f64 = 1e-9;

/// The same where contacts ask for what cannot be: impulses that fight each other end at 1/ε of the velocity they miss.
const SOFT: f64 = 1e-3;

/// Residual above which a problem has no answer.
const NO_ANSWER: f64 = 1e-8;

/// Most proximal steps.
const STEPS: usize = 40;

/// Where a variable stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum At {
    #[default]
    Low,
    High,
    Free,
}

/// The complementarity problem of an island's normals.
#[derive(Clone, Debug, Default)]
pub(in crate::solver) struct Normals {
    /// Dense row of each variable.
    rows: Vec<usize>,
    lo: Vec<f64>,
    hi: Vec<f64>,
    at: Vec<At>,
    x: Vec<f64>,
    b: Vec<f64>,
    centre: Vec<f64>,
    target: Vec<f64>,
    factor: Factor,
    epsilon: f64,
    /// Size of b: round-off is measured against it.
    size: f64,
    /// Changes of the set so far.
    pub(super) pivots: u32,
    /// Velocities, earlier impulses and friction: room of the model.
    pub(super) u: Vec<f64>,
    pub(super) before: Vec<f64>,
    pub(super) mu: Vec<[f64; 2]>,
}

impl Normals {
    /// Takes the normals and rows of a system, with the impulses in it to start from.
    pub(super) fn begin(&mut self, system: &System) {
        self.rows.clear();
        self.lo.clear();
        self.hi.clear();
        for entry in &system.entries {
            let (lo, hi) = match entry.law {
                EntryLaw::Contact { .. } => (0.0, f64::INFINITY),
                EntryLaw::Row { lo, hi } => (lo, hi),
            };
            self.rows.push(entry.at);
            self.lo.push(lo);
            self.hi.push(hi);
        }
        self.pivots = 0;
        self.x.clear();
        let (lo, hi) = (&self.lo, &self.hi);
        let inside = |(k, &row): (usize, &usize)| scalar::clamp(system.p[row], lo[k], hi[k]);
        self.x.extend(self.rows.iter().enumerate().map(inside));
        self.centre.clear();
        self.centre.resize(self.rows.len(), 0.0);
        self.set(system, EPSILON);
    }

    /// Frees what is inside its bounds, and factors.
    fn set(&mut self, system: &System, epsilon: f64) {
        let n = self.rows.len();
        self.epsilon = epsilon;
        self.factor.reset(n);
        self.at.clear();
        self.at.resize(n, At::Low);
        for k in 0..n {
            let (x, lo, hi) = (self.x[k], self.lo[k], self.hi[k]);
            if (x > lo && x < hi) || (lo.is_infinite() && hi.is_infinite()) {
                self.free(system, k);
            } else {
                self.at[k] = if x >= hi { At::High } else { At::Low };
            }
        }
    }

    fn free(&mut self, system: &System, k: usize) {
        let (rows, epsilon) = (&self.rows, self.epsilon);
        let row = system.row(rows[k]);
        let column = |j: usize| if j == k { row[rows[k]] + epsilon } else { row[rows[j]] };
        self.factor.append(k, column, 0.25 * epsilon);
        self.at[k] = At::Free;
    }

    /// Solves with the friction in `p`, and puts the normals there; returns the largest residual relative to ‖b‖.
    pub(super) fn solve(&mut self, system: &System, p: &mut [f64]) -> f64 {
        self.load(system, p);
        let mut residual = self.proximal(system, STEPS);
        if residual > NO_ANSWER {
            self.centre.fill(0.0);
            let n = self.x.len();
            self.x.clear();
            self.x.extend((0..n).map(|k| scalar::clamp(0.0, self.lo[k], self.hi[k])));
            self.set(system, SOFT);
            residual = self.proximal(system, 1);
        }
        for (x, &row) in self.x.iter().zip(&self.rows) {
            p[row] = *x;
        }
        residual
    }

    /// b: velocities from everything but x.
    fn load(&mut self, system: &System, p: &[f64]) {
        self.b.clear();
        self.size = 0.0;
        for &row in &self.rows {
            let w = system.row(row);
            let mut b = system.q[row];
            for entry in system.entries.iter().filter(|entry| entry.is_contact()) {
                let (t1, t2) = (entry.at + 1, entry.at + 2);
                b += w[t1] * p[t1] + w[t2] * p[t2];
            }
            self.b.push(b);
            self.size = scalar::max(b.abs(), self.size);
        }
    }

    fn proximal(&mut self, system: &System, steps: usize) -> f64 {
        for _ in 0..steps {
            self.pivot(system);
            let mut change = 0.0;
            for (x, c) in self.x.iter().zip(&self.centre) {
                change = scalar::max((x - c).abs(), change);
            }
            self.centre.clone_from(&self.x);
            if self.epsilon * change <= 1e-16 * self.size {
                break;
            }
        }
        self.residual(system)
    }

    /// Largest |x − clamp(x − w)| relative to ‖b‖.
    fn residual(&self, system: &System) -> f64 {
        let mut worst = 0.0;
        for (k, &x) in self.x.iter().enumerate() {
            let w = self.b[k] + self.answer(system, k);
            worst = scalar::max((x - scalar::clamp(x - w, self.lo[k], self.hi[k])).abs(), worst);
        }
        if self.size > 0.0 { worst / self.size } else { worst }
    }

    /// (A x)_k.
    fn answer(&self, system: &System, k: usize) -> f64 {
        let w = system.row(self.rows[k]);
        let mut sum = 0.0;
        for (x, &row) in self.x.iter().zip(&self.rows) {
            sum += w[row] * x;
        }
        sum
    }

    /// Pivots to the minimum with the present ε and centre.
    fn pivot(&mut self, system: &System) {
        let n = self.rows.len();
        let limit = 10 * n + 50;
        for _ in 0..limit {
            self.aim(system);
            if self.advance() {
                continue;
            }
            let Some(worst) = self.most_violated(system) else { return };
            self.free(system, worst);
            self.pivots += 1;
        }
    }

    /// Values of the free variables that would bring their velocities to zero.
    fn aim(&mut self, system: &System) {
        self.target.clear();
        for &k in &self.factor.order {
            let w = system.row(self.rows[k]);
            let mut b = self.epsilon * self.centre[k] - self.b[k];
            for (j, &x) in self.x.iter().enumerate() {
                if self.at[j] != At::Free && x != 0.0 {
                    b -= w[self.rows[j]] * x;
                }
            }
            self.target.push(b);
        }
        self.factor.solve(&mut self.target);
    }

    /// Moves the free variables to their targets, or to where the first one meets a bound, which is then held there.
    fn advance(&mut self) -> bool {
        let (mut share, mut first) = (1.0, None);
        for (i, &k) in self.factor.order.iter().enumerate() {
            let (from, to) = (self.x[k], self.target[i]);
            let bound = if to < self.lo[k] {
                self.lo[k]
            } else if to > self.hi[k] {
                self.hi[k]
            } else {
                continue;
            };
            let way = (bound - from) / (to - from);
            if way < share || first.is_none() {
                share = scalar::min(way, share);
                first = Some((i, bound));
            }
        }
        for (i, &k) in self.factor.order.iter().enumerate() {
            let to = if first.is_none() {
                self.target[i]
            } else {
                self.x[k] + share * (self.target[i] - self.x[k])
            };
            self.x[k] = scalar::clamp(to, self.lo[k], self.hi[k]);
        }
        let Some((i, bound)) = first else { return false };
        let k = self.factor.order[i];
        self.x[k] = bound;
        self.at[k] = if bound == self.lo[k] { At::Low } else { At::High };
        self.factor.remove(i);
        self.pivots += 1;
        true
    }

    /// The bound variable whose velocity asks most for more, or for less.
    fn most_violated(&self, system: &System) -> Option<usize> {
        let mut largest = 0.0;
        for x in &self.x {
            largest = scalar::max(x.abs(), largest);
        }
        // Round-off of A x + b.
        let mut worst = 4.0 * f64::EPSILON * (self.size + largest * (self.x.len() as f64).sqrt());
        let mut found = None;
        for (k, &at) in self.at.iter().enumerate() {
            if at == At::Free {
                continue;
            }
            let w = self.b[k] + self.answer(system, k) + self.epsilon * (self.x[k] - self.centre[k]);
            let violation = if at == At::Low { -w } else { w };
            if violation > worst {
                worst = violation;
                found = Some(k);
            }
        }
        found
    }
}

/// Velocity of row `i` with the impulses `p`.
#[inline]
pub(super) fn velocity(system: &System, i: usize, p: &[f64]) -> f64 {
    system.q[i] + dot(system.row(i), p)
}
