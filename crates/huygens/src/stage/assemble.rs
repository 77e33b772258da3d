//! From manifolds to the contact problem. The only file that sees manifolds, Jacobians and rows together.

use super::table::ShapeRow;
use super::touch::{Touch, touch_of};
use super::tree_rows::TreeSides;
use super::{balls, curved, demand, is_out, joint_rows, rows};
use crate::access::AssembleAccess;
use crate::edit_log::Since;
use crate::model::{Model, Motion};
use crate::state::{ContactPoint, State};
use crate::workspace::{End, Factored, Found, FoundPoint};
use huygens_contact::{CoupleImpulse, Head, Impulse, Law, NO_COUPLE, Point, Side};
use huygens_dynamics::{Axis, DofDrive, SmoothForces, Wrench};
use huygens_math::pool::{Lent, part};
use huygens_math::{Vec3, at_level};

pub(crate) fn assemble(model: &Model, state: &State, work: &mut AssembleAccess) {
    accelerations(model, state, work);
    // Points are written in place: those of the last step make room for those of this one.
    let points = std::mem::take(&mut work.groups.points);
    work.groups.clear();
    work.groups.points = points;
    work.head_found.clear();
    work.warm_rows.clear();
    demand::demands(model, work.groups);
    rows::drivers(model, state, work);
    ends(model, state, work);
    contacts(model, state, work);
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
    let (bodies, inertia) = (&work.body_rows, &work.inertia.free);
    let end = |shape: &ShapeRow| {
        let body = shape.body as usize;
        let side = match bodies[body].motion {
            _ if shape.sensor || shape.asleep || state.quarantined[body] => None,
            Motion::Driven(_) if model.torque_limited(body).is_some() => Some(Side::Free(shape.body)),
            Motion::Driven(i) => Some(Side::Driven(i)),
            Motion::Link { tree, .. } => Some(Side::Tree(tree)),
            Motion::Dynamic if inertia[body].can_move() => Some(Side::Free(shape.body)),
            Motion::Dynamic | Motion::Static => Some(Side::Fixed),
        };
        End { center: state.position[body], side, body: shape.body, material: shape.material }
    };
    let known = work.ends_from.filter(|[_, changes]| *changes == state.sleep.changes);
    let edits = model.edits.since(known.map(|[edits, _]| edits));
    *work.ends_from = Some([model.edits.count(), state.sleep.changes]);
    if let Since::All = edits {
        work.ends.clear();
    }
    let first_new = work.ends.len();
    work.ends.extend(work.shapes[first_new..].iter().map(end));
    if first_new > 0 {
        for &slot in &work.bodies.awake_shapes {
            work.ends[slot as usize] = end(&work.shapes[slot as usize]);
        }
        edits.shapes().for_each(|slot| work.ends[slot] = end(&work.shapes[slot]));
    }
}

/// Groups of one chunk: some 20 µs.
const GROUPS_OF_CHUNK: usize = 256;

/// With fewer groups the caller works alone.
const LEAST_GROUPS: usize = 1024;

/// The previous step has no such group.
const NO_GROUP: u32 = u32::MAX;

/// A group for each manifold between things that can move, with the impulses of the last step to start from. One pass lists the groups, one
/// after the other; one fills them, in chunks; and a last one adds what few of them have, in their order again.
fn contacts(model: &Model, state: &State, work: &mut AssembleAccess) {
    let mut list = List { old: 0, material: None, points: 0 };
    work.before.clear();
    let level = work.bodies.level;
    let found = work.found.len();
    if work.pool.threads() > 1 && found >= LEAST_GROUPS {
        at_level!(level, simd => list.add(model, state, work, 0..found));
        let groups = work.groups.heads.len();
        let pool = work.pool;
        let filling = Filling::new(model, state, work, &list);
        pool.for_chunks(groups.div_ceil(GROUPS_OF_CHUNK), |chunk, _| {
            let range = part(chunk, GROUPS_OF_CHUNK, groups);
            at_level!(level, simd => range.for_each(|group| filling.fill(group)));
        });
    } else {
        // What was listed is filled while it is near.
        for chunk in 0..found.div_ceil(GROUPS_OF_CHUNK) {
            let first = work.groups.heads.len();
            at_level!(level, simd => {
                list.add(model, state, work, part(chunk, GROUPS_OF_CHUNK, found));
                let groups = work.groups.heads.len();
                let filling = Filling::new(model, state, work, &list);
                (first..groups).for_each(|group| filling.fill(group));
            });
        }
    }
    work.groups.points.truncate(list.points);
    work.warm.truncate(list.points);
    work.warm_couples.truncate(work.groups.couples as usize);
    let any_bounces = work.groups.materials.iter().any(|material| material.restitution > 0.0);
    for group in 0..if any_bounces || !model.trees.is_empty() { work.groups.heads.len() } else { 0 } {
        add_rare(model, work, group);
    }
}

/// The groups as they are listed. Those that were found and those that are remembered are both sorted by key: one pass goes through them side by
/// side.
struct List {
    /// First remembered group that may be this one or one after it.
    old: usize,
    /// The pair of materials that stands last in the table.
    material: Option<[u32; 2]>,
    /// Points of the groups so far.
    points: usize,
}

impl List {
    /// Adds the groups of some manifolds: what depends on those before them.
    #[inline(always)]
    fn add(
        &mut self,
        model: &Model,
        state: &State,
        work: &mut AssembleAccess,
        range: std::ops::Range<usize>,
    ) {
        let (found, old) = (work.found, &state.contacts.heads);
        for (i, entry) in found[range.clone()].iter().enumerate().filter(|(_, entry)| entry.len > 0) {
            while old.get(self.old).is_some_and(|head| head.key < entry.key) {
                self.old += 1;
            }
            let is_old = old.get(self.old).is_some_and(|head| head.key == entry.key);
            let before = if is_old { self.old as u32 } else { NO_GROUP };
            self.old += usize::from(is_old);
            let ends = entry.key.shapes().map(|slot| &work.ends[slot as usize]);
            let [Some(a), Some(b)] = ends.map(|end| end.side) else { continue };
            let side = [a, b];
            if side.iter().all(|side| matches!(side, Side::Fixed | Side::Driven(_))) {
                continue;
            }
            let change = work.meet.change(&entry.key);
            let surfaces = ends.map(|end| end.material);
            if let Some(changed) = change.and_then(|change| change.material) {
                self.material = None;
                work.groups.materials.push(changed);
            } else if self.material != Some(surfaces) {
                self.material = Some(surfaces);
                work.groups.materials.push(model.materials.combined(surfaces[0], surfaces[1]));
            }
            let first = self.points as u32;
            if model.has_surface_velocities || change.is_some() {
                demand::surface_velocity(model, state, work, entry.key, first, entry.normal);
            }
            let mut head = Head {
                key: entry.key,
                side,
                law: Law::Contact,
                demand: demand::CONTACT,
                is_soft: false,
                first,
                len: entry.len as u8,
                material: work.groups.materials.len() as u32 - 1,
                couple: NO_COUPLE,
                normal: entry.normal,
                tangent: Vec3::ZERO,
            };
            work.groups.add_couples(&mut head);
            self.points += entry.len as usize;
            work.groups.heads.push(head);
            work.head_found.push((range.start + i) as u32);
            work.before.push(before);
        }
    }
}

/// Acceleration without contact, and the velocities that it leads to.
fn accelerations(model: &Model, state: &State, work: &mut AssembleAccess) {
    work.v_start.copy_from(&state.velocity);
    work.acceleration.reset_like(&state.velocity);
    for &slot in &work.bodies.awake {
        let (slot, body) = (slot as usize, &work.body_rows[slot as usize]);
        if state.quarantined[slot] {
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

/// What a group is filled from, and the lists that it is written to.
struct Filling<'a> {
    model: &'a Model,
    state: &'a State,
    found: &'a [Found],
    found_points: &'a [FoundPoint],
    ends: &'a [End],
    touches: &'a [Touch],
    /// Manifold of each group, and its place among the groups of the last step.
    head_found: &'a [u32],
    before: &'a [u32],
    heads: Lent<'a, Head>,
    points: Lent<'a, Point>,
    warm: Lent<'a, Impulse>,
    couples: Lent<'a, CoupleImpulse>,
}

impl<'a> Filling<'a> {
    /// Makes room for what is listed.
    fn new(model: &'a Model, state: &'a State, work: &'a mut AssembleAccess, list: &List) -> Self {
        const NO_POINT: Point = Point { arm: [Vec3::ZERO; 2], gap: 0.0, feature: [0; 2], tree: None };
        let couples = work.groups.couples as usize;
        if work.groups.points.len() < list.points {
            work.groups.points.resize(list.points, NO_POINT);
        }
        if work.warm.len() < list.points {
            work.warm.resize(list.points, [0.0; 3]);
        }
        if work.warm_couples.len() < couples {
            work.warm_couples.resize(couples, [0.0; 3]);
        }
        Self {
            model,
            state,
            found: work.found,
            found_points: work.found_points,
            ends: work.ends,
            touches: work.touches,
            head_found: work.head_found,
            before: work.before,
            heads: Lent::new(&mut work.groups.heads),
            points: Lent::new(&mut work.groups.points),
            warm: Lent::new(work.warm),
            couples: Lent::new(work.warm_couples),
        }
    }

    /// Fills a group: its frame, its points, and the impulses that they start from.
    #[inline(always)]
    fn fill(&self, group: usize) {
        let (model, found) = (self.model, &self.found[self.head_found[group] as usize]);
        // SAFETY: a group, its points and its couples are those of one chunk, which fills each group once.
        let (head, points, warm, warm_couples) = unsafe {
            let head = self.heads.entry(group);
            let (range, couples) = (head.range(), self.couples.slice(head.couples()));
            (head, self.points.slice(range.clone()), self.warm.slice(range), couples)
        };
        let previous = self.state.contacts.heads.get(self.before[group] as usize);
        let old = previous.map_or(Previous::default(), |head| Previous {
            points: head.points(&self.state.contacts.points),
            couples: self.state.contacts.couples_of(head),
        });
        let mut ends = found.key.shapes().map(|slot| self.ends[slot as usize]);
        let touch = touch_of(self.touches, &found.key);
        for (end, moved) in ends.iter_mut().zip(touch.into_iter().flat_map(|touch| touch.moved)) {
            end.center += moved;
        }
        head.tangent = tangent_of(head.normal);
        let (mut taken, mut fresh) = (0, 0);
        let axes = [head.normal, head.tangent, head.normal.cross(head.tangent)];
        for (i, point) in self.found_points[found.range()].iter().enumerate() {
            let same = if found.single {
                (!old.points.is_empty()).then_some(0)
            } else {
                find(old.points, point.before, i, &mut taken)
            };
            // What is beyond the margin is another event than the one that it would start from, but for its share of the friction of the contact.
            let same = same.filter(|&same| {
                point.gap <= found.margin || is_share(&old.points[same].impulse, head.normal)
            });
            warm[i] = [0.0; 3];
            if let Some(same) = same {
                let p = old.points[same].impulse;
                warm[i] = [axes[0].dot(p), axes[1].dot(p), axes[2].dot(p)];
            } else if closed(model, point.gap, false) <= 0.0 {
                fresh |= 1u32 << i;
            }
            if head.couple != NO_COUPLE {
                let tau = same.and_then(|same| old.couples.get(same)).copied().unwrap_or_default();
                warm_couples[i] = head.to_local(tau);
            }
            points[i] = Point {
                arm: [point.at - ends[0].center, point.at - ends[1].center],
                gap: closed(model, point.gap, warm[i][0] > 0.0),
                feature: point.feature,
                tree: None,
            };
        }
        if fresh != 0 && !found.single && stays(model, self.state, &ends, &points[0]) {
            inherit(head, (warm, warm_couples), &old, [taken, fresh]);
        }
    }
}

/// Adds what few groups have: two balls that bounce, rows of trees.
fn add_rare(model: &Model, work: &mut AssembleAccess, group: usize) {
    let head = work.groups.heads[group];
    let found = work.found[work.head_found[group] as usize];
    let bounces = work.groups.materials[head.material as usize].restitution > 0.0;
    let has_tree = head.side.iter().any(|side| matches!(side, Side::Tree(_)));
    if !bounces && !has_tree {
        return;
    }
    let mut ends = found.key.shapes().map(|slot| work.ends[slot as usize]);
    let touch = touch_of(work.touches, &found.key);
    let is_turned = touch.is_some();
    for (end, moved) in ends.iter_mut().zip(touch.into_iter().flat_map(|touch| touch.moved)) {
        end.center += moved;
    }
    if let Some(round) =
        (bounces && !is_turned).then(|| balls::round(work, &found, (&ends, head.side), head.first)).flatten()
    {
        work.groups.round.push(round);
    }
    if has_tree {
        let axes = [head.normal, head.tangent, head.normal.cross(head.tangent)];
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

/// Largest normal part of an impulse of friction alone: the normal of a contact at rest turns by less in a step.
const NO_NORMAL: f64 = 1e-6;

/// True for the impulse of a point that bore nothing: its share of the friction of its contact.
fn is_share(impulse: &Vec3, normal: Vec3) -> bool {
    normal.dot(*impulse).abs() <= NO_NORMAL * impulse.length()
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
fn inherit(
    head: &Head,
    (warm, warm_couples): (&mut [Impulse], &mut [CoupleImpulse]),
    old: &Previous,
    [taken, fresh]: [u32; 2],
) {
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
        warm[i] = force;
        if head.couple != NO_COUPLE {
            warm_couples[i] = couple;
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
