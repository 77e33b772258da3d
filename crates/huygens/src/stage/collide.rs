//! Broad phase, then narrow phase: which shapes are near, and where they touch.

use crate::model::{DEFAULT_MARGIN, Model, Motion, ShapeModel};
use crate::state::State;
use crate::workspace::{Found, Workspace, room};
use huygens_contact::GroupKey;
use huygens_geometry::broadphase::{BroadPhase, Filter, Mobility, ProxyBox};
use huygens_geometry::narrowphase;
use huygens_math::{Vec3, scalar};

pub(crate) fn collide(model: &Model, state: &State, work: &mut Workspace) {
    bounds(model, state, work);
    work.found.clear();
    // The pair list borrows the broad phase: take it out for the loop over pairs.
    let mut broad = std::mem::take(&mut work.broad);
    for pair in broad.update_pairs() {
        narrow(model, state, work, pair.a, pair.b);
    }
    work.broad = broad;
    super::ghost::drop_ghosts(model, work);
    super::guard::guard_cores(model, state, work);
}

/// True when nothing but the user moves this body.
pub(crate) fn is_immovable(model: &Model, state: &State, body: u32) -> bool {
    let slot = body as usize;
    match model.bodies[slot].motion {
        Motion::Dynamic | Motion::Link { .. } => state.quarantined[slot],
        Motion::Static | Motion::Driven(_) => true,
    }
}

/// Farthest that a point of the shape can move in this step, beyond its straight drift [m].
fn turning_reach(model: &Model, state: &State, shape: &ShapeModel) -> f64 {
    let spin = state.velocity.free[shape.body as usize].angular.length();
    // A boundary that turns has no farthest point; what it meets is within its own reach of the axis.
    let reach = if shape.reach.is_finite() { shape.reach } else { 0.0 };
    model.settings.dt * spin * reach
}

/// Straight displacement of the body in this step [m], as its velocity, gravity and the user's force give it.
fn drift(model: &Model, state: &State, body: u32) -> Vec3 {
    let h = model.settings.dt;
    let slot = body as usize;
    let mut displacement = state.velocity.free[slot].linear * h;
    if !is_immovable(model, state, body) {
        let body = &model.bodies[slot];
        let acceleration = model.settings.gravity * body.gravity_scale + state.force[slot] / body.mass;
        displacement += acceleration * (h * h);
    }
    displacement
}

/// Tells the broad phase where everything is.
fn bounds(model: &Model, state: &State, work: &mut Workspace) {
    let rebuild = work.broad_edits != Some(model.edits);
    if rebuild {
        work.broad = BroadPhase::default();
        work.broad.reserve(model.shapes.len(), room(model).groups);
        work.broad_edits = Some(model.edits);
    }
    for (slot, shape) in model.shapes.iter().enumerate().filter(|(_, shape)| !shape.removed) {
        let is_static = model.bodies[shape.body as usize].motion == Motion::Static;
        if is_static && !rebuild {
            continue;
        }
        let aabb = shape.shape.aabb(&work.shape_pose[slot]);
        let mut bounds = ProxyBox::from_f64_outward(aabb.min, aabb.max);
        if state.quarantined[shape.body as usize] {
            // It meets nothing any more.
            bounds = ProxyBox::EMPTY;
        } else if !is_static {
            let mut grow = own_margin(model, shape);
            if model.settings.speculative {
                bounds = bounds.swept(drift(model, state, shape.body));
                grow += turning_reach(model, state, shape);
            }
            bounds = bounds.expanded(grow);
        }
        if rebuild {
            let mobility =
                if is_immovable(model, state, shape.body) { Mobility::Static } else { Mobility::Moving };
            let filter = Filter { layer: shape.layer, mask: shape.mask };
            work.broad.insert(slot as u32, bounds, filter, mobility, shape.body);
        } else {
            work.broad.set_bounds(slot as u32, bounds);
        }
    }
}

/// The contact margin of a pair is a share of its smaller shape, so a share of this one is enough on its side.
fn own_margin(model: &Model, shape: &ShapeModel) -> f64 {
    let share = if shape.size.is_finite() { DEFAULT_MARGIN * shape.size } else { 0.0 };
    model.settings.margin.unwrap_or(share)
}

fn narrow(model: &Model, state: &State, work: &mut Workspace, a: u32, b: u32) {
    let (shape_a, shape_b) = (&model.shapes[a as usize], &model.shapes[b as usize]);
    if is_neighbouring_link(model, shape_a.body, shape_b.body) {
        return;
    }
    let smaller = scalar::min(shape_a.size, shape_b.size);
    let margin = model.settings.margin.unwrap_or(DEFAULT_MARGIN * smaller);
    let mut reach = margin;
    if model.settings.speculative {
        let approach = drift(model, state, shape_a.body) - drift(model, state, shape_b.body);
        reach +=
            approach.length() + turning_reach(model, state, shape_a) + turning_reach(model, state, shape_b);
    }
    let b_in_a = work.shape_pose[a as usize].relative(&work.shape_pose[b as usize]);
    work.pair.clear();
    narrowphase::collide(&shape_a.shape, &shape_b.shape, &b_in_a, reach, &mut work.pair);
    work.pair.sort_by_key(|m| m.sub_shape);
    for manifold in &mut work.pair {
        let [sub_a, sub_b] = manifold.sub_shape;
        let gap = manifold.gap();
        if !model.settings.speculative {
            manifold.retain(|point| point.gap <= 0.0);
        }
        work.found.push(Found { key: GroupKey { a, b, sub_a, sub_b }, manifold: *manifold, gap, margin });
    }
}

/// Links that a joint holds together do not collide unless the joint says so.
fn is_neighbouring_link(model: &Model, a: u32, b: u32) -> bool {
    model.bodies[a as usize].apart_from == Some(b) || model.bodies[b as usize].apart_from == Some(a)
}
