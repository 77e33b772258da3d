//! The rank of W.

use super::DelassusProblem;
use crate::solver::scaled_units;

/// Share of the largest entry below which what elimination leaves is round-off: entries have been summed from terms up to ten thousand
/// times as large, and the smallest real ones in stored problems are at 1e-9.
const ROUND_OFF: f64 = 1e-12;

impl DelassusProblem {
    /// The rank of W: by elimination with complete pivoting of each set of contacts, in units in which every block has norm 1.
    pub fn rank(&self) -> usize {
        self.sets()
            .into_iter()
            .map(|members| {
                let component = self.component(&members);
                let (n, mut w) = (component.q.len(), component.w);
                let unit = scaled_units(&w, n);
                for (i, row) in w.chunks_exact_mut(n).enumerate() {
                    row.iter_mut().zip(&unit).for_each(|(w, s)| *w *= unit[i] * s);
                }
                rank_of(&mut w, n)
            })
            .sum()
    }
}

/// The rank of an n × n matrix, which is overwritten.
fn rank_of(w: &mut [f64], n: usize) -> usize {
    let mut largest = 0.0;
    for k in 0..n {
        let (mut best, mut at) = (0.0, (k, k));
        for i in k..n {
            for (j, x) in w[i * n..(i + 1) * n].iter().enumerate().skip(k) {
                if x.abs() > best {
                    (best, at) = (x.abs(), (i, j));
                }
            }
        }
        if k == 0 {
            largest = best;
        }
        if best <= ROUND_OFF * largest || best == 0.0 {
            return k;
        }
        eliminate(w, n, k, at);
    }
    n
}

/// Brings the entry `at` to place k of the diagonal and takes its row from those below.
fn eliminate(w: &mut [f64], n: usize, k: usize, at: (usize, usize)) {
    for j in 0..n {
        w.swap(k * n + j, at.0 * n + j);
    }
    for i in 0..n {
        w.swap(i * n + k, i * n + at.1);
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
