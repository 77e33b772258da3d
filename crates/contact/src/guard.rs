//! The passivity bound: over a whole step, the contacts of an island bring no energy in.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | q | | v⁺ − v_free = M⁻¹Jᵀp: the change by the impulses | m/s |
//! | D | [`Balance::contact`] | ½ q·M(v_start + v⁺) = p·J v̄, less the losses of impacts: work of the contacts | J |
//! | F | | M(v_free − v_start)/h: weight and applied forces | N |
//! | L | [`Balance::lift`] | −F·c: work against these forces along the correction c | J |
//! | T | [`Balance::kinetic`] | kinetic energy, the larger of those at the two ends of the step | J |
//!
//! Kick–drift–kick moves by h(v_start + v⁺)/2: kinetic plus potential energy then change by D + L, exactly, in a uniform field. The bound is
//! D + L ≤ 0, for each island and step, with velocities relative to drivers. It is kept in three parts:
//!
//! 1. D > [`GROSS`]·T, with a correction downwards counted in (a solve that ran out of sweeps from a bad warm start): all impulses of the
//!    island are scaled by the largest α for which α(q·M(v_start + v_free) + α q·Mq) is not positive. Scaled impulses stay in their cones.
//!    [`scale_back`]
//! 2. L > −D + [`GROSS`]·T: the correction is scaled, its push-out first. Overlap that nothing pays for stays. [`limit_correction`]
//!    Islands in motion whose rows stand still are held to [`SMALL`] instead in both parts: see [`least_gain`].
//! 3. What is left is round-off and errors of third order in the step. The velocities of the island take it (`huygens`, stage `integrate`).
//!
//! Where nothing of this acts, no bit is changed. Sums are over bodies, not over rows: they cost a few operations a body.

use crate::graph::Slot;
use crate::{ContactProblem, Head, RowPose, Scratch, Side, Solution, work};
use huygens_math::{Twist, scalar};

/// Share of the kinetic energy above which a gain is undone at its cause, and not by slowing the island down.
const GROSS: f64 = 1e-3;

/// The same for islands in motion whose rows stand still.
const SMALL: f64 = 1e-9;

/// An island moves when its kinetic energy is this many times that of the change by its impulses in one step.
const MOVES: f64 = 100.0;

/// A gain below this many roundings of its terms is none.
const ROUND_OFF: f64 = 64.0 * f64::EPSILON;

/// A lift of the whole island by this share of the scene's length is round-off of its positions.
const LEAST_LIFT: f64 = 1e-14;

/// Report of the passivity bound for one step: islands that it changed, and by how much.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct GuardReport {
    /// Islands whose impulses were scaled back.
    pub scaled: u32,
    /// The smallest scale α of impulses; 1 when none was scaled.
    pub least_scale: f64,
    /// Islands whose correction was scaled back.
    pub limited: u32,
    /// The smallest share of a correction that was left; 1 when none was scaled.
    pub least_share: f64,
    /// Islands that were slowed down.
    pub slowed: u32,
    /// Energy that was taken out of slowed islands [J].
    pub taken: f64,
    /// Slack of the bound: the least energy that an island lost in the step, −(D + L) and what was taken, relative to drivers, users and
    /// motors [J]. Negative by round-off alone; infinite without islands that are bounded.
    pub slack: f64,
}

impl Default for GuardReport {
    fn default() -> Self {
        Self {
            scaled: 0,
            least_scale: 1.0,
            limited: 0,
            least_share: 1.0,
            slowed: 0,
            taken: 0.0,
            slack: f64::INFINITY,
        }
    }
}

/// Energy that a step brings into an island [J].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Balance {
    /// q·M(v_start + v_free), and q·Mq: the impulses αp bring in ½(α `linear` + α² `square`).
    linear: f64,
    square: f64,
    /// Energy of the impacts of this step, relative to drivers [J]; never positive under the guard.
    impacts: f64,
    lift: f64,
    kinetic: f64,
    /// Kinetic energy at the end [J]: what the last part of the bound can take.
    end: f64,
    /// Sizes of the terms, for round-off.
    size: f64,
    /// Σ|F|: a lift by a length costs at most that.
    weight: f64,
}

impl Balance {
    fn contact(&self) -> f64 {
        0.5 * (self.linear + self.square) + self.impacts
    }

    /// Adds one block of M: its velocities at the start, without contact and at the end, mapped by M, and its correction.
    fn add(&mut self, block: &Block, h: f64) {
        self.linear += block.change_start + block.change_free;
        self.square += block.square;
        self.size += block.change_start.abs() + block.change_free.abs() + block.square;
        self.kinetic += scalar::max(block.kinetic[0], block.kinetic[1]);
        self.end += block.kinetic[1];
        self.lift -= block.lift / h;
        self.weight += block.weight / h;
    }
}

/// Products of one body or tree.
#[derive(Clone, Copy, Default)]
struct Block {
    /// q·M v_start, q·M v_free, q·Mq.
    change_start: f64,
    change_free: f64,
    square: f64,
    /// At the start and at the end [J].
    kinetic: [f64; 2],
    /// (M(v_free − v_start))·c, and |M(v_free − v_start)| of its linear part.
    lift: f64,
    weight: f64,
}

/// True for an island whose work is summed over rows: one of its groups has a prescribed velocity, is a motor, or acts on a tree.
fn needs_rows(problem: &ContactProblem, island: usize) -> bool {
    let groups = problem.groups;
    if groups.driven.is_empty() && groups.rows.is_empty() && problem.graph.trees() == 0 {
        return false;
    }
    has(problem, island, |head| {
        let by_rows = |side: &Side| matches!(side, Side::Tree(_)) || groups.driver_of(*side).is_some();
        let has_belt = groups.surface_velocity(head).is_some_and(|belt| belt.driver != [None; 2]);
        has_belt || head.is_motor() || head.side.iter().any(by_rows)
    })
}

/// Energy that contacts lost in this step before the solve.
#[derive(Clone, Copy, Debug)]
pub struct Losses<'a> {
    /// Energy that the impacts of each group took out, relative to drivers [J]; empty for none.
    pub impacts: &'a [f64],
}

fn balance(problem: &ContactProblem, losses: Losses, island: usize, out: &Solution) -> Balance {
    let mut balance = Balance::default();
    let bodies = problem.graph.free_bodies();
    for movable in problem.graph.movables(island).iter().map(|&movable| movable as usize) {
        let block = if movable < bodies {
            of_body(problem, movable, out)
        } else {
            of_tree(problem, movable - bodies, out)
        };
        balance.add(&block, problem.h);
        // The body of a driver with a torque limit keeps its speed.
        if problem.groups.torque_limited.iter().any(|limited| limited.body as usize == movable) {
            balance.end -= block.kinetic[1];
        }
    }
    if needs_rows(problem, island) {
        relative_to_drivers(problem, island, out, &mut balance);
    }
    if !losses.impacts.is_empty() {
        for &group in problem.graph.groups(island) {
            balance.impacts -= losses.impacts[group as usize];
        }
        balance.size += balance.impacts.abs();
    }
    balance
}

#[inline(always)]
fn of_body(problem: &ContactProblem, i: usize, out: &Solution) -> Block {
    let mass = &problem.move_inertia.mass[i];
    let (start, free, end) = (problem.v_start.free[i], problem.v_free.free[i], out.v.free[i]);
    // Products with small changes are not left to differences of large ones.
    let [own, kick, change] = [start, free - start, end - free].map(|v| mass.momentum(&v));
    let last = own + kick + change;
    let dot = |a: &Twist, b: &Twist| a.linear.dot(b.linear) + a.angular.dot(b.angular);
    Block {
        change_start: dot(&change, &start),
        change_free: dot(&change, &free),
        square: dot(&change, &(end - free)),
        kinetic: [0.5 * dot(&own, &start), 0.5 * dot(&last, &end)],
        lift: dot(&kick, &out.correction.free[i]),
        weight: kick.linear.length(),
    }
}

fn of_tree(problem: &ContactProblem, tree: usize, out: &Solution) -> Block {
    let Some(tree) = problem.move_inertia.trees.get(tree) else { return Block::default() };
    let dofs = tree.first_dof as usize..tree.first_dof as usize + tree.ldl.len();
    let [start, free, end, c] = [&problem.v_start.dof, &problem.v_free.dof, &out.v.dof, &out.correction.dof]
        .map(|dof| &dof[dofs.clone()]);
    let (change, m) = (|k: usize| end[k] - free[k], &tree.ldl);
    Block {
        change_start: m.product(change, |k| start[k]),
        change_free: m.product(change, |k| free[k]),
        square: m.product(change, change),
        kinetic: [0.5 * m.square(start), 0.5 * m.square(end)],
        lift: m.product(|k| free[k] - start[k], |k| c[k]),
        weight: 0.0,
    }
}

/// Replaces the work of contacts by that relative to drivers: p·(u_start + u⁺)/2 over the rows, without motors.
fn relative_to_drivers(problem: &ContactProblem, island: usize, out: &Solution, balance: &mut Balance) {
    (balance.linear, balance.square) = (0.0, 0.0);
    let heads = problem.graph.groups(island).iter().map(|&group| &problem.groups.heads[group as usize]);
    for entry in heads.filter(|head| !head.is_motor()).flat_map(|head| problem.groups.entries(head)) {
        let p = entry.impulse(out.all());
        let [start, free, end] = [problem.v_start, problem.v_free, &out.v].map(|v| entry.relative(v));
        for k in 0..entry.len() {
            balance.linear += p[k] * (start[k] + free[k]);
            balance.square += p[k] * (end[k] - free[k]);
            balance.size += p[k].abs() * (start[k].abs() + free[k].abs() + end[k].abs());
        }
    }
}

/// Scales the impulses of islands that gain grossly, so that they gain nothing; velocities, books and loads of drivers follow. True when there
/// is one: its correction is then zero, and has to be found anew.
pub fn scale_back(
    problem: &ContactProblem,
    losses: Losses,
    scratch: &mut Scratch,
    out: &mut Solution,
    report: &mut GuardReport,
) -> bool {
    (report.scaled, report.least_scale) = (0, 1.0);
    scratch.sums.clear();
    for island in 0..problem.graph.islands() {
        let sums = balance(problem, losses, island, out);
        scratch.sums.push(Some(sums));
        // A body that rises at the start and lies at the end has D > 0, and is lowered by as much.
        let gain = 0.5 * (sums.linear + sums.square) + scalar::min(sums.lift, 0.0);
        let most = least_gain(problem, island, &sums) * sums.kinetic;
        if gain <= scalar::max(most, ROUND_OFF * sums.size) {
            continue;
        }
        // Rows that give way store energy. A motor brings it in; those of trees have no part in the sums, and give less in such a step.
        let has_tree = has_trees(problem, island);
        if has(problem, island, |head| head.stores_energy() || (head.is_motor() && !has_tree)) {
            continue;
        }
        // Impulses so small that they move nothing stay as they are.
        let scale = scalar::max(scalar::min(-sums.linear / sums.square, 1.0), 0.0);
        if scale < 1.0 {
            work::scale_island(problem, island, scale, out);
            shrink(problem, island, scale, out);
            scratch.sums[island] = None;
            report.scaled += 1;
            report.least_scale = scalar::min(scale, report.least_scale);
        }
    }
    report.scaled > 0
}

/// Share of the kinetic energy above which impulses are scaled. Rows that stand still through the step bring nothing in when they are solved: what
/// an island in motion gains by them is the solver's error, and is taken where it was made. Rows of the middle of the step have an error of
/// third order of their own, and a body at rest would sink by the round-off of its scale.
fn least_gain(problem: &ContactProblem, island: usize, sums: &Balance) -> f64 {
    let groups = problem.groups;
    let is_curved = |&group: &u32| groups.demand(&groups.heads[group as usize]).pose == RowPose::Middle;
    let moves = sums.kinetic > MOVES * sums.square;
    if moves && !problem.graph.groups(island).iter().any(is_curved) { SMALL } else { GROSS }
}

/// True for an island with trees: its movables are bodies, then trees.
fn has_trees(problem: &ContactProblem, island: usize) -> bool {
    let last = problem.graph.movables(island).last();
    last.is_some_and(|&movable| movable as usize >= problem.graph.free_bodies())
}

/// True when a group of an island is such.
fn has(problem: &ContactProblem, island: usize, is_such: impl Fn(&Head) -> bool) -> bool {
    let mut heads = problem.graph.groups(island).iter().map(|&group| &problem.groups.heads[group as usize]);
    heads.any(is_such)
}

/// Scales the impulses of an island, and takes back the path that a model with sub-steps found: it belongs to other velocities.
fn shrink(problem: &ContactProblem, island: usize, scale: f64, out: &mut Solution) {
    for &group in problem.graph.groups(island) {
        for entry in problem.groups.entries(&problem.groups.heads[group as usize]) {
            let p = entry.impulse(out.all()).map(|p| p * scale);
            entry.set(out.all_mut(), &p);
        }
    }
    let Solution { v, correction, push_out, .. } = out;
    problem.for_each_velocity(island, |slot| match slot {
        Slot::Free(i) => {
            let free = problem.v_free.free[i];
            v.free[i] = free + (v.free[i] - free) * scale;
            correction.free[i] = Twist::ZERO;
            if let Some(pushed) = push_out.free.get_mut(i) {
                *pushed = Twist::ZERO;
            }
        }
        Slot::Dof(i) => {
            let free = problem.v_free.dof[i];
            v.dof[i] = free + (v.dof[i] - free) * scale;
            correction.dof[i] = 0.0;
            if let Some(pushed) = push_out.dof.get_mut(i) {
                *pushed = 0.0;
            }
        }
    });
}

/// Scales the corrections of islands that lift by more than their contacts lost in this step, but for those that are exempt: something was put
/// down inside another body there. The sums of islands that [`scale_back`] left as they were are those that it formed.
pub fn limit_correction(
    problem: &ContactProblem,
    losses: Losses,
    is_exempt: impl Fn(usize) -> bool,
    scratch: &mut Scratch,
    out: &mut Solution,
    report: &mut GuardReport,
) {
    (report.limited, report.least_share) = (0, 1.0);
    for island in 0..problem.graph.islands() {
        let known = scratch.sums.get_mut(island).and_then(Option::take);
        let sums = known.unwrap_or_else(|| balance(problem, losses, island, out));
        let floor = ROUND_OFF * sums.size + LEAST_LIFT * problem.scale.length * sums.weight;
        let budget = scalar::max(least_gain(problem, island, &sums) * sums.end - sums.contact(), 0.0);
        if sums.lift <= budget + floor || has(problem, island, Head::stores_energy) {
            continue;
        }
        if is_exempt(island) {
            continue;
        }
        let motion = sums.kinetic - sums.impacts;
        let share = Shares::new([budget, motion], sums.lift, lift_of_push_out(problem, island, out));
        report.limited += 1;
        report.least_share = scalar::min(scalar::min(share.push_out, share.path), report.least_share);
        share.scale(problem, island, out);
    }
}

/// Work against weight and forces along the push-out of an island [J].
fn lift_of_push_out(problem: &ContactProblem, island: usize, out: &Solution) -> f64 {
    if out.push_out.is_empty() {
        return 0.0;
    }
    let bodies = problem.graph.free_bodies();
    let mut lift = 0.0;
    for movable in problem.graph.movables(island).iter().map(|&movable| movable as usize) {
        if movable < bodies {
            let kick = problem.v_free.free[movable] - problem.v_start.free[movable];
            let (force, pushed) =
                (problem.move_inertia.mass[movable].momentum(&kick), out.push_out.free[movable]);
            lift -= force.linear.dot(pushed.linear) + force.angular.dot(pushed.angular);
        } else if let Some(tree) = problem.move_inertia.trees.get(movable - bodies) {
            let first = tree.first_dof as usize;
            let kick = |k: usize| problem.v_free.dof[first + k] - problem.v_start.dof[first + k];
            lift -= tree.ldl.product(kick, |k| out.push_out.dof[first + k]);
        }
    }
    lift / problem.h
}

/// Shares of the two parts of a correction that are left. The path of sub-steps belongs to the velocities that they found: cut with the push-out, it
/// lets contacts sink that were solved, which pays for more push-out in the next step, and a heap never comes to rest.
struct Shares {
    push_out: f64,
    path: f64,
}

impl Shares {
    /// So that a correction that lifts by `lift`, of which its push-out has `pushed`, lifts by no more than the budget [J].
    ///
    /// Of that the push-out gets no more than there was energy of motion: where bodies at rest sink, because their impulses have not converged yet,
    /// weight pays, and what it pays for would sink again. A heap of 216 bodies moved on by 7 mm in 10 s that way.
    fn new([budget, motion]: [f64; 2], lift: f64, pushed: f64) -> Self {
        let path = lift - pushed;
        let within = |share: f64| scalar::max(scalar::min(share, 1.0), 0.0);
        if pushed > 0.0 {
            let left = if path > budget { budget / path } else { 1.0 };
            Self { push_out: within(scalar::min(budget - path, motion) / pushed), path: left }
        } else {
            Self { push_out: 1.0, path: within((budget - pushed) / path) }
        }
    }

    fn scale(&self, problem: &ContactProblem, island: usize, out: &mut Solution) {
        let Solution { correction: c, push_out, .. } = out;
        if push_out.is_empty() {
            push_out.reset_like(c);
        }
        problem.for_each_velocity(island, |slot| match slot {
            Slot::Free(i) => {
                let pushed = push_out.free[i];
                c.free[i] = (c.free[i] - pushed) * self.path + pushed * self.push_out;
            }
            Slot::Dof(i) => {
                let pushed = push_out.dof[i];
                c.dof[i] = (c.dof[i] - pushed) * self.path + pushed * self.push_out;
            }
        });
    }
}

/// Work of drivers, belts and motors on an island in the solve [J].
pub fn work_from_outside(
    problem: &ContactProblem,
    out: &Solution,
    island: usize,
    loads: &mut Vec<crate::DriverLoad>,
) -> f64 {
    let groups = problem.groups;
    work::reset_drivers(groups, loads);
    let mut sum = crate::Work::default();
    let heads = problem.graph.groups(island).iter().map(|&group| &groups.heads[group as usize]);
    for entry in heads.flat_map(|head| groups.entries(head)) {
        let p = entry.impulse(out.all());
        let (before, after) = (entry.relative(problem.v_start), entry.relative(&out.v));
        let mean = 0.5 * (before[0] + after[0]);
        if entry.head.is_motor() && !groups.has_impedance(entry.head) {
            sum.driver.add(p[0] * mean);
        }
        work::load(groups, &entry, &p, mean, &mut sum, loads);
    }
    sum.driver.value()
}

#[cfg(test)]
mod tests {
    use super::Shares;

    #[test]
    fn a_correction_lifts_by_no_more_than_was_lost_and_its_path_is_kept_before_its_push_out() {
        let of = |budget: f64, motion: f64, lift: f64, pushed: f64| {
            let share = Shares::new([budget, motion], lift, pushed);
            (share.push_out, share.path)
        };
        // Lift 1 along the path and 4 by the push-out, of which 2 are paid for: one goes to the push-out.
        assert_eq!(of(2.0, 9.0, 5.0, 4.0), (0.25, 1.0));
        assert_eq!(of(2.0, 0.5, 5.0, 4.0), (0.125, 1.0), "no more than there was motion");
        assert_eq!(of(0.5, 9.0, 5.0, 4.0), (0.0, 0.5), "then the path");
        // A push-out that lowers is kept, and pays for the path.
        assert_eq!(of(1.0, 9.0, 3.0, -1.0), (1.0, 0.5));
        // A model without a path of its own: all of the correction.
        assert_eq!(of(1.0, 0.0, 4.0, 0.0), (1.0, 0.25));
    }
}
