//! Elimination with partial pivoting that stays within the band of the matrix.

use crate::scratch::reserve;
use huygens_math::at_level;
use huygens_math::lanes::Level;

/// Where the entries of a matrix lie that are not zero: room for [`solve`].
#[derive(Clone, Debug, Default)]
pub(super) struct Profile {
    /// Of each row, behind the last of them.
    ends: Vec<usize>,
    /// Of each column, behind the last row that has one in it or before it: elimination fills no row above its first.
    lows: Vec<usize>,
}

impl Profile {
    /// Makes room for `n` rows.
    pub(super) fn reserve(&mut self, n: usize) {
        reserve(&mut self.ends, n);
        reserve(&mut self.lows, n);
    }

    fn find(&mut self, a: &[f64], n: usize) {
        self.ends.clear();
        self.lows.clear();
        self.lows.resize(n, 0);
        for (i, row) in a.chunks_exact(n.max(1)).enumerate() {
            self.ends.push(row.iter().rposition(|&x| x != 0.0).map_or(0, |k| k + 1));
            if let Some(first) = row.iter().position(|&x| x != 0.0) {
                self.lows[first] = i + 1;
            }
        }
        for k in 1..n {
            self.lows[k] = self.lows[k].max(self.lows[k - 1]);
        }
    }
}

/// Replaces `b` by A⁻¹ b; A is n × n, row-major, and is overwritten. False when a pivot is zero or not a number.
pub(super) fn solve(a: &mut [f64], b: &mut [f64], profile: &mut Profile) -> bool {
    profile.find(a, b.len());
    at_level!(Level::new(), simd => eliminate(a, b, profile)) && substitute(a, b, profile)
}

/// Brings A to upper triangular form; false when a pivot is zero or not a number.
#[inline(always)]
fn eliminate(a: &mut [f64], b: &mut [f64], profile: &mut Profile) -> bool {
    let n = b.len();
    let Profile { ends, lows } = profile;
    for k in 0..n {
        let low = lows[k].max(k + 1);
        let mut best = k;
        for i in k + 1..low {
            if a[i * n + k].abs() > a[best * n + k].abs() {
                best = i;
            }
        }
        if best != k {
            for j in k..ends[k].max(ends[best]) {
                a.swap(k * n + j, best * n + j);
            }
            b.swap(k, best);
            ends.swap(k, best);
        }
        let (upper, lower) = a[..low * n].split_at_mut((k + 1) * n);
        let pivot_row = &upper[k * n..];
        let pivot = pivot_row[k];
        if pivot == 0.0 || !pivot.is_finite() {
            return false;
        }
        let (b_k, end) = (b[k], ends[k]);
        for (i, row) in (k + 1..).zip(lower.chunks_exact_mut(n)) {
            let factor = row[k] / pivot;
            if factor == 0.0 {
                continue;
            }
            for (x, p) in row[k + 1..end].iter_mut().zip(&pivot_row[k + 1..end]) {
                *x -= factor * p;
            }
            ends[i] = ends[i].max(end);
            b[i] -= factor * b_k;
        }
    }
    true
}

/// Solves the upper triangular system; false when the answer is not finite.
fn substitute(a: &[f64], b: &mut [f64], profile: &Profile) -> bool {
    let (n, ends) = (b.len(), &profile.ends);
    for k in (0..n).rev() {
        let mut x = b[k];
        for (a, b) in a[k * n + k + 1..k * n + ends[k]].iter().zip(&b[k + 1..]) {
            x -= a * b;
        }
        b[k] = x / a[k * n + k];
    }
    b.iter().all(|x| x.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use huygens_math::SplitMix;

    #[test]
    fn it_solves_and_refuses_a_singular_matrix() {
        let (n, mut r) = (20, SplitMix::new(8));
        let a: Vec<f64> = (0..n * n).map(|_| r.range(-1.0, 1.0)).collect();
        let x: Vec<f64> = (0..n).map(|_| r.range(-1.0, 1.0)).collect();
        let mut b: Vec<f64> = a.chunks(n).map(|row| row.iter().zip(&x).map(|(a, x)| a * x).sum()).collect();
        assert!(solve(&mut a.clone(), &mut b, &mut Profile::default()));
        for (b, x) in b.iter().zip(&x) {
            assert!((b - x).abs() < 1e-12, "{b} {x}"); // condition about 100
        }
        assert!(!solve(&mut [1.0, 2.0, 2.0, 4.0], &mut [1.0, 1.0], &mut Profile::default()));
    }
}
