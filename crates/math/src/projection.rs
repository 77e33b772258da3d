//! Velocities that satisfy equalities: G v = 0.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | G | `g` | rows of the equalities over the dofs of one tree |
//! | Z | `z` | H⁻¹Gᵀ, a row for each equality |
//! | W | `factor` | G H⁻¹ Gᵀ, of a rank that may be less than the number of rows |
//! | P | [`Projection::project`] | 1 − Z W⁺ G: the nearest velocity, in the norm of H, that satisfies all equalities |

use crate::TreeLdl;
use crate::dense::RankedCholesky;

/// A pivot of W below this share of the scale of its row says that the row follows from others: a sine of 3e-6 between them.
const ROUND_OFF: f64 = 1e-11;

/// Rows that velocities of a tree must satisfy, and what satisfies them.
#[derive(Clone, Debug, Default)]
pub struct Projection {
    rows: usize,
    dofs: usize,
    g: Vec<f64>,
    z: Vec<f64>,
    w: Vec<f64>,
    factor: RankedCholesky,
    /// Scale of each row.
    scale: Vec<f64>,
}

impl Projection {
    /// Room for the rows G of `rows` equalities over `dofs` dofs, row-major, all zero; [`Projection::factor`] follows.
    pub fn begin(&mut self, rows: usize, dofs: usize) -> &mut [f64] {
        (self.rows, self.dofs) = (rows, dofs);
        self.g.clear();
        self.g.resize(rows * dofs, 0.0);
        &mut self.g
    }

    /// Number of rows; 0 for no equalities at all.
    #[inline]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of rows that do not follow from others.
    pub fn rank(&self) -> usize {
        self.factor.rank()
    }

    /// Factors W. `scale` is given the diagonal of W and makes of it the size that each row has where it is no round-off.
    pub fn factor(&mut self, ldl: &TreeLdl, scale: impl FnOnce(&mut [f64])) {
        let (m, n) = (self.rows, self.dofs);
        self.z.clear();
        self.z.extend_from_slice(&self.g);
        for z in self.z.chunks_exact_mut(n.max(1)) {
            ldl.solve(z);
        }
        self.w.clear();
        self.w.resize(m * m, 0.0);
        for i in 0..m {
            for j in 0..=i {
                let w = dot(&self.g[i * n..(i + 1) * n], &self.z[j * n..(j + 1) * n]);
                self.w[i * m + j] = w;
                self.w[j * m + i] = w;
            }
        }
        self.scale.clear();
        self.scale.extend((0..m).map(|i| self.w[i * m + i]));
        scale(&mut self.scale);
        self.factor.factor(&self.w, &self.scale, ROUND_OFF);
    }

    /// The size of each row of W where it is no round-off.
    pub fn scale(&self) -> &[f64] {
        &self.scale
    }

    /// Row `i` of G.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.g[i * self.dofs..(i + 1) * self.dofs]
    }

    /// G x: a number for each row, also where there are no dofs.
    pub fn rate<'a>(&'a self, x: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        (0..self.rows).map(move |i| dot(self.row(i), x))
    }

    /// Replaces `r` (a number for each row) by the impulses W⁺r, and takes Z W⁺r from `x`: then G x is less by r, as nearly as the rows allow.
    pub fn correct(&self, r: &mut [f64], room: &mut [f64], x: &mut [f64]) {
        self.factor.solve(r, room);
        for (z, lambda) in self.z.chunks_exact(self.dofs.max(1)).zip(&*r) {
            x.iter_mut().zip(z).for_each(|(x, z)| *x -= z * lambda);
        }
    }

    /// Adds Z λ to `x`.
    pub fn apply(&self, lambda: &[f64], x: &mut [f64]) {
        for (z, lambda) in self.z.chunks_exact(self.dofs.max(1)).zip(lambda) {
            x.iter_mut().zip(z).for_each(|(x, z)| *x += z * lambda);
        }
    }

    /// Replaces the velocities `x` by the nearest ones that satisfy G x = 0.
    pub fn project(&self, x: &mut [f64], room: &mut Vec<f64>) {
        if self.rows == 0 {
            return;
        }
        room.clear();
        room.extend(self.rate(x));
        room.resize(2 * self.rows, 0.0);
        let (lambda, room) = room.split_at_mut(self.rows);
        self.correct(lambda, room, x);
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SplitMix;

    #[test]
    fn a_projected_velocity_satisfies_the_rows_also_where_one_follows_from_others() {
        let (n, mut r) = (5, SplitMix::new(4));
        let parents: Vec<Option<usize>> = (0..n).map(|i: usize| i.checked_sub(1)).collect();
        for _ in 0..50 {
            let mut h = vec![0.0; n * n];
            for i in 0..n {
                let path: Vec<f64> = (0..n)
                    .map(|k| {
                        if k < i {
                            r.range(-1.0, 1.0)
                        } else if k == i {
                            1.5
                        } else {
                            0.0
                        }
                    })
                    .collect();
                (0..n * n).for_each(|e| h[e] += path[e / n] * path[e % n]);
            }
            let mut ldl = TreeLdl::new(&parents);
            ldl.matrix_mut().copy_from_slice(&h);
            ldl.factor().unwrap();
            let mut projection = Projection::default();
            let g = projection.begin(3, n);
            for k in 0..n {
                (g[k], g[n + k]) = (r.range(-1.0, 1.0), r.range(-1.0, 1.0));
                g[2 * n + k] = g[k] - 2.0 * g[n + k];
            }
            projection.factor(&ldl, |_| {});
            assert_eq!(projection.rank(), 2);
            let v: Vec<f64> = (0..n).map(|_| r.range(-1.0, 1.0)).collect();
            let mut x = v.clone();
            projection.project(&mut x, &mut Vec::new());
            assert!(projection.rate(&x).all(|u| u.abs() < 1e-12));
            // Nearest in the norm of H: what was taken does no work on what is left.
            let taken: Vec<f64> = v.iter().zip(&x).map(|(v, x)| v - x).collect();
            assert!(ldl.product(|k| taken[k], |k| x[k]).abs() < 1e-11);
        }
    }

    #[test]
    fn rows_over_no_dofs_at_all_have_a_rate_and_an_answer() {
        let mut projection = Projection::default();
        projection.begin(6, 0);
        projection.factor(&TreeLdl::new(&[]), |diagonal| diagonal.fill(1.0));
        assert_eq!((projection.rank(), projection.rate(&[]).count()), (0, 6));
        let mut gap = [0.5; 6];
        projection.correct(&mut gap, &mut [0.0; 6], &mut []);
        assert_eq!(gap, [0.0; 6], "no impulse answers where nothing can move");
    }
}
