//! Nothing passes: what is about to move farther than its own thickness is swept along its displacement against everything.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | s | `stop` | share of its displacement that a body makes | – |
//! | t | `thin` | half of the least width of a shape | m |
//! | p, u, W | `p`, `rate`, `w` | impulse along the normal, velocity of the point, inverse mass there | N·s, m/s, 1/kg |
//!
//! Rows are made of the motion at the start of the step. A body that another one strikes, or that an impact sets spinning, moves otherwise, and
//! may be about to go through things that it has no row for. Such a pair gets the rows of the touch on that way ([`super::touch`]), and the step
//! is solved again: [`ROUNDS`] times at most, which is a chain of as many bodies. Islands that nothing was added to come out with the same bits. What would
//! still go through stops at the touch. A free flight ends with the velocity that it has there: v⁺ − (1 − s)h·a, or v⁺ made slower, so that it has no more kinetic energy than T⁺ + F·c,
//! where c is the displacement that is cut: keeping v⁺ in the middle of a fall would win m·g·Δz. Then it loses the velocity that leads into the other:
//! p = −u/W, which takes ½u²/W. Where it is the turn of a whole step that leads there, it loses half of its spin, and with that ⅜ω·Iω.
//!
//! What comes near nothing and flies free is not swept. What is pressed deeper than a twentieth of t into something, or is about to be, is swept however slow it is: a squeeze would bring it to the other side step by step.
//! An overlap of 0.14 t, or a little more than there was at the start of the step, is none: that is for the recovery.
//! A link of a tree gets rows as all others do; it is not stopped.

use super::fast::{find_fast, find_pairs, move_links};
use super::stop::stop;
use super::ways::{Hit, Turns, Ways, is_movable};
use crate::access::SweepAccess;
use crate::model::{Model, Motion};
use crate::stage::touch::{Touch, add_points, manifolds_at, moved};
use crate::state::State;
use crate::workspace::Found;
use huygens_contact::GroupKey;
use huygens_geometry::query::Motion as Course;
use huygens_math::Vec3;

/// How often a step is solved again at most.
const ROUNDS: u32 = 4;

/// Groups of an island that is solved again for one of its bodies, at most.
const HEAP: usize = 64;

/// Part numbers from here on are touches that the sweep found: eight for each round.
const PART: u32 = u32::MAX - 64;
const PARTS: u32 = 8;

/// Pairs near a fast shape that there is room for at once, each seen from both sides. Beyond that it grows.
const PAIRS_PER_SHAPE: usize = 48;

/// Room for the sweep.
#[derive(Debug, Default)]
pub struct SweepWork {
    /// Slots of the shapes that are fast.
    pub(super) fast: Vec<u32>,
    /// Slots of those that are slow, and move otherwise than they flew.
    pub(super) astray: Vec<u32>,
    /// Pairs that may meet, sorted.
    pub(super) pairs: Vec<[u32; 2]>,
    /// By pair: the share of the step at which its shapes would begin to pass each other if nothing stopped, infinite where they would not.
    pub(super) first: Vec<f64>,
    /// Pairs that are deep in each other at the start or at the end of the step, sorted.
    pub(super) deep: Vec<[u32; 2]>,
    /// Pairs without a row that something else brings together.
    pub(super) unseen: Vec<[u32; 2]>,
    /// Those that would pass each other.
    pub(super) hits: Vec<Hit>,
    /// By pair: where it would pass.
    looks: Vec<Option<Hit>>,
    /// What the round before this one found.
    before: Round,
    /// Bodies that this round gave rows to.
    struck: Vec<u32>,
    /// By body: it comes near something, or does not fly free.
    pub(super) touched: Vec<bool>,
    /// By body: it meets something earlier in this round.
    pub(super) taken: Vec<bool>,
    /// By body: the share of its displacement that it makes.
    pub(super) stop: Vec<f64>,
    /// By body: how far it comes until it stops [m].
    pub(super) ways: Vec<Vec3>,
    /// By body: it was stopped in this sweep over the pairs.
    pub(super) stopped_now: Vec<bool>,
    /// Turns that were found already.
    pub(super) turns: Turns,
    /// By hit: how its shapes were about to move.
    pub(super) courses: Vec<[Course; 2]>,
    /// By body: energy that drivers gave it where it was stopped [J]; empty for none.
    pub(super) given: Vec<f64>,
}

/// What a round found.
#[derive(Debug, Default)]
struct Round {
    /// Pairs that it looked at, sorted.
    pairs: Vec<[u32; 2]>,
    /// By pair: the time of its hit, infinite for none.
    first: Vec<f64>,
    /// Hits, sorted by their shapes.
    hits: Vec<Hit>,
}

impl SweepWork {
    /// Energy that drivers gave a body where it was stopped [J].
    pub(in crate::stage) fn given(&self, body: usize) -> f64 {
        self.given.get(body).copied().unwrap_or_default()
    }

    /// Bodies that the last round gave rows to.
    pub(crate) fn struck(&self) -> &[u32] {
        &self.struck
    }

    /// Keeps what this round found for the next one.
    fn keep(&mut self) {
        let Self { pairs, first, hits, before, .. } = self;
        std::mem::swap(pairs, &mut before.pairs);
        std::mem::swap(first, &mut before.first);
        before.hits.clone_from(hits);
        before.hits.sort_unstable_by_key(|hit| hit.slots);
    }

    /// What the round before found of a pair that it looked at.
    fn known(&self, slots: [u32; 2]) -> Option<Option<Hit>> {
        let Round { pairs, first, hits } = &self.before;
        let at = pairs.binary_search(&slots).ok()?;
        let hit = || hits.binary_search_by_key(&slots, |hit| hit.slots).ok().map(|at| hits[at]);
        Some(if first[at] < f64::INFINITY { hit() } else { None })
    }

    /// Makes room for that many bodies and shapes.
    pub(crate) fn reserve(&mut self, bodies: usize, shapes: usize) {
        crate::workspace::reserve(&mut self.fast, PAIRS_PER_SHAPE * shapes);
        crate::workspace::reserve(&mut self.astray, shapes);
        crate::workspace::reserve(&mut self.pairs, PAIRS_PER_SHAPE * shapes);
        crate::workspace::reserve(&mut self.first, PAIRS_PER_SHAPE * shapes);
        crate::workspace::reserve(&mut self.deep, PAIRS_PER_SHAPE * shapes);
        crate::workspace::reserve(&mut self.unseen, PAIRS_PER_SHAPE * shapes);
        crate::workspace::reserve(&mut self.hits, PAIRS_PER_SHAPE * shapes);
        crate::workspace::reserve(&mut self.looks, PAIRS_PER_SHAPE * shapes);
        crate::workspace::reserve(&mut self.before.pairs, PAIRS_PER_SHAPE * shapes);
        crate::workspace::reserve(&mut self.before.first, PAIRS_PER_SHAPE * shapes);
        crate::workspace::reserve(&mut self.before.hits, PAIRS_PER_SHAPE * shapes);
        crate::workspace::reserve(&mut self.struck, bodies);
        crate::workspace::reserve(&mut self.touched, bodies);
        crate::workspace::reserve(&mut self.taken, bodies);
        crate::workspace::reserve(&mut self.stop, bodies);
        crate::workspace::reserve(&mut self.given, bodies);
        self.turns.reserve(bodies);
        crate::workspace::reserve(&mut self.ways, bodies);
        crate::workspace::reserve(&mut self.stopped_now, bodies);
        crate::workspace::reserve(&mut self.courses, PAIRS_PER_SHAPE * shapes);
    }
}

/// True when rows were added and the step must be solved again. `round` counts how often that was. With `is_kept` the bodies that `again` does
/// not name move as in the round before.
pub(crate) fn sweep(
    model: &Model,
    state: &State,
    work: &mut SweepAccess,
    round: &mut u32,
    is_kept: bool,
) -> bool {
    work.sweep.given.clear();
    work.sweep.struck.clear();
    if !model.settings.speculative {
        return false;
    }
    find_fast(model, state, work);
    let SweepWork { fast, astray, deep, unseen, .. } = &*work.sweep;
    if fast.is_empty() && astray.is_empty() && deep.is_empty() && unseen.is_empty() {
        return false;
    }
    if !model.trees.is_empty() {
        move_links(model, state, work);
    }
    let mut room = std::mem::take(work.sweep);
    room.turns.reset(model.bodies.len());
    find_pairs(model, state, work, &mut room);
    room.pairs.retain(|&shapes| !work.meet.ignores(shapes));
    find_hits(model, state, work, &mut room, is_kept);
    room.hits.sort_unstable_by(|a, b| a.time.total_cmp(&b.time).then(a.slots.cmp(&b.slots)));
    let again = !room.hits.is_empty() && *round < ROUNDS && add_rows(model, state, work, &mut room, *round);
    if again {
        *round += 1;
        room.keep();
    } else {
        room.hits.retain(|hit| !hit.is_minor);
    }
    if !again && !room.hits.is_empty() {
        // Blows write what drivers gave.
        work.sweep.given = std::mem::take(&mut room.given);
        stop(model, state, work, &mut room);
        room.given = std::mem::take(&mut work.sweep.given);
    }
    *work.sweep = room;
    again
}

/// Pairs that one chunk looks at: some 100 µs where half of them are searched.
const PAIRS_OF_CHUNK: usize = 16;

/// Finds the pairs that would pass each other. Each is looked at by itself, so that threads may share them.
fn find_hits(model: &Model, state: &State, work: &SweepAccess, room: &mut SweepWork, is_kept: bool) {
    let mut looks = std::mem::take(&mut room.looks);
    looks.clear();
    looks.resize(room.pairs.len(), None);
    let ways = Ways { model, state, work, turns: &room.turns };
    let changed = |slot: u32| work.again.is_changed(work.shapes[slot as usize].body);
    let look = |slots: [u32; 2]| {
        let is_old = is_kept && !slots.into_iter().any(changed);
        let known = if is_old { room.known(slots) } else { None };
        known.unwrap_or_else(|| if ways.may_pass(slots, &room.deep) { ways.first_hit(slots) } else { None })
    };
    work.pool.for_parts(&mut looks, PAIRS_OF_CHUNK, |first, part| {
        for (to, slots) in part.iter_mut().zip(&room.pairs[first..]) {
            *to = look(*slots);
        }
    });
    room.first.clear();
    room.first.extend(looks.iter().map(|hit| hit.map_or(f64::INFINITY, |hit| hit.time)));
    room.hits.clear();
    room.hits.extend(looks.iter().flatten());
    room.looks = looks;
}

/// Gives rows to the pairs that would pass each other, of each body the first; false when none got a row.
fn add_rows(model: &Model, state: &State, work: &mut SweepAccess, room: &mut SweepWork, round: u32) -> bool {
    room.taken.clear();
    room.taken.resize(model.bodies.len(), false);
    let before = work.found.len();
    for i in 0..room.hits.len() {
        let hit = room.hits[i];
        let bodies = hit.slots.map(|slot| work.shapes[slot as usize].body as usize);
        // What comes to a sleeper by the push of another stops before it, with the velocity that it has; it wakes it in the next step.
        if hit.slots.into_iter().any(|slot| work.shapes[slot as usize].asleep) {
            continue;
        }
        let movable = hit.slots.map(|slot| is_movable(state, work, slot));
        if (0..2).any(|k| movable[k] && (room.taken[bodies[k]] || is_in_heap(work, bodies[k]))) {
            continue;
        }
        (0..2).filter(|&k| movable[k]).for_each(|k| room.taken[bodies[k]] = true);
        let courses = {
            let ways = Ways { model, state, work, turns: &room.turns };
            hit.slots.map(|slot| ways.course(slot))
        };
        touch_rows(model, work, &hit, &courses, PART + PARTS * round);
        room.struck.extend((0..2).filter(|&k| movable[k]).map(|k| bodies[k] as u32));
    }
    if work.found.len() == before {
        return false;
    }
    work.found.sort_unstable_by_key(|found| found.key);
    work.touches.sort_unstable_by_key(|touch| touch.key);
    true
}

/// True for a body in an island that is too large to be solved again for one of its bodies: there it stops at the touch.
fn is_in_heap(work: &SweepAccess, body: usize) -> bool {
    let graph = &work.problem.graph;
    graph.island_of_movable(body).is_some_and(|island| graph.groups(island).len() > HEAP)
}

/// Adds the groups of one touch.
fn touch_rows(model: &Model, work: &mut SweepAccess, hit: &Hit, courses: &[Course; 2], part: u32) {
    let shapes = hit.slots.map(|slot| &model.shapes[slot as usize].shape);
    let [a, b] = courses;
    let [row_a, row_b] = hit.slots.map(|slot| &work.shapes[slot as usize]);
    let margin = f64::from(if row_a.margin < row_b.margin { row_a.margin } else { row_b.margin });
    manifolds_at(shapes, [a, b], (hit.time, margin), work.bodies.level, work.pair);
    let has_link = [row_a, row_b]
        .iter()
        .any(|row| matches!(work.body_rows[row.body as usize].motion, Motion::Link { .. }));
    let mut number = part;
    for manifold in work.pair.iter().take(PARTS as usize) {
        let first = work.found_points.len();
        let normal = add_points(manifold, [a, b], hit.time, work.found_points);
        let len = work.found_points.len() - first;
        if len == 0 {
            continue;
        }
        let key = GroupKey::contact(hit.slots, [number; 2]);
        number += 1;
        // It reports no touch before there is one.
        let gap = f64::MIN_POSITIVE;
        let (first, len) = (first as u32, len as u16);
        work.found.push(Found { key, normal, gap, margin: 0.0, first, len, single: false });
        if !has_link {
            let moved = [a, b].map(|course| moved(course, hit.time)[0]);
            work.touches.push(Touch { key, moved });
        }
    }
}
