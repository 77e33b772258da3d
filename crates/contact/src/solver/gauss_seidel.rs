//! Block Gauss–Seidel, island by island: groups in key order, point after point, until a sweep of the island changes nothing.
//!
//! A model is a [`PointLaw`]: the relaxation of one point. Rows of joints, limits and motors are the same for all.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | u | `u` | row velocity before a visit | m/s |
//! | δ | `delta` | change of the impulse in a visit | N·s |
//! | W | `data.block.w`, `data.w` | own block of J M⁻¹ Jᵀ | 1/kg |

use super::face::{Face, FaceChange};
use super::law::{PointLaw, visit};
use super::{SolveReport, Stop};
use crate::couple::{self, Couple, load_of};
use crate::entry::push_of;
use crate::graph::Slot;
use crate::kernel::{Friction, normal};
use crate::prepare::{Inverse, PointData, RowData};
use crate::scratch::{Room, reserve};
use crate::{
    ContactProblem, CoupleImpulse, Groups, Head, Impulse, Law, NO_COUPLE, Scratch, Settings, Side, Solution,
    Velocity, Warm, work,
};
use huygens_math::pool::Lent;
use huygens_math::{BlockInertia, Pool, Sum, Twist, scalar};
use std::sync::{Mutex, PoisonError};

/// What a sweep changed.
#[derive(Clone, Copy, Default)]
struct Change {
    /// Largest change of a row velocity.
    largest: f64,
    /// Largest row velocity met: below its round-off no change means anything.
    speed: f64,
}

impl Change {
    #[inline(always)]
    fn see(&mut self, u: f64, change: f64) {
        self.speed = scalar::max(u.abs(), self.speed);
        // In this order a NaN gets through.
        let change = change.abs();
        self.largest = if self.largest >= change { self.largest } else { change };
    }
}

/// Solves a problem with the law `K`.
pub(super) fn run<K: PointLaw>(
    settings: &Settings,
    problem: &ContactProblem,
    warm: Warm,
    scratch: &mut Scratch,
    out: &mut Solution,
) -> SolveReport {
    run_some::<K>(settings, problem, warm, scratch, out, |_| true)
}

/// As [`run`], with sweeps over the islands that are `swept` alone; the others keep the impulses that they start from.
pub(super) fn run_some<K: PointLaw>(
    settings: &Settings,
    problem: &ContactProblem,
    warm: Warm,
    scratch: &mut Scratch,
    out: &mut Solution,
    swept: impl Fn(usize) -> bool,
) -> SolveReport {
    prepare::<K>(problem, scratch);
    scratch.v.copy_from(problem.v_free);
    let mut increments = start(settings, problem, warm, scratch, out);
    let report = iterate::<K>(settings, problem, scratch, out, &mut increments, swept);
    finish(problem, scratch, out);
    out.correction.reset_like(problem.v_free);
    out.work.increments = increments;
    report
}

fn prepare<K: PointLaw>(problem: &ContactProblem, scratch: &mut Scratch) {
    scratch.faces.clear();
    scratch.mixed.clear();
    scratch.mixed.resize(problem.groups.heads.len(), false);
    scratch.faces.extend(problem.groups.heads.iter().map(|head| Face::new(problem, head)));
    prepare_rows(problem, K::INVERSE, scratch);
    if !K::FRICTION {
        for data in &mut scratch.points {
            (data.friction, data.steep) = (Friction::default(), false);
        }
        scratch.couples.iter_mut().for_each(|(_, couple)| *couple = Couple::default());
    }
}

/// Targets and blocks of all points and rows.
pub(super) fn prepare_rows(problem: &ContactProblem, inverse: Inverse, scratch: &mut Scratch) {
    let groups = problem.groups;
    scratch.points.clear();
    scratch.points.resize(groups.points.len(), PointData::default());
    scratch.rows.clear();
    scratch.rows.resize(groups.rows.len(), RowData::default());
    scratch.couples.clear();
    for (at, head) in groups.heads.iter().enumerate() {
        if head.couple != NO_COUPLE {
            scratch.couples.push((at as u32, Couple::new(problem, head)));
        }
        for entry in groups.entries(head) {
            let i = entry.index;
            match entry.point() {
                Some(_) => scratch.points[i] = PointData::new(problem, head, i, inverse),
                None => scratch.rows[i] = RowData::new(problem, head, i),
            }
        }
    }
}

/// Takes over admissible warm-start impulses and applies them; returns the work that this did.
fn start(
    settings: &Settings,
    problem: &ContactProblem,
    warm: Warm,
    scratch: &mut Scratch,
    out: &mut Solution,
) -> Sum {
    let (groups, m) = (problem.groups, problem.move_inertia);
    reset(&mut out.impulses, warm.points, groups.points.len(), settings.warm_start);
    reset(&mut out.couples, warm.couples, groups.couples as usize, settings.warm_start);
    reset(&mut out.rows, warm.rows, groups.rows.len(), settings.warm_start);
    let mut work = Sum::default();
    for (at, head) in groups.heads.iter().enumerate() {
        let tau = couple::sum_of(head, &out.couples);
        for entry in groups.entries(head) {
            let mut p = push_of(&entry.impulse(out.all()));
            p[0] = if scratch.prepared().inverse(&entry) > 0.0 { admissible(head.law, p[0]) } else { 0.0 };
            let p = if p[0] == 0.0 { [0.0; 6] } else { [p[0], p[1], p[2], 0.0, 0.0, 0.0] };
            entry.set(out.all_mut(), &p);
            if p[0] != 0.0 {
                let (u, push) = (entry.relative_at_end(&scratch.v), push_of(&p));
                let own = scratch.prepared().answer(&entry, push);
                work.add((0..3).map(|k| push[k] * (u[k] + 0.5 * own[k])).sum::<f64>());
                entry.apply(m, &p, &mut scratch.v);
            }
        }
        if head.couple != NO_COUPLE {
            let couple = couple_at(&scratch.couples, at);
            let tau = couple.admissible(tau, load_of(head, &out.impulses));
            let point = &groups.points[head.first as usize];
            work.add(couple.gain(groups.spin(head, point, &scratch.v), tau));
            groups.apply_couple(m, head, point, tau, &mut scratch.v);
            couple::share(head, tau, &out.impulses, &mut out.couples);
        }
    }
    work
}

pub(super) fn reset<T: Copy + Default>(to: &mut Vec<T>, warm: &[T], len: usize, use_warm: bool) {
    to.clear();
    if use_warm && !warm.is_empty() {
        assert_eq!(warm.len(), len, "warm-start impulses must be aligned with the problem's entries");
        to.extend_from_slice(warm);
    } else {
        to.resize(len, T::default());
    }
}

/// The impulse nearest to `lambda` that the law of a row allows.
#[inline(always)]
fn admissible(law: Law, lambda: f64) -> f64 {
    let (low, high) = law.bounds();
    scalar::clamp(lambda, low, high)
}

/// The couple of contact `at`.
#[inline(always)]
fn couple_at(couples: &[(u32, Couple)], at: usize) -> &Couple {
    let found = couples.binary_search_by_key(&(at as u32), |(head, _)| *head);
    &couples[found.expect("every couple was prepared")].1
}

/// Work of the increment δ on a point with velocity u before it: δ·(u + ½Wδ).
#[inline(always)]
fn gain(data: &PointData, u: [f64; 3], delta: [f64; 3]) -> f64 {
    let w = data.answer(delta);
    delta[0] * (u[0] + 0.5 * w[0]) + delta[1] * (u[1] + 0.5 * w[1]) + delta[2] * (u[2] + 0.5 * w[2])
}

fn iterate<K: PointLaw>(
    settings: &Settings,
    problem: &ContactProblem,
    scratch: &mut Scratch,
    out: &mut Solution,
    increments: &mut Sum,
    swept: impl Fn(usize) -> bool,
) -> SolveReport {
    let tolerance = settings.tolerance * problem.scale.speed;
    let mut report = SolveReport::default();
    let mut rooms = std::mem::take(&mut scratch.sweeps);
    rooms.list(problem, swept);
    let pool = scratch.soft.pool();
    if pool.threads() > 1 && rooms.rooms.len() >= pool.threads() && rooms.is_worth_it(problem) {
        side_by_side::<K>(settings, problem, &pool, scratch, out, &mut rooms);
        for (gain, solved) in &rooms.answers {
            increments.add_sum(gain);
            report.include(solved);
        }
        scratch.sweeps = rooms;
        return report;
    }
    let mut gain = Sum::default();
    let mut sweep = Sweep {
        groups: problem.groups,
        inertia: problem.move_inertia,
        faces: &scratch.faces,
        mixed: &mut scratch.mixed,
        points: &scratch.points,
        rows: &scratch.rows,
        couples: &scratch.couples,
        problem,
        v: &mut scratch.v,
        impulses: &mut out.impulses,
        taus: &mut out.couples,
        lambdas: &mut out.rows,
        work: &mut gain,
        relaxation: settings.relaxation,
    };
    for &island in &rooms.islands {
        *sweep.work = Sum::default();
        report.include(&sweep.island::<K>(
            problem.graph.groups(island as usize),
            settings.iterations,
            tolerance,
        ));
        increments.add_sum(sweep.work);
    }
    scratch.sweeps = rooms;
    report
}

/// Sweeps over islands on several threads. Each thread has velocities and impulses of its own: it takes over those of an island, and writes
/// them back when its sweeps are done.
fn side_by_side<K: PointLaw>(
    settings: &Settings,
    problem: &ContactProblem,
    pool: &Pool,
    scratch: &mut Scratch,
    out: &mut Solution,
    rooms: &mut SweepRooms,
) {
    let (groups, graph) = (problem.groups, problem.graph);
    let tolerance = settings.tolerance * problem.scale.speed;
    let (faces, points, rows, couples) = (&scratch.faces, &scratch.points, &scratch.rows, &scratch.couples);
    for room in &mut rooms.rooms {
        room.get_mut().unwrap_or_else(PoisonError::into_inner).fit(problem, out);
    }
    rooms.answers.clear();
    rooms.answers.resize(rooms.islands.len(), Default::default());
    let SweepRooms { islands, ends, rooms, answers } = rooms;
    let all = Shared {
        free: Lent::new(&mut scratch.v.free),
        dof: Lent::new(&mut scratch.v.dof),
        impulses: Lent::new(&mut out.impulses),
        couples: Lent::new(&mut out.couples),
        rows: Lent::new(&mut out.rows),
    };
    let answers = Lent::new(answers);
    pool.for_chunks(ends.len() - 1, |chunk, thread| {
        let mut room = rooms[thread].lock().unwrap_or_else(PoisonError::into_inner);
        let range = ends[chunk] as usize..ends[chunk + 1] as usize;
        for (at, island) in range.clone().zip(&islands[range]) {
            let island = *island as usize;
            room.take(problem, island, &all);
            let SweepRoom { v, impulses, taus, lambdas, mixed } = &mut *room;
            let mut gain = Sum::default();
            let mut sweep = Sweep {
                groups,
                inertia: problem.move_inertia,
                faces,
                mixed,
                points,
                rows,
                couples,
                problem,
                v,
                impulses,
                taus,
                lambdas,
                work: &mut gain,
                relaxation: settings.relaxation,
            };
            let report = sweep.island::<K>(graph.groups(island), settings.iterations, tolerance);
            room.give(problem, island, &all);
            // SAFETY: the place is this island's own.
            unsafe { *answers.entry(at) = (gain, report) };
        }
    });
}

/// Velocities and impulses of all islands. An island reads and writes its own, and reads bodies that cannot move, which nobody writes.
struct Shared<'a> {
    free: Lent<'a, Twist>,
    dof: Lent<'a, f64>,
    impulses: Lent<'a, Impulse>,
    couples: Lent<'a, CoupleImpulse>,
    rows: Lent<'a, f64>,
}

/// Groups of the islands of one chunk.
const GROUPS_OF_CHUNK: usize = 24;

/// Visits of points by all sweeps, at most, below which the caller sweeps alone: some 100 µs.
const LEAST_VISITS: usize = 2000;

/// Room for sweeps on several threads.
#[derive(Debug, Default)]
pub(crate) struct SweepRooms {
    /// The islands that are swept, and the ends of the chunks among them, from 0 on.
    islands: Vec<u32>,
    ends: Vec<u32>,
    /// Work of the increments of each of them, and how its sweeps went.
    answers: Vec<(Sum, SolveReport)>,
    rooms: Vec<Mutex<SweepRoom>>,
}

impl Clone for SweepRooms {
    /// None: they are filled anew in every solve.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl SweepRooms {
    /// Makes room for problems up to that size.
    pub(crate) fn reserve(&mut self, room: &Room) {
        reserve(&mut self.islands, room.groups);
        reserve(&mut self.ends, room.groups / GROUPS_OF_CHUNK + 2);
        reserve(&mut self.answers, room.groups);
    }

    /// Makes room for so many threads.
    pub(crate) fn reserve_rooms(&mut self, threads: usize, room: &Room) {
        while self.rooms.len() < threads {
            let mut new = SweepRoom::default();
            new.v.reserve(room);
            reserve(&mut new.impulses, room.points);
            reserve(&mut new.mixed, room.groups);
            self.rooms.push(Mutex::new(new));
        }
    }

    /// Lists the islands that are swept, and cuts them into chunks by their groups.
    fn list(&mut self, problem: &ContactProblem, swept: impl Fn(usize) -> bool) {
        self.islands.clear();
        self.ends.clear();
        self.ends.push(0);
        let mut groups = 0;
        for island in (0..problem.graph.islands()).filter(|island| swept(*island)) {
            self.islands.push(island as u32);
            groups += problem.graph.groups(island).len();
            if groups >= GROUPS_OF_CHUNK {
                self.ends.push(self.islands.len() as u32);
                groups = 0;
            }
        }
        if groups > 0 {
            self.ends.push(self.islands.len() as u32);
        }
    }

    /// True where several threads would be faster. Trees without inertia are those of stored matrices: one island.
    fn is_worth_it(&self, problem: &ContactProblem) -> bool {
        let entries = problem.groups.points.len() + problem.groups.rows.len();
        self.ends.len() > 2
            && entries * LEAST_SWEEPS >= LEAST_VISITS
            && problem.graph.trees() == problem.move_inertia.trees.len()
    }
}

/// Sweeps that an island takes at least, usually.
const LEAST_SWEEPS: usize = 8;

/// Velocities and impulses of a thread; those of the island that it sweeps are there, the others are not.
#[derive(Debug, Default)]
struct SweepRoom {
    v: Velocity,
    impulses: Vec<Impulse>,
    taus: Vec<CoupleImpulse>,
    lambdas: Vec<f64>,
    mixed: Vec<bool>,
}

impl SweepRoom {
    /// Makes room for all bodies and groups of a problem.
    fn fit(&mut self, problem: &ContactProblem, out: &Solution) {
        self.v.free.resize(problem.v_free.free.len(), Twist::ZERO);
        self.v.dof.resize(problem.v_free.dof.len(), 0.0);
        self.impulses.resize(out.impulses.len(), [0.0; 3]);
        self.taus.resize(out.couples.len(), [0.0; 3]);
        self.lambdas.resize(out.rows.len(), 0.0);
        self.mixed.resize(problem.groups.heads.len(), false);
    }

    /// Takes over an island.
    fn take(&mut self, problem: &ContactProblem, island: usize, all: &Shared) {
        let groups = problem.groups;
        // SAFETY: what an island reads here is its own, or a body that cannot move: nobody else writes it.
        unsafe {
            problem.for_each_velocity(island, |slot| match slot {
                Slot::Free(i) => self.v.free[i] = *all.free.read(i),
                Slot::Dof(i) => self.v.dof[i] = *all.dof.read(i),
            });
            for &group in problem.graph.groups(island) {
                let head = &groups.heads[group as usize];
                self.mixed[group as usize] = false;
                let sides = head.side.into_iter().chain(groups.parts_of_group(head).map(|part| part.side));
                for side in sides {
                    if let Side::Free(i) = side {
                        self.v.free[i as usize] = *all.free.read(i as usize);
                    }
                }
                groups.point_range(head).for_each(|i| self.impulses[i] = *all.impulses.read(i));
                head.couples().for_each(|i| self.taus[i] = *all.couples.read(i));
                groups.row_range(head).for_each(|i| self.lambdas[i] = *all.rows.read(i));
            }
        }
    }

    /// Writes an island back.
    fn give(&self, problem: &ContactProblem, island: usize, all: &Shared) {
        let groups = problem.groups;
        // SAFETY: the movables of an island and the entries of its groups are its own, and it is one chunk's.
        unsafe {
            problem.for_each_velocity(island, |slot| match slot {
                Slot::Free(i) => *all.free.entry(i) = self.v.free[i],
                Slot::Dof(i) => *all.dof.entry(i) = self.v.dof[i],
            });
            for &group in problem.graph.groups(island) {
                let head = &groups.heads[group as usize];
                groups.point_range(head).for_each(|i| *all.impulses.entry(i) = self.impulses[i]);
                head.couples().for_each(|i| *all.couples.entry(i) = self.taus[i]);
                groups.row_range(head).for_each(|i| *all.rows.entry(i) = self.lambdas[i]);
            }
        }
    }
}

/// One solve's data, borrowed for its sweeps.
struct Sweep<'a> {
    groups: &'a Groups,
    inertia: &'a BlockInertia,
    /// One for each group.
    faces: &'a [Face],
    /// Groups whose points were last visited one by one.
    mixed: &'a mut [bool],
    points: &'a [PointData],
    rows: &'a [RowData],
    couples: &'a [(u32, Couple)],
    problem: &'a ContactProblem<'a>,
    v: &'a mut Velocity,
    impulses: &'a mut [Impulse],
    taus: &'a mut [CoupleImpulse],
    lambdas: &'a mut [f64],
    work: &'a mut Sum,
    /// Share of every change that is made.
    relaxation: f64,
}

impl Sweep<'_> {
    /// Sweeps over one island, given by its groups, until a sweep changes no row velocity by more than `tolerance` [m/s].
    fn island<K: PointLaw>(&mut self, island: &[u32], iterations: u32, tolerance: f64) -> SolveReport {
        let mut report = SolveReport { stopped: Stop::IterationLimit, ..SolveReport::default() };
        let speed = self.problem.scale.speed;
        for k in 0..iterations {
            let change = self.once::<K>(island, k);
            report.iterations += 1;
            report.residual = if speed > 0.0 { change.largest / speed } else { change.largest };
            if change.largest <= tolerance {
                report.stopped = Stop::Converged;
                break;
            }
            if change.largest.is_nan() || change.largest <= 4.0 * f64::EPSILON * change.speed {
                report.stopped = Stop::Stalled;
                break;
            }
        }
        report
    }

    /// One visit to every group of an island, forward or backward. Alternating carries loads up and down a stack alike, and keeps the
    /// corners of a face equal: with forward sweeps alone, 5 cubes start to rock with 100 times the energy.
    fn once<K: PointLaw>(&mut self, island: &[u32], sweep: u32) -> Change {
        let backward = sweep % 2 == 1;
        let mut change = Change::default();
        let groups = self.groups;
        let n = island.len();
        for k in 0..n {
            let at = island[if backward { n - 1 - k } else { k }] as usize;
            let head = &groups.heads[at];
            if groups.point_range(head).is_empty() {
                self.rows(head, &mut change);
                continue;
            }
            // A face that was neither stuck nor slipping as a whole is asked again only now and then.
            let ask = !self.mixed[at] || sweep.is_multiple_of(16);
            self.mixed[at] = !(ask && self.face::<K>(head, &self.faces[at], &mut change));
            if self.mixed[at] {
                self.contact::<K>(head, backward, &mut change);
            }
            if head.couple != NO_COUPLE {
                self.couple(head, at, &mut change);
            }
        }
        change
    }

    /// The points of a manifold together, when they all stick or, if the law is exact there, all slip; false when they do
    /// neither and each needs a visit of its own.
    ///
    /// What holds at the end is the same as without: a face at its targets that sticks or slips by the law is left as it is.
    fn face<K: PointLaw>(&mut self, head: &Head, face: &Face, change: &mut Change) -> bool {
        if face.len() == 0 {
            return false;
        }
        let (u, p) = self.face_state(head);
        let mut target = [0.0; 4];
        for (target, i) in target.iter_mut().zip(head.range()) {
            *target = self.points[i].target.speed;
        }
        let mu = self.points[head.first as usize].friction;
        let u0 = face.without_own(&u, &p);
        let reached = |new: [Impulse; 4], sticks: bool| {
            let new = face.change(&u, &p, new);
            face.is_reached(&new, &u0, &target, sticks).then_some(new)
        };
        let mut new = face.stick(&u0, &target, mu.stick).and_then(|new| reached(new, true));
        if new.is_none() && K::EXACT_SLIP {
            new = face.slip(&u, &u0, &target, &p, mu.slip).and_then(|new| reached(new, false));
        }
        let Some(mut new) = new else { return false };
        if self.relaxation < 1.0 {
            let part = std::array::from_fn(|k| self.part(p[k], new.p[k]));
            new = face.change(&u, &p, part);
        }
        self.take(head, &u, &p, &new, change);
        true
    }

    /// Velocity and impulse of each point of a group.
    fn face_state(&self, head: &Head) -> ([[f64; 3]; 4], [Impulse; 4]) {
        let (mut u, mut p) = ([[0.0; 3]; 4], [[0.0; 3]; 4]);
        for (k, i) in head.range().enumerate() {
            u[k] = self.groups.relative_at_end(head, &self.groups.points[i], self.v);
            p[k] = self.impulses[i];
        }
        (u, p)
    }

    fn take(
        &mut self,
        head: &Head,
        u: &[[f64; 3]; 4],
        p: &[Impulse; 4],
        new: &FaceChange,
        change: &mut Change,
    ) {
        for (k, i) in head.range().enumerate() {
            let delta: Impulse = std::array::from_fn(|axis| new.p[k][axis] - p[k][axis]);
            if delta == [0.0; 3] {
                continue;
            }
            self.groups.apply(self.inertia, head, &self.groups.points[i], delta, self.v);
            self.impulses[i] = new.p[k];
            self.see(i, u[k], delta, change);
        }
        self.work.add(new.work);
    }

    /// The share of the way from `p` to `new` that is gone. Friction cones are convex: it stays in them.
    #[inline(always)]
    fn part(&self, p: Impulse, new: Impulse) -> Impulse {
        if self.relaxation < 1.0 {
            return std::array::from_fn(|k| p[k] + self.relaxation * (new[k] - p[k]));
        }
        new
    }

    #[inline(always)]
    fn see(&self, i: usize, u: [f64; 3], delta: Impulse, change: &mut Change) {
        let block = &self.points[i].block;
        change.see(u[0], block.w[0] * delta[0]);
        change.see(u[1], block.tangential.largest * delta[1]);
        change.see(u[2], block.tangential.largest * delta[2]);
    }

    #[inline(always)]
    fn contact<K: PointLaw>(&mut self, head: &Head, backward: bool, change: &mut Change) {
        let range = head.range();
        for k in 0..range.len() {
            let i = if backward { range.end - 1 - k } else { range.start + k };
            let (point, data) = (&self.groups.points[i], &self.points[i]);
            let u = self.groups.relative_at_end(head, point, self.v);
            let p = self.impulses[i];
            let felt = [u[0] + data.regularisation * p[0], u[1], u[2]];
            let new = self.part(p, visit::<K>(data, felt, p));
            let delta = [new[0] - p[0], new[1] - p[1], new[2] - p[2]];
            if delta == [0.0; 3] {
                continue;
            }
            self.groups.apply(self.inertia, head, point, delta, self.v);
            self.impulses[i] = new;
            self.work.add(gain(data, u, delta));
            self.see(i, u, delta, change);
        }
    }

    #[inline(always)]
    fn rows(&mut self, head: &Head, change: &mut Change) {
        for i in head.range() {
            let data = &self.rows[i];
            let u = self.groups.relative_row(head, i, self.v);
            let lambda = self.lambdas[i];
            let felt = u + data.regularisation * lambda;
            let new = match head.law {
                Law::Unilateral => normal(data.inverse, felt, data.target.speed, lambda),
                law => admissible(law, lambda - data.inverse * (felt - data.target.speed)),
            };
            let new = if self.relaxation < 1.0 { lambda + self.relaxation * (new - lambda) } else { new };
            let delta = new - lambda;
            if delta == 0.0 {
                continue;
            }
            self.groups.apply_row(self.inertia, head, i, delta, self.v);
            self.lambdas[i] = new;
            self.work.add(delta * (u + 0.5 * data.w * delta));
            change.see(u, data.w * delta);
        }
    }
}

impl Sweep<'_> {
    /// Friction against spinning and rolling: together with the points where all of it sticks, else by itself.
    fn couple(&mut self, head: &Head, at: usize, change: &mut Change) {
        let couple = couple_at(self.couples, at);
        let (load, tau) = (load_of(head, self.impulses), couple::sum_of(head, self.taus));
        let share = 1.0 / head.range().len() as f64;
        let mut slip = [0.0; 2];
        for point in &self.groups.points[head.range()] {
            let u = self.groups.relative_at_end(head, point, self.v);
            slip = [slip[0] + u[1] * share, slip[1] + u[2] * share];
        }
        let spin = self.groups.spin(head, &self.groups.points[head.first as usize], self.v);
        if load > 0.0
            && let Some((push, new)) = couple.together(slip, spin, tau, load)
            && self.stick(head, [push[0] * share, push[1] * share], change)
        {
            self.turn(head, couple, tau, new, change);
        } else {
            self.turn(head, couple, tau, couple.alone(spin, tau, load), change);
        }
    }

    /// Adds a push to every point of a contact; false, and nothing done, when one of them would slip.
    fn stick(&mut self, contact: &Head, push: [f64; 2], change: &mut Change) -> bool {
        let sticks = |i: usize| {
            let p = self.impulses[i];
            let t = [p[1] + push[0], p[2] + push[1]];
            let most = self.points[i].friction.stick * p[0];
            t[0] * t[0] + t[1] * t[1] <= most * most
        };
        if !contact.range().all(sticks) {
            return false;
        }
        let delta = [0.0, push[0], push[1]];
        for i in contact.range().filter(|_| push != [0.0; 2]) {
            let (point, data) = (&self.groups.points[i], &self.points[i]);
            let u = self.groups.relative_at_end(contact, point, self.v);
            self.groups.apply(self.inertia, contact, point, delta, self.v);
            let p = self.impulses[i];
            self.impulses[i] = [p[0], p[1] + push[0], p[2] + push[1]];
            self.work.add(gain(data, u, delta));
            self.see(i, u, delta, change);
        }
        true
    }

    /// Changes the couple of a contact from `tau` to `new`, and shares it by the loads.
    fn turn(&mut self, head: &Head, couple: &Couple, tau: [f64; 3], new: [f64; 3], change: &mut Change) {
        couple::share(head, new, self.impulses, self.taus);
        let delta: [f64; 3] = std::array::from_fn(|k| new[k] - tau[k]);
        if delta == [0.0; 3] {
            return;
        }
        let point = &self.groups.points[head.first as usize];
        let spin = self.groups.spin(head, point, self.v);
        self.groups.apply_couple(self.inertia, head, point, delta, self.v);
        self.work.add(couple.gain(spin, delta));
        // A spin counts as the speed that it has a length away.
        let length = self.problem.scale.length;
        let most = scalar::max(scalar::max(spin[0].abs(), spin[1].abs()), spin[2].abs());
        change.see(most * length, couple.change(delta) * length);
    }
}

/// The end velocity from the total impulses, once and in key order, so that the books close however many sweeps ran.
pub(crate) fn finish(problem: &ContactProblem, scratch: &Scratch, out: &mut Solution) {
    let groups = problem.groups;
    out.v.copy_from(problem.v_free);
    for entry in groups.heads.iter().flat_map(|head| groups.entries(head)) {
        let p = entry.impulse(out.all());
        if p != [0.0; 6] {
            entry.apply(problem.move_inertia, &p, &mut out.v);
        }
    }
    work::account(problem, scratch, out);
}
