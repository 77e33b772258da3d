//! The second solve of a step in which the sweep gave rows to some pairs: the islands that these rows touch are solved again, and no others.
//!
//! An island alone has the bits that it has among all others ([`huygens_contact::Part`]), so the answer is that of a solve of the whole world. What
//! is left of it stays as the position stage left it. Assembly and impacts are made anew for all, since a new group shifts those behind it: the old
//! answer is carried over by the keys of the groups.
//!
//! It is for `soft-step`, in worlds without trees and without limits of drivers, and for few groups. All others are solved whole.

use super::position::Displacing;
use crate::access::AgainAccess;
use crate::model::Model;
use crate::report::StepReport;
use crate::state::State;
use huygens_contact::{
    ContactProblem, GroupKey, Groups, GuardReport, Law, Losses, NO_COUPLE, Part, Room, Scratch, Solution,
    SolveReport, Velocity, Warm,
};
use huygens_math::{Twist, scalar};

/// The islands that are solved again have at most one of so many groups of the world; else all are.
const FEW: usize = 4;

/// Groups of a world up to which it is solved whole: that costs as little.
const SMALL: usize = 16;

/// Room for islands that are solved again.
#[derive(Debug, Default)]
pub struct AgainWork {
    /// For tests: all islands are solved again.
    pub is_off: bool,
    part: Part,
    /// By body: it is in one of these islands, or one of the new rows acts on it.
    is_changed: Vec<bool>,
    /// By island: it is solved again.
    is_chosen: Vec<bool>,
    /// Groups of the solve before, and its answer.
    groups: Vec<OldGroup>,
    answer: Solution,
    /// Displacement of the bodies of these islands.
    displacement: Velocity,
    /// What the passivity bound did to them.
    guard: GuardReport,
}

/// Where the answer to a group was.
#[derive(Clone, Copy, Debug)]
struct OldGroup {
    key: GroupKey,
    first: u32,
    couple: u32,
}

impl AgainWork {
    /// Makes room for worlds of that size.
    pub(crate) fn reserve(&mut self, room: &Room) {
        let share = Room { groups: room.groups / FEW, points: room.points / FEW, ..*room };
        self.part.reserve(&share);
        self.displacement.reserve(room);
        self.answer.reserve(room);
        crate::workspace::reserve(&mut self.is_changed, room.bodies);
        crate::workspace::reserve(&mut self.is_chosen, room.groups);
        crate::workspace::reserve(&mut self.groups, room.groups);
    }

    /// Bodies that moved otherwise than in the solve before.
    pub(super) fn is_changed(&self, body: u32) -> bool {
        self.is_changed.get(body as usize) == Some(&true)
    }

    /// Marks the islands of the bodies that are marked; returns the number of their groups.
    fn choose(&mut self, problem: &ContactProblem) -> usize {
        let graph = problem.graph;
        self.is_chosen.clear();
        self.is_chosen.resize(graph.islands(), false);
        for body in (0..self.is_changed.len()).filter(|&body| self.is_changed[body]) {
            if let Some(island) = graph.island_of_movable(body) {
                self.is_chosen[island] = true;
            }
        }
        (0..graph.islands())
            .filter(|&island| self.is_chosen[island])
            .map(|island| graph.groups(island).len())
            .sum()
    }

    /// Solves the chosen islands, and finds where they move.
    fn solve(&mut self, model: &Model, state: &State, whole: &Whole, scratch: &Scratch) -> SolveReport {
        let Self { part, is_chosen, displacement, guard, .. } = self;
        part.select_islands(&whole.problem, whole.warm, |island| is_chosen[island], scratch);
        part.take_impacts(&whole.problem, whole.losses);
        let own = part.parts(&whole.problem);
        let settings = &model.settings;
        let report =
            settings.solver.solve(&settings.contact, &own.problem, own.warm, own.scratch, own.solution);
        *guard = GuardReport::default();
        let mut islands = Displacing {
            problem: own.problem,
            impacts: whole.impacts,
            losses: Losses { impacts: own.losses },
            warm: own.warm.points,
            displacement,
            solution: own.solution,
            scratch: own.scratch,
        };
        islands.displace(model, state, guard);
        report
    }
}

/// The problem that the islands are of.
struct Whole<'a> {
    problem: ContactProblem<'a>,
    warm: Warm<'a>,
    impacts: &'a Velocity,
    losses: &'a [f64],
}

impl<'a> Whole<'a> {
    fn of(model: &Model, work: &AgainAccess<'a>) -> Self {
        let impact = &work.problem.impact;
        let warm = Warm {
            points: impact.revised.warm_or(work.warm),
            couples: impact.revised.couples_or(work.warm_couples),
            rows: work.warm_rows,
        };
        let losses: &[f64] = if impact.impacts > 0 { &impact.losses } else { &[] };
        Self { problem: work.problem.view(model), warm, impacts: &impact.displacement, losses }
    }
}

/// Keeps the answer of the solve that was made, for the islands that the sweep gave no rows to; false when all are to be solved again.
pub(crate) fn keep_answer(
    model: &Model,
    state: &State,
    work: &mut AgainAccess,
    report: &mut StepReport,
) -> bool {
    let whole = Whole::of(model, work);
    let (groups, graph) = (whole.problem.groups, whole.problem.graph);
    if work.again.is_off || !may_be_kept(model, groups) {
        return false;
    }
    let AgainAccess { again: room, struck, scratch, solution, .. } = work;
    room.is_changed.clear();
    room.is_changed.resize(model.bodies.len(), false);
    for &body in *struck {
        room.is_changed[body as usize] = true;
        let island = graph.island_of_movable(body as usize);
        for &movable in island.map_or(&[][..], |island| graph.movables(island)) {
            room.is_changed[movable as usize] = true;
        }
    }
    if room.choose(&whole.problem) * FEW > groups.heads.len() {
        return false;
    }
    // The books of these islands are in those of the whole: to take them out, they are made once more.
    room.solve(model, state, &whole, scratch);
    room.part.note_first();
    report.island_solves += room.part.islands();
    room.groups.clear();
    room.groups.extend(groups.heads.iter().map(|head| OldGroup {
        key: head.key,
        first: head.first,
        couple: head.couple,
    }));
    std::mem::swap(&mut room.answer, *solution);
    true
}

/// True for a problem that need not be solved whole.
fn may_be_kept(model: &Model, groups: &Groups) -> bool {
    model.settings.solver.displaces()
        && model.trees.is_empty()
        && groups.work_limits.is_empty()
        && groups.caps.is_empty()
        && groups.heads.len() > SMALL
}

/// Solves the islands that the sweep gave rows to, and finds where they move; the others have the answer that was kept.
pub(crate) fn solve_again(model: &Model, state: &State, work: &mut AgainAccess, report: &mut StepReport) {
    let whole = Whole::of(model, work);
    let problem = whole.problem;
    let AgainAccess { again: room, scratch, solution, displacement, .. } = work;
    carry_over(problem.groups, &room.groups, &mut room.answer, solution);
    let first = room.guard;
    room.choose(&problem);
    report.solve.include(&room.solve(model, state, &whole, scratch));
    report.island_solves += room.part.islands();
    let (guard, last) = (&mut report.guard, room.guard);
    guard.scaled = (guard.scaled + last.scaled).saturating_sub(first.scaled);
    guard.limited = (guard.limited + last.limited).saturating_sub(first.limited);
    guard.least_scale = scalar::min(last.least_scale, guard.least_scale);
    guard.least_share = scalar::min(last.least_share, guard.least_share);
    room.part.put_back_answer(&problem, solution);
    room.part.copy_islands(&problem, &room.displacement, displacement);
    // Who lost all of his contacts to the user's function flies.
    let flies = |body: &usize| room.is_changed[*body] && problem.graph.island_of_movable(*body).is_none();
    for body in (0..room.is_changed.len()).filter(flies) {
        solution.v.free[body] = problem.v_free.free[body];
        displacement.free[body] = room.displacement.free[body];
        solution.correction.free[body] = Twist::ZERO;
        solution.push_out.free[body] = Twist::ZERO;
    }
    if report.want_certificate {
        // It judges impulses as the model leaves them to the bound.
        let settings = &model.settings;
        settings.solver.solve(&settings.contact, &problem, whole.warm, scratch, &mut room.answer);
        super::solve::judge(&problem, &room.answer, report);
    }
}

/// Moves an answer to where its groups are now; new groups have no impulse. `from` is left with what `to` had.
fn carry_over(groups: &Groups, old: &[OldGroup], from: &mut Solution, to: &mut Solution) {
    to.impulses.clear();
    to.impulses.resize(groups.points.len(), [0.0; 3]);
    to.couples.clear();
    to.couples.resize(groups.couples as usize, [0.0; 3]);
    to.stored.clear();
    to.stored.resize(if from.stored.is_empty() { 0 } else { groups.heads.len() }, 0.0);
    let mut at = 0;
    for (k, head) in groups.heads.iter().enumerate() {
        let is_contact = head.law == Law::Contact;
        if is_contact {
            while old.get(at).is_some_and(|old| old.key < head.key) {
                at += 1;
            }
        } else {
            // No sweep adds a row of a joint: they stand behind the contacts as they did.
            at = old.len() - (groups.heads.len() - k);
        }
        let Some(same) = old.get(at).filter(|old| old.key == head.key) else { continue };
        let len = head.len as usize;
        if is_contact {
            to.impulses[head.range()].copy_from_slice(&from.impulses[same.first as usize..][..len]);
        }
        if is_contact && head.couple != NO_COUPLE {
            to.couples[head.couples()].copy_from_slice(&from.couples[same.couple as usize..][..len]);
        }
        if let Some(stored) = from.stored.get(at) {
            to.stored[k] = *stored;
        }
    }
    std::mem::swap(&mut to.rows, &mut from.rows);
    std::mem::swap(&mut to.drivers, &mut from.drivers);
    std::mem::swap(&mut to.capped, &mut from.capped);
    std::mem::swap(&mut to.work, &mut from.work);
    for (to, from) in [
        (&mut to.v, &mut from.v),
        (&mut to.correction, &mut from.correction),
        (&mut to.push_out, &mut from.push_out),
    ] {
        std::mem::swap(to, from);
    }
}
