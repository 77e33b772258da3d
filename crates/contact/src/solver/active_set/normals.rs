//! The normals and rows of an island as one linear complementarity problem with bounds, by pivoting.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | x | `x` | impulses of the normals and rows, lo ≤ x ≤ hi |
//! | w | | A x + b, their velocities: w ≥ 0 at x = lo, w ≤ 0 at x = hi, else w = 0 |
//! | A | | the rows and columns of W that belong to them |
//! | b | `b` | their velocity from friction and free motion |
//! | S | `factor.order()` | the free variables: those between their bounds |
//! | r | `right` | −(A x + b) over S: what is still to be done |
//! | δ | `step` | the step of the free variables |
//! | ε | `EPSILON` | weight that keeps the factor of A_SS regular |
//!
//! The answer is the minimum of ½xᵀAx + bᵀx in the box, found by an active set: the free variables are solved for; one that
//! would leave its bounds is stopped there; else the bound variable with the worst velocity is freed (Lawson, Hanson 1974,
//! chapter 23). The function falls with every change, so no set comes twice. A cold start frees all that close.
//!
//! A_SS is singular when contacts are redundant. The step is then δ = B A_SS B r with B = (A_SS + ε)⁻¹, repeated until r is
//! round-off: where A acts it tends to the inverse, and where it does not it is nothing, so that loads are shared with the least
//! sum of squares and round-off moves nothing. What of r is outside of A_SS, or nearly, is in d = B r − B A_SS B r. The function falls along it
//! and hardly bends: d is followed to the least value or until a variable is at its bound. Where neither is on the way the contacts
//! ask for what cannot be; that part of r is left, and the rest is solved.

use super::model::Room;
use crate::scratch::reserve;
use crate::solver::dense::{System, dot};
use huygens_math::dense::CholeskyUpdate;
use huygens_math::scalar;

/// Small beside what masses of 1 : 1e6 leave of a diagonal 1, large beside round-off.
const EPSILON: f64 = 1e-9;

/// Velocities that differ by less than this share are treated alike: the corners of a face share a load.
const TIE: f64 = 1e-6;

/// Velocities that differ by less than this share of the largest count as alike where contacts are redundant, and load is shared: far below
/// what an answer may be off, far above the round-off of velocities.
const SHARED: f64 = 1e-12;

/// Curvature, relative to the square of a direction, below which A does nothing along it but round-off.
const FLAT: f64 = 1e-15;

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

/// How the free variables moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moved {
    Nowhere,
    /// As far as they should.
    Freely,
    /// To the bound of one of them, which is no longer free.
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
    /// r, δ and B r in the order of S; B r is δ where A acts and long where it does not. δ is put aside while d is followed.
    right: Vec<f64>,
    step: Vec<f64>,
    between: Vec<f64>,
    aside: Vec<f64>,
    factor: CholeskyUpdate,
    /// Size of b: round-off is measured against it.
    size: f64,
    /// Changes of the set so far.
    pub(super) pivots: u32,
    /// Room of the model.
    pub(super) room: Room,
}

impl Normals {
    /// Makes room for systems of `n` rows.
    pub(in crate::solver) fn reserve(&mut self, n: usize) {
        let Self { rows, lo, hi, at, x, b, right, step, between, aside, factor, room, .. } = self;
        reserve(rows, n);
        reserve(at, n);
        for list in [lo, hi, x, b, right, step, between, aside] {
            reserve(list, n);
        }
        factor.reserve(n);
        room.reserve(n);
    }

    /// Takes the normals and rows of a system, with the impulses in it to start from.
    pub(super) fn begin(&mut self, system: &System) {
        self.rows.clear();
        self.lo.clear();
        self.hi.clear();
        for entry in &system.entries {
            self.rows.push(entry.at);
            self.lo.push(entry.lo);
            self.hi.push(entry.hi);
        }
        self.pivots = 0;
        self.x.clear();
        let (lo, hi) = (&self.lo, &self.hi);
        let inside = |(k, &row): (usize, &usize)| scalar::clamp(system.p[row], lo[k], hi[k]);
        self.x.extend(self.rows.iter().enumerate().map(inside));
        self.load(system, &system.p);
        let cold = self.x.iter().all(|&x| x == 0.0);
        let n = self.rows.len();
        // These change places: each needs the room.
        for list in [&mut self.right, &mut self.step, &mut self.between, &mut self.aside] {
            reserve(list, n);
        }
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
        let rows = &self.rows;
        let row = system.row(rows[k]);
        let column = |j: usize| if j == k { row[rows[k]] + EPSILON } else { row[rows[j]] };
        self.factor.append(k, column, 0.25 * EPSILON);
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
            for disc in system.entries.iter().flat_map(|entry| entry.discs(0.0)) {
                let rows = disc.rows();
                b += dot(&w[rows.clone()], &p[rows]);
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
            let left = self.aim(system);
            if left <= self.round_off() {
                return false;
            }
            match self.leave(system) {
                Moved::ToABound => return true,
                Moved::Freely => continue,
                // Steps that no longer come nearer are round-off, or what cannot be.
                Moved::Nowhere if left > 0.5 * last => return false,
                Moved::Nowhere => {}
            }
            last = left;
            if self.advance(1.0) == Moved::ToABound {
                return true;
            }
        }
        false
    }

    /// Fills `right` with r, `step` with δ and `between` with B r; returns the largest velocity that is left.
    fn aim(&mut self, system: &System) -> f64 {
        let mut right = std::mem::take(&mut self.right);
        right.clear();
        right.extend(self.factor.order().iter().map(|&k| -(self.b[k] + self.answer(system, k))));
        self.right = right;
        self.between.clone_from(&self.right);
        self.factor.solve(&mut self.between);
        self.act(system);
        self.factor.solve(&mut self.step);
        largest(&self.right)
    }

    /// Fills `step` with A_SS times `between`.
    fn act(&mut self, system: &System) {
        let order = self.factor.order();
        self.step.clear();
        for &k in order {
            let w = system.row(self.rows[k]);
            let terms = order.iter().zip(&self.between);
            self.step.push(terms.fold(0.0, |sum, (&j, y)| sum + w[self.rows[j]] * y));
        }
    }

    /// Follows the part of r that A_SS cannot do, or hardly, to where the function falls no more; `step` is then still δ.
    fn leave(&mut self, system: &System) -> Moved {
        // B r − δ = ε B² r.
        for (d, step) in self.between.iter_mut().zip(&self.step) {
            *d -= step;
        }
        let outside = EPSILON * largest(&self.between);
        if outside <= scalar::max(16.0 * self.round_off(), SHARED * self.size) {
            return Moved::Nowhere;
        }
        std::mem::swap(&mut self.step, &mut self.aside);
        self.act(system);
        let (bend, slope) = (dot(&self.between, &self.step), dot(&self.between, &self.right));
        let square = dot(&self.between, &self.between);
        std::mem::swap(&mut self.between, &mut self.step);
        let far = if bend <= FLAT * square { f64::INFINITY } else { slope / bend };
        // Where A acts more than that the steps δ get there; d would carry its round-off far along the null space.
        let moved = if bend <= EPSILON * square { self.advance(far) } else { Moved::Nowhere };
        std::mem::swap(&mut self.step, &mut self.aside);
        moved
    }

    /// Round-off of A x + b.
    fn round_off(&self) -> f64 {
        4.0 * f64::EPSILON * (self.size + largest(&self.x) * (self.x.len() as f64).sqrt())
    }

    /// Moves the free variables by `most` times their steps, or to where the first one meets a bound, which is then held there. Where the way
    /// is endless nothing moves.
    fn advance(&mut self, most: f64) -> Moved {
        let (mut share, mut first) = (most, None);
        for (i, &k) in self.factor.order().iter().enumerate() {
            let (from, step) = (self.x[k], self.step[i]);
            let bound = if step < 0.0 { self.lo[k] } else { self.hi[k] };
            // In this form a bound beyond the way is never reached by round-off.
            let to = from + share * step;
            if step == 0.0 || !(if step < 0.0 { to < bound } else { to > bound }) {
                continue;
            }
            share = scalar::min((bound - from) / step, share);
            first = Some((i, bound));
        }
        if share.is_infinite() {
            return Moved::Nowhere;
        }
        for (i, &k) in self.factor.order().iter().enumerate() {
            self.x[k] = scalar::clamp(self.x[k] + share * self.step[i], self.lo[k], self.hi[k]);
        }
        let Some((i, bound)) = first else { return Moved::Freely };
        let k = self.factor.order()[i];
        self.x[k] = bound;
        self.at[k] = if bound == self.lo[k] { At::Low } else { At::High };
        self.factor.remove(i);
        self.pivots += 1;
        Moved::ToABound
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
