//! From contact points with a mesh to manifolds: one for each group of normals within 5°.

use super::super::build::Setting;
use super::touch::{Lies, MAX_TOUCHES, Touch, Touches};
use crate::clip::PlaneFrame;
use crate::manifold::{FeatureId, Manifold, ManifoldPoint, Reference};
use crate::reduce::{Candidate, reduce};
use arrayvec::ArrayVec;
use huygens_math::scalar::{clamp, max, min};
use huygens_math::{Pose, Vec3};

/// Cosine of 2.5°: points whose normals are closer than this to that of the first are one group, so that all of a group
/// are within 5° of each other.
const SAME_DIRECTION: f64 = 0.999_048_221_581_857_8;

/// Most manifolds of one shape with one mesh.
const MAX_CLUSTERS: usize = 16;

/// Points this close to a line, in parts of their extent, lie on it.
const ON_LINE: f64 = 1e-6;

/// Names a group by a triangle whose region has named another group before.
const SECOND_NAME: u32 = 1 << 30;

/// Which point begins the next group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum First {
    /// That of the lowest part: groups then keep their members while the shape moves.
    Lowest,
    /// The deepest, where there are more groups than can be kept.
    Deepest,
}

/// Adds the manifolds of all touches.
pub(super) fn clusters(touches: &mut Touches, b_in_a: &Pose, set: &Setting, out: &mut Vec<Manifold>) {
    let before = out.len();
    if !group_all(touches, First::Lowest, (b_in_a, set), out) {
        out.truncate(before);
        for touch in &mut touches.list {
            touch.used = false;
        }
        group_all(touches, First::Deepest, (b_in_a, set), out);
    }
}

/// False when there are too many groups.
fn group_all(
    touches: &mut Touches,
    order: First,
    (b_in_a, set): (&Pose, &Setting),
    out: &mut Vec<Manifold>,
) -> bool {
    let before = out.len();
    while let Some(first) = next(&touches.list, order) {
        if out.len() - before == MAX_CLUSTERS {
            return false;
        }
        let group = Group::around(&mut touches.list, first);
        let taken = |id: u32| out[before..].iter().any(|m| m.sub_shape[0] == id);
        let mut id = group.part;
        // Bounded: each try is another number, and there are fewer groups than tries.
        while taken(id) {
            id = (id | SECOND_NAME).wrapping_add(1);
        }
        out.push(Manifold::EMPTY);
        if let Some(manifold) = out.last_mut() {
            group.manifold(b_in_a, set, manifold);
            manifold.sub_shape[0] = id;
        }
    }
    true
}

fn next(list: &[Touch], order: First) -> Option<usize> {
    match order {
        First::Lowest => first_by(list, |t| (u64::from(t.part) << 32) | u64::from(t.incident.bits())),
        First::Deepest => first_by(list, |t| t.gap),
    }
}

/// The first of the unused that have the least key.
#[inline(always)]
fn first_by<K: PartialOrd>(list: &[Touch], key: impl Fn(&Touch) -> K) -> Option<usize> {
    let mut found: Option<(usize, K)> = None;
    for (i, touch) in list.iter().enumerate().filter(|(_, t)| !t.used) {
        let key = key(touch);
        if found.as_ref().is_none_or(|(_, least)| key < *least) {
            found = Some((i, key));
        }
    }
    found.map(|(i, _)| i)
}

/// Of points on one line only the ends count: an edge of many triangles has a point at each of their corners. Moves them to
/// the front, in the order of their ids, and says how many points are left.
fn ends_of_line(points: &mut [Candidate], extent: f64) -> usize {
    if points.len() < 3 {
        return points.len();
    }
    let (mut ends, mut longest) = ([0, 1], 0.0);
    for i in 0..points.len() {
        for j in i + 1..points.len() {
            let length = (points[i].at - points[j].at).length_squared();
            if length > longest {
                (ends, longest) = ([i, j], length);
            }
        }
    }
    let along = points[ends[1]].at - points[ends[0]].at;
    let off = |c: &Candidate| along.perp_dot(c.at - points[ends[0]].at).abs();
    if points.iter().any(|c| off(c) > ON_LINE * extent * longest.sqrt()) {
        return points.len();
    }
    points.swap(0, ends[0]);
    points.swap(1, ends[1]);
    2
}

/// Touches of one direction, with what they say together.
struct Group<'t> {
    list: &'t [Touch],
    numbers: ArrayVec<u8, MAX_TOUCHES>,
    /// The lowest part of the mesh.
    part: u32,
    /// The sum of the normals, and true when all are the same to the last bit.
    sum: Vec3,
    one: bool,
    /// True when all normals are those of a face of the shape.
    of_shape: bool,
    /// The least of each.
    least: Lies,
}

impl<'t> Group<'t> {
    /// All that are not used yet and have the direction of the touch `seed`. They are used from now on.
    fn around(list: &'t mut [Touch], seed: usize) -> Self {
        let seed = list[seed].up;
        let mut first: Option<Vec3> = None;
        let (mut numbers, mut part, mut sum) = (ArrayVec::new(), u32::MAX, Vec3::ZERO);
        let (mut one, mut of_shape) = (true, true);
        let mut least = Lies { travel: f64::INFINITY, turn: f64::INFINITY, round: f64::INFINITY };
        for (i, t) in list.iter_mut().enumerate() {
            if t.used || t.up.dot(seed) < SAME_DIRECTION {
                continue;
            }
            t.used = true;
            numbers.push(i as u8);
            part = part.min(t.part);
            sum += t.up;
            one &= *first.get_or_insert(t.up) == t.up;
            of_shape &= t.of_shape;
            least = Lies {
                travel: min(least.travel, t.lies.travel),
                turn: min(least.turn, t.lies.turn),
                round: min(least.round, t.lies.round),
            };
        }
        Self { list, numbers, part, sum, one, of_shape, least }
    }

    #[inline]
    fn members(&self) -> impl Iterator<Item = &Touch> {
        self.numbers.iter().map(|&i| &self.list[usize::from(i)])
    }

    #[inline]
    fn first(&self) -> &Touch {
        &self.list[usize::from(self.numbers[0])]
    }

    /// The mean of the normals; to the last bit the only one where all are the same.
    fn up(&self) -> Vec3 {
        if self.one { self.first().up } else { self.sum / self.sum.length() }
    }

    /// Writes the manifold of the group to `out`, which is empty.
    fn manifold(&self, b_in_a: &Pose, set: &Setting, out: &mut Manifold) {
        let up = self.up();
        let frame = PlaneFrame::new(self.first().at, up);
        let mut list: ArrayVec<Candidate, MAX_TOUCHES> = ArrayVec::new();
        for t in self.members() {
            list.push(Candidate {
                at: frame.project(t.at).0,
                gap: t.gap,
                reference: t.reference,
                incident: t.incident,
                minor: false,
                slide: 0.0,
            });
        }
        let kept = reduce(&mut list, set.tie(&frame, b_in_a), set.size);
        let len = ends_of_line(&mut list[..kept.len], kept.extent);
        let of_shape = self.one && self.of_shape;
        out.normal = -up;
        out.reference = if of_shape { Reference::B } else { Reference::A };
        let mut gap = f64::INFINITY;
        for c in &list[..len] {
            // Back to its own height: the points of a group need not lie in one plane.
            let same = |t: &&Touch| (t.reference, t.incident) == (c.reference, c.incident);
            let Some(t) = self.members().find(same) else { continue };
            out.push(ManifoldPoint {
                on_a: t.at,
                on_b: b_in_a.inverse_transform(t.at + up * t.gap),
                gap: t.gap,
                feature: FeatureId { a: t.reference, b: t.incident },
            });
            gap = min(gap, c.gap);
        }
        let (kept_points, dropped) = list[..kept.all].split_at(kept.len);
        out.reuse.travel = self.travel(up, set);
        out.reuse.turn = dropped.iter().fold(set.turn_on_face(gap), |least, p| {
            min(least, turn_without(p, &kept_points[..len], gap, set))
        });
        if !of_shape {
            out.reuse.turn = min(out.reuse.turn, self.least.turn);
        }
        if len > 1 {
            out.reuse.travel = min(out.reuse.travel, set.travel_on_patch(kept.extent));
        }
        out.round[1] = self.least.round;
    }

    /// Motion after which all points are still right. Gaps are followed along the mean normal: a point that slides along its own
    /// triangle seems to rise or sink by the angle between the two.
    fn travel(&self, up: Vec3, set: &Setting) -> f64 {
        if self.one {
            return self.least.travel;
        }
        let square = self.members().fold(0.0, |most, t| max(most, t.up.cross(up).length_squared()));
        min(self.least.travel, set.travel_of_straight(square.sqrt(), 0.0))
    }
}

/// Rotation for which a point that was dropped is not missed, where those are kept with this least gap.
fn turn_without(p: &Candidate, kept: &[Candidate], gap: f64, set: &Setting) -> f64 {
    let mut most = set.turn_with_dropped(gap - p.gap);
    for (i, q) in kept.iter().enumerate() {
        for r in &kept[i + 1..] {
            let along = r.at - q.at;
            let t =
                clamp((p.at - q.at).dot(along) / max(along.length_squared(), f64::MIN_POSITIVE), 0.0, 1.0);
            let between = q.gap + (r.gap - q.gap) * t;
            most = max(most, set.turn_beside(between - p.gap, (q.at + along * t - p.at).length()));
        }
    }
    most
}
