//! The rank of a matrix.

/// The rank of an n × n matrix (row-major, overwritten) by elimination with complete pivoting: entries up to `round_off` times the largest
/// are nothing.
pub fn rank(w: &mut [f64], n: usize, round_off: f64) -> usize {
    let mut largest = 0.0;
    for k in 0..n {
        let (mut best, mut at) = (0.0, [k, k]);
        for i in k..n {
            for (j, x) in w[i * n..(i + 1) * n].iter().enumerate().skip(k) {
                if x.abs() > best {
                    (best, at) = (x.abs(), [i, j]);
                }
            }
        }
        if k == 0 {
            largest = best;
        }
        if best <= round_off * largest || best == 0.0 {
            return k;
        }
        eliminate(w, n, k, at);
    }
    n
}

/// Brings the entry `at` to place k of the diagonal and takes its row from those below.
fn eliminate(w: &mut [f64], n: usize, k: usize, [row, column]: [usize; 2]) {
    for j in 0..n {
        w.swap(k * n + j, row * n + j);
    }
    for i in 0..n {
        w.swap(i * n + k, i * n + column);
    }
    let (upper, lower) = w.split_at_mut((k + 1) * n);
    let pivot = &upper[k * n..];
    for row in lower.chunks_exact_mut(n) {
        let factor = row[k] / pivot[k];
        if factor != 0.0 {
            row[k..].iter_mut().zip(&pivot[k..]).for_each(|(x, p)| *x -= factor * p);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SplitMix;

    #[test]
    fn a_sum_of_outer_products_has_as_many_ranks() {
        let (n, mut r) = (9, SplitMix::new(7));
        for expected in 0..=n {
            let mut w = vec![0.0; n * n];
            for _ in 0..expected {
                let (x, y): (Vec<f64>, Vec<f64>) =
                    (0..n).map(|_| (r.range(-1.0, 1.0), r.range(-1.0, 1.0))).unzip();
                (0..n * n).for_each(|k| w[k] += x[k / n] * y[k % n]);
            }
            assert_eq!(rank(&mut w, n, 1e-10), expected);
        }
    }
}
