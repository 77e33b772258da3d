//! The no-slip pass: after the solve, dry friction and friction of contacts are solved once more without regularisation, normal forces kept.
//!
//! Gauss–Seidel on the forces with A = J M⁻¹Jᵀ; the edges of a pyramid exchange force inside each pair.

use super::island::Island;
use super::options::SoftOptions;
use super::rows::{SoftBlock, SoftLaw};
use huygens_math::dense::solve_positive;
use huygens_math::scalar;

/// Room of the pass.
#[derive(Clone, Debug, Default)]
pub(super) struct NoslipRoom {
    /// M⁻¹Jᵀ of the rows of each block that the pass moves, over `dofs`.
    y: Vec<f64>,
    /// The dofs of the mass blocks that each block of rows touches.
    dofs: Vec<usize>,
    /// Place of each column of a block of rows among its dofs.
    places: Vec<usize>,
    /// Where these begin for each block of rows.
    starts: Vec<Start>,
    /// Mass block of each dof.
    block_of: Vec<usize>,
    /// Acceleration that belongs to the forces.
    a: Vec<f64>,
}

/// Where the numbers of a block of rows begin.
#[derive(Clone, Copy, Debug, Default)]
struct Start {
    y: usize,
    dofs: usize,
    /// Number of its dofs.
    width: usize,
}

impl NoslipRoom {
    /// Fills M⁻¹Jᵀ of the rows that the pass moves.
    fn prepare(&mut self, island: &Island, moves: impl Fn(&SoftBlock) -> bool) {
        self.y.clear();
        self.dofs.clear();
        self.places.clear();
        self.places.resize(island.rows.columns.len(), 0);
        self.starts.clear();
        self.block_of.clear();
        for (k, block) in island.mass.blocks.iter().enumerate() {
            self.block_of.resize(block.first + block.size, k);
        }
        for block in &island.rows.blocks {
            let mut start = Start { y: self.y.len(), dofs: self.dofs.len(), width: 0 };
            if moves(block) {
                let mut last = None;
                let mut first_of_last = 0;
                for (k, &dof) in island.rows.columns_of(block).iter().enumerate() {
                    let owner = self.block_of[dof];
                    let mass = island.mass.blocks[owner];
                    if last != Some(owner) {
                        last = Some(owner);
                        first_of_last = self.dofs.len() - start.dofs;
                        self.dofs.extend(mass.first..mass.first + mass.size);
                    }
                    self.places[block.first_column + k] = first_of_last + dof - mass.first;
                }
                start.width = self.dofs.len() - start.dofs;
                self.y.resize(start.y + start.width * block.rows, 0.0);
                let places = &self.places[block.first_column..block.first_column + block.columns];
                for row in 0..block.rows {
                    let y = &mut self.y[start.y + row * start.width..][..start.width];
                    places.iter().zip(island.rows.row_of(block, row)).for_each(|(&at, j)| y[at] = *j);
                    let mut at = 0;
                    while at < start.width {
                        let owner = self.block_of[self.dofs[start.dofs + at]];
                        let size = island.mass.blocks[owner].size;
                        island.mass_solve_block(owner, &mut y[at..at + size]);
                        at += size;
                    }
                }
            }
            self.starts.push(start);
        }
    }
}

/// Changes forces and acceleration of the island. Its iterate `a` afterwards is aₛ + M⁻¹Jᵀf.
pub(super) fn noslip(island: &mut Island, options: &SoftOptions, room: &mut NoslipRoom) {
    let n = island.len();
    let moves = |block: &SoftBlock| match block.law {
        SoftLaw::Friction { .. } | SoftLaw::Elliptic { .. } => true,
        SoftLaw::Pyramid => block.rows > 1,
        SoftLaw::Equality | SoftLaw::Bounded { .. } | SoftLaw::Unilateral => false,
    };
    room.a.clear();
    room.a.resize(n, 0.0);
    island.rows.add_transposed(&island.force, &mut room.a);
    island.mass_solve(&mut room.a);
    room.a.iter_mut().zip(&island.smooth).for_each(|(a, s)| *a += s);
    room.prepare(island, moves);
    let mut force = std::mem::take(&mut island.force);
    for sweep in 0..options.noslip_iterations {
        let mut improvement = 0.0;
        if sweep == 0 {
            improvement += force.iter().zip(&island.rows.r).map(|(f, r)| 0.5 * f * f * r).sum::<f64>();
        }
        for (block, start) in island.rows.blocks.iter().zip(&room.starts).filter(|(block, _)| moves(block)) {
            let mut local = Local {
                island,
                block,
                y: &room.y[start.y..start.y + start.width * block.rows],
                dofs: &room.dofs[start.dofs..start.dofs + start.width],
                places: &room.places[block.first_column..block.first_column + block.columns],
                a: &mut room.a,
                force: &mut force,
            };
            improvement += local.solve();
        }
        if improvement < options.noslip_tolerance * island.trace {
            break;
        }
    }
    island.force = force;
    island.a.clone_from(&room.a);
}

/// One block of the sweep.
struct Local<'a> {
    island: &'a Island,
    block: &'a SoftBlock,
    y: &'a [f64],
    dofs: &'a [usize],
    places: &'a [usize],
    a: &'a mut [f64],
    force: &'a mut [f64],
}

impl Local<'_> {
    /// Solves the block; returns by how much the cost fell.
    fn solve(&mut self) -> f64 {
        match self.block.law {
            SoftLaw::Friction { loss } => (0..self.block.rows).map(|row| self.friction(row, loss)).sum(),
            SoftLaw::Pyramid => (0..self.block.rows / 2).map(|pair| self.pair(2 * pair)).sum(),
            SoftLaw::Elliptic { friction, .. } => self.disc(&friction),
            SoftLaw::Equality | SoftLaw::Bounded { .. } | SoftLaw::Unilateral => 0.0,
        }
    }

    /// J a − a_ref of a row.
    fn residual(&self, row: usize) -> f64 {
        let rows = &self.island.rows;
        let columns = rows.columns_of(self.block);
        let j = rows.row_of(self.block, row);
        let along: f64 = j.iter().zip(columns).map(|(j, &dof)| j * self.a[dof]).sum();
        along - rows.aref[self.block.first + row]
    }

    fn inverse_mass(&self, row: usize, other: usize) -> f64 {
        let y = &self.y[other * self.dofs.len()..][..self.dofs.len()];
        let j = self.island.rows.row_of(self.block, row);
        j.iter().zip(self.places).map(|(j, &at)| j * y[at]).sum()
    }

    fn change(&mut self, row: usize, by: f64) {
        self.force[self.block.first + row] += by;
        let y = &self.y[row * self.dofs.len()..][..self.dofs.len()];
        self.dofs.iter().zip(y).for_each(|(&dof, y)| self.a[dof] += y * by);
    }

    fn friction(&mut self, row: usize, loss: f64) -> f64 {
        let (residual, weight) = (self.residual(row), self.inverse_mass(row, row));
        let old = self.force[self.block.first + row];
        if weight < 1e-15 {
            return 0.0;
        }
        let by = scalar::clamp(old - residual / weight, -loss, loss) - old;
        self.change(row, by);
        -by * (residual + 0.5 * weight * by)
    }

    fn pair(&mut self, row: usize) -> f64 {
        let first = self.block.first + row;
        let residual = [self.residual(row), self.residual(row + 1)];
        let a00 = self.inverse_mass(row, row);
        let a11 = self.inverse_mass(row + 1, row + 1);
        let a01 = self.inverse_mass(row, row + 1);
        let half_sum = 0.5 * (self.force[first] + self.force[first + 1]);
        let old = 0.5 * (self.force[first] - self.force[first + 1]);
        let curvature = a00 + a11 - 2.0 * a01;
        let by = if curvature < 1e-15 {
            -old
        } else {
            let y = old - (residual[0] - residual[1]) / curvature;
            scalar::clamp(y, -half_sum, half_sum) - old
        };
        self.change(row, by);
        self.change(row + 1, -by);
        -by * (residual[0] - residual[1] + 0.5 * curvature * by)
    }

    fn disc(&mut self, friction: &[f64; 5]) -> f64 {
        let (first, k) = (self.block.first, self.block.rows - 1);
        if k == 0 {
            return 0.0;
        }
        let mut a = [[0.0; 5]; 5];
        let (mut b, mut old, mut residual) = ([0.0; 5], [0.0; 5], [0.0; 5]);
        for i in 0..k {
            residual[i] = self.residual(i + 1);
            old[i] = self.force[first + 1 + i];
            for (j, entry) in a[i].iter_mut().enumerate().take(k) {
                *entry = self.inverse_mass(i + 1, j + 1);
            }
        }
        for i in 0..k {
            b[i] = residual[i] - (0..k).map(|j| a[i][j] * old[j]).sum::<f64>();
        }
        let radius = self.force[first];
        let new = if radius < 1e-15 { [0.0; 5] } else { in_ellipsoid(&a, &b, friction, radius, k) };
        let mut gain = 0.0;
        for i in 0..k {
            let by = new[i] - old[i];
            let curved: f64 = (0..k).map(|j| a[i][j] * (new[j] - old[j])).sum();
            gain -= by * (residual[i] + 0.5 * curved);
        }
        (0..k).for_each(|i| self.change(i + 1, new[i] - old[i]));
        gain
    }
}

/// The v that minimises ½vᵀAv + bᵀv with Σ(vᵢ/cᵢ)² ≤ r²: Newton's steps on the multiplier in Hebden's form, then onto the surface.
fn in_ellipsoid(a: &[[f64; 5]; 5], b: &[f64; 5], c: &[f64; 5], radius: f64, k: usize) -> [f64; 5] {
    let mut scaled = [[0.0; 5]; 5];
    let mut right = [0.0; 5];
    for i in 0..k {
        right[i] = -b[i] * c[i];
        (0..k).for_each(|j| scaled[i][j] = a[i][j] * c[i] * c[j]);
    }
    let mut multiplier = 0.0;
    let mut w = [0.0; 5];
    for round in 0..30 {
        let mut shifted = scaled;
        (0..k).for_each(|i| shifted[i][i] += multiplier);
        let Some(found) = solve_positive(&shifted, &right, k, 0.0) else { break };
        w = found;
        let length = w[..k].iter().map(|w| w * w).sum::<f64>().sqrt();
        if length <= radius * (1.0 + 1e-14) {
            if round == 0 {
                break;
            }
            let onto = if length > 0.0 { radius / length } else { 0.0 };
            w.iter_mut().for_each(|w| *w *= onto);
            break;
        }
        let Some(rate) = solve_positive(&shifted, &w, k, 0.0) else { break };
        let slope: f64 = w[..k].iter().zip(&rate).map(|(w, r)| w * r).sum();
        multiplier += length * length / slope * (length - radius) / radius;
    }
    let length = w[..k].iter().map(|w| w * w).sum::<f64>().sqrt();
    if length > radius {
        w.iter_mut().for_each(|w| *w *= radius / length);
    }
    (0..k).for_each(|i| w[i] *= c[i]);
    w
}
