//! Sums of vectors that are short.

/// Rows that are subtracted together: what they change is read and written once.
pub const TOGETHER: usize = 4;

/// `to` −= Σ factorₖ · rowₖ over the first `count` rows, the last one first. Row k stands in `rows` from `at[k]` on.
#[inline(always)]
pub fn subtract_rows(
    to: &mut [f64],
    factors: &[f64; TOGETHER],
    count: usize,
    rows: &[f64],
    at: [usize; TOGETHER],
) {
    let n = to.len();
    let row = |k: usize| &rows[at[k]..at[k] + n];
    if count < TOGETHER {
        for k in (0..count).rev() {
            add_scaled(to, -factors[k], row(k));
        }
        return;
    }
    let (to4, rest) = to.as_chunks_mut::<4>();
    let all: [&[f64]; TOGETHER] = std::array::from_fn(row);
    let (whole, done) = (all.map(|row| row.as_chunks::<4>().0), 4 * to4.len());
    for (i, to) in to4.iter_mut().enumerate() {
        for k in (0..TOGETHER).rev() {
            let from = &whole[k][i];
            (0..4).for_each(|c| to[c] -= factors[k] * from[c]);
        }
    }
    for (i, to) in rest.iter_mut().enumerate() {
        (0..TOGETHER).rev().for_each(|k| *to -= factors[k] * all[k][done + i]);
    }
}

/// `to` += factor · `from`, over the shorter of the two. Four at a time: rows of small matrices are shorter than what the compiler would unroll.
#[inline(always)]
pub fn add_scaled(to: &mut [f64], factor: f64, from: &[f64]) {
    let n = to.len().min(from.len());
    let (to, from) = (&mut to[..n], &from[..n]);
    let ((to4, to), (from4, from)) = (to.as_chunks_mut::<4>(), from.as_chunks::<4>());
    for (to, from) in to4.iter_mut().zip(from4) {
        (0..4).for_each(|k| to[k] += factor * from[k]);
    }
    for (to, from) in to.iter_mut().zip(from) {
        *to += factor * from;
    }
}
