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

use crate::island::{Islands, movable, slots};
use crate::scratch::{Room, reserve};
use crate::solver::finish;
use crate::{ContactProblem, Head, Law, Scratch, Settings, Solution, Velocity, passivity};
use huygens_math::{Sum, scalar};

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
    scale: f64,
    closes: bool,
}

/// Room of the guard.
#[derive(Clone, Debug, Default)]
pub(crate) struct GuardScratch {
    islands: Islands,
    /// One for each movable thing; that of an island is its representative's.
    tallies: Vec<Tally>,
    /// Island of each group; that of a group without movable sides is nobody's.
    island: Vec<u32>,
    /// Velocity without contact, then that at the start of a batch of sweeps, with its normal and row impulses.
    base: Velocity,
    normals: Vec<f64>,
    rows: Vec<f64>,
}

/// The island of a group that nothing movable belongs to.
const NOBODY: u32 = u32::MAX;

impl GuardScratch {
    /// Makes room for problems up to that size.
    pub(crate) fn reserve(&mut self, room: &Room) {
        let movable = room.bodies + room.dofs;
        self.islands.reserve(movable);
        reserve(&mut self.tallies, movable);
        reserve(&mut self.island, room.groups);
        self.base.reserve(room);
        reserve(&mut self.normals, room.points);
    }

    /// Remembers where a batch of sweeps begins.
    fn mark(&mut self, out: &Solution) {
        self.base.copy_from(&out.v);
        self.normals.clear();
        self.normals.extend(out.impulses.iter().map(|p| p[0]));
        self.rows.clone_from(&out.rows);
    }

    fn reset(&mut self, problem: &ContactProblem) {
        let free = problem.v_free.free.len();
        let movable = movable(problem);
        self.islands.reset(movable);
        self.tallies.clear();
        self.tallies.resize(movable, Tally { scale: 1.0, ..Tally::default() });
        for head in &problem.groups.heads {
            if let [Some(a), Some(b)] = slots(head, free) {
                self.islands.join(a, b);
            }
        }
        self.island.clear();
        for head in &problem.groups.heads {
            let first = slots(head, free).into_iter().flatten().next();
            self.island.push(first.map_or(NOBODY, |slot| self.islands.find(slot) as u32));
        }
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
    room.reset(problem);
    let mut report = GuardReport::default();
    tally(problem, scratch, out, &mut room);
    for tally in &mut room.tallies {
        let gain = tally.before + 0.5 * tally.change - tally.allowed;
        if gain > ROUND_OFF * tally.size {
            tally.scale = passivity::impulse_scale(tally.before - tally.allowed, tally.change);
            // Impulses so small that they move nothing stay as they are.
            report.scaled += u32::from(tally.scale < 1.0);
            report.least_scale = scalar::min(tally.scale, report.least_scale);
        }
    }
    if report.scaled > 0 {
        shrink(problem, &room, out);
        finish(problem, scratch, out);
    }
    keep_apart(settings, problem, scratch, out, &mut room, &mut report);
    if report.scaled > 0 || report.sweeps > 0 {
        finish(problem, scratch, out);
        out.work.increments = total(problem, out);
    }
    scratch.guard = room;
    report
}

/// Sums p·u*, p·(u⁺ − u*) and what targets allow, island by island.
fn tally(problem: &ContactProblem, scratch: &Scratch, out: &Solution, room: &mut GuardScratch) {
    let groups = problem.groups;
    room.base.copy_from(problem.v_free);
    for head in groups.heads.iter().filter(|head| is_motor(head)) {
        for i in head.range().filter(|i| out.rows[*i] != 0.0) {
            groups.apply_row(problem.move_inertia, head, &groups.rows[i], out.rows[i], &mut room.base);
        }
    }
    for (head, island) in groups.heads.iter().zip(&room.island) {
        let (Some(tally), false) = (room.tallies.get_mut(*island as usize), is_motor(head)) else {
            continue;
        };
        for i in head.range() {
            if head.law == Law::Contact {
                let (point, p) = (&groups.points[i], out.impulses[i]);
                let before = groups.relative(head, point, &room.base);
                let after = groups.relative(head, point, &out.v);
                for k in 0..3 {
                    tally.add(p[k], before[k], after[k]);
                }
                tally.allowed += 0.5 * p[0] * scratch.points[i].target.bias;
            } else {
                let (row, lambda) = (&groups.rows[i], out.rows[i]);
                let before = groups.relative_row(head, row, &room.base);
                tally.add(lambda, before, groups.relative_row(head, row, &out.v));
                tally.allowed += scalar::max(0.5 * lambda * scratch.rows[i].target.speed, 0.0);
            }
        }
    }
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

fn shrink(problem: &ContactProblem, room: &GuardScratch, out: &mut Solution) {
    for (head, island) in problem.groups.heads.iter().zip(&room.island) {
        let Some(tally) = room.tallies.get(*island as usize).filter(|tally| tally.scale < 1.0) else {
            continue;
        };
        for i in head.range() {
            match head.law {
                Law::Contact => out.impulses[i] = out.impulses[i].map(|p| p * tally.scale),
                Law::Equality | Law::Unilateral | Law::Couple { .. } => out.rows[i] *= tally.scale,
                Law::Bounded { .. } | Law::Drive { .. } => {}
            }
        }
    }
}

/// Stops what still closes, in islands where something does.
fn keep_apart(
    settings: &Settings,
    problem: &ContactProblem,
    scratch: &Scratch,
    out: &mut Solution,
    room: &mut GuardScratch,
    report: &mut GuardReport,
) {
    let groups = problem.groups;
    let mut fastest = problem.scale.speed;
    for head in groups.heads.iter().filter(|head| head.law == Law::Contact) {
        for i in head.range() {
            let u = groups.relative_at_end(head, &groups.points[i], problem.v_free);
            fastest = u.iter().fold(fastest, |most, u| scalar::max(u.abs(), most));
        }
    }
    let enough = CLOSED * fastest;
    let mut worst = 0.0;
    for (head, island) in groups.heads.iter().zip(&room.island) {
        let Some(tally) = room.tallies.get_mut(*island as usize) else { continue };
        for i in head.range() {
            let short = shortfall(problem, scratch, out, head, i);
            tally.closes |= short.speed > enough;
            worst = scalar::max(short.speed, worst);
        }
    }
    let most = SWEEPS.max(settings.iterations);
    let mut last = worst;
    room.mark(out);
    while worst > enough && report.sweeps < most {
        report.sweeps += 1;
        worst = stop_closing(problem, scratch, out, room);
        if report.sweeps.is_multiple_of(BATCH) {
            go_on(problem, scratch, out, room);
            room.mark(out);
        }
        if report.sweeps.is_multiple_of(PATIENCE) {
            if worst > 0.5 * last {
                break;
            }
            last = worst;
        }
    }
    report.closing = if fastest > 0.0 { worst / fastest } else { worst };
}

/// One sweep over the islands where something closes; the fastest closing that it met [m/s].
fn stop_closing(problem: &ContactProblem, scratch: &Scratch, out: &mut Solution, room: &GuardScratch) -> f64 {
    let (groups, m) = (problem.groups, problem.move_inertia);
    let mut worst = 0.0;
    for (head, island) in groups.heads.iter().zip(&room.island) {
        if !room.tallies.get(*island as usize).is_some_and(|tally| tally.closes) {
            continue;
        }
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
fn go_on(problem: &ContactProblem, scratch: &Scratch, out: &mut Solution, room: &mut GuardScratch) {
    let groups = problem.groups;
    let change = &mut room.base;
    for (change, v) in change.free.iter_mut().zip(&out.v.free) {
        *change = *v - *change;
    }
    for (change, v) in change.dof.iter_mut().zip(&out.v.dof) {
        *change = v - *change;
    }
    let (mut slope, mut bend) = (0.0, 0.0);
    for head in &groups.heads {
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
    for (v, change) in out.v.free.iter_mut().zip(&change.free) {
        *v += *change * further;
    }
    for (v, change) in out.v.dof.iter_mut().zip(&change.dof) {
        *v += change * further;
    }
    for (p, before) in out.impulses.iter_mut().zip(&room.normals) {
        p[0] += further * (p[0] - before);
    }
    for (lambda, before) in out.rows.iter_mut().zip(&room.rows) {
        *lambda += further * (*lambda - before);
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

/// Σ p·(u_free + u⁺)/2 over all rows, what increments telescope to.
fn total(problem: &ContactProblem, out: &Solution) -> Sum {
    let groups = problem.groups;
    let mut sum = Sum::default();
    for head in &groups.heads {
        for i in head.range() {
            if head.law == Law::Contact {
                let point = &groups.points[i];
                let before = groups.relative_at_end(head, point, problem.v_free);
                let after = groups.relative_at_end(head, point, &out.v);
                for k in 0..3 {
                    sum.add(0.5 * out.impulses[i][k] * (before[k] + after[k]));
                }
            } else {
                let row = &groups.rows[i];
                let before = groups.relative_row(head, row, problem.v_free);
                let after = groups.relative_row(head, row, &out.v);
                sum.add(0.5 * out.rows[i] * (before + after));
            }
        }
    }
    sum
}
