//! The impact stage.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | v | `v_start` | velocity at the start of the step | m/s |
//! | a | `acceleration` | (v_free − v)/h: gravity and forces, constant in the step; 0 for what is supported | m/s² |
//! | τ | `event.time` | moment of an impact in the step | s |
//! | p | `answer.p` | its impulse | N·s |
//!
//! **Why at the start of the step, with a displacement.** An impulse p at τ makes the velocity v + a t + M⁻¹Jᵀp for t > τ and
//! the position x₀ + v t + ½ a t² + (t − τ) M⁻¹Jᵀp. With v' = v + M⁻¹Jᵀp these are v' + a t and x₀ + v' t + ½ a t² − τM⁻¹Jᵀp:
//! the flight of a body that had v' from the start, moved by −τM⁻¹Jᵀp. So a step h(v' + v' + a h)/2 − τM⁻¹Jᵀp follows the
//! true trajectory exactly, with the bounce at the surface: for a ball, p = −(1 + e) m (u + aτ).
//!
//! **The books.** The kinetic energy of v changes by p·J(v + v')/2. With the velocities at τ, u_τ = u + J a τ, this is
//! p·(u_τ⁻ + u_τ⁺)/2 − τ p·J a, driver work apart. The first part is `work`, the physical loss: ½ m_eff (1 − e²) u_τ² for one
//! point, nothing for an elastic bounce. The second is `time_shift`. The displacement changes the potential of a uniform field a
//! by −Ma·(−τM⁻¹Jᵀp) = +τ p·J a: booked together, as `correction`, the two cancel.

#![allow(clippy::needless_range_loop, reason = "one index goes through several small arrays")]

use super::block::{Answer, MOST, Touch};
use super::flight::Flight;
use super::revised::{ImpactGroups, RevisedGroups};
use super::round::{RelativePath, turn};
use super::schedule::{Event, ImpactScratch, bounces};
use super::spin::Turning;
use super::support;
use crate::kernel::Friction;
use crate::{
    ContactGraph, DriverLoad, Groups, Head, NO_COUPLE, Scale, Scratch, Settings, Velocity, Work, work,
};
use huygens_math::{BlockInertia, Sum, Vec3, scalar};

/// Points nearer than this share of the scene's length when one of their manifold touches, touch with it: gaps of a flat
/// landing differ by their round-off, which the next bounces amplify.
pub(super) const TOUCH: f64 = 1e-6;

/// Least closing speed that is an impact, as a share of the problem's speed: below it an elastic pair that has just
/// bounced would bounce again on its round-off.
const LEAST_SPEED: f64 = 1e-12;

/// Impacts of an island in a step for each of its bouncing groups, before the rest is left to the solve.
const IMPACTS_PER_GROUP: u32 = 32;

/// What the impact stage sees.
#[derive(Debug)]
pub struct ImpactProblem<'a> {
    /// The whole step [s].
    pub h: f64,
    /// Acceleration without contact, (v_free − v_start)/h.
    pub acceleration: &'a Velocity,
    /// What turns impulses into velocity.
    pub inertia: &'a BlockInertia,
    /// Contacts, sorted by key; other laws take no part.
    pub groups: &'a Groups,
    /// Which of them hang together.
    pub graph: &'a ContactGraph,
    /// Sizes from which tolerances derive.
    pub scale: Scale,
    /// False for a model without friction: its impacts have none either.
    pub friction: bool,
}

/// What the impact stage did.
#[derive(Clone, Debug, Default)]
pub struct ImpactOutcome {
    /// Impulse of each point on A, summed over the step, in world axes [N·s]: each impact of two balls has a frame of its own.
    pub impulses: Vec<Vec3>,
    /// The groups with the rows of the last touch of balls that bounced; those that the solve goes on with.
    pub revised: RevisedGroups,
    /// Σ −τ M⁻¹Jᵀp: to be added to the integrator's displacement, so that a bounce happens at the surface.
    pub displacement: Velocity,
    /// Energy by account (impact, friction, driver), with the velocities at the moments of impact.
    pub work: Work,
    /// Σ −τ p·(J a) [J]: `work.total()` plus this is the exact change of the kinetic energy of the start velocity. Book it
    /// with what the displacement does to the potential; in a uniform field the two cancel.
    pub time_shift: Sum,
    /// Something was supported: it flew without acceleration, so that its displacement and its part of `time_shift` do not cancel.
    pub any_supported: bool,
    /// What each driven body gave.
    pub drivers: Vec<DriverLoad>,
    /// What drivers at their cap would have given beyond it.
    uncapped_loads: Vec<DriverLoad>,
    /// What is left of the cap of each driver ([`Groups::caps`]) [N·s]: for [`crate::ContactProblem::cap_left`].
    pub cap_left: Vec<f64>,
    /// Energy that the impacts of each group took out, relative to drivers [J].
    pub losses: Vec<f64>,
    /// Energy that drivers brought in by the impacts of each group [J].
    pub given: Vec<f64>,
    /// Points of bouncing groups whose flight ends above the surface: for [`crate::ContactProblem::airborne`].
    pub airborne: Vec<bool>,
    /// Impacts of manifolds.
    pub impacts: u32,
    /// Of those, how many the passivity guard scaled back.
    pub guarded: u32,
    /// The smallest scale of the guard; 1 when it never acted.
    pub least_beta: f64,
    /// True when an island reached the bound on its impacts in a step; what remains is left to the solve.
    pub unfinished: bool,
}

impl ImpactOutcome {
    pub(crate) fn reset(&mut self, groups: &Groups, v: &Velocity) {
        self.impulses.clear();
        self.impulses.resize(groups.points.len(), Vec3::ZERO);
        self.revised.reset();
        self.cap_left.clone_from(&groups.caps);
        self.losses.clear();
        self.losses.resize(groups.heads.len(), 0.0);
        self.given.clear();
        self.given.resize(groups.heads.len(), 0.0);
        self.airborne.clear();
        self.airborne.resize(groups.points.len(), false);
        self.displacement.reset_like(v);
        self.work = Work::default();
        self.time_shift = Sum::default();
        work::reset_drivers(groups, &mut self.drivers);
        work::reset_drivers(groups, &mut self.uncapped_loads);
        (self.impacts, self.guarded, self.least_beta, self.unfinished) = (0, 0, 1.0, false);
        self.any_supported = false;
    }
}

/// Lets every contact group with e > 0 that closes inside the step faster than the threshold bounce, in order of time and
/// key, each with the velocities that the impacts before it left; changes the velocity at the start of the step.
///
/// The caller then has v_free = v_start + h a, and adds [`ImpactOutcome::displacement`] to the displacement of the step.
pub fn impact(
    settings: &Settings,
    problem: &ImpactProblem,
    v_start: &mut Velocity,
    scratch: &mut Scratch,
    out: &mut ImpactOutcome,
) {
    let groups = problem.groups;
    out.reset(groups, v_start);
    if !groups.materials.iter().any(|material| material.restitution > 0.0) {
        return;
    }
    let scratch = &mut scratch.impact;
    scratch.reset(groups, problem.graph);
    let threshold = scalar::max(settings.restitution_threshold, LEAST_SPEED * problem.scale.speed);
    support::find_supported(problem, v_start, threshold, scratch);
    out.any_supported = scratch.supported.contains(&true);
    let acceleration = std::mem::take(&mut scratch.acceleration);
    let mut displacement = std::mem::take(&mut out.displacement);
    let mut revised = std::mem::take(&mut out.revised);
    let mut flight = Flight {
        h: problem.h,
        inertia: problem.inertia,
        groups: ImpactGroups { assembled: groups, revised: &mut revised },
        scale: problem.scale,
        acceleration: &acceleration,
        v: v_start,
        displacement: &mut displacement,
        threshold,
        friction: problem.friction,
    };
    let graph = problem.graph;
    for (group, head) in groups.heads.iter().enumerate() {
        if let Some(island) = graph.island_of(group).filter(|_| bounces(groups, head)) {
            scratch.allow(island, IMPACTS_PER_GROUP);
            scratch.announce(group, flight.next_impact(head, 0.0));
        }
    }
    while let Some(event) = scratch.next() {
        let Some(island) = graph.island_of(event.group as usize) else { continue };
        if !scratch.may_strike(island) {
            out.unfinished = true;
            continue;
        }
        match strike(settings, &mut flight, event, out) {
            Struck::Moved => {
                scratch.spend(island);
                follow(&flight, graph, event, scratch);
            }
            Struck::Blocked => scratch.announce(event.group as usize, None),
        }
    }
    // The solve kicks what is supported, too.
    flight.acceleration = problem.acceleration;
    find_airborne(&flight, out);
    out.displacement = displacement;
    out.revised = revised;
    for (left, load) in out.cap_left.iter_mut().zip(&out.drivers) {
        *left = scalar::max(*left - load.impulse.length(), 0.0);
    }
    scratch.acceleration = acceleration;
}

/// Marks the points of bouncing groups whose flight ends above the surface. Without this the row that lets a gap close would
/// brake a ball before it touches: with u < −gap/h at the end of the step it is still up to ½ a h² away.
fn find_airborne(flight: &Flight, out: &mut ImpactOutcome) {
    let (groups, h) = (&*flight.groups, flight.h);
    for head in groups.heads.iter().filter(|head| bounces(groups, head)) {
        // Balls that pass each other end nearer along the normal than they are.
        let round = RelativePath::of(flight, head).map(|path| path.gap(h));
        for i in head.range() {
            let end = flight.at(head, i, h);
            let path = groups.points[i].gap.abs() + h * (end.u[0].abs() + h * end.a[0].abs());
            // An end at the surface but for round-off is the next step's impact, not a landing.
            out.airborne[i] = round.unwrap_or(end.gap) >= -8.0 * f64::EPSILON * path;
        }
    }
}

/// What came of an impact.
enum Struck {
    /// Velocities changed.
    Moved,
    /// Nothing there can move along the normal: to try again would give the same.
    Blocked,
}

/// One impact: solves it, applies it, books it.
fn strike(settings: &Settings, flight: &mut Flight, event: Event, out: &mut ImpactOutcome) -> Struck {
    let group = event.group as usize;
    turn(flight, group, event.time);
    let hit = Hit { time: event.time, group, head: flight.groups.heads[group] };
    let touch = touching(flight, event, &hit);
    let mut answer = touch.newton(flight.threshold);
    if answer.p[..touch.len].iter().all(|p| p.x == 0.0) {
        return Struck::Blocked;
    }
    out.impacts += 1;
    // Without the guard, the first impact of a contact in a step is Newton's law as it is, which may gain energy. Further impacts of the same
    // contact have the same rows, and gains of a body that rattles between two others would multiply: they are bounded always.
    let struck_before = out.impulses[hit.head.range()].iter().any(|p| *p != Vec3::ZERO);
    if settings.guard || struck_before {
        let beta = touch.guard(&mut answer);
        if beta < 1.0 {
            out.guarded += 1;
            out.least_beta = scalar::min(beta, out.least_beta);
        }
    }
    let uncapped = answer;
    let share = capped_share(&flight.groups, &hit.head, &answer.p[..touch.len], &out.drivers);
    if share <= 0.0 {
        return Struck::Blocked;
    }
    if share < 1.0 {
        answer.p.iter_mut().for_each(|p| *p *= share);
        answer.tau *= share;
    }
    apply(flight, &hit, &touch, &answer);
    book(flight, &hit, &touch, &uncapped, &answer, out);
    Struck::Moved
}

/// One impact of a contact.
struct Hit {
    time: f64,
    group: usize,
    head: Head,
}

/// The points of the manifold that touch when one of them is struck.
fn touching(flight: &Flight, event: Event, hit: &Hit) -> Touch {
    let mut points = [(0, [0.0; 3]); MOST];
    let mut len = 0;
    for i in hit.head.range() {
        let now = flight.at(&hit.head, i, hit.time);
        if (now.gap <= TOUCH * flight.scale.length || i == event.point as usize) && len < MOST {
            points[len] = (i, now.u);
            len += 1;
        }
    }
    let (groups, inertia, scale) = (&*flight.groups, flight.inertia, flight.scale);
    let mut touch = Touch::new(groups, inertia, scale, &hit.head, &points[..len]);
    if !flight.friction {
        touch.friction = Friction::default();
    }
    if flight.friction && hit.head.couple != NO_COUPLE {
        let (spin, _) = flight.spin_at(&hit.head, hit.time);
        touch.turning = Turning::new(groups, inertia, scale, &hit.head, &touch, spin);
    }
    touch
}

fn apply(flight: &mut Flight, hit: &Hit, touch: &Touch, answer: &Answer) {
    let (groups, inertia, head) = (&*flight.groups, flight.inertia, &hit.head);
    for k in 0..touch.len {
        let (point, p) = (&groups.points[touch.index[k]], answer.p[k]);
        groups.apply(inertia, head, point, p.to_array(), flight.v);
        if hit.time > 0.0 {
            groups.apply(inertia, head, point, (p * -hit.time).to_array(), flight.displacement);
        }
    }
    if touch.turning.is_some() {
        flight.apply_couple(head, hit.time, answer.tau);
    }
}

/// Books an impact that was applied; `uncapped` is what it would have been without the caps of drivers.
fn book(
    flight: &Flight,
    hit: &Hit,
    touch: &Touch,
    uncapped: &Answer,
    answer: &Answer,
    out: &mut ImpactOutcome,
) {
    let (groups, head, time) = (&*flight.groups, &hit.head, hit.time);
    let mut given = Work::default();
    for k in 0..touch.len {
        let (i, p) = (touch.index[k], answer.p[k].to_array());
        let now = flight.at(head, i, time);
        let before = touch.before[k].to_array();
        let arm = groups.points[i].arm;
        work::book_point(&mut out.work, p, before, now.u);
        out.losses[hit.group] -= (0..3).map(|axis| 0.5 * p[axis] * (before[axis] + now.u[axis])).sum::<f64>();
        work::load_point(groups, head, arm, p, &mut given, &mut out.drivers);
        let removed = uncapped.p[k] - answer.p[k];
        if removed != Vec3::ZERO {
            let mut whole = Work::default();
            work::load_point(groups, head, arm, removed.to_array(), &mut whole, &mut out.uncapped_loads);
            out.work.take_back(whole.driver.value());
        }
        out.impulses[i] += head.to_world(p);
        for (p, a) in p.iter().zip(now.a) {
            out.time_shift.add(-time * p * a);
            out.work.magnitude += (time * p * a).abs();
        }
    }
    if let Some(turning) = &touch.turning {
        let loss = flight.book_couple(head, time, answer.tau, turning.before, out);
        out.losses[hit.group] += loss;
        let mut whole = Work::default();
        let removed = (uncapped.tau - answer.tau).to_array();
        work::load_couple(groups, head, removed, &mut whole, &mut out.uncapped_loads);
        out.work.take_back(whole.driver.value());
        work::load_couple(groups, head, answer.tau.to_array(), &mut given, &mut out.drivers);
    }
    out.given[hit.group] += given.driver.value();
    out.work.driver.add_sum(&given.driver);
    out.work.magnitude += given.magnitude;
}

/// Share of the impulses of a contact that the caps of its drivers still allow in this step.
fn capped_share(groups: &Groups, head: &Head, p: &[Vec3], given: &[DriverLoad]) -> f64 {
    let mut share = 1.0;
    if groups.caps.is_empty() {
        return share;
    }
    let size = head.to_world(p.iter().sum::<Vec3>().to_array()).length();
    for i in head.side.into_iter().filter_map(|side| groups.driver_of(side)) {
        let left = groups.caps[i as usize] - given[i as usize].impulse.length();
        if size > left {
            share = scalar::min(scalar::max(left, 0.0) / size, share);
        }
    }
    share
}

/// Predicts anew every bouncing group that shares a side with the one that was struck.
fn follow(flight: &Flight, graph: &ContactGraph, event: Event, scratch: &mut ImpactScratch) {
    let groups = &*flight.groups;
    let struck = &groups.heads[event.group as usize];
    scratch.hit(graph, struck, event.time);
    for movable in graph.movables_of(struck).into_iter().flatten() {
        for group in graph.groups_of(movable).iter().map(|&group| group as usize) {
            let head = &groups.heads[group];
            if bounces(groups, head) {
                let found = flight.next_impact(head, scratch.earliest(graph, head));
                scratch.announce(group, found);
            }
        }
    }
}
