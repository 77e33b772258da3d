//! Contacts that are given as W, q and μ, for the models that solve an island whole.

use super::IslandRoom;
use super::gather::Rows;
use super::system::{block_at, unit_of};
use crate::delassus::Component;
use crate::entry::{couple_of, push_of};
use crate::solution::ImpulsesMut;
use crate::solver::SolveReport;
use crate::{ContactProblem, Scratch, Settings};
use huygens_math::scalar;

/// One set of contacts that act on each other, to be solved.
pub(crate) struct ComponentTask<'a> {
    pub settings: &'a Settings,
    /// Speed of the whole problem [m/s].
    pub speed: f64,
    pub component: &'a Component,
}

/// Solves a set of contacts with `solve`, writes its impulses to their places and counts it in the report.
pub(in crate::solver) fn solve_component(
    solve: fn(&Settings, f64, &mut IslandRoom) -> SolveReport,
    task: &ComponentTask,
    scratch: &mut Scratch,
    answer: ImpulsesMut,
    report: &mut SolveReport,
) {
    let room = &mut scratch.dense.room;
    room.system.fill_component(task.component);
    if room.system.n == 0 {
        return;
    }
    let island = solve(task.settings, task.speed, room);
    let system = &mut room.system;
    system.keep_in_cones();
    for entry in &system.entries {
        let p = system.impulse(entry);
        answer.points[entry.index as usize] = push_of(&p);
        if let Some(couple) = answer.couples.get_mut(entry.index as usize) {
            *couple = couple_of(&p);
        }
    }
    report.include(&island);
}

/// The unit of each row of an n × n matrix of contacts: powers of two in which every block has its largest eigenvalue near 1.
pub(crate) fn scaled_units(w: &[f64], n: usize, dimension: usize) -> Vec<f64> {
    let mut unit = Vec::with_capacity(n);
    for at in (0..n).step_by(dimension) {
        unit.extend([unit_of(block_at(w, n, at).principal().0.z); 3]);
        let largest = (at + 3..at + dimension).fold(0.0, |most, i| scalar::max(w[i * n + i], most));
        unit.resize(at + dimension, unit_of(largest));
    }
    unit
}

/// W and q of the points of a problem, three rows for each: row-major W, and q minus what the gap allows.
pub(crate) fn dense_contacts(problem: &ContactProblem) -> (Vec<f64>, Vec<f64>) {
    let groups = problem.groups;
    let n = 3 * groups.points.len();
    let (mut rows, mut w, mut q) = (Rows::default(), Vec::new(), vec![0.0; n]);
    for head in &groups.heads {
        for entry in groups.entries(head) {
            let i = entry.index;
            (0..3).for_each(|axis| rows.entry(problem, &entry, axis, 3 * i + axis));
            let point = &groups.points[i];
            let u = groups.relative_at_end(head, point, problem.v_free);
            q[3 * i..3 * i + 3].copy_from_slice(&u);
            let mut target = groups.demand(head).without_recovery().gap_target(problem.h, point.gap).speed;
            if problem.airborne.get(i) == Some(&true) {
                target = scalar::min(u[0], target);
            }
            q[3 * i] -= target;
        }
    }
    rows.delassus(n, &mut w);
    (w, q)
}
