//! What of the state belongs to sleepers: who sleeps, how long others have lain still, and the contacts of all that sleeps.
//!
//! A body that sleeps keeps its pose to the last bit and has no velocity. Contacts, kept manifolds, touching pairs and impulses of rows of
//! a sleeping island lie here, apart from those of the last step, so that no stage goes through them; they return when the island wakes.

use crate::contacts::{APART, Contacts, Kept};
use crate::event::{Event, EventKind};
use crate::handle::BodyId;
use crate::model::{Model, Motion};
use crate::state::State;
use huygens_contact::{GroupId, GroupKey};
use huygens_math::{Pose, Vec3};

/// The island of a body that does not sleep.
pub const AWAKE: u32 = u32::MAX;

/// How long a body has lain still, and how still. Times and distances go by windows: `stage::rest` says how long one is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stillness {
    /// Place of the centre of mass and orientation at the start of the window.
    pub anchor: Pose,
    /// Time since then [s].
    pub time: f64,
    /// Farthest that any point of the body has been from its place at the anchor since then [m].
    pub drift: f64,
    /// The same of the window before; infinite when the body was not slow through all of it [m].
    pub before: f64,
    /// The last window says that the body may sleep.
    pub rests: bool,
}

impl Default for Stillness {
    fn default() -> Self {
        Self { anchor: Pose::IDENTITY, time: 0.0, drift: 0.0, before: f64::INFINITY, rests: false }
    }
}

/// What of the state belongs to sleepers.
#[derive(Clone, Debug, Default)]
pub struct Sleep {
    /// By body slot: the island with which it sleeps, by the lowest slot in it, or [`AWAKE`].
    pub island: Vec<u32>,
    /// By body slot.
    pub stillness: Vec<Stillness>,
    /// Number of bodies that sleep.
    pub sleepers: u64,
    /// How often bodies have fallen asleep or woken: tables that leave sleepers out are made anew when it has changed.
    pub changes: u64,
    /// Contact points of sleepers that carry load.
    pub loaded: u64,
    /// Contacts of sleepers; manifolds stay in the slots of those that are awake.
    pub contacts: Contacts,
    /// Touching pairs of sleepers that events know of, sorted.
    pub touching: Vec<[u32; 2]>,
    /// Impulses of rows of sleeping trees, by key.
    pub row_impulses: Vec<(GroupKey, f64)>,
    /// Bodies that fell asleep or woke since the last step; the next step's events tell of them.
    pub told: Vec<Event>,
}

impl Sleep {
    /// True when nothing sleeps.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.sleepers == 0
    }

    /// True for a body that sleeps.
    #[inline(always)]
    pub fn has(&self, slot: usize) -> bool {
        self.island[slot] != AWAKE
    }
}

/// True for a body that impulses can move, or a driver that gives way.
pub(crate) fn moves(model: &Model, slot: usize) -> bool {
    let body = &model.bodies[slot];
    !body.removed
        && (matches!(body.motion, Motion::Dynamic | Motion::Link { .. })
            || model.torque_limited(slot).is_some())
}

/// True for a tree that sleeps.
pub(crate) fn tree_sleeps(model: &Model, state: &State, tree: usize) -> bool {
    // Driven bodies that carry the tree come first.
    !state.sleep.is_empty()
        && model.tree_bodies[tree].last().is_some_and(|&body| state.sleep.has(body as usize))
}

impl State {
    /// Wakes the island of every body that sleeps and for which `wakes` is true.
    pub(crate) fn wake(&mut self, model: &Model, wakes: impl Fn(usize) -> bool) {
        if self.sleep.is_empty() {
            return;
        }
        let slots = (0..self.sleep.island.len()).filter(|&slot| self.sleep.has(slot) && wakes(slot));
        let mut islands: Vec<u32> = slots.map(|slot| self.sleep.island[slot]).collect();
        self.wake_islands(model, &mut islands, &mut Contacts::default());
    }

    /// Wakes islands; what was kept of them is among the contacts of the last step again. `spare` is room.
    pub(crate) fn wake_islands(&mut self, model: &Model, islands: &mut Vec<u32>, spare: &mut Contacts) {
        if islands.is_empty() {
            return;
        }
        islands.sort_unstable();
        islands.dedup();
        for slot in 0..self.sleep.island.len() {
            if self.sleep.has(slot) && islands.binary_search(&self.sleep.island[slot]).is_ok() {
                self.sleep.island[slot] = AWAKE;
                self.sleep.sleepers -= 1;
                self.sleep.stillness[slot] = Stillness::default();
                self.tell(EventKind::Wake, slot);
            }
        }
        self.sleep.changes += 1;
        let (sleep, contacts) = (&mut self.sleep, &mut self.contacts);
        let Sleep { island, contacts: asleep, touching, row_impulses, .. } = sleep;
        let body = |shape: u32| model.shapes[shape as usize].body as usize;
        // No body of it sleeps now; static bodies and drivers never do.
        let stays = |shapes: [u32; 2]| shapes.into_iter().any(|shape| island[body(shape)] != AWAKE);
        // Two islands that slept side by side: what is kept of the pair is found anew.
        let parted = |shapes: [u32; 2]| {
            shapes.into_iter().any(|shape| island[body(shape)] == AWAKE && moves(model, body(shape)))
        };
        move_heads(asleep, contacts, spare, |key| !stays(key.shapes()));
        let slots = &mut contacts.kept.free;
        asleep.kept.pairs.retain(|pair| {
            let goes = stays([pair.a, pair.b]) && parted([pair.a, pair.b]);
            slots.extend((goes && pair.at != APART).then_some(pair.at));
            !goes
        });
        move_sorted(
            &mut asleep.kept.pairs,
            &mut contacts.kept.pairs,
            |pair| !stays([pair.a, pair.b]),
            Kept::order,
        );
        let goes = |pair: &[u32; 2]| !stays(*pair) || parted(*pair);
        move_sorted(touching, &mut self.touching, goes, |pair| *pair);
        let tree_stays = |key: &GroupKey| row_sleeps(model, island, key);
        move_sorted(row_impulses, &mut self.row_impulses, |(key, _)| !tree_stays(key), |(key, _)| *key);
        self.sleep.count_loaded();
    }

    /// Takes what was kept of islands that have just fallen asleep from the contacts of the last step. `spare` is room.
    pub(crate) fn store_sleepers(&mut self, model: &Model, spare: &mut Contacts) {
        let (sleep, contacts) = (&mut self.sleep, &mut self.contacts);
        let Sleep { island, contacts: asleep, touching, row_impulses, .. } = sleep;
        let body = |shape: u32| model.shapes[shape as usize].body as usize;
        let sleeps = |shapes: [u32; 2]| shapes.into_iter().any(|shape| island[body(shape)] != AWAKE);
        let is_mixed = |shapes: [u32; 2]| {
            sleeps(shapes)
                && shapes.into_iter().any(|shape| island[body(shape)] == AWAKE && moves(model, body(shape)))
        };
        move_heads(contacts, asleep, spare, |key| sleeps(key.shapes()));
        let kept = &mut contacts.kept;
        let free = &mut kept.free;
        kept.pairs.retain(|pair| {
            let goes = is_mixed([pair.a, pair.b]);
            free.extend((goes && pair.at != APART).then_some(pair.at));
            !goes
        });
        move_sorted(&mut kept.pairs, &mut asleep.kept.pairs, |pair| sleeps([pair.a, pair.b]), Kept::order);
        let goes = |pair: &[u32; 2]| sleeps(*pair) && !is_mixed(*pair);
        move_sorted(&mut self.touching, touching, goes, |pair| *pair);
        let row_goes = |key: &GroupKey| row_sleeps(model, island, key);
        move_sorted(&mut self.row_impulses, row_impulses, |(key, _)| row_goes(key), |(key, _)| *key);
        self.sleep.count_loaded();
    }

    /// Says in the next events that a body woke or fell asleep.
    pub(crate) fn tell(&mut self, kind: EventKind, slot: usize) {
        let body = BodyId { slot: slot as u32, generation: self.generation[slot], world: 0 };
        self.sleep.told.push(Event::of_body(kind, body));
    }

    /// A body slot that is new.
    pub(crate) fn push_awake(&mut self) {
        self.sleep.island.push(AWAKE);
        self.sleep.stillness.push(Stillness::default());
    }
}

impl Sleep {
    fn count_loaded(&mut self) {
        let points = self.contacts.heads.iter().flat_map(|head| head.points(&self.contacts.points));
        self.loaded = points.filter(|point| point.impulse != Vec3::ZERO).count() as u64;
    }
}

/// True for the row of a joint, a tendon or a rope whose bodies sleep.
fn row_sleeps(model: &Model, island: &[u32], key: &GroupKey) -> bool {
    let tree = |tree: u32| {
        model.tree_bodies[tree as usize].last().is_some_and(|&body| island[body as usize] != AWAKE)
    };
    match key.id() {
        GroupId::JointLimit { joint, .. }
        | GroupId::JointFriction { joint }
        | GroupId::JointMotor { joint } => tree_of_row(model, joint).is_some_and(tree),
        GroupId::Coupling { coupling } => model.ropes.get(coupling as usize).is_some_and(|rope| {
            rope.ends.iter().filter_map(|end| end.body).any(|body| island[body as usize] != AWAKE)
        }),
        // Drivers with a torque limit do not sleep.
        _ => false,
    }
}

/// The tree of the row with that number: the dofs of joints come first, then two rows for each limit of a ball joint, then tendons.
fn tree_of_row(model: &Model, number: u32) -> Option<u32> {
    let number = number as usize;
    if let Some(dof) = model.joint_dofs.get(number) {
        return Some(dof.tree);
    }
    if let Some(limit) = model.ball_limits.get((number - model.joint_dofs.len()) / 2) {
        return Some(limit.tree);
    }
    let tendon = crate::stage::tendon_of(model, number as u32)?;
    model.tendons.get(tendon).map(|tendon| tendon.tree)
}

/// Moves the groups for which `goes` is true, with their points; both lists are sorted by key before and after. `spare` is room.
fn move_heads(
    from: &mut Contacts,
    to: &mut Contacts,
    spare: &mut Contacts,
    goes: impl Fn(&GroupKey) -> bool,
) {
    if !from.heads.iter().any(|head| goes(&head.key)) {
        return;
    }
    let has_couples = !from.couples.is_empty() || !to.couples.is_empty();
    for contacts in [&mut *from, &mut *to] {
        if has_couples {
            contacts.couples.resize(contacts.points.len(), Vec3::ZERO);
        }
    }
    spare.points.clear();
    spare.couples.clear();
    for head in &mut from.heads {
        let out = if goes(&head.key) { &mut *to } else { &mut *spare };
        let range = head.first as usize..(head.first + head.len) as usize;
        head.first = out.points.len() as u32;
        out.points.extend_from_slice(&from.points[range.clone()]);
        if has_couples {
            out.couples.extend_from_slice(&from.couples[range]);
        }
    }
    std::mem::swap(&mut from.points, &mut spare.points);
    std::mem::swap(&mut from.couples, &mut spare.couples);
    for contacts in [&mut *from, &mut *to] {
        if contacts.couples.iter().all(|couple| *couple == Vec3::ZERO) {
            contacts.couples.clear();
        }
    }
    move_sorted(&mut from.heads, &mut to.heads, |head| goes(&head.key), |head| head.key);
}

/// Moves the entries for which `goes` is true; both lists are sorted by `key` before and after. Entries with one key keep their order.
fn move_sorted<T: Clone, K: Ord>(
    from: &mut Vec<T>,
    to: &mut Vec<T>,
    goes: impl Fn(&T) -> bool,
    key: impl Fn(&T) -> K,
) {
    let mut old = to.len();
    to.extend(from.iter().filter(|entry| goes(entry)).cloned());
    let mut end = to.len();
    if end == old {
        return;
    }
    // Both are merged from behind, in the room that the new ones take.
    for entry in from.iter().rev().filter(|entry| goes(entry)) {
        let own = key(entry);
        while old > 0 && key(&to[old - 1]) > own {
            (old, end) = (old - 1, end - 1);
            to[end] = to[old].clone();
        }
        end -= 1;
        to[end] = entry.clone();
    }
    from.retain(|entry| !goes(entry));
}
