//! What is swept: shapes that are about to move farther than their own thickness or otherwise than they flew, those that are deep in others, and what they
//! may meet.

use super::round::SweepWork;
use super::ways::{UNSEEN, Ways, displacement, strays};
use crate::access::SweepAccess;
use crate::model::{Model, Motion};
use crate::scene::DriveLimit;
use crate::stage::table::{Kind, ShapeRow};
use crate::stage::touch::can_be_swept;
use crate::state::State;
use huygens_geometry::broadphase::Filter;
use huygens_math::{Twist, Vec3, scalar};

/// A body is fast when it moves by more than this share of its half thickness.
const FAST: f64 = 1.0;

/// Overlap from which on a slow body is swept too, in its half thicknesses.
const DEEP: f64 = 0.05;

/// Lists the shapes that are about to move farther than their own thickness.
pub(super) fn find_fast(model: &Model, state: &State, work: &mut SweepAccess) {
    work.sweep.fast.clear();
    work.sweep.astray.clear();
    work.links.clear();
    if any_tree_is_fast(model, work) {
        move_links(model, state, work);
    }
    let (h, mut least) = (model.settings.dt, f64::INFINITY);
    for &slot in &work.bodies.awake_shapes {
        let row = &work.shapes[slot as usize];
        if row.sensor {
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
        // Of two numbers a and b, (a + b)² ≤ 2a² + 2b²: most shapes need no square root.
        let (straight, turn) = (way.linear.length_squared(), way.angular.length_squared());
        let is_fast = 2.0 * (straight + turn * (row.reach * row.reach)) > most * most
            && straight.sqrt() + turn.sqrt() * row.reach > most;
        if state.quarantined[body] {
            continue;
        }
        let is_free = work.body_rows[body].motion == Motion::Dynamic;
        if is_fast {
            work.sweep.fast.push(slot);
        } else if is_free && is_led_astray(row, &way, state.velocity.free[body].linear * h) {
            work.sweep.astray.push(slot);
        }
    }
    if !work.sweep.fast.is_empty() {
        mark_touched(state, work);
        let SweepAccess { sweep, shapes, .. } = work;
        let SweepWork { fast, touched, .. } = &mut **sweep;
        fast.retain(|&slot| touched[shapes[slot as usize].body as usize]);
    }
    find_deep(state, work, least);
    find_unseen(model, state, work, least);
    work.sweep.fast.sort_unstable();
    work.sweep.fast.dedup();
}

/// True for a shape that moves otherwise than the narrow phase expected, by more than its margin: `straight` is where its velocity of the start leads it. It may meet
/// what nobody has looked at, however slowly: two balls fly side by side, and one is stopped. Weight alone is no such motion, or all that rests
/// would be looked at. It is swept against what moves; what stands still it meets in the next step.
fn is_led_astray(row: &ShapeRow, way: &Twist, straight: Vec3) -> bool {
    let margin = f64::from(row.margin);
    let off = |expected: Vec3| (way.linear - expected).length_squared() > margin * margin;
    off(Vec3::from_array(row.drift.map(f64::from))) && off(straight)
}

/// Lists the pairs that are deep in each other at the start of the step, or would be at its end although they have rows: a solve may not have converged.
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
        if rows.into_iter().any(|row| gap < -DEEP * row.thin && !row.is_static && !row.sensor) {
            sweep.deep.push(pair);
        }
    }
}

/// Lists the pairs that have no row because they would not have met by their velocities of the start, and that come together because something
/// else moved one of them: a ball that follows another at its speed, and the first is stopped. `least` is the least half thickness of all that moves.
fn find_unseen(model: &Model, state: &State, work: &mut SweepAccess, least: f64) {
    let mut unseen = std::mem::take(&mut work.sweep.unseen);
    unseen.clear();
    let h = model.settings.dt;
    for found in work.found.iter().filter(|found| found.len == 0) {
        let pair = found.key.shapes();
        let rows = pair.map(|slot| &work.shapes[slot as usize]);
        let ways = rows.map(|row| match work.body_rows[row.body as usize].motion {
            Motion::Dynamic => displacement(work, row.body as usize),
            Motion::Driven(_) => state.velocity.free[row.body as usize] * h,
            Motion::Static | Motion::Link { .. } => Twist::ZERO,
        });
        let closing = found.normal.dot(ways[1].linear - ways[0].linear);
        let has_link =
            || rows.iter().any(|row| matches!(work.body_rows[row.body as usize].motion, Motion::Link { .. }));
        if closing > found.gap + UNSEEN * least && strays(rows, ways) > UNSEEN * least && !has_link() {
            unseen.push(pair);
        }
    }
    work.sweep.unseen = unseen;
}

/// Finds where the links of trees go.
pub(super) fn move_links(model: &Model, state: &State, work: &mut SweepAccess) {
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
            (length + 2.0 * (row.reach + own_reach(row)), scalar::min(thin, row.thin))
        });
        // An angle moves no point by more than it times the length of the tree, a slide none by more than itself.
        way * scalar::max(length, 1.0) > 0.5 * FAST * thin
    })
}

/// What a ball reaches beyond its centre [m]: turning a tree moves that, too.
fn own_reach(row: &ShapeRow) -> f64 {
    if row.kind == Kind::Ball { row.radius } else { 0.0 }
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

/// Lists what the fast shapes may meet.
pub(super) fn find_pairs(model: &Model, state: &State, work: &mut SweepAccess, room: &mut SweepWork) {
    for &slot in room.fast.iter().chain(&room.astray) {
        let bounds = Ways { model, state, work, turns: &room.turns }.bounds(slot);
        work.broad.set_bounds(slot, bounds);
    }
    let SweepAccess { broad, shapes, body_rows, .. } = work;
    let SweepWork { fast, astray, pairs, deep, unseen, .. } = room;
    pairs.clear();
    let moves =
        |row: &ShapeRow| matches!(body_rows[row.body as usize].motion, Motion::Dynamic | Motion::Link { .. });
    // What a driver with a limit cannot push away it may go through.
    let is_limited = |row: &ShapeRow| match body_rows[row.body as usize].motion {
        Motion::Driven(i) => model.drivers[i as usize].limit != DriveLimit::Unlimited,
        _ => false,
    };
    let counts = |slot: u32, other: u32| {
        let [(own, this), (row, that)] =
            [slot, other].map(|slot| (&shapes[slot as usize], &model.shapes[slot as usize]));
        let filters = [this, that].map(|shape| Filter { layer: shape.layer, mask: shape.mask });
        row.body != own.body
            && [own, row].iter().all(|row| {
                !row.sensor && !row.removed && !state.quarantined[row.body as usize] && !is_limited(row)
            })
            && (moves(row) || moves(own))
            && filters[0].passes(filters[1])
            && !model.exclusions.contains(own.body, row.body)
            && can_be_swept([&this.shape, &that.shape])
    };
    let count = fast.len();
    for (i, &slot) in fast.iter().chain(&*astray).enumerate() {
        broad.query_box(broad.bounds(slot), |other| {
            if counts(slot, other) && (i < count || moves(&shapes[other as usize])) {
                pairs.push(if slot < other { [slot, other] } else { [other, slot] });
            }
        });
    }
    pairs.extend(deep.iter().chain(&*unseen).filter(|pair| counts(pair[0], pair[1])));
    pairs.sort_unstable();
    pairs.dedup();
}
