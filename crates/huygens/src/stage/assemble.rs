//! From manifolds to the contact problem. The only file that sees manifolds, Jacobians and rows together.

use super::touch::touch_of;
use super::tree_rows::TreeSides;
use super::{balls, curved, demand, is_out, rows};
use crate::access::AssembleAccess;
use crate::model::{JointModel, Model, Motion};
use crate::state::{ContactPoint, State};
use crate::workspace::{End, Found};
use huygens_contact::{GroupKey, Head, Law, NO_COUPLE, Point, RangeEnd, Row, Side, TreeSpan};
use huygens_dynamics::{Axis, JointKind, SmoothForces, Wrench};
use huygens_math::{Vec3, at_level};

pub(crate) fn assemble(model: &Model, state: &State, work: &mut AssembleAccess) {
    accelerations(model, state, work);
    work.groups.clear();
    work.warm.clear();
    work.head_found.clear();
    work.warm_rows.clear();
    work.warm_couples.clear();
    demand::demands(model, work.groups);
    rows::drivers(model, state, work);
    ends(model, state, work);
    at_level!(work.bodies.level, simd => contacts(model, state, work));
    if model.has_curved {
        curved::rows_of_the_middle(model, state, work);
    }
    limits(model, state, work);
    rows::motors(model, state, work);
    work.graph.build(work.groups, work.inertia);
}

/// What each shape is to a group.
fn ends(model: &Model, state: &State, work: &mut AssembleAccess) {
    work.ends.clear();
    let (bodies, inertia) = (&work.body_rows, &work.inertia.free);
    work.ends.extend(work.shapes.iter().map(|shape| {
        let body = shape.body as usize;
        let side = match bodies[body].motion {
            _ if shape.sensor || state.quarantined[body] => None,
            Motion::Driven(_) if model.torque_limited(body).is_some() => Some(Side::Free(shape.body)),
            Motion::Driven(i) => Some(Side::Driven(i)),
            Motion::Link { tree, .. } => Some(Side::Tree(tree)),
            Motion::Dynamic if inertia[body].can_move() => Some(Side::Free(shape.body)),
            Motion::Dynamic | Motion::Static => Some(Side::Fixed),
        };
        End { center: state.position[body], side, body: shape.body, material: shape.material }
    }));
}

/// A group for each manifold between things that can move, with the impulses of the last step to start from. The groups that were
/// found and those that are remembered are both sorted by key: one pass goes through them side by side.
#[inline(always)]
fn contacts(model: &Model, state: &State, work: &mut AssembleAccess) {
    let mut old = state.contacts.heads.iter().peekable();
    let mut material = None;
    let found = work.found;
    for (i, entry) in found.iter().enumerate().filter(|(_, entry)| entry.len > 0) {
        while old.next_if(|head| head.key < entry.key).is_some() {}
        let previous = old.next_if(|head| head.key == entry.key);
        let mut ends = entry.key.shapes().map(|slot| work.ends[slot as usize]);
        let [Some(a), Some(b)] = ends.map(|end| end.side) else { continue };
        if [a, b].iter().all(|side| matches!(side, Side::Fixed | Side::Driven(_))) {
            continue;
        }
        let surfaces = ends.map(|end| end.material);
        if material != Some(surfaces) {
            material = Some(surfaces);
            work.groups.materials.push(model.materials.combined(surfaces[0], surfaces[1]));
        }
        let old = previous.map_or(Previous::default(), |head| Previous {
            points: head.points(&state.contacts.points),
            couples: state.contacts.couples_of(head),
        });
        if model.has_belts {
            let first = work.groups.points.len() as u32;
            rows::belt(model, state, work, (entry.key, first), entry.normal);
        }
        let touch = touch_of(work.touches, &entry.key);
        for (end, moved) in ends.iter_mut().zip(touch.into_iter().flat_map(|touch| touch.moved)) {
            end.center += moved;
        }
        contact(model, work, entry, (&ends, [a, b]), &old);
        work.head_found.push(i as u32);
    }
}

/// Acceleration without contact, and the velocities that it leads to.
fn accelerations(model: &Model, state: &State, work: &mut AssembleAccess) {
    work.v_start.copy_from(&state.velocity);
    work.acceleration.reset_like(&state.velocity);
    for (slot, body) in work.body_rows.iter().enumerate() {
        let moves = matches!(body.motion, Motion::Dynamic | Motion::Link { .. });
        if !moves || body.removed || state.quarantined[slot] {
            continue;
        }
        let acceleration = &mut work.acceleration.free[slot];
        acceleration.linear = body.gravity;
        let (force, torque) = (state.force[slot], state.torque[slot]);
        if force != Vec3::ZERO || torque != Vec3::ZERO {
            let block = &work.inertia.free[slot];
            acceleration.linear += block.inv_mass * force;
            acceleration.angular = block.inv_inertia * torque;
        }
    }
    for applied in &work.forces.applied {
        let slot = applied.slot as usize;
        let (block, wrench) = (&work.inertia.free[slot], applied.total());
        let acceleration = &mut work.acceleration.free[slot];
        acceleration.linear += block.inv_mass * wrench.linear;
        acceleration.angular += block.inv_inertia * wrench.angular;
    }
    for i in 0..model.trees.len() {
        if !is_out(model, state, i) {
            tree_acceleration(model, state, work, i);
        }
    }
}

fn tree_acceleration(model: &Model, state: &State, work: &mut AssembleAccess, i: usize) {
    let (tree, block, tree_work) = (&model.trees[i], &work.inertia.trees[i], &mut work.trees[i]);
    let dofs = model.dofs_of(i);
    tree_work.wrench.clear();
    tree_work.wrench.extend(
        model.tree_bodies[i]
            .iter()
            .map(|&body| Wrench { force: state.force[body as usize], torque: state.torque[body as usize] }),
    );
    let settings = &model.settings;
    let forces = SmoothForces {
        h: settings.dt,
        at: settings.integrator.force_at(),
        gravity: settings.gravity,
        external: &tree_work.wrench,
        joint: &[],
    };
    let v = &state.velocity.dof[dofs.clone()];
    let kicked =
        tree_work.kick.kick(tree, &state.coordinates[model.coordinates_of(i)], v, &forces, &block.ldl);
    if tree_work.singular || kicked.is_err() {
        // No number says what it does: `stage::sound` takes it out.
        work.acceleration.dof[dofs].fill(f64::NAN);
        return;
    }
    for ((a, free), v) in work.acceleration.dof[dofs].iter_mut().zip(&tree_work.kick.v_free).zip(v) {
        *a = (free - v) / settings.dt;
    }
}

/// A contact in the last step.
#[derive(Clone, Copy, Default)]
struct Previous<'a> {
    points: &'a [ContactPoint],
    /// Couples of the points, or none at all.
    couples: &'a [Vec3],
}

/// Adds the group of one manifold; `old` is the same in the last step.
#[inline(always)]
fn contact(
    model: &Model,
    work: &mut AssembleAccess,
    found: &Found,
    (ends, side): (&[End; 2], [Side; 2]),
    old: &Previous,
) {
    let bounces = work.groups.materials.last().is_some_and(|material| material.restitution > 0.0);
    let normal = found.normal;
    let mut head = Head {
        key: found.key,
        side,
        law: Law::Contact,
        demand: demand::CONTACT,
        is_soft: false,
        first: work.groups.points.len() as u32,
        len: found.len as u8,
        material: work.groups.materials.len() as u32 - 1,
        couple: NO_COUPLE,
        normal,
        tangent: tangent_of(normal),
    };
    work.groups.add_couples(&mut head);
    let mut taken = 0;
    let has_tree = side.iter().any(|side| matches!(side, Side::Tree(_)));
    let axes = [normal, head.tangent, normal.cross(head.tangent)];
    for (i, point) in work.found_points[found.range()].iter().enumerate() {
        let same = if found.single {
            (!old.points.is_empty()).then_some(0)
        } else {
            find(old.points, point.before, i, &mut taken)
        };
        // What is beyond the margin is another event than the one that it would start from.
        let same = same.filter(|_| point.gap <= found.margin);
        let mut warm = [0.0; 3];
        if let Some(same) = same {
            let p = old.points[same].impulse;
            warm = [axes[0].dot(p), axes[1].dot(p), axes[2].dot(p)];
        }
        if head.couple != NO_COUPLE {
            let tau = same.and_then(|same| old.couples.get(same)).copied().unwrap_or_default();
            work.warm_couples.push(head.to_local(tau));
        }
        work.groups.points.push(Point {
            arm: [point.at - ends[0].center, point.at - ends[1].center],
            gap: closed(model, point.gap, warm[0] > 0.0),
            feature: point.feature,
            tree: None,
        });
        work.warm.push(warm);
    }
    let is_turned = touch_of(work.touches, &found.key).is_some();
    if let Some(round) =
        (bounces && !is_turned).then(|| balls::round(work, found, (ends, side), head.first)).flatten()
    {
        work.groups.round.push(round);
    }
    work.groups.heads.push(head);
    if has_tree {
        let AssembleAccess { trees, inertia, groups, found_points, .. } = work;
        let sides = TreeSides::of(model, inertia, &mut groups.tree, [ends[0].body, ends[1].body]);
        for i in found.range() {
            let at = found_points[i].at;
            let row = head.first as usize + i - found.first as usize;
            let push = |axis: &Axis| axes.map(|along| along.dot(axis.at(at)));
            groups.points[row].tree = if head.couple == NO_COUPLE {
                Some(sides.push(trees, inertia, &mut groups.tree, push))
            } else {
                // Those of the spin follow where there is friction against it.
                Some(sides.push(trees, inertia, &mut groups.tree, |axis| {
                    let ([n, t1, t2], spin) = (push(axis), axes.map(|along| along.dot(axis.angular)));
                    [n, t1, t2, spin[0], spin[1], spin[2]]
                }))
            };
        }
    }
}

/// The point with that feature that was not `taken` yet (a bit each); most often the one of the same number.
#[inline(always)]
fn find(points: &[ContactPoint], feature: [u32; 2], expected: usize, taken: &mut u32) -> Option<usize> {
    let fits = |j: usize| points[j].feature == feature && *taken >> j & 1 == 0;
    let at = if expected < points.len() && fits(expected) {
        expected
    } else {
        (0..points.len()).find(|&j| fits(j))?
    };
    *taken |= 1 << at;
    Some(at)
}

/// A gap that is round-off counts as closed: a body at rest must not fall through it in every step and be lifted again,
/// which would book heat where there is none. A contact that carried load stays closed until it has opened visibly.
#[inline(always)]
fn closed(model: &Model, gap: f64, loaded: bool) -> f64 {
    let closed = if loaded { 1e-6 } else { 1e-9 } * model.settings.length;
    if gap > 0.0 && gap <= closed { 0.0 } else { gap }
}

/// Joints at the ends of their range.
fn limits(model: &Model, state: &State, work: &mut AssembleAccess) {
    let mut next_soft = demand::SOFT_LIMITS;
    for (i, joint) in model.joints.iter().enumerate() {
        let rigid = if joint.kind == JointKind::Slide { demand::LENGTH } else { demand::ANGLE };
        let demand = if joint.is_soft() { next_soft } else { rigid };
        next_soft += u32::from(joint.is_soft());
        let Some([low, high]) = joint.range.filter(|_| !is_out(model, state, joint.tree as usize)) else {
            continue;
        };
        let q = state.coordinates[joint.first_coordinate as usize];
        let v = state.velocity.dof[joint.first_dof as usize];
        for (end, sign, gap) in [(RangeEnd::Low, 1.0, q - low), (RangeEnd::High, -1.0, high - q)] {
            let closing = gap + sign * v * model.settings.dt;
            // The rows of a limit that gives way are always there: what its spring stores is measured on them.
            let waits = closing > 0.0 || !model.settings.speculative;
            if gap > 0.0 && waits && !joint.is_soft() {
                continue;
            }
            let key = GroupKey::joint_limit(i as u32, end);
            let old = state.row_impulses.binary_search_by_key(&key, |(key, _)| *key);
            work.warm_rows.push(old.map_or(0.0, |at| state.row_impulses[at].1));
            let row = LimitRow { key, demand, sign, gap };
            limit(work, joint, &row);
        }
    }
}

/// A limit at one end of a joint's range.
struct LimitRow {
    key: GroupKey,
    /// Index into the demands.
    demand: u32,
    /// 1 where the coordinate grows as the gap opens, else −1.
    sign: f64,
    gap: f64,
}

fn limit(work: &mut AssembleAccess, joint: &JointModel, limit: &LimitRow) {
    let LimitRow { key, demand, sign, gap } = *limit;
    let (tree, dof) = (joint.tree, joint.first_dof);
    let block = &work.inertia.trees[tree as usize];
    let rows = &mut work.groups.tree;
    let path = rows.push_path([dof]);
    let span = rows.push_span(block, path, |_, _| [sign]);
    let tree_at = rows.push([span, TreeSpan::default()]);
    let row = work.groups.rows.len() as u32;
    let head = Head::of_row(key, [Side::Tree(tree), Side::Fixed], Law::Unilateral, demand, row);
    work.groups.heads.push(Head { is_soft: joint.is_soft(), ..head });
    work.groups.rows.push(Row {
        linear: Vec3::ZERO,
        angular: [Vec3::ZERO; 2],
        target: 0.0,
        error: gap,
        tree: Some(tree_at),
    });
}

/// A tangent that depends on the normal alone: across the world axis that it is farthest from. Normals point anywhere, so the axis
/// is chosen without a branch.
#[inline(always)]
fn tangent_of(n: Vec3) -> Vec3 {
    let a = n.abs();
    let x = (a.x <= a.y) & (a.x <= a.z);
    let y = !x & (a.y <= a.z);
    let z = !x & !y;
    let axis = Vec3::new(f64::from(u8::from(x)), f64::from(u8::from(y)), f64::from(u8::from(z)));
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
