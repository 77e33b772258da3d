//! The run over the islands that the dense models share.

use super::{DenseScratch, IslandRoom};
use crate::entry::{BlockRows, Prepared};
use crate::graph::Slot;
use crate::scratch::{Room, reserve};
use crate::solution::ImpulseCopy;
use crate::solver::SolveReport;
use crate::solver::gauss_seidel;
use crate::solver::sequential_impulse::SequentialImpulse;
use crate::{ContactProblem, Scratch, Settings, Solution, Velocity, Warm, work};
use huygens_math::pool::Lent;
use huygens_math::scalar;
use std::sync::{Mutex, PoisonError};

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
    /// Answers of islands that were solved side by side, where those of each begin, and how its solve went.
    answers: Vec<BlockRows>,
    answers_of: Vec<usize>,
    solved: Vec<Option<SolveReport>>,
}

impl IslandScratch {
    pub(super) fn reserve(&mut self, room: &Room) {
        reserve(&mut self.is_large, room.groups);
        reserve(&mut self.impulses.points, room.points);
        self.v.reserve(room);
        reserve(&mut self.answers, room.points);
        reserve(&mut self.answers_of, room.groups);
        reserve(&mut self.solved, room.groups);
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
    solve: impl Fn(&mut IslandRoom) -> SolveReport + Sync,
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
    let one = |island: usize, room: &mut IslandRoom, out: &Solution| {
        let prepared = Prepared { points: &scratch.points, rows: &scratch.rows };
        room.system.fill(problem, graph.groups(island), prepared, out);
        if room.system.n == 0 {
            return None;
        }
        let solved = solve(room);
        room.system.keep_in_cones();
        Some(solved)
    };
    let pool = scratch.soft.pool();
    let small = is_large.iter().filter(|is_large| !**is_large).count();
    if pool.threads() > 1 && small > 1 && scratch.dense.has_rooms(pool.threads()) {
        let DenseScratch { islands, room: first, others, .. } = &mut scratch.dense;
        let IslandScratch { answers, answers_of, solved, .. } = islands;
        // Where the answer of each island stands.
        answers_of.clear();
        let mut rows = 0;
        for (island, is_large) in is_large.iter().enumerate() {
            answers_of.push(rows);
            let heads = graph.groups(island).iter().map(|&k| &problem.groups.heads[k as usize]);
            rows += if *is_large { 0 } else { heads.map(|head| head.range().len()).sum::<usize>() };
        }
        answers.clear();
        answers.resize(rows, [0.0; 6]);
        solved.clear();
        solved.resize(graph.islands(), None);
        let first = Mutex::new(first);
        let (answers, solved_of) = (Lent::new(answers), Lent::new(solved));
        let (read, islands) = (&*out, graph.islands());
        pool.for_chunks(islands, |island, thread| {
            if is_large[island] {
                return;
            }
            let mut own;
            let mut other;
            let room: &mut IslandRoom = if thread == 0 {
                own = first.lock().unwrap_or_else(PoisonError::into_inner);
                &mut own
            } else {
                other = others[thread - 1].lock().unwrap_or_else(PoisonError::into_inner);
                &mut other
            };
            let found = one(island, room, read);
            // SAFETY: each island is solved by one chunk, and this place is its own.
            unsafe { *solved_of.entry(island) = found };
            let entries = room.system.entries.iter().filter(|_| found.is_some());
            for (place, entry) in (answers_of[island]..).zip(entries) {
                // SAFETY: an island has no more entries than its groups have, and this part of the answers is its own.
                unsafe { *answers.entry(place) = room.system.impulse(entry) };
            }
        });
        let prepared = Prepared { points: &scratch.points, rows: &scratch.rows };
        let IslandScratch { answers, answers_of, solved, .. } = &mut scratch.dense.islands;
        for island in 0..islands {
            let Some(solved) = &solved[island] else { continue };
            let mut answers = answers[answers_of[island]..].iter();
            let heads = graph.groups(island).iter().map(|&k| &problem.groups.heads[k as usize]);
            for entry in heads.flat_map(|head| problem.groups.entries(head)) {
                if prepared.inverse(&entry) > 0.0
                    && let Some(answer) = answers.next()
                {
                    entry.set(out.all_mut(), answer);
                }
            }
            report.include(solved);
        }
    } else {
        let mut room = std::mem::take(&mut scratch.dense.room);
        for island in (0..graph.islands()).filter(|island| !is_large[*island]) {
            if let Some(solved) = one(island, &mut room, out) {
                room.system.give(problem, out);
                report.include(&solved);
            }
        }
        scratch.dense.room = room;
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
