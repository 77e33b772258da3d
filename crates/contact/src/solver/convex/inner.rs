//! H s = −g of a large island by conjugate gradients, preconditioned with the diagonal blocks of H: one for each free body or tree.
//!
//! D of a soft row is some ten times the mass that it sees, whatever the size of the island, so that the condition of H over its blocks, and with
//! it the number of iterations, hardly grows with the number of bodies. Work and memory are those of the rows.

use super::island::Island;
use super::law::{self, Block6, Curvature};
use super::newton::{dot, norm};
use huygens_math::dense::{factor_rows, solve_factored};

/// Rows of a piece of a long block.
const PIECE: usize = 64;

/// Most iterations for each dof of the island.
const PATIENCE: usize = 2;

/// Room of the inner iteration.
#[derive(Clone, Debug, Default)]
pub(super) struct Inner {
    /// Second derivative of each row, where its block is diagonal.
    weight: Vec<f64>,
    /// Second derivatives of the blocks that are not, in their order.
    full: Vec<Block6>,
    /// Which block of rows has which of them; `u32::MAX` for a diagonal one.
    full_of: Vec<u32>,
    /// Factored diagonal blocks, laid out as the blocks of M.
    diagonal: Vec<f64>,
    /// Mass block of each dof.
    block_of: Vec<u32>,
    residual: Vec<f64>,
    conditioned: Vec<f64>,
    along: Vec<f64>,
    product: Vec<f64>,
    /// J times a direction, then C J times it.
    rows: Vec<f64>,
    first: f64,
}

impl Inner {
    /// Forgets the gradient of the last solve.
    pub(super) fn begin(&mut self) {
        self.first = 0.0;
    }

    /// The gradient of the first iteration of this solve.
    pub(super) fn first_gradient(&mut self, gradient: f64) -> f64 {
        if self.first == 0.0 {
            self.first = gradient;
        }
        self.first
    }

    /// Solves H s = −g until the residual is at most `bound`; false when a block of H is not positive definite.
    pub(super) fn solve(&mut self, island: &Island, bound: f64, search: &mut Vec<f64>) -> bool {
        self.curvatures(island);
        if !self.factor(island) {
            return false;
        }
        let n = island.len();
        search.clear();
        search.resize(n, 0.0);
        self.residual.clear();
        self.residual.extend(island.gradient.iter().map(|g| -g));
        self.condition(island);
        self.along.clone_from(&self.conditioned);
        let mut rz = dot(&self.residual, &self.conditioned);
        for _ in 0..PATIENCE * n {
            if norm(&self.residual) <= bound || rz <= 0.0 {
                break;
            }
            self.multiply(island);
            let curvature = dot(&self.along, &self.product);
            if curvature <= 0.0 {
                break;
            }
            let step = rz / curvature;
            search.iter_mut().zip(&self.along).for_each(|(s, p)| *s += step * p);
            self.residual.iter_mut().zip(&self.product).for_each(|(r, q)| *r -= step * q);
            self.condition(island);
            let next = dot(&self.residual, &self.conditioned);
            let beta = next / rz;
            rz = next;
            self.along.iter_mut().zip(&self.conditioned).for_each(|(p, z)| *p = z + beta * *p);
        }
        true
    }

    /// Second derivatives of all blocks of rows at the iterate.
    fn curvatures(&mut self, island: &Island) {
        self.weight.clear();
        self.weight.resize(island.rows.len(), 0.0);
        self.full.clear();
        self.full_of.clear();
        let mut full = Block6::default();
        for (k, block) in island.rows.blocks.iter().enumerate() {
            self.full_of.push(u32::MAX);
            for first in (block.first..block.first + block.rows).step_by(PIECE) {
                let range = first..(first + PIECE).min(block.first + block.rows);
                let weight = &mut self.weight[range.clone()];
                let (x, d) = (&island.x[range.clone()], &island.d[range]);
                if law::curvature(&block.law, x, d, island.latch(k), weight, &mut full) == Curvature::Full {
                    self.full_of[k] = self.full.len() as u32;
                    self.full.push(full);
                }
            }
        }
    }

    /// Factors the diagonal blocks of H.
    fn factor(&mut self, island: &Island) -> bool {
        self.diagonal.clone_from(&island.mass.values);
        self.block_of.clear();
        for (k, block) in island.mass.blocks.iter().enumerate() {
            self.block_of.resize(block.first + block.size, k as u32);
        }
        for (k, block) in island.rows.blocks.iter().enumerate() {
            let columns = island.rows.columns_of(block);
            let mut from = 0;
            while from < columns.len() {
                let owner = self.block_of[columns[from]];
                let to = from + columns[from..].iter().take_while(|&&c| self.block_of[c] == owner).count();
                let mass = island.mass.blocks[owner as usize];
                let h = &mut self.diagonal[mass.at..mass.at + mass.size * mass.size];
                let full = self.full.get(self.full_of[k] as usize);
                for row in 0..block.rows {
                    let j = &island.rows.row_of(block, row)[from..to];
                    let others = match full {
                        Some(_) => 0..block.rows,
                        None => row..row + 1,
                    };
                    for other in others {
                        let weight = full.map_or(self.weight[block.first + row], |c| c[row][other]);
                        if weight == 0.0 {
                            continue;
                        }
                        let i = &island.rows.row_of(block, other)[from..to];
                        for (a, &dof) in columns[from..to].iter().enumerate() {
                            let factor = weight * j[a];
                            let out = &mut h[(dof - mass.first) * mass.size..][..mass.size];
                            for (b, &column) in columns[from..=from + a].iter().enumerate() {
                                out[column - mass.first] += factor * i[b];
                            }
                        }
                    }
                }
                from = to;
            }
        }
        island.mass.blocks.iter().all(|block| {
            factor_rows(&mut self.diagonal[block.at..block.at + block.size * block.size], block.size)
        })
    }

    /// The residual through the preconditioner.
    fn condition(&mut self, island: &Island) {
        self.conditioned.clone_from(&self.residual);
        for block in &island.mass.blocks {
            let factor = &self.diagonal[block.at..block.at + block.size * block.size];
            solve_factored(factor, block.size, &mut self.conditioned[block.first..block.first + block.size]);
        }
    }

    /// `product` = H `along`.
    fn multiply(&mut self, island: &Island) {
        self.product.clear();
        self.product.resize(island.len(), 0.0);
        island.mass_times(&self.along, &mut self.product);
        island.rows.times(&self.along, &mut self.rows);
        for (block, &full) in island.rows.blocks.iter().zip(&self.full_of) {
            let range = block.first..block.first + block.rows;
            let y = &mut self.rows[range.clone()];
            match self.full.get(full as usize) {
                None => y.iter_mut().zip(&self.weight[range]).for_each(|(y, w)| *y *= w),
                Some(c) => {
                    let mut out = [0.0; 6];
                    for (out, c) in out.iter_mut().zip(c).take(block.rows) {
                        *out = c.iter().zip(&*y).map(|(c, y)| c * y).sum();
                    }
                    y.copy_from_slice(&out[..block.rows]);
                }
            }
        }
        island.rows.add_transposed(&self.rows, &mut self.product);
    }
}
