//! Anderson acceleration of a fixed-point iteration x ← G(x) (Anderson 1965; Walker, Ni 2011).
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | f | `f` | G(x) − x |
//! | γ | `gamma` | weights that make \|f − Σγ_j Δf_j\| least |
//! | Δf, Δg | `df`, `dg` | changes of f and of G(x) over the last iterations |
//!
//! The next x is G(x) − Σγ_j Δg_j: what the last changes say the end is. Where f has grown the past says nothing, and is forgotten.

use super::dot;
use crate::scratch::reserve;
use huygens_math::dense::solve_positive;

/// Changes that are remembered.
const DEPTH: usize = 8;

/// Growth of |f| over the best so far at which the past is forgotten.
const GROWTH: f64 = 4.0;

/// The past of an iteration.
#[derive(Clone, Debug, Default)]
pub(in crate::solver) struct Anderson {
    df: [Vec<f64>; DEPTH],
    dg: [Vec<f64>; DEPTH],
    f: Vec<f64>,
    last_f: Vec<f64>,
    last_g: Vec<f64>,
    /// Changes seen since the last reset.
    seen: usize,
    has_last: bool,
    best: f64,
}

impl Anderson {
    /// Makes room for `n` variables.
    pub(in crate::solver) fn reserve(&mut self, n: usize) {
        let Self { df, dg, f, last_f, last_g, .. } = self;
        for list in df.iter_mut().chain(dg).chain([f, last_f, last_g]) {
            reserve(list, n);
        }
    }

    /// Forgets everything.
    pub(in crate::solver) fn reset(&mut self) {
        (self.seen, self.has_last, self.best) = (0, false, f64::INFINITY);
    }

    /// Replaces x by a better guess of the fixed point, from x and g = G(x).
    pub(in crate::solver) fn next(&mut self, x: &mut Vec<f64>, g: &[f64]) {
        self.f.clear();
        self.f.extend(g.iter().zip(x.iter()).map(|(g, x)| g - x));
        let size = dot(&self.f, &self.f).sqrt();
        if size > GROWTH * self.best {
            self.reset();
            self.best = size;
        }
        if size < self.best {
            self.best = size;
        }
        if self.has_last {
            let slot = self.seen % DEPTH;
            difference(&mut self.df[slot], &self.f, &self.last_f);
            difference(&mut self.dg[slot], g, &self.last_g);
            self.seen += 1;
        }
        self.last_f.clone_from(&self.f);
        self.last_g.clear();
        self.last_g.extend_from_slice(g);
        self.has_last = true;
        x.clear();
        x.extend_from_slice(g);
        let gamma = self.weights();
        for (dg, gamma) in self.dg.iter().zip(gamma) {
            if gamma != 0.0 {
                for (x, dg) in x.iter_mut().zip(dg) {
                    *x -= gamma * dg;
                }
            }
        }
    }

    /// The least squares by their normal equations; no weights when the changes are parallel.
    fn weights(&self) -> [f64; DEPTH] {
        let m = self.seen.min(DEPTH);
        let mut r = [[0.0; DEPTH]; DEPTH];
        let mut right = [0.0; DEPTH];
        for i in 0..m {
            right[i] = dot(&self.df[i], &self.f);
            for (r, df) in r[i].iter_mut().zip(&self.df[..m]) {
                *r = dot(&self.df[i], df);
            }
            // A share of the diagonal keeps nearly parallel changes apart.
            r[i][i] *= 1.0 + 1e-12;
        }
        let gamma = solve_positive(&r, &right, m, 0.0).unwrap_or_default();
        // Weights beyond this come from round-off.
        if gamma.iter().all(|x| x.abs() < 1e4) { gamma } else { [0.0; DEPTH] }
    }
}

fn difference(to: &mut Vec<f64>, a: &[f64], b: &[f64]) {
    to.clear();
    to.extend(a.iter().zip(b).map(|(a, b)| a - b));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_linear_iteration_ends_after_as_many_steps_as_it_has_rates() {
        let rates = [0.999, 0.99, -0.9, 0.5];
        let (mut x, mut anderson) = (vec![1.0; 4], Anderson::default());
        anderson.reset();
        for _ in 0..12 {
            let g: Vec<f64> = x.iter().zip(rates).map(|(x, rate)| rate * x + 1.0 - rate * 2.0).collect();
            anderson.next(&mut x, &g);
        }
        for (x, rate) in x.iter().zip(rates) {
            let end = (1.0 - 2.0 * rate) / (1.0 - rate);
            // The slowest rate loses three digits of f.
            assert!((x - end).abs() < 1e-9 * (1.0 + end.abs()), "{x} {end}");
        }
    }
}
