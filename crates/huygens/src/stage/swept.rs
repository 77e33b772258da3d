//! Rows for open gaps of fast pairs are those of the true touch, or there are none.
//!
//! The narrow phase gives rows to all that two shapes may reach in a step, with the normal that they have at its start. That is right while
//! they move by no more than the contact margin. What moves farther is swept here: two shapes that pass each other get no row, so that
//! both fly as if the other was not there, to the last bit; two that meet get the manifold of the touch, unless it is the one that they have.
//! What touches something else does not follow its parabola: it loses a row only if it would meet the other neither with its weight nor without, and
//! keeps those of the start. What other impulses of the step do to the motion is for [`super::sweep`].
//!
//! Most pairs need no sweep ([`prospect`]). A plane across the normal of a group parts them through the whole step: they do not meet. Or they approach
//! along that normal, and until they touch they move by no more than the margin in any other direction: the rows of the start are right.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | d | `way` | displacement of a point of A against B in the step | m |
//! | g, c | `gap`, `closing` | gap of a point, and by how much it closes in the step | m |
//! | t | `sideways` | how far the point moves across the normal, g/c of it until the touch | m |

use super::table::{Kind, ShapeRow};
use super::touch::{
    Touch, add_points, can_be_swept, free_motion, least_square, manifolds_at, moved, steady_motion,
};
use crate::access::CollideAccess;
use crate::meeting::Hook;
use crate::model::{DEFAULT_MARGIN, Model, Motion};
use crate::state::State;
use crate::workspace::Found;
use huygens_geometry::CollisionShape;
use huygens_geometry::query::{FirstTouch, Motion as Course, first_touch_within, separation_along};
use huygens_math::{Vec3, scalar};
use std::ops::Range;

/// A touch with this cosine between its normal and that of the start, of bodies that turn by no more than that, has the rows of the start.
const SAME_NORMAL: f64 = 0.9999;
const SAME_TURN: f64 = 0.02;

/// Gap up to which a pair counts as touching, in lengths of the scene.
const CLOSED: f64 = 1e-6;

/// Takes the rows away from pairs that do not meet in this step, and turns those of the others to the touch.
///
/// What two balls do depends on whether they bounce: a user's function is asked about them here.
pub(crate) fn keep_what_meets(
    model: &Model,
    state: &State,
    work: &mut CollideAccess,
    mut hook: Option<&mut Hook<'_>>,
) {
    work.touches.clear();
    if !model.settings.speculative || work.found.is_empty() || !any_is_fast(work.shapes) {
        return;
    }
    if !model.trees.is_empty() {
        work.links.update(model, state, |dof| state.velocity.dof[dof] * model.settings.dt);
    }
    let mut is_marked = false;
    let mut first = 0;
    while first < work.found.len() {
        let shapes = work.found[first].key.shapes();
        let len = work.found[first..].iter().take_while(|found| found.key.shapes() == shapes).count();
        let group = first..first + len;
        first += len;
        if work.found[group.clone()].iter().all(|found| found.gap > 0.0)
            && is_fast(work.shapes, shapes, &work.found[group.start])
        {
            if !is_marked {
                mark_supported(model, state, work);
                is_marked = true;
            }
            pair(model, state, work, (shapes, group), hook.as_deref_mut());
        }
    }
}

/// Marks the bodies that touch something.
fn mark_supported(model: &Model, state: &State, work: &mut CollideAccess) {
    work.supported.clear();
    work.supported.resize(model.bodies.len(), false);
    let closed = CLOSED * model.settings.length;
    let is_out = |slot: u32| state.quarantined[work.shapes[slot as usize].body as usize];
    for found in work.found.iter().filter(|found| found.gap <= closed) {
        if found.key.shapes().into_iter().any(is_out) {
            continue;
        }
        for slot in found.key.shapes() {
            let row = &work.shapes[slot as usize];
            work.supported[row.body as usize] |= !row.is_static;
        }
    }
}

/// Motion of a shape in the step [m].
fn motion(row: &ShapeRow) -> f64 {
    let [x, y, z] = row.drift;
    f64::from((x * x + y * y + z * z).sqrt() + row.turning)
}

/// False when no two shapes can move by more than the least margin: nobody need look at a pair.
fn any_is_fast(rows: &[ShapeRow]) -> bool {
    let (mut most, mut least) = (0.0, f64::INFINITY);
    for row in rows.iter().filter(|row| !row.removed) {
        least = scalar::min(least, scalar::min(f64::from(row.margin), DEFAULT_MARGIN * row.size));
        if !row.is_static {
            most = scalar::max(most, motion(row));
        }
    }
    2.0 * most > least
}

/// True when two shapes move by more than their margin against each other.
fn is_fast(rows: &[ShapeRow], shapes: [u32; 2], found: &Found) -> bool {
    let [a, b] = shapes.map(|slot| &rows[slot as usize]);
    let [x, y, z] = [0, 1, 2].map(|i| a.drift[i] - b.drift[i]);
    let motion = f64::from((x * x + y * y + z * z).sqrt() + (a.turning + b.turning));
    motion > covered([a, b], found) && !a.sensor && !b.sensor
}

/// Motion for which rows of the start are good [m].
fn covered(rows: [&ShapeRow; 2], found: &Found) -> f64 {
    // A margin that the user chose may be larger than what the normals of so small a shape are good for.
    scalar::min(found.margin, DEFAULT_MARGIN * scalar::min(rows[0].size, rows[1].size))
}

/// Sweeps one pair, whose groups are `range`.
fn pair(
    model: &Model,
    state: &State,
    work: &mut CollideAccess,
    (slots, range): ([u32; 2], Range<usize>),
    hook: Option<&mut Hook<'_>>,
) {
    let shapes = slots.map(|slot| &model.shapes[slot as usize].shape);
    if !can_be_swept(shapes) {
        return;
    }
    let rows = slots.map(|slot| &work.shapes[slot as usize]);
    let prospect = prospect(model, state, work, slots, range.clone());
    if prospect == Prospect::AsAtStart || goes_on(state, slots, &work.found[range.clone()]) {
        return;
    }
    if prospect == Prospect::Apart {
        work.found[range].iter_mut().for_each(|found| found.len = 0);
        return;
    }
    let [a, b] =
        rows.map(|row| free_motion(model, state, (row, &work.body_rows[row.body as usize]), work.links));
    let h = model.settings.dt;
    if never_near(rows, [&a, &b], h) {
        work.found[range].iter_mut().for_each(|found| found.len = 0);
        return;
    }
    let supported = rows.iter().any(|row| work.supported[row.body as usize]);
    let covered = covered(rows, &work.found[range.start]);
    let normal = (range.len() == 1).then(|| work.found[range.start].normal);
    let found = first_touch_within(shapes, [&a, &b], normal, covered, h);
    let Some(touch) = found else {
        let [a, b] = [&a, &b].map(|motion| Course { acceleration: Vec3::ZERO, ..*motion });
        let meets = supported && first_touch_within(shapes, [&a, &b], normal, covered, h).is_some();
        if !meets {
            work.found[range].iter_mut().for_each(|found| found.len = 0);
        }
        return;
    };
    let has_link =
        rows.iter().any(|row| matches!(work.body_rows[row.body as usize].motion, Motion::Link { .. }));
    let are_balls = rows.iter().all(|row| row.kind == Kind::Ball);
    if has_link || supported || touch.time <= 0.0 {
        return;
    }
    if are_balls {
        let materials = rows.map(|row| row.material);
        let entry = &work.found[range.start];
        let mut changed = None;
        if let Some(hook) = hook {
            let points = &work.found_points[entry.range()];
            if !super::meet::show(model, state, work.meet, (entry, points, materials), hook) {
                return;
            }
            changed = work.meet.last_change(&entry.key);
        }
        // Balls that bounce are turned to their touch by the impact itself.
        if changed.unwrap_or_else(|| model.materials.combined(materials[0], materials[1])).restitution > 0.0 {
            return;
        }
    }
    if !is_as_at_start(shapes, &work.found[range.clone()], &touch, [&a, &b], h) {
        turn_to_touch(model, work, slots, range, [&a, &b], touch.time);
    }
}

/// What the motion at the start of the step and the groups of a pair say without a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Prospect {
    /// The shapes do not meet.
    Apart,
    /// They meet, and the rows of the start are those of the touch.
    AsAtStart,
    /// Only a sweep tells.
    Unclear,
}

/// What can be said of a pair, whose groups are `range`, without a sweep.
fn prospect(
    model: &Model,
    state: &State,
    work: &CollideAccess,
    slots: [u32; 2],
    range: Range<usize>,
) -> Prospect {
    let rows = slots.map(|slot| &work.shapes[slot as usize]);
    let is_link = |row: &ShapeRow| matches!(work.body_rows[row.body as usize].motion, Motion::Link { .. });
    if rows.into_iter().any(is_link) {
        return Prospect::Unclear;
    }
    let groups = &work.found[range];
    if let [group] = groups
        && is_apart(model, state, slots, rows, group)
    {
        return Prospect::Apart;
    }
    let h = model.settings.dt;
    let [a, b] = rows.map(|row| steady_motion(model, state, row, &work.body_rows[row.body as usize]));
    let angles = [&a, &b].map(|motion| motion.spin.length() * h);
    let whole = moved(&a, h)[0] - moved(&b, h)[0];
    let turn = |motion: &Course, at: Vec3| motion.spin.cross(at - motion.center) * h;
    let are_round = rows.iter().any(|row| row.kind == Kind::Ball);
    let covered = covered(rows, &groups[0]);
    let mut any = false;
    for group in groups {
        for point in &work.found_points[group.range()] {
            let way = whole + turn(&a, point.at) - turn(&b, point.at);
            let closing = -group.normal.dot(way);
            let (beyond, share) = (closing - point.gap, point.gap / closing);
            if beyond <= 0.0 {
                continue;
            }
            let sideways = (way + group.normal * closing).length();
            // Beyond the touch it must go deeper than it goes aside: sharp edges could still miss each other.
            let is_direct = sideways * share <= covered
                && beyond >= sideways * (1.0 - share)
                && (are_round || (angles[0] + angles[1]) * share <= SAME_TURN);
            if !is_direct {
                return Prospect::Unclear;
            }
            any = true;
        }
    }
    // What touches something else keeps its rows, and those that do not act do no harm.
    let is_supported = || rows.iter().any(|row| work.supported[row.body as usize]);
    if any || is_supported() { Prospect::AsAtStart } else { Prospect::Unclear }
}

/// True when two shapes with one group stay apart along its normal, with weight and without, by the displacements that their rows have.
fn is_apart(model: &Model, state: &State, slots: [u32; 2], rows: [&ShapeRow; 2], group: &Found) -> bool {
    let (h, n) = (model.settings.dt, group.normal);
    // How far velocity, acceleration and turns bring them together along the normal [m].
    let (mut straight, mut fall, mut rest) = (0.0, 0.0, 0.0);
    for (row, n) in [(rows[0], n), (rows[1], -n)] {
        if row.is_static {
            continue;
        }
        let (slot, [x, y, z]) = (row.body as usize, row.drift.map(f64::from));
        let twist = &state.velocity.free[slot];
        let closing = -n.dot(twist.linear) * h;
        straight += closing;
        fall -= n.dot(Vec3::new(x, y, z)) + closing;
        rest += ROUND_OFF * (x.abs() + y.abs() + z.abs());
        let angle = twist.angular.length() * h;
        let turns = row.reach > 0.0 || !row.radius.is_finite();
        if turns && angle > 0.0 {
            // Free rotation changes ω by no more than ω² in a second.
            let is_known = row.radius.is_finite() && angle <= SMALL_TURN;
            rest += if is_known { angle * (1.0 + angle) * row.reach } else { f64::INFINITY };
        }
    }
    let closing = scalar::max(straight, 0.0) + scalar::max(fall, 0.0) + rest;
    // The one point of a ball and its like is where the shapes are nearest to each other; a manifold may leave out what is nearer.
    group.gap > closing
        && (group.single || {
            let shapes = slots.map(|slot| &model.shapes[slot as usize].shape);
            separation_along(shapes, &rows.map(ShapeRow::pose), n).is_some_and(|gap| gap > closing)
        })
}

/// Rounding of displacements, which rows of shapes have in f32.
const ROUND_OFF: f64 = 1e-6;

/// A turn up to which that of the step is bounded by the spin of its start [rad].
const SMALL_TURN: f64 = 0.5;

/// True when the balls about two shapes stay apart on their way, with or without acceleration: no need to look closer.
fn never_near(rows: [&ShapeRow; 2], motions: [&Course; 2], h: f64) -> bool {
    let offset = |k: usize| {
        let motion = motions[k];
        let bulge = 0.5 * h * h * motion.acceleration.length();
        let arm = (motion.pose.translation - motion.center).length();
        bulge + scalar::min(motion.spin.length() * h, 2.0) * arm
    };
    let reach = rows[0].radius + rows[1].radius + offset(0) + offset(1);
    let way = (motions[0].velocity - motions[1].velocity) * h;
    reach.is_finite() && least_square(rows[0].place - rows[1].place, way) > reach * reach
}

/// True when a pair touched in the last step, and is within its margin: it goes on.
fn goes_on(state: &State, slots: [u32; 2], found: &[Found]) -> bool {
    found.iter().any(|found| found.gap <= found.margin) && state.touching.binary_search(&slots).is_ok()
}

/// True when the rows of the start are those of the touch.
fn is_as_at_start(
    shapes: [&CollisionShape; 2],
    found: &[Found],
    touch: &FirstTouch,
    motions: [&Course; 2],
    h: f64,
) -> bool {
    let turn = (motions[0].spin.length() + motions[1].spin.length()) * h;
    let is_mesh = shapes.iter().any(|shape| matches!(shape, CollisionShape::Mesh(_)));
    let same = |found: &Found| found.normal.dot(touch.separation.normal) > SAME_NORMAL;
    let turns = turn > SAME_TURN && !shapes.iter().any(|shape| matches!(shape, CollisionShape::Sphere(_)));
    !turns && (found.len() == 1 || !is_mesh) && found.iter().any(same)
}

/// Gives a pair the manifolds of its touch, in place of those of the start.
fn turn_to_touch(
    model: &Model,
    work: &mut CollideAccess,
    slots: [u32; 2],
    range: Range<usize>,
    motions: [&Course; 2],
    time: f64,
) {
    let shapes = slots.map(|slot| &model.shapes[slot as usize].shape);
    let reach = work.found[range.start].margin;
    manifolds_at(shapes, motions, (time, reach), work.bodies.level, work.pair);
    let before = work.found_points.len();
    let mut groups = range.clone();
    for manifold in work.pair.iter() {
        let first = work.found_points.len();
        let normal = add_points(manifold, motions, time, work.found_points);
        let len = work.found_points.len() - first;
        if len == 0 {
            continue;
        }
        // What has no group left is for the sweep after the solve.
        let Some(i) = groups.next() else { break };
        let found = &mut work.found[i];
        (found.normal, found.first, found.len) = (normal, first as u32, len as u16);
        let moved = motions.map(|motion| moved(motion, time)[0]);
        work.touches.push(Touch { key: found.key, moved });
    }
    if work.found_points.len() > before {
        groups.for_each(|i| work.found[i].len = 0);
    }
}
