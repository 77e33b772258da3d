//! The normals and rows of an island as one linear complementarity problem with bounds, by pivoting.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | x | `x` | impulses of the normals and rows, lo ≤ x ≤ hi |
//! | w | | A x + b, their velocities: w ≥ 0 at x = lo, w ≤ 0 at x = hi, else w = 0 |
//! | A | | the rows and columns of W that belong to them |
//! | b | `b` | their velocity from friction and free motion |
//! | S | `factor.order` | the free variables: those between their bounds |
//! | r | `right` | −(A x + b) over S: what is still to be done |
//! | ε | `epsilon` | weight that keeps the factor of A_SS regular |
//!
//! The answer is the minimum of ½xᵀAx + bᵀx in the box, found by an active set: the free variables are solved for; one that
//! would leave its bounds is stopped there; else the bound variable with the worst velocity is freed (Lawson, Hanson 1974,
//! chapter 23). The function falls with every change, so no set comes twice. A cold start frees all that close.
//!
//! A_SS is singular when contacts are redundant. The step is then δ = B A_SS B r with B = (A_SS + ε)⁻¹, repeated until r is
//! round-off: where A acts it tends to the inverse, and where it does not it is nothing, so that loads are shared with the least
//! sum of squares and round-off moves nothing. When more than round-off of r is outside of what A_SS can do, the step is B r: it leads along
//! the null space until a variable is at its bound. If none is, the contacts ask for what cannot be, and x is the best compromise.

use super::factor::Factor;
use super::model::Room;
use crate::solver::dense::{EntryLaw, System, dot};
use huygens_math::scalar;

/// Small beside what masses of 1 : 1e6 leave of a diagonal 1, large beside round-off.
const EPSILON: f64 = 1e-9;

/// Velocities that differ by less than this share are treated alike: the corners of a face share a load.
const TIE: f64 = 1e-6;

/// The weight where contacts ask for what cannot be.
const SOFT: f64 = 1e-3;

/// Most refinements of one set.
const REFINEMENTS: u32 = 40;

/// Where a variable stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum At {
    #[default]
    Low,
    High,
    Free,
}

/// How far a step may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// All of it, if no bound is on the way.
    Whole,
    /// Only to a bound; nowhere if there is none.
    ToABound,
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
    /// r, then δ, in the order of S; and B r, which is δ where A acts and long where it does not.
    right: Vec<f64>,
    between: Vec<f64>,
    factor: Factor,
    epsilon: f64,
    /// Size of b: round-off is measured against it.
    size: f64,
    /// Changes of the set so far.
    pub(super) pivots: u32,
    /// Room of the model.
    pub(super) room: Room,
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
        self.load(system, &system.p);
        let cold = self.x.iter().all(|&x| x == 0.0);
        let n = self.rows.len();
        self.epsilon = EPSILON;
        self.factor.reset(n);
        self.at.clear();
        self.at.resize(n, At::Low);
        for k in 0..n {
            let (x, lo, hi) = (self.x[k], self.lo[k], self.hi[k]);
            // What only touches may have to carry: without it a tower would stand on the corners that come first.
            let closes = cold && lo == 0.0 && self.b[k] <= TIE * self.size;
            if (x > lo && x < hi) || closes || (lo.is_infinite() && hi.is_infinite()) {
                self.free(system, k);
            } else if x >= hi {
                self.at[k] = At::High;
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
        self.pivot(system);
        for (x, &row) in self.x.iter().zip(&self.rows) {
            p[row] = *x;
        }
        self.residual(system)
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

    /// Pivots to the minimum.
    fn pivot(&mut self, system: &System) {
        let limit = 10 * self.rows.len() + 50;
        for _ in 0..limit {
            if self.refine(system) {
                continue;
            }
            if !self.free_most_violated(system) {
                return;
            }
        }
    }

    /// Brings the velocities of the free variables to zero; true when a bound stopped one of them on the way.
    fn refine(&mut self, system: &System) -> bool {
        let mut last = f64::INFINITY;
        for _ in 0..REFINEMENTS {
            let (left, outside) = self.aim(system);
            let round_off = self.round_off();
            if left <= round_off {
                return false;
            }
            if outside > 16.0 * round_off && self.epsilon < SOFT {
                // B r leaves ε B r: little where it is in reach, all where the variables only push each other along.
                let reach = self.epsilon * largest(&self.between) <= 0.5 * left;
                std::mem::swap(&mut self.right, &mut self.between);
                if self.advance(if reach { Way::Whole } else { Way::ToABound }) {
                    return true;
                }
                if !reach {
                    self.compromise(system);
                }
                continue;
            }
            // Steps that no longer come nearer are round-off, or what cannot be.
            if left > 0.5 * last {
                return false;
            }
            last = left;
            if self.advance(Way::Whole) {
                return true;
            }
        }
        false
    }

    /// What is asked cannot be: starts anew with a coarse weight, which makes no long steps.
    fn compromise(&mut self, system: &System) {
        self.epsilon = SOFT;
        self.factor.reset(self.rows.len());
        for k in 0..self.rows.len() {
            if self.at[k] == At::Free {
                self.x[k] = scalar::clamp(0.0, self.lo[k], self.hi[k]);
                self.free(system, k);
            }
        }
    }

    /// Fills `right` with the step δ of the free variables and `between` with B r; returns the largest velocity that is left, and
    /// the largest part of it outside of what A can do.
    fn aim(&mut self, system: &System) -> (f64, f64) {
        self.right.clear();
        let mut left = 0.0;
        for &k in &self.factor.order {
            let r = -(self.b[k] + self.answer(system, k));
            left = scalar::max(r.abs(), left);
            self.right.push(r);
        }
        self.factor.solve(&mut self.right);
        self.between.clear();
        for &k in &self.factor.order {
            let w = system.row(self.rows[k]);
            let free = self.factor.order.iter().zip(&self.right);
            self.between.push(free.fold(0.0, |sum, (&j, y)| sum + w[self.rows[j]] * y));
        }
        self.factor.solve(&mut self.between);
        std::mem::swap(&mut self.right, &mut self.between);
        let mut outside = 0.0;
        for (a, b) in self.right.iter().zip(&self.between) {
            outside = scalar::max((a - b).abs(), outside);
        }
        (left, self.epsilon * outside)
    }

    /// Round-off of A x + b.
    fn round_off(&self) -> f64 {
        4.0 * f64::EPSILON * (self.size + largest(&self.x) * (self.x.len() as f64).sqrt())
    }

    /// Moves the free variables by their steps, or to where the first one meets a bound, which is then held there; true when
    /// one did.
    fn advance(&mut self, way: Way) -> bool {
        let (mut share, mut first) = (1.0, None);
        for (i, &k) in self.factor.order.iter().enumerate() {
            let (from, to) = (self.x[k], self.x[k] + self.right[i]);
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
        if first.is_none() && way == Way::ToABound {
            return false;
        }
        for (i, &k) in self.factor.order.iter().enumerate() {
            self.x[k] = scalar::clamp(self.x[k] + share * self.right[i], self.lo[k], self.hi[k]);
        }
        let Some((i, bound)) = first else { return false };
        let k = self.factor.order[i];
        self.x[k] = bound;
        self.at[k] = if bound == self.lo[k] { At::Low } else { At::High };
        self.factor.remove(i);
        self.pivots += 1;
        true
    }

    /// Frees the bound variable whose velocity asks most for more, or for less, and all that ask as much; false when none does.
    fn free_most_violated(&mut self, system: &System) -> bool {
        let round_off = self.round_off();
        let mut worst = round_off;
        self.between.clear();
        for (k, &at) in self.at.iter().enumerate() {
            let w = if at == At::Free { 0.0 } else { self.b[k] + self.answer(system, k) };
            let violation = if at == At::High { w } else { -w };
            worst = scalar::max(violation, worst);
            self.between.push(violation);
        }
        if worst <= round_off {
            return false;
        }
        for k in 0..self.at.len() {
            if self.at[k] != At::Free && self.between[k] >= (1.0 - TIE) * worst {
                self.free(system, k);
                self.pivots += 1;
            }
        }
        true
    }
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |most, x| scalar::max(x.abs(), most))
}

/// Velocity of row `i` with the impulses `p`.
#[inline]
pub(super) fn velocity(system: &System, i: usize, p: &[f64]) -> f64 {
    system.q[i] + dot(system.row(i), p)
}
