//! The normals of one manifold together.
//!
//! Up to four points of a face share one normal, so their rows have rank three at most: point after point they converge
//! slowly, and to shares that depend on the order of the visits. Solved together, by the smallest change of the impulses
//! that brings every normal velocity to its target, they are right at once and shared evenly.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | W | `w` | n·J M⁻¹ Jᵀ·n between the points | 1/kg |
//! | W⁺ | `inverse` | its inverse on the space that can move | kg |
//! | r | `excess` | normal velocity minus target | m/s |
//! | δ | | −W⁺r | N·s |

use crate::{ContactProblem, Head};

/// Most points of a manifold.
const MAX: usize = 4;

/// Eigenvalues of W below this share of the largest belong to what cannot move.
const RANK: f64 = 1e-12;

type Matrix = [[f64; MAX]; MAX];

/// The normals of one manifold with several points.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Face {
    w: Matrix,
    inverse: Matrix,
    len: usize,
}

impl Face {
    /// The normals of a contact group; empty unless it has several points.
    pub(crate) fn new(problem: &ContactProblem, head: &Head) -> Self {
        let points = &problem.groups.points[head.range()];
        let mut face = Self::default();
        if points.len() < 2 || points.len() > MAX {
            return face;
        }
        face.len = points.len();
        for i in 0..face.len {
            for j in 0..=i {
                let w = problem.groups.delassus_between(problem.move_inertia, head, &points[i], &points[j]);
                face.w[i][j] = w.x_axis.x;
                face.w[j][i] = w.x_axis.x;
            }
        }
        face.inverse = pseudo_inverse(&face.w, face.len);
        face
    }

    /// The new normal impulses, and the work of the change, when all points can reach their target without pulling;
    /// else `None`. `excess` is u − target, `speed` is u.
    pub(crate) fn solve(
        &self,
        excess: &[f64; MAX],
        speed: &[f64; MAX],
        p: &[f64; MAX],
    ) -> Option<([f64; MAX], f64)> {
        let mut new = *p;
        let mut delta = [0.0; MAX];
        for i in 0..self.len {
            delta[i] = -dot(&self.inverse[i], excess);
            new[i] = p[i] + delta[i];
            if new[i].is_nan() || new[i] < 0.0 {
                return None;
            }
        }
        let work = (0..self.len).map(|i| delta[i] * (speed[i] + 0.5 * dot(&self.w[i], &delta))).sum();
        Some((new, work))
    }

    /// Number of points; 0 when they are visited one by one.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }
}

#[inline]
fn dot(a: &[f64; MAX], b: &[f64; MAX]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
}

/// Inverse of a symmetric positive matrix on the space of its non-zero eigenvalues: cyclic Jacobi rotations.
fn pseudo_inverse(w: &Matrix, n: usize) -> Matrix {
    let mut a = *w;
    let mut v = Matrix::default();
    for (i, row) in v.iter_mut().enumerate() {
        row[i] = 1.0;
    }
    for _ in 0..12 {
        let mut off = 0.0;
        for p in 0..n {
            for q in p + 1..n {
                off += a[p][q].abs();
                rotate(&mut a, &mut v, p, q, n);
            }
        }
        let size: f64 = (0..n).map(|i| a[i][i].abs()).sum();
        if off <= 1e-17 * size {
            break;
        }
    }
    let largest = (0..n).map(|i| a[i][i]).fold(0.0, |x, y| if y > x { y } else { x });
    let mut out = Matrix::default();
    for k in (0..n).filter(|&k| a[k][k] > RANK * largest) {
        for i in 0..n {
            for j in 0..n {
                out[i][j] += v[i][k] * v[j][k] / a[k][k];
            }
        }
    }
    out
}

/// Makes the entry (p, q) zero by a rotation of the two axes.
fn rotate(a: &mut Matrix, v: &mut Matrix, p: usize, q: usize, n: usize) {
    if a[p][q] == 0.0 {
        return;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let sign = if theta >= 0.0 { 1.0 } else { -1.0 };
    let t =
        if theta.abs() > 1e150 { 0.5 / theta } else { sign / (theta.abs() + (theta * theta + 1.0).sqrt()) };
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    for row in a.iter_mut().take(n) {
        let (x, y) = (row[p], row[q]);
        row[p] = c * x - s * y;
        row[q] = s * x + c * y;
    }
    for k in 0..n {
        let (x, y) = (a[p][k], a[q][k]);
        a[p][k] = c * x - s * y;
        a[q][k] = s * x + c * y;
    }
    for row in v.iter_mut() {
        let (x, y) = (row[p], row[q]);
        row[p] = c * x - s * y;
        row[q] = s * x + c * y;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use huygens_math::SplitMix;

    #[test]
    fn the_inverse_undoes_the_matrix_where_it_can_move() {
        let mut random = SplitMix::new(3);
        for rank in 1..=4 {
            for _ in 0..100 {
                let mut w = Matrix::default();
                for _ in 0..rank {
                    let x: [f64; MAX] = std::array::from_fn(|_| random.range(-1.0, 1.0));
                    for i in 0..MAX {
                        for j in 0..MAX {
                            w[i][j] += x[i] * x[j];
                        }
                    }
                }
                let inverse = pseudo_inverse(&w, MAX);
                let y: [f64; MAX] = std::array::from_fn(|_| random.range(-1.0, 1.0));
                let target: [f64; MAX] = std::array::from_fn(|i| dot(&w[i], &y));
                let x: [f64; MAX] = std::array::from_fn(|i| dot(&inverse[i], &target));
                for i in 0..MAX {
                    // Random factors leave condition numbers to 1e6.
                    assert!((dot(&w[i], &x) - target[i]).abs() < 1e-9, "rank {rank}");
                }
            }
        }
    }

    #[test]
    fn four_equal_corners_share_a_load_evenly() {
        // A square plate: translation 1, rotations about both axes with arms ±1.
        let corner = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]];
        let mut face = Face { len: 4, ..Face::default() };
        for i in 0..4 {
            for j in 0..4 {
                face.w[i][j] = 1.0 + 3.0 * (corner[i][0] * corner[j][0] + corner[i][1] * corner[j][1]);
            }
        }
        face.inverse = pseudo_inverse(&face.w, 4);
        let (p, work) = face.solve(&[-2.0; 4], &[-2.0; 4], &[0.0; 4]).unwrap();
        for x in p {
            assert!((x - 0.5).abs() < 1e-14, "{p:?}");
        }
        assert!((work + 2.0).abs() < 1e-13, "½ m u² of a unit mass at 2 m/s");
        assert!(
            face.solve(&[2.0, -2.0, -2.0, 2.0], &[0.0; 4], &[0.0; 4]).is_none(),
            "a corner would have to pull"
        );
    }
}
