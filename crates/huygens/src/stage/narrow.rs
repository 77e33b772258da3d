//! The narrow phase of all pairs, in order: what is cheap is computed, what is dear is carried over from the last step while the
//! shapes hardly move against each other.
//!
//! Two sorted lists are gone through side by side: the pairs that are near, and the manifolds that were kept. Both are cut into the same chunks,
//! by the pairs alone; chunks write lists of their own, which are joined in the order of the pairs.

use super::table::{Kind, ShapeRow};
use crate::contacts::{APART, Kept, KeptManifolds, order};
use crate::model::Model;
use crate::workspace::{Found, FoundPoint};
use huygens_contact::GroupKey;
use huygens_geometry::broadphase::Pair;
use huygens_geometry::manifold::MAX_POINTS;
use huygens_geometry::{Carried, Feature, MOST_SLACK, Manifold, ManifoldPoint, match_points, narrowphase};
use huygens_math::lanes::{Level, prefetch};
use huygens_math::pool::{Lent, part};
use huygens_math::{Mat3, Pool, Pose, Vec3, at_level, scalar};

/// A kept manifold serves while the shapes come no farther in one step than it was made for, and this share of the margin more.
const SPARE_MARGIN: f64 = 0.5;

/// How much more than the narrow phase allows polyhedra may move before their manifold is made anew: the error of the gap is then
/// 5e-4 of the smaller shape, the slop of the default stabilisation. Normals of round shapes turn when they move, and get none.
const SLACK_OF_POLYHEDRA: f64 = MOST_SLACK;

/// A manifold that was made when the shapes were farther apart by this share of the margin, and did not touch, is made anew when they
/// meet: the first impact should have the very normal and place. What hovers without coming nearer has them already.
const TOUCHING: f64 = 1e-3;

/// How much a gap can change for each metre of motion: it is measured along the normal of one shape, and the surface of the other leans
/// by up to 60° there.
const GAP_BY_MOTION: f64 = 2.0;

/// Centres closer than this part of the radii have no direction between them.
const COINCIDENT: f64 = 1e-12;

/// Gap that is round-off and counts as a touch where open gaps have no rows, in lengths of the scene: a body that is put down on the ground would else fall
/// freely for a step, into the ground.
const CLOSED: f64 = 1e-9;

/// How many pairs before they are needed shapes and kept manifolds are asked for.
const ROWS_AHEAD: usize = 4;
const KEPT_AHEAD: usize = 3;

/// Pairs of one chunk: some 30 µs.
const PAIRS_OF_CHUNK: usize = 128;

/// Chunks whose lists wait to be joined.
const CHUNKS_OF_WAVE: usize = 64;

/// With fewer chunks the caller works alone, and writes the joint lists at once.
const LEAST_CHUNKS: usize = 3;

/// The place of a manifold that has no slot yet: this bit, and its place among those that were made.
const MADE: u32 = 1 << 31;

struct Narrow<'a> {
    model: &'a Model,
    rows: &'a [ShapeRow],
    groups: NewGroups<'a>,
    /// What was kept of the pairs of this chunk in the last step, and all slots: each is one pair's own.
    old: &'a [Kept],
    slots: Lent<'a, Manifold>,
    new_pairs: &'a mut Vec<Kept>,
    /// Manifolds that need a slot, and slots that are free.
    made: &'a mut Vec<Manifold>,
    released: &'a mut Vec<u32>,
    /// First kept manifold that may belong to this pair or to one after it.
    next: usize,
    /// Manifolds of one pair.
    pair: &'a mut Vec<Manifold>,
    /// The instructions of pairs with a mesh.
    level: Level,
}

/// The shapes, and where the narrow phase puts what it finds.
pub(super) struct NarrowRoom<'a> {
    pub pool: &'a Pool,
    pub shapes: &'a [ShapeRow],
    pub found: &'a mut Vec<Found>,
    pub found_points: &'a mut Vec<FoundPoint>,
    pub kept_pairs: &'a mut Vec<Kept>,
    pub chunks: &'a mut NarrowWork,
    /// Manifolds of one pair.
    pub pair: &'a mut Vec<Manifold>,
    /// The instructions of pairs with a mesh.
    pub level: Level,
}

/// Room of the chunks.
#[derive(Debug, Default)]
pub(crate) struct NarrowWork {
    lists: Vec<Lists>,
    made: Vec<Manifold>,
    released: Vec<u32>,
}

impl NarrowWork {
    /// Makes room for the manifolds of one chunk; those of meshes may be more.
    pub(crate) fn reserve_one(&mut self) {
        self.made.reserve(PAIRS_OF_CHUNK);
        self.released.reserve(PAIRS_OF_CHUNK);
    }

    /// Makes room for so many pairs side by side.
    pub(crate) fn reserve(&mut self, pairs: usize) {
        let lists = CHUNKS_OF_WAVE.min(pairs.div_ceil(PAIRS_OF_CHUNK));
        if self.lists.len() < lists {
            self.lists.resize_with(lists, Lists::default);
        }
    }
}

/// What one chunk writes.
#[derive(Debug)]
struct Lists {
    found: Vec<Found>,
    points: Vec<FoundPoint>,
    pairs: Vec<Kept>,
    pair: Vec<Manifold>,
    made: Vec<Manifold>,
    released: Vec<u32>,
}

impl Default for Lists {
    /// With room for pairs of a point or two each; those with a mesh may need more.
    fn default() -> Self {
        Self {
            found: Vec::with_capacity(2 * PAIRS_OF_CHUNK),
            points: Vec::with_capacity(4 * PAIRS_OF_CHUNK),
            pairs: Vec::with_capacity(2 * PAIRS_OF_CHUNK),
            pair: Vec::with_capacity(16),
            made: Vec::with_capacity(PAIRS_OF_CHUNK),
            released: Vec::with_capacity(PAIRS_OF_CHUNK),
        }
    }
}

/// All pairs, sorted.
pub(super) fn narrow(model: &Model, pairs: &[Pair], kept: &mut KeptManifolds, room: NarrowRoom) {
    let NarrowRoom { pool, shapes, found, found_points, kept_pairs, chunks, pair, level } = room;
    let settings = &model.settings;
    let most_gap = if settings.speculative { f64::INFINITY } else { CLOSED * settings.length };
    let count = pairs.len().div_ceil(PAIRS_OF_CHUNK).max(1);
    if count < LEAST_CHUNKS || pool.threads() == 1 {
        found.clear();
        found_points.clear();
        kept_pairs.clear();
        for chunk in 0..count {
            let (near, old) = cut(chunk, pairs, &kept.pairs);
            let first = kept_pairs.len();
            let NarrowWork { made, released, .. } = &mut *chunks;
            let narrow = Narrow {
                model,
                rows: shapes,
                groups: NewGroups { most_gap, found, points: found_points },
                old: &kept.pairs[old],
                slots: Lent::new(&mut kept.slots),
                new_pairs: kept_pairs,
                made,
                released,
                next: 0,
                pair,
                level,
            };
            at_level!(level, simd => narrow.all(near));
            let KeptManifolds { slots, free, .. } = kept;
            give_slots(&mut kept_pairs[first..], (&mut chunks.made, &mut chunks.released), (slots, free));
        }
    } else {
        // Entries of the last step are written over.
        let mut ends = [0; 3];
        for wave in (0..count).step_by(CHUNKS_OF_WAVE) {
            let lists = CHUNKS_OF_WAVE.min(count - wave);
            chunks.reserve(lists * PAIRS_OF_CHUNK);
            let (old, slots) = (&kept.pairs, Lent::new(&mut kept.slots));
            pool.for_parts(&mut chunks.lists[..lists], 1, |k, lists| {
                let (near, from) = cut(wave + k, pairs, old);
                let Lists { found, points, pairs, pair, made, released } = &mut lists[0];
                let narrow = Narrow {
                    model,
                    rows: shapes,
                    groups: NewGroups { most_gap, found, points },
                    old: &old[from],
                    slots,
                    new_pairs: pairs,
                    made,
                    released,
                    next: 0,
                    pair,
                    level,
                };
                at_level!(level, simd => narrow.all(near));
            });
            let mut starts = [[0; 3]; CHUNKS_OF_WAVE];
            for (start, lists) in starts.iter_mut().zip(&chunks.lists[..lists]) {
                *start = ends;
                ends[0] += lists.found.len();
                ends[1] += lists.points.len();
                ends[2] += lists.pairs.len();
            }
            grow(found, ends[0], Found::EMPTY);
            grow(found_points, ends[1], FoundPoint::EMPTY);
            grow(kept_pairs, ends[2], Kept::EMPTY);
            let (all, all_points, all_pairs) =
                (Lent::new(found), Lent::new(found_points), Lent::new(kept_pairs));
            pool.for_parts(&mut chunks.lists[..lists], 1, |k, lists| {
                let Lists { found, points, pairs, .. } = &mut lists[0];
                let [first, first_point, first_pair] = starts[k];
                for found in found.iter_mut() {
                    found.first += first_point as u32;
                }
                // SAFETY: each chunk has places of its own in the joint lists.
                unsafe {
                    all.slice(first..first + found.len()).copy_from_slice(found);
                    all_points.slice(first_point..first_point + points.len()).copy_from_slice(points);
                    all_pairs.slice(first_pair..first_pair + pairs.len()).copy_from_slice(pairs);
                }
                found.clear();
                points.clear();
            });
            for (lists, [_, _, first]) in chunks.lists[..lists].iter_mut().zip(starts) {
                let Lists { pairs, made, released, .. } = lists;
                let KeptManifolds { slots, free, .. } = kept;
                give_slots(&mut kept_pairs[first..first + pairs.len()], (made, released), (slots, free));
                pairs.clear();
            }
        }
        found.truncate(ends[0]);
        found_points.truncate(ends[1]);
        kept_pairs.truncate(ends[2]);
    }
    std::mem::swap(kept_pairs, &mut kept.pairs);
}

/// Makes a list at least so long; what it has stays.
fn grow<T: Clone>(list: &mut Vec<T>, len: usize, empty: T) {
    if list.len() < len {
        list.resize(len, empty);
    }
}

/// The pairs of a chunk, and the places of what was kept of them; what was kept of pairs that are near no more belongs to the chunk before.
fn cut<'p>(chunk: usize, pairs: &'p [Pair], old: &[Kept]) -> (&'p [Pair], std::ops::Range<usize>) {
    let place = |pair: usize| match pairs.get(pair) {
        Some(pair) => old.partition_point(|kept| kept.order() < order(pair.a, pair.b)),
        _ => old.len(),
    };
    let range = part(chunk, PAIRS_OF_CHUNK, pairs.len());
    let first = if chunk == 0 { 0 } else { place(range.start) };
    (&pairs[range.clone()], first..place(range.end))
}

/// Gives the new manifolds of a chunk their slots.
fn give_slots(
    pairs: &mut [Kept],
    (made, released): (&mut Vec<Manifold>, &mut Vec<u32>),
    (slots, free): (&mut Vec<Manifold>, &mut Vec<u32>),
) {
    free.append(released);
    if made.is_empty() {
        return;
    }
    for pair in pairs.iter_mut().filter(|pair| pair.at != APART && pair.at & MADE != 0) {
        let at = free.pop().unwrap_or_else(|| {
            slots.push(Manifold::EMPTY);
            slots.len() as u32 - 1
        });
        slots[at as usize].copy_from(&made[(pair.at - MADE) as usize]);
        pair.at = at;
    }
    made.clear();
}

/// What is asked about a pair.
struct Ask<'a> {
    key: GroupKey,
    a: &'a ShapeRow,
    b: &'a ShapeRow,
    /// Largest gap that counts [m].
    reach: f64,
    margin: f64,
}

impl<'a> Narrow<'a> {
    /// The pairs of a chunk, sorted.
    #[inline(always)]
    fn all(mut self, pairs: &[Pair]) {
        let rows = self.rows;
        let speculative = self.model.settings.speculative;
        for (i, pair) in pairs.iter().enumerate() {
            if let Some(ahead) = pairs.get(i + ROWS_AHEAD) {
                prefetch(&rows[ahead.b as usize]);
            }
            let (a, b) = (&rows[pair.a as usize], &rows[pair.b as usize]);
            if a.has_exclusions & b.has_exclusions && self.model.exclusions.contains(a.body, b.body) {
                continue;
            }
            // Whatever a sleeper touches has woken it before; sensors wake nobody.
            if (a.asleep | b.asleep) & !(a.sensor | b.sensor) {
                continue;
            }
            let margin = f64::from(if a.margin < b.margin { a.margin } else { b.margin });
            let mut reach = margin;
            if speculative {
                let approach = [0, 1, 2].map(|i| a.drift[i] - b.drift[i]);
                let [x, y, z] = approach;
                reach += f64::from((x * x + y * y + z * z).sqrt() + (a.turning + b.turning));
            }
            let key = GroupKey::contact([pair.a, pair.b], [0; 2]);
            let ask = Ask { key, a, b, reach, margin };
            if a.kind == Kind::Ball && b.kind == Kind::Ball {
                self.balls(&ask);
                continue;
            }
            let far = a.radius + b.radius + reach;
            if (a.place - b.place).length_squared() > far * far {
                continue;
            }
            match (a.kind, b.kind) {
                (Kind::Ball, Kind::Plain) | (Kind::Plain, Kind::Ball) => self.ball(&ask),
                (Kind::Container, _) | (_, Kind::Container) => self.container(&ask),
                _ => self.convex(&ask),
            }
        }
        while let Some(pair) = self.old.get(self.next) {
            self.release(pair.at);
            self.next += 1;
        }
    }

    /// Frees a slot; nothing for [`APART`].
    #[inline(always)]
    fn release(&mut self, at: u32) {
        if at != APART {
            self.released.push(at);
        }
    }

    /// A kept manifold of this chunk.
    #[inline(always)]
    fn slot(&self, at: u32) -> &'a Manifold {
        // SAFETY: a slot belongs to one pair, and a pair to one chunk, which writes it ([`Narrow::convex`]) when nothing of it is read any more.
        unsafe { self.slots.read(at as usize) }
    }

    /// Keeps a manifold that has no slot yet; returns its place.
    fn keep(&mut self, manifold: usize) -> u32 {
        let new = &self.pair[manifold];
        let at = MADE | self.made.len() as u32;
        self.made.push(Manifold::EMPTY);
        if let Some(made) = self.made.last_mut() {
            made.copy_from(new);
        }
        at
    }

    /// Half of the balls whose boxes overlap do not touch, and no branch predictor knows which: written in any case, and kept
    /// when they do.
    #[inline(always)]
    fn balls(&mut self, ask: &Ask) {
        let (a, b) = (ask.a, ask.b);
        let (d, radii) = (a.place - b.place, a.radius + b.radius);
        let distance = d.length();
        // Centres that coincide have no direction between them. Not for NaN.
        let apart = distance > COINCIDENT * radii;
        let inverse = 1.0 / distance;
        let normal = if apart { d * inverse } else { Vec3::Z };
        let gap = distance - radii;
        let at = b.place + normal * (b.radius + 0.5 * gap);
        let near = gap <= ask.reach;
        let counts = near & (gap <= self.groups.most_gap);
        let feature = [Feature::vertex(0).bits(); 2];
        let (first, count) = (self.groups.points.len(), self.groups.found.len());
        self.groups.points.push(FoundPoint { at, gap, feature, before: feature });
        self.groups.points.truncate(first + usize::from(counts));
        self.groups.found.push(Found {
            key: ask.key,
            normal,
            gap,
            margin: ask.margin,
            first: first as u32,
            len: u16::from(counts),
            single: true,
        });
        self.groups.found.truncate(count + usize::from(near));
    }

    fn ball(&mut self, ask: &Ask) {
        let ball_is_a = ask.a.kind == Kind::Ball;
        let (ball, other) = if ball_is_a { (ask.a, ask.b) } else { (ask.b, ask.a) };
        let slot = ask.key.shapes()[usize::from(ball_is_a)];
        let pose = other.pose();
        let center = pose.inverse_transform(ball.place);
        let shape = &self.model.shapes[slot as usize].shape;
        let near = narrowphase::ball(shape, center, ball.radius).filter(|contact| contact.gap <= ask.reach);
        let Some(contact) = near else { return };
        let (normal, at) = (pose.rotate(contact.normal), pose.transform(contact.middle()));
        let center = Feature::vertex(0);
        if ball_is_a {
            self.groups.add_single(ask, -normal, at, contact.gap, [center, contact.feature]);
        } else {
            self.groups.add_single(ask, normal, at, contact.gap, [contact.feature, center]);
        }
    }

    /// What is kept of this pair; frees what was of the pairs before it.
    #[inline(always)]
    fn kept_of(&mut self, key: GroupKey) -> Option<Kept> {
        let [a, b] = key.shapes();
        let order = order(a, b);
        while let Some(&pair) = self.old.get(self.next)
            && pair.order() <= order
        {
            self.next += 1;
            self.look_ahead();
            if pair.order() == order {
                return Some(pair);
            }
            self.release(pair.at);
        }
        None
    }

    /// Asks for a kept manifold that is needed soon: they lie where there was room for them.
    #[inline(always)]
    fn look_ahead(&self) {
        if let Some(ahead) = self.old.get(self.next + KEPT_AHEAD)
            && ahead.at != APART
        {
            prefetch(self.slot(ahead.at));
        }
    }

    #[inline(always)]
    fn convex(&mut self, ask: &Ask) {
        let b_in_a = ask.a.pose().relative(&ask.b.pose());
        let kept = self.kept_of(ask.key);
        if let Some(kept) = kept
            && self.still_holds(ask, &b_in_a, &kept)
        {
            self.new_pairs.push(kept);
            return;
        }
        let clearance = self.make(ask, &b_in_a, ask.reach);
        let old = kept.map_or(APART, |kept| kept.at);
        let [a, b] = ask.key.shapes();
        let Some(new) = self.pair.first() else {
            self.release(old);
            self.new_pairs.push(Kept { a, b, at: APART, made_at: b_in_a, reach: clearance, gap: clearance });
            return;
        };
        let before = (old != APART).then(|| features_before(self.slot(old), new));
        let now = as_made(new, &b_in_a);
        let gap = now.least_gap(new.points().len());
        self.groups.add(ask, new, (&now, gap), before.as_ref());
        let at = if old == APART {
            self.keep(0)
        } else {
            // SAFETY: the slot is this pair's own, and nothing of it is read any more.
            unsafe { self.slots.entry(old as usize) }.copy_from(new);
            old
        };
        self.new_pairs.push(Kept { a, b, at, made_at: b_in_a, reach: ask.reach, gap });
    }

    /// True when what is kept of the pair still holds; adds its group.
    #[inline(always)]
    fn still_holds(&mut self, ask: &Ask, b_in_a: &Pose, kept: &Kept) -> bool {
        if kept.at == APART {
            return kept.motion(b_in_a, ask.b.radius) < kept.reach - ask.reach;
        }
        ask.reach <= kept.reach + SPARE_MARGIN * ask.margin && self.add_carried(ask, b_in_a, kept)
    }

    /// Adds the group of a kept manifold as it is now; false when it no longer holds.
    #[inline(always)]
    fn add_carried(&mut self, ask: &Ask, b_in_a: &Pose, kept: &Kept) -> bool {
        let manifold = self.slot(kept.at);
        let slack = if manifold.round == [0.0; 2] { SLACK_OF_POLYHEDRA } else { 1.0 };
        let size = scalar::min(ask.a.size, ask.b.size);
        let mut now = Carried::default();
        if !manifold.carried(&kept.made_at, b_in_a, [size, slack], &mut now) {
            return false;
        }
        let gap = now.least_gap(manifold.points().len());
        let nearer = kept.gap - scalar::max(gap, 0.0);
        if nearer > TOUCHING * ask.margin && gap <= ask.reach - ask.margin {
            return false;
        }
        self.groups.add(ask, manifold, (&now, gap), None);
        true
    }

    /// A pair with several manifolds. All of them are kept, and serve while each does, and while nothing has come near that was out of reach
    /// when they were made.
    fn container(&mut self, ask: &Ask) {
        let b_in_a = ask.a.pose().relative(&ask.b.pose());
        if ask.a.kind == Kind::Ball || ask.b.kind == Kind::Ball {
            // Cheap, and a ball that rolls would use nothing again.
            self.make(ask, &b_in_a, ask.reach);
            self.pair.sort_by_key(|m| m.sub_shape);
            for manifold in self.pair.iter() {
                let now = as_made(manifold, &b_in_a);
                self.groups.add(ask, manifold, (&now, now.least_gap(manifold.points().len())), None);
            }
            return;
        }
        let [a, b] = ask.key.shapes();
        let order = order(a, b);
        let first = if self.kept_of(ask.key).is_some() { self.next - 1 } else { self.next };
        while self.old.get(self.next).is_some_and(|pair| pair.order() == order) {
            self.next += 1;
            self.look_ahead();
        }
        let old = first..self.next;
        if self.all_hold(ask, &b_in_a, old.clone()) {
            self.new_pairs.extend_from_slice(&self.old[old]);
            return;
        }
        for at in old {
            let slot = self.old[at].at;
            self.release(slot);
        }
        let reach = ask.reach + SPARE_MARGIN * ask.margin;
        let clearance = self.make(ask, &b_in_a, reach);
        let [a, b] = ask.key.shapes();
        if self.pair.is_empty() {
            self.new_pairs.push(Kept { a, b, at: APART, made_at: b_in_a, reach: clearance, gap: clearance });
        }
        self.pair.sort_by_key(|m| m.sub_shape);
        for manifold in 0..self.pair.len() {
            let new = &self.pair[manifold];
            let now = as_made(new, &b_in_a);
            let gap = now.least_gap(new.points().len());
            self.groups.add(ask, new, (&now, gap), None);
            let at = self.keep(manifold);
            self.new_pairs.push(Kept { a, b, at, made_at: b_in_a, reach, gap });
        }
    }

    /// True when all that is kept of a pair still holds; adds its groups. Nothing kept does not hold.
    fn all_hold(&mut self, ask: &Ask, b_in_a: &Pose, old: std::ops::Range<usize>) -> bool {
        let Some(any) = self.old[old.clone()].first() else { return false };
        // How far a point of the shape that moves over the container has come since.
        let moved = if ask.b.kind == Kind::Container {
            Kept { made_at: any.made_at.inverse(), ..*any }.motion(&b_in_a.inverse(), ask.a.radius)
        } else {
            any.motion(b_in_a, ask.b.radius)
        };
        if moved.is_nan() || moved > any.reach - ask.reach {
            return false;
        }
        let before = (self.groups.found.len(), self.groups.points.len());
        let holds = old.clone().all(|at| {
            let kept = self.old[at];
            let is_far = kept.gap - GAP_BY_MOTION * moved > ask.reach;
            kept.at == APART || is_far || self.add_carried(ask, b_in_a, &kept)
        });
        if !holds {
            self.groups.found.truncate(before.0);
            self.groups.points.truncate(before.1);
        }
        holds
    }

    /// The manifolds of a pair, made anew; a distance that it keeps when there is none.
    fn make(&mut self, ask: &Ask, b_in_a: &Pose, reach: f64) -> f64 {
        let shapes = ask.key.shapes().map(|slot| &self.model.shapes[slot as usize].shape);
        self.pair.clear();
        narrowphase::collide_at(self.level, shapes, b_in_a, reach, self.pair)
    }
}

/// The groups of this step.
struct NewGroups<'a> {
    /// Largest gap of a point that counts [m].
    most_gap: f64,
    found: &'a mut Vec<Found>,
    points: &'a mut Vec<FoundPoint>,
}

impl NewGroups<'_> {
    /// Adds a group of one point.
    #[inline(always)]
    fn add_single(&mut self, ask: &Ask, normal: Vec3, at: Vec3, gap: f64, feature: [Feature; 2]) {
        let counts = gap <= self.most_gap;
        let first = self.points.len() as u32;
        let feature = feature.map(Feature::bits);
        if counts {
            self.points.push(FoundPoint { at, gap, feature, before: feature });
        }
        let (key, margin, len) = (ask.key, ask.margin, u16::from(counts));
        self.found.push(Found { key, normal, gap, margin, first, len, single: true });
    }

    /// Adds the group of one manifold with its least gap; `before` are the features that its points had in the last step, if not the same.
    #[inline(always)]
    fn add(
        &mut self,
        ask: &Ask,
        manifold: &Manifold,
        (now, gap): (&Carried, f64),
        before: Option<&[[u32; 2]; MAX_POINTS]>,
    ) {
        if gap > ask.reach {
            return;
        }
        let key = ask.key.with_parts(manifold.sub_shape);
        let first = self.points.len() as u32;
        let (rotation, place) = (Mat3::from_quat(ask.a.rotation), ask.a.place);
        for (i, point) in manifold.points().iter().enumerate() {
            let (feature, gap) = (bits(point), now.gap[i]);
            if gap <= self.most_gap {
                let (at, before) =
                    (rotation * now.middle[i] + place, before.map_or(feature, |before| before[i]));
                self.points.push(FoundPoint { at, gap, feature, before });
            }
        }
        let (margin, len) = (ask.margin, (self.points.len() as u32 - first) as u16);
        self.found.push(Found { key, normal: rotation * now.normal, gap, margin, first, len, single: false });
    }
}

#[inline(always)]
fn bits(point: &ManifoldPoint) -> [u32; 2] {
    [point.feature.a, point.feature.b].map(Feature::bits)
}

/// The features that the points of a new manifold had in the old one.
fn features_before(old: &Manifold, new: &Manifold) -> [[u32; 2]; MAX_POINTS] {
    let mut out = [[0; 2]; MAX_POINTS];
    for ((out, point), same) in out.iter_mut().zip(new.points()).zip(match_points(old, new)) {
        *out = bits(same.map_or(point, |i| &old.points()[i as usize]));
    }
    out
}

/// A manifold at the pose that it was made at.
#[inline(always)]
fn as_made(manifold: &Manifold, b_in_a: &Pose) -> Carried {
    let mut out = Carried { normal: manifold.normal, ..Carried::default() };
    for (i, point) in manifold.points().iter().enumerate() {
        out.gap[i] = point.gap;
        out.middle[i] = (point.on_a + b_in_a.transform(point.on_b)) * 0.5;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{APART, Kept};
    use crate::scene::{Axis, Body, Scene, Shape};
    use crate::stage;
    use crate::workspace::Workspace;
    use crate::world::World;
    use huygens_math::SplitMix;

    /// A ground of hills, 2 m across.
    fn hills() -> Shape {
        let height = |i: i32, j: i32| 0.05 * f64::from((i * i + 3 * j) % 5);
        let rows = (0..11).map(|j| (0..11).map(|i| height(i, j)).collect());
        Shape::height_field(rows.collect(), 2.0, 2.0)
    }

    /// Boxes, rods, cylinders and hulls that fall on each other in a box.
    fn heap(ground: Shape) -> Scene {
        let mut random = SplitMix::new(12);
        let floor = Body::fixed("floor").shape(ground.friction(0.5).restitution(0.0));
        let bin = Body::fixed("bin").shape(Shape::box_inside(1.6, 1.6, 20.0).friction(0.3).restitution(0.0));
        let mut scene =
            Scene::new().dt(1.0 / 120.0).solver("sequential-impulse").sleep(false).body(floor).body(bin);
        for i in 0..24 {
            let corner = |k: i32| [0.2, -0.2].map(|x| if k & i > 0 { x } else { 0.8 * x });
            let shape = match i % 4 {
                0 => Shape::cuboid(0.4, 0.3, 0.35),
                1 => Shape::capsule(0.15, 0.3).along(Axis::X),
                2 => Shape::cylinder(0.18, 0.4),
                _ => {
                    let ([a, b], [c, d], [e, f]) = (corner(1), corner(4), corner(8));
                    Shape::hull([[a, c, e], [b, c, e], [a, d, e], [b, d, f], [a, c, f], [b, c, f], [a, d, f]])
                }
            };
            let (axis, angle) = (random.direction(), random.range(0.0, 3.0));
            let (x, y) = (random.range(-0.3, 0.3), random.range(-0.3, 0.3));
            let body = Body::dynamic(format!("b{i}"))
                .shape(shape.friction(0.5).restitution(0.0))
                .at(x, y, 0.4 + 0.5 * f64::from(i))
                .turned(axis.to_array(), angle);
            scene = scene.body(body);
        }
        scene
    }

    #[test]
    fn what_is_carried_over_is_what_would_be_made_anew() {
        carried_as_made(&heap(Shape::half_space()));
    }

    #[test]
    fn what_is_carried_over_a_mesh_is_what_would_be_made_anew() {
        carried_as_made(&heap(hills()));
    }

    fn carried_as_made(scene: &Scene) {
        let mut world = World::new(scene).unwrap_or_else(|errors| panic!("{errors}"));
        let (mut carried, mut made, mut apart) = (0, 0, 0);
        let mut worst = 0.0f64;
        for step in 0..800 {
            let (mut state, mut work) = (world.state.clone(), Workspace::default());
            let before = state.contacts.kept.pairs.clone();
            stage::kinematics(&world.model, &mut state, &mut work.for_kinematics());
            stage::near(&world.model, &state, &mut work.for_collide());
            stage::collide(&world.model, &mut state, &mut work.for_collide(), None);
            let (mut fresh_state, mut fresh) = (world.state.clone(), Workspace::default());
            fresh_state.contacts.kept.clear();
            stage::kinematics(&world.model, &mut fresh_state, &mut fresh.for_kinematics());
            stage::near(&world.model, &fresh_state, &mut fresh.for_collide());
            stage::collide(&world.model, &mut fresh_state, &mut fresh.for_collide(), None);
            for kept in &state.contacts.kept.pairs {
                let is_old = |old: &Kept| old.order() == kept.order() && old.made_at == kept.made_at;
                match (before.iter().any(is_old), kept.at == APART) {
                    (true, false) => carried += 1,
                    (true, true) => apart += 1,
                    _ => made += 1,
                }
            }
            let h = world.model.settings.dt;
            for found in &fresh.found {
                let rows = found.key.shapes().map(|slot| &work.shapes[slot as usize]);
                // What cannot be reached in this step does not matter.
                let speed =
                    |row: &super::ShapeRow| world.state.velocity.free[row.body as usize].linear.length();
                let reached =
                    (speed(rows[0]) + speed(rows[1])) * h + f64::from(rows[0].turning + rows[1].turning);
                if found.gap > reached {
                    continue;
                }
                let size = if rows[0].size < rows[1].size { rows[0].size } else { rows[1].size };
                // Which triangle stands for a patch of a mesh may differ: of the same pair, one that pushes the same way, or one that touches at
                // the same place of an edge, where every direction between the normals of its two faces is a normal.
                let pair = |found: &super::Found| found.key.shapes();
                let is_near = |other: &super::Found| {
                    let (here, there) =
                        (&fresh.found_points[found.range()], &work.found_points[other.range()]);
                    here.iter().all(|a| there.iter().any(|b| (a.at - b.at).length() < 1e-2 * size))
                };
                let alike = |other: &&super::Found| {
                    let cosine = other.normal.dot(found.normal);
                    pair(other) == pair(found) && (cosine > 0.9 || cosine > 0.5 && is_near(other))
                };
                let off = work.found.iter().filter(alike).fold(f64::INFINITY, |least, other| {
                    let off = (other.gap - found.gap).abs() / size;
                    if off < least { off } else { least }
                });
                worst = if off > worst { off } else { worst };
                // The slop, and a band of two ways to part the shapes: 1e-3 of the size and 2 % of the depth.
                let depth = if found.gap < 0.0 { -found.gap } else { 0.0 };
                assert!(
                    off <= 2e-3 + 0.05 * depth / size,
                    "step {step}, {:?}: off by {off} sizes",
                    found.key
                );
            }
            world.step();
        }
        println!("{carried} carried, {apart} still apart, {made} made; worst {worst:.1e} sizes");
        assert!(carried > made && apart > 100, "{carried} carried, {apart} still apart, {made} made");
    }

    #[test]
    fn a_body_at_rest_keeps_its_manifold() {
        let scene = Scene::new()
            .sleep(false)
            .body(Body::fixed("floor").shape(Shape::half_space()))
            .body(Body::dynamic("low").cuboid(1.0, 1.0, 1.0).at(0.0, 0.0, 0.5))
            .body(Body::dynamic("high").cuboid(1.0, 1.0, 1.0).at(0.2, 0.1, 1.5));
        let mut world = World::new(&scene).unwrap_or_else(|errors| panic!("{errors}"));
        let made = |world: &World| {
            world.state.contacts.kept.pairs.iter().map(|kept| kept.made_at).collect::<Vec<_>>()
        };
        for _ in 0..20 {
            world.step();
        }
        let before = made(&world);
        for _ in 0..200 {
            world.step();
        }
        assert_eq!((before.len(), &before), (2, &made(&world)));
    }
}
