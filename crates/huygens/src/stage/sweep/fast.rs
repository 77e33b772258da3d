//! What is swept: shapes that are about to move farther than their own thickness, those that are deep in others, and what they may meet.

use super::round::SweepWork;
use super::ways::{Ways, turning_arm};
use crate::access::SweepAccess;
use crate::model::{Model, Motion};
use crate::scene::DriveLimit;
use crate::stage::table::ShapeRow;
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
        if 2.0 * (straight + turn * (row.reach * row.reach)) > most * most
            && straight.sqrt() + turn.sqrt() * turning_arm(row, state) > most
            && !state.quarantined[body]
        {
            work.sweep.fast.push(slot);
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

/// Lists what the fast shapes may meet.
pub(super) fn find_pairs(model: &Model, state: &State, work: &mut SweepAccess, room: &mut SweepWork) {
    for &slot in &room.fast {
        let bounds = Ways { model, state, work, turns: &mut room.turns }.bounds(slot);
        work.broad.set_bounds(slot, bounds);
    }
    let SweepAccess { broad, shapes, body_rows, .. } = work;
    let SweepWork { fast, pairs, .. } = room;
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
