//! Drivers whose contact impulse has a cap.
//!
//! When a solve gives more than the cap of a driver, all impulses between it and others are scaled down by one factor α, and what is
//! not its contact is solved again around them: friction on the floor answers the push that remains, not the one that the driver would give without its cap.
//! The driver's account shows the work that the whole impulse would have taken, p·u_d; the part (1 − α) p·u_d of it that was not
//! given is taken back in the account `driver_cap`.

use crate::entry::{BlockRows, Entry};
use crate::part::OwnProblem;
use crate::solution::ImpulseCopy;
use crate::solver::{SolveReport, SolverKind};
use crate::{
    ContactGraph, ContactProblem, DriverLoad, Groups, Head, Part, Scratch, Settings, Solution, Velocity,
    Warm, Work, work,
};
use huygens_math::scalar;

/// Room for the islands of capped drivers.
#[derive(Clone, Debug, Default)]
pub(crate) struct CapScratch {
    part: Part,
    /// Drivers that are above their cap.
    over: Vec<bool>,
    again: SecondSolve,
}

/// Room for the second solve.
#[derive(Clone, Debug, Default)]
struct SecondSolve {
    groups: Groups,
    v_free: Velocity,
    airborne: Vec<bool>,
    /// Impulses to start the second solve from.
    warm: ImpulseCopy,
    out: Solution,
    /// Share of its impulses that each driver gives.
    share: Vec<f64>,
    /// New index of each group; [`GONE`] for those of a capped driver.
    heads: Vec<u32>,
    /// Group and point of the whole problem that each group and point of the reduced one is.
    whole_heads: Vec<u32>,
    whole_points: Vec<u32>,
    graph: ContactGraph,
    /// Impulses before they were scaled, aligned with the whole problem.
    uncapped: ImpulseCopy,
    /// What the whole impulses would have given.
    uncapped_loads: Vec<DriverLoad>,
}

/// No group.
const GONE: u32 = u32::MAX;

/// Finds drivers above their caps and takes their islands out of the problem; `None` when there are none.
pub(crate) fn find_over(
    problem: &ContactProblem,
    warm: Warm,
    scratch: &mut Scratch,
    out: &Solution,
) -> Option<Box<CapScratch>> {
    let is_over = |(cap, load): (&f64, &DriverLoad)| load.impulse.length() > *cap;
    if !problem.caps().iter().zip(&out.drivers).any(is_over) {
        return None;
    }
    let mut room = scratch.cap.take().unwrap_or_default();
    let CapScratch { part, over, .. } = &mut *room;
    over.clear();
    over.extend(problem.caps().iter().zip(&out.drivers).map(is_over));
    part.select(problem, warm, over, scratch);
    part.take_velocities(problem);
    Some(room)
}

/// Scales back what drivers gave beyond their caps and solves the rest of their islands again. The answer of the whole problem in these
/// islands is that of the model alone.
pub(crate) fn enforce(
    kind: SolverKind,
    settings: &Settings,
    problem: &ContactProblem,
    room: &mut CapScratch,
    scratch: &mut Scratch,
    out: &mut Solution,
) -> Option<SolveReport> {
    let CapScratch { part, again, .. } = room;
    let OwnProblem { problem: own, warm, scratch: own_scratch, solution, .. } = part.parts(problem);
    kind.solve_uncapped(settings, &own, warm, own_scratch, solution);
    part.note_first();
    let OwnProblem { problem: own, warm, scratch: own_scratch, solution, .. } = part.parts(problem);
    let report = enforce_in_islands(kind, settings, &own, warm, again, own_scratch, solution);
    part.put_back(problem, out, scratch);
    report
}

/// [`enforce`] for the islands of drivers that are above their cap.
fn enforce_in_islands(
    kind: SolverKind,
    settings: &Settings,
    problem: &ContactProblem,
    warm: Warm,
    room: &mut SecondSolve,
    scratch: &mut Scratch,
    out: &mut Solution,
) -> Option<SolveReport> {
    room.share.clear();
    room.share.resize(problem.groups.driven.len(), 1.0);
    room.heads.clear();
    room.uncapped.copy_from(out.all());
    let mut report = None;
    // Each round caps one driver more; what it no longer gives may fall to another.
    while room.find_over(problem, out) {
        room.keep_targets(problem, out);
        room.reduce(problem, warm);
        let reduced = ContactProblem {
            v_free: &room.v_free,
            groups: &room.groups,
            graph: &room.graph,
            airborne: &room.airborne,
            cap_left: &[],
            ..*problem
        };
        let warm = room.warm.all();
        report = Some(kind.solve_uncapped(settings, &reduced, warm, scratch, &mut room.out));
        room.merge(problem, out);
        for landing in &mut scratch.landing {
            landing.head = room.whole_heads[landing.head as usize];
            landing.point = room.whole_points[landing.point as usize];
        }
    }
    report
}

impl SecondSolve {
    /// Finds drivers above their cap and the share that they keep.
    fn find_over(&mut self, problem: &ContactProblem, out: &Solution) -> bool {
        let mut found = false;
        for ((share, cap), load) in self.share.iter_mut().zip(problem.caps()).zip(&out.drivers) {
            let given = load.impulse.length();
            if *share >= 1.0 && given > *cap {
                *share = scalar::max(*cap, 0.0) / given;
                found = true;
            }
        }
        found
    }

    /// Notes the impulses of all groups that no cap has scaled yet.
    fn keep_targets(&mut self, problem: &ContactProblem, out: &Solution) {
        let kept = problem.groups.heads.iter().zip(&self.heads).filter(|(_, now)| **now != GONE);
        for entry in kept.flat_map(|(head, _)| problem.groups.entries(head)) {
            entry.set(self.uncapped.all_mut(), &entry.impulse(out.all()));
        }
    }

    /// The share of a group's impulses; 1 when no driver of it is above its cap. A cap is on contacts alone.
    fn share_of(&self, groups: &Groups, head: &Head) -> f64 {
        if groups.point_range(head).is_empty() {
            return 1.0;
        }
        let share = |side| groups.driver_of(side).map_or(1.0, |i| self.share[i as usize]);
        scalar::min(share(head.side[0]), share(head.side[1]))
    }

    /// The problem without the contacts of capped drivers, whose impulses act on the free velocity.
    ///
    /// It starts from where the first solve started: that one's answer is to a push that does not come.
    fn reduce(&mut self, problem: &ContactProblem, warm: Warm) {
        let groups = problem.groups;
        self.v_free.copy_from(problem.v_free);
        self.heads.clear();
        self.whole_heads.clear();
        self.whole_points.clear();
        self.airborne.clear();
        self.warm.clear();
        let mut to = std::mem::take(&mut self.groups);
        to.clear();
        to.demands.clone_from(&groups.demands);
        to.materials.clone_from(&groups.materials);
        to.driven.clone_from(&groups.driven);
        to.tree.clone_from(&groups.tree);
        to.torque_limited.clone_from(&groups.torque_limited);
        for (k, head) in groups.heads.iter().enumerate() {
            let share = self.share_of(groups, head);
            if share < 1.0 {
                self.heads.push(GONE);
                self.push_free(problem, head, share);
                continue;
            }
            self.heads.push(to.heads.len() as u32);
            self.whole_heads.push(k as u32);
            to.push_copy(groups, head);
            self.warm.push_copy(warm, groups, head);
            let points = groups.point_range(head);
            self.whole_points.extend(points.clone().map(|i| i as u32));
            self.airborne.extend(points.map(|i| problem.airborne.get(i) == Some(&true)));
        }
        self.graph.build(&to, problem.move_inertia);
        self.groups = to;
    }

    /// What the shared impulses of a contact do to the free velocity.
    fn push_free(&mut self, problem: &ContactProblem, head: &Head, share: f64) {
        for entry in problem.groups.entries(head) {
            let p = entry.impulse(self.uncapped.all()).map(|p| p * share);
            entry.apply(problem.move_inertia, &p, &mut self.v_free);
        }
    }

    /// The answer to the whole problem, and the books of what was scaled.
    fn merge(&mut self, problem: &ContactProblem, out: &mut Solution) {
        let groups = problem.groups;
        std::mem::swap(&mut out.v, &mut self.out.v);
        std::mem::swap(&mut out.correction, &mut self.out.correction);
        std::mem::swap(&mut out.push_out, &mut self.out.push_out);
        std::mem::swap(&mut out.drivers, &mut self.out.drivers);
        std::mem::swap(&mut out.work, &mut self.out.work);
        work::reset_drivers(groups, &mut self.uncapped_loads);
        for (head, now) in groups.heads.iter().zip(&self.heads) {
            if *now == GONE {
                let share = self.share_of(groups, head);
                for entry in groups.entries(head) {
                    let uncapped = entry.impulse(self.uncapped.all());
                    let p = uncapped.map(|p| p * share);
                    entry.set(out.all_mut(), &p);
                    book(problem, &entry, &uncapped, &p, out, &mut self.uncapped_loads);
                }
            } else {
                let reduced = self.groups.entries(&self.groups.heads[*now as usize]);
                for (entry, reduced) in groups.entries(head).zip(reduced) {
                    entry.set(out.all_mut(), &reduced.impulse(self.out.all()));
                }
            }
        }
        out.capped.clear();
        out.capped.extend(self.share.iter().map(|share| *share < 1.0));
    }
}

/// Books the scaled impulses `p` of an entry, and takes back what the driver would have given with the whole.
fn book(
    problem: &ContactProblem,
    entry: &Entry,
    uncapped: &BlockRows,
    p: &BlockRows,
    out: &mut Solution,
    uncapped_loads: &mut [DriverLoad],
) {
    let groups = problem.groups;
    let (before, after) = (entry.relative(problem.v_start), entry.relative(&out.v));
    let mean = 0.5 * (before[0] + after[0]);
    work::book(&mut out.work, entry, p, &before, &after, 0.0);
    work::load(groups, entry, p, mean, &mut out.work, &mut out.drivers);
    let mut whole = Work::default();
    let removed = std::array::from_fn(|k| uncapped[k] - p[k]);
    work::load(groups, entry, &removed, mean, &mut whole, uncapped_loads);
    out.work.take_back(whole.driver.value());
}

impl Work {
    /// Books work that a driver would have given, and did not.
    pub(crate) fn take_back(&mut self, work: f64) {
        self.driver.add(work);
        self.driver_cap.add(-work);
        self.magnitude += 2.0 * work.abs();
    }
}
