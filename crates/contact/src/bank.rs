//! What position correction may spend: under the guard, overlap is undone only as far as contact has paid for the lift.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | c₁, c₀ | `c`, `held` | correction with and without undoing overlap of contacts and limits | m |
//! | κ | | multipliers of a correction, c = M⁻¹Jᵀκ | kg·m |
//! | a | `acceleration` | (v_free − v_start)/h, the field that the step feels | m/s² |
//! | L | `lift` | −κ·J a = −(M a)·c: work of the correction against that field | J |
//! | γ | `share` | share of the recovery that an island can pay for | – |
//!
//! Moving things by c₀ + γ(c₁ − c₀) satisfies every row with the share γ of its recovery, and lifts by L₀ + γ(L₁ − L₀). With
//! γ = min(1, balance/(L₁ − L₀)) the recovery costs no more than what impacts and friction took out of that island before:
//! a body that lies deep in another one does not rise out of it for nothing.

use crate::correction::{Held, Recovery, Way, solve};
use crate::island::{Islands, movable, slots};
use crate::scratch::{Room, reserve};
use crate::{
    ContactProblem, CorrectionReport, ImpactOutcome, Law, Scratch, Settings, Side, Solution, Velocity,
};
use huygens_math::scalar;

/// Energy that contact took out and correction has not spent, of each movable thing [J]; never negative.
///
/// Part of what must be saved to go on with the same bits. The balance of an island is the sum over its members.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bank {
    /// Of each free body.
    pub free: Vec<f64>,
    /// Of each tree.
    pub trees: Vec<f64>,
}

/// Room for the bank's sums.
#[derive(Clone, Debug, Default)]
pub(crate) struct BankScratch {
    islands: Islands,
    /// Of each movable thing, free bodies first; those of an island stand at its representative.
    balance: Vec<f64>,
    lift: Vec<f64>,
    /// Share γ of each island, and what it pays [J].
    share: Vec<f64>,
    paid: Vec<f64>,
    held: Velocity,
    acceleration: Velocity,
}

impl BankScratch {
    /// Makes room for problems up to that size.
    pub(crate) fn reserve(&mut self, room: &Room) {
        let movable = room.bodies + room.dofs;
        self.islands.reserve(movable);
        for list in [&mut self.balance, &mut self.lift, &mut self.share, &mut self.paid] {
            reserve(list, movable);
        }
        self.held.reserve(room);
        self.acceleration.reserve(room);
    }

    fn reset(&mut self, problem: &ContactProblem, bank: &Bank) {
        let free = problem.v_free.free.len();
        let movable = movable(problem);
        self.islands.reset(movable);
        for head in &problem.groups.heads {
            if let [Some(a), Some(b)] = slots(head, free) {
                self.islands.join(a, b);
            }
        }
        for (list, value) in
            [(&mut self.balance, 0.0), (&mut self.lift, 0.0), (&mut self.share, 1.0), (&mut self.paid, 0.0)]
        {
            list.clear();
            list.resize(movable, value);
        }
        for slot in 0..movable {
            let root = self.islands.find(slot);
            self.balance[root] += bank.of(slot, free);
        }
        self.acceleration.copy_from(problem.v_free);
        let rate = 1.0 / problem.h;
        for (a, start) in self.acceleration.free.iter_mut().zip(&problem.v_start.free) {
            *a = (*a - *start) * rate;
        }
        for (a, start) in self.acceleration.dof.iter_mut().zip(&problem.v_start.dof) {
            *a = (*a - start) * rate;
        }
    }

    /// Adds `sign` times the lift of the correction that was just solved to the sums of the islands.
    fn add_lift(&mut self, problem: &ContactProblem, kappa: impl Fn(&crate::Head, usize) -> f64, sign: f64) {
        let groups = problem.groups;
        for head in &groups.heads {
            let Some(slot) = slots(head, problem.v_free.free.len()).into_iter().flatten().next() else {
                continue;
            };
            let root = self.islands.find(slot);
            for i in head.range() {
                let kappa = kappa(head, i);
                if kappa != 0.0 {
                    let rate = if head.law == Law::Contact {
                        groups.normal_rate(head, &groups.points[i], &self.acceleration)
                    } else {
                        groups.rate_row(head, &groups.rows[i], &self.acceleration)
                    };
                    self.lift[root] -= sign * kappa * rate;
                }
            }
        }
    }
}

/// As [`crate::correct`], with a recovery that each island can pay for from its balance; the bank is charged by
/// [`Bank::settle`].
pub fn correct_from_bank(
    settings: &Settings,
    problem: &ContactProblem,
    (s, held_by): (&Velocity, Held),
    bank: &Bank,
    scratch: &mut Scratch,
    c: &mut Velocity,
) -> CorrectionReport {
    let mut room = std::mem::take(&mut scratch.bank);
    room.reset(problem, bank);
    let way = Way { s, capped: &[], held: held_by };
    let report = solve(settings, problem, &way, Recovery::Full, scratch, c);
    if asks_for_recovery(settings, problem) && report.violated > 0 {
        room.add_lift(problem, |head, i| scratch.kappa(problem, head, i), 1.0);
        let mut held = std::mem::take(&mut room.held);
        solve(settings, problem, &way, Recovery::None, scratch, &mut held);
        room.add_lift(problem, |head, i| scratch.kappa(problem, head, i), -1.0);
        for root in 0..room.lift.len() {
            let cost = room.lift[root];
            if cost > room.balance[root] {
                room.share[root] = room.balance[root] / cost;
            }
            room.paid[root] = scalar::max(cost * room.share[root], 0.0);
        }
        mix(problem, &mut room, &held, c);
        room.held = held;
    }
    scratch.bank = room;
    report
}

fn asks_for_recovery(settings: &Settings, problem: &ContactProblem) -> bool {
    let groups = problem.groups;
    groups.heads.iter().any(|head| match head.law {
        Law::Contact => {
            head.range().any(|i| settings.contact_displacement(problem.h, groups.points[i].gap) > 0.0)
        }
        Law::Unilateral => {
            head.range().any(|i| settings.contact_displacement(problem.h, groups.rows[i].error) > 0.0)
        }
        Law::Equality | Law::Bounded { .. } | Law::Drive { .. } | Law::Couple { .. } => false,
    })
}

/// c₀ + γ(c₁ − c₀), island by island.
fn mix(problem: &ContactProblem, room: &mut BankScratch, held: &Velocity, c: &mut Velocity) {
    let free = c.free.len();
    for slot in 0..free {
        let share = room.share[room.islands.find(slot)];
        if share < 1.0 {
            c.free[slot] = held.free[slot] + (c.free[slot] - held.free[slot]) * share;
        }
    }
    for (i, tree) in problem.move_inertia.trees.iter().enumerate() {
        let share = room.share[room.islands.find(free + i)];
        if share < 1.0 {
            let first = tree.first_dof as usize;
            for k in first..first + tree.ldl.len() {
                c.dof[k] = held.dof[k] + (c.dof[k] - held.dof[k]) * share;
            }
        }
    }
}

impl Bank {
    fn of(&self, slot: usize, free: usize) -> f64 {
        let balance = if slot < free { self.free.get(slot) } else { self.trees.get(slot - free) };
        balance.copied().unwrap_or(0.0)
    }

    fn add(&mut self, slot: usize, free: usize, energy: f64) {
        let (list, at) = if slot < free { (&mut self.free, slot) } else { (&mut self.trees, slot - free) };
        list[at] = scalar::max(list[at] + energy, 0.0);
    }

    /// Empties the balance of a free body that is no more.
    pub fn forget(&mut self, body: usize) {
        if let Some(balance) = self.free.get_mut(body) {
            *balance = 0.0;
        }
    }

    /// Charges the islands for the last [`correct_from_bank`] and credits what the contacts of the step took out: half to each
    /// side that moves.
    pub fn settle(
        &mut self,
        problem: &ContactProblem,
        impact: &ImpactOutcome,
        solution: &Solution,
        scratch: &mut Scratch,
    ) {
        let (groups, free) = (problem.groups, problem.v_free.free.len());
        self.free.resize(free, 0.0);
        self.trees.resize(movable(problem) - free, 0.0);
        let room = &mut scratch.bank;
        for slot in 0..room.paid.len() {
            let root = room.islands.find(slot);
            let (paid, balance) = (room.paid[root], room.balance[root]);
            if paid > 0.0 && balance > 0.0 {
                self.add(slot, free, -self.of(slot, free) * scalar::min(paid / balance, 1.0));
            }
        }
        for (group, head) in groups.heads.iter().enumerate() {
            if head.law != Law::Contact {
                continue;
            }
            let mut loss = impact.losses.get(group).copied().unwrap_or(0.0);
            for i in head.range() {
                let (point, p) = (&groups.points[i], solution.impulses[i]);
                let before = groups.relative(head, point, problem.v_start);
                let after = groups.relative(head, point, &solution.v);
                loss -= (0..3).map(|k| 0.5 * p[k] * (before[k] + after[k])).sum::<f64>();
            }
            let both = head.side.iter().all(|side| matches!(side, Side::Free(_) | Side::Tree(_)));
            let part = if both && slots(head, free)[1].is_some() { 0.5 * loss } else { loss };
            for slot in slots(head, free).into_iter().flatten() {
                self.add(slot, free, part);
            }
        }
    }
}
