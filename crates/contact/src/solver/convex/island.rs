//! One island: trees and free bodies that rows join, with everything that an iteration needs.

use super::law::{self, Along, Block6, Curvature};
use super::options::Resolution;
use super::rows::{MassBlock, MassBlocks, SoftLaw, SoftRows};
use huygens_math::dense::{factor_rows, solve_factored};

/// A problem over its own dofs and the current iterate.
#[derive(Clone, Debug, Default)]
pub(super) struct Island {
    /// Dof of the whole problem of each dof here.
    pub dofs: Vec<usize>,
    /// Row of the whole problem of each row here.
    pub row_of: Vec<usize>,
    pub mass: MassBlocks,
    mass_factor: Vec<f64>,
    pub rows: SoftRows,
    /// 1/R of each row.
    pub d: Vec<f64>,
    /// Acceleration without constraints.
    pub smooth: Vec<f64>,
    pub trace: f64,
    pub resolution: Resolution,
    /// The iterate and what belongs to it.
    pub a: Vec<f64>,
    pub x: Vec<f64>,
    pub force: Vec<f64>,
    pub cost: f64,
    pub gradient: Vec<f64>,
    /// M (a − aₛ).
    pub momentum: Vec<f64>,
    /// Normal force of each elliptic block at the iterate, for `signorini`.
    latched: Vec<f64>,
    offset: Vec<f64>,
}

impl Island {
    /// Number of dofs.
    pub fn len(&self) -> usize {
        self.dofs.len()
    }

    /// Fills what follows from mass and rows.
    pub fn prepare(&mut self) {
        self.d.clear();
        self.d.extend(self.rows.r.iter().map(|r| 1.0 / r));
        let values = &self.mass.values;
        let trace =
            |block: &MassBlock| (0..block.size).map(|i| values[block.at + i * block.size + i]).sum::<f64>();
        self.trace = self.mass.blocks.iter().map(trace).sum();
    }

    /// Factors M, for [`Self::mass_solve`]; false when a block of it is not positive definite.
    pub fn factor_mass(&mut self) -> bool {
        self.mass_factor.clear();
        self.mass_factor.extend_from_slice(&self.mass.values);
        let mut positive = true;
        for block in &self.mass.blocks {
            let values = &mut self.mass_factor[block.at..block.at + block.size * block.size];
            positive &= factor_rows(values, block.size);
        }
        positive
    }

    /// M v into `out`.
    pub fn mass_times(&self, v: &[f64], out: &mut [f64]) {
        for block in &self.mass.blocks {
            let v = &v[block.first..block.first + block.size];
            for i in 0..block.size {
                let row = &self.mass.values[block.at + i * block.size..block.at + (i + 1) * block.size];
                out[block.first + i] = row.iter().zip(v).map(|(m, v)| m * v).sum();
            }
        }
    }

    /// Replaces `v` by M⁻¹ v.
    pub fn mass_solve(&self, v: &mut [f64]) {
        for block in &self.mass.blocks {
            let factor = &self.mass_factor[block.at..block.at + block.size * block.size];
            solve_factored(factor, block.size, &mut v[block.first..block.first + block.size]);
        }
    }

    /// Replaces `v`, over the dofs of mass block `k`, by M⁻¹ v.
    pub fn mass_solve_block(&self, k: usize, v: &mut [f64]) {
        let block = self.mass.blocks[k];
        solve_factored(&self.mass_factor[block.at..block.at + block.size * block.size], block.size, v);
    }

    pub fn latch(&self, block: usize) -> Option<f64> {
        (self.resolution == Resolution::Signorini).then(|| self.latched[block])
    }

    /// Evaluates the iterate `a`: x, forces, cost and gradient.
    pub fn evaluate(&mut self) {
        let n = self.len();
        let mut x = std::mem::take(&mut self.x);
        self.rows.times(&self.a, &mut x);
        x.iter_mut().zip(&self.rows.aref).for_each(|(x, aref)| *x -= aref);
        self.x = x;
        self.latched.clear();
        for block in &self.rows.blocks {
            let normal = -self.d[block.first] * self.x[block.first];
            self.latched.push(if normal > 0.0 { normal } else { 0.0 });
        }
        self.offset.clear();
        self.offset.extend(self.a.iter().zip(&self.smooth).map(|(a, s)| a - s));
        let mut momentum = std::mem::take(&mut self.momentum);
        momentum.resize(n, 0.0);
        self.mass_times(&self.offset, &mut momentum);
        self.cost = 0.5 * self.offset.iter().zip(&momentum).map(|(e, m)| e * m).sum::<f64>();
        let mut force = std::mem::take(&mut self.force);
        force.resize(self.rows.len(), 0.0);
        for (k, block) in self.rows.blocks.iter().enumerate() {
            let range = block.first..block.first + block.rows;
            self.cost += law::cost(
                &block.law,
                &self.x[range.clone()],
                &self.d[range.clone()],
                self.latch(k),
                &mut force[range],
            );
        }
        self.gradient.clear();
        self.gradient.extend_from_slice(&momentum);
        force.iter_mut().for_each(|f| *f = -*f);
        self.rows.add_transposed(&force, &mut self.gradient);
        force.iter_mut().for_each(|f| *f = -*f);
        (self.force, self.momentum) = (force, momentum);
    }

    /// The Hessian at the iterate into the lower half of `h`, row-major n × n.
    pub fn hessian(&self, h: &mut Vec<f64>) {
        let n = self.len();
        h.clear();
        h.resize(n * n, 0.0);
        for block in &self.mass.blocks {
            for i in 0..block.size {
                let row = &self.mass.values[block.at + i * block.size..][..=i];
                h[(block.first + i) * n + block.first..][..=i].copy_from_slice(row);
            }
        }
        let mut full = Block6::default();
        let mut weight = [0.0; 64];
        for (k, block) in self.rows.blocks.iter().enumerate() {
            let columns = self.rows.columns_of(block);
            let elliptic = matches!(block.law, SoftLaw::Elliptic { .. });
            // Rows of other laws than elliptic are independent of each other, so that a long block goes in pieces.
            for first in (0..block.rows).step_by(weight.len()) {
                let rows = (block.rows - first).min(weight.len());
                let range = block.first + first..block.first + first + rows;
                let (x, d) = (&self.x[range.clone()], &self.d[range]);
                match law::curvature(&block.law, x, d, self.latch(k), &mut weight[..rows], &mut full) {
                    Curvature::Diagonal => {
                        for (i, &w) in weight[..rows].iter().enumerate().filter(|(_, w)| **w != 0.0) {
                            add_outer(h, n, columns, self.rows.row_of(block, first + i), w);
                        }
                    }
                    Curvature::Full => {
                        debug_assert!(elliptic, "only an elliptic contact has a full matrix");
                        let j = &self.rows.values[block.first_value..][..rows * columns.len()];
                        add_full(h, n, columns, j, &full);
                    }
                }
            }
        }
    }

    /// Cost and its derivatives at a + α s, from y = J s and the coefficients of the smooth part.
    pub fn along(&self, alpha: f64, y: &[f64], smooth: [f64; 2], point: &mut Vec<f64>) -> Along {
        point.clear();
        point.extend(self.x.iter().zip(y).map(|(x, y)| x + alpha * y));
        let [linear, square] = smooth;
        let mut sum = Along {
            cost: alpha * (linear + 0.5 * alpha * square),
            slope: linear + alpha * square,
            curvature: square,
        };
        for (k, block) in self.rows.blocks.iter().enumerate() {
            let range = block.first..block.first + block.rows;
            let part = law::along(
                &block.law,
                &point[range.clone()],
                &y[range.clone()],
                &self.d[range],
                self.latch(k),
            );
            sum.cost += part.cost;
            sum.slope += part.slope;
            sum.curvature += part.curvature;
        }
        sum
    }
}

/// Adds w·jᵀj over `columns` to the lower half of `h`.
fn add_outer(h: &mut [f64], n: usize, columns: &[usize], j: &[f64], w: f64) {
    for (a, &row) in columns.iter().enumerate() {
        let factor = w * j[a];
        if factor != 0.0 {
            let out = &mut h[row * n..row * n + row + 1];
            columns[..=a].iter().zip(j).for_each(|(&column, j)| out[column] += factor * j);
        }
    }
}

/// Adds JᵀCJ over `columns` to the lower half of `h`.
fn add_full(h: &mut [f64], n: usize, columns: &[usize], j: &[f64], c: &Block6) {
    let width = columns.len();
    let rows = j.len().checked_div(width).unwrap_or(0);
    for (a, &row) in columns.iter().enumerate() {
        let mut left = [0.0; 6];
        for (k, left) in left.iter_mut().enumerate().take(rows) {
            *left = (0..rows).map(|i| j[i * width + a] * c[i][k]).sum();
        }
        let out = &mut h[row * n..row * n + row + 1];
        for (b, &column) in columns[..=a].iter().enumerate() {
            out[column] += (0..rows).map(|k| left[k] * j[k * width + b]).sum::<f64>();
        }
    }
}
