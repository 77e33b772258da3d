//! The passivity guard of the solve: in no island may contact add energy, whatever the model, its sweeps or its warm start.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | u* | `before` | row velocities relative to drivers, with the kick and the motors but without contact | m/s |
//! | u⁺ | `after` | the same with all impulses | m/s |
//! | p | | impulses of contacts, joints and limits of an island | N·s |
//! | A | `allowed` | ½ p·b: what targets that push (Baumgarte's bias, a moving joint) may bring, and the book shows | J |
//!
//! The impulses bring in p·u* + ½ p·(u⁺ − u*). Where that exceeds A they are scaled by α = −2(p·u* − A)/(p·(u⁺ − u*)), at
//! least 0: [`crate::passivity::impulse_scale`]. Scaled impulses stay in their cones, but no longer keep bodies apart; nor do
//! those of a solve that ran out of sweeps. So contacts that still close are then stopped one by one, by normal impulses that
//! only grow: each takes out ½(u² − u'²)/W and leaves its cone the wider, so that the energy falls until nothing closes.
//!
//! With masses a million apart single rows creep along one slow direction. So after every few sweeps the change Δ that they
//! made is gone on with, by the τ that minimises ½pᵀWp + p·(u* − t) on that line, t ≤ 0 the velocities asked for:
//! τ = −Δ·(u − t)/(Δ·WΔ). With Δ ≥ 0 that takes out −½τΔ·(u + t) ≥ 0 as well, and the normals still only grow.

use crate::graph::Slot;
use crate::scratch::{Room, reserve};
use crate::solver::finish;
use crate::{ContactProblem, Head, Law, Scratch, Settings, Solution, Velocity, passivity, work};
use huygens_math::{Twist, scalar};

/// A gain below this many roundings of its terms is none.
const ROUND_OFF: f64 = 64.0 * f64::EPSILON;

/// A contact that closes more slowly than this share of the fastest row is closed.
const CLOSED: f64 = 1e-9;

/// Most sweeps over contacts that still close. They are the fewer the better the model.
const SWEEPS: u32 = 20_000;

/// Sweeps in which the closing must halve: where it does not, something is squeezed that cannot give way.
const PATIENCE: u32 = 2048;

/// Sweeps between two steps along what they changed.
const BATCH: u32 = 8;

/// What the guard of the solve did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GuardReport {
    /// Islands whose impulses were scaled back.
    pub scaled: u32,
    /// The smallest scale α; 1 when none was.
    pub least_scale: f64,
    /// Sweeps over contacts that still closed.
    pub sweeps: u32,
    /// The fastest closing that is left, relative to the fastest row.
    pub closing: f64,
}

impl Default for GuardReport {
    fn default() -> Self {
        Self { scaled: 0, least_scale: 1.0, sweeps: 0, closing: 0.0 }
    }
}

/// Sums of one island.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    before: f64,
    change: f64,
    allowed: f64,
    size: f64,
}

/// Room of the guard.
#[derive(Clone, Debug, Default)]
pub(crate) struct GuardScratch {
    /// Velocity without contact, then that at the start of a batch of sweeps, with its normal and row impulses.
    base: Velocity,
    /// What a batch of sweeps changed of the velocity; zero for all that no impulse moves.
    change: Velocity,
    normals: Vec<f64>,
    rows: Vec<f64>,
}

impl GuardScratch {
    /// Makes room for problems up to that size.
    pub(crate) fn reserve(&mut self, room: &Room) {
        self.base.reserve(room);
        self.change.reserve(room);
        reserve(&mut self.normals, room.points);
    }

    /// Remembers where a batch of sweeps over an island begins.
    fn mark(&mut self, island: &Island, out: &Solution) {
        island.problem.for_each_velocity(island.number, |slot| match slot {
            Slot::Free(i) => self.base.free[i] = out.v.free[i],
            Slot::Dof(i) => self.base.dof[i] = out.v.dof[i],
        });
        for head in island.heads() {
            for i in head.range() {
                if head.law == Law::Contact {
                    self.normals[i] = out.impulses[i][0];
                } else {
                    self.rows[i] = out.rows[i];
                }
            }
        }
    }
}

/// One island of a problem.
#[derive(Clone, Copy)]
struct Island<'a> {
    problem: &'a ContactProblem<'a>,
    number: usize,
}

impl<'a> Island<'a> {
    fn heads(self) -> impl Iterator<Item = &'a Head> {
        self.problem
            .graph
            .groups(self.number)
            .iter()
            .map(move |&group| &self.problem.groups.heads[group as usize])
    }
}

/// Makes a solution passive, island by island; leaves every bit of one that is, with nothing closing.
pub(crate) fn guard(
    settings: &Settings,
    problem: &ContactProblem,
    scratch: &mut Scratch,
    out: &mut Solution,
) -> GuardReport {
    let mut room = std::mem::take(&mut scratch.guard);
    let mut report = GuardReport::default();
    let islands = || (0..problem.graph.islands()).map(|number| Island { problem, number });
    without_contact(problem, out, &mut room.base);
    for island in islands() {
        let tally = tally(island, scratch, out, &room.base);
        let gain = tally.before + 0.5 * tally.change - tally.allowed;
        if gain > ROUND_OFF * tally.size {
            let scale = passivity::impulse_scale(tally.before - tally.allowed, tally.change);
            // Impulses so small that they move nothing stay as they are.
            if scale < 1.0 {
                shrink(island, scale, out);
                forget_path(island, out);
                report.scaled += 1;
            }
            report.least_scale = scalar::min(scale, report.least_scale);
        }
    }
    if report.scaled > 0 {
        finish(problem, scratch, out);
    }
    room.normals.resize(problem.groups.points.len(), 0.0);
    room.rows.resize(problem.groups.rows.len(), 0.0);
    room.change.reset_like(&out.v);
    for island in islands() {
        keep_apart(settings, island, scratch, out, &mut room, &mut report);
    }
    if report.scaled > 0 || report.sweeps > 0 {
        finish(problem, scratch, out);
        out.work.increments = work::telescoped(problem, out);
    }
    scratch.guard = room;
    report
}

/// Fills `base`: the velocity with the impulses of motors alone.
fn without_contact(problem: &ContactProblem, out: &Solution, base: &mut Velocity) {
    let groups = problem.groups;
    base.copy_from(problem.v_free);
    for head in groups.heads.iter().filter(|head| is_motor(head)) {
        for i in head.range().filter(|i| out.rows[*i] != 0.0) {
            groups.apply_row(problem.move_inertia, head, &groups.rows[i], out.rows[i], base);
        }
    }
}

/// Sums p·u*, p·(u⁺ − u*) and what targets allow; u* is the velocity `base`.
fn tally(island: Island, scratch: &Scratch, out: &Solution, base: &Velocity) -> Tally {
    let groups = island.problem.groups;
    let mut tally = Tally::default();
    for head in island.heads().filter(|head| !is_motor(head)) {
        for i in head.range() {
            if head.law == Law::Contact {
                let (point, p) = (&groups.points[i], out.impulses[i]);
                let before = groups.relative(head, point, base);
                let after = groups.relative(head, point, &out.v);
                for k in 0..3 {
                    tally.add(p[k], before[k], after[k]);
                }
                tally.allowed += 0.5 * p[0] * scratch.points[i].target.bias;
            } else {
                let (row, lambda) = (&groups.rows[i], out.rows[i]);
                let before = groups.relative_row(head, row, base);
                tally.add(lambda, before, groups.relative_row(head, row, &out.v));
                tally.allowed += scalar::max(0.5 * lambda * scratch.rows[i].target.speed, 0.0);
            }
        }
    }
    tally
}

/// Motors bring energy by right.
fn is_motor(head: &Head) -> bool {
    matches!(head.law, Law::Bounded { .. } | Law::Drive { .. })
}

impl Tally {
    fn add(&mut self, p: f64, before: f64, after: f64) {
        self.before += p * before;
        self.change += p * (after - before);
        self.size += (p * before).abs() + (p * after).abs();
    }
}

/// Takes back the path that a model with sub-steps found for an island: it belongs to velocities that the guard has changed.
fn forget_path(island: Island, out: &mut Solution) {
    island.problem.for_each_velocity(island.number, |slot| match slot {
        Slot::Free(i) => out.correction.free[i] = Twist::ZERO,
        Slot::Dof(i) => out.correction.dof[i] = 0.0,
    });
}

/// Scales the impulses of an island's contacts and joints.
fn shrink(island: Island, scale: f64, out: &mut Solution) {
    for head in island.heads().filter(|head| !is_motor(head)) {
        for i in head.range() {
            if head.law == Law::Contact {
                out.impulses[i] = out.impulses[i].map(|p| p * scale);
            } else {
                out.rows[i] *= scale;
            }
        }
    }
}

/// Stops what still closes in an island.
fn keep_apart(
    settings: &Settings,
    island: Island,
    scratch: &Scratch,
    out: &mut Solution,
    room: &mut GuardScratch,
    report: &mut GuardReport,
) {
    let (problem, groups) = (island.problem, island.problem.groups);
    let mut fastest = problem.scale.speed;
    let mut worst = 0.0;
    for head in island.heads() {
        for i in head.range() {
            if head.law == Law::Contact {
                let u = groups.relative_at_end(head, &groups.points[i], problem.v_free);
                fastest = u.iter().fold(fastest, |most, u| scalar::max(u.abs(), most));
            }
            worst = scalar::max(shortfall(problem, scratch, out, head, i).speed, worst);
        }
    }
    let enough = CLOSED * fastest;
    let most = SWEEPS.max(settings.iterations);
    let (mut last, mut sweeps) = (worst, 0_u32);
    room.mark(&island, out);
    while worst > enough && sweeps < most {
        sweeps += 1;
        worst = stop_closing(island, scratch, out);
        if sweeps.is_multiple_of(BATCH) {
            go_on(island, scratch, out, room);
            room.mark(&island, out);
        }
        if sweeps.is_multiple_of(PATIENCE) {
            if worst > 0.5 * last {
                break;
            }
            last = worst;
        }
    }
    if sweeps > 0 {
        forget_path(island, out);
    }
    report.sweeps = report.sweeps.max(sweeps);
    let closing = if fastest > 0.0 { worst / fastest } else { worst };
    report.closing = scalar::max(closing, report.closing);
}

/// One sweep over an island; the fastest closing that it met [m/s].
fn stop_closing(island: Island, scratch: &Scratch, out: &mut Solution) -> f64 {
    let (problem, groups, m) = (island.problem, island.problem.groups, island.problem.move_inertia);
    let mut worst = 0.0;
    for head in island.heads() {
        for i in head.range() {
            let short = shortfall(problem, scratch, out, head, i);
            worst = scalar::max(short.speed, worst);
            if short.impulse == 0.0 {
                continue;
            }
            if head.law == Law::Contact {
                out.impulses[i][0] += short.impulse;
                groups.apply(m, head, &groups.points[i], [short.impulse, 0.0, 0.0], &mut out.v);
            } else {
                out.rows[i] += short.impulse;
                groups.apply_row(m, head, &groups.rows[i], short.impulse, &mut out.v);
            }
        }
    }
    worst
}

/// Goes on along what the last batch of sweeps changed, as far as that takes out most.
fn go_on(island: Island, scratch: &Scratch, out: &mut Solution, room: &mut GuardScratch) {
    let groups = island.problem.groups;
    let (base, change) = (&room.base, &mut room.change);
    island.problem.for_each_velocity(island.number, |slot| match slot {
        Slot::Free(i) => change.free[i] = out.v.free[i] - base.free[i],
        Slot::Dof(i) => change.dof[i] = out.v.dof[i] - base.dof[i],
    });
    let (mut slope, mut bend) = (0.0, 0.0);
    for head in island.heads() {
        for i in head.range() {
            let (delta, lacks, answer) = if head.law == Law::Contact {
                let delta = out.impulses[i][0] - room.normals[i];
                let (point, asked) = (&groups.points[i], asked(scratch, head, i));
                let u = groups.relative_at_end(head, point, &out.v)[0];
                (delta, u - asked, groups.normal_rate(head, point, change))
            } else {
                let delta = out.rows[i] - room.rows[i];
                let (row, asked) = (&groups.rows[i], asked(scratch, head, i));
                let u = groups.relative_row(head, row, &out.v);
                (delta, u - asked, groups.rate_row(head, row, change))
            };
            slope += delta * lacks;
            bend += delta * answer;
        }
    }
    let further = -slope / bend;
    // Not against what was done: normals only grow.
    if !(further > 0.0 && further.is_finite()) {
        return;
    }
    island.problem.for_each_velocity(island.number, |slot| match slot {
        Slot::Free(i) => out.v.free[i] += change.free[i] * further,
        Slot::Dof(i) => out.v.dof[i] += change.dof[i] * further,
    });
    for head in island.heads() {
        for i in head.range() {
            if head.law == Law::Contact {
                out.impulses[i][0] += further * (out.impulses[i][0] - room.normals[i]);
            } else {
                out.rows[i] += further * (out.rows[i] - room.rows[i]);
            }
        }
    }
}

/// Velocity that a row may not fall below (an equality: has). A bias is not asked for: to keep apart is all.
#[inline]
fn asked(scratch: &Scratch, head: &Head, i: usize) -> f64 {
    match head.law {
        Law::Contact => scalar::min(scratch.points[i].target.speed, 0.0),
        _ => scratch.rows[i].target.speed - scratch.rows[i].target.bias,
    }
}

/// How much too fast a row closes, and the impulse that stops it.
#[derive(Clone, Copy, Default)]
struct Shortfall {
    speed: f64,
    impulse: f64,
}

/// What row or point `i` of a group lacks.
#[inline]
fn shortfall(
    problem: &ContactProblem,
    scratch: &Scratch,
    out: &Solution,
    head: &Head,
    i: usize,
) -> Shortfall {
    let groups = problem.groups;
    let (u, inverse) = match head.law {
        Law::Contact => {
            (groups.relative_at_end(head, &groups.points[i], &out.v)[0], scratch.points[i].block.inverse_nn)
        }
        Law::Equality | Law::Unilateral => {
            (groups.relative_row(head, &groups.rows[i], &out.v), scratch.rows[i].inverse)
        }
        Law::Bounded { .. } | Law::Drive { .. } | Law::Couple { .. } => return Shortfall::default(),
    };
    let short = asked(scratch, head, i) - u;
    let short = if head.law == Law::Equality { short } else { scalar::max(short, 0.0) };
    // What cannot move is not kept apart by any impulse.
    if inverse > 0.0 {
        Shortfall { speed: short.abs(), impulse: short * inverse }
    } else {
        Shortfall::default()
    }
}
