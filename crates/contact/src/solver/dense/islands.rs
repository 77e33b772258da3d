//! Which groups hang together, and the run over them that the dense models share.

use crate::island::Islands;
use crate::prepare::{Inverse, PointData, RowData};
use crate::solver::gauss_seidel;
use crate::solver::sequential_impulse::SequentialImpulse;
use crate::solver::{SolveReport, Stop};
use crate::{ContactProblem, Head, Law, Scratch, Settings, Side, Solution, Warm, work};
use huygens_math::{Sum, scalar};

/// The groups of each island.
#[derive(Clone, Debug, Default)]
pub(crate) struct IslandList {
    sets: Islands,
    /// (island, group), sorted.
    members: Vec<(u32, u32)>,
    /// Groups of one island.
    pub(super) heads: Vec<u32>,
}

impl IslandList {
    /// Sorts the groups into islands: they hang together through what can move.
    fn find(&mut self, problem: &ContactProblem) {
        let (groups, free) = (problem.groups, problem.move_inertia.free.len());
        let things = |head: &Head| {
            head.side.map(|side| match side {
                Side::Free(i) => {
                    problem.move_inertia.free[i as usize].can_move().then_some(i as usize)
                }
                Side::Tree(t) => Some(free + t as usize),
                Side::Fixed | Side::Driven(_) => None,
            })
        };
        self.sets.reset(free + problem.move_inertia.trees.len().max(trees(problem)));
        for head in &groups.heads {
            if let [Some(a), Some(b)] = things(head) {
                self.sets.join(a, b);
            }
        }
        self.members.clear();
        for (k, head) in groups.heads.iter().enumerate() {
            if let Some(thing) = things(head).into_iter().flatten().next() {
                self.members.push((self.sets.find(thing) as u32, k as u32));
            }
        }
        self.members.sort_unstable();
    }

    /// Puts the groups of the island that starts at member `from` into `heads`; returns where the next one starts.
    fn take(&mut self, from: usize) -> usize {
        let island = self.members[from].0;
        self.heads.clear();
        let same = self.members[from..].iter().take_while(|member| member.0 == island);
        self.heads.extend(same.map(|member| member.1));
        from + self.heads.len()
    }
}

/// One more than the last tree that a group names.
fn trees(problem: &ContactProblem) -> usize {
    let sides = problem.groups.heads.iter().flat_map(|head| head.side);
    sides.fold(0, |most, side| if let Side::Tree(t) = side { most.max(t as usize + 1) } else { most })
}

/// How the solve of one island went.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::solver) struct IslandReport {
    pub iterations: u32,
    pub pivots: u32,
    /// Largest velocity error, relative to the problem's speed.
    pub residual: f64,
    pub stopped: Stop,
}

/// Solves every island of at most `settings.exact_rows` rows with `solve`, the larger ones by sweeps with `sweeps`.
///
/// `solve` finds the system filled, with the impulses to start from, and leaves its answer there.
pub(in crate::solver) fn run_islands(
    settings: &Settings,
    sweeps: &Settings,
    problem: &ContactProblem,
    warm: Warm,
    scratch: &mut Scratch,
    out: &mut Solution,
    mut solve: impl FnMut(&mut Scratch) -> IslandReport,
) -> SolveReport {
    scratch.dense.islands.find(problem);
    let mut report = start(settings, sweeps, problem, warm, scratch, out);
    let mut from = 0;
    while from < scratch.dense.islands.members.len() {
        from = scratch.dense.islands.take(from);
        if rows_of(problem, &scratch.dense.islands.heads) > settings.exact_rows as usize {
            continue;
        }
        let dense = &mut scratch.dense;
        dense.system.fill(problem, &dense.islands.heads, &scratch.points, &scratch.rows, out);
        if dense.system.n == 0 {
            continue;
        }
        let island = solve(scratch);
        scratch.dense.system.give(out);
        report.iterations = report.iterations.max(island.iterations);
        report.pivots = report.pivots.max(island.pivots);
        report.residual = scalar::max(island.residual, report.residual);
        report.stopped = worse(report.stopped, island.stopped);
    }
    finish(problem, scratch, out);
    report
}

fn worse(a: Stop, b: Stop) -> Stop {
    match (a, b) {
        (Stop::IterationLimit, _) | (_, Stop::IterationLimit) => Stop::IterationLimit,
        (Stop::Stalled, _) | (_, Stop::Stalled) => Stop::Stalled,
        _ => Stop::Converged,
    }
}

/// Rows of these groups, those that cannot move included.
fn rows_of(problem: &ContactProblem, heads: &[u32]) -> usize {
    let rows = heads.iter().map(|&k| {
        let head = &problem.groups.heads[k as usize];
        head.len as usize * if head.law == Law::Contact { 3 } else { 1 }
    });
    rows.sum()
}

/// Impulses to start from: those of the sweeps when an island is too large, else the admissible ones of the last step.
fn start(
    settings: &Settings,
    sweeps: &Settings,
    problem: &ContactProblem,
    warm: Warm,
    scratch: &mut Scratch,
    out: &mut Solution,
) -> SolveReport {
    let mut from = 0;
    let list = &mut scratch.dense.islands;
    let mut large = false;
    while from < list.members.len() {
        from = list.take(from);
        large |= rows_of(problem, &list.heads) > settings.exact_rows as usize;
    }
    if large {
        return gauss_seidel::run::<SequentialImpulse>(sweeps, problem, warm, scratch, out);
    }
    let groups = problem.groups;
    prepare(settings, problem, scratch);
    copy(&mut out.impulses, warm.points, groups.points.len(), settings.warm_start);
    copy(&mut out.rows, warm.rows, groups.rows.len(), settings.warm_start);
    for (p, data) in out.impulses.iter_mut().zip(&scratch.points) {
        if p[0].is_nan() || p[0] <= 0.0 || data.block.inverse_nn <= 0.0 {
            *p = [0.0; 3];
        }
    }
    for (lambda, data) in out.rows.iter_mut().zip(&scratch.rows) {
        if data.inverse <= 0.0 {
            *lambda = 0.0;
        }
    }
    SolveReport::default()
}

fn copy<T: Copy + Default>(to: &mut Vec<T>, warm: &[T], len: usize, use_warm: bool) {
    to.clear();
    if use_warm && !warm.is_empty() {
        assert_eq!(warm.len(), len, "warm-start impulses must be aligned with the problem's entries");
        to.extend_from_slice(warm);
    } else {
        to.resize(len, T::default());
    }
}

fn prepare(settings: &Settings, problem: &ContactProblem, scratch: &mut Scratch) {
    let groups = problem.groups;
    scratch.points.clear();
    scratch.points.resize(groups.points.len(), PointData::default());
    scratch.rows.clear();
    scratch.rows.resize(groups.rows.len(), RowData::default());
    for head in &groups.heads {
        for i in head.range() {
            match head.law {
                Law::Contact => {
                    scratch.points[i] = PointData::new(problem, settings, head, i, Inverse::Parts);
                }
                _ => scratch.rows[i] = RowData::new(problem, settings, head, &groups.rows[i]),
            }
        }
    }
}

/// End velocity, books and the work of the total impulses, Σ p·(u_free + u⁺)/2.
fn finish(problem: &ContactProblem, scratch: &Scratch, out: &mut Solution) {
    let (groups, m) = (problem.groups, problem.move_inertia);
    out.v.copy_from(problem.v_free);
    for head in &groups.heads {
        for i in head.range() {
            if head.law == Law::Contact {
                if out.impulses[i] != [0.0; 3] {
                    groups.apply(m, head, &groups.points[i], out.impulses[i], &mut out.v);
                }
            } else if out.rows[i] != 0.0 {
                groups.apply_row(m, head, &groups.rows[i], out.rows[i], &mut out.v);
            }
        }
    }
    out.correction.reset_like(problem.v_free);
    work::account(problem, scratch, out);
    let mut sum = Sum::default();
    for head in &groups.heads {
        for i in head.range() {
            if head.law == Law::Contact {
                let (point, p) = (&groups.points[i], out.impulses[i]);
                let before = groups.relative(head, point, problem.v_free);
                let after = groups.relative(head, point, &out.v);
                for k in 0..3 {
                    sum.add(0.5 * p[k] * (before[k] + after[k]));
                }
            } else {
                let row = &groups.rows[i];
                let before = groups.relative_row(head, row, problem.v_free);
                let after = groups.relative_row(head, row, &out.v);
                sum.add(0.5 * out.rows[i] * (before + after));
            }
        }
    }
    out.work.increments = sum;
}

