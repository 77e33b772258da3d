//! The run over the islands that the dense models share.

use crate::entry::Prepared;
use crate::graph::Slot;
use crate::scratch::{Room, reserve};
use crate::solution::ImpulseCopy;
use crate::solver::SolveReport;
use crate::solver::gauss_seidel;
use crate::solver::sequential_impulse::SequentialImpulse;
use crate::{ContactProblem, Scratch, Settings, Solution, Velocity, Warm, work};
use huygens_math::scalar;

/// Changes of a velocity by the last sweeps up to this share of the problem's speed are round-off, also of large impulses.
const ROUND_OFF: f64 = 1e-13;

/// Room for the last sweeps.
#[derive(Clone, Debug, Default)]
pub(crate) struct IslandScratch {
    /// Which islands are too large, and swept.
    is_large: Vec<bool>,
    /// The answer of the islands before the last sweeps.
    impulses: ImpulseCopy,
    v: Velocity,
}

impl IslandScratch {
    pub(super) fn reserve(&mut self, room: &Room) {
        reserve(&mut self.is_large, room.groups);
        reserve(&mut self.impulses.points, room.points);
        self.v.reserve(room);
    }
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
    mut solve: impl FnMut(&mut Scratch) -> SolveReport,
) -> SolveReport {
    let (problem, graph) = (run.problem, run.problem.graph);
    let mut is_large = std::mem::take(&mut scratch.dense.islands.is_large);
    is_large.clear();
    let most = settings.exact_rows as usize;
    is_large.extend((0..graph.islands()).map(|island| rows_of(problem, graph.groups(island)) > most));
    let sweeps = Settings { iterations: run.sweeps, ..*settings };
    let mut report =
        gauss_seidel::run_some::<SequentialImpulse>(&sweeps, problem, warm, scratch, out, |island| {
            is_large[island]
        });
    for island in (0..graph.islands()).filter(|island| !is_large[*island]) {
        let dense = &mut scratch.dense;
        let prepared = Prepared { points: &scratch.points, rows: &scratch.rows };
        dense.system.fill(problem, graph.groups(island), prepared, out);
        if dense.system.n == 0 {
            continue;
        }
        let solved = solve(scratch);
        scratch.dense.system.keep_in_cones();
        scratch.dense.system.give(problem, out);
        report.include(&solved);
    }
    scratch.dense.islands.is_large = is_large;
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

/// Rows of these groups, those that cannot move included.
fn rows_of(problem: &ContactProblem, heads: &[u32]) -> usize {
    let heads = heads.iter().map(|&k| &problem.groups.heads[k as usize]);
    heads.flat_map(|head| problem.groups.entries(head)).map(|entry| entry.dimension()).sum()
}

/// The last sweeps, end velocity and books. An island that the sweeps change by more than round-off keeps its answer: where a contact slips
/// that could stick too (μ_s > μ_d), they would choose the other one.
fn settle(settings: &Settings, run: &IslandRun, scratch: &mut Scratch, out: &mut Solution) {
    let (problem, graph) = (run.problem, run.problem.graph);
    let mut before = std::mem::take(&mut scratch.dense.islands);
    before.keep(out);
    let mut last = Settings { iterations: 0, warm_start: true, tolerance: 0.0, ..*settings };
    gauss_seidel::run::<SequentialImpulse>(&last, problem, before.impulses.all(), scratch, out);
    if run.last > 0 {
        before.keep(out);
        last.iterations = run.last;
        gauss_seidel::run::<SequentialImpulse>(&last, problem, before.impulses.all(), scratch, out);
        let mut restored = false;
        for island in 0..graph.islands() {
            if distance(problem, island, &before.v, &out.v) > ROUND_OFF {
                before.restore(problem, graph.groups(island), out);
                restored = true;
            }
        }
        if restored {
            gauss_seidel::finish(problem, scratch, out);
            out.work.increments = work::telescoped(problem, out);
        }
    }
    scratch.dense.islands = before;
}

impl IslandScratch {
    /// Keeps an answer.
    fn keep(&mut self, out: &Solution) {
        self.impulses.copy_from(out.all());
        self.v.copy_from(&out.v);
    }

    /// Puts back what was kept of the impulses of these groups.
    fn restore(&self, problem: &ContactProblem, groups: &[u32], out: &mut Solution) {
        let heads = groups.iter().map(|&group| &problem.groups.heads[group as usize]);
        for entry in heads.flat_map(|head| problem.groups.entries(head)) {
            entry.set(out.all_mut(), &entry.impulse(self.impulses.all()));
        }
    }
}

/// Largest difference of two velocities of an island, relative to the problem's speed; of dofs to the fastest of them.
fn distance(problem: &ContactProblem, island: usize, a: &Velocity, b: &Velocity) -> f64 {
    let (mut free, mut dof, mut fastest) = (0.0, 0.0, 0.0);
    problem.for_each_velocity(island, |slot| match slot {
        Slot::Free(i) => {
            let change = a.free[i] - b.free[i];
            free = scalar::max(change.linear.length(), free);
            free = scalar::max(change.angular.length() * problem.scale.length, free);
        }
        Slot::Dof(i) => {
            dof = scalar::max((a.dof[i] - b.dof[i]).abs(), dof);
            fastest = scalar::max(a.dof[i].abs() + problem.v_free.dof[i].abs(), fastest);
        }
    });
    let share = |x: f64, of: f64| if of > 0.0 { x / of } else { x };
    scalar::max(share(free, problem.scale.speed), share(dof, fastest))
}
