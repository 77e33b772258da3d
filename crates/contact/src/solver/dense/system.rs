//! One island: u = W p + q in scaled units.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | p | `p` | impulses over s | √(N·s·m/s) |
//! | u | | row velocities, minus their targets, times s | the same |
//! | q | `q` | u without impulses | |
//! | W | `w` | J M⁻¹ Jᵀ times s² | 1 |
//! | s | `unit` | a power of two near 1/√λ, λ the largest eigenvalue of the entry's own block of W: the same for the three rows of a point, so that cones stay cones | √kg |
//!
//! Every block on the diagonal then has its largest eigenvalue between 1/2 and 2, whatever the masses, and scaling rounds nothing.

use super::gather::Rows;
use crate::delassus::Component;
use crate::prepare::{PointData, RowData};
use crate::scratch::reserve;
use crate::transport::RANK;
use crate::{ContactProblem, Solution};
use huygens_math::{Mat3, Sym3, Vec3, scalar};

/// Friction beyond its disc by this share is round-off.
const OUTSIDE: f64 = 1e-13;

/// What an entry demands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::solver) enum EntryLaw {
    /// Three rows: contact with friction.
    Contact {
        /// μ while it sticks.
        stick: f64,
        /// μ while it slips.
        slip: f64,
    },
    /// One row with its bounds.
    Row {
        /// Least impulse.
        lo: f64,
        /// Largest impulse.
        hi: f64,
    },
}

/// A point or a row of the island.
#[derive(Clone, Copy, Debug)]
pub(in crate::solver) struct Entry {
    /// Index of the point or row in the problem.
    pub index: u32,
    /// Its first dense row.
    pub at: usize,
    pub law: EntryLaw,
}

impl Entry {
    /// Its dense rows.
    pub(in crate::solver) fn rows(&self) -> std::ops::Range<usize> {
        let len = if self.is_contact() { 3 } else { 1 };
        self.at..self.at + len
    }

    pub(in crate::solver) fn is_contact(&self) -> bool {
        matches!(self.law, EntryLaw::Contact { .. })
    }
}

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
    /// ‖q‖ in the problem's own units [m/s].
    pub(in crate::solver) q_norm: f64,
    rows: Rows,
}

impl System {
    /// Makes room for `n` rows.
    pub(super) fn reserve(&mut self, n: usize, dofs: usize) {
        reserve(&mut self.entries, n);
        reserve(&mut self.w, n * n);
        reserve(&mut self.band, n);
        for list in [&mut self.q, &mut self.p, &mut self.unit] {
            reserve(list, n);
        }
        self.rows.reserve(n, dofs);
    }

    /// Fills the system with the groups `heads` and the impulses of `from`; what cannot move is left out.
    pub(super) fn fill(
        &mut self,
        problem: &ContactProblem,
        heads: &[u32],
        points: &[PointData],
        rows: &[RowData],
        from: &Solution,
    ) {
        self.entries.clear();
        self.rows.clear();
        self.q.clear();
        self.p.clear();
        let groups = problem.groups;
        for &k in heads {
            let head = &groups.heads[k as usize];
            for i in head.range() {
                let at = self.q.len();
                if head.is_contact() {
                    let data = &points[i];
                    if data.block.inverse_nn <= 0.0 {
                        continue;
                    }
                    let u = groups.relative_at_end(head, &groups.points[i], problem.v_free);
                    self.q.extend([u[0] - data.target.speed, u[1], u[2]]);
                    self.p.extend(from.impulses[i]);
                    self.rows.point(problem, head, i, at);
                    let law = EntryLaw::Contact { stick: data.friction.stick, slip: data.friction.slip };
                    self.entries.push(Entry { index: i as u32, at, law });
                } else {
                    let data = &rows[i];
                    if data.inverse <= 0.0 {
                        continue;
                    }
                    self.q.push(groups.relative_row(head, i, problem.v_free) - data.target.speed);
                    self.p.push(from.rows[i]);
                    self.rows.row(problem, head, i, at);
                    let (lo, hi) = head.law.bounds();
                    self.entries.push(Entry { index: i as u32, at, law: EntryLaw::Row { lo, hi } });
                }
            }
        }
        self.n = self.q.len();
        self.rows.delassus(self.n, &mut self.w);
        self.columns.clear();
        self.scale();
    }

    /// Fills the system with contacts that are given as W, q and μ; those whose normal cannot move are left out.
    pub(super) fn fill_component(&mut self, component: &Component) {
        self.entries.clear();
        self.rows.clear();
        self.q.clear();
        self.w.clear();
        let all = component.q.len();
        let block = |k: usize| block_at(&component.w, all, 3 * k);
        let moves = |k: &usize| block(*k).xx > RANK * block(*k).trace();
        let moving: Vec<usize> = (0..component.members.len()).filter(moves).collect();
        for (at, &k) in moving.iter().enumerate() {
            let law = EntryLaw::Contact { stick: component.mu[k], slip: component.mu[k] };
            self.entries.push(Entry { index: component.members[k], at: 3 * at, law });
            self.q.extend_from_slice(&component.q[3 * k..3 * k + 3]);
            for row in 3 * k..3 * k + 3 {
                let row = &component.w[row * all..(row + 1) * all];
                for &j in &moving {
                    self.w.extend_from_slice(&row[3 * j..3 * j + 3]);
                }
            }
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
        self.unit.clear();
        self.unit.resize(n, 0.0);
        self.q_norm = self.q.iter().map(|q| q * q).sum::<f64>().sqrt();
        for e in &mut self.entries {
            let at = e.at;
            let largest =
                if e.is_contact() { block_at(&self.w, n, at).principal().0.z } else { self.w[at * n + at] };
            // The bounds and impulses stay finite: a normal power of two.
            let s = unit_of(largest);
            self.unit[e.rows()].fill(s);
            if let EntryLaw::Row { lo, hi } = &mut e.law {
                *lo /= s;
                *hi /= s;
            }
        }
        for i in 0..n {
            let s = self.unit[i];
            self.q[i] *= s;
            self.p[i] /= s;
            for (w, t) in self.w[i * n..(i + 1) * n].iter_mut().zip(&self.unit) {
                *w *= s * t;
            }
        }
        self.find_bands();
    }

    /// Cuts impulses back to their cones and bounds: what ran out of steps may lie outside. An answer is left as it is.
    pub(super) fn keep_in_cones(&mut self) {
        for e in &self.entries {
            let p = &mut self.p[e.rows()];
            match e.law {
                EntryLaw::Contact { stick, .. } => {
                    p[0] = scalar::max(p[0], 0.0);
                    let (size, disc) = ((p[1] * p[1] + p[2] * p[2]).sqrt(), stick * p[0]);
                    if size > disc * (1.0 + OUTSIDE) {
                        let cut = disc / size;
                        (p[1], p[2]) = (p[1] * cut, p[2] * cut);
                    }
                }
                EntryLaw::Row { lo, hi } => p[0] = scalar::clamp(p[0], lo, hi),
            }
        }
    }

    /// Writes the impulses back in the problem's units.
    pub(super) fn give(&self, out: &mut Solution) {
        for e in &self.entries {
            let p = |k: usize| self.p[e.at + k] * self.unit[e.at + k];
            match e.law {
                EntryLaw::Contact { .. } => out.impulses[e.index as usize] = [p(0), p(1), p(2)],
                EntryLaw::Row { .. } => out.rows[e.index as usize] = p(0),
            }
        }
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
        let sum: f64 = r.iter().zip(&self.unit).map(|(r, s)| (r / s) * (r / s)).sum();
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
