//! Cholesky factors of symmetric positive definite matrices: A = L Lᵀ.

use super::reserve;

/// The factor over the first `n` rows, in the lower half; `None` when a pivot is not above `rank` times its diagonal entry.
fn factor<const N: usize>(mut a: [[f64; N]; N], n: usize, rank: f64) -> Option<[[f64; N]; N]> {
    for k in 0..n {
        let all = a[k][k];
        let row = a[k];
        let pivot = all - row[..k].iter().map(|x| x * x).sum::<f64>();
        if pivot.is_nan() || pivot <= rank * all {
            return None;
        }
        let root = pivot.sqrt();
        a[k][k] = root;
        for i in k + 1..n {
            let known: f64 = a[i][..k].iter().zip(&a[k][..k]).map(|(x, y)| x * y).sum();
            a[i][k] = (a[i][k] - known) / root;
        }
    }
    Some(a)
}

/// Replaces `x` by (L Lᵀ)⁻¹ x.
fn substitute<const N: usize>(l: &[[f64; N]; N], x: &mut [f64; N], n: usize) {
    for i in 0..n {
        let known: f64 = l[i][..i].iter().zip(&*x).map(|(l, x)| l * x).sum();
        x[i] = (x[i] - known) / l[i][i];
    }
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|k| l[k][i] * x[k]).sum();
        x[i] = (x[i] - known) / l[i][i];
    }
}

/// Solves A x = b over the first `n` rows of a symmetric positive definite matrix, of which the lower half is read. `None` when a pivot is not
/// above `rank` times its diagonal entry: that row has no freedom of its own.
pub fn solve_positive<const N: usize>(
    a: &[[f64; N]; N],
    b: &[f64; N],
    n: usize,
    rank: f64,
) -> Option<[f64; N]> {
    let l = factor(*a, n, rank)?;
    let mut x = *b;
    substitute(&l, &mut x, n);
    x.iter().all(|x| x.is_finite()).then_some(x)
}

/// Inverse over the first `n` rows of a symmetric positive definite matrix, zero elsewhere; `None` as [`solve_positive`].
pub fn inverse_positive<const N: usize>(a: &[[f64; N]; N], n: usize, rank: f64) -> Option<[[f64; N]; N]> {
    let l = factor(*a, n, rank)?;
    let mut out = [[0.0; N]; N];
    for (k, column) in out.iter_mut().enumerate().take(n) {
        column[k] = 1.0;
        substitute(&l, column, n);
    }
    // The same above and below the diagonal, whatever the rounding.
    for k in 1..n {
        let (above, below) = out.split_at_mut(k);
        below[0][..k].iter_mut().zip(above).for_each(|(low, row)| *low = row[k]);
    }
    out.iter().flatten().all(|x| x.is_finite()).then_some(out)
}

/// Σ aᵢbᵢ in four interleaved sums: the same bits on every machine, and short chains of additions.
#[inline]
pub(crate) fn interleaved(a: &[f64], b: &[f64]) -> f64 {
    let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = a4.remainder().iter().zip(b4.remainder()).map(|(a, b)| a * b).sum();
    let mut sum = [0.0; 4];
    for (a, b) in a4.zip(b4) {
        (0..4).for_each(|k| sum[k] += a[k] * b[k]);
    }
    (sum[0] + sum[1]) + (sum[2] + sum[3]) + rest
}

/// Replaces the lower half of a symmetric positive definite n × n matrix, row-major, by L; false when a pivot is not above 0.
///
/// # Panics
/// When `a` has fewer than n² numbers.
pub fn factor_rows(a: &mut [f64], n: usize) -> bool {
    for i in 0..n {
        let (above, row) = a.split_at_mut(i * n);
        let row = &mut row[..=i];
        for j in 0..i {
            let l = &above[j * n..j * n + j + 1];
            row[j] = (row[j] - interleaved(&l[..j], &row[..j])) / l[j];
        }
        let pivot = row[i] - interleaved(&row[..i], &row[..i]);
        if pivot.is_nan() || pivot <= 0.0 {
            return false;
        }
        row[i] = pivot.sqrt();
    }
    true
}

/// Replaces `x` by (L Lᵀ)⁻¹ x with the L of [`factor_rows`].
///
/// # Panics
/// When `l` has fewer than n² numbers or `x` fewer than n.
pub fn solve_factored(l: &[f64], n: usize, x: &mut [f64]) {
    for i in 0..n {
        let row = &l[i * n..i * n + i + 1];
        x[i] = (x[i] - interleaved(&row[..i], &x[..i])) / row[i];
    }
    for i in (0..n).rev() {
        let row = &l[i * n..i * n + i + 1];
        x[i] /= row[i];
        let y = x[i];
        row[..i].iter().zip(x.iter_mut()).for_each(|(l, x)| *x -= l * y);
    }
}

/// The Cholesky factor over a set of variables that come and go, in the order in which they came. A new variable is one more row of L; a
/// variable that leaves makes L a Hessenberg matrix, which plane rotations of its columns turn back (Golub, Van Loan 2013, section 6.5).
#[derive(Clone, Debug, Default)]
pub struct CholeskyUpdate {
    /// Row i of L starts at i·stride.
    stride: usize,
    l: Vec<f64>,
    order: Vec<usize>,
}

impl CholeskyUpdate {
    /// Makes room for `n` rows.
    pub fn reserve(&mut self, n: usize) {
        reserve(&mut self.l, n * n);
        reserve(&mut self.order, n);
    }

    /// Empty, with room for `n` rows.
    pub fn reset(&mut self, n: usize) {
        self.stride = n;
        self.order.clear();
        self.l.clear();
        self.l.resize(n * n, 0.0);
    }

    /// The variables, in the order of the rows of L.
    #[inline]
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// Adds a variable, whose column of A over those that are in is `column`; `least` is a lower bound of its pivot, below which all is
    /// round-off.
    pub fn append(&mut self, variable: usize, column: impl Fn(usize) -> f64, least: f64) {
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
    pub fn remove(&mut self, k: usize) {
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
    pub fn solve(&self, x: &mut [f64]) {
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
    use crate::SplitMix;

    #[test]
    fn the_inverse_undoes_the_matrix_and_a_row_without_freedom_is_refused() {
        let mut r = SplitMix::new(6);
        for n in 1..=5 {
            for _ in 0..50 {
                let g: [[f64; 5]; 5] = std::array::from_fn(|_| std::array::from_fn(|_| r.range(-1.0, 1.0)));
                let entry = |i: usize, j: usize| (0..5).map(|k| g[i][k] * g[j][k]).sum::<f64>();
                let a: [[f64; 5]; 5] = std::array::from_fn(|i| {
                    std::array::from_fn(|j| entry(i, j) + if i == j { 0.1 } else { 0.0 })
                });
                let inverse = inverse_positive(&a, n, 1e-12).unwrap();
                let b: [f64; 5] = std::array::from_fn(|_| r.range(-1.0, 1.0));
                let x = solve_positive(&a, &b, n, 1e-12).unwrap();
                for i in 0..n {
                    for (j, column) in inverse.iter().enumerate().take(n) {
                        // Rows are columns.
                        let product: f64 = (0..n).map(|k| a[i][k] * column[k]).sum();
                        let unit = f64::from(u8::from(i == j));
                        assert!((product - unit).abs() < 1e-12, "{product}"); // condition below 100
                    }
                    let left: f64 = (0..n).map(|j| a[i][j] * x[j]).sum::<f64>() - b[i];
                    assert!(left.abs() < 1e-12, "{left}");
                }
                assert!(inverse[n..].iter().flatten().all(|x| *x == 0.0));
            }
        }
        // The third row is the sum of the first two.
        let dependent = [[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 2.0]];
        assert!(inverse_positive(&dependent, 3, 1e-12).is_none());
        assert!(inverse_positive(&dependent, 2, 1e-12).is_some());
        assert!(solve_positive(&[[-1.0]], &[1.0], 1, 0.0).is_none());
    }

    #[test]
    fn rows_that_come_and_go_leave_the_factor_of_those_that_stay() {
        let (n, mut r) = (12, SplitMix::new(4));
        let g: Vec<f64> = (0..n * n).map(|_| r.range(-1.0, 1.0)).collect();
        let a = |i: usize, j: usize| {
            let sum: f64 = (0..n).map(|k| g[i * n + k] * g[j * n + k]).sum();
            if i == j { sum + 0.1 } else { sum }
        };
        let mut factor = CholeskyUpdate::default();
        factor.reset(n);
        for _ in 0..500 {
            let variable = r.index(n);
            match factor.order().iter().position(|&v| v == variable) {
                Some(k) => factor.remove(k),
                None => factor.append(variable, |j| a(variable, j), 1e-12),
            }
            let order = factor.order();
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
