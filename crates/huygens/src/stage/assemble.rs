//! From manifolds to the contact problem. The only file that sees manifolds, Jacobians and rows together.

use super::collide::is_immovable;
use crate::model::{Model, Motion};
use crate::state::{ContactMemory, State};
use crate::workspace::{Found, Workspace};
use huygens_contact::{Head, Law, NO_TREE, Point, Side, TreeSpan};
use huygens_geometry::match_points;
use huygens_math::{Twist, Vec3};

pub(crate) fn assemble(model: &Model, state: &State, work: &mut Workspace) {
    accelerations(model, state, work);
    work.groups.clear();
    work.warm.clear();
    work.head_found.clear();
    for driver in &model.drivers {
        work.groups.driven.push(state.velocity.free[driver.body as usize]);
    }
    let found = std::mem::take(&mut work.found);
    let mut memory = state.contacts.as_slice();
    let mut material = None;
    for (i, entry) in found.iter().enumerate() {
        while memory.first().is_some_and(|m| m.key < entry.key) {
            memory = &memory[1..];
        }
        let previous = memory.first().filter(|m| m.key == entry.key);
        let shapes = [entry.key.a, entry.key.b].map(|slot| &model.shapes[slot as usize]);
        let bodies = shapes.map(|shape| shape.body);
        if shapes.iter().any(|shape| shape.sensor)
            || bodies.iter().all(|&body| is_immovable(model, state, body))
        {
            continue;
        }
        let surfaces = shapes.map(|shape| shape.material);
        if material != Some(surfaces) {
            material = Some(surfaces);
            work.groups.materials.push(model.materials.combined(surfaces[0], surfaces[1]));
        }
        if contact(model, state, work, entry, previous) {
            work.head_found.push(i as u32);
        }
    }
    work.found = found;
}

/// Acceleration without contact, and the velocities that it leads to.
fn accelerations(model: &Model, state: &State, work: &mut Workspace) {
    work.v_start.copy_from(&state.velocity);
    work.acceleration.reset_like(&state.velocity);
    for (slot, body) in model.bodies.iter().enumerate() {
        if is_immovable(model, state, slot as u32) || body.removed {
            continue;
        }
        let block = &work.inertia.free[slot];
        let mask = |locked: bool, x: f64| if locked { 0.0 } else { x };
        let g = model.settings.gravity * body.gravity_scale;
        let gravity = Vec3::new(
            mask(body.lock_linear[0], g.x),
            mask(body.lock_linear[1], g.y),
            mask(body.lock_linear[2], g.z),
        );
        work.acceleration.free[slot] = Twist::new(
            gravity + block.inv_mass * state.force[slot],
            block.inv_inertia * state.torque[slot],
        );
    }
    for (i, tree) in model.trees.iter().enumerate() {
        let block = &work.inertia.trees[i];
        let first = block.first_dof as usize;
        let dofs = first..first + tree.dof_count();
        let tree_work = &mut work.trees[i];
        let wrench = |link: usize| {
            let body = model.tree_bodies[i][link] as usize;
            Twist::new(state.force[body], state.torque[body])
        };
        let gravity = |link: usize| {
            model.settings.gravity * model.bodies[model.tree_bodies[i][link] as usize].gravity_scale
        };
        tree.kick_force(
            &tree_work.start,
            &state.velocity.dof[dofs.clone()],
            gravity,
            wrench,
            &mut tree_work.force,
        );
        let out = &mut work.acceleration.dof[dofs];
        out.copy_from_slice(&tree_work.force);
        block.ldl.solve(out);
    }
}

fn side(model: &Model, state: &State, work: &Workspace, body: u32) -> Side {
    match model.bodies[body as usize].motion {
        Motion::Driven(i) => Side::Driven(i),
        Motion::Link { tree, .. } => Side::Tree(tree),
        Motion::Dynamic if !is_immovable(model, state, body) && work.inertia.free[body as usize].can_move() => {
            Side::Free(body)
        }
        Motion::Dynamic | Motion::Static => Side::Fixed,
    }
}

/// Adds the group of one manifold; false when it has no point that counts.
fn contact(
    model: &Model,
    state: &State,
    work: &mut Workspace,
    found: &Found,
    previous: Option<&ContactMemory>,
) -> bool {
    let bodies = [found.key.a, found.key.b].map(|slot| model.shapes[slot as usize].body);
    let sides = bodies.map(|body| side(model, state, work, body));
    if sides.iter().all(|side| matches!(side, Side::Fixed | Side::Driven(_))) {
        return false;
    }
    let pose = [found.key.a, found.key.b].map(|slot| work.shape_pose[slot as usize]);
    let normal = pose[0].rotate(found.manifold.normal);
    let first = work.groups.points.len();
    let mut head = Head {
        key: found.key,
        side: sides,
        law: Law::Contact,
        first: first as u32,
        len: 0,
        material: work.groups.materials.len() as u32 - 1,
        normal,
        tangent: tangent_of(normal),
    };
    let matched = previous.map(|memory| (memory, match_points(&memory.manifold, &found.manifold)));
    for (i, point) in found.manifold.points().iter().enumerate() {
        let at = (pose[0].transform(point.on_a) + pose[1].transform(point.on_b)) * 0.5;
        work.groups.points.push(Point {
            arm: bodies.map(|body| at - state.position[body as usize]),
            gap: point.gap,
            feature: [point.feature.a, point.feature.b].map(huygens_geometry::Feature::bits),
            tree: NO_TREE,
        });
        let old = matched.and_then(|(memory, matches)| matches[i].map(|k| memory.impulses[k as usize]));
        work.warm.push(old.map_or([0.0; 3], |world| head.to_local(world)));
        head.len += 1;
        if sides.iter().any(|side| matches!(side, Side::Tree(_))) {
            tree_rows(model, work, &head, at, bodies);
        }
    }
    if head.len > 0 {
        work.groups.heads.push(head);
    }
    head.len > 0
}

/// Rows of the last point over the dofs of the trees that it touches.
fn tree_rows(model: &Model, work: &mut Workspace, head: &Head, at: Vec3, bodies: [u32; 2]) {
    let axes = [head.normal, head.tangent, head.normal.cross(head.tangent)];
    let mut spans = [TreeSpan::default(); 2];
    let rows = &mut work.groups.tree;
    for k in 0..2 {
        let Motion::Link { tree, link } = model.bodies[bodies[k] as usize].motion else { continue };
        let block = &work.inertia.trees[tree as usize];
        let n = block.ldl.len();
        let same_tree = k == 1 && head.side[0] == head.side[1];
        let span = if same_tree {
            spans[0]
        } else {
            let span = TreeSpan { first_dof: block.first_dof, len: n as u32, at: rows.j.len() as u32 };
            rows.j.resize(rows.j.len() + 3 * n, 0.0);
            spans[k] = span;
            span
        };
        let sign = if k == 0 { 1.0 } else { -1.0 };
        let kinematics = &work.trees[tree as usize].start;
        for (r, axis) in axes.iter().enumerate() {
            let from = span.at as usize + r * n;
            let row = &mut rows.j[from..from + n];
            model.trees[tree as usize].add_jacobian(kinematics, link as usize, at, *axis * sign, row);
        }
    }
    rows.y.resize(rows.j.len(), 0.0);
    for span in spans.iter().filter(|span| span.len > 0) {
        let n = span.len as usize;
        let block = work.inertia.trees.iter().find(|block| block.first_dof == span.first_dof && block.ldl.len() == n);
        let Some(block) = block else { continue };
        for r in 0..3 {
            let from = span.at as usize + r * n;
            let y = &mut rows.y[from..from + n];
            y.copy_from_slice(&rows.j[from..from + n]);
            block.ldl.solve(y);
        }
    }
    if let Some(point) = work.groups.points.last_mut() {
        point.tree = rows.spans.len() as u32;
    }
    rows.spans.push(spans);
}

/// A tangent that depends on the normal alone: across the world axis that it is farthest from.
fn tangent_of(n: Vec3) -> Vec3 {
    let a = n.abs();
    let axis = if a.x <= a.y && a.x <= a.z {
        Vec3::X
    } else if a.y <= a.z {
        Vec3::Y
    } else {
        Vec3::Z
    };
    n.cross(axis).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use huygens_math::SplitMix;

    #[test]
    fn tangents_are_unit_vectors_across_the_normal() {
        let mut random = SplitMix::new(2);
        for _ in 0..1000 {
            let n = random.direction();
            let t = tangent_of(n);
            assert!(n.dot(t).abs() < 1e-15 && (t.length() - 1.0).abs() < 1e-15);
        }
    }
}
