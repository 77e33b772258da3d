//! H = Lᵀ D L of a symmetric positive definite matrix of a few hundred rows, eliminated from the last row to the first.
//!
//! Rows of a tree come after those that they hang on, so that this order leaves the pattern of a tree as it is (Featherstone 2008, section 6.5):
//! only rows that join branches or trees fill something in. Each row has the numbers from its first column on, and knows the runs of columns that it
//! has, so that the inner loops are long and need no index.

use crate::at_level;
use crate::dense::{TOGETHER, add_scaled, interleaved, subtract_rows};
use crate::lanes::Level;

/// Columns so near each other are one run: the zeros between them cost less than another loop.
const GAP: usize = 8;

/// A matrix with its pattern, and its factors.
#[derive(Clone, Debug, Default)]
pub struct ReverseLdl {
    n: usize,
    /// Words of a set of columns.
    words: usize,
    /// The columns of each row, up to its diagonal: a set of bits.
    set: Vec<u64>,
    /// The set before anything filled in, of the pattern whose runs are known.
    known: Vec<u64>,
    clique: Vec<u64>,
    /// Columns of each row below its diagonal, descending.
    columns: Vec<u32>,
    column_start: Vec<u32>,
    /// First and end of each run of columns of each row, up to its diagonal, ascending.
    runs: Vec<[u32; 2]>,
    run_start: Vec<u32>,
    /// How many rows up to this one, at most four, have the same columns below the first of them.
    alike: Vec<u8>,
    /// First column of each row, and where its numbers begin.
    first: Vec<u32>,
    at: Vec<u32>,
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

    /// Adds the entries of `row` from `column` on that are not zero in `values`, which end at the diagonal at most.
    pub fn add_entries(&mut self, row: usize, column: usize, values: &[f64]) {
        let set = &mut self.set[row * self.words..(row + 1) * self.words];
        for (column, value) in (column..).zip(values) {
            set[column / 64] |= u64::from(*value != 0.0) << (column % 64);
        }
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
        if self.known != self.set || self.run_start.len() != self.n + 1 {
            self.known.clone_from(&self.set);
            self.fill_in();
            self.find_runs();
            self.first.clear();
            self.at.clear();
            let mut at = 0;
            for k in 0..self.n {
                let first = runs_of(&self.runs, &self.run_start, k)[0][0];
                self.first.push(first);
                self.at.push(at as u32);
                at += k + 1 - first as usize;
            }
            self.matrix.resize(at, 0.0);
            self.factors.resize(at, 0.0);
        }
        self.matrix.fill(0.0);
    }

    fn fill_in(&mut self) {
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
        self.alike.clear();
        for k in 0..self.n {
            let words = self.words;
            let (before, own) = self.set.split_at(k * words);
            let is_alike = k > 0 && {
                let mut own = own[..words].iter().enumerate();
                let last = &before[(k - 1) * words..];
                own.all(
                    |(w, own)| if w == k / 64 { own & !(1 << (k % 64)) == last[w] } else { *own == last[w] },
                )
            };
            let last = if is_alike { self.alike[k - 1] as usize } else { 0 };
            self.alike.push(if last < TOGETHER { last as u8 + 1 } else { 1 });
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.n
    }

    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// First column of row `k`, and its entries from there up to the diagonal; only those of the pattern count.
    #[inline]
    pub fn row_mut(&mut self, k: usize) -> (usize, &mut [f64]) {
        let (first, at) = (self.first[k] as usize, self.at[k] as usize);
        (first, &mut self.matrix[at..at + k + 1 - first])
    }

    /// Factors the matrix, which stays as it is; false when a pivot is not above 0.
    pub fn factor(&mut self) -> bool {
        self.factors.copy_from_slice(&self.matrix);
        at_level!(Level::new(), simd => {
            let _ = simd;
            self.eliminate()
        })
    }

    #[inline(always)]
    fn eliminate(&mut self) -> bool {
        let mut end = self.n;
        // Where column c of row k is: `place(k) + c` (a row begins at its first column).
        let place = |k: usize| (self.at[k] as usize).wrapping_sub(self.first[k] as usize);
        while end > 0 {
            // Rows from `first` to `end` have the same columns below `first`: they act on those together.
            let first = end - self.alike[end - 1] as usize;
            let start = self.at[first] as usize;
            let (above, group) = self.factors.split_at_mut(start);
            let count = end - first;
            // Where column c of row first + r of the group is: `own[r] + c`.
            let mut own = [0; TOGETHER];
            (0..count).for_each(|r| own[r] = place(first + r).wrapping_sub(start));
            let mut inverse = [0.0; TOGETHER];
            // The last one first: `group` holds them in the order of their rows.
            for r in (0..count).rev() {
                let column = |c: usize| own[r].wrapping_add(c);
                let pivot = group[column(first + r)];
                if pivot.is_nan() || pivot <= 0.0 {
                    return false;
                }
                inverse[r] = 1.0 / pivot;
                let (before, row) = group.split_at_mut(self.at[first + r] as usize - start);
                let skipped = self.first[first + r] as usize;
                for s in 0..r {
                    let factor = row[first + s - skipped] * inverse[r];
                    for [from, to] in runs_below(&self.runs, &self.run_start, first + r, first + s + 1) {
                        let into = own[s].wrapping_add(from)..own[s].wrapping_add(to);
                        add_scaled(&mut before[into], -factor, &row[from - skipped..to - skipped]);
                    }
                }
            }
            let columns =
                &self.columns[self.column_start[first] as usize..self.column_start[first + 1] as usize];
            for &i in columns {
                let i = i as usize;
                let mut factors = [0.0; TOGETHER];
                (0..count).for_each(|r| factors[r] = group[own[r].wrapping_add(i)] * inverse[r]);
                let to_place = place(i);
                for [from, to] in runs_below(&self.runs, &self.run_start, first, i + 1) {
                    let into = &mut above[to_place.wrapping_add(from)..to_place.wrapping_add(to)];
                    subtract_rows(into, &factors, count, group, own.map(|own| own.wrapping_add(from)));
                }
            }
            for r in 0..count {
                for [from, to] in runs_below(&self.runs, &self.run_start, first + r, first + r) {
                    let range = own[r].wrapping_add(from)..own[r].wrapping_add(to);
                    group[range].iter_mut().for_each(|x| *x *= inverse[r]);
                }
            }
            end = first;
        }
        true
    }

    /// Row `k` of the factors, from its first column on.
    #[inline(always)]
    fn row(&self, k: usize) -> &[f64] {
        let at = self.at[k] as usize;
        &self.factors[at..at + k + 1 - self.first[k] as usize]
    }

    /// Replaces `x` by H⁻¹ x.
    ///
    /// # Panics
    /// When `x` has not one number per row.
    pub fn solve(&self, x: &mut [f64]) {
        let n = self.n;
        assert_eq!(x.len(), n, "one number per row");
        for k in (0..n).rev() {
            let (own, start) = (x[k], self.first[k] as usize);
            if own != 0.0 {
                for &[first, end] in runs_of(&self.runs, &self.run_start, k) {
                    let (first, end) = (first as usize, (end as usize).min(k));
                    add_scaled(&mut x[first..end], -own, &self.row(k)[first - start..end - start]);
                }
            }
        }
        for k in 0..n {
            let mut sum = 0.0;
            let (row, start) = (self.row(k), self.first[k] as usize);
            for &[first, end] in runs_of(&self.runs, &self.run_start, k) {
                let (first, end) = (first as usize, (end as usize).min(k));
                sum += interleaved(&row[first - start..end - start], &x[first..end]);
            }
            x[k] = x[k] / row[k - start] - sum;
        }
    }
}

/// The runs of row `k` as far as they are below column `end`.
#[inline(always)]
fn runs_below<'r>(
    runs: &'r [[u32; 2]],
    start: &[u32],
    k: usize,
    end: usize,
) -> impl Iterator<Item = [usize; 2]> + use<'r> {
    let runs = runs_of(runs, start, k).iter().map(|run| run.map(|x| x as usize));
    runs.map_while(move |[from, to]| (from < end).then_some([from, to.min(end)]))
}

#[inline(always)]
fn runs_of<'r>(runs: &'r [[u32; 2]], start: &[u32], k: usize) -> &'r [[u32; 2]] {
    &runs[start[k] as usize..start[k + 1] as usize]
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
                *ldl.row_mut(k).1.last_mut().unwrap() += 0.5;
                dense[k * n + k] += 0.5;
            }
            for rows in &cliques {
                let j: Vec<f64> = rows.iter().map(|_| r.range(-1.0, 1.0)).collect();
                for (a, &i) in rows.iter().enumerate() {
                    for (b, &k) in rows.iter().enumerate() {
                        dense[i * n + k] += j[a] * j[b];
                        if k <= i {
                            let (first, row) = ldl.row_mut(i);
                            row[k - first] += j[a] * j[b];
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
            path.iter().for_each(|&column| ldl.add_entries(k, column, &[1.0]));
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
        ldl.row_mut(0).1[0] = 1.0;
        ldl.row_mut(1).1.copy_from_slice(&[2.0, 1.0]);
        assert!(!ldl.factor());
    }
}
