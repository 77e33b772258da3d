//! Is there an x ≥ 0 with A x = b? The first phase of the simplex method, by a dense table.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | A | `columns` | one entry for each unknown |
//! | b | `right` | right-hand sides |
//! | Σ artificial | `cost` | what the answer cannot reach |

use huygens::math::scalar;

/// Most pivots; a few dozen are usual.
const MOST_PIVOTS: usize = 5000;
/// Entries below this are zero; all data are of order 1.
const ZERO: f64 = 1e-11;

/// Entries of a column below this are no pivots.
const SMALL_PIVOT: f64 = 1e-9;
/// Pivots by the steepest descent before Bland's rule takes over.
const STEEP_PIVOTS: usize = 1000;

/// How a pivot is chosen.
#[derive(Clone, Copy)]
enum Rule {
    Steepest,
    Bland,
}

/// What is left of Σ|b − A x| at the best x ≥ 0.
pub fn residual(columns: &[Vec<f64>], right: &[f64]) -> f64 {
    let mut table = Table::new(columns, right);
    for step in 0..MOST_PIVOTS {
        let rule = if step < STEEP_PIVOTS { Rule::Steepest } else { Rule::Bland };
        let Some(column) = table.entering(rule) else { break };
        let Some(row) = table.leaving(column, rule) else { break };
        table.pivot(row, column);
    }
    table.cost()
}

/// Rows are equations; unknowns first, the right-hand side last. The artificial unknowns are the first basis and never come back,
/// so their columns are not stored.
struct Table {
    rows: Vec<Vec<f64>>,
    /// Reduced costs, and minus the cost at the end.
    costs: Vec<f64>,
    /// The unknown of each row; `None` for an artificial one.
    basis: Vec<Option<usize>>,
}

impl Table {
    fn new(columns: &[Vec<f64>], right: &[f64]) -> Self {
        let rows: Vec<Vec<f64>> = right
            .iter()
            .enumerate()
            .map(|(i, b)| {
                let sign = if *b < 0.0 { -1.0 } else { 1.0 };
                columns.iter().map(|column| sign * column[i]).chain([sign * b]).collect()
            })
            .collect();
        let mut costs = vec![0.0; columns.len() + 1];
        for row in &rows {
            for (cost, entry) in costs.iter_mut().zip(row) {
                *cost -= entry;
            }
        }
        Self { basis: vec![None; rows.len()], rows, costs }
    }

    fn cost(&self) -> f64 {
        self.costs.last().map_or(0.0, |minus| minus.abs())
    }

    /// The unknown that lowers the cost most; with `Rule::Bland` the first one, which never goes round in circles.
    fn entering(&self, rule: Rule) -> Option<usize> {
        let unknowns = self.costs.len() - 1;
        let costs = &self.costs[..unknowns];
        let lowering = (0..unknowns).filter(|i| costs[*i] < -ZERO);
        match rule {
            Rule::Steepest => lowering.min_by(|a, b| costs[*a].total_cmp(&costs[*b])),
            Rule::Bland => lowering.into_iter().next(),
        }
    }

    /// The row that first reaches zero. Of rows that reach it together the one with the largest entry: a small one would blow up
    /// round-off. With `Rule::Bland` an artificial unknown, else the first one.
    fn leaving(&self, column: usize, rule: Rule) -> Option<usize> {
        let last = self.costs.len() - 1;
        let rows = || self.rows.iter().enumerate().filter(|(_, row)| row[column] > SMALL_PIVOT);
        let ratio = |row: &[f64]| row[last] / row[column];
        let least = rows().map(|(_, row)| ratio(row)).fold(f64::INFINITY, scalar::min);
        let first = rows().filter(|(_, row)| ratio(row) <= least + ZERO);
        let chosen = match rule {
            Rule::Steepest => first.max_by(|(_, a), (_, b)| a[column].total_cmp(&b[column])),
            Rule::Bland => first.min_by_key(|(i, _)| self.basis[*i]),
        };
        chosen.map(|(row, _)| row)
    }

    fn pivot(&mut self, row: usize, column: usize) {
        let scale = 1.0 / self.rows[row][column];
        for entry in &mut self.rows[row] {
            *entry *= scale;
        }
        let pivot = self.rows[row].clone();
        let clear = |target: &mut Vec<f64>| {
            let factor = target[column];
            if factor != 0.0 {
                for (entry, p) in target.iter_mut().zip(&pivot) {
                    *entry -= factor * p;
                }
                target[column] = 0.0;
            }
        };
        for (i, other) in self.rows.iter_mut().enumerate() {
            if i != row {
                clear(other);
            }
        }
        clear(&mut self.costs);
        self.basis[row] = Some(column);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_inside_of_a_cone_is_reached_and_one_outside_is_as_far_as_it_is() {
        let columns = [vec![1.0, 1.0], vec![1.0, -1.0]];
        assert!(residual(&columns, &[2.0, 1.0]) < 1e-12);
        assert!((residual(&columns, &[1.0, 2.0]) - 1.0).abs() < 1e-12);
        assert!((residual(&columns, &[-1.0, 0.0]) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn redundant_columns_and_zero_rows_do_no_harm() {
        let columns = [vec![1.0, 0.0], vec![1.0, 0.0], vec![2.0, 0.0]];
        assert!(residual(&columns, &[3.0, 0.0]) < 1e-12);
        assert!((residual(&columns, &[3.0, 0.5]) - 0.5).abs() < 1e-12);
    }
}
