//! Least-squares solutions with a symmetric positive matrix whose rank is not known.

use crate::scalar;

/// The factor of a positive semi-definite matrix W by Cholesky's method with diagonal pivoting: W = L Lᵀ with as many columns as W has
/// ranks. Where W is singular, [`RankedCholesky::solve`] gives W⁺b: of all x that come nearest to W x = b the shortest. With N = LᵀL,
/// W⁺ = L N⁻¹ N⁻¹ Lᵀ.
#[derive(Clone, Debug, Default)]
pub struct RankedCholesky {
    n: usize,
    rank: usize,
    /// Row i of L has `rank` entries used and starts at i·n; rows are in the order of the variables.
    l: Vec<f64>,
    /// The variable of each pivot, then the variables without one.
    order: Vec<usize>,
    /// The Cholesky factor of N, row-major rank × rank; empty for a matrix of full rank.
    normal: Vec<f64>,
    /// What is left of the diagonal while factoring.
    left: Vec<f64>,
}

impl RankedCholesky {
    /// Factors the n × n matrix `w` (row-major). A pivot up to `round_off` times `scale` of its variable is nothing.
    ///
    /// # Panics
    /// When a length does not fit.
    pub fn factor(&mut self, w: &[f64], scale: &[f64], round_off: f64) {
        let n = scale.len();
        assert_eq!(w.len(), n * n, "n × n numbers");
        (self.n, self.rank) = (n, 0);
        self.l.clear();
        self.l.resize(n * n, 0.0);
        self.order.clear();
        self.order.extend(0..n);
        self.left.clear();
        self.left.extend((0..n).map(|i| w[i * n + i]));
        for k in 0..n {
            let Some(at) = self.largest_left(k, scale, round_off) else { break };
            self.order.swap(k, at);
            self.add_column(w, k);
            self.rank = k + 1;
        }
        self.normal.clear();
        if self.rank < n {
            self.factor_normal();
        }
    }

    /// The place in `order`, from k on, of the variable whose pivot is largest beside its scale; `None` when all are round-off.
    fn largest_left(&self, k: usize, scale: &[f64], round_off: f64) -> Option<usize> {
        let share = |at: &usize| self.left[self.order[*at]] / scale[self.order[*at]];
        let best = (k..self.n).fold(k, |best, at| if share(&at) > share(&best) { at } else { best });
        (share(&best) > round_off).then_some(best)
    }

    fn add_column(&mut self, w: &[f64], k: usize) {
        let (n, p) = (self.n, self.order[k]);
        let pivot = self.left[p].sqrt();
        self.l[p * n + k] = pivot;
        for &i in &self.order[k + 1..] {
            let mut x = w[i * n + p];
            for j in 0..k {
                x -= self.l[i * n + j] * self.l[p * n + j];
            }
            let x = x / pivot;
            self.l[i * n + k] = x;
            self.left[i] = scalar::max(self.left[i] - x * x, 0.0);
        }
    }

    /// N = LᵀL and its factor. L has full column rank, so that N is positive definite.
    fn factor_normal(&mut self) {
        let (n, r) = (self.n, self.rank);
        self.normal.resize(r * r, 0.0);
        for i in 0..r {
            for j in 0..=i {
                let mut x: f64 = (0..n).map(|row| self.l[row * n + i] * self.l[row * n + j]).sum();
                for k in 0..j {
                    x -= self.normal[i * r + k] * self.normal[j * r + k];
                }
                self.normal[i * r + j] = if i == j { x.sqrt() } else { x / self.normal[j * r + j] };
            }
        }
    }

    /// Number of pivots.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// True when some rows follow from others, or cannot be met.
    pub fn is_deficient(&self) -> bool {
        self.rank < self.n
    }

    /// Replaces `x` by W⁻¹x, or where W is singular by W⁺x; `room` has at least n numbers.
    ///
    /// # Panics
    /// When the length of `x` is not n, or `room` is too short.
    pub fn solve(&self, x: &mut [f64], room: &mut [f64]) {
        assert_eq!(x.len(), self.n, "one number per row");
        if self.is_deficient() {
            self.solve_least_squares(x, &mut room[..self.rank]);
        } else {
            self.solve_full(x);
        }
    }

    fn solve_full(&self, x: &mut [f64]) {
        let n = self.n;
        for (k, &p) in self.order.iter().enumerate() {
            let row = &self.l[p * n..p * n + k + 1];
            let mut y = x[p];
            for (l, &q) in row[..k].iter().zip(&self.order) {
                y -= l * x[q];
            }
            x[p] = y / row[k];
        }
        for (k, &p) in self.order.iter().enumerate().rev() {
            let row = &self.l[p * n..p * n + k + 1];
            x[p] /= row[k];
            let y = x[p];
            for (l, &q) in row[..k].iter().zip(&self.order) {
                x[q] -= l * y;
            }
        }
    }

    fn solve_least_squares(&self, x: &mut [f64], room: &mut [f64]) {
        let (n, r) = (self.n, self.rank);
        for (k, z) in room.iter_mut().enumerate() {
            *z = (0..n).map(|i| self.l[i * n + k] * x[i]).sum();
        }
        for _ in 0..2 {
            substitute(&self.normal, room);
        }
        for (i, x) in x.iter_mut().enumerate() {
            *x = self.l[i * n..i * n + r].iter().zip(&*room).map(|(l, z)| l * z).sum();
        }
    }
}

/// Replaces `x` by (C Cᵀ)⁻¹ x, C row-major and lower triangular.
fn substitute(c: &[f64], x: &mut [f64]) {
    let n = x.len();
    for i in 0..n {
        let y: f64 = (0..i).map(|j| c[i * n + j] * x[j]).sum();
        x[i] = (x[i] - y) / c[i * n + i];
    }
    for i in (0..n).rev() {
        let y: f64 = (i + 1..n).map(|j| c[j * n + i] * x[j]).sum();
        x[i] = (x[i] - y) / c[i * n + i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SplitMix;

    #[test]
    fn the_answer_is_the_shortest_of_those_that_come_nearest() {
        let (n, mut r) = (7, SplitMix::new(11));
        for rank in 1..=n {
            for _ in 0..40 {
                let mut w = vec![0.0; n * n];
                for _ in 0..rank {
                    let x: Vec<f64> = (0..n).map(|_| r.range(-1.0, 1.0)).collect();
                    (0..n * n).for_each(|k| w[k] += x[k / n] * x[k % n]);
                }
                let b: Vec<f64> = (0..n).map(|_| r.range(-1.0, 1.0)).collect();
                let mut factor = RankedCholesky::default();
                factor.factor(&w, &vec![1.0; n], 1e-10);
                assert_eq!(factor.rank(), rank);
                let mut x = b.clone();
                factor.solve(&mut x, &mut [0.0; 7]);
                let times = |v: &[f64]| -> Vec<f64> {
                    (0..n).map(|i| (0..n).map(|j| w[i * n + j] * v[j]).sum()).collect()
                };
                // Gradient of |W x − b|²: W (W x − b) = 0; shortest: x is in the range of W, so that W⁺W x = x.
                let off: Vec<f64> = times(&x).iter().zip(&b).map(|(a, b)| a - b).collect();
                let size = x.iter().fold(1.0, |m, x| scalar::max(m, x.abs()));
                assert!(times(&off).iter().all(|g| g.abs() < 1e-8 * size), "rank {rank}: {off:?}");
                let mut again = times(&x);
                factor.solve(&mut again, &mut [0.0; 7]);
                assert!(again.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-7 * size), "rank {rank}");
            }
        }
    }
}
