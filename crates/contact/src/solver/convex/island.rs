//! One island: trees and free bodies that rows join, with everything that an iteration needs.

use super::blocks::times6;
use super::law::{self, Along};
use super::options::Resolution;
use super::rows::{MassBlock, MassBlocks, SoftRows};
use huygens_math::dense::{add_scaled, factor_rows, solve_factored};
use huygens_math::scalar;

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
        // A tree that is welded to the world has no dofs.
        for block in self.mass.blocks.iter().filter(|block| block.size > 0) {
            let values = &self.mass.values[block.at..block.at + block.size * block.size];
            let range = block.first..block.first + block.size;
            let (v, out) = (&v[range.clone()], &mut out[range]);
            if let (Ok(m), Ok(v)) = (<&[f64; 36]>::try_from(values), <&[f64; 6]>::try_from(v)) {
                out.copy_from_slice(&times6(m, v));
                continue;
            }
            // M is symmetric: its rows are its columns, and sums over columns have no chains of additions.
            out.fill(0.0);
            for (row, v) in values.chunks_exact(block.size).zip(v) {
                add_scaled(out, *v, row);
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
        self.offset.clear();
        self.offset.extend(self.a.iter().zip(&self.smooth).map(|(a, s)| a - s));
        let mut momentum = std::mem::take(&mut self.momentum);
        momentum.resize(n, 0.0);
        self.mass_times(&self.offset, &mut momentum);
        self.momentum = momentum;
        self.weigh();
    }

    /// Takes the step α s, of which J s and M s are known, and evaluates.
    pub fn advance(&mut self, alpha: f64, s: &[f64], js: &[f64], ms: &[f64]) {
        add_scaled(&mut self.a, alpha, s);
        add_scaled(&mut self.x, alpha, js);
        add_scaled(&mut self.momentum, alpha, ms);
        self.offset.clear();
        self.offset.extend(self.a.iter().zip(&self.smooth).map(|(a, s)| a - s));
        self.weigh();
    }

    /// Forces, cost and gradient from x, the offset and M times the offset.
    fn weigh(&mut self) {
        self.latched.clear();
        for block in &self.rows.blocks {
            let normal = -self.d[block.first] * self.x[block.first];
            self.latched.push(if normal > 0.0 { normal } else { 0.0 });
        }
        self.cost = 0.5 * self.offset.iter().zip(&self.momentum).map(|(e, m)| e * m).sum::<f64>();
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
        self.gradient.extend_from_slice(&self.momentum);
        force.iter_mut().for_each(|f| *f = -*f);
        self.rows.add_transposed(&force, &mut self.gradient);
        force.iter_mut().for_each(|f| *f = -*f);
        self.force = force;
    }

    /// The cost at the acceleration without constraints; `x` and `force` are room.
    pub fn cost_of_smooth(&self, x: &mut Vec<f64>, force: &mut Vec<f64>) -> f64 {
        self.rows.times(&self.smooth, x);
        x.iter_mut().zip(&self.rows.aref).for_each(|(x, aref)| *x -= aref);
        force.resize(x.len(), 0.0);
        let mut sum = 0.0;
        for block in &self.rows.blocks {
            let range = block.first..block.first + block.rows;
            let normal = scalar::max(-self.d[block.first] * x[block.first], 0.0);
            let latch = (self.resolution == Resolution::Signorini).then_some(normal);
            sum += law::cost(&block.law, &x[range.clone()], &self.d[range.clone()], latch, &mut force[range]);
        }
        sum
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
