//! Semismooth Newton with sweeps between its attempts, on one island.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | ε, c | `epsilon`, `centre` | proximal weight and centre: u = W p + q + ε(p − c), so that redundant contacts have one answer |
//! | δ | `step` | Newton step of the impulses |
//!
//! Sweeps always come nearer but slowly; Newton's steps end it once every contact is in its right mode. So: a few sweeps, Newton from
//! there, and if that fails twice as many sweeps.

use super::modes::{DiscMode, Lead, Mode, mode, residual};
use crate::scratch::reserve;
use crate::solver::SolveReport;
use crate::solver::dense::{Anderson, System, sweep};
use huygens_math::dense::{LuProfile, solve_rows};
use huygens_math::scalar;
use std::ops::Range;

/// Newton steps of one attempt.
const STEPS: u32 = 16;

/// Attempts; before each the sweeps double.
const ATTEMPTS: u32 = 9;

/// Sweeps before the first attempt.
const SWEEPS: u32 = 8;

/// Most moves of the centre at once.
const LONGEST: f64 = 4096.0;

/// Residual that no more work improves.
const ROUND_OFF: f64 = 2e-16;

/// Room of the reference.
#[derive(Clone, Debug, Default)]
pub(in crate::solver) struct Newton {
    pub(super) epsilon: f64,
    pub(super) centre: Vec<f64>,
    /// Friction of each entry.
    pub(super) mu: Vec<f64>,
    pub(super) p: Vec<f64>,
    pub(super) u: Vec<f64>,
    pub(super) f: Vec<f64>,
    modes: Vec<Mode>,
    step: Vec<f64>,
    /// Rows that are solved for.
    active: Vec<usize>,
    matrix: Vec<f64>,
    right: Vec<f64>,
    profile: LuProfile,
    best: Vec<f64>,
    start: Vec<f64>,
    /// Room of the proximal iteration.
    pub(super) kept: Vec<f64>,
    aside: Vec<f64>,
    /// Room of the path: its last answer, the best end that was tried, and the nearest place to the end.
    pub(super) on_path: [Vec<f64>; 3],
    anderson: Anderson,
    /// Moves of the centre that are made at once.
    stride: f64,
    /// Newton steps so far.
    pub(super) steps: u32,
    /// Newton steps and sweeps that are left, and what a new start has.
    left: [u32; 2],
    all: [u32; 2],
}

impl Newton {
    /// Makes room for systems of `n` rows.
    pub(in crate::solver) fn reserve(&mut self, n: usize) {
        let Self { centre, mu, p, u, f, step, right, best, start, kept, aside, on_path, .. } = self;
        on_path.iter_mut().for_each(|list| reserve(list, n));
        for list in [centre, mu, p, u, f, step, right, best, start, kept, aside] {
            reserve(list, n);
        }
        reserve(&mut self.modes, n);
        reserve(&mut self.active, n);
        self.profile.reserve(n);
        reserve(&mut self.matrix, n * n);
        self.anderson.reserve(n);
    }

    /// Room for a system, with at most so many Newton steps and sweeps.
    pub(super) fn begin(&mut self, system: &System, steps: u32, sweeps: u32) {
        self.all = [steps, sweeps];
        self.renew();
        self.step.clear();
        self.step.resize(system.n, 0.0);
        self.f.clear();
        self.f.resize(system.n, 0.0);
        self.centre.clear();
        self.centre.resize(system.n, 0.0);
        self.steps = 0;
    }

    /// Leaves so many steps and sweeps until the next [`Newton::renew`].
    pub(super) fn limit(&mut self, steps: u32, sweeps: u32) {
        self.left = [steps, sweeps];
    }

    /// Gives back all steps and sweeps.
    pub(super) fn renew(&mut self) {
        self.left = self.all;
    }

    /// Forgets how the centre moved.
    pub(super) fn forget(&mut self) {
        self.anderson.reset();
        self.stride = 1.0;
    }

    /// Moves the centre to where its last moves say that p ends; `ratio` is the residual over that before.
    ///
    /// A ratio near one is a creep, always the same way: the centre goes ahead, and further each time.
    pub(super) fn move_centre(&mut self, ratio: f64) {
        let creeps = (0.9..1.5).contains(&ratio);
        self.stride = if creeps { scalar::min(4.0 * self.stride, LONGEST) } else { 1.0 };
        if ratio < 0.9 {
            self.anderson.next(&mut self.centre, &self.p);
            return;
        }
        self.anderson.reset();
        for (c, p) in self.centre.iter_mut().zip(&self.p) {
            *c += self.stride * (p - *c);
        }
    }

    /// Puts the centre at `to`, or at zero when that is empty.
    pub(super) fn set_centre(&mut self, to: &[f64]) {
        self.forget();
        let n = self.p.len();
        self.centre.clear();
        self.centre.extend_from_slice(to);
        self.centre.resize(n, 0.0);
    }

    /// Keeps an answer, and clears `p` for another try.
    pub(super) fn set_aside(&mut self, p: &mut [f64]) {
        self.aside.clear();
        self.aside.extend_from_slice(p);
        p.fill(0.0);
    }

    /// The better of the answer that was set aside and the new one in `p`.
    pub(super) fn better(&mut self, aside: SolveReport, new: SolveReport, p: &mut [f64]) -> SolveReport {
        if new.residual < aside.residual {
            return new;
        }
        p.copy_from_slice(&self.aside);
        SolveReport { iterations: new.iterations, ..aside }
    }

    /// Velocities, modes and F at p; returns its norm relative to ‖q‖.
    pub(super) fn evaluate(&mut self, system: &System) -> f64 {
        system.velocity(&self.p, &mut self.u);
        for ((u, p), c) in self.u.iter_mut().zip(&self.p).zip(&self.centre) {
            *u += self.epsilon * (p - c);
        }
        self.modes.clear();
        for (entry, &mu) in system.entries.iter().zip(&self.mu) {
            let mode = mode(entry, mu, &self.p, &self.u);
            residual(entry, &mode, mu, &self.p, &self.u, &mut self.f);
            self.modes.push(mode);
        }
        let norm = system.relative_norm(&self.f);
        if norm.is_nan() { f64::INFINITY } else { norm }
    }

    /// Solves with the present ε, centre and friction from the present p; returns the residual it reached.
    pub(super) fn solve(&mut self, system: &System, good: f64) -> f64 {
        let mut best = self.evaluate(system);
        self.best.clone_from(&self.p);
        let mut sweeps = if best < 1e-6 { 0 } else { SWEEPS };
        self.start.clone_from(&self.p);
        for attempt in 0..ATTEMPTS {
            let good = scalar::max(self.round_off(system), good);
            if best <= good || self.left[0] == 0 {
                break;
            }
            // In turn from where the sweeps came to, which leads on however far it looks, and from the best point.
            self.p.clone_from(if attempt % 2 == 0 { &self.start } else { &self.best });
            sweeps = sweeps.min(self.left[1]);
            self.left[1] -= sweeps;
            self.sweep(system, sweeps);
            self.start.clone_from(&self.p);
            best = self.attempt(system, best, false);
            if best > good {
                self.p.clone_from(&self.start);
                best = self.attempt(system, best, true);
            }
            sweeps = (2 * sweeps).max(SWEEPS);
        }
        self.p.clone_from(&self.best);
        self.evaluate(system)
    }

    /// Norm of the round-off of W p + q at the best point, as [`Newton::evaluate`] measures it.
    fn round_off(&self, system: &System) -> f64 {
        self.round_off_at(system, &self.best)
    }

    /// The same at another point.
    pub(super) fn round_off_at(&self, system: &System, at: &[f64]) -> f64 {
        let mut sum = 0.0;
        for i in 0..system.n {
            let terms: f64 = system.row(i).iter().zip(at).map(|(w, p)| (w * p).abs()).sum();
            sum += scalar::square(f64::EPSILON * (system.q[i].abs() + terms) / system.lead[i]);
        }
        if system.q_norm > 0.0 { sum.sqrt() / system.q_norm } else { sum.sqrt() }
    }

    fn sweep(&mut self, system: &System, sweeps: u32) {
        self.evaluate(system);
        for k in 0..sweeps {
            sweep(system, self.epsilon, &self.mu, &mut self.p, &mut self.u, k % 2 == 1);
        }
    }

    /// Newton from p; keeps the best point met in `best`. Damped: only steps that come nearer; else all full steps.
    fn attempt(&mut self, system: &System, mut best: f64, damped: bool) -> f64 {
        let mut now = self.evaluate(system);
        let mut failed = 0;
        for _ in 0..STEPS {
            if now < best {
                best = now;
                self.best.clone_from(&self.p);
                failed = 0;
            } else {
                failed += 1;
            }
            if now <= ROUND_OFF || failed > 6 || self.left[0] == 0 || !self.newton_step(system) {
                break;
            }
            self.steps += 1;
            self.left[0] = self.left[0].saturating_sub(1);
            let next = if damped { self.shorten(system, now) } else { self.take(system, 1.0) };
            let Some(next) = next else { break };
            // At round-off the steps no longer come nearer.
            if next > 0.5 * now && now < 1e-13 {
                if next < best {
                    best = next;
                    self.best.clone_from(&self.p);
                }
                break;
            }
            now = next;
        }
        best
    }

    fn take(&mut self, system: &System, share: f64) -> Option<f64> {
        for (p, step) in self.p.iter_mut().zip(&self.step) {
            *p += share * step;
        }
        let norm = self.evaluate(system);
        norm.is_finite().then_some(norm)
    }

    /// The longest of the halved steps that comes nearer.
    fn shorten(&mut self, system: &System, now: f64) -> Option<f64> {
        let mut share = 1.0;
        let mut next = self.take(system, share).unwrap_or(f64::INFINITY);
        for _ in 0..10 {
            if next < now * (1.0 - 1e-3 * share) {
                return Some(next);
            }
            share *= 0.5;
            next = self.take(system, -share).unwrap_or(f64::INFINITY);
        }
        None
    }

    /// Fills `step`; false when the matrix is singular.
    fn newton_step(&mut self, system: &System) -> bool {
        self.choose_rows(system);
        let m = self.active.len();
        self.matrix.clear();
        self.matrix.resize(m * m, 0.0);
        self.right.clear();
        self.right.resize(m, 0.0);
        let mut row = 0;
        for (k, entry) in system.entries.iter().enumerate() {
            let mode = self.modes[k];
            if mode.lead != Lead::Free {
                continue;
            }
            let lead = row;
            self.velocity_row(system, row, entry.at);
            row += 1;
            for (disc, mode) in entry.discs(self.mu[k]).zip(mode.discs) {
                match mode {
                    DiscMode::Empty => continue,
                    DiscMode::Stick => {
                        for (axis, i) in disc.rows().enumerate() {
                            self.velocity_row(system, row + axis, i);
                        }
                    }
                    DiscMode::Slip { d, kappa } => {
                        let u = self.u[entry.at];
                        for (axis, i) in disc.rows().enumerate() {
                            self.matrix[(row + axis) * m + lead] -= disc.radius * d[axis];
                            self.matrix[(row + axis) * m + row + axis] += 1.0;
                            self.right[row + axis] = -self.f[i] + disc.radius * d[axis] * u;
                        }
                        if disc.len == 2 {
                            self.across_rows(system, row, disc.first, d, kappa);
                        }
                    }
                }
                row += disc.len;
            }
        }
        if !solve_rows(&mut self.matrix, &mut self.right, &mut self.profile) {
            return false;
        }
        for (&i, &x) in self.active.iter().zip(&self.right) {
            self.step[i] = x;
        }
        true
    }

    /// Rows with unknown steps; the others' steps are known: to zero, or to their bound.
    fn choose_rows(&mut self, system: &System) {
        self.active.clear();
        for (entry, mode) in system.entries.iter().zip(&self.modes) {
            let mut see = |i: usize, is_unknown: bool| {
                self.step[i] = if is_unknown { 0.0 } else { -self.f[i] };
                if is_unknown {
                    self.active.push(i);
                }
            };
            see(entry.at, mode.lead == Lead::Free);
            for (disc, mode) in entry.discs(0.0).zip(mode.discs) {
                disc.rows().for_each(|i| see(i, mode != DiscMode::Empty));
            }
        }
    }

    /// Σ over the known steps of W_ij δ_j; the active ones are zero here.
    fn known(&self, system: &System, i: usize) -> f64 {
        system.row_times(i, &self.step) + self.epsilon * self.step[i]
    }

    /// The active rows that lie in a band of W.
    fn columns_of(&self, band: &Range<usize>) -> Range<usize> {
        let place = |i: usize| self.active.partition_point(|&j| j < i);
        place(band.start)..place(band.end)
    }

    /// Row `row` of the matrix asks that velocity `i` becomes zero.
    fn velocity_row(&mut self, system: &System, row: usize, i: usize) {
        let m = self.active.len();
        let w = system.row(i);
        let columns = self.columns_of(&system.band(i));
        let from = &mut self.matrix[row * m..(row + 1) * m][columns.clone()];
        for (a, &j) in from.iter_mut().zip(&self.active[columns]) {
            *a = w[j];
            if j == i {
                *a += self.epsilon;
            }
        }
        self.right[row] = -self.u[i] - self.known(system, i);
    }

    /// The part of a slipping disc of two rows that is across its direction: adds −κP δp + κP δu, P = 1 − d dᵀ, to (1 δp − μ d δp₀ = …), which
    /// has the rest. `row` is its first row in the matrix, `first` in the system.
    ///
    /// The leading row has δu₀ = −u₀, so that δz₀ = δp₀ + u₀.
    fn across_rows(&mut self, system: &System, row: usize, first: usize, d: [f64; 2], kappa: f64) {
        let m = self.active.len();
        let across = [-d[1], d[0]];
        let t = [first, first + 1];
        let known = across[0] * self.known(system, t[0]) + across[1] * self.known(system, t[1]);
        let bands = t.map(|i| system.band(i));
        let columns = self.columns_of(&(bands[0].start.min(bands[1].start)..bands[0].end.max(bands[1].end)));
        for (k, &side) in across.iter().enumerate() {
            let from = (row + k) * m;
            for column in columns.clone() {
                let j = self.active[column];
                let mut u = across[0] * system.row(t[0])[j] + across[1] * system.row(t[1])[j];
                if j == t[0] {
                    u += self.epsilon * across[0];
                }
                if j == t[1] {
                    u += self.epsilon * across[1];
                }
                self.matrix[from + column] += kappa * side * u;
            }
            for (l, &other) in across.iter().enumerate() {
                self.matrix[from + row + l] -= kappa * side * other;
            }
            self.right[row + k] -= kappa * side * known;
        }
    }
}
