//! How everything is about to move, and which pairs would pass each other.

use crate::access::SweepAccess;
use crate::model::{Model, Motion};
use crate::stage::links::vector_of;
use crate::stage::table::{Kind, ShapeRow};
use crate::stage::touch::{free_motion, least_square, moved, steady_motion, turned};
use crate::state::State;
use crate::workspace::Found;
use huygens_geometry::broadphase::ProxyBox;
use huygens_geometry::query::{FirstTouch, Motion as Course, first_overlap, stays_apart};
use huygens_math::{Twist, Vec3, scalar, trig};

/// Overlap that is none, in half thicknesses of what moves. What nothing pays for is not undone, so that it must not look like "left inside".
const NO_OVERLAP: f64 = 0.14;

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
}

/// Farthest from the centre of mass that turning moves anything of a shape [m].
pub(super) fn turning_arm(row: &ShapeRow, state: &State) -> f64 {
    if row.kind == Kind::Ball { (row.place - state.position[row.body as usize]).length() } else { row.reach }
}

/// How everything is about to move. A step is the unit of time.
pub(super) struct Ways<'a, 'w> {
    pub model: &'a Model,
    pub state: &'a State,
    pub work: &'a SweepAccess<'w>,
    pub turns: &'a mut Turns,
}

/// Turns of bodies in this step, each found once: that takes an iteration.
#[derive(Debug, Default)]
pub(super) struct Turns {
    /// By body; NaN for one that nobody has asked for yet [rad].
    turn: Vec<Vec3>,
}

impl Turns {
    pub fn reserve(&mut self, bodies: usize) {
        crate::workspace::reserve(&mut self.turn, bodies);
    }

    /// A turn that was asked for before.
    pub fn known(&self, body: usize) -> Vec3 {
        self.turn[body]
    }

    /// Forgets all turns.
    pub fn reset(&mut self, bodies: usize) {
        self.turn.clear();
        self.turn.resize(bodies, Vec3::NAN);
    }
}

/// Displacement of a body that contacts move: the integrator's own, that of its impacts, and the correction.
pub(super) fn displacement(work: &SweepAccess, body: usize) -> Twist {
    let (path, shift) = (&work.displacement.free[body], &work.solution.correction.free[body]);
    Twist::new(path.linear + shift.linear, path.angular + shift.angular)
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
    pub fn course(&mut self, slot: u32) -> Course {
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
    pub fn turn(&mut self, body: usize) -> Vec3 {
        if self.turns.turn[body].is_nan() {
            self.turns.turn[body] = self.find_turn(body);
        }
        self.turns.turn[body]
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
    pub fn bounds(&mut self, slot: u32) -> ProxyBox {
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

    /// False when two shapes move by too little against each other, or stay too far apart, to pass each other: most pairs.
    pub fn may_pass(&mut self, slots: [u32; 2], deep: &[[u32; 2]]) -> bool {
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
        let found = found_of(self.work.found, slots);
        if found.is_empty() && !self.leaves_its_box([a, b], [way_a, way_b], slots) {
            return false;
        }
        !self.normal_parts(slots, depth)
    }

    /// False for a pair of which the narrow phase found nothing, and that moves as it expected: it looked at all that the shapes can reach with
    /// the velocities of the start, give or take the margin.
    fn leaves_its_box(&self, rows: [&ShapeRow; 2], ways: [Twist; 2], slots: [u32; 2]) -> bool {
        let is_link =
            |row: &ShapeRow| matches!(self.work.body_rows[row.body as usize].motion, Motion::Link { .. });
        if rows.into_iter().any(is_link) || self.work.ghosts.binary_search(&slots).is_ok() {
            return true;
        }
        let mut beyond = 0.0;
        for (row, way) in rows.into_iter().zip(ways) {
            if row.is_static {
                continue;
            }
            let drift = Vec3::from_array(row.drift.map(f64::from));
            let more = way.angular.length() * row.reach - f64::from(row.turning);
            beyond += (way.linear - drift).length() + scalar::max(more, 0.0);
        }
        beyond > f64::from(if rows[0].margin < rows[1].margin { rows[0].margin } else { rows[1].margin })
    }

    /// True when a plane across the normal of a contact of two shapes keeps them from overlapping more on their way: that contact holds them.
    fn normal_parts(&mut self, slots: [u32; 2], depth: Allowed) -> bool {
        let Some(found) = found_of(self.work.found, slots).first() else { return false };
        let [a, b] = slots.map(|slot| self.course(slot));
        let shapes = slots.map(|slot| &self.model.shapes[slot as usize].shape);
        stays_apart(shapes, [&a, &b], found.normal, -depth.after(found.gap), 1.0)
    }

    /// Where two shapes would begin to pass each other when each makes its share of its displacement.
    pub fn hit(&mut self, slots: [u32; 2], stops: [f64; 2]) -> Option<Hit> {
        let shapes = slots.map(|slot| &self.model.shapes[slot as usize].shape);
        let [a, b] = slots.map(|slot| self.course(slot));
        let allowed = Allowed::new(slots.map(|slot| &self.work.shapes[slot as usize]));
        let found = found_of(self.work.found, slots);
        let start = found.iter().fold(f64::INFINITY, |least, found| scalar::min(least, found.gap));
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
