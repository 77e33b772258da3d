//! Dense kernels on panels: matrices of m rows, column after column.

/// Rows and columns of a tile that stays in registers.
const ROWS: usize = 16;
const COLUMNS: usize = 4;

/// `c` −= A Bᵀ over `k` columns: A and B are `m` and `n` rows of the panel `p` with `rows` rows, from rows `a` and `b` on. `c` has `ldc` rows,
/// and only its entries with (row of A) ≥ (row of B) are needed: tiles above the diagonal are left out when `a == b`.
///
/// Each sum runs over k in order, so that its bits do not depend on the width of the machine.
#[inline(always)]
pub fn subtract_product(
    p: &[f64],
    rows: usize,
    [a, m]: [usize; 2],
    [b, n]: [usize; 2],
    k: usize,
    c: &mut [f64],
    ldc: usize,
) {
    let mut j = 0;
    while j < n {
        let width = COLUMNS.min(n - j);
        let mut i = if a == b { j / ROWS * ROWS } else { 0 };
        while i < m {
            let height = ROWS.min(m - i);
            if height == ROWS && width == COLUMNS {
                let mut sum = [[0.0; ROWS]; COLUMNS];
                for column in 0..k {
                    let at = column * rows;
                    let left: &[f64; ROWS] = p[at + a + i..at + a + i + ROWS].try_into().expect("a tile");
                    let right: &[f64; COLUMNS] =
                        p[at + b + j..at + b + j + COLUMNS].try_into().expect("a tile");
                    for y in 0..COLUMNS {
                        for x in 0..ROWS {
                            sum[y][x] += left[x] * right[y];
                        }
                    }
                }
                for (y, sum) in sum.iter().enumerate() {
                    let to = &mut c[(j + y) * ldc + i..(j + y) * ldc + i + ROWS];
                    to.iter_mut().zip(sum).for_each(|(to, s)| *to -= s);
                }
            } else {
                for y in 0..width {
                    let mut sum = [0.0; ROWS];
                    for column in 0..k {
                        let at = column * rows;
                        let right = p[at + b + j + y];
                        let left = &p[at + a + i..at + a + i + height];
                        sum.iter_mut().zip(left).for_each(|(s, l)| *s += l * right);
                    }
                    let to = &mut c[(j + y) * ldc + i..(j + y) * ldc + i + height];
                    to.iter_mut().zip(&sum).for_each(|(to, s)| *to -= s);
                }
            }
            i += ROWS;
        }
        j += COLUMNS;
    }
}

/// Factors the first `w` columns of a panel: L of its upper square, and L⁻ᵀ applied to the rows below. False when a pivot is not above 0.
#[inline(always)]
pub fn factor_panel(p: &mut [f64], rows: usize, w: usize) -> bool {
    const BLOCK: usize = 24;
    let mut first = 0;
    while first < w {
        let count = BLOCK.min(w - first);
        // What the columns before take from these.
        let (done, rest) = p.split_at_mut(first * rows);
        if first > 0 {
            let m = rows - first;
            subtract_product(done, rows, [first, m], [first, count], first, &mut rest[first..], rows);
        }
        for j in 0..count {
            let row = first + j;
            let (before, column) = rest.split_at_mut(j * rows);
            let column = &mut column[..rows];
            for k in 0..j {
                let other = &before[k * rows + row..(k + 1) * rows];
                let factor = other[0];
                column[row..].iter_mut().zip(other).for_each(|(x, l)| *x -= factor * l);
            }
            let pivot = column[row];
            if pivot.is_nan() || pivot <= 0.0 {
                return false;
            }
            let root = pivot.sqrt();
            column[row] = root;
            let inverse = 1.0 / root;
            column[row + 1..].iter_mut().for_each(|x| *x *= inverse);
        }
        first += count;
    }
    true
}
