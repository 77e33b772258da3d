//! Newton's Hessian H = M + JᵀCJ of an island of few dofs, in the pattern of its trees and of the rows that join them.

use super::island::Island;
use super::law::{self, Block6, Curvature};
use super::rows::SoftLaw;
use huygens_math::sparse::ReverseLdl;

/// Rows of a block that are added together.
const TOGETHER: usize = 4;

/// H, brought from one iterate to the next, and its factors.
#[derive(Clone, Debug, Default)]
pub(super) struct DenseHessian {
    ldl: ReverseLdl,
    /// Second derivative of each row that H has, and of each elliptic contact.
    weight: Vec<f64>,
    full: Vec<Block6>,
}

impl DenseHessian {
    /// Makes H = M for an island, in the pattern that its rows may need.
    pub fn begin(&mut self, island: &Island) {
        let ldl = &mut self.ldl;
        ldl.begin(island.len());
        let of = |at: usize, size: usize| &island.mass.values[at..at + size * size];
        for block in &island.mass.blocks {
            for (i, row) in of(block.at, block.size).chunks_exact(block.size.max(1)).enumerate() {
                ldl.add_entries(block.first + i, block.first, &row[..i]);
            }
        }
        let mut last: &[usize] = &[];
        for block in &island.rows.blocks {
            let columns = island.rows.columns_of(block);
            if columns != last {
                ldl.add_clique(columns);
                last = columns;
            }
        }
        ldl.lay_out();
        for block in &island.mass.blocks {
            for (i, row) in of(block.at, block.size).chunks_exact(block.size.max(1)).enumerate() {
                // Zeros beyond the pattern are written to places that are never read.
                let (first, to) = ldl.row_mut(block.first + i);
                let skipped = first.saturating_sub(block.first);
                to[(block.first + skipped) - first..].copy_from_slice(&row[skipped..=i]);
            }
        }
        self.weight.clear();
        self.weight.resize(island.rows.len(), 0.0);
        self.full.clear();
        self.full.resize(island.rows.blocks.len(), Block6::default());
    }

    /// Brings H to the iterate: only rows whose second derivative is not that of the last time are added, since most stay as they are from one
    /// iteration to the next. What rounding leaves of those that came and went is far below what the direction of a step needs.
    pub fn fill(&mut self, island: &Island) {
        for (k, block) in island.rows.blocks.iter().enumerate() {
            if let SoftLaw::Elliptic { .. } = block.law {
                self.change_full(island, k);
                continue;
            }
            let (mut rows, mut changes, mut count) = ([0; TOGETHER], [0.0; TOGETHER], 0);
            for row in 0..block.rows {
                let of = block.first + row;
                let now = law::row_curvature(&block.law, island.x[of], island.d[of]);
                let change = now - self.weight[of];
                if change == 0.0 {
                    continue;
                }
                self.weight[of] = now;
                (rows[count], changes[count]) = (row, change);
                count += 1;
                if count == TOGETHER {
                    self.add(island, k, rows, changes);
                    count = 0;
                }
            }
            if count > 0 {
                changes[count..].fill(0.0);
                self.add(island, k, rows, changes);
            }
        }
    }

    /// Adds Σ change·jᵀj of some rows of block `k`.
    fn add(&mut self, island: &Island, k: usize, rows: [usize; TOGETHER], changes: [f64; TOGETHER]) {
        let block = &island.rows.blocks[k];
        let columns = island.rows.columns_of(block);
        let j = rows.map(|row| island.rows.row_of(block, row));
        for (a, &row) in columns.iter().enumerate() {
            let left: [f64; TOGETHER] = std::array::from_fn(|r| changes[r] * j[r][a]);
            let (first, out) = self.ldl.row_mut(row);
            for (b, &column) in columns[..=a].iter().enumerate() {
                out[column - first] +=
                    left[0] * j[0][b] + left[1] * j[1][b] + (left[2] * j[2][b] + left[3] * j[3][b]);
            }
        }
    }

    /// Brings an elliptic contact to the iterate.
    fn change_full(&mut self, island: &Island, k: usize) {
        let block = &island.rows.blocks[k];
        let range = block.first..block.first + block.rows;
        let (mut now, mut weight) = (Block6::default(), [0.0; 6]);
        let weight = &mut weight[..block.rows];
        let (x, d) = (&island.x[range.clone()], &island.d[range]);
        if law::curvature(&block.law, x, d, island.latch(k), weight, &mut now) == Curvature::Diagonal {
            weight.iter().enumerate().for_each(|(i, w)| now[i][i] = *w);
        }
        let old = std::mem::replace(&mut self.full[k], now);
        if now == old {
            return;
        }
        let columns = island.rows.columns_of(block);
        let width = columns.len();
        let j = &island.rows.values[block.first_value..][..block.rows * width];
        for (a, &row) in columns.iter().enumerate() {
            let mut left = [0.0; 6];
            for (k, left) in left.iter_mut().enumerate().take(block.rows) {
                *left = (0..block.rows).map(|i| j[i * width + a] * (now[i][k] - old[i][k])).sum();
            }
            let (first, out) = self.ldl.row_mut(row);
            for (b, &column) in columns[..=a].iter().enumerate() {
                out[column - first] += (0..block.rows).map(|k| left[k] * j[k * width + b]).sum::<f64>();
            }
        }
    }

    /// Fills `search` with −H⁻¹ g; false when H is not positive definite.
    pub fn solve(&mut self, gradient: &[f64], search: &mut Vec<f64>) -> bool {
        if !self.ldl.factor() {
            return false;
        }
        search.clear();
        search.extend(gradient.iter().map(|g| -g));
        self.ldl.solve(search);
        true
    }
}
