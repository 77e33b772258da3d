//! Which groups hang together, and the run over them that the dense models share.

use crate::island::Islands;
use crate::scratch::{Room, reserve};
use crate::solver::gauss_seidel;
use crate::solver::sequential_impulse::SequentialImpulse;
use crate::solver::{SolveReport, Stop};
use crate::{ContactProblem, Head, Impulse, Law, Scratch, Settings, Side, Solution, Velocity, Warm};
use huygens_math::scalar;

/// Changes of a velocity by the last sweeps up to this share of the problem's speed are round-off, also of large impulses.
const ROUND_OFF: f64 = 1e-13;

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
    v: Velocity,
}

impl IslandList {
    pub(super) fn reserve(&mut self, room: &Room) {
        self.sets.reserve(room.bodies + room.dofs);
        reserve(&mut self.members, room.groups);
        reserve(&mut self.heads, room.groups);
        reserve(&mut self.impulses, room.points);
        self.v.reserve(room);
    }

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
        scratch.dense.system.keep_in_cones();
        scratch.dense.system.give(out);
        report.take(&island);
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

impl SolveReport {
    /// Counts an island in: the one that took most, and the worst outcome.
    pub(in crate::solver) fn take(&mut self, island: &IslandReport) {
        self.iterations = self.iterations.max(island.iterations);
        self.pivots = self.pivots.max(island.pivots);
        self.residual = scalar::max(island.residual, self.residual);
        self.stopped = worse(self.stopped, island.stopped);
    }
}

fn worse(a: Stop, b: Stop) -> Stop {
    match (a, b) {
        (Stop::IterationLimit, _) | (_, Stop::IterationLimit) => Stop::IterationLimit,
        (Stop::Stalled, _) | (_, Stop::Stalled) => Stop::Stalled,
        _ => Stop::Converged,
    }
}

/// Rows of these groups, those that cannot move included. Friction against spinning and rolling is bounded by other rows, which the
/// dense system does not know: such islands count as too large, and are swept.
fn rows_of(problem: &ContactProblem, heads: &[u32]) -> usize {
    if heads.iter().any(|&k| matches!(problem.groups.heads[k as usize].law, Law::Couple { .. })) {
        return usize::MAX;
    }
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
    let mut last = Settings { iterations: 0, warm_start: true, tolerance: 0.0, ..*settings };
    let warm = Warm { points: &impulses, rows: &rows };
    gauss_seidel::run::<SequentialImpulse>(&last, run.problem, warm, scratch, out);
    if run.last > 0 {
        let mut v = std::mem::take(&mut scratch.dense.islands.v);
        v.copy_from(&out.v);
        last.iterations = run.last;
        gauss_seidel::run::<SequentialImpulse>(&last, run.problem, warm, scratch, out);
        if distance(run.problem, &v, &out.v) > ROUND_OFF {
            last.iterations = 0;
            gauss_seidel::run::<SequentialImpulse>(&last, run.problem, warm, scratch, out);
        }
        scratch.dense.islands.v = v;
    }
    (scratch.dense.islands.impulses, scratch.dense.islands.rows) = (impulses, rows);
}

/// Largest difference of two velocities, relative to the problem's speed; of dofs to the fastest of them.
///
/// Where a contact slips that could stick too (μ_s > μ_d), the sweeps would choose the other answer.
fn distance(problem: &ContactProblem, a: &Velocity, b: &Velocity) -> f64 {
    let (mut free, mut dof, mut fastest) = (0.0, 0.0, 0.0);
    for (a, b) in a.free.iter().zip(&b.free) {
        free = scalar::max((a.linear - b.linear).length(), free);
        free = scalar::max((a.angular - b.angular).length() * problem.scale.length, free);
    }
    for ((a, b), c) in a.dof.iter().zip(&b.dof).zip(&problem.v_free.dof) {
        dof = scalar::max((a - b).abs(), dof);
        fastest = scalar::max(a.abs() + c.abs(), fastest);
    }
    let share = |x: f64, of: f64| if of > 0.0 { x / of } else { x };
    scalar::max(share(free, problem.scale.speed), share(dof, fastest))
}
