//! Elimination with partial pivoting.

use super::reserve;
use crate::at_level;
use crate::lanes::Level;

/// Solves A x = b over the first `n` rows and columns; both are overwritten. `None` when a pivot is zero or a number not finite.
pub fn solve_general<const N: usize>(a: &mut [[f64; N]; N], b: &mut [f64; N], n: usize) -> Option<[f64; N]> {
    for k in 0..n {
        let best = (k..n).fold(k, |best, i| if a[i][k].abs() > a[best][k].abs() { i } else { best });
        a.swap(k, best);
        b.swap(k, best);
        if a[k][k].is_nan() || a[k][k] == 0.0 {
            return None;
        }
        let (row, right) = (a[k], b[k]);
        for i in k + 1..n {
            let factor = a[i][k] / row[k];
            a[i][k..n].iter_mut().zip(&row[k..n]).for_each(|(x, y)| *x -= factor * y);
            b[i] -= factor * right;
        }
    }
    let mut x = [0.0; N];
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| a[k][j] * x[j]).sum();
        x[k] = (b[k] - known) / a[k][k];
    }
    x.iter().all(|x| x.is_finite()).then_some(x)
}

/// Where the entries of a matrix lie that are not zero: room for [`solve_rows`].
#[derive(Clone, Debug, Default)]
pub struct LuProfile {
    /// For each row, the column behind its last entry that is not zero.
    ends: Vec<usize>,
    /// For each column, the row behind the last one that has an entry in it or before it: elimination fills no row above its first entry.
    lows: Vec<usize>,
}

impl LuProfile {
    /// Makes room for `n` rows.
    pub fn reserve(&mut self, n: usize) {
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

/// Replaces `b` by A⁻¹ b; A is n × n, row-major, and is overwritten. Zeros outside of its profile are left out. False when a pivot is zero or
/// not a number.
pub fn solve_rows(a: &mut [f64], b: &mut [f64], profile: &mut LuProfile) -> bool {
    profile.find(a, b.len());
    at_level!(Level::new(), simd => eliminate(a, b, profile)) && substitute(a, b, profile)
}

/// Brings A to upper triangular form; false when a pivot is zero or not a number.
#[inline(always)]
fn eliminate(a: &mut [f64], b: &mut [f64], profile: &mut LuProfile) -> bool {
    let n = b.len();
    let LuProfile { ends, lows } = profile;
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
fn substitute(a: &[f64], b: &mut [f64], profile: &LuProfile) -> bool {
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
    use crate::SplitMix;

    #[test]
    fn rows_of_any_profile_are_solved_and_a_singular_matrix_is_refused() {
        let (n, mut r) = (20, SplitMix::new(8));
        for width in [2, 5, n] {
            let mut a: Vec<f64> = (0..n * n).map(|_| r.range(-1.0, 1.0)).collect();
            for (i, row) in a.chunks_mut(n).enumerate() {
                row.iter_mut()
                    .enumerate()
                    .for_each(|(j, x)| *x *= f64::from(u8::from(i.abs_diff(j) < width)));
                row[i] += 2.0;
            }
            let x: Vec<f64> = (0..n).map(|_| r.range(-1.0, 1.0)).collect();
            let mut b: Vec<f64> =
                a.chunks(n).map(|row| row.iter().zip(&x).map(|(a, x)| a * x).sum()).collect();
            assert!(solve_rows(&mut a, &mut b, &mut LuProfile::default()));
            for (b, x) in b.iter().zip(&x) {
                assert!((b - x).abs() < 1e-12, "{b} {x}"); // condition about 100
            }
        }
        assert!(!solve_rows(&mut [1.0, 2.0, 2.0, 4.0], &mut [1.0, 1.0], &mut LuProfile::default()));
    }

    #[test]
    fn a_small_system_is_solved_over_its_first_rows_and_needs_its_pivots() {
        let mut r = SplitMix::new(9);
        for n in 1..=6 {
            for _ in 0..50 {
                let mut a: [[f64; 6]; 6] =
                    std::array::from_fn(|_| std::array::from_fn(|_| r.range(-1.0, 1.0)));
                // A zero on the diagonal: without pivoting this would stop at once.
                a[0][0] = if n > 1 { 0.0 } else { 1.0 };
                let x: [f64; 6] = std::array::from_fn(|_| r.range(-1.0, 1.0));
                let mut b: [f64; 6] = std::array::from_fn(|i| (0..n).map(|j| a[i][j] * x[j]).sum());
                let Some(found) = solve_general(&mut a.clone(), &mut b, n) else { panic!("singular") };
                let left = (0..n).map(|i| (0..n).map(|j| a[i][j] * (found[j] - x[j])).sum::<f64>().abs());
                assert!(left.fold(0.0, |m, x| if x > m { x } else { m }) < 1e-13, "{found:?} {x:?}");
            }
        }
        assert_eq!(solve_general(&mut [[1.0, 2.0], [2.0, 4.0]], &mut [1.0, 1.0], 2), None);
    }
}
