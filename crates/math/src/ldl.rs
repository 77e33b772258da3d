//! Factorisation of a joint-space inertia matrix along the branches of its tree.
//!
//! H = Lᵀ D L with L unit lower triangular (Featherstone 2008, section 6.5). Row i of L is non-zero only at the
//! ancestors of i, so nothing fills in: the cost is the sum of squared depths, not n³.
//!
//! The first dofs may be held: no force changes their velocity. They are ancestors of the others, or of none, so that they come last in the
//! factorisation: what is left of their block S of H when the others are eliminated stays as it is, and [`TreeLdl::solve`] gives them nothing.

use crate::at_level;
use crate::dense::{TOGETHER, add_scaled, subtract_rows};
use crate::lanes::Level;

/// The matrix is not positive definite.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("the inertia matrix is not positive definite: the pivot of dof {dof} is {pivot}")]
pub struct Singular {
    /// The dof whose pivot failed.
    pub dof: usize,
    /// Its value.
    pub pivot: f64,
}

/// Parent of a root dof.
const ROOT: u32 = u32::MAX;

/// A factored positive definite matrix over the dofs of one tree.
#[derive(Clone, Debug, Default)]
pub struct TreeLdl {
    /// Parent dof of each dof, `ROOT` at a root; parents come before children.
    parent: Vec<u32>,
    /// L below the diagonal and D on it, row-major n × n; only ancestor columns are used. Of held dofs the block S below and on the diagonal.
    entries: Vec<f64>,
    /// The dofs before this one are held.
    held: usize,
    /// First and end of each run of dofs on the way from a root to a dof, that one included: those of dof i are
    /// `runs[run_start[i]..run_start[i + 1]]`.
    runs: Vec<[u32; 2]>,
    run_start: Vec<u32>,
}

/// The runs of all dofs.
fn find_runs(parent: &[u32]) -> (Vec<[u32; 2]>, Vec<u32>) {
    let (mut runs, mut start) = (Vec::<[u32; 2]>::new(), vec![0]);
    for (i, &p) in parent.iter().enumerate() {
        let first = runs.len();
        if p != ROOT {
            runs.extend_from_within(start[p as usize] as usize..start[p as usize + 1] as usize);
        }
        match runs[first..].last_mut() {
            Some(run) if run[1] == i as u32 => run[1] += 1,
            _ => runs.push([i as u32, i as u32 + 1]),
        }
        start.push(runs.len() as u32);
    }
    (runs, start)
}

impl TreeLdl {
    /// Room for a tree whose dof i hangs on dof `parent[i]` (`None` at a root).
    ///
    /// # Panics
    /// When a parent does not come before its child: our own trees are built in that order.
    pub fn new(parent: &[Option<usize>]) -> Self {
        let n = parent.len();
        let parent: Vec<u32> = parent
            .iter()
            .enumerate()
            .map(|(i, p)| {
                assert!(p.is_none_or(|p| p < i), "the parent of dof {i} must come before it");
                p.map_or(ROOT, |p| p as u32)
            })
            .collect();
        let (runs, run_start) = find_runs(&parent);
        Self { parent, entries: vec![0.0; n * n], held: 0, runs, run_start }
    }

    /// The same, where no force moves the first `held` dofs.
    ///
    /// # Panics
    /// When there are fewer dofs.
    #[must_use]
    pub fn with_held(mut self, held: usize) -> Self {
        assert!(held <= self.len(), "no more held dofs than dofs");
        self.held = held;
        self
    }

    /// Number of held dofs, which are the first ones.
    pub fn held(&self) -> usize {
        self.held
    }

    /// A matrix that was factored before: its parents ([`TreeLdl::parents`]) and factors ([`TreeLdl::factors`]); `None` when
    /// they do not fit together or a parent does not come before its child.
    pub fn from_factors(parents: &[Option<u32>], factors: Vec<f64>) -> Option<Self> {
        let n = parents.len();
        let ordered = parents.iter().enumerate().all(|(i, p)| p.is_none_or(|p| (p as usize) < i));
        if !ordered || factors.len() != n * n {
            return None;
        }
        let parent: Vec<u32> = parents.iter().map(|p| p.unwrap_or(ROOT)).collect();
        let (runs, run_start) = find_runs(&parent);
        Some(Self { parent, entries: factors, held: 0, runs, run_start })
    }

    /// Parent of each dof; `None` at a root.
    pub fn parents(&self) -> impl Iterator<Item = Option<u32>> + '_ {
        self.parent.iter().map(|&p| (p != ROOT).then_some(p))
    }

    /// L below the diagonal and D on it, row-major n × n, once factored.
    pub fn factors(&self) -> &[f64] {
        &self.entries
    }

    /// Number of dofs.
    pub fn len(&self) -> usize {
        self.parent.len()
    }

    /// True for a tree without dofs.
    pub fn is_empty(&self) -> bool {
        self.parent.is_empty()
    }

    /// The matrix to fill before [`TreeLdl::factor`], row-major n × n; only the entries (i, j) with j an ancestor
    /// of i, or i itself, are read.
    pub fn matrix_mut(&mut self) -> &mut [f64] {
        &mut self.entries
    }

    /// Factors the matrix in place.
    ///
    /// # Errors
    /// When a pivot is not above zero, with that pivot.
    pub fn factor(&mut self) -> Result<(), Singular> {
        at_level!(Level::new(), simd => {
            let _ = simd;
            self.eliminate()
        })
    }

    #[inline(always)]
    fn eliminate(&mut self) -> Result<(), Singular> {
        let n = self.len();
        let mut end = n;
        while end > self.held {
            // Dofs of a chain act on what carries them together.
            let mut first = end - 1;
            while end - first < TOGETHER && first > self.held && self.parent[first] as usize == first - 1 {
                first -= 1;
            }
            let count = end - first;
            let (above, group) = self.entries.split_at_mut(first * n);
            let mut pivots = [1.0; TOGETHER];
            for r in (0..count).rev() {
                let (before, own) = group.split_at_mut(r * n);
                let pivot = own[first + r];
                if pivot.is_nan() || pivot <= 0.0 {
                    return Err(Singular { dof: first + r, pivot });
                }
                pivots[r] = pivot;
                for s in (0..r).rev() {
                    let factor = own[first + s] / pivot;
                    let runs = self.run_start[first + s] as usize..self.run_start[first + s + 1] as usize;
                    for &[from, to] in &self.runs[runs] {
                        let (from, to) = (from as usize, to as usize);
                        add_scaled(&mut before[s * n + from..s * n + to], -factor, &own[from..to]);
                    }
                }
            }
            let mut i = self.parent[first];
            while i != ROOT {
                let row = i as usize;
                let mut factors = [0.0; TOGETHER];
                (0..count).for_each(|r| factors[r] = group[r * n + row] / pivots[r]);
                let runs = &self.runs[self.run_start[row] as usize..self.run_start[row + 1] as usize];
                for &[from, to] in runs {
                    let (from, to) = (from as usize, to as usize);
                    let at = std::array::from_fn(|r| r * n + from);
                    subtract_rows(&mut above[row * n + from..row * n + to], &factors, count, group, at);
                }
                (0..count).for_each(|r| group[r * n + row] = factors[r]);
                i = self.parent[row];
            }
            for r in 1..count {
                (0..r).for_each(|s| group[r * n + first + s] /= pivots[r]);
            }
            end = first;
        }
        Ok(())
    }

    /// Replaces `x` by H⁻¹ x: the velocities that the impulses `x` give. Held dofs get none.
    ///
    /// # Panics
    /// When the length of `x` is not the number of dofs.
    pub fn solve(&self, x: &mut [f64]) {
        let n = self.len();
        assert_eq!(x.len(), n, "one entry per dof");
        for i in (self.held..n).rev() {
            // A row of a contact is zero beyond the path of its link, and stays so in this pass.
            if x[i] == 0.0 || self.parent[i] == ROOT {
                continue;
            }
            let (own, p) = (x[i], self.parent[i] as usize);
            for &[first, end] in &self.runs[self.run_start[p] as usize..self.run_start[p + 1] as usize] {
                let (first, end) = (first as usize, end as usize);
                add_scaled(&mut x[first..end], -own, &self.entries[i * n + first..i * n + end]);
            }
        }
        x[..self.held].fill(0.0);
        for i in self.held..n {
            x[i] /= self.entries[i * n + i];
            let mut j = self.parent[i];
            while j != ROOT {
                x[i] -= self.entries[i * n + j as usize] * x[j as usize];
                j = self.parent[j as usize];
            }
        }
    }

    /// Replaces `x` by H x.
    ///
    /// # Panics
    /// When the length of `x` is not the number of dofs.
    pub fn times(&self, x: &mut [f64]) {
        let n = self.len();
        assert_eq!(x.len(), n, "one entry per dof");
        // D L x, children before parents: a row of L reads ancestors that are still x.
        for i in (self.held..n).rev() {
            let mut j = self.parent[i];
            while j != ROOT {
                x[i] += self.entries[i * n + j as usize] * x[j as usize];
                j = self.parent[j as usize];
            }
            x[i] *= self.entries[i * n + i];
        }
        if self.held > 0 {
            let before = x[..self.held].to_vec();
            for (i, x) in x[..self.held].iter_mut().enumerate() {
                *x = (0..self.held).map(|j| self.held_entry(i, j) * before[j]).sum();
            }
        }
        // Lᵀ of that, parents before children: an ancestor takes from entries that are final.
        for i in self.held..n {
            let mut j = self.parent[i];
            while j != ROOT {
                x[j as usize] += self.entries[i * n + j as usize] * x[i];
                j = self.parent[j as usize];
            }
        }
    }

    /// xᵀH x = Σ D (L x)².
    ///
    /// # Panics
    /// When the length of `x` is not the number of dofs.
    pub fn square(&self, x: &[f64]) -> f64 {
        assert_eq!(x.len(), self.len(), "one entry per dof");
        self.product(|k| x[k], |k| x[k])
    }

    /// xᵀH y = Σ D (L x)(L y) of two vectors that are given entry by entry.
    pub fn product(&self, x: impl Fn(usize) -> f64, y: impl Fn(usize) -> f64) -> f64 {
        let n = self.len();
        let mut sum = 0.0;
        for i in 0..self.held {
            sum += (0..self.held).map(|j| x(i) * self.held_entry(i, j) * y(j)).sum::<f64>();
        }
        for i in self.held..n {
            let (mut a, mut b) = (x(i), y(i));
            let mut j = self.parent[i];
            while j != ROOT {
                let entry = self.entries[i * n + j as usize];
                a += entry * x(j as usize);
                b += entry * y(j as usize);
                j = self.parent[j as usize];
            }
            sum += self.entries[i * n + i] * a * b;
        }
        sum
    }

    /// The pivots D of the dofs that are not held, whose spread tells how well the matrix is conditioned.
    pub fn pivots(&self) -> impl Iterator<Item = f64> + '_ {
        let n = self.len();
        (self.held..n).map(move |i| self.entries[i * n + i])
    }

    /// An entry of the block S of two held dofs: 0 where neither is an ancestor of the other.
    fn held_entry(&self, i: usize, j: usize) -> f64 {
        let (low, high) = if i < j { (j, i) } else { (i, j) };
        let mut at = low as u32;
        while at != ROOT && at as usize > high {
            at = self.parent[at as usize];
        }
        if at as usize == high { self.entries[low * self.len() + high] } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SplitMix;

    /// A random positive definite matrix with the sparsity of the tree: Σ over dofs of a path vector's outer product.
    fn random_tree_matrix(parent: &[Option<usize>], r: &mut SplitMix) -> Vec<f64> {
        let n = parent.len();
        let mut h = vec![0.0; n * n];
        for i in 0..n {
            let mut path = vec![0.0; n];
            let mut at = Some(i);
            while let Some(k) = at {
                path[k] = r.range(-1.0, 1.0);
                at = parent[k];
            }
            path[i] = 1.0 + r.unit();
            for a in 0..n {
                for b in 0..n {
                    h[a * n + b] += path[a] * path[b];
                }
            }
        }
        h
    }

    #[test]
    fn solve_inverts_the_matrix_on_a_branching_tree_and_times_multiplies_by_it() {
        let parent = [None, Some(0), Some(1), Some(1), Some(3), None, Some(5)];
        let n = parent.len();
        let mut r = SplitMix::new(11);
        for _ in 0..50 {
            let h = random_tree_matrix(&parent, &mut r);
            let mut ldl = TreeLdl::new(&parent);
            ldl.matrix_mut().copy_from_slice(&h);
            ldl.factor().unwrap();
            let expected: Vec<f64> = (0..n).map(|_| r.range(-1.0, 1.0)).collect();
            let mut x: Vec<f64> =
                (0..n).map(|i| (0..n).map(|j| h[i * n + j] * expected[j]).sum::<f64>()).collect();
            let mut product = expected.clone();
            ldl.times(&mut product);
            for (a, b) in product.iter().zip(&x) {
                assert!((a - b).abs() < 1e-13, "{a} {b}");
            }
            let square: f64 = expected.iter().zip(&x).map(|(a, b)| a * b).sum();
            assert!((ldl.square(&expected) - square).abs() < 1e-12 * (1.0 + square));
            ldl.solve(&mut x);
            for (a, b) in x.iter().zip(&expected) {
                assert!((a - b).abs() < 1e-11, "{a} {b}"); // condition numbers to 1e4
            }
        }
    }

    #[test]
    fn held_dofs_get_no_velocity_and_the_matrix_stays_whole() {
        // Two held chains of two dofs; what hangs on them moves no mass of theirs, so that the whole matrix is singular.
        let parent = [None, Some(0), None, Some(2), Some(1), Some(4), Some(3), Some(4)];
        let (n, held) = (parent.len(), 4);
        let mut r = SplitMix::new(12);
        for _ in 0..50 {
            let mut h = random_tree_matrix(&parent, &mut r);
            for i in 0..held {
                h[i * n + i] -= 4.0;
            }
            let mut ldl = TreeLdl::new(&parent).with_held(held);
            ldl.matrix_mut().copy_from_slice(&h);
            ldl.factor().unwrap();
            let mut v: Vec<f64> = (0..n).map(|_| r.range(-1.0, 1.0)).collect();
            let multiplied = |v: &[f64]| -> Vec<f64> {
                (0..n).map(|i| (0..n).map(|j| h[i * n + j] * v[j]).sum::<f64>()).collect()
            };
            let (mut product, expected) = (v.clone(), multiplied(&v));
            ldl.times(&mut product);
            let square: f64 = v.iter().zip(&expected).map(|(a, b)| a * b).sum();
            assert!((ldl.square(&v) - square).abs() < 1e-11, "{square}");
            assert!(
                product.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12),
                "{product:?} {expected:?}"
            );
            v[..held].fill(0.0);
            let mut x = multiplied(&v);
            ldl.solve(&mut x);
            assert!(x.iter().zip(&v).all(|(a, b)| (a - b).abs() < 1e-11), "{x:?} {v:?}");
            assert_eq!(x[..held], [0.0; 4]);
        }
    }

    #[test]
    fn an_indefinite_matrix_is_refused_with_its_pivot() {
        let mut ldl = TreeLdl::new(&[None, Some(0)]);
        ldl.matrix_mut().copy_from_slice(&[1.0, 2.0, 2.0, 1.0]);
        assert_eq!(ldl.factor(), Err(Singular { dof: 0, pivot: -3.0 }));
    }
}
