//! One island: u = W p + q in scaled units.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | p | `p` | impulses over s | √(N·s·m/s) |
//! | u | | row velocities, minus their targets, times s | the same |
//! | q | `q` | u without impulses | |
//! | W | `w` | J M⁻¹ Jᵀ, plus the regularisation R of rows that give way, times s² | 1 |
//! | s | `unit` | a power of two near 1/√λ, λ the largest eigenvalue of the own block of W: one for normal and friction of a point, one for its spinning, one for its rolling, so that discs stay discs | √kg, √(kg·m²) |
//!
//! Every such block on the diagonal then has its largest eigenvalue between 1/2 and 2, whatever the masses, and scaling rounds nothing. Levers are
//! scaled by the ratio of two units, so that cones stay cones; that ratio is also the length by which a spin counts as a speed.

use super::gather::Rows;
use super::law::{DISCS, Entry};
use crate::delassus::Component;
use crate::entry::{BlockRows, Cone, Prepared};
use crate::scratch::reserve;
use crate::transport::RANK;
use crate::{ContactProblem, Solution};
use huygens_math::{Mat3, Sym3, Vec3, scalar};

/// Friction beyond its disc by this share is round-off.
const OUTSIDE: f64 = 1e-13;

/// An island as a dense system.
#[derive(Clone, Debug, Default)]
pub(crate) struct System {
    /// Number of rows.
    pub(in crate::solver) n: usize,
    pub(in crate::solver) entries: Vec<Entry>,
    /// Row-major n × n.
    pub(in crate::solver) w: Vec<f64>,
    /// From where to where each row of W, and each column, has entries that are not zero.
    band: Vec<std::ops::Range<usize>>,
    /// W by columns where it is not symmetric; else empty.
    columns: Vec<f64>,
    pub(in crate::solver) q: Vec<f64>,
    pub(in crate::solver) p: Vec<f64>,
    pub(in crate::solver) unit: Vec<f64>,
    /// Unit of the leading row of each row's entry: what a scaled velocity is divided by to be a speed [m/s].
    pub(in crate::solver) lead: Vec<f64>,
    /// ‖q‖ as speeds [m/s].
    pub(in crate::solver) q_norm: f64,
    rows: Rows,
}

impl System {
    /// Makes room for `n` rows.
    pub(super) fn reserve(&mut self, n: usize, dofs: usize) {
        reserve(&mut self.entries, n);
        reserve(&mut self.w, n * n);
        reserve(&mut self.band, n);
        for list in [&mut self.q, &mut self.p, &mut self.unit, &mut self.lead] {
            reserve(list, n);
        }
        self.rows.reserve(n, dofs);
    }

    /// Fills the system with the groups `heads` and the impulses of `from`; what cannot move is left out.
    pub(super) fn fill(
        &mut self,
        problem: &ContactProblem,
        heads: &[u32],
        prepared: Prepared,
        from: &Solution,
    ) {
        self.entries.clear();
        self.rows.clear();
        self.q.clear();
        self.p.clear();
        let groups = problem.groups;
        for &head in heads {
            for source in groups.entries(&groups.heads[head as usize]) {
                if prepared.inverse(&source) <= 0.0 {
                    continue;
                }
                let (lo, hi) = source.head.law.bounds();
                let (at, cone) = (self.q.len(), source.cone());
                let entry = Entry { head, index: source.index as u32, at, lo, hi, cone };
                let (mut u, p) = (source.relative_at_end(problem.v_free), source.impulse(from.all()));
                u[0] -= prepared.target(&source).speed;
                for (row, axis) in entry.axes().enumerate() {
                    self.q.push(u[axis]);
                    self.p.push(p[axis]);
                    self.rows.entry(problem, &source, axis, at + row);
                }
                self.entries.push(entry);
            }
        }
        self.n = self.q.len();
        self.rows.delassus(self.n, &mut self.w);
        for e in &self.entries {
            let source = groups.entry(&groups.heads[e.head as usize], e.index as usize);
            self.w[e.at * self.n + e.at] += prepared.regularisation(&source);
        }
        self.columns.clear();
        self.scale();
    }

    /// Fills the system with contacts that are given as W, q, μ and levers; those whose normal cannot move are left out.
    pub(super) fn fill_component(&mut self, component: &Component) {
        self.entries.clear();
        self.rows.clear();
        self.q.clear();
        self.w.clear();
        let (all, d) = (component.q.len(), component.dimension);
        // Row of the component for each row of the system.
        let mut from = Vec::new();
        for (k, &index) in component.members.iter().enumerate() {
            let (first, mu) = (d * k, component.mu[k]);
            let block = block_at(&component.w, all, first);
            if block.xx <= RANK * block.trace() {
                continue;
            }
            let cone = Cone { stick: mu, slip: mu, spin: 0.0, roll: component.roll[k] };
            let entry = Entry { head: 0, index, at: self.q.len(), lo: 0.0, hi: f64::INFINITY, cone };
            // Files have no row of spinning: rolling follows friction.
            from.extend(entry.axes().map(|axis| first + if axis < 3 { axis } else { axis - 1 }));
            self.q.extend(from[self.q.len()..].iter().map(|&row| component.q[row]));
            self.entries.push(entry);
        }
        for &row in &from {
            let row = &component.w[row * all..(row + 1) * all];
            self.w.extend(from.iter().map(|&column| row[column]));
        }
        self.n = self.q.len();
        self.p.clear();
        self.p.resize(self.n, 0.0);
        self.columns.clear();
        self.scale();
        self.keep_columns();
    }

    /// Finds the bands of W.
    fn find_bands(&mut self) {
        let n = self.n;
        self.band.clear();
        self.band.resize(n, n..0);
        for i in 0..n {
            for j in (0..n).filter(|j| self.w[i * n + j] != 0.0) {
                for (k, at) in [(i, j), (j, i)] {
                    let band = &mut self.band[k];
                    *band = band.start.min(at)..band.end.max(at + 1);
                }
            }
        }
        // A row of zeros has an empty band.
        for band in self.band.iter_mut().filter(|band| band.end == 0) {
            *band = 0..0;
        }
    }

    /// Keeps W by columns when it is not symmetric.
    fn keep_columns(&mut self) {
        let (n, w) = (self.n, &self.w);
        let symmetric = (0..n).all(|i| (0..i).all(|j| w[i * n + j] == w[j * n + i]));
        if !symmetric {
            self.columns.extend((0..n * n).map(|k| w[(k % n) * n + k / n]));
        }
    }

    fn scale(&mut self) {
        let n = self.n;
        for list in [&mut self.unit, &mut self.lead] {
            list.clear();
            list.resize(n, 0.0);
        }
        for e in &mut self.entries {
            let (w, at) = (&self.w, e.at);
            let largest = if e.has_friction() { block_at(w, n, at).principal().0.z } else { w[at * n + at] };
            // The bounds and impulses stay finite: a normal power of two.
            let s = unit_of(largest);
            self.unit[at] = s;
            e.lo /= s;
            e.hi /= s;
            let mut units = [s; DISCS];
            for (k, disc) in e.numbered_discs() {
                let i = disc.first;
                if k > 0 {
                    let (a, own) = (w[i * n + i], i + disc.len - 1);
                    let (b, c) = (0.5 * (w[i * n + own] + w[own * n + i]), w[own * n + own]);
                    let spread = (0.25 * (a - c) * (a - c) + b * b).sqrt();
                    units[k] = unit_of(if disc.len == 1 { a } else { 0.5 * (a + c) + spread });
                }
                self.unit[disc.rows()].fill(units[k]);
            }
            self.lead[e.rows()].fill(s);
            e.cone.spin *= s / units[1];
            e.cone.roll *= s / units[2];
        }
        let mut q_norm = 0.0;
        for i in 0..n {
            let s = self.unit[i];
            self.q[i] *= s;
            self.p[i] /= s;
            q_norm += scalar::square(self.q[i] / self.lead[i]);
            for (w, t) in self.w[i * n..(i + 1) * n].iter_mut().zip(&self.unit) {
                *w *= s * t;
            }
        }
        self.q_norm = q_norm.sqrt();
        self.find_bands();
    }

    /// Cuts impulses back to their cones and bounds: what ran out of steps may lie outside. An answer is left as it is.
    pub(super) fn keep_in_cones(&mut self) {
        for e in &self.entries {
            self.p[e.at] = scalar::clamp(self.p[e.at], e.lo, e.hi);
            for disc in e.discs(e.cone.stick) {
                let (size, most) = (disc.size(&self.p), disc.radius * self.p[e.at]);
                if size > most * (1.0 + OUTSIDE) {
                    disc.scale(&mut self.p, most / size);
                }
            }
        }
    }

    /// Writes the impulses back in the problem's units.
    pub(super) fn give(&self, problem: &ContactProblem, out: &mut Solution) {
        let groups = problem.groups;
        for e in &self.entries {
            let entry = groups.entry(&groups.heads[e.head as usize], e.index as usize);
            entry.set(out.all_mut(), &self.impulse(e));
        }
    }

    /// The impulses of an entry in the problem's units.
    pub(super) fn impulse(&self, e: &Entry) -> BlockRows {
        let (p, unit) = (e.spread(&self.p), e.spread(&self.unit));
        std::array::from_fn(|k| p[k] * unit[k])
    }

    /// Row `i` of W.
    #[inline(always)]
    pub(in crate::solver) fn row(&self, i: usize) -> &[f64] {
        &self.w[i * self.n..(i + 1) * self.n]
    }

    /// Column `i` of W.
    #[inline(always)]
    pub(in crate::solver) fn column(&self, i: usize) -> &[f64] {
        if self.columns.is_empty() { self.row(i) } else { &self.columns[i * self.n..(i + 1) * self.n] }
    }

    /// Where row and column `i` of W have entries that are not zero.
    #[inline(always)]
    pub(in crate::solver) fn band(&self, i: usize) -> std::ops::Range<usize> {
        self.band[i].clone()
    }

    /// Row `i` of W times `p`.
    #[inline(always)]
    pub(in crate::solver) fn row_times(&self, i: usize, p: &[f64]) -> f64 {
        let band = self.band(i);
        dot(&self.row(i)[band.clone()], &p[band])
    }

    /// u = W p + q.
    pub(in crate::solver) fn velocity(&self, p: &[f64], u: &mut Vec<f64>) {
        u.clear();
        u.extend((0..self.n).map(|i| self.q[i] + self.row_times(i, p)));
    }

    /// ‖r‖ of a residual in scaled units, as velocity and relative to ‖q‖.
    pub(in crate::solver) fn relative_norm(&self, r: &[f64]) -> f64 {
        let sum: f64 = r.iter().zip(&self.lead).map(|(r, s)| (r / s) * (r / s)).sum();
        if self.q_norm > 0.0 { sum.sqrt() / self.q_norm } else { sum.sqrt() }
    }
}

/// The symmetric part of the 3×3 block on the diagonal of an n × n matrix at row `at`.
pub(in crate::solver) fn block_at(w: &[f64], n: usize, at: usize) -> Sym3 {
    let axis = |k: usize| Vec3::from_slice(&w[(at + k) * n + at..]);
    Sym3::from_mat3(&Mat3::from_cols(axis(0), axis(1), axis(2)))
}

/// The unit of a block whose largest eigenvalue is `largest`.
pub(in crate::solver) fn unit_of(largest: f64) -> f64 {
    power_of_two(1.0 / largest.sqrt())
}

/// The power of two in (x/√2, x√2]; x is positive and normal, else 1.
fn power_of_two(x: f64) -> f64 {
    if !x.is_normal() {
        return 1.0;
    }
    // Sign and exponent of x√2 with an empty fraction.
    f64::from_bits((x * std::f64::consts::SQRT_2).to_bits() & !((1 << 52) - 1))
}

/// Σ a b, in order.
#[inline(always)]
pub(in crate::solver) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (a, b) in a.iter().zip(b) {
        sum += a * b;
    }
    sum
}
