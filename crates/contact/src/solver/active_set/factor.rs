//! Cholesky factor of the rows and columns that are active, kept up while they come and go.
//!
//! A = L Lᵀ over the active rows in the order in which they came. A new row is one more row of L; a row that leaves makes L a
//! Hessenberg matrix, which plane rotations of its columns turn back (Golub, Van Loan 2013, section 6.5).

use crate::scratch::reserve;

/// The factor; row i of L starts at i·stride.
#[derive(Clone, Debug, Default)]
pub(super) struct Factor {
    stride: usize,
    l: Vec<f64>,
    /// The variables, in the order of the rows of L.
    pub(super) order: Vec<usize>,
}

impl Factor {
    /// Makes room for `n` rows.
    pub(super) fn reserve(&mut self, n: usize) {
        reserve(&mut self.l, n * n);
        reserve(&mut self.order, n);
    }

    /// Empty, with room for `n` rows.
    pub(super) fn reset(&mut self, n: usize) {
        self.stride = n;
        self.order.clear();
        self.l.clear();
        self.l.resize(n * n, 0.0);
    }

    /// Adds a variable, whose column of A over the active ones is `column`; `least` is a lower bound of its pivot, below which
    /// all is round-off.
    pub(super) fn append(&mut self, variable: usize, column: impl Fn(usize) -> f64, least: f64) {
        let (k, stride) = (self.order.len(), self.stride);
        let (above, row) = self.l.split_at_mut(k * stride);
        let mut pivot = column(variable);
        for i in 0..k {
            let l = &above[i * stride..i * stride + i + 1];
            let mut y = column(self.order[i]);
            for (a, b) in l[..i].iter().zip(&row[..i]) {
                y -= a * b;
            }
            row[i] = y / l[i];
            pivot -= row[i] * row[i];
        }
        row[k] = if pivot > least { pivot.sqrt() } else { least.sqrt() };
        self.order.push(variable);
    }

    /// Removes the variable in row `k`.
    pub(super) fn remove(&mut self, k: usize) {
        let (n, stride) = (self.order.len(), self.stride);
        self.order.remove(k);
        for i in k + 1..n {
            self.l.copy_within(i * stride..i * stride + i + 1, (i - 1) * stride);
        }
        for j in k..n - 1 {
            let (a, b) = (self.l[j * stride + j], self.l[j * stride + j + 1]);
            let r = (a * a + b * b).sqrt();
            let (c, s) = (a / r, b / r);
            for i in j..n - 1 {
                let at = i * stride + j;
                let (x, y) = (self.l[at], self.l[at + 1]);
                self.l[at] = c * x + s * y;
                self.l[at + 1] = c * y - s * x;
            }
            self.l[j * stride + j + 1] = 0.0;
        }
    }

    /// Replaces `x`, in the order of the rows of L, by A⁻¹ x.
    pub(super) fn solve(&self, x: &mut [f64]) {
        let (n, stride) = (self.order.len(), self.stride);
        for i in 0..n {
            let row = &self.l[i * stride..i * stride + i + 1];
            let mut y = x[i];
            for (l, x) in row[..i].iter().zip(&*x) {
                y -= l * x;
            }
            x[i] = y / row[i];
        }
        for i in (0..n).rev() {
            let row = &self.l[i * stride..i * stride + i + 1];
            x[i] /= row[i];
            let y = x[i];
            for (l, x) in row[..i].iter().zip(x.iter_mut()) {
                *x -= l * y;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use huygens_math::SplitMix;

    #[test]
    fn rows_that_come_and_go_leave_the_factor_of_those_that_stay() {
        let (n, mut r) = (12, SplitMix::new(4));
        let g: Vec<f64> = (0..n * n).map(|_| r.range(-1.0, 1.0)).collect();
        let a = |i: usize, j: usize| {
            let sum: f64 = (0..n).map(|k| g[i * n + k] * g[j * n + k]).sum();
            if i == j { sum + 0.1 } else { sum }
        };
        let mut factor = Factor::default();
        factor.reset(n);
        for _ in 0..500 {
            let variable = r.index(n);
            match factor.order.iter().position(|&v| v == variable) {
                Some(k) => factor.remove(k),
                None => factor.append(variable, |j| a(variable, j), 1e-12),
            }
            let order = &factor.order;
            let expected: Vec<f64> = order.iter().map(|_| r.range(-1.0, 1.0)).collect();
            let mut x: Vec<f64> = order
                .iter()
                .map(|&i| order.iter().zip(&expected).map(|(&j, e)| a(i, j) * e).sum::<f64>())
                .collect();
            factor.solve(&mut x);
            for (x, e) in x.iter().zip(&expected) {
                // Condition below 1e3, and the rotations of 500 changes.
                assert!((x - e).abs() < 1e-11, "{x} {e}");
            }
        }
    }
}
