//! Eigenvalues of symmetric matrices by cyclic Jacobi rotations: always converges, and the axes of a diagonal matrix stay as they are.

use crate::scalar;

/// Most cycles; six or seven are usual.
const MOST_CYCLES: usize = 30;

/// Eigenvalues and eigenvectors of a symmetric matrix over its first `n` rows: value k belongs to column k of the second matrix. In no order.
pub fn symmetric_eigen<const N: usize>(a: &[[f64; N]; N], n: usize) -> ([f64; N], [[f64; N]; N]) {
    let mut a = *a;
    let mut v = [[0.0; N]; N];
    for (i, row) in v.iter_mut().enumerate() {
        row[i] = 1.0;
    }
    for _ in 0..MOST_CYCLES {
        let mut off = 0.0;
        for p in 0..n {
            off += a[p][p + 1..n].iter().map(|x| x.abs()).sum::<f64>();
        }
        let size: f64 = (0..n).map(|i| a[i][i].abs()).sum();
        if off <= 1e-17 * size {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                rotate(&mut a, &mut v, n, [p, q]);
            }
        }
    }
    (std::array::from_fn(|i| a[i][i]), v)
}

/// Makes the entry (p, q) zero by a rotation of the two axes.
fn rotate<const N: usize>(a: &mut [[f64; N]; N], v: &mut [[f64; N]; N], n: usize, [p, q]: [usize; 2]) {
    let apq = a[p][q];
    if apq == 0.0 {
        return;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * apq);
    let t = if theta.abs() > 1e150 {
        0.5 / theta
    } else {
        let sign = if theta >= 0.0 { 1.0 } else { -1.0 };
        sign / (theta.abs() + (theta * theta + 1.0).sqrt())
    };
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    a[p][p] -= t * apq;
    a[q][q] += t * apq;
    (a[p][q], a[q][p]) = (0.0, 0.0);
    for r in (0..n).filter(|r| *r != p && *r != q) {
        let (x, y) = (a[r][p], a[r][q]);
        a[r][p] = c * x - s * y;
        a[r][q] = s * x + c * y;
        (a[p][r], a[q][r]) = (a[r][p], a[r][q]);
    }
    for row in v.iter_mut().take(n) {
        let (x, y) = (row[p], row[q]);
        row[p] = c * x - s * y;
        row[q] = s * x + c * y;
    }
}

/// Inverse of a symmetric positive matrix over its first `n` rows, on the space of the eigenvalues above `rank` times the largest.
pub fn pseudo_inverse<const N: usize>(a: &[[f64; N]; N], n: usize, rank: f64) -> [[f64; N]; N] {
    let (values, v) = symmetric_eigen(a, n);
    let largest = values[..n].iter().copied().fold(0.0, scalar::max);
    let mut out = [[0.0; N]; N];
    for k in (0..n).filter(|&k| values[k] > rank * largest) {
        for i in 0..n {
            for j in 0..n {
                out[i][j] += v[i][k] * v[j][k] / values[k];
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SplitMix;

    fn product<const N: usize>(a: &[[f64; N]; N], b: &[[f64; N]; N]) -> [[f64; N]; N] {
        std::array::from_fn(|i| std::array::from_fn(|j| (0..N).map(|k| a[i][k] * b[k][j]).sum()))
    }

    #[test]
    fn values_and_vectors_give_the_matrix_back() {
        let mut r = SplitMix::new(5);
        for n in 1..=6 {
            for _ in 0..50 {
                let g: [[f64; 6]; 6] = std::array::from_fn(|_| std::array::from_fn(|_| r.range(-1.0, 1.0)));
                let a: [[f64; 6]; 6] = std::array::from_fn(|i| std::array::from_fn(|j| g[i][j] + g[j][i]));
                let (values, v) = symmetric_eigen(&a, n);
                for i in 0..n {
                    for j in 0..n {
                        let back: f64 = (0..n).map(|k| v[i][k] * values[k] * v[j][k]).sum();
                        assert!((back - a[i][j]).abs() < 1e-14 * 10.0, "{back} {}", a[i][j]);
                        let unit: f64 = (0..n).map(|k| v[k][i] * v[k][j]).sum();
                        assert!((unit - f64::from(u8::from(i == j))).abs() < 1e-14);
                    }
                }
            }
        }
        let diagonal = [[3.0, 0.0], [0.0, 1.0]];
        assert_eq!(symmetric_eigen(&diagonal, 2), ([3.0, 1.0], [[1.0, 0.0], [0.0, 1.0]]));
    }

    #[test]
    fn the_inverse_undoes_the_matrix_where_it_has_rank() {
        let mut r = SplitMix::new(3);
        for rank in 1..=6 {
            for _ in 0..50 {
                let mut w = [[0.0; 6]; 6];
                for _ in 0..rank {
                    let x: [f64; 6] = std::array::from_fn(|_| r.range(-1.0, 1.0));
                    (0..36).for_each(|k| w[k / 6][k % 6] += x[k / 6] * x[k % 6]);
                }
                let back = product(&product(&w, &pseudo_inverse(&w, 6, 1e-12)), &w);
                let off =
                    (0..36).map(|k| (back[k / 6][k % 6] - w[k / 6][k % 6]).abs()).fold(0.0, scalar::max);
                assert!(off < 1e-9, "rank {rank}: {off}"); // condition up to 1e6
            }
        }
    }
}
