//! Positions: the smallest displacement c that keeps what the integrator does admissible.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | s | `s` | displacement that the integrator is about to make | m |
//! | c | `c` | displacement to add to it, c = M⁻¹Jᵀκ | m |
//! | κ | `kappa` | multiplier of a row, ≥ 0 for contacts and limits | kg·m |
//!
//! Minimise ½ cᵀMc such that J(s + c) is not below what a row is asked for: projected Gauss–Seidel on the normals.
//! Velocities take no part and are not touched.
//!
//! **What was pressed and still is stays where it is**: there J_n(s + c) is what the row is asked for and no more, and where friction holds
//! J_t(s + c) = 0. A point that turns with its body has at the start of a step a velocity u by the new J, although it rested by the old
//! one: −hω²r for a rod on its end. The impulse p takes it away, p·u/2 is booked for that, and the point has meanwhile moved by hu/2: up,
//! with energy that nothing gave. Let u be of all rows that hold, a the acceleration, and W theirs. Then p = −W⁻¹(u + hJa), the displacement
//! c = −(h/2)M⁻¹JᵀW⁻¹u lifts by (h/2) u·W⁻¹Ja, and the two together are −½ u·W⁻¹u: never a gain. The same holds for **what rose and is
//! pressed at the end**: it came down within the step, and without this a ball that leaves the ground at gh/2 would stand gh²/4 above it, with
//! m(gh)²/8 that nothing gave.

use crate::{ContactProblem, Head, Impulse, Law, Point, Scratch, Settings, Side, Solution, Velocity};
use huygens_math::{Twist, scalar};

/// Violations below this share of the scene's length do not count: a hundred roundings of a position.
const ROUND_OFF: f64 = 1e-14;

/// A row of the correction.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CorrectionRow {
    /// What is still asked of J c [m].
    need: f64,
    /// 1/W_nn, or 0 when nothing moves.
    inverse: f64,
    kappa: f64,
    /// No more than what is asked for, either.
    exact: bool,
}

/// Friction of a point that sticks, along one tangent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StickRow {
    head: u32,
    point: u32,
    /// 1 or 2: which tangent.
    axis: u8,
    row: CorrectionRow,
}

/// Contact impulses of the last step and of this one, by which a correction knows the contacts that last. Without them no contact lasts.
#[derive(Clone, Copy, Debug, Default)]
pub struct LoadHistory<'a> {
    /// Impulses of the last step.
    pub last: &'a [Impulse],
    /// Impulses of this step.
    pub current: &'a [Impulse],
    /// Velocity at the end of this step.
    pub v: Option<&'a Velocity>,
}

/// Share of the problem's speed up to which a point rests, and of the friction cone up to which it is held along the surface.
const RESTS: f64 = 1e-9;
const INSIDE: f64 = 1.0 - 1e-9;

/// Constraint that a lasting contact puts on the displacement of a point.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hold {
    /// Nothing: it is new, it opens, or it is not pressed.
    None,
    /// It was pressed and still is, or it rose and is back.
    Normal,
    /// Friction holds it, too.
    Stick,
}

impl LoadHistory<'_> {
    fn hold_of(&self, problem: &ContactProblem, head: &Head, i: usize) -> Hold {
        let pressed = |list: &[Impulse]| list.get(i).is_some_and(|p| p[0] > 0.0);
        let Some(v) = self.v.filter(|_| pressed(self.current)) else { return Hold::None };
        let point = &problem.groups.points[i];
        let was_pressed = pressed(self.last);
        if !was_pressed && problem.groups.relative(head, point, problem.v_start)[0] <= 0.0 {
            return Hold::None;
        }
        let u = problem.groups.relative_at_end(head, point, v);
        let rests = RESTS * problem.scale.speed;
        // A model of the associated law lets what slips open while it is pressed.
        if u[0] + scalar::max(point.gap, 0.0) / problem.h > rests {
            return Hold::None;
        }
        if !was_pressed {
            return Hold::Normal;
        }
        let [n, a, b] = self.current[i];
        let most = problem.groups.materials[head.material as usize].friction_static * n * INSIDE;
        let sticks = a * a + b * b < most * most && u[1] * u[1] + u[2] * u[2] <= rests * rests;
        if sticks { Hold::Stick } else { Hold::Normal }
    }
}

/// How a correction went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CorrectionReport {
    /// Sweeps of the island that took most; 0 when nothing was violated.
    pub sweeps: u32,
    /// Rows that s alone would violate.
    pub violated: u32,
    /// The largest of those violations [m].
    pub largest: f64,
}

impl CorrectionReport {
    /// Takes in the report of one more island.
    fn include(&mut self, island: &Self) {
        self.sweeps = self.sweeps.max(island.sweeps);
        self.violated += island.violated;
        self.largest = scalar::max(island.largest, self.largest);
    }
}

/// Finds the smallest displacement `c` so that s + c drives no contact or limit further in than its gap allows, and
/// undoes overlap as the stabilisation asks; joints follow their target. Exactly zero when s alone does.
///
/// `s` is the integrator's own displacement plus that of the impact stage; driven sides move by h times their velocity.
pub fn correct(
    settings: &Settings,
    problem: &ContactProblem,
    s: &Velocity,
    scratch: &mut Scratch,
    c: &mut Velocity,
) -> CorrectionReport {
    solve(settings, problem, &CorrectionInput { s, capped: &[], loads: LoadHistory::default() }, scratch, c)
}

/// As [`correct`], for the answer of a model that started from the impulses `last`: what was pressed and still is stays where it is. Contacts of the
/// drivers that are marked ([`crate::Solution::capped`]) are left out: what they could not push away, no correction carries along.
pub fn correct_held(
    settings: &Settings,
    problem: &ContactProblem,
    s: &Velocity,
    last: &[Impulse],
    scratch: &mut Scratch,
    solution: &mut Solution,
) -> CorrectionReport {
    let Solution { impulses, v, correction, push_out, capped, .. } = solution;
    push_out.clear();
    let input = CorrectionInput { s, capped, loads: LoadHistory { last, current: impulses, v: Some(v) } };
    solve(settings, problem, &input, scratch, correction)
}

/// Data from which a correction is computed.
#[derive(Clone, Copy, Debug)]
pub struct CorrectionInput<'a> {
    /// Displacement that the step is about to make.
    pub s: &'a Velocity,
    /// Drivers whose contacts do not hold ([`crate::Solution::capped`]); empty for none.
    pub capped: &'a [bool],
    /// Impulses that say which contacts last.
    pub loads: LoadHistory<'a>,
}

/// The correction of all islands.
fn solve(
    settings: &Settings,
    problem: &ContactProblem,
    input: &CorrectionInput,
    scratch: &mut Scratch,
    c: &mut Velocity,
) -> CorrectionReport {
    c.reset_like(input.s);
    let (groups, graph) = (problem.groups, problem.graph);
    scratch.correction.clear();
    scratch.correction.resize(groups.points.len() + groups.rows.len(), CorrectionRow::default());
    let enough =
        scalar::max(ROUND_OFF * problem.scale.length, settings.tolerance * problem.scale.speed * problem.h);
    let mut report = CorrectionReport::default();
    for island in 0..graph.islands() {
        let members = graph.groups(island);
        let mut own = needs(problem, input, members, scratch);
        if own.violated > 0 {
            weigh(problem, input.capped, members, scratch);
            for _ in 0..settings.iterations {
                own.sweeps += 1;
                if sweep(problem, members, scratch, c) <= enough {
                    break;
                }
            }
        }
        report.include(&own);
    }
    report
}

/// Sweeps of [`land`] at most: corners of a face share the work.
const LANDINGS: usize = 16;
/// Landings times sweeps that are spent on an island, one sweep at least, and most landings: in a large heap that comes down others land on
/// what has just landed, and a micrometre is nothing.
const LANDING_WORK: usize = 1024;
pub(crate) const MOST_LANDINGS: usize = 4096;

/// A point that was open at the start of the step and is pressed at its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Landing {
    pub head: u32,
    pub point: u32,
    row: CorrectionRow,
}

impl Landing {
    pub fn new(head: u32, point: usize) -> Self {
        Self { head, point: point as u32, row: CorrectionRow::default() }
    }
}

/// Adds to the correction of a model that finds the displacement itself: a point that landed in this step comes as far as its gap and no
/// deeper. `s` is the displacement of the step without that correction; the model has told which points landed.
///
/// Sub-steps run ahead of the parabola by half a sub-step of what the kick adds, and what they land on is lower by as much: 1.2 µm at
/// 1 ms, which the ledger showed as heat that no fall had given.
pub fn land(problem: &ContactProblem, s: &Velocity, scratch: &mut Scratch, solution: &mut Solution) {
    let Scratch { landing: list, normals, .. } = scratch;
    // In the order of the contacts, however they were solved.
    let island = |landing: &Landing| problem.graph.island_of(landing.head as usize);
    list.sort_unstable_by_key(|landing| (island(landing), landing.point));
    for own in list.chunk_by_mut(|a, b| island(a) == island(b)) {
        land_island(problem, s, own, normals, solution);
    }
}

/// The normal of a point between bodies: J, and the answer M⁻¹Jᵀ to a unit impulse, of each side. Many sweeps go over it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Normal {
    /// Free bodies that it acts on.
    body: [Option<u32>; 2],
    along: [Twist; 2],
    answer: [Twist; 2],
    /// A tree takes part: the rows of the point say it.
    has_tree: bool,
}

impl Normal {
    fn of(problem: &ContactProblem, head: &Head, point: &Point) -> Self {
        let mut normal = Self { has_tree: point.tree.is_some(), ..Self::default() };
        for (k, n) in [(0, head.normal), (1, -head.normal)] {
            if let Side::Free(body) = head.side[k] {
                normal.body[k] = Some(body);
                normal.along[k] = Twist::new(n, point.arm[k].cross(n));
                normal.answer[k] = problem.move_inertia.free[body as usize].respond(n, point.arm[k]);
            }
        }
        normal
    }

    /// J c.
    #[inline(always)]
    fn rate(&self, c: &Velocity) -> f64 {
        let mut rate = 0.0;
        for (body, along) in self.body.iter().zip(&self.along) {
            if let Some(body) = body {
                let c = &c.free[*body as usize];
                rate += along.linear.dot(c.linear) + along.angular.dot(c.angular);
            }
        }
        rate
    }

    /// Adds M⁻¹Jᵀ `delta`.
    #[inline(always)]
    fn apply(&self, delta: f64, c: &mut Velocity) {
        for (body, answer) in self.body.iter().zip(&self.answer) {
            if let Some(body) = body {
                c.free[*body as usize] += *answer * delta;
            }
        }
    }
}

/// [`land`] for the points of one island.
fn land_island(
    problem: &ContactProblem,
    s: &Velocity,
    list: &mut [Landing],
    normals: &mut Vec<Normal>,
    solution: &mut Solution,
) {
    let (groups, h, m) = (problem.groups, problem.h, problem.move_inertia);
    let Solution { correction, capped, .. } = solution;
    let count = list.len();
    if count > MOST_LANDINGS {
        return;
    }
    normals.clear();
    for landing in list.iter_mut() {
        let (head, point) = (&groups.heads[landing.head as usize], &groups.points[landing.point as usize]);
        normals.push(Normal::of(problem, head, point));
        if !gives_way(problem, capped, head) {
            let moved = groups.normal_rate(head, point, s) + h * groups.prescribed(head, point)[0];
            landing.row.need = -point.gap - moved;
            landing.row.inverse = groups.normal_mass(m, head, point);
        }
    }
    for _ in 0..(LANDING_WORK / count).clamp(1, LANDINGS) {
        let mut largest = 0.0;
        for (landing, normal) in
            list.iter_mut().zip(&*normals).filter(|(landing, _)| landing.row.inverse > 0.0)
        {
            let (head, row) = (&groups.heads[landing.head as usize], &mut landing.row);
            let point = &groups.points[landing.point as usize];
            let rate = if normal.has_tree {
                groups.normal_rate(head, point, correction)
            } else {
                normal.rate(correction)
            };
            let new = row.kappa + (row.need - rate) * row.inverse;
            let delta = scalar::max(new, 0.0) - row.kappa;
            if delta == 0.0 {
                continue;
            }
            row.kappa += delta;
            largest = scalar::max((delta / row.inverse).abs(), largest);
            if normal.has_tree {
                groups.apply(m, head, point, [delta, 0.0, 0.0], correction);
            } else {
                normal.apply(delta, correction);
            }
        }
        if largest <= ROUND_OFF * problem.scale.length {
            break;
        }
    }
}

/// Motors and friction have no place to keep.
#[inline(always)]
fn keeps_place(head: &Head) -> bool {
    !head.is_motor()
}

/// What s leaves to be done of the rows of an island.
fn needs(
    problem: &ContactProblem,
    input: &CorrectionInput,
    island: &[u32],
    scratch: &mut Scratch,
) -> CorrectionReport {
    let (groups, h) = (problem.groups, problem.h);
    let CorrectionInput { s, capped, loads } = *input;
    let mut report = CorrectionReport::default();
    scratch.sticking.clear();
    for k in island.iter().map(|&group| group as usize) {
        let head = &groups.heads[k];
        if !keeps_place(head) || gives_way(problem, capped, head) {
            continue;
        }
        let demand = groups.demand(head);
        for entry in groups.entries(head) {
            let i = entry.index;
            let need = if let Some(point) = entry.point() {
                let moved = opening_along(problem, head, i, s);
                let hold = loads.hold_of(problem, head, i);
                scratch.correction[i].exact = hold != Hold::None;
                if hold == Hold::Stick {
                    stick(problem, s, k, i, scratch, &mut report);
                }
                demand.gap_displacement(h, point.gap) - moved
            } else {
                let moved = entry.first_rate(s) + h * groups.prescribed_row(head, i);
                demand.row_displacement(h, head.law, &groups.rows[i]) - moved
            };
            let row = &mut scratch.correction[entry.slot()];
            row.exact |= head.law == Law::Equality;
            row.need = need;
            report.see(problem, if row.exact { need.abs() } else { need });
        }
    }
    report
}

impl CorrectionReport {
    fn see(&mut self, problem: &ContactProblem, violation: f64) {
        if violation > ROUND_OFF * problem.scale.length {
            self.violated += 1;
            self.largest = scalar::max(violation, self.largest);
        }
    }
}

/// How far the displacement opens a contact [m]: along its normal, and of two balls by the length of the line between their centres. Balls that
/// pass each other come nearer along the normal of the start than they do.
fn opening_along(problem: &ContactProblem, head: &Head, i: usize, s: &Velocity) -> f64 {
    let (groups, h, point) = (problem.groups, problem.h, &problem.groups.points[i]);
    let Some(round) = groups.round(head) else {
        return groups.normal_rate(head, point, s) + h * groups.prescribed(head, point)[0];
    };
    let centre = Point { arm: round.centre, ..*point };
    let (free, driven) = (groups.rate(head, &centre, s), groups.prescribed(head, &centre));
    let moved = head.to_world([0, 1, 2].map(|k| free[k] + h * driven[k]));
    (round.apart + moved).length() - (round.radius[0] + round.radius[1]) - point.gap
}

/// The rows of a point that friction holds.
fn stick(
    problem: &ContactProblem,
    s: &Velocity,
    k: usize,
    i: usize,
    scratch: &mut Scratch,
    report: &mut CorrectionReport,
) {
    let groups = problem.groups;
    let (head, point) = (&groups.heads[k], &groups.points[i]);
    let (moved, driven) = (groups.rate(head, point, s), groups.prescribed(head, point));
    let w = groups.delassus(problem.move_inertia, head, point);
    for axis in 1..3 {
        let (need, own) = (-moved[axis] - problem.h * driven[axis], w.col(axis)[axis]);
        if own > 0.0 {
            report.see(problem, need.abs());
            let row = CorrectionRow { need, inverse: 1.0 / own, kappa: 0.0, exact: true };
            scratch.sticking.push(StickRow { head: k as u32, point: i as u32, axis: axis as u8, row });
        }
    }
}

/// What a capped driver touches is not held by it.
#[inline(always)]
fn gives_way(problem: &ContactProblem, capped: &[bool], head: &Head) -> bool {
    let is_capped = |side| problem.groups.driver_of(side).is_some_and(|i| capped[i as usize]);
    !capped.is_empty() && head.side.into_iter().any(is_capped)
}

/// Rows that are left out keep an inverse of zero, and so do nothing.
fn weigh(problem: &ContactProblem, capped: &[bool], island: &[u32], scratch: &mut Scratch) {
    let (groups, m) = (problem.groups, problem.move_inertia);
    let heads = island.iter().map(|&group| &groups.heads[group as usize]);
    for head in heads.filter(|head| !gives_way(problem, capped, head)) {
        for entry in groups.entries(head) {
            scratch.correction[entry.slot()].inverse = entry.first_mass(m);
        }
    }
}

/// One sweep over an island; returns the largest change of a row's displacement [m].
fn sweep(problem: &ContactProblem, island: &[u32], scratch: &mut Scratch, c: &mut Velocity) -> f64 {
    let (groups, m) = (problem.groups, problem.move_inertia);
    let mut largest = 0.0;
    for head in island.iter().map(|&group| &groups.heads[group as usize]) {
        if !keeps_place(head) {
            continue;
        }
        for entry in groups.entries(head) {
            let row = &mut scratch.correction[entry.slot()];
            if row.inverse == 0.0 {
                continue;
            }
            let target = row.kappa + (row.need - entry.first_rate(c)) * row.inverse;
            let new = if row.exact { target } else { scalar::max(target, 0.0) };
            let delta = new - row.kappa;
            if delta == 0.0 {
                continue;
            }
            row.kappa = new;
            largest = scalar::max((delta / row.inverse).abs(), largest);
            entry.apply_first(m, delta, c);
        }
    }
    for stick in &mut scratch.sticking {
        let (head, point) = (&groups.heads[stick.head as usize], &groups.points[stick.point as usize]);
        let axis = stick.axis as usize;
        let delta = (stick.row.need - groups.rate(head, point, c)[axis]) * stick.row.inverse;
        let mut push = [0.0; 3];
        push[axis] = delta;
        largest = scalar::max((delta / stick.row.inverse).abs(), largest);
        groups.apply(m, head, point, push, c);
    }
    largest
}
