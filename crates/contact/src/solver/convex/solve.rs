//! The solve: islands, warm start, iteration, no-slip pass.

use super::cg::conjugate_gradients;
use super::island::Island;
use super::newton::{IterationRoom, newton, norm};
use super::noslip::{NoslipRoom, noslip};
use super::options::{Method, Resolution, SoftOptions, WarmRule};
use super::rows::{MassBlocks, SoftBlock, SoftRows};
use crate::solver::Stop;

/// A soft convex problem.
#[derive(Clone, Copy, Debug)]
pub struct SoftProblem<'a> {
    /// M.
    pub mass: &'a MassBlocks,
    /// J, a_ref, R and the laws.
    pub rows: &'a SoftRows,
    /// aₛ: the acceleration without constraints.
    pub smooth: &'a [f64],
    /// The acceleration of the last step ([`SoftSolution::warm`]), for the warm start.
    pub last: &'a [f64],
}

/// The answer: accelerations and forces.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SoftSolution {
    /// Acceleration of each dof.
    pub a: Vec<f64>,
    /// Force of each row.
    pub force: Vec<f64>,
    /// Acceleration from which the next solve starts: that before the no-slip pass.
    pub warm: Vec<f64>,
}

/// What a solve did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoftReport {
    /// Most iterations of an island.
    pub iterations: u32,
    /// Number of islands with rows.
    pub islands: u32,
    /// Cost of all islands.
    pub cost: f64,
    /// Largest gradient of an island over the trace of its M.
    pub gradient: f64,
    /// The worst end of an island.
    pub stopped: Stop,
}

/// Room of a solve.
#[derive(Clone, Debug, Default)]
pub struct SoftScratch {
    room: IslandRoom,
    /// Union-find over mass blocks.
    parent: Vec<usize>,
    block_of_dof: Vec<usize>,
    local_of_dof: Vec<usize>,
    /// Root and index of each block with columns, by root.
    order: Vec<[usize; 2]>,
}

fn find(parent: &mut [usize], mut k: usize) -> usize {
    while parent[k] != k {
        parent[k] = parent[parent[k]];
        k = parent[k];
    }
    k
}

/// Minimises ½(a − aₛ)ᵀM(a − aₛ) + Σ s(J a − a_ref), island by island.
///
/// # Panics
/// When `smooth` or `last` has not one number per dof, or a column is no dof: callers build them from one mechanism.
pub fn solve_soft(
    problem: &SoftProblem<'_>,
    options: &SoftOptions,
    scratch: &mut SoftScratch,
    out: &mut SoftSolution,
) -> SoftReport {
    let SoftProblem { mass, rows, smooth, last } = *problem;
    let n = mass.dofs();
    assert_eq!([smooth.len(), last.len()], [n; 2], "one acceleration per dof");
    out.a.clear();
    out.a.extend_from_slice(smooth);
    out.warm.clone_from(&out.a);
    out.force.clear();
    out.force.resize(rows.len(), 0.0);
    let mut report =
        SoftReport { iterations: 0, islands: 0, cost: 0.0, gradient: 0.0, stopped: Stop::Converged };
    scratch.join(mass, rows);
    let mut first = 0;
    while first < scratch.order.len() {
        let root = scratch.order[first][0];
        let end = (first..scratch.order.len())
            .find(|&k| scratch.order[k][0] != root)
            .unwrap_or(scratch.order.len());
        scratch.gather(problem, root, first..end);
        report.islands += 1;
        scratch.solve_island(last, options, out, &mut report);
        first = end;
    }
    report
}

impl SoftScratch {
    /// Joins mass blocks that a row couples, and orders the blocks of rows by island.
    fn join(&mut self, mass: &MassBlocks, rows: &SoftRows) {
        self.parent.clear();
        self.parent.extend(0..mass.blocks.len());
        self.block_of_dof.clear();
        for (k, block) in mass.blocks.iter().enumerate() {
            self.block_of_dof.resize(block.first + block.size, k);
        }
        for block in &rows.blocks {
            let columns = rows.columns_of(block);
            for pair in columns.windows(2) {
                let [a, b] = [pair[0], pair[1]].map(|dof| find(&mut self.parent, self.block_of_dof[dof]));
                // The lower index is the root, so that islands come in the order of their dofs.
                let (low, high) = if a < b { (a, b) } else { (b, a) };
                self.parent[high] = low;
            }
        }
        self.order.clear();
        for (k, block) in rows.blocks.iter().enumerate() {
            if let Some(&dof) = rows.columns_of(block).first() {
                self.order.push([find(&mut self.parent, self.block_of_dof[dof]), k]);
            }
        }
        self.order.sort_unstable();
        self.local_of_dof.clear();
        self.local_of_dof.resize(mass.dofs(), usize::MAX);
    }

    /// Copies one island into its own numbering.
    fn gather(&mut self, problem: &SoftProblem<'_>, root: usize, members: std::ops::Range<usize>) {
        let SoftProblem { mass, rows, smooth, .. } = *problem;
        let island = &mut self.room.island;
        island.dofs.clear();
        island.mass.clear();
        island.smooth.clear();
        // Only blocks of mass that a row of the island touches, or that belong to its root.
        for k in root..mass.blocks.len() {
            if find(&mut self.parent, k) != root {
                continue;
            }
            let block = mass.blocks[k];
            let values = &mass.values[block.at..block.at + block.size * block.size];
            island.mass.push(block.size).copy_from_slice(values);
            let dofs = block.first..block.first + block.size;
            island.smooth.extend_from_slice(&smooth[dofs.clone()]);
            for dof in dofs {
                self.local_of_dof[dof] = island.dofs.len();
                island.dofs.push(dof);
            }
        }
        island.rows.clear();
        island.row_of.clear();
        for &[_, k] in &self.order[members] {
            let block = rows.blocks[k];
            let columns = rows.columns_of(&block);
            let here = &mut island.rows;
            here.blocks.push(SoftBlock {
                first: here.aref.len(),
                first_column: here.columns.len(),
                first_value: here.values.len(),
                ..block
            });
            here.columns.extend(columns.iter().map(|&dof| self.local_of_dof[dof]));
            here.values.extend_from_slice(&rows.values[block.first_value..][..block.rows * block.columns]);
            let range = block.first..block.first + block.rows;
            here.aref.extend_from_slice(&rows.aref[range.clone()]);
            here.r.extend_from_slice(&rows.r[range.clone()]);
            island.row_of.extend(range);
        }
    }

    fn solve_island(
        &mut self,
        last: &[f64],
        options: &SoftOptions,
        out: &mut SoftSolution,
        report: &mut SoftReport,
    ) {
        let room = &mut self.room;
        room.island.a.clear();
        room.island.a.extend(room.island.dofs.iter().map(|&dof| last[dof]));
        if !room.minimise(options, report) {
            return;
        }
        for (&dof, a) in room.island.dofs.iter().zip(&room.island.a) {
            out.warm[dof] = *a;
        }
        room.without_slip(options);
        for (&dof, a) in room.island.dofs.iter().zip(&room.island.a) {
            out.a[dof] = *a;
        }
        for (&row, f) in room.island.row_of.iter().zip(&room.island.force) {
            out.force[row] = *f;
        }
    }
}

/// One island and the room to solve it.
#[derive(Clone, Debug, Default)]
pub(super) struct IslandRoom {
    pub island: Island,
    iteration: IterationRoom,
    noslip: NoslipRoom,
    other: Vec<f64>,
    other_force: Vec<f64>,
}

impl IslandRoom {
    /// Minimises the cost of the island from its iterate on, and counts it in the report; false when a block of M is not positive definite.
    pub(super) fn minimise(&mut self, options: &SoftOptions, report: &mut SoftReport) -> bool {
        let island = &mut self.island;
        island.resolution = options.resolution;
        island.prepare();
        // Newton's method factors its Hessian alone.
        let needs_mass = options.method == Method::Cg || options.noslip_iterations > 0;
        if needs_mass && !island.factor_mass() {
            report.stopped = Stop::Stalled;
            return false;
        }
        island.evaluate();
        if options.warm == WarmRule::Cheaper {
            let cost = island.cost_of_smooth(&mut self.other, &mut self.other_force);
            // An infinite or undefined cost of the last acceleration is not the cheaper one.
            let is_cheaper = island.cost < cost;
            if !is_cheaper {
                island.a.clone_from(&island.smooth);
                island.evaluate();
            }
        }
        let bound = options.tolerance * island.trace;
        let (iterations, stop) = match options.method {
            Method::Newton => newton(island, options, &mut self.iteration),
            Method::Cg => conjugate_gradients(island, options, &mut self.iteration),
        };
        let gradient = norm(&island.gradient);
        report.iterations = report.iterations.max(iterations);
        report.cost += island.cost;
        if island.trace > 0.0 {
            report.gradient = huygens_math::scalar::max(report.gradient, gradient / island.trace);
        }
        // An iteration that round-off ended has converged where its tolerance asked for no less.
        let at_round_off = stop == Stop::Stalled && (gradient <= bound || options.tolerance == 0.0);
        if stop != Stop::Converged && !at_round_off {
            report.stopped = stop;
        }
        true
    }

    /// The no-slip pass, if it is asked for.
    pub(super) fn without_slip(&mut self, options: &SoftOptions) {
        if options.noslip_iterations > 0 && options.resolution == Resolution::Convex {
            noslip(&mut self.island, options, &mut self.noslip);
        }
    }
}
