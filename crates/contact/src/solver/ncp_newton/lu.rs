//! Dense elimination with partial pivoting.

/// Replaces `b` by A⁻¹ b; A is n × n, row-major, and is overwritten. False when a pivot is zero or not a number.
pub(super) fn solve(a: &mut [f64], b: &mut [f64]) -> bool {
    let n = b.len();
    for k in 0..n {
        let mut best = k;
        for i in k + 1..n {
            if a[i * n + k].abs() > a[best * n + k].abs() {
                best = i;
            }
        }
        if best != k {
            for j in k..n {
                a.swap(k * n + j, best * n + j);
            }
            b.swap(k, best);
        }
        let (upper, lower) = a.split_at_mut((k + 1) * n);
        let pivot_row = &upper[k * n..];
        let pivot = pivot_row[k];
        if pivot == 0.0 || !pivot.is_finite() {
            return false;
        }
        let b_k = b[k];
        for (row, b) in lower.chunks_exact_mut(n).zip(&mut b[k + 1..]) {
            let factor = row[k] / pivot;
            if factor == 0.0 {
                continue;
            }
            for (x, p) in row[k + 1..].iter_mut().zip(&pivot_row[k + 1..]) {
                *x -= factor * p;
            }
            *b -= factor * b_k;
        }
    }
    for k in (0..n).rev() {
        let mut x = b[k];
        for (a, b) in a[k * n + k + 1..(k + 1) * n].iter().zip(&b[k + 1..]) {
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
        assert!(solve(&mut a.clone(), &mut b));
        for (b, x) in b.iter().zip(&x) {
            assert!((b - x).abs() < 1e-12, "{b} {x}"); // condition about 100
        }
        assert!(!solve(&mut [1.0, 2.0, 2.0, 4.0], &mut [1.0, 1.0]));
    }
}
