//! Nothing passes: what is about to move farther than its own thickness is swept along its displacement against everything.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | s | `stop` | share of its displacement that a body makes | – |
//! | t | `thin` | half of the least width of a shape | m |
//! | p, u, W | `p`, `rate`, `w` | impulse along the normal, velocity of the point, inverse mass there | N·s, m/s, 1/kg |
//!
//! Rows are made of the motion at the start of the step. A body that another one strikes, or that an impact sets spinning, moves otherwise, and
//! may be about to go through things that it has no row for. Such a pair gets the rows of the touch on that way ([`super::touch`]), and the step
//! is solved again: [`ROUNDS`] times at most, which is a chain of as many bodies. Islands that nothing was added to come out with the same bits. What would
//! still go through stops at the touch. A free flight ends with the velocity that it has there: v⁺ − (1 − s)h·a, or v⁺ made slower, so that it has no more kinetic energy than T⁺ + F·c,
//! where c is the displacement that is cut: keeping v⁺ in the middle of a fall would win m·g·Δz. Then it loses the velocity that leads into the other:
//! p = −u/W, which takes ½u²/W. Where it is the turn of a whole step that leads there, it loses half of its spin, and with that ⅜ω·Iω.
//!
//! What comes near nothing and flies free is not swept. What is pressed deeper than a twentieth of t into something, or is about to be, is swept however slow it is: a squeeze would bring it to the other side step by step.
//! An overlap of a fifth of t, or a little more than there was at the start of the step, is none: that is for the recovery.
//! A link of a tree gets rows as all others do; it is not stopped.

use super::links::vector_of;
use super::table::{Kind, ShapeRow};
use super::touch::{Touch, add_points, can_be_swept, free_motion, least_square, manifolds_at, moved, turned};
use crate::access::SweepAccess;
use crate::ledger::Account;
use crate::model::{Model, Motion};
use crate::scene::DriveLimit;
use crate::state::State;
use crate::workspace::Found;
use huygens_contact::GroupKey;
use huygens_geometry::broadphase::{Filter, ProxyBox};
use huygens_geometry::query::{FirstTouch, Motion as Course, first_overlap, stays_apart};
use huygens_math::{Twist, Vec3, scalar, trig};

/// How often a step is solved again at most.
const ROUNDS: u32 = 4;

/// Groups of an island that is solved again for one of its bodies, at most.
const HEAP: usize = 64;

/// A body is fast when it moves by more than this share of its half thickness.
const FAST: f64 = 1.0;

/// Overlap that is none, in half thicknesses of what moves.
const NO_OVERLAP: f64 = 0.2;

/// Overlap from which on a slow body is swept too, in its half thicknesses.
const DEEP: f64 = 0.05;

/// By how much an old overlap may grow, in half thicknesses of what moves: a squeeze must not bring it deeper step by step.
const GROWTH: f64 = 2e-4;

/// Gap that counts as a touch, in half thicknesses.
const TOLERANCE: f64 = 1e-4;

/// Sweeps over the pairs in which stops are passed on, and over the blows.
const STOPS: usize = 16;
const BLOWS: usize = 8;

/// Share of its displacement below which a body is stuck.
const STUCK: f64 = 0.1;

/// Kinetic energy that is round-off, as a share of it.
const ROUND_OFF: f64 = 64.0 * f64::EPSILON;

/// Share of its spin that a body keeps beyond what its energy allows where it stops.
const SPARE_SPIN: f64 = 0.98;

/// Part numbers from here on are touches that the sweep found: eight for each round.
const PART: u32 = u32::MAX - 64;
const PARTS: u32 = 8;

/// Pairs near a fast shape that there is room for at once, each seen from both sides. Beyond that it grows.
const PAIRS_PER_SHAPE: usize = 48;

/// Room for the sweep.
#[derive(Debug, Default)]
pub struct SweepWork {
    /// Slots of the shapes that are fast.
    fast: Vec<u32>,
    /// Pairs that may meet, sorted.
    pairs: Vec<[u32; 2]>,
    /// Pairs that are deep in each other at the start or at the end of the step, sorted.
    deep: Vec<[u32; 2]>,
    /// Those that would pass each other.
    hits: Vec<Hit>,
    /// By body: it comes near something, or does not fly free.
    touched: Vec<bool>,
    /// By body: it meets something earlier in this round.
    taken: Vec<bool>,
    /// By body: the share of its displacement that it makes.
    stop: Vec<f64>,
    /// By body: the turn of its whole displacement [rad], and how far it comes until it stops [m].
    turns: Vec<Vec3>,
    ways: Vec<Vec3>,
    /// By body: it was stopped in this sweep over the pairs.
    stopped_now: Vec<bool>,
    /// By hit: how its shapes were about to move.
    courses: Vec<[Course; 2]>,
    /// By body: energy that drivers gave it where it was stopped [J]; empty for none.
    given: Vec<f64>,
}

impl SweepWork {
    /// Energy that drivers gave a body where it was stopped [J].
    pub(super) fn given(&self, body: usize) -> f64 {
        self.given.get(body).copied().unwrap_or_default()
    }

    /// Makes room for that many bodies and shapes.
    pub(crate) fn reserve(&mut self, bodies: usize, shapes: usize) {
        crate::workspace::reserve(&mut self.fast, PAIRS_PER_SHAPE * shapes);
        crate::workspace::reserve(&mut self.pairs, PAIRS_PER_SHAPE * shapes);
        crate::workspace::reserve(&mut self.deep, PAIRS_PER_SHAPE * shapes);
        crate::workspace::reserve(&mut self.hits, PAIRS_PER_SHAPE * shapes);
        crate::workspace::reserve(&mut self.touched, bodies);
        crate::workspace::reserve(&mut self.taken, bodies);
        crate::workspace::reserve(&mut self.stop, bodies);
        crate::workspace::reserve(&mut self.given, bodies);
        crate::workspace::reserve(&mut self.turns, bodies);
        crate::workspace::reserve(&mut self.ways, bodies);
        crate::workspace::reserve(&mut self.stopped_now, bodies);
        crate::workspace::reserve(&mut self.courses, PAIRS_PER_SHAPE * shapes);
    }
}

/// Two shapes that would pass each other.
#[derive(Clone, Copy, Debug)]
struct Hit {
    slots: [u32; 2],
    /// Share of the step at the touch.
    time: f64,
    /// Unit normal from B to A, and the place of the touch.
    normal: Vec3,
    at: Vec3,
    /// Which of the two still move then.
    moves: [bool; 2],
}

/// True when rows were added and the step must be solved again. `round` counts how often that was.
pub(crate) fn sweep(model: &Model, state: &State, work: &mut SweepAccess, round: &mut u32) -> bool {
    work.sweep.given.clear();
    if !model.settings.speculative {
        return false;
    }
    find_fast(model, state, work);
    if work.sweep.fast.is_empty() {
        return false;
    }
    if !model.trees.is_empty() {
        move_links(model, state, work);
    }
    find_pairs(model, state, work);
    let mut room = std::mem::take(work.sweep);
    let ways = Ways { model, state, work };
    room.hits.clear();
    let near = room.pairs.iter().filter(|&&slots| ways.may_pass(slots, &room.deep));
    room.hits.extend(near.filter_map(|&slots| ways.hit(slots, [1.0; 2])));
    room.hits.sort_unstable_by(|a, b| a.time.total_cmp(&b.time).then(a.slots.cmp(&b.slots)));
    let again = !room.hits.is_empty() && *round < ROUNDS && add_rows(model, state, work, &mut room, *round);
    if again {
        *round += 1;
    } else if !room.hits.is_empty() {
        // Blows write what drivers gave.
        work.sweep.given = std::mem::take(&mut room.given);
        stop(model, state, work, &mut room);
        room.given = std::mem::take(&mut work.sweep.given);
    }
    *work.sweep = room;
    again
}

/// Lists the shapes that are about to move farther than their own thickness.
fn find_fast(model: &Model, state: &State, work: &mut SweepAccess) {
    work.sweep.fast.clear();
    work.links.clear();
    if any_tree_is_fast(model, work) {
        move_links(model, state, work);
    }
    let (h, mut least) = (model.settings.dt, f64::INFINITY);
    for (slot, row) in work.shapes.iter().enumerate() {
        if row.is_static || row.removed || row.sensor {
            continue;
        }
        least = scalar::min(least, row.thin);
        let body = row.body as usize;
        let way = match work.body_rows[body].motion {
            Motion::Dynamic => {
                let (path, shift) = (&work.displacement.free[body], &work.solution.correction.free[body]);
                Twist::new(path.linear + shift.linear, path.angular + shift.angular)
            }
            Motion::Link { .. } => work.links.of(body),
            _ => state.velocity.free[body] * h,
        };
        let most = FAST * row.thin;
        // Of two numbers a and b, (a + b)² ≤ 2a² + 2b².
        let square = |arm: f64| way.linear.length_squared() + way.angular.length_squared() * (arm * arm);
        if 2.0 * square(row.reach) > most * most
            && (row.kind != Kind::Ball || 2.0 * square(turning_arm(row, state)) > most * most)
            && !state.quarantined[body]
        {
            work.sweep.fast.push(slot as u32);
        }
    }
    if !work.sweep.fast.is_empty() {
        mark_touched(state, work);
        let SweepAccess { sweep, shapes, .. } = work;
        let SweepWork { fast, touched, .. } = &mut **sweep;
        fast.retain(|&slot| touched[shapes[slot as usize].body as usize]);
    }
    find_deep(state, work, least);
    work.sweep.fast.sort_unstable();
    work.sweep.fast.dedup();
}

/// Adds the shapes that are deep in others at the start of the step, or would be at its end although they have rows: a solve may not have converged.
/// `least` is the least half thickness of all that moves.
fn find_deep(state: &State, work: &mut SweepAccess, least: f64) {
    let SweepAccess { sweep, shapes, body_rows, found, displacement, solution, .. } = work;
    sweep.deep.clear();
    let way = |row: &ShapeRow| {
        let body = row.body as usize;
        match body_rows[body].motion {
            Motion::Dynamic => displacement.free[body].linear + solution.correction.free[body].linear,
            _ => Vec3::ZERO,
        }
    };
    for found in found.iter() {
        let pair = found.key.shapes();
        let rows = pair.map(|slot| &shapes[slot as usize]);
        let closing = found.normal.dot(way(rows[1]) - way(rows[0]));
        let gap = if closing > 0.0 && found.len > 0 { found.gap - closing } else { found.gap };
        if gap >= -DEEP * least || rows.into_iter().any(|row| state.quarantined[row.body as usize]) {
            continue;
        }
        for (slot, row) in pair.into_iter().zip(rows) {
            if gap < -DEEP * row.thin && !row.is_static && !row.sensor {
                sweep.fast.push(slot);
                sweep.deep.push(pair);
            }
        }
    }
}

/// Finds where the links of trees go.
fn move_links(model: &Model, state: &State, work: &mut SweepAccess) {
    let (path, shift) = (&work.displacement.dof, &work.solution.correction.dof);
    work.links.update(model, state, |dof| path[dof] + shift[dof]);
}

/// False when no link of a tree can move by more than its thickness: its dofs move by too little for that.
fn any_tree_is_fast(model: &Model, work: &SweepAccess) -> bool {
    model.trees.iter().enumerate().any(|(i, _)| {
        let dofs = model.dofs_of(i);
        let (path, shift) = (&work.displacement.dof[dofs.clone()], &work.solution.correction.dof[dofs]);
        let way = path.iter().zip(shift).fold(0.0, |sum, (path, shift)| sum + (path + shift).abs());
        let shapes = model.tree_bodies[i].iter().flat_map(|&body| &model.bodies[body as usize].shapes);
        let rows = shapes.map(|&slot| &work.shapes[slot as usize]);
        let (length, thin) = rows.fold((0.0, f64::INFINITY), |(length, thin), row| {
            (length + 2.0 * row.reach, scalar::min(thin, row.thin))
        });
        // An angle moves no point by more than it times the length of the tree, a slide none by more than itself.
        way * scalar::max(length, 1.0) > 0.5 * FAST * thin
    })
}

/// Marks the bodies that come near something, or that do not fly as they would without contact.
fn mark_touched(state: &State, work: &mut SweepAccess) {
    let SweepAccess { sweep, shapes, body_rows, found, problem, solution, .. } = work;
    let touched = &mut sweep.touched;
    touched.clear();
    touched.extend((0..body_rows.len()).map(|body| {
        body_rows[body].motion != Motion::Dynamic
            || solution.v.free[body] != problem.v_free.free[body]
            || problem.v_start.free[body] != state.velocity.free[body]
            || solution.correction.free[body] != Twist::ZERO
    }));
    for slot in found.iter().flat_map(|found| found.key.shapes()) {
        touched[shapes[slot as usize].body as usize] = true;
    }
}

/// Farthest from the centre of mass that turning moves anything of a shape [m].
fn turning_arm(row: &ShapeRow, state: &State) -> f64 {
    if row.kind == Kind::Ball { (row.place - state.position[row.body as usize]).length() } else { row.reach }
}

/// Lists what the fast shapes may meet.
fn find_pairs(model: &Model, state: &State, work: &mut SweepAccess) {
    for i in 0..work.sweep.fast.len() {
        let slot = work.sweep.fast[i];
        let bounds = Ways { model, state, work }.bounds(slot);
        work.broad.set_bounds(slot, bounds);
    }
    let SweepAccess { sweep, broad, shapes, body_rows, .. } = work;
    let SweepWork { fast, pairs, .. } = &mut **sweep;
    pairs.clear();
    let moves =
        |row: &ShapeRow| matches!(body_rows[row.body as usize].motion, Motion::Dynamic | Motion::Link { .. });
    // What a driver with a limit cannot push away it may go through.
    let is_limited = |row: &ShapeRow| match body_rows[row.body as usize].motion {
        Motion::Driven(i) => model.drivers[i as usize].limit != DriveLimit::Unlimited,
        _ => false,
    };
    for &slot in fast.iter() {
        let (own, this) = (&shapes[slot as usize], &model.shapes[slot as usize]);
        broad.query_box(broad.bounds(slot), |other| {
            let (row, that) = (&shapes[other as usize], &model.shapes[other as usize]);
            let filters = [this, that].map(|shape| Filter { layer: shape.layer, mask: shape.mask });
            let counts = row.body != own.body
                && !row.sensor
                && !row.removed
                && !state.quarantined[row.body as usize]
                && (moves(row) || moves(own))
                && !(is_limited(row) || is_limited(own))
                && filters[0].passes(filters[1])
                && !model.exclusions.contains(own.body, row.body)
                && can_be_swept([&this.shape, &that.shape]);
            if counts {
                pairs.push(if slot < other { [slot, other] } else { [other, slot] });
            }
        });
    }
    pairs.sort_unstable();
    pairs.dedup();
}

/// How everything is about to move. A step is the unit of time.
struct Ways<'a, 'w> {
    model: &'a Model,
    state: &'a State,
    work: &'a SweepAccess<'w>,
}

impl Ways<'_, '_> {
    /// Displacement of a body that contacts move: the integrator's own, that of its impacts, and the correction.
    fn displacement(&self, body: usize) -> Twist {
        let (path, shift) = (&self.work.displacement.free[body], &self.work.solution.correction.free[body]);
        Twist::new(path.linear + shift.linear, path.angular + shift.angular)
    }

    fn is_movable(&self, slot: u32) -> bool {
        let body = self.work.shapes[slot as usize].body as usize;
        self.work.body_rows[body].motion == Motion::Dynamic
            && self.work.problem.inertia.free[body].can_move()
            && !self.state.quarantined[body]
    }

    fn course(&self, slot: u32) -> Course {
        let row = &self.work.shapes[slot as usize];
        let (body, h) = (row.body as usize, self.model.settings.dt);
        let free = free_motion(self.model, self.state, (row, &self.work.body_rows[body]), self.work.links);
        let as_free = || Course {
            velocity: free.velocity * h,
            acceleration: free.acceleration * (h * h),
            spin: free.spin * h,
            ..free
        };
        let problem = self.work.problem;
        if let Motion::Link { tree, .. } = self.work.body_rows[body].motion {
            let dofs = self.model.dofs_of(tree as usize);
            if self.work.solution.v.dof[dofs.clone()] == problem.v_free.dof[dofs] {
                return as_free();
            }
            let way = self.work.links.of(body);
            return Course { velocity: way.linear, acceleration: Vec3::ZERO, spin: way.angular, ..free };
        }
        if !self.is_movable(slot) {
            return as_free();
        }
        let untouched = self.work.solution.v.free[body] == problem.v_free.free[body]
            && problem.v_start.free[body] == self.state.velocity.free[body]
            && self.work.solution.correction.free[body] == Twist::ZERO;
        let spin = self.turn(body);
        if untouched {
            return Course { spin, ..as_free() };
        }
        let velocity = self.displacement(body).linear;
        Course { velocity, acceleration: Vec3::ZERO, spin, ..free }
    }

    /// The turn of a body that contacts move, to the very orientation at which it is about to end, the short way round: whoever can be led
    /// to his end without meeting anything is on the right side.
    fn turn(&self, body: usize) -> Vec3 {
        let (problem, solution) = (self.work.problem, &*self.work.solution);
        let ends = [problem.v_start.free[body].angular, solution.v.free[body].angular];
        let shift = problem.impact.displacement.free[body].angular + solution.correction.free[body].angular;
        if ends == [Vec3::ZERO; 2] && shift == Vec3::ZERO {
            return Vec3::ZERO;
        }
        let end = trig::rotation_vector(shift) * turned(self.model, self.state, body, ends);
        vector_of(end * self.state.orientation[body].conjugate())
    }

    /// The box of a shape on its way.
    fn bounds(&self, slot: u32) -> ProxyBox {
        let (row, shape) = (&self.work.shapes[slot as usize], &self.model.shapes[slot as usize].shape);
        let course = self.course(slot);
        let (from, to) = (shape.aabb(&course.pose), shape.aabb(&course.pose_at(1.0)));
        let turn = course.spin.length_squared();
        let bulge = scalar::min(0.125 * turn, 2.0) * row.reach + 0.125 * course.acceleration.length();
        let grow = Vec3::splat(bulge + f64::from(row.margin));
        ProxyBox::from_f64_outward(from.min.min(to.min) - grow, from.max.max(to.max) + grow)
    }

    /// Displacement of a shape's body, for bounds; the turn may be the long way round.
    fn way(&self, row: &ShapeRow) -> Twist {
        let body = row.body as usize;
        match self.work.body_rows[body].motion {
            Motion::Dynamic => self.displacement(body),
            Motion::Link { .. } => self.work.links.of(body),
            Motion::Static => Twist::ZERO,
            Motion::Driven(_) => self.state.velocity.free[body] * self.model.settings.dt,
        }
    }

    /// False when two shapes move by too little against each other, or stay too far apart, to pass each other: most pairs.
    fn may_pass(&self, slots: [u32; 2], deep: &[[u32; 2]]) -> bool {
        let [a, b] = slots.map(|slot| &self.work.shapes[slot as usize]);
        let (way_a, way_b) = (self.way(a), self.way(b));
        let depth = Allowed::new([a, b]);
        let turning =
            [(a, way_a), (b, way_b)].map(|(row, way)| way.angular.length() * turning_arm(row, self.state));
        let way = way_a.linear - way_b.linear;
        let moved = way.length() + turning[0] + turning[1];
        if moved <= depth.new && deep.binary_search(&slots).is_err() {
            return false;
        }
        // The balls about both, with the turn about the centre of mass and what a parabola bulges.
        let bulge = [(a, way_a), (b, way_b)].map(|(row, way)| {
            let straight = self.state.velocity.free[row.body as usize].linear * self.model.settings.dt;
            if row.is_static { 0.0 } else { (way.linear - straight).length() }
        });
        let reach = a.radius + b.radius + turning[0] + turning[1] + bulge[0] + bulge[1];
        if reach.is_finite() && least_square(a.place - b.place, way) > reach * reach {
            return false;
        }
        !self.normal_parts(slots, depth)
    }

    /// What the narrow phase found of a pair: all that is nearer at the start of the step than it could come by its velocity then.
    fn found(&self, slots: [u32; 2]) -> &[Found] {
        let found = &*self.work.found;
        let first = found.partition_point(|found| found.key.shapes() < slots);
        let len = found[first..].iter().take_while(|found| found.key.shapes() == slots).count();
        &found[first..first + len]
    }

    /// True when a plane across the normal of a contact of two shapes keeps them from overlapping more on their way: that contact holds them.
    fn normal_parts(&self, slots: [u32; 2], depth: Allowed) -> bool {
        self.found(slots).first().is_some_and(|found| {
            let [a, b] = slots.map(|slot| self.course(slot));
            let shapes = slots.map(|slot| &self.model.shapes[slot as usize].shape);
            stays_apart(shapes, [&a, &b], found.normal, -depth.after(found.gap), 1.0)
        })
    }

    /// Where two shapes would begin to pass each other when each makes its share of its displacement.
    fn hit(&self, slots: [u32; 2], stops: [f64; 2]) -> Option<Hit> {
        let shapes = slots.map(|slot| &self.model.shapes[slot as usize].shape);
        let [a, b] = slots.map(|slot| self.course(slot));
        let allowed = Allowed::new(slots.map(|slot| &self.work.shapes[slot as usize]));
        let start =
            self.found(slots).iter().fold(f64::INFINITY, |least, found| scalar::min(least, found.gap));
        let limits = Limits::new(allowed, start);
        let both = scalar::min(stops[0], stops[1]);
        if let Some(found) = touch_before_overlap(shapes, [&a, &b], &limits, both) {
            return Some(Hit::new(slots, &found, 0.0, [true; 2]));
        }
        if stops[0] == stops[1] {
            return None;
        }
        // One has stopped, the other goes on.
        let last = usize::from(stops[1] > stops[0]);
        let mut rest = [&a, &b].map(|course| from_time(course, both));
        rest[1 - last] = Course::at_rest(rest[1 - last].pose);
        let found = touch_before_overlap(shapes, [&rest[0], &rest[1]], &limits, stops[last] - both)?;
        let mut moves = [false; 2];
        moves[last] = true;
        Some(Hit::new(slots, &found, both, moves))
    }
}

/// Overlap of two shapes that counts as none [m].
#[derive(Clone, Copy)]
struct Allowed {
    new: f64,
    growth: f64,
    tolerance: f64,
}

impl Allowed {
    fn new(rows: [&ShapeRow; 2]) -> Self {
        let moving = rows.into_iter().filter(|row| !row.is_static);
        let moving = moving.fold(f64::INFINITY, |least, row| scalar::min(least, row.thin));
        Self { new: NO_OVERLAP * moving, growth: GROWTH * moving, tolerance: TOLERANCE * moving }
    }

    /// For shapes that have this gap at the start of the step.
    fn after(self, gap: f64) -> f64 {
        scalar::max(self.new, scalar::max(-gap, 0.0) + self.growth)
    }
}

/// The rest of a motion.
fn from_time(course: &Course, time: f64) -> Course {
    Course {
        pose: course.pose_at(time),
        center: course.center + moved(course, time)[0],
        velocity: course.velocity + course.acceleration * time,
        ..*course
    }
}

/// Overlaps that a search is for [m].
struct Limits {
    /// Overlap that is too much, and where the shapes stop then: at the touch, or with little more than the overlap of the start.
    most: f64,
    stop: f64,
    tolerance: f64,
}

impl Limits {
    fn new(allowed: Allowed, start: f64) -> Self {
        let stop = if start > allowed.tolerance { 0.0 } else { scalar::max(-start, 0.0) + allowed.growth };
        Self { most: allowed.after(start), stop, tolerance: allowed.tolerance }
    }
}

/// Where two shapes must stop that would overlap too much.
fn touch_before_overlap(
    shapes: [&huygens_geometry::Shape; 2],
    motions: [&Course; 2],
    limits: &Limits,
    duration: f64,
) -> Option<FirstTouch> {
    if duration <= 0.0 {
        return None;
    }
    let Limits { most, stop, tolerance } = *limits;
    let overlap = first_overlap(shapes, motions, most, tolerance, duration)?;
    match first_overlap(shapes, motions, stop, tolerance, overlap.time) {
        Some(touch) if touch.time > 0.0 => Some(touch),
        _ => Some(overlap),
    }
}

impl Hit {
    fn new(slots: [u32; 2], touch: &FirstTouch, since: f64, moves: [bool; 2]) -> Self {
        let found = &touch.separation;
        let at = (found.on_a + found.on_b) * 0.5;
        Self { slots, time: since + touch.time, normal: found.normal, at, moves }
    }
}

/// Gives rows to the pairs that would pass each other, of each body the first; false when none got a row.
fn add_rows(model: &Model, state: &State, work: &mut SweepAccess, room: &mut SweepWork, round: u32) -> bool {
    room.taken.clear();
    room.taken.resize(model.bodies.len(), false);
    let before = work.found.len();
    for hit in &room.hits {
        let bodies = hit.slots.map(|slot| work.shapes[slot as usize].body as usize);
        let movable = hit.slots.map(|slot| (Ways { model, state, work }).is_movable(slot));
        if (0..2).any(|k| movable[k] && (room.taken[bodies[k]] || is_in_heap(work, bodies[k]))) {
            continue;
        }
        (0..2).filter(|&k| movable[k]).for_each(|k| room.taken[bodies[k]] = true);
        touch_rows(model, state, work, hit, PART + PARTS * round);
    }
    if work.found.len() == before {
        return false;
    }
    work.found.sort_unstable_by_key(|found| found.key);
    work.touches.sort_unstable_by_key(|touch| touch.key);
    true
}

/// True for a body in an island that is too large to be solved again for one of its bodies: there it stops at the touch.
fn is_in_heap(work: &SweepAccess, body: usize) -> bool {
    let graph = &work.problem.graph;
    graph.island_of_movable(body).is_some_and(|island| graph.groups(island).len() > HEAP)
}

/// Adds the groups of one touch.
fn touch_rows(model: &Model, state: &State, work: &mut SweepAccess, hit: &Hit, part: u32) {
    let shapes = hit.slots.map(|slot| &model.shapes[slot as usize].shape);
    let courses = {
        let ways = Ways { model, state, work };
        hit.slots.map(|slot| ways.course(slot))
    };
    let [a, b] = &courses;
    let [row_a, row_b] = hit.slots.map(|slot| &work.shapes[slot as usize]);
    let margin = f64::from(if row_a.margin < row_b.margin { row_a.margin } else { row_b.margin });
    manifolds_at(shapes, [a, b], (hit.time, margin), work.bodies.level, work.pair);
    let has_link = [row_a, row_b]
        .iter()
        .any(|row| matches!(work.body_rows[row.body as usize].motion, Motion::Link { .. }));
    let mut number = part;
    for manifold in work.pair.iter().take(PARTS as usize) {
        let first = work.found_points.len();
        let normal = add_points(manifold, [a, b], hit.time, work.found_points);
        let len = work.found_points.len() - first;
        if len == 0 {
            continue;
        }
        let key = GroupKey::contact(hit.slots, [number; 2]);
        number += 1;
        // It reports no touch before there is one.
        let gap = f64::MIN_POSITIVE;
        let (first, len) = (first as u32, len as u16);
        work.found.push(Found { key, normal, gap, margin: 0.0, first, len, single: false });
        if !has_link {
            let moved = [a, b].map(|course| moved(course, hit.time)[0]);
            work.touches.push(Touch { key, moved });
        }
    }
}

/// Stops what would still pass something.
fn stop(model: &Model, state: &State, work: &mut SweepAccess, room: &mut SweepWork) {
    find_stops(&Ways { model, state, work }, room);
    let ways = Ways { model, state, work };
    let SweepWork { hits, stop, courses, turns, ways: stopped, .. } = room;
    // Blows change the velocities, and with them what a course is made of.
    courses.clear();
    courses.extend(hits.iter().map(|hit| hit.slots.map(|slot| ways.course(slot))));
    turns.clear();
    turns.resize(model.bodies.len(), Vec3::ZERO);
    stopped.clear();
    stopped.resize(model.bodies.len(), Vec3::ZERO);
    for (hit, courses) in hits.iter().zip(&*courses) {
        for (slot, course) in hit.slots.into_iter().zip(courses) {
            let body = work.shapes[slot as usize].body as usize;
            stopped[body] = moved(course, stop[body])[0];
        }
    }
    for body in (0..stop.len()).filter(|&body| stop[body] < 1.0) {
        turns[body] = ways.turn(body);
    }
    let blows = Blows { model, state };
    for body in (0..stop.len()).filter(|&body| stop[body] < 1.0) {
        blows.slow_down(work, body, stop[body], stopped[body]);
    }
    for sweep in 0..BLOWS {
        for (hit, courses) in hits.iter().zip(&*courses) {
            let struck = blows.strike(work, hit, courses);
            if sweep == 0 && (!struck || hit.time < STUCK) {
                blows.calm(work, hit);
            }
        }
    }
    for body in (0..stop.len()).filter(|&body| stop[body] < 1.0) {
        blows.settle(work, body, stopped[body], turns[body] * stop[body]);
    }
}

/// Finds the share of its displacement that each body makes. What has stopped may stand in the way of others: pairs of bodies that were
/// stopped are looked at again.
fn find_stops(ways: &Ways, room: &mut SweepWork) {
    let SweepWork { pairs, hits, stop, taken: fresh, stopped_now, .. } = room;
    let bodies_of = |slots: [u32; 2]| slots.map(|slot| ways.work.shapes[slot as usize].body as usize);
    let count = ways.model.bodies.len();
    for (list, value) in [(&mut *fresh, false), (&mut *stopped_now, false)] {
        list.clear();
        list.resize(count, value);
    }
    stop.clear();
    stop.resize(count, 1.0);
    let cut = |hit: &Hit, stop: &mut [f64], stopped: &mut [bool]| {
        let bodies = bodies_of(hit.slots);
        let mut any = false;
        for k in 0..2 {
            if hit.moves[k] && ways.is_movable(hit.slots[k]) && hit.time < stop[bodies[k]] {
                stop[bodies[k]] = hit.time;
                stopped[bodies[k]] = true;
                any = true;
            }
        }
        any
    };
    // Those of the whole displacement, the earliest first.
    hits.retain(|hit| {
        let is_whole = bodies_of(hit.slots).into_iter().all(|body| stop[body] >= hit.time);
        is_whole && cut(hit, stop, fresh)
    });
    for _ in 1..STOPS {
        stopped_now.fill(false);
        let mut any = false;
        for &slots in pairs.iter() {
            let bodies = bodies_of(slots);
            if !bodies.into_iter().any(|body| fresh[body]) {
                continue;
            }
            let Some(hit) = ways.hit(slots, bodies.map(|body| stop[body])) else { continue };
            if cut(&hit, stop, stopped_now) {
                hits.push(hit);
                any = true;
            }
        }
        std::mem::swap(fresh, stopped_now);
        if !any {
            break;
        }
    }
}

/// Takes the velocity of what was stopped.
struct Blows<'a> {
    model: &'a Model,
    state: &'a State,
}

impl Blows<'_> {
    /// An impact without bounce and friction between two shapes; false when they do not come nearer.
    fn strike(&self, work: &mut SweepAccess, hit: &Hit, courses: &[Course; 2]) -> bool {
        let ways = Ways { model: self.model, state: self.state, work };
        let movable = hit.slots.map(|slot| ways.is_movable(slot));
        let bodies = hit.slots.map(|slot| work.shapes[slot as usize].body as usize);
        let n = hit.normal;
        let arms = [0, 1].map(|k| hit.at - courses[k].center - moved(&courses[k], hit.time)[0]);
        let rates = [0, 1].map(|k| {
            let twist = if movable[k] {
                work.solution.v.free[bodies[k]]
            } else {
                self.state.velocity.free[bodies[k]]
            };
            let rate = n.dot(twist.at(arms[k]));
            // A link takes no impulse here, so it gives none of its energy.
            let is_link = matches!(work.body_rows[bodies[k]].motion, Motion::Link { .. });
            let away = if k == 0 { rate > 0.0 } else { rate < 0.0 };
            if is_link && !away { 0.0 } else { rate }
        });
        let rate = rates[0] - rates[1];
        let w = (0..2).filter(|&k| movable[k]).fold(0.0, |sum, k| {
            sum + n.dot(work.problem.inertia.free[bodies[k]].respond(n, arms[k]).at(arms[k]))
        });
        if rate >= 0.0 || w <= 0.0 {
            return false;
        }
        let p = -rate / w;
        for (k, sign) in [(0, 1.0), (1, -1.0)] {
            let push = n * (sign * p);
            if movable[k] {
                let change = work.problem.inertia.free[bodies[k]].respond(push, arms[k]);
                work.solution.v.free[bodies[k]] += change;
                self.rebook(work, bodies[k], change);
            } else if rates[k] != 0.0 {
                // What does not give way works on the other by the opposite impulse.
                let given = -push;
                let joules = given.dot(n) * rates[k];
                work.solution.work.driver.add(joules);
                work.solution.work.magnitude += joules.abs();
                work.sweep.given.resize(work.bodies.numbers.len(), 0.0);
                work.sweep.given[bodies[1 - k]] += joules;
                if let Motion::Driven(i) = work.body_rows[bodies[k]].motion
                    && let Some(load) = work.solution.drivers.get_mut(i as usize)
                {
                    load.work += joules;
                    load.impulse += given;
                    load.torque_impulse += arms[k].cross(given);
                }
            }
        }
        work.solution.work.impact.add(0.5 * p * rate);
        work.solution.work.magnitude += (p * rate).abs();
        true
    }

    /// Gives a body that makes a share of its displacement, `way` of it, the velocity that it has there.
    fn slow_down(&self, work: &mut SweepAccess, body: usize, share: f64, way: Vec3) {
        let (problem, h) = (work.problem, self.model.settings.dt);
        let (start, end) = (problem.v_start.free[body], work.solution.v.free[body]);
        if end != problem.v_free.free[body] || start != self.state.velocity.free[body] {
            // In an island the passivity bound sees to it.
            return;
        }
        let mass = &problem.inertia.mass[body];
        let cut = way - Ways { model: self.model, state: self.state, work }.displacement(body).linear;
        let force = mass.mass * (problem.v_free.free[body].linear - start.linear) / h;
        let kinetic = |twist: &Twist| {
            let spin = twist.angular;
            0.5 * ((mass.mass * twist.linear).dot(twist.linear) + spin.dot(mass.inertia * spin))
        };
        let (whole, most) = (kinetic(&end), kinetic(&end) + force.dot(cut));
        let there = end - (problem.v_free.free[body] - start) * (1.0 - share);
        let slower = if kinetic(&there) <= most + ROUND_OFF * whole {
            there
        } else if most < whole {
            end * (scalar::max(most, 0.0) / whole).sqrt()
        } else {
            return;
        };
        self.change(work, body, slower - end, kinetic(&slower) - whole);
    }

    /// Changes the velocity of a body, which brings `joules` in.
    fn change(&self, work: &mut SweepAccess, body: usize, change: Twist, joules: f64) {
        work.solution.v.free[body] += change;
        self.rebook(work, body, change);
        work.solution.work.impact.add(joules);
        work.solution.work.magnitude += joules.abs();
    }

    /// Takes half of the spin of two bodies that stopped at once, or although no velocity at the touch leads into the other: it is the turn that
    /// leads there, and it would do so in every step.
    fn calm(&self, work: &mut SweepAccess, hit: &Hit) {
        for slot in hit.slots {
            let body = work.shapes[slot as usize].body as usize;
            if !(Ways { model: self.model, state: self.state, work }).is_movable(slot) {
                continue;
            }
            let omega = work.solution.v.free[body].angular;
            let joules = -0.375 * omega.dot(work.problem.inertia.mass[body].inertia * omega);
            self.change(work, body, Twist::new(Vec3::ZERO, omega * -0.5), joules);
        }
    }

    /// The forces of the step have worked along the velocity that the solve ended with; `stage::integrate` reads the new one.
    fn rebook(&self, work: &mut SweepAccess, body: usize, change: Twist) {
        let half = 0.5 * self.model.settings.dt;
        let (force, torque) = (self.state.force[body], self.state.torque[body]);
        let user = -half * (force.dot(change.linear) + torque.dot(change.angular));
        if user != 0.0 {
            work.book.post(Account::User, user);
        }
        if !self.model.settings.integrator.follows_parabola() {
            let weight = work.bodies.numbers[body].weight;
            work.book.post(Account::Gravity, half * weight.dot(change.linear));
        }
    }

    /// Lets the displacement of a body end after the way `to_stop` and the rotation `turn`.
    fn settle(&self, work: &mut SweepAccess, body: usize, to_stop: Vec3, turn: Vec3) {
        let way = Ways { model: self.model, state: self.state, work }.displacement(body).linear;
        let from = self.state.orientation[body];
        let to = trig::rotation_vector(turn) * from;
        let end = |work: &SweepAccess| {
            let ends = [work.problem.v_start.free[body].angular, work.solution.v.free[body].angular];
            turned(self.model, self.state, body, ends)
        };
        // The same spin must not have more energy where the body stops than where it would have ended.
        let inertia = self.model.bodies[body].inertia;
        let spin = work.solution.v.free[body].angular;
        let [was, is] = [end(work), to].map(|q| {
            let own = q.conjugate() * spin;
            own.dot(inertia * own)
        });
        if is > was {
            let keep = SPARE_SPIN * (was / is).sqrt();
            let change = Twist::new(Vec3::ZERO, spin * (keep - 1.0));
            // As the mass of the start has it, like all impulses.
            let moment = work.problem.inertia.mass[body].inertia;
            let joules = -0.5 * (1.0 - keep * keep) * spin.dot(moment * spin);
            self.change(work, body, change, joules);
        }
        // `stage::integrate` turns it by its velocities, and then by these two.
        let rest = vector_of(to * end(work).conjugate());
        let shift = &mut work.solution.correction.free[body];
        shift.linear += to_stop - way;
        shift.angular = rest - work.problem.impact.displacement.free[body].angular;
    }
}
