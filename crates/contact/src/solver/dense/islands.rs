//! Which groups hang together, and the run over them that the dense models share.

use crate::island::Islands;
use crate::solver::gauss_seidel;
use crate::solver::sequential_impulse::SequentialImpulse;
use crate::solver::{SolveReport, Stop};
use crate::{ContactProblem, Head, Impulse, Law, Scratch, Settings, Side, Solution, Warm};
use huygens_math::scalar;

/// Changes by the last sweeps up to this share of the problem's speed are round-off, also of large impulses.
const ROUND_OFF: f64 = 1e-11;

/// The groups of each island.
#[derive(Clone, Debug, Default)]
pub(crate) struct IslandList {
    sets: Islands,
    /// (island, group), sorted.
    members: Vec<(u32, u32)>,
    /// Groups of one island.
    heads: Vec<u32>,
    /// What the islands gave, on its way to the last sweeps.
    impulses: Vec<Impulse>,
    rows: Vec<f64>,
}

impl IslandList {
    /// Sorts the groups into islands: they hang together through what can move.
    fn find(&mut self, problem: &ContactProblem) {
        let (groups, free) = (problem.groups, problem.move_inertia.free.len());
        let things = |head: &Head| {
            head.side.map(|side| match side {
                Side::Free(i) => problem.move_inertia.free[i as usize].can_move().then_some(i as usize),
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

/// Solves every island of at most `settings.exact_rows` rows with `solve`, the larger ones by `sweeps`; then `last` sweeps over all,
/// which leave an answer as it is but for round-off: a body at rest has exactly no velocity after them.
///
/// `solve` finds the system filled, with the impulses to start from, and leaves its answer there.
pub(in crate::solver) fn run_islands(
    settings: &Settings,
    run: &IslandRun,
    warm: Warm,
    scratch: &mut Scratch,
    out: &mut Solution,
    mut solve: impl FnMut(&mut Scratch) -> IslandReport,
) -> SolveReport {
    let problem = run.problem;
    scratch.dense.islands.find(problem);
    let sweeps =
        Settings { iterations: if run.has_large(settings, scratch) { run.sweeps } else { 0 }, ..*settings };
    let mut report = gauss_seidel::run::<SequentialImpulse>(&sweeps, problem, warm, scratch, out);
    if sweeps.iterations == 0 {
        report = SolveReport::default();
    }
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
    settle(settings, run, scratch, out);
    report
}

/// What the run over the islands needs.
pub(in crate::solver) struct IslandRun<'a> {
    pub problem: &'a ContactProblem<'a>,
    /// Most sweeps for islands that are too large.
    pub sweeps: u32,
    /// Sweeps at the end.
    pub last: u32,
}

impl IslandRun<'_> {
    fn has_large(&self, settings: &Settings, scratch: &mut Scratch) -> bool {
        let list = &mut scratch.dense.islands;
        let (mut from, mut large) = (0, false);
        while from < list.members.len() {
            from = list.take(from);
            large |= rows_of(self.problem, &list.heads) > settings.exact_rows as usize;
        }
        large
    }
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

/// The last sweeps, end velocity and books.
fn settle(settings: &Settings, run: &IslandRun, scratch: &mut Scratch, out: &mut Solution) {
    let list = &mut scratch.dense.islands;
    let (mut impulses, mut rows) = (std::mem::take(&mut list.impulses), std::mem::take(&mut list.rows));
    impulses.clone_from(&out.impulses);
    rows.clone_from(&out.rows);
    let mut last = Settings { iterations: run.last, warm_start: true, tolerance: 0.0, ..*settings };
    let warm = Warm { points: &impulses, rows: &rows };
    gauss_seidel::run::<SequentialImpulse>(&last, run.problem, warm, scratch, out);
    if run.last > 0 && moved(run.problem, scratch, out, warm) > ROUND_OFF {
        last.iterations = 0;
        gauss_seidel::run::<SequentialImpulse>(&last, run.problem, warm, scratch, out);
    }
    (scratch.dense.islands.impulses, scratch.dense.islands.rows) = (impulses, rows);
}

/// Largest change of a row velocity by the last sweeps, relative to the problem's speed.
///
/// Where a contact slips that could stick too (μ_s > μ_d), the sweeps would choose the other answer.
fn moved(problem: &ContactProblem, scratch: &Scratch, out: &Solution, before: Warm) -> f64 {
    let mut largest = 0.0;
    for ((data, new), old) in scratch.points.iter().zip(&out.impulses).zip(before.points) {
        for (k, (new, old)) in new.iter().zip(old).enumerate() {
            largest = scalar::max(data.block.w[k] * (new - old).abs(), largest);
        }
    }
    for ((data, new), old) in scratch.rows.iter().zip(&out.rows).zip(before.rows) {
        largest = scalar::max(data.w * (new - old).abs(), largest);
    }
    if problem.scale.speed > 0.0 { largest / problem.scale.speed } else { largest }
}
