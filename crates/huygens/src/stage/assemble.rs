//! From manifolds to the contact problem. The only file that sees manifolds, Jacobians and rows together.

use super::touch::touch_of;
use super::tree_rows::TreeSides;
use super::{balls, curved, demand, is_out, joint_rows, rows};
use crate::access::AssembleAccess;
use crate::model::{Model, Motion};
use crate::state::{ContactPoint, State};
use crate::workspace::{End, Factored, Found};
use huygens_contact::{Head, Law, NO_COUPLE, Point, Side};
use huygens_dynamics::{Axis, DofDrive, SmoothForces, Wrench};
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
    joint_rows::joints(model, state, work);
    rows::motors(model, state, work);
    if model.settings.solver.is_soft() {
        work.groups.mark_soft();
    }
    work.graph.build(work.groups, work.inertia);
    if model.has_curved {
        curved::rows_of_the_middle(model, state, work);
    }
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
        if model.has_surface_velocities {
            let first = work.groups.points.len() as u32;
            rows::surface_velocity(model, state, work, (entry.key, first), entry.normal);
        }
        let touch = touch_of(work.touches, &entry.key);
        for (end, moved) in ends.iter_mut().zip(touch.into_iter().flat_map(|touch| touch.moved)) {
            end.center += moved;
        }
        contact(model, state, work, entry, (&ends, [a, b]), &old);
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
    // Second links of bodies in loops feel what their first ones do.
    tree_work.wrench.resize(tree.links().len(), Wrench::default());
    let settings = &model.settings;
    let forces = smooth_forces(model, &tree_work.wrench, &tree_work.drives);
    let v = &state.velocity.dof[dofs.clone()];
    let kicked = tree_work.kick.kick(tree, &state.coordinates[model.coordinates_of(i)], v, &forces, block);
    if tree_work.factored == Factored::Singular || kicked.is_err() {
        // No number says what it does: `stage::sound` takes it out.
        work.acceleration.dof[dofs].fill(f64::NAN);
        return;
    }
    for ((a, free), v) in work.acceleration.dof[dofs].iter_mut().zip(&tree_work.kick.v_free).zip(v) {
        *a = (free - v) / settings.dt;
    }
}

/// The smooth forces on a tree whose links have these wrenches, and whose dofs have these motors.
pub(super) fn smooth_forces<'a>(
    model: &Model,
    external: &'a [Wrench],
    drives: &'a [DofDrive],
) -> SmoothForces<'a> {
    let settings = &model.settings;
    let at = settings.integrator.force_at();
    SmoothForces { h: settings.dt, at, gravity: settings.gravity, external, joint: &[], drives }
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
    state: &State,
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
    let (mut taken, mut fresh) = (0, 0);
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
        } else if closed(model, point.gap, false) <= 0.0 {
            fresh |= 1u32 << i;
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
    if fresh != 0 && !found.single && stays(model, state, ends, &work.groups.points[head.first as usize]) {
        inherit(work, &head, old, [taken, fresh]);
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

/// Way along which a contact counts as the same place, in lengths of the scene: the usual slop.
const SAME_PLACE: f64 = 5e-4;

/// True for a contact whose sides hardly move against each other in a step.
fn stays(model: &Model, state: &State, ends: &[End; 2], point: &Point) -> bool {
    let [a, b] = [0, 1].map(|i| state.velocity.free[ends[i].body as usize].at(point.arm[i]));
    (a - b).length() * model.settings.dt <= SAME_PLACE * model.settings.length
}

/// Gives points that are new in a contact that is not, and are closed, the impulses of those points that it no longer has: corners and rims change from
/// step to step, but the load that they carry does not. What slides on comes to bear elsewhere, and starts from nothing. `taken` and `fresh` have a bit for each old and each new point.
fn inherit(work: &mut AssembleAccess, head: &Head, old: &Previous, [taken, fresh]: [u32; 2]) {
    let (mut force, mut couple) = (Vec3::ZERO, Vec3::ZERO);
    for (j, point) in old.points.iter().enumerate().filter(|(j, _)| taken >> j & 1 == 0) {
        force += point.impulse;
        couple += old.couples.get(j).copied().unwrap_or_default();
    }
    let share = 1.0 / f64::from(fresh.count_ones());
    let (force, couple) = (head.to_local(force * share), head.to_local(couple * share));
    if force[0] <= 0.0 {
        return;
    }
    for i in (0..head.len as usize).filter(|i| fresh >> i & 1 == 1) {
        work.warm[head.first as usize + i] = force;
        if head.couple != NO_COUPLE {
            work.warm_couples[head.couple as usize + i] = couple;
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
