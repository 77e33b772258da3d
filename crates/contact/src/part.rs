//! Some islands of a step as a problem of their own.
//!
//! An island is alone: solved by itself it has the bits that it has among all others. A driver that would give more than its limit is solved
//! again with less in its own island (the contact graph joins all that such a driver touches), and the others stay as they are.
//!
//! Books are sums over all islands. The first solve of a part is the one that the whole problem has had already: its books are taken out of
//! those of the whole when the last ones go in.

use crate::correction::Landing;
use crate::graph::Slot;
use crate::scratch::reserve;
use crate::solution::ImpulseCopy;
use crate::solver::SolveReport;
use crate::{
    ContactGraph, ContactProblem, DriverLoad, Groups, Head, ImpactOutcome, ImpactProblem, NO_COUPLE,
    RevisedGroups, Room, Round, RowPart, Scale, Scratch, Settings, Solution, SolverKind, SurfaceVelocity,
    Velocity, Warm, Work, impact,
};
use huygens_math::{BlockInertia, Sum, Twist, scalar};

/// Some islands of a step.
#[derive(Clone, Debug, Default)]
pub struct Part {
    // computed by `select`
    chosen: Selection,
    // computed by `step`, or copied by `take_velocities`
    v_start: Velocity,
    v_free: Velocity,
    impact: ImpactOutcome,
    // computed by the solve
    solution: Solution,
    scratch: Scratch,
    first: FirstBooks,
}

/// The groups of some islands.
#[derive(Clone, Debug, Default)]
struct Selection {
    groups: Groups,
    graph: ContactGraph,
    /// Group, point, row and couple of the whole problem that each of these is.
    heads: Vec<u32>,
    points: Vec<u32>,
    rows: Vec<u32>,
    couples: Vec<u32>,
    /// Impulses of the last step, in the frames of `groups`.
    warm: ImpulseCopy,
    /// Islands of the whole problem that are in the part.
    has_island: Vec<bool>,
    /// Drivers with a limit that act in these islands; all that they touch is here.
    limited: Vec<u32>,
    /// Velocities of drivers and surfaces that no limit has scaled.
    full_driven: Vec<Twist>,
    full_surface_velocities: Vec<SurfaceVelocity>,
}

/// Books of the first solve of a part, which are in the books of the whole problem.
#[derive(Clone, Debug, Default)]
struct FirstBooks {
    impact: Work,
    time_shift: Sum,
    impact_loads: Vec<DriverLoad>,
    impacts: u32,
    guarded: u32,
    solve: Work,
    solve_loads: Vec<DriverLoad>,
}

/// The step of the whole world that a part goes back to.
#[derive(Debug)]
pub struct WholeStep<'a> {
    /// Velocity at the start of the step with its impacts, and without contact at its end.
    pub v_start: &'a mut Velocity,
    /// See `v_start`.
    pub v_free: &'a mut Velocity,
    /// What the impacts did.
    pub impact: &'a mut ImpactOutcome,
    /// The answer of the contact model.
    pub solution: &'a mut Solution,
    /// Room of the contact model.
    pub scratch: &'a mut Scratch,
}

/// The problem of some islands.
#[derive(Debug)]
pub struct OwnProblem<'a> {
    /// The problem.
    pub problem: ContactProblem<'a>,
    /// Impulses to start from.
    pub warm: Warm<'a>,
    /// Energy that the impacts of each group took out [J].
    pub losses: &'a [f64],
    /// Room of the contact model.
    pub scratch: &'a mut Scratch,
    /// Its answer.
    pub solution: &'a mut Solution,
}

impl Selection {
    /// Chooses the islands in which the marked drivers act.
    fn choose(
        &mut self,
        groups: &Groups,
        graph: &ContactGraph,
        inertia: &BlockInertia,
        warm: Warm,
        drivers: &[bool],
    ) {
        self.has_island.clear();
        self.has_island.resize(graph.islands(), false);
        let is_driven = |head: &Head| groups.drivers_of(head).any(|driver| drivers[driver as usize]);
        for (k, _) in groups.heads.iter().enumerate().filter(|(_, head)| is_driven(head)) {
            if let Some(island) = graph.island_of(k) {
                self.has_island[island] = true;
            }
        }
        self.take(groups, graph, inertia, warm);
    }

    /// Takes over the groups of the islands that are chosen.
    fn take(&mut self, groups: &Groups, graph: &ContactGraph, inertia: &BlockInertia, warm: Warm) {
        self.clear(groups);
        for (k, head) in groups.heads.iter().enumerate() {
            if graph.island_of(k).is_some_and(|island| self.has_island[island]) {
                self.push(groups, k, head, warm);
            }
        }
        self.limited.sort_unstable();
        self.limited.dedup();
        self.graph.build(&self.groups, inertia);
        self.full_driven.clone_from(&self.groups.driven);
        self.full_surface_velocities.clone_from(&self.groups.surface_velocities);
    }

    fn clear(&mut self, groups: &Groups) {
        self.groups.share(groups);
        for list in [&mut self.heads, &mut self.points, &mut self.rows, &mut self.couples, &mut self.limited]
        {
            list.clear();
        }
        self.warm.clear();
    }

    /// Adds group `k` of the whole problem.
    fn push(&mut self, groups: &Groups, k: usize, head: &Head, warm: Warm) {
        self.groups.push_copy(groups, head);
        self.warm.push_copy(warm, groups, head);
        self.heads.push(k as u32);
        self.points.extend(groups.point_range(head).map(|i| i as u32));
        self.rows.extend(groups.row_range(head).map(|i| i as u32));
        self.couples.extend(head.couples().map(|i| i as u32));
        self.limited.extend(groups.drivers_of(head).filter(|driver| groups.is_limited(*driver)));
    }

    /// The problem of these islands; what all islands share is that of `whole`.
    fn problem<'a>(
        &'a self,
        whole: &ContactProblem<'a>,
        v_start: &'a Velocity,
        v_free: &'a Velocity,
        impact: &'a ImpactOutcome,
    ) -> ContactProblem<'a> {
        ContactProblem {
            v_start,
            v_free,
            groups: impact.revised.or(&self.groups),
            graph: &self.graph,
            airborne: &impact.airborne,
            cap_left: &impact.cap_left,
            ..*whole
        }
    }
}

impl Part {
    /// Takes the islands in which the drivers marked in `drivers` act out of the groups of a step; `warm` are the impulses of the last step.
    /// Lanes are those of `scratch`.
    pub fn select(&mut self, problem: &ContactProblem, warm: Warm, drivers: &[bool], scratch: &Scratch) {
        let inertia = problem.move_inertia;
        self.chosen.choose(problem.groups, problem.graph, inertia, warm, drivers);
        self.scratch.choose_as(scratch);
    }

    /// Takes the islands that `is_chosen` names out of the groups of a problem that is to be solved; else as [`Part::select`].
    pub fn select_islands(
        &mut self,
        problem: &ContactProblem,
        warm: Warm,
        is_chosen: impl Fn(usize) -> bool,
        scratch: &Scratch,
    ) {
        let chosen = &mut self.chosen;
        chosen.has_island.clear();
        chosen.has_island.extend((0..problem.graph.islands()).map(is_chosen));
        chosen.take(problem.groups, problem.graph, problem.move_inertia, warm);
        self.scratch.choose_as(scratch);
    }

    /// Makes room for parts of problems up to that size.
    pub fn reserve(&mut self, room: &Room) {
        self.chosen.groups.reserve(room);
        self.chosen.graph.reserve(room);
        reserve(&mut self.chosen.groups.surface_velocities, room.groups);
        reserve(&mut self.chosen.full_surface_velocities, room.groups);
        reserve(&mut self.chosen.heads, room.groups);
        reserve(&mut self.chosen.points, room.points);
        reserve(&mut self.chosen.warm.points, room.points);
        reserve(&mut self.chosen.has_island, room.groups);
        reserve(&mut self.impact.airborne, room.points);
        reserve(&mut self.impact.impulses, room.points);
        reserve(&mut self.impact.losses, room.groups);
        reserve(&mut self.impact.given, room.groups);
        self.solution.reserve(room);
        self.scratch.reserve(room);
    }

    /// The same velocities, gaps and caps as the whole problem: its impacts stay as they are.
    pub(crate) fn take_velocities(&mut self, whole: &ContactProblem) {
        self.v_start.copy_from(whole.v_start);
        self.v_free.copy_from(whole.v_free);
        self.take_impacts(whole, &[]);
    }

    /// The same gaps and caps as the whole problem, and what its impacts took of each group. Without [`Part::step`] the velocities are those of the
    /// whole problem.
    pub fn take_impacts(&mut self, whole: &ContactProblem, losses: &[f64]) {
        self.impact.reset(&self.chosen.groups, &Velocity::default());
        self.impact.cap_left.clear();
        self.impact.cap_left.extend_from_slice(whole.caps());
        for (flies, &i) in self.impact.airborne.iter_mut().zip(&self.chosen.points) {
            *flies = whole.airborne.get(i as usize) == Some(&true);
        }
        for (own, &head) in self.impact.losses.iter_mut().zip(&self.chosen.heads) {
            *own = losses.get(head as usize).copied().unwrap_or_default();
        }
    }

    /// The problem of these islands, with what to start from, and room for its answer.
    pub fn parts<'a>(&'a mut self, whole: &ContactProblem<'a>) -> OwnProblem<'a> {
        let Self { chosen, v_start, v_free, impact, solution, scratch, .. } = self;
        let own: [&'a Velocity; 2] = [v_start, v_free];
        let [v_start, v_free] = if own[0].is_empty() { [whole.v_start, whole.v_free] } else { own };
        let problem = chosen.problem(whole, v_start, v_free, impact);
        let Warm { points, couples, rows } = chosen.warm.all();
        let (points, couples) = (impact.revised.warm_or(points), impact.revised.couples_or(couples));
        let warm = Warm { points, couples, rows };
        OwnProblem { problem, warm, losses: &impact.losses, scratch, solution }
    }

    /// Number of islands.
    pub fn islands(&self) -> usize {
        self.chosen.graph.islands()
    }

    /// Drivers with a limit that act here.
    pub fn limited(&self) -> &[u32] {
        &self.chosen.limited
    }

    /// Gives a driver and its moving surfaces a share of their velocity.
    pub fn scale_driver(&mut self, driver: u32, share: f64) {
        let Selection { groups, full_driven, full_surface_velocities, .. } = &mut self.chosen;
        groups.driven[driver as usize] = full_driven[driver as usize] * share;
        for (belt, full) in groups.surface_velocities.iter_mut().zip(full_surface_velocities) {
            for k in (0..2).filter(|k| full.driver[*k] == Some(driver)) {
                belt.velocity[k] = full.velocity[k] * share;
            }
        }
    }

    /// Impacts and solve of these islands: `whole` is the problem before its impacts.
    pub fn step(
        &mut self,
        kind: SolverKind,
        settings: &Settings,
        whole: &ContactProblem,
        acceleration: &Velocity,
    ) -> SolveReport {
        self.v_start.copy_from(whole.v_start);
        let problem = ImpactProblem {
            h: whole.h,
            acceleration,
            inertia: whole.move_inertia,
            groups: &self.chosen.groups,
            graph: &self.chosen.graph,
            scale: whole.scale,
            friction: kind.has_friction(),
        };
        impact(settings, &problem, &mut self.v_start, &mut self.scratch, &mut self.impact);
        let warm = &self.chosen.warm;
        self.impact.revised.turn_warm(&self.chosen.groups, &warm.points, &warm.couples);
        self.v_free.set_kicked(&self.v_start, acceleration, whole.h);
        let OwnProblem { problem, warm, scratch, solution, .. } = self.parts(whole);
        kind.solve(settings, &problem, warm, scratch, solution)
    }

    /// Work that a driver gave in impacts and solve [J].
    pub fn work_of(&self, driver: u32) -> f64 {
        let loads = [&self.impact.drivers, &self.solution.drivers];
        loads.into_iter().filter_map(|loads| loads.get(driver as usize)).map(|load| load.work).sum()
    }

    /// Notes that the books of the whole problem hold what was just solved.
    pub fn note_first(&mut self) {
        let first = &mut self.first;
        first.impact.clone_from(&self.impact.work);
        first.time_shift = self.impact.time_shift;
        first.impact_loads.clone_from(&self.impact.drivers);
        (first.impacts, first.guarded) = (self.impact.impacts, self.impact.guarded);
        first.solve.clone_from(&self.solution.work);
        first.solve_loads.clone_from(&self.solution.drivers);
    }

    /// Puts the answer of these islands into that of the whole problem, with the points that landed.
    pub(crate) fn put_back(&self, whole: &ContactProblem, to: &mut Solution, scratch: &mut Scratch) {
        self.put_back_answer(whole, to);
        let chosen = &self.chosen;
        let is_here = |landing: &Landing| {
            whole.graph.island_of(landing.head as usize).is_some_and(|island| chosen.has_island[island])
        };
        scratch.landing.retain(|landing| !is_here(landing));
        let place = |landing: &Landing| {
            let point = chosen.points[landing.point as usize];
            Landing::new(chosen.heads[landing.head as usize], point as usize)
        };
        scratch.landing.extend(self.scratch.landing.iter().map(place));
    }

    /// Puts the answer of these islands into that of the whole problem.
    pub fn put_back_answer(&self, whole: &ContactProblem, to: &mut Solution) {
        let (chosen, from) = (&self.chosen, &self.solution);
        for (i, &whole) in chosen.points.iter().enumerate() {
            to.impulses[whole as usize] = from.impulses[i];
        }
        for (i, &whole) in chosen.couples.iter().enumerate() {
            to.couples[whole as usize] = from.couples[i];
        }
        for (i, &whole) in chosen.rows.iter().enumerate() {
            to.rows[whole as usize] = from.rows[i];
        }
        self.copy_islands(whole, &from.v, &mut to.v);
        self.copy_islands(whole, &from.correction, &mut to.correction);
        if !from.push_out.is_empty() && !to.push_out.is_empty() {
            self.copy_islands(whole, &from.push_out, &mut to.push_out);
        }
        for (change, &whole) in from.stored.iter().zip(&chosen.heads) {
            to.stored[whole as usize] = *change;
        }
        to.work.replace(&self.first.solve, &from.work);
        self.replace_loads(&self.first.solve_loads, &from.drivers, &mut to.drivers);
        if !from.capped.is_empty() {
            to.capped.resize(chosen.groups.driven.len(), false);
            for driver in chosen.limited.iter().map(|&driver| driver as usize) {
                to.capped[driver] = from.capped[driver];
            }
        }
    }

    /// Puts impacts, velocities and answer of these islands into those of the whole step. `assembled` are the groups of [`Part::select`], `warm`
    /// the impulses of the last step.
    pub fn put_back_step(
        &self,
        assembled: &Groups,
        graph: &ContactGraph,
        inertia: &BlockInertia,
        warm: Warm,
        to: WholeStep,
    ) {
        let WholeStep { v_start, v_free, impact, solution, scratch } = to;
        let (still, h, scale) = (Velocity::default(), 0.0, Scale::default());
        let whole = ContactProblem {
            h,
            v_start: &still,
            v_free: &still,
            move_inertia: inertia,
            groups: assembled,
            graph,
            airborne: &[],
            cap_left: &[],
            scale,
        };
        self.copy_islands(&whole, &self.v_start, v_start);
        self.copy_islands(&whole, &self.v_free, v_free);
        self.copy_islands(&whole, &self.impact.displacement, &mut impact.displacement);
        self.put_back_impacts(impact);
        self.put_back_groups(assembled, &mut impact.revised);
        impact.revised.turn_warm(assembled, warm.points, warm.couples);
        self.put_back(&whole, solution, scratch);
    }

    fn put_back_impacts(&self, to: &mut ImpactOutcome) {
        let (chosen, from) = (&self.chosen, &self.impact);
        for (i, &whole) in chosen.points.iter().enumerate() {
            to.impulses[whole as usize] = from.impulses[i];
            to.airborne[whole as usize] = from.airborne[i];
        }
        for (k, &whole) in chosen.heads.iter().enumerate() {
            to.losses[whole as usize] = from.losses[k];
            to.given[whole as usize] = from.given[k];
        }
        to.work.replace(&self.first.impact, &from.work);
        to.time_shift.add(-self.first.time_shift.value());
        to.time_shift.add_sum(&from.time_shift);
        to.any_supported |= from.any_supported;
        to.impacts = to.impacts + from.impacts - self.first.impacts;
        to.guarded = to.guarded + from.guarded - self.first.guarded;
        to.least_beta = scalar::min(from.least_beta, to.least_beta);
        to.unfinished |= from.unfinished;
        self.replace_loads(&self.first.impact_loads, &from.drivers, &mut to.drivers);
        if !to.cap_left.is_empty() {
            for driver in chosen.limited.iter().map(|&driver| driver as usize) {
                to.cap_left[driver] = from.cap_left[driver];
            }
        }
    }

    /// Frames of touches and velocities of drivers.
    fn put_back_groups(&self, assembled: &Groups, revised: &mut RevisedGroups) {
        let (chosen, from) = (&self.chosen, self.impact.revised.or(&self.chosen.groups));
        let touched = self.impact.revised.touched().iter().map(|&group| chosen.heads[group as usize]);
        revised.replace_touched(|group| chosen.heads.binary_search(&group).is_ok(), touched);
        let groups = revised.revise(assembled);
        for (k, &whole) in chosen.heads.iter().enumerate() {
            let (head, new) = (&mut groups.heads[whole as usize], &from.heads[k]);
            (head.normal, head.tangent, head.demand) = (new.normal, new.tangent, new.demand);
        }
        for (i, &whole) in chosen.points.iter().enumerate() {
            let (point, new) = (&mut groups.points[whole as usize], &from.points[i]);
            (point.arm, point.gap) = (new.arm, new.gap);
        }
        for driver in chosen.limited.iter().map(|&driver| driver as usize) {
            groups.driven[driver] = chosen.groups.driven[driver];
        }
        for belt in &chosen.groups.surface_velocities {
            let first = chosen.points[belt.first as usize];
            if let Ok(at) = groups.surface_velocities.binary_search_by_key(&first, |belt| belt.first) {
                groups.surface_velocities[at].velocity = belt.velocity;
            }
        }
    }

    /// Copies the velocities, or displacements, of these islands.
    pub fn copy_islands(&self, whole: &ContactProblem, from: &Velocity, to: &mut Velocity) {
        for island in (0..whole.graph.islands()).filter(|island| self.chosen.has_island[*island]) {
            whole.for_each_velocity(island, |slot| match slot {
                Slot::Free(i) => to.free[i] = from.free[i],
                Slot::Dof(i) => to.dof[i] = from.dof[i],
            });
        }
    }

    /// Loads of drivers: those with a limit act here alone, the others elsewhere, too.
    fn replace_loads(&self, first: &[DriverLoad], last: &[DriverLoad], to: &mut [DriverLoad]) {
        for (driver, load) in to.iter_mut().enumerate() {
            if self.chosen.limited.binary_search(&(driver as u32)).is_ok() {
                *load = last[driver];
            } else {
                let (first, last) = (first[driver], last[driver]);
                load.work += last.work - first.work;
                load.impulse += last.impulse - first.impulse;
                load.torque_impulse += last.torque_impulse - first.torque_impulse;
            }
        }
    }
}

impl Groups {
    /// Removes all groups, and takes over what those of another share: materials, demands, drivers and rows of trees.
    fn share(&mut self, from: &Self) {
        self.demands.clone_from(&from.demands);
        self.materials.clone_from(&from.materials);
        self.driven.clone_from(&from.driven);
        self.tree.spans.clone_from(&from.tree.spans);
        self.tree.path.clone_from(&from.tree.path);
        self.tree.j.clone_from(&from.tree.j);
        self.tree.y.clone_from(&from.tree.y);
        self.torque_limited.clone_from(&from.torque_limited);
        self.caps.clone_from(&from.caps);
        self.work_limits.clone_from(&from.work_limits);
        self.heads.clear();
        self.points.clear();
        self.rows.clear();
        self.parts.clear();
        self.couples = 0;
        self.surface_velocities.clear();
        self.round.clear();
    }

    /// Adds a copy of a group of other groups, with which this one has materials, demands, drivers and rows of trees in common.
    pub(crate) fn push_copy(&mut self, from: &Self, head: &Head) {
        let first = self.entry_count(head) as u32;
        let mut new = Head { first, ..*head };
        let points = from.points_of(head);
        if !points.is_empty() {
            self.points.extend_from_slice(points);
            let surface = from.surface_velocity(head);
            self.surface_velocities.extend(surface.map(|surface| SurfaceVelocity { first, ..*surface }));
            self.round.extend(from.round(head).map(|round| Round { first, ..*round }));
        }
        self.rows.extend_from_slice(&from.rows[from.row_range(head)]);
        let row = |part: &RowPart| part.row - head.first + first;
        self.parts.extend(from.parts_of_group(head).map(|part| RowPart { row: row(part), ..*part }));
        if head.couple != NO_COUPLE {
            new.couple = self.couples;
            self.couples += u32::from(head.len);
        }
        self.heads.push(new);
    }
}

impl ImpulseCopy {
    /// Adds the impulses of a group of `groups`.
    pub(crate) fn push_copy(&mut self, from: Warm, groups: &Groups, head: &Head) {
        self.points.extend_from_slice(from.points.get(groups.point_range(head)).unwrap_or_default());
        self.rows.extend_from_slice(from.rows.get(groups.row_range(head)).unwrap_or_default());
        self.couples.extend_from_slice(from.couples.get(head.couples()).unwrap_or_default());
    }
}
