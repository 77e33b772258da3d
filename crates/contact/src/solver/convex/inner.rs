//! H s = −g of a large island: by a sparse Cholesky factor where that is cheap, else by conjugate gradients, only as exactly as the step deserves.
//!
//! D of a soft row is some ten times the mass that it sees, whatever the size of the island. So the condition of H over its blocks, and with it
//! the number of iterations, hardly grows with the number of bodies, and a factor that fills loses: measured on a pile of 1,280 boxes, balls
//! and capsules, 8 iterations with a factor took 4 times as long as 10 with conjugate gradients (docs/bench.md). Walls, chains and stiff
//! couplings are the other way round. What decides is the work that both take, counted; a system that asks for more iterations than its factor
//! would cost gets the factor for the rest of the solve.

use super::blocks::BlockHessian;
use super::island::Island;
use super::newton::{dot, norm};
use huygens_math::dense::{factor_rows, inverse_positive, solve_factored};
use huygens_math::scalar;
use huygens_math::sparse::{BlockCholesky, BlockEntry};

/// Most iterations for each dof of the island.
const PATIENCE: usize = 2;

/// How many multiplications of a factorisation, which has long inner loops, take as long as one of a product with H.
const DENSER: f64 = 4.0;

/// Iterations that a step takes anyway: a factor that costs no more is made at once.
const USUAL: f64 = 12.0;

/// Largest factor [numbers]: 1.6 GB.
const LARGEST: usize = 200_000_000;

/// Room of the inner iteration.
#[derive(Clone, Debug, Default)]
pub(super) struct Inner {
    hessian: BlockHessian,
    factor: BlockCholesky,
    sizes: Vec<u32>,
    /// Iterations that cost as much as a factorisation.
    worth: f64,
    is_direct: bool,
    /// Inverse (of six dofs) or factor (of other sizes) of each diagonal block, laid out as the blocks of M.
    diagonal: Vec<f64>,
    residual: Vec<f64>,
    conditioned: Vec<f64>,
    along: Vec<f64>,
    product: Vec<f64>,
    first: f64,
}

impl Inner {
    /// Finds the blocks of an island, before the first step of its solve.
    pub(super) fn begin(&mut self, island: &Island) {
        self.first = 0.0;
        self.hessian.lay_out(island);
        self.sizes.clear();
        self.sizes.extend(island.mass.blocks.iter().map(|block| block.size as u32));
        self.factor.lay_out(&self.sizes, self.hessian.couplings.iter().map(|c| (c.row, c.column)));
        self.worth = self.factor.work() / (DENSER * self.hessian.work());
        if self.factor.len() > LARGEST {
            self.worth = f64::INFINITY;
        }
        self.is_direct = self.worth <= USUAL;
    }

    /// Solves H s = −g, exactly or until the residual is small enough for the step; false when H is not positive definite.
    pub(super) fn solve(&mut self, island: &Island, bound: f64, search: &mut Vec<f64>) -> bool {
        self.hessian.fill(island);
        search.clear();
        if !self.is_direct {
            let gradient = norm(&island.gradient);
            if self.first == 0.0 {
                self.first = gradient;
            }
            // A step towards a minimum that the next iteration finds anyway need not be better than that; the last one is.
            let relative = scalar::min(0.1, (gradient / self.first).sqrt());
            match self.iterate(island, scalar::max(0.5 * bound, relative * gradient), search) {
                Inexact::Found => return true,
                Inexact::Indefinite => return false,
                Inexact::Expensive => self.is_direct = true,
            }
        }
        let (h, blocks) = (&self.hessian, &island.mass.blocks);
        let size = |k: u32| blocks[k as usize].size;
        let own = blocks.iter().zip(0..).map(|(block, k)| BlockEntry {
            row: k,
            column: k,
            values: &h.diagonal[block.at..block.at + block.size * block.size],
        });
        let below = h.couplings.iter().map(|c| BlockEntry {
            row: c.row,
            column: c.column,
            values: &h.values[c.at..c.at + size(c.row) * size(c.column)],
        });
        if !self.factor.factor(own.chain(below)) {
            return false;
        }
        search.clear();
        search.extend(island.gradient.iter().map(|g| -g));
        self.factor.solve(|k| blocks[k].first, search);
        true
    }

    /// Conjugate gradients, preconditioned with the diagonal blocks of H: one for each free body or tree.
    fn iterate(&mut self, island: &Island, bound: f64, search: &mut Vec<f64>) -> Inexact {
        if !self.condition(island) {
            return Inexact::Indefinite;
        }
        let n = island.len();
        search.resize(n, 0.0);
        self.residual.clear();
        self.residual.extend(island.gradient.iter().map(|g| -g));
        self.precondition(island);
        self.along.clone_from(&self.conditioned);
        self.product.clear();
        self.product.resize(n, 0.0);
        let mut rz = dot(&self.residual, &self.conditioned);
        for iteration in 0..PATIENCE * n {
            if norm(&self.residual) <= bound || rz <= 0.0 {
                break;
            }
            if f64::from(iteration as u32) > self.worth {
                return Inexact::Expensive;
            }
            self.hessian.times(&island.mass.blocks, &self.along, &mut self.product);
            let curvature = dot(&self.along, &self.product);
            if curvature <= 0.0 {
                break;
            }
            let step = rz / curvature;
            search.iter_mut().zip(&self.along).for_each(|(s, p)| *s += step * p);
            self.residual.iter_mut().zip(&self.product).for_each(|(r, q)| *r -= step * q);
            self.precondition(island);
            let next = dot(&self.residual, &self.conditioned);
            let beta = next / rz;
            rz = next;
            self.along.iter_mut().zip(&self.conditioned).for_each(|(p, z)| *p = z + beta * *p);
        }
        Inexact::Found
    }

    /// Inverts or factors the diagonal blocks of H; false when one is not positive definite.
    fn condition(&mut self, island: &Island) -> bool {
        self.diagonal.clone_from(&self.hessian.diagonal);
        for block in &island.mass.blocks {
            let values = &mut self.diagonal[block.at..block.at + block.size * block.size];
            if block.size == 6 {
                let rows: [[f64; 6]; 6] = std::array::from_fn(|i| std::array::from_fn(|k| values[6 * i + k]));
                let Some(inverse) = inverse_positive(&rows, 6, 0.0) else { return false };
                values.copy_from_slice(inverse.as_flattened());
            } else if !factor_rows(values, block.size) {
                return false;
            }
        }
        true
    }

    /// The residual through the preconditioner.
    fn precondition(&mut self, island: &Island) {
        self.conditioned.clone_from(&self.residual);
        for block in &island.mass.blocks {
            let values = &self.diagonal[block.at..block.at + block.size * block.size];
            let own = &mut self.conditioned[block.first..block.first + block.size];
            if let (Ok(inverse), Ok(x)) =
                (<&[f64; 36]>::try_from(values), <&mut [f64; 6]>::try_from(&mut *own))
            {
                *x = super::blocks::times6(inverse, x);
            } else {
                solve_factored(values, block.size, own);
            }
        }
    }
}

/// How conjugate gradients ended.
enum Inexact {
    Found,
    /// They would cost more than a factor.
    Expensive,
    /// A diagonal block is not positive definite.
    Indefinite,
}
