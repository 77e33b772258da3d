//! H = Lᵀ D L of a symmetric positive definite matrix of a few hundred rows, eliminated from the last row to the first.
//!
//! Rows of a tree come after those that they hang on, so that this order leaves the pattern of a tree as it is (Featherstone 2008, section 6.5):
//! only rows that join branches or trees fill something in. The numbers stand in a square, and each row knows the runs of columns that it has, so
//! that the inner loops are long and need no index.

/// Columns so near each other are one run: the zeros between them cost less than another loop.
const GAP: usize = 3;

/// A matrix with its pattern, and its factors.
#[derive(Clone, Debug, Default)]
pub struct ReverseLdl {
    n: usize,
    /// Words of a set of columns.
    words: usize,
    /// The columns of each row, up to its diagonal: a set of bits.
    set: Vec<u64>,
    clique: Vec<u64>,
    /// Columns of each row below its diagonal, descending.
    columns: Vec<u32>,
    column_start: Vec<u32>,
    /// First and end of each run of columns of each row, up to its diagonal, ascending.
    runs: Vec<[u32; 2]>,
    run_start: Vec<u32>,
    matrix: Vec<f64>,
    /// L below the diagonal, D on it.
    factors: Vec<f64>,
}

impl ReverseLdl {
    /// Begins a pattern of `n` rows that has its diagonal alone.
    pub fn begin(&mut self, n: usize) {
        self.n = n;
        self.words = n.div_ceil(64);
        self.set.clear();
        self.set.resize(n * self.words, 0);
        (0..n).for_each(|k| self.set[k * self.words + k / 64] |= 1 << (k % 64));
    }

    /// Adds an entry with `column` ≤ `row`.
    pub fn add(&mut self, row: usize, column: usize) {
        self.set[row * self.words + column / 64] |= 1 << (column % 64);
    }

    /// Adds the entries between all pairs of these rows.
    pub fn add_clique(&mut self, rows: &[usize]) {
        self.clique.clear();
        self.clique.resize(self.words, 0);
        rows.iter().for_each(|k| self.clique[k / 64] |= 1 << (k % 64));
        for &k in rows {
            let last = k / 64;
            let own = &mut self.set[k * self.words..];
            own[..last].iter_mut().zip(&self.clique).for_each(|(own, all)| *own |= all);
            own[last] |= self.clique[last] & (u64::MAX >> (63 - k % 64));
        }
    }

    /// Finds what fills in, and makes the matrix zero.
    pub fn lay_out(&mut self) {
        let words = self.words;
        for k in (1..self.n).rev() {
            let (above, own) = self.set.split_at_mut(k * words);
            let own = &mut own[..words];
            // The highest column below the diagonal takes over the rest of this row: those between have it from there.
            own[k / 64] &= !(1 << (k % 64));
            let last = (0..=k / 64).rev().find(|&w| own[w] != 0);
            if let Some(w) = last {
                let parent = 64 * w + 63 - own[w].leading_zeros() as usize;
                let to = &mut above[parent * words..(parent + 1) * words];
                to.iter_mut().zip(&*own).for_each(|(to, own)| *to |= own);
            }
            own[k / 64] |= 1 << (k % 64);
        }
        self.find_runs();
        // Entries outside of the runs are never read.
        self.matrix.resize(self.n * self.n, 0.0);
        self.factors.resize(self.n * self.n, 0.0);
        for k in 0..self.n {
            for &[first, end] in runs_of(&self.runs, &self.run_start, k) {
                self.matrix[k * self.n + first as usize..k * self.n + end as usize].fill(0.0);
            }
        }
    }

    fn find_runs(&mut self) {
        self.columns.clear();
        self.column_start.clear();
        self.runs.clear();
        self.run_start.clear();
        for k in 0..self.n {
            self.column_start.push(self.columns.len() as u32);
            self.run_start.push(self.runs.len() as u32);
            let (from, first_run) = (self.columns.len(), self.runs.len());
            for (w, &word) in self.set[k * self.words..(k + 1) * self.words].iter().enumerate() {
                let mut word = word;
                while word != 0 {
                    let column = 64 * w + word.trailing_zeros() as usize;
                    word &= word - 1;
                    if column < k {
                        self.columns.push(column as u32);
                    }
                    match self.runs[first_run..].last_mut() {
                        Some(run) if column <= run[1] as usize + GAP => run[1] = column as u32 + 1,
                        _ => self.runs.push([column as u32, column as u32 + 1]),
                    }
                }
            }
            self.columns[from..].reverse();
        }
        self.column_start.push(self.columns.len() as u32);
        self.run_start.push(self.runs.len() as u32);
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.n
    }

    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// Row `k` of the matrix; only entries of the pattern count.
    #[inline]
    pub fn row_mut(&mut self, k: usize) -> &mut [f64] {
        &mut self.matrix[k * self.n..k * self.n + k + 1]
    }

    /// Factors the matrix, which stays as it is; false when a pivot is not above 0.
    pub fn factor(&mut self) -> bool {
        let n = self.n;
        for k in 0..n {
            for &[first, end] in runs_of(&self.runs, &self.run_start, k) {
                let range = k * n + first as usize..k * n + end as usize;
                self.factors[range.clone()].copy_from_slice(&self.matrix[range]);
            }
        }
        for k in (0..n).rev() {
            let runs = runs_of(&self.runs, &self.run_start, k);
            let (above, row) = self.factors.split_at_mut(k * n);
            let row = &mut row[..=k];
            let pivot = row[k];
            if pivot.is_nan() || pivot <= 0.0 {
                return false;
            }
            let inverse = 1.0 / pivot;
            let columns = &self.columns[self.column_start[k] as usize..self.column_start[k + 1] as usize];
            for &i in columns {
                let i = i as usize;
                let factor = row[i] * inverse;
                for &[first, end] in runs {
                    let (first, end) = (first as usize, (end as usize).min(i + 1));
                    if first >= end {
                        break;
                    }
                    subtract(&mut above[i * n + first..i * n + end], &row[first..end], factor);
                }
            }
            for &[first, end] in runs {
                row[first as usize..end as usize].iter_mut().for_each(|x| *x *= inverse);
            }
            row[k] = pivot;
        }
        true
    }

    /// Replaces `x` by H⁻¹ x.
    ///
    /// # Panics
    /// When `x` has not one number per row.
    pub fn solve(&self, x: &mut [f64]) {
        let n = self.n;
        assert_eq!(x.len(), n, "one number per row");
        for k in (0..n).rev() {
            let own = x[k];
            if own != 0.0 {
                for &[first, end] in runs_of(&self.runs, &self.run_start, k) {
                    let (first, end) = (first as usize, (end as usize).min(k));
                    subtract(&mut x[first..end], &self.factors[k * n + first..k * n + end], own);
                }
            }
        }
        for k in 0..n {
            let mut sum = 0.0;
            for &[first, end] in runs_of(&self.runs, &self.run_start, k) {
                let (first, end) = (first as usize, (end as usize).min(k));
                sum += crate::dense::interleaved(&self.factors[k * n + first..k * n + end], &x[first..end]);
            }
            x[k] = x[k] / self.factors[k * n + k] - sum;
        }
    }
}

#[inline]
fn runs_of<'r>(runs: &'r [[u32; 2]], start: &[u32], k: usize) -> &'r [[u32; 2]] {
    &runs[start[k] as usize..start[k + 1] as usize]
}

/// `to` −= factor · `from`.
#[inline]
fn subtract(to: &mut [f64], from: &[f64], factor: f64) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to -= factor * from);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SplitMix;
    use crate::dense::{factor_rows, solve_factored};

    #[test]
    fn it_solves_what_a_dense_factor_solves_on_random_cliques() {
        let mut r = SplitMix::new(3);
        let mut ldl = ReverseLdl::default();
        for case in 0..300 {
            let n = 1 + case % 150;
            ldl.begin(n);
            let mut dense = vec![0.0; n * n];
            let cliques: Vec<Vec<usize>> = (0..case % 23)
                .map(|_| {
                    let mut rows: Vec<usize> = (0..1 + r.index(8)).map(|_| r.index(n)).collect();
                    rows.sort_unstable();
                    rows.dedup();
                    rows
                })
                .collect();
            cliques.iter().for_each(|rows| ldl.add_clique(rows));
            ldl.lay_out();
            for k in 0..n {
                ldl.row_mut(k)[k] += 0.5;
                dense[k * n + k] += 0.5;
            }
            for rows in &cliques {
                let j: Vec<f64> = rows.iter().map(|_| r.range(-1.0, 1.0)).collect();
                for (a, &i) in rows.iter().enumerate() {
                    for (b, &k) in rows.iter().enumerate() {
                        dense[i * n + k] += j[a] * j[b];
                        if k <= i {
                            ldl.row_mut(i)[k] += j[a] * j[b];
                        }
                    }
                }
            }
            assert!(ldl.factor());
            let mut x: Vec<f64> = (0..n).map(|_| r.range(-1.0, 1.0)).collect();
            let mut y = x.clone();
            ldl.solve(&mut x);
            assert!(factor_rows(&mut dense, n));
            solve_factored(&dense, n, &mut y);
            // Conditions up to 1e3.
            assert!(x.iter().zip(&y).all(|(x, y)| (x - y).abs() < 1e-12 * (1.0 + y.abs())), "case {case}");
        }
    }

    #[test]
    fn a_tree_does_not_fill() {
        // A trunk of three, and two branches of two.
        let parent = [None, Some(0), Some(1), Some(2), Some(3), Some(2), Some(5)];
        let mut ldl = ReverseLdl::default();
        ldl.begin(parent.len());
        for k in 0..parent.len() {
            let path: Vec<usize> = std::iter::successors(Some(k), |&k| parent[k]).collect();
            path.iter().for_each(|&column| ldl.add(k, column));
        }
        ldl.lay_out();
        assert_eq!(ldl.columns.len(), 1 + 2 + 3 + 4 + 3 + 4);
    }

    #[test]
    fn an_indefinite_matrix_is_refused() {
        let mut ldl = ReverseLdl::default();
        ldl.begin(2);
        ldl.add_clique(&[0, 1]);
        ldl.lay_out();
        ldl.row_mut(0)[0] = 1.0;
        ldl.row_mut(1).copy_from_slice(&[2.0, 1.0]);
        assert!(!ldl.factor());
    }
}
