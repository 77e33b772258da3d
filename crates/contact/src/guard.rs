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

use crate::entry::Entry;
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
    /// Velocity without contact, then that at the start of a batch of sweeps.
    base: Velocity,
    /// What a batch of sweeps changed of the velocity; zero for all that no impulse moves.
    change: Velocity,
    /// Leading impulse of each entry: points, then rows.
    leading: Vec<f64>,
}

impl GuardScratch {
    /// Makes room for problems up to that size.
    pub(crate) fn reserve(&mut self, room: &Room) {
        self.base.reserve(room);
        self.change.reserve(room);
        reserve(&mut self.leading, room.points);
    }

    /// Remembers where a batch of sweeps over an island begins.
    fn mark(&mut self, island: &Island, out: &Solution) {
        island.problem.for_each_velocity(island.number, |slot| match slot {
            Slot::Free(i) => self.base.free[i] = out.v.free[i],
            Slot::Dof(i) => self.base.dof[i] = out.v.dof[i],
        });
        for entry in island.entries() {
            self.leading[entry.slot()] = entry.first_impulse(out.all());
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

    fn entries(self) -> impl Iterator<Item = Entry<'a>> {
        self.heads().flat_map(move |head| self.problem.groups.entries(head))
    }
}

/// Makes the islands of a solution that are `guarded` passive; leaves every bit of one that is, with nothing closing.
pub(crate) fn guard(
    settings: &Settings,
    problem: &ContactProblem,
    scratch: &mut Scratch,
    out: &mut Solution,
    guarded: impl Fn(usize) -> bool,
) -> GuardReport {
    let mut room = std::mem::take(&mut scratch.guard);
    let mut report = GuardReport::default();
    let islands = || {
        let numbers = (0..problem.graph.islands()).filter(|number| guarded(*number));
        numbers.map(|number| Island { problem, number })
    };
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
    room.leading.resize(problem.groups.points.len() + problem.groups.rows.len(), 0.0);
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
    let motors = groups.heads.iter().filter(|head| head.is_motor());
    for entry in motors.flat_map(|head| groups.entries(head)) {
        let p = entry.first_impulse(out.all());
        if p != 0.0 {
            entry.apply_first(problem.move_inertia, p, base);
        }
    }
}

/// Sums p·u*, p·(u⁺ − u*) and what targets allow; u* is the velocity `base`.
fn tally(island: Island, scratch: &Scratch, out: &Solution, base: &Velocity) -> Tally {
    let mut tally = Tally::default();
    for entry in island.entries().filter(|entry| !entry.head.is_motor()) {
        let (p, before, after) = (entry.impulse(out.all()), entry.relative(base), entry.relative(&out.v));
        for k in 0..entry.len() {
            tally.add(p[k], before[k], after[k]);
        }
        tally.allowed += allowed(&entry, scratch, p[0]);
    }
    tally
}

/// What the target of an entry may bring: the bias of a contact, all that a joint or a limit is asked for where that brings energy.
#[inline(always)]
fn allowed(entry: &Entry, scratch: &Scratch, p: f64) -> f64 {
    let target = scratch.prepared().target(entry);
    match entry.point() {
        Some(_) => 0.5 * p * target.bias,
        None => scalar::max(0.5 * p * target.speed, 0.0),
    }
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
    for entry in island.entries().filter(|entry| !entry.head.is_motor()) {
        let p = entry.impulse(out.all()).map(|p| p * scale);
        entry.set(out.all_mut(), &p);
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
    let problem = island.problem;
    let mut fastest = problem.scale.speed;
    let mut worst = 0.0;
    for entry in island.entries() {
        if let Some(point) = entry.point() {
            let u = problem.groups.relative_at_end(entry.head, point, problem.v_free);
            fastest = u.iter().fold(fastest, |most, u| scalar::max(u.abs(), most));
        }
        worst = scalar::max(shortfall(&entry, scratch, out).speed, worst);
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
    let mut worst = 0.0;
    for entry in island.entries() {
        let short = shortfall(&entry, scratch, out);
        worst = scalar::max(short.speed, worst);
        if short.impulse != 0.0 {
            entry.add_first(out, short.impulse);
            entry.apply_first(island.problem.move_inertia, short.impulse, &mut out.v);
        }
    }
    worst
}

/// Goes on along what the last batch of sweeps changed, as far as that takes out most.
fn go_on(island: Island, scratch: &Scratch, out: &mut Solution, room: &mut GuardScratch) {
    let (base, change) = (&room.base, &mut room.change);
    island.problem.for_each_velocity(island.number, |slot| match slot {
        Slot::Free(i) => change.free[i] = out.v.free[i] - base.free[i],
        Slot::Dof(i) => change.dof[i] = out.v.dof[i] - base.dof[i],
    });
    let (mut slope, mut bend) = (0.0, 0.0);
    for entry in island.entries() {
        let delta = entry.first_impulse(out.all()) - room.leading[entry.slot()];
        let lacks = entry.first_at_end(&out.v) - asked(&entry, scratch);
        slope += delta * lacks;
        bend += delta * entry.first_rate(change);
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
    for entry in island.entries() {
        let delta = entry.first_impulse(out.all()) - room.leading[entry.slot()];
        entry.add_first(out, further * delta);
    }
}

/// Velocity that a row may not fall below (an equality: has). A bias is not asked for: to keep apart is all.
#[inline]
fn asked(entry: &Entry, scratch: &Scratch) -> f64 {
    let target = scratch.prepared().target(entry);
    match entry.point() {
        Some(_) => scalar::min(target.speed, 0.0),
        None => target.speed - target.bias,
    }
}

/// How much too fast a row closes, and the impulse that stops it.
#[derive(Clone, Copy, Default)]
struct Shortfall {
    speed: f64,
    impulse: f64,
}

/// What an entry lacks.
#[inline]
fn shortfall(entry: &Entry, scratch: &Scratch, out: &Solution) -> Shortfall {
    let inverse = scratch.prepared().inverse(entry);
    // What cannot move is not kept apart by any impulse.
    if entry.head.is_motor() || inverse <= 0.0 {
        return Shortfall::default();
    }
    let short = asked(entry, scratch) - entry.first_at_end(&out.v);
    let short = if entry.head.law == Law::Equality { short } else { scalar::max(short, 0.0) };
    Shortfall { speed: short.abs(), impulse: short * inverse }
}
