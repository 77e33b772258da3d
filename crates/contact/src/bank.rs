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

use crate::correction::{Undo, Way, solve};
use crate::entry::Entry;
use crate::graph::Slot;
use crate::scratch::{Room, reserve};
use crate::{ContactProblem, CorrectionReport, ImpactOutcome, Scratch, Settings, Solution, Velocity};
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
    /// Of each island [J].
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
        let islands = room.groups.min(room.bodies + room.dofs);
        for list in [&mut self.balance, &mut self.lift, &mut self.share, &mut self.paid] {
            reserve(list, islands);
        }
        self.held.reserve(room);
        self.acceleration.reserve(room);
    }

    fn reset(&mut self, problem: &ContactProblem, bank: &Bank) {
        let (graph, free) = (problem.graph, problem.graph.free_bodies());
        for (list, value) in
            [(&mut self.balance, 0.0), (&mut self.lift, 0.0), (&mut self.share, 1.0), (&mut self.paid, 0.0)]
        {
            list.clear();
            list.resize(graph.islands(), value);
        }
        for (island, balance) in self.balance.iter_mut().enumerate() {
            for &movable in graph.movables(island) {
                *balance += bank.of(movable as usize, free);
            }
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
    fn add_lift(&mut self, problem: &ContactProblem, kappa: impl Fn(&Entry) -> f64, sign: f64) {
        let groups = problem.groups;
        for (group, head) in groups.heads.iter().enumerate() {
            let Some(island) = problem.graph.island_of(group) else { continue };
            for entry in groups.entries(head) {
                let kappa = kappa(&entry);
                if kappa != 0.0 {
                    self.lift[island] -= sign * kappa * entry.first_rate(&self.acceleration);
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
    way: &Way,
    bank: &Bank,
    scratch: &mut Scratch,
    c: &mut Velocity,
) -> CorrectionReport {
    let mut room = std::mem::take(&mut scratch.bank);
    room.reset(problem, bank);
    let report = solve(settings, problem, way, Undo::Overlap, scratch, c);
    let asks = |island| asks_for_recovery(problem, problem.graph.groups(island));
    if report.violated > 0 && (0..problem.graph.islands()).any(asks) {
        room.add_lift(problem, |entry| scratch.kappa(entry), 1.0);
        let mut held = std::mem::take(&mut room.held);
        solve(settings, problem, way, Undo::Nothing, scratch, &mut held);
        room.add_lift(problem, |entry| scratch.kappa(entry), -1.0);
        for island in (0..room.lift.len()).filter(|island| asks(*island)) {
            let cost = room.lift[island];
            if cost > room.balance[island] {
                room.share[island] = room.balance[island] / cost;
            }
            room.paid[island] = scalar::max(cost * room.share[island], 0.0);
        }
        mix(problem, &room.share, &held, c);
        room.held = held;
    }
    scratch.bank = room;
    report
}

fn asks_for_recovery(problem: &ContactProblem, island: &[u32]) -> bool {
    let groups = problem.groups;
    let heads = island.iter().map(|&group| &groups.heads[group as usize]);
    let asks = |entry: &Entry| {
        let displacement = |gap| groups.demand(entry.head).gap_displacement(problem.h, gap);
        entry.gap().is_some_and(|gap| displacement(gap) > 0.0)
    };
    heads.flat_map(|head| groups.entries(head)).any(|entry| asks(&entry))
}

/// c₀ + γ(c₁ − c₀), island by island.
fn mix(problem: &ContactProblem, share: &[f64], held: &Velocity, c: &mut Velocity) {
    for (island, share) in share.iter().copied().enumerate().filter(|(_, share)| *share < 1.0) {
        problem.for_each_velocity(island, |slot| match slot {
            Slot::Free(i) => c.free[i] = held.free[i] + (c.free[i] - held.free[i]) * share,
            Slot::Dof(i) => c.dof[i] = held.dof[i] + (c.dof[i] - held.dof[i]) * share,
        });
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
        let (groups, free) = (problem.groups, problem.graph.free_bodies());
        self.free.resize(free, 0.0);
        self.trees.resize(problem.graph.trees(), 0.0);
        let room = &scratch.bank;
        for (island, (paid, balance)) in room.paid.iter().zip(&room.balance).enumerate() {
            if *paid > 0.0 && *balance > 0.0 {
                for slot in problem.graph.movables(island).iter().map(|&movable| movable as usize) {
                    self.add(slot, free, -self.of(slot, free) * scalar::min(paid / balance, 1.0));
                }
            }
        }
        for (group, head) in groups.heads.iter().enumerate() {
            if !head.is_contact() {
                continue;
            }
            let mut loss = impact.losses.get(group).copied().unwrap_or(0.0);
            for entry in groups.entries(head) {
                let p = entry.impulse(solution.all());
                let (before, after) = (entry.relative(problem.v_start), entry.relative(&solution.v));
                loss -= (0..entry.len()).map(|k| 0.5 * p[k] * (before[k] + after[k])).sum::<f64>();
            }
            let sides = problem.graph.movables_of(head);
            let part = if sides.iter().all(Option::is_some) { 0.5 * loss } else { loss };
            for slot in sides.into_iter().flatten() {
                self.add(slot, free, part);
            }
        }
    }
}
