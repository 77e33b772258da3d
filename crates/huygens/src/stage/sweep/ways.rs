//! How everything is about to move, and which pairs would pass each other.

use crate::access::SweepAccess;
use crate::model::{Model, Motion};
use crate::stage::links::vector_of;
use crate::stage::table::ShapeRow;
use crate::stage::touch::{free_motion, least_square, moved, steady_motion, turned};
use crate::state::State;
use crate::workspace::Found;
use huygens_geometry::broadphase::ProxyBox;
use huygens_geometry::query::{FirstTouch, Motion as Course, PlaneTest, first_overlap, overlap, separation};
use huygens_math::{Twist, Vec3, scalar, trig};
use std::sync::atomic::{AtomicU64, Ordering};

/// Overlap that is none, in half thicknesses of what moves. What nothing pays for is not undone, so that it must not look like "left inside".
const NO_OVERLAP: f64 = 0.14;

/// The same for two shapes that have no row: no solve has left that overlap. It is mended where the step can be solved again.
pub(super) const UNSEEN: f64 = 0.02;

/// Motion up to which two shapes do not come to the other side of each other, in half thicknesses of what moves, also when they overlap already.
const SLOW: f64 = 0.5;

/// Looks at a pair that moves so little until the search begins.
const SLOW_LOOKS: usize = 4;

/// By how much an old overlap may grow, in half thicknesses of what moves: a squeeze must not bring it deeper step by step.
const GROWTH: f64 = 2e-4;

/// Gap that counts as a touch, in half thicknesses.
const TOLERANCE: f64 = 1e-4;

/// Two shapes that would pass each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    pub slots: [u32; 2],
    /// Share of the step at the touch.
    pub time: f64,
    /// Unit normal from B to A, and the place of the touch.
    pub normal: Vec3,
    pub at: Vec3,
    /// Which of the two still move then.
    pub moves: [bool; 2],
    /// The overlap would be less than what counts for shapes that have rows.
    pub is_minor: bool,
}

/// How everything is about to move. A step is the unit of time.
pub(super) struct Ways<'a, 'w> {
    pub model: &'a Model,
    pub state: &'a State,
    pub work: &'a SweepAccess<'w>,
    pub turns: &'a Turns,
}

/// Turns of bodies in this step, each found once: that takes an iteration. Threads that ask for the same one at once find the same bits.
#[derive(Debug, Default)]
pub(super) struct Turns {
    /// By body, as bits; the first is NaN for one that nobody has asked for yet [rad].
    turn: Vec<[AtomicU64; 3]>,
}

impl Turns {
    pub fn reserve(&mut self, bodies: usize) {
        crate::workspace::reserve(&mut self.turn, bodies);
    }

    /// A turn that was asked for before; not a number for others.
    pub fn known(&self, body: usize) -> Vec3 {
        let [x, y, z] = &self.turn[body];
        // The first is written last: who sees it sees the others.
        let x = f64::from_bits(x.load(Ordering::Acquire));
        Vec3::new(x, f64::from_bits(y.load(Ordering::Relaxed)), f64::from_bits(z.load(Ordering::Relaxed)))
    }

    fn put(&self, body: usize, turn: Vec3) {
        let [x, y, z] = &self.turn[body];
        y.store(turn.y.to_bits(), Ordering::Relaxed);
        z.store(turn.z.to_bits(), Ordering::Relaxed);
        x.store(turn.x.to_bits(), Ordering::Release);
    }

    /// Forgets all turns.
    pub fn reset(&mut self, bodies: usize) {
        self.turn.clear();
        self.turn.resize_with(bodies, || [f64::NAN, 0.0, 0.0].map(|x| AtomicU64::new(x.to_bits())));
    }
}

/// Displacement of a body that contacts move: the integrator's own, that of its impacts, and the correction.
pub(super) fn displacement(work: &SweepAccess, body: usize) -> Twist {
    let (path, shift) = (&work.displacement.free[body], &work.solution.correction.free[body]);
    Twist::new(path.linear + shift.linear, path.angular + shift.angular)
}

/// By how much two shapes stray from the ways along which the narrow phase looked [m].
pub(super) fn strays(rows: [&ShapeRow; 2], ways: [Twist; 2]) -> f64 {
    let mut beyond = 0.0;
    for (row, way) in rows.into_iter().zip(ways).filter(|(row, _)| !row.is_static) {
        let drift = Vec3::from_array(row.drift.map(f64::from));
        let more = way.angular.length() * row.reach - f64::from(row.turning);
        beyond += (way.linear - drift).length() + scalar::max(more, 0.0);
    }
    beyond
}

/// True for a shape that an impulse moves and that is no link.
pub(super) fn is_movable(state: &State, work: &SweepAccess, slot: u32) -> bool {
    let body = work.shapes[slot as usize].body as usize;
    work.body_rows[body].motion == Motion::Dynamic
        && !work.shapes[slot as usize].asleep
        && work.problem.inertia.free[body].can_move()
        && !state.quarantined[body]
}

/// What the narrow phase found of a pair: all that is nearer at the start of the step than it could come by its velocity then.
fn found_of(found: &[Found], slots: [u32; 2]) -> &[Found] {
    let first = found.partition_point(|found| found.key.shapes() < slots);
    let len = found[first..].iter().take_while(|found| found.key.shapes() == slots).count();
    &found[first..first + len]
}

impl Ways<'_, '_> {
    /// How a shape is about to move.
    pub fn course(&self, slot: u32) -> Course {
        let row = &self.work.shapes[slot as usize];
        let (body, h) = (row.body as usize, self.model.settings.dt);
        let is_movable = is_movable(self.state, self.work, slot);
        let body_row = &self.work.body_rows[body];
        let free = if is_movable {
            // Its turn is known better.
            steady_motion(self.model, self.state, row, body_row)
        } else {
            free_motion(self.model, self.state, (row, body_row), self.work.links)
        };
        let as_free = || Course {
            velocity: free.velocity * h,
            acceleration: free.acceleration * (h * h),
            spin: free.spin * h,
            ..free
        };
        let problem = self.work.problem;
        if let Motion::Link { tree, .. } = self.work.body_rows[body].motion
            && !row.asleep
        {
            let dofs = self.model.dofs_of(tree as usize);
            if self.work.solution.v.dof[dofs.clone()] == problem.v_free.dof[dofs] {
                return as_free();
            }
            let way = self.work.links.of(body);
            return Course { velocity: way.linear, acceleration: Vec3::ZERO, spin: way.angular, ..free };
        }
        if !is_movable {
            return as_free();
        }
        let untouched = self.work.solution.v.free[body] == problem.v_free.free[body]
            && problem.v_start.free[body] == self.state.velocity.free[body]
            && self.work.solution.correction.free[body] == Twist::ZERO;
        let spin = self.turn(body);
        if untouched {
            return Course { spin, ..as_free() };
        }
        let velocity = displacement(self.work, body).linear;
        Course { velocity, acceleration: Vec3::ZERO, spin, ..free }
    }

    /// The turn of a body that contacts move, to the very orientation at which it is about to end, the short way round: whoever can be led
    /// to his end without meeting anything is on the right side.
    pub fn turn(&self, body: usize) -> Vec3 {
        let known = self.turns.known(body);
        if !known.x.is_nan() {
            return known;
        }
        let turn = self.find_turn(body);
        self.turns.put(body, turn);
        turn
    }

    fn find_turn(&self, body: usize) -> Vec3 {
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
    pub fn bounds(&self, slot: u32) -> ProxyBox {
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
            Motion::Dynamic => displacement(self.work, body),
            Motion::Link { .. } => self.work.links.of(body),
            Motion::Static => Twist::ZERO,
            Motion::Driven(_) => self.state.velocity.free[body] * self.model.settings.dt,
        }
    }

    /// Largest motion of two shapes against each other [m].
    fn motion(&self, rows: [&ShapeRow; 2]) -> f64 {
        let [a, b] = rows.map(|row| self.way(row));
        (a.linear - b.linear).length()
            + a.angular.length() * rows[0].reach
            + b.angular.length() * rows[1].reach
    }

    /// True for a pair without a row, but for one whose row was dropped because a neighbour has it.
    fn is_unseen(&self, slots: [u32; 2], found: &[Found]) -> bool {
        found.iter().all(|found| found.len == 0) && self.work.ghosts.binary_search(&slots).is_err()
    }

    /// False when two shapes move by too little against each other, or stay too far apart, to pass each other: most pairs.
    pub fn may_pass(&self, slots: [u32; 2], deep: &[[u32; 2]]) -> bool {
        let [a, b] = slots.map(|slot| &self.work.shapes[slot as usize]);
        let moved = self.motion([a, b]);
        let is_deep = deep.binary_search(&slots).is_ok();
        if moved <= Allowed::unseen([a, b]).new && !is_deep {
            return false;
        }
        let (way_a, way_b) = (self.way(a), self.way(b));
        let turning = [(a, way_a), (b, way_b)].map(|(row, way)| way.angular.length() * row.reach);
        let way = way_a.linear - way_b.linear;
        // The balls about both, with the turn about the centre of mass and what a parabola bulges.
        let bulge = [(a, way_a), (b, way_b)].map(|(row, way)| {
            let straight = self.state.velocity.free[row.body as usize].linear * self.model.settings.dt;
            if row.is_static { 0.0 } else { (way.linear - straight).length() }
        });
        let reach = a.radius + b.radius + turning[0] + turning[1] + bulge[0] + bulge[1];
        if reach.is_finite() && least_square(a.place - b.place, way) > reach * reach {
            return false;
        }
        let found = found_of(self.work.found, slots);
        let allowed =
            if self.is_unseen(slots, found) { Allowed::unseen([a, b]) } else { Allowed::new([a, b]) };
        (moved > allowed.new || is_deep)
            && (!found.is_empty() || self.leaves_its_box([a, b], [way_a, way_b], slots))
    }

    /// False for a pair of which the narrow phase found nothing, and that moves as it expected: it looked at all that the shapes can reach with
    /// the velocities of the start, give or take the margin.
    fn leaves_its_box(&self, rows: [&ShapeRow; 2], ways: [Twist; 2], slots: [u32; 2]) -> bool {
        let is_link =
            |row: &ShapeRow| matches!(self.work.body_rows[row.body as usize].motion, Motion::Link { .. });
        if rows.into_iter().any(is_link) || self.work.ghosts.binary_search(&slots).is_ok() {
            return true;
        }
        let beyond = strays(rows, ways);
        beyond > f64::from(if rows[0].margin < rows[1].margin { rows[0].margin } else { rows[1].margin })
    }

    /// Where two shapes would begin to pass each other, or those without a row to overlap at all. Where they end says it of most pairs: of those that move
    /// by too little to come to the other side of each other, and of those that a plane parts all the way.
    pub fn first_hit(&self, slots: [u32; 2]) -> Option<Hit> {
        let rows = slots.map(|slot| &self.work.shapes[slot as usize]);
        let found = found_of(self.work.found, slots);
        let is_unseen = self.is_unseen(slots, found);
        let allowed = Allowed::new(rows);
        let [least, usual] = [if is_unseen { Allowed::unseen(rows) } else { allowed }, allowed]
            .map(|allowed| Limits::new(allowed, found));
        let is_slow = self.motion(rows) <= SLOW * allowed.thin;
        let shapes = slots.map(|slot| &self.model.shapes[slot as usize].shape);
        let [a, b] = slots.map(|slot| self.course(slot));
        let planes = PlaneTest::new(shapes, [&a, &b], 1.0);
        let parts = |normal: Vec3| {
            if is_slow {
                planes.gap_at_end(normal).is_some_and(|gap| gap > -least.most)
            } else {
                planes.parts(normal, -least.most)
            }
        };
        if likely_normals(&planes, [&a, &b], found).into_iter().flatten().any(parts) {
            return None;
        }
        let ends = planes.end();
        if is_slow && !overlap(shapes[0], &ends[0], shapes[1], &ends[1]) {
            return None;
        }
        let end = separation(shapes[0], &ends[0], shapes[1], &ends[1])?;
        let overlaps = end.gap <= -least.most;
        if !overlaps && (is_slow || planes.parts(end.normal, -least.most)) {
            return None;
        }
        let search = || first_overlap(shapes, [&a, &b], least.stop, least.tolerance, 1.0);
        let slowly = || least.slowly(shapes, [&a, &b], end.gap).filter(|_| is_slow);
        let touch = if overlaps { slowly().or_else(search).filter(|touch| touch.time > 0.0) } else { None };
        let touch = match touch {
            Some(touch) => touch,
            None => touch_before_overlap(shapes, [&a, &b], &least, 1.0)?,
        };
        let is_minor =
            is_unseen && end.gap > -usual.most && (is_slow || self.hit(slots, [1.0; 2], 0.0).is_none());
        Some(Hit { is_minor, ..Hit::new(slots, &touch, 0.0, [true; 2]) })
    }

    /// Where two shapes would begin to pass each other when each makes its share of its displacement. Before the time `first` they do not while both
    /// move.
    pub fn hit(&self, slots: [u32; 2], stops: [f64; 2], first: f64) -> Option<Hit> {
        let both = scalar::min(stops[0], stops[1]);
        let may_meet = both > first;
        if !may_meet && stops[0] == stops[1] {
            return None;
        }
        let shapes = slots.map(|slot| &self.model.shapes[slot as usize].shape);
        let [a, b] = slots.map(|slot| self.course(slot));
        let allowed = Allowed::new(slots.map(|slot| &self.work.shapes[slot as usize]));
        let found = found_of(self.work.found, slots);
        let limits = Limits::new(allowed, found);
        if may_meet && let Some(touch) = touch_before_overlap(shapes, [&a, &b], &limits, both) {
            return Some(Hit::new(slots, &touch, 0.0, [true; 2]));
        }
        if stops[0] == stops[1] {
            return None;
        }
        // One has stopped, the other goes on.
        let last = usize::from(stops[1] > stops[0]);
        let mut rest = [&a, &b].map(|course| from_time(course, both));
        rest[1 - last] = Course::at_rest(rest[1 - last].pose);
        let [a, b] = &rest;
        let planes = PlaneTest::new(shapes, [a, b], stops[last] - both);
        let parts = |normal: Vec3| planes.parts(normal, -limits.most);
        if likely_normals(&planes, [a, b], found).into_iter().flatten().any(parts) {
            return None;
        }
        let touch = touch_before_overlap(shapes, [a, b], &limits, stops[last] - both)?;
        let mut moves = [false; 2];
        moves[last] = true;
        Some(Hit::new(slots, &touch, both, moves))
    }
}

/// Normals of planes that are likely to part two moving shapes: across the line of their centres, and across the normal of their contact at the start,
/// as it is and turned with either of them.
fn likely_normals(planes: &PlaneTest, motions: [&Course; 2], found: &[Found]) -> [Option<Vec3>; 4] {
    let [a, b] = motions.map(|motion| motion.pose.translation);
    let normal = found.first().map(|found| found.normal);
    let [with_a, with_b] = [0, 1].map(|k| normal.map(|normal| planes.turned_with(k, normal)));
    [(a - b).try_normalize(), normal, with_a, with_b]
}

/// Overlap of two shapes that counts as none [m].
#[derive(Clone, Copy)]
struct Allowed {
    new: f64,
    growth: f64,
    tolerance: f64,
    /// Least half thickness of what moves.
    thin: f64,
}

impl Allowed {
    /// For shapes that have rows, which a solve may have left with some.
    fn new(rows: [&ShapeRow; 2]) -> Self {
        Self::share(rows, NO_OVERLAP)
    }

    /// For shapes that have none.
    fn unseen(rows: [&ShapeRow; 2]) -> Self {
        Self::share(rows, UNSEEN)
    }

    fn share(rows: [&ShapeRow; 2], share: f64) -> Self {
        let moving = rows.into_iter().filter(|row| !row.is_static);
        let moving = moving.fold(f64::INFINITY, |least, row| scalar::min(least, row.thin));
        Self { new: share * moving, growth: GROWTH * moving, tolerance: TOLERANCE * moving, thin: moving }
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
    /// Gap at the start of the step; infinite where nobody has looked.
    start: f64,
    /// Overlap that is too much, and where the shapes stop then: at the touch, or with little more than the overlap of the start.
    most: f64,
    stop: f64,
    tolerance: f64,
}

impl Limits {
    /// For two shapes of which the narrow phase found that.
    fn new(allowed: Allowed, found: &[Found]) -> Self {
        let start = found.iter().fold(f64::INFINITY, |least, found| scalar::min(least, found.gap));
        let stop = if start > allowed.tolerance { 0.0 } else { scalar::max(-start, 0.0) + allowed.growth };
        Self { start, most: allowed.after(start), stop, tolerance: allowed.tolerance }
    }

    /// Where two shapes that move slowly, and end with the gap `end`, come to the overlap at which they stop: by the rule of false position, since
    /// their gap is almost linear. `None` where some looks do not tell.
    fn slowly(
        &self,
        shapes: [&huygens_geometry::CollisionShape; 2],
        motions: [&Course; 2],
        end: f64,
    ) -> Option<FirstTouch> {
        let (mut low, mut high) = ([0.0, self.start + self.stop], [1.0, end + self.stop]);
        if !(low[1] > self.tolerance && low[1] < f64::INFINITY && high[1] < 0.0) {
            return None;
        }
        for _ in 0..SLOW_LOOKS {
            let time = low[0] + (high[0] - low[0]) * (low[1] / (low[1] - high[1]));
            let [a, b] = motions.map(|motion| motion.pose_at(time));
            let separation = separation(shapes[0], &a, shapes[1], &b)?;
            let left = separation.gap + self.stop;
            if left.abs() <= self.tolerance {
                return Some(FirstTouch { time, separation });
            }
            *(if left > 0.0 { &mut low } else { &mut high }) = [time, left];
        }
        None
    }
}

/// Where two shapes must stop that would overlap too much.
fn touch_before_overlap(
    shapes: [&huygens_geometry::CollisionShape; 2],
    motions: [&Course; 2],
    limits: &Limits,
    duration: f64,
) -> Option<FirstTouch> {
    if duration <= 0.0 {
        return None;
    }
    let Limits { most, stop, tolerance, .. } = *limits;
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
        Self { slots, time: since + touch.time, normal: found.normal, at, moves, is_minor: false }
    }
}
